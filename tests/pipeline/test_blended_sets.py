"""Several ontologies for the items of one column of sets: joined, or blended, from the plan to the report."""

from __future__ import annotations

import csv
import json
import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from both_kernels import BOTH, use
from commands import call

import allonym as al
from allonym.ontology.narrower import broader
from allonym.pipeline.prepare import Prepared, prepare
from allonym.pipeline.source import open_source

JOBS = "child,parent\nbaker,cook\npastry cook,cook\ncook,worker\nsmith,worker\nwelder,smith\nlocksmith,smith\n"
SPORTS = "child,parent\nrower,athlete\nswimmer,athlete\ndiver,swimmer\nsprinter,runner\nrunner,athlete\nbaker,runner\n"
CELLS = [
    "baker;rower",
    "welder;diver",
    "rower;swimmer",
    "smith;locksmith;baker",
    "sprinter;baker",
    "old welder;rower",
    "cook",
    "",
    "xyz;runner",
] * 4
FILES = ("jobs.csv", "sports.csv")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "jobs.csv").write_text(JOBS)
    (tmp_path / "sports.csv").write_text(SPORTS)
    with (tmp_path / "data.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("items", "age"), *((x, 20 + i % 5) for i, x in enumerate(CELLS))])
    monkeypatch.chdir(tmp_path)
    return tmp_path


def plan(folder: Path, *, combine: str = "blend", **options: Any) -> al.Plan:
    accepting = {"unmatched": "opaque", "accept": "review", **options.pop("column", {})}
    column = al.quasi(list(FILES), kind="set", combine=combine, **accepting)
    return al.Plan({"items": column}, **({"k": 8, "seed": 5, "folder": folder, "keep_rest": True} | options))


# --- the formula, from the two files ------------------------------------------------------------------------------


def parents_of(text: str) -> dict[str, str]:
    return dict(line.split(",") for line in text.splitlines()[1:])


def above(word: str, parents: dict[str, str]) -> list[str]:
    """Return a word and all above it: "old welder" is a kind of welder."""
    chain = [word, "welder"] if word == "old welder" else [word]
    while chain[-1] in parents:
        chain.append(parents[chain[-1]])
    return chain if chain[-1] in parents.values() else []


def far(one: str, other: str) -> float:
    """Return the least ancestor overlap distance of two words, over the files that have both."""
    if one == other:
        return 0.0
    distances = [1.0]
    for parents in map(parents_of, (JOBS, SPORTS)):
        a, b = set(above(one, parents)), set(above(other, parents))
        if a and b:
            distances.append(1 - len(a & b) / len(a | b))
    return min(distances)


def min_sum(one: Sequence[str], other: Sequence[str]) -> float:
    """Return the distance of two sets."""
    if not one or not other:
        return float(bool(one) != bool(other))
    sums = [min(far(a, b) for b in other) for a in one] + [min(far(a, b) for a in one) for b in other]
    return math.fsum(sums) / len(sums)


def prepared_sets(folder: Path) -> Prepared:
    of_plan = plan(folder)
    return prepare(of_plan, open_source(of_plan, pd.DataFrame({"items": CELLS})))


@pytest.mark.parametrize("kernels", BOTH)
def test_distances_of_blended_sets(folder: Path, kernels: str) -> None:
    with use(kernels):
        encoded = prepared_sets(folder).encoded["items"]
        cells = [str(x or "") for x in encoded.cells.values]
        metric, codes = encoded.attribute.metric, encoded.code_of
        for i, one in enumerate(cells):
            for j, other in enumerate(cells):
                expected = min_sum(*([x for x in cell.split(";") if x] for cell in (one, other)))
                if one and other:
                    assert metric.distances(int(codes[i]), codes[j : j + 1])[0] == pytest.approx(expected), (one, other)


def test_an_item_of_both_ontologies_is_compared_in_both() -> None:
    assert far("baker", "cook") < 1
    assert far("baker", "sprinter") < 1
    assert far("cook", "sprinter") == 1


# --- releases -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("combine", ["first", "blend"])
@pytest.mark.parametrize("represent", ["centroid", "truthful", "subsumer", "member"])
@pytest.mark.parametrize("kernels", BOTH)
def test_every_released_set_is_held_by_k(folder: Path, kernels: str, represent: str, combine: str) -> None:
    with use(kernels):
        masks = plan(folder, combine=combine, parameters={"represent": represent})
        release = masks.run(pd.DataFrame({"items": CELLS}))
    written = Counter(release.frame["items"].fillna(""))
    assert min(written.values()) >= 8
    known = {x for text in (JOBS, SPORTS) for line in text.splitlines() for x in line.split(",")}
    items = {x for cell in written for x in cell.split(";") if x}
    assert items <= known | {"old welder", "xyz", "*"}


@pytest.mark.parametrize("method", ["sa-mdav", "s-mdav", "mdav", "fusion", "recoding"])
def test_both_kernels_release_the_same(folder: Path, method: str) -> None:
    releases = []
    for kernels in ("compiled", "numpy"):
        with use(kernels):
            releases.append(plan(folder, method=method).run(pd.DataFrame({"items": CELLS})).frame)
    pd.testing.assert_frame_equal(*releases)


def test_a_kind_of_a_concept_gives_way_to_it(folder: Path) -> None:
    cells = ["old welder;rower", "welder;rower", "young welder;rower"] * 2
    masks = plan(folder, k=6, column={"accept": "review", "represent": "medoid"})
    release = masks.run(pd.DataFrame({"items": cells}))
    assert set(release.frame["items"]) == {"rower;welder"}
    alike = masks.run(pd.DataFrame({"items": ["old welder;rower"] * 6}))
    assert set(alike.frame["items"]) == {"old welder;rower"}, "all of them have it"


def test_a_centroid_has_no_kind_of_a_concept_that_some_lack(folder: Path) -> None:
    encoded = prepared_sets(folder).encoded["items"]
    meanings, metric = encoded.meanings, encoded.attribute.metric  # type: ignore[attr-defined]
    old, plain = (frozenset(meanings[x] for x in cell) for cell in (("old welder", "rower"), ("smith", "rower")))
    wider = metric.extend([old, plain])
    codes = wider.codes_of([old, plain])
    concept, rower = wider.centroid(codes, np.array([5.0, 1.0])), meanings["rower"]
    assert concept == frozenset({broader(meanings["old welder"]), rower}) != old
    assert wider.centroid(codes[:1], np.array([5.0])) == old


def test_truthful_items_are_true_in_one_of_the_ontologies(folder: Path) -> None:
    masks = plan(folder, k=2, parameters={"represent": "truthful"}, column={"ceiling": "none", "max_distance": 1.0})
    release = masks.run(pd.DataFrame({"items": ["baker;welder", "sprinter;locksmith"]}))
    assert set(release.frame["items"]) == {"runner;smith"}


# --- links, documents and commands --------------------------------------------------------------------------------


def test_each_blended_ontology_has_a_links_file(folder: Path) -> None:
    path = folder / "plan.toml"
    plan(folder).save(path)
    frame = pd.DataFrame({"items": CELLS})
    files = al.Plan.load(path).check(frame).pin(path)
    assert len(files) == 2
    concepts = []
    for file in files:
        with file.open() as rows:
            concepts.append({row["value"]: row["concept"] for row in csv.DictReader(rows)})
    assert [x["baker"] for x in concepts] == ["baker", "baker"]
    assert [x["rower"] for x in concepts] == ["", "rower"]
    assert al.Plan.load(path).run(frame).summary["records"] == len(frame)


def test_joined_ontologies_have_one_links_file(folder: Path) -> None:
    path = folder / "plan.toml"
    plan(folder, combine="first").save(path)
    (file,) = al.Plan.load(path).check(pd.DataFrame({"items": CELLS})).pin(path)
    with file.open() as rows:
        concepts = {row["value"]: row["concept"] for row in csv.DictReader(rows)}
    assert (concepts["baker"], concepts["rower"]) == ("jobs:baker", "sports:rower")


@pytest.mark.parametrize("combine", ["first", "blend"])
def test_commands(folder: Path, combine: str) -> None:
    roles = ["--set", "items=jobs.csv", "--set", "items=sports.csv", "--combine", combine, "--keep-rest", "--k", "8"]
    roles += ["--accept", "review", "--unmatched", "opaque"]
    done = call("check", "data.csv", *roles)
    assert done.returncode == 0, done.stderr
    files = ["--report", "report.html", "--summary", "summary.json", "--codebook", "codebook.json"]
    done = call("mask", "data.csv", "-o", "out.csv", "--row-map", "rows.csv", *files, *roles)
    assert done.returncode == 0, done.stderr
    summary = json.loads((folder / "summary.json").read_text())
    assert [x["name"] for x in summary["ontologies"]] == ["jobs", "sports"]
    assert "jobs" in (folder / "report.html").read_text("utf-8")
    found = call("evaluate", "data.csv", "out.csv", "--row-map", "rows.csv", "--json", *roles)
    assert found.returncode == 0, found.stderr
    measures = json.loads(found.stdout)["measures"]
    loss = measures["information_loss"]["value"]
    assert loss == pytest.approx(summary["measures"]["information_loss"]["value"])
    assert 0 < loss < 100


def test_new_items_of_a_release_are_linked_in_both(folder: Path) -> None:
    """A release of another tool has items that the table lacks: each means what it does in either ontology."""
    original = pd.DataFrame({"items": ["baker;rower"] * 4 + ["welder"] * 4})
    masked = pd.DataFrame({"items": ["pastry cook;sprinter"] * 4 + ["welder"] * 4})
    measures = plan(folder, k=4).evaluate(original, masked).summary["measures"]
    expected = 4 * min_sum(["baker", "rower"], ["pastry cook", "sprinter"]) ** 2
    assert measures["set_loss_min_sum"]["value"] == pytest.approx(expected)
