"""The base classes of methods, and the description that each method declares of itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from allonym.errors import Problem
from allonym.kinds.registry import KINDS
from allonym.methods.blocks import Blocks, grouped
from allonym.methods.groups import Groups
from allonym.methods.refine import finished
from allonym.parameters import parameter, problems_of
from allonym.progress import Progress, no_progress
from allonym.records import Masking, Metric, Records

REFINE = "Improve the groups by a local search; takes longer."


CENTROID = "the centroid"  # in the summaries of methods that write it by default
REPRESENTATIVES = {"centroid": CENTROID, "subsumer": "the least common subsumer", "member": "a member"}


@dataclass(frozen=True)
class MethodInfo:
    """What a method declares of itself besides its parameters."""

    name: str  # in plans and on the command line
    summary: str  # one line
    kinds: tuple[str, ...] = KINDS  # of columns that it can mask
    guarantees: tuple[str, ...] = ("k-anonymity",)
    splits_tuples: bool = False  # equal records may come into different groups
    data_independent: bool = False  # what becomes of a record depends on no other record
    truthful: bool = False  # every value written is true of the records that it is written for
    min_values: int = 1  # distinct values that a column needs, where the method is fitted to one column at a time


@dataclass(frozen=True)
class Method(ABC):
    """A method with its parameters, each declared on its field with `parameter`."""

    info: ClassVar[MethodInfo]

    @property
    def name(self) -> str:
        """The name of the method in plans."""
        return self.info.name

    @property
    def description(self) -> str:
        """What the method does with its parameters, for reports."""
        return self.info.summary

    @property
    def required_k(self) -> int:
        """How many records must be indistinguishable; 1, where the method guarantees no k."""
        return 1

    @property
    def needs_hierarchy(self) -> bool:
        """Whether columns of words need a hierarchy."""
        return False

    @property
    def truthful(self) -> bool:
        """Whether every value written is true of the records that it is written for."""
        return self.info.truthful

    @property
    def key(self) -> str:
        """The column whose texts identify the random draws of a row; the row number, if none."""
        return ""

    @property
    def codes(self) -> bool | None:
        """Whether concepts are written by code; None, if as in the column that was read."""
        return None

    def problems(self) -> Iterator[Problem]:
        """Yield what is wrong with the parameters."""
        yield from problems_of(self)

    @abstractmethod
    def mask(self, records: Records, seed: int = 0, tick: Progress = no_progress) -> Masking:
        """Return what becomes of every tuple."""


@dataclass(frozen=True)
class KAnonymityMethod(Method):
    """A method after which at least k records are indistinguishable."""

    k: int = parameter(5, "Minimum number of indistinguishable records.", minimum=2, hint="5 is usual.")

    @property
    def required_k(self) -> int:
        """How many records must be indistinguishable."""
        return self.k


@dataclass(frozen=True)
class ColumnwiseMethod(KAnonymityMethod):
    """A method that guarantees k for each column alone, not for several columns together."""

    per_attribute: bool = parameter(False, "Accept k in each column alone.")


@dataclass(frozen=True)
class PartitionMethod(KAnonymityMethod):
    """A method that partitions the tuples into groups; very many tuples may be partitioned in blocks."""

    def metrics(self, records: Records) -> Sequence[Metric]:
        """Return the metric that the method uses for each attribute: by default the attribute's own."""
        return [attribute.metric for attribute in records.attributes]

    @abstractmethod
    def partition(self, records: Records, rng: np.random.Generator, tick: Progress) -> Groups:
        """Group the tuples, or pieces of them, so that every group has at least k rows."""

    @abstractmethod
    def mask(
        self, records: Records, seed: int = 0, tick: Progress = no_progress, blocks: Blocks | None = None
    ) -> Masking:
        """Return what becomes of every tuple; `blocks` says from how many tuples on they are partitioned in blocks."""


@dataclass(frozen=True)
class GroupingMethod(PartitionMethod):
    """A method that groups tuples and writes one record for each group, chosen by the metrics."""

    represent: str = parameter(
        "centroid",
        "What replaces the values of a group: the nearest concept, the least common subsumer, or a member.",
        choices=tuple(REPRESENTATIVES),
    )
    refine: bool = parameter(False, REFINE)

    @property
    def description(self) -> str:
        """What the method does, with what it writes for a group."""
        return self.info.summary.replace(CENTROID, REPRESENTATIVES[self.represent])

    @property
    def truthful(self) -> bool:
        """Whether every value written is true of its group: a subsumer is, a centroid or a member need not be."""
        return self.represent == "subsumer"

    def mask(
        self, records: Records, seed: int = 0, tick: Progress = no_progress, blocks: Blocks | None = None
    ) -> Masking:
        """Group the tuples, merge groups until each meets k and the privacy models, and choose what replaces each."""
        groups = grouped(self, records, seed, tick, blocks)
        return finished(records, groups, self.k, self.metrics(records), self.represent, tick, refine=self.refine)
