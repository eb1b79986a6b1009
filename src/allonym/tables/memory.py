"""Tables in memory: what files that were read and frames have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from allonym.arrays import Ints
from allonym.cells import Cells
from allonym.errors import OutputError, Problem
from allonym.tables.base import Draft, Format, Reread
from allonym.tables.row_order import RowOrder


class MemoryTable(ABC):
    """A table in memory: a file that was read, or a frame."""

    name: str  # for messages
    names: tuple[str, ...]
    sha256: str | None = None
    format: Format | None = None  # None: a frame
    engine_name = None
    spark_session = None
    counts_rows = False
    numbers_rows = True
    row_counts: Ints | None = None
    row_labels: Ints | None = None
    drops_unit = True
    draft_by_row = None

    @property
    @abstractmethod
    def n(self) -> int:
        """The number of rows."""

    @property
    def suffix(self) -> str:
        """The usual file name ending of the format."""
        return ".csv" if self.format is None else self.format.suffix

    @abstractmethod
    def cells(self, names: Sequence[str]) -> dict[str, Cells]:
        """Return the cells of some columns."""

    @abstractmethod
    def changed(
        self,
        columns: Mapping[str, Cells],
        drop: Sequence[str],
        *,
        discard_style: bool = False,
        order: RowOrder | None = None,
    ) -> Any:
        """Return the content with other cells in some columns, and without others: a frame, or what `save` takes.

        `discard_style`: nothing of how the old cells were written stays, such as quotes and the order of categories.
        `order`: the order of the rows of a file; None: as they are.
        """

    @abstractmethod
    def from_columns(self, data: Mapping[str, list[Any]]) -> Any:
        """Return new columns as content of the same format: a frame, or what `save` takes."""

    def save(self, content: Any, path: Path, *, zipped: bool = False) -> None:
        """Write content to a file."""
        raise OutputError("A masked frame is returned, not written.", hint="write release.frame yourself.")

    @abstractmethod
    def reread(self, content: Any, columns: Sequence[str], names: Sequence[str]) -> tuple[Any, Sequence[str]]:
        """Read some columns of a release by other means than it was written, and the names of all its columns.

        Args:
            content: the bytes that were written, or the masked frame.
            columns: the columns to read.
            names: the names of all columns, for files that do not hold them.
        """

    def counted_together(self, name: str) -> bool:
        """Tell whether the rows of a column match those of the other columns: always."""
        return True

    def check_kept(self, names: Sequence[str]) -> None:  # noqa: B027 only long tables refuse some
        """Accept any column as it is."""

    def empty_values(self, name: str, missing: Sequence[str]) -> int:
        """Return the number of rows whose cell in a column is empty or a missing-value marker."""
        return self.cells([name])[name].missing_rows(missing)

    def repeated_values(self, name: str, missing: Sequence[str]) -> int:
        """Return the number of values of a column that occur more than once, missing values aside."""
        return self.cells([name])[name].repeated_values(missing)

    def sample(
        self, names: Sequence[str], most: int, known: Mapping[str, Cells] = MappingProxyType({})
    ) -> dict[str, Cells]:
        """Return the cells of some columns, in at most so many rows from all over the table."""
        step = max(1, -(-self.n // most))
        read = self.cells([x for x in names if x not in known])
        cells = {x: known[x] if x in known else read[x] for x in names}
        return {x: Cells(y.values, y.codes[::step]) for x, y in cells.items()} if step > 1 else cells

    def distinct_values(self, name: str, missing: Sequence[str]) -> int:
        """Return the number of distinct values of a column, missing values aside."""
        return self.cells([name])[name].distinct_values(missing)

    def problems(self, masked: Mapping[str, Cells], dropped: Sequence[str]) -> Iterator[Problem]:
        """Yield nothing: any table in memory can be masked."""
        return iter(())

    def check_output(self, output: str | Path | None) -> None:
        """Refuse an output path for a frame, and a path that does not fit the format of a file."""
        from allonym.tables.registry import ENDINGS

        if self.format is None and output is not None:
            raise OutputError("A masked frame is returned, not written.", hint="write release.frame yourself.")
        if self.format is not None and output is None:
            raise OutputError("An output path is required.", hint="give an output file, or - for standard output.")
        if self.format is not None and output is not None:
            self.format.check_name(output, ENDINGS)

    def draft(
        self,
        columns: Mapping[str, Cells],
        drop: Sequence[str],
        output: str | Path | None,
        *,
        discard_style: bool,
        order: RowOrder | None,
    ) -> Draft:
        """Return the table with other cells in some columns, without others, and with its rows in an order."""
        zipped = str(output).lower().endswith(".gz")
        return MemoryDraft(self, columns, drop, order, discard_style=discard_style, zipped=zipped)

    def at_work(self) -> AbstractContextManager[None]:
        """Return a context that does nothing."""
        return nullcontext()


@dataclass(frozen=True)
class MemoryDraft:
    """A masked table in memory."""

    table: MemoryTable
    columns: Mapping[str, Cells]
    drop: Sequence[str]
    order: RowOrder | None  # of the rows of a file
    discard_style: bool
    zipped: bool
    in_folder = False

    def _content(self) -> Any:
        return self.table.changed(self.columns, self.drop, discard_style=self.discard_style, order=self.order)

    @cached_property
    def input_rows(self) -> Ints:
        """For each row of the file, the row of the table that it is."""
        return np.arange(self.table.n) if self.order is None else self.order.rows(self.table.n)

    @cached_property
    def frame(self) -> Any:
        """The masked frame."""
        return self._content()

    def save(self, path: Path) -> None:
        """Write the masked file."""
        self.table.save(self._content(), path, zipped=self.zipped)

    def reread(self, path: Path | None, columns: Sequence[str]) -> Iterator[Reread]:
        """Read columns of the file, or of the frame, by a second reader."""
        content = self.frame if path is None else path.read_bytes()
        names = [name for name in self.table.names if name not in self.drop]
        frame, stored = self.table.reread(content, columns, names)
        yield Reread(frame, stored, columns, rows=None if self.order is None else self.input_rows)
