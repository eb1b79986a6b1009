"""Dominators of a taxonomy: what all paths from the root to a concept lead through."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from allonym.ontology.taxonomy import Taxonomy

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Dominators:
    """The nearest concept above each that dominates it, how many links lie between, and how many it dominates.

    The root is its own. If g dominates x, all paths from x to concepts above g lead through g; x has no ancestor that
    is neither above g nor below it. So x and a concept c that is not below g have the same common subsumers as g and c,
    each farther from x by the links between x and g.

    >>> t = Taxonomy.build("t", ["a", "b", "c", "d", "e"], child=[1, 2, 3, 3, 4], parent=[0, 0, 1, 2, 3])
    >>> d = Dominators.of(t)
    >>> d.nearest.tolist(), d.links.tolist(), d.sizes.tolist()
    ([0, 0, 0, 0, 3], [0, 1, 1, 2, 1], [5, 1, 1, 2, 1])
    """

    nearest: Ints
    links: Ints
    sizes: Ints

    @classmethod
    def of(cls, taxonomy: Taxonomy) -> Dominators:
        """Find the dominators, from the root down: those of a concept are the common ones of its parents."""
        starts, parents = (np.asarray(x).tolist() for x in taxonomy.parents)
        order = np.argsort(taxonomy.depth, kind="stable").tolist()
        nearest, links, level = ([0] * len(taxonomy) for _ in range(3))
        nearest[taxonomy.root] = taxonomy.root
        for concept in order:
            above = parents[starts[concept] : starts[concept + 1]]
            if not above:
                continue
            common = above[0]
            for parent in above[1:]:
                other = parent
                while common != other:
                    if level[common] >= level[other]:
                        common = nearest[common]
                    else:
                        other = nearest[other]
            nearest[concept], level[concept] = common, level[common] + 1
            links[concept] = 1 + min(_links(nearest, links, parent, common) for parent in above)
        sizes = [1] * len(taxonomy)
        for concept in reversed(order):
            if nearest[concept] != concept:
                sizes[nearest[concept]] += sizes[concept]
        return cls(*(np.array(x, np.int64) for x in (nearest, links, sizes)))


def _links(nearest: list[int], links: list[int], low: int, high: int) -> int:
    """Return the fewest links from a concept up to one that dominates it."""
    total = 0
    while low != high:
        total, low = total + links[low], nearest[low]
    return total
