"""Slow, obviously-correct probabilities of sets that are masked item by item, by listing everything that may happen."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

Outcomes = dict[Any, float]  # the probability of everything that an item may become; None is null


def masked_set(items: Sequence[Any], outcomes_of: Callable[[Any], Outcomes]) -> dict[frozenset[Any], float]:
    """Return the probability of every set that the items of a set may become, each by itself, without nulls.

    >>> found = masked_set([1, 2], lambda item: {7: 0.5, 8: 0.25, None: 0.25})
    >>> found[frozenset({7})], found[frozenset({7, 8})], found[frozenset()]
    (0.5, 0.25, 0.0625)
    """
    total: dict[frozenset[Any], float] = {}
    for drawn in itertools.product(*(outcomes_of(item).items() for item in items)):
        became = frozenset(outcome for outcome, _ in drawn if outcome is not None)
        total[became] = total.get(became, 0.0) + math.prod(p for _, p in drawn)
    return total


def largest_loss(sets: Sequence[Sequence[Any]], outcomes_of: Callable[[Any], Outcomes]) -> float:
    """Return the largest log P(C | A) / P(C | B) over sets A, B and masked sets C.

    >>> loss = largest_loss([[1], [2]], lambda item: {7: 0.8, 8: 0.2} if item == 1 else {7: 0.4, 8: 0.6})
    >>> math.isclose(loss, math.log(3))
    True
    """
    known = [masked_set(items, outcomes_of) for items in sets]
    return max(
        math.log(one.get(c, 0.0) / other[c]) if c in other else math.inf
        for one in known
        for other in known
        for c in one
        if one[c] > 0
    )
