"""Frames of pandas, polars and pyarrow: the same type, order and dtypes come back."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from allonym.arrays import Ints
from allonym.cells import Cells, merged
from allonym.errors import TableError
from allonym.tables.column_types import becomes_text, type_letter, typed
from allonym.tables.memory import MemoryTable
from allonym.tables.metadata import bare_arrow, bare_pandas, bare_polars
from allonym.tables.row_order import RowOrder

SUPPORTED = "pandas, polars (DataFrame) or pyarrow (Table)"


class Frame(MemoryTable):
    """A frame in memory. Rows are written back by position."""

    def __init__(self, native: Any, name: str = "the frame") -> None:
        import narwhals as nw  # takes longer to import than most files to read

        try:
            self._frame = nw.from_native(native, eager_only=True)
            self.names = tuple(self._frame.columns)
        except TypeError:
            kind = f"{type(native).__module__.split('.')[0]}.{type(native).__name__}"
            raise TableError(f"A {kind} is no table allonym can read.", hint=f"give a frame of {SUPPORTED}.") from None
        except nw.exceptions.NarwhalsError as error:
            raise TableError(f"{name} cannot be read: two columns have one name.", hint="rename one.") from error
        self.native, self.name = native, name
        backends: dict[Any, type[_Backend]] = {
            nw.Implementation.PANDAS: _Pandas,
            nw.Implementation.POLARS: _Polars,
            nw.Implementation.PYARROW: _Arrow,
        }
        if self._frame.implementation not in backends:
            raise TableError(f"Frames of {self._frame.implementation} are not read.", hint=f"convert to {SUPPORTED}.")
        self._backend = backends[self._frame.implementation]()
        odd = [x for x in self.names if not isinstance(x, str)]
        if odd:
            raise TableError(f"{len(odd)} column names of {name} are not text.", hint="rename them: roles go by name.")
        if len(set(self.names)) < len(self.names):
            raise TableError(f"{name} has two columns of one name.", hint="rename one.")
        self._backend.check(native, name)
        self.row_labels = self._backend.row_labels(native)

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(self._frame)

    def reread(self, content: Any, columns: Sequence[str], names: Sequence[str]) -> tuple[Any, Sequence[str]]:
        """Return the masked frame, and its names as they are now."""
        return content, Frame(content).names

    def from_columns(self, data: Mapping[str, list[Any]]) -> Any:
        """Return new columns as a frame of the same library."""
        import narwhals as nw

        made = nw.from_dict(dict(data), backend=self._frame.implementation)
        for name, kind in self._frame.schema.items():
            if name in data and made.schema[name] != kind:
                try:
                    made = made.with_columns(nw.col(name).cast(kind))
                except Exception:
                    continue
        return self._backend.bare(made.to_native())

    def cells(self, names: Sequence[str]) -> dict[str, Cells]:
        """Return the cells of some columns; text without surrounding blanks."""
        cells = {}
        for name in names:
            values, codes = self._backend.factorise(self._frame[name].to_native(), name)
            cells[name] = merged([as_cell(x) for x in values], codes)
        return cells

    def changed(
        self,
        columns: Mapping[str, Cells],
        drop: Sequence[str],
        *,
        discard_style: bool = False,
        order: RowOrder | None = None,
    ) -> Any:
        """Return the frame with other cells in some columns, and without others; its rows stay as they are."""
        import narwhals as nw

        frame = self._frame
        for name, cells in columns.items():
            old = frame[name].to_native()
            used = merged(cells.values, cells.codes)
            if discard_style:
                by_text = sorted(range(len(used.values)), key=lambda i: str(used.values[i]))
                used = Cells([used.values[i] for i in by_text], np.argsort(by_text)[used.codes])
            try:
                new = self._backend.like(old, used.values, used.codes, discard_style)
            except (ValueError, TypeError, ArithmeticError) as error:
                kind = frame.schema[name]
                raise TableError(
                    f"Column {name} holds {kind}; its replacements cannot be written as such.",
                    hint="convert the column to text first.",
                ) from error
            frame = frame.with_columns(nw.from_native(new, series_only=True).alias(name))
        return self._backend.bare(frame.drop(*drop).to_native())


def as_cell(value: Any) -> Any:
    """Return a cell: text without surrounding blanks, a list as a tuple, NaN as null."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, (list, tuple, set, frozenset, np.ndarray)):
        return tuple(value)
    return None if isinstance(value, float) and math.isnan(value) else value


def _listed(column: Sequence[Any], name: str) -> tuple[list[Any], Ints]:
    """Return the distinct cells of a column of lists, and the code of every row."""
    code_of: dict[Any, int] = {}
    try:
        codes = [code_of.setdefault(as_cell(cell), len(code_of)) for cell in column]
    except TypeError as error:  # lists of lists, dicts
        raise _no_values(name) from error
    return list(code_of), np.array(codes, np.int64)


class _Backend(ABC):
    """What differs between frame libraries."""

    def check(self, native: Any, name: str) -> None:  # noqa: B027 only pandas has such a thing
        """Refuse parts of a frame that no role covers."""

    def row_labels(self, native: Any) -> Ints | None:
        """Return the labels of the rows, where the library has labels."""
        return None

    @abstractmethod
    def factorise(self, column: Any, name: str) -> tuple[list[Any], Ints]:
        """Return the distinct cells of a column, null as None, and the code of every row."""

    @abstractmethod
    def like(self, column: Any, values: Sequence[Any], codes: Ints, discard_style: bool) -> Any:
        """Return a column of the same type with other cells; `discard_style`: without its categories.

        A column of numbers becomes text where a range is written.
        """

    @abstractmethod
    def bare(self, native: Any) -> Any:
        """Return a frame with its names, types and cells, and no other metadata."""


def _no_values(name: str) -> TableError:
    return TableError(f"The cells of column {name} are no single values.", hint="keep it, or convert it to lists.")


def _nulls_last(values: list[Any], codes: Ints) -> tuple[list[Any], Ints]:
    if (codes < 0).any():
        return [*values, None], np.where(codes < 0, len(values), codes)
    return values, codes


class _Pandas(_Backend):
    def bare(self, native: Any) -> Any:
        return bare_pandas(native)

    def check(self, native: Any, name: str) -> None:
        index = native.index
        numbers_rows = index.name is None and index.dtype.kind in "iu" and index.is_unique and (index >= 0).all()
        if index.nlevels > 1 or not numbers_rows:
            raise TableError(
                f"{name} has an index that no role covers.",
                hint="reset_index(drop=True), or reset_index() and give its column a role.",
            )

    def row_labels(self, native: Any) -> Ints | None:
        return native.index.to_numpy(np.int64)

    def factorise(self, column: Any, name: str) -> tuple[list[Any], Ints]:
        import pandas as pd
        import pyarrow as pa

        try:
            codes, values = pd.factorize(column)
        except (TypeError, ValueError, pa.ArrowException):  # lists, dicts
            return _listed(column.tolist(), name)
        return _nulls_last(values.tolist(), codes.astype(np.int64))

    def like(self, column: Any, values: Sequence[Any], codes: Ints, discard_style: bool) -> Any:
        import pandas as pd

        dtype = column.dtype
        null = any(v is None for v in values)
        if isinstance(dtype, pd.CategoricalDtype):
            used = [v for v in values if v is not None]
            kept = [] if discard_style else [c for c in dtype.categories.tolist() if c in set(used)]
            categories = [*kept, *dict.fromkeys(v for v in used if v not in set(kept))]
            code_of = {v: i for i, v in enumerate(categories)}
            numbers = np.array([-1 if v is None else code_of[v] for v in values], np.int64)
            ordered = bool(dtype.ordered) and len(kept) == len(categories)
            data: Any = pd.Categorical.from_codes(numbers[codes], categories, ordered=ordered)
            dtype = data.dtype
        elif becomes_text(values, dtype.kind):
            dtype = _pandas_text(dtype)
            data = pd.array(values, dtype=dtype).take(codes)
        else:
            if null and isinstance(dtype, np.dtype) and dtype.kind in "iub":  # these cannot hold null
                name = {"b": "boolean", "i": dtype.name.title(), "u": "UI" + dtype.name[2:]}[dtype.kind]
                dtype = pd.array([], dtype=name).dtype
            if any(isinstance(v, tuple) for v in values):
                cells = [None if values[c] is None else list(values[c]) for c in codes.tolist()]
                return pd.Series(cells, index=column.index, name=column.name, dtype=dtype)
            data = pd.array([typed(v, dtype.kind) for v in values], dtype=dtype).take(codes)
        return pd.Series(data, index=column.index, name=column.name, dtype=dtype)


def _pandas_text(dtype: Any) -> Any:
    """Return the type of text that belongs with a type of pandas: of Arrow, nullable, or the default."""
    import pandas as pd
    import pyarrow as pa

    if isinstance(dtype, pd.ArrowDtype):
        return pd.ArrowDtype(pa.string())
    return pd.Series([""]).dtype if isinstance(dtype, np.dtype) else pd.StringDtype()


class _Polars(_Backend):
    def bare(self, native: Any) -> Any:
        return bare_polars(native)

    def factorise(self, column: Any, name: str) -> tuple[list[Any], Ints]:
        if str(column.dtype).startswith("List("):
            return _listed(column.to_list(), name)
        if column.dtype.is_nested() or str(column.dtype).startswith(("Object", "Int128", "Datetime(time_unit='ns'")):
            raise _no_values(name)
        return _Arrow().factorise(column.to_arrow(), name)

    def like(self, column: Any, values: Sequence[Any], codes: Ints, discard_style: bool) -> Any:
        import polars as pl

        dtype = pl.String() if becomes_text(values, type_letter(column.dtype)) else column.dtype
        if isinstance(dtype, pl.Enum):
            used = [v for v in values if v is not None]
            dtype = pl.Enum(
                used
                if discard_style
                else [*(c for c in dtype.categories if c in set(used)), *(v for v in used if v not in dtype.categories)]
            )
        try:
            return pl.Series(column.name, [typed(v, type_letter(dtype)) for v in values], dtype=dtype).gather(codes)
        except pl.exceptions.PolarsError as error:
            raise ValueError from error


class _Arrow(_Backend):
    def bare(self, native: Any) -> Any:
        return bare_arrow(native)

    def factorise(self, column: Any, name: str) -> tuple[list[Any], Ints]:
        import pyarrow as pa

        if pa.types.is_list(column.type) or pa.types.is_large_list(column.type):
            return _listed(column.to_pylist(), name)
        try:
            if pa.types.is_string_view(column.type):
                column = column.cast(pa.large_string())
            whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
            if not pa.types.is_dictionary(whole.type):
                coded = whole.dictionary_encode(null_encoding="encode")
                return coded.dictionary.to_pylist(), arrow_numbers(coded.indices.cast(pa.int64()))
            values = whole.dictionary.to_pylist()
            codes = arrow_numbers(whole.indices.cast(pa.int64()).fill_null(-1))
        except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
            raise _no_values(name) from error
        return _nulls_last(values, codes)

    def like(self, column: Any, values: Sequence[Any], codes: Ints, discard_style: bool) -> Any:
        import pyarrow as pa

        whole = column.type
        kind = whole.value_type if pa.types.is_dictionary(whole) else whole
        if becomes_text(values, type_letter(kind)):
            kind = pa.string()
            whole = pa.dictionary(whole.index_type, kind) if pa.types.is_dictionary(whole) else kind
        cells = _arrow_array([typed(v, type_letter(kind)) for v in values], kind).take(arrow_of(codes))
        if pa.types.is_dictionary(whole):
            cells = cells.dictionary_encode()
        return pa.chunked_array([cells.cast(whole)])


def arrow_numbers(array: Any) -> Ints:
    """Return whole numbers of Arrow, none of them null, for NumPy; `to_numpy` would import pandas first."""
    return np.asarray(np.from_dlpack(array), np.int64) if len(array) else np.zeros(0, np.int64)


def arrow_of(numbers: Ints) -> Any:
    """Return whole numbers for Arrow, without `pa.array`, which would import pandas first."""
    import pyarrow as pa

    own = np.ascontiguousarray(numbers, np.int64)
    return pa.Array.from_buffers(pa.int64(), len(own), [None, pa.py_buffer(own)])


def _arrow_array(values: Sequence[Any], kind: Any) -> Any:
    """Return values for Arrow; texts and numbers without `pa.array`, which would import pandas first."""
    import pyarrow as pa

    present = pa.py_buffer(np.packbits(np.array([v is not None for v in values], bool), bitorder="little"))
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        if not all(v is None or isinstance(v, str) for v in values):
            raise TypeError("the replacement is no text")
        encoded = [b"" if v is None else v.encode() for v in values]
        offsets = pa.py_buffer(np.cumsum([0, *map(len, encoded)], dtype=np.int64))
        text = pa.py_buffer(b"".join(encoded))
        return pa.Array.from_buffers(pa.large_string(), len(encoded), [present, offsets, text])
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        own = np.array([0 if v is None else v for v in values], kind.to_pandas_dtype())
        return pa.Array.from_buffers(kind, len(own), [present, pa.py_buffer(own)])
    return pa.array(values, type=kind)


def arrow_coded(column: Any, name: str) -> tuple[list[Any], Ints]:
    """Return the distinct cells of an Arrow column, and the code of every row."""
    return _Arrow().factorise(column, name)


def arrow_cells(column: Any, name: str) -> Cells:
    """Return the cells of an Arrow column."""
    values, codes = arrow_coded(column, name)
    return merged([as_cell(x) for x in values], codes)


def arrow_like(column: Any, values: Sequence[Any], codes: Ints) -> Any:
    """Return an Arrow column of the same type with other cells; of text, where a range is written to numbers."""
    return _Arrow().like(column, values, codes, False)
