"""How much meaning was lost? (P1 §4.1)"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from allonym.records import Floats, Ints, Pairs, Records


def distances(pairs: Pairs, masked: Ints | None = None) -> Floats:
    """Return for every pair the distance between the two tuples: the weighted mean over attributes."""
    other = pairs.masked if masked is None else masked
    total = np.zeros(len(pairs.counts))
    for a, attribute in enumerate(pairs.attributes):
        total += pairs.shares[a] * attribute.metric.rows(pairs.original[:, a], other[:, a])
    return total


def sse(pairs: Pairs) -> float:
    """Return Σ dis(x, what stands for x)² over records; dis is the mean over attributes, and that mean is squared.

    >>> from allonym.metrics.equality import Equality
    >>> from allonym.records import Attribute
    >>> job, sex = (Attribute(n, "category", Equality(["a", "b"])) for n in ("job", "sex"))
    >>> was, now = np.array([[0, 0], [1, 1]]), np.array([[0, 1], [1, 1]])
    >>> sse(Pairs((job, sex), was, now, np.array([2, 5]), np.array([2.0, 5.0]))) == 2 * (1 / 2) ** 2
    True
    """
    return float((pairs.mass * distances(pairs) ** 2).sum())


def sst(records: Records) -> float:
    """Return Σ dis(x, centroid of the data)² over records; it is the same whatever the method."""
    extended, codes = [], []
    for a, attribute in enumerate(records.attributes):
        value = attribute.metric.centroid(records.codes[:, a], records.mass)
        metric = attribute.metric.extend([value])
        extended.append(replace(attribute, metric=metric))
        codes.append(metric.values.index(value))
    masked = np.broadcast_to(np.array(codes), records.codes.shape)
    return sse(Pairs(tuple(extended), records.codes, masked, records.counts, records.mass))


def information_loss(squares: float, total: float) -> float:
    """Return L = 100·SSE / SST; where all records were the same to begin with, 0 if they still are, else 100.

    >>> information_loss(1.0, 4.0)
    25.0
    """
    return 100 * squares / total if total > 0 else 100.0 * (squares > 0)


def by_column(pairs: Pairs, records: Records) -> dict[str, float]:
    """Return L of every attribute on its own."""
    return {
        attribute.name: information_loss(sse(_only(pairs, a)), sst(_one(records, a)))
        for a, attribute in enumerate(pairs.attributes)
    }


def _only(pairs: Pairs, a: int) -> Pairs:
    return replace(
        pairs,
        attributes=pairs.attributes[a : a + 1],
        original=pairs.original[:, a : a + 1],
        masked=pairs.masked[:, a : a + 1],
    )


def _one(records: Records, a: int) -> Records:
    return replace(records, attributes=records.attributes[a : a + 1], codes=records.codes[:, a : a + 1])
