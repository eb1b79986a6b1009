"""Entropy l-diversity (Machanavajjhala et al. 2007, section 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from allonym.arrays import Floats, sum_by
from allonym.parameters import REQUIRED, parameter
from allonym.privacy.base import DiversityModel, ModelInfo
from allonym.privacy.counts import SensitiveCounts
from allonym.records import Pairs


@dataclass(frozen=True)
class EntropyLDiversity(DiversityModel):
    """The entropy of the sensitive values of every group is at least log l."""

    info: ClassVar = ModelInfo(
        "entropy-l-diversity", "l", "The entropy of the column in every group is at least log(l)."
    )
    l: float = parameter(REQUIRED, "Exponential of the entropy of every group.", type=float, above=1)  # noqa: E741
    title: ClassVar[str] = "entropy l-diversity"

    def diversity(self, counts: SensitiveCounts) -> Floats:
        """Return exp of the entropy of each group's values."""
        shares = counts.counts / sum_by(counts.groups, counts.counts, counts.number)[counts.groups]
        return np.exp(sum_by(counts.groups, -shares * np.log(shares), counts.number))


def entropy_l_diversity(pairs: Pairs, column: int) -> float:
    """Return exp of the least entropy of a group's sensitive values."""
    return EntropyLDiversity.measuring().reached_by(pairs, column)
