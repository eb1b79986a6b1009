"""Can people be found again? Every function takes a release as `Pairs`; persons are counted where there are units."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from allonym.arrays import Floats, Ints, distinct, sum_by
from allonym.records import Attribute, Pairs

MAX_PAIRS = 20_000_000  # distances to compute at most; beyond, records are sampled
PAIRS_PER_BATCH = 4_000_000  # at a time
TIE = 1e-9


def record_linkage(pairs: Pairs) -> float:
    """Return RL = 100 · mean P(r) by text, in per cent (Martínez, Sánchez and Valls 2012, §4.2).

    An attacker who knows the original table looks up each masked record among the original ones of the same text and
    guesses: P(r) = 1/|G| if the right one is among these G, else 0. Values that mean the same count as the same text.
    Where persons have several records, any of theirs is right.

    >>> was, now = np.array([[0], [1], [2]]), np.array([[0], [0], [2]])
    >>> record_linkage(Pairs((), was, now, np.array([2, 1, 1]), np.ones(3))) == 100 * (2 / 2 + 0 + 1) / 4
    True
    """
    if not pairs.counts.size:
        return 0.0
    both = distinct(list(np.concatenate([pairs.original, pairs.masked]).T))[0]
    was, now = np.split(both, 2)
    size = sum_by(was, pairs.counts.astype(np.float64), int(both.max()) + 1)
    if pairs.units is None:
        unchanged = was == now
        return float(100 * (pairs.counts[unchanged] / size[was[unchanged]]).sum() / pairs.counts.sum())
    return float(100 * (pairs.counts * _owned(pairs, was, now, size)).sum() / pairs.counts.sum())


def blind_guess(pairs: Pairs) -> float:
    """Return how often somebody is found who is guessed among all records, in per cent."""
    total = max(int(pairs.counts.sum()), 1)
    if pairs.units is None:
        return 100 / total
    return float(100 * ((np.bincount(pairs.units, weights=pairs.counts) / total) ** 2).sum())


def _owned(pairs: Pairs, was: Ints, now: Ints, size: Floats) -> Floats:
    """Return for every pair which share of the original records like the masked one are the person's."""
    assert pairs.units is not None
    width = int(pairs.units.max()) + 1
    keys, place = np.unique(was * width + pairs.units, return_inverse=True)
    held = sum_by(place.ravel(), pairs.counts.astype(np.float64), len(keys))
    wanted = now * width + pairs.units
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[at] == wanted, held[at] / np.maximum(size[now], 1.0), 0.0)


class Estimate(NamedTuple):
    """A figure, and where it lies with 95 % confidence if it comes from a sample."""

    value: float
    interval: tuple[float, float] | None = None


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
    known, _, first = distinct(list(pairs.original.T))
    if pairs.masked is pairs.original:  # nothing is nearer to a record than itself
        size = sum_by(known, pairs.counts.astype(np.float64), len(first))
        hits = 1 / size[known] if pairs.units is None else _owned(pairs, known, known, size)
        return Estimate(float(100 * (pairs.counts * hits).sum() / pairs.counts.sum()))
    seen, _, shown = distinct(list(pairs.masked.T))
    size = sum_by(seen, pairs.counts.astype(np.float64), len(shown))
    columns = [_Column.of(pairs, a, pairs.original[first, a], pairs.masked[shown, a]) for a in range(len(pairs.shares))]
    most = max(MAX_PAIRS // len(shown), 1)
    chosen = np.arange(len(known))
    if len(first) > most:
        rng = np.random.Generator(np.random.Philox(key=seed))
        chosen = rng.choice(len(known), size=most, p=pairs.counts / pairs.counts.sum())
    chosen = chosen[np.argsort(known[chosen], kind="stable")]
    rows, own = np.unique(known[chosen], return_inverse=True)
    probabilities = np.empty(len(chosen))
    height = max(PAIRS_PER_BATCH // len(shown), 1)
    for low in range(0, len(rows), height):
        part = rows[low : low + height]
        here = slice(*np.searchsorted(own.ravel(), [low, low + height]))
        far = np.zeros((len(part), len(shown)))
        for column in columns:
            far += column.distances(part)
        near = far <= far.min(axis=1, keepdims=True) + TIE
        place = own.ravel()[here] - low
        probabilities[here] = _hits(pairs, near, place, chosen[here], seen) / (near @ size)[place]
    if len(first) <= most:
        return Estimate(float(100 * (pairs.counts[chosen] * probabilities).sum() / pairs.counts.sum()))
    return Estimate(float(100 * probabilities.mean()), _interval(float(probabilities.mean()), len(probabilities)))


def _interval(mean: float, size: int) -> tuple[float, float]:
    """Return where a share lies with 95 % confidence, in per cent (Wilson 1927).

    >>> [round(float(x), 2) for x in _interval(0.0, 100)]
    [0.0, 3.7]
    """
    z = 1.96
    middle = (mean + z**2 / (2 * size)) / (1 + z**2 / size)
    half = z / (1 + z**2 / size) * math.sqrt(mean * (1 - mean) / size + z**2 / (4 * size**2))
    return 100 * max(middle - half, 0.0), 100 * min(middle + half, 1.0)


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


def _hits(pairs: Pairs, near: np.ndarray, rows: Ints, chosen: Ints, seen: Ints) -> Floats:
    """Return for some pairs how many of the nearest masked records are those of the person."""
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


class Risks(NamedTuple):
    """The risk that a person is found, by group: the highest, the mean, and the share of persons above a threshold."""

    highest: float
    mean: float
    above: float


def prosecutor(pairs: Pairs, threshold: float = 0.2) -> Risks:
    """Return the risks if the attacker knows that a person is in the table: 1/f in a group of f persons."""
    sizes = pairs.sizes[pairs.sizes > 0]
    if not sizes.size:
        return Risks(0.0, 0.0, 0.0)
    above = sizes[1 / sizes > threshold].sum() / sizes.sum()
    return Risks(float(1 / sizes.min()), float(len(sizes) / sizes.sum()), float(above))


def journalist(pairs: Pairs, threshold: float = 0.2) -> Risks:
    """Return the risks if the attacker only knows that a person is in the population: 1/F, F persons there.

    F is estimated by the survey weights of a group (its size, if that is larger); without weights the table is the
    population. The mean is the larger of J/ΣF and Σ(f/F)/n over J groups (El Emam 2013).
    """
    there, population = pairs.sizes > 0, _population(pairs)
    sizes, population = pairs.sizes[there], population[there]
    if not sizes.size:
        return Risks(0.0, 0.0, 0.0)
    mean = max(len(sizes) / population.sum(), (sizes / population).sum() / sizes.sum())
    above = sizes[1 / population > threshold].sum() / sizes.sum()
    return Risks(float(1 / population.min()), float(mean), float(above))


def marketer(pairs: Pairs) -> float:
    """Return the share of persons found if the attacker wants as many as possible: Σ(f/F)/n."""
    there = pairs.sizes > 0
    total = pairs.sizes.sum()
    return float((pairs.sizes[there] / _population(pairs)[there]).sum() / total) if total else 0.0


def _population(pairs: Pairs) -> Floats:
    """Return how many persons of the population each group stands for."""
    here = pairs.groups >= 0
    groups, mass, counts = pairs.groups[here], pairs.mass[here], pairs.counts[here]
    if pairs.units is not None:  # a person counts once, with the largest weight (the mean of rows that are alike)
        order = np.lexsort((mass / counts, pairs.units[here], groups))
        last = np.ones(len(order), bool)
        same = (np.diff(groups[order]) == 0) & (np.diff(pairs.units[here][order]) == 0)
        last[:-1] = ~same
        groups, mass = groups[order[last]], (mass / counts)[order[last]]
    return np.maximum(sum_by(groups, mass, len(pairs.sizes)), pairs.sizes)


def uniqueness(pairs: Pairs) -> float:
    """Return the share of records that only one person could have, in per cent."""
    here = pairs.groups >= 0
    alone = pairs.sizes[pairs.groups[here]] == 1
    total = pairs.counts[here].sum()
    return float(100 * pairs.counts[here][alone].sum() / total) if total else 0.0


def together(one: Ints, other: Ints) -> Ints:
    """Return which rows look alike to somebody who has two releases of the same people, from how each looks alone.

    >>> together(np.array([0, 0, 0, 1, -1]), np.array([0, 0, 1, 1, -1])).tolist()
    [1, 1, 2, 3, -1]
    """
    return np.where((one < 0) & (other < 0), -1, distinct([one + 1, other + 1])[0])
