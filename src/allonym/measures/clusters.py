"""Clustering utility: Ward's clusters before and after masking (Martínez 2010, §5.4)."""

from __future__ import annotations

import numpy as np

from allonym.arrays import Floats, Ints, distinct, sum_by
from allonym.records import Attribute, Pairs

CLUSTERS = 14  # as in Martínez (2010)
MAX_TUPLES = 2500  # beyond, records are drawn


def clustering_distance(pairs: Pairs, clusters: int = CLUSTERS, seed: int = 0) -> float:
    """Return how far the partition of the masked records is from that of the original ones: 0 the same, 1 unrelated.

    Tuples are clustered by Ward's method on the distances of the plan. Of many, some are drawn by the seed.
    """
    pair, _, first = distinct([*pairs.original.T, *pairs.masked.T])
    mass = sum_by(pair, pairs.mass, len(first))
    first, mass = first[mass > 0], mass[mass > 0]
    if len(mass) > MAX_TUPLES:
        rng = np.random.Generator(np.random.Philox(key=seed))
        chosen, row_counts = np.unique(rng.choice(len(mass), size=MAX_TUPLES, p=mass / mass.sum()), return_counts=True)
        first, mass = first[chosen], row_counts.astype(np.float64)
    before, after = (
        profiles(pairs.attributes, pairs.shares, tuples[first], mass, clusters)
        for tuples in (pairs.original, pairs.masked)
    )
    return partition_distance(before, after, mass)


def profiles(attributes: tuple[Attribute, ...], shares: Floats, tuples: Ints, mass: Floats, clusters: int) -> Ints:
    """Return the cluster of every tuple, by Ward's method on the distances of the attributes."""
    place, _, first = distinct(list(tuples.T))
    far = np.zeros((len(first), len(first)))
    for a, attribute in enumerate(attributes):
        values, own = np.unique(tuples[first, a], return_inverse=True)
        table = attribute.metric.distances(values[:, None], values)
        far += shares[a] * table[np.ix_(own.ravel(), own.ravel())]
    return ward(far, sum_by(place, mass, len(first)), clusters)[place]


def ward(distances: Floats, counts: Floats, clusters: int) -> Ints:
    """Cluster points with counts by Ward's method; return the cluster of each, numbered by their first points."""
    size = len(counts)
    parent = np.arange(size)
    for _, one, other in ward_unions(distances, counts)[: max(size - clusters, 0)]:
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
