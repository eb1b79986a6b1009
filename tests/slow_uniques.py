"""Minimal unique combinations by comparing every pair of rows: slow, and short enough to be believed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations


def minimal_unique(rows: Sequence[Sequence[int]], persons: Sequence[int], size: int) -> list[list[tuple[int, ...]]]:
    """Return for every row the combinations of columns in which its person is unique, and in no part of them."""
    columns = range(len(rows[0]))
    found: list[list[tuple[int, ...]]] = []
    for row, person in zip(rows, persons, strict=True):
        own: list[tuple[int, ...]] = []
        for s in range(1, min(size, len(rows[0])) + 1):
            for chosen in combinations(columns, s):
                others = {q for other, q in zip(rows, persons, strict=True) if all(other[c] == row[c] for c in chosen)}
                if others == {person} and not any(set(part) <= set(chosen) for part in own):
                    own.append(chosen)
        found.append(own)
    return found


def scores(found: Sequence[Sequence[tuple[int, ...]]], columns: int, size: int) -> list[float]:
    """Return the score of every row."""
    last = min(size, columns, columns - 1)
    return [float(sum(math.prod(columns - i for i in range(len(x), last + 1)) for x in own)) for own in found]


def contributions(found: Sequence[Sequence[tuple[int, ...]]], columns: int, size: int) -> list[float]:
    """Return the share of all scores, in %, that each column has a part in."""
    total = sum(scores(found, columns, size))
    return [
        100 * sum(scores([[x for x in own if c in x] for own in found], columns, size)) / total if total else 0.0
        for c in range(columns)
    ]
