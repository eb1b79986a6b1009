"""MDAV around least common subsumers (Abril, Navarro-Arribas and Torra 2010)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from allonym.kinds.registry import KINDS, kind_named
from allonym.methods.base import GroupingMethod, MethodInfo
from allonym.methods.groups import Groups
from allonym.methods.kernels.microaggregation import mdav
from allonym.parameters import redeclared
from allonym.progress import Progress
from allonym.records import Records


@dataclass(frozen=True)
class Abril(GroupingMethod):
    """MDAV by meaning around least common subsumers, which also stand for the groups (Abril et al. 2010)."""

    info: ClassVar = MethodInfo(
        "abril",
        "forms groups of k similar records and replaces the values of a group by their least common subsumer",
        kinds=tuple(kind for kind in KINDS if not kind_named(kind).multivalued),
        splits_tuples=True,
    )
    represent: str = redeclared(GroupingMethod, "represent", default="subsumer")

    def partition(self, records: Records, rng: np.random.Generator, tick: Progress) -> Groups:
        """Group the tuples by MDAV around subsumers."""
        return mdav(records, self.metrics(records), self.k, rng, tick, around=lambda metric: metric.subsumer)
