"""The number of clusters is an option, and both cluster trees can be drawn."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import allonym as al
from allonym.errors import OptionError, OutputError
from allonym.pipeline.compare import compare
from cli.running import run

ROLES = ("--quasi", "job=category", "--quasi", "age=numeric", "--identifier", "name", "--keep-rest", "--k", "3")


@pytest.fixture
def masked(folder: Path) -> Path:
    rows = [f"p{i},{job},{age},{i % 3}" for i, (job, age) in enumerate(zip("aabbccdd" * 4, range(20, 52), strict=True))]
    (folder / "people.csv").write_text("\n".join(["name,job,age,income", *rows]) + "\n")
    run("mask", "people.csv", "-o", "masked.csv", *ROLES, "--row-map", "rows.csv")
    return folder


def evaluated(*options: str) -> dict[str, float]:
    words = ("evaluate", "people.csv", "masked.csv", *ROLES, "--row-map", "rows.csv", "--json", *options)
    return json.loads(run(*words))["measures"]["clustering_distance"]


def test_the_number_of_clusters_is_an_option(masked: Path) -> None:
    assert evaluated()["clusters"] == 14
    assert evaluated("--clusters", "5")["clusters"] == 5
    auto = evaluated("--clusters", "auto")
    assert 2 <= auto["clusters"] <= 30
    assert auto["value"] == evaluated("--clusters", str(auto["clusters"]))["value"]
    for wrong in ("1", "few", "2.5"):
        run("evaluate", "people.csv", "masked.csv", *ROLES, "--clusters", wrong, code=2)
    with pytest.raises(OptionError, match="number of clusters is 1"):
        al.Plan({"job": al.quasi("category")}).evaluate("people.csv", "masked.csv", clusters=1)


def test_the_trees_are_drawn(masked: Path) -> None:
    words = ("evaluate", "people.csv", "masked.csv", *ROLES, "--row-map", "rows.csv", "--clusters", "4")
    assert "Would 4 clusters show other profiles?" in run(*words, "--dendrograms", "trees.svg")
    drawn = (masked / "trees.svg").read_text()
    assert drawn.startswith("<svg")
    assert "before" in drawn
    assert "after" in drawn
    with pytest.raises(OutputError, match="is the data itself"):
        run(*words, "--dendrograms", "people.csv")


def test_runs_are_compared_by_clusters_unless_left_out(masked: Path) -> None:
    words = ("compare", "people.csv", *ROLES[:-2], "--methods", "mdav", "--k", "3,5")
    assert "clusters" not in run(*words, "--measures", "none")
    assert "clusters" in run(*words, "--clusters", "4", "-o", "runs.csv")
    with (masked / "runs.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert all(0 <= float(row["clustering_distance"]) <= 1 for row in rows)
    with pytest.raises(OptionError, match="number of clusters"):
        compare("people.csv", al.Plan({"job": al.quasi("category")}, keep_rest=True), clusters="some")
