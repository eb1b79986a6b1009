"""Long tables: one row for each item of a unit. The pipeline sees one row for each unit, with its items as a list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from allonym.arrays import Ints
from allonym.cells import MISSING, Cells, is_missing, united_codes
from allonym.errors import ReleaseError, TableError, plural
from allonym.tables.memory import MemoryTable
from allonym.tables.row_order import RowOrder
from allonym.tables.second_reader import joined, text_columns


class LongTable(MemoryTable):
    """A long table as one with a row for each unit, in order of appearance, and the items of each as a list.

    A release is long again. Its units are numbered from 1; a unit without items has one row with an empty item.
    """

    drops_unit = False

    def __init__(self, base: MemoryTable, unit: str, item: str, missing: Sequence[str] = MISSING) -> None:
        absent = [x for x in (unit, item) if x not in base.names]
        if absent:
            raise TableError(f"A long table needs {' and '.join(absent)}.", hint="check the names.")
        self.base, self.unit, self.item, self.missing = base, unit, item, missing
        self.name, self.names, self.format, self.sha256 = base.name, base.names, base.format, base.sha256

    @cached_property
    def _units(self) -> tuple[Cells, Ints, Ints]:
        """The cells of the unit column, the number of every row's unit, and the first row of each unit.

        Spellings of one unit are one.
        """
        cells = self.base.cells([self.unit])[self.unit]
        units, first, unit_of = np.unique(united_codes(cells), return_index=True, return_inverse=True)
        order = np.argsort(first, kind="stable")
        rank = np.empty(len(units), np.int64)
        rank[order] = np.arange(len(units))
        return cells, rank[unit_of.ravel()], first[order]

    @cached_property
    def n(self) -> int:
        """The number of units."""
        return len(self._units[2])

    def check_kept(self, names: Sequence[str]) -> None:
        """Refuse columns whose cells differ within a unit."""
        self.cells(names)

    def cells(self, names: Sequence[str]) -> dict[str, Cells]:
        """Return the cells of some columns, unit by unit."""
        of_rows = self.base.cells([x for x in names if x != self.unit])
        _, unit_of, first = self._units
        of_units: dict[str, Cells] = {}
        for name in names:
            if name == self.unit:
                cells = self._units[0]
                of_units[name] = Cells(cells.values, cells.codes[first])
            elif name == self.item:
                of_units[name] = self._listed(of_rows[name])
            else:
                own = of_rows[name].codes[first]
                if differ := len(np.unique(unit_of[of_rows[name].codes != own[unit_of]])):
                    raise TableError(
                        f"Column {name} is not the same in all rows of {plural(differ, 'unit')}.",
                        hint="a long table keeps only columns that are; drop this one (role identifier).",
                    )
                of_units[name] = Cells(of_rows[name].values, own)
        return of_units

    def _listed(self, cells: Cells) -> Cells:
        """Return the items of each unit as a list."""
        _, unit_of, _ = self._units
        present = np.array([not is_missing(v, self.missing) for v in cells.values], bool)
        rows = np.flatnonzero(present[cells.codes]) if len(present) else np.zeros(0, np.int64)
        rows = rows[np.argsort(unit_of[rows], kind="stable")]
        parts = np.split(cells.codes[rows], np.searchsorted(unit_of[rows], np.arange(1, self.n)))
        place: dict[tuple[Any, ...], int] = {}
        codes = [place.setdefault(tuple(cells.values[c] for c in sorted(set(p.tolist()))), len(place)) for p in parts]
        return Cells(list(place), np.array(codes[: self.n], np.int64))

    # --- writing ---------------------------------------------------------------------------------------------

    def changed(
        self,
        columns: Mapping[str, Cells],
        drop: Sequence[str],
        *,
        discard_style: bool = False,
        order: RowOrder | None = None,
    ) -> Any:
        """Return the long table with other items and cells, and without some columns.

        In another order, units come in that order and are numbered in it, and so do the items of each.
        """
        names = [x for x in self.names if x == self.unit or x not in drop]
        cells_of = self.cells([x for x in names if x not in (self.unit, self.item) and x not in columns]) | dict(
            columns
        )
        units = np.arange(self.n) if order is None else order.rows(self.n)
        lists = [cells_of[self.item].values[c] or () for c in cells_of[self.item].codes[units].tolist()]
        row_counts = np.array([max(len(x), 1) for x in lists], np.int64)
        data: dict[str, list[Any]] = {}
        for name in names:
            if name == self.item:
                items = [x for own in lists for x in (own or (None,))]
                data[name] = items if order is None else [items[i] for i in order.within(row_counts).tolist()]
            elif name == self.unit:
                data[name] = np.repeat(np.arange(1, self.n + 1), row_counts).tolist()
            else:
                cells = cells_of[name]
                data[name] = [cells.values[c] for c in np.repeat(cells.codes[units], row_counts).tolist()]
        return self.base.from_columns(data)

    def from_columns(self, data: Mapping[str, list[Any]]) -> Any:
        """Return new columns as content of the same format."""
        return self.base.from_columns(data)

    def save(self, content: Any, path: Path, *, zipped: bool = False) -> None:
        """Write content to a file."""
        self.base.save(content, path, zipped=zipped)

    def reread(self, content: Any, columns: Sequence[str], names: Sequence[str]) -> tuple[Any, Sequence[str]]:
        """Read some columns of a release by the second reader of its format, one row for each unit."""
        frame, stored = self.base.reread(content, [self.unit, *columns], names)
        return one_row_per_unit(frame, self.unit, self.item, columns), stored


def one_row_per_unit(frame: Any, unit: str, item: str, columns: Sequence[str]) -> pa.Table:
    """Return a long table with one row for each unit: its items as one text, and the cells its rows have in common."""
    texts = dict(zip((unit, *columns), (x.to_pylist() for x in text_columns(frame, [unit, *columns])), strict=True))
    items: dict[str, set[str]] = {}
    others: dict[str, tuple[str | None, ...]] = {}
    rest = [x for x in columns if x != item]
    for row, who in enumerate(texts[unit]):
        own = tuple(texts[x][row] for x in rest)
        if others.setdefault(str(who), own) != own:
            raise ReleaseError("The rows of a unit of the release differ in what they have in common.")
        items.setdefault(str(who), set()).update([texts[item][row]] if texts[item][row] else [])
    data: dict[str, list[Any]] = {x: [own[i] for own in others.values()] for i, x in enumerate(rest)}
    data[item] = [joined(x) for x in items.values()]
    return pa.table({x: pa.array([None if v is None else str(v) for v in data[x]], pa.string()) for x in columns})
