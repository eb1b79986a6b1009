"""Attack: a column that nobody named is kept, and identifies people or tells what was masked.

`--keep-rest` must never publish an identifier, a copy of a masked or dropped column, or a column that determines one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import allonym as al
from allonym.errors import PlanError
from allonym.kinds.identifiers.check_digits import luhn

ROWS = 60
JOBS = ["nurse", "cook", "plumber", "teacher", "lawyer"]
GIVEN = ["Mary", "James", "Ann", "Robert", "Olga", "Carlos", "Peter", "Elizabeth", "David", "Sarah"]
FAMILY = ["Lee", "Novak", "Smith", "García", "Schmidt", "Rossi", "Kim", "Brown", "Clark", "Miller"]


def card(number: int) -> str:
    return next(x for x in (f"4{number:014d}{check}" for check in range(10)) if luhn(x))


def iban(number: int) -> str:
    account = f"37040044{number:010d}"
    return f"DE{98 - int(account + '131400') % 97:02d}{account}"


def table(**columns: Any) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    jobs, ages = rng.choice(JOBS, ROWS).tolist(), rng.integers(20, 70, ROWS).tolist()
    return pd.DataFrame({"job": jobs, "age": ages, **columns})


def plan(**columns: al.Column) -> al.Plan:
    roles = {"job": al.quasi("wordnet:person"), "age": al.quasi("numeric")} | columns
    return al.Plan(roles, k=3, keep_rest=True)


def codes(frame: Any, **columns: al.Column) -> list[tuple[str, str]]:
    """Return codes and columns of the problems that keep a table from being masked."""
    try:
        plan(**columns).run(frame)
    except PlanError as error:
        return [(x.code, x.column) for x in error.problems]
    return []


rng = np.random.default_rng(1)
IDENTIFIERS = {
    "social security": [f"{rng.integers(1, 600):03d}-{rng.integers(1, 99):02d}-{i + 1:04d}" for i in range(ROWS)],
    "e-mail, repeated": [f"person{i % 7}@example.org" for i in range(ROWS)],
    "e-mail in a remark": [f"write to p{i}@example.org please" if i % 4 == 0 else f"remark {i}" for i in range(ROWS)],
    "telephone": [f"+49 30 {rng.integers(100_000, 999_999)}" for i in range(ROWS)],
    "telephone, national": [f"(0{rng.integers(30, 99)}) {rng.integers(100_000, 999_999)}" for i in range(ROWS)],
    "bank account": [iban(int(x)) for x in rng.integers(1, 10**9, ROWS)],
    "bank account, in fours": [" ".join(iban(i)[j : j + 4] for j in range(0, 22, 4)) for i in range(ROWS)],
    "payment card": [card(int(x)) for x in rng.integers(1, 10**13, ROWS)],
    "Spanish identity number": [f"{x:08d}{'TRWAGMYFPDXBNJZSQVHLCKE'[x % 23]}" for x in range(ROWS)],
    "UUID": [f"{x:08x}-0000-4000-8000-{x:012x}" for x in rng.integers(0, 2**31, ROWS).tolist()],
    "web address": [f"https://example.org/people/{i}" for i in range(ROWS)],
    "account": [f"@person_{i}" for i in range(ROWS)],
    "network address": [f"192.168.{i}.{i + 3}" for i in range(ROWS)],
    "name": [f"{GIVEN[i % 10]} {FAMILY[i // 6]}" for i in range(ROWS)],
    "name, family name first": [f"{FAMILY[i // 6]}, {GIVEN[i % 10]}" for i in range(ROWS)],
    "name in capitals": [f"{GIVEN[i % 10]} {FAMILY[i // 6]}".upper() for i in range(ROWS)],
}
UNIQUE = {
    "text": [f"remark {i * 17 % ROWS}" for i in range(ROWS)],
    "row number": list(range(1, ROWS + 1)),
    "number of a register": rng.permutation(np.arange(100_003, 100_003 + 7 * ROWS, 7)).tolist(),
    "hash": [f"{x:016x}" for x in rng.integers(0, 2**62, ROWS).tolist()],
}


@pytest.mark.parametrize("what", IDENTIFIERS)
def test_identifiers_must_be_confirmed(what: str) -> None:
    frame = table(x=IDENTIFIERS[what])
    assert codes(frame) == [("kept-identifier", "x")]
    assert codes(frame, x=al.keep()) == [("kept-identifier", "x")]
    assert codes(frame, x=al.keep(confirmed=True)) == []


@pytest.mark.parametrize("what", UNIQUE)
def test_nearly_unique_columns_must_be_named(what: str) -> None:
    frame = table(x=UNIQUE[what])
    assert codes(frame) == [("kept-identifier", "x")]
    assert codes(frame, x=al.keep()) == []


@pytest.mark.parametrize(
    "honest",
    [
        rng.normal(3000, 800, ROWS).round(2).tolist(),
        (rng.integers(100, 900, ROWS) * 10).tolist(),
        [f"2024-0{1 + i % 9}-{1 + i % 28:02d}T{i % 24:02d}:{i % 60:02d}:{i * 7 % 60:02d}" for i in range(ROWS)],
        rng.choice(["yes", "no"], ROWS).tolist(),
        rng.integers(0, 5, ROWS).tolist(),
        rng.choice(["Las Vegas", "San Jose", "New York", "Saint Louis", "Kansas City"], ROWS).tolist(),
        rng.choice(["https://a.org", "https://b.org"], ROWS).tolist(),
        [None] * ROWS,
    ],
    ids=["salary", "wage", "time", "flag", "count", "city", "source", "empty"],
)
def test_honest_columns_are_kept(honest: list[Any]) -> None:
    assert codes(table(x=honest)) == []


def test_measurements_that_differ_are_a_caution() -> None:
    release = plan().run(table(x=rng.normal(3000, 800, ROWS).round(2).tolist()))
    assert release.summary["cautions"] == ["column x: is kept, although it has a value of its own in nearly every row."]


def copies() -> dict[str, list[Any]]:
    frame = table()
    number = {job: place for place, job in enumerate(JOBS)}
    return {
        "copy": frame["job"].tolist(),
        "copy in capitals": [f" {x.upper()} " for x in frame["job"]],
        "code": [f"{number[x] + 10}" for x in frame["job"]],
        "finer": [f"{x}, grade {i % 3}" for i, x in enumerate(frame["job"])],
        "number as text": [f"{x}.0" for x in frame["age"]],
        "year of birth": [2024 - x for x in frame["age"]],
        "date of birth": [f"{2024 - x}-{1 + i % 12:02d}-{1 + i % 28:02d}" for i, x in enumerate(frame["age"])],
        "other unit": (frame["age"] * 12.5 + rng.random(ROWS)).tolist(),
    }


@pytest.mark.parametrize("what", copies())
def test_copies_of_masked_columns_must_be_confirmed(what: str) -> None:
    frame = table(x=copies()[what])
    assert set(codes(frame)) >= {("kept-copy", "x")}
    assert set(codes(frame, x=al.keep())) >= {("kept-copy", "x")}
    assert codes(frame, x=al.keep(confirmed=True)) == []


def test_copies_of_dropped_columns_must_be_confirmed() -> None:
    people = [i // 3 for i in range(ROWS)]
    frame = table(person=[f"P{x}" for x in people], again=[f"p{x} " for x in people], code=[7 * x + 1 for x in people])
    found = codes(frame, person=al.unit())
    assert set(found) == {("kept-copy", "again"), ("kept-copy", "code")}


def test_unrelated_columns_are_no_copies() -> None:
    """Random columns of every size beside each other: no alarm in 300 tables."""
    draw = np.random.default_rng(5)
    alarms = 0
    for _ in range(30):
        more = {f"c{i}": draw.integers(0, draw.integers(2, 30), ROWS).tolist() for i in range(10)}
        alarms += len(codes(table(**more)))
    assert alarms == 0


@pytest.mark.parametrize("engine", ["duckdb", "polars"])
def test_engines_refuse_the_same(engine: str, tmp_path: Path) -> None:
    number = {job: place for place, job in enumerate(JOBS)}
    frame = table(ssn=IDENTIFIERS["social security"], remark=UNIQUE["text"], salary=rng.normal(3000, 800, ROWS))
    frame["code"] = [number[x] for x in frame["job"]]
    frame.to_parquet(tmp_path / "in.parquet")
    with pytest.raises(PlanError) as error:
        plan().run(tmp_path / "in.parquet", tmp_path / "out.parquet", engine=engine)
    found = [(x.code, x.column) for x in error.value.problems]
    assert found == [("kept-identifier", "ssn"), ("kept-identifier", "remark"), ("kept-copy", "code")]
    assert not (tmp_path / "out.parquet").exists()
    confirmed = plan(ssn=al.keep(confirmed=True), remark=al.keep(), code=al.keep(confirmed=True))
    release = confirmed.run(tmp_path / "in.parquet", tmp_path / "out.parquet", engine=engine)
    warned = [x.split(":")[0] for x in release.summary["cautions"]]
    assert warned == [f"column {x}" for x in ("ssn", "remark", "salary", "code")]


def test_large_tables_are_sampled_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    from allonym.pipeline.disclosure import kept

    monkeypatch.setattr(kept, "MAX_ROWS", 50)
    rows = 2000
    draw = np.random.default_rng(2)
    frame = pd.DataFrame(
        {
            "job": draw.choice(JOBS, rows),
            "age": draw.integers(20, 70, rows),
            "register": draw.permutation(rows) + 10_001,
            "town": draw.integers(0, 500, rows).astype(str),  # all differ in most of the sample, not in the table
        }
    )
    frame["school"] = frame["job"].map({job: f"school of a {job}" for job in JOBS})
    expected = [("kept-identifier", "register"), ("kept-copy", "school")]
    assert codes(frame) == expected
    assert codes(pl.from_pandas(frame).lazy()) == expected


def test_check_says_the_same_as_mask(tmp_path: Path) -> None:
    table(ssn=IDENTIFIERS["social security"]).to_csv(tmp_path / "in.csv", index=False)
    checked = plan().check(tmp_path / "in.csv")
    assert [(x.code, x.column) for x in checked.problems if x.code.startswith("kept")] == [("kept-identifier", "ssn")]
    assert not checked.ready


def test_problems_contain_no_cells() -> None:
    frame = table(ssn=IDENTIFIERS["social security"], x=copies()["copy"])
    with pytest.raises(PlanError) as error:
        plan().run(frame)
    assert not any(cell in str(error.value) for cell in [*IDENTIFIERS["social security"], *JOBS])
