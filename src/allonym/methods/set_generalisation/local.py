"""k-anonymity of sets by local generalisation, from the top down (He and Naughton 2009).

The article: VLDB 2009, §4, doi:10.14778/1687627.1687733. All records begin as one group in which every item is the top.
A node is expanded in a group: its records are distributed by the children of the node that they hold. Those in parts
that are too small stay together with the node as it was; where they are too few for that, records of other parts join
them. The node is taken that gains most NCP; a group that gains nothing by any is done.

What is chosen where the article leaves it open: nodes that divide nobody are expanded first, all at once. The records
that join others are those that gain least, whole tuples, as long as their part may do without them; after these, the
part that gains least.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints, sum_by
from allonym.methods.kernels.ties import DIGITS
from allonym.methods.set_generalisation.forest import Forest
from allonym.methods.set_generalisation.group_check import GroupCheck
from allonym.progress import Progress, no_progress


@dataclass(frozen=True, eq=False)
class SetGroup:
    """Tuples whose sets are written alike: every one of them holds all the nodes, and nothing else."""

    tuples: Ints
    nodes: list[int]


@dataclass(frozen=True, eq=False)
class _Part:
    """A group while it is divided: its tuples, their items, the node of each item, and nodes that stay as they are."""

    tuples: Ints
    items: Ints  # places among the items of all tuples
    nodes: Ints  # of each item
    final: NDArray[np.bool_]  # by node


@dataclass(frozen=True, eq=False)
class _Division:
    """The parts of a group by what the tuples hold below a node, and the part in which the node stays."""

    gain: float
    parts: list[Ints]  # places of tuples in the group
    rest: Ints


class TopDown:
    """Divides groups of tuples by their items."""

    def __init__(self, forest: Forest, mass: Floats, counts: Ints, check: GroupCheck, ties: Ints) -> None:
        self.forest, self.mass, self.counts, self.check, self.ties = forest, mass, counts, check, ties
        self._names = np.random.default_rng(0).integers(0, 2**63, len(forest), np.int64)  # of nodes, to tell sets apart

    def groups(self, classes: Ints, tick: Progress = no_progress) -> Iterator[SetGroup]:
        """Yield the groups of tuples, within classes that may be groups; tuples of class -1 are in none."""
        forest, done = self.forest, 0
        none = np.zeros(len(forest), bool)
        for number in np.unique(classes[classes >= 0]).tolist():
            tuples = np.flatnonzero(classes == number)
            items = forest.items_of(tuples)
            stack = [_Part(tuples, items, forest.tops[items], none)]
            while stack:
                part = self._expanded_alike(stack.pop())
                division = self._best(part)
                if division is None:
                    done += len(part.tuples)
                    tick(done, len(classes))
                    yield SetGroup(part.tuples, np.unique(part.nodes).tolist())
                else:
                    stack += self._divided(part, *division)

    # --- a group ---------------------------------------------------------------------------------------------

    def _expanded_alike(self, part: _Part) -> _Part:
        """Expand the nodes of which all tuples hold the same children, and fix those that no k tuples have alike."""
        while True:
            look = _Look(self, part)
            final = part.final.copy()
            final[look.open_nodes[look.bounds <= 0]] = True
            alike = np.zeros(len(self.forest), bool)
            alike[look.open_nodes[look.sets_of_node == 1]] = True
            if not alike.any():
                return _Part(part.tuples, part.items, part.nodes, final)
            nodes = np.where(alike[part.nodes], look.children, part.nodes)
            part = _Part(part.tuples, part.items, nodes, final)

    def _best(self, part: _Part) -> tuple[int, _Division] | None:
        """Return the node whose expansion gains most, and the parts that it makes; None, if none gains anything."""
        look, best = _Look(self, part), None
        nodes = look.open_nodes
        for place in np.lexsort((self.ties[nodes], -look.bounds)).tolist():
            most = 0.0 if best is None else best[1].gain
            if look.bounds[place] <= most:
                break
            division = self._division(part, look, int(nodes[place]))
            if division is not None and division.gain > most:
                best = int(nodes[place]), division
        return best

    def _division(self, part: _Part, look: _Look, node: int) -> _Division | None:
        """Return the parts that the expansion of a node makes; None, if it makes none that may be a group."""
        below = np.flatnonzero(part.nodes == node)
        holders, gain = look.owners[below], sum_by(look.owners[below], look.gains[below], len(part.tuples))
        children: list[set[int]] = [set() for _ in part.tuples]
        for owner, child in zip(holders.tolist(), look.children[below].tolist(), strict=True):
            children[owner].add(child)
        by_set: dict[frozenset[int], list[int]] = {}
        for owner, held in enumerate(children):
            by_set.setdefault(frozenset(held), []).append(owner)
        every = [np.array(x, np.int64) for x in by_set.values()]
        parts = [x for x in every if self.check.is_met(part.tuples[x])]
        small = [x for x in every if not self.check.is_met(part.tuples[x])]
        balanced = self._balanced(part, parts, np.concatenate([*small, np.zeros(0, np.int64)]), gain)
        if balanced is None:
            return None
        parts, rest = balanced
        return _Division(round(float(sum(gain[x].sum() for x in parts)), DIGITS), parts, rest)

    def _balanced(self, part: _Part, parts: list[Ints], rest: Ints, gain: Floats) -> tuple[list[Ints], Ints] | None:
        """Return the parts, and the rest with as many tuples of them as it needs to be a group; None, if it needs all.

        First, single tuples join it, those with the least gain for each record; then, the part with the least gain.
        """
        parts, rest = list(parts), rest.astype(np.int64)
        if not len(rest) or self.check.is_met(part.tuples[rest]):
            return (parts, rest) if parts else None
        own = [
            (round(float(gain[x] / self.counts[part.tuples[x]]), DIGITS), x, p) for p, y in enumerate(parts) for x in y
        ]
        for _, one, place in sorted(own):
            without = parts[place][parts[place] != one]
            if self.check.is_met(part.tuples[without]):
                parts[place], rest = without, np.append(rest, one)
                if self.check.is_met(part.tuples[rest]):
                    return parts, rest
        while parts:
            least = min(
                range(len(parts)), key=lambda x: (round(float(gain[parts[x]].sum()), DIGITS), int(parts[x].min()))
            )
            rest = np.append(rest, parts.pop(least))
            if self.check.is_met(part.tuples[rest]):
                return (parts, rest) if parts else None
        return None

    def _divided(self, part: _Part, node: int, division: _Division) -> Iterator[_Part]:
        """Yield the parts of a group after a node was expanded, the rest last; there, the node stays."""
        look = _Look(self, part)
        expanded = np.where(part.nodes == node, look.children, part.nodes)
        part_of = np.full(len(part.tuples), len(division.parts), np.int64)
        for number, places in enumerate(division.parts):
            part_of[places] = number
        for number in range(len(division.parts) + bool(len(division.rest))):
            rest = number == len(division.parts)
            items = part_of[look.owners] == number
            final = part.final.copy()
            final[node] |= rest
            nodes = (part.nodes if rest else expanded)[items]
            yield _Part(part.tuples[part_of == number], part.items[items], nodes, final)


class _Look:
    """What the nodes of a group would gain by expansion."""

    def __init__(self, method: TopDown, part: _Part) -> None:
        forest = method.forest
        self.method, self.part = method, part
        self.owners = np.searchsorted(part.tuples, forest.tuples[part.items])  # the place of the tuple of each item
        leaves = forest.leaves[part.items]
        depth = forest.depth[part.nodes]
        last = np.minimum(depth + 1, forest.depth[leaves])
        self.children = forest.path[leaves, last]  # of each item, the next node towards it; a leaf itself
        worth = forest.worth[leaves] * method.mass[forest.tuples[part.items]]
        self.gains = worth * (forest.ncp[part.nodes] - forest.ncp[self.children])
        self._open = (self.children != part.nodes) & ~part.final[part.nodes]

    @cached_property
    def open_nodes(self) -> Ints:
        """The nodes that can be expanded."""
        return np.unique(self.part.nodes[self._open])

    @cached_property
    def _sets(self) -> tuple[Ints, Ints, Floats]:
        """The sets of children that tuples hold of open nodes: the node of each, its records and its gain."""
        some, size = self._open, len(self.part.tuples)
        nodes = np.searchsorted(self.open_nodes, self.part.nodes[some])
        pair = nodes * size + self.owners[some]  # a node and a tuple
        width = len(self.method.forest)
        held = np.unique(pair * width + self.children[some])
        pairs, first = np.unique(held // width, return_index=True)
        names = np.add.reduceat(self.method._names[held % width], first)  # of the set of children; wraps around
        gains = sum_by(np.searchsorted(pairs, pair), self.gains[some], len(pairs))
        keys = np.rec.fromarrays([pairs // size, names])
        which = np.unique(keys, return_inverse=True)[1].ravel()
        number = int(which.max(initial=-1)) + 1
        node = np.zeros(number, np.int64)
        node[which] = pairs // size
        rows = sum_by(which, self.method.counts[self.part.tuples][pairs % size].astype(np.float64), number)
        return node, rows.astype(np.int64), sum_by(which, gains, number)

    @cached_property
    def sets_of_node(self) -> Ints:
        """How many different sets of children the tuples hold of each open node."""
        return np.bincount(self._sets[0], minlength=len(self.open_nodes))

    @cached_property
    def bounds(self) -> Floats:
        """For each open node, a gain that its expansion cannot exceed: of parts with at least k records."""
        if not len(self.open_nodes):
            return np.zeros(0)
        node, rows, gains = self._sets
        enough = rows >= self.method.check.k
        return np.round(sum_by(node[enough], gains[enough], len(self.open_nodes)), DIGITS)
