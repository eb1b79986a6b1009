"""Numbers as a statistics office publishes them: rounded, top and bottom coded, or in fixed classes."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from allonym.kinds.numbers import LARGEST_EXACT, decimals_of
from allonym.kinds.ranges.readable import readable_steps

AUTOMATIC = "auto"  # classes that are chosen from the data
MAX_CLASSES = 6  # about so many classes between the outermost twentieths of the data
OUTERMOST = 0.05  # share of the data at each end that does not count for automatic classes
Range = tuple[float, float]


def rounded(number: float, step: float) -> float:
    """Return the nearest multiple of a step; of two, the one that is farther from zero.

    >>> rounded(22.5, 5), rounded(-7.5, 5), rounded(0.34, 0.1)
    (25.0, -10.0, 0.3)
    """
    size = Decimal(repr(step))
    return float((Decimal(repr(number)) / size).quantize(Decimal(1), ROUND_HALF_UP) * size) + 0.0


@dataclass(frozen=True)
class NumberCoding:
    """What becomes of the numbers of a column before they are masked."""

    step: float | None = None  # to multiples of which they are rounded
    limits: tuple[float, ...] = ()  # where classes begin
    top: float | None = None  # from which on all are one class
    bottom: float | None = None  # below which all are one class

    def decimals(self, own: int) -> int:
        """Return the decimals of a column that has so many of its own."""
        return own if self.step is None else min(own, decimals_of([repr(self.step).removesuffix(".0")]))

    def coded(self, number: float, decimals: int) -> float | Range:
        """Return the number, rounded; or the class that it is in, whose ends have the decimals of the column.

        >>> ages = NumberCoding(limits=(0, 18, 65))
        >>> ages.coded(17.0, 0), ages.coded(80.0, 0), ages.coded(-1.0, 0), ages.coded(17.6, 1)
        ((0.0, 17.0), (65.0, inf), (-inf, -1.0), (0.0, 17.9))
        """
        number = number if self.step is None else rounded(number, self.step)
        if self.limits:
            place = bisect_right(self.limits, number)
            low = self.limits[place - 1] if place else -math.inf
            high = _before(self.limits[place], decimals) if place < len(self.limits) else math.inf
            return float(low), high
        if self.top is not None and number >= self.top:
            return float(self.top), math.inf
        if self.bottom is not None and number < self.bottom:
            return -math.inf, _before(self.bottom, decimals)
        return number

    def bounds(self, numbers: Sequence[float]) -> Range:
        """Return the least and the largest number of a column that its distances count with."""
        low, high = min(numbers, default=0.0), max(numbers, default=0.0)
        if self.bottom is not None:
            low, high = max(low, self.bottom), max(high, self.bottom)
        if self.top is not None:
            low, high = min(low, self.top), min(high, self.top)
        return float(low), float(high)


def _before(limit: float, decimals: int) -> float:
    """Return the last number below a limit with so many decimals."""
    scale = 10**decimals
    return (math.ceil(round(limit * scale, 6)) - 1) / scale


def automatic_limits(counts: Mapping[float, int], decimals: int) -> tuple[float, ...]:
    """Return limits of readable classes of equal width; few outermost numbers have no part in them.

    >>> automatic_limits({float(age): 1 for age in range(17, 91)}, 0)
    (20.0, 40.0, 60.0, 80.0)
    """
    numbers, total = sorted(counts), sum(counts.values())
    low, high = (_quantile(counts, numbers, share * total) for share in (OUTERMOST, 1 - OUTERMOST))
    scale = 10**decimals
    first, last = math.floor(low * scale), math.ceil(high * scale)
    step = next(readable_steps(max((last - first) / MAX_CLASSES, 1.0)))
    start = first // step * step
    limits = [x / scale for x in range(start, max(last, start + 1) + 1, step)]
    return tuple(limits) if abs(limits[-1]) < LARGEST_EXACT else ()


def _quantile(counts: Mapping[float, int], numbers: Sequence[float], below: float) -> float:
    held = 0
    for number in numbers:
        held += counts[number]
        if held >= below:
            return number
    return numbers[-1]
