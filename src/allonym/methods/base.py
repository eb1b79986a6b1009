"""What a method is, and the way every method goes: partition, enforce, represent."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from allonym.methods.blocks import Blocks, grouped
from allonym.methods.groups import Groups
from allonym.methods.refine import finished
from allonym.methods.represent import WAYS
from allonym.progress import Progress, no_progress
from allonym.records import Masking, Metric, Records

LARGEST = 10**300  # no parameter is that large
KINDS = ("text", "category", "ordinal", "numeric", "set")


def is_number(value: object) -> bool:
    """Tell whether something is a number that is not too large to be one."""
    return isinstance(value, float) or (isinstance(value, int) and not isinstance(value, bool) and abs(value) < LARGEST)


@dataclass(frozen=True)
class Method(ABC):
    """A method with its parameters."""

    name: ClassVar[str]
    about: ClassVar[str]  # one line, for people
    kinds: ClassVar[frozenset[str]] = frozenset(KINDS)
    promises: ClassVar[tuple[str, ...]] = ()
    record_level: ClassVar[bool] = False  # whether every row has draws of its own
    data_independent: ClassVar[bool] = False  # whether nothing that becomes of a row may depend on others
    splits_tuples: ClassVar[bool] = False  # whether records that are alike may part ways
    supports_blocks: ClassVar[bool] = False  # whether very many tuples may be grouped in blocks

    @property
    def required_k(self) -> int:
        """How many records must look the same; 1, where the method promises nothing of the kind."""
        return 1

    @property
    def per_column(self) -> bool:
        """Whether k is promised for each column alone, not for all together."""
        return False

    @property
    def key_column(self) -> str:
        """The column whose texts the draws of rows go by; the numbers of the rows, if none."""
        return ""

    @property
    def writes_codes(self) -> bool | None:
        """Whether concepts are written by code; None, if that is as the column was."""
        return None

    @property
    def needs_hierarchy(self) -> bool:
        """Whether columns of words need a hierarchy."""
        return False

    def problems(self) -> Iterator[str]:
        """Say what is wrong with the parameters, besides k."""
        yield from ()

    @abstractmethod
    def mask(self, records: Records, seed: int = 0, tick: Progress = no_progress) -> Masking:
        """Say what becomes of every tuple."""


@dataclass(frozen=True)
class Anonymising(Method):
    """A method after which at least k records look the same."""

    k: int = 5
    promises: ClassVar[tuple[str, ...]] = ("k-anonymity",)

    @property
    def required_k(self) -> int:
        """How many records must look the same."""
        return self.k


@dataclass(frozen=True)
class Grouping(Anonymising):
    """A method that groups tuples; what stands for a group is decided by its metrics."""

    represent: str = "centroid"  # what stands for a group: centroid, subsumer or member
    refine: bool = False  # whether the groups are made better by a local search
    supports_blocks: ClassVar[bool] = True

    def problems(self) -> Iterator[str]:
        """Say what is wrong with the parameters."""
        if self.represent not in WAYS:
            yield f"represent is {self.represent!r}, it must be one of {', '.join(WAYS)}."
        if not isinstance(self.refine, bool):
            yield "refine must be true or false."

    def metrics(self, records: Records) -> Sequence[Metric]:
        """Return the metric the method sees for each attribute: the attribute's own, unless it says otherwise."""
        return [attribute.metric for attribute in records.attributes]

    @abstractmethod
    def partition(self, records: Records, rng: np.random.Generator, tick: Progress) -> Groups:
        """Group the tuples, or pieces of them, so that every group has at least k rows."""

    def mask(
        self, records: Records, seed: int = 0, tick: Progress = no_progress, blocks: Blocks | None = None
    ) -> Masking:
        """Group the tuples, see that every group has k units and what is demanded, and choose what stands for it."""
        groups = grouped(self, records, seed, tick, blocks)
        return finished(records, groups, self.k, self.metrics(records), self.represent, tick, refine=self.refine)
