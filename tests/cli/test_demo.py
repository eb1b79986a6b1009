"""`allonym demo`."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from pathlib import Path

from click.testing import CliRunner

from allonym.cli import app
from cli.running import run


def test_demo_tells_in_one_screen_what_was_asked_and_what_came_of_it(folder: Path) -> None:
    printed = run("demo", "-o", "d")
    assert len(printed.splitlines()) <= 26
    for part in ("required 5, reached", "975", "211 before", "information loss", "21.6 % before", "→", "time"):
        assert part in printed, part
    names = {"survey.csv", "masked.csv", "plan.toml", "summary.json", "reason.links.csv", "activity.links.csv"}
    assert {x.name for x in (folder / "d").iterdir()} == names
    masked = list(csv.DictReader(io.StringIO((folder / "d" / "masked.csv").read_text())))
    groups = Counter((row["reason"], row["activity"]) for row in masked)
    summary = json.loads((folder / "d" / "summary.json").read_text())
    assert len(masked) == summary["records"] == 975
    assert min(groups.values()) == summary["privacy"][0]["reached"] >= 5
    assert "visitor" not in masked[0]
    assert f"reached {min(groups.values())}" in printed
    run("mask", "d/survey.csv", "-o", "again.csv", "--plan", "d/plan.toml")
    assert (folder / "again.csv").read_bytes() == (folder / "d" / "masked.csv").read_bytes()


def test_demo_leaves_files_of_others_alone(folder: Path) -> None:
    (folder / "plan.toml").write_text("mine")
    done = CliRunner().invoke(app, ["demo", "-o", "."])
    assert "another survey.csv" in str(done.exception)
    assert (folder / "plan.toml").read_text() == "mine"
