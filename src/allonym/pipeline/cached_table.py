"""A data file that is read once: a plan may change and be checked again without another read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from allonym.cells import Cells, cell_text
from allonym.kinds.registry import is_multivalued
from allonym.pipeline.source import as_planned
from allonym.tables.files import Reading, open_table, read_bytes
from allonym.tables.memory import MemoryTable
from allonym.tables.parquet import cell_count
from allonym.tables.row_order import RowOrder
from allonym.tables.unpacking import archive_exceeds

if TYPE_CHECKING:
    from allonym.plan.model import Plan

__all__ = ["CachedTable", "Reading", "archive_exceeds", "cell_count", "shown"]


class CachedTable:
    """A data file that stays open; `plan.check` and `inspect` take it in place of the file's name.

    >>> from allonym.pipeline.demo import survey
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
    ...     _ = file.write(survey()), file.flush()
    ...     table = CachedTable(file.name)
    >>> table.n, table.names[:2], table.rows(0, 1)[0][:2]
    (975, ('visitor', 'reason'), ['V0399', 'nature'])
    """

    def __init__(self, path: str | Path, reading: Reading | None = None) -> None:
        self.path, self.reading = Path(path), reading or Reading()
        self._raw = read_bytes(path)
        self._last: tuple[Any, _CachedCells] | None = None
        self._first = self.read(self.reading)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, as the file was read first."""
        return self._first.names

    @property
    def n(self) -> int:
        """The number of rows."""
        return self._first.n

    @property
    def changed(self) -> bool:
        """Whether the file has changed since it was opened."""
        return read_bytes(self.path) != self._raw

    @property
    def suffix(self) -> str:
        """The usual file name ending of the format."""
        return self._first.suffix

    def read(self, reading: Reading, item_separators: frozenset[str] = frozenset()) -> _CachedCells:
        """Return the table as it is read with some options; the last one is remembered."""
        if self._last is None or self._last[0] != (reading, item_separators):
            table = open_table(self.path, reading, self._raw, item_separators=item_separators)
            self._last = ((reading, item_separators), _CachedCells(table))
        return self._last[1]

    def table(self, plan: Plan) -> MemoryTable:
        """Return the table as a plan describes it, with its cells cached."""
        base = self.read(plan.reading)
        separators = frozenset(column.separator for column in plan.columns.values() if is_multivalued(column.kind))
        if separators and len(base.names) == 1:  # the detected delimiter may separate items
            base = self.read(plan.reading, separators)
        return as_planned(plan, base)

    def rows(self, start: int, stop: int, reading: Reading | None = None) -> list[list[str]]:
        """Return some rows as text; a missing cell is empty."""
        return self.rows_at(range(max(start, 0), min(stop, self.read(reading or self.reading).n)), reading)

    def rows_at(self, numbers: Iterable[int], reading: Reading | None = None) -> list[list[str]]:
        """Return the rows with some numbers, from 0, as text; a missing cell is empty."""
        table = self.read(reading or self.reading)
        columns = list(table.cells(table.names).values())
        return [[shown(cells.values[cells.codes[row]]) for cells in columns] for row in numbers]

    def examples(self, name: str, most: int = 3) -> list[str]:
        """Return the most frequent values of a column."""
        cells = self._first.cells([name])[name]
        order = np.argsort(-cells.counts, kind="stable")[: most + 2].tolist()
        return [text for i in order if (text := shown(cells.values[i]))][:most]


class _CachedCells(MemoryTable):
    """A table whose cells are cached once they were read."""

    def __init__(self, base: MemoryTable) -> None:
        self.base, self._cells = base, dict[str, Cells]()
        self.name, self.names, self.format, self.sha256 = base.name, base.names, base.format, base.sha256

    @property
    def n(self) -> int:
        """The number of rows."""
        return self.base.n

    def cells(self, names: Sequence[str]) -> dict[str, Cells]:
        """Return the cells of some columns."""
        new = [name for name in names if name not in self._cells]
        if new:
            self._cells |= self.base.cells(new)
        return {name: self._cells[name] for name in names}

    def changed(
        self,
        columns: Mapping[str, Cells],
        drop: Sequence[str],
        *,
        discard_style: bool = False,
        order: RowOrder | None = None,
    ) -> Any:
        """Return the content with other cells in some columns, and without others."""
        return self.base.changed(columns, drop, discard_style=discard_style, order=order)

    def from_columns(self, data: Mapping[str, list[Any]]) -> Any:
        """Return new columns as content of the same format."""
        return self.base.from_columns(data)

    def save(self, content: Any, path: Path, *, zipped: bool = False) -> None:
        """Write content to a file."""
        self.base.save(content, path, zipped=zipped)

    def reread(self, content: Any, columns: Sequence[str], names: Sequence[str]) -> tuple[Any, Sequence[str]]:
        """Read some columns of a release by the second reader of its format."""
        return self.base.reread(content, columns, names)


def shown(cell: Any) -> str:
    """Return a cell as people read it."""
    if cell is None:
        return ""
    return "; ".join(map(cell_text, cell)) if isinstance(cell, tuple) else cell_text(cell)
