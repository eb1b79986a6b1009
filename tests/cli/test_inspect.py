"""`allonym inspect`."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd

import allonym as al
from cli.running import run


def test_inspect_finds_roles_kinds_and_coverage(folder: Path) -> None:
    columns = {x["name"]: x for x in json.loads(run("inspect", "survey.csv", "--json"))["columns"]}
    assert {name: x["role"] for name, x in columns.items()} == {
        "visitor": "identifier", "reason": "quasi", "activity": "quasi", "hobby": "quasi", "origin": "quasi",
        "age": "quasi", "spent": "sensitive",
    }  # fmt: skip
    assert (columns["hobby"]["distinct"], columns["hobby"]["unique"]) == (221, 84)
    assert columns["age"]["kind"] == "numeric"
    assert columns["origin"]["ontology"] == "m49"
    assert columns["reason"]["coverage"] == 1
    jobs = {x["name"]: x for x in json.loads(run("inspect", "jobs.csv", "--json"))["columns"]}
    assert jobs["job"]["ontology"].startswith("wordnet")
    assert jobs["income"]["role"] == "sensitive"
    printed = run("inspect", "jobs.csv")
    assert "--identifier name" in printed
    assert "p12" not in printed  # no value of the data


def test_inspect_writes_a_plan_to_begin_with(folder: Path) -> None:
    run("inspect", "survey.csv", "-o", "plan.toml")
    assert al.Plan.load("plan.toml").columns["visitor"] == al.identifier()
    assert json.loads(run("check", "survey.csv", "--plan", "plan.toml", "--json", code=1))["ready"] is False


def test_the_suggested_command_fits_the_file(folder: Path) -> None:
    pd.read_csv("jobs.csv").to_parquet("jobs.parquet")
    assert "-o masked.parquet" in run("inspect", "jobs.parquet")
    (folder / "odd.txt").write_text("nurse~1\ncook~2\n")
    assert "'--delimiter=~' --no-header" in run("inspect", "odd.txt", "--delimiter", "~", "--no-header")
    run("inspect", "odd.txt", "--delimiter", "~", "--no-header", "-o", "odd.toml")
    assert al.Plan.load("odd.toml").reading.delimiter == "~"
    summary = run("mask", "odd.txt", "-o", "m.txt", "--plan", "odd.toml", "--encoding", "utf-8", "--k", "2", "--json")
    assert json.loads(summary)["records"] == 2


def test_inspect_never_takes_a_body_for_a_survey_weight(folder: Path) -> None:
    rows = "".join(f"{60 + i},{1 + i / 10},{2 + i / 10}\n" for i in range(30))
    (folder / "w.csv").write_text("weight,survey_weight,sample_weight\n" + rows)
    roles = {x["name"]: x["role"] for x in json.loads(run("inspect", "w.csv", "--json"))["columns"]}
    assert roles == {"weight": "quasi", "survey_weight": "weight", "sample_weight": "quasi"}


def test_explain_prints_the_evidence_of_each_column(folder: Path) -> None:
    rows = "".join(f"{10001 + i % 30},{('low', 'medium', 'high')[i % 3]},{i % 2}\n" for i in range(300))
    (folder / "t.csv").write_text("zip,risk,flag\n" + rows)
    printed = run("inspect", "t.csv", "--explain", "--combination-size", "0")
    assert "zip: quasi, code\n  30 distinct values in 300 cells.\n  Every value has 5 digits." in printed
    assert "risk: quasi, ordinal" in printed
    assert "10001" not in printed  # no value of the data
    short = run("inspect", "t.csv", "--combination-size", "0")
    assert "Every value has 5 digits." not in short
    assert "--quasi risk=category" in short  # levels do not fit an option
    columns = {x["name"]: x for x in json.loads(run("inspect", "t.csv", "--json"))["columns"]}
    assert columns["risk"]["levels"] == ["low", "medium", "high"]
    assert [x["code"] for x in columns["flag"]["evidence"]] == ["distinct", "two-numbers"]
    run("inspect", "t.csv", "-o", "t.toml")
    assert al.Plan.load("t.toml").columns["risk"] == al.quasi("ordinal", levels=["low", "medium", "high"])
    assert json.loads(run("mask", "t.csv", "-o", "m.csv", "--plan", "t.toml", "--k", "3", "--json"))["records"] == 300
