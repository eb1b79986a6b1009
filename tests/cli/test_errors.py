"""Errors: a message, a hint, exit code 2, no traceback and no file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from commands import call, shell

import allonym as al
from allonym.cli import app, main
from cli.running import run


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["similarity", "dog", "xyzzyx"], "There is no 'xyzzyx' in wordnet"),
        (["similarity", "hammer", "nurse", "--ontology", "wordnet:person"], "There is no 'hammer' under person.n.01"),
        (["similarity", "dog", "cat", "--measure", "wup"], "Unknown measure 'wup'"),
        (["similarity", "dog", "cat", "--ontology", "nowhere.obo"], "There is no ontology 'nowhere.obo'"),
        (["similarity", "dog", "cat", "--ontology", "wordnet:xyzzyx"], "neither a word nor an id 'xyzzyx'"),
        (["link", "nowhere.csv", "--column", "x"], "nowhere.csv cannot be read"),
    ],
)
def test_errors_say_what_is_wrong_and_exit_with_2(words: list[str], message: str) -> None:
    done = call(*words)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_odd_options_end_without_a_traceback(tmp_path: Path) -> None:
    (tmp_path / "links.csv").write_bytes(bytes(range(256)))
    (tmp_path / "jobs.csv").write_text("job\nnurse\n")
    jobs = ["link", str(tmp_path / "jobs.csv"), "--column", "job"]
    for words in (
        ["similarity", "dog", "cat", "--ontology", "nope[/b]"],
        ["similarity", "dog", "cat", "--ontology", "x" * 300],
        ["similarity", "dog", "cat", "--content", "xx"],
        ["similarity", "dog", "cat", "--language", "de"],
        [*jobs, "--links", str(tmp_path / "links.csv")],
        [*jobs, "--senses", "xx"],
        [*jobs, "--language", "xx"],
    ):
        done = call(*words)
        assert (done.returncode, "Traceback" in done.stderr) == (2, False), (words, done.stderr)


def test_errors_end_with_2_tell_all_and_leave_no_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def refuse(*args: str) -> str:
        monkeypatch.setattr(sys, "argv", ["allonym", *args])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capfd.readouterr()
        assert (ended.value.code, out.strip()) == (2, "")
        return err

    before = sorted(x.name for x in folder.iterdir())
    message = refuse("mask", "survey.csv", "-o", "m.csv", "--quasi", "reason=wordnet", "--quasi", "gone", "--k", "5")
    assert "columns without a role: visitor, activity" in message
    assert "column of the plan not in the table: gone" in message
    assert "to be reviewed" in message
    assert "landscape" in message
    hidden = refuse("mask", "survey.csv", "-o", "m.csv", "--quasi", "reason=wordnet", "--keep-rest", "--hide-values")
    assert "landscape" not in hidden
    assert "allonym inspect survey.csv" in refuse("mask", "survey.csv", "-o", "m.csv")
    assert "two kinds" in refuse(
        "mask", "survey.csv", "-o", "m.csv", "--quasi", "age=numeric", "--quasi", "age=category"
    )
    assert "no column spent of words" in refuse(
        "mask", "survey.csv", "-o", "m.csv", "--quasi", "age", "--keep", "spent", "--links", "spent=x.csv"
    )
    assert "two roles" in refuse("mask", "survey.csv", "-o", "m.csv", "--quasi", "age", "--keep", "age")
    assert "there is no column x" in refuse("mask", "survey.csv", "-o", "m.csv", "--quasi", "age", "--links", "x=y.csv")
    assert "k is 1; it must be at least 2" in refuse("mask", "jobs.csv", "-o", "m.csv", "--quasi", "age", "--k", "1")
    too_large = refuse(
        "mask", "jobs.csv", "-o", "m.csv", "--quasi", "age", "--keep", "name", "--keep-rest", "--k", "25"
    )
    assert "k is 25, but the table has only 24 rows" in too_large
    assert shell("mask", "survey.csv", "-o", "m.csv").returncode == 2
    assert "cannot be read" in refuse("mask", "no.csv", "-o", "m.csv", "--quasi", "age")
    assert "unknown method" in refuse("mask", "jobs.csv", "-o", "m.csv", "--quasi", "age", "--method", "magic")
    roles = ["--quasi", "age", "--keep", "name", "--keep-rest"]
    assert "is the data itself" in refuse("mask", "jobs.csv", "-o", "m.csv", *roles, "--summary", "jobs.csv")
    assert "written twice" in refuse("mask", "jobs.csv", "-o", "m.csv", *roles, "--summary", "m.csv")
    assert "folder does not exist" in refuse("mask", "jobs.csv", "-o", "m.csv", *roles, "--summary", "no/s.json")
    assert "is the data itself" in refuse("inspect", "jobs.csv", "-o", "jobs.csv")
    assert "already exists" in refuse("inspect", "jobs.csv", "-o", "survey.csv")
    assert sorted(x.name for x in folder.iterdir()) == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--l-diversity", "income"), "write COLUMN=NUMBER"),
        (("--l-diversity", "income=many"), "write COLUMN=NUMBER"),
        (("--l-diversity", "income=25"), "all records together reach 24 only"),
        (("--t-closeness", "income=1.5"), "it must be below 1"),
        (("--l-diversity", "job=3"), "column job is not sensitive"),
        (("--l-diversity", "nothing=3"), "not in the table: nothing"),
        (("--public",), "--public requires --report"),
        (("--report", "masked.csv"), "written twice"),
        (("--codebook", "nowhere/book.json"), "folder does not exist"),
        (("--method", "noise", "--l-diversity", "income=2"), "makes no groups"),
    ],
)
def test_promises_and_reports_that_cannot_be_leave_no_file(
    folder: Path, options: tuple[str, ...], message: str
) -> None:
    before = set(folder.iterdir())
    done = call(
        "mask",
        "jobs.csv",
        "-o",
        "masked.csv",
        "--quasi",
        "job=wordnet:person",
        "--keep",
        "name",
        "--keep-rest",
        *options,
    )
    assert done.returncode == 2
    assert message in done.stderr
    assert set(folder.iterdir()) == before


def test_a_file_without_a_header_shows_nobody(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (folder / "bare.csv").write_text("Ann Smith,nurse\nBob Jones,cook\n")
    al.Plan({"2": al.quasi("wordnet:person")}, k=2).save("plan.toml")
    shown = run("check", "bare.csv", "--plan", "plan.toml", code=1)
    assert "--no-header" in shown
    assert "Smith" not in shown
    done = CliRunner().invoke(app, ["mask", "bare.csv", "-o", "m.csv", "--quasi", "2"])
    assert "none of the plan's 1 column" in str(done.exception)
    assert "Smith" not in str(done.exception)


def test_a_closed_pipe_ends_quietly() -> None:
    command = [sys.executable, "-m", "allonym", "mask", "--help"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    with process.stderr as stream:
        assert stream.read() == b""
    assert process.wait() == 128 + 13
