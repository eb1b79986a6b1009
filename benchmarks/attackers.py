"""The time of the attackers on Adult, compared with masking: python benchmarks/attackers.py

Writes a block of docs/measures/risk.md.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import adult
import pages
from paths import ROOT
from processes import commit

import allonym as al

PAGE = ROOT / "docs" / "measures" / "risk.md"
WORDS = {name: al.quasi("wordnet", links=str(links)) for name, links in adult.LINKS.items()}
NUMBERS = {name: al.quasi("numeric") for name in ("age", "education-num", "hours-per-week")}
CATEGORIES = {name: al.quasi("category") for name in ("workclass", "education", "marital-status", "race", "sex")}
EDUCATION = ("education", "education-num")
RUNS: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("sa-mdav", WORDS),
    ("noise", WORDS),
    ("randomise-frequency", WORDS),
    ("noise", WORDS | NUMBERS),
    ("sa-mdav", WORDS | {"age": NUMBERS["age"]} | CATEGORIES),
)


def measure(method: str, quasi: Mapping[str, Any], folder: Path) -> str:
    """Mask Adult by a method, and return a line of the table."""
    others = {
        name: al.keep(confirmed=True) for name in EDUCATION if name not in quasi
    }  # one column gives the other away
    plan = al.Plan({**quasi, **others, "income": al.sensitive("category")}, method=method, keep_rest=True, seed=1)
    summary = plan.run(folder / "adult.csv", folder / "masked.csv").summary
    risk, intervals, seconds = summary["risk"], summary["risk"]["intervals"], summary["seconds_by_phase"]
    shown = ", ".join(
        f"{name} {value:.2f}"
        + (f" ({intervals[name][0]:.1f} to {intervals[name][1]:.1f})" if name in intervals else "")
        for name, value in risk["attackers"].items()
    )
    figures = (
        method,
        f"{len(quasi)}",
        f"{summary['tuples']['before']:,}",
        f"{summary['tuples']['after']:,}",
        f"{seconds['group'] + seconds['refine']:.2f}",
        f"{seconds['risk']:.2f}",
    )
    return f"| {' | '.join([*figures, shown])} |"


def table() -> str:
    """Measure and return the table."""
    lines = [
        f"`python benchmarks/attackers.py`, {time.strftime('%Y-%m-%d')}, commit {commit()}; elapsed seconds.\n",
        "| method | columns | tuples before | after | masking (s) | risk (s) | linkage (%) |",
        "|---|---:|---:|---:|---:|---:|---|",
    ]
    with tempfile.TemporaryDirectory() as folder:
        rows = adult.write(Path(folder) / "adult.csv")
        lines += [measure(method, quasi, Path(folder)) for method, quasi in RUNS]
    return f"Adult, {rows:,} complete records. " + "\n".join(lines) + "\n"


if __name__ == "__main__":
    pages.write(PAGE, "attackers", table())
