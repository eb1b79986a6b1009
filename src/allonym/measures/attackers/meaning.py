"""Record linkage by meaning: the search for the nearest records of the release."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from allonym.arrays import Floats, Ints, dense, sum_by
from allonym.measures.attackers.base import Attacker, Estimate, drawn, interval_of
from allonym.measures.attackers.nearest import Near, NearestTuples
from allonym.measures.attackers.text import owned
from allonym.records import Pairs

MAX_PAIRS = 200_000_000  # tuples before × tuples after that are compared; beyond, records are sampled
PART_OF_GROUPING = 50  # grouping p tuples compares about p² pairs: one in so many are compared, where these are more


def semantic_linkage(pairs: Pairs, measure: str | None = None, seed: int = 0, *, exact: bool = False) -> Estimate:
    """Return how often an attacker who goes by meaning finds the right person, in per cent.

    He knows the original quasi-identifiers of a person, looks for the nearest masked records, and picks one of them; by
    another measure of similarity than the plan's, if one is named. Where comparing all records might cost more than
    masking them, some are drawn by the seed, unless the figure must be exact.
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
    chosen, sampled = targets(pairs, seed, exact=exact)
    probabilities = np.concatenate(
        [_hits(pairs, x, seen) / x.near.total(size)[x.rows] for x in searches(pairs, chosen)]
    )
    if not sampled:
        return Estimate(float(100 * (pairs.counts[chosen] * probabilities).sum() / pairs.counts.sum()))
    return Estimate(float(100 * probabilities.mean()), interval_of(float(probabilities.mean()), len(probabilities)))


def targets(pairs: Pairs, seed: int, *, exact: bool = False) -> tuple[Ints, bool]:
    """Return the pairs whose persons are looked for, tuple by tuple, and whether they are a sample of the records."""
    known, first = pairs.original_tuples
    most = max(max(MAX_PAIRS, len(first) ** 2 // PART_OF_GROUPING) // len(pairs.masked_tuples[1]), 1)
    sampled = len(first) > most and not exact
    chosen = drawn(pairs, most, seed) if sampled else np.arange(len(known))
    return chosen[np.argsort(known[chosen], kind="stable")], sampled


class Search(NamedTuple):
    """A search for some persons, given by pair: which tuples of the release are nearest."""

    chosen: Ints
    near: Near  # a row for each tuple that was looked for
    rows: Ints  # of `near`, for each pair


def searches(pairs: Pairs, chosen: Ints) -> Iterator[Search]:
    """Search for the nearest tuples of the release, some persons at a time; `chosen` goes tuple by tuple."""
    nearest = NearestTuples(pairs)
    tuples, own = dense(pairs.original_tuples[0][chosen])
    height = nearest.height
    for low in range(0, len(tuples), height):
        in_part = slice(*np.searchsorted(own, [low, low + height]))
        yield Search(chosen[in_part], nearest.search(tuples[low : low + height]), own[in_part] - low)


def _hits(pairs: Pairs, search: Search, seen: Ints) -> Floats:
    """Return for some pairs how many of the nearest masked records are those of the person."""
    chosen, near, rows = search
    if pairs.units is None:
        return near.has(rows, seen[chosen]).astype(np.float64)  # of rows alike one is the person's
    by_unit = np.argsort(pairs.units, kind="stable")
    starts = np.searchsorted(pairs.units[by_unit], np.arange(int(pairs.units.max()) + 2))
    unit = pairs.units[chosen]
    sizes = starts[unit + 1] - starts[unit]
    which = np.repeat(np.arange(len(chosen)), sizes)
    offset = np.arange(len(which)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    others = by_unit[starts[unit][which] + offset]
    owned_rows = near.has(rows[which], seen[others]) * pairs.counts[others].astype(np.float64)
    return sum_by(which, owned_rows, len(chosen))


ATTACKER = Attacker(
    "meaning",
    "linked by meaning",
    "knows the original values of a person and picks one of the records of the release that are nearest in meaning",
    "every release",
    lambda setting: True,
    lambda setting: semantic_linkage(setting.pairs, seed=setting.seed, exact=setting.exact),
)
