"""Record fusion (Martínez 2010, §4): groups of equal records take the values of the group most like them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import heappop, heappush

import numpy as np

from allonym.arrays import Floats, Ints
from allonym.compiled import kernels
from allonym.methods.groups import centre, distances, placed, values_of
from allonym.methods.kernels.space import alike, space_of
from allonym.methods.kernels.ties import rounded
from allonym.metric import Metric
from allonym.records import Records

GONE = np.iinfo(np.int64).max  # more rows than any group has
UNGUIDED = ("none", "h1")  # heuristics that draw the target
UNCOMPARED = ("discernibility", "random")  # guides that compare no values
PRINTED = "h1+h2+h3-printed"
Tick = Callable[[int, int], None]


def fusion(
    records: Records,
    metrics: Sequence[Metric],
    k: int,
    rng: np.random.Generator,
    tick: Tick,
    *,
    heuristics: str = "h1+h2+h3",
    guide: str = "similarity",
    new: bool = False,
) -> Ints:
    """Fuse groups of equal records until each has k; return for every tuple the one that stayed of its group.

    A group of the smallest size is fused with the nearest other group (`h1+target`). Of all these, one goes first whose
    nearest group is nearest (`h1+h2`), and of these, one that gives the smallest group (`h1+h2+h3`); ties are drawn. Of
    several groups that are as near, the smallest is taken, and of these the first. Distances that agree to 12 digits
    are ties. With `discernibility` as a guide, the smallest other group is taken; with `random`, any, as without a
    target (`h1`, `none`).

    H3 as printed (eq. 20) takes the minimum over all other groups instead of those that are nearest. That is the same
    for all groups of the smallest size, so that it selects none: `h1+h2+h3-printed` chooses as `h1+h2` does.

    A fused group has the values of the one that stayed. With `new`, it has the centroid of all its records, and is
    compared with other groups from there (Martínez 2010, MDAI §4).
    """
    compared = heuristics not in UNGUIDED and guide not in UNCOMPARED
    heuristics = "h1+h2" if heuristics == PRINTED else heuristics
    if compared and new:
        return CentroidFusing(records, metrics, k, rng, heuristics, guide).run(tick)
    if kernels is None or not compared:
        return Fusing(records, metrics if compared else (), k, rng, heuristics, guide).run(tick)
    space = space_of(metrics, records.shares, records.codes)
    order = alike(metrics, records.shares, records.codes.T)
    return kernels.fusion(space, records.counts, order, k, heuristics, lambda n: int(rng.integers(n)), tick)


class Fusing:
    """Fusion in NumPy: a group is compared with all others; `into` says whose values each tuple has now.

    Without metrics, the best target of a group is the smallest other one.
    """

    def __init__(
        self,
        records: Records,
        metrics: Sequence[Metric],
        k: int,
        rng: np.random.Generator,
        heuristics: str,
        guide: str,
    ) -> None:
        self.sizes = records.counts.astype(np.int64).copy()  # GONE, once a group is gone
        self.columns, self.metrics, self.shares = records.codes.T, metrics, records.shares
        self.k, self.rng, self.heuristics, self.guide = k, rng, heuristics, guide
        self.into = np.arange(len(records))
        self.left, self.small = len(records), int((self.sizes < k).sum())  # groups; those of fewer than k

    def run(self, tick: Tick) -> Ints:
        """Fuse groups, the smallest first, until none is smaller than k."""
        total = self.small
        while self.left > 1 and (smallest := int(self.sizes.min())) < self.k:
            if self.heuristics == "none":
                self.fuse(*self.any_pair(np.flatnonzero(self.sizes < self.k)))
            elif self.heuristics == "h1" or self.guide == "random":
                self.fuse(*self.any_pair(np.flatnonzero(self.sizes == smallest)))
            elif self.heuristics == "h1+target" or self.guide == "discernibility":
                one = self.drawn(np.flatnonzero(self.sizes == smallest))
                self.fuse(one, self.target(self.best(one)[1]))
            else:
                self.level(smallest, lambda: tick(total - self.small, total))
            tick(total - self.small, total)
        tick(total, total)
        while (self.into != self.into[self.into]).any():
            self.into = self.into[self.into]
        return self.into

    def drawn(self, groups: Ints) -> int:
        """Draw one of some groups."""
        return int(groups[self.rng.integers(len(groups))]) if len(groups) > 1 else int(groups[0])

    def any_pair(self, groups: Ints) -> tuple[int, int]:
        """Draw one of some groups, and any other."""
        one = self.drawn(groups)
        others = np.flatnonzero(self.sizes < GONE)
        return one, self.drawn(others[others != one])

    def fuse(self, one: int, other: int) -> None:
        """Let a group take the values of another."""
        before, own = int(self.sizes[other]), int(self.sizes[one])
        self.small -= (own < self.k) + (before < self.k <= before + own)
        self.sizes[other] += own
        self.sizes[one] = GONE
        self.into[one] = other
        self.left -= 1

    def best(self, one: int) -> tuple[float, Ints]:
        """Return how far the groups are that a group may best fuse with, and which these are."""
        if self.metrics:
            point = values_of(self.metrics, self.columns, one)
            far = rounded(distances(self.metrics, self.shares, point, self.columns))
        else:
            far = self.sizes.astype(np.float64)  # 2·|I|·|I'| grows with the other's size alone
        far[self.sizes == GONE] = np.inf
        far[one] = np.inf
        least = float(far.min())
        return least, np.flatnonzero(far == least)

    def target(self, groups: Ints) -> int:
        """Return the smallest of some groups; the first of equals."""
        return int(groups[np.argmin(self.sizes[groups])])

    def level(self, smallest: int, tick: Callable[[], None]) -> None:
        """Fuse all groups of the smallest size: those with the best target first (H2), the least result first (H3).

        The best targets of a group are found anew when all of them are gone.
        """
        by_far: dict[float, dict[int, Ints]] = {}
        waiting: list[float] = []  # a heap of the distances

        def wait(group: int) -> None:
            far, targets = self.best(group)
            if far not in by_far:
                heappush(waiting, far)
            by_far.setdefault(far, {})[group] = targets

        for group in np.flatnonzero(self.sizes == smallest).tolist():
            wait(group)
        while waiting and self.left > 1:
            targets_of = by_far.pop(heappop(waiting))
            groups = np.array(sorted(targets_of), np.int64)
            each = [targets_of[group] for group in groups.tolist()]
            targets, starts = np.concatenate(each), np.cumsum([0, *map(len, each)])[:-1]
            while self.left > 1 and (ready := self.ready(groups, targets, starts, smallest)).size:
                one = self.drawn(ready)
                self.fuse(one, self.target(targets_of[one]))
                tick()
            for group in groups.tolist():
                if self.sizes[group] == smallest and self.left > 1:
                    wait(group)

    def ready(self, groups: Ints, targets: Ints, starts: Ints, smallest: int) -> Ints:
        """Return those of some groups that have a target left; of these, those that give the smallest group (H3).

        The targets of all groups follow each other, those of each from its start on.
        """
        results = np.minimum.reduceat(self.sizes[targets], starts)
        results[self.sizes[groups] != smallest] = GONE
        most = min(int(results.min()), GONE - 1) if self.heuristics == "h1+h2+h3" else GONE - 1
        return groups[results <= most]


class CentroidFusing(Fusing):
    """Fusion towards new values: a fused group lies where the centroid of its records is."""

    def __init__(
        self,
        records: Records,
        metrics: Sequence[Metric],
        k: int,
        rng: np.random.Generator,
        heuristics: str,
        guide: str,
    ) -> None:
        super().__init__(records, metrics, k, rng, heuristics, guide)
        self.original, self.original_metrics, self.mass = records.codes.T, list(metrics), records.mass
        self.columns = records.codes.T.copy()  # of the groups as they are now, by codes of `metrics` as extended
        self.members: dict[int, list[int]] = {group: [group] for group in range(len(records))}
        self.nearest = np.full(len(records), np.nan)  # how far the best targets of a group are, where known
        self.targets: dict[int, Ints] = {}

    def fuse(self, one: int, other: int) -> None:
        """Let two groups take the centroid of all records of both."""
        before = [self.far(group) for group in (one, other)]
        super().fuse(one, other)
        self.members[other] += self.members.pop(one)
        rows = np.array(sorted(self.members[other]))
        values = centre(self.original_metrics, self.original[:, rows], self.mass[rows])
        self.metrics, self.columns[:, other] = placed(self.metrics, values)
        known = self.nearest
        known[(known == before[0]) | (known == before[1]) | (known >= self.far(other))] = np.nan
        known[[one, other]] = np.nan

    def far(self, one: int) -> Floats:
        """Return how far a group is from all others."""
        return rounded(distances(self.metrics, self.shares, values_of(self.metrics, self.columns, one), self.columns))

    def level(self, smallest: int, tick: Callable[[], None]) -> None:
        """Fuse one group of the smallest size: with the best target (H2), with the least result (H3)."""
        groups = np.flatnonzero(self.sizes == smallest)
        for group in groups[np.isnan(self.nearest[groups])].tolist():
            self.nearest[group], self.targets[group] = self.best(group)
        groups = groups[self.nearest[groups] == self.nearest[groups].min()]
        if self.heuristics == "h1+h2+h3":
            results = np.array([self.sizes[self.targets[group]].min() for group in groups.tolist()])
            groups = groups[results == results.min()]
        one = self.drawn(groups)
        self.fuse(one, self.target(self.targets[one]))
        tick()
