"""What was lost? Every function takes a release as `Pairs`; survey weights count where there are any."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints, sum_by
from allonym.kinds.set_metric import SetMetric
from allonym.metric import Metric
from allonym.records import Attribute, Pairs

# --- meaning (Martínez, Sánchez and Valls 2012, §4.1; Martínez 2010, §4.2 and §5) -----------------------------------


def distances(pairs: Pairs) -> Floats:
    """Return for every pair the distance between the two tuples: the weighted mean over attributes.

    A suppressed value counts with its distance to the centroid of its column.
    """
    return pairs.tuple_distances


def sse(pairs: Pairs) -> float:
    """Return Σ dis(x, what stands for x)² over records; dis is the mean over attributes, and that mean is squared.

    >>> from allonym.kinds.category import EqualityMetric
    >>> from allonym.records import Attribute
    >>> job, sex = (Attribute(n, "category", EqualityMetric(["a", "b"])) for n in ("job", "sex"))
    >>> was, now = np.array([[0, 0], [1, 1]]), np.array([[0, 1], [1, 1]])
    >>> sse(Pairs((job, sex), was, now, np.array([2, 5]), np.array([2.0, 5.0]))) == 2 * (1 / 2) ** 2
    True
    """
    return float((pairs.mass * distances(pairs) ** 2).sum())


def sst(pairs: Pairs) -> float:
    """Return Σ dis(x, centroid of the data)² over records; it is the same whatever the method."""
    return sse(pairs.blind)


def information_loss(pairs: Pairs) -> float:
    """Return L = 100·SSE / SST; where all records were the same to begin with, 0 if they still are, else 100."""
    squares, total = sse(pairs), sst(pairs)
    return 100 * squares / total if total > 0 else 100.0 * (squares > 0)


def semantic_quality(pairs: Pairs) -> float:
    """Return the mean similarity of values and their replacements, in per cent (Martínez 2010, eq. 22)."""
    return 100 * (1 - _mean(pairs, distances(pairs)))


def path_distance(pairs: Pairs) -> float:
    """Return the mean number of links between values and their replacements, over the columns with an ontology."""
    similarities = [
        links
        for a, attribute in enumerate(pairs.attributes)
        if (links := attribute.metric.links(pairs.original[:, a], pairs.masked[:, a])) is not None
    ]
    return _mean(pairs, np.mean(similarities, axis=0)) if similarities else 0.0


def content_loss(pairs: Pairs) -> float:
    """Return the mean of -log p over records and columns, original minus masked; p is a value's share of its column."""

    def content(codes: np.ndarray) -> float:
        shares = sum_by(codes, pairs.mass, int(codes.max(initial=-1)) + 1) / max(pairs.mass.sum(), 1e-300)
        known = shares[shares > 0]
        return float(-(known * np.log(known)).sum())

    columns = range(len(pairs.attributes))
    return float(np.mean([content(pairs.original[:, a]) - content(pairs.masked[:, a]) for a in columns]))


def set_loss(pairs: Pairs, distance: str = "avg") -> float:
    """Return Σ d² between sets and their replacements (Batet et al. 2014, eq. 8), over all columns of sets.

    By `avg` a set is not 0 from itself, so that even the table as it was has such a loss: the floor.
    """
    total = 0.0
    for a, attribute in enumerate(pairs.attributes):
        if isinstance(attribute.metric, SetMetric):
            far = attribute.metric.with_distance(distance).distances(pairs.original[:, a], pairs.masked[:, a])
            total += float((pairs.mass * far**2).sum())
    return total


def _mean(pairs: Pairs, amounts: Floats) -> float:
    """Return the mean over records."""
    total = pairs.mass.sum()
    return float((pairs.mass * amounts).sum() / total) if total > 0 else 0.0


# --- generalisation (Martínez 2010, §2.6) ---------------------------------------------------------------------------


def loss_metric(pairs: Pairs) -> float:
    """Return Iyengar's loss metric: (M_P - 1)/(M - 1) per cell, the mean per column, summed over columns.

    M are the leaves of the column's hierarchy, whether the data have them or not, and M_P those under what a value and
    its replacement have in common. Of a column without a hierarchy, leaves are the values in the data; of numbers and
    ranks the range between the two counts, as a share of the whole. Where there is a single leaf, whatever changed is
    lost.
    """
    cells = _cells(pairs, lambda under, leaves: (under - 1) / (leaves - 1) if leaves > 1 else np.ones_like(under))
    return sum(_mean(pairs, column) for column in cells)


def certainty_penalty(pairs: Pairs) -> float:
    """Return the normalised certainty penalty: M_P / M per cell, 0 where M_P is 1; the mean over all cells (NCP)."""
    cells = _cells(pairs, lambda under, leaves: np.where((under <= 1) & (leaves > 1), 0.0, under / leaves))
    return float(np.mean([_mean(pairs, column) for column in cells]))


def _cells(pairs: Pairs, cost: Callable[[Floats, int], Floats]) -> list[Floats]:
    """Return for each column what every pair costs; what is unchanged costs nothing."""
    costs_of_columns = []
    for a, attribute in enumerate(pairs.attributes):
        was, now = pairs.original[:, a], pairs.masked[:, a]
        data = np.flatnonzero(np.bincount(was))
        metric = _with_leaves(attribute, now)
        under = metric.covered(was, now, data)
        costs = metric.range(was, now) if under is None else cost(under, metric.leaf_count(data))
        costs_of_columns.append(np.where(was == now, 0.0, costs))
    return costs_of_columns


def _with_leaves(attribute: Attribute, masked: Ints) -> Metric:
    """Return what counts leaves: the hierarchy beside the ontology, if it has all masked values; else, the metric."""
    hierarchy = attribute.hierarchy
    return attribute.metric if hierarchy is None or masked.max(initial=0) >= len(hierarchy.values) else hierarchy


# --- groups (Martínez 2010, §2.6) -----------------------------------------------------------------------------------


def discernibility(pairs: Pairs) -> float:
    """Return Σ|g|² over groups of records that look alike: each record is penalised by the size of its group.

    Suppressed records are penalised by the size of the table (Bayardo and Agrawal 2005).
    """
    kept = _not_suppressed(pairs)
    sizes = np.bincount(pairs.groups[kept], weights=pairs.counts[kept])
    return float((sizes**2).sum() + pairs.counts[~kept].sum() * pairs.counts.sum())


def group_size(pairs: Pairs, k: int) -> float:
    """Return C_AVG = n / (groups · k): 1 would be groups of k; suppressed records are left out."""
    kept = _not_suppressed(pairs)
    groups = len(np.unique(pairs.groups[kept]))
    return float(pairs.counts[kept].sum() / (groups * k)) if groups else 0.0


def _not_suppressed(pairs: Pairs) -> NDArray[np.bool_]:
    """Return which records are in the release and still have values."""
    there = pairs.groups >= 0
    return there if pairs.suppressed is None else there & ~pairs.suppressed
