"""The pricing problem: the representatives whose best groups cost less than the prices of their tuples.

`cpp/lower_bound.cpp` has the same, without looking at all representatives; both give the same sums and groups.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from allonym.arrays import Floats, Ints
from allonym.compiled import kernels

INFINITE = float("inf")
MAX_COVER = 200  # rows that are filled up exactly; more, as if tuples could be divided


class Priced(NamedTuple):
    """The sum over representatives of the reduced costs of their best groups, where negative.

    Args:
        total: the sum; NaN, if the work exceeds a limit.
        chosen: in how many of these groups each tuple is.
        representatives: those of these groups, a candidate of each attribute, one after the other.
        work: how many distances were looked at.
    """

    total: float
    chosen: Ints
    representatives: Ints
    work: int


class Pricing(Protocol):
    """Tuples that have prices, and what may represent groups of them."""

    def price(self, prices: Floats, max_work: int) -> tuple[float, Ints, Ints, int]:
        """Price all representatives: return what `Priced` has, as far as the work allows."""


@dataclass(frozen=True, eq=False)
class ExhaustivePricing:
    """Tuples that are to be grouped, and what may represent groups.

    Args:
        columns: for each attribute the distances of candidates (rows) to values, times the weight of the attribute.
        codes: the tuples, p × m.
        mass: what each tuple counts for the loss.
        rows: how many rows each tuple has.
        k: how many rows a group has at least.
    """

    columns: Sequence[Floats]
    codes: Ints
    mass: Floats
    rows: Ints
    k: int

    @cached_property
    def representatives(self) -> Ints:
        """All representatives: a candidate of each attribute, in lexicographic order."""
        sizes = [len(column) for column in self.columns]
        return np.stack([x.ravel() for x in np.indices(sizes)], axis=1).astype(np.int64)

    @cached_property
    def costs(self) -> Floats:
        """ω·d² of each representative and each tuple; infinite, if it cannot represent the tuple."""
        distances = np.zeros((1, len(self.rows)))
        for column, codes in zip(self.columns, self.codes.T, strict=True):
            distances = (distances[:, None, :] + column[None, :, codes]).reshape(-1, len(self.rows))
        with np.errstate(invalid="ignore"):  # infinite times 0
            return np.where(distances < INFINITE, self.mass * (distances * distances), INFINITE)

    def price(self, prices: Floats, max_work: int) -> Priced:
        """Price all representatives."""
        chosen = np.zeros(len(self.rows), np.int64)
        work = math.prod(len(column) for column in self.columns) * len(self.rows)
        if work > max_work:
            return Priced(float("nan"), chosen, np.zeros(0, np.int64), work)
        reduced = self.costs - prices
        gains = np.add.accumulate(np.minimum(reduced, 0.0), axis=1)[:, -1]  # one after the other, as compiled kernels
        found, total = [], 0.0
        for r in np.flatnonzero(gains < 0).tolist():
            value, members = _best_group(reduced[r], float(gains[r]), self.rows, self.k)
            if value < 0:
                total += value
                chosen[members] += 1
                found.append(r)
        return Priced(total, chosen, self.representatives[found].ravel(), work)


def pricing_of(columns: Sequence[Floats], codes: Ints, mass: Floats, rows: Ints, k: int) -> Pricing:
    """Return the pricing problem; the compiled version, if there is one."""
    if kernels is None:
        return ExhaustivePricing(columns, codes, mass, rows, k)
    pricing: Pricing = kernels.Pricing(
        [np.ascontiguousarray(column) for column in columns],
        np.ascontiguousarray(codes, np.int32),
        np.ascontiguousarray(mass, np.float64),
        np.ascontiguousarray(rows, np.int64),
        k,
    )
    return pricing


def _best_group(reduced: Floats, gain: float, rows: Ints, k: int) -> tuple[float, list[int]]:
    """Return the least sum of reduced costs of a group with k rows or more, if it is negative, and its members.

    `gain` is the sum of the negative ones.
    """
    members = np.flatnonzero(reduced < 0).tolist()
    missing = k - int(rows[members].sum())
    if missing <= 0:
        return gain, members
    others = np.flatnonzero((reduced >= 0) & (reduced < -gain))  # what costs more than the others gain is in no group
    costs, own = reduced[others].tolist(), rows[others].tolist()
    cost, more = _divided_cover(costs, own, missing)
    if gain + cost < 0 and missing <= MAX_COVER:
        cost, more = _cover(costs, own, missing)
    return (gain + cost, members + others[more].tolist()) if gain + cost < 0 else (0.0, [])


def _cover(costs: list[float], rows: list[int], missing: int) -> tuple[float, list[int]]:
    """Return the least cost of items with so many rows or more (a covering knapsack), and these items."""
    least = [0.0] + [INFINITE] * missing
    taken: list[list[bool]] = []
    for cost, own in zip(costs, rows, strict=True):
        taken.append([False] * (missing + 1))
        for j in range(missing, 0, -1):
            if (new := least[max(j - own, 0)] + cost) < least[j]:
                least[j], taken[-1][j] = new, True
    chosen, j = [], missing
    for i in range(len(costs) - 1, -1, -1):
        if j > 0 and taken[i][j]:
            chosen.append(i)
            j = max(j - rows[i], 0)
    return least[missing], chosen


def _divided_cover(costs: list[float], rows: list[int], missing: int) -> tuple[float, list[int]]:
    """Return the least cost of so many rows, where items may be divided, and these items."""
    total, chosen = 0.0, []
    for each, i in sorted((cost / own, i) for i, (cost, own) in enumerate(zip(costs, rows, strict=True))):
        part = min(rows[i], missing)
        total += each * part
        chosen.append(i)
        missing -= part
        if not missing:
            return total, chosen
    return INFINITE, []
