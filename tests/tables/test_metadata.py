"""Frames without metadata keep their types and their cells."""

from __future__ import annotations

import datetime
import uuid
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from allonym.errors import TableError
from allonym.tables.metadata import bare_arrow, bare_pandas, bare_polars

DAY = datetime.date(2020, 1, 2)
COLUMNS: dict[str, tuple[pa.DataType, list[Any]]] = {
    "text": (pa.string(), ["a", None, "b"]),
    "large text": (pa.large_string(), ["a", None, "b"]),
    "view": (pa.string_view(), ["a", None, "b"]),
    "bytes": (pa.binary(), [b"a", None, b""]),
    "fixed bytes": (pa.binary(2), [b"ab", None, b"cd"]),
    "whole": (pa.int16(), [1, None, 3]),
    "float": (pa.float32(), [1.5, None, 3.0]),
    "truth": (pa.bool_(), [True, None, False]),
    "decimal": (pa.decimal128(9, 2), [Decimal("1.50"), None, Decimal("2.25")]),
    "date": (pa.date32(), [DAY, None, DAY]),
    "time": (pa.time64("us"), [datetime.time(1), None, datetime.time(2)]),
    "zoned": (pa.timestamp("us", "Europe/Berlin"), [1, None, 3]),
    "offset": (pa.timestamp("us", "+01:00"), [1, None, 3]),
    "duration": (pa.duration("s"), [datetime.timedelta(1), None, datetime.timedelta(2)]),
    "null": (pa.null(), [None, None, None]),
    "dictionary": (pa.dictionary(pa.int16(), pa.string(), ordered=True), ["a", None, "a"]),
    "list": (pa.list_(pa.int8()), [[1], None, []]),
    "large list": (pa.large_list(pa.string()), [["x"], None, []]),
    "fixed list": (pa.list_(pa.int8(), 2), [[1, 2], None, [3, 4]]),
    "structure": (pa.struct([("a", pa.int8()), ("b", pa.list_(pa.string()))]), [{"a": 1, "b": ["x"]}, None, None]),
    "map": (pa.map_(pa.string(), pa.int8()), [[("x", 1)], None, []]),
    "uuid": (pa.uuid(), [uuid.UUID(int=7).bytes, None, None]),
}


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("part", [slice(0, 3), slice(1, 3), slice(0, 0)])
def test_a_type_of_arrow_comes_back(name: str, part: slice) -> None:
    kind, values = COLUMNS[name]
    column = pa.array(values, kind)
    column = pa.chunked_array([column, column]).slice(part.start, part.stop - part.start)
    bare = bare_arrow(pa.table({"x": column})).column("x")
    assert bare.type == kind
    assert bare.to_pylist() == column.to_pylist()
    bare.validate(full=True)


def test_several_dictionaries_become_one() -> None:
    parts = [pa.array(x).dictionary_encode() for x in (["a", "b"], ["c", "b", None])]
    bare = bare_arrow(pa.table({"x": pa.chunked_array(parts)[1:]})).column("x")
    assert bare.chunk(0).dictionary.to_pylist() == ["b", "c"]
    assert bare.to_pylist() == ["b", "c", "b", None]


def test_names_inside_of_types_are_the_usual_ones() -> None:
    kind = pa.list_(pa.field("Ann Lee", pa.dictionary(pa.int8(), pa.string()), metadata={"a": "b"}))
    bare = bare_arrow(pa.table({"x": pa.array([["a"]], pa.list_(pa.string())).cast(kind)}))
    assert bare.schema.field("x").type.equals(pa.list_(pa.field("element", pa.string())), check_metadata=True)


class Owned(pa.ExtensionType):
    """An extension type with a parameter."""

    def __init__(self) -> None:
        super().__init__(pa.string(), "test.owned")

    def __arrow_ext_serialize__(self) -> bytes:
        return b"Ann Lee"

    @classmethod
    def __arrow_ext_deserialize__(cls, storage_type: pa.DataType, serialized: bytes) -> Owned:
        return cls()


def test_an_extension_type_with_parameters_becomes_its_storage() -> None:
    column = pa.ExtensionArray.from_storage(Owned(), pa.array(["a", None]))
    assert bare_arrow(pa.table({"x": column})).column("x").to_pylist() == ["a", None]
    assert bare_arrow(pa.table({"x": column})).schema.field("x").type == pa.string()


def test_a_union_is_refused() -> None:
    union = pa.UnionArray.from_sparse(pa.array([0, 1], pa.int8()), [pa.array([1, 2]), pa.array(["a", "b"])])
    with pytest.raises(TableError, match="cannot be released"):
        bare_arrow(pa.table({"x": union}))


@pytest.mark.parametrize(
    "values",
    [
        pd.array([1, None, 3], "Int16"), pd.array([1.5, None, 3], "Float32"), pd.array([True, None, False], "boolean"),
        pd.array(["a", None, "b"], "string"), pd.array(["a", None, "b"], "str"), np.array(["a", None, "b"], object),
        np.array([1, 2, 3], np.int8), pd.array([DAY, None, DAY], pd.ArrowDtype(pa.date32())),
        pd.Categorical([2, 1, None], [3, 2, 1], ordered=True), pd.to_datetime(["2020-01-01", None, "2020-01-02"]).array,
        pd.to_datetime(["2020-01-01", None, "2020-01-02"]).tz_localize("Europe/Berlin").array,
        pd.period_range("2020-01", periods=3, freq="M").array, pd.array([[1], None, [2]], object),
        pd.IntervalIndex.from_breaks([1, 2, 3, 4]).array,
    ],
    ids=lambda x: str(x.dtype),
)  # fmt: skip
def test_a_type_of_pandas_comes_back(values: Any) -> None:
    frame = pd.DataFrame({"x": pd.Series(values, dtype=values.dtype)})
    bare = bare_pandas(frame)
    if isinstance(values, pd.Categorical):
        frame["x"] = frame["x"].cat.remove_unused_categories()
    pd.testing.assert_frame_equal(bare, frame)


def test_an_offset_of_pandas_has_no_name() -> None:
    zone = datetime.timezone(datetime.timedelta(hours=1), "Ann Lee")
    frame = pd.DataFrame({"x": pd.to_datetime(["2020-01-01"]).tz_localize(zone)})
    assert "Ann" not in str(bare_pandas(frame).dtypes)
    assert bare_pandas(frame)["x"].tolist() == frame["x"].tolist()


def test_types_of_polars_come_back() -> None:
    frame = pl.DataFrame(
        {
            "text": ["a", None], "whole": [1, None], "day": [DAY, None], "list": [[1], None], "truth": [True, None],
            "structure": [{"a": 1}, None], "bytes": [b"a", None],
        }
    )  # fmt: skip
    frame = frame.with_columns(
        pl.col("text").cast(pl.Categorical).alias("category"), pl.col("text").cast(pl.Enum(["a"])).alias("enumeration")
    )
    bare = bare_polars(frame)
    assert bare.schema == frame.schema
    assert bare.equals(frame)


@pytest.mark.parametrize("rows", [0, 2])
def test_a_frame_without_rows_or_columns_comes_back(rows: int) -> None:
    assert bare_pandas(pd.DataFrame(index=range(rows))).shape == (rows, 0)
    assert bare_pandas(pd.DataFrame({"x": ["a"] * rows})).shape == (rows, 1)
    assert bare_polars(pl.DataFrame({"x": ["a"] * rows})).shape == (rows, 1)
    assert bare_arrow(pa.table({"x": ["a"] * rows})).shape == (rows, 1)
