"""Frames with names, types and cells only: a release carries no other metadata.

A frame is built anew rather than cleaned, so that notes which this module does not know stay behind too. Of an
enumeration or a dictionary, the categories that occur stay, in their order.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Sequence
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa

from allonym.errors import TableError

ITEM_NAMES = ("item", "element")  # what Arrow and Parquet call the items of lists
EXTENSIONS = ("arrow.uuid", "arrow.json", "arrow.bool8")  # those without parameters; others become their storage
OFFSET = re.compile(r"[+-]\d\d:\d\d")


# --- Arrow ---------------------------------------------------------------------------------------------------


def bare_arrow(table: pa.Table) -> pa.Table:
    """Return a table without notes on itself and its fields, unused categories and values under nulls.

    >>> notes = pa.table({"job": ["cook"]}).replace_schema_metadata({"owner": "Ann Lee"})
    >>> bare_arrow(notes).schema.metadata is None
    True
    """
    columns = [_bare_column(column, name) for name, column in zip(table.column_names, table.columns, strict=True)]
    fields = [pa.field(x.name, column.type, x.nullable) for x, column in zip(table.schema, columns, strict=True)]
    return pa.Table.from_arrays(columns, schema=pa.schema(fields))


def _bare_column(column: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    kind = _bare_type(column.type, name)
    if pa.types.is_dictionary(column.type):
        column = column.unify_dictionaries() if column.num_chunks > 1 else column
        whole = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
        return pa.chunked_array([_used_only(whole, kind)])
    return pa.chunked_array([_compact(_cast(chunk, kind)) for chunk in column.chunks], kind)


def _used_only(array: pa.DictionaryArray, kind: pa.DataType) -> pa.DictionaryArray:
    """Return a dictionary array whose dictionary has the categories that occur."""
    codes = np.from_dlpack(array.indices.cast(pa.int64()).fill_null(-1)) if len(array) else np.zeros(0, np.int64)
    used = np.unique(codes[codes >= 0])
    places = np.searchsorted(used, codes)
    present = pa.py_buffer(np.packbits(codes >= 0, bitorder="little"))
    indices = pa.Array.from_buffers(pa.int64(), len(codes), [present, pa.py_buffer(np.ascontiguousarray(places))])
    values = _compact(_cast(array.dictionary.take(_numbers(used)), kind.value_type))
    return pa.DictionaryArray.from_arrays(
        _compact(indices).cast(kind.index_type), values, ordered=kind.ordered, safe=False
    )


def _cast(array: pa.Array, kind: pa.DataType) -> pa.Array:
    if isinstance(array, pa.ExtensionArray) and not isinstance(kind, pa.BaseExtensionType):
        array = array.storage
    if array.type.equals(kind, check_metadata=True):
        return array
    if pa.types.is_struct(kind):
        parts = [_cast(part, field.type) for part, field in zip(array.flatten(), kind, strict=True)]
        return pa.StructArray.from_arrays(parts, fields=list(kind), mask=array.is_null())
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        made = pa.ListArray if pa.types.is_list(kind) else pa.LargeListArray
        array = array if array.offset == 0 else pa.concat_arrays([array])
        children = [_cast(array.values, kind.value_type)]
        return made.from_buffers(kind, len(array), array.buffers()[:2], array.null_count, children=children)
    return array.cast(kind)


def _compact(array: pa.Array) -> pa.Array:
    """Return a copy without values under nulls or outside of a slice, where there can be any."""
    if not array.null_count and array.get_total_buffer_size() <= array.nbytes + 64 * len(array.buffers()):
        return array
    try:
        return array.take(_numbers(np.arange(len(array))))
    except pa.ArrowNotImplementedError:
        return pa.concat_arrays([array])


def _numbers(numbers: Any) -> pa.Array:
    own = np.ascontiguousarray(numbers, np.int64)  # not by `pa.array`, which would import pandas first
    return pa.Array.from_buffers(pa.int64(), len(own), [None, pa.py_buffer(own)])


def _bare_type(kind: pa.DataType, name: str, *, inside: bool = False) -> pa.DataType:
    """Return a type without notes on its fields; a dictionary inside another type becomes its values."""
    if isinstance(kind, pa.BaseExtensionType):
        return kind if kind.extension_name in EXTENSIONS else _bare_type(kind.storage_type, name, inside=inside)
    if pa.types.is_dictionary(kind):
        values = _bare_type(kind.value_type, name, inside=True)
        return values if inside else pa.dictionary(kind.index_type, values, kind.ordered)
    if pa.types.is_timestamp(kind) and kind.tz is not None:
        return pa.timestamp(kind.unit, kind.tz if _is_time_zone(kind.tz) else "UTC")
    return _bare_nested_type(kind, name) if pa.types.is_nested(kind) else kind


def _bare_nested_type(kind: pa.DataType, name: str) -> pa.DataType:
    """Return a type of lists, structures or maps without notes; the items of lists get their usual name."""

    def bare(field: pa.Field, *names: str) -> pa.Field:
        own = field.name if not names or field.name in names else names[-1]
        return pa.field(own, _bare_type(field.type, name, inside=True), field.nullable)

    if pa.types.is_struct(kind):
        return pa.struct([bare(field) for field in kind])
    if pa.types.is_map(kind):
        return pa.map_(bare(kind.key_field, "key"), bare(kind.item_field, "value"), kind.keys_sorted)
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(bare(kind.value_field, *ITEM_NAMES), kind.list_size)
    if pa.types.is_list(kind):
        return pa.list_(bare(kind.value_field, *ITEM_NAMES))
    if pa.types.is_large_list(kind):
        return pa.large_list(bare(kind.value_field, *ITEM_NAMES))
    raise TableError(f"Column {name} has a type that cannot be released.", hint="convert the column, or drop it.")


def _is_time_zone(name: str) -> bool:
    """Tell whether a text is an offset, or the name of a known time zone."""
    if OFFSET.fullmatch(name):
        return True
    try:
        return bool(ZoneInfo(name))
    except (LookupError, ValueError, OSError):
        return False


# --- pandas --------------------------------------------------------------------------------------------------


def bare_pandas(frame: Any) -> Any:
    """Return a frame without attributes, names of its indexes, and unused categories; labels of rows are numbers."""
    import pandas as pd

    index = pd.RangeIndex(len(frame))
    if not index.equals(frame.index):
        index = pd.Index(frame.index.to_numpy(np.int64))
    columns = {x: pd.Series(_bare_array(frame[x].array), index=index, dtype=_dtype(frame[x])) for x in frame.columns}
    return pd.DataFrame(columns, index=index)


def _dtype(series: Any) -> Any:
    return object if series.dtype == object else None  # texts among objects stay objects


def _bare_array(array: Any) -> Any:
    import pandas as pd

    if isinstance(array, pd.Categorical):
        used = array.remove_unused_categories()
        categories = pd.Index(_bare_array(used.categories.array), name=None, dtype=used.categories.dtype)
        return pd.Categorical.from_codes(used.codes, categories, ordered=used.ordered)
    if isinstance(array, (pd.arrays.IntegerArray, pd.arrays.FloatingArray, pd.arrays.BooleanArray)):
        return type(array)(array.to_numpy(array.dtype.numpy_dtype, na_value=0), np.array(array.isna()))
    if isinstance(array.dtype, pd.ArrowDtype):
        return type(array)(_bare_column(array.__arrow_array__(), "of an Arrow type"))
    if isinstance(array, pd.arrays.DatetimeArray) and isinstance(array.tz, datetime.timezone):
        return array.tz_convert(datetime.timezone(array.tz.utcoffset(None)))  # an offset may have a name
    if hasattr(array, "__arrow_array__") and type(array).__name__.startswith("Arrow"):  # texts that Arrow holds
        return array.take(np.arange(len(array)))
    return array


# --- polars --------------------------------------------------------------------------------------------------


def bare_polars(frame: Any) -> Any:
    """Return a frame without unused categories, names of categories and values under nulls."""
    import polars as pl

    columns = []
    for column in frame.iter_columns():
        used = column.unique().drop_nulls().cast(pl.String).to_list() if isinstance(column.dtype, pl.Enum) else ()
        bare = column.cast(bare_polars_type(column.dtype, used))
        kind = bare.dtype
        if bare.null_count() and (kind.is_temporal() or kind.is_numeric() or kind in (pl.String, pl.Binary)):
            bare = pl.Series(bare.name, _compact(bare.to_arrow()), dtype=kind)
        columns.append(bare)
    return pl.DataFrame(columns)


def bare_polars_type(kind: Any, used: Sequence[str] = ()) -> Any:
    """Return a type with the categories that are used; inside another type, categories become text."""
    import polars as pl

    if isinstance(kind, pl.Enum):
        return pl.Enum([x for x in kind.categories if x in set(used)])
    if isinstance(kind, pl.Categorical):
        return pl.Categorical()
    return _without_categories(kind)


def _without_categories(kind: Any) -> Any:
    import polars as pl

    if isinstance(kind, (pl.Enum, pl.Categorical)):
        return pl.String()
    if isinstance(kind, pl.List):
        return pl.List(_without_categories(kind.inner))
    if isinstance(kind, pl.Array):
        return pl.Array(_without_categories(kind.inner), kind.size)
    if isinstance(kind, pl.Struct):
        return pl.Struct(list(_fields(kind)))
    return kind


def _fields(kind: Any) -> Iterator[Any]:
    import polars as pl

    for field in kind.fields:
        yield pl.Field(field.name, _without_categories(field.dtype))
