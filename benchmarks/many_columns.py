"""Cost and loss of masking many columns, with and without refinement: python benchmarks/many_columns.py

Every figure is of whole processes of `allonym mask` with several seeds: CPU seconds (user and system, all cores; of
each seed, the minimum of some runs), peak memory, and information loss L as the command reports it. The seed with the
largest figure counts. Writes a block of docs/benchmarks.md.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import adult
import census
import pages
from paths import ROOT
from processes import commit, cost, machine

import allonym as al

PAGE = ROOT / "docs" / "benchmarks.md"
REPRESENTATIVES = ("auto", "centroid")  # auto is the default


class Limits(NamedTuple):
    """What a run may cost and lose at most."""

    seconds: float  # CPU
    megabytes: float | None = None
    loss: float | None = None  # L with represent = centroid


class Case(NamedTuple):
    """A table, its plan, how many seeds it is masked with and how often, and the limits without and with refinement."""

    name: str
    write: Callable[[Path], object]
    plan: al.Plan
    seeds: int
    runs: int
    limits: tuple[Limits, Limits]


CASES = (
    Case("Adult, 8 columns", adult.write, adult.plan_of_eight(), 4, 3, (Limits(1.3), Limits(3.0, None, 1.10))),
    Case(
        "census_income_kdd, 13 columns",
        census.write,
        census.plan(13, words=True),
        3,
        1,
        (Limits(10.0), Limits(60.0, 2048.0)),
    ),
)


class Figures(NamedTuple):
    """What masking a table costs and loses."""

    seconds: float
    megabytes: float
    loss: float
    tuples: int


def measure(case: Case, representative: str, *, refine: bool, folder: Path) -> Figures:
    """Mask the table of a case with several seeds."""
    program, summary = str(Path(sys.executable).parent / "allonym"), folder / "summary.json"
    files = [str(folder / "table.csv"), "-o", str(folder / "masked.csv"), "--plan", str(folder / "plan.toml")]
    options = ["--represent", representative, "--refine" if refine else "--no-refine", "--summary", str(summary)]
    found = []
    for seed in range(1, case.seeds + 1):
        spent = cost(program, "mask", *files, *options, "--seed", str(seed), runs=case.runs)
        assert spent is not None
        release = json.loads(summary.read_text())
        loss = release["measures"]["information_loss"]["value"]
        found.append(Figures(spent.seconds, spent.megabytes, loss, release["tuples"]["before"]))
    seconds, megabytes, losses, tuples = zip(*found, strict=True)
    return Figures(max(seconds), max(megabytes), max(losses), tuples[0])


def line(case: Case, representative: str, *, refine: bool, folder: Path) -> str:
    """Return the row of a table that is masked in one way."""
    figures, limits = measure(case, representative, refine=refine, folder=folder), case.limits[refine]
    loss = f"{figures.loss:.3f}"
    if representative == "centroid" and limits.loss is not None:
        loss += f" (limit {limits.loss:.2f})"
    memory = f"{figures.megabytes:,.0f}" + ("" if limits.megabytes is None else f" (limit {limits.megabytes:,.0f})")
    cells = (
        case.name,
        f"{figures.tuples:,}",
        representative,
        "yes" if refine else "no",
        f"{figures.seconds:.2f} (limit {limits.seconds:g})",
        memory,
        loss,
    )
    return f"| {' | '.join(cells)} |"


def table() -> str:
    """Measure and return the table."""
    caption = f"`python benchmarks/many_columns.py` on {machine('allonym', 'numpy')}, commit {commit()}.\n"
    lines = [
        caption,
        "| table | tuples | represent | refined | CPU s | peak MB | L, % |",
        "|---|---:|---|---|---:|---:|---:|",
    ]
    for case in CASES:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            case.write(folder / "table.csv")
            case.plan.save(folder / "plan.toml")
            for representative in REPRESENTATIVES:
                for refine in (False, True):
                    lines.append(line(case, representative, refine=refine, folder=folder))
                    print(lines[-1], flush=True)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    pages.write(PAGE, "many-columns", table())
