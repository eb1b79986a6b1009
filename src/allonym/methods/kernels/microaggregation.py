"""Microaggregation: groups of k around tuples far from the centre (Martínez, Sánchez and Valls 2012, Algorithm 1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from allonym.arrays import Floats, Ints
from allonym.methods.groups import Groups, distances, values_of
from allonym.methods.kernels.ties import DIGITS
from allonym.metric import Metric, Value
from allonym.records import Records

Centre = Callable[[Metric], Callable[[Ints, Floats], Value]]


def mdav(
    records: Records,
    metrics: Sequence[Metric],
    k: int,
    rng: np.random.Generator,
    tick: Callable[[int, int], None],
    *,
    around: Centre = lambda metric: metric.centroid,
) -> Groups:
    """Group tuples by MDAV: fixed groups of k rows, the last one of k to 2k - 1; a tuple is split when a group is full.

    Rows of one tuple are interchangeable, so the algorithm runs on tuples with counts and gives what it would give on
    rows. The second far record, s, is the one farthest from r that r's group left over. Ties go to the tuple that would
    come first if the rows were shuffled by the seed. Several whole groups out of one tuple are given as one. Rows are
    far from the centroid of those left, or from what else `around` says a metric has for the middle of some values.
    """
    return _Mdav(records, metrics, k, rng, around).run(tick)


def tie_order(records: Records, rng: np.random.Generator) -> Ints:
    """Draw the order in which the tuples would first come if the rows were shuffled: frequent ones tend to lead."""
    return np.argsort(rng.exponential(size=len(records)) / records.counts, kind="stable")


class _Mdav:
    """The state of a run: the tuples that are left, in the drawn order, and how many rows of each."""

    def __init__(
        self, records: Records, metrics: Sequence[Metric], k: int, rng: np.random.Generator, around: Centre
    ) -> None:
        self.source = tie_order(records, rng)
        self.codes = np.ascontiguousarray(records.codes[self.source].T)  # attribute by attribute
        self.each = (records.mass / records.counts)[self.source]  # what one row of a tuple counts
        self.left = records.counts[self.source].copy()
        self.metrics, self.shares, self.k = metrics, records.shares, k
        self.centres = [around(metric) for metric in metrics]
        self.pieces: list[tuple[int, int, int]] = []
        self.groups = 0

    def run(self, tick: Callable[[int, int], None]) -> Groups:
        """Go through the algorithm, several rounds at a time where nothing but counts would change between them."""
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
        return Groups.of(self.pieces)

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
        return np.round(distances(self.metrics, self.shares, point, self.codes), DIGITS)

    def farthest(self, point: list[Value]) -> int:
        """Return the tuple left that is farthest from a point."""
        return int(np.argmax(self.distances(point)))

    def nearest(self, one: int) -> list[tuple[int, int]]:
        """Return a tuple and those nearest to it, with how many rows of each make k; the last may be split."""
        if self.left[one] >= self.k:
            return [(one, self.k)]
        far = self.distances(self.values(one))
        far[one] = -1.0  # itself first
        near = np.arange(len(far))
        if len(far) > self.k:  # k tuples suffice, with those that tie with the k-th
            near = np.flatnonzero(far <= np.partition(far, self.k - 1)[self.k - 1])
        near = near[np.argsort(far[near], kind="stable")]
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
            self.pieces.append((int(self.source[i]), rows, self.groups))
            self.left[i] -= rows
        self.groups += 1
        if remove and (gone := np.flatnonzero(self.left == 0)).size:
            self.source, self.left = np.delete(self.source, gone), np.delete(self.left, gone)
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
