"""A partition of the tuples: pieces of tuples, and the group of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from allonym.arrays import Floats, Ints
from allonym.metric import Metric, Value
from allonym.records import Records


@dataclass(frozen=True, eq=False)
class Groups:
    """Piece i is `share[i]` rows of tuple `source[i]`, in group `group[i]`; groups are numbered without gaps.

    A method may name the tuple whose values each group has. The records of one group may be suppressed: they lose all
    their values.
    """

    source: Ints
    share: Ints
    group: Ints
    named: Ints | None = None  # by group
    suppressed: int | None = None  # the group whose records are suppressed

    @classmethod
    def of(cls, pieces: Sequence[tuple[int, int, int]] | Ints, suppressed: int | None = None) -> Groups:
        """Make a partition from (source, share, group), ordered by group, then tuple.

        Pieces of one tuple in one group are one piece. `suppressed` is the group whose records are suppressed.
        """
        table = np.array(pieces, np.int64).reshape(-1, 3)
        keys, piece = np.unique(table[:, [2, 0]], axis=0, return_inverse=True)
        share = np.bincount(piece.ravel(), weights=table[:, 1], minlength=len(keys)).astype(np.int64)
        numbers, group = np.unique(keys[:, 0], return_inverse=True)
        place = None if suppressed is None else int(np.searchsorted(numbers, suppressed))
        return cls(keys[:, 1].copy(), share, group.ravel().astype(np.int64), suppressed=place)

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


def losses(records: Records, values: Sequence[Value], columns: Ints) -> Floats:
    """Return what tuples of codes, given attribute by attribute, lose when they become a tuple of values.

    That is the distance by the attributes' own metrics; a suppressed value counts with its `null_costs`.
    """
    total = np.zeros(columns.shape[1])
    for a, (attribute, value, codes) in enumerate(zip(records.attributes, values, columns, strict=True)):
        lost = records.null_costs[a][codes] if value is None else attribute.metric.distances_to(value, codes)
        total += records.shares[a] * lost
    return total


def distances(metrics: Sequence[Metric], shares: Floats, values: Sequence[Value], columns: Ints) -> Floats:
    """Return the distances of a tuple of values to tuples of codes, given attribute by attribute."""
    total = shares[0] * metrics[0].distances_to(values[0], columns[0])
    for metric, share, value, codes in zip(metrics[1:], shares[1:], values[1:], columns[1:], strict=True):
        total += share * metric.distances_to(value, codes)
    return total
