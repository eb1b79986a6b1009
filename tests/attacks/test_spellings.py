"""An attacker reads HIV, hiv and Hiv as one illness, and `Ann Lee` and `ann lee` as one person."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import allonym as al
from allonym.cells import comparable_text
from allonym.errors import PlanError, ReleaseError
from allonym.tables.frame import Frame

JOBS = al.read_taxonomy(Path(__file__).parents[1] / "data" / "mini-jobs.csv")
ILLS = ["hiv", "grippe aviaire", "ménière", "7"]
SPELL: list[Callable[[str], str]] = [
    lambda x: x,
    str.upper,
    str.title,
    lambda x: f" {x}  ",
    lambda x: x.replace(" ", "\u00a0 "),
    lambda x: unicodedata.normalize("NFD", x),
    lambda x: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in x),
    lambda x: x[:1] + "\u200b" + x[1:],
    lambda x: f"{x}.0" if x.isdigit() else x,
    lambda x: f"0{x}" if x.isdigit() else x,
]
ENGINES = {
    "memory": lambda table: table,
    "polars": lambda table: pl.from_arrow(table).lazy(),
    "duckdb": duckdb.from_arrow,
}
spelling = st.sampled_from(SPELL)
WORKERS = st.sampled_from(["cook", "smith", "nurse"])


def table_of(**columns: list[Any]) -> pa.Table:
    return pa.table({name: pa.array([None if x is None else str(x) for x in cells]) for name, cells in columns.items()})


def rows_of(frame: Any) -> list[tuple[Any, ...]]:
    arrow = frame.collect().to_arrow() if isinstance(frame, pl.LazyFrame) else frame
    arrow = arrow.to_arrow_table() if isinstance(arrow, duckdb.DuckDBPyRelation) else arrow
    return list(zip(*(arrow.column(x).to_pylist() for x in arrow.column_names), strict=True))


@pytest.mark.parametrize("ill", ILLS)
@pytest.mark.parametrize("spell", SPELL)
def test_spellings_of_a_value_are_one(ill: str, spell: Callable[[str], str]) -> None:
    assert comparable_text(spell(ill)) == comparable_text(ill)


def test_other_values_stay_apart_and_long_numbers_are_exact() -> None:
    texts = ["hiv", "h i v", "7", "7.1", "-7", "1,500", "1.5", "é", "e", "12345678901234567890", "12345678901234567891"]
    assert len({comparable_text(x) for x in texts}) == len(texts)
    assert {comparable_text(x) for x in (7, 7.0, "7", "7.0", "+7", "7e0", "007", "７")} == {"7"}


@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=12)
@given(
    rows=st.lists(st.tuples(WORKERS, st.sampled_from(ILLS)), min_size=4, max_size=24),
    model=st.sampled_from(["l-diversity", "p-sensitive", "entropy-l-diversity", "t-closeness"]),
    data=st.data(),
)
def test_spellings_are_no_diversity(engine: str, rows: list[tuple[str, str]], model: str, data: st.DataObject) -> None:
    """Whatever the spellings, the release is that of a table without any, and its figures are the same."""
    assume(len({ill for _, ill in rows}) > 1)
    asked = {
        "l-diversity": {"l": 2}, "p-sensitive": {"p": 2}, "entropy-l-diversity": {"l": 1.2}, "t-closeness": {"t": 0.4},
    }[model]  # fmt: skip
    columns = {"job": al.quasi(JOBS), "ill": al.sensitive("category")}
    plan = al.Plan(columns, k=2, privacy=[al.Privacy(model, "ill", **asked)])
    jobs, ills = [x for x, _ in rows], [x for _, x in rows]
    assume(not plan.check(table_of(job=jobs, ill=ills)).problems)
    spelt = [data.draw(spelling)(x) for x in ills]
    plain = plan.run(table_of(job=jobs, ill=ills))
    release = plan.run(ENGINES[engine](table_of(job=jobs, ill=spelt)))
    figures = [x["reached"] for x in plain.summary["privacy"]]
    assert [x["reached"] for x in release.summary["privacy"]] == pytest.approx(figures)
    expected = zip(plain.frame["job"].to_pylist(), spelt, strict=True)
    assert sorted(rows_of(release.frame), key=str) == sorted(expected, key=str)
    united = release.summary.get("united", {}).get("ill")
    read = {x.strip() for x in spelt}
    assert united == (None if len(read) == len(set(ills)) else {"values": len(read), "counted_as": len(set(ills))})
    if model in ("l-diversity", "p-sensitive"):
        held = defaultdict(set)
        for job, ill in rows_of(release.frame):
            held[job].add(comparable_text(ill))
        assert min(map(len, held.values())) >= 2


@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=12)
@given(
    rows=st.lists(
        st.tuples(WORKERS, st.sampled_from(["ann lee", "zoë", "7", "12", "b"])),
        min_size=4,
        max_size=24,
    ),
    data=st.data(),
)
def test_spellings_are_no_persons(engine: str, rows: list[tuple[str, str]], data: st.DataObject) -> None:
    assume(len({person for _, person in rows}) > 2)
    spelt = [data.draw(spelling)(person) for _, person in rows]
    table = table_of(job=[x for x, _ in rows], who=spelt, row=list(range(len(rows))))
    plan = al.Plan({"job": al.quasi(JOBS), "who": al.unit(), "row": al.keep()}, k=3)
    release = plan.run(ENGINES[engine](table))
    held = defaultdict(set)
    for job, row in rows_of(release.frame):
        held[job].add(rows[int(row)][1])
    assert release.summary["units"] == len({person for _, person in rows})
    assert release.summary["privacy"][0]["reached"] == min(map(len, held.values())) >= 3


def test_a_table_of_spellings_cannot_reach_what_is_asked() -> None:
    frame = pd.DataFrame({"job": ["cook"] * 6, "ill": ["HIV", "hiv", "Hiv", "HIV ", "hiv", "ＨＩＶ"]})
    plan = al.Plan({"job": al.quasi(JOBS), "ill": al.sensitive()}, k=2, privacy=[al.Privacy("l-diversity", "ill", l=2)])
    with pytest.raises(PlanError, match="all records together reach 1 only"):
        plan.run(frame)


def test_numbers_are_one_person_whatever_their_type() -> None:
    frame = pd.DataFrame({"job": ["cook"] * 4, "who": [7, "7", "7.0", 8]}, dtype=object)
    plan = al.Plan({"job": al.quasi(JOBS), "who": al.unit()}, k=3)
    with pytest.raises(PlanError, match="only 2 persons"):
        plan.run(frame)


def test_values_of_one_concept_are_one() -> None:
    frame = pd.DataFrame({"job": ["cook", "smith"] * 4, "hurt": ["flu", "flu", "influenza", "grippe"] * 2})
    columns = {"job": al.quasi(JOBS), "hurt": al.sensitive("wordnet:disease")}
    plan = al.Plan(columns, k=2, privacy=[al.Privacy("l-diversity", "hurt", l=2)])
    with pytest.raises(PlanError, match="all records together reach 1 only"):
        plan.run(frame)


def test_missing_values_are_no_diversity() -> None:
    frame = pd.DataFrame({"job": ["cook"] * 5, "ill": ["NA", "na", None, " ", "?"]})
    plan = al.Plan({"job": al.quasi(JOBS), "ill": al.sensitive("category")}, k=2)
    [found] = [x for x in plan.evaluate(frame, frame).privacy if x["model"] == "distinct l-diversity"]
    assert found["reached"] == 1


def test_the_recount_of_a_file_counts_no_spellings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = pd.DataFrame({"job": ["cook", "cook", "smith", "smith"], "ill": ["Flu", "flu", "gout", "Gout"]})
    frame = made.assign(job=["cook", "smith", "smith", "cook"])
    plan = al.Plan(
        {"job": al.quasi("category"), "ill": al.sensitive()}, k=2, privacy=[al.Privacy("l-diversity", "ill", l=2)]
    )
    monkeypatch.setattr(Frame, "changed", lambda *given, **options: made)
    with pytest.raises(ReleaseError, match="l-diversity of 2 was promised for column ill, but a group of the release"):
        plan.run(frame)


def test_another_tool_gets_no_credit_for_spellings() -> None:
    frame = pd.DataFrame({"job": ["cook"] * 4, "ill": ["flu"] * 4})
    plan = al.Plan({"job": al.quasi(JOBS), "ill": al.sensitive("category")}, k=2)
    masked = frame.assign(ill=["flu", "Flu", "FLU", "flu "])
    [found] = [x for x in plan.evaluate(frame, masked).privacy if x["model"] == "distinct l-diversity"]
    assert found["reached"] == 1


def test_spellings_of_masked_values_tell_records_apart() -> None:
    """k counts the exact text: an attacker sees the difference."""
    frame = pd.DataFrame({"job": ["cook", "cook", "Cook", "cook"]})
    found = al.Plan({"job": al.quasi("category")}, k=2).evaluate(frame, frame)
    assert found.privacy[0]["reached"] == 1


def test_united_values_are_told_without_persons(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {"job": ["cook"] * 4, "ill": ["HIV", "hiv", "flu", "flu"], "who": ["Ann Lee", "ann lee", "Bo", "Cy"]}
    )
    columns = {"job": al.quasi(JOBS), "ill": al.sensitive(), "who": al.unit()}
    release = al.Plan(columns, k=2, privacy=[al.Privacy("l-diversity", "ill", l=2)]).run(frame)
    assert release.summary["united"] == {"who": {"values": 4, "counted_as": 3}, "ill": {"values": 3, "counted_as": 2}}
    page, public = release.report.html(), release.report.html(public=True)
    assert "3 values of ill count as 2" in page
    assert "HIV = hiv" in page
    assert "4 values of who count as 3" in page
    for text in (page, public):
        assert "Ann Lee" not in text
        assert "ann lee" not in text
    assert "HIV = hiv" not in public
    assert "count as" not in public


def test_a_long_table_has_one_row_for_each_person() -> None:
    frame = pd.DataFrame(
        {"who": ["Ann", "ann", "Bo", "bo ", "Cy"], "skill": ["cook", "smith", "cook", "smith", "nurse"]}
    )
    plan = al.Plan({"who": al.unit(), "skill": al.quasi(JOBS, kind="set")}, k=2, long=True)
    assert plan.run(frame).summary["records"] == 3
