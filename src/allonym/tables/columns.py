"""Tables whose columns are lists of Python values: spreadsheets, and files of statistics packages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from allonym.arrays import Ints
from allonym.cells import Cells, merged
from allonym.errors import TableError
from allonym.tables.frame import as_cell
from allonym.tables.memory import MemoryTable
from allonym.tables.row_order import RowOrder


def coded(values: Sequence[Any], name: str, table: str) -> Cells:
    """Return the cells of a column; 1, 1.0 and true are three values."""
    code_of: dict[Any, int] = {}
    try:
        codes = [code_of.setdefault(_keyed(as_cell(value)), len(code_of)) for value in values]
    except TypeError as error:
        raise TableError(f"Column {name} of {table} holds objects.", hint="keep the column.") from error
    return merged([value for _, value in code_of], np.array(codes, np.int64))


def _keyed(value: Any) -> tuple[Any, Any]:
    hash(value)
    kinds = tuple(type(x).__name__ for x in value) if isinstance(value, tuple) else type(value).__name__
    return kinds, value


class Columns(MemoryTable):
    """A table whose columns are lists."""

    def __init__(self, columns: Mapping[str, list[Any]], name: str) -> None:
        self._columns, self.name = dict(columns), name
        self.names = tuple(self._columns)

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(next(iter(self._columns.values()), []))

    def cells(self, names: Sequence[str]) -> dict[str, Cells]:
        """Return the cells of some columns."""
        return {name: coded(self._columns[name], name, self.name) for name in names}

    def changed(
        self,
        columns: Mapping[str, Cells],
        drop: Sequence[str],
        *,
        discard_style: bool = False,
        order: RowOrder | None = None,
    ) -> dict[str, list[Any]]:
        """Return the columns with other cells in some, and without others."""
        new = {name: [cells.values[c] for c in cells.codes.tolist()] for name, cells in columns.items()}
        content = {name: new.get(name, self._columns[name]) for name in self.names if name not in drop}
        return content if order is None else reordered(content, order.rows(self.n))

    def from_columns(self, data: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
        """Return new columns, to be saved in the same format."""
        return dict(data)


def reordered(columns: Mapping[str, list[Any]], rows: Ints) -> dict[str, list[Any]]:
    """Return columns with their rows in an order."""
    places = rows.tolist()
    return {name: [values[i] for i in places] for name, values in columns.items()}


def named(names: Sequence[str], table: str) -> tuple[str, ...]:
    """Return the names of columns; each must have its own."""
    unnamed = sum(not x for x in names)
    if unnamed:
        raise TableError(
            f"{unnamed:,} of {len(names):,} columns of {table} have no name.",
            hint="name every column in the first row; if the table has no header, add --no-header.",
        )
    repeated = [x for x, count in Counter(names).items() if count > 1]
    if repeated:
        raise TableError(
            f"{len(names) - len(set(names)):,} of {len(names):,} column names of {table} occur more than once.",
            hint="give every column its own name; if the table has no header, add --no-header.",
            values=repeated,
        )
    return tuple(names)
