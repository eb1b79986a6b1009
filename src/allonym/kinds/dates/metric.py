"""How far apart dates are: by the days, months or years between them."""

from __future__ import annotations

from collections.abc import Sequence, Set

import numpy as np

from allonym.arrays import Floats, Ints
from allonym.kinds.dates.calendar import covering, periods, wider_than
from allonym.kinds.dates.formats import DateFormat
from allonym.kinds.dominance import DominanceRule
from allonym.kinds.metric import BaseMetric
from allonym.kinds.numeric import NumericMetric
from allonym.metric import Value

NO_RULE = DominanceRule(p=0, k=100)  # dates are no amounts
MAX_MOVED = 3_000  # units by which a mean may give way to rare dates


class DateMetric(NumericMetric):
    """Distance in days / span of the column; in months or years, where the column has no days.

    A date is the number of its day, month or year; a period is its first and its last one. The centroid is the mean.
    What is true of several is the narrowest month, quarter or year, or a range of months, years or decades.

    >>> metric = DateMetric([737853.0, 737863.0, 737953.0, None], DateFormat())
    >>> metric.distances(0, [0, 1, 2, 3]).tolist(), metric.centroid(np.array([0, 1]), np.ones(2))
    ([0.0, 0.1, 1.0, 1.0], 737858.0)
    """

    has_amounts = False

    def __init__(
        self, values: Sequence[Value], written: DateFormat, span: float | None = None, narrowest: str | None = None
    ) -> None:
        ends = [end for v in values if isinstance(v, (float, tuple)) for end in (v if isinstance(v, tuple) else (v,))]
        own_span = max(ends, default=0.0) - min(ends, default=0.0)
        super().__init__(values, 0, own_span if span is None else span, NO_RULE)
        self.written, self.narrowest = written, narrowest

    def _with(self, values: Sequence[Value]) -> DateMetric:
        return DateMetric(values, self.written, self.span, self.narrowest)

    def with_holders(self, holders: Ints, k: int) -> DateMetric:
        """Return the same metric: periods end where those of the calendar do, whatever dates there are."""
        return self

    def centroid(self, codes: Ints, counts: Floats) -> Value:
        """Return the mean date; the value that all have, if it is one."""
        return self.values[codes[0]] if (codes == codes[0]).all() else super().centroid(codes, counts)

    def truthful(self, codes: Ints, counts: Floats) -> Value:
        """Return the value that all have; else, the narrowest readable period; null, if a value is missing."""
        if (codes == codes[0]).all() or self.unlinked[codes].any():
            return BaseMetric.subsumer(self, codes, counts)
        ends = self._ends[codes]
        return covering(float(ends[:, 0].min()), float(ends[:, 1].max()), self.written.unit, self.narrowest)

    def beside(self, value: Value, rare: Set[Value]) -> Value:
        """Return the date nearest to a mean that is none of some; the earlier of two. Null, if there is none."""
        if value not in rare:
            return value
        low, high = float(np.nanmin(self._ends)), float(np.nanmax(self._ends))
        steps = (value + sign * step for step in range(1, MAX_MOVED) for sign in (-1, 1))
        return next((x for x in steps if low <= x <= high and x not in rare), None)

    def generalisations(self) -> list[list[Value]]:
        """Return the dates, their months, quarters, years and decades, and null for all."""
        levels = [list(self.values)]
        for period in wider_than(self.written.unit):
            level = [self._period(v, period) for v in self.values]
            if level != levels[-1]:
                levels.append(level)
        return [*levels, [None] * len(self.values)]

    def _period(self, value: Value, period: str) -> Value:
        """Return the period of a value; the value itself, if it is longer."""
        if value is None or isinstance(value, str):
            return value
        low, high = value if isinstance(value, tuple) else (value, value)
        span, steps = periods(low, high, period, self.written.unit)
        return span if steps == 1 else value
