"""Ragged rows on flat arrays (CSR form): `starts[i]:starts[i+1]` is row i."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return a view of an array that cannot be written to."""
    view = array.view()
    view.flags.writeable = False
    return view


def take_rows(
    starts: NDArray[np.integer], values: NDArray[np.integer], rows: NDArray[np.integer]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Gather some rows of a CSR table into a new one.

    >>> starts, values = take_rows(np.array([0, 2, 2, 3]), np.array([7, 8, 9]), np.array([2, 0]))
    >>> starts.tolist(), values.tolist()
    ([0, 1, 3], [9, 7, 8])
    """
    lengths = starts[rows + 1] - starts[rows]
    new_starts = np.zeros(len(rows) + 1, np.int64)
    np.cumsum(lengths, out=new_starts[1:])
    where = np.arange(new_starts[-1]) + np.repeat(starts[rows] - new_starts[:-1], lengths)
    return new_starts, values[where]


def to_rows(
    row: NDArray[np.integer], value: NDArray[np.integer], n: int
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Sort (row, value) pairs into CSR form, keeping the order within a row.

    >>> starts, values = to_rows(np.array([1, 0, 1]), np.array([5, 6, 4]), 3)
    >>> starts.tolist(), values.tolist()
    ([0, 1, 3, 3], [6, 5, 4])
    """
    starts = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(row, minlength=n), out=starts[1:])
    return starts, value[np.argsort(row, kind="stable")].astype(np.int32)
