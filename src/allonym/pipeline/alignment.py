"""Aligning a masked table, from any tool, with the original: its rows and its columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from allonym import privacy
from allonym.arrays import Ints, distinct
from allonym.cells import Cells, cell_text, is_missing
from allonym.errors import REPEATED_KEY, UNKNOWN_KEY, PlanError, Problem, TableError, first_few, plural
from allonym.kinds.base import ANYTHING, ReleasedColumn
from allonym.pipeline.encoding import encode_sensitive
from allonym.pipeline.prepare import Prepared
from allonym.pipeline.source import open_source
from allonym.plan.column import DROPPED_ROLES
from allonym.privacy.spellings import same_values
from allonym.records import Attribute
from allonym.release.row_map import read_row_map
from allonym.tables.base import NO_SHEET, Table
from allonym.tables.files import Reading

PAIRING = "name a column that identifies each row with --key, or give the row map that `mask` wrote with --row-map."


def _by_label(ours: Table, theirs: Table) -> Ints | None:
    """Return for every row of a pandas frame the row of another that has its label; None: by position, or no frames.

    Frames with the same labels are aligned by them. Where labels differ, or are 0, 1, 2, … in both, positions count.
    """
    mine, other = ours.row_labels, theirs.row_labels
    if mine is None or other is None or len(mine) != len(other):
        return None
    order, place = np.argsort(mine, kind="stable"), np.argsort(other, kind="stable")
    if not np.array_equal(mine[order], other[place]):
        return None
    rows = np.empty(len(mine), np.int64)
    rows[order] = place
    positions = np.arange(len(mine))
    return None if np.array_equal(mine, positions) and np.array_equal(rows, positions) else rows


class MaskedTable:
    """A masked table with its rows in the order of the original, and its columns under the original names."""

    def __init__(
        self,
        prepared: Prepared,
        source: Any,
        key: str | None,
        what: str,
        partial: bool = False,
        row_map: str | Path | None = None,
    ) -> None:
        self.prepared, self.what = prepared, what
        self.paired_by = "row map" if row_map is not None else "key" if key is not None else "position"
        plan, masked = prepared.plan, prepared.with_role("quasi")
        self.table, self.names = self._opened(source, plan.reading)
        if not set(masked) <= set(self.names):  # another tool may write another format
            self.table, self.names = self._opened(
                source, Reading(header=plan.reading.header, max_size=plan.reading.max_size)
            )
        lost = [x for x in masked if x not in self.names]
        if lost and not (partial and len(lost) < len(masked)):
            text = f"{plural(len(lost), 'column')} of the plan not in {what}: {first_few(lost, 20)}."
            hint = "it needs the columns that the plan masks, under the same names."
            raise PlanError([Problem("missing-column", text, hint)])
        self.rows = self._aligned(key, row_map)
        read = [x for x in [*masked, *prepared.with_role("sensitive")] if x in self.names]
        cells = self.table.cells([self.names[x] for x in read])
        self.written = {x: self._reordered(cells[self.names[x]]) for x in read}
        self.cells = {x: self._canonical(x, self.written[x]) for x in read}
        self.group_ids, self.suppressed = self._group_ids([x for x in masked if x in self.cells])

    def _opened(self, source: Any, reading: Reading) -> tuple[Table, dict[str, str]]:
        try:
            table = open_source(self.prepared.plan, source, reading=reading, in_memory=True)
        except TableError as error:
            if error.problems[0].code != NO_SHEET:
                raise
            table = open_source(self.prepared.plan, source, reading=reading.of_release, in_memory=True)
        return table, self._names(table)

    def _group_ids(self, columns: Sequence[str]) -> tuple[Ints, NDArray[np.bool_]]:
        """Number the equivalence classes of the rows, -1 for rows that are not there, and tell which are suppressed.

        Rows that have lost all their values are suppressed. They are an equivalence class: whoever is in no other is
        known to be one of them.
        """
        empty_now = self._empty({x: self.cells[x] for x in columns}, anything=True)
        empty_before = self._empty({x: self.prepared.cells[x] for x in columns})
        group_ids = distinct([self.cells[x].codes for x in columns])[0]
        suppressed = np.isin(group_ids, group_ids[empty_now & ~empty_before])
        if suppressed.all():  # all rows are one equivalence class
            suppressed[:] = False
        gone = self.rows < 0
        return np.where(gone, -1, group_ids), suppressed | gone

    def _empty(self, columns: Mapping[str, Cells], *, anything: bool = False) -> NDArray[np.bool_]:
        """Return which rows are empty in every column; also, if asked for, where they say any value is possible."""
        each = []
        for name, cells in columns.items():
            markers = (*self.prepared.plan.missing_in(name), *((ANYTHING,) if anything else ()))
            each.append(np.array([is_missing(v, markers) for v in cells.values], bool)[cells.codes])
        empty: NDArray[np.bool_] = np.all(each, axis=0)
        return empty

    def _names(self, table: Table) -> dict[str, str]:
        """Return the names of the original's columns in the masked table; without a header, names are positions."""
        prepared = self.prepared
        if prepared.plan.reading.header is False:
            dropped = {x for role in DROPPED_ROLES for x in prepared.with_role(role)}
            kept = [x for x in prepared.table.names if x not in dropped]
            if len(kept) == len(table.names):
                return dict(zip(kept, table.names, strict=True))
        return {x: x for x in table.names}

    def _aligned(self, key: str | None, row_map: str | Path | None) -> Ints:
        """Return for every row of the original its row in the masked table; -1, if it has none."""
        ours, theirs = self.prepared.table, self.table
        if row_map is not None:
            return read_row_map(row_map, ours.n, theirs.n, self.what)
        if key is None and (rows := _by_label(ours, theirs)) is not None:
            self.paired_by = "index"
            return rows
        if key is None:
            if ours.n != theirs.n:
                raise TableError(f"The original has {ours.n:,} rows, {self.what} has {theirs.n:,}.", hint=PAIRING)
            self._check_positions()
            return np.arange(ours.n)
        lost = [what for what, t in (("the original", ours), (self.what, theirs)) if key not in t.names]
        if lost:
            raise TableError(f"The key column {key} is not in {first_few(lost)}.", hint="both tables need it.")
        mine, other = ours.cells([key])[key], theirs.cells([key])[key]
        for what, cells in (("the original", mine), (self.what, other)):
            if any(v is None or v == "" for v, n in zip(cells.values, cells.counts, strict=True) if n):
                raise TableError(
                    f"Some rows of {what} have an empty key.", hint="fill it in, or choose another column."
                )
            if len({cell_text(v) for v in cells.values}) < len(cells.codes):
                again = [cell_text(v) for v, n in zip(cells.values, cells.counts, strict=True) if n > 1]
                text = f"The key {key} is not unique in {what}: {plural(len(again), 'value')} repeated."
                raise TableError(text, hint="choose another column.", code=REPEATED_KEY, values=again)
        place = {cell_text(other.values[c]): row for row, c in enumerate(other.codes.tolist())}
        rows = np.array([place.get(cell_text(mine.values[c]), -1) for c in mine.codes.tolist()], np.int64)
        if unknown := set(place) - {cell_text(v) for v in mine.values}:
            raise TableError(
                f"{self.what.capitalize()} has {plural(len(unknown), 'row')} whose key is not in the original.",
                hint="check that both tables write keys alike.",
                code=UNKNOWN_KEY,
                values=sorted(unknown),
            )
        return rows

    def _check_positions(self) -> None:
        """Refuse rows in another order: no column that is not masked has its values where it had them."""
        masked = set(self.prepared.with_role("quasi"))
        others = [x for x in self.prepared.table.names if x in self.names and x not in masked]
        agreements = [x for name in others if (x := self._agreement(name, self.names[name])) is not None]
        if agreements and not any(agreements):
            text = f"The rows of {self.what} are in another order than those of the original."
            raise TableError(text, hint=PAIRING)

    def _agreement(self, name: str, masked_name: str) -> bool | None:
        """Tell whether a column has its values where it had them, rather than at random places.

        None, if it does not have the same values as often, or has one value only.
        """
        try:
            ours, theirs = (t.cells([x])[x] for t, x in ((self.prepared.table, name), (self.table, masked_name)))
        except TableError:  # objects; cells that differ within a unit of a long table
            return None
        code_of: dict[str, int] = {}
        before, after = (
            np.array([code_of.setdefault("" if v is None else cell_text(v), len(code_of)) for v in x.values], np.int64)[
                x.codes
            ]
            for x in (ours, theirs)
        )
        counts = np.bincount(before, minlength=len(code_of))
        if (counts != np.bincount(after, minlength=len(code_of))).any() or counts.max(initial=0) == len(before):
            return None
        chance = float(((counts / len(before)) ** 2).sum())
        return float((before == after).mean()) >= (1 + chance) / 2

    def _canonical(self, name: str, cells: Cells) -> Cells:
        return self.prepared.encoded[name].kind.canonical(cells) if name in self.prepared.encoded else cells

    def _reordered(self, cells: Cells) -> Cells:
        """Return a column in the row order of the original; rows that the masked table lacks are null."""
        codes = np.full(len(self.rows), len(cells.values), np.int64)
        codes[self.rows >= 0] = cells.codes[self.rows[self.rows >= 0]]
        return Cells([*cells.values, None], codes)

    def encoded(self, name: str) -> ReleasedColumn:
        """Encode a masked column by the kind of the original."""
        original = self.prepared.encoded[name]
        return original.kind.encode_release(original, self.cells[name], self.prepared.links.get(name, ()))

    def combinations(self, k: int, m: int) -> Iterator[dict[str, Any]]:
        """Yield for columns of sets whether every combination of up to m items is held by at least k records."""
        for name, encoded in self.prepared.encoded.items():
            if encoded.kind.multivalued and name in self.cells:
                cells = self.cells[name]
                codes, units = np.arange(len(cells.values)), None
                if self.prepared.units is not None:
                    first = distinct([cells.codes, self.prepared.units])[2]
                    codes, units = cells.codes[first], self.prepared.units[first].tolist()
                sets = [frozenset(encoded.kind.items(cells.values[c])) for c in codes.tolist()]
                least, below = privacy.km_anonymity(sets, cells.counts[codes].tolist(), k, m, units)
                entry = {"model": f"k^{m}-anonymity", "columns": [name], "asked": k, "reached": least}
                yield entry | {"holds": below == 0, "combinations_below": below}

    def encode_sensitive(self, name: str) -> tuple[Attribute, Ints]:
        """Encode a sensitive column of the release; the original one, if the release does not have it."""
        original = encode_sensitive(self.prepared, name)
        if name not in self.cells:
            return original.attribute, original.codes
        released = self.encoded(name)
        code = same_values(released.attribute.values, self.prepared.plan.missing_in(name))
        return released.attribute, code[released.codes]
