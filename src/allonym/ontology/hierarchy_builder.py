"""Hierarchies from an ontology: for some concepts, levels of fewer and fewer concepts above them that lose little."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from allonym.errors import OptionError
from allonym.ontology import similarity
from allonym.ontology.scope import Scope

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def usual_limits(leaves: int, levels: int) -> list[int]:
    """Return how many values each level may have if nobody says: the same share fewer from level to level.

    >>> usual_limits(40, 3), usual_limits(5, 4)
    ([12, 4, 1], [4, 3, 2, 1])
    """
    found = [int(np.ceil(leaves ** (1 - i / levels))) for i in range(1, levels)]
    return [max(x, levels - i) for i, x in enumerate(found)] + [1]


def build(
    leaves: Ints, scope: Scope, measure: str, depth: str, *, levels: int = 3, limits: Sequence[int] | None = None
) -> Ints:
    """Return what each leaf becomes at each level, as concepts; the last level has one.

    Level by level from below, the groups of the level before are put under as few concepts as the limit says, so that
    the largest distance of a leaf to its concept is least. For a threshold, the group that may go up least far takes
    the concept, among those near enough, that covers most others; thresholds are tried by bisection. In a tree that
    finds the least loss of a level, given the one below.
    """
    limits = usual_limits(len(leaves), levels) if limits is None else list(limits)
    if len(limits) >= len(leaves):
        raise OptionError(
            f"{len(leaves)} values have at most {len(leaves) - 1} levels that differ, not {len(limits)}.",
            hint="ask for fewer levels.",
        )
    used, far = _distances(leaves, scope, measure, depth)
    height = scope.taxonomy.depth[used].astype(np.int64)
    group = np.arange(len(leaves))  # of every leaf
    own = np.searchsorted(used, leaves)  # the concept of every group
    found = []
    for i, limit in enumerate(limits):
        most = max(min(limit, len(own) - 1), len(limits) - i)  # strictly fewer, and enough for the levels above
        chosen = _fewest(far, own, height, most)
        concepts, number = np.unique(chosen, return_inverse=True)
        group = number.ravel()[group]
        far = np.stack([far[number.ravel() == g].max(axis=0) for g in range(len(concepts))])
        own = concepts
        found.append(used[concepts][group])
    return np.stack(found, axis=1)


def _distances(leaves: Ints, scope: Scope, measure: str, depth: str) -> tuple[Ints, Floats]:
    """Return the concepts that may stand for leaves, and how far each is from every leaf; infinite, if not above it."""
    taxonomy = scope.taxonomy
    used = taxonomy.above(leaves)
    may = (scope.members[used] & ~taxonomy.instances[used]) | np.isin(used, leaves) | (used == taxonomy.root)
    used = used[may]
    starts, ancestors, _ = taxonomy.closure(leaves)
    above = np.zeros((len(leaves), len(taxonomy)), bool)
    above[np.repeat(np.arange(len(leaves)), np.diff(starts)), ancestors] = True
    far = np.round(similarity.distance(measure, taxonomy, leaves[:, None], used, depth=depth), 12)
    return used, np.where(above[:, used], far, np.inf)


def _fewest(far: Floats, own: Ints, height: Ints, most: int) -> Ints:
    """Return a concept for every group, at most so many different ones, so that the largest distance is least."""
    thresholds = np.unique(far[np.isfinite(far)])
    low, high = 0, len(thresholds) - 1
    while low < high:
        middle = (low + high) // 2
        if len(np.unique(_covered(far, own, height, thresholds[middle], most))) <= most:
            high = middle
        else:
            low = middle + 1
    return _covered(far, own, height, thresholds[high], most)


def _covered(far: Floats, own: Ints, height: Ints, threshold: float, most: int) -> Ints:
    """Return a concept within the threshold for every group, so many different ones if that may be; else, more.

    Groups keep their own concept while there are few enough.
    """
    near = far <= threshold
    top = np.where(near, height, np.iinfo(np.int64).max).min(axis=1)  # how far up a group may go
    chosen = own.copy()
    left = np.ones(len(own), bool)
    for one in np.argsort(-top, kind="stable").tolist():
        options = np.flatnonzero(near[one])
        too_many = len(np.unique(chosen)) - most
        if too_many <= 0:
            break
        if not left[one] or not options.size:
            continue
        covers = near[left][:, options].sum(axis=0)
        loss = np.where(near[left][:, options], far[left][:, options], 0.0).max(axis=0)
        best = int(options[np.lexsort((loss, -covers))[0]])
        mine = np.flatnonzero(left & near[:, best])
        mine = mine[np.lexsort((far[mine, best], mine != one))]  # itself first, then the nearest
        mine = mine[: too_many + (best not in chosen[~left])]
        chosen[mine] = best
        left[mine] = False
    return chosen
