"""A binary tree over the values of an attribute, by meaning: near and rare values are united first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from allonym.arrays import Floats, Ints, sum_by
from allonym.measures.clusters import ward_unions
from allonym.methods.replacement.allowed_values import CONSENSUS, representative_of
from allonym.records import Records

MAX_STEPS = 4  # down the tree that one split takes
MAX_LEAVES = 256  # of a tree; values beyond that many join the nearest of them beforehand


@dataclass(frozen=True, eq=False)
class Node:
    """Some values of an attribute, and how far each is from what represents them; one that was united has two parts.

    `far` is an estimate while the tree is cut: what is written obeys all rules for rare values.
    """

    codes: Ints
    far: Floats
    mass: float
    parts: tuple[int, ...] | None = None
    null: bool = False  # whether null represents the values


class ValueTree:
    """The nodes of a tree, leaves first, then unions in their order: by the loss that they bring (Ward's method)."""

    def __init__(self, records: Records, a: int, k: int, representative: str) -> None:
        attribute = records.attributes[a]
        self.metric = attribute.metric.with_holders(records.holders(a), k)
        chosen = representative_of(attribute, representative)
        self.representative = "centroid" if chosen == CONSENSUS else chosen
        self.null_costs = records.null_costs[a]
        self.mass = sum_by(records.codes[:, a], records.mass, len(attribute.values))
        used = np.unique(records.codes[:, a])
        leaf_of = self._leaf_of(used)
        self.nodes = [self._node(used[leaf_of == leaf]) for leaf in range(int(leaf_of.max(initial=0)) + 1)]
        self.leaves = len(self.nodes)
        if self.leaves > 1:
            self._unite(used, leaf_of)

    def _leaf_of(self, used: Ints) -> Ints:
        """Return the leaf of each value: its own, or that of the nearest of values that are far apart and frequent."""
        if len(used) <= MAX_LEAVES:
            return np.arange(len(used))
        first = int(np.argmax(self.mass[used]))
        leaf_of, nearest = np.zeros(len(used), np.int64), self.metric.distances(used[first], used)
        for leaf in range(1, MAX_LEAVES):
            chosen = int(np.argmax(self.mass[used] * nearest**2))
            far = self.metric.distances(used[chosen], used)
            leaf_of[far < nearest] = leaf
            leaf_of[chosen] = leaf
            nearest = np.minimum(nearest, far)
        return np.unique(leaf_of, return_inverse=True)[1].ravel()

    def _unite(self, used: Ints, leaf_of: Ints) -> None:
        """Add the unions of leaves, and of what was united before."""
        mass = sum_by(leaf_of, self.mass[used], self.leaves)
        medoids = np.array([node.codes[np.argmax(self.mass[node.codes])] for node in self.nodes], np.int64)
        node_of = np.arange(self.leaves)  # of each leaf
        for _, one, other in ward_unions(self.metric.distances(medoids[:, None], medoids), np.maximum(mass, 1e-9)):
            parts = int(node_of[one]), int(node_of[other])
            codes = np.sort(np.concatenate([self.nodes[part].codes for part in parts]))
            node_of[np.isin(node_of, parts)] = len(self.nodes)
            self.nodes.append(self._node(codes, parts))

    def _node(self, codes: Ints, parts: tuple[int, ...] | None = None) -> Node:
        """Return a node with the distances of its values to what represents them."""
        mass = float(self.mass[codes].sum())
        if len(codes) == 1:
            return Node(codes, np.zeros(1), mass, parts)
        value = getattr(self.metric, self.representative)(codes, self.mass[codes])
        far = self.null_costs if value is None else self.metric.distances_from(value)
        return Node(codes, far[codes], mass, parts, value is None)

    def splits(self, place: int) -> list[tuple[int, ...]]:
        """Return the ways to split a node: into its parts; its heaviest part further, step by step; all null ones.

        A part that null represents says nothing, and the parts of a heavy one may save what it does not.
        """
        parts = self.nodes[place].parts
        if parts is None:
            return []
        ways, cut = [parts], parts
        while len(ways) <= MAX_STEPS and self.nodes[heaviest := max(cut, key=self._mass)].parts is not None:
            cut = self._opened(cut, heaviest)
            ways.append(cut)
        cut = parts
        while empty := [x for x in cut if self.nodes[x].null and self.nodes[x].parts is not None]:
            cut = self._opened(cut, max(empty, key=self._mass))
        return list(dict.fromkeys([*ways, cut]))

    def _mass(self, place: int) -> float:
        return self.nodes[place].mass

    def _opened(self, cut: tuple[int, ...], place: int) -> tuple[int, ...]:
        """Return a cut with the parts of a node in its place."""
        parts = self.nodes[place].parts
        assert parts is not None
        return (*(x for x in cut if x != place), *parts)
