"""Clustering utility: Ward's clusters before and after masking (Martínez 2010, §5.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from allonym.arrays import Floats, Ints, distinct, sum_by
from allonym.errors import OptionError
from allonym.metric import Metric
from allonym.records import Attribute, Pairs

CLUSTERS = 14  # as in Martínez (2010)
AUTO = "auto"  # as many as the variance ratio suggests
MAX_AUTO = 30  # clusters at most, if their number is not given
MAX_TUPLES = 2500  # beyond, records are drawn


def clustering_distance(pairs: Pairs, clusters: int | str = CLUSTERS, seed: int = 0) -> float:
    """Return how far the partition of the masked records is from that of the original ones: 0 the same, 1 unrelated.

    Tuples are clustered by Ward's method on the distances of the plan. Of many, some are drawn by the seed. With
    `auto`, the variance ratio of the original records decides how many clusters both are cut into.
    """
    both = clusterings(pairs, seed)
    number = both.number(clusters)
    return partition_distance(both.before.cut(number), both.after.cut(number), both.mass)


def check_clusters(clusters: int | str) -> None:
    """Refuse a number of clusters that is none."""
    if clusters != AUTO and (not isinstance(clusters, int) or clusters < 2):
        raise OptionError(f"The number of clusters is {clusters}.", hint=f"give a whole number from 2 on, or {AUTO}.")


@dataclass(frozen=True, eq=False)
class Clusterings:
    """The trees of Ward's method before and after masking, over the same pairs of tuples."""

    before: WardTree
    after: WardTree
    mass: Floats  # of every pair

    def number(self, clusters: int | str) -> int:
        """Return how many clusters both trees are cut into."""
        return self.before.suggested if isinstance(clusters, str) else clusters


@dataclass(frozen=True, eq=False)
class WardTree:
    """The unions of different tuples by Ward's method, the cheapest first; a tuple may occur several times."""

    unions: Sequence[tuple[float, int, int]]  # the cost, and a tuple of each of the two clusters
    place: Ints  # for every occurrence, which of the different tuples it is
    mass: Floats  # of the different tuples

    def cut(self, clusters: int) -> Ints:
        """Return the cluster of every occurrence."""
        return united(self.unions, len(self.mass), clusters)[self.place]

    @cached_property
    def variance_ratios(self) -> Floats:
        """Variance between clusters over that within (Caliński and Harabasz 1974), of 2 clusters, 3, …, each one tuple.

        The cost of a union is what it adds to the sum of squares within clusters: Σ nᵢ·nⱼ·d² / n over their pairs.
        """
        size, n = len(self.mass), float(self.mass.sum())
        costs = np.array([cost for cost, _, _ in self.unions])
        within = np.cumsum(costs)[::-1][1:]  # of 2 clusters, 3, …
        numbers = np.arange(2, size)
        between = costs.sum() - within
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray((between / (numbers - 1)) / (within / (n - numbers)), np.float64)

    @property
    def suggested(self) -> int:
        """The smallest number of clusters that one more would not improve, by the variance ratio; at most 30."""
        ratios = self.variance_ratios[: MAX_AUTO - 1]
        if not len(ratios):
            return len(self.mass)
        falls = np.flatnonzero(np.diff(ratios) < 0)
        return int(falls[0] if len(falls) else np.argmax(ratios)) + 2


def clusterings(pairs: Pairs, seed: int = 0) -> Clusterings:
    """Cluster the tuples before and after masking; of many, some are drawn by the seed."""
    pair, _, first = distinct([*pairs.original.T, *pairs.masked.T])
    mass = sum_by(pair, pairs.mass, len(first))
    first, mass = first[mass > 0], mass[mass > 0]
    if len(mass) > MAX_TUPLES:
        rng = np.random.Generator(np.random.Philox(key=seed))
        chosen, row_counts = np.unique(rng.choice(len(mass), size=MAX_TUPLES, p=mass / mass.sum()), return_counts=True)
        first, mass = first[chosen], row_counts.astype(np.float64)
    metrics = [attribute.metric for attribute in pairs.attributes]
    before, after = (
        ward_tree([metrics], pairs.shares, tuples[first], mass) for tuples in (pairs.original, pairs.masked)
    )
    return Clusterings(before, after, mass)


def profiles(attributes: Sequence[Attribute], shares: Floats, tuples: Ints, mass: Floats, clusters: int) -> Ints:
    """Return the cluster of every tuple, by Ward's method on the distances of the attributes."""
    return ward_tree([[attribute.metric for attribute in attributes]], shares, tuples, mass).cut(clusters)


def ward_tree(backgrounds: Sequence[Sequence[Metric]], shares: Floats, tuples: Ints, mass: Floats) -> WardTree:
    """Cluster tuples by Ward's method.

    A background has a metric for each attribute. Of several, the one counts for two values in which they are nearest:
    the knowledge that compares them best (Martínez 2010, CCIA §4).
    """
    place, _, first = distinct(list(tuples.T))
    far = np.zeros((len(first), len(first)))
    for a, metrics in enumerate(zip(*backgrounds, strict=True)):
        values, own = np.unique(tuples[first, a], return_inverse=True)
        table = np.minimum.reduce([metric.distances(values[:, None], values) for metric in metrics])
        far += shares[a] * table[np.ix_(own.ravel(), own.ravel())]
    counts = sum_by(place, mass, len(first))
    return WardTree(ward_unions(far, counts), place, counts)


def ward(distances: Floats, counts: Floats, clusters: int) -> Ints:
    """Cluster points with counts by Ward's method; return the cluster of each, numbered by their first points."""
    return united(ward_unions(distances, counts), len(counts), clusters)


def united(unions: Sequence[tuple[float, int, int]], size: int, clusters: int) -> Ints:
    """Return the cluster of each of some points after the cheapest unions, numbered by their first points."""
    parent = np.arange(size)
    for _, one, other in unions[: max(size - clusters, 0)]:
        parent[_top(parent, other)] = _top(parent, one)
    return distinct([np.array([_top(parent, i) for i in range(size)], np.int64)])[0]


def ward_unions(distances: Floats, counts: Floats) -> list[tuple[float, int, int]]:
    """Return the unions of Ward's method, the cheapest first: the cost, and a point of each of the two clusters.

    The cost of a union starts as nᵢ·nⱼ/(nᵢ+nⱼ)·d² and follows Lance and Williams; chains of nearest neighbours find the
    same unions as always taking the cheapest, since no union brings others nearer.
    """
    size = len(counts)
    counts = counts.astype(np.float64).copy()
    cost = distances**2 * (counts[:, None] * counts / (counts[:, None] + counts))
    np.fill_diagonal(cost, np.inf)
    alive = np.ones(size, bool)
    unions: list[tuple[float, int, int]] = []
    chain: list[int] = []
    while len(unions) < size - 1:
        if not chain:
            chain.append(int(np.argmax(alive)))
        one = chain[-1]
        other = int(np.argmin(cost[one]))
        if len(chain) > 1 and cost[one, chain[-2]] <= cost[one, other]:
            one, other = sorted(chain[-2:])
            del chain[-2:]
            unions.append((float(cost[one, other]), one, other))
            _unite(cost, counts, alive, one, other)
        else:
            chain.append(other)
    return sorted(unions, key=lambda x: x[0])


def _unite(cost: Floats, counts: Floats, alive: np.ndarray, one: int, other: int) -> None:
    """Let a cluster join another, and update what unions with it would cost."""
    a, b, rest = counts[one], counts[other], counts
    with np.errstate(invalid="ignore"):
        new = ((a + rest) * cost[one] + (b + rest) * cost[other] - rest * cost[one, other]) / (a + b + rest)
    alive[other] = False
    new[~alive] = np.inf
    new[one] = np.inf
    cost[one], cost[:, one] = new, new
    cost[other], cost[:, other] = np.inf, np.inf
    counts[one] += counts[other]


def _top(parent: Ints, one: int) -> int:
    """Return the first of the points that were united with one."""
    while parent[one] != one:
        parent[one] = parent[parent[one]]
        one = int(parent[one])
    return one


def partition_distance(one: Ints, other: Ints, mass: Floats) -> float:
    """Return (2·I(A∩B) - I(A) - I(B)) / I(A∩B), with I the mean information of a partition (Martínez 2010, eq. 23).

    >>> halves, quarters = np.array([0, 0, 1, 1]), np.array([0, 1, 2, 3])
    >>> partition_distance(halves, halves, np.ones(4)), partition_distance(halves, quarters, np.ones(4))
    (0.0, 0.5)
    """
    joint = distinct([one, other])[0]
    both, a, b = (_information(labels, mass) for labels in (joint, one, other))
    return (2 * both - a - b) / both if both > 0 else 0.0


def _information(labels: Ints, mass: Floats) -> float:
    shares = np.bincount(labels, weights=mass) / mass.sum()
    shares = shares[shares > 0]
    return float(-(shares * np.log2(shares)).sum())
