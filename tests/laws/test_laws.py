"""The laws every method keeps. A method joins by its line in `allonym.methods.METHODS`."""

from __future__ import annotations

import csv
import io
import itertools
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from shared import same_key

import allonym as al
from allonym.errors import PlanError
from allonym.methods import METHODS
from allonym.methods.base import ColumnwiseMethod, KAnonymityMethod
from allonym.methods.record_level import RecordLevelMethod
from allonym.pipeline.changes.nulls import REASONS
from allonym.plan.column import Column

JOBS = al.read_taxonomy(Path(__file__).parents[1] / "data" / "mini-jobs.csv")
LABELS = set(JOBS.labels)
WORDS = ["cook", "Cook", "cooks", "baker", "smith", "welder", "nurse", "zzz", "yyy", None]
SPELLINGS = {"Cook": "cook", "cooks": "cook"}
SEXES = ["f", "m", None]
SIZES = ["small", "medium", "large", None]
AGES = ["20", "31", "44", "60", None]
SKILLS = ["cook", "cook;baker", "smith; cooks", "nurse;zzz;smith", "yyy", "baker;cook", None]
ZIPS = ["98101", "98104", "02139", "SW1A 1AA", "sw1a1aa", "n/k", None]
DATES = ["2021-03-04", "2021-03-05 10:30", "2021-03-05", "2021-07-01", None]
QUASI = ("job", "sex", "size", "age", "skills", "zip", "born")
KINDS = {
    "text": al.quasi(JOBS, unmatched="opaque", accept_review=True),
    "category": al.quasi("category"),
    "ordinal": al.quasi("ordinal", levels=["small", "medium", "large"]),
    "numeric": al.quasi("numeric"),
    "code": al.quasi("code"),
    "date": al.quasi("date"),
    "set": al.quasi(JOBS, kind="set", unmatched="opaque", accept_review=True),
}
OF_KIND = {
    "job": "text",
    "sex": "category",
    "size": "ordinal",
    "age": "numeric",
    "skills": "set",
    "zip": "code",
    "born": "date",
}
Row = tuple[str | None, ...]
ROW = st.tuples(*(st.sampled_from(cells) for cells in (WORDS, SEXES, SIZES, AGES, SKILLS, ZIPS, DATES)))
WITH_K = [name for name, method in METHODS.items() if issubclass(method, KAnonymityMethod)]
BY_ROW = [name for name, method in METHODS.items() if issubclass(method, RecordLevelMethod)]
methods = pytest.mark.parametrize("name", METHODS)
with_k = pytest.mark.parametrize("name", WITH_K)
record_level = pytest.mark.parametrize("name", BY_ROW)
OTHER_WAYS = (
    "sa-mdav as centroid", "sa-mdav as truthful", "s-mdav as centroid",
    "sa-mdav as subsumer", "sa-mdav as member", "sa-mdav as refined", "fusion as refined", "generalise as suppressing",
    "sa-mdav as existing", "s-mdav as existing", "fusion as existing", "sa-mdav as global",
    "sa-mdav as suppressing", "mdav as suppressing", "fusion as suppressing", "sa-mdav as suppressing cells",
    "swap as nearest", "swap as together",
    "generalise as global",
)  # fmt: skip
all_ways = pytest.mark.parametrize("name", [*METHODS, *OTHER_WAYS])
few = settings(max_examples=7, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


def frame_of(rows: list[Row], persons: list[int] | None = None) -> pd.DataFrame:
    """Make a table with an identifier, quasi-identifiers, a survey weight, and a column to keep."""
    data = {x: [row[i] for row in rows] for i, x in enumerate(QUASI)}
    extra = {"person": [f"p{x}" for x in persons]} if persons else {}
    frame = pd.DataFrame({"name": [f"person-{i:04}" for i in range(len(rows))], **extra, **data}, dtype=object)
    frame["weight"] = [1.0 + i % 3 for i in range(len(rows))]
    frame["note"] = [f"note {i}" for i in range(len(rows))]
    return frame


def plan_of(name: str, k: int, *, units: bool = False, seed: int = 3, **changes: Column) -> al.Plan:
    """Make a plan with every kind the method supports; other columns are kept."""
    columns = {"name": al.identifier(), "weight": al.weight(), "note": al.keep()}
    columns |= {"person": al.unit()} if units else {}
    method, _, way = name.partition(" as ")
    columns |= {x: KINDS[kind] if kind in METHODS[method].info.kinds else al.keep() for x, kind in OF_KIND.items()}
    parameters: dict[str, object] = {"represent": way} if way else {}
    if way == "refined":
        parameters = {"refine": True}
    if way == "suppressing":
        parameters = {"suppress": 0.4}
    if way == "suppressing cells":
        parameters = {"suppress": 0.2, "suppress_cells": True}
    if way == "existing":
        parameters = {"values": "existing"}
    if way == "global":
        parameters = {"recoding" if method == "generalise" else "replace": "global"}
    if method == "swap" and way:
        parameters = {"pairs": "nearest"} if way == "nearest" else {"together": "job, age; size, born", "window": 0.2}
    if name == "generalise as global":  # of one column of sets
        columns |= {x: al.keep() for x, kind in OF_KIND.items() if kind != "set"}
    if issubclass(METHODS[method], ColumnwiseMethod):
        parameters["per_attribute"] = True
    columns |= {x: column_of(method, x) for x in ("job", "skills") if columns[x].role == "quasi"}
    own = k if method in WITH_K else None
    return al.Plan(columns | changes, method=method, k=own, seed=seed, parameters=parameters)


def column_of(method: str, name: str) -> Column:
    """Return a column; words a method does not know become null, where it has to know them all."""
    column = KINDS[OF_KIND[name]]
    return replace(column, unmatched="suppress") if name in ("job", "skills") and method in BY_ROW else column


def masked_columns(plan: al.Plan) -> list[str]:
    return [x for x in QUASI if plan.columns[x].role == "quasi"]


def promised(plan: al.Plan) -> list[list[str]]:
    """Return the columns that are to have k together: all that are masked, or each alone."""
    columns = masked_columns(plan)
    return [[x] for x in columns] if isinstance(plan.method, ColumnwiseMethod) else [columns]


def texts(frame: pd.DataFrame, columns: list[str]) -> list[Row]:
    plain = frame[columns].astype(object).where(frame[columns].notna(), None)
    return [tuple(row) for row in plain.itertuples(index=False)]


tables = st.lists(ROW, min_size=2, max_size=30)
DIFFERENT: list[Row] = [
    ("cook", "f", "small", "20", "cook", "98101", "2021-03-04"),
    ("smith", "m", "large", "44", "baker;cook", "98104", "2021-07-01"),
]


def varied(name: str, rows: list[Row]) -> list[Row]:
    """Return rows whose columns have different values, where a method refuses others."""
    method = METHODS[name.partition(" as ")[0]]
    return [*rows, *DIFFERENT] if issubclass(method, RecordLevelMethod) and method.info.min_values > 1 else rows


@dataclass(frozen=True)
class Masked:
    """A random table, the person of each of its rows if there are units, and its release."""

    plan: al.Plan
    frame: pd.DataFrame
    rows: list[Row]
    persons: list[int]
    release: al.Release


@all_ways
@settings(few, max_examples=10)
@given(rows=tables, k=st.integers(2, 4), data=st.data())
def test_a_release_keeps_the_laws(name: str, rows: list[Row], k: int, data: st.DataObject) -> None:
    """Check every law of one release on the same random tables: masking them takes far longer than checking."""
    rows = varied(name, rows)
    units = data.draw(st.none() | st.lists(st.integers(0, 12), min_size=len(rows), max_size=len(rows)))
    persons = list(range(len(rows))) if units is None else units
    plan, frame = plan_of(name, k, units=units is not None), frame_of(rows, units)
    if len(set(persons)) < k and isinstance(plan.method, KAnonymityMethod):
        counted = "rows" if units is None else "persons"
        with pytest.raises(PlanError, match=f"only {len(set(persons))} {counted}"):
            plan.run(frame)
        return
    before = frame.copy()
    try:
        masked = Masked(plan, frame, rows, persons, plan.run(frame))
    except PlanError as error:
        assert {x.code for x in error.problems} <= {"all-null", "no-existing-record"}  # noqa: PT017
        return
    pd.testing.assert_frame_equal(frame, before)
    rows_order_and_columns_stay(masked)
    rare_spellings_and_unlinked_values_are_not_written(masked, k)
    every_change_of_text_is_counted(masked)
    if plan.method.writes_existing:
        every_record_exists(masked, k)
    if plan.method.replaces_globally:
        equal_values_have_one_replacement(masked)
    if plan.method.known_items is not None:
        combinations_of_items_are_held_by_k(masked, k)
    elif isinstance(plan.method, KAnonymityMethod):
        k_holds_on_the_text_and_null_is_counted(masked, k)
    if units is not None:
        assert masked.release.summary["units"] == len(set(persons))


def rows_order_and_columns_stay(masked: Masked) -> None:
    frame, written = masked.frame, masked.release.frame
    dropped = [x for x in ("name", "person") if x in frame]
    assert list(written) == [x for x in frame if x not in dropped]
    assert written["note"].tolist() == frame["note"].tolist()
    assert written["weight"].tolist() == frame["weight"].tolist()
    assert written.dtypes.to_dict() == frame.drop(columns=dropped).dtypes.to_dict()


def k_holds_on_the_text_and_null_is_counted(masked: Masked, k: int) -> None:
    """Every combination of values that is written has k rows, and k persons where there are units."""
    release = masked.release
    for columns, privacy in zip(promised(masked.plan), release.summary["privacy"], strict=True):
        groups = defaultdict(set)
        for row, person in zip(texts(release.frame, columns), masked.persons, strict=True):
            groups[row].add(person)
        smallest = min(map(len, groups.values()))
        assert smallest >= k
        assert privacy == {
            "model": "k-anonymity", "columns": columns, "asked": k, "reached": smallest, "holds": True,
        }  # fmt: skip
        assert release.summary["tuples"]["after"] >= len(groups)


def combinations_of_items_are_held_by_k(masked: Masked, k: int) -> None:
    """Every combination of up to m items that is written is held by k persons."""
    holders = defaultdict(set)
    for cell, person in zip(texts(masked.release.frame, ["skills"]), masked.persons, strict=True):
        items = sorted({item.strip() for item in (cell[0] or "").split(";") if item.strip()})
        for size in range(1, masked.plan.method.known_items + 1):
            for combination in itertools.combinations(items, size):
                holders[combination].add(person)
    least = min(map(len, holders.values()), default=k)
    assert least >= k
    assert masked.release.summary["privacy"] == [
        {"model": "k^2-anonymity", "columns": ["skills"], "asked": k, "reached": least, "holds": True}
    ]


def rare_spellings_and_unlinked_values_are_not_written(masked: Masked, k: int) -> None:
    """A spelling or an unlinked value is written only if k persons hold it; words by row as labels alone.

    Methods without groups guarantee no k: they may write any value of the column.
    """
    written, by_row = masked.release.frame, isinstance(masked.plan.method, RecordLevelMethod)
    k = k if isinstance(masked.plan.method, KAnonymityMethod) else 1
    for a, column in enumerate(QUASI[:2]):
        if column not in masked_columns(masked.plan):
            continue
        for text in set(written[column].dropna()):
            holders = {p for p, row in zip(masked.persons, masked.rows, strict=True) if row[a] == text}
            labels_only = column == "job" and by_row
            assert (len(holders) >= k and not labels_only) or (column == "job" and text in LABELS)
    if "skills" in masked_columns(masked.plan):
        cells = [[x.strip() for x in (row[4] or "").split(";")] for row in masked.rows]
        for item in {item for cell in written["skills"].dropna() for item in map(str.strip, cell.split(";")) if item}:
            holders = {p for p, items in zip(masked.persons, cells, strict=True) if item in items}
            assert len(holders) >= k or item in LABELS
    if "zip" in masked_columns(masked.plan):
        codes = [meaning_of("zip", row[5] or "") for row in masked.rows]
        for text in set(written["zip"].dropna()):
            holders = {p for p, code in zip(masked.persons, codes, strict=True) if code == meaning_of("zip", text)}
            assert len(holders) >= k or text.endswith("*")
    if "born" in masked_columns(masked.plan):
        days = [meaning_of("born", row[6] or "") for row in masked.rows]
        for text in set(written["born"].dropna()):
            holders = {p for p, day in zip(masked.persons, days, strict=True) if day == meaning_of("born", text)}
            assert len(holders) >= k or not holders


def every_record_exists(masked: Masked, k: int) -> None:
    """A record is suppressed, or reads as one of the table of which at least k persons hold every text."""
    columns = masked_columns(masked.plan)
    original, released = texts(masked.frame, columns), texts(masked.release.frame, columns)
    suppressed = [not any(row) and any(own) for row, own in zip(released, original, strict=True)]
    assert masked.release.summary["suppressed"] == sum(suppressed)
    written = {row for row, gone in zip(released, suppressed, strict=True) if not gone}
    assert written <= set(original)
    for a in range(len(columns)):
        if columns[a] == "skills":  # of which items are held by k
            continue
        for text in {row[a] for row in written if row[a]}:
            assert len({p for p, row in zip(masked.persons, original, strict=True) if row[a] == text}) >= k


def equal_values_have_one_replacement(masked: Masked) -> None:
    """A text of a column reads the same in all rows that were not suppressed."""
    columns = masked_columns(masked.plan)
    original, released = texts(masked.frame, columns), texts(masked.release.frame, columns)
    suppressed = masked.release.summary["suppressed"] > 0
    kept = [(was, now) for was, now in zip(original, released, strict=True) if any(now) or not suppressed]
    for a in range(len(columns)):
        assert len({(was[a], now[a]) for was, now in kept}) == len({was[a] for was, _ in kept})


def every_change_of_text_is_counted(masked: Masked) -> None:
    """The counts of changes and the list of replacements are those of the two tables, cell by cell."""
    columns, release = masked_columns(masked.plan), masked.release
    before, after = (texts(frame, columns) for frame in (masked.frame, release.frame))
    counted = release.summary["changes"]
    for a, column in enumerate(columns):
        cells = [(was[a] or "", now[a] or "") for was, now in zip(before, after, strict=True)]
        expected = changes_of_cells(column, cells)
        assert {name: counted["by_column"][column][name] for name in expected} == expected
        loss = release.summary["measures"]["information_loss"]["by_column"][column]
        assert (loss > 0) == (expected["meaning_changed"] > 0)
        listed = release.changes.columns[column].replacements
        assert {(x.original, x.released): x.cells for x in listed} == Counter((a, b) for a, b in cells if a != b)
        assert [x.cells for x in listed] == sorted((x.cells for x in listed), reverse=True)
        for x in listed:
            assert x.meaning_changed == (meaning_of(column, x.original) != meaning_of(column, x.released))
            assert x.distance == 0 if not x.meaning_changed else 0 < x.distance <= 1
        farthest = max((x.distance for x in listed if x.released), default=0.0)
        assert counted["by_column"][column]["farthest"] == farthest
    by_column = list(counted["by_column"].values())
    whole = [x for x in counted if x not in ("by_column", "farthest")]
    assert {x: counted[x] for x in whole} == {x: sum(own[x] for own in by_column) for x in whole}
    for own in (counted, *by_column):
        assert own["changed"] == own["meaning_changed"] + own["spelling_only"]
        assert own["meaning_changed"] == own["false"] + own["generalised"] + own["set_to_null"]
    assert counted["farthest"] == max(own["farthest"] for own in by_column)
    every_null_is_counted_and_explained(masked)


def every_null_is_counted_and_explained(masked: Masked) -> None:
    """The reasons of each column add up to its values that became null, and those of columns to the whole."""
    summary, columns = masked.release.summary, masked_columns(masked.plan)
    nulls, changed = summary["nulls"], summary["changes"]["by_column"]
    for column in columns:
        own = nulls["by_column"].get(column, {"cells": 0, "by_reason": {}})
        lost = masked.frame[column].notna() & masked.release.frame[column].replace("", None).isna()
        assert own["cells"] == changed[column]["set_to_null"] == sum(own["by_reason"].values()) == lost.sum()
        assert set(own["by_reason"]) <= set(REASONS)
        assert summary["suppressed_cells"][column] >= own["cells"]
    assert nulls["cells"] == sum(own["cells"] for own in nulls["by_column"].values())
    assert nulls["cells"] == sum(nulls["by_reason"].values())


@methods
@settings(few, max_examples=5)
@given(rows=tables, k=st.integers(2, 4), kinds=st.booleans())
def test_an_evaluation_counts_the_same_changes(name: str, rows: list[Row], k: int, kinds: bool) -> None:
    assume(len(rows) >= k)
    rows = varied(name, rows)
    plan, frame = plan_of(name, k), frame_of(rows)
    if kinds:  # of a concept
        frame["job"] = frame["job"].replace({"baker": "head cook", "smith": "Head cooks", "welder": "cook (retired)"})
    release = plan.run(frame)
    evaluation = plan.evaluate(frame, release.frame)
    assert evaluation.summary["changes"] == release.summary["changes"]
    for column, own in release.changes.columns.items():
        assert [x[:4] for x in evaluation.changes.columns[column].replacements] == [x[:4] for x in own.replacements]
        loss = release.summary["measures"]["information_loss"]["by_column"]
        assert evaluation.measures["information_loss"].per_column == pytest.approx(loss)


def changes_of_cells(column: str, cells: list[tuple[str, str]]) -> dict[str, int]:
    """Count the changes of one column, given the original and the released text of every cell."""
    changed = [(was, now) for was, now in cells if was != now]
    respelled = [was for was, now in changed if meaning_of(column, was) == meaning_of(column, now)]
    return {
        "cells": len(cells),
        "changed": len(changed),
        "meaning_changed": len(changed) - len(respelled),
        "spelling_only": len(respelled),
        "united_spellings": len(set(respelled)),
        "set_to_null": sum(not now for _, now in changed),
        "replacements": len(set(changed)),
    }


def meaning_of(column: str, text: str) -> object:
    """Return what a cell means: spellings of one concept, and orders of one set, mean the same."""
    if column == "age" and text:
        return text if " to " in text else float(text)
    if column == "zip":
        return "".join(x for x in text.upper() if x.isalnum() or x == "*")
    if column == "born":
        return text.removesuffix(" 10:30")
    items = [SPELLINGS.get(x.strip(), x.strip()) for x in text.split(";")]
    return frozenset(items) if column == "skills" else items[0]


@methods
@settings(few, max_examples=5)  # each masks three times
@given(rows=tables, k=st.integers(2, 4))
def test_the_same_seed_gives_the_same_release_whatever_the_frame(name: str, rows: list[Row], k: int) -> None:
    assume(len(rows) >= k)
    rows = varied(name, rows)
    plan, frame = plan_of(name, k), frame_of(rows)
    once = plan.run(frame)
    data = {x: [None if pd.isna(v) else v for v in frame[x].tolist()] for x in frame}
    schema = pa.schema([(x, pa.float64() if x == "weight" else pa.string()) for x in frame])
    arrow = pa.table(data, schema=schema)
    for other in (arrow, pl.from_arrow(arrow)):
        again = plan.run(other)
        assert type(again.frame) is type(other)
        shown = again.frame.to_pydict() if isinstance(other, pa.Table) else again.frame.to_dict(as_series=False)
        assert [tuple(x) for x in zip(*(shown[c] for c in QUASI), strict=True)] == texts(once.frame, list(QUASI))
        assert again.summary["measures"] == once.summary["measures"]


@pytest.mark.parametrize("name", [*WITH_K, *(x for x in OTHER_WAYS if "suppressing" in x)])
@few
@given(rows=tables, k=st.integers(2, 4), seed=st.integers(0, 99))
def test_permuting_rows_changes_nothing_but_who_takes_which_share(
    name: str, rows: list[Row], k: int, seed: int
) -> None:
    assume(len(rows) >= k)
    plan = plan_of(name, k, weight=al.keep())
    shuffled = [rows[i] for i in np.random.default_rng(seed).permutation(len(rows))]
    one, other = plan.run(frame_of(rows)), plan.run(frame_of(shuffled))

    def ways(rows: list[Row], release: al.Release) -> Counter[tuple[Row, Row]]:
        """Count what became of each tuple of meanings."""
        jobs = ["cook" if row[0] in ("Cook", "cooks") else row[0] for row in rows]
        zips = [meaning_of("zip", row[5] or "") for row in rows]
        meant = [
            (j, *row[1:4], same(row[4]), z, meaning_of("born", row[6] or ""))
            for j, row, z in zip(jobs, rows, zips, strict=True)
        ]
        columns = masked_columns(plan)  # a kept column does not decide which of several equal records is which
        before = [tuple(row[QUASI.index(column)] for column in columns) for row in meant]
        return Counter(zip(before, texts(release.frame, columns), strict=True))

    def same(cell: str | None) -> str | None:
        """Return one spelling of a set."""
        return None if cell is None else ";".join(sorted(x.strip().replace("cooks", "cook") for x in cell.split(";")))

    assert ways(rows, one) == ways(shuffled, other)
    for measure, told in one.summary["measures"].items():
        assert told["value"] == pytest.approx(other.summary["measures"][measure]["value"])


@record_level
@few
@given(rows=tables, seed=st.integers(0, 99), cut=st.integers(0, 30), keyed=st.booleans())
def test_rows_become_the_same_alone_in_batches_and_in_any_order(
    name: str, rows: list[Row], seed: int, cut: int, keyed: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    rows = [*rows, *DIFFERENT]
    frame = frame_of(rows)
    plan = plan_of(name, 1, seed=seed)
    if keyed:
        plan = replace(plan, parameters={"key": "note"})
        order = np.random.default_rng(seed).permutation(len(rows))
        shuffled = plan.run(frame.iloc[order].reset_index(drop=True)).frame
        expected = plan.run(frame).frame
        assert texts(shuffled, list(QUASI)) == [texts(expected, list(QUASI))[i] for i in order]
    once = texts(plan.run(frame).frame, list(QUASI))
    path = tmp_path_factory.mktemp("fitted") / "fitted.json"
    plan.fit(frame).save(path, stream=True)
    for each in (plan.fit(frame), al.Fitted.load(path, resume=True)):
        assert texts(each.mask(frame, start=0), list(QUASI)) == once
        low, high = frame.iloc[:cut], frame.iloc[cut:].reset_index(drop=True)
        assert texts(each.mask(low, start=0), list(QUASI)) + texts(each.mask(high), list(QUASI)) == once
        records = frame.to_dict("records")
        alone = pd.DataFrame(each.stream(records, start=0), dtype=object)
        assert texts(alone, list(QUASI)) == once
        assert "name" not in alone
        one = each.mask_one(records[-1], key=None if keyed else len(records) - 1)
        assert tuple(one[x] for x in QUASI) == once[-1]


@with_k
@few
@given(rows=tables, k=st.integers(2, 4))
def test_renaming_values_changes_nothing(name: str, rows: list[Row], k: int) -> None:
    assume(len(rows) >= k and "category" in METHODS[name].info.kinds)
    new = {"f": "female", "m": "male", None: None}  # the same order
    renamed = [(job, new[sex], *others) for job, sex, *others in rows]
    with same_key():
        one, other = plan_of(name, k).run(frame_of(rows)), plan_of(name, k).run(frame_of(renamed))
    expected = [(job, new[sex], *others) for job, sex, *others in texts(one.frame, list(QUASI))]
    assert texts(other.frame, list(QUASI)) == expected


@methods
@settings(few, max_examples=5)  # each masks three times
@given(rows=tables, k=st.integers(2, 4), crlf=st.booleans())
def test_a_file_gives_the_same_release_and_no_identifier_reaches_it(
    name: str, tmp_path_factory: pytest.TempPathFactory, rows: list[Row], k: int, crlf: bool
) -> None:
    assume(len(rows) >= k)
    rows = varied(name, rows)
    folder = tmp_path_factory.mktemp("release")
    frame, plan = frame_of(rows), replace(plan_of(name, k), row_order="keep")
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n" if crlf else "\n")
    writer.writerow(frame.columns)
    writer.writerows([["" if pd.isna(v) else v for v in row] for row in frame.itertuples(index=False)])
    source, target = folder / "in.csv", folder / "out.csv"
    source.write_bytes(text.getvalue().encode())
    plan.run(source, target)
    written = target.read_bytes()
    assert b"person-" not in written
    assert sorted(x.name for x in folder.iterdir()) == ["in.csv", "out.csv"]
    got = list(csv.DictReader(io.StringIO(written.decode(), newline="")))
    assert [row["note"] for row in got] == frame["note"].tolist()
    plan.run(source, folder / "again.csv")
    assert (folder / "again.csv").read_bytes() == written
    with same_key():
        plan.run(source, folder / "same.csv")
        expected = texts(plan.run(frame).frame, list(QUASI))
    got = list(csv.DictReader(io.StringIO((folder / "same.csv").read_text(), newline="")))
    assert [tuple(row[c] or None for c in QUASI) for row in got] == expected


@with_k
def test_fewer_rows_than_k_is_an_error_that_says_so(name: str, tmp_path: Path) -> None:
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text(
        "job,sex,size,age,skills,zip,born\ncook,f,small,20,cook,98101,2021-03-04\nsmith,m,large,30,smith,,\n"
    )
    columns = {x: KINDS[kind] for x, kind in OF_KIND.items() if kind in METHODS[name].info.kinds}
    with pytest.raises(PlanError, match="k is 3, but the table has only 2 rows"):
        al.Plan(columns, method=name, k=3, keep_rest=True).run(source, target)
    assert not target.exists()


@methods
def test_a_kind_the_method_does_not_mask_is_a_problem_of_the_plan(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    info = METHODS[name].info
    monkeypatch.setattr(METHODS[name], "info", replace(info, kinds=("text",)))
    frame = frame_of([("cook", "f", "small", "20", "cook", "98101", "2021-03-04")] * 6)
    plan = al.Plan({"job": column_of(name, "job"), "sex": KINDS["category"]}, method=name, keep_rest=True)
    with pytest.raises(PlanError, match=f"column sex: method {name} does not mask columns of kind category"):
        plan.run(frame)


@methods
def test_cancelling_leaves_no_file(name: str, tmp_path: Path) -> None:
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text("job\n" + "cook\nbaker\nsmith\n" * 9)

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        al.Plan({"job": column_of(name, "job")}, method=name).run(source, target, stop)
    assert [x.name for x in tmp_path.iterdir()] == ["in.csv"]
