"""Mean, variance and distances of a column after noise (Rodriguez-Garcia, Batet and Sánchez, §IV)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from allonym.arrays import Floats, Ints
from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.domain import Domain
from allonym.kinds.ranges.numeric_metric import NumericMetric
from allonym.metric import Value
from allonym.records import Pairs


@dataclass(frozen=True)
class Moved:
    """A column before and after; cells that were or became null take no part.

    The paper calls mean distances RMSE, as its figures show: both are here, the root of the mean square under `rmse`.
    """

    mean_before: Value  # a concept, or a number
    mean_after: Value
    mean_distance: float  # of words, semantic; of numbers, the difference
    variance_before: float
    variance: float
    rmse: float
    mean_error: float

    def expected_variance(self, alpha: float) -> float:
        """Return (1 + α)·σ², what the paper expects (eq. 4)."""
        return (1 + alpha) * self.variance_before

    def target_rmse(self, alpha: float) -> float:
        """Return the root of the mean square of errors with variance α·σ²."""
        return math.sqrt(alpha * self.variance_before)


def moved(pairs: Pairs, a: int) -> Moved | None:
    """Compare a column of words or numbers before and after; None, where nothing is known of it."""
    metric = pairs.attributes[a].metric
    was, now, counts = pairs.original[:, a], pairs.masked[:, a], pairs.counts
    if isinstance(metric, ConceptMetric):
        kept = (metric.concepts[was] >= 0) & (metric.concepts[now] >= 0)
        return _words(metric, was[kept], now[kept], counts[kept])
    if isinstance(metric, NumericMetric):
        before, after = metric.numbers[was], metric.numbers[now]
        kept = ~(np.isnan(before) | np.isnan(after))
        return _numbers(before[kept], after[kept], counts[kept])
    return None


def _words(metric: ConceptMetric, was: Ints, now: Ints, counts: Ints) -> Moved | None:
    before, after = metric.concepts[was], metric.concepts[now]
    domain = Domain.of(metric, np.concatenate([before, after]))
    if not len(was) or (domain.places(before) < 0).any() or (domain.places(after) < 0).any():
        return None
    means: list[int] = []
    variances: list[float] = []
    for codes in (was, now):
        distinct, place = np.unique(codes, return_inverse=True)
        distinct = distinct[order := np.argsort(metric.concepts[distinct], kind="stable")]
        row_counts, leaves = np.bincount(place.ravel(), weights=counts)[order], metric.narrower[distinct]
        means.append(domain.mean(metric.concepts[distinct], row_counts, leaves))
        variances.append(domain.variance(metric.concepts[distinct], row_counts, means[-1], leaves))
    apart = float(domain.between(np.array(means[:1]), np.array(means[1:]))[0])
    far = np.where(was == now, 0.0, domain.between(before, after, metric.narrower[was]))
    return _moved(means, apart, variances, far, counts)


def _numbers(was: Floats, now: Floats, counts: Ints) -> Moved | None:
    if not len(was):
        return None
    means = [float((counts * x).sum() / counts.sum()) for x in (was, now)]
    variances = [float((counts * (x - m) ** 2).sum() / counts.sum()) for x, m in zip((was, now), means, strict=True)]
    return _moved(means, abs(means[1] - means[0]), variances, np.abs(now - was), counts)


def _moved(means: Sequence[Value], apart: float, variances: Sequence[float], far: Floats, counts: Ints) -> Moved:
    total = counts.sum()
    return Moved(
        mean_before=means[0],
        mean_after=means[1],
        mean_distance=apart,
        variance_before=variances[0],
        variance=variances[1],
        rmse=math.sqrt(float((counts * far**2).sum() / total)),
        mean_error=float((counts * far).sum() / total),
    )
