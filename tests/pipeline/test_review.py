"""Opened tables, reviewed words, edited hierarchies, choices: what the studio and scripts ask of a plan."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest

import allonym as al
from allonym.errors import LinksError, OptionError
from allonym.ontology.hierarchy import Hierarchy
from allonym.pipeline import review as editing
from allonym.pipeline.cached_table import CachedTable
from allonym.pipeline.choices import cleaned, methods, with_method
from allonym.pipeline.demo import survey
from allonym.pipeline.hierarchies import editor as trees
from allonym.pipeline.inspect import inspect
from allonym.pipeline.review import Review


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "survey.csv"
    path.write_text(survey(), newline="")
    return path


def reviewed(plan: al.Plan, table: Path | CachedTable, name: str) -> Review:
    return Review(next(x for x in plan.check(table).columns if x.name == name))


def test_an_opened_table_is_checked_as_the_file_is(table: Path) -> None:
    opened = CachedTable(table)
    plan = inspect(opened).plan()
    assert inspect(opened).to_dict() == inspect(table).to_dict()
    assert plan.check(opened).to_dict() == plan.check(table).to_dict()
    table.unlink()  # it is not read again
    assert replace(plan, k=9).check(opened).k == 9
    assert opened.rows(974, 2000)[0][0].startswith("V")
    assert len(opened.rows(0, 10)) == 10
    assert opened.examples("reason", 2) == ["nature", "beach"]


def test_an_opened_table_with_sets_and_long_ones(tmp_path: Path) -> None:
    path = tmp_path / "baskets.csv"
    path.write_text("items\nmilk;bread\nmilk;jam\nmilk\nbread;jam\n")
    plan = al.Plan({"items": al.quasi(kind="set", elements="category")}, k=2)
    assert plan.check(CachedTable(path)).to_dict() == plan.check(path).to_dict()
    path.write_text("who,item\n1,milk\n1,bread\n2,milk\n3,jam\n")
    columns = {"who": al.Column("unit"), "item": al.quasi(kind="set", elements="category")}
    plan = al.Plan(columns, k=2, long=True)
    assert plan.check(CachedTable(path)).to_dict() == plan.check(path).to_dict()


def test_words_are_settled_as_in_a_links_file(table: Path) -> None:
    plan = al.Plan({"hobby": al.quasi("wordnet")}, keep_rest=True, folder=table.parent)
    review = reviewed(plan, table, "hobby")
    first, second, third = review.words(review.with_status("review")[:3])
    assert first.status == "review"
    assert first.sense is not None
    assert first.sense.path[-1] == "entity"
    assert first.sense.id not in [x.id for x in first.others]
    text = review.settled({first.value: None, second.value: "football", third.value: editing.NOTHING})
    (table.parent / "hobby.links.csv").write_text(text)
    rows = {row["value"]: row for row in csv.DictReader(io.StringIO(text))}
    assert rows[second.value]["concept"] == "football.n.01"
    assert rows[third.value]["concept"] == ""
    assert {x: rows[x]["by"] for x in rows if rows[x]["by"]} == dict.fromkeys(
        (first.value, second.value, third.value), "hand"
    )
    pinned = replace(plan, columns={"hobby": al.quasi("wordnet", links="hobby.links.csv")})
    again = reviewed(pinned, table, "hobby")
    assert again.counts()["hand"] == 3
    assert again.counts()["unmatched"] == 1
    assert again.counts()["review"] == review.counts()["review"] - 3
    before = {x.value: x.concept for x in review.column.words[0].present}
    after = {x.value: x.concept for x in again.column.words[0].present}
    assert {x for x in before if before[x] != after[x]} == {second.value, third.value}  # nobody else changes
    word = next(x for x in again.words(again.with_status("hand")) if x.value == second.value)
    assert word.by_hand
    assert first.reason == "exact"
    with pytest.raises(LinksError, match="'xyzzyx'"):
        review.settled({first.value: "xyzzyx"})


def test_a_kind_of_a_concept_stays_one_under_another_root() -> None:
    text = "value,concept,relation,status,by\nbus driver,driver.n.01,narrower,sure,hand\ncook,cook.n.01,same,sure,\n"
    assert editing.by_hand(text).splitlines()[1] == "bus driver,driver.n.01,narrower,sure,hand"


def test_what_a_person_settled_stays_under_another_root(table: Path) -> None:
    folder = table.parent
    plan = al.Plan({"hobby": al.quasi("wordnet")}, keep_rest=True, folder=folder)
    review = reviewed(plan, table, "hobby")
    (folder / "hobby.links.csv").write_text(review.settled({review.with_status("review")[0].value: None}))
    before = al.quasi("wordnet", links="hobby.links.csv")
    column, files = editing.carried_over(before, al.quasi("wordnet:act.n.02"), folder)
    assert column.links == ("hobby.links.csv",)
    assert len(files["hobby.links.csv"].splitlines()) == 2
    assert editing.carried_over(before, al.quasi("wordnet"), folder) == (before, {})
    assert editing.carried_over(before, al.quasi("jobs.obo"), folder)[0].links == ()
    assert editing.carried_over(before, al.quasi("category"), folder)[0].links == ()
    (folder / "plain.csv").write_text("value,concept\nmusic,music.n.01\n")
    plain = al.quasi("wordnet", links="plain.csv")  # nobody knows who settled it: all of it stays
    _, files = editing.carried_over(plain, al.quasi("wordnet:act.n.02"), folder)
    assert files == {"plain.csv": b"value,concept\nmusic,music.n.01\n"}


def test_roots_are_proposed_and_words_found(table: Path) -> None:
    plan = al.Plan({"origin": al.quasi("wordnet")}, keep_rest=True, folder=table.parent)
    review = reviewed(plan, table, "origin")
    found = editing.roots(review.column)
    assert [share for _, share in found] == sorted((share for _, share in found), reverse=True)
    assert "country.n.02" in [x.id for x, _ in found]
    assert [x.id for x in editing.search(al.quasi("wordnet:person"), Path(), "nurse")][:1] == ["nurse.n.01"]
    assert "carpenter.n.01" in [x.id for x in editing.search(al.quasi("wordnet:person"), Path(), "carpentr")]
    assert review.with_status("", "SPA") == [x for x in review.with_status() if x.value == "Spain"]


def test_files_of_a_plan_are_named_otherwise(tmp_path: Path) -> None:
    columns = {
        "job": al.quasi(
            ["wordnet:person", "a/jobs.obo#root"], links=["a/l.csv", "m.csv"], combine="blend", abbreviations="s.csv"
        ),
        "size": al.quasi("ordinal", levels="levels.txt"),
        "pet": al.quasi("wordnet", hierarchy="h.csv", candidates="c.txt"),
    }
    plan = al.Plan(columns, folder=tmp_path)
    assert editing.files_of(plan) == ["a/l.csv", "m.csv", "a/jobs.obo", "s.csv", "levels.txt", "h.csv", "c.txt"]
    moved = editing.with_files(plan, lambda path: f"x-{Path(path).name}")
    assert moved.columns["job"].ontology == ("wordnet:person", "x-jobs.obo#root")
    assert moved.columns["size"].levels == "x-levels.txt"


def test_hierarchies_are_edited() -> None:
    pets = Hierarchy("pets", (("parrot", "bird", "animal"), ("bat", "bird", "animal"), ("cat", "mammal", "animal")))
    top = trees.branches(trees.moved(pets, 0, "bat", "mammal"))
    assert [(x.value, x.leaves) for x in top.children] == [("bird", 1), ("mammal", 2)]
    for wrong in (
        lambda: trees.renamed(pets, 0, "bat", "x"),
        lambda: trees.renamed(pets, 1, "bird", " "),
        lambda: trees.renamed(pets, 1, "bird", "mammal"),
        lambda: trees.moved(pets, 2, "animal", "x"),
        lambda: trees.moved(pets, 0, "bat", "x"),
        lambda: trees.moved(pets, 0, "nobody", "bird"),
        lambda: trees.grouped(pets, 1, "bird", "x"),
        lambda: trees.grouped(pets, 0, "bat", "bird"),
        lambda: trees.renamed(pets, 9, "bat", "x"),
    ):
        with pytest.raises(OptionError, match="Hint"):
            wrong()
    assert trees.unsure(pets) == []


def test_every_method_can_be_chosen_with_its_own_defaults() -> None:
    plan = al.Plan({"job": al.quasi("wordnet")}, k=7, parameters={"growth": "weighted"})
    for choice in methods():
        given = {
            x.name: x.parse("" if x.default is None else str(x.default).lower() if x.type is bool else str(x.default))
            for x in choice.parameters
        }
        chosen = with_method(plan, choice.name, 4, given)
        assert chosen.method.name == choice.name
        assert chosen.parameters == {}
        assert getattr(chosen.method, "k", 4) == 4
        assert chosen.seed is None
        assert all(x.help for x in choice.parameters)
    alpha = next(x for x in methods() if x.name == "noise").parameters[1]
    assert "alpha must be a number" in str(alpha.problem(alpha.parse("much")))


def test_a_column_chosen_anew_keeps_what_still_makes_sense() -> None:
    before = al.quasi("wordnet", unmatched="opaque", weight=2, links="l.csv")
    assert cleaned(al.quasi("wordnet:person"), before).unmatched == "opaque"
    assert cleaned(al.keep(), before) == al.keep()
    assert cleaned(al.quasi("category"), before) == al.quasi("category", weight=2)
    assert cleaned(al.quasi("category"), None) == al.quasi("category")
