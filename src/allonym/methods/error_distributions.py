"""The errors that noise adds: normal or Laplace, with mean 0 and a standard deviation."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from allonym.arrays import Floats

SMALLEST = 1e-300  # share of errors in a tail


@dataclass(frozen=True)
class Errors(ABC):
    """A distribution of errors; `deviation` may be 0 only for `quantiles`."""

    deviation: float
    mean_size: ClassVar[float]  # of errors whose deviation is 1

    @abstractmethod
    def quantiles(self, uniform: Floats) -> Floats:
        """Return the errors below which such shares of all errors are."""

    def quantile(self, uniform: float) -> float:
        """Return the same for one share."""
        return float(self.quantiles(np.array(uniform)))

    @abstractmethod
    def beyond(self, size: Floats) -> Floats:
        """Return how likely an error, of either sign, is larger than a size."""

    @abstractmethod
    def log_between(self, distance: Floats, half: float) -> Floats:
        """Return log P(distance - half < error < distance + half), for distances from 0 on."""

    def log_above(self, limit: Floats) -> Floats:
        """Return log P(error > limit).

        >>> np.exp(NormalErrors(1.0).log_above(np.array([-8.0, 0.0, 1.0]))).round(4).tolist()
        [1.0, 0.5, 0.1587]
        """
        tail = self.beyond(np.abs(limit)) / 2
        return np.where(limit > 0, np.log(tail), np.log1p(-tail))

    def scores(self, errors: Floats, widest: Floats | None = None) -> Floats:
        """Return errors as standard normal numbers with the same quantiles; those between two sizes, as their middle.

        >>> NormalErrors(2.0).scores(np.array([-2.0, 2.0, 4.0])).round(9).tolist()
        [-1.0, 1.0, 2.0]
        """
        from scipy.special import ndtri

        if self.deviation == 0:
            return np.zeros(errors.shape)
        size = np.abs(errors)
        tail = self.beyond(size) if widest is None else (self.beyond(size) + self.beyond(widest)) / 2
        scores = -np.sign(errors) * ndtri(np.maximum(tail / 2, SMALLEST))
        return np.where(np.isnan(scores), 0.0, scores)


class NormalErrors(Errors):
    """N(0, deviation²).

    >>> errors = NormalErrors(2.0)
    >>> float(errors.quantiles(np.array(0.5))), round(float(errors.beyond(np.array(2.0))), 4)
    (0.0, 0.3173)
    """

    mean_size = math.sqrt(2 / math.pi)

    def quantiles(self, uniform: Floats) -> Floats:
        """Return the errors below which such shares of all errors are."""
        from scipy.special import ndtri

        quantiles: Floats = self.deviation * ndtri(uniform)
        return quantiles

    def beyond(self, size: Floats) -> Floats:
        """Return how likely an error, of either sign, is larger than a size."""
        from scipy.special import erfc

        tail: Floats = erfc(size / (self.deviation * math.sqrt(2)))
        return tail

    def log_between(self, distance: Floats, half: float) -> Floats:
        """Return log P(distance - half < error < distance + half)."""
        from scipy.special import log_ndtr

        high, low = (log_ndtr((side - distance) / self.deviation) for side in (half, -half))
        logs: Floats = high + np.log1p(-np.exp(low - high))
        return logs


class LaplaceErrors(Errors):
    """Density exp(-|error| / b) / 2b, with b = deviation / √2: errors are more often very small or very large.

    >>> errors = LaplaceErrors(math.sqrt(2))
    >>> [round(float(errors.quantiles(np.array(u))), 4) for u in (0.25, 0.5, 0.75)] == [-0.6931, 0.0, 0.6931]
    True
    >>> bool(errors.beyond(np.array(3.0)) == math.exp(-3))
    True
    """

    mean_size = 1 / math.sqrt(2)

    @property
    def scale(self) -> float:
        """The mean size of the errors, b."""
        return self.deviation * self.mean_size

    def quantiles(self, uniform: Floats) -> Floats:
        """Return the errors below which such shares of all errors are."""
        tail = np.minimum(uniform, 1 - uniform)  # exact: draws have 53 bits
        return self.scale * np.log(2 * tail) * np.where(uniform < 0.5, 1.0, -1.0)

    def beyond(self, size: Floats) -> Floats:
        """Return how likely an error, of either sign, is larger than a size."""
        tail: Floats = np.exp(-size / self.scale)
        return tail

    def log_between(self, distance: Floats, half: float) -> Floats:
        """Return log P(distance - half < error < distance + half)."""
        away = np.log1p(-math.exp(-2 * half / self.scale)) - math.log(2) - (distance - half) / self.scale
        inside = np.minimum(distance, half)
        outside = (np.exp(-(half - inside) / self.scale) + np.exp(-(half + inside) / self.scale)) / 2
        return np.where(distance >= half, away, np.log1p(-outside))


DISTRIBUTIONS: dict[str, type[Errors]] = {"normal": NormalErrors, "laplace": LaplaceErrors}
