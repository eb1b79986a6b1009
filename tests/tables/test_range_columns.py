"""A column of numbers becomes text where a range is written, in every table; otherwise it keeps its type."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest
from python_calamine import CalamineWorkbook

import allonym as al

AGES = [*range(20, 44), *[30] * 6]
PLAN = al.Plan({"age": al.quasi("numeric")}, method="mdav", k=6, parameters={"represent": "truthful"}, seed=3,
               keep_rest=True, row_order="keep")  # fmt: skip
EXACT = al.Plan(PLAN.columns, method="mdav", k=6, seed=3, keep_rest=True, row_order="keep")  # means
FLOATS = [x + 0.5 for x in AGES]
FRAMES: dict[str, Callable[[], Any]] = {
    "pandas int": lambda: pd.DataFrame({"age": AGES, "x": "a"}),
    "pandas int8": lambda: pd.DataFrame({"age": pd.Series(AGES, dtype="int8"), "x": "a"}),
    "pandas float": lambda: pd.DataFrame({"age": FLOATS, "x": "a"}),
    "pandas float of whole numbers": lambda: pd.DataFrame({"age": [*AGES, *[None] * 6], "x": "a"}),
    "pandas Int64": lambda: pd.DataFrame({"age": pd.array([*AGES, *[None] * 6], "Int64"), "x": "a"}),
    "pandas Arrow": lambda: pd.DataFrame({"age": pd.Series(AGES, dtype="int64[pyarrow]"), "x": "a"}),
    "pandas category": lambda: pd.DataFrame({"age": pd.Series(AGES, dtype="category"), "x": "a"}),
    "polars int": lambda: pl.DataFrame({"age": AGES, "x": "a"}),
    "polars float": lambda: pl.DataFrame({"age": FLOATS, "x": "a"}),
    "polars decimal": lambda: pl.DataFrame({"age": pl.Series(FLOATS).cast(pl.Decimal(9, 1)), "x": "a"}),
    "pyarrow int": lambda: pa.table({"age": AGES, "x": ["a"] * len(AGES)}),
    "pyarrow float": lambda: pa.table({"age": pa.array(FLOATS, pa.float32()), "x": ["a"] * len(AGES)}),
    "pyarrow dictionary": lambda: pa.table({"age": pa.array(AGES).dictionary_encode(), "x": ["a"] * len(AGES)}),
}


def cells_of(frame: Any) -> list[Any]:
    if isinstance(frame, pd.DataFrame):
        return [None if pd.isna(x) else x for x in frame["age"].tolist()]
    return frame["age"].to_pylist() if isinstance(frame, pa.Table) else frame["age"].to_list()


def type_of(frame: Any) -> Any:
    return frame["age"].type if isinstance(frame, pa.Table) else frame["age"].dtype


def check(was: list[Any], now: list[Any]) -> None:
    """Assert that all cells are text, and ranges that have the numbers they stand for."""
    assert all(x is None or isinstance(x, str) for x in now)
    ranges = [(x, y) for x, y in zip(was, now, strict=True) if y is not None and " to " in y]
    assert ranges
    for number, text in ranges:
        low, high = text.split(" to ")
        assert float(low) <= number <= float(high)
        assert low[-2:].startswith(".") == (float(number) != int(number))  # the decimals of the column
    assert [y for x, y in zip(was, now, strict=True) if x is None] == [None] * was.count(None)


@pytest.mark.parametrize("name", FRAMES)
def test_a_frame_takes_ranges_as_text(name: str) -> None:
    frame = FRAMES[name]()
    release = PLAN.run(frame)
    check(cells_of(frame), cells_of(release.frame))
    assert PLAN.evaluate(frame, release.frame).privacy[0]["holds"]


@pytest.mark.parametrize("name", FRAMES)
def test_a_frame_without_ranges_keeps_its_type(name: str) -> None:
    frame = FRAMES[name]()
    now = EXACT.run(frame).frame
    if name not in ("pandas category", "pyarrow dictionary"):
        assert type_of(now) == type_of(frame)
    assert not any(isinstance(x, str) for x in cells_of(now))


def test_text_belongs_with_the_type_of_numbers() -> None:
    kinds = {name: type_of(PLAN.run(FRAMES[name]()).frame) for name in FRAMES}
    assert kinds["pandas int"] == pd.Series(["x"]).dtype
    assert isinstance(kinds["pandas Int64"], pd.StringDtype)
    assert kinds["pandas Arrow"] == pd.ArrowDtype(pa.string())
    assert kinds["polars int"] == pl.String
    assert kinds["pyarrow int"] == pa.string()
    assert kinds["pyarrow dictionary"].value_type == pa.string()


WRITERS: dict[str, Callable[[pd.DataFrame, Path], Any]] = {
    "csv": lambda frame, path: frame.to_csv(path, index=False),
    "parquet": lambda frame, path: frame.to_parquet(path, index=False),
    "jsonl": lambda frame, path: frame.to_json(path, orient="records", lines=True),
    "xlsx": lambda frame, path: frame.to_excel(path, index=False, engine="xlsxwriter"),
    "sav": pyreadstat.write_sav,
    "dta": pyreadstat.write_dta,
}
READERS: dict[str, Callable[[Path], list[Any]]] = {
    "csv": lambda path: pd.read_csv(path)["age"].tolist(),
    "parquet": lambda path: pq.read_table(path)["age"].to_pylist(),
    "jsonl": lambda path: [json.loads(line)["age"] for line in path.read_text().splitlines()],
    "xlsx": lambda path: [row[0] for row in CalamineWorkbook.from_path(str(path)).get_sheet_by_index(0).to_python()][
        1:
    ],
    "sav": lambda path: pyreadstat.read_sav(path)[0]["age"].tolist(),
    "dta": lambda path: pyreadstat.read_dta(path)[0]["age"].tolist(),
}


@pytest.mark.parametrize("numbers", [AGES, FLOATS], ids=["whole", "decimals"])
@pytest.mark.parametrize("ending", WRITERS)
def test_a_file_takes_ranges_as_text(ending: str, numbers: list[float], tmp_path: Path) -> None:
    source, target = tmp_path / f"in.{ending}", tmp_path / f"out.{ending}"
    WRITERS[ending](pd.DataFrame({"age": numbers, "x": "a"}), source)
    PLAN.run(source, target)
    check(numbers, READERS[ending](target))
    assert PLAN.evaluate(source, target).privacy[0]["holds"]


@pytest.mark.parametrize("ending", WRITERS)
def test_a_file_without_ranges_keeps_its_numbers(ending: str, tmp_path: Path) -> None:
    source, target = tmp_path / f"in.{ending}", tmp_path / f"out.{ending}"
    WRITERS[ending](pd.DataFrame({"age": AGES, "x": "a"}), source)
    EXACT.run(source, target)
    assert all(isinstance(x, (int, float)) and x == int(x) for x in READERS[ending](target))


@pytest.mark.parametrize("more", [{}, {"job": al.quasi("category")}], ids=["lookup", "join"])
@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_an_engine_takes_ranges_as_text(engine: str, more: dict[str, Any], tmp_path: Path) -> None:
    ages = pa.array([*AGES, *[None] * 6], pa.int16())
    jobs = pa.array([["cook", "nurse"][i % 2] for i in range(len(ages))])
    table = pa.table({"age": ages, "job": jobs, "height": pa.array(np.arange(len(ages)) / 2)})
    native = pl.from_arrow(table).lazy() if engine == "polars" else duckdb.connect().from_arrow(table)
    plan = al.Plan(
        {"age": al.quasi("numeric"), "height": al.quasi("numeric"), **more},
        method="mdav",
        k=6,
        parameters={"represent": "truthful"},
        seed=3,
        keep_rest=True,
    )
    memory = plan.run(table).frame
    held = plan.run(native).frame
    pq.write_table(table, tmp_path / "in.parquet")
    plan.run(tmp_path / "in.parquet", tmp_path / "out.parquet", engine=engine)
    released = held.collect().to_arrow() if engine == "polars" else held.to_arrow_table()
    for stored in (released, pq.read_table(tmp_path / "out.parquet")):
        check_same(stored, memory)


def check_same(stored: pa.Table, memory: pa.Table) -> None:
    """Assert that two tables have the same rows, and ages as text."""
    age = stored.schema.field("age").type
    assert pa.types.is_string(age) or pa.types.is_large_string(age) or pa.types.is_string_view(age)
    columns = ["age", "height", "job"]
    assert sorted(map(str, stored.select(columns).to_pylist())) == sorted(map(str, memory.select(columns).to_pylist()))


def test_decimal_commas_are_kept(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("age;x\n" + "".join(f"{x},25;a\n" for x in AGES))
    PLAN.run(tmp_path / "in.csv", tmp_path / "out.csv")
    cells = {line.split(";")[0] for line in (tmp_path / "out.csv").read_text().splitlines()[1:]}
    assert all("." not in x for x in cells)
    assert any(" to " in x and x.count(",") == 2 for x in cells)
    assert PLAN.evaluate(tmp_path / "in.csv", tmp_path / "out.csv").privacy[0]["holds"]
