"""SA-MDAV: semantic adaptive MDAV, and its static variant (Martinez, Sanchez and Valls 2012)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from allonym.methods.base import Grouping
from allonym.methods.groups import Groups
from allonym.methods.kernels.adaptive import GROWTH, sa_mdav
from allonym.progress import Progress
from allonym.records import Records


@dataclass(frozen=True)
class SAMDAV(Grouping):
    """Semantic adaptive MDAV (P1 Algorithm 2): groups of k or more by meaning, tuples are never split."""

    growth: str = "plain"
    name: ClassVar[str] = "sa-mdav"
    about: ClassVar[str] = "groups of k or more by meaning, equal records stay together"
    static: ClassVar[bool] = False

    def problems(self) -> Iterator[str]:
        """Say what is wrong with the parameters."""
        yield from super().problems()
        if self.growth not in GROWTH:
            yield f"growth is {self.growth!r}, it must be one of {', '.join(GROWTH)}."

    def partition(self, records: Records, rng: np.random.Generator, tick: Progress) -> Groups:
        """Group the tuples by SA-MDAV."""
        metrics = self.metrics(records)
        return sa_mdav(records, metrics, self.k, tick, growth=self.growth, static=self.static)


@dataclass(frozen=True)
class SAMDAVStatic(SAMDAV):
    """SA-MDAV whose groups grow around their first tuple (SA-MDAV-static)."""

    name: ClassVar[str] = "sa-mdav-static"
    about: ClassVar[str] = "as sa-mdav, but groups grow around their first tuple"
    static: ClassVar[bool] = True
