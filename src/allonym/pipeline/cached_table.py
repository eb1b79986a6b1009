"""A file that is opened once and asked often: a plan may change, be checked and looked at without reading it again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from allonym.cells import Cells, cell_text
from allonym.kinds.registry import is_multivalued
from allonym.pipeline.prepare import opened
from allonym.tables.base import Table
from allonym.tables.files import Reading, open_table, read_bytes
from allonym.tables.long import LongTable

if TYPE_CHECKING:
    from allonym.plan.model import Plan

__all__ = ["CachedTable", "Reading", "cells_of_parquet", "shown"]


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
        self._tables: dict[Any, _Remembered] = {}
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
        """Whether the file is another now than when it was opened."""
        return read_bytes(self.path) != self._raw

    @property
    def suffix(self) -> str:
        """How files of this format end."""
        return str(getattr(self._first.base, "suffix", ".csv"))

    def read(self, reading: Reading) -> _Remembered:
        """Return the table as it is read in some way."""
        if reading not in self._tables:
            self._tables = {reading: _Remembered(open_table(self.path, reading, self._raw))}  # the last one is enough
        return self._tables[reading]

    def table(self, plan: Plan) -> Table:
        """Return the table as a plan says, its cells remembered."""
        separators = {column.separator for column in plan.columns.values() if is_multivalued(column.kind)}
        base = self.read(plan.reading)
        if separators and len(base.names) == 1:  # what looks like a delimiter may stand between items
            base = _Remembered(opened(replace(plan, long=False), self.path, self._raw))
        if not plan.long:
            return base
        unit = next(name for name, column in plan.columns.items() if column.role == "unit")
        item = next(name for name, column in plan.columns.items() if is_multivalued(column.kind))
        return LongTable(base, unit, item, plan.missing)

    def rows(self, start: int, stop: int, reading: Reading | None = None) -> list[list[str]]:
        """Return some rows, as text; a cell that has nothing is empty."""
        table = self.read(reading or self.reading)
        columns = list(table.cells(table.names).values())
        here = range(max(start, 0), min(stop, table.n))
        return [[shown(cells.values[cells.codes[row]]) for cells in columns] for row in here]

    def examples(self, name: str, most: int = 3) -> list[str]:
        """Return the most frequent values of a column."""
        cells = self._first.cells([name])[name]
        order = np.argsort(-cells.counts, kind="stable")[: most + 2].tolist()
        return [text for i in order if (text := shown(cells.values[i]))][:most]


class _Remembered:
    """A table whose cells are remembered once they were read."""

    def __init__(self, base: Any) -> None:
        self.base, self._cells = base, dict[str, Cells]()
        self.names: tuple[str, ...] = base.names

    @property
    def n(self) -> int:
        """The number of rows."""
        return int(self.base.n)

    def cells(self, names: Sequence[str]) -> dict[str, Cells]:
        """Return the cells of some columns."""
        new = [name for name in names if name not in self._cells]
        if new:
            self._cells |= self.base.cells(new)
        return {name: self._cells[name] for name in names}

    def changed(self, columns: Mapping[str, Cells], drop: Sequence[str], *, discard_style: bool = False) -> Any:
        """Return the same table with other cells."""
        return self.base.changed(columns, drop, discard_style=discard_style)


def cells_of_parquet(file: Any) -> int:
    """Return how many cells a Parquet file says that it has, without reading them; none, where it is damaged."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file.seek(0)
        notes = pq.read_metadata(pa.PythonFile(file, "r"))
        return int(notes.num_rows * notes.num_columns)
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        return 0


def shown(cell: Any) -> str:
    """Return a cell as people read it."""
    if cell is None:
        return ""
    return "; ".join(map(cell_text, cell)) if isinstance(cell, tuple) else cell_text(cell)
