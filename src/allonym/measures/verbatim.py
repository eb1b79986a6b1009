"""What sets of a release give away as they stand: sets that are somebody's, and items that few persons hold."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from allonym.arrays import Ints, count_units, take_rows
from allonym.kinds.set_metric import SetMetric
from allonym.records import Pairs


def verbatim_sets(pairs: Pairs, k: int) -> float:
    """Return how many sets of a release are those of a person of the table, of fewer than k persons, in per cent.

    A set is a person's if it has the same items by meaning. Empty sets and missing values are left out.

    >>> from allonym.kinds.category import EqualityMetric
    >>> from allonym.records import Attribute
    >>> sets = SetMetric([frozenset("ab"), frozenset("ac"), frozenset("a")], EqualityMetric([]))
    >>> was, now = np.array([[0], [1], [1]]), np.array([[0], [2], [1]])
    >>> verbatim_sets(Pairs((Attribute("x", "set", sets),), was, now, np.array([1, 1, 1]), np.ones(3)), 2) == 100 / 3
    True
    """
    total = sum(int(pairs.counts[metric.sizes[now] > 0].sum()) for metric, _, now in _columns(pairs))
    return 100 * verbatim_rows(pairs, k) / total if total else 0.0


def verbatim_rows(pairs: Pairs, k: int) -> float:
    """Return how many records of a release have such a set; one with two columns of sets may count twice."""
    rows = 0
    for metric, was, now in _columns(pairs):
        held = _holders(pairs, was, len(metric.values))[now]
        rows += int(pairs.counts[(metric.sizes[now] > 0) & (held > 0) & (held < k)].sum())
    return float(rows)


def rare_items(pairs: Pairs, k: int) -> float:
    """Return how many items of a release fewer than k persons hold, each counted as often as it occurs, in per cent.

    A person holds an item, or a concept, who has it or something below it. What nobody holds gives nobody away.
    """
    rare = total = 0
    for metric, was, now in _columns(pairs):
        starts, items = metric.rows
        sizes, occurring = take_rows(starts, items, now)
        times = np.repeat(pairs.counts, np.diff(sizes))
        used, place = np.unique(occurring, return_inverse=True)
        holders = np.array([_holders_of(pairs, metric, item, was) for item in used.tolist()], np.int64)
        few = (holders > 0) & (holders < k)
        rare += int(times[few[place.ravel()]].sum())
        total += int(times.sum())
    return 100 * rare / total if total else 0.0


def _columns(pairs: Pairs) -> Iterator[tuple[SetMetric, Ints, Ints]]:
    """Yield the columns of sets: their metric, and their codes before and after."""
    for a, attribute in enumerate(pairs.attributes):
        if isinstance(attribute.metric, SetMetric):
            yield attribute.metric, pairs.original[:, a], pairs.masked[:, a]


def _holders(pairs: Pairs, codes: Ints, size: int) -> Ints:
    """Return how many persons (rows, where no units are given) hold each of some codes."""
    if pairs.units is not None:
        return count_units(codes, pairs.units, size)
    return np.bincount(codes, weights=pairs.counts, minlength=size).astype(np.int64)


def _holders_of(pairs: Pairs, metric: SetMetric, item: int, was: Ints) -> int:
    """Return how many persons hold an item or something below it."""
    own = metric.having(item)[was]
    return int(pairs.counts[own].sum()) if pairs.units is None else len(np.unique(pairs.units[own]))
