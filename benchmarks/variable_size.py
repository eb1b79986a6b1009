"""Microaggregation with groups of k to 2k - 1 records: V-MDAV and k-Ward, as baselines for SA-MDAV.

Martínez, Sánchez and Valls (2012, §2.5 and §3.1) say of both that they are made for numbers and bound the size of
groups. Here they have semantic distances and semantic centroids, and differ from the methods of the article only in how
they form groups.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from allonym.arrays import Floats, Ints
from allonym.methods.base import GroupingMethod, MethodInfo
from allonym.methods.groups import Groups, centre, distances
from allonym.methods.kernels.ties import rounded
from allonym.parameters import parameter
from allonym.progress import Progress
from allonym.records import Records

Pieces = list[tuple[int, int]]  # tuples, and how many records of each


def table_of_distances(records: Records) -> Floats:
    """Return the distances of all tuples, in units of the last digit that counts."""
    total = np.zeros((len(records), len(records)))
    for attribute, share, codes in zip(records.attributes, records.shares, records.codes.T, strict=True):
        total += share * attribute.metric.distances(codes[:, None], codes)
    return rounded(total)


def taken(far: Floats, left: Ints, number: int) -> Pieces:
    """Take the nearest of the records that are left; equal records are interchangeable."""
    pieces: Pieces = []
    for one in np.argsort(far, kind="stable").tolist():
        if number and left[one]:
            pieces.append((one, min(int(left[one]), number)))
            left[one] -= pieces[-1][1]
            number -= pieces[-1][1]
    return pieces


@dataclass(frozen=True)
class VMDAV(GroupingMethod):
    """V-MDAV (Solanas and Martínez-Ballesté 2006): groups of k records are extended to at most 2k - 1.

    The record farthest from the centroid of the data takes its k - 1 nearest. The nearest of the others joins while it
    is at most gamma times as far from the group as from the rest. The article extends if it is less far; with equal
    records that are left, both distances are 0, and the records belong together (Fig. 2 B of the SA-MDAV article).
    """

    info: ClassVar = MethodInfo("v-mdav", "groups of k to 2k - 1 similar records", splits_tuples=True)
    gamma: float = parameter(1.1, "How much nearer a record is to a group than to the rest.", above=0)

    def partition(self, records: Records, rng: np.random.Generator, tick: Progress) -> Groups:
        """Form groups; the records left over join the group with the nearest centroid."""
        metrics, columns = self.metrics(records), records.codes.T
        values = centre(metrics, columns, records.mass)
        outward = rounded(distances(metrics, records.shares, values, columns))
        apart, left = table_of_distances(records), records.counts.astype(np.int64).copy()
        groups: list[Pieces] = []
        while left.sum() >= self.k:
            first = int(np.argmax(np.where(left > 0, outward, -1.0)))
            groups.append(self._extended(taken(apart[first], left, self.k), apart, left))
        places = [self._centroid(records, group) for group in groups]
        for one in np.flatnonzero(left).tolist():
            far = [rounded(distances(metrics, records.shares, x, columns[:, [one]]))[0] for x in places]
            groups[int(np.argmin(far))].append((one, int(left[one])))
        return Groups.of([(one, share, g) for g, group in enumerate(groups) for one, share in group])

    def _extended(self, group: Pieces, apart: Floats, left: Ints) -> Pieces:
        """Add the nearest records while they are nearer to the group than to the others, up to 2k - 1."""
        room = self.k - 1
        inward = apart[[one for one, _ in group]].min(axis=0)
        while room and left.any():
            one = int(np.argmin(np.where(left > 0, inward, np.inf)))
            others = left > 0
            others[one] = left[one] > 1
            outward = apart[one][others].min(initial=np.inf)
            if inward[one] > self.gamma * outward:
                break
            number = min(int(left[one]), room) if inward[one] == 0 else 1
            group.append((one, number))
            left[one] -= number
            room -= number
            inward = np.minimum(inward, apart[one])
        return group

    def _centroid(self, records: Records, group: Pieces) -> list[object]:
        tuples, shares = (np.array(x) for x in zip(*group, strict=True))
        return centre(self.metrics(records), records.codes.T[:, tuples], shares.astype(np.float64))


@dataclass(frozen=True)
class KWard(GroupingMethod):
    """k-Ward (Domingo-Ferrer and Mateo-Sanz 2002): Ward's method that never unites two groups of k or more.

    The k records nearest to each of the two most distant records are groups at first (of numbers, the k smallest and
    the k largest); all other records are united until each is in a group of k. Groups of 2k or more are then divided.
    Equal records are one cluster from the start, since they unite at no cost; a group of equal records is left whole.
    """

    info: ClassVar = MethodInfo("k-ward", "groups of k to 2k - 1 similar records by Ward's method", splits_tuples=True)

    def partition(self, records: Records, rng: np.random.Generator, tick: Progress) -> Groups:
        """Form groups, and divide those of 2k records or more."""
        apart = table_of_distances(records)
        waiting: list[Pieces] = [[(one, int(count)) for one, count in enumerate(records.counts.tolist())]]
        groups: list[Pieces] = []
        while waiting:
            pieces = waiting.pop()
            if sum(count for _, count in pieces) < 2 * self.k or len(pieces) == 1:
                groups.append(pieces)
            else:
                waiting += self._divided(pieces, apart)
        return Groups.of([(one, share, g) for g, group in enumerate(groups) for one, share in group])

    def _divided(self, pieces: Pieces, apart: Floats) -> list[Pieces]:
        """Return the groups of at least k records that some records form."""
        tuples, left = (np.array(x) for x in zip(*pieces, strict=True))
        far = apart[np.ix_(tuples, tuples)]
        ends = np.unravel_index(int(np.argmax(far)), far.shape)
        clusters = [taken(far[end], left, self.k) for end in ends]
        clusters += [[(one, int(left[one]))] for one in np.flatnonzero(left).tolist()]
        sizes = np.array([sum(count for _, count in cluster) for cluster in clusters], np.float64)
        costs = _ward_costs(clusters, sizes, far / 10.0**12)
        np.fill_diagonal(costs, np.inf)
        while (small := sizes < self.k).any():
            allowed = np.where(small[:, None] | small, costs, np.inf)
            one, other = sorted(np.unravel_index(int(np.argmin(allowed)), costs.shape))
            _unite(costs, sizes, int(one), int(other))
            clusters[one] += clusters[other]
        found = []
        for cluster in (x for x, size in zip(clusters, sizes, strict=True) if size < np.inf):
            places, counts = (np.array(x) for x in zip(*cluster, strict=True))
            rows = np.bincount(places, weights=counts, minlength=len(tuples)).astype(np.int64)
            found.append([(int(tuples[place]), int(rows[place])) for place in np.flatnonzero(rows)])
        return found


def _ward_costs(clusters: list[Pieces], sizes: Floats, far: Floats) -> Floats:
    """Return what unions add to the squares within clusters, Σ nᵢ·nⱼ·d² / n over their pairs."""
    shares = np.zeros((len(clusters), len(far)))
    for number, cluster in enumerate(clusters):
        for place, count in cluster:
            shares[number, place] += count
    between = shares @ far**2 @ shares.T
    within = np.diag(between) / 2 / sizes
    total = (np.diag(between)[:, None] + np.diag(between)) / 2 + between
    return np.asarray(total / (sizes[:, None] + sizes) - within[:, None] - within, np.float64)


def _unite(costs: Floats, sizes: Floats, one: int, other: int) -> None:
    """Let a cluster join another, by the recurrence of Lance and Williams; it is infinitely large afterwards."""
    a, b = sizes[one], sizes[other]
    alive = sizes < np.inf
    rest = sizes[alive]
    joined = ((a + rest) * costs[one, alive] + (b + rest) * costs[other, alive] - rest * costs[one, other]) / (
        a + b + rest
    )
    costs[one, alive] = costs[alive, one] = joined
    costs[one, one] = np.inf
    costs[other], costs[:, other] = np.inf, np.inf
    sizes[one], sizes[other] = a + b, np.inf
