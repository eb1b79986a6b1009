"""How far the distribution of each column is from what it was: total variation, and the earth mover's distance.

A released value that the original column has counts as itself, as far as the original has it. What a release has beyond
that of a general value (a concept, a range, null) spreads evenly over the different values of the original that it is
true of: whoever reads `20 to 29` knows no more. Counts of the original never guide how it spreads. A value that is true
of none of them is a value of its own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from allonym.arrays import Floats, Ints, sum_by
from allonym.kinds.category import EqualityMetric
from allonym.kinds.registry import kind_named
from allonym.measures.transport import MIN_MASS, nearest_first, transport
from allonym.metric import Metric
from allonym.records import Pairs

MAX_EXACT = 10_000  # pairs of values between which the cheapest way to move is found
MAX_GREEDY = 250_000  # pairs of the values with most to move that are moved nearest first; the rest moves by 1


class Marginals(NamedTuple):
    """The distributions of a column before and after masking, over the codes of its metric."""

    metric: Metric
    ordered: bool  # whether values are on a line
    before: Floats
    after: Floats

    @classmethod
    def of(cls, pairs: Pairs, a: int) -> Marginals:
        """Return the distributions of an attribute; general values are spread over those they are true of."""
        attribute = pairs.attributes[a]
        metric, size = attribute.metric, len(attribute.metric.values)
        total = max(float(pairs.mass.sum()), 1e-300)
        before, after = (sum_by(codes[:, a], pairs.mass, size) / total for codes in (pairs.original, pairs.masked))
        return cls(metric, kind_named(attribute.kind).ordered, before, _spread(metric, before, after))

    @property
    def variation(self) -> float:
        """Half of Σ |after - before|: the share of records that would have to get another value, from 0 to 1."""
        return float(np.abs(self.after - self.before).sum() / 2)

    @property
    def earth_movers(self) -> float:
        """Σ of the mass that moves, times the distance that it moves; what is in place stays.

        Along a line it follows from the cumulative distributions. Elsewhere it is exact for up to `MAX_EXACT` pairs of
        values with too much and too little; beyond, mass moves to the nearest place first, which gives an upper bound.
        """
        moved = self.after - self.before
        if not has_distance(self.metric) or not (np.abs(moved) > MIN_MASS).any():
            return self.variation
        return _along_line(self.metric, moved) if self.ordered else _by_meaning(self.metric, moved)


def has_distance(metric: Metric) -> bool:
    """Tell whether values are nearer or farther, not just equal or different."""
    return not isinstance(metric, EqualityMetric)


def total_variation(pairs: Pairs) -> dict[str, float]:
    """Return the total variation of each column."""
    return {x.name: Marginals.of(pairs, a).variation for a, x in enumerate(pairs.attributes)}


def earth_movers_distance(pairs: Pairs) -> dict[str, float]:
    """Return the earth mover's distance of each column whose values have distances."""
    return {
        x.name: Marginals.of(pairs, a).earth_movers for a, x in enumerate(pairs.attributes) if has_distance(x.metric)
    }


def _spread(metric: Metric, before: Floats, after: Floats) -> Floats:
    """Return the distribution of a release in which general values are spread over the values of the original."""
    known = np.array([c for c in np.flatnonzero(before > 0).tolist() if metric.values[c] is not None], np.int64)
    spread = np.minimum(after, before)
    beyond = after - spread
    for code in np.flatnonzero(beyond > MIN_MASS).tolist():
        targets: Ints = known if metric.values[code] is None else known[metric.generalises(code, known)]
        targets = targets if len(targets) else np.array([code])
        spread[targets] += beyond[code] / len(targets)
    return spread


def _along_line(metric: Metric, moved: Floats) -> float:
    """Return the cost along a line; what goes to or comes from null and unlinked values moves by 1, in proportion."""
    codes = np.flatnonzero(np.abs(moved) > MIN_MASS)
    aside = np.array([x is None or isinstance(x, str) for x in (metric.values[c] for c in codes.tolist())], bool)
    on_line, line = codes[~aside], moved[codes[~aside]]
    if not len(on_line):
        return float(np.abs(moved).sum() / 2)
    rest = float(line.sum())  # what the line has too much of, or lacks
    if abs(rest) > MIN_MASS:
        same = line * rest > 0
        line = np.where(same, line * (1 - rest / line[same].sum()), line)
    end = on_line[int(np.argmax(metric.distances(on_line[0], on_line)))]  # what is farthest from any value is an end
    place = metric.distances(end, on_line)
    order = np.argsort(place, kind="stable")
    along = (np.abs(np.cumsum(line[order])[:-1]) * np.diff(place[order])).sum()
    return float(along + (np.abs(moved[codes[aside]]).sum() + abs(rest)) / 2)


def _by_meaning(metric: Metric, moved: Floats) -> float:
    """Return the cost of moving what a distribution has too much of to where it has too little."""
    surplus, lack = np.flatnonzero(moved > MIN_MASS), np.flatnonzero(moved < -MIN_MASS)
    supply, demand = moved[surplus], -moved[lack]
    demand = demand * (supply.sum() / demand.sum())
    if len(surplus) * len(lack) <= MAX_EXACT:
        return transport(supply, demand, metric.distances(surplus[:, None], lack))
    most = int(MAX_GREEDY**0.5)
    largest, needed = (np.argsort(-x, kind="stable")[:most] for x in (supply, demand))
    cost = metric.distances(surplus[largest][:, None], lack[needed])
    moving, rest = nearest_first(supply[largest], demand[needed], cost)
    return moving + rest + float(supply.sum() - supply[largest].sum())
