"""The levels of a hierarchy: cuts through a tree of groups, from specific to general."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from allonym.arrays import Ints
from allonym.ontology.generality.familiar import is_used
from allonym.ontology.hierarchy_builder.candidates import Values
from allonym.ontology.hierarchy_builder.families import Ancestors, Group

FARTHER = 1.5  # times as general as a group that would leave too few values may be the one that is taken instead


class Tree:
    """Groups of values as a tree: single values, then groups, smaller ones first; -1 is above all."""

    def __init__(self, values: Values, single: Sequence[Group], groups: Sequence[Group], ancestors: Ancestors) -> None:
        self.values, self.ancestors = values, ancestors
        self.all = next((x for x in groups if len(x.members) == len(values)), None)
        self.groups = [*single, *(x for x in groups if x is not self.all)]
        self.parent = np.full(len(self.groups), -1)
        smallest = np.arange(len(values))  # the node of each value that has no parent yet
        for node, group in enumerate(self.groups[len(values) :], len(values)):
            own = sorted(group.members)
            children = np.unique(smallest[own])
            self.parent[children] = node
            group.generality = max(group.generality, *(self.groups[x].generality for x in children.tolist()))
            smallest[own] = node
        self.fewest = len(np.unique(smallest))  # values of a level below the top

    def spread(self, levels: int) -> list[Ints]:
        """Return the nodes of each value at so many levels below the top, whose numbers fall about evenly.

        A level merges all groups up to some generality. Of such levels, those are taken whose numbers of nodes are
        nearest to even fractions; there are fewer if so many differ in no way.
        """
        level, cuts = np.arange(len(self.values)), list[Ints]()
        for _, nodes in self._by_generality:
            level = self._merged(level, nodes)
            fixed = self._without_ancestors(level)
            if fixed is not None and not (cuts and np.array_equal(fixed, cuts[-1])):
                cuts.append(fixed)
                level = fixed
        if levels < 1:
            return []
        sizes = [len(np.unique(x)) for x in cuts]
        return [cuts[i] for i in nearest_sizes(sizes, spread_limits(len(self.values), self.fewest, levels))]

    def level(self, below: Ints, limit: int) -> Ints | None:
        """Return the node of each value at the level above one, with at most so many nodes where that is possible.

        The least general groups are merged first, and those that are equally general together. Where that leaves fewer
        nodes than the limit, slightly more general groups are tried first. None, if nothing can be merged.
        """
        level, too_much, most = below.copy(), list[int](), np.inf
        for general, nodes in self._by_generality:
            if len(np.unique(level)) <= limit or general > most:
                break
            merged = self._merged(level, nodes)
            if len(np.unique(merged)) >= limit:
                level = merged
            elif not too_much:
                too_much, most = nodes, general * FARTHER
        if too_much and len(np.unique(level)) > limit:
            level = self._merged(level, too_much)
        fixed = self._without_ancestors(level)
        return None if fixed is None or np.array_equal(fixed, below) else fixed

    @cached_property
    def _by_generality(self) -> list[tuple[float, list[int]]]:
        """The nodes of several values by how general they are, the least general first."""
        nodes: dict[float, list[int]] = {}
        for node in range(len(self.values), len(self.groups)):
            nodes.setdefault(self.groups[node].generality, []).append(node)
        return sorted(nodes.items())

    def _merged(self, level: Ints, nodes: Sequence[int]) -> Ints:
        """Return a level in which nodes take the place of those below them."""
        level = level.copy()
        for node in nodes:
            own = self._members[node]
            level[own] = np.where(self._sizes[level[own]] > self._sizes[node], level[own], node)
        return level

    @cached_property
    def _members(self) -> list[Ints]:
        return [np.array(sorted(x.members), np.int64) for x in self.groups]

    @cached_property
    def _sizes(self) -> Ints:
        return np.array([len(x.members) for x in self.groups])

    def _without_ancestors(self, level: Ints) -> Ints | None:
        """Return a level in which no concept is above another: such nodes rise until they are in one group.

        None, if that leaves one node, or as many as there are values.
        """
        above, below = self._ancestor_pairs
        while True:
            present = np.zeros(len(self.groups), bool)
            present[level] = True
            inside = np.unique(below[present[above] & present[below]])
            if not inside.size:
                return level if 1 < present.sum() < len(level) else None
            if (self.parent[inside] < 0).any():
                return None
            level = self._merged(level, self.parent[inside].tolist())

    @cached_property
    def _ancestor_pairs(self) -> tuple[Ints, Ints]:
        """Nodes whose concept is above that of another node, or the same, without being above it in the tree."""
        nodes_of: dict[int, list[int]] = {}
        for node, group in enumerate(self.groups):
            if not self._is_lone_kind(node):
                nodes_of.setdefault(group.concept, []).append(node)
        pairs = [
            (above, node)
            for node, group in enumerate(self.groups)
            for c in self.ancestors[group.concept]
            for above in nodes_of.get(c, ())
            if above != node and not group.members <= self.groups[above].members
        ]
        above_below = np.array(pairs, np.int64).reshape(-1, 2)
        return above_below[:, 0], above_below[:, 1]

    def _is_lone_kind(self, node: int) -> bool:
        return node < len(self.values) and bool(self.values.is_kind[node])

    # --- naming the nodes of a level -------------------------------------------------------------------------

    def concepts(self, level: Ints, *, alike: bool) -> Ints:
        """Return the concept of each value at a level; -1, where it stays itself.

        If they are to be alike, a node that is more specific than half of the others takes the most general concept for
        the same values that is not more general than these.
        """
        nodes = np.unique(level).tolist()
        usual = float(np.median([self.groups[x].generality for x in nodes if x >= len(self.values)] or [0.0]))
        chosen = {x: self.groups[x].concept for x in nodes}
        itself = {x for x in nodes if x < len(self.values)}
        for node in nodes if alike else ():
            risen = self._risen(node, usual, chosen)
            if risen is not None:
                chosen[node] = risen
                itself.discard(node)
        return np.array([-1 if x in itself else chosen[x] for x in level.tolist()], np.int64)

    def _risen(self, node: int, usual: float, chosen: dict[int, int]) -> int | None:
        """Return the most general concept for the values of a node that is no more general than usual, if there is one.

        A concept whose words are hardly used must be half as general, and none may be above another of the level.
        """
        group, parent = self.groups[node], int(self.parent[node])
        for x in reversed(group.others):
            below_parent = parent < 0 or self.groups[parent].concept in self.ancestors[x.concept]
            most = usual if is_used(self.values.scope.taxonomy, x.concept) else usual / 2
            if below_parent and group.generality < x.generality <= most:
                others = (c for other, c in chosen.items() if other != node)
                if not any(x.concept in self.ancestors[c] for c in others):
                    return x.concept
        return None


def spread_limits(values: int, fewest: int, levels: int) -> list[int]:
    """Return the number of values of each level below the top: each has the same fraction of the level below it.

    The highest has at least the fewest possible.

    >>> spread_limits(40, 2, 2), spread_limits(40, 17, 2)
    ([13, 4], [27, 17])
    """
    last = max(fewest, int(np.ceil(values ** (1 / (levels + 1)))))
    return [int(np.ceil(values * (last / values) ** (i / levels) - 1e-9)) for i in range(1, levels + 1)]


def nearest_sizes(sizes: Sequence[int], wanted: Sequence[int]) -> list[int]:
    """Return the places of different sizes, in order, that are together nearest to those wanted, by their logarithms.

    >>> nearest_sizes([37, 30, 20, 8], [24, 14, 8]), nearest_sizes([5], [24, 14])
    ([1, 2, 3], [0])
    """
    number = min(len(sizes), len(wanted))
    if not number:
        return []
    aims = np.log([wanted[len(wanted) - number + i] for i in range(number)])
    costs = (np.log(sizes)[None, :] - aims[:, None]) ** 2
    total = np.full((number, len(sizes)), np.inf)
    before = np.zeros((number, len(sizes)), np.int64)
    total[0] = costs[0]
    for i in range(1, number):
        for j in range(i, len(sizes)):
            before[i, j] = int(np.argmin(total[i - 1, :j]))
            total[i, j] = total[i - 1, before[i, j]] + costs[i, j]
    chosen = [int(np.argmin(total[-1]))]
    for i in range(number - 1, 0, -1):
        chosen.append(int(before[i, chosen[-1]]))
    return chosen[::-1]
