"""Prepare a table for a method: read and encode its columns, count its records, collect every problem."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from allonym.arrays import Floats, Ints, Keys, joined_units
from allonym.cells import Cells, cell_text, is_missing
from allonym.errors import AllonymError, Problem, TableError, first_few, plural
from allonym.kinds.base import EncodedColumn
from allonym.kinds.identifiers import ColumnSample, numbers_persons
from allonym.kinds.linking import ColumnLinks
from allonym.kinds.numbers import numbers_of
from allonym.kinds.registry import kind_named
from allonym.measures.row_order import ordered_columns
from allonym.methods.base import ColumnwiseMethod
from allonym.methods.draws import key_of
from allonym.methods.fusion import Fusion
from allonym.methods.record_level import RecordLevelMethod
from allonym.ontology.joining.taxonomy import branches_of
from allonym.ontology.linking.link import BEST_PAIR
from allonym.ontology.scope import Scope
from allonym.pipeline import budget, privacy, record_level
from allonym.pipeline.changes.promised_values import with_publishable
from allonym.pipeline.encoding import encode_column, has_ontology
from allonym.plan.column import DROPPED_ROLES, Column
from allonym.privacy.spellings import United, united_units
from allonym.progress import Phase, Progress, no_progress, part_of, phase
from allonym.records import Records, SensitiveColumns
from allonym.tables.base import Table

if TYPE_CHECKING:
    from allonym.plan.model import Plan


MAX_SAMPLE = 10_000  # rows by which the identifiers of an engine are judged


@dataclass
class Prepared:
    """A table encoded as a plan describes it, with every problem that was met."""

    plan: Plan
    table: Table
    cells: dict[str, Cells] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    links: dict[str, list[ColumnLinks]] = field(default_factory=dict)
    hierarchies: dict[str, Scope] = field(default_factory=dict)
    encoded: dict[str, EncodedColumn] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    cautions: list[Problem] = field(default_factory=list)  # what weakens the release, and is accepted
    persons: Ints | None = None  # of each row; None: every row is one
    households: Ints | None = None  # of each row
    units: Ints | None = None  # of each row: what k counts, persons or households that share nobody
    united: dict[str, United | None] = field(default_factory=dict)  # of columns whose values are counted
    weights: Floats | None = None
    keys: Keys | None = None  # of the rows, from which their draws derive, where the plan names a key column
    row_counts: Ints | None = None  # how many rows each row stands for, where an engine counted equal ones
    records: Records | None = None

    def with_role(self, role: str) -> list[str]:
        """Return the columns with a role, in the order of the table."""
        return [x for x in self.table.names if x in self.plan.columns and self.plan.columns[x].role == role]

    def canonical(self, name: str) -> Cells:
        """Return the cells of a column; those that are the same to its kind are one."""
        return self.encoded[name].kind.canonical(self.cells[name])

    def united_values(self) -> dict[str, dict[str, int]]:
        """Return for each column with several spellings of a value how many there are, and as how many they count."""
        return {name: x.to_dict() for name, x in self.united.items() if x is not None}

    def counted_together(self, role: str) -> list[str]:
        """Return the columns with a role whose rows match those of the others: an engine counts only some together."""
        return [x for x in self.with_role(role) if self.table.counted_together(x)]

    @property
    def ontologies(self) -> list[Scope]:
        """The ontologies that words are linked to, each once."""
        scopes = [scope for links in self.links.values() for x in links for scope in branches_of(x.scope)]
        return list({x.name: x for x in scopes}.values())

    @cached_property
    def ordered_columns(self) -> list[str] | None:
        """The columns, dropped ones too, that correlate with the order of rows; None in an engine, which tests none."""
        if self.table.counts_rows:
            return None
        ordered: list[str] = []
        for name in self.table.names:
            try:
                ordered += ordered_columns(self.table.cells([name]))
            except TableError:  # objects; cells that differ within a unit of a long table
                continue
        return ordered

    @property
    def dropped(self) -> list[str]:
        """The columns that the release drops."""
        return [y for x in DROPPED_ROLES if x != "unit" or self.table.drops_unit for y in self.with_role(x)]

    @property
    def counted_units(self) -> str:
        """What k counts, in words."""
        return "households" if self.households is not None else "persons" if self.persons is not None else "records"

    def people(self) -> dict[str, Any]:
        """Return the numbers of persons and of households, None without a column for them; for summaries."""
        persons = None if self.persons is None else int(self.persons.max(initial=-1)) + 1
        if self.households is None:
            return {"units": persons}
        return {"units": persons, "households": int(self.households.max(initial=-1)) + 1}

    def missing_rows(self, name: str) -> int:
        """Return the number of rows whose cell in a column is missing."""
        cells, missing = self.cells.get(name), self.plan.missing_in(name)
        return self.table.empty_values(name, missing) if cells is None else cells.missing_rows(missing)

    def repeated_values(self, name: str) -> int:
        """Return the number of values of a column that occur more than once, missing values aside."""
        cells, missing = self.cells.get(name), self.plan.missing_in(name)
        return self.table.repeated_values(name, missing) if cells is None else cells.repeated_values(missing)


def prepare(plan: Plan, table: Table, tick: Progress = no_progress) -> Prepared:
    """Encode a table; problems are collected, not raised."""
    prepared = Prepared(plan, table, row_counts=table.row_counts)
    prepared.problems += _names(plan, table)
    encoded, others = _columns_to_read(plan, table)
    try:
        with phase(Phase.READ):
            prepared.cells = table.cells([x for x in table.names if x in encoded or x in others])
        table.check_kept([x for x in table.names if x not in plan.columns or plan.columns[x].role != "identifier"])
    except TableError as error:
        prepared.problems += error.problems
        return prepared
    _persons(prepared)
    _weights(prepared)
    _keys(prepared)
    opened: dict[tuple[Any, Any], Scope] = {}
    for place, name in enumerate(encoded):
        try:
            encode_column(prepared, name, opened, part_of(tick, place, len(encoded)))
        except AllonymError as error:
            prepared.problems += [_in_column(name, problem) for problem in error.problems]
    columns = [prepared.encoded[x] for x in prepared.with_role("quasi") if x in prepared.encoded]
    if columns and len(columns) == len(prepared.with_role("quasi")):
        records = Records.of(
            [c.attribute for c in columns],
            [c.codes for c in columns],
            weights=prepared.weights,
            units=prepared.units,
            keys=prepared.keys,
            sensitive=_sensitive(prepared),
            row_counts=prepared.row_counts,
        )
        prepared.records = with_publishable(prepared, records, columns)
    return prepared


def _columns_to_read(plan: Plan, table: Table) -> tuple[list[str], list[str]]:
    """Return the columns to encode, and those to read as they are."""
    unread = ["keep"]
    if plan.long or table.counts_rows:  # identifiers may differ within a unit; an engine counts them itself
        unread.append("identifier")
    if table.counts_rows and isinstance(plan.method, RecordLevelMethod):  # which uses neither persons nor weights
        unread += ["unit", "household", "weight"]
    wanted = [x for x in table.names if x in plan.columns and plan.columns[x].role not in unread]
    encoded = [x for x in wanted if plan.columns[x].role == "quasi" or has_ontology(plan.columns[x])]
    key = plan.method.key
    others = [x for x in wanted if plan.columns[x].role != "sensitive"]
    return encoded, [*others, *([key] if key in table.names and not table.counts_rows else [])]


def _sensitive(prepared: Prepared) -> SensitiveColumns | None:
    """Return the sensitive columns that the plan's privacy models are about."""
    try:
        return privacy.sensitive(prepared)
    except TableError as error:
        prepared.problems += error.problems
        return None


def _in_column(name: str, problem: Problem) -> Problem:
    """Return a problem that was met while a column was read."""
    return replace(problem, column=name, code="unreadable-cells" if problem.code == TableError.code else problem.code)


def _names(plan: Plan, table: Table) -> Iterator[Problem]:
    """Compare the columns of a plan with those of a table."""
    absent = [x for x in plan.columns if x not in table.names]
    if len(absent) == len(plan.columns):  # their names may be somebody's data
        yield Problem(
            "no-column-in-table",
            f"none of the plan's {plural(len(absent), 'column')} is among the {len(table.names)} of the table.",
            "if the file has no header, add --no-header and number the columns from 1.",
        )
        return
    if absent:
        close = [x for name in absent for x in difflib.get_close_matches(name, table.names, n=1)]
        hint = f"did you mean {first_few(map(repr, close))}?" if close else "compare with `allonym inspect`."
        yield Problem(
            "missing-column",
            f"{plural(len(absent), 'column')} of the plan not in the table: {first_few(absent, 20)}.",
            hint,
        )
    extra = [x for x in table.names if x not in plan.columns]
    if extra and not plan.keep_rest:
        yield Problem(
            "column-without-role",
            f"{plural(len(extra), 'column')} without a role: {first_few(extra, 20)}.",
            "give each a role; --keep COLUMN leaves one as it is, --keep-rest all of them.",
        )
    dropped = [x for x in table.names if x in plan.columns and plan.columns[x].role in DROPPED_ROLES]
    if len(dropped) == len(table.names):
        yield Problem("every-column-dropped", "every column would be dropped.", "keep at least one.")


def _persons(prepared: Prepared) -> None:
    """Find the person and the household of each row; without a unit column, record numbers must not repeat."""
    prepared.persons = _units(prepared, "unit", "fill in the person that each row is about.")
    prepared.households = _units(prepared, "household", "fill in a number of its own for each person without one.")
    prepared.units = joined_units(prepared.persons, prepared.households)
    prepared.problems += [] if prepared.with_role("unit") else _repeated_identifiers(prepared)


def _repeated_identifiers(prepared: Prepared) -> list[Problem]:
    """Return that persons seem to have several rows: columns that number persons repeat.

    Names may repeat, and are dropped. Where few rows share one, that is a caution.
    """
    repeated = {x: y for x in prepared.with_role("identifier") if (y := prepared.repeated_values(x))}
    samples = {name: _sample(prepared, name) for name in repeated}
    numbered = {name: count for name, count in repeated.items() if numbers_persons(samples[name])}
    if not numbered or prepared.plan.rows_are_persons:
        rare = [name for name in repeated if name in numbered or samples[name].rare]
        text = f"values of {first_few(rare, 20)} repeat, and every row counts as another person."
        hint = "if a person has several rows, give the role unit to the column that identifies the person."
        prepared.cautions += [Problem("repeated-identifier", text, hint)] if rare else []
        return []
    most = max(numbered.values())
    values = f"{plural(most, 'value')} {'occurs' if most == 1 else 'occur'} more than once in {first_few(numbered, 20)}"
    text = f"{values}: a person seems to have several rows, and k would count rows."
    hint = (
        "give the role unit to the column that identifies the person (--unit COLUMN); if every row is another person, "
        "--rows-are-persons (in a plan: rows_are_persons = true)."
    )
    return [Problem("repeated-identifier", text, hint)]


def _sample(prepared: Prepared, name: str) -> ColumnSample:
    cells = prepared.cells.get(name)
    if cells is None:
        cells = prepared.table.sample([name], MAX_SAMPLE)[name]
    return ColumnSample(name, cells, prepared.plan.missing_in(name))


def _units(prepared: Prepared, role: str, hint: str) -> Ints | None:
    """Return the person or the household of each row; None, if no column has the role or its cells are not read."""
    units = None
    for name in prepared.with_role(role):
        if rows := prepared.missing_rows(name):
            text = f"{plural(rows, 'row')} {'has' if rows == 1 else 'have'} an empty value in the {role} column."
            prepared.problems.append(Problem(f"empty-{role}", text, hint, name))
        if name in prepared.cells:
            units, prepared.united[name] = united_units(prepared.cells[name], prepared.plan.missing_in(name))
    return units


def _weights(prepared: Prepared) -> None:
    """Read the survey weights."""
    for name in (x for x in prepared.with_role("weight") if x in prepared.cells):
        cells = prepared.cells[name]
        numbers, _ = numbers_of([None if is_missing(x) else str(x) for x in cells.values])
        wrong = [i for i, x in enumerate(numbers) if (x is None or x < 0) and cells.counts[i]]
        if wrong:
            text = f"{plural(int(cells.counts[wrong].sum()), 'survey weight')} not a number, or below 0."
            values = tuple("(empty)" if is_missing(cells.values[i]) else cell_text(cells.values[i]) for i in wrong)
            prepared.problems.append(Problem("invalid-weight", text, "fill in 0 or more.", name, values))
        elif not any(numbers):
            text = "all survey weights are 0."
            prepared.problems.append(Problem("zero-weights", text, "give the column another role.", name))
        else:
            prepared.weights = np.array(numbers, np.float64)[cells.codes]


def _keys(prepared: Prepared) -> None:
    """Read the keys of the rows, from which their draws derive."""
    name = prepared.plan.method.key
    if not name:
        return
    if name not in prepared.table.names:
        prepared.problems.append(Problem("missing-key-column", "the key column is not in the table.", column=name))
        return
    if prepared.missing_rows(name):
        prepared.problems.append(Problem("empty-key", "the key column has empty cells.", "fill them in.", name))
    if not prepared.table.counts_rows:
        cells = prepared.cells[name]
        prepared.keys = np.array([key_of(cell_text(x)) for x in cells.values], np.uint64)[cells.codes]


def _options_with_existing_values(prepared: Prepared) -> Iterator[Problem]:
    """Yield options of columns by which other values than existing ones would be written."""
    for name in prepared.with_role("quasi") if prepared.plan.method.writes_existing else ():
        column, default = prepared.plan.columns[name], Column("quasi")
        for option in ("round", "ranges", "top", "bottom", "represent"):
            if getattr(column, option) != getattr(default, option):
                text = f"values = existing writes records of the table, but {option} changes values."
                yield Problem("option-with-existing", text, f"leave {option} out, or choose values = any.", name)


def method_problems(prepared: Prepared) -> Iterator[Problem]:
    """Yield what keeps the method of a plan from masking its table."""
    method, columns = prepared.plan.method, prepared.with_role("quasi")
    for name in columns:
        kind = prepared.kinds.get(name)
        if kind is not None and kind not in method.info.kinds:
            text = f"method {method.name} does not mask columns of kind {kind}."
            yield Problem("kind-not-supported", text, f"it masks {', '.join(sorted(method.info.kinds))}.", name)
        if prepared.plan.columns[name].senses == BEST_PAIR and not isinstance(method, Fusion):
            text = f"method {method.name} needs one sense of each word, best-pair keeps all."
            yield Problem("best-pair", text, "choose senses = coherent, or the method fusion.", name)
    yield from _options_with_existing_values(prepared)
    yield from method.column_problems(columns)
    yield from record_level.constant_columns(prepared)
    yield from record_level.correlated_sets(prepared)
    yield from budget.problems(prepared)
    known = [kind_named(prepared.kinds[name]) for name in columns if name in prepared.kinds]
    if method.needs_hierarchy and known and not any("hierarchy" in kind.options for kind in known):
        text = "guide = hierarchy has no effect: no quasi-identifier is a column of words, which can have a hierarchy."
        yield Problem("no-hierarchy", text, "choose another guide.")
    if isinstance(method, ColumnwiseMethod) and len(columns) > 1 and not getattr(method, "per_attribute", False):
        yield Problem(
            "k-per-column",
            f"method {method.name} promises k in each column alone, not in {len(columns)} together.",
            "say --per-attribute (per_attribute = true in a plan) if that is enough, or choose another method.",
        )
    yield from privacy.problems_of_known_items(prepared)
    if prepared.records is not None and prepared.records.n == 0:
        yield Problem("no-rows", "the table has no rows.")
    elif prepared.records is not None and prepared.records.persons < method.required_k:
        what = "rows" if prepared.units is None else prepared.counted_units
        yield Problem(
            "k-too-large",
            f"k is {method.required_k}, but the table has only {prepared.records.persons:,} {what}.",
            "choose a smaller k, or do not publish so few.",
        )
    yield from privacy.unmet(prepared)
