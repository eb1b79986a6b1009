"""Dominance: whether the mean of a group reveals the number of a person who stands out, and what is written instead.

The p-percent rule and the (n, k)-dominance rule of statistical offices (Hundepool et al. 2012, Statistical Disclosure
Control, section 4.2), applied to the means that represent groups of records.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints

MAX_TIED = 200  # persons with the same number and other weights who are compared, each with each
MAX_STEPS = 100  # to which a number is rounded
NEARLY = 1e-9  # share of a number by which sums may differ that are added up in another order
SIDES = (1, -1)  # the largest number of a group stands out, or the smallest


@dataclass(frozen=True)
class DominanceRule:
    """When a mean reveals too much: if a person can be estimated to within p %, or n persons have over k % of the sum.

    p = 0 and k = 100 switch the rules off.
    """

    p: float = 10.0
    n: int = 1
    k: float = 85.0


class Bounds(NamedTuple):
    """The least and the largest number of a column, which an intruder is assumed to know."""

    low: float
    high: float


@dataclass(frozen=True, eq=False)
class GroupNumbers:
    """The numbers of the persons of a group in ascending order, each with its weight in the mean."""

    values: Floats
    weights: Floats
    bounds: Bounds
    decimals: int
    otherwise: GroupNumbers | None = None  # the same persons, as an intruder may weigh them instead

    @classmethod
    def of(cls, values: Floats, weights: Floats, bounds: Bounds, decimals: int) -> GroupNumbers:
        """Sort the numbers of persons; persons without weight are not part of the mean."""
        weights = weights if weights.sum() > 0 else np.ones(len(weights))
        order = np.lexsort((weights, values))
        order = order[weights[order] > 0]
        return cls(values[order], weights[order], bounds, decimals)

    @property
    def half_step(self) -> float:
        """By how much rounding to the decimals of the column may change a number."""
        return 0.5 * 10.0**-self.decimals

    def written(self, number: float) -> float:
        """Return a number with the decimals of the column."""
        return round(float(number), self.decimals) + 0.0

    def revealed(self, value: float, rule: DominanceRule) -> list[int]:
        """Return on which sides a value written for the group reveals the person who stands out there.

        The intruder is the person next to that one, who knows the weights and guesses the others: they are at the far
        end of the column, as the intruder is, or 0 where numbers have both signs. The estimate is certain up to the
        rounding of the value. A person near the value does not stand out: nothing but the value is revealed.
        """
        sides = [side for side in SIDES if rule.p > 0 and self._is_revealed(value, rule.p / 100, side)]
        return sides or ([] if self.otherwise is None else self.otherwise.revealed(value, rule))

    def _is_revealed(self, value: float, p: float, side: int) -> bool:
        values, weights = self.values[::-side], self.weights[::-side]
        if len(values) < 2:
            return False
        target, intruder = float(values[0]), float(values[1])
        close = p * max(abs(target), abs(target - intruder))
        if abs(target - value) <= close:
            return False
        total = float(weights.sum())
        guesses = [self.bounds.low if side > 0 else self.bounds.high, intruder]
        guesses += [0.0] if self.bounds.low < 0 < self.bounds.high else []
        of_target, of_intruder = _weights_of_two(values, weights)
        known = total * value - of_intruder * intruder
        others = total - of_target - of_intruder
        errors = np.min([np.abs((known - others * guess) / of_target - target) for guess in guesses], axis=0)
        return bool((errors + total * self.half_step / of_target < close).any())

    def is_dominated(self, value: float, rule: DominanceRule) -> bool:
        """Tell whether n persons have more than k % of the sum, counted from the least number, and one stands out.

        Numbers of both signs are counted by their size. What rounding adds or takes away is part of the sum.
        """
        signed = self.bounds.low < 0
        shares = self.weights * (np.abs(self.values) if signed else self.values - self.bounds.low)
        whole = shares.sum() + self.weights.sum() * self.half_step
        largest = int(np.argmax(shares)) if len(shares) else 0
        if not len(shares) or abs(self.values[largest] - value) <= rule.p / 100 * abs(self.values[largest]):
            return False
        return bool(np.sort(shares)[::-1][: rule.n].sum() > rule.k / 100 * whole)


def _weights_of_two(values: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return the weights that the first and the second person may have, where several share their numbers."""
    first = weights[values == values[0]]
    if len(first) == 1:
        second = np.unique(weights[values == values[1]])
        return np.full(len(second), first[0]), second
    if len(np.unique(first)) == 1:
        return first[:1], first[:1]
    targets, intruders = np.nonzero(~np.eye(min(len(first), MAX_TIED), dtype=bool))
    return first[targets], first[intruders]


def protected(numbers: GroupNumbers, mean: float, rule: DominanceRule, rare: set[float]) -> tuple[float, bool]:
    """Return what stands for a group, and whether it is another value than the mean; `rare` is never written.

    Where the mean reveals somebody, numbers that stand out are coded: they take the next number of another person, one
    by one, until the mean of all reveals nobody; or they are left out, if that is needed. At least two persons keep
    their numbers. Otherwise the mean is rounded until it reveals nobody.
    """
    sides = numbers.revealed(mean, rule) or ([1] if numbers.is_dominated(mean, rule) else [])
    if not sides:
        return mean, False
    low = high = 0  # how many are coded at each end
    while sides and low + high < len(numbers.values) - 2:
        high, low = high + (1 in sides), low + (-1 in sides)
        sides = sides[:1]
        for value, kept in _coded(numbers, mean, low, high, rare):
            if numbers.revealed(value, rule):
                continue
            still = kept.revealed(value, rule) or ([1] if kept.is_dominated(value, rule) else [])
            if not still:
                return value, True
            sides = still
    return _rounded(numbers, mean, rule, {mean, *rare}), True


def reveal_nobody(
    group: Ints, values: Floats, weights: Floats, means: Floats, rule: DominanceRule, bounds: Bounds, decimals: int
) -> NDArray[np.bool_]:
    """Return which means surely reveal nobody, by `GroupNumbers.revealed` and `is_dominated`, for all groups at once.

    Sums are rounded otherwise than there, so a mean near the limit counts as one that might reveal somebody. So does
    the mean of a group whose persons have different weights, unless those who stand out are near the mean.

    Args:
        group: the group of each person, in ascending order; each group has at least two persons.
        values: the number of each person.
        weights: the weight of each person.
        means: the mean of each group.
        rule: when a mean reveals too much.
        bounds: the least and the largest number of the column.
        decimals: the decimals of the column.
    """
    order = np.lexsort((values, group))
    values, weights = values[order], weights[order]
    starts = np.searchsorted(group, np.arange(len(means) + 1))
    first, last, size = starts[:-1], starts[1:] - 1, np.diff(starts)
    half_step = 0.5 * 10.0**-decimals
    lightest, heaviest = np.minimum.reduceat(weights, first), np.maximum.reduceat(weights, first)
    safe = lightest > 0
    for target, intruder, far_end in (
        (values[last], values[last - 1], bounds.low),
        (values[first], values[first + 1], bounds.high),
    ):
        close = rule.p / 100 * np.maximum(np.abs(target), np.abs(target - intruder))
        near = np.abs(target - means) <= close * (1 - NEARLY)
        guesses = [
            np.full(len(means), far_end),
            intruder,
            *([np.zeros(len(means))] if bounds.low < 0 < bounds.high else []),
        ]
        errors = np.min([np.abs(size * means - intruder - (size - 2) * x - target) for x in guesses], axis=0)
        largest = np.max([np.abs(target), np.abs(intruder), np.abs(means), *map(np.abs, guesses)], axis=0)
        hidden = (errors + size * half_step > close + NEARLY * size * largest) & (lightest == heaviest)
        safe &= near | hidden | (rule.p <= 0)
    shares = weights * (np.abs(values) if bounds.low < 0 else values - bounds.low)
    whole = np.add.reduceat(shares, first) + np.add.reduceat(weights, first) * half_step
    return safe & (rule.n * np.maximum.reduceat(shares, first) <= rule.k / 100 * whole * (1 - NEARLY))


def _coded(
    numbers: GroupNumbers, mean: float, low: int, high: int, rare: set[float]
) -> Iterator[tuple[float, GroupNumbers]]:
    """Yield means without the outermost numbers, which take the next ones or are left out, and the persons behind.

    Where that is a rare number, the next one in the direction of the mean of all is taken.
    """
    inside = slice(low, len(numbers.values) - high)
    values, weights = numbers.values[inside], numbers.weights[inside]
    if len(values) < 2:
        return
    moved = weights.copy()
    moved[0] += numbers.weights[:low].sum()
    moved[-1] += numbers.weights[len(numbers.values) - high :].sum()
    for own in (moved, weights):
        value = numbers.written((values * own).sum() / own.sum())
        if value in rare:
            back = 1 if value < mean else -1
            moved_by = itertools.islice(_steps(numbers.decimals), MAX_STEPS)
            value = next(
                (x for x in (numbers.written(value + back * step) for step in moved_by) if x not in rare), value
            )
        if value not in rare:
            yield value, GroupNumbers(values, own, numbers.bounds, numbers.decimals)


def _steps(decimals: int) -> Iterator[float]:
    """Yield 1, 2 and 5 times powers of ten, from the last decimal of a column on."""
    for power in itertools.count(-decimals):
        yield from (x * 10.0**power for x in (1, 2, 5))


def _rounded(numbers: GroupNumbers, mean: float, rule: DominanceRule, excluded: set[float]) -> float:
    """Return the mean rounded to the finest step with which it reveals nobody, and is none of the excluded numbers.

    Of the two multiples of a step around the mean, the nearer is tried first, then the smaller. Where no multiple
    within the column's range will do, the next multiples are tried; a number outside of the range comes last.
    """
    low, high = numbers.bounds
    for inside, further in ((True, 0), (True, 1), (False, 1)):
        for step in itertools.islice(_steps(numbers.decimals), MAX_STEPS):
            multiples = {np.floor(mean / step) - further, np.ceil(mean / step) + further}
            for value in sorted((numbers.written(x * step) for x in multiples), key=lambda x: (abs(x - mean), x)):
                allowed = low <= value <= high or not inside
                if allowed and value not in excluded and not numbers.revealed(value, rule):
                    return value
    raise AssertionError("a step larger than all numbers reveals nobody")
