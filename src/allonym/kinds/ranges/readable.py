"""The range that stands for the numbers of a group: its ends are round, and are no number of a single person.

All numbers are whole: they count units of the last decimal of the column. The low end is chosen as the high end of the
negated numbers is.
"""

from __future__ import annotations

import itertools
import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from allonym.ontology.pickling import DropCaches

STEPS_IN_RANGE = 10  # a range is at least about so many steps wide, if its ends may be that fine
MULTIPLES = (1, 2, 5)  # of powers of ten are readable steps


def readable_steps(least: float = 1.0) -> Iterator[int]:
    """Yield readable steps, in units of the last decimal, from the finest that is not below a number.

    >>> [step for _, step in zip(range(4), readable_steps(3.2))]
    [5, 10, 20, 50]
    """
    power = 10 ** max(math.floor(math.log10(least)), 0) if least > 1 else 1
    while True:
        yield from (x * power for x in MULTIPLES if x * power >= least)
        power *= 10


def next_round(number: int) -> int:
    """Return the next number above one that has two digits other than 0 at most: 1 and any, or any and 5.

    >>> [next_round(x) for x in (3, 10, 24, 99, 1204, 0, -7, -17, -31)]
    [4, 11, 25, 100, 1300, 1, -6, -16, -30]
    """
    size = number if number >= 0 else -number - 1
    digits = str(size)
    step = 1 if size < 10 else (1 if digits[0] == "1" else 5) * 10 ** (len(digits) - 2)
    return (number // step + 1) * step if number >= 0 else -(size // step) * step


def can_be_estimated(low: int, high: int, p: float) -> bool:
    """Tell whether some estimate is within a share p of every number from `low` to `high`.

    >>> can_be_estimated(50, 59, 0.1), can_be_estimated(50, 69, 0.1), can_be_estimated(0, 1, 0.1)
    (True, False, False)
    """
    if low <= 0 <= high:
        return low == high
    near, far = sorted((abs(low), abs(high)))
    return far * (1 - p) <= near * (1 + p)


@dataclass(frozen=True, eq=False)
class _Side:
    """How high ends are chosen; for low ends, of the negated numbers."""

    numbers: Sequence[int]  # of the column, ascending
    held: Sequence[int]  # by how many units all numbers before the i-th are held
    k: int
    p: float
    inclusive: int  # 1: an end is the last number below a round one, else a round one

    @classmethod
    def of(cls, holders: Mapping[int, int], k: int, p: float, inclusive: int) -> _Side:
        numbers = sorted(holders)
        return cls(numbers, [0, *itertools.accumulate(holders[x] for x in numbers)], k, p, inclusive)

    def holders(self, low: int, high: int) -> int:
        """Return how many units hold the numbers from `low` to `high`."""
        return self.held[bisect_right(self.numbers, high)] - self.held[bisect_left(self.numbers, low)]

    @cached_property
    def limit(self) -> float:
        """The highest number of the column, if it is held by at least k units: no end need be higher."""
        highest = self.numbers[-1]
        return highest if self.holders(highest, highest) >= self.k > 1 else math.inf

    @property
    def widest(self) -> int:
        """A step that is wide enough for any number."""
        return 10 * max(self.numbers[-1] - self.numbers[0], 1)

    def first_beyond(self, neighbour: int) -> int:
        """Return the least number that stands out beside the next lower one: by more than p per cent of itself."""
        share = 1 - self.p if neighbour > 0 else 1 + self.p
        return math.floor(neighbour / share) + 1

    def coarse(self, number: int, neighbour: int) -> int:
        """Return the end for a number that stands out.

        Classes begin at the least number that would stand out, and each is wide enough that nobody can estimate the
        numbers in it. They depend on the neighbour, not on the number: its class is all that the end gives away.
        """
        start = self.first_beyond(neighbour)
        limit = start
        while True:
            limit = next_round(limit)
            end = limit - self.inclusive
            if start <= self.limit < end and not can_be_estimated(start, int(self.limit), self.p):
                end = int(self.limit)
            if can_be_estimated(start, end, self.p):
                continue
            if number <= end:
                return end
            start = end + 1

    def fine(self, number: int, step: float) -> int:
        """Return the end for a number that does not stand out: of the finest step with k units in the last class."""
        for size in readable_steps(step):
            end = -(-(number + self.inclusive) // size) * size - self.inclusive
            start = end - size + 1
            if number <= self.limit < end:
                end = int(self.limit)
            if size > self.widest or self.holders(start, end) >= self.k:
                return end
        raise AssertionError("there are infinitely many steps")


class ReadableRanges(DropCaches):
    """Chooses ranges for a column of numbers.

    >>> ages = ReadableRanges([20.0, 23.0, 37.0, 52.0], [9, 1, 9, 2], k=5, decimals=0, p=0.0)
    >>> ages.covering(20.0, 20.0, 37.0, 37.0), ages.covering(23.0, 23.0, 52.0, 52.0)
    ((20.0, 37.0), (20.0, 99.0))
    """

    def __init__(self, numbers: Sequence[float], holders: Sequence[int], k: int, decimals: int, p: float) -> None:
        self.numbers, self.holders, self.k, self.decimals, self.p = numbers, holders, k, decimals, p

    @cached_property
    def _sides(self) -> tuple[_Side, _Side]:
        """The sides of low and of high ends."""
        held: Counter[int] = Counter()
        for number, units in zip(self.numbers, self.holders, strict=True):
            held[self._units(number)] += units
        negated = {-number: units for number, units in held.items()}
        return (
            _Side.of(negated, self.k, self.p, 0),
            _Side.of(held, self.k, self.p, int(not self.decimals)),
        )

    @cached_property
    def _known(self) -> dict[tuple[float, ...], tuple[float, float]]:
        return {}

    def _units(self, number: float) -> int:
        return round(number * 10**self.decimals)

    def covering(self, lowest: float, next_lowest: float, highest: float, next_highest: float) -> tuple[float, float]:
        """Return a range that has all numbers of a group, given those of the two outermost persons at each end.

        A number that stands out beside the next one gets an end by which nobody can estimate it to within p per cent.
        Other ends are multiples of a step that suits the width of the range, so coarse that at least k units of the
        table are between the last two.
        """
        key = (lowest, next_lowest, highest, next_highest)
        if key not in self._known:
            low, high = self._ends(*map(self._units, key))
            scale = 10**self.decimals
            self._known[key] = (min(low / scale, lowest), max(high / scale, highest))
        return self._known[key]

    def hidden(self, number: float) -> float:
        """Return a number as a multiple of the finest step with k units of the table between two multiples."""
        whole, (_, above) = self._units(number), self._sides
        for step in readable_steps():
            low = whole // step * step
            if above.holders(low, low + step - 1) >= self.k or step > above.widest:
                return (low if 2 * (whole - low) < step else low + step) / 10**self.decimals
        raise AssertionError("there are infinitely many steps")

    def _ends(self, lowest: int, next_lowest: int, highest: int, next_highest: int) -> tuple[int, int]:
        below, above = self._sides
        low = below.coarse(-lowest, -next_lowest) if self._stands_out(below, -lowest, -next_lowest) else None
        high = above.coarse(highest, next_highest) if self._stands_out(above, highest, next_highest) else None
        width = (highest if high is None else high) - (lowest if low is None else -low)
        step = max(width / STEPS_IN_RANGE, 1.0)
        return (
            -(below.fine(-lowest, step) if low is None else low),
            above.fine(highest, step) if high is None else high,
        )

    def _stands_out(self, side: _Side, number: int, neighbour: int) -> bool:
        return self.p > 0 and number >= side.first_beyond(neighbour)
