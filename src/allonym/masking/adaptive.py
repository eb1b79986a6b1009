"""Microaggregation with groups of any size from k on: tuples are never split (P1 Algorithm 2, SA-MDAV)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from allonym.masking.groups import Groups, centre, placed
from allonym.masking.microaggregation import DIGITS, tie_order
from allonym.records import Floats, Ints, Metric, Records

GROWTH = ("weighted", "plain")


def sa_mdav(
    records: Records,
    metrics: Sequence[Metric],
    k: int,
    rng: np.random.Generator,
    tick: Callable[[int, int], None],
    *,
    growth: str = "weighted",
    static: bool = False,
) -> Groups:
    """Group tuples by SA-MDAV.

    Groups grow from a far tuple by the nearest one until they have k rows; their centroid is taken anew after each, or
    stays the first tuple (`static`). Far is by ω·d. Near is by ω·d too in the paper (`growth="weighted"`), which
    prefers rare tuples to close ones; `plain` leaves ω out there. What is left over joins the group with the nearest
    centroid, as it was. Ties go to the tuple that would come first if the rows were shuffled by the seed.
    """
    run = _Adaptive(records, metrics, k, tie_order(records, rng), growth == "weighted", static)
    return run.run(tick)


class _Adaptive:
    """The state of a run: the tuples that are left, in the drawn order."""

    def __init__(
        self, records: Records, metrics: Sequence[Metric], k: int, order: Ints, weighted: bool, static: bool
    ) -> None:
        self.source = order
        self.codes = np.ascontiguousarray(records.codes[order].T)  # attribute by attribute
        self.mass, self.counts = records.mass[order], records.counts[order]
        self.metrics, self.shares, self.k = list(metrics), records.shares, k
        self.weighted, self.static = weighted, static
        self.pieces: list[tuple[int, int, int]] = []
        self.centres: list[Ints] = []

    def run(self, tick: Callable[[int, int], None]) -> Groups:
        """Make groups while k rows are left; then let the rest join."""
        total = int(self.counts.sum())
        while self.counts.sum() >= self.k:
            middle = self.point(self.codes, self.mass)
            r = self.farthest(middle)
            start = self.codes[:, r].copy()
            self.grow(r)
            if self.counts.sum() >= self.k:
                self.grow(self.farthest(start))
            tick(total - int(self.counts.sum()), total)
        self.join()
        tick(total, total)
        return Groups.of(self.pieces)

    def point(self, codes: Ints, mass: Floats) -> Ints:
        """Return the centroid of some tuples as a tuple of codes."""
        self.metrics, found = placed(self.metrics, centre(self.metrics, codes.T, mass))
        return found

    def distances(self, point: Ints, codes: Ints) -> Floats:
        """Return the distances of a tuple to others."""
        far = np.zeros(codes.shape[1])
        for a, metric in enumerate(self.metrics):
            far += self.shares[a] * metric.rows(point[a], codes[a])
        return far

    def farthest(self, point: Ints) -> int:
        """Return the tuple left that is farthest from a point, by ω·d."""
        return int(np.argmax(np.round(self.mass * self.distances(point, self.codes), DIGITS)))

    def nearest(self, point: Ints) -> int:
        """Return the tuple left that is nearest to a point."""
        far = self.distances(point, self.codes)
        return int(np.argmin(np.round(self.mass * far if self.weighted else far, DIGITS)))

    def grow(self, one: int) -> None:
        """Make a group around a tuple."""
        codes, mass = self.codes[:, [one]], self.mass[[one]]
        point = codes[:, 0]
        rows = self.take(one)
        while rows < self.k:
            one = self.nearest(point)
            codes = np.concatenate([codes, self.codes[:, [one]]], axis=1)
            mass = np.append(mass, self.mass[one])
            rows += self.take(one)
            if not self.static:
                point = self.point(codes, mass)
        self.centres.append(self.point(codes, mass))

    def take(self, one: int) -> int:
        """Move a tuple into the group that is being made; return its rows."""
        rows = int(self.counts[one])
        self.pieces.append((int(self.source[one]), rows, len(self.centres)))
        self.source, self.counts = np.delete(self.source, one), np.delete(self.counts, one)
        self.mass, self.codes = np.delete(self.mass, one), np.delete(self.codes, one, axis=1)
        return rows

    def join(self) -> None:
        """Let the tuples left join the groups whose centroids are nearest; the first of equals."""
        centres = np.stack(self.centres, axis=1)
        for i, rows in enumerate(self.counts.tolist()):
            near = int(np.argmin(np.round(self.distances(self.codes[:, i], centres), DIGITS)))
            self.pieces.append((int(self.source[i]), rows, near))
