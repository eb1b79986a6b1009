"""The hierarchy of the items of a column of sets, as a tree: what each item becomes where it is generalised."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from allonym.arrays import Floats, Ints
from allonym.kinds.concept_metric import ConceptMetric
from allonym.metric import Metric, Value
from allonym.ontology.generality.ceiling import Ceiling
from allonym.ontology.hierarchy_builder.candidates import Values
from allonym.ontology.hierarchy_builder.families import families
from allonym.ontology.hierarchy_builder.levels import Tree
from allonym.ontology.narrower import Narrower, broader

TOP = 0  # the node above all: an item that reaches it is left out

Chain = list[tuple[Hashable, Value]]  # the nodes above an item, from the lowest on: what identifies each, its value


@dataclass(frozen=True, eq=False)
class ItemTree:
    """Nodes, parents before children. The first is the top, which says nothing; the leaves are the items.

    An item that is a concept with others below it is a leaf below that concept. Nodes above the ceiling of the column
    say too little to be written; they only show which items belong together.
    """

    values: tuple[Value, ...]  # of every node; None: it is not written
    parent: Ints  # of every node; -1: the top
    leaf: dict[Value, int]  # the leaf of every item
    ncp: Floats  # of every node: the share of the leaves that it stands for; 0 for a leaf

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def depth(self) -> Ints:
        """How many steps every node is below the top."""
        depth = np.zeros(len(self), np.int64)
        for node in range(1, len(self)):
            depth[node] = depth[self.parent[node]] + 1
        return depth

    @cached_property
    def path(self) -> Ints:
        """For every node its ancestor at each depth, itself included; -1 below it."""
        path = np.full((len(self), int(self.depth.max(initial=0)) + 1), -1, np.int64)
        for node in range(len(self)):
            if node != TOP:
                path[node] = path[self.parent[node]]
            path[node, self.depth[node]] = node
        return path

    @cached_property
    def is_leaf(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Which nodes have none below them."""
        is_leaf = np.ones(len(self), bool)
        is_leaf[self.parent[self.parent >= 0]] = False
        return is_leaf

    def above(self, node: int) -> list[int]:
        """Return a node and those above it that can be written, and the top."""
        path = self.path[node][: self.depth[node] + 1][::-1].tolist()
        return [*(x for x in path if self.values[x] is not None), TOP]


def item_tree(elements: Metric, items: Sequence[Value]) -> ItemTree:
    """Return the tree of some items, which are values of a metric.

    In an ontology that is a tree, or a hierarchy, the concepts above the items are nodes. Where concepts have several
    parents, groups of items under concepts that people know form the tree (`hierarchy_builder`). Of other metrics, the
    levels of their hierarchies do. Items without a concept have one node above them, if others have concepts.
    """
    if not isinstance(elements, ConceptMetric):
        return _tree(items, _chains_of_levels(elements, items))
    linked = [x for x in items if x is not None and not isinstance(x, str)]
    too_general = (elements.ceiling or Ceiling(elements.scope, named=None)).too_general
    taxonomy = elements.scope.taxonomy
    is_tree = taxonomy.is_tree or (taxonomy.steps is not None and elements.scope.root == taxonomy.root)
    of_concepts = _chains_of_tree if is_tree else _chains_of_families
    chains = dict(zip(linked, of_concepts(elements, linked), strict=True))
    written = {x: [(key, None if too_general[c] else c) for key, c in chain] for x, chain in chains.items()}
    unlinked: Chain = [("unlinked", None)]
    leaves = _leaves_below(elements, linked) if taxonomy.steps is not None else None
    return _tree(items, [written.get(x, unlinked) for x in items], leaves)


def _chains_of_levels(metric: Metric, items: Sequence[Value]) -> list[Chain]:
    """Return the nodes above each item by the levels of a metric; a level without a value says nothing."""
    places = {value: code for code, value in enumerate(metric.values)}
    levels = metric.generalisations()
    chains: list[Chain] = []
    for item in items:
        values = [level[places[item]] for level in levels[1:]]
        chains.append([((depth, value), value) for depth, value in enumerate(values) if value is not None])
    return chains


def _chains_of_tree(elements: ConceptMetric, items: Sequence[Value]) -> list[Chain]:
    """Return the concepts at and above each item in an ontology in which each has one parent."""
    taxonomy, root = elements.scope.taxonomy, elements.scope.root
    chains: list[Chain] = []
    for item in items:
        concept, chain = int(broader(item)), Chain()
        while True:
            chain.append((concept, concept))
            parents = taxonomy.parents_of(concept)
            if concept == root or not len(parents):
                break
            concept = int(parents[0])
        chains.append(chain)
    return chains


def _chains_of_families(elements: ConceptMetric, items: Sequence[Value]) -> list[Chain]:
    """Return the groups under known concepts that each item is in, the smallest first."""
    if len(items) < 2:
        return [Chain() for _ in items]
    concepts = np.array([broader(x) for x in items], np.int64)
    is_kind = np.array([isinstance(x, Narrower) for x in items], bool)
    values = Values(concepts, is_kind, elements.scope, elements.measure, elements.depth, broad=True)
    tree = Tree(values, *families(values))
    whole: Chain = [] if tree.all is None else [(-1, tree.all.concept)]
    chains: list[Chain] = []
    for item in range(len(items)):
        chain, node = Chain(), int(tree.parent[item])
        while node >= 0:
            chain.append((node, tree.groups[node].concept))
            node = int(tree.parent[node])
        chains.append(chain + whole)
    return chains


def _leaves_below(elements: ConceptMetric, items: Sequence[Value]) -> Callable[[Hashable], int]:
    """Return how many leaves a hierarchy has below a concept, whether the data have them or not; of others, in all."""
    scope = elements.scope
    narrower = [x.concept for x in items if isinstance(x, Narrower)]

    def leaves(key: Hashable) -> int:
        concept = key if isinstance(key, int) else scope.root
        below = scope.taxonomy.descendants(concept)
        return int(scope.members[scope.taxonomy.leaves(concept)].sum() + np.isin(narrower, below).sum())

    return leaves


def _tree(items: Sequence[Value], chains: Sequence[Chain], leaves: Callable[[Hashable], int] | None = None) -> ItemTree:
    """Return the tree of some chains; a node with as many items as one below it is left out."""
    below = Counter(key for chain in chains for key, _ in chain)
    values: list[Value] = [None]
    parent, number, numbers, leaf = [-1], [len(items)], dict[Hashable, int](), dict[Value, int]()
    for item, chain in zip(items, chains, strict=True):
        least, kept = 1, Chain()
        for key, value in chain:
            if below[key] > least:
                kept.append((key, value))
                least = below[key]
        node = TOP
        for key, value in reversed(kept):
            if key not in numbers:
                numbers[key] = len(values)
                values.append(value)
                parent.append(node)
                number.append(below[key] if leaves is None or not isinstance(key, int) else leaves(key))
            node = numbers[key]
        leaf[item] = len(values)
        values.append(item)
        parent.append(node)
        number.append(0)
    every = len(items) if leaves is None else leaves(None) + sum(isinstance(x, str) for x in items)
    ncp = np.array(number, np.float64) / max(every, 1)
    ncp[TOP] = 1.0
    return ItemTree(tuple(values), np.array(parent, np.int64), leaf, ncp)
