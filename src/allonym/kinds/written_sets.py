"""How sets are written that are nobody's: they must not become somebody's by the way they are written."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Sequence

import numpy as np

from allonym.arrays import Ints, count_units
from allonym.metric import Value


def rare_sets(sets: Sequence[Value], codes: Ints, counts: Ints, units: Ints | None, k: int) -> frozenset[Value]:
    """Return the sets that fewer than k units hold.

    Args:
        sets: the set of every distinct cell.
        codes: the distinct cell of every row.
        counts: how many rows have each distinct cell.
        units: who each row is about.
        k: how many must hold a set.

    >>> rare_sets([{1}, {1, 2}], np.array([0, 0, 1]), np.array([2, 1]), None, 2) == {frozenset({1, 2})}
    True
    """
    place: dict[Value, int] = {}
    number = np.array([place.setdefault(None if x is None else frozenset(x), len(place)) for x in sets], np.int64)
    if units is None:
        held = np.bincount(number, weights=counts, minlength=len(place)).astype(np.int64)
    else:
        held = count_units(number[codes], units, len(place))
    return frozenset(x for x, holders in zip(place, held.tolist(), strict=True) if 0 < holders < k and x is not None)


def still_nobodys(before: Value, after: Value, rare: Container[Value]) -> Value:
    """Return what is written for a set: if it became somebody's by what changed, without that, or else null.

    >>> still_nobodys(frozenset({1, 2}), frozenset({1, 3}), {frozenset({1, 3})})
    frozenset({1})
    """
    if before in rare or after not in rare:
        return after
    kept = before & after
    return kept if kept and kept not in rare else None


def without_labels(items: Collection[str], labels: Iterable[str], rare: Container[frozenset[str]]) -> tuple[str, ...]:
    """Return items in text order, without labels of concepts that make them somebody's set by coincidence.

    >>> without_labels({"bank", "milk"}, ["bank"], {frozenset({"bank", "milk"})})
    ('milk',)
    """
    kept = set(items)
    for label in sorted(labels):
        if frozenset(kept) not in rare:
            break
        kept.discard(label)
    return tuple(sorted(kept))
