"""Subgradient ascent: the prices of tuples with which the lower bound is largest."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from allonym.arrays import Floats, Ints
from allonym.methods.lower_bound.pricing import Priced, Pricing
from allonym.progress import Progress, no_progress

SCALED = 10  # iterations that scale the prices, before those that take steps
RAISED, POWER = 1.25, -0.4  # factor of the price of a tuple in no group; exponent of the number of its groups
SMOOTHING = 0.3  # share of the newest subgradient in the direction of a step
PATIENCE = 5  # steps without a larger bound, after which they become shorter
SHORTER = 0.7
SIGNED = 0.4  # steps that are longer than this leave no price below 0, which makes them faster
SHORTEST = 1e-3  # steps that are this short gain nothing
LEAST_GAIN = 1e-5  # of the bound
FIRST = 40  # part of the work that one of the first iterations may take, because prices are too high at first
LOWERED = 0.3  # factor of prices that are so high that too many representatives must be looked at


class Ascent(NamedTuple):
    """The largest lower bound that was found, and its prices; -inf, if none was."""

    bound: float
    prices: Floats
    work: int
    found: list[tuple[float, Ints]]  # each bound on the way, and the representatives that it is computed with


class _Search:
    """Prices that are being improved, within a limit of work."""

    def __init__(self, pricing: Pricing, prices: Floats, max_work: int) -> None:
        self.pricing, self.prices, self.best_prices = pricing, prices, prices
        self.bound, self.work, self.max_work = -np.inf, 0, max_work
        self.found: list[tuple[float, Ints]] = []

    def evaluate(self, max_work: int) -> tuple[float, Floats] | None:
        """Return the bound with the current prices, and in how many groups each tuple is; None, if it takes long."""
        priced = Priced(*self.pricing.price(self.prices, max_work))
        self.work += min(priced.work, max_work)
        if np.isnan(priced.total):
            return None
        bound = float(self.prices.sum()) + priced.total
        self.found.append((bound, priced.representatives))
        if bound > self.bound:
            self.bound, self.best_prices = bound, self.prices
        return bound, priced.chosen.astype(np.float64)

    @property
    def left(self) -> int:
        """How much may be looked at."""
        return self.max_work - self.work


def ascend(
    pricing: Pricing,
    prices: Floats,
    loss: float,
    iterations: int,
    max_work: int,
    tick: Progress = no_progress,
) -> Ascent:
    """Return the largest lower bound that is found within some iterations and some work.

    Args:
        pricing: the pricing problem.
        prices: the prices to start from.
        loss: the loss of a known grouping, which no bound exceeds.
        iterations: how often representatives are priced, at most.
        max_work: how many distances are looked at, at most.
        tick: called with the iterations done.
    """
    search = _Search(pricing, prices, max_work)
    for i in range(SCALED):
        tick(i, iterations)
        evaluated = search.evaluate(max(max_work // FIRST, 1))
        if evaluated is None:
            search.prices = search.prices * LOWERED
            continue
        _, groups = evaluated
        search.prices = search.prices * np.where(groups == 0, RAISED, np.maximum(groups, 1.0) ** POWER)
    if np.isfinite(search.bound):
        search.prices = search.best_prices
        _take_steps(search, loss, iterations, tick)
    return Ascent(search.bound, search.best_prices, search.work, search.found)


def _take_steps(search: _Search, loss: float, iterations: int, tick: Progress) -> None:
    """Take steps in the direction of smoothed subgradients, as long as the distance to the known loss suggests."""
    length, waited, direction = 1.0, 0, None
    for i in range(SCALED, iterations):
        tick(i, iterations)
        before = search.bound
        evaluated = search.evaluate(search.left)
        if evaluated is None or length < SHORTEST:
            return
        bound, groups = evaluated
        waited = 0 if search.bound > before + LEAST_GAIN * abs(before) else waited + 1
        if waited >= PATIENCE:
            length, waited, direction, search.prices = length * SHORTER, 0, None, search.best_prices
            continue
        newest = 1.0 - groups
        direction = newest if direction is None else (1 - SMOOTHING) * direction + SMOOTHING * newest
        squares = float((direction**2).sum())
        if squares == 0 or loss - bound <= 1e-9 * loss:
            return
        prices = search.prices + length * (loss - bound) / squares * direction
        search.prices = np.maximum(prices, 0.0) if length > SIGNED else prices
