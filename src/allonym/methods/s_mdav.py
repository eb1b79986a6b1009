"""S-MDAV: MDAV with semantic distance and centroid (Martinez, Sanchez and Valls 2012)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from allonym.methods.base import GroupingMethod, MethodInfo
from allonym.methods.groups import Groups
from allonym.methods.kernels.microaggregation import mdav
from allonym.progress import Progress
from allonym.records import Records


@dataclass(frozen=True)
class SMDAV(GroupingMethod):
    """MDAV with semantic distance and centroid (S-MDAV): groups of k, tuples may be split."""

    info: ClassVar = MethodInfo(
        "s-mdav",
        "forms groups of k similar records and writes what all members have in common (of numbers, the mean)",
        splits_tuples=True,
    )

    def partition(self, records: Records, rng: np.random.Generator, tick: Progress) -> Groups:
        """Group the tuples by MDAV."""
        return mdav(records, self.metrics(records), self.k, rng, tick)
