"""Engines give the release that is made in memory, as a set of rows; what they write is recounted by them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shared import same_key

import allonym as al
from allonym.errors import OptionError, OutputError, PlanError, ReleaseError, TableError
from allonym.methods import METHODS
from allonym.methods.base import KAnonymityMethod
from allonym.methods.record_level import RecordLevelMethod
from allonym.tables.engines import polars as polars_engine
from allonym.tables.engines.base import COUNT, Engine, Replacements
from allonym.tables.engines.counted_rows import hashable, same_rows
from allonym.tables.engines.grouped import GroupedTable

JOBS = al.read_taxonomy(Path(__file__).parents[1] / "data" / "mini-jobs.csv")
HIERARCHY = Path(__file__).parents[1] / "data" / "mini-hierarchy.csv"
WORDS = ["cook", "Cook", " cooks", "baker", "smith", "welder", "nurse", "zzz", "", None]
few = settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def _polars(table: pa.Table) -> Any:
    return pl.from_arrow(table).lazy()


def _duckdb(table: pa.Table) -> Any:
    return duckdb.connect().from_arrow(table)


OPEN: dict[str, Callable[[pa.Table], Any]] = {"polars": _polars, "duckdb": _duckdb}
engines = pytest.mark.parametrize("engine", OPEN)


def arrow(native: Any) -> pa.Table:
    """Return what an engine holds."""
    if isinstance(native, pl.LazyFrame):
        return native.collect(engine="streaming").to_arrow()
    return native.to_arrow_table()


def rows_of(table: pa.Table) -> Counter[tuple[Any, ...]]:
    """Return the rows of a table, in no order."""
    told = ([hashable(x) for x in column.to_pylist()] for column in table.columns)
    return Counter(zip(*told, strict=True))


def table_of(n: int = 300, seed: int = 0) -> pa.Table:
    """Return a table with nulls, duplicates and several types."""
    rng = np.random.default_rng(seed)
    dates = np.array(["2020-01-01", "2021-02-03"], "datetime64[D]")[rng.integers(0, 2, n)]
    return pa.table(
        {
            "name": [f"person-{i:05}" for i in range(n)],
            "job": pa.array([WORDS[i] for i in rng.integers(0, len(WORDS), n)]),
            "age": pa.array([None if x == 4 else int(20 + x) for x in rng.integers(0, 9, n)], pa.int16()),
            "height": pa.array([None if x == 3 else float(x) / 2 for x in rng.integers(0, 5, n)]),
            "member": pa.array([None if x == 2 else bool(x) for x in rng.integers(0, 3, n)]),
            'odd "name".x': pa.array([["f", "m", None][i] for i in rng.integers(0, 3, n)]),
            "ill": pa.array([["flu", "gout", "cold", None][i] for i in rng.integers(0, 4, n)]),
            "since": pa.array(dates),
            "note": [f"note {i % 17}" for i in range(n)],
            "person": [f"p{i}" for i in rng.integers(0, n // 2, n)],
            "weight": pa.array([1.0 + i % 3 for i in range(n)]),
        }
    )


COLUMNS = {
    "name": al.identifier(),
    "job": al.quasi(JOBS, unmatched="opaque", accept_review=True),
    "age": al.quasi("numeric"),
    "member": al.quasi("category"),
    'odd "name".x': al.quasi("category"),
    "ill": al.sensitive(),
    "person": al.keep(),
}
PLAN = al.Plan(COLUMNS, keep_rest=True, k=4, seed=1)
ORDERED = replace(PLAN, row_order="keep")
BY_TUPLE = [x for x, method in METHODS.items() if not issubclass(method, RecordLevelMethod) and x != "generalise"]


@engines
@pytest.mark.parametrize("method", BY_TUPLE)
def test_the_release_is_that_made_in_memory(engine: str, method: str) -> None:
    columns = COLUMNS if method != "recoding-ordered" else {x: y for x, y in COLUMNS.items() if x != "age"}
    options = {"per_attribute": True} if method.startswith("recoding") else {}
    if method.startswith("recoding"):
        columns = {x: y for x, y in columns.items() if x not in ("age",)}
    k = PLAN.k if issubclass(METHODS[method], KAnonymityMethod) else None
    plan = replace(PLAN, columns=columns, method=method, parameters=options, k=k)
    table = table_of()
    eager, lazy = plan.run(table), plan.run(OPEN[engine](table))
    assert type(lazy.frame) is type(OPEN[engine](table))
    found = arrow(lazy.frame)
    assert found.column_names == eager.frame.column_names
    masked = [x for x in found.column_names if x in columns and columns[x].role == "quasi"]
    kept = (
        masked if METHODS[method].info.splits_tuples else found.column_names
    )  # which of the rows that are alike part is not said
    assert rows_of(found.select(kept)) == rows_of(eager.frame.select(kept))
    same = ("records", "tuples", "suppressed", "suppressed_cells", "privacy", "measures", "parameters", "seed")
    assert {x: lazy.summary[x] for x in same} == {x: eager.summary[x] for x in same}


@engines
def test_suppressed_rows_of_generalise(engine: str) -> None:
    columns = {"job": al.quasi(str(HIERARCHY))}
    words = ["parrot"] * 6 + ["cat"] * 6 + ["mouse"] + [None] * 3
    table = pa.table({"job": words, "n": list(range(len(words)))})
    plan = al.Plan(columns, keep_rest=True, method="generalise", k=4, parameters={"suppression": 0.3})
    eager, lazy = plan.run(table), plan.run(OPEN[engine](table))
    assert eager.summary["suppressed"] > 0
    assert rows_of(arrow(lazy.frame)) == rows_of(eager.frame)
    assert lazy.summary["suppressed"] == eager.summary["suppressed"]


@engines
@pytest.mark.parametrize("method", ["sa-mdav", "fusion", "mdav"])
@pytest.mark.parametrize("role", ["unit", "weight"])
def test_persons_and_survey_weights(engine: str, method: str, role: str) -> None:
    column = {"unit": ("person", al.unit()), "weight": ("weight", al.weight())}[role]
    plan = replace(PLAN, columns=dict([*COLUMNS.items(), column]), method=method)
    table = table_of()
    eager, lazy = plan.run(table), plan.run(OPEN[engine](table))
    found = arrow(lazy.frame)
    assert found.column_names == eager.frame.column_names
    if method != "mdav":
        assert rows_of(found) == rows_of(eager.frame)
        for name, told in eager.summary["measures"].items():
            assert lazy.summary["measures"][name]["value"] == pytest.approx(told["value"])
    assert lazy.summary["privacy"] == eager.summary["privacy"] or method == "mdav"
    assert lazy.summary["privacy"][0]["reached"] >= 4


@engines
@pytest.mark.parametrize("with_persons", [False, True])
def test_what_is_promised_beside_k(engine: str, with_persons: bool) -> None:
    promises = [al.Privacy("l-diversity", "ill", l=3), al.Privacy("t-closeness", "ill", t=0.4)]
    person = {"person": al.unit()} if with_persons else {}
    plan = replace(PLAN, columns=COLUMNS | person, privacy=promises)
    table = table_of()
    eager, lazy = plan.run(table), plan.run(OPEN[engine](table))
    assert rows_of(arrow(lazy.frame)) == rows_of(eager.frame)
    assert [x["model"] for x in lazy.summary["privacy"]] == [x["model"] for x in eager.summary["privacy"]]
    for one, other in zip(lazy.summary["privacy"], eager.summary["privacy"], strict=True):
        assert one["reached"] == pytest.approx(other["reached"])


@engines
@pytest.mark.parametrize("refine", [True, False])
@given(data=st.data())
@few
def test_small_random_tables(engine: str, refine: bool, data: st.DataObject) -> None:
    n = data.draw(st.integers(4, 30))
    drawn = {
        "job": data.draw(st.lists(st.sampled_from(WORDS), min_size=n, max_size=n)),
        "sex": data.draw(st.lists(st.sampled_from(["f", "m", None]), min_size=n, max_size=n)),
        "age": data.draw(st.lists(st.sampled_from([1.5, 2.0, float("nan"), None]), min_size=n, max_size=n)),
        "ill": data.draw(st.lists(st.sampled_from(["flu", "gout"]), min_size=n, max_size=n)),
    }
    table = pa.table({**drawn, "row": list(range(n))}, schema=_schema())
    columns = {"job": COLUMNS["job"], "sex": al.quasi("category"), "age": al.quasi("numeric"), "ill": al.sensitive()}
    plan = al.Plan(columns | {"row": al.keep(confirmed=True)}, k=3, seed=1, parameters={"refine": refine})
    eager, lazy = plan.run(table), plan.run(OPEN[engine](table))
    assert rows_of(arrow(lazy.frame)) == rows_of(eager.frame)


def _schema() -> pa.Schema:
    text, number = pa.string(), pa.float64()
    return pa.schema([("job", text), ("sex", text), ("age", number), ("ill", text), ("row", pa.int64())])


# --- row by row ------------------------------------------------------------------------------------------------------

NOISE = al.Plan(
    {"job": al.quasi(JOBS, accept_review=True, unmatched="suppress"), "age": al.quasi("numeric"), "name": al.keep()},
    keep_rest=True,
    method="noise",
    seed=5,
)


@engines
@pytest.mark.parametrize("method", ["noise", "randomise-uniform", "randomise-frequency", "pram"])
@pytest.mark.parametrize("key", ["", "name"])
def test_rows_are_masked_in_batches_with_the_draws_they_have_in_memory(
    engine: str, method: str, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("allonym.tables.engines.duckdb.BATCH_ROWS", 64)
    plan = replace(NOISE, method=method, parameters={"key": key})
    table = table_of()
    with same_key():
        eager, lazy = plan.run(table), plan.run(OPEN[engine](table))
    found = arrow(lazy.frame)
    assert found.schema.names == eager.frame.schema.names
    assert rows_of(found) == rows_of(eager.frame)
    assert rows_of(arrow(lazy.frame)) == rows_of(found)  # it can be read again
    if key:  # and then the order of rows does not matter
        mixed = table.take(pa.array(np.random.default_rng(1).permutation(len(table))))
        with same_key():
            assert rows_of(arrow(plan.run(OPEN[engine](mixed)).frame)) == rows_of(found)
    assert lazy.summary["records"] == 300
    assert lazy.summary["measures"] == {}


@engines
def test_a_frame_masked_by_the_exponential_mechanism_is_one_release_and_no_other(engine: str) -> None:
    columns = {"name": al.keep(), "job": al.quasi(JOBS, accept_review=True, unmatched="suppress")}
    plan = al.Plan(columns, keep_rest=True, method="exponential", parameters={"epsilon": 2.0})
    table = table_of()
    one, other = plan.run(OPEN[engine](table)), plan.run(OPEN[engine](table))
    first = rows_of(arrow(one.frame))
    assert first == rows_of(arrow(one.frame)) != rows_of(arrow(other.frame))
    assert one.summary["seed"] is None
    assert [x["holds"] for x in one.summary["privacy"]] == [True]


# --- files -----------------------------------------------------------------------------------------------------------

named = pytest.mark.parametrize("engine", ["polars", "duckdb"])


def saved(folder: Path, table: pa.Table, parts: int = 1) -> Path:
    """Write a table as Parquet, in so many files."""
    folder.mkdir(exist_ok=True)
    for i in range(parts):
        low, high = len(table) * i // parts, len(table) * (i + 1) // parts
        pq.write_table(table.slice(low, high - low), folder / f"part-{i}.parquet")
    return folder


@named
def test_a_file_a_folder_and_a_pattern_give_one_release(engine: str, tmp_path: Path) -> None:
    table = table_of()
    one, several = saved(tmp_path / "one", table), saved(tmp_path / "several", table, 3)
    expected = rows_of(PLAN.run(table).frame)
    sources = {"file": one / "part-0.parquet", "folder": several, "pattern": f"{several}/part-*.parquet"}
    hashes = set()
    for name, source in sources.items():
        done = PLAN.run(source, tmp_path / f"{name}.parquet", engine=engine)
        assert done.frame is None
        assert rows_of(pq.read_table(tmp_path / f"{name}.parquet")) == expected
        hashes.add(done.summary["sha256"]["input"])
        assert len(done.summary["sha256"]["output"]) == 64
    assert len(hashes) == 2  # a folder and a pattern of its files are the same
    assert sorted(x.name for x in tmp_path.iterdir()) == [
        "file.parquet", "folder.parquet", "one", "pattern.parquet", "several",
    ]  # fmt: skip


def test_polars_keeps_the_order_of_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = table_of(3000)
    source = saved(tmp_path / "data", table)
    text = replace(ORDERED, columns={x: y for x, y in COLUMNS.items() if x not in ("age", "member")})
    for plan in (ORDERED, text):  # by a join; and looked up, since all keys are text
        plan.run(source, tmp_path / "release.parquet", engine="polars")
        assert pq.read_table(tmp_path / "release.parquet").to_pydict() == plan.run(table).frame.to_pydict()
    monkeypatch.setattr(polars_engine, "MAX_LOOKUP_TABLE", 0)
    text.run(source, tmp_path / "joined.parquet", engine="polars")
    both = [pq.read_table(tmp_path / f"{x}.parquet").to_pydict() for x in ("joined", "release")]
    assert both[0] == both[1]


@pytest.mark.parametrize("dense", [polars_engine.MAX_LOOKUP_TABLE, 0])
def test_polars_gives_a_text_that_nobody_knows_nothing_of_others(dense: int, monkeypatch: pytest.MonkeyPatch) -> None:
    known = Replacements(pa.table({"job": ["cook", "baker", "smith"]}), pa.table({"job": ["A", "B", "C"]}))
    strangers = [f"stranger {i}" for i in range(200)]  # by chance some have the place of one that is known
    rows = pl.LazyFrame({"job": ["smith", *strangers, "cook", "baker"]})
    monkeypatch.setattr(polars_engine, "MAX_LOOKUP_TABLE", dense)  # looked up; and by a join
    found = polars_engine.PolarsEngine(rows).replaced(known).native.collect(engine="streaming")
    assert found["job"].to_list() == ["C", *[None] * 200, "A", "B"]


@pytest.mark.parametrize("n", [0, 1, 2, 60, 700, 5000])
def test_texts_are_numbered_by_their_hashes(n: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = pl.Series([f"text {i}" for i in range(n)], dtype=pl.String)
    rows = pl.DataFrame({"text": pl.concat([known, known.reverse(), pl.Series([None, None], dtype=pl.String)])})
    rows.write_parquet(tmp_path / "rows.parquet")
    numbers = [*range(n), *reversed(range(n)), n, n]
    for size in (polars_engine.MAX_HASH_TABLE, 1):  # where no table is small enough, otherwise
        monkeypatch.setattr(polars_engine, "MAX_HASH_TABLE", size)
        asked = polars_engine._number_by_hash(pl.col("text"), known)
        assert ("hash" in str(asked)) == (n < 5000 if size > 1 else n == 0)
        found = pl.scan_parquet(tmp_path / "rows.parquet").select(asked.alias("number")).collect(engine="streaming")
        assert found["number"].to_list() == numbers


@named
@pytest.mark.parametrize("column", ["ill", "job", "member", "since"])
def test_what_is_written_is_parted_by_columns(engine: str, column: str, tmp_path: Path) -> None:
    table = table_of()
    source = saved(tmp_path / "data", table)
    PLAN.run(source, tmp_path / "release", engine=engine, partition_by=[column])
    folders = [x.name for x in (tmp_path / "release").iterdir()]
    assert folders
    assert all(x.startswith(f"{column}=") for x in folders)
    found = pl.scan_parquet(tmp_path / "release", hive_schema={column: pl.from_arrow(table).schema[column]})
    eager = PLAN.run(table).frame
    assert rows_of(found.select(eager.column_names).collect().to_arrow()) == rows_of(eager)


@named
def test_rows_one_by_one_from_file_to_file(engine: str, tmp_path: Path) -> None:
    table = table_of()
    source = saved(tmp_path / "data", table, 2)
    with same_key():
        NOISE.run(source, tmp_path / "release.parquet", engine=engine)
        expected = rows_of(NOISE.run(table).frame)
    assert rows_of(pq.read_table(tmp_path / "release.parquet")) == expected


# --- what may go wrong -----------------------------------------------------------------------------------------------


@named
def test_a_release_that_lost_or_changed_a_row_is_refused(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = saved(tmp_path / "data", table_of())
    original = GroupedTable.replacements

    def wrong(self: GroupedTable, columns: Any) -> Any:
        known = original(self, columns)
        job = known.masked.column("job").to_pylist()
        job[0] = "smith" if job[0] != "smith" else "nurse"
        return replace(known, masked=known.masked.set_column(0, "job", pa.array(job)))

    def less(self: GroupedTable, columns: Any) -> Any:
        known = original(self, columns)
        return replace(known, keys=known.keys.slice(1), masked=known.masked.slice(1))

    for mistake in (wrong, less):
        monkeypatch.setattr(GroupedTable, "replacements", mistake)
        with pytest.raises(ReleaseError):
            PLAN.run(source, tmp_path / "release.parquet", engine=engine)
        with pytest.raises(ReleaseError):
            PLAN.run(OPEN[engine](table_of()))
        assert [x.name for x in tmp_path.iterdir()] == ["data"]


@named
def test_what_is_on_the_disk_is_what_is_recounted(engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = saved(tmp_path / "data", table_of())
    kind = type(engine_of_file(source, engine))
    save = kind.save

    def damaged(self: Engine, path: Path, partition_by: Any) -> None:
        save(self, path, partition_by)
        table = pq.read_table(path)
        jobs = table.column("job").to_pylist()
        place = next(i for i, x in enumerate(jobs) if x != jobs[0])
        jobs[place] = jobs[0]
        pq.write_table(table.set_column(table.column_names.index("job"), "job", pa.array(jobs)), path)

    monkeypatch.setattr(kind, "save", damaged)
    with pytest.raises(ReleaseError):
        PLAN.run(source, tmp_path / "release.parquet", engine=engine)
    assert [x.name for x in tmp_path.iterdir()] == ["data"]


def engine_of_file(source: Path, name: str) -> Engine:
    """Open files by an engine."""
    from allonym.tables.engines import open_files

    return open_files(source, name)


def test_mistakes_in_what_is_asked_for(tmp_path: Path) -> None:
    table = table_of()
    source = saved(tmp_path / "data", table)
    one = source / "part-0.parquet"
    (tmp_path / "text.csv").write_text("job\ncook\n")
    (tmp_path / "empty").mkdir()
    lazy = OPEN["polars"](table)
    asked: list[tuple[type[Exception], str, Any, Any, dict[str, Any]]] = [
        (OptionError, "did you mean 'polars'", one, "out.parquet", {"engine": "polar"}),
        (OptionError, "master", one, "out.parquet", {"engine": "polars", "master": "spark://x:1"}),
        (OptionError, "partition_by", "-", "out.parquet", {"partition_by": ["ill"]}),
        (OptionError, "its own engine", lazy, None, {"engine": "duckdb"}),
        (OptionError, "write release.frame yourself", lazy, None, {"partition_by": ["ill"]}),
        (TableError, "not a Parquet file", tmp_path / "text.csv", "out.parquet", {"engine": "polars"}),
        (TableError, "no Parquet files", tmp_path / "empty", "out.parquet", {}),
        (OutputError, "standard output", one, "-", {"engine": "duckdb"}),
        (OutputError, ".parquet", one, "out.csv", {"engine": "duckdb"}),
        (OutputError, "data itself", one, one, {"engine": "duckdb"}),
        (OutputError, "data itself", source, source / "new.parquet", {"engine": "duckdb"}),
        (OutputError, "exists already", one, "data", {"engine": "duckdb", "partition_by": ["ill"]}),
        (PlanError, "will not be in the release", one, "out", {"engine": "polars", "partition_by": ["name"]}),
        (OutputError, "returned, not written", lazy, "out.parquet", {}),
    ]
    for kind, told, what, output, options in asked:
        target = None if output is None else output if output == "-" else tmp_path / output
        with pytest.raises(kind, match=told):
            PLAN.run(what, target, **options)
    assert sorted(x.name for x in tmp_path.iterdir()) == ["data", "empty", "text.csv"]


@engines
def test_problems_of_a_table_are_told_at_once(engine: str) -> None:
    table = pa.table({"id": ["a", "a", "b"], "job": ["cook", "xyzzy", "nurse"], "extra": [1, 2, 3]})
    plan = al.Plan({"id": al.identifier(), "job": al.quasi(JOBS)}, k=5)
    with pytest.raises(PlanError) as error:
        plan.run(OPEN[engine](table))
    told = str(error.value)
    assert {x.code for x in error.value.problems} == {
        "column-without-role", "repeated-identifier", "unmatched", "k-too-large"
    }  # fmt: skip
    assert "xyzzy" not in told
    assert "xyzzy" in error.value.values
    assert list(map(str, plan.check(OPEN[engine](table)).problems)) == list(map(str, error.value.problems))


@engines
def test_lists_and_long_tables_are_masked_in_memory(engine: str) -> None:
    table = pa.table({"job": [["cook"], ["smith", "nurse"]] * 4, "who": [f"p{i}" for i in range(8)]})
    plan = al.Plan({"job": al.quasi(JOBS, kind="set")}, keep_rest=True, k=2)
    with pytest.raises(PlanError, match="masked in memory"):
        plan.run(OPEN[engine](table))
    long = al.Plan({"job": al.quasi(JOBS, kind="set"), "who": al.unit()}, long=True, k=2)
    with pytest.raises(PlanError, match="masked in memory"):
        long.run(OPEN[engine](table))


@named
def test_a_damaged_file_is_an_error_without_its_cells(engine: str, tmp_path: Path) -> None:
    source = saved(tmp_path / "data", table_of(), 2)
    whole = (source / "part-1.parquet").read_bytes()
    (source / "part-1.parquet").write_bytes(whole[:200] + b"smith" * 40 + whole[400:])
    with pytest.raises(TableError) as error:
        PLAN.run(source, tmp_path / "release.parquet", engine=engine)
    assert "smith" not in str(error.value)
    assert [x.name for x in tmp_path.iterdir()] == ["data"]


def test_a_large_file_has_an_engine_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = saved(tmp_path / "data", table_of()) / "part-0.parquet"
    opened = []
    original = polars_engine.PolarsEngine.read.__func__
    monkeypatch.setattr(polars_engine.PolarsEngine, "read", classmethod(lambda *a: opened.append(a) or original(*a)))
    PLAN.run(source, tmp_path / "one.parquet")
    assert not opened
    monkeypatch.setattr("allonym.tables.engines.MAX_CELLS_IN_MEMORY", 100)
    PLAN.run(source, tmp_path / "other.parquet")
    assert opened
    assert rows_of(pq.read_table(tmp_path / "one.parquet")) == rows_of(pq.read_table(tmp_path / "other.parquet"))


@named
def test_reports_codebooks_and_replacements_are_those_of_the_table_in_memory(engine: str) -> None:
    table = table_of()
    plan = replace(PLAN, privacy=[al.Privacy("l-diversity", "ill", l=2)])
    eager, lazy = plan.run(table), plan.run(OPEN[engine](table))
    assert lazy.replacements("job") == eager.replacements("job")
    one, other = lazy.report, eager.report
    assert one.questions == other.questions
    assert one.variables == other.variables
    assert one.sizes == other.sizes
    assert engine in one.verified
    ours, theirs = lazy.codebook(), eager.codebook()
    assert ours == theirs
    unseen = PLAN.run(OPEN[engine](table)).report
    assert "stayed in the engine" in unseen.questions[2].answer


@named
def test_a_table_is_inspected_where_it_is(engine: str, tmp_path: Path) -> None:
    from allonym.pipeline.inspect import inspect

    table = table_of()
    found, expected = inspect(OPEN[engine](table)), inspect(table)
    assert found.to_dict() == expected.to_dict()
    source = saved(tmp_path / "data", table, 2)
    assert inspect(source).to_dict() == expected.to_dict()


@named
def test_methods_are_compared_on_a_table_in_an_engine_but_rows_are_not(engine: str, tmp_path: Path) -> None:
    table = table_of()
    options: dict[str, Any] = {"methods": ["sa-mdav", "mdav", "noise"], "grid": {"k": [3]}}
    plan = replace(NOISE, method="sa-mdav", seed=None)
    for source in (OPEN[engine](table), saved(tmp_path / "data", table, 2)):
        found, expected = al.compare(source, plan, **options), al.compare(table, plan, **options)
        assert [x["method"] for x in found.runs] == [x["method"] for x in expected.runs]
        for one, other in zip(found.runs, expected.runs, strict=True):
            if one["method"] == "sa-mdav":  # the others depend on the order of rows
                assert one["measures"]["information_loss"] == other["measures"]["information_loss"]
            assert one["tuples"]["before"] == other["tuples"]["before"]
    with pytest.raises(TableError, match="collect it"):
        plan.evaluate(OPEN[engine](table), table)


def test_categories_of_polars_stay_what_they_are() -> None:
    frame = pl.DataFrame(pl.from_arrow(table_of())).with_columns(
        pl.col("ill").cast(pl.Categorical), pl.col('odd "name".x').cast(pl.Enum(["f", "m", "x"]))
    )
    for unit in ({}, {"person": al.unit()}):
        columns = {
            "name": al.keep(),
            "job": COLUMNS["job"],
            "ill": al.quasi("category"),
            'odd "name".x': al.quasi("category"),
            **unit,
        }
        plan = al.Plan(columns, keep_rest=True, k=4, seed=1)
        eager, lazy = plan.run(frame).frame, plan.run(frame.lazy()).frame.collect()
        assert lazy.schema == eager.schema
        assert lazy.rows() == eager.rows()


def test_blocks_are_for_methods_that_group(tmp_path: Path) -> None:
    table = table_of()
    whole, blocks = PLAN.run(table), PLAN.run(table, blocks_from=20)
    assert blocks.summary["privacy"][0]["holds"]
    assert blocks.summary["tuples"]["before"] == whole.summary["tuples"]["before"]
    assert PLAN.run(table, blocks_from=10_000).frame.equals(whole.frame)
    with pytest.raises(PlanError, match="at least 1"):
        PLAN.run(table, blocks_from=0)
    with pytest.raises(PlanError, match="groups no tuples in blocks"):
        NOISE.run(OPEN["polars"](table), blocks_from=5)


@engines
def test_words_that_are_suppressed_count_as_they_were(engine: str) -> None:
    table = table_of()
    columns = COLUMNS | {"job": al.quasi(JOBS, unmatched="suppress", accept_review=True)}
    plan = replace(PLAN, columns=columns)
    eager, lazy = plan.run(table), plan.run(OPEN[engine](table))
    assert rows_of(arrow(lazy.frame)) == rows_of(eager.frame)
    assert eager.summary["suppressed_cells"]["job"] > 0
    same = ("tuples", "suppressed_cells", "measures")
    assert {x: lazy.summary[x] for x in same} == {x: eager.summary[x] for x in same}


@engines
def test_a_row_in_another_group_is_seen_though_k_holds(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table = pa.table({"job": ["cook"] * 9 + ["nurse"] * 9 + ["Nurse"] * 9})
    plan = al.Plan({"job": al.quasi("category")}, k=4)
    original = GroupedTable.replacements

    def moved(self: GroupedTable, columns: Any) -> Any:
        known = original(self, columns)
        jobs = ["cook" if x == "Nurse" else x for x in known.masked.column("job").to_pylist()]
        return replace(known, masked=pa.table({"job": jobs}))

    assert plan.run(OPEN[engine](table)).summary["privacy"][0]["reached"] == 9
    monkeypatch.setattr(GroupedTable, "replacements", moved)
    with pytest.raises(ReleaseError, match="other rows than it was to have"):
        plan.run(OPEN[engine](table))


@named
def test_persons_are_counted_on_the_groups_that_were_written(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = saved(tmp_path / "data", table_of())
    promise = [al.Privacy("l-diversity", "ill", l=2)]
    plan = replace(PLAN, columns=COLUMNS | {"person": al.unit()}, privacy=promise)
    kind = type(engine_of_file(source, engine))
    save = kind.save

    def mixed(self: Engine, path: Path, partition_by: Any) -> None:
        save(self, path, partition_by)
        table = pq.read_table(path)
        ill = table.column("ill").to_pylist()
        place = table.column_names.index("ill")
        pq.write_table(table.set_column(place, "ill", pa.array([*ill[100:], *ill[:100]])), path)

    monkeypatch.setattr(kind, "save", mixed)
    with pytest.raises(ReleaseError, match="whose persons were counted"):
        plan.run(source, tmp_path / "release.parquet", engine=engine)
    assert [x.name for x in tmp_path.iterdir()] == ["data"]


def rename_folders(monkeypatch: pytest.MonkeyPatch, source: Path, engine: str) -> None:
    """Let an engine write one folder under another name."""
    kind = type(engine_of_file(source, engine))
    save = kind.save

    def renamed(self: Engine, path: Path, partition_by: Any) -> None:
        save(self, path, partition_by)
        (path / "ill=flu").rename(path / "ill=measles")

    monkeypatch.setattr(kind, "save", renamed)


@named
def test_folders_with_other_names_than_the_values_are_refused(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = saved(tmp_path / "data", table_of())
    rename_folders(monkeypatch, source, engine)
    with pytest.raises(ReleaseError, match="folders cannot be named"):
        PLAN.run(source, tmp_path / "release", engine=engine, partition_by=["ill"])
    assert [x.name for x in tmp_path.iterdir()] == ["data"]


def test_null_and_a_text_that_stands_for_it_in_names_of_folders_are_never_mixed_up(tmp_path: Path) -> None:
    table = table_of()
    notes = [None, "__HIVE_DEFAULT_PARTITION__", *table.column("note").to_pylist()[2:]]
    source = saved(tmp_path / "data", table.set_column(table.column_names.index("note"), "note", pa.array(notes)))
    with pytest.raises((ReleaseError, OutputError)):  # polars writes both to one file, which may not be readable then
        PLAN.run(source, tmp_path / "release", engine="polars", partition_by=["note"])
    assert [x.name for x in tmp_path.iterdir()] == ["data"]


# --- which files are read, and what their folders say ----------------------------------------------------------------

AGAIN = replace(PLAN, columns=COLUMNS | {"name": al.keep(confirmed=True)})  # names may come again


@named
def test_a_name_with_signs_of_patterns_is_the_name_of_one_file(engine: str, tmp_path: Path) -> None:
    table = table_of()
    folder = tmp_path / "of [2024]"
    folder.mkdir()
    for name in ("data[1]", "a*", "q?"):
        pq.write_table(table, folder / f"{name}.parquet")
    for name in ("data1", "ab", "qq"):
        pq.write_table(table.slice(0, 50), folder / f"{name}.parquet")
    for name in ("data[1]", "a*", "q?"):
        done = PLAN.run(folder / f"{name}.parquet", folder / "out.parquet", engine=engine)
        assert done.summary["records"] == 300
    PLAN.run(folder / "data[1].parquet", folder / "parted", engine=engine, partition_by=["ill"])
    assert PLAN.run(folder / "data1.parquet", folder / "out.parquet", engine=engine).summary["records"] == 50


@named
def test_just_those_files_are_read_that_are_hashed(engine: str, tmp_path: Path) -> None:
    table = table_of()
    source = saved(tmp_path / "data", table)
    for name in ("_old.parquet", ".hidden.parquet", "_temporary/a.parquet", ".tmp/a.parquet"):
        (source / name).parent.mkdir(exist_ok=True)
        pq.write_table(table, source / name)
    (source / "more").mkdir()
    pq.write_table(table.slice(0, 10), source / "more" / "a.parquet")
    assert AGAIN.run(source, tmp_path / "out.parquet", engine=engine).summary["records"] == 310


@named
def test_folders_above_the_data_are_no_columns(engine: str, tmp_path: Path) -> None:
    table = table_of()
    folder = tmp_path / "run=5"
    folder.mkdir()
    source = saved(folder / "note=7", table)
    for what in (source, source / "part-0.parquet", f"{source}/*.parquet"):
        PLAN.run(what, tmp_path / "out.parquet", engine=engine)
        assert rows_of(pq.read_table(tmp_path / "out.parquet")) == rows_of(PLAN.run(table).frame)
    with pytest.raises(OutputError, match="named like a column"):
        PLAN.run(source, folder / "out", engine=engine, partition_by=["ill"])
    saved(source / "year=2020", table)
    with pytest.raises(TableError, match="named by the same columns"):
        PLAN.run(source, tmp_path / "out.parquet", engine=engine)
    (source / "part-0.parquet").unlink()
    with pytest.raises(TableError, match="named like a column"):
        PLAN.run(source, tmp_path / "out.parquet", engine=engine)


@named
def test_what_folders_say_comes_back_as_it_was(engine: str, tmp_path: Path) -> None:
    table = table_of()
    for code, year in (("01234", "2020"), ("99999", "-3"), ("7", "__HIVE_DEFAULT_PARTITION__")):
        (tmp_path / "data" / f"zip={code}").mkdir(parents=True)
        saved(tmp_path / "data" / f"zip={code}" / f"year={year}", table)
    AGAIN.run(tmp_path / "data", tmp_path / "out.parquet", engine=engine)
    found = pq.read_table(tmp_path / "out.parquet")
    assert set(found.column("zip").to_pylist()) == {"01234", "99999", "7"}
    assert set(found.column("year").to_pylist()) == {2020, -3, None}


# --- names, types, blanks --------------------------------------------------------------------------------------------


@engines
def test_names_of_columns_may_be_odd(engine: str) -> None:
    odd = ["self", "k", "r", "count", "c0", "m0", "allonym_rows", "allonym_known", "a.b", "a b", "select", "x"]
    words = ["cook", "nurse", None] * 20
    table = pa.table(dict.fromkeys(odd, words) | {"n": list(range(60))})
    columns = {name: al.quasi("category") for name in odd} | {"n": al.keep()}
    plan = al.Plan(columns, keep_rest=True, k=4)
    assert rows_of(arrow(plan.run(OPEN[engine](table)).frame)) == rows_of(plan.run(table).frame)
    with pytest.raises(TableError, match="names that cannot be used"):
        plan.run(OPEN[engine](table.append_column("allonym times", pa.array([1] * 60))))
    if engine == "polars":
        with pytest.raises(TableError, match="patterns to polars"):
            plan.run(OPEN[engine](table.append_column("^n.*$", pa.array([1] * 60))))


@engines
def test_columns_without_single_values_are_a_problem_not_a_mistake(engine: str) -> None:
    table = pa.table({"q": [{"a": 1}, {"a": 2}] * 5, "job": ["cook"] * 10})
    plan = al.Plan({"q": al.quasi("category"), "job": COLUMNS["job"]}, k=2)
    with pytest.raises(PlanError):
        plan.run(OPEN[engine](table))


@engines
def test_identifiers_are_judged_as_in_memory(engine: str) -> None:
    columns = {"id": al.identifier(), "job": al.quasi("category")}
    plan = al.Plan(columns, k=2)
    for names, again in ((["a ", " a", "b", "c"], True), (["", "", "?", "?"], False), (["NA", "NA", "x", "y"], False)):
        table = pa.table({"id": names, "job": ["cook"] * 4})
        for source in (table, OPEN[engine](table)):
            told = plan.check(source).problems
            assert any(x.code == "repeated-identifier" for x in told) is again, (names, told)


@engines
def test_keys_that_say_nothing_are_seen_before_the_work(engine: str) -> None:
    table = table_of()
    names = [" NA ", *table.column("name").to_pylist()[1:]]
    plan = replace(NOISE, parameters={"key": "name"})
    with pytest.raises(PlanError, match="empty cells"):
        plan.run(OPEN[engine](table.set_column(0, "name", pa.array(names))))


def test_categories_of_polars_that_no_row_has_are_gone_row_by_row() -> None:
    jobs = ["cook", "baker", "smith", "nurse"] * 10
    for kind in (pl.Enum([*JOBS.labels, "SECRET"]), pl.Categorical()):
        frame = pl.DataFrame({"job": jobs}).with_columns(pl.col("job").cast(kind))
        for method in ("noise", "randomise-uniform"):
            plan = al.Plan({"job": al.quasi(JOBS)}, method=method, seed=1)
            with same_key():
                lazy, eager = plan.run(frame.lazy()).frame.collect(), plan.run(frame).frame
            assert lazy["job"].cast(pl.String).to_list() == eager["job"].cast(pl.String).to_list()
            assert "SECRET" not in str(lazy.schema)


def test_texts_of_errors_of_an_engine_are_not_kept() -> None:
    def fails(frame: pl.DataFrame) -> pl.DataFrame:
        return frame.with_columns(pl.col("job").cast(pl.Int64))

    frame = pl.LazyFrame({"job": ["secretvalue"] * 9}).map_batches(fails, schema={"job": pl.Int64})
    with pytest.raises(TableError) as error:
        al.Plan({"job": al.quasi("category")}, k=2).run(frame)
    assert error.value.__cause__ is None
    assert error.value.__suppress_context__


@named
def test_parts_are_checked_row_by_row_too(engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = saved(tmp_path / "data", table_of())
    NOISE.run(source, tmp_path / "right", engine=engine, partition_by=["ill"])
    rename_folders(monkeypatch, source, engine)
    with pytest.raises(ReleaseError, match="folders cannot be named"):
        NOISE.run(source, tmp_path / "wrong", engine=engine, partition_by=["ill"])
    assert sorted(x.name for x in tmp_path.iterdir()) == ["data", "right"]


def test_other_mistakes_in_what_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = table_of()
    one = saved(tmp_path / "data", table) / "part-0.parquet"
    with pytest.raises(OptionError, match="list of columns"):
        PLAN.run(one, tmp_path / "out", engine="polars", partition_by="ill")
    with pytest.raises(PlanError, match="named twice"):
        PLAN.run(one, tmp_path / "out", engine="polars", partition_by=["ill", "ill"])
    with pytest.raises(OptionError, match="tables that an engine writes"):
        PLAN.run(table, partition_by=["ill"])
    monkeypatch.setattr("allonym.tables.engines.MAX_CELLS_IN_MEMORY", 100)
    ORDERED.run(one, tmp_path / "out.parquet", engine="memory")
    found = pq.read_table(tmp_path / "out.parquet")
    assert found.equals(PLAN.run(table).frame)  # types and all


def test_lines_stand_for_the_same_rows_or_not() -> None:
    def lines(*rows: tuple[Any, Any, int]) -> pa.Table:
        a, b, row_counts = zip(*rows, strict=True)
        return pa.table({"a": pa.array(a, pa.string()), "b": pa.array(b, pa.float64()), COUNT: list(row_counts)})

    nan = float("nan")
    one = lines(("x", 1.0, 2), (None, nan, 1), ("x", None, 3))
    assert same_rows(one, lines(("x", None, 3), ("x", 1.0, 1), (None, nan, 1), ("x", 1.0, 1)), ["a", "b"])
    assert same_rows(one, lines(("x", 9.0, 5), (None, 9.0, 1)), ["a"])
    for other in (
        lines(("x", 1.0, 2), (None, nan, 1), ("x", None, 2)),
        lines(("x", 1.0, 2), (None, None, 1), ("x", None, 3)),
        lines(("x", 1.0, 3), (None, nan, 1), ("x", None, 2)),
        lines(("y", 1.0, 2), (None, nan, 1), ("x", None, 3)),
        lines(("x", 1.0, 2), (None, nan, 1), ("x", None, 3), ("z", 1.0, 1)),
    ):
        assert not same_rows(one, other, ["a", "b"])
