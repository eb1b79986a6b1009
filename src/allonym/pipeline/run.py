"""Run a plan: prepare, mask, decode, write, verify, measure."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from allonym.arrays import Ints
from allonym.cells import Cells, group_ids_of
from allonym.errors import OutputError, PlanError
from allonym.measures.changes import Changes
from allonym.measures.clusters import CLUSTERS
from allonym.measures.measurement import BALANCE
from allonym.methods.base import ColumnwiseMethod, PartitionMethod
from allonym.methods.blocks import Blocks
from allonym.methods.record_level import RecordLevelMethod
from allonym.pipeline import budget, privacy
from allonym.pipeline import record_level as rows
from allonym.pipeline.changes import promised_values
from allonym.pipeline.changes.as_written import as_written, fewest_holders
from allonym.pipeline.changes.cell_pairs import changes_of
from allonym.pipeline.changes.nulls import Nulls, nulls_of
from allonym.pipeline.disclosure.kept import review_kept
from allonym.pipeline.keys import method_seed, release_key
from allonym.pipeline.prepare import Prepared, method_problems, prepare
from allonym.pipeline.source import ExecutionOptions, is_path, open_source
from allonym.pipeline.summary import hashes_of, row_order_of, summary_of
from allonym.progress import Clock, Phase, Progress, no_progress, part_of, phase
from allonym.records import Masking, Records, piece_of_rows
from allonym.release.recount import Promise, Rows, Verified, smallest, verify
from allonym.release.row_map import row_map_file
from allonym.release.write import refuse_input_as_output, write
from allonym.release_key import ReleaseKey
from allonym.tables.base import Draft
from allonym.tables.row_order import RowOrder

if TYPE_CHECKING:
    from allonym.pipeline.fit import Fitted
    from allonym.plan.model import Plan
    from allonym.report.model import Report

UNMEASURED = "Rows that an engine masks one by one are not measured."


@dataclass(frozen=True, eq=False)
class Release:
    """A release: the masked frame (None: a file was written), what became of each tuple, and the figures."""

    frame: Any
    masking: Masking
    records: Records
    summary: dict[str, Any]
    written: dict[str, Cells] = field(repr=False)
    prepared: Prepared = field(repr=False)
    input_rows: Ints | None = field(default=None, repr=False)  # for each row of a file, the row that it was, from 0
    changes: Changes | None = field(default=None, repr=False)  # None: an engine masked row by row

    @cached_property
    def report(self) -> Report:
        """The release in words, figures and charts: `report.save("report.html")`."""
        self._check_measured("`allonym evaluate` measures samples.")
        from allonym.pipeline.reporting import report

        return report(self)

    def codebook(self) -> dict[str, Any]:
        """Return the variables of the release and their values, for its users."""
        self._check_measured("use --engine memory, or leave out the report and the codebook.")
        from allonym.pipeline.reporting.codebook import codebook

        return codebook(self)

    def _check_measured(self, hint: str) -> None:
        if not self.summary["measures"]:
            raise OutputError(UNMEASURED, hint=hint)

    def save_replacements(self, path: str | Path) -> None:
        """Write every original text with its released text, as CSV or JSON; only the owner may read the file."""
        from allonym.pipeline.changes.replacements_file import save_replacements

        save_replacements(self._counted_changes(), path)

    def save_matrix(self, path: str | Path) -> None:
        """Write how likely each value became each other, as CSV or JSON, for those who analyse a release of `pram`.

        The file reveals all values of the masked columns and how frequent each was.
        """
        from allonym.pipeline.transition_matrix import save_matrices

        save_matrices(self.prepared, path)

    def _counted_changes(self) -> Changes:
        if self.changes is None:
            raise OutputError(UNMEASURED, hint="use --engine memory.")
        return self.changes

    def replacements(self, column: str) -> list[tuple[Any, Any, int]]:
        """Return every replacement of a cell in a column with its number of rows, most frequent first.

        They are values of the data: show them only to those who may see it. `changes` has them as text, with what
        changed and how far.
        """
        pairs, cells = self._counted_changes().columns[column].pairs, self.prepared.encoded[column].cells
        counts: dict[tuple[Any, Any], int] = {}
        for i in np.flatnonzero(pairs.changed).tolist():
            pair = cells.values[pairs.was[i]], self.written[column].values[pairs.now[i]]
            counts[pair] = counts.get(pair, 0) + int(pairs.counts[i])
        listed = [(before, after, count) for (before, after), count in counts.items()]
        return sorted(listed, key=lambda x: (-x[2], str(x[0]), str(x[1])))


def run(
    plan: Plan,
    source: Any,
    output: str | Path | None,
    tick: Progress,
    balance: float = BALANCE,
    options: ExecutionOptions | None = None,
) -> Release:
    """Mask a frame or a file, in memory or in an engine."""
    options, clock, began = options or ExecutionOptions(), Clock(), time.perf_counter()
    with clock.running():
        release = _run(plan, source, output, tick, balance, options)
    release.summary["seconds"] = time.perf_counter() - began
    release.summary["seconds_by_phase"] = clock.seconds
    return release


def _run(
    plan: Plan, source: Any, output: str | Path | None, tick: Progress, balance: float, options: ExecutionOptions
) -> Release:
    """Open, prepare, mask, decode, write, verify and measure."""
    if output is not None and is_path(source):
        refuse_input_as_output(output, source)
    with phase(Phase.READ):
        table = open_source(plan, source, options)
    table.check_output(output)
    options.check_row_map(plan, table, source, output)
    with table.at_work():
        prepared = prepare(plan, table, part_of(tick, 0, 2))
        records = _checked(prepared, options)
        input_hash = table.sha256  # before anything is written that a pattern for the input would match too
        key = release_key(prepared, input_hash)
        order = None if output is None or plan.row_order == "keep" else RowOrder(key, input_hash or "")
        with phase(Phase.GROUP):
            masking, cells, draft, nulls = _mask(prepared, key, output, order, options, part_of(tick, 1, 2))
        promise = promise_of(prepared, masking)
        frame, output_hash, input_rows = None, None, None
        if output is None:
            frame = draft.frame
            verified = verify(draft.reread(None, promise.counted_columns), promise)
        else:
            input_rows = draft.input_rows if options.row_map or not table.counts_rows else None
            with phase(Phase.WRITE), row_map_file(options.row_map, input_rows):
                verified, output_hash = write(output, draft, promise)
        sha256 = hashes_of(prepared, input_hash) | {"output": output_hash}
        with phase(Phase.MEASURE):
            changes = changes_of(prepared, masking.attributes, cells) if cells else None
            exact, thorough = options.exact_risk, options.optimality_gap
            parts = prepared, masking, changes, verified, balance, sha256, nulls
            summary = summary_of(*parts, exact=exact, thorough=thorough)
            summary |= row_order_of(prepared, written=output is not None)
    return Release(frame, masking, records, summary, cells, prepared, input_rows, changes)


def _checked(prepared: Prepared, options: ExecutionOptions) -> Records:
    """Return the records, or raise every problem that keeps the plan from being run."""
    masked = {x: prepared.cells[x] for x in prepared.with_role("quasi") if x in prepared.cells}
    with phase(Phase.REVIEW):
        kept = review_kept(prepared)
    prepared.cautions += [*kept.cautions, *budget.cautions(prepared)]
    problems = [
        *prepared.problems,
        *kept.problems,
        *method_problems(prepared),
        *options.problems(prepared.plan),
        *prepared.table.problems(masked, prepared.dropped),
    ]
    problems = problems or list(budget.row_problems(prepared))  # which can be counted where all else is well
    if problems or prepared.records is None:
        raise PlanError(problems)
    return prepared.records


def _mask(
    prepared: Prepared,
    key: ReleaseKey,
    output: str | Path | None,
    order: RowOrder | None,
    options: ExecutionOptions,
    tick: Progress,
) -> tuple[Masking, dict[str, Cells], Draft, Nulls]:
    """Mask the table: return what became of its tuples, its cells, the release before it is verified, and its nulls.

    Where a method goes row by row and an engine holds the rows, the engine masks them: then there are no cells.
    """
    table, method = prepared.table, prepared.plan.method
    if isinstance(method, RecordLevelMethod) and table.draft_by_row is not None:
        return _mask_in_engine(prepared, partial(table.draft_by_row, order=order), key)
    masking, cells, nulls = masked(prepared, key, tick, options.blocks(table))
    discard_style = method.info.data_independent
    draft = table.draft(cells, prepared.dropped, output, discard_style=discard_style, order=order)
    return masking, cells, draft, nulls


def _mask_in_engine(
    prepared: Prepared, draft_by_row: Callable[..., Draft], key: ReleaseKey
) -> tuple[Masking, dict[str, Cells], Draft, Nulls]:
    """Let an engine mask the rows in batches: what becomes of a row depends on its key and value alone.

    The draws derive from the key of the release, so that a frame that is read twice is one release.
    """
    from allonym.pipeline.fit import fitted_to

    assert prepared.records is not None
    fitted = fitted_to(prepared, key, repeatable=True)
    none = np.zeros(0, np.int64)
    masking = Masking(none, none, none, np.zeros((0, len(prepared.records.attributes)), np.int64), ())
    numbered, columns = not prepared.plan.method.key, prepared.with_role("quasi")
    draft = draft_by_row(partial(mask_batch, fitted), columns, prepared.dropped, numbered=numbered)
    return masking, {}, draft, Nulls()


def mask_batch(fitted: Fitted, table: Any, numbers: Any) -> Any:
    """Mask some rows, given their numbers unless a column has their keys."""
    return fitted.mask_rows(table, numbers)


def promise_of(prepared: Prepared, masking: Masking) -> Promise:
    """Return what a release promises."""
    plan, dropped = prepared.plan, prepared.dropped
    return Promise(
        columns=prepared.with_role("quasi"),
        k=plan.method.required_k,
        rows=prepared.table.n,
        names=[name for name in prepared.table.names if name not in dropped],
        persons=prepared.persons,
        households=prepared.households,
        per_column=isinstance(plan.method, ColumnwiseMethod),
        suppressed=masking.suppressed_rows,
        missing=plan.missing,
        own_missing={name: plan.missing_in(name) for name in prepared.with_role("quasi")},
        allowed=rows.allowed(prepared),
        guarantees=privacy.guarantees(prepared),
        original=promised_values.original_rows(prepared),
        values=promised_values.replaced_globally(prepared),
        known_items=plan.method.known_items,
        separators={name: plan.columns[name].separator for name in prepared.with_role("quasi")},
    )


def figures_of(
    prepared: Prepared, balance: float = BALANCE, more_measures: Sequence[str] = (), clusters: int | str = CLUSTERS
) -> dict[str, Any]:
    """Mask a table, and return the figures that its release would have; nothing is written.

    `more_measures` are measured besides those that every release has, with a number of `clusters`.
    """
    began, clock = time.perf_counter(), Clock()
    with clock.running():
        summary = _figures_of(prepared, balance, more_measures, clusters)
    return summary | {"seconds": time.perf_counter() - began, "seconds_by_phase": clock.seconds}


@phase(Phase.MEASURE)
def _figures_of(
    prepared: Prepared, balance: float, more_measures: Sequence[str], clusters: int | str
) -> dict[str, Any]:
    """Mask a table, and return the figures that its release would have."""
    with phase(Phase.GROUP):
        masking, cells, nulls = masked(prepared, release_key(prepared, prepared.table.sha256), no_progress)
    together = [[name] for name in cells] if isinstance(prepared.plan.method, ColumnwiseMethod) else [list(cells)]
    group_ids = [group_ids_of([cells[name] for name in columns]) for columns in together]
    counted = Rows(prepared.units, prepared.row_counts)
    guarantees = privacy.guarantees(prepared)
    figures = [
        [x.count(groups, *_sensitive(prepared, x.column), counted) or 0.0 for x in guarantees] for groups in group_ids
    ]
    reached = [smallest(groups, prepared.units, prepared.row_counts) for groups in group_ids]
    if prepared.plan.method.known_items is not None:
        reached = [privacy.combinations_held(prepared, name, cells[name]) for name in cells]
    verified = Verified(reached, figures)
    changes = changes_of(prepared, masking.attributes, cells)
    hashes = hashes_of(prepared, None)
    parts = prepared, masking, changes, verified, balance, hashes, nulls
    return summary_of(*parts, more_measures=more_measures, clusters=clusters)


def _sensitive(prepared: Prepared, name: str) -> tuple[Any, Ints]:
    cells = prepared.encoded[name].cells
    return cells.values, cells.codes


def masked(
    prepared: Prepared, key: ReleaseKey, tick: Progress, blocks: Blocks | None = None
) -> tuple[Masking, dict[str, Cells], Nulls]:
    """Mask a table; return what became of its tuples, the cells to write for each masked column, and their nulls."""
    method = prepared.plan.method
    mask: Any = method.mask  # data-independent methods also take no seed
    if isinstance(method, PartitionMethod) and blocks is not None:
        mask = partial(mask, blocks=blocks)
    masking: Masking = mask(prepared.records, method_seed(prepared.plan, key), tick)
    written = as_written(prepared, masking)
    prepared.cautions += promised_values.collapsed_columns(prepared, written)
    cells = dict(_decoded(prepared, written, key.number("decode")))
    nulls = nulls_of(prepared, masking, written, cells)
    nulls.refuse_empty_columns(method.required_k)
    return written, cells, nulls


def _decoded(prepared: Prepared, masking: Masking, seed: int) -> Iterator[tuple[str, Cells]]:
    """Yield the cells to write for each masked column."""
    assert prepared.records is not None
    piece = piece_of_rows(prepared.records, masking.source, masking.share)
    for a, attribute in enumerate(masking.attributes):
        column = prepared.encoded[attribute.name]
        codes, k = masking.codes[piece, a], fewest_holders(prepared, attribute.name)
        if prepared.plan.method.writes_existing:
            yield attribute.name, column.decode_existing(attribute, codes, k, prepared.units)
        else:
            decode = column.decode if prepared.plan.method.known_items is None else column.decode_alike
            yield attribute.name, decode(attribute, codes, k, prepared.units, seed)
