"""For each original tuple, the tuples of a release that are nearest in meaning.

The compiled version follows an index; the NumPy version compares all with all. Both give the same tuples.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints, dense
from allonym.compiled import kernels
from allonym.records import Attribute, Pairs

PAIRS_PER_BATCH = 4_000_000  # tuples before × tuples after that are compared at a time
TIE = 1e-9  # tuples are equally near if their distances differ by no more


class Near(NamedTuple):
    """The nearest tuples of the release for some original tuples, in CSR form: `places[starts[i]:starts[i + 1]]`."""

    starts: Ints
    places: Ints  # in ascending order within each row
    width: int  # tuples of the release

    @property
    def rows(self) -> Ints:
        """The row of each place."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def as_matrix(self) -> Any:
        """Return a sparse matrix with 1 for each place."""
        from scipy.sparse import csr_array

        return csr_array((np.ones(len(self.places)), self.places, self.starts), (len(self.starts) - 1, self.width))

    def total(self, amounts: Floats) -> Floats:
        """Return for each row the sum of the amounts of its tuples."""
        return np.add.reduceat(amounts[self.places], self.starts[:-1])

    def has(self, rows: Ints, places: Ints) -> NDArray[np.bool_]:
        """Return whether tuples are among the nearest of some rows."""
        known, wanted = self.rows * self.width + self.places, rows * self.width + places
        return known[np.minimum(np.searchsorted(known, wanted), len(known) - 1)] == wanted


class NearestTuples:
    """The tuples of a release, laid out for the search of those nearest to original tuples."""

    def __init__(self, pairs: Pairs) -> None:
        (known, first), (seen, shown) = pairs.original_tuples, pairs.masked_tuples
        self.size = len(shown)
        self.columns = [
            _Column.of(x, float(pairs.shares[a]), pairs.original[first, a], pairs.masked[shown, a])
            for a, x in enumerate(pairs.attributes)
        ]
        self.released = np.stack([x.after for x in self.columns], axis=1).astype(np.int32)
        self.own = np.zeros(len(first), np.int64)  # a tuple of the release that is likely near each original one
        self.own[known] = seen
        self._index = None if kernels is None else kernels.NearestTuples(self.released, self._parts())

    @property
    def height(self) -> int:
        """How many original tuples are searched for at a time."""
        return max(PAIRS_PER_BATCH // self.size, 1)

    def search(self, tuples: Ints) -> Near:
        """Return the nearest tuples of the release for some original tuples."""
        parts = [x.part(tuples) for x in self.columns]
        tables, wanted = [x for x, _ in parts], np.stack([x for _, x in parts], axis=1).astype(np.int32)
        if self._index is None:
            starts, places = compare_all(tables, wanted, self.released)
        else:
            starts, places = self._index.search(wanted, tables, self.own[tuples], TIE)
        return Near(starts, places, self.size)

    def _parts(self) -> list[list[int]]:
        """Return two halves of the columns that distances depend on alike; in each, columns of few values come first.

        They decide how fast the compiled search is, not what it finds.
        """
        ranked = sorted(range(len(self.columns)), key=lambda a: -self.columns[a].mean)
        halves = (ranked[::2], ranked[1::2])
        return [sorted(half, key=lambda a: len(self.columns[a].now)) for half in halves if half]


def compare_all(tables: list[Floats], wanted: NDArray[Any], released: NDArray[Any]) -> tuple[Ints, Ints]:
    """Return the nearest released tuples in CSR form, by all distances: each sums one number of every table.

    >>> compare_all([np.array([[0.0, 1.0], [1.0, 0.0]])], np.array([[1], [0]]), np.array([[0], [1], [1]]))
    (array([0, 2, 3]), array([1, 2, 0]))
    """
    far = np.zeros((len(wanted), len(released)))
    for a, table in enumerate(tables):
        far += table[wanted[:, a]][:, released[:, a]]
    near = far <= far.min(axis=1, keepdims=True) + TIE
    return np.concatenate([[0], np.cumsum(near.sum(axis=1))]), np.nonzero(near)[1]


class _Column(NamedTuple):
    """The values of one attribute before and after, and a table of their distances where that is not too large."""

    attribute: Attribute
    share: float
    was: Ints  # distinct values of original tuples
    now: Ints  # distinct values of tuples of the release
    before: Ints  # of each original tuple: the place of its value
    after: Ints  # of each tuple of the release
    table: Floats | None

    @classmethod
    def of(cls, attribute: Attribute, share: float, original: Ints, masked: Ints) -> _Column:
        """Lay out an attribute."""
        (was, before), (now, after) = dense(original), dense(masked)
        column = cls(attribute, share, was, now, before, after, None)
        return column._replace(table=column.distances(was)) if was.size * now.size <= PAIRS_PER_BATCH else column

    def distances(self, values: Ints) -> Floats:
        """Return the distances of original values to all values of the release, by the attribute's share."""
        return self.share * self.attribute.metric.distances(values[:, None], self.now)

    def part(self, tuples: Ints) -> tuple[Floats, Ints]:
        """Return a table of distances for some original tuples, and the row of each."""
        if self.table is not None:
            return self.table, self.before[tuples]
        used, rows = dense(self.before[tuples])
        return self.distances(self.was[used]), rows

    @property
    def mean(self) -> float:
        """The mean distance between the values of tuples before and after; 0 where no table is kept."""
        if self.table is None:
            return 0.0
        counts = np.bincount(self.before) @ self.table @ np.bincount(self.after)
        return float(counts / (len(self.before) * len(self.after)))
