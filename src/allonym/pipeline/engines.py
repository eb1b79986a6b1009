"""Which engine holds a table, or is to read it; and its lines as a plan needs them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from allonym.errors import OptionError, PlanError, Problem
from allonym.kinds.registry import is_multivalued
from allonym.methods.base import PartitionMethod
from allonym.methods.blocks import START, Blocks
from allonym.methods.record_level import RecordLevelMethod
from allonym.tables.engines import MEMORY, engine_of, is_large, is_several, open_files
from allonym.tables.engines.base import Engine
from allonym.tables.engines.grouped import GroupedTable

if TYPE_CHECKING:
    from allonym.plan.model import Plan


@dataclass(frozen=True)
class ExecutionOptions:
    """How an engine is to work: which, where, and how what it writes is parted."""

    engine: str | None = None  # duckdb, polars, spark; memory: none; else the first installed, where one is needed
    master: str | None = None  # of Spark
    partition_by: Sequence[str] = ()  # columns whose values name folders of the release
    blocks_from: int | None = None  # from how many distinct tuples on they are grouped in blocks

    def problems(self, plan: Plan) -> Iterator[Problem]:
        """Yield what does not fit a plan."""
        if self.blocks_from is not None and not isinstance(plan.method, PartitionMethod):
            text = f"blocks_from: method {plan.method.name} groups no tuples in blocks."
            yield Problem("blocks-not-supported", text, "leave it out.")
        if self.blocks_from is not None and (isinstance(self.blocks_from, bool) or self.blocks_from < 1):
            yield Problem("blocks-too-small", f"blocks_from is {self.blocks_from}, it must be at least 1.")

    def blocks(self, engine: Engine | None = None) -> Blocks | None:
        """Return how tuples are grouped in blocks: on the executors of Spark; elsewhere, here and only if asked for."""
        start = START if self.blocks_from is None else self.blocks_from
        if engine is not None and engine.name == "spark":
            from allonym.tables.engines.spark_blocks import runner

            return Blocks(start, run=runner(engine.native.sparkSession))
        return None if self.blocks_from is None else Blocks(start)


def is_path(source: Any) -> bool:
    """Tell whether a source is a file, or files."""
    return isinstance(source, (str, Path))


def engine_for(source: Any, way: ExecutionOptions, plan: Plan | None = None) -> Engine | None:
    """Return the engine that holds a table, or is to read it; None, where the table is masked in memory."""
    if isinstance(way.partition_by, str):
        raise OptionError("partition_by is a list of columns.", hint=f"partition_by=[{way.partition_by!r}].")
    if not is_path(source):
        if way.engine is not None or way.master is not None:
            raise OptionError("A frame has an engine of its own.", hint="leave the engine and its master out.")
        found = engine_of(source)
        if way.partition_by and found is None:
            raise OptionError("partition_by is about what an engine writes.", hint="leave it out.")
        return found
    if way.engine == MEMORY and not way.partition_by and way.master is None:
        return None
    if has_engine(source, way, plan):
        return open_files(source, way.engine, way.master)
    for what, given in (("engine", way.engine), ("master", way.master), ("partition_by", way.partition_by)):
        if given:
            raise OptionError(f"{what} is about an engine.", hint="name a file of Parquet, and an engine.")
    return None


def has_engine(source: str | Path, way: ExecutionOptions, plan: Plan | None = None) -> bool:
    """Tell whether a file is masked by an engine: since it is to be, is several, or is large."""
    if str(source) == "-" or way.engine == MEMORY:
        return False
    sets = plan is not None and (plan.long or any(is_multivalued(x.kind) for x in plan.columns.values()))
    named = way.engine is not None or bool(way.partition_by)
    return named or is_several(source) or (not sets and is_large(source))


def lines_of(plan: Plan, engine: Engine, *, each: bool = False) -> GroupedTable:
    """Return a table by its lines in the columns that must be counted together; `each`, as so many rows."""
    problems = []
    if plan.long:
        problems.append(Problem("long-table-in-engine", "a long table is masked in memory.", "leave the engine out."))
    method = plan.method
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
    roles = ("quasi",) if isinstance(method, RecordLevelMethod) else ("quasi", "unit", "weight")
    promised = {x.column for x in plan.privacy}
    together = [x for x in engine.names if x in plan.columns and (plan.columns[x].role in roles or x in promised)]
    each = each or any(plan.columns[x].role in ("unit", "weight") for x in together)
    with engine.at_work():
        return GroupedTable(engine, together, each=each or method.info.splits_tuples)
