"""Orders by meaning: of the values of a column, and of the combinations of values of several columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from allonym.arrays import Floats, Ints
from allonym.methods.kernels.ties import rounded
from allonym.metric import Metric, Value
from allonym.records import Attribute

TAXONOMY, REFERENCE = "taxonomy", "reference"
MAX_CHAINED = 1_000  # siblings that follow each other by their distances; more are sorted by that from one end
MAX_LEAVES = 32  # combinations of values that follow each other by their distances


def order_of_values(attribute: Attribute, codes: Ints, counts: Ints, order: str, rng: np.random.Generator) -> Ints:
    """Return some values, none of them null, in an order by meaning.

    Numbers, dates and ranks have theirs. Categories and texts without a concept are all at distance 1: their order is
    drawn; such texts come last.
    """
    metric = attribute.metric
    ends = metric.ends
    if ends is not None:
        return codes[np.lexsort((ends[codes, 1], ends[codes, 0]))]
    is_text = np.array([isinstance(attribute.values[c], str) for c in codes.tolist()], bool)
    texts, linked = rng.permutation(codes[is_text]), codes[~is_text]
    if len(linked) > 2:
        by = taxonomy_order if order == TAXONOMY else reference_order
        linked = by(metric, linked, counts[~is_text])
    return np.concatenate([linked, texts])


def is_drawn(attribute: Attribute, codes: Ints) -> bool:
    """Tell whether the order of some values is drawn, at least in part."""
    return sum(isinstance(attribute.values[c], str) for c in codes.tolist()) > 1


def reference_order(metric: Metric, codes: Ints, counts: Ints) -> Ints:
    """Sort values by their distance to the one farthest from the centroid; ties by the distance to the centroid."""
    to_centroid = rounded(metric.distances_from(metric.centroid(codes, counts.astype(np.float64)))[codes])
    reference = metric.values[codes[int(np.argmax(to_centroid))]]
    return codes[np.lexsort((to_centroid, rounded(metric.distances_from(reference)[codes])))]


def taxonomy_order(metric: Metric, codes: Ints, counts: Ints) -> Ints:
    """Return values as a depth-first walk through their generalisations meets them.

    The first of siblings is the one nearest to the value before; each next one is the nearest to the last value that
    was met. A sibling with values below it counts by the most frequent of these.
    """
    above = [[level[c] for c in codes.tolist()] for level in reversed(metric.generalisations()[1:])]
    walk = _Walk(metric, codes, counts, above)
    return codes[walk.ordered(np.arange(len(codes)), 0, None)]


class _Walk:
    """A depth-first walk through values, given their generalisations from the top down."""

    def __init__(self, metric: Metric, codes: Ints, counts: Ints, above: Sequence[Sequence[Value]]) -> None:
        self.metric, self.codes, self.counts, self.above = metric, codes, counts, above

    def ordered(self, places: Ints, level: int, before: int | None) -> Ints:
        """Return some values in the order of the walk below one concept; `before` is the value met last."""
        while level < len(self.above) and len({self.above[level][x] for x in places.tolist()}) == 1:
            level += 1
        if len(places) == 1:
            return places
        siblings = list(self._siblings(places, level).values())
        shown = np.array([x[int(np.argmax(self.counts[x]))] for x in siblings], np.int64)
        walked: list[Ints] = []
        left = np.ones(len(siblings), bool)
        far = self._from(int(shown[0]) if before is None else before, shown)
        nearest = int(np.argmax(far)) if before is None else int(np.argmin(far))  # the first one of all is at an end
        if len(siblings) > MAX_CHAINED:
            by_end = np.argsort(self._from(int(shown[nearest]), shown), kind="stable").tolist()
            return np.concatenate([self.ordered(siblings[x], level + 1, None) for x in by_end])
        while True:
            walked.append(self.ordered(siblings[nearest], level + 1, before))
            before, left[nearest] = int(walked[-1][-1]), False
            if not left.any():
                return np.concatenate(walked)
            nearest = int(np.argmin(np.where(left, self._from(before, shown), np.inf)))

    def _siblings(self, places: Ints, level: int) -> dict[Value, Ints]:
        if level >= len(self.above):
            return {x: np.array([x], np.int64) for x in places.tolist()}
        siblings: dict[Value, list[int]] = {}
        for x in places.tolist():
            siblings.setdefault(self.above[level][x], []).append(x)
        return {value: np.array(own, np.int64) for value, own in siblings.items()}

    def _from(self, one: int, others: Ints) -> Floats:
        return rounded(np.asarray(self.metric.distances(self.codes[one], self.codes[others]), np.float64))


def order_of_tuples(attributes: Sequence[Attribute], shares: Floats, codes: Ints) -> Ints:
    """Return the places of tuples in a seriation by their distances: neighbours are near to each other.

    Tuples are halved by how much nearer they are to one of two that are far apart than to the other, and the halves
    again; the second half begins where the first one ended. The last few follow each other from one to the nearest.
    """
    seriation = _Seriation(attributes, shares, codes)
    return seriation.ordered(np.arange(len(codes)), 0)


class _Seriation:
    def __init__(self, attributes: Sequence[Attribute], shares: Floats, codes: Ints) -> None:
        self.attributes, self.shares, self.codes = attributes, shares, codes

    def distances(self, one: int, others: Ints) -> Floats:
        """Return the distances of a tuple to others: the weighted mean over columns."""
        return rounded(tuple_distances(self.attributes, self.shares, self.codes[one], self.codes[others]))

    def ordered(self, places: Ints, before: int) -> Ints:
        """Return some tuples in order; the first one is near to the tuple `before`."""
        if len(places) <= MAX_LEAVES:
            return self._chained(places, before)
        first = int(places[np.argmin(self.distances(before, places))])
        from_first = self.distances(first, places)
        from_last = self.distances(int(places[np.argmax(from_first)]), places)
        by_side = places[np.argsort(from_first**2 - from_last**2, kind="stable")]
        one = self.ordered(by_side[: len(places) // 2], before)
        return np.concatenate([one, self.ordered(by_side[len(places) // 2 :], int(one[-1]))])

    def _chained(self, places: Ints, before: int) -> Ints:
        left, chain = places, []
        while len(left):
            nearest = int(np.argmin(self.distances(before, left)))
            before = int(left[nearest])
            chain.append(before)
            left = np.delete(left, nearest)
        return np.array(chain, np.int64)


def tuple_distances(attributes: Sequence[Attribute], shares: Floats, one: Ints, others: Ints) -> Floats:
    """Return the distances between tuples, broadcasting like NumPy: the weighted mean over columns."""
    parts = [
        share * np.asarray(x.metric.distances(one[..., a], others[..., a]), np.float64)
        for a, (x, share) in enumerate(zip(attributes, shares.tolist(), strict=True))
    ]
    return np.sum(parts, axis=0) / float(shares.sum())
