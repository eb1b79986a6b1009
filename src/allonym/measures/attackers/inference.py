"""An attacker who infers a sensitive value: the most frequent one among the records that may be a person's."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from allonym.arrays import Floats, Ints, distinct, sum_by
from allonym.measures.attackers.base import Estimate, interval_of
from allonym.measures.attackers.meaning import searches, targets
from allonym.records import Pairs


@dataclass(frozen=True)
class Inference:
    """How often a sensitive value is guessed right, in per cent."""

    value: float  # in the release
    before: float  # in the original table
    baseline: float  # by the most frequent value of the table
    marginal: float  # by a value drawn at random from the table
    interval: tuple[float, float] | None = None  # of a sample, with 95 % confidence

    def to_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        interval = None if self.interval is None else list(self.interval)
        figures = {"value": self.value, "before": self.before, "baseline": self.baseline, "marginal": self.marginal}
        return figures | {"interval": interval}


def guessed_in_groups(groups: Ints, values: Ints, counts: Floats, units: Ints | None = None) -> float:
    """Return how often the most frequent value of a group is a person's own, in per cent.

    Where there are units, a person's value counts once in a group.

    >>> guessed_in_groups(np.array([0, 0, 0, 1]), np.array([5, 5, 6, 6]), np.ones(4)) == 100 * (2 + 1) / 4
    True
    """
    if not groups.size:
        return 0.0
    if units is not None:
        first = distinct([groups, values, units])[2]
        groups, values, counts = groups[first], values[first], np.ones(len(first))
    number, _, first = distinct([groups, values])
    held = sum_by(number, counts, len(first))
    most = np.zeros(int(groups.max()) + 1)
    np.maximum.at(most, groups[first], held)
    return float(100 * most.sum() / held.sum())


def drawn_from_table(values: Ints, counts: Floats, units: Ints | None = None) -> float:
    """Return how often a value drawn at random from the table is a person's own, in per cent.

    >>> drawn_from_table(np.array([5, 5, 6, 6]), np.array([1, 2, 1, 0])) == 100 * ((3 / 4) ** 2 + (1 / 4) ** 2)
    True
    """
    if units is not None:
        first = distinct([values, units])[2]
        values, counts = values[first], np.ones(len(first))
    held = np.bincount(values, weights=counts)
    return float(100 * ((held / held.sum()) ** 2).sum()) if held.sum() else 0.0


def guessed_by_nearest(pairs: Pairs, column: int, seed: int = 0, *, exact: bool = False) -> Estimate:
    """Return how often the most frequent value of the nearest records of the release is a person's own, in per cent.

    For releases whose records form no groups: the attacker goes by meaning, as in linkage by meaning.
    """
    from scipy.sparse import csr_array

    assert pairs.sensitive_codes is not None
    if not pairs.counts.size:
        return Estimate(0.0)
    used, values = np.unique(pairs.sensitive_codes[:, column], return_inverse=True)
    values = values.ravel().astype(np.int64)
    seen, shown = pairs.masked_tuples
    held = csr_array((pairs.counts.astype(np.float64), (values, seen)), (len(used), len(shown)))
    chosen, sampled = targets(pairs, seed, exact=exact)
    probabilities = []
    for search in searches(pairs, chosen):
        frequency = (held @ search.near.as_matrix().T).toarray()  # a row for each value, a column for each tuple
        modes = frequency >= frequency.max(axis=0)
        probabilities.append(modes[values[search.chosen], search.rows] / modes.sum(axis=0)[search.rows])
    right = np.concatenate(probabilities)
    if sampled:
        return Estimate(float(100 * right.mean()), interval_of(float(right.mean()), len(right)))
    return Estimate(float(100 * (pairs.counts[chosen] * right).sum() / pairs.counts.sum()))


def inferred_in_groups(before: Ints, after: Ints, values: Ints, counts: Floats, units: Ints | None = None) -> Inference:
    """Measure what groups reveal of a sensitive column, from the group before and after, and the value, of each row."""
    one_group = np.zeros(len(values), np.int64)
    was, now, table = (guessed_in_groups(groups, values, counts, units) for groups in (before, after, one_group))
    return Inference(now, was, table, drawn_from_table(values, counts, units))


def inferred(pairs: Pairs, column: int, *, grouped: bool, seed: int = 0, exact: bool = False) -> Inference:
    """Measure the inference of a sensitive column, from a person's group or, without groups, the nearest records."""
    assert pairs.sensitive_codes is not None
    before, after = (groups - int(groups.min(initial=0)) for groups in (pairs.unmasked.groups, pairs.groups))
    values, counts = pairs.sensitive_codes[:, column], pairs.counts.astype(np.float64)
    inference = inferred_in_groups(before, after, values, counts, pairs.units)
    if grouped:
        return inference
    nearest = guessed_by_nearest(pairs, column, seed, exact=exact)
    return replace(inference, value=nearest.value, interval=nearest.interval)
