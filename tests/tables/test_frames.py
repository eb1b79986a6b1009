"""Frames: the same type, order and dtypes come back from pandas, polars and pyarrow."""

from __future__ import annotations

import copy
import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import allonym as al
from allonym.cells import Cells
from allonym.errors import PlanError, TableError
from allonym.tables.frame import Frame

DAY = dt.date(2020, 2, 29)
COLUMNS: dict[str, list[Any]] = {
    "text": ["b", "a", "b", "ü"],
    "ints": [3, 1, 3, -2],
    "floats": [1.5, -0.25, 1.5, 1e300],
    "bools": [True, False, True, True],
    "dates": [DAY, dt.date(1999, 1, 1), DAY, DAY],
    "times": [dt.datetime(2020, 1, 1, 12), None, dt.datetime(2020, 1, 1, 12), None],
    "text and null": ["b", None, "b", "a"],
    "floats and null": [1.5, None, 1.5, 2.5],
    "null": [None, None, None, None],
}
MAKERS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
}


@pytest.fixture(params=MAKERS)
def make(request: pytest.FixtureRequest) -> Callable[[dict[str, Any]], Any]:
    return MAKERS[request.param]


def types_of(frame: Any) -> list[Any]:
    return frame.schema.types if isinstance(frame, pa.Table) else list(frame.dtypes)


def rows_of(frame: Any, name: str) -> list[Any]:
    """Return the cells of a column as the library itself tells them, null as None."""
    if isinstance(frame, pd.DataFrame):
        return [None if pd.isna(x) else x for x in frame[name].tolist()]
    return frame[name].to_pylist() if isinstance(frame, pa.Table) else frame[name].to_list()


def names_of(frame: Any) -> list[str]:
    return frame.column_names if isinstance(frame, pa.Table) else list(frame.columns)


def column(values: list[Any], codes: list[int]) -> Cells:
    return Cells(values, np.array(codes, np.int64))


def one(series: pd.Series | pl.Series | pa.Array | pa.ChunkedArray) -> Any:
    library = "pandas" if isinstance(series, pd.Series) else "polars" if isinstance(series, pl.Series) else "pyarrow"
    return MAKERS[library]({"a": series})


def rewritten(frame: Any) -> Any:
    """Write a column's own cells over it."""
    table = Frame(frame)
    return table.changed(table.cells(["a"]), [])


def check_same(frame: Any) -> None:
    found = rewritten(frame)
    assert type(found) is type(frame)
    assert types_of(found) == types_of(frame)
    assert rows_of(found, "a") == rows_of(frame, "a")
    assert not isinstance(frame, pl.DataFrame) or found.equals(frame)  # Python knows no nanoseconds


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_written_over_itself_is_the_same(make: Callable[..., Any], name: str) -> None:
    check_same(make({"a": COLUMNS[name]}))


def test_cells_are_distinct_and_numbered_by_row(make: Callable[..., Any]) -> None:
    table = Frame(make(COLUMNS))
    assert (table.names, table.n) == (tuple(COLUMNS), 4)
    for name, cells in table.cells(table.names).items():
        assert [cells.values[c] for c in cells.codes] == COLUMNS[name]
        assert len(cells.values) == len(set(cells.values)) == np.count_nonzero(cells.counts)


def test_masking_and_dropping_leave_order_types_other_columns_and_the_frame_itself_alone(
    make: Callable[..., Any],
) -> None:
    frame = make(COLUMNS)
    before = copy.deepcopy(frame)
    new = {"text": column(["x", None], [0, 1, 0, 0]), "ints": column([7, 9], [1, 0, 0, 0])}
    found = Frame(frame).changed(new, ["bools", "dates"])
    assert type(found) is type(frame)
    assert names_of(found) == [x for x in COLUMNS if x not in ("bools", "dates")]
    assert rows_of(found, "text") == ["x", None, "x", "x"]
    assert rows_of(found, "ints") == [9, 7, 7, 7]
    expected = dict(zip(COLUMNS, types_of(frame), strict=True))
    assert types_of(found) == [expected[x] for x in names_of(found)]
    for name in set(names_of(found)) - {"text", "ints"}:
        assert rows_of(found, name) == rows_of(before, name)
    assert frame.equals(before)
    assert names_of(frame) == list(COLUMNS)


def test_text_loses_surrounding_blanks_and_not_a_number_is_null(make: Callable[..., Any]) -> None:
    found = Frame(make({"a": [" x ", "x", "", " "], "b": [float("nan"), 1.0, None, 1.0]})).cells(["a", "b"])
    assert (found["a"].values, found["a"].codes.tolist()) == (["x", ""], [0, 0, 1, 1])
    assert [found["b"].values[c] for c in found["b"].codes] == [None, 1.0, None, 1.0]


def test_a_frame_without_rows_keeps_its_types(make: Callable[..., Any]) -> None:
    frame = make(COLUMNS)
    empty = frame.slice(0, 0) if isinstance(frame, pa.Table) else frame.head(0)
    table = Frame(empty)
    found = table.changed(table.cells(table.names), ["bools"])
    assert len(found) == 0
    assert types_of(found) == [t for name, t in zip(COLUMNS, types_of(frame), strict=True) if name != "bools"]


def test_columns_of_lists_are_kept_or_read_as_such(make: Callable[..., Any]) -> None:
    frame = make({"a": [["x"], ["y", "z"], ["x"]], "b": ["x", "y", "z"]})
    assert list(map(list, Frame(frame).changed({}, ["b"])["a"].to_numpy())) == [["x"], ["y", "z"], ["x"]]
    cells = Frame(frame).cells(["a"])["a"]
    assert (cells.values, cells.codes.tolist()) == ([("x",), ("y", "z")], [0, 1, 0])
    changed = Frame(frame).changed({"a": Cells([("q", "r"), ()], np.array([0, 1, 0]))}, ["b"])
    assert list(map(list, changed["a"].to_numpy())) == [["q", "r"], [], ["q", "r"]]
    assert types_of(changed) == types_of(frame)[:1]
    with pytest.raises(PlanError, match="column a: its cells are lists"):
        al.Plan({"a": al.quasi("category")}, k=2, keep_rest=True).run(frame)


def test_text_that_an_integer_column_cannot_hold_is_refused_without_telling_it(make: Callable[..., Any]) -> None:
    with pytest.raises(TableError, match=r"Column a holds Int64; .* Hint: convert the column to text") as e:
        Frame(make({"a": [1, 2]})).changed({"a": column(["secret", 3], [0, 1])}, [])
    assert "secret" not in str(e.value)


@pytest.mark.parametrize(
    "thing",
    [pl.LazyFrame({"a": [1]}), {"a": [1]}, [1], None, "x", np.zeros((2, 2)), pd.Series([1]), pl.Series([1])],
    ids=lambda x: type(x).__name__,
)
def test_what_is_no_frame_is_refused_with_a_hint(thing: Any) -> None:
    with pytest.raises(
        TableError, match=rf"{type(thing).__name__} is no table .* Hint: give a frame of pandas, polars"
    ):
        Frame(thing)


def test_names_that_are_not_text_are_refused() -> None:
    with pytest.raises(TableError, match=r"2 column names of the frame are not text\. Hint: rename"):
        Frame(pd.DataFrame([[1, 2, 3]], columns=[0, "a", 1]))


DTYPES: dict[str, Any] = {
    **{f"pandas {x}": pd.Series(["b", None, "b", "a"], dtype=x) for x in ("string", "string[pyarrow]", "category")},
    "pandas arrow text": pd.Series(["b", None], dtype=pd.ArrowDtype(pa.string())),
    "pandas ordered": pd.Series(["lo", None, "hi"], dtype=pd.CategoricalDtype(["lo", "hi"], ordered=True)),
    "pandas numbers as categories": pd.Series([3, 1, 3], dtype="category"),
    **{f"pandas {x}": pd.Series([3, 1, 3], dtype=x) for x in ("int8", "uint64", "float32", "Int64", "Int8", "UInt16")},
    **{f"pandas {x} and null": pd.Series([1, None, 1], dtype=x) for x in ("Int64", "Float32", "boolean")},
    "pandas zone": pd.Series(pd.to_datetime(["2020-01-01", None]).tz_localize("Europe/Berlin")),
    "pandas text as objects": pd.Series(["b", None, "b"], dtype=object),
    "pandas objects": pd.Series([DAY, None, Decimal("1.5")], dtype=object),
    **{f"polars {x}": pl.Series([3, None, 3], dtype=x) for x in (pl.Int8, pl.UInt64, pl.Float32)},
    "polars decimal": pl.Series([Decimal("1.50"), None]),
    "polars zone": pl.Series([dt.datetime(2020, 1, 1), None]).dt.replace_time_zone("Europe/Berlin"),
    "pyarrow dictionary": pa.array(["b", None, "a"]).cast(pa.dictionary(pa.int8(), pa.large_string())),
    "pyarrow ordered": pa.DictionaryArray.from_arrays(pa.array([1, 0, None], pa.int8()), ["lo", "hi"], ordered=True),
    "pyarrow chunks": pa.chunked_array([["b", "a"], [], [None, "b"]]),
    "pyarrow chunks of dictionaries": pa.chunked_array(
        [pa.array(["b", "a"]).dictionary_encode(), pa.array(["c", None, "b"]).dictionary_encode()]
    ),
    "pyarrow no chunks": pa.chunked_array([], pa.dictionary(pa.int8(), pa.string())),
    "pyarrow decimal": pa.array([Decimal("1.50"), None], pa.decimal128(9, 2)),
    "pyarrow zone": pa.array([1, None], pa.timestamp("ns", "UTC")),
    "pyarrow half": pa.array([1.5, None], pa.float16()),
}


@pytest.mark.parametrize("name", DTYPES)
def test_special_types_come_back(name: str) -> None:
    check_same(one(DTYPES[name]))


@pytest.mark.parametrize("index", [list("dbca"), [(1, "x"), (1, "x"), (0, "y"), (0, "z")], [1.5, 2, 3, 4]])
def test_an_index_that_may_name_people_needs_a_role(index: list[Any]) -> None:
    labels = pd.MultiIndex.from_tuples(index) if isinstance(index[0], tuple) else pd.Index(index)
    with pytest.raises(TableError, match="an index that no role covers"):
        Frame(pd.DataFrame({"a": list("wxyz")}, index=labels))
    with pytest.raises(TableError, match="an index that no role covers"):
        Frame(pd.DataFrame({"a": list("wxyz")}, index=pd.Index([1, 2, 3, 4], name="patient")))


@pytest.mark.parametrize("labels", [[7, 7, 8, 9], [-1, 0, 1, 2], [True, False, True, False]])
def test_labels_that_are_no_numbers_of_rows_need_a_role(labels: list[Any]) -> None:
    with pytest.raises(TableError, match="an index that no role covers"):
        Frame(pd.DataFrame({"a": list("wxyz")}, index=pd.Index(labels)))


@pytest.mark.parametrize("labels", [[0, 1, 2, 3], [1, 4, 5, 9], [9, 1, 5, 4]])
def test_numbers_of_rows_are_kept_and_rows_go_by_position(labels: list[int]) -> None:
    frame = pd.DataFrame({"a": list("wxyz"), "b": range(4)}, index=labels)
    found = Frame(frame).changed({"a": column(["k", "l", "m", "n"], [3, 2, 1, 0])}, [])
    assert found.index.equals(frame.index)
    assert found["a"].tolist() == list("nmlk")
    assert found["b"].tolist() == [0, 1, 2, 3]


def test_a_filtered_or_sorted_frame_comes_back_with_its_labels_and_a_caution() -> None:
    whole = pd.DataFrame({"job": ["cook", "baker", "plumber", "cook"] * 10, "age": [*range(20, 60)]})
    some = whole[whole["age"] % 3 > 0].sort_values("age", ascending=False)
    plan = al.Plan({"job": al.quasi("wordnet:person"), "age": al.keep()}, k=3, seed=1)
    release = plan.run(some)
    assert release.frame.index.equals(some.index)
    assert release.frame["age"].tolist() == some["age"].tolist()
    assert release.frame["job"].tolist() == plan.run(some.reset_index(drop=True)).frame["job"].tolist()
    assert any("index=False" in x for x in release.summary["cautions"])
    assert not any("index=False" in x for x in plan.run(whole).summary["cautions"])


def test_pandas_categories_hold_what_is_written_and_stay_ordered_while_all_are_known() -> None:
    sizes = pd.CategoricalDtype(["small", "medium", "rare", "large"], ordered=True)
    frame = pd.DataFrame({"a": pd.Series(["large", "small", "rare"], dtype=sizes)})
    known = Frame(frame).changed({"a": column(["large", "small"], [0, 1, 1])}, [])["a"]
    assert (known.cat.categories.tolist(), known.cat.ordered) == (["small", "large"], True)
    new = Frame(frame).changed({"a": column(["big", "small", None], [0, 1, 2])}, [])["a"]
    assert (new.cat.categories.tolist(), new.cat.ordered, new.isna().tolist()) == (["small", "big"], False, [0, 0, 1])


def test_pandas_integers_that_become_null_are_nullable_and_stay_integers() -> None:
    found = Frame(pd.DataFrame({"a": [1, 2], "b": [True, False]})).changed(
        {"a": column([2, None], [1, 0]), "b": column([True, None], [0, 1])}, []
    )
    assert [str(x) for x in found.dtypes] == ["Int64", "boolean"]
    assert rows_of(found, "a") == [None, 2]


@given(st.lists(st.sampled_from(["a", "b", "c", None]), max_size=12), st.lists(st.integers(0, 12), max_size=3))
def test_chunks_do_not_matter(rows: list[str | None], cuts: list[int]) -> None:
    bounds = [0, *sorted(min(c, len(rows)) for c in cuts), len(rows)]
    chunks = [pa.array(rows[a:b], pa.string()) for a, b in pairwise(bounds)]
    for parts in (chunks, [x.dictionary_encode() for x in chunks]):
        check_same(one(pa.chunked_array(parts)))


# --- what once did not hold ----------------------------------------------------------------------------------

ONCE: dict[str, tuple[Any, str]] = {
    "polars Categorical": (pl.Series(["b", None, "a"], dtype=pl.Categorical), "their numbers are unsigned, so -1"),
    "polars Enum": (pl.Series(["b", None, "a"], dtype=pl.Enum(["a", "b"])), "their numbers are unsigned, so -1"),
    "polars Int128": (pl.Series([1, 2], dtype=pl.Int128), "Arrow has no such type"),
    "polars Object": (pl.Series([DAY], dtype=pl.Object), "addresses in memory are taken for cells"),
    "pandas Int8 and null": (pd.Series([1, None], dtype="Int8"), "nullable types are widened as if they were NumPy's"),
    "pandas UInt64 and null": (pd.Series([2**63, None], dtype="UInt64"), "nullable types become Int64"),
    "pandas arrow numbers": (pd.Series([1, None], dtype="int64[pyarrow]"), "nullable types become Int64"),
    "pandas arrow bools": (pd.Series([True, None], dtype="bool[pyarrow]"), "nullable types become boolean"),
    "polars nanoseconds": (pl.Series([1, None]).cast(pl.Datetime("ns")), "by way of Python microseconds"),
    "pyarrow views": (pa.array(["b", None], pa.string_view()), "Arrow cannot take from views"),
}


@pytest.mark.parametrize("series", [pytest.param(s, id=x) for x, (s, _) in ONCE.items()])
def test_these_types_come_back_or_are_refused(series: Any) -> None:
    kind = str(series.type if isinstance(series, pa.Array) else series.dtype)
    try:
        check_same(one(series))
    except TableError:
        assert kind.startswith(("Object", "Int128", "Datetime(time_unit='ns'"))  # the others people do have


def test_a_null_that_no_row_has_changes_no_type() -> None:
    found = Frame(pd.DataFrame({"a": [1, 1, 2]})).changed({"a": column([1, None], [0, 0, 0])}, [])
    assert found["a"].dtype == np.int64


def test_values_of_a_dictionary_that_no_row_has_are_no_cells() -> None:
    sliced = one(pa.array(["b", "secret"]).dictionary_encode()).slice(0, 1)
    assert Frame(sliced).cells(["a"])["a"].values == ["b"]


def test_a_polars_enum_holds_only_what_is_written() -> None:
    frame = one(pl.Series(["a", "b", "secret"], dtype=pl.Enum(["a", "b", "secret"])))
    found = Frame(frame).changed({"a": column(["b", "c"], [0, 1, 0])}, [])
    assert sorted(found["a"].dtype.categories.to_list()) == ["b", "c"]


@pytest.mark.parametrize("frame", [pd.DataFrame([[1, 2]], columns=["a", "a"]), pa.table([[1], [2]], names=["a", "a"])])
def test_names_that_come_twice_are_refused(frame: Any) -> None:
    with pytest.raises(TableError):
        Frame(frame)


def test_pandas_bools_do_not_take_text() -> None:
    with pytest.raises(TableError, match="convert the column to text"):
        Frame(pd.DataFrame({"a": [True, False]})).changed({"a": column(["False"], [0, 0])}, [])


def test_means_can_be_written_to_decimals() -> None:
    frame = one(pa.array([Decimal("1.50"), Decimal("1.00")], pa.decimal128(9, 2)))
    assert rows_of(Frame(frame).changed({"a": column([1.25], [0, 0])}, []), "a") == [Decimal("1.25")] * 2
