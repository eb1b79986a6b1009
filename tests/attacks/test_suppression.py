"""An attacker looks for a person who is in no group: suppressed records must hide each other."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import allonym as al
from allonym.errors import ReleaseError
from allonym.release import recount
from allonym.tables.frame import Frame

JOBS = al.read_taxonomy(Path(__file__).parents[1] / "data" / "mini-jobs.csv")
WORDS = ["cook", "baker", "smith", "welder", "nurse", None]
TOWNS = ["Rome", "Oslo", None]
ILLS = ["flu", "gout", "ague"]
ROW = st.tuples(st.sampled_from(WORDS), st.sampled_from(TOWNS), st.sampled_from(ILLS))
Row = tuple[str | None, str | None, str]


def frame_of(rows: list[Row], persons: list[int] | None = None) -> pd.DataFrame:
    data = pd.DataFrame(rows, columns=["job", "town", "ill"], dtype=object)
    return data if persons is None else data.assign(person=[f"p{x}" for x in persons])


def plan_of(
    k: int,
    suppress: float,
    *,
    units: bool = False,
    privacy: tuple[al.Privacy, ...] = (),
    method: str = "generalise",
    **parameters: Any,
) -> al.Plan:
    columns = {"job": al.quasi(JOBS), "town": al.quasi("category"), "ill": al.sensitive()}
    columns |= {"person": al.unit()} if units else {}
    return al.Plan(columns, method=method, k=k, parameters={"suppress": suppress} | parameters, privacy=privacy)


def classes(frame: pd.DataFrame) -> list[tuple[str | None, ...]]:
    """Return what an attacker sees of every record."""
    seen = frame[["job", "town"]].astype(object)
    return [tuple(row) for row in seen.where(seen.notna(), None).itertuples(index=False)]


@pytest.mark.parametrize(
    ("method", "parameters"),
    [
        ("generalise", {}),
        ("sa-mdav", {"represent": "truthful"}),
        ("sa-mdav", {"represent": "centroid", "refine": True, "suppress_cells": True}),
        ("mdav", {"represent": "truthful", "suppress_cells": True}),
        ("fusion", {}),
    ],
    ids=lambda x: x if isinstance(x, str) else "-".join(x),
)
@settings(max_examples=25)
@given(
    rows=st.lists(ROW, min_size=4, max_size=40),
    k=st.integers(2, 4),
    limit=st.sampled_from([0.0, 0.05, 0.1, 0.3, 0.6]),
    units=st.booleans(),
    diverse=st.booleans(),
    data=st.data(),
)
def test_whoever_is_in_no_group_is_one_of_k(
    method: str,
    parameters: dict[str, Any],
    rows: list[Row],
    k: int,
    limit: float,
    units: bool,
    diverse: bool,
    data: st.DataObject,
) -> None:
    persons = data.draw(st.lists(st.integers(0, 9), min_size=len(rows), max_size=len(rows))) if units else None
    who: list[int] = list(range(len(rows))) if persons is None else persons
    assume(len(set(who)) >= k and (not diverse or len({x[2] for x in rows}) > 1))
    privacy = (al.Privacy("l-diversity", "ill", l=2),) if diverse else ()
    plan = plan_of(k, limit, units=units, privacy=privacy, method=method, **parameters)
    release = plan.run(frame_of(rows, persons))
    held, ills = defaultdict(set), defaultdict(set)
    for seen, person, (_, _, ill) in zip(classes(release.frame), who, rows, strict=True):
        held[seen].add(person)
        ills[seen].add(ill)
    assert min(map(len, held.values())) >= k
    assert min(map(len, ills.values())) >= (2 if diverse else 1)
    assert release.summary["privacy"][0]["reached"] == min(map(len, held.values()))
    silent = sum(seen == (None, None) for seen in classes(release.frame))
    empty = sum(row[:2] == (None, None) for row in rows)
    suppressed = release.summary["suppressed"]
    assert release.summary.get("suppression", {"records": 0})["records"] <= limit * len(rows) + 1e-9
    if method == "generalise":
        assert suppressed == 0 or silent >= suppressed + empty  # levels may leave no value either
    else:  # groups may have no value left either
        lost = [seen == (None, None) != row[:2] for seen, row in zip(classes(release.frame), rows, strict=True)]
        assert suppressed == sum(lost)


RARE = [*[("cook", "Rome", "flu")] * 40, *[("smith", "Oslo", "gout")] * 50, ("welder", "Rome", "ague")]


def test_one_record_is_never_suppressed_alone() -> None:
    """The attacker knows that Ann is a welder; no other group can be hers."""
    within = plan_of(3, 0.02).run(frame_of(RARE))
    assert within.summary["suppressed"] == 0  # others go up a level with her
    rows = [*RARE, *[("nurse", "Oslo", "flu")] * 3]
    more = plan_of(3, 0.05).run(frame_of(rows))
    assert more.summary["suppressed"] == classes(more.frame).count((None, None)) == 4  # with the smallest other group
    assert more.summary["privacy"][0]["reached"] == 4


def test_suppressed_records_join_those_that_had_no_values() -> None:
    rows = [*RARE, *[(None, None, "flu")] * 2]
    release = plan_of(3, 0.02).run(frame_of(rows))
    assert release.summary["suppressed"] == 1
    assert classes(release.frame).count((None, None)) == 3
    assert release.summary["privacy"][0]["reached"] == 3


@pytest.mark.parametrize("method", ["generalise", "sa-mdav", "mdav", "fusion"])
@pytest.mark.parametrize("engine", ["duckdb", "polars"])
def test_engines_hide_them_too(engine: str, method: str, tmp_path: Path) -> None:
    rows: list[Row] = [*RARE, *[("nurse", "Oslo", "flu")] * 4]
    if method != "generalise":
        rows += [("baker", None, "flu"), ("welder", None, "gout"), ("nurse", None, "flu"), (None, "Rome", "gout")]
    frame = frame_of(rows)
    extra = {"represent": "truthful"} if method in ("sa-mdav", "mdav") else {}
    extra |= {"refine": False} if method == "fusion" else {}
    plan = replace(plan_of(4, 0.5, method=method, **extra), seed=1)
    pl.from_pandas(frame).write_parquet(tmp_path / "in.parquet")
    done = plan.run(tmp_path / "in.parquet", tmp_path / "out.parquet", engine=engine)
    expected = plan.run(frame)
    assert done.summary["privacy"] == expected.summary["privacy"]
    assert done.summary["suppressed"] == expected.summary["suppressed"] > 0
    written = classes(pd.read_parquet(tmp_path / "out.parquet"))
    assert sorted(written, key=str) == sorted(classes(expected.frame), key=str)


def test_a_release_with_one_suppressed_record_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = Frame.changed

    def dishonest(self: Frame, *given: Any, **options: Any) -> Any:
        changed = honest(self, *given, **options)
        changed.loc[0, ["job", "town"]] = None
        return changed

    monkeypatch.setattr(Frame, "changed", dishonest)
    with pytest.raises(ReleaseError, match="k = 3 was promised, but a group of the release has only 1 rows"):
        plan_of(3, 0.02).run(frame_of(RARE))
    promise = recount.Promise(["job"], 2, 3, ["job"], suppressed=1)
    with pytest.raises(ReleaseError, match="only 1 rows"):
        recount.recount(pd.DataFrame({"job": ["cook", "cook", None]}), ["job"], promise)
    assert recount.recount(pd.DataFrame({"job": ["cook", "cook", None, None]}), ["job"], promise_of(4)).k == [2]


def promise_of(rows: int) -> recount.Promise:
    return recount.Promise(["job"], 2, rows, ["job"], suppressed=1)


@pytest.mark.parametrize("method", ["generalise", "sa-mdav", "fusion", "abril"])
def test_words_that_become_null_are_counted_like_any_value(method: str) -> None:
    """`unmatched = "suppress"` empties single cells before records are grouped: k counts an empty cell as a value."""
    jobs = [*["cook", "smith"] * 15, "zzz"]
    column = al.quasi(JOBS, unmatched="suppress")
    release = al.Plan({"job": column}, method=method, k=3).run(pd.DataFrame({"job": jobs}, dtype=object))
    counts = release.frame["job"].fillna("").value_counts()
    nulls = counts.get("", 0)
    assert release.summary["suppressed_cells"] == {"job": max(nulls, 1)}  # zzz has lost its value in any case
    assert release.summary["nulls"]["cells"] == nulls
    assert counts.min() >= 3
    assert release.summary["privacy"][0]["reached"] == counts.min()


def test_the_suppressed_records_of_another_tool_are_a_group() -> None:
    frame = frame_of(RARE)
    masked = frame.copy()
    masked.loc[90, ["job", "town"]] = "*"
    found = plan_of(3, 0.02).evaluate(frame, masked)
    assert (found.suppressed, found.privacy[0]["reached"], found.privacy[0]["holds"]) == (1, 1, False)
    assert found.measures["uniqueness"].value == pytest.approx(100 / 91)
