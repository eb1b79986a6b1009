"""Slow, obviously correct distances between sets, their medoid, loss and k^m-anonymity, written from the formulas.

Nothing is shared with the package, and nothing is optimised: every call walks the taxonomy again. An element of a set
is a concept of a taxonomy (a number) or a text without a concept, which equals only itself. A taxonomy is a mapping
concept -> parents and may have several roots. Sums use fsum, so that no result depends on the order of a set.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

import reference

Parents = Mapping[int, Sequence[int]]  # concept -> its direct parents
Element = int | str
Items = frozenset[Element]
Distance = Callable[[Element, Element], float]  # between two elements

TIE = 1e-12  # sums with a smaller relative difference are tied

DISTANCES = ("min", "max", "avg", "min-sum", "max-sum")

# The taxonomy of the doctests: two trees that share nothing.
SPORTS, WATER_SPORTS, SWIMMING, WINDSURFING, PLACES, SEAS, EUROPEAN_SEAS, MEDITERRANEAN = range(8)
TINY: Parents = {
    SPORTS: (),
    WATER_SPORTS: (SPORTS,),
    SWIMMING: (WATER_SPORTS,),
    WINDSURFING: (WATER_SPORTS,),
    PLACES: (),
    SEAS: (PLACES,),
    EUROPEAN_SEAS: (SEAS,),
    MEDITERRANEAN: (EUROPEAN_SEAS,),
}


# Distances of two elements.


def delta(parents: Parents, a: Element, b: Element) -> float:
    """Return δ = (|T(a) ∪ T(b)| - |T(a) ∩ T(b)|) / |T(a) ∪ T(b)| of two concepts, and equality where one is a text.

    >>> delta(TINY, SWIMMING, WINDSURFING) == (4 - 2) / 4
    True
    >>> delta(TINY, SWIMMING, MEDITERRANEAN), delta(TINY, SWIMMING, SWIMMING)
    (1.0, 0.0)
    >>> delta(TINY, SWIMMING, "diving"), delta(TINY, "diving", "rowing"), delta(TINY, "diving", "diving")
    (1.0, 1.0, 0.0)
    """
    if a == b:
        return 0.0
    if isinstance(a, str) or isinstance(b, str):
        return 1.0
    union = reference.ancestors(parents, a) | reference.ancestors(parents, b)
    intersection = reference.ancestors(parents, a) & reference.ancestors(parents, b)
    return (len(union) - len(intersection)) / len(union)


def equality(a: Element, b: Element) -> float:
    """Return 0 for the same element and 1 for two different ones.

    >>> equality(1, 1), equality(1, 2), equality(1, "1")
    (0.0, 1.0, 1.0)
    """
    return 0.0 if a == b else 1.0


# Distances of two sets.


def set_distance(name: str, far: Distance, A: Items, B: Items) -> float:
    """Return the distance of two sets, which is 0 for two empty ones and 1 where only one is empty.

    >>> def far(a, b):
    ...     return delta(TINY, a, b)
    >>> A, B = frozenset({SWIMMING, MEDITERRANEAN}), frozenset({WINDSURFING, MEDITERRANEAN})
    >>> set_distance("min-sum", far, A, B) == (0.5 + 0 + 0.5 + 0) / (2 + 2) == 0.25
    True
    >>> set_distance("max-sum", far, A, B) == (1 + 1 + 1 + 1) / (2 + 2)
    True
    >>> set_distance("min", far, A, B), set_distance("max", far, A, B)
    (0.0, 1.0)
    >>> set_distance("avg", far, A, B) == (0.5 + 1 + 1 + 0) / (2 * 2)
    True
    >>> [set_distance(name, far, A, A) for name in DISTANCES]  # of a set with itself
    [0.0, 1.0, 0.5, 0.0, 1.0]
    >>> nothing = frozenset()
    >>> set_distance("min", far, nothing, nothing), set_distance("min", far, A, nothing)
    (0.0, 1.0)

    Sets of different size: the divisor is the number of elements of both.

    >>> C = frozenset({SWIMMING})
    >>> set_distance("min-sum", far, A, C) == (0 + 1 + 0) / (2 + 1)
    True
    >>> set_distance("max-sum", far, B, C) == (0.5 + 1 + 1) / (2 + 1)
    True
    """
    if name not in DISTANCES:
        raise ValueError(f"unknown distance {name!r}. Hint: one of {', '.join(DISTANCES)}")
    if not A or not B:
        return 0.0 if A == B else 1.0
    pairs = [far(a, b) for a in A for b in B]
    if name == "min":
        return min(pairs)
    if name == "max":
        return max(pairs)
    if name == "avg":
        return math.fsum(pairs) / len(pairs)
    best = min if name == "min-sum" else max
    of_a = [best(far(a, b) for b in B) for a in A]
    of_b = [best(far(a, b) for a in A) for b in B]
    return math.fsum(of_a + of_b) / (len(A) + len(B))


# Measures of many sets.


def medoid(sets: Sequence[tuple[Items, float]], name: str, far: Distance) -> Items:
    """Return the set with the smallest sum of weight · distance to all sets, itself included.

    >>> one, two, both = frozenset({1}), frozenset({2}), frozenset({1, 2})
    >>> medoid([(one, 1.0), (two, 2.0)], "min-sum", equality) == two
    True
    >>> medoid([(two, 1.0), (one, 1.0)], "min-sum", equality) == two  # of tied ones the first
    True
    >>> medoid([(both, 3.0), (one, 1.0)], "max", equality) == one  # 3 · 1 + 1 · 1 against 3 · 1 + 1 · 0
    True
    """
    sums = [math.fsum(weight * set_distance(name, far, one, other) for other, weight in sets) for one, _ in sets]
    least = min(sums)
    return next(one for (one, _), total in zip(sets, sums, strict=True) if total - least <= TIE * least)


def set_loss(name: str, far: Distance, original: Sequence[Items], masked: Sequence[Items]) -> tuple[float, float]:
    """Return the sum of squared distances from the original sets to the masked ones, and its floor, to themselves.

    >>> original, masked = [frozenset({1, 2}), frozenset({3})], [frozenset({1}), frozenset({4})]
    >>> set_loss("min-sum", equality, original, masked) == ((1 / 3) ** 2 + 1**2, 0.0)
    True
    >>> set_loss("avg", equality, original, masked) == (0.5**2 + 1**2, 0.5**2 + 0**2)
    True
    """
    loss = math.fsum(set_distance(name, far, x, y) ** 2 for x, y in zip(original, masked, strict=True))
    floor = math.fsum(set_distance(name, far, x, x) ** 2 for x in original)
    return loss, floor


def km_violations(sets: Sequence[Items], k: int, m: int) -> dict[Items, int]:
    """Return every combination of 1 to m items that 1 to k - 1 of the sets contain, with how many of them do.

    >>> sets = [frozenset({1, 2}), frozenset({1, 2, "x"}), frozenset({1})]
    >>> km_violations(sets, 2, 1) == {frozenset({"x"}): 1}
    True
    >>> km_violations(sets, 2, 2) == {frozenset({"x"}): 1, frozenset({1, "x"}): 1, frozenset({2, "x"}): 1}
    True
    >>> km_violations(sets, 3, 1) == {frozenset({2}): 2, frozenset({"x"}): 1}
    True
    >>> km_violations(sets, 1, 3), km_violations([frozenset()], 2, 2)
    ({}, {})
    """
    combined = {frozenset(items) for one in sets for size in range(1, m + 1) for items in combinations(one, size)}
    support = {items: sum(items <= one for one in sets) for items in combined}
    return {items: count for items, count in support.items() if count < k}


def common(sets: Sequence[Items]) -> Items:
    """Return the elements that all sets have, and none where there is no set.

    >>> sorted(common([frozenset({1, 2, 3}), frozenset({2, 3}), frozenset({3, 2, 5})]))
    [2, 3]
    >>> common([frozenset({1}), frozenset({2})]), common([])
    (frozenset(), frozenset())
    """
    elements = {element for one in sets for element in one}
    return frozenset(element for element in elements if all(element in one for one in sets))
