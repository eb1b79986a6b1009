"""Slow, obviously-correct correlation of errors, written from the formulas: an oracle, shared with nothing.

- Distance correlation (Székely, Rizzo and Bakirov 2007) of two columns given by the distances between all records.
- It has no sign: that of the covariance is taken, of numbers, and of the distances of words to their centroid.
- R is the nearest correlation matrix (Higham 2002, algorithm 3.3: Dykstra's correction, projections onto positive
  semidefinite matrices and onto unit diagonals).
- Errors are correlated as standard normal numbers: z' = R^½·z, with the symmetric root.
"""

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np

Matrix = Sequence[Sequence[float]]
NORMAL = NormalDist()


def distance_correlation(a: Matrix, b: Matrix) -> float:
    """Return the distance correlation of two columns; a covariance below 0 counts as 0.

    >>> d = [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
    >>> distance_correlation(d, d)
    1.0
    """
    n = len(a)

    def centred(d: Matrix) -> list[list[float]]:
        rows = [math.fsum(row) / n for row in d]
        whole = math.fsum(rows) / n
        return [[d[i][j] - rows[i] - rows[j] + whole for j in range(n)] for i in range(n)]

    def covariance(x: Matrix, y: Matrix) -> float:
        return math.fsum(x[i][j] * y[i][j] for i in range(n) for j in range(n)) / n**2

    x, y = centred(a), centred(b)
    spread = covariance(x, x) * covariance(y, y)
    return math.sqrt(max(covariance(x, y), 0.0) / math.sqrt(spread)) if spread > 0 else 0.0


def sign(x: Sequence[float], y: Sequence[float]) -> int:
    """Return the sign of a covariance; 1, if it is 0 but for rounding.

    >>> sign([1, 2], [3, 1]), sign([1, 2], [0, 0])
    (-1, 1)
    """
    middle = [math.fsum(z) / len(z) for z in (x, y)]
    products = [(a - middle[0]) * (b - middle[1]) for a, b in zip(x, y, strict=True)]
    return -1 if math.fsum(products) < -1e-9 * math.fsum(map(abs, products)) else 1


def nearest_correlation(matrix: Matrix, steps: int = 2000) -> np.ndarray:
    """Return the nearest positive semidefinite matrix with a diagonal of ones."""
    y, correction = np.array(matrix, float), np.zeros((len(matrix), len(matrix)))
    for _ in range(steps):
        r = y - correction
        values, vectors = np.linalg.eigh(r)
        x = sum((max(v, 0.0) * np.outer(u, u) for v, u in zip(values, vectors.T, strict=True)), np.zeros_like(r))
        correction = x - r
        y = x.copy()
        for i in range(len(y)):
            y[i, i] = 1.0
    return y


def correlated(uniforms: Sequence[float], matrix: Matrix) -> list[float]:
    """Return uniform numbers whose normal scores have a correlation matrix, from independent ones.

    >>> [round(x, 9) for x in correlated([0.2, 0.7], [[1, 0], [0, 1]])]
    [0.2, 0.7]
    """
    values, vectors = np.linalg.eigh(np.array(matrix, float))
    root = vectors @ np.diag(np.sqrt(np.maximum(values, 0))) @ vectors.T
    z = [NORMAL.inv_cdf(u) for u in uniforms]
    return [NORMAL.cdf(math.fsum(root[i][j] * z[j] for j in range(len(z)))) for i in range(len(z))]
