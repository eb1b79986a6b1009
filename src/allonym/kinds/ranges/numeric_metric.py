"""Distances between numbers and ranges, and what stands for a group of them."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints, added_up, frozen, sum_by
from allonym.kinds.dominance import DominanceRule
from allonym.kinds.metric import BaseMetric, halves
from allonym.kinds.ranges.coding import rounded
from allonym.kinds.ranges.hierarchy import class_of, merged_neighbours, nested_steps, opened, spanned, steps_within
from allonym.kinds.ranges.readable import ReadableRanges
from allonym.metric import Value

MEAN, MEDIAN, RANGE = "mean", "median", "range"


@dataclass(frozen=True)
class Representation:
    """What stands for the numbers of a group."""

    by: str | None = None  # mean, median or range; None: as the method says
    step: float | None = None  # of which a mean is a multiple
    classes: bool = False  # whether the values are fixed classes, which are not averaged


class NumericMetric(BaseMetric):
    """Distance |a - b| / range of the data. The centroid is the mean, rounded to the decimals of the column.

    Nulls are left out of a mean unless they are the majority; then the centroid is null.

    >>> ages = NumericMetric([20.0, 30.0, 60.0, None], decimals=0)
    >>> ages.distances(0, [0, 1, 2, 3]).tolist(), ages.centroid(np.array([0, 1, 3]), np.array([1.0, 2.0, 1.0]))
    ([0.0, 0.25, 1.0, 1.0], 27.0)
    """

    has_amounts = True  # of which a person may have most

    def __init__(
        self,
        values: Sequence[Value],
        decimals: int = 0,
        span: float | None = None,
        rule: DominanceRule | None = None,
        ranges: ReadableRanges | None = None,
        bounds: tuple[float, float] | None = None,
        representation: Representation | None = None,
    ) -> None:
        super().__init__(values)
        self.decimals = decimals
        self.rule = rule or DominanceRule()
        self.bounds = self._finite_bounds() if bounds is None else bounds  # where open ranges end
        self.span = self.bounds[1] - self.bounds[0] if span is None else span
        self.representation = representation or Representation()
        self._ranges = ranges

    def _finite_bounds(self) -> tuple[float, float]:
        linked = (v for v in self.values if v is not None and not isinstance(v, str))
        ends = [x for v in linked for x in (v if isinstance(v, tuple) else (v,)) if math.isfinite(x)]
        return min(ends, default=0.0), max(ends, default=0.0)

    @cached_property
    def numbers(self) -> Floats:
        """The values as an array, a range by its middle; null and unlinked texts are NaN."""
        return frozen(self._ends.mean(axis=1))

    @cached_property
    def _ends(self) -> Floats:
        """The lowest and the highest number of every value; an open range ends where the data ends."""
        return frozen(self._closed(self._true_ends))

    def _closed(self, ends: Floats) -> Floats:
        """Return ranges that end where the data ends; one that is beyond the data is where the data ends."""
        limits = np.where(ends < 0, *self.bounds)
        closed = np.where(np.isinf(ends), limits, ends)
        beyond = np.isinf(ends) & (closed[..., :1] > closed[..., 1:])
        return np.where(beyond.any(axis=-1, keepdims=True), np.where(beyond, closed, closed[..., ::-1]), closed)

    @cached_property
    def _true_ends(self) -> Floats:
        """The ends of every value; both are the number, if it is no range."""
        ends = [v if isinstance(v, tuple) else (np.nan, np.nan) if self.unlinked[i] else (v, v)
                for i, v in enumerate(self.values)]  # fmt: skip
        return frozen(np.array(ends, np.float64).reshape(-1, 2))

    @cached_property
    def _any_range(self) -> bool:
        return any(isinstance(value, tuple) for value in self.values)

    def _with(self, values: Sequence[Value]) -> NumericMetric:
        return self._like(values, self._ranges)

    def _like(self, values: Sequence[Value], ranges: ReadableRanges | None) -> NumericMetric:
        own = (self.decimals, self.span, self.rule, ranges, self.bounds, self.representation)
        return NumericMetric(values, *own)

    @property
    def averaged(self) -> bool:
        """Whether the mean or the median may stand for a group: not of fixed classes."""
        return not self.representation.classes

    def with_holders(self, holders: Ints, k: int) -> NumericMetric:
        """Return the same metric, whose ranges have no end that is a number of fewer than k units."""
        return self._like(self.values, self._readable(holders, k))

    def _readable(self, holders: Ints | None, k: int) -> ReadableRanges:
        known = np.flatnonzero(~self.unlinked)
        held = np.ones(len(self.values), np.int64) if holders is None else holders
        return ReadableRanges(self.numbers[known].tolist(), held[known].tolist(), k, self.decimals, self.rule.p / 100)

    @cached_property
    def ranges(self) -> ReadableRanges:
        """How ranges are chosen; unless holders are given, any number may be an end."""
        return self._readable(None, 1) if self._ranges is None else self._ranges

    def _between(self, a: Ints, b: Ints) -> Floats:
        if self.span <= 0:
            return (a != b).astype(np.float64)
        if not self._any_range:
            return np.minimum(np.abs(self.numbers[a] - self.numbers[b]) / self.span, 1.0)
        far = np.minimum(mean_distance(self._ends[a], self._ends[b]) / self.span, 1.0)
        return np.where(np.equal(a, b), 0.0, far)

    def _from(self, value: Value) -> Floats:
        if value is None or isinstance(value, str) or self.span <= 0:
            return super()._from(value)
        if not isinstance(value, tuple) and not self._any_range:
            return np.where(self.unlinked, 1.0, np.minimum(np.abs(value - self.numbers) / self.span, 1.0))
        ends = self._closed(np.array(value if isinstance(value, tuple) else (value, value), np.float64))
        far = np.minimum(mean_distance(ends, self._ends) / self.span, 1.0)
        far = np.where(self.unlinked, 1.0, far)
        if value in self.places:
            far[self.places[value]] = 0.0
        return far

    @property
    def ordered(self) -> bool:
        """Whether the codes follow an order of the values themselves: numbers do."""
        return True

    @property
    def ends(self) -> Floats | None:
        """The lowest and the highest number of every value."""
        return self._ends

    def compiled_form(self) -> dict[str, Any] | None:
        """Return the numbers; None, if a value is a range, or something else than the mean represents several."""
        representation = self.representation
        if self._any_range or representation.classes or representation.by == MEDIAN or representation.step is not None:
            return None
        return {"form": "numbers", "numbers": self.numbers, "span": self.span, "decimals": self.decimals}

    def centroid(self, codes: Ints, counts: Floats) -> Value:
        """Return the mean or the median, rounded; of classes, the middle one."""
        linked = self.without_unlinked(codes, counts)
        if linked is None:
            return self.mode(codes[self.unlinked[codes]], counts[self.unlinked[codes]])
        codes, counts = linked
        if self.representation.classes:
            return self.values[self._middle(codes, counts)]
        if self.representation.by == MEDIAN:
            return self.rounded(float(self.numbers[self._middle(codes, counts)]))
        if counts.sum() > 0:
            total = sum_by(codes, counts, len(self.values))  # by value: the order of tuples must not matter
            present = np.flatnonzero(total)
            mean = added_up(self.numbers[present] * total[present]) / added_up(total[present])
        else:
            mean = added_up(self.numbers[codes]) / len(codes)
        return self.rounded(float(mean))

    def rounded(self, number: float) -> float:
        """Return a number with the decimals of the column, or as a multiple of its step."""
        step = self.representation.step
        return (round(number, self.decimals) if step is None else rounded(number, step)) + 0.0  # no negative zero

    def _middle(self, codes: Ints, counts: Floats) -> int:
        """Return the code of the lower median."""
        total = sum_by(codes, counts if counts.sum() > 0 else np.ones(len(codes)), len(self.values))  # as for the mean
        present = np.unique(codes)
        order = present[np.argsort(self.numbers[present], kind="stable")]
        below = np.cumsum(total[order])
        return int(order[np.searchsorted(below, below[-1] / 2)])

    def hidden(self, number: float) -> float:
        """Return a number that fewer than k units hold as a multiple of a step by which nobody is known."""
        return self.rounded(self.ranges.hidden(number))

    def beside(self, value: Value, rare: Set[Value]) -> Value:
        """Return what is written for a mean, given the numbers that too few units hold: the mean."""
        return value

    def _families(self, codes: Ints, counts: Floats) -> Ints:
        """Number two ranges."""
        return halves(self.numbers[codes], counts)

    def subsumer(self, codes: Ints, counts: Floats) -> Value:
        """Return the mean: no number is true of several."""
        return self.centroid(codes, counts)

    def truthful(self, codes: Ints, counts: Floats) -> Value:
        """Return the number that all have; else, a range with readable ends; null, if a value is missing.

        `counts` says how many persons have each number.
        """
        present, place = np.unique(codes, return_inverse=True)
        if len(present) == 1 or self.unlinked[present].any():
            return BaseMetric.subsumer(self, codes, counts)
        lows, highs = self._true_ends[present].T
        low, high = float(lows.min()), float(highs.max())
        if self.representation.classes or (math.isinf(low) and math.isinf(high)):
            return None if math.isinf(low) and math.isinf(high) else (low, high)
        held = sum_by(place.ravel(), counts, len(present))
        lows, highs = self._ends[present].T
        ends = self.ranges.covering(*_outermost(lows, held), *map(operator.neg, _outermost(-highs, held)))
        return low if math.isinf(low) else ends[0], high if math.isinf(high) else ends[1]

    def representatives(self, *, truthful: bool) -> list[Value] | None:
        """Return None: any number may be a mean, or the end of a range."""
        return None

    def covered(self, a: Ints, b: Ints, data: Ints) -> Floats | None:
        """Return None: two numbers span a range."""
        return None

    def generalises(self, code: int, codes: Ints) -> NDArray[np.bool_]:
        """Return which values a value is true of: a range, of the numbers and ranges in it, its ends included."""
        low, high = self._true_ends[code]
        inside = (self._true_ends[codes, 0] >= low) & (self._true_ends[codes, 1] <= high)
        return inside | super().generalises(code, codes)

    def range(self, a: Ints, b: Ints) -> Floats:
        """Return the width of the range that covers two values, as a share of the range of the data."""
        low = np.minimum(self._ends[a, 0], self._ends[b, 0])
        high = np.maximum(self._ends[a, 1], self._ends[b, 1])
        width = np.minimum((high - low) / self.span, 1.0) if self.span > 0 else (a != b).astype(np.float64)
        return np.where(self.unlinked[a] | self.unlinked[b], (a != b).astype(np.float64), width)

    def generalisations(self) -> list[list[Value]]:
        """Return the numbers; classes of readable widths, each level's in those of the next; and null for all."""
        levels = self._merged_classes() if self.representation.classes else self._nested_classes()
        return [list(self.values), *levels, [None] * len(self.values)]

    def _nested_classes(self) -> list[list[Value]]:
        low, high = self.bounds
        return self._classes(nested_steps((high - low) * 10**self.decimals))

    def classes_within(self, limits: Sequence[int]) -> list[list[Value]]:
        """Return the classes of the values at levels with at most so many classes each."""
        low, high = (round(x * 10**self.decimals) for x in self.bounds)
        return self._classes(steps_within(low, high, limits))

    def _classes(self, steps: Sequence[int]) -> list[list[Value]]:
        """Return the class of each value, for each of some widths of classes."""
        low, high = self.bounds
        lowest = low if np.isneginf(self._true_ends).any() else None
        highest = high if np.isposinf(self._true_ends).any() else None

        def wider(code: int, step: int) -> Value:
            if self.unlinked[code]:
                return self.values[code]
            start, end = self._true_ends[code].tolist()
            ends = (end if math.isinf(start) else start, start if math.isinf(end) else end)
            return opened(class_of(ends, step, self.decimals), lowest, highest)

        return [[wider(code, step) for code in range(len(self.values))] for step in steps]

    def _merged_classes(self) -> list[list[Value]]:
        classes = sorted({v for v in self.values if isinstance(v, tuple)})
        place = {value: i for i, value in enumerate(classes)}
        return [
            [spanned(classes, *level[place[v]]) if v in place else v for v in self.values]
            for level in merged_neighbours(len(classes))
        ]


def _outermost(numbers: Floats, persons: Floats) -> tuple[float, float]:
    """Return the lowest number and that of the next person, which is the same where several have it."""
    order = np.argsort(numbers, kind="stable")[:2]
    lowest, second = numbers[order].tolist()
    return lowest, lowest if persons[order[0]] > 1 else second


def mean_distance(a: Floats, b: Floats) -> Floats:
    """Return the mean distance of a number in range a to one in range b; ranges are given by their two ends.

    Between two ranges it is that of the middle of the narrower one.

    >>> mean_distance(np.array([3.0, 3.0]), np.array([[3.0, 3.0], [0.0, 10.0], [4.0, 6.0]])).tolist()
    [0.0, 2.9, 2.0]
    """
    a, b = np.broadcast_arrays(a, b)
    narrower = (a[..., 1] - a[..., 0] <= b[..., 1] - b[..., 0])[..., None]
    point = np.where(narrower, a, b).mean(axis=-1)
    low, high = np.moveaxis(np.where(narrower, b, a), -1, 0)
    width = high - low
    inside = (width > 0) & (low < point) & (point < high)
    squares = (point - low) ** 2 + (high - point) ** 2
    spread = np.divide(squares, 2 * width, out=np.zeros_like(width), where=inside)
    return np.where(inside, spread, np.abs(point - (low + high) / 2))
