"""Groups are merged until each holds what is promised, with the least distance between what is merged."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from allonym.arrays import Floats, Ints, sum_by
from allonym.methods.groups import Groups, centre, placed
from allonym.metric import Metric
from allonym.records import Records, piece_of_rows


def enough_units(records: Records, groups: Groups, k: int, metrics: Sequence[Metric]) -> Groups:
    """Merge groups until each has rows of at least k units.

    The group with fewest units (the first of equals) joins the one whose centroid is nearest to its own (the first of
    equals), again and again. Without units every row is a person of its own, and nothing is to be done. The group of
    suppressed records stays as it is.
    """
    while records.units is not None and len(groups) - (groups.suppressed is not None) > 1:
        units = _units_of(records, groups)
        if min((len(x) for g, x in enumerate(units) if g != groups.suppressed), default=k) >= k:
            break
        groups = _merged(records, groups, units, k, metrics)  # where a tuple is split, others of its rows may move
    return groups


def _merged(records: Records, groups: Groups, units: list[set[int]], k: int, metrics: Sequence[Metric]) -> Groups:
    merging = Merging(records, groups, metrics)
    sizes = np.array([len(x) for x in units])
    while merging.alive.sum() > 1:
        poorest = int(np.argmin(np.where(merging.alive, sizes, np.iinfo(np.int64).max)))
        if sizes[poorest] >= k:
            break
        target = merging.nearest(poorest)
        merging.merge(poorest, target)
        units[target] |= units[poorest]
        sizes[target] = len(units[target])
    return merging.result()


def _units_of(records: Records, groups: Groups) -> list[set[int]]:
    """Return the units that have a row in each group."""
    assert records.units is not None
    group = groups.group[piece_of_rows(records, groups.source, groups.share)]
    width = int(records.units.max(initial=0)) + 1
    units: list[set[int]] = [set() for _ in range(len(groups))]
    for pair in np.unique(group * width + records.units).tolist():
        units[pair // width].add(pair % width)
    return units


class Merging:
    """Groups that are being merged, each with its centroid."""

    def __init__(self, records: Records, groups: Groups, metrics: Sequence[Metric]) -> None:
        self.records, self.groups, self.metrics = records, groups, list(metrics)
        self.columns = records.codes[groups.source].T
        self.mass = groups.mass(records)
        self.group = groups.group.copy()  # of every piece
        self.members = list(groups.members())
        self.alive = np.ones(len(self.members), bool)
        if groups.suppressed is not None:
            self.alive[groups.suppressed] = False  # it neither joins a group nor is joined
        self.centres = np.array([self._centre(pieces) for pieces in self.members], np.int64)

    def _centre(self, pieces: Ints) -> Ints:
        values = centre(self.metrics, self.columns[:, pieces], self.mass[pieces])
        self.metrics, codes = placed(self.metrics, values)
        return codes

    def _far(self, one: Ints, columns: Ints) -> Floats:
        """Return how far tuples of codes, given attribute by attribute, are from others."""
        parts = zip(self.records.shares, self.metrics, one, columns, strict=True)
        return sum((share * metric.distances(a, b) for share, metric, a, b in parts), start=np.zeros(()))

    def nearest(self, one: int) -> int:
        """Return the group whose centroid is nearest to that of another; the first of equals."""
        return int(np.argmin(self._others(one, np.round(self._far(self.centres[one], self.centres.T), 12))))

    def costs(self, one: int) -> Floats:
        """Return how much Σ ω·d² to centroids would grow if a group joined each other, and took over its centroid.

        Or the other took over the group's, if that is less.
        """
        own = self.members[one]
        goes = self.mass[own] @ self._far(self.columns[:, own, None], self.centres.T[:, None]) ** 2
        comes = self.mass * self._far(self.centres[one], self.columns) ** 2
        costs = np.minimum(goes - self.spread[one], sum_by(self.group, comes, len(self.spread)) - self.spread)
        return self._others(one, costs)

    def _others(self, one: int, costs: Floats) -> Floats:
        """Leave a group out, and those that are gone."""
        costs[~self.alive] = np.inf
        costs[one] = np.inf
        return costs

    @cached_property
    def spread(self) -> Floats:
        """Σ ω·d² of each group to its centroid."""
        far = self._far(self.centres[self.group].T, self.columns)
        return sum_by(self.group, self.mass * far**2, len(self.members))

    def merge(self, one: int, target: int) -> None:
        """Let a group join another."""
        pieces = np.sort(np.concatenate([self.members[target], self.members[one]]))
        self.members[target], self.group[pieces] = pieces, target
        self.alive[one] = False
        self.centres[target] = self._centre(pieces)
        if "spread" in self.__dict__:
            far = self._far(self.centres[target], self.columns[:, pieces])
            self.spread[target], self.spread[one] = self.mass[pieces] @ far**2, 0.0

    def result(self) -> Groups:
        """Return the groups as they are now."""
        pieces = np.stack([self.groups.source, self.groups.share, self.group], axis=1)
        return Groups.of(pieces, self.groups.suppressed)
