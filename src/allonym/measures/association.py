"""How strongly two columns depend on each other, before and after masking: distance correlation and Cramér's V.

The distance correlation (Székely, Rizzo and Bakirov 2007) takes the distances of both columns, by meaning where they
have an ontology. It is 0 for independent columns, and 1 if distances in one column are proportional to those in the
other. Cramér's V takes values as equal or different; it is corrected for bias (Bergsma 2013).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from allonym.arrays import Floats, Ints, dense
from allonym.kinds.registry import kind_named
from allonym.metric import Metric
from allonym.records import Pairs

MAX_VALUES = 2_000  # different values of a column whose distances are compared; beyond, records are sampled


@dataclass(frozen=True)
class Association:
    """The dependence of two columns, in the original table and in the release."""

    columns: tuple[str, str]
    distance_correlation: tuple[float, float]  # before, after
    cramers_v: tuple[float, float]
    sampled: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        figures = {"distance_correlation": self.distance_correlation, "cramers_v": self.cramers_v}
        named = {name: dict(zip(("before", "after"), x, strict=True)) for name, x in figures.items()}
        return {"columns": list(self.columns), **named, "sampled": self.sampled}


def associations(pairs: Pairs, seed: int = 0) -> list[Association]:
    """Return the dependence of every two columns; where a column has very many values, of a sample of records."""
    chosen = _sample(pairs, seed)
    rows = np.flatnonzero(pairs.mass) if chosen is None else chosen  # a survey weight may be 0
    mass = pairs.mass[rows] if chosen is None else np.ones(len(chosen))
    tables = [codes[rows] for codes in (pairs.original, pairs.masked)]
    found = []
    for a, b in combinations(_single_valued(pairs), 2):
        one, other = pairs.attributes[a], pairs.attributes[b]
        correlations = [distance_correlation(one.metric, other.metric, x[:, a], x[:, b], mass) for x in tables]
        v = [cramers_v(x[:, a], x[:, b], mass) for x in tables]
        names = one.name, other.name
        found.append(Association(names, (correlations[0], correlations[1]), (v[0], v[1]), chosen is not None))
    return found


def _single_valued(pairs: Pairs) -> list[int]:
    """Return the attributes that have one value a cell."""
    return [a for a, x in enumerate(pairs.attributes) if not kind_named(x.kind).multivalued]


def can_be_associated(pairs: Pairs) -> bool:
    """Tell whether there are two columns to compare."""
    return len(_single_valued(pairs)) > 1


def association_change(pairs: Pairs, seed: int = 0) -> float:
    """Return by how much the distance correlation of two columns changed: the mean over all pairs of columns."""
    changes = [abs(x.distance_correlation[1] - x.distance_correlation[0]) for x in associations(pairs, seed)]
    return float(np.mean(changes)) if changes else 0.0


def _sample(pairs: Pairs, seed: int) -> Ints | None:
    """Return some records, given by their pairs, if a column has very many values; else None."""
    used = _single_valued(pairs)
    tables = (pairs.original[:, used], pairs.masked[:, used])
    most = max((len(np.unique(x)) for table in tables for x in table.T), default=0)
    if most <= MAX_VALUES or not pairs.mass.any():
        return None
    rng = np.random.Generator(np.random.Philox(key=seed))
    return rng.choice(len(pairs.mass), size=MAX_VALUES, p=pairs.mass / pairs.mass.sum())


def distance_correlation(one: Metric, other: Metric, codes: Ints, others: Ints, mass: Floats) -> float:
    """Return the distance correlation of two columns of codes, whose rows have the given mass.

    Semantic distances are not always of negative type: a covariance below 0 counts as 0.

    >>> from allonym.kinds.ranges.numeric_metric import NumericMetric
    >>> metric, codes = NumericMetric([1.0, 2.0, 3.0], 0), np.array([0, 1, 2])
    >>> round(distance_correlation(metric, metric, codes, codes[::-1], np.ones(3)), 6)
    1.0
    """
    (values, rows), (other_values, columns) = dense(codes), dense(others)
    if len(values) < 2 or len(other_values) < 2:
        return 0.0
    from scipy.sparse import coo_array

    shares = mass / mass.sum()
    joint = coo_array((shares, (rows, columns)), (len(values), len(other_values))).tocsr()
    first = _centred(one, values, np.asarray(joint.sum(axis=1)).ravel())
    second = _centred(other, other_values, np.asarray(joint.sum(axis=0)).ravel())
    covariance = float(((joint.T @ first.distances @ joint) * second.distances).sum())
    spread = math.sqrt(first.variance * second.variance)
    return math.sqrt(max(covariance, 0.0) / spread) if spread > 0 else 0.0


@dataclass(frozen=True, eq=False)
class _Centred:
    """The distances of a column, with the means of rows and columns taken off, and their variance."""

    distances: Floats
    variance: float


def _centred(metric: Metric, values: Ints, shares: Floats) -> _Centred:
    distances = metric.distances(values[:, None], values)
    means = distances @ shares
    centred = distances - means[:, None] - means + float(shares @ means)
    return _Centred(centred, float(shares @ centred**2 @ shares))


def cramers_v(codes: Ints, others: Ints, mass: Floats) -> float:
    """Return Cramér's V of two columns of codes, corrected for bias.

    >>> codes = np.repeat([0, 1], 50)
    >>> cramers_v(codes, codes, np.ones(100)), cramers_v(codes, np.tile([0, 1], 50), np.ones(100))
    (1.0, 0.0)
    """
    (values, rows), (other_values, columns) = dense(codes), dense(others)
    n, r, c = float(mass.sum()), len(values), len(other_values)
    if min(r, c) < 2 or n <= 1:
        return 0.0
    size = r * c
    joint = np.bincount(rows * c + columns, weights=mass, minlength=size).reshape(r, c)
    expected = np.outer(joint.sum(axis=1), joint.sum(axis=0)) / n
    phi = float((((joint - expected) ** 2) / expected).sum()) / n
    phi = max(phi - (r - 1) * (c - 1) / (n - 1), 0.0)
    least = min(r - (r - 1) ** 2 / (n - 1), c - (c - 1) ** 2 / (n - 1)) - 1
    return math.sqrt(min(phi / least, 1.0)) if least > 0 else 0.0
