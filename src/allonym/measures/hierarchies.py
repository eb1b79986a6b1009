"""Semantic loss of value generalisation hierarchies (Ayala-Rivera, McDonagh, Cerqueus and Murphy)."""

from __future__ import annotations

import numpy as np

from allonym.arrays import Floats

AGGREGATES = ("max", "mean")
WEIGHTS = ("constant", "level")


def level_losses(losses: Floats, aggregate: str = "max") -> Floats:
    """Return LevelGSL: the largest (or mean) loss of a leaf's transition to each level; leaves are rows (eq. 2)."""
    return losses.max(axis=0) if aggregate == "max" else losses.mean(axis=0)


def level_weights(height: int, how: str = "constant") -> Floats:
    """Return the weights of levels 1 … h: 1/h each, or (h + 1 - i)/Σj, which count the lower levels more.

    >>> level_weights(2).tolist(), level_weights(2, "level").round(3).tolist()
    ([0.5, 0.5], [0.667, 0.333])
    """
    if how == "constant":
        return np.full(height, 1 / height)
    return np.arange(height, 0, -1) / (height * (height + 1) / 2)


def hierarchy_loss(losses: Floats, aggregate: str = "max", weights: str = "constant") -> float:
    """Return VghGSL = Σ wᵢ·LevelGSL(i) (eq. 3).

    >>> [hierarchy_loss(np.array([x]), weights=w) for x in ([0.1, 0.2], [0.2, 0.1]) for w in ("constant", "level")]
    [0.15000000000000002, 0.13333333333333333, 0.15000000000000002, 0.16666666666666666]
    """
    return float(level_weights(losses.shape[1], weights) @ level_losses(losses, aggregate))
