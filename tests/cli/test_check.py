"""`allonym check`."""

from __future__ import annotations

import json
from pathlib import Path

import allonym as al
from cli.running import run

DATA = Path(__file__).parents[1] / "data"


def test_check_lists_what_to_review_and_writes_links(folder: Path) -> None:
    plan = al.Plan({"visitor": al.unit(), "reason": al.quasi("wordnet"), "spent": al.sensitive()}, keep_rest=True)
    plan.save("plan.toml")
    printed = run("check", str(DATA / "survey-dirty.csv"), "--plan", "plan.toml", "--write", code=1)
    for part in ("to review", "landscape", "natuer", "nature", "Not ready", "Risk before masking", "reason.links.csv"):
        assert part in printed, part
    assert al.Plan.load("plan.toml").columns["reason"].links == ("reason.links.csv",)
    hidden = run("check", str(DATA / "survey-dirty.csv"), "--plan", "plan.toml", "--hide-values", code=1)
    assert "natuer" not in hidden
    hidden_json = run("check", str(DATA / "survey-dirty.csv"), "--plan", "plan.toml", "--hide-values", "--json", code=1)
    assert "natuer" not in hidden_json
    assert "landscape" not in hidden_json
    assert "photography.n.01" not in hidden_json


def test_check_shows_the_definitions_of_links_to_review(folder: Path) -> None:
    (folder / "jobs.csv").write_text("job\n" + "retired boxer\ncarpenter\n" * 3)
    al.Plan({"job": al.quasi("wordnet")}, k=2).save("plan.toml")
    printed = run("check", "jobs.csv", "--plan", "plan.toml", code=1)
    assert "      boxer: someone who fights with his fists for sport\n" in printed
    [link] = json.loads(run("check", "jobs.csv", "--plan", "plan.toml", "--json", code=1))["columns"][0]["review"]
    assert link["definition"] == "someone who fights with his fists for sport"


def test_values_do_not_command_the_terminal(folder: Path) -> None:
    (folder / "odd.csv").write_text("job\n" + "\x1b[31mzzz\n" * 3)
    al.Plan({"job": al.quasi("wordnet")}, k=2).save("plan.toml")
    assert "\x1b[31m" not in run("check", "odd.csv", "--plan", "plan.toml", code=1)


def test_letters_are_no_words_for_sure(folder: Path) -> None:
    (folder / "sex.csv").write_text("sex\n" + "m\nf\nd\n" * 4)
    column = json.loads(run("inspect", "sex.csv", "--json"))["columns"][0]
    assert (column["kind"], column["ontology"]) == ("category", None)
    al.Plan({"sex": al.quasi("wordnet")}, k=2).save("plan.toml")
    assert (
        json.loads(run("check", "sex.csv", "--plan", "plan.toml", "--json", code=1))["columns"][0]["cells"]["sure"] == 0
    )


def test_check_tells_how_much_is_settled_and_what_to_review_first(folder: Path) -> None:
    values = ["carpenter"] * 80 + ["qwxzy"] * 30 + ["grey-haired cleaner"] * 20 + [f"qqz{i}w" for i in range(4)]
    (folder / "jobs.csv").write_text("job\n" + "\n".join(values) + "\n")
    al.Plan({"job": al.quasi("wordnet:person")}, k=2).save("plan.toml")
    printed = run("check", "jobs.csv", "--plan", "plan.toml", code=1)
    assert "job: 59 % of cells settled; 1 to review, 5 unmatched" in printed
    assert "The first 2 of 6 values settle 92 % of the 54 cells to review." in printed
    assert printed.index("qwxzy") < printed.index("grey-haired cleaner") < printed.index("qqz0w")  # 30, 20 · ½, 1
    hidden = run("check", "jobs.csv", "--plan", "plan.toml", "--hide-values", code=1)
    assert "59 % of cells settled" in hidden
    assert "qwxzy" not in hidden
    column = json.loads(run("check", "jobs.csv", "--plan", "plan.toml", "--json", code=1))["columns"][0]
    assert column["progress"] == {
        "cells": 134, "settled": 0.597, "values_to_review": 6, "cells_to_review": 54, "first_values": 2,
        "cells_of_first_values": 50,
    }  # fmt: skip
