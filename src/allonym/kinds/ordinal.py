"""Ordered categories: distance in ranks; the median stands for several."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from allonym.arrays import Floats, Ints, frozen
from allonym.kinds.base import BaseMetric, halves
from allonym.records import Value


class OrdinalMetric(BaseMetric):
    """|rank - rank| / (levels - 1); the median, the lower one of two (Domingo-Ferrer and Torra 2005).

    Nulls do not take part unless they are the majority; then null stands for all.

    >>> sizes = OrdinalMetric([0, 1, 2, None], levels=3)
    >>> sizes.distances(0, [0, 1, 2, 3]).tolist(), sizes.centroid(np.array([0, 1, 2]), np.array([1.0, 1.0, 3.0]))
    ([0.0, 0.5, 1.0, 1.0], 2)
    """

    def __init__(self, values: Sequence[Value], levels: int) -> None:
        super().__init__(values)
        self.levels = levels

    @cached_property
    def ranks(self) -> Ints:
        """The ranks as an array; null has none."""
        return frozen(np.array([-1 if self.unlinked[i] else v for i, v in enumerate(self.values)], np.int64))

    def _with(self, values: Sequence[Value]) -> OrdinalMetric:
        return OrdinalMetric(values, self.levels)

    def _between(self, a: Ints, b: Ints) -> Floats:
        return np.abs(self.ranks[a] - self.ranks[b]) / max(self.levels - 1, 1)

    def centroid(self, codes: Ints, counts: Floats) -> Value:
        """Return the median rank."""
        known = self.without_unlinked(codes, counts)
        if known is None:
            return self.mode(codes[self.unlinked[codes]], counts[self.unlinked[codes]])
        codes, counts = known
        order = np.argsort(self.ranks[codes], kind="stable")
        below = np.cumsum(counts[order])
        return int(self.ranks[codes[order[np.searchsorted(below, below[-1] / 2)]]])

    def _families(self, codes: Ints, counts: Floats) -> Ints:
        """Number two ranges of ranks."""
        return halves(self.ranks[codes].astype(np.float64), counts)

    def subsumer(self, codes: Ints, counts: Floats) -> Value:
        """Return the median: nothing among ranks is true of several."""
        return self.centroid(codes, counts)

    def covered(self, a: Ints, b: Ints, data: Ints) -> Floats | None:
        """Return None: what two ranks have in common is a range."""
        return None
