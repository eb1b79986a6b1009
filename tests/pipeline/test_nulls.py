"""Every null that masking writes is counted and explained; a column without values is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

import allonym as al
from allonym.errors import PlanError
from cli.running import run

REFUSES_NULL_COLUMNS = True
JOBS = al.read_taxonomy(Path(__file__).parents[1] / "data" / "mini-jobs.csv")
TOWNS = ["Ulm"] * 6 + ["Bonn"] * 6 + ["Rome", "Oslo", "Kiel"]


def test_a_rare_category_is_counted_as_null() -> None:
    columns = {"town": al.quasi("category"), "sex": al.quasi("category")}
    plan = al.Plan(columns, k=3, parameters={"suppress": 0.0})
    release = plan.run(pd.DataFrame({"town": TOWNS, "sex": ["f"] * len(TOWNS)}))
    assert release.frame["town"].isna().sum() == 3
    assert release.summary["suppressed_cells"] == {"town": 3, "sex": 0}
    assert release.summary["nulls"] == {
        "cells": 3,
        "by_reason": {"rare": 3},
        "by_column": {"town": {"values": 15, "cells": 3, "by_reason": {"rare": 3}}},
    }
    assert not release.summary["cautions"]


def test_words_without_a_concept_and_groups_without_a_value() -> None:
    jobs = [*["cook"] * 6, *["zzz"] * 4, *["smith"] * 5]
    column = al.quasi(JOBS, unmatched="suppress")
    release = al.Plan({"job": column}, k=3).run(pd.DataFrame({"job": jobs}))
    assert release.summary["nulls"]["by_reason"] == {"unmatched": 4}
    frame = pd.DataFrame({"a": [*"xxxyyyxxyy"], "b": [*"1112223333"]})
    columns = {"a": al.quasi("category"), "b": al.quasi("category")}
    release = al.Plan(columns, k=3, parameters={"represent": "truthful"}).run(frame)
    assert release.summary["nulls"]["by_column"] == {"a": {"values": 10, "cells": 4, "by_reason": {"group": 4}}}


def test_suppressed_records() -> None:
    frame = pd.DataFrame({"job": ["cook"] * 40 + ["smith"] * 50 + [*"abc"], "town": ["Rome"] * 90 + [*"xyz"]})
    columns = {"job": al.quasi("category"), "town": al.quasi("category")}
    plan = al.Plan(columns, method="generalise", k=3, parameters={"suppression": 0.05})
    summary = plan.run(frame).summary
    assert summary["suppressed"] == 3
    assert summary["nulls"]["by_reason"] == {"record": 2 * summary["suppressed"]}


@pytest.mark.parametrize("frame", [True, False])
def test_a_column_without_any_value_left_is_refused(frame: bool, tmp_path: Path) -> None:
    table = pd.DataFrame({"name": [f"n{i}" for i in range(12)] + ["?"] * 3, "sex": [*"fm"] * 7 + ["f"]})
    plan = al.Plan({"name": al.quasi("category"), "sex": al.quasi("category")}, k=3, parameters={"suppress": 0.0})
    table.to_csv(tmp_path / "in.csv", index=False)
    source, target = (table, None) if frame else (tmp_path / "in.csv", tmp_path / "out.csv")
    with pytest.raises(PlanError) as caught:
        plan.run(source, target)
    assert not (tmp_path / "out.csv").exists()
    [problem] = caught.value.problems
    assert (problem.code, problem.column) == ("all-null", "name")
    for part in ("12 values, 12 of them different", "k is 3", "fewer than k hold", "drop the column"):
        assert part in str(problem)
    assert "n1" not in str(problem)


def test_a_comparison_leaves_out_runs_without_values() -> None:
    table = pd.DataFrame({"town": TOWNS, "sex": [*"fm"] * 7 + ["f"]})
    plan = al.Plan({"town": al.quasi("category"), "sex": al.quasi("category")}, k=3)
    compared = al.compare(table, plan, ["sa-mdav"], {"k": [3, 7]})
    assert [x["parameters"]["k"] for x in compared.runs] == [3]
    assert "no value would be left" in compared.failed[0]["problems"][0]


def test_a_column_that_is_mostly_null_is_cautioned_about(tmp_path: Path) -> None:
    towns = ["Ulm"] * 5 + [f"t{i}" for i in range(9)]
    pd.DataFrame({"town": towns, "sex": [*"fm"] * 7}).to_csv(tmp_path / "in.csv", index=False)
    options = ["--quasi", "town=category", "--quasi", "sex=category", "--k", "3", "--represent", "subsumer"]
    printed = run("mask", str(tmp_path / "in.csv"), "-o", str(tmp_path / "out.csv"), *options)
    assert "column town: 11 of 14 values become null" in " ".join(printed.split())
    assert "nulls" in printed
    report = str(tmp_path / "r.html")
    run("mask", str(tmp_path / "in.csv"), "-o", str(tmp_path / "o.csv"), *options, "--report", report, "--summary",
        str(tmp_path / "s.json"))  # fmt: skip
    page = Path(report).read_text()
    assert "11 of 14 values become null" in page
    assert "values that fewer than k hold" in page
    summary = json.loads((tmp_path / "s.json").read_text())
    assert summary["nulls"]["by_column"]["town"]["cells"] == 11
    assert any("become null" in x for x in summary["cautions"])
