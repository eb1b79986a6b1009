"""`accept` and `rest`: which links count without a person's review, and what becomes of the other values."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from commands import call

import allonym as al
from allonym.errors import PlanError
from allonym.pipeline.encoding import unreviewed

JOBS = Path(__file__).parents[1] / "data" / "mini-jobs.csv"
FRAME = pd.DataFrame({"job": ["cook"] * 4 + ["cok"] * 3 + ["blue smith"] * 3 + ["zzz"] * 3})


def plan_of(**options: object) -> al.Plan:
    return al.Plan({"job": al.quasi(str(JOBS), **options)}, k=2, seed=1)


def codes(plan: al.Plan) -> list[str]:
    return [x.code for x in plan.check(FRAME).problems]


@pytest.mark.parametrize(
    ("options", "problems"),
    [
        ({}, ["to-review", "unmatched"]),
        ({"accept": "sure"}, ["to-review", "unmatched"]),
        ({"accept_review": True}, ["unmatched"]),
        ({"accept": "review"}, ["unmatched"]),
        ({"accept": "all"}, ["unmatched"]),  # zzz has no suggestion
        ({"accept": "all", "unmatched": "opaque"}, []),
        ({"rest": "category"}, []),
        ({"accept": "review", "rest": "category"}, []),
        ({"unmatched": "opaque", "rest": "category"}, []),
        ({"unmatched": "suppress"}, ["to-review"]),
        ({"unmatched": "opaque"}, ["to-review"]),
    ],
)
def test_what_is_neither_accepted_nor_a_category_stops_the_run(options: dict[str, object], problems: list[str]) -> None:
    assert codes(plan_of(**options)) == problems


def unreviewed_of(**options: object) -> dict[str, dict[str, int]]:
    return plan_of(**options).run(FRAME).summary["unreviewed"]["job"]


def test_the_summary_tells_what_nobody_reviewed() -> None:
    assert unreviewed_of(accept="review", unmatched="suppress") == {"review": {"values": 1, "cells": 3}}
    assert unreviewed_of(accept="all", rest="category") == {
        "review": {"values": 1, "cells": 3},
        "suggested": {"values": 1, "cells": 3},
        "categories": {"values": 1, "cells": 3},
    }
    assert unreviewed_of(rest="category") == {"categories": {"values": 3, "cells": 9}}


def test_the_rest_is_not_linked_and_equal_to_itself_only() -> None:
    prepared = plan_of(rest="category").run(FRAME).prepared
    values = {v for v in prepared.encoded["job"].attribute.values if isinstance(v, str)}
    assert values == {"cok", "blue smith", "zzz"}
    metric = prepared.encoded["job"].attribute.metric
    every = range(len(metric.values))
    assert all(metric.distances([a], [b])[0] == (a != b) for a in every for b in every)
    assert set(unreviewed(prepared, "job").categories) == values


def test_proposals_stay_to_be_reviewed_where_the_rest_are_categories(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    plan_of(rest="category").save(path)
    checked = al.Plan.load(path).check(FRAME)
    assert [x.value for x in checked.columns[0].review] == ["blue smith"]
    checked.pin(path)
    assert '"blue smith","3","smith"' in (tmp_path / "job.links.csv").read_text()
    again = al.Plan.load(path).check(FRAME)
    assert [x.value for x in again.columns[0].review] == ["blue smith"]
    assert again.ready


def test_suggestions_are_accepted_only_as_all_also_from_a_links_file(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    plan_of(accept="all", unmatched="suppress").save(path)
    checked = al.Plan.load(path).check(FRAME)
    (suggested,) = [x for x in checked.columns[0].review if x.value == "cok"]
    assert (suggested.reason, suggested.status, suggested.relation) == ("suggested", "review", "narrower")
    assert suggested.confidence < 0.5
    checked.pin(path)
    pinned = al.Plan.load(path)
    assert pinned.check(FRAME).ready
    [problem] = replace(pinned, columns={"job": replace(pinned.columns["job"], accept="review")}).check(FRAME).problems
    assert (problem.code, problem.values) == ("to-review", ("cok",))
    pinned.check(FRAME).pin(path)  # written again, it is still a suggestion that nobody reviewed
    assert '"suggested"' in (tmp_path / "job.links.csv").read_text()


def test_a_category_is_not_suppressed() -> None:
    with pytest.raises(PlanError) as error:
        plan_of(rest="category", unmatched="suppress")
    assert [x.code for x in error.value.problems] == ["rest-and-unmatched"]
    with pytest.raises(PlanError):
        plan_of(accept="some")


def test_the_synonym_and_the_option_give_the_same_release() -> None:
    old, new = (
        plan_of(unmatched="opaque", **x).run(FRAME).frame for x in ({"accept_review": True}, {"accept": "review"})
    )
    assert sorted(old["job"]) == sorted(new["job"])


def test_the_command_line_accepts_for_all_columns(tmp_path: Path) -> None:
    source, out, summary = (tmp_path / x for x in ("jobs.csv", "out.csv", "summary.json"))
    FRAME.to_csv(source, index=False)
    mask = ["mask", str(source), "-o", str(out), "--quasi", f"job={JOBS}", "--k", "2"]
    assert call(*mask, "--accept", "review").returncode == 2
    done = call(*mask, "--accept", "all", "--rest", "category", "--summary", str(summary))
    assert done.returncode == 0, done.stderr
    printed = " ".join((done.stdout + done.stderr).split())
    assert "1 value (3 cells) linked without review, 1 value (3 cells) linked to a suggestion" in printed
    assert set(json.loads(summary.read_text())["unreviewed"]["job"]) == {"review", "suggested", "categories"}
    assert "One of sure, review, all" in " ".join(call("mask", "--help").stdout.split())


def test_row_by_row_methods_refuse_categories() -> None:
    plan = al.Plan({"job": al.quasi(str(JOBS), rest="category")}, method="noise", parameters={"alpha": 0.3})
    assert "opaque-not-masked" in [x.code for x in plan.check(FRAME).problems]
