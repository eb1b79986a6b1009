"""Distances between sets, made of those between elements; a medoid represents a group.

The five distances are those of Batet, Erola, Sánchez and Castellà-Roca (2014).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from allonym.arrays import Floats, Ints, frozen
from allonym.kinds.category import EqualityMetric
from allonym.kinds.metric import BaseMetric, tolerance
from allonym.metric import Metric, Value
from allonym.ontology.narrower import broader, concept_order, true_of_all

SET_DISTANCES = ("min-sum", "avg", "min", "max", "max-sum")
MAX_TABLE = 100_000_000  # distances in a table: of elements to each other, or to sets
PAIRS_AT_A_TIME = 2_000_000  # of elements
MAX_SMALL_GROUP = 64  # sets whose distances are computed pair by pair


class SetMetric(BaseMetric):
    """Distances between sets. A value is a frozenset of values of `elements`; the empty set is 1 from all others.

    With δ the distance of elements, of two sets A and B: `min` and `max` are the least and the largest δ, `avg` the
    mean over all pairs, `min-sum` (Σ_a min_b δ + Σ_b min_a δ) / (|A| + |B|), `max-sum` likewise (§3.1.1). By `avg`,
    `max` and `max-sum`, the distance of a set to itself is above 0. The medoid is the set with the least Σ ω·d, itself
    included; ties by code.

    >>> pets = SetMetric([frozenset({"cat", "dog"}), frozenset({"cat"}), frozenset()], EqualityMetric([]))
    >>> pets.distances(0, [0, 1, 2]).round(3).tolist()
    [0.0, 0.333, 1.0]
    """

    def __init__(self, values: Sequence[Value], elements: Metric, distance: str = "min-sum") -> None:
        super().__init__(values)
        self.distance = distance
        present = {x for v in self.values if v is not None for x in v}
        present |= set(map(broader, present))  # which may stand for leaves
        self.elements = elements.extend(sorted(present, key=_order))
        self._place = {x: i for i, x in enumerate(self.elements.values)}
        self._totals: tuple[Floats, Floats, int] | None = None  # ω, Σ ω·d, the number of sets at first

    def _with(self, values: Sequence[Value]) -> SetMetric:
        return SetMetric(values, self.elements, self.distance)

    # --- the sets as arrays ----------------------------------------------------------------------------------

    @cached_property
    def _rows(self) -> tuple[Ints, Ints]:
        """The elements of every set, one after the other, and where each set begins; null has none."""
        each = [sorted(self._place[x] for x in v) if v is not None else [] for v in self.values]
        sizes = np.array([len(x) for x in each], np.int64)
        flat = np.array([x for row in each for x in row], np.int64)
        return frozen(np.append(0, np.cumsum(sizes))), frozen(flat)

    @cached_property
    def sizes(self) -> Ints:
        """The number of elements of each set."""
        return np.diff(self._rows[0])

    @cached_property
    def _has(self) -> Any:
        """The sets as a sparse table of sets by elements, with a 1 for each element of a set."""
        from scipy.sparse import csr_array

        starts, items = self._rows
        shape = (len(self.values), len(self._place))
        return csr_array((np.ones(len(items)), items, starts), shape=shape)

    @cached_property
    def _delta(self) -> Floats | None:
        """The distances of all elements, unless there are too many."""
        size = len(self._place)
        if size * size > MAX_TABLE:
            return None
        codes = np.arange(size)
        height = max(1, PAIRS_AT_A_TIME // max(size, 1))
        return np.concatenate(
            [self.elements.distances(codes[low : low + height, None], codes) for low in range(0, size, height)]
            or [np.zeros((0, 0))]
        )

    def _element_distances(self, a: Ints, b: Ints) -> Floats:
        """Return the distances of elements."""
        return self._delta[a, b] if self._delta is not None else self.elements.distances(a, b)

    def _far(self, elements: Ints) -> Floats:
        """Return the distances of some elements to all elements, row by row."""
        if self._delta is not None:
            return self._delta[elements]
        return self.elements.distances(elements[:, None], np.arange(len(self._place)))

    @cached_property
    def _nearest(self) -> Floats | None:
        """The distance of every element to the nearest (max-sum: farthest) of every set, unless it is too large."""
        if len(self._place) * len(self.values) > MAX_TABLE:
            return None
        return np.concatenate([self._to_sets(np.array([x])) for x in range(len(self._place))] or [np.zeros((0, 0))])

    def _to_sets(self, elements: Ints) -> Floats:
        """Return the distances of some elements to the nearest (max-sum: farthest) element of every set, row by row."""
        starts, items = self._rows
        nearest = np.ones((len(elements), len(self.values)))
        full = np.flatnonzero(self.sizes)
        reduce = np.maximum if self.distance == "max-sum" else np.minimum
        if len(full):
            for row, far in zip(nearest, self._far(elements), strict=True):
                row[full] = reduce.reduceat(far[items], starts[full])
        return nearest

    # --- distances -------------------------------------------------------------------------------------------

    def _between(self, a: Ints, b: Ints) -> Floats:
        one, other = a.ravel(), b.ravel()
        pairs, place = np.unique(np.stack([one, other]), axis=1, return_inverse=True)
        distances = np.empty(pairs.shape[1])
        combos = np.cumsum(self.sizes[pairs[0]] * self.sizes[pairs[1]])
        for block in np.split(np.arange(len(distances)), np.flatnonzero(np.diff(combos // PAIRS_AT_A_TIME)) + 1):
            distances[block] = self._pair_by_pair(pairs[0, block], pairs[1, block])
        return distances[place.ravel()].reshape(a.shape)

    def _pair_by_pair(self, a: Ints, b: Ints) -> Floats:
        distances = (self.sizes[a] != self.sizes[b]).astype(np.float64)  # of the empty set
        full = np.flatnonzero((self.sizes[a] > 0) & (self.sizes[b] > 0))
        a, b = a[full], b[full]
        if not len(full):
            return distances
        size_a, size_b = self.sizes[a], self.sizes[b]
        if self.distance in ("min-sum", "max-sum"):
            distances[full] = (self._one_way(a, b) + self._one_way(b, a)) / (size_a + size_b)
            return distances
        x, y, _ = self._combinations(a, b)
        starts = np.append(0, np.cumsum(size_a * size_b)[:-1])
        reduce = {"min": np.minimum, "max": np.maximum, "avg": np.add}[self.distance]
        distances[full] = reduce.reduceat(self._element_distances(x, y), starts)
        if self.distance == "avg":
            distances[full] /= size_a * size_b
        return distances

    def _one_way(self, a: Ints, b: Ints) -> Floats:
        """Return Σ over elements of A of the distance to the nearest (max-sum: farthest) element of B, pair by pair."""
        x, y, rows = self._combinations(a, b)
        reduce = np.maximum if self.distance == "max-sum" else np.minimum
        nearest = reduce.reduceat(self._element_distances(x, y), np.append(0, np.cumsum(rows)[:-1]))
        return np.add.reduceat(nearest, np.append(0, np.cumsum(self.sizes[a])[:-1]))

    def _combinations(self, a: Ints, b: Ints) -> tuple[Ints, Ints, Ints]:
        """Return all pairs of elements of A and of B, set by set, and the number of pairs of each element of A."""
        starts, items = self._rows
        size_a, size_b = self.sizes[a], self.sizes[b]
        first = _ranges(starts[a], size_a)  # every element of every A
        rows = np.repeat(size_b, size_a)
        return items[np.repeat(first, rows)], items[_ranges(np.repeat(starts[b], size_a), rows)], rows

    def _from(self, value: Value) -> Floats:
        """Compute the distances of a set to each."""
        if value is None:
            return np.array([float(v is not None) for v in self.values])
        if any(x not in self._place for x in value):
            return super()._from(value)
        if not value:
            return np.where(self.unlinked, 1.0, (self.sizes > 0).astype(np.float64))
        own = np.array(sorted(self._place[x] for x in value), np.int64)
        distances = np.ones(len(self.values))
        full = np.flatnonzero(self.sizes)
        if len(full):
            distances[full] = self._one_against_all(own, full)
        return distances

    def _one_against_all(self, own: Ints, full: Ints) -> Floats:
        starts, items = self._rows
        far, sizes = self._far(own), self.sizes[full]
        if self.distance == "avg":
            return (self._has @ far.sum(axis=0))[full] / (sizes * len(own))
        if self.distance in ("min", "max"):
            reduce = np.minimum if self.distance == "min" else np.maximum
            return reduce.reduceat(reduce.reduce(far, axis=0)[items], starts[full])
        reduce = np.maximum if self.distance == "max-sum" else np.minimum
        from_sets = self._has @ reduce.reduce(far, axis=0)
        from_own = (self._nearest[own] if self._nearest is not None else self._to_sets(own)).sum(axis=0)
        return (from_sets + from_own)[full] / (sizes + len(own))

    def distances(self, code: ArrayLike, codes: ArrayLike) -> Floats:
        """Return distances in [0, 1], broadcasting like NumPy."""
        a, b = np.broadcast_arrays(np.asarray(code), np.asarray(codes))
        if a.ndim == 2 and min(a.shape) > 1 and (a == a[:, :1]).all() and (b == b[:1]).all():  # each against each
            return np.stack([self.distances_from(self.values[i])[b[0]] for i in a[:, 0].tolist()])
        return np.asarray(super().distances(a, b))

    # --- representatives --------------------------------------------------------------------------------------

    def centroid(self, codes: Ints, counts: Floats) -> Value:
        """Return the medoid; of leaves below concepts that not all sets have, it has the concepts."""
        total, sets, nulls = self.split_linked(codes, counts)
        if not len(sets):
            return None
        if len(sets) <= MAX_SMALL_GROUP:
            costs = self.distances(sets[:, None], sets) @ total[sets]
        else:
            costs = self._costs(np.where(self.unlinked, 0.0, total))[sets]
        costs = costs + total[nulls].sum()
        least = float(costs.min())
        if total[sets].sum() < least - tolerance(least):  # null is 1 from all of them
            return None
        medoid = sets[np.argmax(costs <= least + max(tolerance(least), tolerance(float(total.sum()))))]
        return true_of_all(self.values[medoid], (self.values[c] for c in [*sets.tolist(), *nulls.tolist()]))

    def _costs(self, total: Floats) -> Floats:
        """Return Σ ω·d to all sets for each; an earlier result is updated if little has changed since."""
        if self.distance == "avg":
            return self._costs_of_means(total)
        if self._totals is not None:
            before, costs, first = self._totals
            changed, number = np.flatnonzero(total != before), np.count_nonzero(total)
            if len(changed) * 4 < number and number * 2 > first:  # else rounding errors might add up
                costs = costs.copy()
                for code in changed.tolist():
                    costs += (total[code] - before[code]) * self._from(self.values[code])
                self._totals = total, costs, first
                return costs
        present = np.flatnonzero(total)
        if self.distance in ("min-sum", "max-sum") and self._nearest is not None:
            costs = self._costs_of_sums(total, self._nearest)
        else:
            costs = np.zeros(len(total))
            for code in present.tolist():
                costs += total[code] * self._from(self.values[code])
        self._totals = total, costs, len(present)
        return costs

    def _costs_of_sums(self, total: Floats, nearest: Floats) -> Floats:
        """Return the costs by min-sum or max-sum, for each size of B, since both sums are divided by |A| + |B|."""
        costs = np.zeros(len(total))
        empty = self.sizes == 0
        for size in np.unique(self.sizes[(total > 0) & ~empty]).tolist():
            some = np.flatnonzero((self.sizes == size) & (total > 0))
            sums_over_a = self._has @ (nearest[:, some] @ total[some])  # Σ over a of the nearest in each B
            sums_over_b = (self._has[some].T @ total[some]) @ nearest  # Σ over b of the nearest in A
            costs += (sums_over_a + sums_over_b) / (self.sizes + size)
        costs += total[empty].sum()
        return np.where(empty, total[~empty].sum(), costs)

    def _costs_of_means(self, total: Floats) -> Floats:
        """Return the costs by avg: the mean over sets is a mean over elements, weighted by ω / |B|."""
        full = self.sizes > 0
        share = np.where(full, total / np.maximum(self.sizes, 1), 0.0)
        weights = self._has.T @ share
        if self._delta is not None:
            each = self._delta @ weights
        else:
            elements = np.array_split(np.arange(len(weights)), len(weights) // 100 + 1)
            each = np.concatenate([self._far(some) @ weights for some in elements])
        costs = (self._has @ each) / np.maximum(self.sizes, 1)
        return np.where(full, costs + total[~full].sum(), total[full].sum())

    def subsumer(self, codes: Ints, counts: Floats) -> Value:
        """Return the intersection of sets; null, if one is null and they differ."""
        if self.unlinked[codes].any():
            return super().subsumer(codes, counts)
        common = self.values[codes[0]]
        for code in codes[1:].tolist():
            common &= self.values[code]
        return common

    def truthful(self, codes: Ints, counts: Floats) -> Value:
        """Return items that are each true of an item of every set; null, if there are none.

        These are the items that all sets have, and a common subsumer of every other item of the smallest set with the
        nearest item of each set. An item that says less than another is left out.
        """
        present = np.unique(codes)
        if len(present) == 1 or self.unlinked[present].any() or not self.sizes[present].all():
            return super().subsumer(codes, counts)
        starts, items = self._rows
        rows = [items[starts[c] : starts[c + 1]] for c in present.tolist()]
        shared = set(rows[0].tolist()).intersection(*(row.tolist() for row in rows[1:]))
        true = [self.elements.values[x] for x in sorted(shared)]
        for item in min(rows, key=len).tolist():
            if item not in shared:
                nearest = [int(row[np.argmin(self._element_distances(np.full(len(row), item), row))]) for row in rows]
                true.append(self.elements.truthful(np.array(nearest), np.ones(len(nearest))))
        return self._without_implied([x for x in dict.fromkeys(true) if x is not None])

    def _without_implied(self, items: Sequence[Value]) -> Value:
        """Return items as a set, without those that subsume another; null, if there are none."""
        if len(items) < 2:
            return frozenset(items) or None
        wider = self.elements.extend(items)
        codes = np.array([wider.values.index(x) for x in items], np.int64)
        subsumes = [wider.generalises(code, codes) for code in codes.tolist()]
        return frozenset(x for x, others in zip(items, subsumes, strict=True) if others.sum() == 1) or None

    def generalises(self, code: int, codes: Ints) -> NDArray[np.bool_]:
        """Return which sets a set is true of: each of its items is true of one of theirs."""
        itself = super().generalises(code, codes)
        starts, items = self._rows
        own = items[starts[code] : starts[code + 1]]
        true = np.zeros(len(self.values), bool)
        full = np.flatnonzero(self.sizes)
        if not len(own) or not len(full):
            return itself
        true[full] = True
        for item in own.tolist():
            is_true = self.elements.generalises(item, np.arange(len(self.elements.values)))
            true[full] &= np.logical_or.reduceat(is_true[items], starts[full])
        return itself | true[codes]

    def with_measure(self, measure: str) -> SetMetric:
        """Return the same sets under another measure of their elements."""
        return SetMetric(self.values, self.elements.with_measure(measure), self.distance)

    def by_equality(self) -> SetMetric:
        """Return the same sets by equality of their elements."""
        return SetMetric(self.values, EqualityMetric(self.elements.values), self.distance)

    def restricted_to(self, codes: Ints) -> SetMetric:
        """Return the metric of some sets only, without the elements of others."""
        values = [self.values[c] for c in codes.tolist()]
        present = sorted({self._place[x] for v in values if v is not None for x in v})
        return SetMetric(values, self.elements.restricted_to(np.array(present, np.int64)), self.distance)

    def with_distance(self, distance: str) -> SetMetric:
        """Return the same sets under another of the five distances."""
        return self if distance == self.distance else SetMetric(self.values, self.elements, distance)


def _order(element: Any) -> tuple[bool, Any]:
    """Order elements: concepts and leaves below them, then texts."""
    return isinstance(element, str), element if isinstance(element, str) else concept_order(element)


def _ranges(starts: Ints, sizes: Ints) -> Ints:
    """Return start, start + 1, … for each range, one range after the other."""
    if not len(sizes):
        return np.zeros(0, np.int64)
    ends = np.cumsum(sizes)
    return np.arange(ends[-1]) + np.repeat(starts - ends + sizes, sizes)
