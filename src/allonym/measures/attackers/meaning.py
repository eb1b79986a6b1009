"""Record linkage by meaning: the search for the nearest records of the release."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints, sum_by
from allonym.measures.attackers.base import Attacker, Estimate, drawn, interval_of
from allonym.measures.attackers.text import owned
from allonym.records import Attribute, Pairs

MAX_PAIRS = 20_000_000  # distances to compute at most; beyond, records are sampled
PAIRS_PER_BATCH = 4_000_000  # at a time
TIE = 1e-9


def semantic_linkage(pairs: Pairs, measure: str | None = None, seed: int = 0) -> Estimate:
    """Return how often an attacker who goes by meaning finds the right person, in per cent.

    He knows the original quasi-identifiers of a person, looks for the nearest masked records, and picks one of them; by
    another measure of similarity than the plan's, if one is named. Where there are too many records to compare, some
    are drawn by the seed.
    """
    if not pairs.counts.size:
        return Estimate(0.0)
    if measure is not None:
        by = tuple(replace(x, metric=x.metric.with_measure(measure)) for x in pairs.attributes)
        pairs = replace(pairs, attributes=by)
    if pairs.masked is pairs.original:  # nothing is nearer to a record than itself
        known, first = pairs.original_tuples
        size = sum_by(known, pairs.counts.astype(np.float64), len(first))
        hits = 1 / size[known] if pairs.units is None else owned(pairs, known, known, size)
        return Estimate(float(100 * (pairs.counts * hits).sum() / pairs.counts.sum()))
    seen, shown = pairs.masked_tuples
    size = sum_by(seen, pairs.counts.astype(np.float64), len(shown))
    chosen, sampled = targets(pairs, seed)
    probabilities = np.concatenate([_hits(pairs, x, seen) / (x.near @ size)[x.rows] for x in searches(pairs, chosen)])
    if not sampled:
        return Estimate(float(100 * (pairs.counts[chosen] * probabilities).sum() / pairs.counts.sum()))
    return Estimate(float(100 * probabilities.mean()), interval_of(float(probabilities.mean()), len(probabilities)))


def targets(pairs: Pairs, seed: int) -> tuple[Ints, bool]:
    """Return the pairs whose persons are looked for, tuple by tuple, and whether they are a sample of the records."""
    known, first = pairs.original_tuples
    most = max(MAX_PAIRS // len(pairs.masked_tuples[1]), 1)
    sampled = len(first) > most
    chosen = drawn(pairs, most, seed) if sampled else np.arange(len(known))
    return chosen[np.argsort(known[chosen], kind="stable")], sampled


class Search(NamedTuple):
    """A search for some persons, given by pair: which tuples of the release are nearest."""

    chosen: Ints
    near: NDArray[np.bool_]  # a row for each tuple that was looked for, a column for each tuple of the release
    rows: Ints  # of `near`, for each pair


def searches(pairs: Pairs, chosen: Ints) -> Iterator[Search]:
    """Search for the nearest tuples of the release, some persons at a time; `chosen` goes tuple by tuple."""
    (known, first), (_, shown) = pairs.original_tuples, pairs.masked_tuples
    columns = [_Column.of(pairs, a, pairs.original[first, a], pairs.masked[shown, a]) for a in range(len(pairs.shares))]
    tuples, own = np.unique(known[chosen], return_inverse=True)
    height = max(PAIRS_PER_BATCH // len(shown), 1)
    for low in range(0, len(tuples), height):
        part = tuples[low : low + height]
        in_part = slice(*np.searchsorted(own.ravel(), [low, low + height]))
        far = np.zeros((len(part), len(shown)))
        for column in columns:
            far += column.distances(part)
        yield Search(chosen[in_part], far <= far.min(axis=1, keepdims=True) + TIE, own.ravel()[in_part] - low)


class _Column(NamedTuple):
    """The values of one attribute before and after, and a table of their distances where that is not too large."""

    attribute: Attribute
    share: float
    was: Ints
    now: Ints
    table: Floats | None
    places: tuple[Ints, Ints]

    @classmethod
    def of(cls, pairs: Pairs, a: int, was: Ints, now: Ints) -> _Column:
        """Lay out an attribute."""
        attribute = pairs.attributes[a]
        before, place = np.unique(was, return_inverse=True)
        after, other = np.unique(now, return_inverse=True)
        small = len(before) * len(after) <= PAIRS_PER_BATCH
        table = attribute.metric.distances(before[:, None], after) if small else None
        return cls(attribute, float(pairs.shares[a]), was, now, table, (place.ravel(), other.ravel()))

    def distances(self, rows: Ints) -> Floats:
        """Return the distances of some tuples before to all after, by the attribute's share."""
        if self.table is not None:
            return self.share * self.table[self.places[0][rows]][:, self.places[1]]
        return self.share * self.attribute.metric.distances(self.was[rows][:, None], self.now)


def _hits(pairs: Pairs, search: Search, seen: Ints) -> Floats:
    """Return for some pairs how many of the nearest masked records are those of the person."""
    chosen, near, rows = search
    if pairs.units is None:
        return near[rows, seen[chosen]].astype(np.float64)  # of rows alike one is the person's
    by_unit = np.argsort(pairs.units, kind="stable")
    starts = np.searchsorted(pairs.units[by_unit], np.arange(int(pairs.units.max()) + 2))
    unit = pairs.units[chosen]
    sizes = starts[unit + 1] - starts[unit]
    which = np.repeat(np.arange(len(chosen)), sizes)
    offset = np.arange(len(which)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    others = by_unit[starts[unit][which] + offset]
    return sum_by(which, near[rows[which], seen[others]] * pairs.counts[others].astype(np.float64), len(chosen))


ATTACKER = Attacker(
    "meaning",
    "linked by meaning",
    "knows the original values of a person and picks one of the records of the release that are nearest in meaning",
    "every release",
    lambda setting: True,
    lambda setting: semantic_linkage(setting.pairs, seed=setting.seed),
)
