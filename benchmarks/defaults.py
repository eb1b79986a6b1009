"""What the default settings write: python benchmarks/defaults.py

Masks the bundled survey, Adult, census_income_kdd and real columns of words with k = 5 and default settings, and counts
for every column how far a cell is from what it was. Writes a block of docs/utility.md.
"""

from __future__ import annotations

import csv
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pages
from paths import DATA, ROOT

import allonym as al
from allonym.pipeline.demo import demonstrate
from utility_tables import Task, adult_task, census_task

PAGE = ROOT / "docs" / "utility.md"
WORDS = DATA / "words" / "columns"
K = 5


def masked(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the name of each table and the summary of its release."""
    yield "survey", demonstrate(folder).summary
    for make in (adult_task, census_task):
        task = make(folder)
        yield task.name, summary_of(task, folder)
    for path in sorted(WORDS.glob("*.csv")):
        write_column(path, folder / "column.csv")
        plan = al.Plan({"value": al.quasi("wordnet", unmatched="opaque", accept="review")}, k=K, seed=1)
        summary = plan.run(folder / "column.csv", folder / "masked.csv").summary
        changes = summary["changes"]
        yield "words", {"changes": {"by_column": {path.stem: changes["by_column"]["value"]}}}


def summary_of(task: Task, folder: Path) -> dict[str, Any]:
    """Mask a table with default settings."""
    return task.plan(K, "sa-mdav", {}, {}).run(task.file, folder / "masked.csv").summary


def write_column(path: Path, output: Path) -> None:
    """Write a column that is stored as values with counts, one row for each cell."""
    with path.open(encoding="utf-8") as file:
        rows = [x["value"] for x in csv.DictReader(file) for _ in range(int(x["cells"]))]
    with output.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["value"], *([x] for x in rows)])


def line(table: str, column: str, changes: dict[str, Any]) -> str:
    """Return the row of a column."""
    cells = changes["cells"]
    shares = [f"{100 * changes[x] / cells:.1f}" for x in ("false", "set_to_null", "generalised", "spelling_only")]
    return f"| {table} | {column} | {cells:,} | {changes['farthest']:.2f} | {' | '.join(shares)} |"


def block() -> str:
    """Measure and return the table."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.strip()
    lines = [
        f"`python benchmarks/defaults.py`, {time.strftime('%Y-%m-%d')}, commit {commit}; shares in % of the cells.\n",
        "| table | column | cells | farthest | false | null | generalised | respelled |",
        "|---|---|" + "---:|" * 6,
    ]
    with tempfile.TemporaryDirectory() as folder:
        for table, summary in masked(Path(folder)):
            lines += [line(table, x, y) for x, y in summary["changes"]["by_column"].items()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    pages.write(PAGE, "defaults", block())
