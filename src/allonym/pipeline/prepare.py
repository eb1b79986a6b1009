"""A plan meets a table: every column is understood, the records are counted, every problem is found."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from allonym.arrays import Floats, Ints, Keys
from allonym.cells import Cells, cell_text, is_missing
from allonym.errors import AllonymError, Problem, TableError, first_few, plural
from allonym.kinds.base import EncodedColumn
from allonym.kinds.linking import ColumnLinks
from allonym.kinds.numbers import numbers_of
from allonym.kinds.registry import is_multivalued
from allonym.methods.draws import key_of
from allonym.methods.record_level import RecordLevelMethod
from allonym.ontology.scope import Scope
from allonym.pipeline import privacy
from allonym.pipeline.encoding import encode_column, has_ontology
from allonym.pipeline.engines import ExecutionOptions, engine_for, is_path, lines_of
from allonym.plan.column import Column
from allonym.progress import Progress, no_progress, part_of
from allonym.records import Records, SensitiveColumns
from allonym.tables.base import Table
from allonym.tables.engines.grouped import GroupedTable
from allonym.tables.files import Reading, TextFile, open_any
from allonym.tables.long import LongTable

if TYPE_CHECKING:
    from allonym.plan.model import Plan


@dataclass
class Prepared:
    """A table as a plan understands it, with every problem on the way."""

    plan: Plan
    table: Table
    cells: dict[str, Cells] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    words: dict[str, list[ColumnLinks]] = field(default_factory=dict)
    trees: dict[str, Scope] = field(default_factory=dict)  # the hierarchies of columns that have one
    coded: dict[str, EncodedColumn] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    units: Ints | None = None
    weights: Floats | None = None
    keys: Keys | None = None  # what the draws of rows go by, where a column says so
    row_counts: Ints | None = None  # how many rows each stands for, where an engine counted equal ones
    records: Records | None = None

    def with_role(self, role: str) -> list[str]:
        """Return the columns with a role, in the order of the table."""
        return [x for x in self.table.names if x in self.plan.columns and self.plan.columns[x].role == role]

    def canonical(self, name: str) -> Cells:
        """Return the cells of a column; those that are the same to its kind are one."""
        return self.coded[name].kind.canonical(self.cells[name])

    def seen(self, role: str) -> list[str]:
        """Return the columns with a role that were seen together with others: an engine counts few of them together."""
        table = self.table
        return [x for x in self.with_role(role) if not isinstance(table, GroupedTable) or x in table.together]


def prepare(plan: Plan, table: Table, tick: Progress = no_progress) -> Prepared:
    """Understand a table; problems are collected, not raised."""
    found = Prepared(plan, table)
    found.problems += _names(plan, table)
    unread = ["keep"]
    if plan.long or isinstance(table, GroupedTable):  # in a long table, what is dropped may differ; an engine holds it
        unread.append("identifier")
    if isinstance(table, GroupedTable) and isinstance(
        plan.method, RecordLevelMethod
    ):  # which knows neither persons nor weights
        unread += ["unit", "weight"]
    wanted = [x for x in table.names if x in plan.columns and plan.columns[x].role not in unread]
    worded = [x for x in wanted if plan.columns[x].role == "quasi" or has_ontology(plan.columns[x])]
    keyed = [plan.method.key] if plan.method.key in table.names and not isinstance(table, GroupedTable) else []
    try:
        found.cells = table.cells(
            [x for x in table.names if x in (*keyed, *worded) or (x in wanted and plan.columns[x].role != "sensitive")]
        )
        if isinstance(table, LongTable):  # what stays must be the same in all rows of a unit
            table.cells([x for x in table.names if x not in plan.columns or plan.columns[x].role != "identifier"])
    except TableError as error:
        found.problems += error.problems
        return found
    found.row_counts = table.row_counts if isinstance(table, GroupedTable) else None
    _persons(found)
    _keys(found)
    opened: dict[tuple[Any, Any], Scope] = {}
    for place, name in enumerate(worded):
        try:
            encode_column(found, name, opened, part_of(tick, place, len(worded)))
        except AllonymError as error:
            found.problems += [_in_column(name, problem) for problem in error.problems]
    coded = [found.coded[x] for x in found.with_role("quasi") if x in found.coded]
    if coded and len(coded) == len(found.with_role("quasi")):
        columns = [c.codes for c in coded]
        found.records = Records.of(
            [c.attribute for c in coded],
            columns,
            weights=found.weights,
            units=found.units,
            keys=found.keys,
            sensitive=_facts(found),
            row_counts=found.row_counts,
        )
    return found


def _facts(found: Prepared) -> SensitiveColumns | None:
    """Return the sensitive columns that something is promised of."""
    try:
        return privacy.sensitive(found)
    except TableError as error:
        found.problems += error.problems
        return None


def opened(
    plan: Plan,
    source: Any,
    raw: bytes | None = None,
    reading: Reading | None = None,
    *,
    lines: bool = False,
    each: bool = False,
) -> Any:
    """Open a table as a plan says: a long one with a row for each unit.

    `lines`: one that an engine holds, by its lines; `each`, as so many rows, whatever the method. Else it is an error.
    """
    engine = engine_for(source, ExecutionOptions(), plan) if raw is None and (lines or not is_path(source)) else None
    if engine is not None and not lines:
        raise TableError("Rows of a table that an engine holds cannot be read here.", hint="collect it into memory.")
    if engine is not None:
        return lines_of(plan, engine, each=each)
    table = open_any(source, reading or plan.reading, raw)
    within = {column.separator for column in plan.columns.values() if is_multivalued(column.kind)}
    if isinstance(table, TextFile) and len(table.names) == 1 and table.delimiter in within:  # no delimiter, items
        table = open_any(source, replace(reading or plan.reading, delimiter="," if ";" in within else ";"), raw)
    if not plan.long:
        return table
    unit, item = (next(n for n, c in plan.columns.items() if test(c)) for test in (_is_unit, _is_set))
    return LongTable(table, unit, item, plan.missing)


def _is_unit(column: Column) -> bool:
    return column.role == "unit"


def _is_set(column: Column) -> bool:
    return is_multivalued(column.kind)


def _in_column(name: str, problem: Problem) -> Problem:
    """Return a problem that was met while a column was read."""
    return replace(problem, column=name, code="unreadable-cells" if problem.code == TableError.code else problem.code)


def _names(plan: Plan, table: Table) -> Iterator[Problem]:
    """Compare the columns of a plan with those of a table."""
    lost = [x for x in plan.columns if x not in table.names]
    if len(lost) == len(plan.columns):  # their names may be somebody's data
        yield Problem(
            "no-column-in-table",
            f"none of the plan's {plural(len(lost), 'column')} is among the {len(table.names)} of the table.",
            "if the file has no header, add --no-header and number the columns from 1.",
        )
        return
    if lost:
        close = [x for name in lost for x in difflib.get_close_matches(name, table.names, n=1)]
        hint = f"did you mean {first_few(map(repr, close))}?" if close else "compare with `allonym inspect`."
        yield Problem(
            "missing-column",
            f"{plural(len(lost), 'column')} of the plan not in the table: {first_few(lost, 20)}.",
            hint,
        )
    extra = [x for x in table.names if x not in plan.columns]
    if extra and not plan.keep_rest:
        yield Problem(
            "column-without-role",
            f"{plural(len(extra), 'column')} without a role: {first_few(extra, 20)}.",
            "give each a role; --keep COLUMN leaves one as it is, --keep-rest all of them.",
        )
    dropped = [x for x in table.names if x in plan.columns and plan.columns[x].role in ("identifier", "unit")]
    if len(dropped) == len(table.names):
        yield Problem("every-column-dropped", "every column would be dropped.", "keep at least one.")


def _persons(found: Prepared) -> None:
    """Find who the rows are about, what they weigh, and identifiers that come again without a unit."""
    for name in (x for x in found.with_role("unit") if x in found.cells):
        cells = found.cells[name]
        null = np.array([is_missing(x, found.plan.missing) for x in cells.values])
        if null.any() and (rows := int(cells.counts[null].sum())):
            found.problems.append(_empty_unit(name, rows))
        found.units = cells.codes
    if isinstance(found.table, GroupedTable):  # which may not have counted them
        for name in (x for x in found.with_role("unit") if x not in found.cells):
            if rows := found.table.engine.empty(name, found.plan.missing):
                found.problems.append(_empty_unit(name, rows))
    for name in found.with_role("identifier"):
        again = 0 if found.with_role("unit") else _repeated(found, name)
        if again:
            found.problems.append(
                Problem(
                    "repeated-identifier",
                    f"an identifier must be unique, but {plural(again, 'value')} "
                    f"{'occurs' if again == 1 else 'occur'} more than once.",
                    "if a person has several rows, give the role unit to the column that identifies the person; "
                    "otherwise the column is no identifier.",
                    name,
                )
            )
    for name in (x for x in found.with_role("weight") if x in found.cells):
        cells = found.cells[name]
        numbers, _ = numbers_of([None if is_missing(x) else str(x) for x in cells.values])
        wrong = sum(c for x, c in zip(numbers, cells.counts.tolist(), strict=True) if x is None or x < 0)
        if wrong:
            text = f"{plural(wrong, 'survey weight')} not a number, or below 0."
            found.problems.append(Problem("invalid-weight", text, "fill in 0 or more.", name))
        elif not any(numbers):
            text = "all survey weights are 0."
            found.problems.append(Problem("zero-weights", text, "give the column another role.", name))
        else:
            found.weights = np.array(numbers, np.float64)[cells.codes]


def _empty_unit(name: str, rows: int) -> Problem:
    text = f"{plural(rows, 'row')} {'has' if rows == 1 else 'have'} an empty value in the unit column."
    return Problem("empty-unit", text, "fill in the person that each row is about.", name)


def _repeated(found: Prepared, name: str) -> int:
    """Return how many values of a column, those that say nothing not counted, come more than once."""
    if isinstance(found.table, GroupedTable):
        return found.table.engine.repeated(name, found.plan.missing)
    if name not in found.cells:
        return 0
    counts = found.cells[name].counts
    null = np.array([is_missing(x, found.plan.missing) for x in found.cells[name].values], bool)
    return int((counts[~null] > 1).sum())


def _keys(found: Prepared) -> None:
    """Find what the draws of rows go by."""
    name = found.plan.method.key
    if not name or (isinstance(found.table, GroupedTable) and name in found.table.names):
        return
    if name not in found.cells:
        found.problems.append(Problem("missing-key-column", "the key column is not in the table.", column=name))
        return
    cells = found.cells[name]
    if any(is_missing(x, found.plan.missing) and n for x, n in zip(cells.values, cells.counts, strict=True)):
        found.problems.append(empty_key(name))
    found.keys = np.array([key_of(cell_text(x)) for x in cells.values], np.uint64)[cells.codes]


def empty_key(name: str) -> Problem:
    """Return the problem of a key column with empty cells."""
    return Problem("empty-key", "the key column has empty cells.", "fill them in.", name)
