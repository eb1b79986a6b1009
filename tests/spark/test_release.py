"""Releases of tables that Spark holds: those made in memory, as sets of rows, also when a worker is lost."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

pytest.importorskip("pyspark", reason="no pyspark: `make spark` runs these tests", exc_type=ImportError)

from cluster import Cluster, until
from gate import Gate
from shared import same_key

import allonym as al
from allonym.errors import OptionError, PlanError, ReleaseError, TableError
from allonym.measures.row_order import trend
from allonym.methods import METHODS
from allonym.tables.engines.counted_rows import hashable
from allonym.tables.engines.grouped import GroupedTable
from allonym.tables.engines.spark import SparkEngine

JOBS = al.read_taxonomy(Path(__file__).parents[1] / "data" / "mini-jobs.csv")
WORDS = ["cook", "Cook", " cooks", "baker", "smith", "welder", "nurse", "zzz", "", None]


def table_of(n: int = 240) -> pa.Table:
    """Return a table with nulls, duplicates and several types."""
    rng = np.random.default_rng(3)
    return pa.table(
        {
            "name": [f"person-{i:05}" for i in range(n)],
            "job": pa.array([WORDS[i] for i in rng.integers(0, len(WORDS), n)]),
            "age": pa.array([None if x == 4 else int(20 + x) for x in rng.integers(0, 9, n)], pa.int16()),
            "height": pa.array([[None, float("nan"), 1.5, 2.0][x] for x in rng.integers(0, 4, n)]),
            "odd `name`.x": pa.array([["f", "m", None][i] for i in rng.integers(0, 3, n)]),
            "ill": pa.array([["flu", "gout", "cold"][i] for i in rng.integers(0, 3, n)]),
            "note": [f"note {i % 17}" for i in range(n)],
            "person": [f"p{i}" for i in rng.integers(0, n // 2, n)],
        }
    )


COLUMNS = {
    "name": al.identifier(),
    "job": al.quasi(JOBS, unmatched="opaque", accept_review=True),
    "age": al.quasi("numeric"),
    "height": al.quasi("numeric"),
    "odd `name`.x": al.quasi("category"),
    "ill": al.sensitive(),
}
PLAN = al.Plan(COLUMNS, keep_rest=True, k=4, seed=1)


def rows_of(table: pa.Table) -> Counter[tuple[Any, ...]]:
    """Return the rows of a table, in no order."""
    told = ([hashable(x) for x in column.to_pylist()] for column in table.columns)
    return Counter(zip(*told, strict=True))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Write the table as three files, in a folder of its own."""
    folder, table = tmp_path / "data", table_of()
    folder.mkdir()
    for i in range(3):
        pq.write_table(table.slice(i * 80, 80), folder / f"part-{i}.parquet")
    return folder


def read(spark: Any, folder: Path, like: pa.Table) -> pa.Table:
    """Read what was written, with the columns of another table."""
    schema = spark.createDataFrame(like).schema
    return spark.read.schema(schema).parquet(str(folder)).toArrow().select(like.column_names)


def left_in(folder: Path) -> list[str]:
    return sorted(x.name for x in folder.iterdir())


@pytest.mark.parametrize(("method", "small"), [("sa-mdav", True), ("fusion", False), ("mdav", True), ("mdav", False)])
def test_the_release_is_that_made_in_memory(
    spark: Any, method: str, small: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("allonym.tables.engines.spark.MAX_BROADCAST_BYTES", 10**8 if small else 0)
    automatic = spark.conf.get("spark.sql.autoBroadcastJoinThreshold")
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", -1)  # rows are sent around, unless we say otherwise
    plan, table = replace(PLAN, method=method), table_of()
    with same_key():
        eager, lazy = plan.run(table), plan.run(spark.createDataFrame(table))
    found, way = lazy.frame.toArrow(), lazy.frame._jdf.queryExecution().toString()
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", automatic)
    assert ("BroadcastHashJoin" in way) is small
    assert found.column_names == eager.frame.column_names
    masked = [x for x in found.column_names if x in COLUMNS and COLUMNS[x].role == "quasi"]
    kept = masked if METHODS[method].info.splits_tuples else found.column_names
    assert rows_of(found.select(kept)) == rows_of(eager.frame.select(kept))
    same = ("records", "tuples", "privacy", "measures")
    same += () if METHODS[method].info.splits_tuples else ("changes",)  # which of equal records takes which share
    assert {x: lazy.summary[x] for x in same} == {x: eager.summary[x] for x in same}


def test_values_are_swapped_as_in_memory(spark: Any) -> None:
    plan, table = replace(PLAN, method="swap", k=None), table_of()
    with same_key():
        eager, lazy = plan.run(table), plan.run(spark.createDataFrame(table))
    found = lazy.frame.toArrow()
    masked = [x for x in found.column_names if x in COLUMNS and COLUMNS[x].role == "quasi"]
    assert rows_of(found.select(masked)) == rows_of(eager.frame.select(masked))
    assert lazy.summary["measures"]["total_variation"] == eager.summary["measures"]["total_variation"]


def test_persons_and_what_is_promised_beside_k(spark: Any) -> None:
    promise = [al.Privacy("l-diversity", "ill", l=2)]
    plan, table = replace(PLAN, columns=COLUMNS | {"person": al.unit()}, privacy=promise), table_of()
    eager, lazy = plan.run(table), plan.run(spark.createDataFrame(table))
    assert rows_of(lazy.frame.toArrow()) == rows_of(eager.frame)
    assert lazy.summary["privacy"] == eager.summary["privacy"]
    assert lazy.summary["units"] == eager.summary["units"]


@pytest.mark.parametrize("method", ["noise", "pram"])
def test_rows_are_masked_on_executors_by_their_keys(spark: Any, method: str) -> None:
    columns = {"name": al.keep(), "job": al.quasi(JOBS, accept_review=True, unmatched="suppress")}
    plan = al.Plan(columns, keep_rest=True, method=method, seed=5)
    table = table_of()
    with pytest.raises(PlanError, match="rows of Spark have none"):
        plan.run(spark.createDataFrame(table))
    plan = replace(plan, parameters={"key": "name"})
    with same_key():
        expected = rows_of(plan.run(table).frame)
        for parts in (1, 5):
            lazy = plan.run(spark.createDataFrame(table).repartition(parts))
            assert rows_of(lazy.frame.toArrow()) == expected
    holes = table.set_column(0, "name", pa.array([None, *table.column("name").to_pylist()[1:]]))
    with pytest.raises(PlanError, match="empty cells"):
        plan.run(spark.createDataFrame(holes))


@pytest.mark.parametrize("parted", ["", "ill"])
@pytest.mark.parametrize("method", ["sa-mdav", "noise"])
def test_files_are_shuffled(cluster: Cluster, spark: Any, data: Path, parted: str, method: str) -> None:
    columns = {"name": al.keep(), "job": al.quasi(JOBS, accept_review=True, unmatched="suppress")}
    parameters = {"key": "name"} if method == "noise" else {}
    plan = al.Plan(columns, keep_rest=True, method=method, seed=5, parameters=parameters)
    options = {"engine": "spark", "master": cluster.url, "partition_by": [parted] if parted else []}
    plan.run(data, data.parent / "release", **options)
    files = sorted((data.parent / "release").rglob("*.parquet"))
    tables = [pq.ParquetFile(x).read(["name"]).column("name").to_pylist() for x in files]
    groups = tables if parted else [[x for names in tables for x in names]]
    assert sum(map(len, tables)) == table_of().num_rows
    for names in groups:
        assert abs(trend(np.array([int(x[-5:]) for x in names], float))) < 4 / np.sqrt(max(len(names) - 1, 1))
    with pytest.raises(OptionError, match="no numbers"):
        plan.run(data, data.parent / "again", row_map=data.parent / "rows.csv", **options)


@pytest.mark.parametrize("parted", ["", "ill", "job"])
def test_from_files_to_files(cluster: Cluster, spark: Any, data: Path, parted: str) -> None:
    output = data.parent / "release"
    options = {"engine": "spark", "master": cluster.url, "partition_by": [parted] if parted else []}
    done = PLAN.run(data, output, **options)
    eager = PLAN.run(table_of()).frame
    assert rows_of(read(spark, output, eager)) == rows_of(eager)
    assert len(done.summary["sha256"]["output"]) == 64
    assert left_in(data.parent) == ["data", "release"]
    assert not list(output.rglob("_temporary*"))
    if parted:
        assert all(x.startswith((f"{parted}=", "_", ".")) for x in left_in(output))
    with pytest.raises(OptionError, match="is active at"):
        PLAN.run(data, data.parent / "other", engine="spark", master="local[1]")


def test_tuples_are_grouped_in_blocks_on_executors(spark: Any) -> None:
    table = table_of()
    here = PLAN.run(table, blocks_from=50)
    there = PLAN.run(spark.createDataFrame(table), blocks_from=50)
    assert rows_of(there.frame.toArrow()) == rows_of(here.frame)
    assert there.summary["privacy"][0]["holds"]


def through(gate: Gate) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return what lets the first two parts through, and the others when the gate is open."""

    def batches(some: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from pyspark import TaskContext

        if TaskContext.get().partitionId() >= 2:
            gate.wait()
        yield from some

    return batches


def test_a_worker_killed_while_a_release_is_written_leaves_it_whole(
    cluster: Cluster, spark: Any, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "gate"
    folder.mkdir()
    gate, save, killed, whole = Gate(str(folder)), SparkEngine.save, [], []

    def kill() -> None:
        try:
            busy = until(lambda: sorted(found) if len(found := set(gate.started)) == 2 else None, "both workers")
            whole.extend(x for x in data.parent.glob(".allonym-*.part/**/task_*/**/*.parquet") if x.stat().st_size)
            assert not list(data.parent.glob("release"))  # it has no name yet
            killed.append(cluster.worker_of(busy[0]))
            cluster.kill_worker(killed[0])
        finally:
            gate.open()

    def gated(self: SparkEngine, path: Path, partition_by: Any) -> None:
        plain = self.native.toDF(*(f"c{i}" for i in range(len(self.names)))).repartition(4)
        waiting = plain.mapInArrow(through(gate), plain.schema).toDF(*self.names)
        killer = threading.Thread(target=kill)
        killer.start()
        save(SparkEngine(waiting), path, partition_by)
        killer.join()

    monkeypatch.setattr(SparkEngine, "save", gated)
    output = data.parent / "release"
    done = PLAN.run(data, output, engine="spark", blocks_from=10)
    assert killed
    assert whole  # parts of it were written, others not
    assert cluster.alive() == 1
    assert done.summary["privacy"][0]["holds"]
    monkeypatch.undo()
    eager = PLAN.run(table_of(), blocks_from=10).frame
    assert rows_of(read(spark, output, eager)) == rows_of(eager)
    assert left_in(data.parent) == ["data", "gate", "release"]
    assert not list(output.rglob("_temporary*"))


def test_what_fails_leaves_nothing_behind(spark: Any, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save, known = SparkEngine.save, GroupedTable.replacements

    def fails(self: SparkEngine, path: Path, partition_by: Any) -> None:
        def batches(some: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            raise ValueError("secret cell")
            yield

        plain = self.native.toDF(*(f"c{i}" for i in range(len(self.names))))
        save(SparkEngine(plain.mapInArrow(batches, plain.schema)), path, partition_by)

    def less(self: GroupedTable, columns: Any) -> Any:
        found = known(self, columns)
        return replace(found, keys=found.keys.slice(1), masked=found.masked.slice(1))

    with monkeypatch.context() as broken:
        broken.setattr(SparkEngine, "save", fails)
        with pytest.raises(TableError) as error:
            PLAN.run(data, data.parent / "release", engine="spark")
        assert "secret" not in str(error.value)
    with monkeypatch.context() as broken:
        broken.setattr(GroupedTable, "replacements", less)
        with pytest.raises(ReleaseError):
            PLAN.run(data, data.parent / "release", engine="spark")
    assert left_in(data.parent) == ["data"]


def test_just_the_files_that_are_named_are_read_and_folders_say_what_they_say(spark: Any, tmp_path: Path) -> None:
    table = table_of().drop_columns(["name"])
    plan = replace(PLAN, columns={x: y for x, y in COLUMNS.items() if x != "name"})
    folder = tmp_path / "run=5" / "of [2024]"
    (folder / "more").mkdir(parents=True)
    (folder / "_old").mkdir()
    pq.write_table(table, folder / "data[1].parquet")
    pq.write_table(table.slice(0, 50), folder / "more" / "data1.parquet")
    pq.write_table(table, folder / "_old" / "data.parquet")
    done = plan.run(folder, tmp_path / "whole", engine="spark")
    assert done.summary["records"] == 290
    assert "run" not in pq.read_table(tmp_path / "whole").column_names
    assert plan.run(folder / "data[1].parquet", folder / "one", engine="spark").summary["records"] == 240
    for code in ("01234", "7"):
        (tmp_path / "parted" / f"zip={code}").mkdir(parents=True)
        pq.write_table(table, tmp_path / "parted" / f"zip={code}" / "data.parquet")
    plan.run(tmp_path / "parted", tmp_path / "codes", engine="spark")
    assert set(pq.read_table(tmp_path / "codes").column("zip").to_pylist()) == {"01234", "7"}


def test_an_empty_text_cannot_name_a_folder_of_spark(spark: Any, tmp_path: Path) -> None:
    table = table_of().set_column(6, "note", pa.array(["", "b"] * 120))
    columns = {"name": al.keep(), "job": al.quasi(JOBS, accept_review=True, unmatched="suppress")}
    plan = al.Plan(columns, keep_rest=True, method="noise", seed=5, parameters={"key": "name"})
    pq.write_table(table, tmp_path / "data.parquet")
    with pytest.raises(ReleaseError, match="folders cannot be named"):
        plan.run(tmp_path / "data.parquet", tmp_path / "release", engine="spark", partition_by=["note"])
    assert left_in(tmp_path) == ["data.parquet"]
