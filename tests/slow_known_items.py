"""A slow, obviously correct attacker who knows items of a person, row by row, written from the definition.

Row i of the release is row i of the original; sets are frozensets of concepts and texts, null is None.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Hashable, Sequence

import slow_sets as slow

from slow_consensus import above

Items = frozenset[int | str]


def candidates(parents: slow.Parents, released: Sequence[Items | None], known: Collection[int | str]) -> list[int]:
    """Return the rows of a release whose sets have for each known item the item, or a concept above it."""
    return [
        row
        for row, own in enumerate(released)
        if known and all(any(element in above(parents, item) for element in own or ()) for item in known)
    ]


def linked(
    parents: slow.Parents,
    released: Sequence[Items | None],
    persons: Sequence[Hashable],
    person: Hashable,
    known: Collection[int | str],
) -> float:
    """Return the share of the person's rows among the candidates."""
    rows = candidates(parents, released, known)
    return sum(persons[row] == person for row in rows) / len(rows) if rows else 0.0


def read(
    parents: slow.Parents,
    table: Sequence[Items | None],
    released: Sequence[Items | None],
    own: Items,
    known: Collection[int | str],
) -> tuple[float, float]:
    """Return the expected share of the other items that is named right, and the probability that all are."""
    rows = candidates(parents, released, known)
    return named(released, rows, own, known) if rows else guessed(table, own, known)


def guessed(table: Sequence[Items | None], own: Items, known: Collection[int | str]) -> tuple[float, float]:
    """Return the same for the most frequent items of the table."""
    return named(table, range(len(table)), own, known)


def named(
    sets: Sequence[Items | None], rows: Collection[int], own: Items, known: Collection[int | str]
) -> tuple[float, float]:
    """Name the items that most rows have, as many as the person has besides the known ones; ties are drawn.

    Where there are not so many, all of them are named.
    """
    counts = Counter(x for row in rows for x in sets[row] or () if x not in known)
    others, number = own - set(known), len(own) - len(known)
    ranked = sorted(counts.values(), reverse=True)
    least = ranked[number - 1] if len(ranked) >= number else 0
    sure = {x for x in counts if counts[x] > least}
    tied = {x for x in counts if counts[x] == least}
    chance = (number - len(sure)) / len(tied) if tied else 0.0
    share = (len(sure & others) + chance * len(tied & others)) / number
    whole = sure <= others <= sure | tied
    return share, 1 / math.comb(len(tied), number - len(sure)) if whole else 0.0
