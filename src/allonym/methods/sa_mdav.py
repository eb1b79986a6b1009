"""SA-MDAV: semantic adaptive MDAV, and its static variant (Martinez, Sanchez and Valls 2012)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from allonym.methods.base import GroupingMethod, MethodInfo
from allonym.methods.groups import Groups
from allonym.methods.kernels.adaptive import GROWTH, sa_mdav
from allonym.parameters import parameter
from allonym.progress import Progress
from allonym.records import Records


@dataclass(frozen=True)
class SAMDAV(GroupingMethod):
    """Semantic adaptive MDAV (Algorithm 2): groups of k or more by meaning, tuples are never split."""

    info: ClassVar = MethodInfo(
        "sa-mdav",
        "forms groups of at least k similar records, keeps equal ones together, and writes the centroid of each group",
    )
    growth: str = parameter("plain", "How groups grow: by distance alone, or weighted as published.", choices=GROWTH)

    def partition(self, records: Records, rng: np.random.Generator, tick: Progress) -> Groups:
        """Group the tuples by SA-MDAV."""
        return sa_mdav(records, self.metrics(records), self.k, tick, growth=self.growth)


@dataclass(frozen=True)
class SAMDAVStatic(SAMDAV):
    """SA-MDAV whose groups grow around their first tuple (SA-MDAV-static)."""

    info: ClassVar = MethodInfo(
        "sa-mdav-static", "like sa-mdav, but a group grows around its first record instead of its centroid"
    )

    def partition(self, records: Records, rng: np.random.Generator, tick: Progress) -> Groups:
        """Group the tuples by SA-MDAV-static."""
        return sa_mdav(records, self.metrics(records), self.k, tick, growth=self.growth, static=True)
