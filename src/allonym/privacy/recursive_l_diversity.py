"""Recursive (c,l)-diversity (Machanavajjhala et al. 2007, section 4)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from allonym.arrays import Floats
from allonym.parameters import REQUIRED, parameter
from allonym.privacy.base import TOLERANCE, DiversityModel, ModelInfo
from allonym.privacy.counts import SensitiveCounts
from allonym.records import Pairs

DEFAULT_C = 3.0


@dataclass(frozen=True)
class RecursiveLDiversity(DiversityModel):
    """In every group, r₁ < c·(r_l + … + r_m), where r are the counts of its values in descending order."""

    info: ClassVar = ModelInfo(
        "recursive-l-diversity",
        "l",
        "In every group the most frequent value is rarer than c times the l-th and rarer values.",
        whole=True,
    )
    l: float = parameter(REQUIRED, "Rank from which on values are counted.", type=float, minimum=2, whole=True)  # noqa: E741
    c: float = parameter(DEFAULT_C, "How much more frequent the most frequent value may be.", above=0)

    @property
    def title(self) -> str:
        """The name of the model, with c."""
        return f"recursive ({self.c:g},l)-diversity"

    def diversity(self, counts: SensitiveCounts) -> Floats:
        """Return for each group the largest l with r₁ < c·(r_l + … + r_m)."""
        order = np.lexsort((-counts.counts, counts.groups))
        groups, sizes = counts.groups[order], counts.counts[order]
        first = np.flatnonzero(np.diff(groups, prepend=-1))
        before = np.cumsum(sizes) - sizes
        tail = np.add.reduceat(sizes, first)[groups] - (before - before[first][groups])
        return np.add.reduceat(sizes[first][groups] < self.c * tail - TOLERANCE, first).astype(np.float64)


def recursive_l_diversity(pairs: Pairs, column: int, c: float = DEFAULT_C) -> int:
    """Return the largest l with r₁ < c·(r_l + … + r_m) in every group."""
    return int(replace(RecursiveLDiversity.measuring(), c=c).reached_by(pairs, column))
