"""Frozen arrays, ragged rows on flat arrays (CSR form: `starts[i]:starts[i+1]` is row i), distinct rows with counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Keys = NDArray[np.uint64]


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


def dense(codes: Ints) -> tuple[Ints, Ints]:
    """Return the numbers that occur in a column of codes, in order, and the place of each code among them.

    >>> used, places = dense(np.array([7, 2, 7]))
    >>> used.tolist(), places.tolist()
    ([2, 7], [1, 0, 1])
    """
    size = int(codes.max(initial=-1)) + 1
    if size > 4 * len(codes) + 1024:
        used, places = np.unique(codes, return_inverse=True)
        return used, places.astype(np.int64).ravel()
    occurs = np.bincount(codes, minlength=size) > 0
    return np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[codes]


def distinct(columns: Sequence[Ints]) -> tuple[Ints, Ints, Ints]:
    """Number the distinct rows of some columns in their order; return the number of every row, counts, first rows."""
    number = np.zeros(len(columns[0]), np.int64)
    size = 1
    for column in columns:
        width = int(column.max(initial=-1)) + 1
        if size * width > 2**62:
            number, size = _renumbered(number, size)
        number, size = number * width + column, size * width
    number, size = _renumbered(number, size)
    first = np.full(size, -1, np.int64)
    first[number[::-1]] = np.arange(len(number) - 1, -1, -1)
    return number, np.bincount(number, minlength=size), first


def _renumbered(number: Ints, size: int) -> tuple[Ints, int]:
    """Close the gaps in a numbering, keeping its order."""
    if size > 4 * len(number) + 1024:
        numbers, dense = np.unique(number, return_inverse=True)
        return dense.astype(np.int64), len(numbers)
    used = np.bincount(number, minlength=size) > 0
    return (np.cumsum(used) - 1)[number], int(used.sum())


def sum_by(places: Ints, amounts: Floats, size: int) -> Floats:
    """Return the sum of the amounts at each of `size` places."""
    return np.bincount(places, weights=amounts, minlength=size).astype(np.float64, copy=False)


def count_by(places: Ints, size: int, row_counts: Ints | None = None) -> Ints:
    """Return how many rows there are at each of `size` places; `row_counts` says how many each row stands for.

    >>> count_by(np.array([0, 2, 2]), 3).tolist(), count_by(np.array([0, 2, 2]), 3, np.array([5, 1, 1])).tolist()
    ([1, 0, 2], [5, 0, 2])
    """
    return np.bincount(places, weights=row_counts, minlength=size).astype(np.int64)


def count_units(group: Ints, units: Ints, size: int) -> Ints:
    """Return how many different units there are in each of `size` groups, from the group and unit of every row.

    >>> count_units(np.array([0, 0, 0, 1]), np.array([7, 7, 8, 7]), 3).tolist()
    [2, 1, 0]
    """
    width = int(units.max(initial=0)) + 1
    pairs = np.unique(group * width + units)
    return np.bincount(pairs // width, minlength=size)


def joined_units(persons: Ints | None, households: Ints | None) -> Ints | None:
    """Return the unit of every row, from its person and household: persons who share a household are one unit.

    So are households that share a person. k units are then at least k persons of at least k households. Without
    persons, every row is one.

    >>> joined_units(np.array([0, 1, 2, 2]), np.array([5, 5, 7, 9])).tolist()
    [0, 0, 1, 1]
    """
    if households is None or persons is None:
        return persons if households is None else np.unique(households, return_inverse=True)[1].astype(np.int64)
    _, homes, first = distinct([persons, households])
    people, who = np.unique(persons, return_inverse=True)
    places, where = np.unique(households, return_inverse=True)
    if len(homes) == len(people):  # nobody lives in two
        return where.astype(np.int64)
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    size = len(people) + len(places)
    edges = csr_array((np.ones(len(first)), (who[first], len(people) + where[first])), (size, size))
    return np.unique(connected_components(edges, directed=False)[1][who], return_inverse=True)[1].astype(np.int64)


def added_up(numbers: Floats) -> float:
    """Add up numbers one after the other, as compiled kernels do; NumPy adds up in pairs, which rounds otherwise.

    >>> added_up(np.array([1.0, 2.0]))
    3.0
    """
    return float(np.add.accumulate(numbers)[-1]) if len(numbers) else 0.0
