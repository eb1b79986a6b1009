"""Distinct l-diversity (Machanavajjhala et al. 2007, section 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from allonym.arrays import Floats
from allonym.parameters import REQUIRED, parameter
from allonym.privacy.base import DiversityModel, ModelInfo
from allonym.privacy.counts import SensitiveCounts
from allonym.records import Pairs


@dataclass(frozen=True)
class LDiversity(DiversityModel):
    """Every group has at least l different sensitive values."""

    info: ClassVar = ModelInfo(
        "l-diversity", "l", "Every group has at least l distinct values of the column.", whole=True
    )
    l: float = parameter(REQUIRED, "Different values of every group.", type=float, minimum=2, whole=True)  # noqa: E741
    title: ClassVar[str] = "distinct l-diversity"

    def diversity(self, counts: SensitiveCounts) -> Floats:
        """Return the number of different values of each group."""
        return counts.distinct()


def l_diversity(pairs: Pairs, column: int) -> int:
    """Return the least number of different sensitive values in a group."""
    return int(LDiversity.measuring().reached_by(pairs, column))
