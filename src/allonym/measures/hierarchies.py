"""Semantic loss of value generalisation hierarchies (Ayala-Rivera, McDonagh, Cerqueus and Murphy)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints
from allonym.errors import OptionError

AGGREGATES = ("max", "mean", "median", "quantile:Q")  # Q from 0 to 1
WEIGHTS = ("constant", "level")
QUANTILE = "quantile:"
ROUNDING = 1e-12  # losses that differ by less are equal
Weights = str | Sequence[float]  # a name in `WEIGHTS`, or the weight of each level


def level_losses(losses: Floats, aggregate: str = "max") -> Floats:
    """Return LevelGSL: the largest loss of a leaf's transition to each level, or another statistic (eq. 2).

    Args:
        losses: TransGSL; leaves are rows, levels are columns.
        aggregate: `max`, `mean`, `median` or `quantile:Q`, interpolated linearly between losses.

    Raises:
        OptionError: the aggregate is unknown.

    >>> losses = np.array([[0.0, 0.2], [0.1, 0.2], [0.5, 0.8]])
    >>> level_losses(losses).tolist(), level_losses(losses, "quantile:0.75").tolist()
    ([0.5, 0.8], [0.3, 0.5])
    """
    if aggregate == "max":
        return losses.max(axis=0)
    if aggregate == "mean":
        return losses.mean(axis=0)
    return np.asarray(np.quantile(losses, _quantile(aggregate), axis=0))


def _quantile(aggregate: str) -> float:
    if aggregate == "median":
        return 0.5
    if not aggregate.startswith(QUANTILE):
        raise OptionError.of("aggregate", aggregate, AGGREGATES)
    try:
        quantile = float(aggregate.removeprefix(QUANTILE))
    except ValueError:
        quantile = -1.0
    if not 0 <= quantile <= 1:
        raise OptionError(f"{aggregate!r} is not a quantile.", hint="write a number from 0 to 1: quantile:0.9.")
    return quantile


def level_weights(height: int, how: Weights = "constant") -> Floats:
    """Return the weights of levels 1 … h: 1/h each, or (h + 1 - i)/Σj, which count the lower levels more, or others.

    Args:
        height: the number of levels.
        how: `constant`, `level`, or a number for each level; numbers are divided by their sum.

    Raises:
        OptionError: the name is unknown, or the numbers are no weights of so many levels.

    >>> level_weights(2).tolist(), level_weights(2, "level").round(3).tolist(), level_weights(2, (3, 1)).tolist()
    ([0.5, 0.5], [0.667, 0.333], [0.75, 0.25])
    """
    if isinstance(how, str):
        if how not in WEIGHTS:
            raise OptionError.of("level weight", how, WEIGHTS)
        numbers = np.ones(height) if how == "constant" else np.arange(height, 0, -1.0)
        return numbers / numbers.sum()
    numbers = np.asarray(how, np.float64)
    if len(numbers) != height:
        raise OptionError(
            f"{len(numbers)} level weights for {height} levels.",
            hint="give one number for each level, from level 1 up.",
        )
    if not np.isfinite(numbers).all() or (numbers < 0).any() or not numbers.sum() > 0:
        raise OptionError("A level weight is negative or no number, or all are 0.", hint="write 0.5,0.3,0.2.")
    return numbers / numbers.sum()


def hierarchy_loss(losses: Floats, aggregate: str = "max", weights: Weights = "constant") -> float:
    """Return VghGSL = Σ wᵢ·LevelGSL(i) (eq. 3).

    >>> [hierarchy_loss(np.array([x]), weights=w) for x in ([0.1, 0.2], [0.2, 0.1]) for w in ("constant", "level")]
    [0.15000000000000002, 0.13333333333333333, 0.15000000000000002, 0.16666666666666666]
    """
    return float(level_weights(losses.shape[1], weights) @ level_losses(losses, aggregate))


def deviations(losses: Floats) -> Floats:
    """Return how unusual each loss is for its level: by how many standard deviations it exceeds the level's mean.

    >>> deviations(np.array([[0.1, 0.5], [0.1, 0.5], [0.1, 0.5], [0.5, 0.5]])).round(2)[:, 0].tolist()
    [-0.58, -0.58, -0.58, 1.73]
    """
    spread = losses.std(axis=0)
    return np.where(spread > ROUNDING, (losses - losses.mean(axis=0)) / np.where(spread > ROUNDING, spread, 1.0), 0.0)


def reversals(losses: Floats) -> NDArray[np.bool_]:
    """Return where the value at a level is farther from the leaf than the value at the next level.

    >>> reversals(np.array([[0.1, 0.3, 0.2]])).tolist()
    [[False, True]]
    """
    return losses[:, :-1] > losses[:, 1:] + ROUNDING


def redundant_levels(groups: Ints) -> list[int]:
    """Return the levels, from 1, that group the leaves exactly as the level below does.

    Args:
        groups: for each leaf the number of its value at each level; the leaves themselves are level 0.

    >>> redundant_levels(np.array([[0, 4, 6, 9], [1, 4, 6, 9], [2, 5, 7, 9]]))
    [2]
    """
    redundant = []
    for level in range(1, groups.shape[1]):
        below, own = groups[:, level - 1], groups[:, level]
        pairs = len(np.unique(np.stack([below, own]), axis=1).T)
        if pairs == len(np.unique(below)) == len(np.unique(own)):
            redundant.append(level)
    return redundant
