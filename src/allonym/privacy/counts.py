"""How often each group of a release holds each value of a sensitive column."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from allonym.arrays import Floats, Ints, distinct, sum_by
from allonym.records import Pairs

MAX_CELLS = 4_000_000  # groups × values in memory at a time


@dataclass(frozen=True, eq=False)
class SensitiveCounts:
    """Counts of a sensitive column: entry i says how often (`counts[i]`) a group holds a value.

    Groups are numbered without gaps. Where there are units, a person's value counts once in a group. Null is a value
    like any other.
    """

    groups: Ints
    values: Ints
    counts: Floats
    number: int  # of groups

    @classmethod
    def of(cls, groups: Ints, values: Ints, counts: Floats, units: Ints | None = None) -> SensitiveCounts:
        """Count the values of some rows, given by group, value, number of rows and person."""
        groups = np.unique(groups, return_inverse=True)[1].astype(np.int64)
        if units is not None and groups.size:
            _, _, first = distinct([groups, values, units])
            groups, values, counts = groups[first], values[first], np.ones(len(first))
        if not groups.size:
            return cls(groups, values, counts, 0)
        number, _, first = distinct([groups, values])
        return cls(groups[first], values[first], sum_by(number, counts, len(first)), int(groups.max()) + 1)

    @classmethod
    def of_release(cls, pairs: Pairs, column: int) -> SensitiveCounts:
        """Count the values that the groups of a release hold; suppressed records are in no group."""
        assert pairs.sensitive_codes is not None
        grouped = pairs.groups >= 0
        units = None if pairs.units is None else pairs.units[grouped]
        counts = pairs.counts[grouped].astype(np.float64)
        return cls.of(pairs.groups[grouped], pairs.sensitive_codes[grouped, column], counts, units)

    @classmethod
    def of_table(cls, pairs: Pairs, column: int) -> SensitiveCounts:
        """Count the values of a whole table as one group, suppressed records included: their values are released."""
        assert pairs.sensitive_codes is not None
        one_group = np.zeros(len(pairs.counts), np.int64)
        return cls.of(one_group, pairs.sensitive_codes[:, column], pairs.counts.astype(np.float64), pairs.units)

    def distinct(self) -> Floats:
        """Return the number of different values of each group."""
        return np.bincount(self.groups, minlength=self.number).astype(np.float64)

    def shares(self, codes: Ints) -> Iterator[Floats]:
        """Yield the share of each value in each group, some groups at a time; `codes` are the values of the table."""
        place = np.searchsorted(codes, self.values)
        height = max(MAX_CELLS // max(len(codes), 1), 1)
        for low in range(0, self.number, height):
            part = (self.groups >= low) & (self.groups < low + height)
            cells = np.zeros((min(height, self.number - low), len(codes)))
            cells[self.groups[part] - low, place[part]] = self.counts[part]
            yield cells / cells.sum(axis=1, keepdims=True)
