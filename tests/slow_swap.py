"""Swapping as it is defined, record by record, on lists: the reference for `allonym.methods.swap`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

Pairing = tuple[int, ...]  # for every record, the one whose value it takes


def window_of(share: float, n: int) -> int:
    """Return how many ranks ahead a partner may be: a share of all ranks, but at least one."""
    return max(1, int(share * n + 1e-9))


def rank_swapped(n: int, window: int, choose: Callable[[list[int]], int]) -> Pairing:
    """Let each record, in the order of ranks, that has not swapped yet exchange its value with an unswapped one ahead.

    `choose` draws one of the candidates, which are at most `window` ranks ahead.
    """
    partner, swapped = list(range(n)), [False] * n
    for i in range(n):
        candidates = [j for j in range(i + 1, n) if j - i <= window and not swapped[j]]
        if swapped[i] or not candidates:
            continue
        j = choose(candidates)
        partner[i], partner[j] = j, i
        swapped[i] = swapped[j] = True
    return tuple(partner)


def pairing_probabilities(n: int, window: int) -> dict[Pairing, Fraction]:
    """Return how likely each pairing is, if every candidate is drawn with equal probability."""
    found: dict[Pairing, Fraction] = {}
    for partner, probability in _branches(0, tuple(range(n)), frozenset(), window):
        found[partner] = found.get(partner, Fraction(0)) + probability
    return found


def _branches(i: int, partner: Pairing, swapped: frozenset[int], window: int) -> Iterator[tuple[Pairing, Fraction]]:
    if i == len(partner):
        yield partner, Fraction(1)
        return
    candidates = [j for j in range(i + 1, len(partner)) if j - i <= window and j not in swapped]
    if i in swapped or not candidates:
        yield from _branches(i + 1, partner, swapped, window)
        return
    for j in candidates:
        new = list(partner)
        new[i], new[j] = j, i
        for found, probability in _branches(i + 1, tuple(new), swapped | {i, j}, window):
            yield found, probability / len(candidates)


def reference_order(values: Sequence[Any], counts: Sequence[int], distance: Callable[[Any, Any], float],
                    centroid: Any) -> list[Any]:  # fmt: skip
    """Sort values by their distance to the one farthest from the centroid; ties by the distance to the centroid."""
    farthest = max(values, key=lambda v: (round(distance(v, centroid), 12), -values.index(v)))
    keys = {v: (round(distance(v, farthest), 12), round(distance(v, centroid), 12)) for v in values}
    return sorted(values, key=lambda v: (keys[v], values.index(v)))


def taxonomy_order(
    values: Sequence[Any], counts: Sequence[int], above: Sequence[Sequence[Any]], distance: Callable[[Any, Any], float],
    before: Any = None,
) -> list[Any]:  # fmt: skip
    """Walk through values depth first; `above` has the generalisations of each value, from the top down.

    The most frequent value of a sibling stands for it. The first sibling is the nearest to the value met before (the
    farthest from the first one, if there is none), the next one the nearest to the value met last.
    """
    if len(values) == 1:
        return list(values)
    keys = [level[0] if level else value for value, level in zip(values, above, strict=True)]
    siblings = list(dict.fromkeys(keys))
    if len(siblings) == 1 and above[0]:
        return taxonomy_order(values, counts, [level[1:] for level in above], distance, before)

    def members(sibling: Any) -> list[int]:
        return [place for place, key in enumerate(keys) if key == sibling]

    def shown(sibling: Any) -> Any:
        return values[max(members(sibling), key=lambda place: (counts[place], -place))]

    def far(one: Any, sibling: Any) -> float:
        return round(distance(one, shown(sibling)), 12)

    walked: list[Any] = []
    while siblings:
        if before is None:
            start = shown(siblings[0])
            best = max(siblings, key=lambda x: (far(start, x), -siblings.index(x)))
        else:
            best = min(siblings, key=lambda x: (far(before, x), siblings.index(x)))
        own = members(best)
        parts = [values[i] for i in own], [counts[i] for i in own], [above[i][1:] for i in own]
        walked += taxonomy_order(*parts, distance, before)
        before = walked[-1]
        siblings.remove(best)
    return walked


def nearest_swapped(
    records: Sequence[Any], differ: Callable[[Any, Any], bool], distance: Callable[[Any, Any], float], cap: float
) -> tuple[Pairing, bool]:
    """Let the two nearest unswapped records that differ exchange values, again and again, up to a distance of `cap`.

    Return the pairing, and whether some step had a choice between pairs that are equally near.
    """
    partner, left, tied = list(range(len(records))), set(range(len(records))), False
    while True:
        pairs = [
            (round(distance(records[i], records[j]), 12), i, j)
            for i in sorted(left)
            for j in sorted(left)
            if i < j and differ(records[i], records[j]) and distance(records[i], records[j]) <= cap
        ]
        if not pairs:
            return tuple(partner), tied
        tied = tied or len({(records[i], records[j]) for d, i, j in pairs if d == min(pairs)[0]}) > 1
        _, i, j = min(pairs)
        partner[i], partner[j] = j, i
        left -= {i, j}
