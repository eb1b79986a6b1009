"""What a release is good for: python benchmarks/utility.py PEERS LIGHTHOUSE

Masks Adult and census_income_kdd with allonym, anjana, anonypy and project-lighthouse-anonymize at the same k, and
trains classifiers on the releases. PEERS and LIGHTHOUSE are interpreters of environments with the other tools
(benchmarks/peers.lock, benchmarks/lighthouse.lock). Releases of other tools and their figures are kept in build/utility
and used again.
Writes docs/utility.md, its chart, and blocks of docs/which-method.md.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from paths import ROOT
from processes import Cost, cost

import utility_page
from allonym.pipeline.demo import demonstration
from synthetic import SYNTHETIC
from utility_cells import Column, Release, places
from utility_measures import folds, group_error, marginals, regression, scores
from utility_tables import Task, adult_task, census_task

KEPT = ROOT / "build" / "utility"
KEPT_FIGURES = KEPT / "figures.json"
FOLDER = Path(__file__).parent
KS = (5, 10)
SUPPRESSED = (0, 5)  # % of the rows that anjana may suppress


class Variant(NamedTuple):
    """One way allonym masks: the method, its parameters, and options of numeric columns."""

    name: str
    method: str
    parameters: Mapping[str, Any]
    numbers: Mapping[str, Any]


VARIANTS = (
    Variant("default", "sa-mdav", {}, {}),
    Variant("truthful numbers too", "sa-mdav", {"represent": "truthful"}, {}),
    Variant("1 % of rows may be suppressed", "sa-mdav", {"suppress": 0.01}, {}),
    Variant("centroid", "sa-mdav", {"represent": "centroid"}, {}),
)


class Tool(NamedTuple):
    """A tool: its name, the command that masks, and the file it writes."""

    name: str
    command: list[str]
    output: Path


@dataclass(frozen=True)
class Figures:
    """The figures of a release; intervals are lists of one figure for each fold."""

    name: str
    auc_logistic: list[float]
    auc_boosting: list[float]
    own_logistic: list[float]
    own_boosting: list[float]
    brier: list[float]
    group_error: float
    inside: float
    overlap: float
    marginals: Mapping[str, float]
    false_cells: float
    null_cells: float
    distance: float
    suppressed: float
    smallest_class: int
    loss: float | None  # information loss L, by allonym
    seconds: float
    megabytes: float


def allonym_tools(task: Task, k: int, folder: Path) -> Iterator[Tool]:
    """Yield the variants of allonym."""
    for variant in VARIANTS:
        plan, output = folder / f"{variant.name}.toml", folder / f"{variant.name}.csv"
        summary = str(output.with_suffix(".summary.json"))
        task.plan(k, variant.method, variant.parameters, variant.numbers).save(plan)
        command = [sys.executable, "-m", "allonym", "mask", str(task.file), "-o", str(output), "--plan", str(plan)]
        yield Tool(f"allonym, {variant.name}", [*command, "--summary", summary], output)


def other_tools(task: Task, k: int, folder: Path, peers: str, lighthouse: str) -> Iterator[Tool]:
    """Yield the other tools; they get the same hierarchies."""
    data, names, trees = str(task.file), ",".join(task.quasi), str(folder)
    for share in SUPPRESSED:
        output = KEPT / f"{task.name}-{k}-anjana-{share}.csv"
        command = [peers, "-P", str(FOLDER / "peer_anjana.py"), data, str(output), str(k), str(share), trees, names]
        yield Tool(f"anjana, {share} % of rows may be suppressed", command, output)
    output = KEPT / f"{task.name}-{k}-anonypy.rows.csv"
    command = [peers, "-P", str(FOLDER / "peer_anonypy.py"), data, str(output), str(k), task.target, names]
    yield Tool("anonypy (Mondrian)", command, output)
    output = KEPT / f"{task.name}-{k}-lighthouse.csv"
    command = [lighthouse, "-P", str(FOLDER / "peer_lighthouse.py"), data, str(output), str(k), trees, names]
    yield Tool("project-lighthouse-anonymize (Core Mondrian)", command, output)


def spent(tool: Tool) -> Cost:
    """Run a tool, unless its release was kept, and return what it cost."""
    known = tool.output.with_suffix(".json")
    if KEPT not in tool.output.parents or not known.exists():
        costs = cost(*tool.command, runs=1)
        assert costs is not None, tool.name
        known.write_text(json.dumps(costs))
    return Cost(*json.loads(known.read_text()))


def loss_of(output: Path) -> float | None:
    """Return the information loss from the summary beside a release, if there is one."""
    summary = output.with_suffix(".summary.json")
    if not summary.exists():
        return None
    return float(json.loads(summary.read_text())["measures"]["information_loss"]["value"])


def figures(name: str, original: Release, releases: list[Release], costs: Cost, loss: float | None = None) -> Figures:
    """Return the figures of a release; of synthetic rows, `releases` has one for each fold and one of all rows."""
    release = releases[-1]
    scored = scores(original, releases)
    inside, overlap = regression(original, release)
    before = {x: places(y.column, original.task.frame[x]) for x, y in original.columns.items()}
    read = release.columns.items()
    synthetic = release.synthetic
    return Figures(
        name,
        scored.on_original["logistic"],
        scored.on_original["boosting"],
        scored.on_release["logistic"],
        scored.on_release["boosting"],
        scored.brier,
        group_error(original, release),
        inside,
        overlap,
        marginals(original, release),
        float("nan") if synthetic else 100 * float(np.mean([y.false_cells(before[x]) for x, y in read])),
        100 * float(np.mean([y.null[y.inverse].mean() for _, y in read])),
        float("nan") if synthetic else 100 * float(np.mean([y.distance(before[x]) for x, y in read])),
        100 * float(release.suppressed.mean()),
        0 if synthetic else release.smallest_class,
        loss,
        costs.seconds,
        costs.megabytes,
    )


def measure(task: Task, k: int, folder: Path, peers: str, lighthouse: str) -> list[Figures]:
    """Return the figures of all releases of a table."""
    task.write_hierarchies(folder)
    columns = {name: Column.of(task, name) for name in task.quasi}
    original = Release.of(task, columns, task.frame)
    known = {x["name"]: Figures(**x) for x in kept_figures().get(f"{task.name} {k}", ())}
    releases = [known.get("original") or figures("original", original, [original], Cost(0, 0, 0))]
    for tool in [*allonym_tools(task, k, folder), *other_tools(task, k, folder, peers, lighthouse)]:
        if tool.name in known and KEPT in tool.output.parents:
            releases.append(known[tool.name])
            continue
        costs = spent(tool)
        table = pd.read_csv(tool.output, dtype=str, keep_default_na=False)
        if "row" in table:
            table["row"] = table["row"].astype(int)
        release = Release.of(task, columns, table)
        releases.append(figures(tool.name, original, [release], costs, loss_of(tool.output)))
        print(task.name, k, tool.name, round(np.mean(releases[-1].auc_logistic), 4), flush=True)
    if k == KS[0]:
        names = {f"synthetic: {name}": name for name in SYNTHETIC}
        releases += [known.get(x) or synthetic(name, task, columns, original) for x, name in names.items()]
    return releases


def synthetic(name: str, task: Task, columns: Mapping[str, Column], original: Release) -> Figures:
    """Return the figures of synthetic rows, drawn for each fold from its training rows, and last from all rows."""
    generator = np.random.default_rng(1)
    rows = [train for train, _ in folds(task.outcome)] + [np.arange(len(task.outcome))]
    releases = [Release.of(task, columns, SYNTHETIC[name](task, x, generator), synthetic=True) for x in rows]
    return figures(f"synthetic: {name}", original, releases, Cost(0, 0, 0))


def kept_figures() -> dict[str, list[dict[str, Any]]]:
    """Return the figures of the last run; those of other tools stay the same."""
    return dict(json.loads(KEPT_FIGURES.read_text())) if KEPT_FIGURES.exists() else {}


def main(peers: str, lighthouse: str) -> None:
    """Measure everything and write the page."""
    KEPT.mkdir(parents=True, exist_ok=True)
    figures_of_tables = {}
    for make in (adult_task, census_task):
        for k in KS:
            with tempfile.TemporaryDirectory() as name:
                task = make(Path(name))
                figures_of_tables[f"{task.name} {k}"] = [
                    asdict(x) for x in measure(task, k, Path(name), peers, lighthouse)
                ]
    KEPT_FIGURES.write_text(json.dumps(figures_of_tables, indent=1))
    utility_page.write(figures_of_tables, survey(), versions(peers, lighthouse))


def survey() -> dict[str, dict[str, Any]]:
    """Return the summaries of the bundled survey, masked in each variant."""
    data = Path(str(files("allonym") / "data"))
    plan = demonstration(data)
    summaries = {}
    with tempfile.TemporaryDirectory() as name:
        for variant in VARIANTS:
            if not variant.numbers:  # the quasi-identifiers of the survey are words
                masked = replace(plan, method=variant.method, k=KS[0], parameters=dict(variant.parameters))
                summaries[variant.name] = masked.run(data / "survey.csv", Path(name) / "masked.csv").summary
    return summaries


def versions(peers: str, lighthouse: str) -> dict[str, str]:
    """Return the versions of the other tools."""
    script = "from importlib.metadata import version; print(version({!r}))"
    packages = {"anjana": peers, "anonypy": peers, "project-lighthouse-anonymize": lighthouse}
    return {
        name: subprocess.run(
            [python, "-c", script.format(name)], check=True, capture_output=True, text=True
        ).stdout.strip()
        for name, python in packages.items()
    }


if __name__ == "__main__":
    main(*sys.argv[1:])
