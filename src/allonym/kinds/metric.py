"""The base of all metrics: values by code; null and unlinked texts are alike to nothing else."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from allonym.arrays import Floats, Ints, added_up, frozen, sum_by
from allonym.metric import Metric, Value
from allonym.ontology.pickling import DropCaches

MAX_CACHED_DISTANCES = 4_000_000
MIN_FAMILY = 0.1  # share of the counts that each of two families must have
MAX_FAMILIES = 64  # of values


class BaseMetric(DropCaches, ABC):
    """Values by code. Null and unlinked texts are at distance 0 from themselves and 1 from everything else."""

    def __init__(self, values: Sequence[Value]) -> None:
        self.values = tuple(values)

    @cached_property
    def unlinked(self) -> NDArray[np.bool_]:
        """Which values are null or unlinked texts."""
        return frozen(np.array([v is None or isinstance(v, str) for v in self.values], bool))

    @cached_property
    def places(self) -> dict[Value, int]:
        """The code of every value."""
        return {value: code for code, value in enumerate(self.values)}

    def codes_of(self, values: Sequence[Value]) -> Ints:
        """Return the codes of values that the metric has."""
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
        unlinked = self.unlinked[a] | self.unlinked[b]
        distances = (a != b).astype(np.float64)
        distances[~unlinked] = self._between(a[~unlinked], b[~unlinked])
        return distances

    @abstractmethod
    def centroid(self, codes: Ints, counts: Floats) -> Value:
        """Return the value that represents some values."""

    @abstractmethod
    def _between(self, a: Ints, b: Ints) -> Floats:
        """Return the distances of linked values."""

    def distances_from(self, value: Value) -> Floats:
        """Return the distances of a value, which need not be one of `values`, to each of them."""
        cached = self._cached_distances
        if value not in cached:
            if len(cached) * len(self.values) >= MAX_CACHED_DISTANCES:
                cached.clear()
            cached[value] = frozen(self._from(value))
        return cached[value]

    def distances_to(self, value: Value, codes: Ints) -> Floats:
        """Return the distances of a value, which need not be one of `values`, to some of them."""
        return self.distances_from(value)[codes]

    def _from(self, value: Value) -> Floats:
        """Compute the distances of a value to each."""
        wider = self.extend([value])
        return wider.distances(wider.places[value], np.arange(len(self.values)))

    @cached_property
    def _cached_distances(self) -> dict[Value, Floats]:
        return {}

    def subsumer(self, codes: Ints, counts: Floats) -> Value:
        """Return the common value; null, if values differ."""
        return self.values[codes[0]] if (codes == codes[0]).all() else None

    def preferred(self, value: Value, codes: Ints, counts: Floats) -> Value:
        """Return the centroid of some values: there is none that is better known."""
        return value

    def is_known(self, value: Value) -> bool:
        """Tell whether people know a value: as far as the metric knows, they do."""
        return True

    def truthful(self, codes: Ints, counts: Floats) -> Value:
        """Return the subsumer, which is true of all; null, if there is none."""
        return self.subsumer(codes, counts)

    def interchangeable(self) -> Ints:
        """Number the values; those with equal numbers have equal distances to all others, and to each other.

        Null and unlinked texts are 1 from everything else, and share a number.
        """
        values = np.arange(len(self.values))
        return np.unique(np.where(self.unlinked, -1, values), return_inverse=True)[1].ravel()

    @property
    def ordered(self) -> bool:
        """Whether the codes follow an order of the values themselves."""
        return False

    def compiled_form(self) -> dict[str, Any] | None:
        """Return None: compiled kernels call the metric."""
        return None

    def compiled_distances(self) -> dict[str, Any] | None:
        """Return None: where compiled kernels call the metric, they do so for distances, too."""
        return None

    def elements_of(self, value: Value) -> NDArray[np.int32] | None:
        """Return None: values have no elements."""
        return None

    def value_of(self, elements: NDArray[np.int32]) -> Value:
        """Raise TypeError: values have no elements."""
        raise TypeError(f"{type(self).__name__} has no sets.")

    def point_value(self, point: int) -> Value:
        """Return the value of a row of the distances that `compiled_form` has."""
        return self.values[point]

    @property
    def ends(self) -> Floats | None:
        """The lowest and the highest number of every value: none."""
        return None

    @property
    def ancestor_sets(self) -> NDArray[np.uint64] | None:
        """For every value the set of what it is a kind of: unknown."""
        return None

    def ancestor_lists(self, codes: Ints) -> tuple[Ints, Ints, Ints] | None:
        """Return None: distances are not those of ancestors."""
        return None

    def alternatives(self, codes: Ints, counts: Floats) -> list[Value]:
        """Return the values themselves, and their centroid."""
        return [*(self.values[c] for c in np.unique(codes).tolist()), self.centroid(codes, counts)]

    def representatives(self, *, truthful: bool) -> list[Value] | None:
        """Return the values themselves."""
        return [value for value in self.values if value is not None]

    @property
    def averaged(self) -> bool:
        """Whether values of a kind of numbers may be averaged."""
        return True

    def with_holders(self, holders: Ints, k: int) -> Self:
        """Return the same metric: what stands for several values gives away no value of few units."""
        return self

    def covered(self, a: Ints, b: Ints, data: Ints) -> Floats | None:
        """Return how many values of the data lie under the subsumer of two: one if they are equal, else all."""
        return np.where(a == b, 1.0, float(len(data)))

    def leaf_count(self, data: Ints) -> int:
        """Return how many values the data have: there is no hierarchy."""
        return len(data)

    def generalises(self, code: int, codes: Ints) -> NDArray[np.bool_]:
        """Return which values a value is true of: itself; null is true of all."""
        return np.ones(len(codes), bool) if self.values[code] is None else codes == code

    def generalised(self) -> tuple[Ints, NDArray[np.int32]] | None:
        """Return None: the values that one is true of are found one by one."""
        return None

    def range(self, a: Ints, b: Ints) -> Floats:
        """Return the distance: values span no range."""
        return self.distances(a, b)

    def links(self, a: Ints, b: Ints) -> Floats | None:
        """Return None: without an ontology there are no links."""
        return None

    def generalisations(self) -> list[list[Value]]:
        """Return the values, and null for all: there are no levels in between."""
        return [list(self.values), [None] * len(self.values)]

    def with_measure(self, measure: str) -> Self:
        """Return the same metric: without an ontology there is one measure."""
        return self

    def by_equality(self) -> Metric:
        """Return the same metric: it uses no meaning of words."""
        return self

    def restricted_to(self, codes: Ints) -> Self:
        """Return the metric of some values only; their places in `codes` become their codes."""
        return self._with([self.values[c] for c in codes.tolist()])

    def families(self, codes: Ints, counts: Floats) -> Ints:
        """Number the families of related meaning that some values fall into; each unlinked value is a family."""
        unlinked = self.unlinked[codes]
        families = np.zeros(len(codes), np.int64)
        if not unlinked.all():
            families[~unlinked] = self._families(codes[~unlinked], counts[~unlinked])
        families[unlinked] = int(families.max(initial=-1)) + 1 + single_families(counts[unlinked])
        return np.unique(families, return_inverse=True)[1].ravel()

    def _families(self, codes: Ints, counts: Floats) -> Ints:
        """Number two families of linked values: those near to an outlier, and the others.

        Where few are near to it and all others equally far, these are split by their distance to one of them.
        """
        outlier = codes[int(np.argmax(self.distances_from(self.centroid(codes, counts))[codes]))]
        far = self.distances_from(self.values[outlier])[codes]
        families = halves(far, counts)
        if min(counts[families == 0].sum(), counts[families == 1].sum()) >= MIN_FAMILY * counts.sum():
            return families
        other = self.distances_from(self.values[codes[int(np.argmax(far))]])[codes]
        rank = np.empty(len(codes))
        rank[np.lexsort((-other, far))] = np.arange(len(codes))
        return halves(rank, counts)

    def mode(self, codes: Ints, counts: Floats) -> Value:
        """Return the most frequent value; the first by code of equals."""
        total = np.bincount(codes, weights=counts)
        best = int(np.argmax(total))
        return self.values[best if total[best] > 0 else int(codes.min())]  # if all rows have weight 0, the first

    def split_linked(self, codes: Ints, counts: Floats) -> tuple[Floats, Ints, Ints]:
        """Return the count of every value, the linked codes that occur, and the unlinked codes that occur."""
        present = np.flatnonzero(np.bincount(codes))
        total = sum_by(codes, counts, len(self.values))
        if not self._any_unlinked:
            return total, present, present[:0]
        unlinked = self.unlinked[present]
        return total, present[~unlinked], present[unlinked]

    @cached_property
    def _any_unlinked(self) -> bool:
        return bool(self.unlinked.any())

    def without_unlinked(self, codes: Ints, counts: Floats) -> tuple[Ints, Floats] | None:
        """Leave out unlinked values; None, if they are the majority."""
        if not self._any_unlinked:
            return codes, counts
        linked = ~self.unlinked[codes]
        total = sum_by(codes, counts, len(self.values))  # by value, as compiled kernels add up
        if added_up(total[~self.unlinked]) * 2 < added_up(total) or not linked.any():
            return None
        return codes[linked], counts[linked]


def halves(numbers: Floats, counts: Floats) -> Ints:
    """Split numbers into two ranges of most similar counts; equal numbers stay together.

    >>> halves(np.array([5.0, 1.0, 1.0, 9.0]), np.ones(4)).tolist()
    [1, 0, 0, 1]
    """
    distinct, place = np.unique(numbers, return_inverse=True)
    if len(distinct) == 1:
        return np.zeros(len(numbers), np.int64)
    below = np.cumsum(sum_by(place.ravel(), counts, len(distinct)))
    first = int(np.argmin(np.abs(below[:-1] * 2 - below[-1]))) + 1  # of the upper range
    return (place.ravel() >= first).astype(np.int64)


def single_families(counts: Floats) -> Ints:
    """Number families of one value each, frequent ones first; too many values share the numbers in turn.

    >>> single_families(np.array([1.0, 7.0, 3.0])).tolist()
    [2, 0, 1]
    """
    rank = np.empty(len(counts), np.int64)
    rank[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
    return rank % MAX_FAMILIES


def tolerance(cost: float) -> float:
    """Return by how much two sums of distances may differ in a tie."""
    return 1e-12 * cost
