"""What engines read: files that agree, pipes left alone, names and blanks as in memory; and how they end."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import allonym as al
from allonym.cli import main
from allonym.errors import PlanError, TableError
from allonym.release import write as release
from allonym.release.recount import Promise
from allonym.tables.engines import polars as polars_engine
from allonym.tables.frame import Frame
from allonym.tables.memory import MemoryDraft

OPEN: dict[str, Callable[[pa.Table], Any]] = {
    "polars": lambda table: pl.from_arrow(table).lazy(),
    "duckdb": lambda table: duckdb.connect().from_arrow(table),
}
engines = pytest.mark.parametrize("engine", OPEN)
PLAN = al.Plan({"job": al.quasi("category")}, keep_rest=True, k=3)
JOBS = pa.array(["cook", "nurse"] * 10)
DIFFERENT = {
    "whole numbers and others": (pa.array([1] * 20, pa.int32()), pa.array([1.5] * 20)),
    "numbers and text": (pa.array([1] * 20), pa.array(["007"] * 20)),
    "truth and numbers": (pa.array([True] * 20), pa.array([7] * 20)),
    "with a zone and without": (pa.array([0] * 20, pa.timestamp("us")), pa.array([0] * 20, pa.timestamp("us", "UTC"))),
    "finer times": (pa.array([0] * 20, pa.timestamp("us")), pa.array([1] * 20, pa.timestamp("ns"))),
    "a column more": (None, pa.array([1] * 20)),
    "a column less": (pa.array([1] * 20), None),
}


def folder_of(path: Path, *tables: pa.Table) -> Path:
    path.mkdir()
    for number, table in enumerate(tables):
        pq.write_table(table, path / f"{number}.parquet")
    return path


@engines
@pytest.mark.parametrize("kind", DIFFERENT)
def test_files_whose_columns_differ_are_refused(engine: str, kind: str, tmp_path: Path) -> None:
    tables = [pa.table({"job": JOBS} | ({} if x is None else {"x": x})) for x in DIFFERENT[kind]]
    with pytest.raises(TableError, match=r"different columns or types: x\."):
        PLAN.run(folder_of(tmp_path / "data", *tables), tmp_path / "out.parquet", engine=engine)
    assert [x.name for x in tmp_path.iterdir()] == ["data"]


@engines
def test_files_may_lay_out_texts_and_columns_in_several_ways(engine: str, tmp_path: Path) -> None:
    note = pa.array([f"note {i % 3}" for i in range(20)])
    tables = [pa.table({"job": JOBS, "note": note}), pa.table({"job": JOBS.cast(pa.large_string()), "note": note})]
    PLAN.run(folder_of(tmp_path / "data", *tables), tmp_path / "out.parquet", engine=engine)
    assert sorted(pq.read_table(tmp_path / "out.parquet")["note"].to_pylist()) == sorted(note.to_pylist() * 2)


@engines
@pytest.mark.parametrize("name", ["Job", "job"])
def test_a_column_is_in_the_files_or_in_the_names_of_folders(engine: str, name: str, tmp_path: Path) -> None:
    for value in ("A", "b"):
        (tmp_path / "data" / f"{name}={value}").mkdir(parents=True)
        pq.write_table(pa.table({"job": JOBS}), tmp_path / "data" / f"{name}={value}" / "a.parquet")
    with pytest.raises(TableError, match="in the names of folders: job"):
        PLAN.run(tmp_path / "data", tmp_path / "out.parquet", engine=engine)


@engines
@pytest.mark.parametrize("method", ["sa-mdav", "randomise-uniform"])
def test_identifiers_and_persons_are_judged_as_in_memory(engine: str, method: str) -> None:
    nan, job = float("nan"), ["cook"] * 4
    options = {"method": method, "k": 2 if method == "sa-mdav" else None}
    for ids, again in (([nan, nan, 1.0, 2.0], False), ([1.0, 1.0, nan, 2.0], True), (["a", "a\u00a0", "b", "c"], True)):
        table = pa.table({"id": ids, "job": job})
        for source in (table, OPEN[engine](table)):
            told = al.Plan({"id": al.identifier(), "job": al.quasi("wordnet:person")}, **options).check(source).problems
            assert any(x.code == "repeated-identifier" for x in told) is again, told
    table = pa.table({"id": ["a", "a", None, "\u00a0"], "name": ["x", "x", "y", "z"], "job": job})
    columns = {"id": al.unit(), "name": al.identifier(), "job": al.quasi("wordnet:person")}
    for source in (table, OPEN[engine](table)):
        told = al.Plan(columns, **options).check(source).problems
        assert any("2 rows have an empty value in the unit column" in str(x) for x in told), told
        assert not any(x.code == "repeated-identifier" for x in told), told


def test_many_identifiers_are_counted_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(polars_engine, "MAX_GROUPED_VALUES", 7)
    ids = [f"p{i}" for i in range(60)] + ["p3", "p3", "p59", None, "", "NA"]
    table = polars_engine.PolarsEngine(pl.LazyFrame({"id": ids}))
    assert table.repeated_values("id", ["NA"]) == 2


@engines
def test_names_that_allonym_uses_are_refused_however_they_are_written(engine: str) -> None:
    with pytest.raises(TableError, match="cannot be used"):
        PLAN.run(OPEN[engine](pa.table({"job": JOBS, "Allonym Times": JOBS})))


@pytest.mark.parametrize("engine", [None, *OPEN])
def test_dates_that_python_does_not_have_are_told_as_such(engine: str | None) -> None:
    days = pa.array([10_000_000] * 20, pa.int32()).cast(pa.date32())
    table = pa.table({"job": days, "since": [date(2020, 1, 1)] * 20})
    with pytest.raises((PlanError, TableError), match="column job"):
        PLAN.run(table if engine is None else OPEN[engine](table))


def test_folders_are_named_by_columns_that_every_reader_finds_again(tmp_path: Path) -> None:
    table = pa.table({"job": JOBS, "a b": ["x", "x", "y", "y"] * 5, "a=b": ["x"] * 20})
    source = folder_of(tmp_path / "data", table)
    PLAN.run(source, tmp_path / "polars", engine="polars", partition_by=["a b"])
    for engine, column in (("duckdb", "a b"), ("duckdb", "a=b"), ("polars", "a=b")):
        with pytest.raises(PlanError, match=f"{engine} cannot name folders by {column}"):
            PLAN.run(source, tmp_path / "out", engine=engine, partition_by=[column])


@engines
def test_what_is_hashed_is_what_was_read_though_the_release_fits_the_pattern(engine: str, tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "data", pa.table({"job": JOBS}), pa.table({"job": JOBS}))
    first = PLAN.run(str(folder / "*.parquet"), tmp_path / "out.parquet", engine=engine)
    second = PLAN.run(str(folder / "*.parquet"), folder / "out.parquet", engine=engine)
    assert first.summary["sha256"]["input"] == second.summary["sha256"]["input"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
def test_a_pipe_is_read_from_its_beginning(tmp_path: Path) -> None:
    text = "job,n\n" + "".join(f"{job},{i}\n" for i in range(4000) for job in ("cook", "nurse"))
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=lambda: (tmp_path / "pipe").write_text(text))
    writer.start()
    replace(PLAN, row_order="keep").run(tmp_path / "pipe", tmp_path / "out.csv")
    writer.join()
    assert (tmp_path / "out.csv").read_text() == text


def test_what_was_not_finished_is_removed_though_that_is_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remove, calls = release._remove, []

    def interrupted(folder: Path) -> None:
        calls.append(folder)
        if len(calls) == 1:
            raise KeyboardInterrupt
        remove(folder)

    class Interrupted(MemoryDraft):
        def save(self, path: Path) -> None:
            path.write_text("half")
            raise KeyboardInterrupt

    draft = Interrupted(Frame(pa.table({"job": ["cook"]})), {}, [], None, discard_style=False, zipped=False)
    monkeypatch.setattr(release, "_remove", interrupted)
    with pytest.raises(KeyboardInterrupt):
        release.write(tmp_path / "out.parquet", draft, Promise(["job"], 1, 1, ["job"]))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("error", [RuntimeError("of an engine"), TableError("of an engine")])
def test_what_an_engine_makes_of_a_signal_ends_as_a_signal(
    error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = sys.modules["allonym.cli.app"]

    def stopped(shared: object) -> None:
        try:
            command._stop(15, None)
        except BaseException:
            raise error from None

    monkeypatch.setattr(command, "_stopped", [])
    monkeypatch.setattr(command, "_run", stopped)
    monkeypatch.setattr("signal.signal", lambda *given: None)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 128 + 15
    assert capsys.readouterr().err == "Stopped.\n"


def test_what_duckdb_has_no_room_for_lies_where_nobody_else_looks(tmp_path: Path) -> None:
    source = folder_of(tmp_path / "data", pa.table({"job": JOBS, "n": list(range(20))}))
    code = (
        "import os; from allonym.tables.engines.duckdb import DuckDBEngine; from pathlib import Path\n"
        f"table = DuckDBEngine._scanned([Path({str(source / '0.parquet')!r})], {{}})\n"
        """folder = table._query("SELECT current_setting('temp_directory') AS x").native.fetchall()[0][0]\n"""
        "print(folder, oct(os.stat(folder).st_mode)[-3:])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    folder, mode = done.stdout.split()
    assert mode == "700"
    assert Path(folder).parent == Path(tempfile.gettempdir())
    assert not Path(folder).exists()
