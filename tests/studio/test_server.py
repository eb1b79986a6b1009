"""The server: its address, the options it refuses, and the removal of its files."""

from __future__ import annotations

import os
import re
import signal
import socket
import stat
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from click.testing import CliRunner

from allonym.cli import app
from allonym.errors import OptionError
from allonym.studio.private_folder import private_folder, remove_stale_folders
from allonym.studio.server import Settings, is_loopback, listening


def test_help_is_there() -> None:
    told = CliRunner().invoke(app, ["studio", "--help"], env={"COLUMNS": "120", "NO_COLOR": "1", "TERM": "dumb"}).output
    for word in ("--port", "--no-browser", "--max-upload", "--allow-remote", "allonym studio survey.csv"):
        assert word in told
    assert "password" in told.lower()


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2", "localhost", "::1"])
def test_this_machine_is_loopback(host: str) -> None:
    assert is_loopback(host)
    Settings(host).check(allow_remote=False)


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.5", "::", "", "example.org", "2130706433"])
def test_elsewhere_is_refused_without_a_flag_and_a_password(host: str) -> None:
    for allowed, password in ((False, ""), (True, ""), (False, "secret")):
        with pytest.raises(OptionError, match=r"--allow-remote.*ALLONYM_STUDIO_PASSWORD"):
            Settings(host, password=password).check(allowed)


def test_one_address_and_no_other() -> None:
    Settings("192.168.1.5", password="secret").check(allow_remote=True)
    with pytest.raises(OptionError, match="one address"):
        Settings("0.0.0.0", password="secret").check(allow_remote=True)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--host", "0.0.0.0"], "Others can reach 0.0.0.0"),
        (["--plan", "plan.toml"], "--plan requires a table"),
        (["nothing.csv"], "nothing.csv is not a file"),
    ],
)
def test_what_makes_no_sense_is_refused(words: list[str], told: str, tmp_path: Path) -> None:
    code = "from allonym.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "studio", "--no-browser", *words],
        check=False, capture_output=True, text=True, cwd=tmp_path, timeout=60,
    )  # fmt: skip
    assert done.returncode == 2
    assert told in done.stderr


def test_the_usual_port_or_another() -> None:
    with listening(Settings(port=0)) as (_, first):
        assert first > 0
        with pytest.raises(OptionError, match="choose another --port"), listening(Settings(port=first)):
            pass
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()


def test_the_folder_is_private_and_goes() -> None:
    with private_folder() as folder:
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        (folder / "x").write_text("x")
    assert not folder.exists()


def started(folder: Path) -> subprocess.Popen[str]:
    """Start a studio whose files are in a folder, and wait for its address."""
    process = subprocess.Popen(
        [sys.executable, "-u", "-c", "from allonym.cli import main; main()", "studio", "--no-browser", "--port", "0"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=os.environ | {"TMPDIR": str(folder)},
    )  # fmt: skip
    assert process.stdout is not None
    assert "token" in process.stdout.readline()
    return process


def test_a_studio_removes_the_folder_of_one_that_was_killed(tmp_path: Path) -> None:
    first = started(tmp_path)
    [stale] = tmp_path.iterdir()
    second = started(tmp_path)
    [running] = set(tmp_path.iterdir()) - {stale}
    (stale / "table-1").mkdir()
    (stale / "table-1" / "data").write_text("who is who")
    first.kill()
    first.wait(20)
    assert stale.exists()
    third = started(tmp_path)
    assert not stale.exists()
    assert running.exists()
    for process in (first, second, third):
        process.terminate()
        process.wait(20)
        assert process.stdout is not None
        process.stdout.close()
    assert list(tmp_path.iterdir()) == []


def test_folders_that_are_not_stale_stay(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").write_text("x")
    (tmp_path / "allonym-studio-link").symlink_to(tmp_path / "other")
    (tmp_path / "allonym-studio-file").write_text("x")
    for name in ("allonym-studio-young", "allonym-studio-old", "allonym-else"):
        (tmp_path / name).mkdir()
    os.utime(tmp_path / "allonym-studio-old", (0, 0))
    remove_stale_folders(tmp_path)
    left = {"other", "allonym-studio-link", "allonym-studio-file", "allonym-studio-young", "allonym-else"}
    assert {x.name for x in tmp_path.iterdir()} == left
    assert (tmp_path / "other" / "file").exists()


def test_folders_of_others_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "allonym-studio-old").mkdir()
    os.utime(tmp_path / "allonym-studio-old", (0, 0))
    monkeypatch.setattr(os, "getuid", lambda: tmp_path.stat().st_uid + 1)
    remove_stale_folders(tmp_path)
    assert (tmp_path / "allonym-studio-old").exists()


def test_a_studio_from_start_to_end(tmp_path: Path) -> None:
    code = "from allonym.cli import main; main()"
    with (tmp_path / "errors").open("w") as errors:
        process = subprocess.Popen(
            [sys.executable, "-u", "-c", code, "studio", "--no-browser", "--port", "0"],
            stdout=subprocess.PIPE, stderr=errors, text=True, env=os.environ | {"TMPDIR": str(tmp_path)},
        )  # fmt: skip
    assert process.stdout is not None
    with process.stdout:
        line = process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+/\?token=\S{40,}", line)
        assert found is not None, (tmp_path / "errors").read_text()
        folder = next(tmp_path.glob("allonym-studio-*"))
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        with urllib.request.urlopen(found[0]) as answer:
            assert answer.status == 200
            assert "server" not in {x.lower() for x in answer.headers}
        with pytest.raises(urllib.error.HTTPError, match="403") as refused:
            urllib.request.urlopen(found[0].partition("?")[0] + "data")
        refused.value.close()
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 143
        assert "token" not in process.stdout.read()
    assert not folder.exists()
    assert (tmp_path / "errors").read_text() == "Stopped.\n"
