"""Long tables: a row for each item, with a column that says whose it is. To the rest they have a row for each unit."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from allonym.arrays import Ints
from allonym.cells import MISSING, Cells, is_missing
from allonym.errors import TableError, plural
from allonym.tables.columns import Columns
from allonym.tables.files import TextFile
from allonym.tables.frame import Frame
from allonym.tables.jsonl import JsonLines, encoded

ROWS = 10_000  # written at a time


class LongTable:
    """A long table as one with a row for each unit, in the order in which they first come, and their items as lists.

    What is written is long again. Units are numbered, from 1 on; one without an item has a row with an empty one.
    """

    def __init__(self, base: Any, unit: str, item: str, missing: Sequence[str] = MISSING) -> None:
        lost = [x for x in (unit, item) if x not in base.names]
        if lost:
            raise TableError(f"A long table needs {' and '.join(lost)}.", hint="are the names right?")
        self.base, self.unit, self.item, self.missing = base, unit, item, missing
        self.names: tuple[str, ...] = base.names

    @cached_property
    def _units(self) -> tuple[Cells, Ints, Ints]:
        """The cells of the unit, the unit of every row by the order in which they first come, and their first rows."""
        cells = self.base.cells([self.unit])[self.unit]
        here, first, place = np.unique(cells.codes, return_index=True, return_inverse=True)
        order = np.argsort(first, kind="stable")
        rank = np.empty(len(here), np.int64)
        rank[order] = np.arange(len(here))
        return cells, rank[place.ravel()], first[order]

    @property
    def n(self) -> int:
        """The number of units."""
        return len(self._units[2])

    def cells(self, names: Sequence[str]) -> dict[str, Cells]:
        """Return the cells of some columns, unit by unit."""
        found = self.base.cells([x for x in names if x != self.unit])
        _, unit_of, first = self._units
        told: dict[str, Cells] = {}
        for name in names:
            if name == self.unit:
                cells = self._units[0]
                told[name] = Cells(cells.values, cells.codes[first])
            elif name == self.item:
                told[name] = self._listed(found[name])
            else:
                own = found[name].codes[first]
                if differ := len(np.unique(unit_of[found[name].codes != own[unit_of]])):
                    raise TableError(
                        f"Column {name} is not the same in all rows of {plural(differ, 'unit')}.",
                        hint="a long table can only keep what is; drop the column (role identifier).",
                    )
                told[name] = Cells(found[name].values, own)
        return told

    def _listed(self, cells: Cells) -> Cells:
        """Return the items of each unit as a list."""
        _, unit_of, _ = self._units
        known = np.array([not is_missing(v, self.missing) for v in cells.values], bool)
        rows = np.flatnonzero(known[cells.codes]) if len(known) else np.zeros(0, np.int64)
        rows = rows[np.argsort(unit_of[rows], kind="stable")]
        parts = np.split(cells.codes[rows], np.searchsorted(unit_of[rows], np.arange(1, self.n)))
        place: dict[tuple[Any, ...], int] = {}
        codes = [place.setdefault(tuple(cells.values[c] for c in sorted(set(p.tolist()))), len(place)) for p in parts]
        return Cells(list(place), np.array(codes[: self.n], np.int64))

    # --- writing ---------------------------------------------------------------------------------------------

    def changed(self, columns: Mapping[str, Cells], drop: Sequence[str], *, discard_style: bool = False) -> Any:
        """Return the long table with other items and cells, and without some columns."""
        names = [x for x in self.names if x == self.unit or x not in drop]
        whole = self.cells([x for x in names if x not in (self.unit, self.item) and x not in columns]) | dict(columns)
        lists = [whole[self.item].values[c] or () for c in whole[self.item].codes.tolist()]
        row_counts = np.array([max(len(x), 1) for x in lists], np.int64)
        data: dict[str, list[Any]] = {}
        for name in names:
            if name == self.item:
                data[name] = [x for items in lists for x in (items or (None,))]
            elif name == self.unit:
                data[name] = np.repeat(np.arange(1, self.n + 1), row_counts).tolist()
            else:
                cells = whole[name]
                data[name] = [cells.values[c] for c in np.repeat(cells.codes, row_counts).tolist()]
        if isinstance(self.base, TextFile):
            return self.base.encoded(self._lines(data))
        if isinstance(self.base, JsonLines):
            return (encoded(dict(zip(data, row, strict=True))) for row in zip(*data.values(), strict=True))
        assert isinstance(self.base, (Frame, Columns))
        return self.base.made_of(data)

    def _lines(self, data: dict[str, list[Any]]) -> Iterator[bytes]:
        text = io.StringIO(newline="")
        writer = csv.writer(text, delimiter=self.base.delimiter, lineterminator="\n")
        if self.base.has_header:
            writer.writerow(data)
        for place, row in enumerate(zip(*data.values(), strict=True)):
            writer.writerow(["" if x is None else x for x in row])
            if place % ROWS == 0:
                yield text.getvalue().encode()
                text.seek(0)
                text.truncate()
        yield text.getvalue().encode()

    def save(self, changed: Any, path: Path, *, zipped: bool = False) -> None:
        """Write what `changed` gives."""
        self.base.save(changed, path, zipped=zipped)
