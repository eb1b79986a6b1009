"""The cells of a column: its distinct values, and for every row which of them it holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from allonym.arrays import Ints, count_by

MISSING = ("", "?", "NA", "N/A", "NULL", "null", "NaN", "nan")  # missing-value markers


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of a column: distinct ones, and for every row which it is."""

    values: Sequence[Any]  # text in files; whatever the frame holds in frames; None is null
    codes: Ints
    row_counts: Ints | None = None  # how many rows each row stands for, where equal ones were counted

    @property
    def counts(self) -> Ints:
        """How often each distinct cell occurs."""
        return count_by(self.codes, len(self.values), self.row_counts)


def _truth(value: Any) -> Any:
    """Tell true from one, to Python the same, also in a list."""
    return tuple(map(_truth, value)) if isinstance(value, tuple) else isinstance(value, bool)


def merged(values: Sequence[Any], codes: Ints, row_counts: Ints | None = None) -> Cells:
    """Give equal values one number, in the order they are given; those that no row has are left out."""
    place: dict[Any, int] = {}
    here = np.bincount(codes, minlength=len(values)) > 0
    number = np.array(
        [place.setdefault((_truth(v), v), len(place)) if used else -1 for v, used in zip(values, here, strict=True)],
        np.int64,
    )
    return Cells(
        [v for _, v in place], number[codes] if len(place) < len(values) else codes.astype(np.int64), row_counts
    )


def cell_text(cell: Any) -> str:
    """Return a cell as text, the same whichever type its table gives it.

    >>> cell_text(1.0), cell_text(1), cell_text(True), cell_text("01")
    ('1', '1', 'true', '01')
    """
    if isinstance(cell, (bool, np.bool_)):
        return str(cell).lower()
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell)


def is_missing(cell: Any, missing: Sequence[str] = MISSING) -> bool:
    """Tell whether a cell is empty, null or a missing-value marker."""
    return cell is None or cell == "" or (isinstance(cell, str) and cell in missing)


def text_counts(cells: Cells, missing: Sequence[str] = MISSING) -> Counter[str]:
    """Return the texts of a column with their counts, without missing values."""
    counts: Counter[str] = Counter()
    for cell, count in zip(cells.values, cells.counts.tolist(), strict=True):
        if not is_missing(cell, missing):
            counts[str(cell)] += count
    return counts
