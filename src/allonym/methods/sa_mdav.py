"""SA-MDAV: semantic adaptive MDAV, and its static variant (Martinez, Sanchez and Valls 2012)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from allonym.errors import Problem
from allonym.methods.base import GroupingMethod, MethodInfo
from allonym.methods.blocks import Blocks
from allonym.methods.groups import Groups
from allonym.methods.kernels.adaptive import GROWTH, sa_mdav
from allonym.methods.replacement.global_recoding import GLOBAL, conflicts, recoded
from allonym.parameters import parameter, redeclared
from allonym.progress import Progress, no_progress
from allonym.records import Masking, Records


@dataclass(frozen=True)
class SAMDAV(GroupingMethod):
    """Semantic adaptive MDAV (Algorithm 2): groups of k or more by meaning, tuples are never split."""

    info: ClassVar = MethodInfo(
        "sa-mdav",
        "forms groups of at least k similar records, keeps equal ones together, and writes what all members have in "
        "common (of numbers, the mean)",
    )
    growth: str = parameter("plain", "How groups grow: by distance alone, or weighted as published.", choices=GROWTH)
    replace: str = parameter(
        "local",
        "Where equal values of a column have the same replacement: within a group, or in the whole table (global "
        "recoding).",
        choices=("local", GLOBAL),
    )

    @property
    def replaces_globally(self) -> bool:
        """Whether equal values of a column have one replacement, suppressed records aside."""
        return self.replace == GLOBAL

    @property
    def description(self) -> str:
        """What the method does with its parameters, for reports."""
        if not self.replaces_globally:
            return super().description
        return "replaces similar values of a column by one value in all records, until at least k records are equal"

    def conflicts(self, stated: Mapping[str, Any]) -> Iterator[Problem]:
        """Yield which parameters cannot be combined."""
        yield from super().conflicts(stated)
        if self.replaces_globally:
            yield from conflicts(self, stated)

    def mask(
        self, records: Records, seed: int = 0, tick: Progress = no_progress, blocks: Blocks | None = None
    ) -> Masking:
        """Mask group by group; or recode whole columns, where values are replaced globally."""
        if self.replaces_globally:
            return recoded(records, self.k, self.represent, self.suppress or 0.0, tick)
        return super().mask(records, seed, tick, blocks)

    def partition(self, records: Records, rng: np.random.Generator, tick: Progress) -> Groups:
        """Group the tuples by SA-MDAV."""
        return sa_mdav(records, self.metrics(records), self.k, tick, growth=self.growth)


@dataclass(frozen=True)
class SAMDAVStatic(SAMDAV):
    """SA-MDAV whose groups grow around their first tuple (SA-MDAV-static)."""

    info: ClassVar = MethodInfo(
        "sa-mdav-static", "like sa-mdav, but a group grows around its first record instead of its centroid"
    )
    replace: str = redeclared(SAMDAV, "replace", choices=("local",))

    def partition(self, records: Records, rng: np.random.Generator, tick: Progress) -> Groups:
        """Group the tuples by SA-MDAV-static."""
        return sa_mdav(records, self.metrics(records), self.k, tick, growth=self.growth, static=True)
