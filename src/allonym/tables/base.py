"""What a table is to the rest: names, distinct cells with a number for every row, and the same table with others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from allonym.cells import Cells


class Table(Protocol):
    """A file or a frame."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, in order."""

    @property
    def n(self) -> int:
        """The number of rows."""

    def cells(self, names: Sequence[str]) -> dict[str, Cells]:
        """Return the cells of some columns."""

    def changed(self, columns: Mapping[str, Cells], drop: Sequence[str], *, discard_style: bool = False) -> Any:
        """Return the same table with other cells in some columns, and without some columns.

        `discard_style`: nothing of how the old cells were written stays, quotes and the order of categories included.
        """
