"""SA-MDAV (Martínez, Sánchez and Valls 2012, Algorithm 2): groups of k or more, tuples are never split."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from allonym.arrays import Floats, Ints
from allonym.compiled import kernels
from allonym.methods.groups import Groups, centre, distances, values_of
from allonym.methods.kernels.space import alike, space_of
from allonym.methods.kernels.ties import rounded
from allonym.metric import Metric, Value
from allonym.records import Records

GROWTH = ("plain", "weighted")
Tick = Callable[[int, int], None]


def sa_mdav(
    records: Records,
    metrics: Sequence[Metric],
    k: int,
    tick: Tick,
    *,
    growth: str = "plain",
    static: bool = False,
) -> Groups:
    """Group tuples by SA-MDAV.

    Groups grow from a far tuple by the nearest one until they have k rows; their centroid is computed anew after each,
    or stays the first tuple (`static`). Far is by ω·d. Near is by ω·d too in the paper (`growth="weighted"`), which
    prefers rare tuples to close ones; `plain` leaves ω out there. Tuples that are left over join the group with the
    nearest centroid. Ties go to the tuple that comes first, and to the group that was made first; distances that agree
    to 12 digits are ties.
    """
    weighted = growth == "weighted"
    if kernels is None:
        groups = _Adaptive(records, metrics, k, weighted, static).run(tick)
    else:
        space = space_of(metrics, records.shares, records.codes)
        near, far = (alike(metrics, records.shares, records.codes.T, far=far) for far in (False, True))
        groups = kernels.sa_mdav(space, records.mass, records.counts, near, far, k, weighted, static, tick)
    return Groups.of(np.stack([np.arange(len(records)), records.counts, groups], axis=1))


class _Adaptive:
    """SA-MDAV in NumPy: every tuple that is left is compared each time."""

    def __init__(self, records: Records, metrics: Sequence[Metric], k: int, weighted: bool, static: bool) -> None:
        self.metrics, self.shares, self.k = metrics, records.shares, k
        self.weighted, self.static = weighted, static
        self.columns, self.mass, self.counts = records.codes.T, records.mass, records.counts
        self.left = np.arange(len(records))
        self.group = np.full(len(records), -1, np.int64)
        self.centres: list[list[Value]] = []

    def run(self, tick: Tick) -> Ints:
        """Make groups while k rows are left; then let the rest join. Return the group of every tuple."""
        total = rows = int(self.counts.sum())
        while rows >= self.k:
            middle = centre(self.metrics, self.columns[:, self.left], self.mass[self.left])
            first = self.farthest(middle)
            start = values_of(self.metrics, self.columns, first)
            rows -= self.grow(first)
            if rows >= self.k:
                rows -= self.grow(self.farthest(start))
            tick(total - rows, total)
        if self.left.size:
            self.join()
        tick(total, total)
        return self.group

    def distances(self, point: Sequence[Value]) -> Floats:
        """Return the distances of a point to the tuples that are left."""
        return rounded(distances(self.metrics, self.shares, point, self.columns[:, self.left]))

    def farthest(self, point: Sequence[Value]) -> int:
        """Return the tuple left that is farthest from a point, by ω·d."""
        return int(self.left[np.argmax(self.distances(point) * self.mass[self.left])])

    def nearest(self, point: Sequence[Value]) -> int:
        """Return the tuple left that is nearest to a point, by d or by ω·d."""
        far = self.distances(point)
        return int(self.left[np.argmin(far * self.mass[self.left] if self.weighted else far)])

    def grow(self, one: int) -> int:
        """Make a group around a tuple; return its rows."""
        members, point = [one], values_of(self.metrics, self.columns, one)
        self.take(one)
        while self.counts[members].sum() < self.k:
            one = self.nearest(point)
            members.append(one)
            self.take(one)
            if not self.static:
                point = centre(self.metrics, self.columns[:, members], self.mass[members])
        if self.static and len(members) > 1:
            point = centre(self.metrics, self.columns[:, members], self.mass[members])
        self.centres.append(point)
        return int(self.counts[members].sum())

    def take(self, one: int) -> None:
        """Move a tuple into the group that is being made."""
        self.group[one] = len(self.centres)
        self.left = self.left[self.left != one]

    def join(self) -> None:
        """Let the tuples left join the groups whose centroids are nearest; the first of equals."""
        self.group[self.left] = np.stack([self.distances(point) for point in self.centres]).argmin(axis=0)
