"""Counting combinations of items in the sets of a release: k^m-anonymity (Terrovitis, Mamoulis and Kalnis 2008)."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

LIST = "\x1f"  # what the text of a list begins with, see `tables.second_reader.joined`


def items_of(text: Any, separator: str) -> frozenset[str]:
    """Return the items of a cell as a second reader gives it; a missing one has none.

    >>> sorted(items_of(" milk;bread;; ", ";")), sorted(items_of('\\x1f["milk; fresh"]', ";")), items_of(None, ";")
    (['bread', 'milk'], ['milk; fresh'], frozenset())
    """
    if text is None:
        return frozenset()
    parts = json.loads(text[1:]) if str(text).startswith(LIST) else str(text).split(separator)
    return frozenset(item for part in parts if (item := part.strip()))


def rarest_combination(
    sets: Sequence[frozenset[str]],
    places: NDArray[np.int64],
    m: int,
    row_counts: NDArray[np.int64] | None = None,
    persons: NDArray[np.int64] | None = None,
) -> int | None:
    """Return how many rows, or persons, hold the rarest combination of up to m items; None, if there are no items.

    Args:
        sets: the different sets.
        places: for every row, its set.
        m: how many items are combined, at most.
        row_counts: how many rows each row stands for.
        persons: who each row is about.

    >>> rarest_combination([frozenset({"milk", "bread"}), frozenset({"milk"})], np.array([0, 0, 1]), 2)
    2
    """
    number = {item: place for place, item in enumerate(sorted(frozenset().union(*sets)))}
    each = [sorted(number[item] for item in items) for items in sets]
    if persons is None:
        rows = np.bincount(places, weights=row_counts, minlength=len(sets)).astype(np.int64).tolist()
        held: Counter[tuple[int, ...]] = Counter()
        for items, count in zip(each, rows, strict=True):
            if count:
                for combination in _combinations(items, m):
                    held[combination] += count
        return min(held.values(), default=None)
    holders: dict[tuple[int, ...], set[int]] = {}
    for place, person in set(zip(places.tolist(), persons.tolist(), strict=True)):
        for combination in _combinations(each[place], m):
            holders.setdefault(combination, set()).add(person)
    return min(map(len, holders.values()), default=None)


def _combinations(items: list[int], m: int) -> itertools.chain[tuple[int, ...]]:
    return itertools.chain.from_iterable(itertools.combinations(items, size) for size in range(1, m + 1))
