"""The five distances between sets, of one set and many, or of pairs: in NumPy, and by compiled kernels.

Distances of elements are rounded to whole numbers of units 2^-bits, so that their sums are exact in any order, and both
versions give the same results to the last bit.
"""

from __future__ import annotations

from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints, frozen, take_rows
from allonym.compiled import kernels
from allonym.kinds.set_metric.elements import MAX_ROW_BYTES, ElementDistances

SET_DISTANCES = ("min-sum", "avg", "min", "max", "max-sum")
NUMBERS = {"min": 0, "max": 1, "avg": 2, "min-sum": 3, "max-sum": 4}  # as in cpp/sets.h
BITS = 48  # of a distance of elements, unless sets are so large that their sums would overflow
SUM_BITS = 62
PAIRS_AT_A_TIME = 4_000_000  # of elements
MAX_MATRIX = 2_000  # sets, up to which the distances of all to all are kept
MAX_SIZES = 16_000_000  # different sizes of sets, times elements, up to which costs are estimated


class SetDistances:
    """Distances between sets of elements; set i has the elements `items[starts[i] : starts[i + 1]]`, in order."""

    def __init__(self, elements: ElementDistances, starts: Ints, items: NDArray[np.int32], distance: str) -> None:
        self.elements, self.starts, self.items, self.distance = elements, starts, items, distance

    @cached_property
    def sizes(self) -> Ints:
        """The number of elements of each set."""
        return np.diff(self.starts)

    @cached_property
    def bits(self) -> int:
        """How finely distances of elements are rounded: no sum over the elements of two sets may overflow."""
        largest = int(self.sizes.max(initial=1))
        terms = {"avg": largest * largest, "min": 1, "max": 1}.get(self.distance, 2 * largest)
        return min(BITS, SUM_BITS - terms.bit_length())

    @cached_property
    def by_size(self) -> Ints:
        """All sets in the order of their sizes; processors compare them fastest in this order."""
        return np.argsort(self.sizes, kind="stable")

    def items_of(self, code: int) -> NDArray[np.int32]:
        """Return the elements of a set."""
        return self.items[self.starts[code] : self.starts[code + 1]]

    def from_code(self, code: int, codes: Ints) -> Floats:
        """Return the distances of a set to some sets."""
        return self.one_to_many(self.items_of(code), codes)

    def one_to_many(self, own: NDArray[np.int32], codes: Ints) -> Floats:
        """Return the distances of a set of elements, each once, to some sets."""
        distances = np.empty(len(codes))
        combinations = np.cumsum(self.sizes[codes] * max(len(own), 1))
        for block in np.split(np.arange(len(codes)), np.flatnonzero(np.diff(combinations // PAIRS_AT_A_TIME)) + 1):
            distances[block] = self._one_to_some(own, codes[block])
        return distances

    def _one_to_some(self, own: NDArray[np.int32], codes: Ints) -> Floats:
        distances = (self.sizes[codes] != len(own)).astype(np.float64)  # of the empty set
        full = np.flatnonzero(self.sizes[codes])
        if not len(own) or not len(full):
            return distances
        starts, items = take_rows(self.starts, self.items, codes[full])
        starts, sizes = starts[:-1], self.sizes[codes[full]]
        far = self.elements.rows(own, self.bits)[:, items]
        best = np.minimum if self.distance in ("min", "min-sum") else np.maximum
        if self.distance == "avg":
            sums, terms = np.add.reduceat(far.sum(axis=0), starts), sizes * len(own)
        elif self.distance in ("min", "max"):
            sums, terms = best.reduceat(best.reduce(far, axis=0), starts), np.ones(len(full), np.int64)
        else:
            from_sets = np.add.reduceat(best.reduce(far, axis=0), starts)
            sums, terms = from_sets + best.reduceat(far, starts, axis=1).sum(axis=0), sizes + len(own)
        distances[full] = sums / terms * 2.0**-self.bits
        return distances

    def pairs(self, a: Ints, b: Ints) -> Floats:
        """Return the distances of pairs of sets."""
        distances = np.empty(len(a))
        order = np.argsort(a, kind="stable")
        for some in np.split(order, np.flatnonzero(np.diff(a[order])) + 1):
            if len(some):
                distances[some] = self.one_to_many(self.items_of(int(a[some[0]])), b[some])
        return distances

    def cost_estimates(self, weights: Floats, codes: Ints) -> Floats | None:
        """Return Σ ω·d of some sets to all sets, with rounding errors; None, where that takes as long as without."""
        return None

    def compiled_form(self) -> dict[str, Any] | None:
        """Return the sets for compiled kernels; None, where there are none."""
        return None


class CompiledSetDistances(SetDistances):
    """The same distances, by compiled kernels."""

    @cached_property
    def _table(self) -> tuple[Any, Ints]:
        """The distances of all classes of elements as ranks, and the distance of each rank; or distances themselves."""
        assert kernels is not None
        if self.elements.ranked is None:
            rows = partial(self.elements.class_rows, bits=self.bits)
            return kernels.called_rows(rows, self.elements.number_of_classes, MAX_ROW_BYTES), np.zeros(0, np.int64)
        ranks, levels = self.elements.ranked
        return ranks, np.rint(levels * 2.0**self.bits).astype(np.int64)

    @cached_property
    def _arrays(self) -> tuple[Ints, Ints, NDArray[np.int32], NDArray[np.int32]]:
        """Where the elements of each set begin, their number, the elements of all sets by size, and their classes."""
        starts, items = take_rows(self.starts, self.items, self.by_size)
        begin = np.empty(len(self.sizes), np.int64)
        begin[self.by_size] = starts[:-1]
        return begin, self.sizes, items.astype(np.int32), self.elements.classes

    @cached_property
    def matrix(self) -> Floats | None:
        """The distances of all sets to all; None, if there are too many."""
        assert kernels is not None
        if not 0 < len(self.sizes) <= MAX_MATRIX:
            return None
        matrix = np.empty((len(self.sizes), len(self.sizes)))
        kernels.fill_set_matrix(*self._table, *self._arrays, matrix, NUMBERS[self.distance], self.bits)
        return frozen(matrix)

    @property
    def _known_matrix(self) -> Floats | None:
        """The distances of all sets to all, if they were computed."""
        return self.matrix if "matrix" in self.__dict__ else None

    def from_code(self, code: int, codes: Ints) -> Floats:
        """Return the distances of a set to some sets."""
        known = self._known_matrix
        return super().from_code(code, codes) if known is None else known[code, codes]

    def one_to_many(self, own: NDArray[np.int32], codes: Ints) -> Floats:
        """Return the distances of a set of elements, each once, to some sets."""
        assert kernels is not None
        (table, levels), options = self._table, (NUMBERS[self.distance], self.bits)
        return np.asarray(kernels.set_one_to_many(table, own, levels, *self._arrays, codes, *options))

    def pairs(self, a: Ints, b: Ints) -> Floats:
        """Return the distances of pairs of sets."""
        assert kernels is not None
        if (known := self._known_matrix) is not None:
            return known[a, b]
        if len(np.unique(b)) < len(np.unique(a)):  # distances are the same in both directions; fewer rows are needed
            a, b = b, a
        order = np.argsort(a, kind="stable")  # the rows of a set's elements are looked up once
        distances = np.empty(len(a))
        options = NUMBERS[self.distance], self.bits
        distances[order] = kernels.set_pairs(*self._table, *self._arrays, a[order], b[order], *options)
        return distances

    def cost_estimates(self, weights: Floats, codes: Ints) -> Floats | None:
        """Return Σ ω·d of some sets to all sets, with rounding errors; None, where that takes as long as without."""
        assert kernels is not None
        sizes = len(np.unique(self.sizes))
        if self.distance in ("min", "max") or sizes * len(self.elements.classes) > MAX_SIZES:
            return None
        options = NUMBERS[self.distance], self.bits
        return np.asarray(kernels.set_cost_estimates(*self._table, *self._arrays, weights, codes, *options))

    def compiled_form(self) -> dict[str, Any] | None:
        """Return the sets for compiled kernels."""
        names = ("table", "levels", "starts", "sizes", "items", "classes")
        form: dict[str, Any] = dict(zip(names, (*self._table, *self._arrays), strict=True))
        return form | {"form": "sets", "matrix": self.matrix, "distance": NUMBERS[self.distance], "bits": self.bits}


def set_distances(elements: ElementDistances, starts: Ints, items: NDArray[np.int32], distance: str) -> SetDistances:
    """Return distances by compiled kernels, where these are installed."""
    kind = SetDistances if kernels is None else CompiledSetDistances
    return kind(elements, starts, items, distance)
