"""Running a plan: understand, mask, write, verify, measure."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from allonym.arrays import Ints, distinct
from allonym.cells import Cells, merged
from allonym.errors import OutputError, PlanError, Problem
from allonym.measures.measurement import BALANCE, BRIEF, measured
from allonym.methods.base import ColumnwiseMethod, PartitionMethod
from allonym.methods.blocks import Blocks
from allonym.methods.record_level import RecordLevelMethod
from allonym.pipeline import privacy
from allonym.pipeline import record_level as rows
from allonym.pipeline.engines import ExecutionOptions, engine_for
from allonym.pipeline.prepare import Prepared, opened, prepare
from allonym.plan import toml
from allonym.progress import Progress, no_progress, part_of
from allonym.records import Masking, Pairs, Records, piece_of_rows
from allonym.release import reread
from allonym.release import write as release
from allonym.tables.excel import ExcelFile
from allonym.tables.files import TextFile, open_any, read_bytes
from allonym.tables.jsonl import JsonLines
from allonym.tables.long import LongTable
from allonym.tables.spss import LabelledFile

if TYPE_CHECKING:
    from allonym.plan.model import Plan
    from allonym.report.model import Report

ENDINGS = {
    ".parquet": (".parquet",),
    ".jsonl": (".jsonl", ".ndjson", ".json"),
    ".xlsx": (".xlsx",),
    ".sav": (".sav",),
    ".dta": (".dta",),
}  # any other is delimited text
PACKED = (".csv", ".jsonl")  # what may be gzipped
UNMEASURED = "What an engine masks row by row has no figures to report."
NOBODY = 2**62  # nobody's own spelling is written where this many must share it


@dataclass(frozen=True, eq=False)
class Release:
    """A release: the masked frame (of a file: None, it was written), what became of each tuple, and the figures."""

    frame: Any
    masking: Masking
    records: Records
    summary: dict[str, Any]
    written: dict[str, Cells] = field(repr=False)
    prepared: Prepared = field(repr=False)

    @cached_property
    def report(self) -> Report:
        """The release in words, figures and charts, for people: `report.save("report.html")`."""
        if not self.summary["measures"]:
            raise OutputError(
                "What an engine masked row by row has no figures to report.",
                hint="`allonym evaluate` measures samples.",
            )
        from allonym.pipeline.reporting import report

        return report(self)

    def codebook(self) -> dict[str, Any]:
        """Return what each variable is now, and its values, for those who will use the release."""
        self._is_measured()
        from allonym.pipeline.reporting.codebook import codebook

        return codebook(self)

    def _is_measured(self) -> None:
        if not self.summary["measures"]:
            raise OutputError(UNMEASURED, hint="--engine memory, or leave out the report and the codebook.")

    def replacements(self, column: str) -> list[tuple[Any, Any, int]]:
        """Return what was replaced by what in a column, and in how many rows, most frequent first.

        These are values of the data: for the eyes of those who may see it.
        """
        a = [x.name for x in self.records.attributes].index(column)
        pairs = Pairs.of(self.records, self.masking)
        ways, place = np.unique(np.stack([pairs.original[:, a], pairs.masked[:, a]], 1), axis=0, return_inverse=True)
        counts = np.bincount(place.ravel(), weights=pairs.counts).astype(int)
        coded, texts = self.prepared.coded[column], self.written[column].values
        order = np.argsort(-coded.cells.counts, kind="stable")[::-1]  # the most frequent spelling comes last
        was = {int(coded.code_of[i]): coded.cells.values[i] for i in order.tolist()}
        told = [(was[x], texts[y], int(c)) for (x, y), c in zip(ways.tolist(), counts, strict=True) if x != y]
        return sorted(told, key=lambda t: (-t[2], str(t[0]), str(t[1])))


def run(
    plan: Plan,
    source: Any,
    output: str | Path | None,
    tick: Progress,
    balance: float = BALANCE,
    way: ExecutionOptions | None = None,
) -> Release:
    """Mask a frame or a file, in memory or by an engine."""
    way = way or ExecutionOptions()
    began = time.perf_counter()
    from_file = isinstance(source, (str, Path))
    engine = engine_for(source, way, plan)
    if not from_file and output is not None:
        raise OutputError("A masked frame is given back, not written.", hint="write release.frame yourself.")
    if from_file and output is None:
        raise OutputError("Where is the release to be written?", hint="give an output file, or - for standard output.")
    if engine is not None:
        from allonym.pipeline.lazy import run_on

        with engine.at_work():
            return run_on(plan, engine, source, output, way, tick, balance)
    raw = read_bytes(source) if from_file else b""
    table = opened(plan, source, raw if from_file else None)
    found = prepare(plan, table, part_of(tick, 0, 2))
    problems = [*found.problems, *problems_of(found), *way.problems(plan)]
    if problems or found.records is None:
        raise PlanError(problems)
    seed = rows.seed_of(plan)
    masking, written = masked(found, seed, part_of(tick, 1, 2), way.blocks())
    dropped = [*found.with_role("identifier"), *([] if isinstance(table, LongTable) else found.with_role("unit"))]
    promise = promise_of(found, masking, dropped)
    discard_style = plan.method.info.data_independent
    frame: Any = None
    sha256: str | None = None
    if from_file and output is not None:
        reached, sha256 = _write(table, written, dropped, promise, source, output, discard_style=discard_style)
    else:
        frame = table.changed(written, dropped, discard_style=discard_style)
        again: Any = frame
        names: Sequence[str] = open_any(frame).names
        if isinstance(table, LongTable):
            again, names = release.folded(frame, names, table.unit, table.item, promise.counted_columns)
        reached = release.recount(again, names, promise)
    hashes = hashes_of(found, sha256_of(raw) if from_file else None) | {"output": sha256}
    summary = summary_of(found, masking, reached, seed, balance, hashes)
    summary["seconds"] = time.perf_counter() - began
    return Release(frame, masking, found.records, summary, written, found)


def promise_of(found: Prepared, masking: Masking, dropped: Sequence[str]) -> release.Promise:
    """Return what a release promises."""
    plan = found.plan
    return release.Promise(
        columns=found.with_role("quasi"),
        k=plan.method.required_k,
        rows=found.table.n,
        names=[name for name in found.table.names if name not in dropped],
        persons=found.units,
        per_column=isinstance(plan.method, ColumnwiseMethod),
        suppressed=masking.suppressed_rows,
        missing=plan.missing,
        allowed=rows.allowed(found),
        guarantees=privacy.kept(found),
    )


def figures_of(found: Prepared, balance: float = BALANCE) -> dict[str, Any]:
    """Mask a table and return the figures of a release that is not made."""
    began = time.perf_counter()
    seed = rows.seed_of(found.plan)
    masking, written = masked(found, seed, no_progress)
    together = [[name] for name in written] if isinstance(found.plan.method, ColumnwiseMethod) else [list(written)]
    group_ids = [group_ids_of(found, masking, {name: written[name] for name in columns}) for columns in together]
    cells = [(kept, found.coded[kept.column].cells) for kept in privacy.kept(found)]
    each = release.Rows(found.units, found.row_counts)
    reached = release.Verified(
        [release.smallest(groups, found.units, found.row_counts) for groups in group_ids],
        [
            [kept.count(np.where(groups < 0, len(groups), groups), x.values, x.codes, each) or 0.0 for kept, x in cells]
            for groups in group_ids
        ],
    )
    summary = summary_of(found, masking, reached, seed, balance, hashes_of(found, None))
    return summary | {"seconds": time.perf_counter() - began}


def masked(
    found: Prepared, seed: int | None, tick: Progress, blocks: Blocks | None = None
) -> tuple[Masking, dict[str, Cells]]:
    """Mask a table; return what became of its tuples, and the cells to write for each masked column."""
    method = found.plan.method
    mask: Any = method.mask  # of a method that goes row by row, perhaps without a seed
    if isinstance(method, PartitionMethod) and blocks is not None:
        mask = partial(mask, blocks=blocks)
    masking: Masking = mask(found.records, seed if isinstance(method, RecordLevelMethod) else seed or 0, tick)
    return masking, dict(_written(found, masking, seed))


def group_ids_of(found: Prepared, masking: Masking, written: Mapping[str, Cells]) -> Ints:
    """Number the rows of a release so that those that look alike, as text, have one number; -1: suppressed."""
    assert found.records is not None
    alike = distinct([by_text(cells).codes for cells in written.values()])[0]
    if masking.suppressed is None:
        return alike
    return np.where(masking.suppressed[piece_of_rows(found.records, masking.source, masking.share)], -1, alike)


def by_text(cells: Cells) -> Cells:
    """Return cells by what they read: those that read the same are one."""
    return merged([None if x is None else str(x) for x in cells.values], cells.codes, cells.row_counts)


def problems_of(found: Prepared) -> Iterator[Problem]:
    """Yield what keeps the method of a plan from masking its table."""
    method = found.plan.method
    for name in found.with_role("quasi"):
        kind = found.kinds.get(name)
        if kind is not None and kind not in method.info.kinds:
            known = ", ".join(sorted(method.info.kinds))
            text = f"method {method.name} does not mask columns of kind {kind}."
            yield Problem("kind-not-supported", text, f"it masks {known}.", name)
    if (
        isinstance(method, ColumnwiseMethod)
        and len(found.with_role("quasi")) > 1
        and not getattr(method, "per_attribute", False)
    ):
        yield Problem(
            "k-per-column",
            f"method {method.name} promises k in each column alone, not in {len(found.with_role('quasi'))} together.",
            "say --per-attribute if that is enough, or choose another method.",
        )
    if found.records is not None and found.records.n == 0:
        yield Problem("no-rows", "the table has no rows.")
    elif found.records is not None and found.records.persons < method.required_k:
        what = "rows" if found.units is None else "persons"
        yield Problem(
            "k-too-large",
            f"k is {method.required_k}, but the table has only {found.records.persons:,} {what}.",
            "choose a smaller k, or do not publish so few.",
        )
    yield from privacy.unmet(found)


def _written(found: Prepared, masking: Masking, seed: int | None) -> Iterator[tuple[str, Cells]]:
    """Yield the cells to write for each masked column."""
    assert found.records is not None
    piece = piece_of_rows(found.records, masking.source, masking.share)
    method = found.plan.method
    least = NOBODY if isinstance(method, RecordLevelMethod) else method.required_k
    for a, attribute in enumerate(masking.attributes):
        coded = found.coded[attribute.name]
        yield attribute.name, coded.decode(attribute, masking.codes[piece, a], least, found.units, seed or 0)


def _write(
    table: Any,
    written: dict[str, Cells],
    dropped: list[str],
    promise: release.Promise,
    source: str | Path,
    output: str | Path,
    *,
    discard_style: bool,
) -> tuple[release.Verified, str]:
    """Write a verified file; return what it reaches and its hash."""
    base = table.base if isinstance(table, LongTable) else table
    packed = str(output).lower().endswith(".gz")
    ending = Path(str(output).lower().removesuffix(".gz")).suffix
    ours = [x for x in ENDINGS if ending in ENDINGS[x]]
    if (str(output) != "-" and (ours or [".csv"]) != [base.suffix]) or (packed and base.suffix not in PACKED):
        raise OutputError(
            f"{output} would not be of the same format as the data ({base.suffix}).",
            hint=f"end its name in {base.suffix}.",
        )

    def save(path: Path) -> None:
        table.save(table.changed(written, dropped, discard_style=discard_style), path, zipped=packed)

    columns = [table.unit, *promise.counted_columns] if isinstance(table, LongTable) else promise.counted_columns
    names = promise.names if isinstance(base, (TextFile, ExcelFile)) and not base.has_header else None
    read: Callable[[bytes], tuple[Any, Any]] = partial(reread.read_parquet, columns=columns)
    if isinstance(base, TextFile):
        read = partial(reread.read_text, columns=columns, delimiter=base.delimiter, encoding=base.codec, names=names)
    elif isinstance(base, JsonLines):
        read = partial(reread.read_json, columns=columns, names=promise.names)
    elif isinstance(base, ExcelFile):
        read = partial(reread.read_sheet, columns=columns, sheet=base.sheet, names=names)
    elif isinstance(base, LabelledFile):
        read = partial(reread.read_sav if base.suffix == ".sav" else reread.read_dta, columns=columns)
    if isinstance(table, LongTable):
        plain = read

        def read(content: bytes) -> tuple[Any, Any]:
            return release.folded(*plain(content), table.unit, table.item, promise.counted_columns)

    return release.write(output, save, read, promise, source=source)


def sha256_of(content: bytes) -> str:
    """Return the hash of some bytes, as sha256sum tells it."""
    return hashlib.sha256(content).hexdigest()


def hashes_of(found: Prepared, input: str | None) -> dict[str, Any]:
    """Return the hashes of what went into a release; that of the data is given."""
    plan = found.plan
    links: dict[str, str] = {}
    ontologies: dict[str, str] = {}
    for words in found.words.values():
        ontologies |= {u.scope.taxonomy.name: u.scope.taxonomy.source.sha256 for u in words}
        links |= {str(u.file): sha256_of((plan.folder / u.file).read_bytes()) for u in words if u.file}
    ontologies |= {x.taxonomy.name: x.taxonomy.source.sha256 for x in found.trees.values()}
    try:
        told = sha256_of(toml.dumped(plan).encode())
    except PlanError:  # a plan with objects that have no name
        told = None
    return {"input": input, "plan": told, "links": links, "ontologies": ontologies}


def _pairs(found: Prepared, masking: Masking) -> Pairs:
    """Return what became of the table; words that were suppressed count as they were."""
    records = found.records
    assert records is not None
    coded = [found.coded[attribute.name] for attribute in records.attributes]
    if records.units is None and not any(column.suppressed for column in coded):
        return Pairs.of(records, masking)
    original = [column.original_of[column.cells.codes] for column in coded]
    masked = masking.codes[piece_of_rows(records, masking.source, masking.share)].T
    return Pairs.of_rows(
        masking.attributes,
        original,
        list(masked),
        weights=records.weights,
        units=records.units,
        row_counts=records.row_counts,
    )


def _promises(found: Prepared, reached: release.Verified) -> Iterator[dict[str, Any]]:
    """Yield what was promised, with what was reached: k of all columns together, or of each; and what is beside k."""
    method = found.plan.method
    if isinstance(method, RecordLevelMethod):
        return
    together = (
        [[name] for name in found.with_role("quasi")]
        if isinstance(method, ColumnwiseMethod)
        else [found.with_role("quasi")]
    )
    for columns, least in zip(together, reached.k, strict=True):
        told = {"model": "k-anonymity", "columns": columns, "asked": method.required_k, "reached": least}
        yield told | {"holds": least >= method.required_k}
    for place, asked in enumerate(privacy.asked(found)):
        for columns, figures in zip(together, reached.guarantees, strict=True):
            told = {"model": asked.name, "columns": [asked.column], "asked": asked.asked, "reached": figures[place]}
            yield told | {"holds": True} | ({"over": columns} if isinstance(method, ColumnwiseMethod) else {})


def summary_of(
    found: Prepared,
    masking: Masking,
    reached: release.Verified,
    seed: int | None,
    balance: float,
    sha256: dict[str, Any],
) -> dict[str, Any]:
    """Return the figures of a release, as they are printed as JSON."""
    method = found.plan.method
    pairs = _pairs(found, masking)
    figures = measured(pairs, method.required_k, BRIEF, balance=balance, seed=seed or 0)
    before, after = len(np.unique(pairs.original, axis=0)), len(np.unique(masking.codes, axis=0))
    return settings_of(found, seed, sha256) | {
        "tuples": {"before": before, "after": after},
        "suppressed": masking.suppressed_rows,
        "privacy": [
            *rows.promised(found, seed),
            *_promises(found, reached),
        ],
        **({"noise": rows.told(found, pairs)} if isinstance(method, RecordLevelMethod) else {}),
        "measures": {name: x.to_dict() for name, x in figures.items()},
    }


def settings_of(found: Prepared, seed: int | None, sha256: dict[str, Any]) -> dict[str, Any]:
    """Return what a release was made of and by, in the order in which figures are told; the figures are empty."""
    records, method = found.records, found.plan.method
    assert records is not None
    return {
        "format": 1,
        "records": records.n,
        "units": None if found.units is None else records.persons,
        "tuples": {"before": len(records), "after": None},
        "suppressed": 0,
        "suppressed_cells": {name: found.coded[name].suppressed for name in found.with_role("quasi")},
        "method": method.name,
        "parameters": {f.name: getattr(method, f.name) for f in fields(method)},
        "seed": seed,
        "privacy": [],
        **({"noise": {}} if isinstance(method, RecordLevelMethod) else {}),
        "measures": {},
        "seconds": 0.0,
        "sha256": sha256,
    }
