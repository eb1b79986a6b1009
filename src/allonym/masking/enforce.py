"""Groups are merged until each holds what is promised, with the least distance between what is merged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from allonym.masking.groups import Groups, centre
from allonym.records import Ints, Masking, Metric, Records, piece_of_rows


def enough_units(records: Records, groups: Groups, k: int, metrics: Sequence[Metric]) -> Groups:
    """Merge groups until each has rows of at least k units.

    The group with fewest units (the first of equals) joins the one whose centroid is nearest to its own (the first of
    equals), again and again. Without units every row is a person of its own, and nothing is to be done.
    """
    while records.units is not None and len(groups) > 1:
        units = _units_of(records, groups)
        if min(map(len, units.values())) >= k:
            break
        groups = _merged(records, groups, units, k, metrics)  # where a tuple is split, others of its rows may move
    return groups


def _merged(records: Records, groups: Groups, units: dict[int, set[int]], k: int, metrics: Sequence[Metric]) -> Groups:
    merging = _Merging(records, groups, metrics)
    while len(units) > 1:
        poorest = min(units, key=lambda g: (len(units[g]), g))
        if len(units[poorest]) >= k:
            break
        target = merging.nearest(poorest)
        merging.merge(poorest, target)
        units[target] |= units.pop(poorest)
    return merging.result()


def _units_of(records: Records, groups: Groups) -> dict[int, set[int]]:
    """Return the units that have a row in each group."""
    assert records.units is not None
    plain = Masking(groups.source, groups.share, groups.group, records.codes[groups.source], records.attributes)
    group = groups.group[piece_of_rows(records, plain)]
    width = int(records.units.max(initial=0)) + 1
    found: dict[int, set[int]] = {g: set() for g in range(len(groups))}
    for pair in np.unique(group * width + records.units).tolist():
        found[pair // width].add(pair % width)
    return found


class _Merging:
    """Groups that are being merged, each with its centroid."""

    def __init__(self, records: Records, groups: Groups, metrics: Sequence[Metric]) -> None:
        self.records, self.groups, self.metrics = records, groups, list(metrics)
        self.mass = groups.mass(records)
        self.members: dict[int, Ints] = dict(enumerate(groups.members()))
        self.centres = np.array([self._centre(pieces) for pieces in self.members.values()], np.int64)

    def _centre(self, pieces: Ints) -> Ints:
        values = centre(self.metrics, self.records.codes[self.groups.source[pieces]], self.mass[pieces])
        self.metrics = [m.extend([v]) for m, v in zip(self.metrics, values, strict=True)]
        return np.array([m.values.index(v) for m, v in zip(self.metrics, values, strict=True)], np.int64)

    def nearest(self, one: int) -> int:
        """Return the group whose centroid is nearest to that of another."""
        others = np.array([g for g in self.members if g != one])
        far = np.zeros(len(others))
        for a, metric in enumerate(self.metrics):
            far += self.records.shares[a] * metric.rows(self.centres[one, a], self.centres[others, a])
        return int(others[np.argmin(np.round(far, 12))])

    def merge(self, one: int, target: int) -> None:
        """Let a group join another."""
        self.members[target] = np.sort(np.concatenate([self.members[target], self.members.pop(one)]))
        self.centres[target] = self._centre(self.members[target])

    def result(self) -> Groups:
        """Return the groups as they are now."""
        group = np.empty(len(self.groups.group), np.int64)
        for g, pieces in self.members.items():
            group[pieces] = g
        merged = replace(self.groups, group=group)
        return Groups.of(list(zip(merged.source.tolist(), merged.share.tolist(), group.tolist(), strict=True)))
