"""The metric of a column of sets."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from allonym.arrays import Floats, Ints, frozen, sum_by, take_rows, to_rows
from allonym.kinds.category import EqualityMetric
from allonym.kinds.metric import BaseMetric, tolerance
from allonym.kinds.set_metric.distances import SetDistances, set_distances
from allonym.kinds.set_metric.elements import ElementDistances
from allonym.kinds.set_metric.medoids import Medoids
from allonym.metric import Metric, Value
from allonym.ontology.narrower import broader, concept_order, true_of_all

MAX_SMALL_GROUP = 64  # sets whose distances are computed pair by pair
MAX_CACHED_BYTES = 200_000_000  # of bits that tell for an element of which sets it is true


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

    def __init__(
        self, values: Sequence[Value], elements: Metric, distance: str = "min-sum", known: SetMetric | None = None
    ) -> None:
        """Compare some sets; if their first ones are those of a `known` metric, its tables are used."""
        super().__init__(values)
        self.distance = distance
        new = self.values[0 if known is None else len(known.values) :]
        present = {x for v in new if v is not None for x in v}
        present |= set(map(broader, present))  # which may stand for leaves
        self.elements = elements.extend(sorted(present, key=_order))
        self._known = known if known is not None and self.elements is known.elements else None

    def _with(self, values: Sequence[Value]) -> SetMetric:
        return SetMetric(values, self.elements, self.distance)

    def extend(self, values: Sequence[Value]) -> SetMetric:
        """Return a metric that has these values too, appended where they are new; codes never move."""
        new = [v for v in dict.fromkeys(values) if v not in self.places]
        return SetMetric((*self.values, *new), self.elements, self.distance, self) if new else self

    def with_distance(self, distance: str) -> SetMetric:
        """Return the same sets under another of the five distances."""
        return self if distance == self.distance else SetMetric(self.values, self.elements, distance, self)

    # --- the sets as arrays ----------------------------------------------------------------------------------

    @cached_property
    def _place(self) -> dict[Value, int]:
        """The code of every element."""
        return self._known._place if self._known is not None else {x: i for i, x in enumerate(self.elements.values)}

    @cached_property
    def _element_distances(self) -> ElementDistances:
        return self._known._element_distances if self._known is not None else ElementDistances(self.elements)

    @cached_property
    def _rows(self) -> tuple[Ints, NDArray[np.int32]]:
        """Where the elements of each set begin, and the elements of every set, one after the other; null has none."""
        first = 0 if self._known is None else len(self._known.values)
        each = [sorted(self._place[x] for x in v) if v is not None else [] for v in self.values[first:]]
        starts = np.cumsum([0, *map(len, each)])
        items = np.array([x for row in each for x in row], np.int32)
        if self._known is not None:
            before = self._known._rows
            starts, items = np.append(before[0][:-1], before[0][-1] + starts), np.append(before[1], items)
        return frozen(starts), frozen(items)

    @cached_property
    def _sets(self) -> SetDistances:
        return set_distances(self._element_distances, *self._rows, self.distance)

    @property
    def rows(self) -> tuple[Ints, NDArray[np.int32]]:
        """Where the elements of each set begin, and the elements of every set, one after the other."""
        return self._rows

    @property
    def sizes(self) -> Ints:
        """The number of elements of each set."""
        return self._sets.sizes

    # --- distances -------------------------------------------------------------------------------------------

    def distances(self, code: ArrayLike, codes: ArrayLike) -> Floats:
        """Return distances in [0, 1], broadcasting like NumPy."""
        one, other = np.asarray(code), np.asarray(codes)
        if one.ndim == 0 and other.ndim == 1:
            return self._one_to_many(self.values[one], other)
        a, b = np.broadcast_arrays(one, other)
        if one.ndim == 2 and one.shape[1] == 1 and other.ndim == 1 and one.size:  # each against each
            if len(one) > len(other) > 0:  # distances are the same in both directions; fewer sets are laid out
                return np.ascontiguousarray(self.distances(other[:, None], one[:, 0]).T)
            return np.stack([self._one_to_many(self.values[i], other) for i in one[:, 0].tolist()])
        return np.asarray(super().distances(a, b))

    def _between(self, a: Ints, b: Ints) -> Floats:
        return self._sets.pairs(a.ravel(), b.ravel()).reshape(a.shape)

    def _from(self, value: Value) -> Floats:
        """Compute the distances of a set to each."""
        if not self._has_elements(value):
            return super()._from(value)
        distances, order = np.empty(len(self.values)), self._sets.by_size
        distances[order] = self._one_to_many(value, order)
        return distances

    def distances_to(self, value: Value, codes: Ints) -> Floats:
        """Return the distances of a set to some sets; to few of them, without comparing it with all."""
        few = len(codes) * 4 < len(self.values)
        if few and value not in self._cached_distances and self._has_elements(value):
            return self._one_to_many(value, codes)
        return super().distances_to(value, codes)

    def _has_elements(self, value: Value) -> bool:
        """Tell whether all elements of a set are known."""
        return value is None or all(x in self._place for x in value)

    def _one_to_many(self, value: Value, codes: Ints) -> Floats:
        """Return the distances of a set of known elements, or of null, to some sets."""
        if value is None:
            return np.asarray(~self.unlinked[codes], np.float64)
        own = self.elements_of(value)
        assert own is not None
        distances = self._sets.one_to_many(own, codes)
        return np.where(self.unlinked[codes], 1.0, distances) if self._any_unlinked else distances

    def elements_of(self, value: Value) -> NDArray[np.int32] | None:
        """Return the numbers of the elements of a set, in order; None for null."""
        return None if value is None else np.array(sorted(self._place[x] for x in value), np.int32)

    def value_of(self, elements: NDArray[np.int32]) -> Value:
        """Return the set of some elements, by their numbers."""
        return frozenset(self.elements.values[x] for x in elements.tolist())

    def compiled_distances(self) -> dict[str, Any] | None:
        """Return the sets and the distances of their elements, unless these are too many."""
        form = self._sets.compiled_form()
        if form is None:
            return None
        form["null"] = self.unlinked.astype(np.uint8)
        if not any(isinstance(x, tuple) for x in self.elements.values):  # which have concepts in several ontologies
            form["broader"] = np.array([self._place.get(broader(x), i) for x, i in self._place.items()], np.int32)
        return form

    # --- representatives --------------------------------------------------------------------------------------

    def representatives(self, *, truthful: bool) -> list[Value] | None:
        """Return None: there are too many sets of items."""
        return None

    def centroid(self, codes: Ints, counts: Floats) -> Value:
        """Return the medoid; of leaves below concepts that not all sets have, it has the concepts."""
        present, held = self._held(codes, counts)
        null = self.unlinked[present]
        sets, weights = present[~null], held[~null]
        if not len(sets):
            return None
        weight, tie = float(weights.cumsum()[-1]), tolerance(float(held.cumsum()[-1]))
        if len(sets) <= MAX_SMALL_GROUP:
            candidates, costs = sets, in_order(self._among(sets) * weights)
        else:
            candidates, costs = self._medoids(sets).least(sets, weights, tie)
        costs = costs + held[null].sum()
        least = float(costs.min())
        if weight < least - tolerance(least):  # null is 1 from all of them
            return None
        medoid = candidates[np.argmax(costs <= least + max(tolerance(least), tie))]
        return true_of_all(self.values[medoid], (self.values[c] for c in chain(sets, present[null])))

    def _held(self, codes: Ints, counts: Floats) -> tuple[Ints, Floats]:
        """Return the codes that occur, in order, and what each counts."""
        if len(codes) * 8 < len(self.values):
            present, place = np.unique(codes, return_inverse=True)
            return present, sum_by(place.ravel(), counts, len(present))
        present = np.flatnonzero(np.bincount(codes))
        return present, sum_by(codes, counts, len(self.values))[present]

    def _among(self, sets: Ints) -> Floats:
        """Return the distances of each of some sets to each."""
        number = len(sets)
        return self._sets.pairs(np.repeat(sets, number), np.tile(sets, number)).reshape(number, number)

    def _medoids(self, sets: Ints) -> Medoids:
        """Return what finds the medoids of large groups; known sets have the same in all metrics that have them."""
        known = self._known
        if known is None or known.distance != self.distance or sets[-1] >= len(known.values):
            return self._own_medoids
        return known._medoids(sets)

    @cached_property
    def _own_medoids(self) -> Medoids:
        return Medoids(self._sets)

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
                nearest = [self._element_distances.nearest(item, row) for row in rows]
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
        own = self._sets.items_of(code)
        if not len(own):
            return itself
        bits = np.bitwise_and.reduce([self._true_of(item) for item in own.tolist()], axis=0)
        return itself | np.unpackbits(bits, count=len(self.values)).astype(bool)[codes]

    def below(self, item: int) -> NDArray[np.integer]:
        """Return the elements that an element is true of, by their numbers: itself, and those below it."""
        return self._element_distances.below(item)

    def having(self, item: int) -> NDArray[np.bool_]:
        """Return which sets have an element, by its number, or one that it is true of."""
        return np.unpackbits(self._true_of(item), count=len(self.values)).astype(bool)

    def _true_of(self, item: int) -> NDArray[np.uint8]:
        """Return, bit by bit, the sets that have an element of which an element is true."""
        known = self._sets_by_element
        if item not in known:
            if len(known) * len(self.values) // 8 >= MAX_CACHED_BYTES:
                known.clear()
            has = np.zeros(len(self.values), bool)
            has[take_rows(*self._holding, self._element_distances.below(item))[1]] = True
            known[item] = np.packbits(has)
        return known[item]

    @cached_property
    def _sets_by_element(self) -> dict[int, NDArray[np.uint8]]:
        return {}

    @cached_property
    def _holding(self) -> tuple[Ints, NDArray[np.int32]]:
        """The sets that have each element."""
        starts, items = self._rows
        return to_rows(items, np.repeat(np.arange(len(self.values)), np.diff(starts)), len(self._place))

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

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without tables."""
        return super().__getstate__() | {"_known": None}


def in_order(terms: Floats) -> Floats:
    """Return the sums of rows, added up from the first column to the last, as compiled kernels do."""
    return np.add.accumulate(terms, axis=1)[:, -1]


def _order(element: Any) -> tuple[bool, Any]:
    """Order elements: concepts and leaves below them, then texts."""
    return isinstance(element, str), element if isinstance(element, str) else concept_order(element)
