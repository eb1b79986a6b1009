"""Whatever happens: never a partial or unverified release, never a changed input, nothing left but what was there."""

from __future__ import annotations

import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import call

import allonym as al
from allonym.errors import OutputError
from allonym.pipeline.demo import demonstrate
from allonym.release import write as release

COMMAND = [sys.executable, "-c", "from allonym.cli import main; main()"]


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The survey, its plan, and what masking it gives."""
    folder = tmp_path_factory.mktemp("demo")
    demonstrate(folder)
    return folder


@pytest.fixture
def folder(demo: Path, tmp_path: Path) -> Path:
    """A folder with a copy of the survey, its plan, and what masking it gives."""
    shutil.copytree(demo, tmp_path / "demo")
    return tmp_path


def mask(folder: Path, target: Path | str, *options: str) -> list[str]:
    return [*COMMAND, *words(folder, target, *options)]


def words(folder: Path, target: Path | str, *options: str) -> list[str]:
    demo = folder / "demo"
    return ["mask", str(demo / "survey.csv"), "-o", str(target), "--plan", str(demo / "plan.toml"), *options]


def content(folder: Path) -> dict[str, bytes]:
    return {x.name: x.read_bytes() for x in sorted((folder / "demo").iterdir())}


def test_killed_at_any_moment(folder: Path) -> None:
    before, expected = content(folder), (folder / "demo" / "masked.csv").read_bytes()
    target = folder / "out.csv"
    began = time.perf_counter()
    subprocess.run(mask(folder, folder / "whole.csv"), check=True, capture_output=True)
    whole = time.perf_counter() - began
    assert (folder / "whole.csv").read_bytes() == expected
    draws = random.Random(7)
    ends = set()
    for _ in range(5):
        target.unlink(missing_ok=True)
        process = subprocess.Popen(mask(folder, target), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(draws.uniform(0.6, 1.05) * whole)
        process.kill()
        ends.add(process.wait())
        assert not target.exists() or target.read_bytes() == expected
        for left in folder.glob(".allonym-*"):
            assert left.stat().st_mode & 0o077 == 0
    assert content(folder) == before
    assert -signal.SIGKILL in ends


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped_by_a_person_or_the_system(folder: Path, number: int) -> None:
    """The signal comes while the release is being written, by a pause that is put there."""
    pause = (
        "import time, allonym.tables.csv as r; f = r.reread\n"
        "def slow(*a, **b):\n    print('now', flush=True); time.sleep(30); return f(*a, **b)\n"
        "r.reread = slow\nfrom allonym.cli import main; main()"
    )
    before, target = content(folder), folder / "out.csv"
    command = [sys.executable, "-c", pause, *mask(folder, target)[3:]]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "now\n"
    assert [x.name[:9] for x in folder.iterdir() if x.name != "demo"] == [".allonym-"]
    process.send_signal(number)
    _, told = process.communicate(timeout=20)
    assert process.returncode == 128 + number
    assert told.strip() == "Stopped."
    assert [x.name for x in folder.iterdir()] == ["demo"]
    assert content(folder) == before


def test_no_room_for_the_file(folder: Path) -> None:
    """A limit on the size of files stands for a full disk: the system refuses to write on."""

    def limited() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    before = content(folder)
    done = subprocess.run(
        mask(folder, folder / "out.csv"), preexec_fn=limited, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "out.csv cannot be written: File too large" in done.stderr
    assert [x.name for x in folder.iterdir()] == ["demo"]
    assert content(folder) == before


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 64 kB, where one may be made."""
    place = tmp_path / "disk"
    place.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", place], capture_output=True, check=False)
    if made.returncode:
        pytest.skip("no small disk can be mounted here")
    yield place
    subprocess.run(["umount", place], check=True)


def test_a_full_disk(folder: Path, small_disk: Path) -> None:
    (small_disk / "old.csv").write_text("what was there\n")
    (small_disk / "ballast").write_bytes(b"x" * 40_000)
    for name in ("new.csv", "old.csv"):
        done = call(*words(folder, small_disk / name))
        assert done.returncode == 2
        assert "cannot be written: No space left on device" in done.stderr
    assert {x.name for x in small_disk.iterdir()} == {"old.csv", "ballast"}
    assert (small_disk / "old.csv").read_text() == "what was there\n"


def test_a_disk_that_is_read_only(folder: Path, small_disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    done = call(*words(folder, small_disk / "new.csv"))
    assert done.returncode == 2
    assert "new.csv cannot be written" in done.stderr


def test_places_where_nothing_can_be_written(folder: Path) -> None:
    source = folder / "demo" / "survey.csv"
    before = content(folder)
    (folder / "link.csv").symlink_to(source)
    (folder / "hard.csv").hardlink_to(source)
    for target in (source, folder / "link.csv", folder / "hard.csv", folder / "demo" / ".." / "demo" / "survey.csv"):
        done = call(*words(folder, target))
        assert done.returncode == 2
        assert "is the data itself" in done.stderr
    done = call(*words(folder, folder / "demo"))
    assert done.returncode == 2
    assert content(folder) == before
    if Path("/proc/version").exists():
        done = call(*words(folder, "/proc/out.csv"))
        assert done.returncode == 2
        assert "cannot be written" in done.stderr


def test_a_summary_that_cannot_be_written_is_told_before_any_work(folder: Path) -> None:
    options = ("--summary", str(folder / "nowhere" / "s.json"))
    done = call(*words(folder, folder / "out.csv", *options))
    assert done.returncode == 2
    assert [x.name for x in folder.iterdir()] == ["demo"]


def test_a_pipe_that_nobody_reads_on(folder: Path) -> None:
    process = subprocess.Popen(mask(folder, "-"), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    with process.stderr as stream:
        told = stream.read()
    assert process.wait() != 0
    assert b"Traceback" not in told


def test_a_text_file_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "there.json").write_text("old")

    def fail(self: Path, *given: object, **options: object) -> int:
        Path.write_bytes(self, b"half")
        [part] = tmp_path.glob(".allonym-*")
        assert part.stat().st_mode & 0o077 == 0
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", fail)
    with pytest.raises(OutputError, match="No space left"):
        release.save_text(tmp_path / "there.json", "new")
    assert [(x.name, x.read_bytes()) for x in tmp_path.iterdir()] == [("there.json", b"old")]


def test_what_was_private_stays_private(tmp_path: Path) -> None:
    old = os.umask(0o022)
    try:
        release.save_text(tmp_path / "a", "x")
        release.save_text(tmp_path / "b", "x", private=True)
        assert [(tmp_path / x).stat().st_mode & 0o777 for x in "ab"] == [0o644, 0o600]
        (tmp_path / "a").chmod(0o600)
        release.save_text(tmp_path / "a", "y")
        assert (tmp_path / "a").stat().st_mode & 0o777 == 0o600
    finally:
        os.umask(old)


def test_cancelled_from_a_script(tmp_path: Path) -> None:
    """What `tick` raises ends the run, and nothing is written."""
    demonstrate(tmp_path / "demo")
    plan = al.Plan.load(tmp_path / "demo" / "plan.toml")

    def cancel(done: int, total: int) -> None:
        if done * 2 > total:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        plan.run(tmp_path / "demo" / "survey.csv", tmp_path / "out.csv", cancel)
    assert [x.name for x in tmp_path.iterdir()] == ["demo"]
