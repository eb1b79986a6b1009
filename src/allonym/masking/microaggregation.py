"""Microaggregation: groups of k around tuples far from the centre (P1 Algorithm 1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from allonym.masking.groups import Groups, centre
from allonym.records import Floats, Ints, Metric, Records, Value

DIGITS = 12  # distances that agree to so many decimals are ties


def mdav(
    records: Records,
    metrics: Sequence[Metric],
    k: int,
    rng: np.random.Generator,
    tick: Callable[[int, int], None],
) -> Groups:
    """Group tuples by MDAV: fixed groups of k rows, the last one of k to 2k - 1; a tuple is split when a group is full.

    Rows of one tuple are interchangeable, so the algorithm runs on tuples with counts and gives what it would give on
    rows. The second far record, s, is the one farthest from r that r's group left over. Ties go to the tuple that comes
    first in an order drawn from the seed. Several whole groups out of one tuple are given as one.
    """
    return _Mdav(records, metrics, k, rng).run(tick)


class _Mdav:
    """The state of a run: which rows of which tuples are left. Tuples are numbered in the drawn order."""

    def __init__(self, records: Records, metrics: Sequence[Metric], k: int, rng: np.random.Generator) -> None:
        self.order = rng.permutation(len(records))
        self.codes = records.codes[self.order]
        self.each = (records.mass / records.counts)[self.order]  # what one row of a tuple counts
        self.left = records.counts[self.order].copy()
        self.alive = np.arange(len(records))
        self.metrics, self.shares, self.k = list(metrics), records.shares, k
        self.pieces: list[tuple[int, int, int]] = []
        self.groups = 0

    def run(self, tick: Callable[[int, int], None]) -> Groups:
        """Go through the algorithm, several rounds at a time where nothing but counts would change between them."""
        total = remaining = int(self.left.sum())
        k = self.k
        while remaining >= 3 * k:
            middle = self.middle()
            r = self.farthest(self.point(middle))
            rounds = self.repeat(r, middle, remaining)
            if rounds > 1:
                s = self.farthest(self.codes[r])
                for one in (r, s):
                    self.take(one, [(one, rounds * k)])
            else:
                self.take(r, self.nearest(r))
                s = self.farthest(self.codes[r])
                self.take(s, self.nearest(s))
            remaining -= 2 * k * max(rounds, 1)
            tick(total - remaining, total)
        if remaining >= 2 * k:
            r = self.farthest(self.point(self.middle()))
            self.take(r, self.nearest(r))
        if self.alive.size:
            self.take(int(self.alive[0]), [(int(i), int(self.left[i])) for i in self.alive])
        tick(total, total)
        return Groups.of([(int(self.order[i]), share, group) for i, share, group in self.pieces])

    def middle(self, without: dict[int, int] | None = None) -> list[Value]:
        """Return the centroid of the rows left, or of those that would be left without some."""
        left = self.left[self.alive]
        if without:
            left = left.copy()
            for one, rows in without.items():
                left[np.searchsorted(self.alive, one)] -= rows
        return centre(self.metrics, self.codes[self.alive][left > 0], (left * self.each[self.alive])[left > 0])

    def point(self, values: list[Value]) -> Ints:
        """Return values as a tuple of codes, extending the metrics where they are new."""
        for a, value in enumerate(values):
            self.metrics[a] = self.metrics[a].extend([value])
        return np.array([m.values.index(v) for m, v in zip(self.metrics, values, strict=True)], np.int64)

    def distances(self, point: Ints) -> Floats:
        """Return the distances of a tuple to those left, rounded so that ties are ties."""
        total = np.zeros(len(self.alive))
        for a, metric in enumerate(self.metrics):
            total += self.shares[a] * metric.rows(point[a], self.codes[self.alive, a])
        return np.round(total, DIGITS)

    def farthest(self, point: Ints) -> int:
        """Return the tuple left that is farthest from a point."""
        return int(self.alive[np.argmax(self.distances(point))])

    def nearest(self, one: int) -> list[tuple[int, int]]:
        """Return a tuple and those nearest to it, with how many rows of each make k; the last may be split."""
        if self.left[one] >= self.k:
            return [(one, self.k)]
        far = self.distances(self.codes[one])
        far[np.searchsorted(self.alive, one)] = -1.0  # itself first
        near = np.arange(len(far))
        if len(far) > self.k:  # k tuples suffice, with those that tie with the k-th
            near = np.flatnonzero(far <= np.partition(far, self.k - 1)[self.k - 1])
        near = near[np.argsort(far[near], kind="stable")]
        tuples, wanted, found = self.alive[near], self.k, []
        for i, rows in zip(tuples.tolist(), self.left[tuples].tolist(), strict=True):
            found.append((i, min(rows, wanted)))
            wanted -= found[-1][1]
            if not wanted:
                break
        return found

    def take(self, one: int, members: list[tuple[int, int]]) -> None:
        """Make a group of rows of some tuples, and remove them from what is left."""
        for i, rows in members:
            self.pieces.append((i, rows, self.groups))
            self.left[i] -= rows
        self.groups += 1
        if any(self.left[i] == 0 for i, _ in members):
            self.alive = self.alive[self.left[self.alive] > 0]

    def repeat(self, r: int, middle: list[Value], remaining: int) -> int:
        """Return how many rounds would take whole groups out of the same two tuples around the same centroid.

        Each such round leaves every tuple in place and only counts change, linearly. Mode, median, mean and semantic
        centroid then have the same value in between if they have it at both ends, so bisection finds the last round.
        """
        k = self.k
        if self.left[r] < k:
            return 0
        s = self.farthest(self.codes[r])
        if s == r or self.left[s] < k:
            return 0
        most = min(int(self.left[r]) // k, int(self.left[s]) // k, (remaining - 3 * k) // (2 * k) + 1)
        low, high = 1, most  # `low` rounds are known to be alike: before the first the centroid is the middle
        while low < high:
            rounds = high if high == most else (low + high + 1) // 2  # mostly all of them are
            taken = (rounds - 1) * k
            if self.middle(without={r: taken, s: taken}) == middle:
                low = rounds
            else:
                high = rounds - 1
        return low
