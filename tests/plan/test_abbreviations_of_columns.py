"""Abbreviations that a plan adds to the built-in ones: in Python, in plans and on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from commands import call

import allonym as al
from allonym.errors import PlanError
from allonym.ontology.linking.link import link
from allonym.ontology.wordnet import wordnet

FRAME = pd.DataFrame({"job": ["qzx"] * 3 + ["nurse"] * 3 + ["plumber"] * 3})
LIST = "short,long\nqzx,carpenter\n"


def concept_of_qzx(plan: al.Plan) -> str | None:
    column = plan.check(FRAME).columns[0]
    x = column.words[0].links["qzx"]
    return None if x.concept is None else column.words[0].scope.taxonomy.ids[x.concept]


def test_abbreviations_of_a_user_are_linked() -> None:
    people = wordnet(root="person")
    (without,) = link(["qzx"], people)
    assert without.concept is None
    (known,) = link(["qzx"], people, abbreviations={"QZX": ["carpenter"]})
    assert known.concept is not None
    assert people.taxonomy.ids[known.concept] == "carpenter.n.01"


def test_plan_names_a_file_or_a_mapping(tmp_path: Path) -> None:
    (tmp_path / "own.csv").write_text(LIST)
    assert concept_of_qzx(al.Plan({"job": al.quasi("wordnet:person")}, k=2)) is None
    mapped = al.Plan({"job": al.quasi("wordnet:person", abbreviations={"qzx": "carpenter"})}, k=2)
    assert concept_of_qzx(mapped) == "carpenter.n.01"
    named = al.Plan({"job": al.quasi("wordnet:person", abbreviations="own.csv")}, k=2, folder=tmp_path)
    assert concept_of_qzx(named) == "carpenter.n.01"


def test_plan_is_saved_with_the_path_of_its_list(tmp_path: Path) -> None:
    plan = al.Plan({"job": al.quasi("wordnet:person", abbreviations="own.csv")}, k=2, folder=tmp_path)
    (tmp_path / "plans").mkdir()
    plan.save(tmp_path / "plans" / "plan.toml")
    again = al.Plan.load(tmp_path / "plans" / "plan.toml")
    assert again.columns["job"].abbreviations == "../own.csv"
    assert tmp_path / "plans" / "../own.csv" in again.files
    mapped = al.Plan({"job": al.quasi("wordnet:person", abbreviations={"a": ["b"]})}, k=2)
    with pytest.raises(PlanError, match="abbreviations given as a mapping cannot be saved"):
        mapped.save(tmp_path / "plan.toml")


def test_list_of_a_plan_that_cannot_be_used(tmp_path: Path) -> None:
    plan = al.Plan({"job": al.quasi("wordnet:person", abbreviations="own.csv")}, k=2, folder=tmp_path)
    (problem,) = plan.check(FRAME).problems
    assert "own.csv cannot be read" in problem.text
    (tmp_path / "own.csv").write_text("value,concept\nqzx,carpenter.n.01\n")
    (problem,) = plan.check(FRAME).problems
    assert "has no columns `short` and `long`" in problem.text


def test_numbers_have_no_abbreviations() -> None:
    with pytest.raises(PlanError) as error:
        al.Plan({"age": al.quasi("numeric", abbreviations="own.csv")}, k=2)
    assert [x.code for x in error.value.problems] == ["option-of-kind"]


def test_options_of_commands(tmp_path: Path) -> None:
    table, own = tmp_path / "jobs.csv", tmp_path / "own.csv"
    FRAME.to_csv(table, index=False)
    own.write_text(LIST)
    words = ["--column", "job", "--ontology", "wordnet:person", "--json"]
    linked = json.loads(call("link", str(table), *words, "--abbreviations", str(own)).stdout)["links"]
    assert {x["value"]: x["concept"] for x in linked}["qzx"] == "carpenter.n.01"
    out = tmp_path / "masked.csv"
    roles = ["--quasi", "job=wordnet:person", "--k", "3", "--accept", "review"]
    assert call("mask", str(table), "-o", str(out), *roles).returncode
    done = call("mask", str(table), "-o", str(out), *roles, "--abbreviations", f"job={own}")
    assert not done.returncode, done.stderr
    assert call("mask", str(table), "-o", str(own), *roles, "--abbreviations", f"job={own}").returncode
    assert own.read_text() == LIST
