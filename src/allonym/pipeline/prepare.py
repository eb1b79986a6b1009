"""A plan meets a table: every column is understood, the records are counted, every problem is found."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from allonym.arrays import Floats, Ints, Keys
from allonym.cells import Cells
from allonym.errors import AllonymError, PlanError, TableError, first_few, plural
from allonym.kinds import encoding as encode
from allonym.kinds.encoding import EncodedColumn
from allonym.methods.draws import key_of
from allonym.ontology.scope import Scope
from allonym.pipeline import privacy
from allonym.pipeline.encoding import ColumnLinks, has_ontology, understand
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
    problems: list[str] = field(default_factory=list)
    details: dict[str, list[str]] = field(default_factory=dict)  # values behind problems, to show where asked for
    units: Ints | None = None
    weights: Floats | None = None
    keys: Keys | None = None  # what the draws of rows go by, where a column says so
    row_counts: Ints | None = None  # how many rows each stands for, where an engine counted equal ones
    records: Records | None = None

    def with_role(self, role: str) -> list[str]:
        """Return the columns with a role, in the order of the table."""
        return [x for x in self.table.names if x in self.plan.columns and self.plan.columns[x].role == role]

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
    if isinstance(table, GroupedTable) and plan.method.record_level:  # which knows neither persons nor weights
        unread += ["unit", "weight"]
    wanted = [x for x in table.names if x in plan.columns and plan.columns[x].role not in unread]
    worded = [x for x in wanted if plan.columns[x].role == "quasi" or has_ontology(plan.columns[x])]
    keyed = (
        [plan.method.key_column]
        if plan.method.key_column in table.names and not isinstance(table, GroupedTable)
        else []
    )
    try:
        found.cells = table.cells(
            [x for x in table.names if x in (*keyed, *worded) or (x in wanted and plan.columns[x].role != "sensitive")]
        )
        if isinstance(table, LongTable):  # what stays must be the same in all rows of a unit
            table.cells([x for x in table.names if x not in plan.columns or plan.columns[x].role != "identifier"])
    except TableError as error:
        found.problems.append(str(error))
        return found
    found.row_counts = table.row_counts if isinstance(table, GroupedTable) else None
    _persons(found)
    _keys(found)
    opened: dict[tuple[Any, Any], Scope] = {}
    for place, name in enumerate(worded):
        try:
            understand(found, name, opened, part_of(tick, place, len(worded)))
        except AllonymError as error:
            found.problems.append(f"column {name}: {error}")
            if error.values:
                found.details[name] = list(error.values)
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
        found.problems.append(str(error))
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
    within = {column.separator for column in plan.columns.values() if column.kind == "set"}
    if isinstance(table, TextFile) and len(table.names) == 1 and table.delimiter in within:  # no delimiter, items
        table = open_any(source, replace(reading or plan.reading, delimiter="," if ";" in within else ";"), raw)
    if not plan.long:
        return table
    unit, item = (next(n for n, c in plan.columns.items() if test(c)) for test in (_is_unit, _is_set))
    return LongTable(table, unit, item, plan.missing)


def _is_unit(column: Column) -> bool:
    return column.role == "unit"


def _is_set(column: Column) -> bool:
    return column.kind == "set"


def _names(plan: Plan, table: Table) -> Iterator[str]:
    """Compare the columns of a plan with those of a table."""
    lost = [x for x in plan.columns if x not in table.names]
    if len(lost) == len(plan.columns):  # their names may be somebody's data
        yield (
            f"none of the plan's {plural(len(lost), 'column')} is among the {len(table.names)} of the table. "
            "Hint: for a file without a header say so (--no-header), and number the columns from 1."
        )
        return
    if lost:
        close = [x for name in lost for x in difflib.get_close_matches(name, table.names, n=1)]
        hint = f"did you mean {first_few(map(repr, close))}?" if close else "compare with `allonym inspect`."
        yield f"{plural(len(lost), 'column')} of the plan not in the table: {first_few(lost, 20)}. Hint: {hint}"
    extra = [x for x in table.names if x not in plan.columns]
    if extra and not plan.keep_rest:
        yield (
            f"{plural(len(extra), 'column')} without a role: {first_few(extra, 20)}. "
            "Hint: give each a role; --keep COLUMN leaves one as it is, --keep-rest all of them."
        )
    dropped = [x for x in table.names if x in plan.columns and plan.columns[x].role in ("identifier", "unit")]
    if len(dropped) == len(table.names):
        yield "every column would be dropped. Hint: keep at least one."


def _persons(found: Prepared) -> None:
    """Find who the rows are about, what they weigh, and identifiers that come again without a unit."""
    for name in (x for x in found.with_role("unit") if x in found.cells):
        cells = found.cells[name]
        null = np.array([encode.is_missing(x, found.plan.missing) for x in cells.values])
        if null.any() and (rows := int(cells.counts[null].sum())):
            found.problems.append(_nobody(name, rows))
        found.units = cells.codes
    if isinstance(found.table, GroupedTable):  # which may not have counted them
        for name in (x for x in found.with_role("unit") if x not in found.cells):
            if rows := found.table.engine.empty(name, found.plan.missing):
                found.problems.append(_nobody(name, rows))
    for name in found.with_role("identifier"):
        again = 0 if found.with_role("unit") else _repeated(found, name)
        if again:
            found.problems.append(
                f"column {name} is an identifier, but {plural(again, 'value')} of it come more than once. "
                "Hint: if a person has several rows, give the role unit to the column that says who; "
                "otherwise it is no identifier."
            )
    for name in (x for x in found.with_role("weight") if x in found.cells):
        cells = found.cells[name]
        numbers, _ = encode.numbers_of([None if encode.is_missing(x) else str(x) for x in cells.values])
        wrong = sum(c for x, c in zip(numbers, cells.counts.tolist(), strict=True) if x is None or x < 0)
        if wrong:
            found.problems.append(
                f"column {name}: {plural(wrong, 'survey weight')} are no numbers, or below 0. Hint: fill in 0 or more."
            )
        elif not any(numbers):
            found.problems.append(f"column {name}: all survey weights are 0. Hint: give the column another role.")
        else:
            found.weights = np.array(numbers, np.float64)[cells.codes]


def _nobody(name: str, rows: int) -> str:
    return f"column {name}: {plural(rows, 'row')} do not say who they are about. Hint: fill it in."


def _repeated(found: Prepared, name: str) -> int:
    """Return how many values of a column, those that say nothing not counted, come more than once."""
    if isinstance(found.table, GroupedTable):
        return found.table.engine.repeated(name, found.plan.missing)
    if name not in found.cells:
        return 0
    counts = found.cells[name].counts
    null = np.array([encode.is_missing(x, found.plan.missing) for x in found.cells[name].values], bool)
    return int((counts[~null] > 1).sum())


def _keys(found: Prepared) -> None:
    """Find what the draws of rows go by."""
    name = found.plan.method.key_column
    if not name or (isinstance(found.table, GroupedTable) and name in found.table.names):
        return
    if name not in found.cells:
        found.problems.append(f"column {name}, whose texts draws go by (key), is not in the table.")
        return
    cells = found.cells[name]
    if any(encode.is_missing(x, found.plan.missing) and n for x, n in zip(cells.values, cells.counts, strict=True)):
        found.problems.append(f"column {name}, whose texts draws go by (key), has empty cells. Hint: fill them in.")
    found.keys = np.array([key_of(encode.as_text(x)) for x in cells.values], np.uint64)[cells.codes]


def refused(problems: list[str], found: Prepared) -> PlanError:
    """Return the error that tells every problem of a table, with the values behind them."""
    error = PlanError(problems)
    error.values = tuple(v for values in found.details.values() for v in values)
    error.details = dict(found.details)
    return error
