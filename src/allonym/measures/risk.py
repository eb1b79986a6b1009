"""Can people be found again? Every function takes a release as `Pairs`; persons are counted where there are units."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from allonym.records import Floats, Ints, Pairs, distinct, summed_by

PAIRS = 20_000_000  # distances to compute at most; beyond, records are sampled
BLOCK = 4_000_000  # at a time
TIE = 1e-9


def record_linkage(pairs: Pairs) -> float:
    """Return RL = 100 · mean P(r) by text, in per cent (P1 §4.2).

    An attacker who knows the original table looks up each masked record among the original ones of the same text and
    guesses: P(r) = 1/|G| if the right one is among these G, else 0. Values that mean the same count as the same text.

    >>> was, now = np.array([[0], [1], [2]]), np.array([[0], [0], [2]])
    >>> record_linkage(Pairs((), was, now, np.array([2, 1, 1]), np.ones(3))) == 100 * (2 / 2 + 0 + 1) / 4
    True
    """
    if not pairs.counts.size:
        return 0.0
    place = distinct(list(pairs.original.T))[0]
    size = np.bincount(place, weights=pairs.counts)
    found = (pairs.original == pairs.masked).all(axis=1)
    return float(100 * (pairs.counts[found] / size[place[found]]).sum() / pairs.counts.sum())


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
        by = tuple(replace(x, metric=x.metric.by(measure)) for x in pairs.attributes)
        pairs = replace(pairs, attributes=by)
    known, _, first = distinct(list(pairs.original.T))
    seen, _, shown = distinct(list(pairs.masked.T))
    size = summed_by(seen, pairs.counts.astype(np.float64), len(shown))
    tables = [
        _between(pairs, a, pairs.original[first, a], pairs.masked[shown, a]) for a in range(len(pairs.attributes))
    ]
    most = max(PAIRS // len(shown), 1)
    chosen = np.arange(len(known))
    if len(first) > most:
        rng = np.random.Generator(np.random.Philox(key=seed))
        chosen = rng.choice(len(known), size=most, p=pairs.counts / pairs.counts.sum())
    order = np.argsort(known[chosen], kind="stable")
    chosen = chosen[order]
    found = np.empty(len(chosen))
    height = max(BLOCK // len(shown), 1)
    for low in range(0, len(first), height):
        part = np.arange(low, min(low + height, len(first)))
        here = slice(*np.searchsorted(known[chosen], [part[0], part[-1] + 1]))
        rows, own = np.unique(known[chosen[here]], return_inverse=True)
        if rows.size:
            far = np.zeros((len(rows), len(shown)))
            for table, codes, others in tables:
                far += table[codes[rows]][:, others]
            near = far <= far.min(axis=1, keepdims=True) + TIE
            found[here] = _hits(pairs, near, own.ravel(), chosen[here], seen) / (near @ size)[own.ravel()]
    if len(first) <= most:
        return Estimate(float(100 * (pairs.counts[chosen] * found).sum() / pairs.counts.sum()))
    mean, error = float(found.mean()), float(1.96 * found.std(ddof=1) / np.sqrt(len(found)))
    return Estimate(100 * mean, (100 * max(mean - error, 0.0), 100 * min(mean + error, 1.0)))


def _between(pairs: Pairs, a: int, was: Ints, now: Ints) -> tuple[Floats, Ints, Ints]:
    """Return the distances of an attribute's values before to those after, by its share, and the places of both."""
    before, place = np.unique(was, return_inverse=True)
    after, other = np.unique(now, return_inverse=True)
    metric = pairs.attributes[a].metric
    return pairs.shares[a] * metric.rows(before[:, None], after), place.ravel(), other.ravel()


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
    return summed_by(which, near[rows[which], seen[others]] * pairs.counts[others].astype(np.float64), len(chosen))


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
    if pairs.units is not None:  # a person counts once, with the largest weight
        order = np.lexsort((mass / counts, pairs.units[here], groups))
        last = np.ones(len(order), bool)
        same = (np.diff(groups[order]) == 0) & (np.diff(pairs.units[here][order]) == 0)
        last[:-1] = ~same
        groups, mass = groups[order[last]], (mass / counts)[order[last]]
    return np.maximum(summed_by(groups, mass, len(pairs.sizes)), pairs.sizes)


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
