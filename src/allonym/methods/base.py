"""The base classes of methods, and the description that each method declares of itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from allonym.errors import Problem
from allonym.kinds.registry import KINDS, kind_named
from allonym.measures import loss
from allonym.methods.blocks import Blocks, grouped
from allonym.methods.finish import Finishing, effort_of
from allonym.methods.groups import Groups
from allonym.methods.kernels.ties import TieOrder
from allonym.methods.replacement.existing_records import EXISTING
from allonym.metric import Metric
from allonym.parameters import parameter, parameters_of, problems_of
from allonym.progress import Progress, no_progress
from allonym.records import Masking, Mechanism, Pairs, Records
from allonym.release_key import rng_of

REFINE = (
    "Improve the groups by a local search, which loses much less at the same k; without it, as published. More than "
    "1,000 different sets of items are improved only if time_limit is given."
)
MAX_REFINED_SETS = 1_000  # tuples with sets of items that are improved without a time limit: they take long
RESTARTS = "How often to group with another order of ties; the release that loses least is taken."
TIME_LIMIT = (
    "Seconds for improving the groups: the best groups found by then are taken. Releases then depend on the speed of "
    "the machine, even with a seed. Unless given, a fixed number of groups is tried."
)
VALUES = (
    "Which values are written: any, or only existing ones: each combination of values is that of a record of the "
    "table, as text."
)
VALUES_CHOICES = ("any", EXISTING)
SUPPRESS = (
    "Share of records that may be suppressed where that loses less: all their quasi-identifiers become empty. Unless "
    "given, up to 1 % with refine and represent = auto or truthful, and only if the loss falls by at least ten times "
    "their share."
)
TRUE_OF_ALL = ("auto", "truthful")  # representatives with a budget of suppression by default
SUPPRESS_CELLS = "Empty a value of a group where that loses less than what would replace it."


def cell_conflicts(values: str, *, cells: bool) -> Iterator[Problem]:
    """Yield the problem of existing values together with suppressed cells: no record of the table has these nulls."""
    if values == EXISTING and cells:
        text = f"values = {EXISTING} writes records of the table, but suppress_cells empties single cells of them."
        yield Problem("cells-not-existing", text, "leave suppress_cells out; suppress empties whole records.")


def suppress_parameter() -> Any:
    """Declare the share of records that may be suppressed."""
    return parameter(None, SUPPRESS, type=float, minimum=0, below=1, hint="0.01 or 1%.")


def refines(records: Records, refine: bool, time_limit: float | None) -> bool:
    """Tell whether groups are improved. Very many sets of items are improved only within a time limit."""
    has_sets = any(kind_named(attribute.kind).multivalued for attribute in records.attributes)
    return refine and not (has_sets and time_limit is None and len(records) > MAX_REFINED_SETS)


def time_limit_parameter() -> Any:
    """Declare how long groups are improved."""
    return parameter(None, TIME_LIMIT, type=float, above=0, hint="30 seconds or more for large tables.")


def draws_of(seed: int, restarts: int) -> list[int]:
    """Return the seeds of several runs; the first one is the seed itself."""
    more = rng_of(seed).integers(0, 2**63, restarts - 1)
    return [seed, *more.tolist()]


AUTO = "what all members have in common (of numbers, the mean)"  # in the summaries of methods with this default
REPRESENTATIVES = {
    "auto": AUTO,
    "truthful": "what all members have in common",
    "centroid": "the centroid",
    "least-squares": "the values with the least squared distances",
    "subsumer": "the least common subsumer",
    "member": "a member",
}


@dataclass(frozen=True)
class MethodInfo:
    """What a method declares of itself besides its parameters."""

    name: str  # in plans and on the command line
    summary: str  # one line
    kinds: tuple[str, ...] = KINDS  # of columns that it can mask
    guarantees: tuple[str, ...] = ("k-anonymity",)
    splits_tuples: bool = False  # equal records may come into different groups
    data_independent: bool = False  # what becomes of a record depends on no other record
    keeps_values: bool = False  # every value of a column is in the release, also one that a single person has
    truthful: bool = False  # every value written is true of the records that it is written for
    min_values: int = 1  # distinct values of a column, if it has any, below which the method would leave it unchanged


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
    def known_items(self) -> int | None:
        """The items of a set that an attacker may know, where k is promised for these alone; None: for whole records.

        The method then masks one column, of sets, and promises k^m-anonymity.
        """
        return None

    @property
    def needs_hierarchy(self) -> bool:
        """Whether columns of words need a hierarchy."""
        return False

    def truthful(self, kind: str) -> bool:
        """Tell whether every value written in a column of a kind is true of the records that it is written for."""
        return self.info.truthful

    @property
    def writes_existing(self) -> bool:
        """Whether every combination of values that is written is that of a record of the table."""
        return getattr(self, "values", None) == EXISTING

    @property
    def replaces_globally(self) -> bool:
        """Whether equal values of a column have one replacement in the release, suppressed records aside."""
        return False

    @property
    def bounded_representative(self) -> str | None:
        """What represents groups of whole tuples, which have a lower bound of the loss; None, if there are none."""
        return None

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

    def conflicts(self, stated: Mapping[str, Any]) -> Iterator[Problem]:
        """Yield which parameters cannot be combined; `stated` has those that a plan states, defaults too."""
        yield from ()

    def column_problems(self, columns: Sequence[str]) -> Iterator[Problem]:
        """Yield what is wrong with the parameters for a table, given the columns that are masked."""
        yield from ()

    @abstractmethod
    def mask(self, records: Records, seed: int = 0, tick: Progress = no_progress) -> Masking:
        """Return what becomes of every tuple."""


@dataclass(frozen=True)
class UngroupedMethod(Method):
    """A method that changes values at random and forms no groups: it guarantees no k."""

    @abstractmethod
    def mechanism(self, records: Records) -> Mechanism:
        """Return how likely each value becomes another, for attackers who know the plan and the table."""


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
        "auto",
        "What replaces the values of a group. truthful: a value that is true of all (a concept, range or prefix); "
        "centroid: the nearest value of each column, as published; least-squares: the nearest values of all columns "
        "together, by squared distances; auto: truthful, but the mean for numbers and the consensus for sets; "
        "subsumer: the least common subsumer, for numbers the mean; member: the values of one record.",
        choices=tuple(REPRESENTATIVES),
    )
    refine: bool = parameter(True, REFINE)
    time_limit: float | None = time_limit_parameter()
    restarts: int = parameter(1, RESTARTS, minimum=1, hint="1 is usual; 10 takes ten times as long.")
    values: str = parameter("any", VALUES, choices=VALUES_CHOICES)
    suppress: float | None = suppress_parameter()
    suppress_cells: bool = parameter(False, SUPPRESS_CELLS)

    def __post_init__(self) -> None:
        """Let a member stand for each group where only existing values are written, unless something else is stated."""
        if self.values == EXISTING and self.represent == parameters_of(self)["represent"].default:
            object.__setattr__(self, "represent", "member")

    def conflicts(self, stated: Mapping[str, Any]) -> Iterator[Problem]:
        """Yield the problem of existing values together with representatives that need not exist."""
        represent = stated.get("represent", self.represent)
        if self.values == EXISTING and represent != "member":
            text = f"values = {EXISTING} writes records of the table, but represent = {represent} writes other values."
            yield Problem("values-not-existing", text, "choose represent = member, or leave represent out.")
        yield from cell_conflicts(self.values, cells=self.suppress_cells)

    @property
    def description(self) -> str:
        """What the method does, with what it writes for a group."""
        return self.info.summary.replace(AUTO, REPRESENTATIVES[self.represent])

    def truthful(self, kind: str) -> bool:
        """Tell whether every value written is true of its group; a centroid or a member need not be."""
        if self.represent == "auto":
            return kind_named(kind).default_representative == "truthful"
        return self.represent == "truthful" or (self.represent == "subsumer" and not kind_named(kind).ordered)

    @property
    def bounded_representative(self) -> str | None:
        """What represents groups; None, if equal records may come into different groups."""
        return None if self.info.splits_tuples else self.represent

    def mask(
        self, records: Records, seed: int = 0, tick: Progress = no_progress, blocks: Blocks | None = None
    ) -> Masking:
        """Group the tuples, improve the groups, and choose what replaces each; of several runs, the best is taken."""
        runs = (self._masked(records, draw, tick, blocks) for draw in draws_of(seed, self.restarts))
        return min(runs, key=lambda masking: loss.sse(Pairs.of(records, masking)))

    def _masked(self, records: Records, seed: int, tick: Progress, blocks: Blocks | None) -> Masking:
        drawn = TieOrder.drawn(records, rng_of(seed))
        represent = EXISTING if self.writes_existing else self.represent
        effort = effort_of(
            records,
            refine=refines(records, self.refine, self.time_limit),
            seconds=self.time_limit,
            seed=seed,
            suppress=self.suppress,
            truthful=self.represent in TRUE_OF_ALL and not self.writes_existing,
        )
        groups = grouped(self, drawn.records, seed, tick, blocks)
        finishing = Finishing(self.k, self.metrics(drawn.records), represent, effort, self.suppress_cells)
        return drawn.restored(finishing.masked(drawn.records, groups, tick))
