"""The levels to which concepts of a tree are generalised, one column per level."""

from __future__ import annotations

import numpy as np

from allonym.arrays import Ints
from allonym.ontology.scope import Scope


def distinct_levels(concepts: Ints, steps: Ints) -> Ints:
    """Return the levels that differ from the level below, up to the first level with one value."""
    levels = [concepts]
    for level in steps.T[1:]:
        if len(np.unique(levels[-1])) > 1 and not np.array_equal(level, levels[-1]):
            levels.append(level)
    return np.stack(levels, axis=1)[:, 1:]


def steps_to_root(concepts: Ints, scope: Scope) -> Ints:
    """Return the ancestor of each concept at every depth, from the deepest towards the root, until all are one."""
    taxonomy = scope.taxonomy
    depth = taxonomy.depth[concepts].astype(np.int64)
    current = concepts.copy()
    levels = []
    for limit in range(int(depth.max()) - 1, int(taxonomy.depth[scope.root]) - 1, -1):
        deep = taxonomy.depth[current] > limit
        current = current.copy()
        current[deep] = [int(taxonomy.parents_of(int(c))[0]) for c in current[deep]]
        levels.append(current)
        if len(np.unique(current)) == 1:
            break
    return np.stack(levels, axis=1) if levels else np.zeros((len(concepts), 0), np.int64)
