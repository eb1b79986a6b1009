"""Errors of several columns that go together as the columns do, so that relations between columns weaken less.

The draws of each column are turned into standard normal numbers, given a correlation matrix, and turned back: each
column keeps its distribution of errors (a Gaussian copula).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations
from typing import Any

import numpy as np

from allonym.arrays import Floats, Ints, Keys
from allonym.kinds.ordinal import OrdinalMetric
from allonym.kinds.ranges.numeric_metric import NumericMetric
from allonym.measures.association import MAX_VALUES, distance_correlation
from allonym.methods.draws import Draw, Words, draws_of_rows, uniform, words
from allonym.metric import Metric
from allonym.parameters import is_number
from allonym.records import Records

DIGITS = 9  # of the correlations, so that they are the same on every machine
STEPS, CLOSE = 1_000, 1e-12  # of alternating projections
TIE = 1e-9  # covariances that differ by less from 0, relative to what they sum, have no sign
INEXACT = 0.05  # share of the variance of a score that attackers do not know
_BITS = 52  # of a word that become a number, see `uniform`


@dataclass(frozen=True, eq=False)
class ErrorCorrelation:
    """The correlation matrix of the errors of all columns."""

    matrix: Floats

    @classmethod
    def of(cls, records: Records) -> ErrorCorrelation:
        """Take the distance correlations of all columns, which have no sign, with the sign of their covariance.

        An error above 0 raises a number, and leads a word away from the mean of its column. The covariance is that of
        numbers, and of the distances of words to the centroid.
        """
        matrix = np.eye(len(records.attributes))
        chosen = _sample(records)
        codes, mass = records.codes[chosen], records.counts[chosen].astype(np.float64)
        positions = [_positions(x.metric, codes[:, a], mass) for a, x in enumerate(records.attributes)]
        for a, b in combinations(range(len(matrix)), 2):
            one, other = records.attributes[a].metric, records.attributes[b].metric
            strength = distance_correlation(one, other, codes[:, a], codes[:, b], mass)
            matrix[a, b] = matrix[b, a] = strength * _sign(positions[a], positions[b], mass)
        return cls(np.round(nearest_correlation(matrix), DIGITS))

    def to_dict(self) -> list[list[float]]:
        """Return the matrix for JSON."""
        stored: list[list[float]] = self.matrix.tolist()
        return stored

    @classmethod
    def from_dict(cls, stored: Any, columns: int) -> ErrorCorrelation:
        """Return the matrix that was stored; refuse a damaged one by a ValueError."""
        if not (isinstance(stored, list) and all(is_number(x) for row in stored for x in row)):
            raise ValueError("correlation")
        matrix = np.array(stored, np.float64)
        if matrix.shape != (columns, columns) or (matrix != matrix.T).any() or (np.diag(matrix) != 1).any():
            raise ValueError("correlation")
        if np.linalg.eigvalsh(matrix).min() < -1e-6:
            raise ValueError("correlation")
        return cls(matrix)

    @cached_property
    def root(self) -> Floats:
        """The symmetric root; its rows have length one."""
        values, vectors = np.linalg.eigh(self.matrix)
        root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
        scaled: Floats = root / np.sqrt((root**2).sum(axis=1, keepdims=True))
        return scaled

    def log_relation(self, scores: Sequence[Floats]) -> Floats:
        """Return log c of the Gaussian copula at the scores of the columns: how much likelier they are together.

        Scores are not exact, for words and rounding: an attacker who took them as such would rule out the truth. So
        each is taken as having an error of its own.
        """
        size = len(self.matrix)
        noisy = (1 - INEXACT) * self.matrix + INEXACT * np.eye(size)
        precision = np.linalg.inv(noisy) - np.eye(size)
        logs = np.full(scores[0].shape, -np.linalg.slogdet(noisy)[1] / 2)
        for a in range(size):
            logs -= precision[a, a] / 2 * scores[a] ** 2
            for b in range(a):
                logs -= precision[a, b] * scores[a] * scores[b]
        return logs

    def together(self, drawn: Sequence[Words]) -> Iterator[Words]:
        """Yield the draws of each column, whose first word, which makes the error, goes with those of the others.

        A column that is related to no other keeps its draws.
        """
        from scipy.special import ndtr, ndtri

        normal = [ndtri(uniform(x[0])) for x in drawn]
        for a, own in enumerate(drawn):
            if not np.delete(self.matrix[a], a).any():
                yield own
                continue
            score = np.zeros(own.shape[1])
            for b, other in enumerate(normal):  # one by one: the same sum for one row as for many
                score = score + self.root[a, b] * other
            places = np.minimum(ndtr(score) * 2.0**_BITS, 2.0**_BITS - 1).astype(np.uint64)
            yield np.stack([places << np.uint64(64 - _BITS), *own[1:]])

    def together_of_one(self, drawn: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
        """Return the same of one row."""
        columns = self.together([np.array(x, np.uint64)[:, None] for x in drawn])
        return [tuple(x[:, 0].tolist()) for x in columns]


def column_draws(
    seed: int | None, keys: Keys, names: Sequence[str], numbers: Iterable[Keys], correlation: ErrorCorrelation | None
) -> Iterator[Draw]:
    """Yield what draws for the rows of each column, given the numbers that stand for the values of its rows."""
    if correlation is None:
        yield from (partial(draws_of_rows, seed, name, keys) for name in names)
        return
    drawn = [words(seed, name, keys, own) for name, own in zip(names, numbers, strict=True)]
    yield from (partial(_drawn_before, x) for x in correlation.together(drawn))


def _drawn_before(drawn: Words, rows: Ints, numbers: Keys) -> Words:
    """Return the draws of rows that were made for all columns together."""
    return drawn[:, rows]


def nearest_correlation(matrix: Floats) -> Floats:
    """Return the nearest positive semidefinite matrix with a diagonal of ones (Higham 2002, algorithm 3.3).

    >>> nearest_correlation(np.array([[1.0, 0.5], [0.5, 1.0]])).tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    >>> nearest_correlation(np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1.0]])).round(3).tolist()
    [[1.0, 0.761, 0.157], [0.761, 1.0, 0.761], [0.157, 0.761, 1.0]]
    """
    if np.linalg.eigvalsh(matrix).min() >= 0:
        return matrix
    nearest, correction = matrix, np.zeros_like(matrix)
    for _ in range(STEPS):
        before = nearest
        values, vectors = np.linalg.eigh(nearest - correction)
        projected = (vectors * np.maximum(values, 0.0)) @ vectors.T
        correction = projected - (nearest - correction)
        nearest = (projected + projected.T) / 2
        np.fill_diagonal(nearest, 1.0)
        if np.abs(nearest - before).max() < CLOSE:
            break
    return nearest


def _sample(records: Records) -> Any:
    """Return all tuples; where a column has very many values, some, drawn by their counts."""
    most = max((len(np.unique(column)) for column in records.codes.T), default=0)
    if most <= MAX_VALUES:
        return slice(None)
    rng = np.random.Generator(np.random.Philox(key=0))
    return rng.choice(len(records.counts), size=MAX_VALUES, p=records.counts / records.counts.sum())


def _positions(metric: Metric, codes: Ints, mass: Floats) -> Floats:
    """Return what an error above 0 makes larger: numbers, ranks, or distances to the centroid; of null, NaN."""
    if isinstance(metric, NumericMetric):
        return metric.numbers[codes]
    null = np.array([value is None for value in metric.values], bool)
    if isinstance(metric, OrdinalMetric):
        return np.where(null[codes], np.nan, metric.ranks[codes])
    return np.where(null[codes], np.nan, metric.distances_from(metric.centroid(codes, mass))[codes])


def _sign(positions: Floats, others: Floats, mass: Floats) -> float:
    """Return the sign of the covariance of two columns, 1 if there is none; nulls take no part."""
    known = ~(np.isnan(positions) | np.isnan(others))
    positions, others, mass = positions[known], others[known], mass[known]
    if not mass.sum():
        return 1.0
    centred = (x - (mass * x).sum() / mass.sum() for x in (positions, others))
    product = mass * next(centred) * next(centred)
    return -1.0 if product.sum() < -TIE * np.abs(product).sum() else 1.0


def stored_correlation(stored: Mapping[str, Any], columns: int, *, correlated: bool) -> ErrorCorrelation | None:
    """Return the correlation of a fitted plan that was stored, if its method has one."""
    return ErrorCorrelation.from_dict(stored["correlation"], columns) if correlated else None
