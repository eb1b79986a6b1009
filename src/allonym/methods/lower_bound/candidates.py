"""The values that may represent groups in one attribute, and how far they are from its values at least."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats
from allonym.methods.replacement.allowed_values import max_distance, representative_of
from allonym.metric import Metric
from allonym.records import Records

INFINITE = float("inf")
ROUNDING = 5e-10  # by which a distance may exceed a limit
MAX_INTERVALS = 128  # into which the numbers of an attribute are divided, if a mean represents them
MAX_ENDS = 16  # the same, if ranges do: both ends of a range are in one of so many intervals


def candidate_distances(records: Records, a: int, representative: str) -> Floats | None:
    """Return the least distances of candidates (rows) to the values of an attribute (columns); None: not listable.

    A distance is infinite if the candidate cannot represent a group with that value. The last candidate is null. A
    candidate that is nowhere nearer than another is left out.
    """
    attribute = records.attributes[a]
    metric, chosen = attribute.metric, representative_of(attribute, representative)
    if metric.ends is not None and metric.representatives(truthful=chosen == "truthful") is None:
        rows = _ranges(metric) if chosen == "truthful" else _means(metric)
    else:
        listed = _listed(metric, truthful=chosen == "truthful")
        if listed is None:
            return None
        rows = listed
    limit = max_distance(attribute, representative)
    if limit is not None:
        rows = np.where(rows > limit + ROUNDING, INFINITE, rows)
    rows = np.vstack([rows, records.null_costs[a]])
    return np.ascontiguousarray(rows[_undominated(rows[:, np.unique(records.codes[:, a])])])


def _listed(metric: Metric, *, truthful: bool) -> Floats | None:
    """Return the distances of all values that may represent others; None, if they cannot be listed."""
    values = metric.representatives(truthful=truthful)
    if values is None:
        return None
    rows = np.array([metric.distances_from(value) for value in values], np.float64).reshape(-1, len(metric.values))
    if truthful:
        wider, codes = metric.extend(values), np.arange(len(metric.values))
        places = {value: code for code, value in enumerate(wider.values)}
        true = np.array([wider.generalises(places[value], codes) for value in values], bool)
        rows = np.where(true.reshape(rows.shape), rows, INFINITE)
    return rows


def _numbers(metric: Metric) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the number of every value, and which values are numbers; none is, if some values are ranges."""
    assert metric.ends is not None
    known = np.array([isinstance(value, float) for value in metric.values], bool)
    ranges = any(isinstance(value, tuple) for value in metric.values)
    return metric.ends[:, 0], known & (not ranges)


def _edges(numbers: Floats, most: int) -> Floats:
    """Return the edges of at most so many intervals that cover some numbers."""
    edges = np.unique(numbers)
    if len(edges) > most + 1:
        edges = np.unique(np.quantile(edges, np.linspace(0, 1, most + 1)))
    return edges if len(edges) > 1 else np.repeat(edges, 2)


def _means(metric: Metric) -> Floats:
    """Return for each interval of numbers the least distance of a number in it to every value."""
    numbers, known = _numbers(metric)
    if not known.any():
        return np.zeros((1, len(metric.values)))
    rows = []
    for low, high in pairwise(_edges(numbers[known], MAX_INTERVALS)):
        below, above = (np.array(metric.distances_from(float(end))) for end in (low, high))
        row = np.where(numbers <= low, below, np.where(numbers >= high, above, 0.0))
        rows.append(np.where(known, row, np.minimum(below, above)))
    return np.array(rows)


def _ranges(metric: Metric) -> Floats:
    """Return for each pair of intervals the least distance of a range whose ends lie in them to every value in it.

    The mean distance of a number in a range to the numbers of the range is a quarter of its width or more.
    """
    numbers, known = _numbers(metric)
    none = np.array([value is None for value in metric.values], bool)
    span = float(np.ptp(numbers[known])) if known.any() else 0.0
    if not span:
        return np.where(none, INFINITE, 0.0)[None, :]
    edges = _edges(numbers[known], MAX_ENDS)
    rows = []
    for i in range(len(edges) - 1):
        for j in range(i, len(edges) - 1):
            inside = known & (numbers >= edges[i]) & (numbers <= edges[j + 1])
            rows.append(np.where(inside, max(0.0, edges[j] - edges[i + 1]) / (4 * span), INFINITE))
    rows.append(np.where(none, 0.0, INFINITE))
    return np.array(rows)


def _undominated(rows: Floats) -> list[int]:
    """Return which rows are somewhere below every other one; of equal rows, the first."""
    finite = np.where(np.isinf(rows), 1e6, rows)
    kept: list[int] = []
    for row in np.argsort(finite.sum(axis=1), kind="stable").tolist():
        if not (rows[kept] <= rows[row]).all(axis=1).any():
            kept.append(row)
    return sorted(kept)
