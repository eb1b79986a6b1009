"""Masking and estimating: each release lies in a folder with its plan, reports and figures."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from allonym.arrays import Ints
from allonym.errors import OptionError, PlanError, Problem
from allonym.pipeline import review
from allonym.pipeline.cached_table import CachedTable
from allonym.pipeline.changes.replacements_file import Changes, save_replacements
from allonym.pipeline.compare import compare
from allonym.plan import Plan
from allonym.plan.column import DROPPED_ROLES
from allonym.report.comparison import Comparison
from allonym.report.model import Report
from allonym.studio.history import PLAN, REPLACEMENTS, link_or_copy
from allonym.studio.jobs import Job, JobKind, Tick
from allonym.studio.open_table import Estimate, OpenTable, columns_key
from allonym.studio.workspace import Workspace


@dataclass(frozen=True, eq=False)
class Result:
    """A release made by the studio."""

    number: int
    folder: Path
    masked: Path
    plan: Plan
    summary: Mapping[str, Any]
    report: Report = field(repr=False)
    changes: Changes = field(repr=False)
    input_rows: Ints = field(repr=False)  # for each row of the release, the row of the table that it is, from 0
    plan_files: Sequence[str] = ()  # the files that the plan names

    def replacements_file(self) -> Path:
        """Return the file with all replacements; it is written when it is first asked for."""
        path = self.folder / REPLACEMENTS
        if not path.exists():
            save_replacements(self.changes, path)
        return path

    @property
    def title(self) -> str:
        """The method with its k, epsilon or alpha."""
        parameters = self.summary["parameters"]
        shown = [f"{x} = {parameters[x]}" for x in ("k", "epsilon", "alpha") if x in parameters]
        return ", ".join([self.summary["method"], *shown[:1]])


def no_plan() -> PlanError:
    """Return the error of a table without a plan."""
    return PlanError([Problem("no-roles", "No column has a role yet.", "set column roles first.")])


def mask(workspace: Workspace) -> Job:
    """Run the current plan, and keep the release."""
    table = workspace.require_table()
    version = table.history.current
    if version.plan is None:
        raise no_plan()
    with workspace.lock:
        workspace.require_idle()
        number = workspace.last_release + 1
        folder = Path(tempfile.mkdtemp(prefix=f"result-{number}-", dir=version.folder.parents[1]))
        try:
            for name in (PLAN, *review.files_of(version.plan)):
                link_or_copy(version.folder / name, folder / name)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise

    def work(tick: Tick) -> None:
        try:
            _require_unchanged(table)
            result = make_release(number, folder, table.data, table.stem, tick)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        with workspace.lock:
            workspace.last_release = number
            table.results.append(result)

    try:
        return workspace.start_job(JobKind.MASK, "Masking", work, f"/result?run={number}")
    except OptionError:  # another job came first
        shutil.rmtree(folder, ignore_errors=True)
        raise


def make_release(number: int, folder: Path, data: CachedTable, stem: str, tick: Tick) -> Result:
    """Run the plan in a folder as the command line would; write the release, reports and figures beside it."""
    plan = Plan.load(folder / PLAN)
    masked = folder / f"{stem}-masked{data.suffix}"
    while masked.exists():  # a file of the plan has that name
        masked = masked.with_name(f"{masked.stem}-{number}{data.suffix}")
    release = plan.run(data.path, masked, lambda done, total: tick(9 * done, 10 * total))
    masked.chmod(0o600)
    tick(90, 100)
    report = release.report
    _ = report.charts
    tick(95, 100)
    (folder / "summary.json").write_text(json.dumps(release.summary, indent=2, ensure_ascii=False) + "\n", "utf-8")
    (folder / "codebook.json").write_text(json.dumps(release.codebook(), indent=2, ensure_ascii=False) + "\n", "utf-8")
    report.save(folder / "report.html")
    report.save(folder / "report-public.html", public=True)
    assert release.input_rows is not None  # the studio masks in memory
    assert release.changes is not None
    return Result(
        number,
        folder,
        masked,
        plan,
        release.summary,
        report,
        release.changes,
        release.input_rows,
        review.files_of(plan),
    )


def _require_unchanged(table: OpenTable) -> None:
    """Raise an error if the file has changed since it was opened."""
    if table.data.changed:
        raise OptionError(f"{table.name} has changed since it was opened.", hint="open it again.", code="file-changed")


def estimate(workspace: Workspace, methods: list[str], grid: Mapping[str, list[Any]]) -> Job:
    """Run methods and parameters on the table without writing a release."""
    workspace.require_idle()
    table = workspace.require_table()
    plan = table.plan
    if plan is None:
        raise no_plan()
    folder = Path(tempfile.mkdtemp(prefix="tried-", dir=table.folder.parents[1]))  # versions may be discarded meanwhile
    for name in review.files_of(plan):
        link_or_copy(table.folder / name, folder / name)

    def work(tick: Tick) -> None:
        try:
            _require_unchanged(table)
            comparison = compare(table.data.path, replace(plan, folder=folder), methods, grid, measures=(), tick=tick)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        with workspace.lock:
            table.estimate = Estimate(comparison.runs, comparison.failed, columns_key(plan))

    return workspace.start_job(JobKind.ESTIMATE, "Estimating the trade-off", work, "/method#trade-off")


def open_release(table: OpenTable, result: Result) -> CachedTable:
    """Return the rows of a release; the one shown last stays open."""
    cached = table.cached_release
    if cached is None or cached[0] != result.number:
        cached = table.cached_release = (result.number, CachedTable(result.masked, result.plan.reading.of_release))
    return cached[1]


def release_comparison(table: OpenTable) -> Comparison | None:
    """Return the releases so far, compared."""
    runs = [x.summary for x in table.results]
    return Comparison(runs, varied=varied_parameters(runs)) if runs else None


def risk_utility_map(table: OpenTable) -> str:
    """Return the chart of all releases, and of the estimated runs for the columns of the last one."""
    releases = [x.summary for x in table.results]
    if not releases:
        return ""
    runs = releases
    if table.estimate is not None and table.estimate.columns == columns_key(table.results[-1].plan):
        runs = [*(x for x in table.estimate.runs if not any(_same_run(x, y) for y in releases)), *releases]
    marks = [""] * (len(runs) - len(releases)) + [f"release {x.number}" for x in table.results]
    return Comparison(runs, varied=varied_parameters(runs)).map(marks)


def before_and_after(
    data: CachedTable, release: CachedTable, result: Result, start: int, stop: int
) -> tuple[list[str], list[list[tuple[str, str | None]]]]:
    """Return rows of the table as they were released; each cell with its original value, None where it is unchanged."""
    plan = result.plan
    if plan.long:  # rows of the release do not correspond to rows of the table
        masked_rows = release.rows(start, stop, plan.reading.of_release)
        return list(release.names), [[(cell, None) for cell in row] for row in masked_rows]
    original_rows, names = data.rows(start, stop, plan.reading), data.read(plan.reading).names
    masked_rows = release.rows_at(np.argsort(result.input_rows)[start:stop].tolist(), plan.reading.of_release)
    roles = {name: column.role for name, column in plan.columns.items()}
    kept = [i for i, name in enumerate(names) if roles.get(name) not in DROPPED_ROLES]
    rows = [
        [(new, old[i] if old[i] != new else None) for i, new in zip(kept, row, strict=True)]
        for old, row in zip(original_rows, masked_rows, strict=True)
    ]
    return [names[i] for i in kept], rows


def varied_parameters(runs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the parameters, besides k, in which runs of one method differ."""
    values: dict[tuple[str, str], set[str]] = {}
    for run in runs:
        for name, value in run["parameters"].items():
            values.setdefault((run["method"], name), set()).add(str(value))
    return sorted({name for (_, name), different in values.items() if len(different) > 1 and name != "k"})


def _same_run(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return one["method"] == other["method"] and dict(one["parameters"]) == dict(other["parameters"])
