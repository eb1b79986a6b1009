"""Build value generalisation hierarchies from an ontology, with little information loss at each level."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from allonym.errors import OptionError
from allonym.ontology import similarity
from allonym.ontology.scope import Scope

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def default_limits(leaves: int, levels: int) -> list[int]:
    """Return the default limits of values per level: each level has the same fraction of the one below.

    >>> default_limits(40, 3), default_limits(5, 4)
    ([12, 4, 1], [4, 3, 2, 1])
    """
    sizes = [int(np.ceil(leaves ** (1 - i / levels))) for i in range(1, levels)]
    return [max(size, levels - i) for i, size in enumerate(sizes)] + [1]


def build(
    leaves: Ints, scope: Scope, measure: str, depth: str, *, levels: int = 3, limits: Sequence[int] | None = None
) -> Ints:
    """Return the concept of each leaf at each level; the last level has one concept.

    Level by level from below, the groups of the previous level are merged under at most as many concepts as the limit
    allows, such that the largest distance of a leaf to its concept is minimal. For a given threshold, the group with
    the deepest highest concept within reach takes the concept that covers most other groups; bisection finds the
    threshold. In a tree this minimises the loss of a level, given the level below.

    Args:
        leaves: the concepts of the leaves.
        scope: the part of the ontology whose concepts may be used.
        measure: a name in `similarity.MEASURES`.
        depth: the depth convention of Wu-Palmer.
        levels: the number of levels above the leaves.
        limits: the largest number of values at each level.

    Raises:
        OptionError: there are too few leaves for so many levels.
    """
    limits = default_limits(len(leaves), levels) if limits is None else list(limits)
    if len(limits) >= len(leaves):
        raise OptionError(
            f"{len(leaves)} values allow at most {len(leaves) - 1} different levels, not {len(limits)}.",
            hint="choose fewer levels.",
        )
    candidates, distance_to = _distances(leaves, scope, measure, depth)
    height = scope.taxonomy.depth[candidates].astype(np.int64)
    group = np.arange(len(leaves))  # of every leaf
    own = np.searchsorted(candidates, leaves)  # the concept of every group
    level_concepts = []
    for i, limit in enumerate(limits):
        max_concepts = max(min(limit, len(own) - 1), len(limits) - i)  # strictly fewer, and enough for the levels above
        chosen = _minimax(distance_to, own, height, max_concepts)
        concepts, number = np.unique(chosen, return_inverse=True)
        group = number.ravel()[group]
        distance_to = np.stack([distance_to[number.ravel() == g].max(axis=0) for g in range(len(concepts))])
        own = concepts
        level_concepts.append(candidates[concepts][group])
    return np.stack(level_concepts, axis=1)


def _distances(leaves: Ints, scope: Scope, measure: str, depth: str) -> tuple[Ints, Floats]:
    """Return the concepts that may replace leaves, and their distances to every leaf; infinite if not above it."""
    taxonomy = scope.taxonomy
    above_any = taxonomy.above(leaves)
    allowed = scope.members[above_any] & ~taxonomy.instances[above_any]
    candidates = above_any[allowed | np.isin(above_any, leaves) | (above_any == taxonomy.root)]
    starts, ancestors, _ = taxonomy.closure(leaves)
    above = np.zeros((len(leaves), len(taxonomy)), bool)
    above[np.repeat(np.arange(len(leaves)), np.diff(starts)), ancestors] = True
    distances = np.round(similarity.distance(measure, taxonomy, leaves[:, None], candidates, depth=depth), 12)
    return candidates, np.where(above[:, candidates], distances, np.inf)


def _minimax(distance_to: Floats, own: Ints, height: Ints, max_concepts: int) -> Ints:
    """Return the concept of every group, with a limit of different ones, such that the largest distance is minimal."""
    thresholds = np.unique(distance_to[np.isfinite(distance_to)])
    low, high = 0, len(thresholds) - 1
    while low < high:
        middle = (low + high) // 2
        if len(np.unique(_cover(distance_to, own, height, thresholds[middle], max_concepts))) <= max_concepts:
            high = middle
        else:
            low = middle + 1
    return _cover(distance_to, own, height, thresholds[high], max_concepts)


def _cover(distance_to: Floats, own: Ints, height: Ints, threshold: float, max_concepts: int) -> Ints:
    """Return a concept within the threshold for every group; more different ones than the limit if it is too low.

    Groups keep their own concepts once the limit is met.
    """
    near = distance_to <= threshold
    top = np.where(near, height, np.iinfo(np.int64).max).min(axis=1)  # the depth of the highest concept within reach
    chosen = own.copy()
    left = np.ones(len(own), bool)
    for one in np.argsort(-top, kind="stable").tolist():
        options = np.flatnonzero(near[one])
        too_many = len(np.unique(chosen)) - max_concepts
        if too_many <= 0:
            break
        if not left[one] or not options.size:
            continue
        covers = near[left][:, options].sum(axis=0)
        loss = np.where(near[left][:, options], distance_to[left][:, options], 0.0).max(axis=0)
        best = int(options[np.lexsort((loss, -covers))[0]])
        merged = np.flatnonzero(left & near[:, best])
        merged = merged[np.lexsort((distance_to[merged, best], merged != one))]  # itself first, then the nearest
        merged = merged[: too_many + (best not in chosen[~left])]
        chosen[merged] = best
        left[merged] = False
    return chosen
