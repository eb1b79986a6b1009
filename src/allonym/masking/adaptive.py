"""Microaggregation with groups of any size from k on: tuples are never split (P1 Algorithm 2, SA-MDAV)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from allonym.masking.groups import Groups, centre, distances, values_of
from allonym.records import Floats, Metric, Records, Value

GROWTH = ("plain", "weighted")


def sa_mdav(
    records: Records,
    metrics: Sequence[Metric],
    k: int,
    tick: Callable[[int, int], None],
    *,
    growth: str = "plain",
    static: bool = False,
) -> Groups:
    """Group tuples by SA-MDAV.

    Groups grow from a far tuple by the nearest one until they have k rows; their centroid is taken anew after each, or
    stays the first tuple (`static`). Far is by ω·d. Near is by ω·d too in the paper (`growth="weighted"`), which
    prefers rare tuples to close ones; `plain` leaves ω out there. What is left over joins the group with the nearest
    centroid, as it was. Ties go to the tuple that comes first by its texts, and to the group that was made first.
    """
    return _Adaptive(records, metrics, k, growth == "weighted", static).run(tick)


class _Adaptive:
    """The state of a run: the tuples, and which of them are taken. Now and then those that are taken are cleared."""

    def __init__(self, records: Records, metrics: Sequence[Metric], k: int, weighted: bool, static: bool) -> None:
        self.metrics, self.shares, self.k = metrics, records.shares, k
        self.weighted, self.static = weighted, static
        self.source = np.arange(len(records))
        self.columns = np.ascontiguousarray(records.codes.T)
        self.mass, self.counts = records.mass, records.counts
        self.taken = np.zeros(len(records), bool)
        self.rows, self.tuples = records.n, len(records)  # left
        self.pieces: list[tuple[int, int, int]] = []
        self.centres: list[list[Value]] = []

    def run(self, tick: Callable[[int, int], None]) -> Groups:
        """Make groups while k rows are left; then let the rest join."""
        total = self.rows
        while self.rows >= self.k:
            left = ~self.taken
            r = self.farthest(centre(self.metrics, self.columns[:, left], self.mass[left]))
            start = self.values(r)
            self.grow(r)
            if self.rows >= self.k:
                self.grow(self.farthest(start))
            if self.tuples * 2 < len(self.source):
                self.clear()
            tick(total - self.rows, total)
        self.clear()
        self.join()
        tick(total, total)
        return Groups.of(self.pieces)

    def clear(self) -> None:
        """Forget the tuples that are taken."""
        left = ~self.taken
        self.source, self.columns = self.source[left], self.columns[:, left]
        self.mass, self.counts = self.mass[left], self.counts[left]
        self.taken = np.zeros(len(self.source), bool)

    def values(self, one: int) -> list[Value]:
        """Return the values of a tuple."""
        return values_of(self.metrics, self.columns, one)

    def distances(self, point: list[Value]) -> Floats:
        """Return the distances of some values to the tuples."""
        return distances(self.metrics, self.shares, point, self.columns)

    def farthest(self, point: list[Value]) -> int:
        """Return the tuple left that is farthest from a point, by ω·d."""
        far = self.mass * self.distances(point)
        far[self.taken] = -np.inf
        return int(far.argmax())

    def nearest(self, point: list[Value]) -> int:
        """Return the tuple left that is nearest to a point."""
        far = self.distances(point)
        if self.weighted:
            far *= self.mass
        far[self.taken] = np.inf
        return int(far.argmin())

    def grow(self, one: int) -> None:
        """Make a group around a tuple."""
        members, rows, point = [one], self.take(one), self.values(one)
        while rows < self.k:
            one = self.nearest(point)
            members.append(one)
            rows += self.take(one)
            if not self.static:
                point = self.middle(members)
        self.centres.append(self.middle(members) if self.static and len(members) > 1 else point)

    def middle(self, members: list[int]) -> list[Value]:
        """Return the centroid of some tuples."""
        return centre(self.metrics, self.columns[:, members], self.mass[members])

    def take(self, one: int) -> int:
        """Move a tuple into the group that is being made; return its rows."""
        rows = int(self.counts[one])
        self.pieces.append((int(self.source[one]), rows, len(self.centres)))
        self.taken[one] = True
        self.rows -= rows
        self.tuples -= 1
        return rows

    def join(self) -> None:
        """Let the tuples left join the groups whose centroids are nearest; the first of equals."""
        if self.tuples:
            far = np.stack([self.distances(point) for point in self.centres])
            for source, rows, near in zip(self.source, self.counts, far.argmin(axis=0), strict=True):
                self.pieces.append((int(source), int(rows), int(near)))
