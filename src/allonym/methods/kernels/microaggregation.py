"""Microaggregation: groups of k around tuples far from the centre (Martínez, Sánchez and Valls 2012, Algorithm 1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from allonym.arrays import Floats, Ints
from allonym.compiled import kernels
from allonym.methods.groups import Groups, distances, values_of
from allonym.methods.kernels.space import Centre, alike, space_of
from allonym.methods.kernels.ties import rounded
from allonym.metric import Metric, Value
from allonym.records import Records

Tick = Callable[[int, int], None]


def mdav(
    records: Records,
    metrics: Sequence[Metric],
    k: int,
    rng: np.random.Generator,
    tick: Tick,
    *,
    around: Centre | None = None,
) -> Groups:
    """Group tuples by MDAV: fixed groups of k rows, the last one of k to 2k - 1; a tuple is split when a group is full.

    Rows of one tuple are interchangeable, so the algorithm runs on tuples with counts and gives what it would give on
    rows. The second far record, s, is the one farthest from r that r's group left over. Ties go to the tuple that would
    come first if the rows were shuffled by the seed; distances that agree to 12 digits are ties. Several whole groups
    out of one tuple are given as one. Rows are far from the centroid of those left, or from what else `around` says a
    metric has for the middle of some values.
    """
    order = tie_order(records, rng)
    codes, counts = records.codes[order], records.counts[order]
    each = (records.mass / records.counts)[order]  # what one row of a tuple counts
    if kernels is None:
        pieces = _Mdav(metrics, records.shares, codes, counts, each, k, around).run(tick)
    else:
        space = space_of(metrics, records.shares, codes, around)
        near, far = (alike(metrics, records.shares, codes.T, far=far) for far in (False, True))
        found = kernels.mdav(space, each, counts, near, far, k, tick)
        pieces = found.reshape(-1, 3)
    return Groups.of(np.stack([order[pieces[:, 0]], pieces[:, 1], pieces[:, 2]], axis=1))


def tie_order(records: Records, rng: np.random.Generator) -> Ints:
    """Draw the order in which the tuples would first come if the rows were shuffled: frequent ones tend to lead."""
    return np.argsort(rng.exponential(size=len(records)) / records.counts, kind="stable")


class _Mdav:
    """MDAV in NumPy: all tuples that are left are compared each time; they come in the order that breaks ties."""

    def __init__(
        self,
        metrics: Sequence[Metric],
        shares: Floats,
        codes: Ints,
        counts: Ints,
        each: Floats,
        k: int,
        around: Centre | None,
    ) -> None:
        self.tuples = np.arange(len(codes))  # that are left
        self.codes = np.ascontiguousarray(codes.T)  # attribute by attribute
        self.each, self.left = each, counts.copy()
        self.metrics, self.shares, self.k = metrics, shares, k
        self.centres = [metric.centroid if around is None else around(metric) for metric in metrics]
        self.pieces: list[tuple[int, int, int]] = []
        self.groups = 0

    def run(self, tick: Tick) -> Ints:
        """Go through the algorithm, several rounds at a time where nothing but counts would change between them.

        Return pieces: a tuple, how many rows of it, and their group.
        """
        total = remaining = int(self.left.sum())
        k = self.k
        while remaining >= 3 * k and self.left.size > 1:  # of one tuple alone all groups are the same
            middle = self.middle()
            r = self.farthest(middle)
            start = self.values(r)
            s, rounds = self.repeat(r, start, middle, remaining)
            if rounds:
                self.take([(r, rounds * k)], remove=False)
                self.take([(s, rounds * k)])
            else:
                self.take(self.nearest(r))
                self.take(self.nearest(self.farthest(start)))
            remaining -= 2 * k * max(rounds, 1)
            tick(total - remaining, total)
        if remaining >= 2 * k and self.left.size > 1:
            self.take(self.nearest(self.farthest(self.middle())))
        if self.left.size:
            self.take(list(enumerate(self.left.tolist())))
        tick(total, total)
        return np.array(self.pieces, np.int64).reshape(-1, 3)

    def middle(self, without: Sequence[int] = (), rows: int = 0) -> list[Value]:
        """Return the centroid of the rows left, or of those that would be left without some of two tuples."""
        left = self.left
        if rows:
            left = left.copy()
            left[list(without)] -= rows
        mass = left * self.each
        return [middle(codes, mass) for middle, codes in zip(self.centres, self.codes, strict=True)]

    def values(self, one: int) -> list[Value]:
        """Return the values of a tuple."""
        return values_of(self.metrics, self.codes, one)

    def distances(self, point: list[Value]) -> Floats:
        """Return the distances of some values to the tuples left, rounded so that ties are ties."""
        return rounded(distances(self.metrics, self.shares, point, self.codes))

    def farthest(self, point: list[Value]) -> int:
        """Return the tuple left that is farthest from a point."""
        return int(np.argmax(self.distances(point)))

    def nearest(self, one: int) -> list[tuple[int, int]]:
        """Return a tuple and those nearest to it, with how many rows of each make k; the last may be split."""
        if self.left[one] >= self.k:
            return [(one, self.k)]
        far = self.distances(self.values(one))
        far[one] = -1.0  # itself first
        near = np.argsort(far, kind="stable")[: self.k]
        wanted, pieces = self.k, []
        for i, rows in zip(near.tolist(), self.left[near].tolist(), strict=True):
            pieces.append((i, min(rows, wanted)))
            wanted -= pieces[-1][1]
            if not wanted:
                break
        return pieces

    def take(self, members: list[tuple[int, int]], remove: bool = True) -> None:
        """Make a group of rows of some tuples; tuples without any left are removed, unless that is to wait."""
        for i, rows in members:
            self.pieces.append((int(self.tuples[i]), rows, self.groups))
            self.left[i] -= rows
        self.groups += 1
        if remove and (gone := np.flatnonzero(self.left == 0)).size:
            self.tuples, self.left = np.delete(self.tuples, gone), np.delete(self.left, gone)
            self.each = np.delete(self.each, gone)
            self.codes = np.delete(self.codes, gone, axis=1)

    def repeat(self, r: int, start: list[Value], middle: list[Value], remaining: int) -> tuple[int, int]:
        """Return the tuple s, and how many rounds would take whole groups out of r and s around the same centroid.

        Each such round leaves every tuple in place and only counts change, linearly. Mode, median, mean and semantic
        centroid then have the same value in between if they have it at both ends, so bisection finds the last round.
        """
        k = self.k
        if self.left[r] < k:
            return r, 0
        s = self.farthest(start)
        if s == r or self.left[s] < k:
            return s, 0
        most = min(int(self.left[r]) // k, int(self.left[s]) // k, (remaining - 3 * k) // (2 * k) + 1)
        low, high = 1, most  # `low` rounds are known to be alike: before the first the centroid is the middle
        while low < high:
            rounds = high if high == most else (low + high + 1) // 2  # mostly all of them are
            if self.middle(without=(r, s), rows=(rounds - 1) * k) == middle:
                low = rounds
            else:
                high = rounds - 1
        return s, low
