"""What does a release promise? Privacy models, counted on groups of records that look alike.

Where there are units, a person's value counts once in a group. Null is a value like any other.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections import Counter
from collections.abc import Hashable, Sequence

import numpy as np

from allonym.errors import OptionError
from allonym.metrics.equality import Equality
from allonym.records import Attribute, Floats, Ints, Pairs, distinct, summed_by

COMBINATIONS = 5_000_000  # of items that are counted
CELLS = 4_000_000  # of groups × values at a time


def k_anonymity(pairs: Pairs) -> int:
    """Return the size of the smallest group, in persons."""
    sizes = pairs.sizes[pairs.sizes > 0]
    return int(sizes.min()) if sizes.size else 0


def km_anonymity(
    sets: Sequence[frozenset[Hashable]], counts: Sequence[int], k: int, m: int, units: Sequence[int] | None = None
) -> tuple[int, int]:
    """Return by how many records the rarest combination of up to m items is held, and how many are held by less than k.

    k^m-anonymity (Terrovitis et al. 2008) holds if that is none: who knows m items of somebody finds k records. Units
    are counted, if these are given, one for each set.

    >>> baskets = [frozenset({"milk", "bread"}), frozenset({"milk"})]
    >>> km_anonymity(baskets, [2, 3], k=3, m=1), km_anonymity(baskets, [2, 3], k=2, m=2)
    ((2, 1), (2, 0))
    """
    number = sum(math.comb(len(x), size) for x in sets for size in range(1, m + 1))
    if number > COMBINATIONS:
        raise OptionError(
            f"The sets have {number:,} combinations of up to {m} items, more than {COMBINATIONS:,}.",
            hint="ask for fewer items.",
        )
    held: Counter[frozenset[Hashable]] = Counter()
    own: dict[int, set[frozenset[Hashable]]] = {}
    for place, (items, count) in enumerate(zip(sets, counts, strict=True)):
        found = {frozenset(x) for size in range(1, m + 1) for x in itertools.combinations(items, size)}
        if units is None:
            held.update(dict.fromkeys(found, count))
        else:
            own.setdefault(units[place], set()).update(found)
    for found in own.values():
        held.update(found)
    return min(held.values(), default=0), sum(n < k for n in held.values())


def l_diversity(pairs: Pairs, column: int) -> int:
    """Return the least number of different sensitive values in a group (distinct l-diversity, and p-sensitivity)."""
    groups, _, _ = _held(pairs, column)
    return int(np.bincount(groups)[np.unique(groups)].min()) if groups.size else 0


def entropy_l_diversity(pairs: Pairs, column: int) -> float:
    """Return exp of the least entropy of a group's sensitive values (Machanavajjhala et al. 2007)."""
    groups, _, counts = _held(pairs, column)
    if not groups.size:
        return 0.0
    shares = counts / np.bincount(groups, weights=counts)[groups]
    return float(np.exp(np.bincount(groups, weights=-shares * np.log(shares))[np.unique(groups)].min()))


def recursive_l_diversity(pairs: Pairs, column: int, c: float = 3.0) -> int:
    """Return the largest l with r₁ < c·(r_l + … + r_m) in every group, r its values' counts from the largest on."""
    groups, _, counts = _held(pairs, column)
    if not groups.size:
        return 0
    order = np.lexsort((-counts, groups))
    groups, counts = groups[order], counts[order]
    first = np.flatnonzero(np.diff(groups, prepend=-1))
    number = np.cumsum(np.diff(groups, prepend=-1) > 0) - 1
    before = np.cumsum(counts) - counts
    total = np.add.reduceat(counts, first)
    tail = total[number] - (before - before[first][number])
    holds = counts[first][number] < c * tail - 1e-9
    return int(np.add.reduceat(holds, first).min())


def t_closeness(pairs: Pairs, column: int) -> float:
    """Return the largest distance between the sensitive values of a group and those of the table (Li et al. 2007).

    The distance is the earth mover's; the ground distance is the ontology's for words, that of ranks for numbers and
    ordered categories, equal or not for others.
    """
    groups, values, counts = _held(pairs, column)
    if not groups.size:
        return 0.0
    numbers, groups = np.unique(groups, return_inverse=True)
    here, values = np.unique(values, return_inverse=True)
    whole = summed_by(values, counts, len(here)) / counts.sum()
    attribute = pairs.sensitive[column]
    height = max(CELLS // len(here), 1)
    largest = 0.0
    for low in range(0, len(numbers), height):
        part = (groups >= low) & (groups < low + height)
        rows = min(height, len(numbers) - low)
        cells = np.zeros((rows, len(here)))
        cells[groups[part] - low, values[part]] = counts[part]
        cells /= cells.sum(axis=1, keepdims=True)
        largest = max(largest, _farthest(cells, whole, attribute, here, largest))
    return largest


def _held(pairs: Pairs, column: int) -> tuple[Ints, Ints, Floats]:
    """Return group, value and how often the group holds it; a person counts once."""
    assert pairs.facts is not None
    here = pairs.groups >= 0
    groups, values, counts = pairs.groups[here], pairs.facts[here, column], pairs.counts[here].astype(np.float64)
    if not groups.size:
        return groups, values, counts
    if pairs.units is not None:
        _, _, first = distinct([groups, values, pairs.units[here]])
        groups, values, counts = groups[first], values[first], np.ones(len(first))
    number, _, first = distinct([groups, values])
    return groups[first], values[first], summed_by(number, counts, len(first))


def _farthest(groups: Floats, whole: Floats, attribute: Attribute, codes: Ints, least: float) -> float:
    """Return the largest earth mover's distance of some distributions to that of the whole, if it is above another."""
    metric = attribute.metric
    if attribute.kind in ("numeric", "ordinal"):
        known = ~np.array([metric.values[c] is None or isinstance(metric.values[c], str) for c in codes], bool)
        numbers = np.array([np.mean(metric.values[c]) for c, k in zip(codes, known, strict=True) if k], np.float64)
        order = np.argsort(numbers, kind="stable")
        line = (groups - whole)[:, known][:, order]
        return _along(line) if known.all() else _with_others(line, (groups - whole)[:, ~known], least)
    if isinstance(metric, Equality):
        return float(np.abs(groups - whole).sum(axis=1).max(initial=0.0) / 2)
    return _transported(groups, whole, metric.rows(codes[:, None], codes), least)


def _along(moved: Floats) -> float:
    """Return the largest cost of moving what is too much to where it is missing, along ranks."""
    steps = np.abs(np.cumsum(moved, axis=1)[:, :-1])
    return float((steps.sum(axis=1) / max(moved.shape[1] - 1, 1)).max(initial=0.0))


def _with_others(line: Floats, others: Floats, least: float) -> float:
    """Return the same where some values, such as null, are 1 from everything else.

    What these have too much of must go to the line, or what they lack must come from it, at a cost of 1; where it joins
    the line is free. So the steps along the line are those of the best monotone way to add it, found by the
    medians of a heap (isotonic regression by absolute differences).
    """
    for row, extra in zip(line, others, strict=True):
        too_much = float(extra.sum())
        aside = float(np.abs(extra).sum() - abs(too_much)) / 2  # from one of them to another
        steps = -np.cumsum(row)[:-1] if too_much >= 0 else np.cumsum(row)[:-1]
        inside = np.clip(steps, 0.0, abs(too_much))
        cost = float(np.abs(steps - inside).sum())
        heap: list[float] = []
        for y in inside.tolist():
            heapq.heappush(heap, -y)
            if -heap[0] > y:
                cost += -heap[0] - y
                heapq.heapreplace(heap, -y)
        least = max(least, aside + abs(too_much) + cost / max(len(row) - 1, 1))
    return least


def _transported(groups: Floats, whole: Floats, cost: Floats, least: float) -> float:
    """Return the largest distance; groups that a feasible plan shows to be nearer are not computed."""
    apart = np.einsum("gi,ij,j->g", groups, cost, whole, optimize=True)
    stay = np.minimum(groups, whole)
    moved = np.maximum(1 - stay.sum(axis=1), 1e-300)
    rest = np.einsum("gi,ij,gj->g", groups - stay, cost, whole - stay, optimize=True) / moved
    bound = np.minimum(apart, rest)
    for g in np.argsort(-bound, kind="stable").tolist():
        if bound[g] <= least:
            break
        least = max(least, earth_movers(groups[g], whole, cost))
    return least


def earth_movers(one: Floats, other: Floats, cost: Floats) -> float:
    """Return the least Σ flow·cost that turns one distribution into another."""
    from scipy.optimize import linprog  # takes longer to import than most tables to measure
    from scipy.sparse import eye_array, kron, vstack

    a, b = np.flatnonzero(one > 0), np.flatnonzero(other > 0)
    rows = kron(eye_array(len(a)), np.ones((1, len(b))), format="csr")
    columns = kron(np.ones((1, len(a))), eye_array(len(b)), format="csr")[:-1]  # the last follows from the others
    found = linprog(
        cost[np.ix_(a, b)].ravel(),
        A_eq=vstack([rows, columns]),
        b_eq=np.concatenate([one[a], other[b][:-1]]),
        method="highs",
    )
    return float(found.fun)
