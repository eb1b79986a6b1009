"""Microaggregation that knows what words mean (P1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from allonym.masking.adaptive import GROWTH, sa_mdav
from allonym.masking.base import KINDS, Grouping, Tick
from allonym.masking.groups import Groups
from allonym.masking.microaggregation import mdav
from allonym.records import Records


@dataclass(frozen=True)
class Abril(Grouping):
    """MDAV by meaning around least common subsumers, which also stand for the groups (Abril et al. 2010)."""

    represent: str = "subsumer"
    name: ClassVar[str] = "abril"
    about: ClassVar[str] = "groups of k by meaning; what all members have in common stands for them"
    kinds: ClassVar[frozenset[str]] = frozenset(KINDS) - {"set"}
    splits: ClassVar[bool] = True

    def partition(self, records: Records, rng: np.random.Generator, tick: Tick) -> Groups:
        """Group the tuples by MDAV around subsumers."""
        return mdav(records, self.metrics(records), self.k, rng, tick, around=lambda metric: metric.subsumer)


@dataclass(frozen=True)
class SMDAV(Grouping):
    """MDAV with semantic distance and centroid (S-MDAV): groups of k, tuples may be split."""

    name: ClassVar[str] = "s-mdav"
    about: ClassVar[str] = "groups of k by meaning; the nearest concept stands for all"
    splits: ClassVar[bool] = True

    def partition(self, records: Records, rng: np.random.Generator, tick: Tick) -> Groups:
        """Group the tuples by MDAV."""
        return mdav(records, self.metrics(records), self.k, rng, tick)


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

    def partition(self, records: Records, rng: np.random.Generator, tick: Tick) -> Groups:
        """Group the tuples by SA-MDAV."""
        metrics = self.metrics(records)
        return sa_mdav(records, metrics, self.k, tick, growth=self.growth, static=self.static)


@dataclass(frozen=True)
class SAMDAVStatic(SAMDAV):
    """SA-MDAV whose groups grow around their first tuple (SA-MDAV-static)."""

    name: ClassVar[str] = "sa-mdav-static"
    about: ClassVar[str] = "as sa-mdav, but groups grow around their first tuple"
    static: ClassVar[bool] = True
