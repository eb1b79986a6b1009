"""Dendrograms before and after masking: how clusters of records unite, and which records are in them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from allonym.arrays import Floats, Ints, sum_by
from allonym.measures.clusters import CLUSTERS, WardTree, clusterings, partition_distance
from allonym.records import Pairs


@dataclass(frozen=True)
class Union:
    """Two clusters that unite: where each is, at which height it stands, and the height at which they unite."""

    places: tuple[float, float]  # from 0 to 1, by the records before them
    heights: tuple[float, float]
    height: float  # what the union adds to the squares within clusters, as a share of all squares of the original


@dataclass(frozen=True)
class Dendrogram:
    """The upper part of a tree: clusters in the order in which they are drawn, and their unions, the lowest first."""

    clusters: tuple[tuple[float, ...], ...]  # of each, the share of all records that come from each original cluster
    unions: tuple[Union, ...]


@dataclass(frozen=True)
class Dendrograms:
    """The dendrograms of a table before and after masking, cut into the same number of clusters."""

    number: int
    distance: float  # of the two partitions
    before: Dendrogram
    after: Dendrogram


def dendrograms(pairs: Pairs, clusters: int | str = CLUSTERS, seed: int = 0) -> Dendrograms:
    """Return both dendrograms; clusters after masking come in the order of their records before, if the tree allows."""
    both = clusterings(pairs, seed)
    number = both.number(clusters)
    before, after = both.before.cut(number), both.after.cut(number)
    mass = both.mass / both.mass.sum()
    squares = sum(cost for cost, _, _ in both.before.unions)
    order = -sum_by(before, mass, int(before.max()) + 1)[before]  # the largest clusters first
    original, places = _drawn(both.before, before, before, mass, order, squares)
    masked, _ = _drawn(both.after, after, before, mass, places[before], squares)
    return Dendrograms(number, partition_distance(before, after, both.mass), original, masked)


def _drawn(
    tree: WardTree, labels: Ints, original: Ints, mass: Floats, wish: Floats, squares: float
) -> tuple[Dendrogram, Floats]:
    """Return a tree cut into clusters, and the place of each cluster; records with smaller wishes come first."""
    number = int(labels.max()) + 1
    shares = sum_by(labels, mass, number)
    wishes = sum_by(labels, mass * wish, number) / shares
    nodes = [_Node([c], shares[c], wishes[c]) for c in range(number)]
    cluster_of = np.empty(len(tree.mass), np.int64)
    cluster_of[tree.place] = labels
    node_of = list(range(number))  # of each cluster, what it is united in by now
    for cost, one, other in tree.unions[len(tree.mass) - number :]:
        pair = [node_of[cluster_of[one]], node_of[cluster_of[other]]]
        low, high = sorted(pair, key=lambda node: nodes[node].wish)
        nodes.append(nodes[low].joined(nodes[high], (low, high), cost / squares if squares > 0 else 0.0))
        for cluster in nodes[-1].clusters:
            node_of[cluster] = len(nodes) - 1
    order = nodes[-1].clusters
    ends = np.cumsum([shares[c] for c in order])
    places = np.empty(number)
    places[order] = ends - 0.5 * shares[order]
    middle = list(places)
    unions = []
    for node in nodes[number:]:
        left, right = node.parts
        unions.append(Union((middle[left], middle[right]), (nodes[left].height, nodes[right].height), node.height))
        middle.append(0.5 * (middle[left] + middle[right]))
    table = np.zeros((number, int(original.max()) + 1))
    np.add.at(table, (labels, original), mass)
    return Dendrogram(tuple(tuple(table[c].tolist()) for c in order), tuple(unions)), places


@dataclass(frozen=True)
class _Node:
    clusters: list[int]  # in the order in which they are drawn
    share: float
    wish: float
    parts: tuple[int, int] = (-1, -1)
    height: float = 0.0

    def joined(self, other: _Node, parts: tuple[int, int], height: float) -> _Node:
        share = self.share + other.share
        wish = (self.share * self.wish + other.share * other.wish) / share
        return _Node(self.clusters + other.clusters, share, wish, parts, height)
