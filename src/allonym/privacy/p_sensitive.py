"""p-sensitive k-anonymity (Truta and Vinay 2006): beside k, a diversity of sensitive values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from allonym.arrays import Floats
from allonym.parameters import REQUIRED, parameter
from allonym.privacy.base import DiversityModel, ModelInfo
from allonym.privacy.counts import SensitiveCounts


@dataclass(frozen=True)
class PSensitive(DiversityModel):
    """Every group has at least p different sensitive values, and k records."""

    info: ClassVar = ModelInfo(
        "p-sensitive", "p", "Every group of k records has at least p distinct values of the column.", whole=True
    )
    p: float = parameter(REQUIRED, "Different values of every group.", type=float, minimum=2, whole=True)
    title: ClassVar[str] = "p-sensitive k-anonymity"

    def diversity(self, counts: SensitiveCounts) -> Floats:
        """Return the number of different values of each group."""
        return counts.distinct()
