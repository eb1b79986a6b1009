"""Inspecting a table: what its columns hold, and which role, kind and ontology each may have in a plan."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from allonym.arrays import Floats, distinct
from allonym.cells import MISSING, Cells, cell_text, is_missing, united_codes
from allonym.errors import TableError, plural
from allonym.kinds.identifiers import ColumnSample, numbers_persons
from allonym.kinds.numbers import numbers_of
from allonym.kinds.proposal import Evidence, Ontologies, propose
from allonym.kinds.proposal.profile import likely_markers
from allonym.kinds.proposal.roles import PRIVATE, proposed_role
from allonym.kinds.registry import EMPTY, automatic_kind, kind_named
from allonym.measures.population import PopulationRisk, from_weights
from allonym.measures.uniques import SIZE, UniqueCombinations, unique_combinations
from allonym.pipeline.cached_table import CachedTable
from allonym.pipeline.disclosure.population import population_risk_by_text
from allonym.pipeline.source import ExecutionOptions, engine_for
from allonym.plan.column import Column, described
from allonym.plan.model import Plan
from allonym.progress import Progress, no_progress
from allonym.tables.base import Table
from allonym.tables.engines.grouped import GroupedTable
from allonym.tables.files import Reading, open_any

SENSITIVE = "sensitive"
PRIVATE_EVIDENCE = Evidence("name-of-private", "The name says what nobody should learn about a person.")
COUNTED_ROLES = ("quasi", "unit", "weight")
MIN_UNITS = 0.1  # share of the rows that have a value of their own in a column of persons
COLUMNS_AT_A_TIME = 50  # that are read
MAX_SEARCHED = 50_000_000  # combinations × distinct tuples


@dataclass(frozen=True)
class ColumnInspection:
    """One column of a table; role, kind and ontology are guesses for a person to confirm."""

    name: str
    distinct: int
    unique: int
    missing: int
    role: str
    kind: str
    ontology: str | None = None
    coverage: float | None = None  # share of cells that the ontology knows; WordNet, if none is proposed
    levels: tuple[str, ...] = ()  # of ordered categories, lowest first
    evidence: tuple[Evidence, ...] = ()  # why they are guessed
    language: str | None = None  # of its words, where the plan must state it
    markers: tuple[str, ...] = ()  # likely missing-value markers, besides the usual ones

    def column(self) -> Column:
        """Return the column for a plan."""
        if self.role != "quasi":
            return Column(self.role)
        kind = kind_named(self.kind)
        language: dict[str, Any] = {} if self.language is None else {"language": self.language}
        language |= {"missing": self.markers} if self.markers else {}
        if kind.automatic and self.ontology:  # an ontology alone states that it is one of words
            return described(self.role, self.ontology, **language)
        options: dict[str, Any] = {} if self.ontology else dict(kind.without_ontology)
        if self.levels:
            options["levels"] = self.levels
        return described(self.role, self.ontology, **{**options, **language, "kind": self.kind})

    def to_dict(self) -> dict[str, Any]:
        """Return the column for JSON."""
        lists = {"levels": list(self.levels), "markers": list(self.markers)}
        return {**vars(self), **lists, "evidence": [dict(vars(x)) for x in self.evidence]}


@dataclass(frozen=True)
class Inspection:
    """A table and the guesses about its columns."""

    records: int
    columns: Sequence[ColumnInspection]
    suffix: str = ".csv"  # how files of this format end
    uniques: UniqueCombinations | None = None  # the combinations of likely quasi-identifiers that make people unique
    population: PopulationRisk | None = None  # people of a population who share the values of each record

    def to_dict(self) -> dict[str, Any]:
        """Return the inspection for JSON."""
        return {
            "format": 1,
            "records": self.records,
            "columns": [x.to_dict() for x in self.columns],
            "unique_combinations": None if self.uniques is None else self.uniques.to_dict(),
            "population": None if self.population is None else self.population.to_dict(),
        }

    def plan(self, reading: Reading | None = None) -> Plan:
        """Return a plan to begin with."""
        return Plan({x.name: x.column() for x in self.columns}, reading=reading or Reading())


def inspect(
    source: Any,
    reading: Reading | None = None,
    tick: Progress = no_progress,
    *,
    population: Any = None,
    combination_size: int = SIZE,
) -> Inspection:
    """Inspect every column of a frame or a file, and what makes people unique; see `Plan.check` for the options."""
    engine = None if isinstance(source, CachedTable) else engine_for(source, ExecutionOptions())
    table: Table = GroupedTable(engine) if engine is not None else _in_memory(source, reading)
    ontologies = Ontologies.available()
    columns: list[ColumnInspection] = []
    numbered: set[str] = set()  # columns of identifiers that number persons
    read: dict[str, Cells] = {}  # what the risk is counted on, unless an engine counts anew
    for place, (name, cells) in enumerate(_columns(table)):
        tick(place, len(table.names))
        columns.append(_inspect(name, cells, ontologies) if cells else ColumnInspection(name, 0, 0, 0, "keep", EMPTY))
        if cells and columns[-1].role == "identifier" and numbers_persons(ColumnSample(name, cells)):
            numbered.add(name)
        if cells and engine is None and columns[-1].role in COUNTED_ROLES:
            read[name] = cells
    columns = _settle_persons(columns, table.n, numbered)
    if engine is not None:
        table = GroupedTable(engine, [x.name for x in columns if x.role in ("quasi", "unit")])
    uniques, people = _risk(table, columns, population, combination_size, read)
    return Inspection(table.n, columns, table.suffix, uniques, people)


def _risk(
    table: Table, columns: Sequence[ColumnInspection], population: Any, size: int, read: Mapping[str, Cells]
) -> tuple[UniqueCombinations | None, PopulationRisk | None]:
    """Return what makes people unique in the likely quasi-identifiers, as text, and their number in a population."""
    by_role = {role: [x.name for x in columns if x.role == role] for role in COUNTED_ROLES}

    def cells_of(role: str) -> Mapping[str, Cells]:
        known = {x: read[x] for x in by_role[role] if x in read}
        return known if len(known) == len(by_role[role]) else table.cells(by_role[role])

    if not by_role["quasi"] or not table.n:
        return None, None
    cells = cells_of("quasi")
    unit = next(iter(by_role["unit"]), None)
    codes, units = [x.codes for x in cells.values()], None if unit is None else united_codes(cells_of("unit")[unit])
    uniques = None
    if size > 0:
        search = partial(unique_combinations, row_counts=table.row_counts, limit=MAX_SEARCHED)
        uniques = search(by_role["quasi"], codes, size=size, units=units)
    if population is not None:
        return uniques, population_risk_by_text(cells, population, unit, units, table.row_counts)
    if table.counts_rows or not by_role["weight"]:
        return uniques, None
    weights = _weights(next(iter(cells_of("weight").values())))
    risk = None if weights is None else from_weights(by_role["quasi"], distinct(codes)[0], weights, units)
    return uniques, risk


def _weights(cells: Cells) -> Floats | None:
    """Return the weights of all rows; None, if one is missing or below 0."""
    numbers, _ = numbers_of([None if is_missing(x) else cell_text(x) for x in cells.values])
    if any(x is None or x < 0 for x in numbers):
        return None
    return np.array(numbers, np.float64)[cells.codes]


def _in_memory(source: Any, reading: Reading | None) -> Table:
    return source.read(reading or source.reading) if isinstance(source, CachedTable) else open_any(source, reading)


def _columns(table: Table) -> Iterator[tuple[str, Cells | None]]:
    """Yield the columns of a table, reading some at a time; a column of nested values comes without cells."""
    for low in range(0, len(table.names), COLUMNS_AT_A_TIME):
        names = table.names[low : low + COLUMNS_AT_A_TIME]
        try:
            yield from table.cells(names).items()
        except TableError:
            for name in names:
                try:
                    yield name, table.cells([name])[name]
                except TableError:
                    yield name, None


def _inspect(name: str, cells: Cells, ontologies: Ontologies) -> ColumnInspection:
    counts, markers = cells.counts, likely_markers(cells)
    missing = (*MISSING, *markers)
    null = np.array([is_missing(x, missing) for x in cells.values], bool)
    present = counts[~null] if len(null) else counts
    distinct, unique, rows = len(present), int((present == 1).sum()), int(present.sum())
    figures = (name, distinct, unique, int(counts.sum()) - rows)
    kind = automatic_kind(cells, missing) if distinct else EMPTY
    identifying = proposed_role(name, cells, numeric=kind_named(kind).numeric) if distinct else None
    if identifying is not None:
        role, evidence = identifying
        return ColumnInspection(*figures, role, kind, evidence=(evidence,))
    proposal = propose(name, cells, ontologies, missing)
    role, reasons = "quasi" if distinct > 1 else "keep", proposal.evidence
    if markers:
        marked = int(counts[[x in markers for x in cells.values]].sum())
        text = f"{plural(marked, 'cell')} with words for a missing value, which the plan names as its markers."
        reasons = (*reasons, Evidence("missing-markers", text))
    if distinct > 1 and PRIVATE.search(name) and SENSITIVE in kind_named(proposal.kind).roles:
        role, reasons = SENSITIVE, (PRIVATE_EVIDENCE, *reasons)
    return ColumnInspection(
        *figures,
        role,
        proposal.kind,
        proposal.ontology,
        proposal.coverage,
        proposal.levels,
        reasons,
        proposal.language,
        markers,
    )


def _settle_persons(
    columns: Sequence[ColumnInspection], records: int, numbered: Collection[str]
) -> list[ColumnInspection]:
    """Let one column each be the unit, the household and the weight; persons with several rows need a unit.

    They seem to have, if there is no unit and a column in `numbered`, which numbers persons, repeats. The one with most
    values is then the unit. Where even that has few values, k counts rows, and it is masked like others. Names that
    repeat are dropped.
    """
    settled: list[ColumnInspection] = []
    for column in columns:
        role = column.role
        if role in ("unit", "household", "weight") and any(x.role == role for x in settled):
            role = "identifier" if any(x.code == "identifying" for x in column.evidence) else "quasi"
        settled.append(replace(column, role=role))
    identifiers = [x for x in settled if x.role == "identifier" and x.name in numbered]
    if any(x.role == "unit" for x in settled) or all(x.distinct == records - x.missing for x in identifiers):
        return settled
    unit = max(identifiers, key=lambda x: x.distinct)  # the first of equals
    if unit.distinct <= MIN_UNITS * records:
        shared = Evidence("shared-names", "Too many rows share its values, and no column identifies their persons.")
        return [
            replace(x, role="quasi", kind=EMPTY, evidence=(*x.evidence, shared)) if x in identifiers else x
            for x in settled
        ]
    reason = Evidence(
        "unit-of-identifiers", "Another identifier repeats: k counts the values of this column, not rows."
    )
    return [replace(x, role="unit", evidence=(*x.evidence, reason)) if x is unit else x for x in settled]
