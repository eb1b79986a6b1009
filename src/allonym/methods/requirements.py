"""Groups are merged until each holds what is demanded of sensitive columns, with the least loss."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from allonym.arrays import Floats, Ints, count_by, distinct
from allonym.methods.enforce import Merging, enough_units
from allonym.methods.groups import Groups
from allonym.methods.kernels.ties import DIGITS
from allonym.metric import Metric
from allonym.privacy.base import TOLERANCE
from allonym.privacy.counts import SensitiveCounts
from allonym.privacy.requirements import RequirementCheck
from allonym.records import Attribute, Records, piece_of_rows

Keys = tuple[Ints, Ints]  # numbers, and how often each comes
MAX_BATCH = 256  # groups that are looked at together
Look = Callable[[Groups], tuple[Ints, tuple[Attribute, ...]]]  # the codes that every piece takes


def enforced(
    records: Records,
    groups: Groups,
    k: int,
    metrics: Sequence[Metric],
    look: Look,
    tick: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[Groups, Ints, tuple[Attribute, ...]]:
    """Merge groups until each has k units, and what is demanded; return them with what stands for them.

    Groups for which the same stands are one. The largest group that lacks something (the first of equals) joins
    another, again and again: the one for which squared distances grow least, of those together with which it
    lacks nothing; if there is none, of those with which it lacks less. One group of all holds whatever can be held.
    The group of suppressed records joins no other.
    """
    while True:
        groups = enough_units(records, groups, k, metrics)
        codes, attributes = look(groups)
        if records.sensitive is None or not records.sensitive.requirements:
            return groups, codes, attributes
        alike, _, first = distinct(list(codes.T))
        pieces = np.stack([groups.source, groups.share, groups.group[first][alike]], axis=1)
        merged = Groups.of(pieces, _merged_number(groups, pieces[:, 2]))
        merged = _Enforcing(records, merged, metrics).run(tick)
        if len(merged) == len(groups):
            return groups, codes, attributes
        groups = merged  # representatives are new; and of a tuple that is split, other rows may have moved


def _merged_number(groups: Groups, merged: Ints) -> int | None:
    """Return the number of the suppressed group after some groups were merged; `merged` has those of all pieces."""
    return None if groups.suppressed is None else int(merged[np.argmax(groups.group == groups.suppressed)])


class _Enforcing:
    """Groups that are being merged, with what each holds of the columns that something is demanded of."""

    def __init__(self, records: Records, groups: Groups, metrics: Sequence[Metric]) -> None:
        assert records.sensitive is not None
        self.records, self.groups, self.sensitive = records, groups, records.sensitive
        self.requirement_check = RequirementCheck(records.sensitive, records.units)
        self.width = 1 if records.units is None else int(records.units.max()) + 1
        self.merging = Merging(records, groups, metrics)
        self.sizes = np.bincount(groups.group, weights=groups.share)
        rows = groups.group[piece_of_rows(records, groups.source, groups.share)]
        self.held = [self._held(rows, codes) for codes in self.sensitive.codes]
        self.lacks = np.zeros(len(groups))
        for requirement in self.sensitive.requirements:
            codes = self.sensitive.codes[requirement.column]
            held = SensitiveCounts.of(rows, codes, self.sensitive.each(requirement.column), records.units)
            self.lacks += self.requirement_check.lacking(requirement, held)
        if groups.suppressed is not None:
            self.lacks[groups.suppressed] = 0.0

    def _held(self, rows: Ints, codes: Ints) -> list[Keys]:
        """Return the values that each group holds, or the values of its persons, and how often."""
        keys = codes if self.records.units is None else codes * self.width + self.records.units
        number, counts, first = distinct([rows, keys])
        if self.sensitive.row_counts is not None:
            counts = count_by(number, len(first), self.sensitive.row_counts)
        starts = np.searchsorted(rows[first], np.arange(len(self.groups) + 1))
        return [(keys[first[a:b]], counts[a:b]) for a, b in pairwise(starts.tolist())]

    def together(self, one: int, others: Sequence[int]) -> Floats:
        """Return what a group would lack if it were one with each of some others."""
        lacks = np.zeros(len(others))
        for requirement in self.sensitive.requirements:
            held = self.held[requirement.column]
            mine, mine_counts = held[one]
            each = [len(mine) + len(held[other][0]) for other in others]
            keys = np.concatenate([x for other in others for x in (mine, held[other][0])])
            counts = np.concatenate([x for other in others for x in (mine_counts, held[other][1])])
            groups = np.repeat(np.arange(len(others)), each)
            units = None if self.records.units is None else keys % self.width
            merged = SensitiveCounts.of(groups, keys // self.width, counts.astype(np.float64), units)
            lacks += self.requirement_check.lacking(requirement, merged)
        return lacks

    def run(self, tick: Callable[[int, int], None]) -> Groups:
        """Merge until nothing is lacking, or all is one."""
        total = int((self.lacks > 0).sum())
        while self.merging.alive.sum() > 1 and (lacking := int((self.lacks > 0).sum())):
            tick(total - lacking, total)
            one = int(np.argmax(np.where(self.lacks > 0, self.sizes, 0)))
            target, lacks = self.partner(one)
            self.merging.merge(one, target)
            for column in self.held:
                column[target] = _joined(column[one], column[target])
            self.sizes[target] += self.sizes[one]
            self.lacks[target], self.lacks[one] = lacks, 0.0
        return self.merging.result()

    def partner(self, one: int) -> tuple[int, float]:
        """Return the group to join, and what both lack: the cheapest with which nothing is lacking, or less; or any."""
        order = np.argsort(np.round(self.merging.costs(one), DIGITS), kind="stable")[: self.merging.alive.sum() - 1]
        better: tuple[int, float] | None = None
        first: tuple[int, float] | None = None
        low, some = 0, 1
        while low < len(order):
            part = order[low : low + some].tolist()
            lacks = self.together(one, part)
            first = first or (part[0], float(lacks[0]))
            if (lacks == 0).any():
                return part[int(np.argmax(lacks == 0))], 0.0
            less = lacks < self.lacks[one] - TOLERANCE
            if better is None and less.any():
                better = part[int(np.argmax(less))], float(lacks[np.argmax(less)])
            low, some = low + some, min(some * 4, MAX_BATCH)
        assert first is not None
        return better or first


def _joined(one: Keys, other: Keys) -> Keys:
    """Return what is held by two groups."""
    keys, place = np.unique(np.concatenate([one[0], other[0]]), return_inverse=True)
    return keys, np.bincount(place, weights=np.concatenate([one[1], other[1]])).astype(np.int64)
