"""The table that is open, with the versions of its plan and the releases made from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from allonym.errors import PlanError
from allonym.pipeline import review
from allonym.pipeline.cached_table import CachedTable
from allonym.pipeline.check import Check
from allonym.pipeline.choices import with_method
from allonym.pipeline.inspect import ColumnInspection, Inspection
from allonym.plan import Plan, toml
from allonym.plan.column import Column
from allonym.studio.history import PLAN, History, safe_name

if TYPE_CHECKING:
    from allonym.studio.results import Result

LINKS_ENDING = ".links.csv"


@dataclass(frozen=True)
class Estimate:
    """The runs of an estimated trade-off; `columns` identifies the columns of their plan."""

    runs: Sequence[Mapping[str, Any]]
    failed: Sequence[Mapping[str, Any]]
    columns: str


@dataclass
class OpenTable:
    """The open table: its cached data, first inspection, plan versions, estimate and releases."""

    data: CachedTable
    name: str  # the file name as shown to people; never a path
    inspection: Inspection
    history: History
    checks: dict[int, Check] = field(default_factory=dict)  # by version; the last one only
    results: list[Result] = field(default_factory=list)
    estimate: Estimate | None = None
    cached_release: tuple[int, CachedTable] | None = None  # the release shown last, by its number

    @property
    def stem(self) -> str:
        """The file name without its ending."""
        safe = safe_name(self.name, "table")
        return safe.removesuffix(".gz").rpartition(".")[0] or safe

    @property
    def plan(self) -> Plan | None:
        """The current plan."""
        return self.history.current.plan

    @property
    def folder(self) -> Path:
        """The folder of the current plan and its files."""
        return self.history.current.folder

    @property
    def plan_columns(self) -> Mapping[str, Column]:
        """The columns of the current plan; none while there is no plan."""
        return {} if self.plan is None else self.plan.columns

    def column(self, inspected: ColumnInspection) -> Column:
        """Return a column as the plan has it, or as proposed."""
        default = Column("keep") if self.plan is not None and self.plan.keep_rest else inspected.column()
        return self.plan_columns.get(inspected.name) or default

    def ontology_files(self) -> list[str]:
        """Return the names of the files that may serve as ontologies."""
        named = set(review.files_of(self.plan)) if self.plan is not None else set()
        links = {str(file) for column in self.plan_columns.values() for file in column.links}
        present = {x.name for x in self.folder.iterdir() if x.name != PLAN and not x.name.endswith(LINKS_ENDING)}
        return sorted({*present, *(x for x in named if (self.folder / x).exists())} - links)

    def with_columns(self, columns: Mapping[str, Column]) -> Plan:
        """Return the plan with other columns, without requirements on columns that are no longer sensitive."""
        if self.plan is None:
            return Plan(columns, reading=self.data.reading)
        privacy = [x for x in self.plan.privacy if x.column in columns and columns[x.column].role == "sensitive"]
        keep_rest = self.plan.keep_rest and not {x.name for x in self.inspection.columns} <= set(columns)
        return replace(self.plan, columns=columns, keep_rest=keep_rest, privacy=tuple(privacy))

    def with_reviewed_links(self, name: str, column: Column) -> tuple[Column, dict[str, bytes]]:
        """Return a changed column and its links files, keeping the links that a person set."""
        before = self.plan_columns.get(name)
        if before is None or column.role not in ("quasi", "sensitive"):
            return column, {}
        return review.carried_over(before, column, self.folder)


def proposed_plan(inspection: Inspection) -> Plan | None:
    """Return the plan proposed for a table; None where no column looks like a quasi-identifier."""
    try:
        return inspection.plan()
    except PlanError:
        return None


def same_plan(one: Plan | None, other: Plan | None) -> bool:
    """Return whether two plans and the files they name are equal."""
    if one is None or other is None or toml.dumped(one) != toml.dumped(other):
        return False
    files = review.files_of(one)
    return all((one.folder / x).read_bytes() == (other.folder / x).read_bytes() for x in files)


def columns_key(plan: Plan) -> str:
    """Return a text that is equal for plans that differ in nothing but method and requirements."""
    return toml.dumped(with_method(replace(plan, privacy=()), "sa-mdav", 5, {}, 0))
