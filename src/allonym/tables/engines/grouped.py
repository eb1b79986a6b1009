"""The lines of a table that an engine holds: its different rows in some columns, with how often each comes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from allonym.arrays import Ints, distinct
from allonym.cells import Cells, merged
from allonym.errors import TableError
from allonym.tables.engines.base import COUNT, Engine, Replacements
from allonym.tables.frame import arrow_cells, arrow_coded, arrow_like, arrow_numbers, arrow_of


class GroupedTable:
    """A table by its lines: to those who ask for cells, a line is a row that stands for several.

    `each`: a line is as many rows as it stands for, as numbers; for what must tell rows apart that are alike.
    """

    suffix = ".parquet"

    def __init__(self, engine: Engine, together: Sequence[str] = (), *, each: bool = False) -> None:
        self.engine, self.names, self.together = engine, engine.names, tuple(together)
        odd = [x for x in self.names if not isinstance(x, str)]
        if odd or len(set(self.names)) < len(self.names):
            raise TableError("The table has two columns of one name.", hint="rename one.")
        lines = _sorted(engine.lines(together)) if each else engine.lines(together)
        self._lines = lines.drop_columns([COUNT])
        self._counts = row_counts_of(lines)
        self.n = int(self._counts.sum())
        self.row = np.repeat(np.arange(len(self._counts)), self._counts) if each else None  # the line of every row

    @property
    def row_counts(self) -> Ints | None:
        """How many rows every row stands for; None, where each is one."""
        return self._counts if self.row is None else None

    def cells(self, names: Sequence[str]) -> dict[str, Cells]:
        """Return the cells of some columns; those that are not counted together with others, each by itself."""
        found = {}
        for name in names:
            if name not in self.together:
                found[name] = GroupedTable(self.engine, [name]).cells([name])[name]
                continue
            cells = arrow_cells(self._lines.column(name), name)
            codes = cells.codes if self.row is None else cells.codes[self.row]
            found[name] = Cells(cells.values, codes, self.row_counts)
        return found

    def changed(self, columns: Mapping[str, Cells], drop: Sequence[str], *, discard_style: bool = False) -> Engine:
        """Return the table with other cells in some columns, and without some columns; nothing is computed yet."""
        return self.replaced(columns).without(drop)

    def replaced(self, columns: Mapping[str, Cells]) -> Engine:
        """Return the table with other cells in some columns, all of its columns still there."""
        return self.engine.replaced(self.known(columns))

    def expected(self, columns: Mapping[str, Cells]) -> pa.Table:
        """Return the lines that are to be there in some columns, with how often each comes."""
        number, counts, first = distinct([merged(x.values, x.codes).codes for x in columns.values()])
        if self.row_counts is not None:
            counts = np.bincount(number, weights=self.row_counts).astype(np.int64)
        return pa.table([*self._columns(columns, first), arrow_of(counts)], [*columns, COUNT])

    def known(self, columns: Mapping[str, Cells]) -> Replacements:
        """Return what becomes of rows: by the cells of the columns that change, if these tell; else by lines."""
        codes = [arrow_coded(self._lines.column(x), x)[1] for x in columns]
        alike, _, first = distinct(codes)
        group_ids = distinct([x.codes for x in columns.values()])[0]
        line = np.arange(len(alike)) if self.row is None else self.row
        ways = distinct([alike[line], group_ids])[2]
        if len(ways) == len(first):
            return self._known(columns, ways, list(columns))
        starts = np.flatnonzero((np.diff(line, prepend=-1) != 0) | (np.diff(group_ids, prepend=-1) != 0))
        if len(starts) == len(self._counts):
            return self._known(columns, starts, self.together)
        ends = np.append(starts[1:], len(line))
        begins = (np.cumsum(self._counts) - self._counts)[line[starts]]
        return self._known(columns, starts, self.together, starts - begins, ends - begins)

    def _known(self, columns: Mapping[str, Cells], rows: Ints, keys: Sequence[str], *parts: Ints) -> Replacements:
        lines = rows if self.row is None else self.row[rows]
        own = self._lines.select(list(keys)).take(arrow_of(lines))
        masked = pa.table(dict(zip(columns, self._columns(columns, rows), strict=True)))
        return Replacements(own, masked, *map(arrow_of, parts))

    def _columns(self, columns: Mapping[str, Cells], rows: Ints) -> list[pa.ChunkedArray]:
        """Return what stands in some rows of the columns that change, of the type that they have."""
        found = []
        for name, cells in columns.items():
            old = self._lines.column(name)
            used = merged(cells.values, cells.codes[rows])
            try:
                found.append(arrow_like(old, used.values, used.codes))
            except (ValueError, TypeError, ArithmeticError) as error:
                raise TableError(
                    f"Column {name} holds {old.type}; what stands for its groups cannot be written as such.",
                    hint="convert the column to text first.",
                ) from error
        return found


def row_counts_of(lines: pa.Table) -> Ints:
    """Return how often each line comes."""
    return arrow_numbers(lines.column(COUNT).cast(pa.int64()).combine_chunks())


def _sorted(lines: pa.Table) -> pa.Table:
    """Return lines in an order of their own: sums of survey weights, to the last bit, depend on it."""
    try:
        return lines.sort_by([(x, "ascending") for x in lines.column_names if x != COUNT])
    except pa.ArrowException:  # of what has no order, like lists
        return lines


def hashable(cell: Any) -> Any:
    """Return a cell that can be counted: a list as a tuple; what is not a number is one thing."""
    if isinstance(cell, list):
        return tuple(cell)
    return "not a number" if isinstance(cell, float) and cell != cell else cell  # noqa: PLR0124


def same_rows(one: pa.Table, other: pa.Table, columns: Sequence[str]) -> bool:
    """Tell whether two tables of lines stand for the same rows in some columns, each as often."""
    numbers = []
    for name in columns:
        place: dict[Any, int] = {}
        coded = [arrow_coded(x.column(name), name) for x in (one, other)]
        told = [np.array([place.setdefault(hashable(v), len(place)) for v in x], np.int64)[y] for x, y in coded]
        numbers.append(np.concatenate(told))
    more = np.concatenate([row_counts_of(one), -row_counts_of(other)])
    return not np.bincount(distinct(numbers)[0], weights=more).any() if numbers else int(more.sum()) == 0
