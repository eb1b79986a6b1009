"""Distances between the elements of sets, by classes of elements that have the same distances to all others."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints, frozen
from allonym.compiled import kernels
from allonym.metric import Metric
from allonym.ontology.pickling import DropCaches

MAX_RANKED_BYTES = 1_000_000_000  # of a table of ranks, for the compiled kernels: 2 or 4 bytes for each distance
MAX_ROW_BYTES = 500_000_000  # of rows that the compiled kernels compute when they need them, and keep
PAIRS_AT_A_TIME = 2_000_000
RANKS = (np.int16, np.int32)  # the types of ranks: the first that has enough of them


class ElementDistances(DropCaches):
    """The distances between elements. An element is at distance 0 from itself.

    Distances of elements are those of their classes, so that many leaves below one concept, or many unlinked texts,
    take no more space than one.
    """

    def __init__(self, metric: Metric) -> None:
        self.metric = metric

    @cached_property
    def classes(self) -> NDArray[np.int32]:
        """The class of every element."""
        return frozen(self.metric.interchangeable().astype(np.int32))

    @cached_property
    def _members(self) -> tuple[Ints, Ints]:
        """The first and the last element of every class."""
        first, last = (np.zeros(int(self.classes.max(initial=-1)) + 1, np.int64) for _ in range(2))
        last[self.classes] = np.arange(len(self.classes))
        first[self.classes[::-1]] = np.arange(len(self.classes))[::-1]
        return first, last

    @property
    def number_of_classes(self) -> int:
        """The number of classes."""
        return len(self._members[0])

    def _between_classes(self, some: Ints, low: int = 0) -> Floats:
        """Return the distances of some classes to all, or to those from one on; within a class, of two members."""
        first, last = self._members
        distances = self.metric.distances(first[some][:, None], first[low:])
        distances[np.arange(len(some)), some - low] = self.metric.distances(first[some], last[some])
        return distances

    def class_rows(self, some: Ints, bits: int) -> Ints:
        """Return the distances of some classes to all classes, as whole numbers of units 2^-bits."""
        return np.rint(self._between_classes(some) * 2.0**bits).astype(np.int64)

    def rows(self, own: NDArray[np.integer], bits: int) -> Ints:
        """Return the distances of some elements to all elements, as whole numbers of units 2^-bits."""
        rows = self.class_rows(self.classes[own].astype(np.int64), bits)[:, self.classes]
        rows[np.arange(len(own)), own] = 0
        return rows

    @cached_property
    def ranked(self) -> tuple[Any, Floats] | None:
        """The distances of all classes as ranks, and the distance of each rank; None, if there are too many classes."""
        if kernels is None:
            return None
        lists = self.metric.ancestor_lists(self._members[0])
        if lists is not None:
            return overlap_rows(*lists)
        found = self.ranks_table()
        return None if found is None else (kernels.table_rows(found[0]), found[1])

    def ranks_table(self) -> tuple[NDArray[Any], Floats] | None:
        """Return a table of the ranks of all distances, and the distance of each rank; None, if it is too large."""
        return next((found for dtype in RANKS if (found := self._ranked(dtype)) is not None), None)

    def _ranked(self, dtype: Any) -> tuple[NDArray[Any], Floats] | None:
        """Return ranks of a type; None, if there are more of them than it holds, or the table would be too large."""
        size = self.number_of_classes
        assert kernels is not None
        if size * size * np.dtype(dtype).itemsize > MAX_RANKED_BYTES:
            return None
        table, numbering = np.zeros((size, size), dtype), kernels.Numbering()
        low = 0
        while low < size:
            high = min(size, low + max(1, PAIRS_AT_A_TIME // (size - low)))
            if not numbering.add(self._between_classes(np.arange(low, high), low), table, low):
                return None
            low = high
        found = numbering.levels()
        levels = np.unique(np.append(found, 0.0))
        if len(levels) > np.iinfo(dtype).max:
            return None
        rank = np.searchsorted(levels, found).astype(dtype)
        for row in table:
            row[:] = rank[row]
        return frozen(table), levels

    def nearest(self, element: int, elements: NDArray[np.integer]) -> int:
        """Return which of some elements is nearest to an element; the first of equals."""
        if self.ranked is None:
            far = self.metric.distances(np.full(len(elements), element), elements)
        else:
            far = self.ranked[0].between(self.classes[element], self.classes[elements])
        return int(elements[np.argmin(np.where(elements == element, 0, far))])

    def below(self, element: int) -> NDArray[np.integer]:
        """Return the elements that an element is true of: itself, and those below it."""
        if self._generalised is not None:
            starts, below = self._generalised
            return below[starts[element] : starts[element + 1]]
        known = self._below
        if element not in known:
            known[element] = np.flatnonzero(self.metric.generalises(element, np.arange(len(self.classes))))
        return known[element]

    @cached_property
    def _generalised(self) -> tuple[Ints, NDArray[np.int32]] | None:
        return self.metric.generalised()

    @cached_property
    def _below(self) -> dict[int, Ints]:
        return {}


def overlap_rows(starts: Ints, ancestors: Ints, sizes: Ints) -> tuple[Any, Floats]:
    """Return rows of ranks of ancestor overlap, which are computed when they are needed, and the distance of each rank.

    A list has the ancestors of each class, and `sizes` how many they are; a leaf has one more, which none shares.
    Numbers of ancestors a, b and of those that both have, c, give the distance (a + b - 2c) / (a + b - c).
    """
    assert kernels is not None
    largest = int(sizes.max(initial=0))
    present = np.unique(sizes)
    both = np.arange(largest + 1)
    sums = np.unique(present[:, None] + present)
    either = sums[:, None] - both
    possible = 2 * both <= sums[:, None]
    far = np.divide(either - both, either, out=np.ones(either.shape), where=possible & (either > 0))
    levels = np.unique(np.append(far[possible], 0.0))
    dtype = next(x for x in RANKS if len(levels) <= np.iinfo(x).max)
    ranks = np.zeros((2 * largest + 1, largest + 1), dtype)
    ranks[sums] = np.searchsorted(levels, far)
    concepts, numbers = np.unique(ancestors, return_inverse=True)
    arrays = starts.astype(np.int64), numbers.ravel().astype(np.int32), sizes.astype(np.int32)
    return kernels.overlap_rows(*arrays, ranks, len(concepts), MAX_ROW_BYTES), levels
