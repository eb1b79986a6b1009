"""How far the sensitive values of groups are from those of the table: the earth mover's distance of t-closeness.

The ground distance is the ontology's for words, that of ranks for numbers and ordered categories, equal or not for
others.
"""

from __future__ import annotations

import heapq
from functools import cached_property

import numpy as np

from allonym.arrays import Floats, Ints
from allonym.kinds.category import EqualityMetric
from allonym.kinds.registry import kind_named
from allonym.records import Attribute

MAX_CUTS = 200  # that are kept


class Closeness:
    """How far distributions over the values of an attribute, those with some codes, are from that of the whole."""

    def __init__(self, attribute: Attribute, codes: Ints, whole: Floats) -> None:
        self.attribute, self.codes, self.whole = attribute, codes, whole
        self.by_meaning = not kind_named(attribute.kind).ordered and not isinstance(attribute.metric, EqualityMetric)
        self.cuts = np.zeros((0, len(codes)))  # what shows that others are at least so far

    @cached_property
    def cost(self) -> Floats:
        """How far the values are from each other, by meaning."""
        return self.attribute.metric.distances(self.codes[:, None], self.codes)

    def largest(self, groups: Floats, least: float = 0.0) -> float:
        """Return the largest distance, if it is above another."""
        if not self.by_meaning:
            return max(least, float(self._each(groups).max(initial=0.0)))
        bound = self._at_most(groups)
        for g in np.argsort(-bound, kind="stable").tolist():  # those that are shown to be nearer are not computed
            if bound[g] <= least:
                break
            least = max(least, self.exact(groups[g]))
        return least

    def beyond(self, groups: Floats, enough: float, tolerance: float) -> Floats:
        """Return by how much each is farther than `enough`, or what shows that it is farther; 0, where it is not.

        Where the result is within the tolerance, so is the distance.
        """
        if not self.by_meaning:
            return np.maximum(self._each(groups) - enough, 0.0)
        distances = self._at_most(groups)
        for g in np.flatnonzero(distances > enough).tolist():
            distances[g] = self._at_least(groups[g])
            if distances[g] - enough <= tolerance:  # such a lower bound shows nothing
                distances[g] = self.exact(groups[g])
        return np.maximum(distances - enough, 0.0)

    def exact(self, group: Floats) -> float:
        """Return the distance of one, by solving the transport problem; its solution bounds that of others."""
        distance, prices = earth_movers(group, self.whole, self.cost)
        cut = (self.cost - prices).min(axis=1) + self.whole @ prices  # feasible for the dual, whatever the group
        self.cuts = np.vstack([self.cuts[-MAX_CUTS:], cut])
        return distance

    def _each(self, groups: Floats) -> Floats:
        """Return the distances along ranks, or where values are equal or not."""
        moved = groups - self.whole
        if isinstance(self.attribute.metric, EqualityMetric):
            return np.abs(moved).sum(axis=1) / 2
        values = [self.attribute.values[c] for c in self.codes]
        known = ~np.array([x is None or isinstance(x, str) for x in values], bool)
        numbers = np.array([np.mean(x) for x, k in zip(values, known, strict=True) if k], np.float64)
        line = moved[:, known][:, np.argsort(numbers, kind="stable")]
        if known.all():
            return np.abs(np.cumsum(line, axis=1)[:, :-1]).sum(axis=1) / max(line.shape[1] - 1, 1)
        return np.array([_with_others(row, extra) for row, extra in zip(line, moved[:, ~known], strict=True)])

    def _at_least(self, group: Floats) -> float:
        """Return what must be paid: each value of the whole comes from the nearest in the group, or a cut says more."""
        return max(float(self.whole @ self.cost[group > 0].min(axis=0)), (self.cuts @ group).max(initial=0.0))

    def _at_most(self, groups: Floats) -> Floats:
        """Return what the better of two feasible plans costs: all moves in proportion; or what is in place stays."""
        moving = groups @ (self.cost @ self.whole)
        stay = np.minimum(groups, self.whole)
        moved = np.maximum(1 - stay.sum(axis=1), 1e-300)
        rest = (((groups - stay) @ self.cost) * (self.whole - stay)).sum(axis=1) / moved
        return np.minimum(moving, rest)


def _with_others(line: Floats, others: Floats) -> float:
    """Return the distance along ranks where some values, such as null, are 1 from everything else.

    What these have too much of must go to the line, or what they lack must come from it, at a cost of 1; where it joins
    the line is free. So the steps along the line are those of the best monotone way to add it, found by the
    medians of a heap (isotonic regression by absolute differences).
    """
    too_much = float(others.sum())
    aside = float(np.abs(others).sum() - abs(too_much)) / 2  # from one of them to another
    steps = -np.cumsum(line)[:-1] if too_much >= 0 else np.cumsum(line)[:-1]
    inside = np.clip(steps, 0.0, abs(too_much))
    cost = float(np.abs(steps - inside).sum())
    heap: list[float] = []
    for y in inside.tolist():
        heapq.heappush(heap, -y)
        if -heap[0] > y:
            cost += -heap[0] - y
            heapq.heapreplace(heap, -y)
    return aside + abs(too_much) + cost / max(len(line) - 1, 1)


def earth_movers(one: Floats, other: Floats, cost: Floats) -> tuple[float, Floats]:
    """Return the least Σ flow·cost that turns one distribution into another, and the other's prices in the dual."""
    from scipy.optimize import linprog  # takes longer to import than most tables to measure
    from scipy.sparse import eye_array, kron, vstack

    a, b = np.flatnonzero(one > 0), np.flatnonzero(other > 0)
    rows = kron(eye_array(len(a)), np.ones((1, len(b))), format="csr")
    columns = kron(np.ones((1, len(a))), eye_array(len(b)), format="csr")[:-1]  # the last follows from the others
    solution = linprog(
        cost[np.ix_(a, b)].ravel(),
        A_eq=vstack([rows, columns]),
        b_eq=np.concatenate([one[a], other[b][:-1]]),
        method="highs",
    )
    prices = np.full(len(other), np.inf)
    prices[b] = [*solution.eqlin.marginals[len(a) :], 0.0]
    return float(solution.fun), prices
