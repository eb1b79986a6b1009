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
