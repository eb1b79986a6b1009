"""MDAV around least common subsumers (Abril, Navarro-Arribas and Torra 2010)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from allonym.methods.base import KINDS, Grouping
from allonym.methods.groups import Groups
from allonym.methods.kernels.microaggregation import mdav
from allonym.progress import Progress
from allonym.records import Records


@dataclass(frozen=True)
class Abril(Grouping):
    """MDAV by meaning around least common subsumers, which also stand for the groups (Abril et al. 2010)."""

    represent: str = "subsumer"
    name: ClassVar[str] = "abril"
    about: ClassVar[str] = "groups of k by meaning; what all members have in common stands for them"
    kinds: ClassVar[frozenset[str]] = frozenset(KINDS) - {"set"}
    splits_tuples: ClassVar[bool] = True

    def partition(self, records: Records, rng: np.random.Generator, tick: Progress) -> Groups:
        """Group the tuples by MDAV around subsumers."""
        return mdav(records, self.metrics(records), self.k, rng, tick, around=lambda metric: metric.subsumer)
