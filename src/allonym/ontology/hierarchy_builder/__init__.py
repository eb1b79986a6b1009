"""Build value generalisation hierarchies from an ontology: levels of concepts that people know."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Ints
from allonym.ontology.hierarchy_builder.candidates import Values, says_anything
from allonym.ontology.hierarchy_builder.families import families
from allonym.ontology.hierarchy_builder.levels import Tree
from allonym.ontology.scope import Scope

__all__ = ["ITSELF", "build", "concept_levels", "says_anything"]

ITSELF = -1  # at a level: the value is not generalised


def build(
    leaves: Ints, scope: Scope, measure: str, depth: str, *, levels: int = 3, limits: Sequence[int] | None = None
) -> Ints:
    """Return the concept of each leaf at each level, for masking; the last level has one concept.

    Filler may name groups, because a release that says little is better than none.

    Args:
        leaves: the concepts of the leaves, all different.
        scope: the part of the ontology whose concepts may be used.
        measure: a name in `similarity.MEASURES`.
        depth: the depth convention of Wu-Palmer.
        levels: the number of levels above the leaves, at most.
        limits: the number of values at each level, instead.
    """
    above = concept_levels(leaves, scope, measure, depth, levels=levels, limits=limits, broad=True)
    return np.where(above == ITSELF, leaves[:, None], above)


def concept_levels(
    leaves: Ints,
    scope: Scope,
    measure: str,
    depth: str,
    *,
    levels: int = 3,
    limits: Sequence[int] | None = None,
    is_kind: NDArray[np.bool_] | None = None,
    alike: bool = False,
    broad: bool = False,
) -> Ints:
    """Return the concept of each leaf at each level, or `ITSELF`; there are fewer levels if so many are impossible.

    Every concept is true of its leaves, and no concept of a level is above another one. Groups of leaves under concepts
    that people know form a tree; a level is a cut through it, at which all groups are about equally general. Levels
    with filler ("change") or concepts that hardly anyone knows are not made, except that the top may be the root.

    Args:
        leaves: the concepts of the leaves.
        scope: the part of the ontology whose concepts may be used.
        measure: a name in `similarity.MEASURES`.
        depth: the depth convention of Wu-Palmer.
        levels: the number of levels above the leaves, at most.
        limits: the number of values at each level, instead.
        is_kind: which leaves are a kind of their concept, and not the concept itself.
        alike: whether values that no other value joins become concepts about as general as the others of their level.
        broad: whether filler may name groups, too.
    """
    values = Values(leaves, np.zeros(len(leaves), bool) if is_kind is None else is_kind, scope, measure, depth, broad)
    tree = Tree(values, *families(values))
    cuts = tree.spread(levels - 1) if limits is None else _within(tree, limits[:-1])
    columns = [tree.concepts(nodes, alike=alike) for nodes in cuts]
    top = values.top() if tree.all is None else tree.all.concept
    return np.stack([*columns, np.full(len(leaves), top)], axis=1)


def _within(tree: Tree, limits: Sequence[int]) -> list[Ints]:
    """Return the nodes of each value at the levels below the top, each with at most a number of nodes, if possible."""
    cuts: list[Ints] = []
    for limit in limits:
        level = tree.level(cuts[-1] if cuts else np.arange(len(tree.values)), limit)
        if level is not None:
            cuts.append(level)
    return cuts
