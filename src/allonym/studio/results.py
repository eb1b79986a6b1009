"""What came of a run: the release with all that went into it in a folder, and its figures for pages to show."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from allonym.pipeline import review as editing
from allonym.pipeline.cached_table import CachedTable, shown
from allonym.plan import Plan
from allonym.report.model import Report
from allonym.studio.history import PLAN
from allonym.studio.jobs import Tick

Replaced = tuple[str, str, int]  # was, is now, in how many rows


@dataclass(frozen=True, eq=False)
class Result:
    """A release that was made."""

    number: int
    folder: Path
    masked: Path
    plan: Plan
    summary: Mapping[str, Any]
    report: Report = field(repr=False)
    replaced: Mapping[str, Sequence[Replaced]] = field(repr=False)
    files: Sequence[str] = ()  # that the plan names

    @property
    def title(self) -> str:
        """The method with its k, or what it has in place of one."""
        given = self.summary["parameters"]
        if "k" in given:
            return f"{self.summary['method']}, k = {given['k']}"
        figure = next((f", {x} = {given[x]:g}" for x in ("epsilon", "alpha") if x in given), "")
        return f"{self.summary['method']}{figure}"


def made(number: int, folder: Path, data: CachedTable, stem: str, tick: Tick) -> Result:
    """Run the plan that lies in a folder, as the command line would, and put what came of it beside it."""
    plan = Plan.load(folder / PLAN)
    masked = folder / f"{stem}-masked{data.suffix}"
    while masked.exists():  # a file of the plan is called so
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
    quasi = [x.name for x in release.records.attributes]
    replaced = {x: [(shown(a), shown(b), n) for a, b, n in release.replacements(x)] for x in quasi}
    return Result(number, folder, masked, plan, release.summary, report, replaced, editing.files_of(plan))


def before_and_after(
    data: CachedTable, after: CachedTable, plan: Plan, start: int, stop: int
) -> tuple[list[str], list[list[tuple[str, str | None]]]]:
    """Return some rows of a release with what stood there before; of cells that are as they were, None."""
    now = after.rows(start, stop, plan.reading)
    if plan.long:  # rows of the release are others than those of the table
        return list(after.names), [[(x, None) for x in row] for row in now]
    was, names = data.rows(start, stop, plan.reading), data.read(plan.reading).names
    roles = {name: column.role for name, column in plan.columns.items()}
    kept = [i for i, name in enumerate(names) if roles.get(name) not in ("identifier", "unit")]
    rows = [
        [(new, old[i] if old[i] != new else None) for i, new in zip(kept, row, strict=True)]
        for old, row in zip(was, now, strict=True)
    ]
    return [names[i] for i in kept], rows


def varied(runs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the parameters, besides k, in which runs of a method differ."""
    found: dict[tuple[str, str], set[str]] = {}
    for run in runs:
        for name, value in run["parameters"].items():
            found.setdefault((run["method"], name), set()).add(str(value))
    return sorted({name for (_, name), values in found.items() if len(values) > 1 and name != "k"})


def alike(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Tell whether two runs had the same method and parameters."""
    return one["method"] == other["method"] and dict(one["parameters"]) == dict(other["parameters"])
