"""Slow, obviously-correct attackers, row by row, written from their definitions: an oracle.

Rows are tuples of values; row i of the release is row i of the original. Likelihoods are given as a function of a row
before and a row after; persons name who a row is about, and are the row numbers where there are none.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import Any

Row = tuple[Any, ...]
TIE = 1e-9


def known_class(masked: Sequence[Row], persons: Sequence[Hashable]) -> float:
    """Return the mean of the largest share that each row's person has in a class of equal rows, in per cent."""
    best = []
    for person in persons:
        shares = []
        for look in {row for row, owner in zip(masked, persons, strict=True) if owner == person}:
            owners = [owner for row, owner in zip(masked, persons, strict=True) if row == look]
            shares.append(owners.count(person) / len(owners))
        best.append(max(shares))
    return 100 * sum(best) / len(best)


def likeliest(
    original: Sequence[Row],
    masked: Sequence[Row],
    persons: Sequence[Hashable],
    likelihood: Callable[[Row, Row], float],
    weights: Sequence[float] | None = None,
) -> float:
    """Return how often the likeliest person of a row of the release is the right one, in per cent."""
    weights = weights or [1.0] * len(original)
    right = []
    for after, owner in zip(masked, persons, strict=True):
        of_persons: Counter[Hashable] = Counter()
        for before, person, weight in zip(original, persons, weights, strict=True):
            of_persons[person] += weight * likelihood(before, after)
        most = max(of_persons.values())
        best = [person for person, x in of_persons.items() if x >= most * (1 - TIE)]
        right.append((owner in best) / len(best))
    return 100 * sum(right) / len(right)


def assigned(
    original: Sequence[Row],
    masked: Sequence[Row],
    persons: Sequence[Hashable],
    likelihood: Callable[[Row, Row], float],
) -> tuple[float, float]:
    """Return the least and the greatest share of rows that a likeliest assignment of all rows gets right, in per cent.

    An assignment in which equal rows change places counts as its mean.
    """
    n = len(original)
    table = [[likelihood(before, after) for after in masked] for before in original]
    products = {}
    for places in itertools.permutations(range(n)):
        product = 1.0
        for row, place in enumerate(places):
            product *= table[row][place]
        products[places] = product
    most = max(products.values())
    best = [places for places, product in products.items() if product >= most * (1 - TIE)]
    rates: dict[Any, list[float]] = {}
    for places in best:
        of_tuples = tuple(sorted(Counter((original[row], masked[place]) for row, place in enumerate(places)).items(),
                                 key=repr))  # fmt: skip
        right = sum(persons[row] == persons[place] for row, place in enumerate(places))
        rates.setdefault(of_tuples, []).append(100 * right / n)
    means = [sum(x) / len(x) for x in rates.values()]
    return min(means), max(means)


def averaging(
    original: Sequence[Row],
    masked: Sequence[Row],
    persons: Sequence[Hashable],
    squared_distance: Callable[[Row, Row], float],
) -> float:
    """Return how often the person in the release whose mean is nearest is the right one, in per cent."""

    def mean(rows: Sequence[Row], others: Sequence[Row]) -> float:
        return sum(squared_distance(a, b) for a in rows for b in others) / (len(rows) * len(others))

    def rows_of(person: Hashable, rows: Sequence[Row]) -> list[Row]:
        return [row for row, owner in zip(rows, persons, strict=True) if owner == person]

    right = []
    everybody = sorted(set(persons), key=repr)
    for person in everybody:
        before = rows_of(person, original)
        gaps = {}
        for other in everybody:
            after = rows_of(other, masked)
            gaps[other] = mean(before, after) - mean(before, before) / 2 - mean(after, after) / 2
        nearest = [other for other, x in gaps.items() if x <= min(gaps.values()) + TIE]
        right.append((person in nearest) / len(nearest))
    return 100 * sum(right) / len(right)


def guessed_in_groups(groups: Sequence[Hashable], values: Sequence[Hashable], persons: Sequence[Hashable]) -> float:
    """Return how often (%) the most frequent value of a group is a person's own; a person's value counts once."""
    held = {(group, value, person) for group, value, person in zip(groups, values, persons, strict=True)}
    right = 0
    for group in set(groups):
        right += max(Counter(value for g, value, _ in held if g == group).values())
    return 100 * right / len(held)


def guessed_by_nearest(
    original: Sequence[Row],
    masked: Sequence[Row],
    values: Sequence[Hashable],
    distance: Callable[[Row, Row], float],
) -> float:
    """Return how often the most frequent value of the nearest rows of the release is a row's own, in per cent."""
    right = []
    for target, own in zip(original, values, strict=True):
        gaps = [distance(target, row) for row in masked]
        near = Counter(value for gap, value in zip(gaps, values, strict=True) if gap <= min(gaps) + TIE)
        modes = [value for value, count in near.items() if count == max(near.values())]
        right.append((own in modes) / len(modes))
    return 100 * sum(right) / len(right)
