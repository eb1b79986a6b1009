"""Attack: the table was exported in order of age, so that the place of a row in the release gives age back.

The attacker ranks the released rows by their place and guesses that the order of places is the order of ages. The
attack succeeds if the rank correlation between places and true ages is above what chance gives: in a random order of n
rows it is about normal with a standard deviation of 1/√(n − 1). The threshold is four standard deviations.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pyreadstat
import pytest

import allonym as al
from allonym.errors import AllonymError, OptionError, Problem, ReleaseError, TableError
from allonym.measures.row_order import ordered_columns, trend
from allonym.release_key import ReleaseKey
from allonym.tables.engines import polars_shuffle
from allonym.tables.files import open_table
from allonym.tables.row_order import RowOrder
from attacks.judging import judge

ROWS = 400
THRESHOLD = 4 / np.sqrt(ROWS - 1)  # 0.2
JOBS = ("nurse", "cook", "baker", "teacher", "physician", "driver")
MARK = "mark"  # a kept column that numbers the rows at random: the test finds each row by it
Reader = Callable[[Path], pd.DataFrame]


def table(seed: int = 0) -> pd.DataFrame:
    """Return people in order of age; their marks tell nothing about it."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "name": [f"N{i:04}" for i in range(ROWS)],
            "age": np.sort(rng.integers(18, 90, ROWS)),
            "job": rng.choice(JOBS, ROWS),
            MARK: rng.permutation(ROWS) + 1000,
        }
    )


PLAN = al.Plan(
    {"name": al.identifier(), "age": al.quasi("numeric"), "job": al.quasi("category"), MARK: al.keep()}, k=5, seed=3
)
NOISE = al.Plan({**PLAN.columns, "job": al.quasi("wordnet:person", accept_review=True)}, method="noise", seed=3)


def write_excel(frame: pd.DataFrame, path: Path) -> None:
    frame.to_excel(path, index=False, engine="xlsxwriter")


FORMATS: dict[str, tuple[Callable[[pd.DataFrame, Path], Any], Reader]] = {
    ".csv": (lambda frame, path: frame.to_csv(path, index=False), pd.read_csv),
    ".csv.gz": (lambda frame, path: frame.to_csv(path, index=False), pd.read_csv),
    ".parquet": (lambda frame, path: frame.to_parquet(path), pd.read_parquet),
    ".jsonl": (
        lambda frame, path: frame.to_json(path, orient="records", lines=True),
        lambda path: pd.read_json(path, lines=True),
    ),
    ".xlsx": (write_excel, lambda path: pd.read_excel(path, engine="calamine")),
    ".sav": (pyreadstat.write_sav, lambda path: pyreadstat.read_sav(path)[0]),
    ".dta": (pyreadstat.write_dta, lambda path: pyreadstat.read_dta(path)[0]),
}
HOLDERS = [*((ending, None) for ending in FORMATS), (".parquet", "polars"), (".parquet", "duckdb")]
PLANS = {"groups": PLAN, "noise": NOISE}


def released(tmp_path: Path, frame: pd.DataFrame, plan: al.Plan, ending: str, **options: Any) -> Path:
    """Write a table, mask it, and return the path of the release."""
    source, output = tmp_path / f"in{ending}", tmp_path / f"out{ending}"
    FORMATS[ending][0](frame, source)
    plan.run(source, output, **options)
    return output


def correlation(frame: pd.DataFrame, release: pd.DataFrame) -> float:
    """Return the rank correlation between the place of a row in the release and the true age of its person."""
    age_of = dict(zip(frame[MARK], frame["age"], strict=True))
    return trend(np.array([age_of[int(mark)] for mark in release[MARK]], float))


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
@pytest.mark.parametrize(("ending", "engine"), HOLDERS)
def test_places_predict_age_only_where_the_order_is_kept(
    ending: str, engine: str | None, plan: al.Plan, tmp_path: Path
) -> None:
    frame, read = table(), FORMATS[ending][1]
    kept = released(tmp_path, frame, replace(plan, row_order="keep"), ending, engine=engine)
    assert engine == "duckdb" or correlation(frame, read(kept)) > 0.99
    shuffled = released(tmp_path, frame, plan, ending, engine=engine)
    found = abs(correlation(frame, read(shuffled)))
    judge(
        "rank correlation of place and age", f"{plan.method.name}, {ending[1:]}, {engine or 'memory'}", found, THRESHOLD
    )
    assert sorted(read(shuffled)[MARK]) == sorted(frame[MARK])


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_partitions_are_shuffled_too(engine: str, tmp_path: Path) -> None:
    frame = table().assign(part=np.arange(ROWS) % 2)
    plan = replace(PLAN, columns={**PLAN.columns, "part": al.keep()})
    folder = released(tmp_path, frame, plan, ".parquet", engine=engine, partition_by=["part"])
    for part in (0, 1):
        paths = sorted((folder / f"part={part}").glob("*.parquet"))
        rows = pd.concat([pq.ParquetFile(x).read().to_pandas() for x in paths])
        assert len(rows) == ROWS / 2
        assert abs(correlation(frame, rows)) < THRESHOLD * np.sqrt(2)


@pytest.mark.parametrize(("ending", "engine"), HOLDERS)
def test_a_seed_repeats_the_bytes_and_another_table_has_another_order(
    ending: str, engine: str | None, tmp_path: Path
) -> None:
    output = released(tmp_path, table(), PLAN, ending, engine=engine, row_map=tmp_path / "rows.csv")
    first = output.read_bytes()
    PLAN.run(tmp_path / f"in{ending}", output, engine=engine)
    assert output.read_bytes() == first
    order = pd.read_csv(tmp_path / "rows.csv")["input_row"]
    released(tmp_path, table(seed=1), PLAN, ending, engine=engine, row_map=tmp_path / "rows.csv")
    other = pd.read_csv(tmp_path / "rows.csv")["input_row"]
    assert (order == other).mean() < 0.05


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_without_a_seed_every_release_has_an_order_of_its_own(ending: str, tmp_path: Path) -> None:
    frame, read = table(), FORMATS[ending][1]
    plan = replace(PLAN, seed=None)
    orders = [read(released(tmp_path, frame, plan, ending))[MARK].tolist() for _ in range(2)]
    assert np.mean([a == b for a, b in zip(*orders, strict=True)]) < 0.05


def test_frames_come_back_aligned() -> None:
    frame = table()
    for native in (frame, pl.from_pandas(frame), pl.from_pandas(frame).lazy(), duckdb.from_df(frame)):
        release = PLAN.run(native)
        assert release.summary["row_order"] == "aligned"
        masked = release.frame.collect() if isinstance(native, pl.LazyFrame) else release.frame
        marks = masked.df()[MARK] if isinstance(native, duckdb.DuckDBPyRelation) else masked[MARK]
        assert isinstance(native, duckdb.DuckDBPyRelation) or list(marks) == list(frame[MARK])


# --- long tables --------------------------------------------------------------------------------------------------


def long_table() -> str:
    """Return purchases in order of age, and within a person in order of the item."""
    rng = np.random.default_rng(1)
    lines = ["person,age,item"]
    for person, age in enumerate(np.sort(rng.integers(18, 90, ROWS))):
        items = sorted(rng.choice(["apple", "bread", "cheese", "milk", "rice"], 3, replace=False))
        lines += [f"P{person:04},{age + person / 1000:.3f},{item}" for item in items]
    return "\n".join(lines) + "\n"


def test_persons_of_a_long_table_and_their_items_are_shuffled(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text(long_table())
    columns = {"person": al.unit(), "age": al.keep(), "item": al.quasi(kind="set", elements="category")}
    plan = al.Plan(columns, k=2, seed=1, long=True)
    for order, expected in (("keep", True), ("shuffle", False)):
        replace(plan, row_order=order).run(tmp_path / "in.csv", tmp_path / "out.csv")
        rows = pd.read_csv(tmp_path / "out.csv")
        people = rows.drop_duplicates("person")
        assert people["person"].tolist() == list(range(1, ROWS + 1))
        assert (abs(trend(people["age"].to_numpy(float))) > THRESHOLD) == expected
        items = rows.groupby("person")["item"].apply(list)
        assert rows.groupby("person")["age"].nunique().max() == 1
        assert (sum(x == sorted(x) for x in items) == ROWS) == expected


# --- bytes --------------------------------------------------------------------------------------------------------


def test_the_bytes_of_a_shuffled_text_file_keep_cells_and_forget_places(tmp_path: Path) -> None:
    lines = [f'{i:04}, {x},"a ""{i}"" b",{30 + i % 3}' for i, x in enumerate("efghijklmn")]
    content = "id,x,note,age\r\n" + "\r\n".join(lines[:5]) + "\n\n\n" + "\r\n".join(lines[5:])
    (tmp_path / "in.csv").write_bytes(content.encode())
    columns = {"id": al.keep(), "x": al.keep(), "note": al.keep(), "age": al.quasi("numeric", max_distance=1)}
    plan = al.Plan(columns, k=10, seed=1)
    plan.run(tmp_path / "in.csv", tmp_path / "out.csv", row_map=tmp_path / "rows.csv")
    head, *rows = (tmp_path / "out.csv").read_bytes().decode().split("\r\n")  # one line end, none after the last row
    input_rows = pd.read_csv(tmp_path / "rows.csv")["input_row"].tolist()
    assert head == "id,x,note,age"
    assert rows == [f"{lines[i - 1][:-2]}31" for i in input_rows]
    assert input_rows != sorted(input_rows)


def test_a_text_file_is_shuffled_across_its_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("allonym.tables.csv_bytes.BLOCK_BYTES", 64)
    monkeypatch.setattr("allonym.tables.delimited.BUFFERED_ROWS", 7)
    frame = table()
    output = released(tmp_path, frame, PLAN, ".csv")
    assert abs(correlation(frame, pd.read_csv(output))) < THRESHOLD


def test_a_single_column_is_shuffled(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("age\n" + "\n".join(map(str, sorted(range(20, 60)))) + "\n")
    plan = al.Plan({"age": al.quasi("numeric")}, k=2, seed=1)
    plan.run(tmp_path / "in.csv", tmp_path / "out.csv")
    ages = pd.read_csv(tmp_path / "out.csv")["age"]
    assert len(ages) == 40
    assert abs(trend(ages.to_numpy(float))) < 4 / np.sqrt(39)


def test_the_values_of_categories_are_not_listed_in_the_order_of_the_table(tmp_path: Path) -> None:
    frame = table()
    frame["age"] = frame["age"].astype(str).astype("category")
    plan = replace(PLAN, columns={**PLAN.columns, "age": al.quasi("category")}, k=2)
    frame["age"] = frame["age"].cat.reorder_categories(list(dict.fromkeys(frame["age"])))
    output = released(tmp_path, frame, plan, ".parquet")
    listed = pq.read_table(output).column("age").combine_chunks().dictionary.to_pylist()
    assert abs(trend(np.array([float(x) for x in listed]))) < 4 / np.sqrt(len(listed) - 1)


# --- persons ------------------------------------------------------------------------------------------------------


def test_k_counts_the_persons_of_the_rows_where_they_are_now(tmp_path: Path) -> None:
    frame = table()
    frame["name"] = [f"P{i // 4}" for i in range(ROWS)]  # four rows a person
    plan = replace(PLAN, columns={**PLAN.columns, "name": al.unit()})
    source = tmp_path / "in.csv"
    frame.to_csv(source, index=False)
    release = plan.run(source, tmp_path / "out.csv")
    rows = pd.read_csv(tmp_path / "out.csv")
    assert release.input_rows is not None
    persons = frame["name"].to_numpy()[release.input_rows]
    reached = rows.assign(person=persons).groupby(["age", "job"])["person"].nunique().min()
    assert release.summary["privacy"][0]["reached"] == reached >= 5


# --- engines ------------------------------------------------------------------------------------------------------


def test_a_table_that_polars_cannot_sort_in_memory_is_sorted_in_buckets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = table()
    whole = released(tmp_path, frame, PLAN, ".parquet", engine="polars", row_map=tmp_path / "rows.csv")
    in_memory = pd.read_parquet(whole)
    monkeypatch.setattr(polars_shuffle, "MAX_SORTED_CELLS", 100)
    monkeypatch.setattr(polars_shuffle, "BUCKET_CELLS", 300)
    in_buckets = pd.read_parquet(released(tmp_path, frame, PLAN, ".parquet", engine="polars"))
    pd.testing.assert_frame_equal(in_memory, in_buckets)
    assert sorted(x.name for x in tmp_path.iterdir()) == ["in.parquet", "out.parquet", "rows.csv"]


def test_sort_keys_do_not_depend_on_the_rows_that_are_asked_for() -> None:
    order = RowOrder(ReleaseKey.from_seed(1, "plan", "table"), "table")
    numbers = np.arange(200_000, dtype=np.uint64)
    whole = order.sort_keys(numbers)
    assert len(np.unique(whole)) == len(whole)
    some = np.random.default_rng(0).choice(numbers, 50, replace=False)
    assert (order.sort_keys(some) == whole[some]).all()
    assert (order.sort_keys(numbers[777:999]) == whole[777:999]).all()
    far = np.array([5, 2**40, 2**40 + 1, 199_999], np.uint64)
    assert (order.sort_keys(far)[[0, 3]] == whole[[5, 199_999]]).all()


# --- row maps -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("ending", "engine"), HOLDERS)
def test_a_row_map_tells_which_row_is_which(ending: str, engine: str | None, tmp_path: Path) -> None:
    frame, rows = table(), tmp_path / "rows.csv"
    os.umask(0o022)
    output = released(tmp_path, frame, PLAN, ending, engine=engine, row_map=rows)
    assert rows.stat().st_mode & 0o777 == 0o600
    with rows.open() as file:
        listed = list(csv.DictReader(file))
    assert [int(x["release_row"]) for x in listed] == list(range(1, ROWS + 1))
    input_rows = [int(x["input_row"]) - 1 for x in listed]
    assert FORMATS[ending][1](output)[MARK].tolist() == frame[MARK].iloc[input_rows].tolist()


def test_nothing_is_left_of_a_row_map_where_the_release_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise ReleaseError("a promise does not hold")

    monkeypatch.setattr("allonym.release.write.verify", fail)
    with pytest.raises(ReleaseError):
        released(tmp_path, table(), PLAN, ".csv", row_map=tmp_path / "rows.csv")
    assert [x.name for x in tmp_path.iterdir()] == ["in.csv"]


def test_a_row_map_replaces_no_input_and_no_release(tmp_path: Path) -> None:
    for name in ("in.csv", "out.csv"):
        with pytest.raises(AllonymError):
            released(tmp_path, table(), PLAN, ".csv", row_map=tmp_path / name)
    assert len(open_table(tmp_path / "in.csv").names) == 4


def test_a_row_map_is_refused_where_there_is_nothing_to_map(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="its own order"):
        PLAN.run(table(), row_map=tmp_path / "rows.csv")
    with pytest.raises(OptionError, match="keeps the order"):
        released(tmp_path, table(), replace(PLAN, row_order="keep"), ".csv", row_map=tmp_path / "rows.csv")
    with pytest.raises(OptionError, match="standard output"):
        released(tmp_path, table(), PLAN, ".csv", row_map="-")
    options: dict[str, Any] = {"engine": "polars", "partition_by": ["job"], "row_map": tmp_path / "rows.csv"}
    with pytest.raises(OptionError, match="no numbers"):
        released(tmp_path, table(), PLAN, ".parquet", **options)
    assert not (tmp_path / "rows.csv").exists()


# --- evaluating a shuffled release --------------------------------------------------------------------------------


def test_evaluating_by_a_row_map_gives_the_figures_of_the_release(tmp_path: Path) -> None:
    frame, rows = table(), tmp_path / "rows.csv"
    output = released(tmp_path, frame, PLAN, ".csv", row_map=rows)
    loss = PLAN.run(frame).summary["measures"]["information_loss"]["value"]
    evaluation = PLAN.evaluate(tmp_path / "in.csv", output, row_map=rows)
    assert evaluation.summary["measures"]["information_loss"]["value"] == pytest.approx(loss)
    assert evaluation.summary["paired_by"] == "row map"
    together = PLAN.evaluate(tmp_path / "in.csv", output, row_map=rows, earlier=output, earlier_row_map=rows).earlier
    assert together is not None
    assert together["together"] == together["alone"]


def test_a_shuffled_release_is_not_paired_by_position(tmp_path: Path) -> None:
    output = released(tmp_path, table(), PLAN, ".csv")
    with pytest.raises(TableError, match="another order"):
        PLAN.evaluate(tmp_path / "in.csv", output)


def test_pairing_by_position_that_looks_like_none_is_said(tmp_path: Path) -> None:
    frame = table().drop(columns=[MARK])
    plan = replace(PLAN, columns={x: y for x, y in PLAN.columns.items() if x != MARK}, k=3)
    output = released(tmp_path, frame, plan, ".csv")
    assert plan.evaluate(tmp_path / "in.csv", output).looks_unpaired
    kept = released(tmp_path, frame, replace(plan, row_order="keep"), ".csv")
    assert not plan.evaluate(tmp_path / "in.csv", kept).looks_unpaired


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a,b\n1,2\n",
        "release_row,input_row\n1,2,3\n",
        "release_row,input_row\n1,x\n",
        "release_row,input_row\n" + "".join(f"{i},{i}\n" for i in range(1, ROWS)),
        "release_row,input_row\n" + "".join(f"{i},1\n" for i in range(1, ROWS + 1)),
        "release_row,input_row\n" + "".join(f"{i},{i + 9}\n" for i in range(1, ROWS + 1)),
        "release_row,input_row\n" + "99999999999999999999999,1\n",
    ],
)
def test_a_row_map_that_does_not_belong_to_the_tables_is_refused(text: str, tmp_path: Path) -> None:
    output = released(tmp_path, table(), PLAN, ".csv")
    (tmp_path / "rows.csv").write_text(text)
    with pytest.raises(TableError, match="row map"):
        PLAN.evaluate(tmp_path / "in.csv", output, row_map=tmp_path / "rows.csv")


def test_rows_are_paired_in_one_way(tmp_path: Path) -> None:
    output = released(tmp_path, table(), PLAN, ".csv", row_map=tmp_path / "rows.csv")
    with pytest.raises(OptionError):
        PLAN.evaluate(tmp_path / "in.csv", output, row_map=tmp_path / "rows.csv", key=MARK)
    with pytest.raises(OptionError):
        PLAN.evaluate(tmp_path / "in.csv", output, key=MARK, earlier_row_map=tmp_path / "rows.csv")
    assert PLAN.evaluate(tmp_path / "in.csv", output, key=MARK).paired_by == "key"


# --- an order that is kept ----------------------------------------------------------------------------------------


def order_cautions(plan: al.Plan, frame: pd.DataFrame) -> list[Problem]:
    """Return what a check says about the order of rows."""
    return [x for x in plan.check(frame).cautions if x.code.startswith("row-order")]


def test_the_check_names_the_columns_that_a_kept_order_gives_away(tmp_path: Path) -> None:
    frame = table()
    blocks = frame.assign(job=np.repeat(JOBS, -(-ROWS // len(JOBS)))[:ROWS])
    blocks["job"] = blocks["job"].map({x: JOBS[(i * 5 + 3) % len(JOBS)] for i, x in enumerate(JOBS)})
    kept = replace(PLAN, row_order="keep")
    for rows, columns in ((frame, "name, age:"), (blocks, "name, age, job:")):
        (caution,) = order_cautions(kept, rows)
        assert caution.code == "row-order"
        assert f"correlates with {columns}" in caution.text
    assert not order_cautions(kept, frame.sample(frac=1, random_state=1).reset_index(drop=True))
    assert not order_cautions(PLAN, frame)
    frame.to_parquet(tmp_path / "in.parquet")
    release = kept.run(tmp_path / "in.parquet", tmp_path / "out.parquet")
    assert release.summary["row_order"] == "keep"
    assert release.summary["ordered_by"] == ["name", "age"]


def test_a_random_order_is_hardly_ever_taken_for_an_order() -> None:
    rng = np.random.default_rng(0)
    for rows in (5, 40, 400):
        frames = [table(seed).sample(n=rows, random_state=seed) for seed in range(50)]
        for frame in frames:
            text = io.BytesIO(frame.iloc[rng.permutation(rows)].to_csv(index=False).encode())
            cells = open_table("x.csv", raw=text.getvalue())
            assert not ordered_columns(cells.cells(cells.names))


def test_the_summary_and_the_report_tell_the_order(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    table().to_csv(source, index=False)
    shuffled = PLAN.run(source, tmp_path / "out.csv")
    assert shuffled.summary["row_order"] == "shuffle"
    assert not any("order of rows" in x for x in shuffled.report.cautions)
    kept = replace(PLAN, row_order="keep").run(source, tmp_path / "out.csv")
    (caution,) = (x for x in kept.report.cautions if "order of rows" in x)
    assert "correlates with age, 1 dropped column" in caution
    assert "ordered_by" not in kept.report.published().summary
