"""Inspecting a table: what its columns hold, and which role, kind and ontology each may have in a plan."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from allonym.arrays import Floats, distinct
from allonym.cells import Cells, cell_text, is_missing, united_codes
from allonym.errors import TableError
from allonym.kinds.identifiers import CONFIRMATION, NAMING, ColumnSample, evidence_of
from allonym.kinds.identifiers.detect import IDENTIFIER_NAME
from allonym.kinds.numbers import numbers_of
from allonym.kinds.registry import automatic_kind, kind_named, suggested_kind
from allonym.measures.population import PopulationRisk, from_weights
from allonym.measures.uniques import SIZE, UniqueCombinations, unique_combinations
from allonym.ontology.linking.link import Link, link
from allonym.ontology.scope import Scope
from allonym.ontology.taxonomy import Taxonomy
from allonym.ontology.wordnet import wordnet
from allonym.pipeline.cached_table import CachedTable
from allonym.pipeline.disclosure.population import population_risk_by_text
from allonym.pipeline.source import ExecutionOptions, engine_for
from allonym.plan.column import Column, described
from allonym.plan.model import Plan
from allonym.progress import Progress, no_progress
from allonym.tables.base import Table
from allonym.tables.engines.grouped import GroupedTable
from allonym.tables.files import Reading, open_any

EMPTY = "category"  # the kind of a column without values
COLUMNS_AT_A_TIME = 50  # that are read
MAX_LOOKED_UP = 500  # values of a column
MAX_SEARCHED = 50_000_000  # combinations × distinct tuples
MIN_COVERAGE = 0.6  # share of cells that WordNet must have for a column of words
MIN_UNDER_ROOT = 0.98  # share of those that must lie under a root that is suggested
MAX_ROOT_SIZE = 0.2  # share of the ontology that may lie under a root that is suggested

PERSON = re.compile(r"person|patient|customer|visitor|client|member|user|household|respondent|subject|student", re.I)
PRIVATE = re.compile(
    r"income|salary|wage|spent|spend|amount|price|cost|debt|diagnos|illness|disease|condition|drug|religion|crime", re.I
)
WEIGHT = re.compile(r"(survey|sampl\w*|design|person|household|final|fnl).?(weight|wgt|wt)|wgt$", re.I)


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
    coverage: float | None = None  # share of cells that are words of WordNet

    def column(self) -> Column:
        """Return the column for a plan."""
        if self.role != "quasi":
            return Column(self.role)
        kind = kind_named(self.kind)
        if kind.automatic and self.ontology:  # an ontology alone states that it is one of words
            return described(self.role, self.ontology)
        without = {} if self.ontology else kind.without_ontology
        return described(self.role, self.ontology, **{**without, "kind": self.kind})


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
            "columns": [dict(vars(x)) for x in self.columns],
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
    words = wordnet()
    columns: list[ColumnInspection] = []
    for place, (name, cells) in enumerate(_columns(table)):
        tick(place, len(table.names))
        column = _inspect(name, cells, words) if cells else ColumnInspection(name, 0, 0, 0, "keep", EMPTY)
        if column.role in ("unit", "weight") and any(x.role == column.role for x in columns):
            column = replace(column, role="quasi")  # only one column can have that role
        columns.append(column)
    if engine is not None:
        table = GroupedTable(engine, [x.name for x in columns if x.role in ("quasi", "unit")])
    uniques, people = _risk(table, columns, population, combination_size)
    return Inspection(table.n, columns, table.suffix, uniques, people)


def _risk(
    table: Table, columns: Sequence[ColumnInspection], population: Any, size: int
) -> tuple[UniqueCombinations | None, PopulationRisk | None]:
    """Return what makes people unique in the likely quasi-identifiers, as text, and their number in a population."""
    by_role = {role: [x.name for x in columns if x.role == role] for role in ("quasi", "unit", "weight")}
    if not by_role["quasi"] or not table.n:
        return None, None
    cells = table.cells(by_role["quasi"])
    unit = next(iter(by_role["unit"]), None)
    codes, units = [x.codes for x in cells.values()], None if unit is None else united_codes(table.cells([unit])[unit])
    uniques = None
    if size > 0:
        search = partial(unique_combinations, row_counts=table.row_counts, limit=MAX_SEARCHED)
        uniques = search(by_role["quasi"], codes, size=size, units=units)
    if population is not None:
        return uniques, population_risk_by_text(cells, population, unit, units, table.row_counts)
    if table.counts_rows or not by_role["weight"]:
        return uniques, None
    weights = _weights(next(iter(table.cells(by_role["weight"]).values())))
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


def _inspect(name: str, cells: Cells, words: Scope) -> ColumnInspection:
    counts = cells.counts
    null = np.array([is_missing(x) for x in cells.values], bool)
    present = counts[~null] if len(null) else counts
    distinct, unique, rows = len(present), int((present == 1).sum()), int(present.sum())
    kind = automatic_kind(cells) if distinct else EMPTY
    ontology, coverage = None, None
    role = _role(name, cells, kind, distinct, rows)
    if not role:
        role = "sensitive" if PRIVATE.search(name) else "quasi" if distinct > 1 else "keep"
        if distinct:
            kind = suggested_kind(cells)
        known = kind_named(kind)()
        if role == "sensitive" and role not in known.roles:
            role = "quasi"
        if known.linked:
            ontology, coverage = _ontology(known.words(cells), words)
            kind = kind if ontology else known.without_ontology.get("kind", kind)
    return ColumnInspection(name, distinct, unique, int(counts.sum()) - rows, role, kind, ontology, coverage)


def _role(name: str, cells: Cells, kind: str, distinct: int, rows: int) -> str:
    """Return the role that the name and the distinct values of a column suggest; "", if they suggest none."""
    numeric = kind_named(kind).numeric
    whole = numeric and all("." not in str(x) and "," not in str(x) for x in cells.values)
    named, all_differ = bool(IDENTIFIER_NAME.search(name)), distinct == rows > 1
    evidence = evidence_of(ColumnSample(name, cells))
    if evidence is not None and evidence.requires == CONFIRMATION:
        return "identifier" if all_differ or distinct > 0.9 * rows else "unit"
    likely = evidence is not None and evidence.requires == NAMING and distinct > 0.9 * rows
    if (likely and (named or not numeric)) or (all_differ and (named or PERSON.search(name) or not numeric)):
        return "identifier"
    if PERSON.search(name) and (named or whole or distinct > 0.5 * rows) and distinct > 0.1 * rows:
        return "unit"
    return "weight" if WEIGHT.search(name) and numeric else ""


def _ontology(values: Mapping[str, int], words: Scope) -> tuple[str | None, float]:
    """Return the part of WordNet that has the words of a column, if it has most, and the share of cells it has."""
    frequent = dict(sorted(values.items(), key=lambda x: (-x[1], x[0]))[:MAX_LOOKED_UP])
    links = [x for x in link(frequent, words, suggest=False) if x.concept is not None]
    share = sum(x.count for x in links) / max(sum(frequent.values()), 1)
    if share < MIN_COVERAGE:
        return None, share
    root = common_root(links, words.taxonomy)
    if root is None:
        return "wordnet", share
    label = words.taxonomy.labels[root]
    first = words.taxonomy.senses(label)[:1] == [root] and " " not in label
    return f"wordnet:{label if first else words.taxonomy.ids[root]}", share


def common_root(links: Sequence[Link], taxonomy: Taxonomy) -> int | None:
    """Return the deepest concept above nearly all linked values, unless it is too general to be useful."""
    concepts = np.array([x.concept for x in links], np.int64)
    counts = np.array([x.count for x in links], np.float64)
    starts, above, _ = taxonomy.closure(concepts)
    under = np.bincount(above, weights=np.repeat(counts, np.diff(starts)), minlength=len(taxonomy))
    enough = np.flatnonzero(under >= MIN_UNDER_ROOT * counts.sum())
    best = enough[np.lexsort((enough, -under[enough], -taxonomy.depth[enough]))][0]
    narrow = len(taxonomy.descendants(int(best))) <= MAX_ROOT_SIZE * len(taxonomy)
    return int(best) if narrow and best not in concepts else None
