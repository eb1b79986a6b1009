"""Plain categories: equal or not; the mode stands for several."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from allonym.arrays import Floats, Ints
from allonym.kinds.base import BaseMetric, each_alone
from allonym.records import Value


class EqualityMetric(BaseMetric):
    """0 for a value and itself, else 1 (Domingo-Ferrer and Torra 2005); the mode, the first by code among equals.

    >>> sexes = EqualityMetric(["female", "male"])
    >>> sexes.distances(0, [0, 1]).tolist(), sexes.centroid(np.array([0, 1, 1]), np.ones(3))
    ([0.0, 1.0], 'male')
    """

    def _with(self, values: Sequence[Value]) -> EqualityMetric:
        return EqualityMetric(values)

    def distances(self, code: ArrayLike, codes: ArrayLike) -> Floats:
        """Return 0 where two values are the same, else 1."""
        return np.not_equal(code, codes).astype(np.float64)

    def _between(self, a: Ints, b: Ints) -> Floats:
        return self.distances(a, b)

    def _families(self, codes: Ints, counts: Floats) -> Ints:
        """Number a family for each value."""
        return each_alone(counts)

    def centroid(self, codes: Ints, counts: Floats) -> Value:
        """Return the mode."""
        return self.mode(codes, counts)
