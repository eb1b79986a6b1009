"""Ordinary noise on numbers, dates and ordered categories, and noise on categories, which are equal or different."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from allonym.arrays import Floats, Ints
from allonym.methods.draws import Words, uniform, uniform_of_one
from allonym.methods.error_distributions import DISTRIBUTIONS, Errors
from allonym.methods.record_level import ByValue, Perturbation
from allonym.metric import Value


@dataclass(frozen=True, eq=False)
class NumericNoise(Perturbation):
    """Errors on a column of numbers, rounded as the column is. Null stays null.

    Dates are the numbers of their days, months or years; ordered categories are their ranks, which are whole. Beyond
    `lowest` and `highest` there is no value: an error that leads farther leads there.
    """

    mean: float
    variance: float
    alpha: float
    decimals: int
    distribution: str = "normal"
    lowest: float = -math.inf
    highest: float = math.inf
    number: Callable[[float], Value] = field(default=float, repr=False)  # the value of a number: of a rank, an int

    @property
    def errors(self) -> Errors:
        """The distribution of the errors."""
        return DISTRIBUTIONS[self.distribution](math.sqrt(self.alpha * self.variance))

    def to_dict(self, to_json: Callable[[Value], Any]) -> dict[str, Any]:
        """Return the mean and the variance."""
        return {"mean": self.mean, "variance": self.variance}

    def _moved(self, numbers: Floats, errors: Floats) -> Floats:
        """Return numbers with their errors."""
        return np.clip(np.round(numbers + errors, self.decimals), self.lowest, self.highest) + 0.0

    def column(self, values: Sequence[Value], codes: Ints, drawn: Words) -> tuple[list[Value], Ints]:
        """Return what rows become: numbers with their errors."""
        moved = self._moved(_numbers(values)[codes], self.errors.quantiles(uniform(drawn[0])))
        distinct, places = np.unique(moved, return_inverse=True)
        return [None if math.isnan(x) else self.number(x) for x in distinct.tolist()], places.ravel()

    def one(self, value: Value, drawn: Sequence[int]) -> Value:
        """Return what a single number becomes."""
        if value is None:
            return None
        error = self.errors.quantile(uniform_of_one(drawn[0]))
        return self.number(float(self._moved(np.array(float(value)), np.array(error))))

    def scores(self, before: Sequence[Value], after: Sequence[Value]) -> Floats:
        """Return the errors that lead from each number to each, as standard normal numbers."""
        return self.errors.scores(_numbers(after) - _numbers(before)[:, None])

    def log_likelihood(self, before: Sequence[Value], after: Sequence[Value]) -> Floats:
        """Return log P(after | before): an error must round to the number after, or lead beyond the last one."""
        was, now = _numbers(before), _numbers(after)
        errors, half = self.errors, 0.5 * 10.0**-self.decimals
        moved = now - was[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            if errors.deviation == 0:
                logs = np.where(np.abs(moved) < half, 0.0, -np.inf)
            else:
                logs = errors.log_between(np.abs(moved), half)
                logs = np.where(now >= self.highest, errors.log_above(moved - half), logs)
                logs = np.where(now <= self.lowest, errors.log_above(-moved - half), logs)
        null = np.isnan(was)[:, None] & np.isnan(now)
        return np.where(null, 0.0, np.where(np.isnan(logs), -np.inf, logs))


def _numbers(values: Sequence[Value]) -> Floats:
    return np.array([np.nan if v is None else v for v in values], np.float64)


@dataclass(frozen=True, eq=False)
class CategoryNoise(ByValue):
    """Noise on categories, which are at distance 0 or 1 (Algorithm 1 of the paper). Null stays null.

    The mean is the most frequent category. An error nearer to 0 than to 1 leaves a category as it is. Otherwise, one
    below 0 leads to the mean, which alone is nearer to it; one above 0, and any from the mean, to any other category.
    """

    known: tuple[Value, ...]
    mean: Value
    variance: float
    alpha: float
    distribution: str = "normal"

    @property
    def errors(self) -> Errors:
        """The distribution of the errors."""
        return DISTRIBUTIONS[self.distribution](math.sqrt(self.alpha * self.variance))

    def to_dict(self, to_json: Callable[[Value], Any]) -> dict[str, Any]:
        """Return the categories, the mean and the variance."""
        values = [to_json(value) for value in self.known]
        return {"mean": to_json(self.mean), "variance": self.variance, "values": values}

    @property
    def outcomes(self) -> Sequence[Value]:
        """The categories, and null."""
        return [*self.known, None]

    def _others(self, value: Value) -> Ints:
        return np.array([place for place, other in enumerate(self.known) if other != value], np.int64)

    def places(self, value: Value, drawn: Words) -> Ints:
        """Return what rows with a category become."""
        if value is None:
            return np.full(drawn.shape[1], len(self.known))
        errors, others = self.errors.quantiles(uniform(drawn[0])), self._others(value)
        own = np.full(len(errors), self.known.index(value))
        if not len(others):
            return own
        any_other = others[(uniform(drawn[1]) * len(others)).astype(np.int64)]
        towards = (errors < 0) & (value != self.mean)
        moved = np.where(towards, self.known.index(self.mean), any_other)
        return np.where(np.abs(errors) < 0.5, own, moved)

    def one(self, value: Value, drawn: Sequence[int]) -> Value:
        """Return what a single category becomes."""
        return self.outcomes[int(self.places(value, np.array(drawn, np.uint64)[:, None])[0])]

    def probabilities(self, value: Value) -> Floats:
        """Return how likely a category becomes each, or null."""
        likely = np.zeros(len(self.known) + 1)
        if value is None:
            likely[-1] = 1.0
            return likely
        others, own = self._others(value), self.known.index(value)
        moving = float(self.errors.beyond(np.array(0.5))) if self.errors.deviation > 0 and len(others) else 0.0
        likely[own] = 1 - moving
        towards = 0.0 if value == self.mean else moving / 2
        likely[self.known.index(self.mean)] += towards
        likely[others] += (moving - towards) / max(len(others), 1)
        return likely

    def scores(self, before: Sequence[Value], after: Sequence[Value]) -> Floats:
        """Return the errors that lead from each category to each, as standard normal numbers; 0, if of either sign."""
        if self.errors.deviation == 0:
            return np.zeros((len(before), len(after)))
        size = float(self.errors.scores(np.array(0.5), np.array(np.inf)))
        return np.array([[self._sign(was, now) * size for now in after] for was in before], np.float64)

    def _sign(self, before: Value, after: Value) -> float:
        """Return the sign of the errors that lead from one category to another."""
        sure = before is not None and after is not None and self.mean not in (before, after) and before != after
        return 1.0 if sure else 0.0
