"""Groups are merged until each holds what is promised, with the least distance between what is merged."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from allonym.masking.groups import Groups, centre, placed
from allonym.records import Ints, Metric, Records, piece_of_rows


def enough_units(records: Records, groups: Groups, k: int, metrics: Sequence[Metric]) -> Groups:
    """Merge groups until each has rows of at least k units.

    The group with fewest units (the first of equals) joins the one whose centroid is nearest to its own (the first of
    equals), again and again. Without units every row is a person of its own, and nothing is to be done.
    """
    while records.units is not None and len(groups) > 1:
        units = _units_of(records, groups)
        if min(map(len, units)) >= k:
            break
        groups = _merged(records, groups, units, k, metrics)  # where a tuple is split, others of its rows may move
    return groups


def _merged(records: Records, groups: Groups, units: list[set[int]], k: int, metrics: Sequence[Metric]) -> Groups:
    merging = _Merging(records, groups, metrics)
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
    found: list[set[int]] = [set() for _ in range(len(groups))]
    for pair in np.unique(group * width + records.units).tolist():
        found[pair // width].add(pair % width)
    return found


class _Merging:
    """Groups that are being merged, each with its centroid."""

    def __init__(self, records: Records, groups: Groups, metrics: Sequence[Metric]) -> None:
        self.records, self.groups, self.metrics = records, groups, list(metrics)
        self.mass = groups.mass(records)
        self.members = list(groups.members())
        self.alive = np.ones(len(self.members), bool)
        self.centres = np.array([self._centre(pieces) for pieces in self.members], np.int64)

    def _centre(self, pieces: Ints) -> Ints:
        values = centre(self.metrics, self.records.codes[self.groups.source[pieces]].T, self.mass[pieces])
        self.metrics, codes = placed(self.metrics, values)
        return codes

    def nearest(self, one: int) -> int:
        """Return the group whose centroid is nearest to that of another; the first of equals."""
        far = np.zeros(len(self.centres))
        for a, metric in enumerate(self.metrics):
            far += self.records.shares[a] * metric.rows(self.centres[one, a], self.centres[:, a])
        far = np.round(far, 12)
        far[~self.alive] = np.inf
        far[one] = np.inf
        return int(np.argmin(far))

    def merge(self, one: int, target: int) -> None:
        """Let a group join another."""
        self.members[target] = np.sort(np.concatenate([self.members[target], self.members[one]]))
        self.alive[one] = False
        self.centres[target] = self._centre(self.members[target])

    def result(self) -> Groups:
        """Return the groups as they are now."""
        group = np.empty(len(self.groups.group), np.int64)
        for g in np.flatnonzero(self.alive).tolist():
            group[self.members[g]] = g
        return Groups.of(np.stack([self.groups.source, self.groups.share, group], axis=1))
