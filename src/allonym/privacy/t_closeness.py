"""t-closeness (Li, Li and Venkatasubramanian 2007), by the earth mover's distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from allonym.arrays import Floats
from allonym.parameters import REQUIRED, parameter
from allonym.privacy.base import TOLERANCE, ModelInfo, PrivacyModel, Reference
from allonym.privacy.counts import SensitiveCounts
from allonym.records import Pairs


@dataclass(frozen=True)
class TCloseness(PrivacyModel):
    """The sensitive values of every group are distributed nearly as in the table, at a distance of at most t."""

    info: ClassVar = ModelInfo(
        "t-closeness", "t", "The distribution of the column in every group is at most t from that in the table."
    )
    t: float = parameter(REQUIRED, "Largest distance of a group from the table.", type=float, above=0, below=1)
    title: ClassVar[str] = "t-closeness"

    def reached(self, counts: SensitiveCounts, reference: Reference) -> float:
        """Return the largest distance of a group from the table."""
        closeness, largest = Reference(reference.attribute, reference.table).closeness, 0.0
        for shares in counts.shares(reference.table.values):
            largest = closeness.largest(shares, largest)
        return largest

    def lacking(self, counts: SensitiveCounts, reference: Reference) -> Floats:
        """Return by how much each group is too far from the table."""
        closeness, parts = reference.closeness, counts.shares(reference.table.values)
        return self._shortfall(np.concatenate([closeness.beyond(x, self.asked, TOLERANCE) for x in parts]))

    def is_met(self, figure: float) -> bool:
        """Tell whether a distance is small enough."""
        return figure <= self.asked + TOLERANCE


def t_closeness(pairs: Pairs, column: int) -> float:
    """Return the largest distance between the sensitive values of a group and those of the table.

    The table includes suppressed records: their sensitive values are released.
    """
    return TCloseness.measuring().reached_by(pairs, column)
