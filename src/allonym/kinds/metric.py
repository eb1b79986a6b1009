"""What the metrics share: values by code, and the values that are like nothing else (null, and texts nobody linked)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from allonym.arrays import Floats, Ints, frozen, sum_by
from allonym.ontology.pickling import DropCaches
from allonym.records import Metric, Value

KEPT = 4_000_000  # distances around values that are kept
FEW = 0.1  # of what values count: a family with less is no part of two
FAMILIES = 64  # of values, at most


class BaseMetric(DropCaches, ABC):
    """Values by code. A value that is null or an unlinked text is 0 from itself and 1 from everything else."""

    def __init__(self, values: Sequence[Value]) -> None:
        self.values = tuple(values)

    @cached_property
    def unlinked(self) -> NDArray[np.bool_]:
        """Which values are like nothing else."""
        return frozen(np.array([v is None or isinstance(v, str) for v in self.values], bool))

    @cached_property
    def places(self) -> dict[Value, int]:
        """The code of every value."""
        return {value: code for code, value in enumerate(self.values)}

    def codes_of(self, values: Sequence[Value]) -> Ints:
        """Return the codes of values that are there."""
        return np.array([self.places[v] for v in values], np.int64)

    @abstractmethod
    def _with(self, values: Sequence[Value]) -> Self:
        """Return the same metric over other values."""

    def extend(self, values: Sequence[Value]) -> Self:
        """Return a metric that has these values too, appended where they are new; codes never move."""
        new = [v for v in dict.fromkeys(values) if v not in self.places]
        return self._with((*self.values, *new)) if new else self

    def distances(self, code: ArrayLike, codes: ArrayLike) -> Floats:
        """Return distances in [0, 1], broadcasting like NumPy."""
        a, b = np.broadcast_arrays(np.asarray(code), np.asarray(codes))
        if not self.unlinked.any():
            return self._between(a, b)
        alone = self.unlinked[a] | self.unlinked[b]
        found = (a != b).astype(np.float64)
        found[~alone] = self._between(a[~alone], b[~alone])
        return found

    @abstractmethod
    def centroid(self, codes: Ints, counts: Floats) -> Value:
        """Return the value that stands for some others."""

    @abstractmethod
    def _between(self, a: Ints, b: Ints) -> Floats:
        """Return the distances of values of which none is lone."""

    def distances_from(self, value: Value) -> Floats:
        """Return the distances of a value, which need not be one of `values`, to each of them."""
        known = self._around
        if value not in known:
            if len(known) * len(self.values) >= KEPT:
                known.clear()
            known[value] = frozen(self._from(value))
        return known[value]

    def _from(self, value: Value) -> Floats:
        """Return the distances of a value to each, computed anew."""
        wider = self.extend([value])
        return wider.distances(wider.places[value], np.arange(len(self.values)))

    @cached_property
    def _around(self) -> dict[Value, Floats]:
        return {}

    def subsumer(self, codes: Ints, counts: Floats) -> Value:
        """Return the value all have; null, if they differ."""
        return self.values[codes[0]] if (codes == codes[0]).all() else None

    def covered(self, a: Ints, b: Ints, data: Ints) -> Floats | None:
        """Return how many values of the data lie under what two values have in common: themselves, or all."""
        return np.where(a == b, 1.0, float(len(data)))

    def range(self, a: Ints, b: Ints) -> Floats:
        """Return the distance: values span no range."""
        return self.distances(a, b)

    def links(self, a: Ints, b: Ints) -> Floats | None:
        """Return None: without an ontology there are no links."""
        return None

    def generalisations(self) -> list[list[Value]]:
        """Return the values themselves, and null for all: there is no hierarchy in between."""
        return [list(self.values), [None] * len(self.values)]

    def with_measure(self, measure: str) -> Self:
        """Return the same metric: without an ontology there is one measure."""
        return self

    def by_equality(self) -> Metric:
        """Return the same metric: it uses no meaning of words."""
        return self

    def restricted_to(self, codes: Ints) -> Self:
        """Return the same distances between some of the values alone; their places in `codes` are their codes."""
        return self._with([self.values[c] for c in codes.tolist()])

    def families(self, codes: Ints, counts: Floats) -> Ints:
        """Number the families of related meaning that some values fall into; those like nothing else are alone."""
        alone = self.unlinked[codes]
        found = np.zeros(len(codes), np.int64)
        if not alone.all():
            found[~alone] = self._families(codes[~alone], counts[~alone])
        found[alone] = int(found.max(initial=-1)) + 1 + each_alone(counts[alone])
        return np.unique(found, return_inverse=True)[1].ravel()

    def _families(self, codes: Ints, counts: Floats) -> Ints:
        """Number two families of values of which none is lone: those near to one that is far out, and the others.

        Where few are near to it and all others equally far, these are parted by how near they are to one of them.
        """
        out = codes[int(np.argmax(self.distances_from(self.centroid(codes, counts))[codes]))]
        far = self.distances_from(self.values[out])[codes]
        found = halves(far, counts)
        if min(counts[found == 0].sum(), counts[found == 1].sum()) >= FEW * counts.sum():
            return found
        other = self.distances_from(self.values[codes[int(np.argmax(far))]])[codes]
        rank = np.empty(len(codes))
        rank[np.lexsort((-other, far))] = np.arange(len(codes))
        return halves(rank, counts)

    def mode(self, codes: Ints, counts: Floats) -> Value:
        """Return the value that counts most; the first by code among equals."""
        total = np.bincount(codes, weights=counts)
        best = int(np.argmax(total))
        return self.values[best if total[best] > 0 else int(codes.min())]  # of rows that weigh nothing, the first

    def parted(self, codes: Ints, counts: Floats) -> tuple[Floats, Ints, Ints]:
        """Return what every value counts, and the codes that are there: those with a meaning, and those alone."""
        here = np.flatnonzero(np.bincount(codes))
        total = sum_by(codes, counts, len(self.values))
        if not self._some_lone:
            return total, here, here[:0]
        alone = self.unlinked[here]
        return total, here[~alone], here[alone]

    @cached_property
    def _some_lone(self) -> bool:
        return bool(self.unlinked.any())

    def without_unlinked(self, codes: Ints, counts: Floats) -> tuple[Ints, Floats] | None:
        """Leave out the values that are like nothing else, unless they are the majority."""
        if not self._some_lone:
            return codes, counts
        kept = ~self.unlinked[codes]
        if counts[kept].sum() * 2 < counts.sum() or not kept.any():
            return None
        return codes[kept], counts[kept]


def halves(numbers: Floats, counts: Floats) -> Ints:
    """Cut numbers in two ranges that count as nearly the same as can be; equal numbers stay together.

    >>> halves(np.array([5.0, 1.0, 1.0, 9.0]), np.ones(4)).tolist()
    [1, 0, 0, 1]
    """
    found, place = np.unique(numbers, return_inverse=True)
    if len(found) == 1:
        return np.zeros(len(numbers), np.int64)
    below = np.cumsum(sum_by(place.ravel(), counts, len(found)))
    first = int(np.argmin(np.abs(below[:-1] * 2 - below[-1]))) + 1  # of the upper range
    return (place.ravel() >= first).astype(np.int64)


def each_alone(counts: Floats) -> Ints:
    """Number families of one value each; where there are too many, they share families in turn.

    >>> each_alone(np.array([1.0, 7.0, 3.0])).tolist()
    [2, 0, 1]
    """
    rank = np.empty(len(counts), np.int64)
    rank[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
    return rank % FAMILIES


def tolerance(cost: float) -> float:
    """Return by how much two sums of distances may differ and still be a tie."""
    return 1e-12 * cost
