"""Running a plan on a table that an engine holds: the engine counts, joins and recounts; rows stay where they are."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from allonym.cells import Cells
from allonym.errors import OptionError, OutputError, PlanError, Problem, ReleaseError, first_few
from allonym.methods.record_level import RecordLevelMethod
from allonym.pipeline import record_level as rows
from allonym.pipeline.engines import ExecutionOptions, lines_of
from allonym.pipeline.prepare import Prepared, empty_key, prepare
from allonym.progress import Progress, part_of
from allonym.records import Masking
from allonym.release import write as release
from allonym.tables.engines import files_of
from allonym.tables.engines.base import Engine
from allonym.tables.engines.grouped import GroupedTable, row_counts_of, same_rows
from allonym.tables.frame import arrow_cells

if TYPE_CHECKING:
    from allonym.pipeline.fit import Fitted
    from allonym.pipeline.run import Release
    from allonym.plan.model import Plan


def run_on(
    plan: Plan,
    engine: Engine,
    source: Any,
    output: str | Path | None,
    way: ExecutionOptions,
    tick: Progress,
    balance: float,
) -> Release:
    """Mask a table that an engine holds; give it back, not computed yet but recounted, or write it."""
    from allonym.pipeline.run import Release, hashes_of, masked, problems_of, promise_of, summary_of

    began = time.perf_counter()
    table = lines_of(plan, engine)
    found = prepare(plan, table, part_of(tick, 0, 2))
    problems = [*found.problems, *problems_of(found), *way.problems(plan), *_problems(found, engine, way)]
    if problems or found.records is None:
        raise PlanError(problems)
    _check_output(engine, source, output, way)
    if isinstance(plan.method, RecordLevelMethod):
        return _row_by_row(found, engine, source, output, way, tick, began)
    seed, read = rows.seed_of(plan), _hash(source)  # before something is written that a pattern would find too
    masking, written = masked(found, seed, part_of(tick, 1, 2), way.blocks(engine))
    dropped = [*found.with_role("identifier"), *found.with_role("unit")]
    promise = promise_of(found, masking, dropped)
    whole = table.replaced(written)
    checking = _Checking(table, written, whole, promise, found.with_role("unit"), way.partition_by)
    frame, reached, told = _made(whole.without(dropped), output, way, checking.reached)
    hashes = hashes_of(found, read) | {"output": told}
    summary = summary_of(found, masking, reached, seed, balance, hashes)
    summary["seconds"] = time.perf_counter() - began
    return Release(frame, masking, found.records, summary, written, found)


def _problems(found: Prepared, engine: Engine, way: ExecutionOptions) -> Iterator[Problem]:
    """Yield what keeps an engine from masking a table."""
    known = [x for x in found.with_role("quasi") if x in found.cells]
    sets = [x for x in known if any(isinstance(v, tuple) for v in found.cells[x].values)]
    if sets:
        text = f"{first_few(sets)}: columns of lists are masked in memory."
        yield Problem("lists-in-engine", text, "collect the table, or say --engine memory.")
    gone = [*found.with_role("identifier"), *found.with_role("unit")]
    strange = [x for x in way.partition_by if x not in engine.names or x in gone]
    if strange:
        text = f"partition_by: {first_few(strange)} will not be in the release."
        yield Problem("partition-column-dropped", text, "name columns that stay.")
    unfit = [x for x in way.partition_by if x not in strange and not engine.can_name(x)]
    if unfit:
        text = f"partition_by: {engine.name} cannot name folders by {first_few(unfit)}."
        yield Problem("partition-column-name", text, "rename, or leave out.")
    if len(set(way.partition_by)) < len(way.partition_by):
        yield Problem("partition-column-twice", "partition_by: a column is named twice.", "name it once.")
    elif len(engine.names) - len(gone) == len(way.partition_by):
        text = "partition_by: no column would be left for the files themselves."
        yield Problem("partition-by-every-column", text, "name fewer.")
    key = found.plan.method.key
    if key and key in engine.names and engine.empty(key, found.plan.missing):
        yield empty_key(key)


def _check_output(engine: Engine, source: Any, output: str | Path | None, way: ExecutionOptions) -> None:
    """Refuse, before any work, what cannot be written."""
    if output is None:
        if way.partition_by:
            raise OptionError("partition_by is about what is written.", hint="write release.frame yourself.")
        return
    if str(output) == "-":
        raise OutputError("An engine writes Parquet, not to standard output.", hint="give the name of a file.")
    target = Path(output)
    if not engine.in_folder(way.partition_by) and target.suffix.lower() != ".parquet":
        raise OutputError(f"{output} would be Parquet by another name.", hint="end its name in .parquet.")
    places = [x.resolve() for x in files_of(source)]
    if target.resolve() in places or Path(source).resolve() in (target.resolve(), *target.resolve().parents):
        raise OutputError(f"{output} is the data itself, or inside of it.", hint="write to a place of its own.")
    if way.partition_by and any("=" in part for part in target.absolute().parent.parts):
        raise OutputError(
            f"{output} is in a folder that is named like a column.", hint="write to a place without = in its name."
        )
    if engine.in_folder(way.partition_by) and target.exists():
        raise OutputError(f"{output} is there already.", hint="give the name of a folder that is not.")


def _made(
    released: Engine, output: str | Path | None, way: ExecutionOptions, check: Any
) -> tuple[Any, release.Verified, str | None]:
    """Return a frame that was recounted; or write, recount what was written, and return its hash."""
    if output is None:
        return released.native, check(released), None
    reached, told = release.write_large(
        output,
        lambda path: released.save(path, way.partition_by),
        lambda path: check(released.again(path, released)),
        in_folder=released.in_folder(way.partition_by),
    )
    return None, reached, told


@dataclass(frozen=True)
class _Checking:
    """What a release is held against when it is recounted by its engine."""

    table: GroupedTable
    written: Mapping[str, Cells]
    whole: Engine  # with the columns that are dropped
    promise: release.Promise
    unit: Sequence[str]
    partition_by: Sequence[str]

    def reached(self, again: Engine) -> release.Verified:
        """Recount a release, and return what it reaches; it must have just the rows that it was to have."""
        promise, counted_columns = self.promise, self.promise.counted_columns
        lines = again.lines([x for x in counted_columns if x in again.names])
        if tuple(again.names) != tuple(promise.names):
            raise ReleaseError(f"The release has {len(again.names)} columns, not the {len(promise.names)} promised.")
        if self.unit:  # who rows are about is not in the release, but in what it is made of, which must be the same
            held = self.whole.lines([*counted_columns, *self.unit])
            if not same_rows(self.whole.lines(counted_columns), lines, counted_columns):
                raise ReleaseError("The release has other rows than those whose persons were counted.")
            persons = arrow_cells(held.column(self.unit[0]), self.unit[0]).codes
            reached = _recounted(held, again.names, replace(promise, persons=persons))
        else:
            reached = _recounted(lines, again.names, promise)
        if not same_rows(lines, self.table.expected(self.written), list(self.written)):
            raise ReleaseError("The release has other rows than it was to have.")
        _same_parts(again, self.whole, [x for x in self.partition_by if x not in self.written])
        return reached


def _same_parts(again: Engine, whole: Engine, columns: Sequence[str]) -> None:
    """Refuse a release that has other values than the table in columns that part it into folders."""
    if columns and not same_rows(again.lines(columns), whole.lines(columns), columns):
        raise ReleaseError(
            f"The release has other values in {first_few(columns)} than the table: folders cannot be named by them all."
        )


def _recounted(lines: pa.Table, names: Sequence[str], promise: release.Promise) -> release.Verified:
    return release.recount(lines, names, promise, row_counts_of(lines))


def _hash(source: Any) -> str | None:
    """Return the hash of the files that were read; None of a frame."""
    if not isinstance(source, (str, Path)):
        return None
    whole = Path(source)
    files = [(x, str(x.relative_to(whole)) if whole.is_dir() else x.name) for x in files_of(source)]
    return release.hash_of([(files[0][0], ".")] if whole.is_file() else files)


# --- row by row ------------------------------------------------------------------------------------------------------


def _row_by_row(
    found: Prepared,
    engine: Engine,
    source: Any,
    output: str | Path | None,
    way: ExecutionOptions,
    tick: Progress,
    began: float,
) -> Release:
    """Mask rows one by one, in batches of the engine's; what becomes of a row goes by its key alone.

    Without a seed of the plan, a method that may not repeat itself has one that nobody knows, so that a frame that is
    read twice is one release.
    """
    from allonym.pipeline.fit import fitted_to
    from allonym.pipeline.run import Release, hashes_of, promise_of, settings_of

    plan = found.plan
    assert found.records is not None
    seed, read = rows.seed_of(plan), _hash(source)
    fitted = fitted_to(found, secrets.randbits(64) if seed is None else seed)
    dropped = [*found.with_role("identifier"), *found.with_role("unit")]
    nothing = np.zeros(0, np.int64)
    masking = Masking(nothing, nothing, nothing, np.zeros((0, len(found.records.attributes)), np.int64), ())
    promise = promise_of(found, masking, dropped)
    numbered = not plan.method.key
    released = engine.mapped(partial(_batch, fitted), dropped, promise.columns, numbered=numbered)
    parts = [x for x in way.partition_by if x not in promise.columns]

    def check(again: Engine) -> release.Verified:
        for column in promise.columns:
            own = {column: promise.allowed[column]} if column in promise.allowed else {}
            _recounted(again.lines([column]), again.names, replace(promise, columns=[column], allowed=own))
        _same_parts(again, engine, parts)
        return release.Verified([])

    tick(1, 2)
    frame, _, told = _made(released, output, way, check)
    summary = settings_of(found, seed, hashes_of(found, read) | {"output": told})
    summary |= {"privacy": list(rows.promised(found, seed)), "measures": {}}
    summary |= {"seconds": time.perf_counter() - began}
    return Release(frame, masking, found.records, summary, {}, found)


def _batch(fitted: Fitted, table: pa.Table, places: Any) -> pa.Table:
    """Mask some rows, given their numbers unless they have keys of their own."""
    return fitted.mask_rows(table, places)
