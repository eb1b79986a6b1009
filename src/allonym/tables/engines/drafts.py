"""Releases that an engine holds: saved by the engine, read again by it, and compared with what they should contain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from allonym.arrays import Ints
from allonym.cells import Cells, united_codes
from allonym.errors import ReleaseError, first_few
from allonym.tables.base import Reread
from allonym.tables.engines.base import Engine
from allonym.tables.engines.counted_rows import row_counts_of, same_rows
from allonym.tables.frame import arrow_cells
from allonym.tables.row_order import RowOrder

if TYPE_CHECKING:
    from allonym.tables.engines.grouped import GroupedTable


@dataclass(frozen=True, eq=False)
class EngineDraft:
    """A masked table in an engine, not computed yet."""

    released: Engine  # without the dropped columns
    table: GroupedTable
    order: RowOrder | None  # of the rows of a file

    @property
    def frame(self) -> Any:
        """The masked frame, not computed yet."""
        return self.released.native

    @property
    def in_folder(self) -> bool:
        """Whether it is saved as a folder of files."""
        return self.released.in_folder(self.table.partition_by)

    @property
    def input_rows(self) -> Ints:
        """For each row of the file, the row of the table that it is."""
        rows = self.table.n
        return np.arange(rows) if self.order is None else self.table.engine.input_rows(self.order, rows)

    def save(self, path: Path) -> None:
        """Let the engine write it."""
        self.released.save(path, self.table.partition_by)

    def opened(self, path: Path | None) -> Engine:
        """Return what was saved as the engine reads it, else the frame; it must have the columns of the release."""
        release = self.released if path is None else self.released.reopen(path, self.released)
        if tuple(release.names) != tuple(self.released.names):
            count = len(self.released.names)
            raise ReleaseError(f"The release has {len(release.names)} columns, not the {count} promised.")
        return release

    def check_partitions(self, release: Engine, masked: Sequence[str]) -> None:
        """Refuse a release whose partitions have other values than the table in columns that are not masked."""
        columns = [x for x in self.table.partition_by if x not in masked]
        if columns and not same_rows(release.count_rows(columns), self.table.engine.count_rows(columns), columns):
            raise ReleaseError(
                f"The release has other values in {first_few(columns)} than the table: "
                "folders cannot be named by them all."
            )


@dataclass(frozen=True, eq=False)
class GroupedDraft(EngineDraft):
    """A release in which equal rows were replaced together."""

    masked: Engine  # with the columns that the release drops
    cells: Mapping[str, Cells]

    def reread(self, path: Path | None, columns: Sequence[str]) -> Iterator[Reread]:
        """Count the rows of the release; they must be those that the table was to become."""
        release = self.opened(path)
        rows = release.count_rows(columns)
        if not same_rows(rows, self.table.expected(self.cells), list(self.cells)):
            raise ReleaseError("The release has other rows than it was to have.")
        self.check_partitions(release, list(self.cells))
        units = {"persons": self.table.unit, "households": self.table.household}
        units_by_name = {what: name for what, name in units.items() if name is not None}
        if units_by_name:  # the release does not hold the persons; the masked table does, with the same rows
            if not same_rows(self.masked.count_rows(columns), rows, columns):
                raise ReleaseError("The release has other rows than those whose persons were counted.")
            rows = self.masked.count_rows([*columns, *units_by_name.values()])
        counted = {what: united_codes(arrow_cells(rows.column(x), x)) for what, x in units_by_name.items()}
        yield Reread(rows, release.names, columns, row_counts_of(rows), **counted)


@dataclass(frozen=True, eq=False)
class RowwiseDraft(EngineDraft):
    """A release whose rows were masked one by one."""

    columns: Sequence[str]  # that were masked

    def reread(self, path: Path | None, columns: Sequence[str]) -> Iterator[Reread]:
        """Count the values of each column by itself: rows masked one by one make no groups."""
        release = self.opened(path)
        self.check_partitions(release, self.columns)
        for column in columns:
            rows = release.count_rows([column])
            yield Reread(rows, release.names, [column], row_counts_of(rows))
