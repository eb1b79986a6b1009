"""A masked table beside the original, whoever masked it: which of its rows is which, and what its cells mean."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Ints, distinct
from allonym.cells import Cells, cell_text, is_missing
from allonym.errors import PlanError, Problem, TableError, first_few, plural
from allonym.kinds.base import ANYTHING, ReleasedColumn
from allonym.kinds.sets import Sets
from allonym.pipeline.encoding import encode_sensitive
from allonym.pipeline.prepare import Prepared, opened
from allonym.privacy import models as privacy
from allonym.records import Attribute
from allonym.tables.base import Table
from allonym.tables.files import Reading


class MaskedTable:
    """A masked table beside the original: which of its rows is which, and what its cells mean."""

    def __init__(self, found: Prepared, source: Any, key: str | None, what: str, partial: bool = False) -> None:
        self.found, self.what = found, what
        plan, wanted = found.plan, found.with_role("quasi")
        self.table, self.names = self._opened(source, plan.reading)
        if not set(wanted) <= set(self.names):  # another tool may write in another way
            self.table, self.names = self._opened(source, Reading(header=plan.reading.header))
        lost = [x for x in wanted if x not in self.names]
        if lost and not (partial and len(lost) < len(wanted)):
            told = f"{plural(len(lost), 'column')} of the plan not in {what}: {first_few(lost, 20)}."
            hint = "it needs the columns that the plan masks, under the same names."
            raise PlanError([Problem("missing-column", told, hint)])
        self.rows = self._aligned(key)
        read = [x for x in [*wanted, *found.with_role("sensitive")] if x in self.names]
        cells = self.table.cells([self.names[x] for x in read])
        self.cells = {x: self._here(self._canonical(x, cells[self.names[x]])) for x in read}
        self.group_ids = self._looks([x for x in wanted if x in self.cells])

    def _opened(self, source: Any, reading: Reading) -> tuple[Table, dict[str, str]]:
        table = opened(self.found.plan, source, reading=reading)
        return table, self._names(table)

    def _looks(self, columns: Sequence[str]) -> Ints:
        """Return which rows look alike; -1 for those that say nothing, if some of them did in the original."""
        missing = self.found.plan.missing
        now = self._silent([self.cells[x] for x in columns], lambda v: v == ANYTHING or is_missing(v, missing))
        was = self._silent([self.found.cells[x] for x in columns], lambda v: is_missing(v, missing))
        group_ids = distinct([self.cells[x].codes for x in columns])[0]
        suppressed = np.isin(group_ids, group_ids[now & ~was])
        if suppressed.all():  # of everybody nothing is known: they all look alike
            suppressed[:] = False
        return np.where(suppressed | (self.rows < 0), -1, group_ids)

    @staticmethod
    def _silent(columns: Sequence[Cells], is_silent: Callable[[Any], bool]) -> NDArray[np.bool_]:
        """Return which rows have nothing to say in any column."""
        each = [np.array([is_silent(v) for v in cells.values], bool)[cells.codes] for cells in columns]
        found: NDArray[np.bool_] = np.all(each, axis=0)
        return found

    def _names(self, table: Table) -> dict[str, str]:
        """Return what the columns of the original are called here; without a header they are numbered anew."""
        found = self.found
        if found.plan.reading.header is False:
            dropped = {*found.with_role("identifier"), *found.with_role("unit")}
            kept = [x for x in found.table.names if x not in dropped]
            if len(kept) == len(table.names):
                return dict(zip(kept, table.names, strict=True))
        return {x: x for x in table.names}

    def _aligned(self, key: str | None) -> Ints:
        """Return for every row of the original which row it is here; -1, if it is none."""
        ours, theirs = self.found.table, self.table
        if key is None:
            if ours.n != theirs.n:
                raise TableError(
                    f"The original has {ours.n:,} rows, {self.what} has {theirs.n:,}.",
                    hint="name a column that says which row is which with --key.",
                )
            return np.arange(ours.n)
        lost = [what for what, t in (("the original", ours), (self.what, theirs)) if key not in t.names]
        if lost:
            raise TableError(f"The key {key} is no column of {first_few(lost)}.", hint="both tables need it.")
        mine, other = ours.cells([key])[key], theirs.cells([key])[key]
        for what, cells in (("the original", mine), (self.what, other)):
            if any(v is None or v == "" for v, n in zip(cells.values, cells.counts, strict=True) if n):
                raise TableError(f"Some rows of {what} have no key.", hint="fill it in, or choose another.")
            if len({cell_text(v) for v in cells.values}) < len(cells.codes):
                again = int((cells.counts > 1).sum())
                raise TableError(f"The key {key} is not unique in {what}: {plural(again, 'value')} of it come again.")
        place = {cell_text(other.values[c]): row for row, c in enumerate(other.codes.tolist())}
        rows = np.array([place.get(cell_text(mine.values[c]), -1) for c in mine.codes.tolist()], np.int64)
        if strange := theirs.n - int((rows >= 0).sum()):
            raise TableError(
                f"{self.what.capitalize()} has {plural(strange, 'row')} whose key is not in the original.",
                hint="are the keys written alike in both tables?",
            )
        return rows

    def _canonical(self, name: str, cells: Cells) -> Cells:
        return self.found.coded[name].kind.canonical(cells) if name in self.found.coded else cells

    def _here(self, cells: Cells) -> Cells:
        """Return a column in the order of the original; rows that are not here are null."""
        codes = np.full(len(self.rows), len(cells.values), np.int64)
        codes[self.rows >= 0] = cells.codes[self.rows[self.rows >= 0]]
        return Cells([*cells.values, None], codes)

    def encoded(self, name: str) -> ReleasedColumn:
        """Encode a masked column by the kind of the original."""
        original = self.found.coded[name]
        return original.kind.encode_release(original, self.cells[name], self.found.words.get(name, ()))

    def combinations(self, k: int, m: int) -> Iterator[dict[str, Any]]:
        """Yield for columns of sets whether every combination of up to m items is held by at least k records."""
        for name, coded in self.found.coded.items():
            if isinstance(coded.kind, Sets) and name in self.cells:
                cells = self.cells[name]
                codes, own = np.arange(len(cells.values)), None
                if self.found.units is not None:
                    first = distinct([cells.codes, self.found.units])[2]
                    codes, own = cells.codes[first], self.found.units[first].tolist()
                sets = [frozenset(coded.kind.items(cells.values[c])) for c in codes.tolist()]
                least, below = privacy.km_anonymity(sets, cells.counts[codes].tolist(), k, m, own)
                entry = {"model": f"k^{m}-anonymity", "columns": [name], "asked": k, "reached": least}
                yield entry | {"holds": below == 0, "combinations_below": below}

    def encode_sensitive(self, name: str) -> tuple[Attribute, Ints]:
        """Return a sensitive column as it is in the release; as it was, if the release does not have it."""
        was = encode_sensitive(self.found, name)
        if name not in self.cells:
            return was.attribute, was.codes
        known = self.encoded(name)
        return known.attribute, known.codes
