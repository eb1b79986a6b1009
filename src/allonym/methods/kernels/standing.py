"""What stands for a group while groups are being changed: a simpler choice than what is written in the end.

It is the same for all groups with the same values in common, so that it is computed once for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints, added_up
from allonym.kinds.category import EqualityMetric
from allonym.methods.kernels.space import PythonMetric
from allonym.metric import Metric, Value

Bools = NDArray[np.bool_]
NULL = -1  # the number of null
FIRST_VALUE = -3  # the point of the first value that Python chooses; others follow below
INFINITE = float("inf")
MAX_STANDING = 64  # members that are tried as the one whose values a group has
MAX_SWEEPS = 4  # over the attributes, where these are weighed together
TIED = 1e-12  # share of a sum by which two sums may differ in a tie
ROUNDING = 5e-10  # by which a distance may exceed a bound


class Choice(IntEnum):
    """How the value that stands for a group is chosen in one attribute; the numbers are those of `cpp/standing.h`."""

    CENTROID = 0  # the centroid of the values that may be written
    EQUAL = 1  # the value that all have, else null
    COMMON = 2  # a value that all have in common: the same for all groups with the same common ancestors
    RANGE = 3  # a value that covers all: the same for all groups with the same lowest and highest value
    PYTHON = 4  # chosen by a metric in Python
    MODE = 5  # the most frequent of the values that may be written


class Together(IntEnum):
    """How the values of a group are chosen over all attributes; the numbers are those of `cpp/group_loss.h`."""

    ALONE = 0  # each attribute for itself
    SQUARES = 1  # all together, by the squared distances of records
    MEMBER = 2  # the values of one member


class Stand(NamedTuple):
    """What stands for a group in one attribute, and by code what is lost by it."""

    value: Value
    lost: Floats


class ColumnStanding:
    """What stands for groups in one attribute.

    Args:
        metric: the attribute's own metric; what stands for a group is as far from its values as this says.
        chosen: what the value must be: `centroid`, `truthful` or `subsumer`.
        by_mode: whether the method compares values by equality only.
        null_costs: by code, what a value loses if null stands for it.
        barred: by code, which values may not be written as they stand.
        bound: how far what stands may be from each value.
        is_mean: whether the centroid is a mean, which stays what it is.
    """

    def __init__(
        self,
        metric: Metric,
        chosen: str,
        null_costs: Floats,
        barred: Bools,
        bound: float | None,
        *,
        by_mode: bool = False,
        is_mean: bool = False,
    ) -> None:
        self.metric, self.chosen, self.null_costs, self.barred = metric, chosen, null_costs, barred
        self.is_mean = is_mean
        self.bound = np.inf if bound is None else bound + ROUNDING
        self.choice = self._choice(by_mode)
        self.points, self.values = PythonMetric(metric), PythonMetric(metric)
        self.unlinked = np.array([v is None or isinstance(v, str) for v in metric.values], bool)
        self._by_key: dict[Any, Stand] = {}

    def _choice(self, by_mode: bool) -> Choice:
        if self.chosen == "centroid" or (self.chosen == "subsumer" and self.metric.ends is not None):
            if by_mode and not self.metric.ordered:
                return Choice.MODE
            return Choice.CENTROID
        if isinstance(self.metric, EqualityMetric):
            return Choice.EQUAL
        if self.metric.ends is not None:
            return Choice.RANGE
        return Choice.PYTHON if self.metric.ancestor_sets is None else Choice.COMMON

    # --- for compiled kernels --------------------------------------------------------------------------------------

    def form(self) -> dict[str, Any]:
        """Return what compiled kernels need to know."""
        form: dict[str, Any] = {
            "choice": int(self.choice),
            "bound": float(self.bound),
            "null": np.ascontiguousarray(self.null_costs, np.float64),
            "barred": self.barred.astype(np.uint8),
            "unlinked": self.unlinked.astype(np.uint8),
            "value": self.number_of,
            "row": self.values.row,
            "weighed": self.is_weighed,
            "null_code": self.metric.values.index(None) if None in self.metric.values else NULL,
        }
        if self.choice == Choice.COMMON:
            form["above"] = np.ascontiguousarray(self.metric.ancestor_sets)
        if self.choice == Choice.RANGE:
            assert self.metric.ends is not None
            low, high = self.metric.ends.T
            form |= {"low": np.ascontiguousarray(low), "high": np.ascontiguousarray(high)}
        return form

    def point_value(self, point: int) -> Value:
        """Return the value that a point of a compiled kernel is."""
        if point <= FIRST_VALUE:
            return self.values.values[FIRST_VALUE - point]
        return self.points.values[point] if self._form is None else self.metric.point_value(point)

    @cached_property
    def _form(self) -> dict[str, Any] | None:
        return self.metric.compiled_form()

    @property
    def calls_python(self) -> bool:
        """Whether compiled kernels call the metric for each group."""
        return self.choice == Choice.PYTHON or self._form is None

    def space_form(self) -> dict[str, Any]:
        """Return the metric for compiled kernels."""
        return self.points.form() if self._form is None else self._form

    def number_of(self, codes: Ints, mass: Floats) -> int:
        """Return the number of the value that is true of some codes, or stands for them otherwise; NULL for null."""
        value = self._true_of(codes, mass)
        return NULL if value is None else self.values.number_of(value)

    def _true_of(self, codes: Ints, mass: Floats) -> Value:
        choose = self.metric.subsumer if self.chosen == "subsumer" else self.metric.truthful
        if self.choice == Choice.COMMON:  # whatever values have these ancestors in common, and whatever they count
            codes = self._under(np.bitwise_and.reduce(self._sets[codes], axis=0))
            return choose(codes, np.ones(len(codes)))
        if self.choice == Choice.RANGE:
            return choose(codes, np.full(len(codes), 2.0))
        return choose(codes, mass)

    @cached_property
    def _sets(self) -> NDArray[np.uint64]:
        assert self.metric.ancestor_sets is not None
        return self.metric.ancestor_sets

    def _under(self, common: NDArray[np.uint64]) -> Ints:
        """Return the codes that have some ancestors in common."""
        return np.flatnonzero(((self._sets & common) == common).all(axis=1) & ~self.unlinked)

    # --- the same in NumPy -----------------------------------------------------------------------------------------

    @cached_property
    def null(self) -> Stand:
        """Null, which stands for a group of which nothing else may be said."""
        return Stand(None, self.null_costs)

    def stand(self, codes: Ints, mass: Floats) -> Stand:
        """Return what stands for some codes."""
        same = bool((codes == codes[0]).all())
        if self.choice == Choice.PYTHON:
            return self._stand_of(self._true_of(codes, mass))
        if self.choice in (Choice.CENTROID, Choice.MODE):
            kept = ~self.barred[codes]
            if not kept.any():
                return self.null
            stand = self._stand_of(self._centroid(codes[kept], mass[kept]))
            return stand if same else self._within_bound(stand, codes)
        if same:
            return Stand(value := self.metric.values[codes[0]], self.metric.distances_from(value))
        if self.choice == Choice.EQUAL or self.unlinked[codes].any():
            return self.null
        key, own = self._key(codes)
        if key not in self._by_key:
            self._by_key[key] = self._stand_of(self._true_of(own, np.ones(len(own))))
        return self._within_bound(self._by_key[key], codes)

    def _key(self, codes: Ints) -> tuple[Any, Ints]:
        """Return what groups have in common for which the same stands, and the codes that say it."""
        if self.choice == Choice.COMMON:
            return np.bitwise_and.reduce(self._sets[codes], axis=0).tobytes(), codes
        assert self.metric.ends is not None
        low, high = self.metric.ends[codes].T
        own = codes[[int(np.argmin(low)), int(np.argmax(high))]]
        return (float(low.min()), float(high.max())), own

    def _centroid(self, codes: Ints, mass: Floats) -> Value:
        if self.choice == Choice.MODE:
            return EqualityMetric(self.metric.values).centroid(codes, mass)
        return self.metric.centroid(codes, mass)

    def _stand_of(self, value: Value) -> Stand:
        return self.null if value is None else Stand(value, self.metric.distances_from(value))

    def _within_bound(self, stand: Stand, codes: Ints) -> Stand:
        """Return what stands for some codes; null, if it is too far from one of them."""
        return self.null if (stand.lost[codes] > self.bound).any() else stand

    @property
    def is_weighed(self) -> bool:
        """Whether another value than the centroid may stand for a group; a mean of numbers stays what it is."""
        return self.choice == Choice.CENTROID and not self.is_mean

    def alternatives(self, codes: Ints, mass: Floats) -> list[Stand]:
        """Return what else may stand for some codes, except null."""
        kept = ~self.barred[codes]
        values = self.metric.alternatives(codes[kept], mass[kept]) if kept.any() else []
        stands = (self._within_bound(self._stand_of(value), codes) for value in values)
        return [stand for stand in stands if stand.value is not None]


class Standing:
    """What stands for groups in all attributes, and what they lose by it: Σ ω·d²."""

    def __init__(
        self, columns: Sequence[ColumnStanding], shares: Floats, together: Together, may_stand: Bools | None = None
    ) -> None:
        self.columns, self.shares, self.together, self.may_stand = columns, shares, together, may_stand
        self.calls = sum(column.calls_python for column in columns)  # for each group that is weighed

    def weigh(self, codes: Ints, mass: Floats, members: Sequence[int]) -> tuple[float, list[Stand]]:
        """Return what some tuples of codes (m × n) lose, and what stands for them in each attribute."""
        if self.together == Together.MEMBER:
            return self._by_member(codes, mass, members)
        stands = [column.stand(own, mass) for column, own in zip(self.columns, codes, strict=True)]
        if self.together == Together.SQUARES:
            self._choose_together(stands, codes, mass)
        return self.squares(stands, codes, mass), stands

    def squares(self, stands: Sequence[Stand], codes: Ints, mass: Floats) -> float:
        """Return Σ ω·d² of tuples of codes to what stands for them."""
        return added_up(mass * self.distances(stands, codes) ** 2)

    def distances(self, stands: Sequence[Stand], codes: Ints) -> Floats:
        """Return what tuples of codes lose, added up in the order of the attributes."""
        total = np.zeros(codes.shape[1])
        for share, stand, column in zip(self.shares, stands, codes, strict=True):
            total += share * stand.lost[column]
        return total

    def _by_member(self, codes: Ints, mass: Floats, members: Sequence[int]) -> tuple[float, list[Stand]]:
        """Choose the member with which least is lost, of those that may stand for others; the first of equals."""
        assert self.may_stand is not None
        standing = np.flatnonzero(self.may_stand[list(members)])[:MAX_STANDING]
        best = INFINITE, [column.null for column in self.columns]
        if not standing.size:
            return self.squares(best[1], codes, mass), best[1]
        for one in standing.tolist():
            stands = [Stand(v := x.metric.values[c], x.metric.distances_from(v))
                      for x, c in zip(self.columns, codes[:, one], strict=True)]  # fmt: skip
            if (squares := self.squares(stands, codes, mass)) < best[0]:
                best = squares, stands
        return best

    def _choose_together(self, stands: list[Stand], codes: Ints, mass: Floats) -> None:
        """Choose the values of a group together: one attribute after the other, while less is lost."""
        parts = [share * x.lost[column] for share, x, column in zip(self.shares, stands, codes, strict=True)]
        for _ in range(MAX_SWEEPS):
            changed = False
            for a, column in enumerate(self.columns):
                if stands[a].value is None or not column.is_weighed:
                    continue
                rest = np.zeros(codes.shape[1])
                for part in parts[:a] + parts[a + 1 :]:
                    rest += part
                least = added_up(mass * (rest + parts[a]) ** 2)
                for other in column.alternatives(codes[a], mass):
                    trial = self.shares[a] * other.lost[codes[a]]
                    squares = added_up(mass * (rest + trial) ** 2)
                    if squares < least - TIED * least:
                        least, stands[a], parts[a], changed = squares, other, trial, True
            if not changed:
                return
