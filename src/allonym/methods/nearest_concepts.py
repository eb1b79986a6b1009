"""The nearest concepts on one side of the mean, for single values: small tables, whatever the size of the ontology.

A table of all concepts in the order of their distance to a value has as many entries as the domain. But most of it is
the same for many values. Let an anchor of a value be the nearest concept that dominates it and many others. To concepts
that are not below the anchor, all values at as many links from it have equal distances (`ontology.dominators`); if they
are as far from the mean, too, they share the sides of it. Their part is stored once, as a byte for each concept: which
side and which distance. A value has such a row of its own only for the concepts below its anchor.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints
from allonym.kinds.domain import Bools, Domain
from allonym.metric import Value
from allonym.ontology.narrower import Narrower, broader

Counts = NDArray[np.int32]
MIN_DOMINATED = 1_000  # concepts below an anchor
MAX_CACHED_BYTES = 2**28
BLOCK = 4096  # concepts that are searched for a member


@dataclass(frozen=True, eq=False)
class CodedRow:
    """Concepts, in the order of the domain, by code: 0, or a distance on one of the two sides of the mean."""

    concepts: Ints | None  # places in the domain; None: all of it
    codes: NDArray[Any]
    levels: tuple[Floats, Floats]  # the distances on both sides; their codes count on from 1
    before: Counts  # how many of a code are before each block, and in all

    @classmethod
    def of(cls, far: Floats, sides: tuple[Bools, Bools], concepts: Ints | None) -> CodedRow:
        """Take the distances of concepts, and whether each is on a side."""
        codes, levels, width = np.zeros(len(far), np.int64), list[Floats](), 1
        for side in sides:
            distances, place = np.unique(far[side], return_inverse=True)
            codes[side] = place.ravel() + width
            levels.append(distances)
            width += len(distances)
        blocks = -(-len(far) // BLOCK)
        counts = np.bincount(np.arange(len(far)) // BLOCK * width + codes, minlength=blocks * width)
        before = np.zeros((blocks + 1, width), np.int32)
        np.cumsum(counts.reshape(blocks, width), axis=0, out=before[1:])
        return cls(concepts, codes.astype(np.min_scalar_type(width)), (levels[0], levels[1]), before)

    @property
    def nbytes(self) -> int:
        """The memory in use."""
        return self.codes.nbytes + self.before.nbytes + 200

    def side(self, side: int) -> tuple[Floats, Ints, Counts]:
        """Return the distances on a side, their codes, and how many concepts each has."""
        codes = np.arange(len(self.levels[side])) + (1 + len(self.levels[0]) if side else 1)
        return self.levels[side], codes, self.before[-1, codes]

    def member(self, code: int, number: int) -> int:
        """Return the concept that is the n-th of a code, by its place."""
        before = self.before[:, code]
        block = int(before.searchsorted(number, side="right")) - 1
        low = block * BLOCK
        (within,) = (self.codes[low : low + BLOCK] == code).nonzero()
        place = low + int(within[number - int(before[block])])
        return place if self.concepts is None else int(self.concepts[place])

    def members(self, code: int) -> Ints:
        """Return all concepts of a code."""
        (places,) = (self.codes == code).nonzero()
        return places if self.concepts is None else self.concepts[places]


@dataclass(frozen=True, eq=False)
class SideOfMean:
    """The concepts on one side of the mean by their distance to a value, in two rows: below its anchor, elsewhere."""

    rows: tuple[CodedRow, CodedRow]
    levels: Floats
    codes: Counts  # of each distance, in both rows
    counts: Counts

    @classmethod
    def of(cls, rows: tuple[CodedRow, CodedRow], side: int) -> SideOfMean:
        """Merge the distances of two rows."""
        parts = [row.side(side) for row in rows]
        levels = np.union1d(parts[0][0], parts[1][0])
        codes, counts = np.zeros((2, len(levels), 2), np.int32)
        for i, (distances, own_codes, own_counts) in enumerate(parts):
            where = levels.searchsorted(distances)
            codes[where, i], counts[where, i] = own_codes, own_counts
        return cls(rows, levels, codes, counts)

    @property
    def nbytes(self) -> int:
        """The memory in use."""
        return self.levels.nbytes + self.codes.nbytes + self.counts.nbytes + 500

    def nearest(self, size: float, tie: float) -> tuple[int, float]:
        """Return the place of the nearest that is at least so far away, the farthest if none is, and its distance.

        `tie` within (0, 1) says which of those that are equally far, in the order of the domain.
        """
        level = min(int(self.levels.searchsorted(size)), len(self.codes) - 1)
        code, other_code = self.codes[level].tolist()
        count, other_count = self.counts[level].tolist()
        number = int(tie * (count + other_count))
        if not other_count:
            place = self.rows[0].member(code, number)
        elif not count:
            place = self.rows[1].member(other_code, number)
        else:
            place = _merged(self.rows[0].members(code), self.rows[1].members(other_code), number)
        return place, float(self.levels[level])


def _merged(one: Ints, other: Ints, number: int) -> int:
    """Return the n-th of the members of two disjoint sets, each in order."""
    few, many = (one, other) if len(one) < len(other) else (other, one)
    positions = many.searchsorted(few) + np.arange(len(few))  # of the few among all
    at = int(positions.searchsorted(number))
    if at < len(few) and positions[at] == number:
        return int(few[at])
    return int(many[number - at])


class NearestConcepts:
    """The sides of the mean for values of a domain, one by one; what was used is kept while there is room.

    Values of the table that was fitted are treated as all others are: nothing is computed beforehand.
    """

    def __init__(self, domain: Domain, mean: int, allowed: Bools) -> None:
        self.domain, self.mean, self.allowed = domain, mean, allowed
        self._kept: dict[Hashable, Any] = {}
        self._bytes = 0
        self._lock = threading.Lock()

    @cached_property
    def _off(self) -> Floats:
        """The distances of all concepts to the mean."""
        return self.domain.distances_from(self.mean)

    def sides(self, value: Value) -> tuple[SideOfMean, SideOfMean] | None:
        """Return the concepts nearer to the mean and farther from it, if there are both; else None."""
        found: tuple[SideOfMean, SideOfMean] | None
        found = self.keep((broader(value), isinstance(value, Narrower)), lambda: self._sides(value))
        return found

    def keep(self, key: Hashable, make: Callable[[], tuple[Any, int]]) -> Any:
        """Return what was kept, or make it; `make` also returns its size in bytes."""
        if key in (kept := self._kept):
            return kept[key]
        made, size = make()
        with self._lock:
            if self._bytes + size > MAX_CACHED_BYTES:
                self._kept, self._bytes = {}, 0
            self._kept[key] = made
            self._bytes += size
        return made

    def _sides(self, value: Value) -> tuple[tuple[SideOfMean, SideOfMean] | None, int]:
        if value == self.mean:
            return None, 0
        off = float(self._off[self.domain.place(value)])
        if isinstance(value, Narrower):
            off = float(self.domain.distances_from(value, np.array([self.domain.place(self.mean)]))[0])
        anchor, links = self.domain.anchor(value, MIN_DOMINATED)
        below = self.keep(("below", anchor), lambda: ((places := self.domain.below(anchor)), places.nbytes))

        def elsewhere() -> tuple[CodedRow, int]:
            row = self._row(value, off, None, below)
            return row, row.nbytes

        rows = self._row(value, off, below, None), self.keep(("elsewhere", anchor, links, off), elsewhere)
        both = SideOfMean.of(rows, 0), SideOfMean.of(rows, 1)
        size = rows[0].nbytes + both[0].nbytes + both[1].nbytes
        return both if all(len(side.levels) for side in both) else None, size

    def _row(self, value: Value, own_off: float, concepts: Ints | None, without: Ints | None) -> CodedRow:
        """Return a row of some concepts, or of all without some."""
        far = self.domain.distances_from(value, concepts)
        off, usable = (self._off, self.allowed) if concepts is None else (self._off[concepts], self.allowed[concepts])
        if without is not None:
            usable = usable.copy()
            usable[without] = False
        return CodedRow.of(far, (usable & (off < own_off), usable & (off > own_off)), concepts)
