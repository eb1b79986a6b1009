"""Frames of pandas, polars and pyarrow: the same type, order and dtypes come back."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np

from allonym.errors import TableError
from allonym.records import Ints
from allonym.tables.base import Cells, merged

SUPPORTED = "pandas, polars (DataFrame) or pyarrow (Table)"


class Frame:
    """A frame in memory. Rows are written back by position."""

    def __init__(self, native: Any, name: str = "the frame") -> None:
        try:
            self._frame = nw.from_native(native, eager_only=True)
        except TypeError:
            kind = f"{type(native).__module__.split('.')[0]}.{type(native).__name__}"
            raise TableError(f"A {kind} is no table allonym can read.", hint=f"give a frame of {SUPPORTED}.") from None
        self.native, self.name = native, name
        backends: dict[Any, type[_Backend]] = {
            nw.Implementation.PANDAS: _Pandas,
            nw.Implementation.POLARS: _Polars,
            nw.Implementation.PYARROW: _Arrow,
        }
        if self._frame.implementation not in backends:
            raise TableError(f"Frames of {self._frame.implementation} are not read.", hint=f"convert to {SUPPORTED}.")
        self._backend = backends[self._frame.implementation]()
        self.names = tuple(self._frame.columns)
        odd = [x for x in self.names if not isinstance(x, str)]
        if odd:
            raise TableError(f"{len(odd)} column names of {name} are not text.", hint="rename them: roles go by name.")

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(self._frame)

    def cells(self, names: Sequence[str]) -> dict[str, Cells]:
        """Return the cells of some columns; text without surrounding blanks."""
        found = {}
        for name in names:
            values, codes = self._backend.factorise(self._frame[name].to_native(), name)
            found[name] = merged([x.strip() if isinstance(x, str) else _number(x) for x in values], codes)
        return found

    def changed(self, columns: Mapping[str, Cells], drop: Sequence[str]) -> Any:
        """Return the frame with other cells in some columns, and without some columns."""
        frame = self._frame
        for name, cells in columns.items():
            old = frame[name].to_native()
            try:
                new = self._backend.like(old, cells.values, cells.codes)
            except (ValueError, TypeError, ArithmeticError) as error:
                kind = frame.schema[name]
                raise TableError(
                    f"Column {name} holds {kind}; what stands for its groups cannot be written as such.",
                    hint="convert the column to text first.",
                ) from error
            frame = frame.with_columns(nw.from_native(new, series_only=True).alias(name))
        return frame.drop(*drop).to_native()


def _number(value: Any) -> Any:
    """Take what is not a number for null."""
    return None if isinstance(value, float) and math.isnan(value) else value


class _Backend:
    """What differs among frame libraries."""

    def factorise(self, column: Any, name: str) -> tuple[list[Any], Ints]:
        """Return the distinct cells of a column, null as None, and for every row which it is."""
        raise NotImplementedError

    def like(self, column: Any, values: Sequence[Any], codes: Ints) -> Any:
        """Return a column like another, with other cells."""
        raise NotImplementedError


def _nulls_last(values: list[Any], codes: Ints) -> tuple[list[Any], Ints]:
    if (codes < 0).any():
        return [*values, None], np.where(codes < 0, len(values), codes)
    return values, codes


class _Pandas(_Backend):
    def factorise(self, column: Any, name: str) -> tuple[list[Any], Ints]:
        import pandas as pd

        try:
            codes, values = pd.factorize(column)
        except TypeError as error:  # lists, dicts
            raise TableError(f"The cells of column {name} are no single values.", hint="keep the column.") from error
        return _nulls_last(values.tolist(), codes.astype(np.int64))

    def like(self, column: Any, values: Sequence[Any], codes: Ints) -> Any:
        import pandas as pd

        dtype = column.dtype
        null = any(v is None for v in values)
        if isinstance(dtype, pd.CategoricalDtype):
            used = [v for v in values if v is not None]
            known = [c for c in dtype.categories.tolist() if c in set(used)]
            categories = [*known, *dict.fromkeys(v for v in used if v not in set(known))]
            place = {v: i for i, v in enumerate(categories)}
            numbers = np.array([-1 if v is None else place[v] for v in values], np.int64)
            ordered = bool(dtype.ordered) and len(known) == len(categories)
            data: Any = pd.Categorical.from_codes(numbers[codes], categories, ordered=ordered)
            dtype = data.dtype
        else:
            if null and dtype.kind in "iub":  # these cannot hold null
                dtype = pd.array([], dtype=dtype).astype("boolean" if dtype.kind == "b" else "Int64").dtype
            data = pd.array([_typed(v, dtype.kind) for v in values], dtype=dtype).take(codes)
        return pd.Series(data, index=column.index, name=column.name, dtype=dtype)


class _Polars(_Backend):
    def factorise(self, column: Any, name: str) -> tuple[list[Any], Ints]:
        return _Arrow().factorise(column.to_arrow(), name)

    def like(self, column: Any, values: Sequence[Any], codes: Ints) -> Any:
        import polars as pl

        dtype = column.dtype
        if isinstance(dtype, pl.Enum):
            dtype = pl.Enum(list(dict.fromkeys([*dtype.categories, *(v for v in values if v is not None)])))
        kind = "i" if dtype.is_integer() else "f" if dtype.is_float() else "O"
        return pl.Series(column.name, [_typed(v, kind) for v in values], dtype=dtype).gather(codes)


class _Arrow(_Backend):
    def factorise(self, column: Any, name: str) -> tuple[list[Any], Ints]:
        import pyarrow as pa

        whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
        try:
            coded = whole if pa.types.is_dictionary(whole.type) else whole.dictionary_encode()
        except (pa.ArrowNotImplementedError, pa.ArrowInvalid) as error:
            raise TableError(f"The cells of column {name} are no single values.", hint="keep the column.") from error
        values = coded.dictionary.to_pylist()
        codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
        return _nulls_last(values, codes)

    def like(self, column: Any, values: Sequence[Any], codes: Ints) -> Any:
        import pyarrow as pa

        kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
        letter = "i" if pa.types.is_integer(kind) else "f" if pa.types.is_floating(kind) else "O"
        found = pa.array([_typed(v, letter) for v in values], type=kind).take(pa.array(codes))
        if pa.types.is_dictionary(column.type):
            found = found.dictionary_encode().cast(column.type)
        return pa.chunked_array([found])


def _typed(value: Any, kind: str) -> Any:
    """Return a value as a column of some kind (NumPy's letters) holds it."""
    if value is None or kind not in "iuf":
        return value
    return int(value) if kind in "iu" else float(value)
