"""An attacker reads what a release carries beside its cells: notes, labels, names, properties, unused categories."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest

import allonym as al
import canaries
from allonym.methods import METHODS
from allonym.methods.record_level import RecordLevelMethod
from allonym.tables.files import open_table

methods = pytest.mark.parametrize("method", METHODS)
ENGINES = ("polars", "duckdb")
REST = ("town", "list", "struct", "time", "area", "sexes")


def plan_for(names: Any, method: str = "sa-mdav", **options: Any) -> al.Plan:
    """Return a plan that keeps the other columns too."""
    made = canaries.plan(method, **options)
    return al.Plan(
        {**made.columns, **{x: al.keep() for x in REST if x in names}}, method=made.method, seed=1, long=made.long
    )


@pytest.mark.parametrize("ending", canaries.FILES)
def test_canaries_are_planted(ending: str, tmp_path: Path) -> None:
    path = canaries.FILES[ending](tmp_path)
    slots = {"csv": 1, "csv.gz": 4, "jsonl": 1, "jsonl.gz": 4, "xlsx": 25, "sav": 7, "dta": 6, "parquet": 15}
    assert len({x for x in canaries.canaries(path) if not x[4:].isdecimal()}) >= slots[ending]


@methods
@pytest.mark.parametrize("ending", canaries.FILES)
def test_a_file_carries_no_metadata(ending: str, method: str, tmp_path: Path) -> None:
    source, target = canaries.FILES[ending](tmp_path), tmp_path / f"out.{ending}"
    plan_for(open_table(source).names, method).run(source, target)
    assert canaries.canaries(target) == set()


@methods
@pytest.mark.parametrize("library", canaries.FRAMES)
def test_a_frame_carries_no_metadata(library: str, method: str) -> None:
    frame = canaries.FRAMES[library]()
    names = frame.column_names if isinstance(frame, pa.Table) else list(frame.columns)
    release = plan_for(names, method).run(frame).frame
    assert type(release) is type(frame)
    assert canaries.canaries(release) == set()


@pytest.mark.parametrize("library", canaries.FRAMES)
@pytest.mark.parametrize("method", [x for x in METHODS if issubclass(METHODS[x], RecordLevelMethod)])
def test_a_fitted_plan_returns_no_metadata(library: str, method: str) -> None:
    frame = canaries.FRAMES[library]()
    names = frame.column_names if isinstance(frame, pa.Table) else list(frame.columns)
    assert canaries.canaries(plan_for(names, method).fit(frame).mask(frame)) == set()


@pytest.mark.parametrize("method", ["sa-mdav", "generalise", "noise"])
@pytest.mark.parametrize("engine", ENGINES)
def test_an_engine_writes_no_metadata(engine: str, method: str, tmp_path: Path) -> None:
    source = canaries.parquet(tmp_path)
    for categories in (True, False):
        pq.write_table(canaries.arrow(categories=categories).drop_columns(["struct", "time"]), source)
        target = tmp_path / f"{categories}.parquet"
        plan_for(("town", "list"), method).run(source, target, engine=engine)
        assert canaries.canaries(target) == set()


@pytest.mark.parametrize("engine", ENGINES)
def test_an_engine_writes_no_metadata_to_folders(engine: str, tmp_path: Path) -> None:
    source = canaries.parquet(tmp_path)
    pq.write_table(canaries.arrow(categories=False).select([canaries.SECRET, "job", "sex"]), source)
    canaries.plan().run(source, tmp_path / "out", engine=engine, partition_by=["sex"])
    assert canaries.canaries(tmp_path / "out") == set()


@pytest.mark.parametrize("method", ["sa-mdav", "generalise", "noise"])
def test_a_lazy_frame_carries_no_metadata(method: str, tmp_path: Path) -> None:
    frame = canaries.polars().drop("town")  # values under nulls, which no writer of files keeps
    release = plan_for(frame.columns, method).run(frame.lazy()).frame
    assert canaries.canaries(release.collect()) == set()
    release.sink_parquet(tmp_path / "out.parquet")
    assert canaries.canaries(tmp_path / "out.parquet") == set()


@pytest.mark.parametrize("method", ["sa-mdav", "generalise", "noise"])
def test_a_relation_carries_no_metadata(method: str, tmp_path: Path) -> None:
    connection = duckdb.connect()
    rows = canaries.arrow(categories=False).select([canaries.SECRET, "job", "sex"])
    sexes, jobs = "ENUM('f', 'm', 'CNRYenu1')", "ENUM('cook','baker','smith','welder','nurse','CNRYenu2')"
    kinds = f"job::{jobs} AS job, sex::{sexes} AS sex, [sex]::{sexes}[] AS sexes"
    relation = connection.sql(f'SELECT "{canaries.SECRET}", {kinds} FROM rows')
    assert rows.num_rows
    release = plan_for(("sexes",), method).run(relation).frame
    assert canaries.canaries(release.to_arrow_table()) == set()
    assert "CNRY" not in str(release.types)
    release.write_parquet(str(tmp_path / "out.parquet"))
    assert canaries.canaries(tmp_path / "out.parquet") == set()


@pytest.mark.parametrize("ending", canaries.FILES)
def test_a_long_table_carries_no_metadata(ending: str, tmp_path: Path) -> None:
    source, target = canaries.FILES[ending](tmp_path), tmp_path / f"out.{ending}"
    names = open_table(source).names
    roles = {
        canaries.SECRET: al.identifier(),
        "job": al.quasi(canaries.JOBS, kind="set", unmatched="opaque", accept_review=True),
        "sex": al.unit(),
    }
    roles |= {x: al.identifier() for x in REST if x in names}
    al.Plan(roles, k=2, seed=1, long=True).run(source, target)
    assert canaries.canaries(target) == set()


@pytest.mark.parametrize("library", canaries.FRAMES)
def test_a_long_frame_carries_no_metadata(library: str) -> None:
    frame = canaries.FRAMES[library]()
    names = frame.column_names if isinstance(frame, pa.Table) else list(frame.columns)
    roles = {x: al.identifier() for x in names}
    roles |= {"job": al.quasi(canaries.JOBS, kind="set", unmatched="opaque", accept_review=True), "sex": al.unit()}
    assert canaries.canaries(al.Plan(roles, k=2, seed=1, long=True).run(frame).frame) == set()


# --- what a release does carry ---------------------------------------------------------------------------------


def test_labels_of_released_columns_and_values_stay(tmp_path: Path) -> None:
    for ending in ("sav", "dta"):
        source, target = canaries.FILES[ending](tmp_path), tmp_path / f"out.{ending}"
        plan_for(("town",)).run(source, target)
        read = pyreadstat.read_sav if ending == "sav" else pyreadstat.read_dta
        _, notes = read(target)
        assert notes.column_names_to_labels["job"] == "Occupation"
        assert notes.variable_value_labels["sex"] == {1: "f", 2: "m"}


def test_a_range_of_missing_values_is_narrowed_to_those_that_occur(tmp_path: Path) -> None:
    frame = pd.DataFrame({"job": canaries.WORDS, "age": [20.0, 97, 99, 30] * 6, "size": [1.0] * canaries.N})
    ranges = {"age": [{"lo": 90, "hi": 123456}], "size": [{"lo": 90, "hi": 123456}]}
    pyreadstat.write_sav(frame, tmp_path / "in.sav", missing_ranges=ranges)
    roles = {"job": canaries.plan().columns["job"], "age": al.keep(), "size": al.keep()}
    al.Plan(roles, k=3, seed=1).run(tmp_path / "in.sav", tmp_path / "out.sav")
    _, notes = pyreadstat.read_sav(tmp_path / "out.sav", user_missing=True)
    assert notes.missing_ranges == {"age": [{"lo": 97, "hi": 99}]}


def test_types_and_the_order_of_categories_stay() -> None:
    frame = canaries.pandas()
    frame["sex"] = pd.Categorical(frame["sex"], categories=["m", "CNRYcat2", "f"], ordered=True)
    release = plan_for(frame.columns).run(frame).frame
    assert release["sex"].dtype == pd.CategoricalDtype(["m", "f"], ordered=True)
    assert release["area"].dtype == frame["area"].dtype
    assert release["area"].tolist() == frame["area"].tolist()
    table = canaries.arrow()
    assert plan_for(table.column_names).run(table).frame.schema.field("sex").type == table.schema.field("sex").type
    many = canaries.polars().with_columns(pl.col("sex").cast(pl.Enum(["m", "CNRYcat2", "f"])))
    assert plan_for(many.columns).run(many).frame.schema["sex"] == pl.Enum(["m", "f"])
