"""A partition of the tuples: pieces of tuples, and the group of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from allonym.arrays import Floats, Ints
from allonym.records import Metric, Records, Value


@dataclass(frozen=True, eq=False)
class Groups:
    """Piece i is `share[i]` rows of tuple `source[i]`, in group `group[i]`; groups are numbered without gaps.

    A method may name the tuple whose values each group has.
    """

    source: Ints
    share: Ints
    group: Ints
    named: Ints | None = None  # by group

    @classmethod
    def of(cls, pieces: Sequence[tuple[int, int, int]] | Ints) -> Groups:
        """Make a partition from (source, share, group), ordered by group, then tuple.

        Pieces of one tuple in one group are one piece.
        """
        table = np.array(pieces, np.int64).reshape(-1, 3)
        keys, place = np.unique(table[:, [2, 0]], axis=0, return_inverse=True)
        share = np.bincount(place.ravel(), weights=table[:, 1], minlength=len(keys)).astype(np.int64)
        group = np.unique(keys[:, 0], return_inverse=True)[1].ravel()
        return cls(keys[:, 1].copy(), share, group.astype(np.int64))

    def __len__(self) -> int:
        return int(self.group.max(initial=-1)) + 1

    def members(self) -> Iterator[Ints]:
        """Yield the pieces of each group in turn; pieces are in the order of their groups."""
        starts = np.searchsorted(self.group, np.arange(len(self) + 1))
        for low, high in pairwise(starts.tolist()):
            yield np.arange(low, high)

    def mass(self, records: Records) -> Floats:
        """Return what each piece counts for utility."""
        return records.mass_of(self.source, self.share)


def placed(metrics: Sequence[Metric], values: Sequence[Value]) -> tuple[list[Metric], Ints]:
    """Return values as a tuple of codes, and the metrics, extended where a value is new."""
    wider = [metric.extend([value]) for metric, value in zip(metrics, values, strict=True)]
    codes = [metric.values.index(value) for metric, value in zip(wider, values, strict=True)]
    return wider, np.array(codes, np.int64)


def centre(metrics: Sequence[Metric], columns: Ints, mass: Floats) -> list[Value]:
    """Return the representative of some tuples of codes, given attribute by attribute."""
    return [metric.centroid(codes, mass) for metric, codes in zip(metrics, columns, strict=True)]


def values_of(metrics: Sequence[Metric], columns: Ints, one: int) -> list[Value]:
    """Return the values of one of some tuples of codes, given attribute by attribute."""
    return [metric.values[c] for metric, c in zip(metrics, columns[:, one].tolist(), strict=True)]


def distances(metrics: Sequence[Metric], shares: Floats, values: Sequence[Value], columns: Ints) -> Floats:
    """Return the distances of a tuple of values to tuples of codes, given attribute by attribute."""
    total = shares[0] * metrics[0].distances_from(values[0])[columns[0]]
    for metric, share, value, codes in zip(metrics[1:], shares[1:], values[1:], columns[1:], strict=True):
        total += share * metric.distances_from(value)[codes]
    return total
