"""SA-MDAV (Martínez, Sánchez and Valls 2012, Algorithm 2): groups of k or more, tuples are never split."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from allonym.arrays import Floats, Ints
from allonym.methods.groups import Groups, centre
from allonym.methods.kernels.nearest import Aim, Farthest, Nearest, Points
from allonym.metric import Metric, Value
from allonym.records import Records

GROWTH = ("plain", "weighted")
MAX_CACHED_SIZE = 8  # tuples of a group whose centroids are kept
MAX_CACHED_CENTROIDS = 200_000  # centroids that are kept


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
    """The state of a run: which tuples are left, and the groups made so far."""

    def __init__(self, records: Records, metrics: Sequence[Metric], k: int, weighted: bool, static: bool) -> None:
        self.metrics, self.shares, self.k = metrics, records.shares, k
        self.weighted, self.static = weighted, static
        self.columns = np.ascontiguousarray(records.codes.T)
        self.mass, self.counts = records.mass, records.counts
        self.points = Points(metrics, records.shares, self.columns)
        self.near, self.far = Nearest(self.points, self.mass), Farthest(self.points, self.mass)
        self.middle_left = RunningCentroid(self.points, self.columns, self.mass)
        self.aim: Aim | None = None  # from the centroid of all left
        self.rows, self.tuples = records.n, len(records)  # left
        self.pieces: list[tuple[int, int, int]] = []
        self.centres: list[list[Value]] = []
        self._known: dict[tuple[int, tuple[int, ...], tuple[float, ...]], Value] = {}

    def run(self, tick: Callable[[int, int], None]) -> Groups:
        """Make groups while k rows are left; then let the rest join."""
        total = self.rows
        while self.rows >= self.k:
            r = self.farthest_of_all()
            start = self.points.values(r)
            self.grow(r)
            if self.rows >= self.k:
                self.grow(Aim(self.far, start).farthest())
            tick(total - self.rows, total)
        self.join()
        tick(total, total)
        return Groups.of(self.pieces)

    def farthest_of_all(self) -> int:
        """Return the tuple left that is farthest from the centroid of those left, by ω·d."""
        middle = self.middle_left.value()
        if self.aim is None or self.aim.point != middle or self.aim.order is not self.far.order:
            self.aim = Aim(self.far, middle)
        return self.aim.farthest()

    def grow(self, one: int) -> None:
        """Make a group around a tuple."""
        members, rows, point = [one], self.take(one), self.points.values(one)
        while rows < self.k:
            one = self.near.nearest(point, self.weighted)
            members.append(one)
            rows += self.take(one)
            if not self.static:
                point = self.middle(members)
        self.centres.append(self.middle(members) if self.static and len(members) > 1 else point)

    def middle(self, members: list[int]) -> list[Value]:
        """Return the centroid of some tuples; of few, the same come again and again in an attribute."""
        columns, mass = self.columns[:, members], self.mass[members]
        if len(members) > MAX_CACHED_SIZE:
            return centre(self.metrics, columns, mass)
        centroids, weights = [], tuple(mass.tolist())
        if len(self._known) > MAX_CACHED_CENTROIDS:
            self._known.clear()
        for a, codes in enumerate(columns.tolist()):
            key = a, tuple(codes), weights
            if key not in self._known:
                self._known[key] = self.metrics[a].centroid(columns[a], mass)
            centroids.append(self._known[key])
        return centroids

    def take(self, one: int) -> int:
        """Move a tuple into the group that is being made; return its rows."""
        rows = int(self.counts[one])
        self.pieces.append((one, rows, len(self.centres)))
        self.near.remove(one)
        self.far.remove(one)
        self.middle_left.remove(one)
        self.rows -= rows
        self.tuples -= 1
        return rows

    def join(self) -> None:
        """Let the tuples left join the groups whose centroids are nearest; the first of equals."""
        left = self.middle_left.left()
        if left.size:
            near = to_points(self.metrics, self.shares, self.centres, self.columns[:, left]).argmin(axis=0)
            for one, group in zip(left.tolist(), near.tolist(), strict=True):
                self.pieces.append((one, int(self.counts[one]), group))


class RunningCentroid:
    """The centroid of the tuples left, from what every code counts; that is updated as tuples go.

    Sums of whole numbers are exact in any order. Survey weights are added up anew each time.
    """

    def __init__(self, points: Points, columns: Ints, mass: Floats) -> None:
        self.points, self.columns, self.mass = points, columns, mass
        self.gone = np.zeros(len(mass), bool)
        self.latest: list[int] = []  # gone, but counted still
        self.whole = bool(((mass == np.round(mass)) & (mass > 0)).all()) and float(mass.sum()) < 2**53
        size = sum(len(metric.values) for metric in points.metrics)
        codes = points.codes.ravel()
        self.total = np.bincount(codes, weights=np.tile(mass, len(columns)), minlength=size)
        self.tuples = np.bincount(codes, minlength=size)
        ends = points.offsets[1:]
        self.parts: list[tuple[Metric, Floats, Ints]] = list(
            zip(points.metrics, np.split(self.total, ends), np.split(self.tuples, ends), strict=True)
        )

    def remove(self, one: int) -> None:
        """Leave a tuple out from now on."""
        self.gone[one] = True
        self.latest.append(one)

    def left(self) -> Ints:
        """Return the tuples left."""
        return np.flatnonzero(~self.gone)

    def value(self) -> list[Value]:
        """Return the centroid."""
        if not self.whole:
            return centre(self.points.metrics, self.columns[:, ~self.gone], self.mass[~self.gone])
        codes = self.points.codes[:, self.latest].ravel()
        weights = np.tile(self.mass[self.latest], len(self.parts))
        self.total -= np.bincount(codes, weights, len(self.total))
        self.tuples -= np.bincount(codes, minlength=len(self.tuples))
        self.latest.clear()
        values = []
        for metric, total, tuples in self.parts:
            used = tuples.nonzero()[0]
            values.append(metric.centroid(used, total[used]))
        return values


def to_points(metrics: Sequence[Metric], shares: Floats, points: Sequence[Sequence[Value]], columns: Ints) -> Floats:
    """Return the distances of points, row by row, to tuples of codes, given attribute by attribute."""
    far = np.zeros((len(points), columns.shape[1]))
    for metric, share, values, codes in zip(metrics, shares, zip(*points, strict=True), columns, strict=True):
        places = {value: i for i, value in enumerate(dict.fromkeys(values))}
        rows = np.stack([share * metric.distances_from(value)[codes] for value in places])
        far += rows[[places[value] for value in values]]
    return far
