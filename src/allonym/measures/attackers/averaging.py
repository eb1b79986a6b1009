"""An attacker who combines all rows of a person before linking."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from allonym.arrays import Floats, Ints, distinct, sum_by
from allonym.measures.attackers.base import Attacker, Estimate, interval_of, several_rows
from allonym.records import Pairs

MAX_PAIRS = 10_000_000  # of persons, or of values, to compare at a time; beyond, persons are sampled
TIE = 1e-9


def averaging(pairs: Pairs, seed: int = 0, *, exact: bool = False) -> Estimate:
    """Return how often all rows of a person together lead to the right person's rows in the release, in per cent.

    The attacker compares the means of rows. Only distances are known, and these suffice: the squared distance between
    the mean of the rows X of a person before and the mean of the rows Y of a person in the release is E d²(X, Y) -
    E d²(X, X')/2 - E d²(Y, Y')/2 (Gower 1966), summed over columns by their weights. The more rows a person has, the
    more independent errors cancel out. Every person counts once; above `MAX_PAIRS`, persons are drawn by the seed,
    unless the figure must be exact.
    """
    if not pairs.counts.size or pairs.units is None:
        return Estimate(0.0)
    persons, units = np.unique(pairs.units, return_inverse=True)
    units = units.ravel().astype(np.int64)
    most = _most_targets(pairs, units, len(persons))
    targets, sampled = np.arange(len(persons)), len(persons) > most and not exact
    if sampled:
        targets = np.random.Generator(np.random.Philox(key=seed)).choice(len(persons), size=most)
    columns = [
        (share, metric, _distributions(units, was, pairs.counts), _distributions(units, now, pairs.counts))
        for share, metric, was, now in _columns(pairs)
    ]
    spread = sum(share * _spreads(after, metric) for share, metric, _, after in columns)
    right = np.concatenate(
        [_probabilities(columns, spread, targets[low : low + most]) for low in range(0, len(targets), most)]
    )
    mean = float(right.mean())
    return Estimate(100 * mean, interval_of(mean, len(targets)) if sampled else None)


def _probabilities(columns: Sequence[tuple[float, Any, Any, Any]], spread: Any, targets: Ints) -> Floats:
    """Return for some persons how likely the attacker picks the right one, given their rows before and after."""
    apart = -spread * np.ones((len(targets), 1))
    for share, metric, before, after in columns:
        used = np.unique(before[targets].indices)
        squares = metric.distances(used[:, None], np.arange(after.shape[1])) ** 2
        apart += 2 * share * (after @ (before[targets][:, used] @ squares).T).T
    nearest = apart <= apart.min(axis=1, keepdims=True) + TIE
    right: Floats = nearest[np.arange(len(targets)), targets] / nearest.sum(axis=1)
    return right


def _most_targets(pairs: Pairs, units: Ints, persons: int) -> int:
    """Return how many persons can be looked for at a time."""
    values = max((len(np.unique(pairs.masked[:, a])) for a in range(pairs.masked.shape[1])), default=1)
    rows = max(len(units) / persons, 1.0)  # of a person, that are different
    return max(int(MAX_PAIRS / max(persons, values * rows)), 1)


def _columns(pairs: Pairs) -> Iterator[tuple[float, Any, Ints, Ints]]:
    """Yield the share of each attribute, its metric, and its codes before and after, among the codes that occur."""
    for a, attribute in enumerate(pairs.attributes):
        used, codes = np.unique(np.concatenate([pairs.original[:, a], pairs.masked[:, a]]), return_inverse=True)
        was, now = np.split(codes.ravel().astype(np.int64), 2)
        yield float(pairs.shares[a]), attribute.metric.restricted_to(used), was, now


def _distributions(units: Ints, codes: Ints, counts: Ints) -> Any:
    """Return how the rows of each person are distributed over values, as a sparse matrix."""
    from scipy.sparse import csr_array

    cell, _, first = distinct([units, codes])
    amounts = sum_by(cell, counts.astype(np.float64), len(first))
    rows = sum_by(units[first], amounts, int(units.max()) + 1)
    shape = int(units.max()) + 1, int(codes.max()) + 1
    return csr_array((amounts / rows[units[first]], (units[first], codes[first])), shape)


def _spreads(distributions: Any, metric: Any) -> Floats:
    """Return the mean squared distance between two rows of each person."""
    starts, values, shares = distributions.indptr, distributions.indices, distributions.data
    lengths = np.diff(starts)
    spreads = np.zeros(len(lengths))
    for person in np.flatnonzero(lengths > 1).tolist():
        own = slice(starts[person], starts[person + 1])
        spreads[person] = shares[own] @ metric.distances(values[own][:, None], values[own]) ** 2 @ shares[own]
    return spreads


ATTACKER = Attacker(
    "averaging",
    "linked by averaging",
    "knows all rows of a person, can tell which rows of the release belong to one person, and compares their means",
    "releases with several rows per person and columns that are not masked, by which rows can be tied together",
    lambda setting: setting.tied_rows and several_rows(setting.pairs),
    lambda setting: averaging(setting.pairs, setting.seed, exact=setting.exact),
)
