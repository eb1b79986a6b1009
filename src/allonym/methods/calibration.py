"""The privacy loss of the exponential mechanism on a public domain, and the scale that spends ε without exceeding it.

A value x becomes c with probability P(c | x) = w(x, c) / Z(x), where w is a whole number near 2^43·exp(-s·d), d how
much farther c is from x than the nearest candidate, and Z(x) the sum of the weights of all candidates. The privacy loss
of a scale s is the largest log P(c | x) - log P(c | y) over all candidates c and all values x and y that anyone may
have: each concept of the domain, a leaf below each, and null. For a given c, x and y do not depend on each other, so
that the loss is

    max_c [max_x log P(c | x) - min_y log P(c | y)],

which takes one pass over all pairs of a value and a candidate. Nothing here depends on a table.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints, Keys
from allonym.kinds.domain import TIE_DECIMALS, Domain
from allonym.metric import Value

BITS = 43  # of the largest weight
MARGIN = 2.0**-40  # taken off ε: more than logarithms of weights, and drawing from 128 bits, can change a loss
ROUNDED = 2.0**-37  # times the scale, taken off too: more than distances can differ by rounding to 12 decimals
MAX_PAIRS = 2**27  # of values and candidates that are compared
PAIRS_AT_A_TIME = 2**20
SPENT = 0.999  # share of ε at which the search for a scale ends
MAX_STEPS = 60  # of this search
MAX_DOMAINS, MAX_SCALES = 4, 1_000  # whose distances are cached, and calibrations

Codes = NDArray[np.unsignedinteger]


@dataclass(frozen=True)
class Calibration:
    """A scale, and the ε that it spends at most; `exact`, unless the domain is too large to compute the loss."""

    scale: float
    epsilon: float
    exact: bool


def weights_of(distances: Floats, scale: float) -> Keys:
    """Return the weights of distances beyond that of the nearest candidate: ⌈2^43·exp(-s·d)⌉, and at least 1.

    >>> weights_of(np.array([0.0, 1.0, 1000.0]), math.log(2)).tolist() == [2**43, 2**42, 1]
    True
    """
    return np.maximum(np.ceil(2.0**BITS * np.exp(-scale * distances)), 1.0).astype(np.uint64)


class _Levels:
    """Distances as numbers: each distinct one has a code, in the order in which they come."""

    def __init__(self) -> None:
        self._sorted, self._codes = np.array([np.inf]), np.array([0])

    def codes_of(self, distances: Floats) -> Codes:
        """Return the codes of distances."""
        places = self._sorted.searchsorted(distances)
        new = np.unique(distances[self._sorted[places] != distances])
        if len(new):
            where = self._sorted.searchsorted(new)
            self._codes = np.insert(self._codes, where, np.arange(len(new)) + len(self._codes))
            self._sorted = np.insert(self._sorted, where, new)
            places = self._sorted.searchsorted(distances)
        codes = self._codes[places]
        return codes.astype(np.min_scalar_type(len(self._codes)))

    @property
    def distances(self) -> Floats:
        """The distance of each code."""
        return self._sorted[np.argsort(self._codes)]


@dataclass(frozen=True, eq=False)
class PublicDistances:
    """The distances of all values that anyone may have to all candidates, less that to the nearest one.

    There is a row for each concept, then one for a leaf below each, and a column for each candidate. Of twins, which
    can be exchanged without changing any distance (`Domain.twins`), only the first has a row and a column. Its
    distance to the second stands for those of the others to it.
    """

    levels: Floats
    blocks: tuple[Codes, ...]  # rows of codes, which are places in `levels`
    counts: Ints  # for every column, how many candidates it stands for
    own: Ints  # for every row, the column of its concept; -1, if that is no candidate
    twin: Ints  # for every row, the code of the distance to a twin of its concept; -1, if there is none
    others: Ints  # for every row, how many candidates are twins of its concept
    nearest: Floats  # for every row, the distance to the nearest candidate
    nulls: bool  # whether null is a candidate

    @classmethod
    def of(cls, domain: Domain, candidates: Sequence[Value]) -> PublicDistances | None:
        """Compute the distances; None, if there are too many pairs."""
        known = np.array([c for c in candidates if c is not None], np.int64)
        times = np.bincount(domain.places(known), minlength=len(domain))  # a candidate may be listed twice
        twins = domain.twins(times)
        _, rows, sizes = np.unique(twins, return_index=True, return_counts=True)
        columns = rows[times[rows] > 0]
        if 2 * len(rows) * len(columns) > MAX_PAIRS:
            return None
        levels, blocks, to_twins, nearest = _Levels(), [], [], []
        height = max(1, PAIRS_AT_A_TIME // max(len(columns), 1))
        seconds = np.where(times[rows] > 0, _seconds(twins, sizes), -1)
        nulls = len(known) < len(candidates)
        for leaves in (False, True):
            to_twin = _to_twins(domain, rows, seconds, leaves=leaves)
            for low in range(0, len(rows), height):
                table = domain.table(rows[low : low + height], columns, leaves=leaves)
                least = np.minimum(table.min(axis=1, initial=1.0 if nulls else np.inf), to_twin[low : low + height])
                blocks.append(levels.codes_of(table - least[:, None]))
                nearest.append(least)
            beyond = to_twin - np.concatenate(nearest)[-len(rows) :]
            to_twins.append(np.where(seconds >= 0, levels.codes_of(beyond).astype(np.int64), -1))
        own = np.full(len(rows), -1)
        own[times[rows] > 0] = np.arange(len(columns))
        others, counts = times[rows] * (sizes - 1), (times[rows] * sizes)[times[rows] > 0]
        of_rows = np.tile(own, 2), np.concatenate(to_twins), np.tile(others, 2), np.concatenate(nearest)
        return cls(levels.distances, tuple(blocks), counts, *of_rows, nulls)

    def loss(self, scale: float) -> float:
        """Return the largest log P(c | x) - log P(c | y) at a scale, for the weights that are drawn from."""
        one, zero = (int(w) for w in weights_of(np.array([1.0 if self.nulls else 0.0, 0.0]), scale))
        null_total = int(self.counts.sum()) * one + self.nulls * zero
        most = np.full(len(self.counts), math.log(one) - math.log(null_total))  # what null becomes
        least = most.copy()
        of_null = [math.log(zero) - math.log(null_total)]  # how likely null is, if it is a candidate
        for logs, to_twins, own in self._log_probabilities(scale, of_null):
            np.maximum(most, logs.max(axis=0, initial=-np.inf), out=most)
            np.minimum(least, logs.min(axis=0, initial=np.inf), out=least)
            most[own], least[own] = np.maximum(most[own], to_twins), np.minimum(least[own], to_twins)
        losses = most - least
        return max(float(losses.max(initial=0.0)), max(of_null) - min(of_null) if self.nulls else 0.0)

    def _log_probabilities(self, scale: float, of_null: list[float]) -> Iterator[tuple[Floats, Floats, Ints]]:
        """Yield log P(c | x) for some rows x and all columns c, and for twins of the concepts of x in their columns."""
        weights = weights_of(self.levels, scale).astype(np.int64)
        logs, low = np.log(weights.astype(np.float64)), 0
        for codes in self.blocks:
            rows = slice(low, low + len(codes))
            own, twin, others = self.own[rows], self.twin[rows], self.others[rows]
            paired = np.flatnonzero((twin >= 0) & (own >= 0))
            null_weights = weights_of(1.0 - self.nearest[rows], scale).astype(np.int64)
            totals = weights[codes] @ self.counts + (null_weights if self.nulls else 0)
            totals[paired] += others[paired] * (weights[twin[paired]] - weights[codes[paired, own[paired]]])
            log_totals = np.log(totals.astype(np.float64))
            if self.nulls:
                of_null += (np.log(null_weights.astype(np.float64)) - log_totals).tolist()
            yield logs[codes] - log_totals[:, None], logs[twin[paired]] - log_totals[paired], own[paired]
            low += len(codes)

    def least_above_zero(self) -> float:
        """Return the smallest distance above 0; 1, if there is none."""
        return min((x for x in self.levels.tolist() if 0 < x < math.inf), default=1.0)


def _seconds(twins: Ints, sizes: Ints) -> Ints:
    """Return for each number of twins the place of the second; -1, if there is one only."""
    order, starts = np.argsort(twins, kind="stable"), np.cumsum(sizes) - sizes
    return np.where(sizes > 1, order[np.minimum(starts + 1, len(order) - 1)], -1)


def _to_twins(domain: Domain, rows: Ints, seconds: Ints, *, leaves: bool) -> Floats:
    """Return for each row the distance to a twin of its concept; infinity, if there is none."""
    distances, paired = np.full(len(rows), np.inf), np.flatnonzero(seconds >= 0)
    if len(paired):
        concepts = domain.concepts[rows[paired]], domain.concepts[seconds[paired]]
        far = domain.between(*concepts, np.full(len(paired), leaves))
        distances[paired] = np.round(far, TIE_DECIMALS)
    return distances


_distances: dict[Hashable, PublicDistances | None] = {}
_calibrations: dict[Hashable, Calibration] = {}


def calibrated(domain: Domain, candidates: Sequence[Value], epsilon: float) -> Calibration:
    """Return the largest scale, nearly, whose privacy loss on a domain does not exceed ε.

    Where the domain is too large, the scale is ε / 2: since distances are in [0, 1], all weights lie between
    2^43·exp(-s) and 2^43. So do their means. A probability is a weight by a sum, so that the loss is at most 2·s.
    """
    where = domain.fingerprint, tuple(candidates)
    if (*where, epsilon) not in _calibrations:
        if where not in _distances:
            if len(_distances) >= MAX_DOMAINS:
                _distances.pop(next(iter(_distances)))
            _distances[where] = PublicDistances.of(domain, candidates)
        if len(_calibrations) >= MAX_SCALES:
            _calibrations.clear()
        public = _distances[where]
        safe = Calibration((epsilon - MARGIN) / 2, epsilon, exact=False)
        _calibrations[*where, epsilon] = safe if public is None else _largest_scale(public, epsilon)
    return _calibrations[*where, epsilon]


def _largest_scale(public: PublicDistances, epsilon: float) -> Calibration:
    """Search for a scale between one that is safe and one that is not; its own loss decides, whatever the others."""
    largest = BITS * math.log(2) / public.least_above_zero()  # there, every weight is 2^43 or 1
    low, high, guess = (0.0, 0.0), (largest, math.inf), min(epsilon / 2, largest)  # scales with their losses
    aim = (1 + SPENT) / 2 * epsilon
    for step in range(MAX_STEPS):
        loss = public.loss(guess) + MARGIN + ROUNDED * guess
        if loss <= epsilon:
            low = guess, loss
        else:
            high = guess, loss
        width = high[0] - low[0]
        if low[1] >= SPENT * epsilon or width <= 1e-4 * high[0]:
            break
        if high[1] < math.inf:
            guess = low[0] + width * min(max((aim - low[1]) / (high[1] - low[1]), 0.02), 0.98)
        else:
            guess = min(guess * min(max(aim / max(loss, MARGIN), 1 + 1e-4 * 2.0**step), 8.0), largest)
    return Calibration(*low, exact=True)
