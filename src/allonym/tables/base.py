"""What a table is to the rest: names, distinct cells with a number for every row, and the same table with others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from allonym.records import Ints, counted

MISSING = ("", "?", "NA", "N/A", "NULL", "null", "NaN", "nan")  # what people write where there is nothing


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of a column: distinct ones, and for every row which it is."""

    values: Sequence[Any]  # text in files; whatever the frame holds in frames; None is null
    codes: Ints
    times: Ints | None = None  # how many rows each row stands for, where equal ones were counted

    @property
    def counts(self) -> Ints:
        """How often each distinct cell occurs."""
        return counted(self.codes, len(self.values), self.times)


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

    def changed(self, columns: Mapping[str, Cells], drop: Sequence[str], *, anew: bool = False) -> Any:
        """Return the same table with other cells in some columns, and without some columns.

        `anew`: nothing of how the old cells were written stays, quotes and the order of categories included.
        """


def _truth(value: Any) -> Any:
    """Tell true from one, to Python the same, also in a list."""
    return tuple(map(_truth, value)) if isinstance(value, tuple) else isinstance(value, bool)


def merged(values: Sequence[Any], codes: Ints, times: Ints | None = None) -> Cells:
    """Give equal values one number, in the order they are given; those that no row has are left out."""
    place: dict[Any, int] = {}
    here = np.bincount(codes, minlength=len(values)) > 0
    number = np.array(
        [place.setdefault((_truth(v), v), len(place)) if used else -1 for v, used in zip(values, here, strict=True)],
        np.int64,
    )
    return Cells([v for _, v in place], number[codes] if len(place) < len(values) else codes.astype(np.int64), times)
