"""Built hierarchies: of words that a person would accept, of numbers, dates and codes; written, read and scored."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner
from hierarchy_defects import built_for, defects, real_columns
from shared import DATA, needs

import allonym as al
from allonym.cli import app
from allonym.errors import LinksError
from allonym.ontology.hierarchy import Hierarchy
from allonym.pipeline import hierarchies
from allonym.pipeline.hierarchies import HierarchyScore

FOOD = ("pork", "beef", "sausage", "apple", "pear", "coffee", "tea", "beer", "wine", "butter", "cheese", "yogurt")


@cache
def columns() -> dict[str, tuple[str, dict[str, int]]]:
    return real_columns()


@needs(DATA / "words/columns")
def test_hierarchies_of_real_columns_have_no_defects() -> None:
    """Defects are counted by code that the builder does not use, except for which concepts are filler and known."""
    found = {name: built_for(*column) for name, column in columns().items()}
    counted = {name: +defects(*made, made[0].narrower) for name, made in found.items() if made is not None}
    assert len(counted) > 20
    assert not any(counted.values()), {name: x for name, x in counted.items() if x}


def test_defects_are_found() -> None:
    wn = al.wordnet()
    rows = (("pork", "pork", "food"), ("beef", "meat", "food"), ("lamb", "meat", "food"), ("nurse", "whole", "food"))
    ids = {"pork": "pork.n.01", "beef": "beef.n.02", "lamb": "lamb.n.05", "meat": "meat.n.01", "nurse": "nurse.n.01",
           "whole": "whole.n.02", "food": "food.n.02"}  # fmt: skip
    scored = hierarchies.score(Hierarchy("x", rows), links=ids)
    found = defects(HierarchyScore(scored.hierarchy, scored.losses, concepts=ids), wn)
    assert found["under its neighbour"] == 1
    assert found["filler"] == 1
    assert found["untrue"] == 0
    rows = (("cat", "bird", "animal"), ("parrot", "bird", "animal"), ("cow", "cow", "animal"))
    ids = {"cat": "cat.n.01", "parrot": "parrot.n.01", "bird": "bird.n.01", "cow": "cow.n.01", "animal": "animal.n.01"}
    assert defects(HierarchyScore(Hierarchy("x", rows), scored.losses, concepts=ids), wn)["untrue"] == 1


def test_a_built_hierarchy_scores_and_masks_without_help(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"{word},{20 + i % 40},20{10 + i // 3}-0{1 + i % 9}-11" for i, word in enumerate(FOOD * 4)]
    Path("table.csv").write_text("food,age,day\n" + "\n".join(rows) + "\n")

    def run(*command: str) -> dict[str, object]:
        done = CliRunner().invoke(app, [*command, "--json"])
        assert done.exit_code == 0, done.output
        return dict(json.loads(done.stdout))

    built = run("hierarchy", "build", "table.csv", "--column", "food", "-o", "food.csv", "--levels", "3")
    assert run("hierarchy", "score", "food.csv")["vgh_gsl"] == pytest.approx(built["vgh_gsl"])
    for column in ("age", "day"):
        assert run("hierarchy", "build", "table.csv", "--column", column, "-o", f"{column}.csv")["height"] == 3
    assert not Path("age.links.csv").exists()
    plan = al.Plan({x: al.quasi(f"{x}.csv") for x in ("food", "age", "day")}, method="generalise", k=3, keep_rest=True)
    plan.run("table.csv", "masked.csv")
    written = set(Hierarchy.read("food.csv").values(1)) | set(Hierarchy.read("food.csv").values(2)) | set(FOOD)
    masked = [line.split(",")[0] for line in Path("masked.csv").read_text().splitlines()[1:]]
    assert set(masked) <= written | {"*", ""}


def test_numbers_have_nested_readable_ranges() -> None:
    ages = {str(age): 1 for age in range(17, 91)}
    built = hierarchies.build(ages, limits=[10, 4, 1])
    assert [x["values"] for x in built.levels] == [9, 2, 1]
    assert built.hierarchy.rows[5] == ("22", "20 to 29", "0 to 49", "*")
    assert [x["values"] for x in hierarchies.build(ages, levels=1).levels] == [1]
    assert built.losses[:, -1].tolist() == [1.0] * len(ages)
    assert "instead of 12" in hierarchies.build(ages, levels=12).notes[0]


def test_dates_have_periods_and_codes_prefixes() -> None:
    days = {f"20{year}-0{month}-1{year % 3}": 1 for year in range(15, 23) for month in range(1, 9)}
    built = hierarchies.build(days, levels=3)
    assert built.hierarchy.rows[0][1:] in (("2015 Q1", "2015", "*"), ("2015", "2010 to 2019", "*"))
    codes = {f"{area}{number:02}": 1 for area in (981, 982, 605) for number in range(0, 30, 3)}
    rows = hierarchies.build(codes, "code", limits=[9, 3, 1]).hierarchy.rows
    assert ("98100", "9810*", "981*", "*") in rows


def test_values_without_a_concept_are_under_other_only_if_asked(tmp_path: Path) -> None:
    values = {"cat": 1, "dog": 2, "parrot": 1, "owl": 2, "qwxyz": 3}
    with pytest.raises(LinksError, match="1 value without"):
        hierarchies.build(values)
    built = hierarchies.build(values, other=True, levels=2)
    rows = {row[0]: row for row in built.hierarchy.rows}
    assert rows["qwxyz"] == ("qwxyz", "other", "*")
    assert rows["cat"][-1] == "*"
    links = tmp_path / "links.csv"
    links.write_text(hierarchies.building.links_text(built.concepts, built.narrower))
    assert hierarchies.score(built.hierarchy, links=links).losses == pytest.approx(built.losses)


def test_labels_that_two_concepts_share() -> None:
    """Beverages are food in one sense, meat in another: both are written food. A crane that flies is another crane."""
    rows = {row[0]: row for row in hierarchies.build(dict.fromkeys(FOOD, 1), limits=[3, 2, 1]).hierarchy.rows}
    assert rows["coffee"] == ("coffee", "beverage", "food", "*")
    assert rows["pork"] == ("pork", "solid food", "food", "*")
    links = {"heron": "heron.n.02", "stork": "stork.n.01", "hammer": "hammer.n.02", "bird": "shuttlecock.n.01"}
    built = hierarchies.build({**dict.fromkeys(links, 1), "owl": 1}, links=links)
    assert all(row[0] == "bird" for row in built.hierarchy.rows if "bird" in row)
    assert any("(bird.n.01)" in value for value in built.concepts)


@pytest.mark.parametrize(("levels", "sizes"), [(2, [9, 1]), (3, [9, 3, 1])])
@needs(DATA / "words/columns")
def test_levels_of_m49_are_its_own(levels: int, sizes: list[int]) -> None:
    pytest.importorskip("pycountry")
    made = built_for("m49", columns()["adult_native-country"][1], levels)
    assert made is not None
    assert [x["values"] for x in made[0].levels] == sizes
