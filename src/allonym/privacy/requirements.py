"""The privacy models that a release must meet, checked on groups of records."""

from __future__ import annotations

import numpy as np

from allonym.arrays import Floats, Ints
from allonym.privacy.base import Reference
from allonym.privacy.counts import SensitiveCounts
from allonym.records import Requirement, SensitiveColumns


class RequirementCheck:
    """The requirements on the sensitive columns of a table, and the distribution of each column in the table."""

    def __init__(self, sensitive: SensitiveColumns, units: Ints | None) -> None:
        self.requirements = sensitive.requirements
        self.tables = [
            SensitiveCounts.of(np.zeros_like(codes), codes, sensitive.each(column), units)
            for column, codes in enumerate(sensitive.codes)
        ]
        pairs = zip(sensitive.attributes, self.tables, strict=True)
        self.references = [Reference(attribute, table) for attribute, table in pairs]

    def figure(self, requirement: Requirement, counts: SensitiveCounts) -> float:
        """Return the figure that all groups reach."""
        return float(requirement.model.reached(counts, self.references[requirement.column]))

    def lacking(self, requirement: Requirement, counts: SensitiveCounts) -> Floats:
        """Return how much each group lacks as a share of the figure to reach, or less; 0, where it lacks nothing."""
        lacking: Floats = requirement.model.lacking(counts, self.references[requirement.column])
        return lacking
