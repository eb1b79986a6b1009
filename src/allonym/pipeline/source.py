"""Open a table as a plan describes it: in memory, or in an engine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from allonym.errors import OptionError, PlanError, Problem, TableError
from allonym.kinds.registry import is_multivalued
from allonym.methods.base import PartitionMethod
from allonym.methods.blocks import MIN_TUPLES, Blocks
from allonym.methods.record_level import RecordLevelMethod
from allonym.release.write import check_outputs
from allonym.tables.base import STANDARD_STREAM, Table
from allonym.tables.engines import MEMORY, engine_of, is_large, is_several, open_files, read_files
from allonym.tables.engines.base import Engine
from allonym.tables.files import Reading, open_any
from allonym.tables.frame import Frame
from allonym.tables.long import LongTable
from allonym.tables.memory import MemoryTable

if TYPE_CHECKING:
    from allonym.plan.model import Plan
    from allonym.tables.engines.grouped import GroupedTable


@dataclass(frozen=True)
class ExecutionOptions:
    """How to run a plan: in which engine, where, how to partition the release, and how to measure it."""

    engine: str | None = None  # duckdb, polars, spark; memory: no engine; None: the first installed, if one is needed
    master: str | None = None  # of Spark
    partition_by: Sequence[str] = ()  # columns whose values name folders of the release
    blocks_from: int | None = None  # number of distinct tuples from which on they are grouped in blocks
    row_map: str | Path | None = None  # file for the row map of the release
    exact_risk: bool = False  # whether risks are measured on all records, however long it takes
    optimality_gap: bool = False  # whether the lower bound on the loss is computed, even if it takes minutes

    def check_row_map(self, plan: Plan, table: Table, source: Any, output: str | Path | None) -> None:
        """Refuse, before any work, a row map where rows are not shuffled or have no numbers."""
        if self.row_map is None:
            return
        if str(self.row_map) == STANDARD_STREAM:
            raise OptionError("A row map is not written to standard output.", hint="give a file name.")
        if output is None:
            raise OptionError("A frame comes back in its own order.", hint="leave the row map out.")
        if plan.row_order == "keep":
            raise OptionError("The plan keeps the order of rows.", hint="leave the row map out: row i is row i.")
        if not table.numbers_rows:
            text = "Rows of a release in a folder have no numbers, so that it has no row map."
            raise OptionError(text, hint="write one file, with an engine other than spark.")
        check_outputs([output, self.row_map], [source, *plan.files])

    def problems(self, plan: Plan) -> Iterator[Problem]:
        """Yield what does not fit a plan."""
        if self.blocks_from is not None and not isinstance(plan.method, PartitionMethod):
            text = f"blocks_from: method {plan.method.name} groups no tuples in blocks."
            yield Problem("blocks-not-supported", text, "leave it out.")
        if self.blocks_from is not None and (isinstance(self.blocks_from, bool) or self.blocks_from < 1):
            yield Problem("blocks-too-small", f"blocks_from is {self.blocks_from}, it must be at least 1.")

    def blocks(self, table: Table) -> Blocks | None:
        """Return how to group tuples in blocks: by the executors of Spark; elsewhere in this process, if asked for."""
        start = MIN_TUPLES if self.blocks_from is None else self.blocks_from
        session = table.spark_session
        if session is not None:
            from allonym.tables.engines.spark_blocks import runner

            return Blocks(start, run=runner(session))
        return None if self.blocks_from is None else Blocks(start)


def open_source(
    plan: Plan,
    source: Any,
    options: ExecutionOptions | None = None,
    *,
    raw: bytes | None = None,
    reading: Reading | None = None,
    in_memory: bool = False,
    each: bool = False,
) -> Table:
    """Open a file or a frame as a plan describes it.

    Args:
        plan: the plan.
        source: a file, several files, or a frame.
        options: how to run the plan.
        raw: the bytes of the file, where they were read already.
        reading: how to read a file, where not as the plan says.
        in_memory: refuse a table that an engine holds.
        each: repeat the rows that an engine counted, for methods that split equal rows.
    """
    if raw is None and in_memory and is_path(source) and is_several(source):
        return as_planned(plan, Frame(read_files(source), str(source)))
    if raw is None and not (in_memory and is_path(source)):
        options = options or ExecutionOptions()
        engine = engine_for(source, options, plan)
        if engine is not None and in_memory:
            raise TableError("Rows of a table that an engine holds cannot be read here.", hint="collect it first.")
        if engine is not None:
            return _grouped(plan, engine, source if is_path(source) else None, options, each=each)
    separators = {column.separator for column in plan.columns.values() if is_multivalued(column.kind)}
    return as_planned(plan, open_any(source, reading or plan.reading, raw, item_separators=separators))


def as_planned(plan: Plan, table: MemoryTable) -> MemoryTable:
    """Return a table with one row for each unit, where a plan says that it is a long table."""
    if not plan.long:
        return table
    unit = next(name for name, column in plan.columns.items() if column.role == "unit")
    item = next(name for name, column in plan.columns.items() if is_multivalued(column.kind))
    return LongTable(table, unit, item, plan.missing)


def is_path(source: Any) -> bool:
    """Tell whether a source is a file, or files."""
    return isinstance(source, (str, Path))


def engine_for(source: Any, options: ExecutionOptions, plan: Plan | None = None) -> Engine | None:
    """Return the engine that holds a table, or is to read it; None where the table is masked in memory."""
    if isinstance(options.partition_by, str):
        raise OptionError("partition_by is a list of columns.", hint=f"partition_by=[{options.partition_by!r}].")
    if not is_path(source):
        if options.engine is not None or options.master is not None:
            raise OptionError("A frame has its own engine.", hint="leave the engine and its master out.")
        engine = engine_of(source)
        if options.partition_by and engine is None:
            raise OptionError("partition_by is for tables that an engine writes.", hint="leave it out.")
        return engine
    if options.engine == MEMORY and not options.partition_by and options.master is None:
        return None
    if has_engine(source, options, plan):
        return open_files(source, options.engine, options.master)
    for name in ("engine", "master", "partition_by"):
        if getattr(options, name):
            raise OptionError(f"{name} requires an engine.", hint="name a Parquet file, and an engine.")
    return None


def has_engine(source: str | Path, options: ExecutionOptions, plan: Plan | None = None) -> bool:
    """Tell whether an engine masks a file: because the options say so, it is several files, or it is large."""
    if str(source) == STANDARD_STREAM or options.engine == MEMORY:
        return False
    sets = plan is not None and (plan.long or any(is_multivalued(x.kind) for x in plan.columns.values()))
    requested = options.engine is not None or bool(options.partition_by)
    return requested or is_several(source) or (not sets and is_large(source))


def _grouped(
    plan: Plan, engine: Engine, source: str | Path | None, options: ExecutionOptions, *, each: bool
) -> GroupedTable:
    """Return a table in an engine, whose rows are counted in the columns that the method needs together."""
    from allonym.tables.engines.grouped import GroupedTable

    problems, method = [], plan.method
    if plan.long:
        problems.append(Problem("long-table-in-engine", "a long table is masked in memory.", "leave the engine out."))
    if isinstance(method, RecordLevelMethod) and not method.key and engine.name == "spark":
        problems.append(
            Problem(
                "rows-without-number",
                f"method {method.name} draws by the numbers of rows, and rows of Spark have none.",
                "name a column that identifies each row (key).",
            )
        )
    if problems:
        raise PlanError(problems)
    roles = ("quasi",) if isinstance(method, RecordLevelMethod) else ("quasi", "unit", "household", "weight")
    promised = {x.column for x in plan.privacy}
    together = [x for x in engine.names if x in plan.columns and (plan.columns[x].role in roles or x in promised)]
    of_role = {role: [x for x in together if plan.columns[x].role == role] for role in ("unit", "household", "weight")}
    each = each or any(of_role.values()) or method.info.splits_tuples
    with engine.at_work():
        return GroupedTable(
            engine,
            together,
            each=each,
            unit=next(iter(of_role["unit"]), None),
            household=next(iter(of_role["household"]), None),
            source=source,
            partition_by=options.partition_by,
        )
