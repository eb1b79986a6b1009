"""An attacker who knows some items of a person: finds the sets that may be the person's, and reads the rest there."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints, sum_by, take_rows, to_rows
from allonym.kinds.set_metric import SetMetric
from allonym.measures.attackers.base import Attacker, Estimate, drawn, interval_of
from allonym.records import Pairs

Bools = NDArray[np.bool_]
KNOWN_ITEMS = (1, 2, 3)  # how many items the attacker knows
PERSONS = 500  # whose items are drawn


@dataclass(frozen=True, eq=False)
class Target:
    """A person under attack: the pair, what it counts, the items that the attacker knows, and the others."""

    pair: int
    count: float
    known: Ints
    others: Ints


class ReleasedSets:
    """The sets of a release in one column, each once, for an attacker who knows items of a person."""

    def __init__(self, pairs: Pairs, a: int) -> None:
        self.pairs, metric = pairs, pairs.attributes[a].metric
        assert isinstance(metric, SetMetric)
        self.metric, self.original = metric, pairs.original[:, a]
        self.codes, places = np.unique(pairs.masked[:, a], return_inverse=True)
        self.places = places.ravel()  # of every pair
        self.counts = sum_by(self.places, pairs.counts.astype(np.float64), len(self.codes))
        starts, items = take_rows(*metric.rows, self.codes)
        owners = np.repeat(np.arange(len(self.codes)), np.diff(starts))
        self.having = to_rows(items, owners, len(metric.elements.values))  # the sets that have each element

    @cached_property
    def above(self) -> tuple[Ints, NDArray[np.int32]]:
        """For every element those of the release that are true of it: itself, and concepts above it."""
        used = np.flatnonzero(np.diff(self.having[0]))
        below = [self.metric.below(x) for x in used.tolist()]
        flat = np.concatenate([used[:0], *below])
        return to_rows(flat, np.repeat(used, [len(x) for x in below]), len(self.metric.elements.values))

    @cached_property
    def holders(self) -> Floats:
        """How many rows of the original table have each element."""
        starts, items = take_rows(*self.metric.rows, self.original)
        return sum_by(items, np.repeat(self.pairs.counts.astype(np.float64), np.diff(starts)), len(self.having[0]) - 1)

    def targets(self, m: int, seed: int, *, exact: bool = False) -> list[Target]:
        """Draw persons, or take all, and draw m of the items of each: all, if there are fewer."""
        rng = np.random.Generator(np.random.Philox(key=[seed, m]))
        starts, items = self.metric.rows
        counts = self.pairs.counts.astype(np.float64)
        pairs, counts = (
            (np.arange(len(counts)), counts) if exact else (drawn(self.pairs, PERSONS, seed), np.ones(PERSONS))
        )
        found = []
        for pair, count in zip(pairs.tolist(), counts.tolist(), strict=True):
            code = self.original[pair]
            own = rng.permutation(items[starts[code] : starts[code + 1]].astype(np.int64))
            found.append(Target(pair, count, own[:m], own[m:]))
        return found

    def candidates(self, known: Ints) -> Bools:
        """Return which sets have for each item that is known the item, or a concept above it."""
        fits = np.ones(len(self.codes), bool)
        for item in known.tolist():
            has = np.zeros(len(self.codes), bool)
            has[take_rows(*self.having, _row(self.above, item))[1]] = True
            fits &= has
        return fits & bool(len(known))

    def linked(self, target: Target) -> float:
        """Return the probability that a candidate picked at random is a record of the person."""
        fits = self.candidates(target.known)
        total = float(self.counts[fits].sum())
        if not total:
            return 0.0
        if self.pairs.units is None:
            return float(fits[self.places[target.pair]]) / total
        own = self.pairs.units == self.pairs.units[target.pair]
        return float(self.pairs.counts[own & fits[self.places]].sum()) / total

    def read(self, target: Target) -> tuple[float, float]:
        """Return the share of the other items that is read, and the probability that all are.

        The attacker knows how many there are, and names those that most candidates have; without candidates, those
        that most of the table have.
        """
        fits = np.flatnonzero(self.candidates(target.known))
        if not len(fits):
            return self.guessed(target)
        starts, items = take_rows(*self.metric.rows, self.codes[fits])
        held = sum_by(items, np.repeat(self.counts[fits], np.diff(starts)), len(self.holders))
        return named(held, target)

    def guessed(self, target: Target) -> tuple[float, float]:
        """Return the same for one who names the items that most of the table have."""
        return named(self.holders, target)


def named(held: Floats, target: Target) -> tuple[float, float]:
    """Return the share of a person's other items among those that are held most, as many, and whether all are.

    Known items are left out, and items that are not held. Of items that are held equally often, some are drawn.

    >>> named(np.array([9.0, 5, 5, 5, 1]), Target(0, 1, np.array([0]), np.array([1, 2]))) == (2 / 3, 1 / 3)
    True
    """
    held = held.copy()
    held[target.known] = -1.0
    number, own = len(target.others), np.zeros(len(held), bool)
    own[target.others] = True
    positive = held[held > 0]  # of many items, most are not held
    least = np.partition(positive, -number)[-number] if number <= len(positive) else 0.0
    above, tied = held > max(least, 0.0), (held == least) & (least > 0)
    open_places = number - int(above.sum())
    right = (own & above).sum() + (own & tied).sum() * open_places / max(tied.sum(), 1)
    whole = own[above].all() and (own & (above | tied)).sum() == number
    return float(right) / number, 1 / math.comb(int(tied.sum()), open_places) if whole else 0.0


def _row(table: tuple[Ints, NDArray[np.int32]], row: int) -> NDArray[np.int32]:
    return table[1][table[0][row] : table[0][row + 1]]


@dataclass(frozen=True)
class Reading:
    """What an attacker who knows m items reads of the others, in per cent: the share, and whole sets."""

    share: Estimate
    whole: Estimate
    share_blind: float  # by the most frequent items of the table
    whole_blind: float


def reading(pairs: Pairs, m: int, seed: int = 0, *, exact: bool = False) -> Reading:
    """Return what an attacker who knows m items of a person reads of the others, in all columns of sets.

    Of the sets of the release that have each known item or a concept above it, the attacker names the items that most
    have, as many as the person has besides: right are those that the person has, as they are. Persons with no other
    items are left out. Persons are drawn, unless the figure must be `exact`; their items always are.
    """
    figures: list[tuple[float, ...]] = []
    counts: list[float] = []
    for a in set_columns(pairs):
        sets = ReleasedSets(pairs, a)
        targets = [x for x in sets.targets(m, seed, exact=exact) if len(x.others)]
        figures += [(*sets.read(x), *sets.guessed(x)) for x in targets]
        counts += [x.count for x in targets]
    if not figures:
        return Reading(Estimate(0.0), Estimate(0.0), 0.0, 0.0)
    share, whole, guessed, guessed_whole = np.average(np.array(figures), axis=0, weights=counts).tolist()
    size = None if exact else len(figures)
    return Reading(_estimate(share, size), _estimate(whole, size), 100 * guessed, 100 * guessed_whole)


def _estimate(share: float, size: int | None) -> Estimate:
    """Return a share in per cent, with its interval if it comes from a sample of some size."""
    return Estimate(100 * share, None if size is None else interval_of(share, size))


def set_columns(pairs: Pairs) -> list[int]:
    """Return the columns of sets."""
    return [a for a, x in enumerate(pairs.attributes) if isinstance(x.metric, SetMetric)] if pairs.counts.size else []


def linkage_by_items(pairs: Pairs, m: int = max(KNOWN_ITEMS), seed: int = 0, *, exact: bool = False) -> Estimate:
    """Return how often an attacker who knows m items of a person finds the person's record, in per cent.

    Of several columns of sets, the one in which that is most often.
    """
    shares = []
    for a in set_columns(pairs):
        sets = ReleasedSets(pairs, a)
        targets = sets.targets(m, seed, exact=exact)
        shares.append(float(np.average([sets.linked(x) for x in targets], weights=[x.count for x in targets])))
    return _estimate(max(shares), None if exact else PERSONS) if shares else Estimate(0.0)


ATTACKER = Attacker(
    "items",
    "linked by three items",
    "knows three items of a person and picks one of the records whose sets have them, or concepts above them",
    "releases with columns of sets",
    lambda setting: bool(set_columns(setting.pairs)),
    lambda setting: linkage_by_items(setting.pairs, seed=setting.seed, exact=setting.exact),
)
