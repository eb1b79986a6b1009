"""The attackers of allonym and of anonymeter on the same releases of Adult: python benchmarks/anonymeter.py PYTHON

PYTHON is the interpreter of an environment with anonymeter (benchmarks/anonymeter.lock). Writes a block of
docs/measures/risk.md.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import adult
import pages
import pandas as pd
from paths import ROOT

import allonym as al

PAGE = ROOT / "docs" / "measures" / "risk.md"
RELEASED, CONTROL = 4_000, 1_000  # records, drawn by a fixed seed
QUASI, SECRET = ("occupation", "native-country", "age"), "income"
SETTINGS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("sa-mdav", {"k": 5}),
    ("sa-mdav", {"k": 50}),
    ("mdav", {"k": 5}),
    ("noise", {"alpha": 0.1}),
    ("noise", {"alpha": 0.5}),
    ("randomise-frequency", {}),
)
Rates = dict[str, dict[str, float]]


def plan_of(method: str, parameters: dict[str, Any]) -> al.Plan:
    """Return a plan for the quasi-identifiers; income is sensitive."""
    columns = {name: al.quasi("wordnet", links=str(links)) for name, links in adult.LINKS.items()}
    columns |= {"age": al.quasi("numeric"), SECRET: al.sensitive("category")}
    others = {name: value for name, value in parameters.items() if name != "k"}
    return al.Plan(columns, method=method, k=parameters.get("k"), parameters=others, seed=1)


def write_parts(folder: Path) -> None:
    """Write the records that are released, and others that are not."""
    adult.write(folder / "adult.csv")
    people = pd.read_csv(folder / "adult.csv")[[*QUASI, SECRET]].sample(RELEASED + CONTROL, random_state=1)
    people[:RELEASED].to_csv(folder / "original.csv", index=False)
    people[RELEASED:].to_csv(folder / "control.csv", index=False)


def peer(python: str, folder: Path, release: str) -> Rates:
    """Return the figures of anonymeter."""
    files = [str(folder / name) for name in ("original.csv", release, "control.csv")]
    command = [python, "-P", str(ROOT / "benchmarks" / "peer_anonymeter.py"), *files]
    rates: Rates = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return rates


def line(label: str, risk: dict[str, Any] | None, rates: Rates) -> str:
    """Return a line of the table."""
    shown = ["", "", ""]
    if risk is not None:
        highest, inference = risk["highest"], risk["inference"][SECRET]
        shown = [f"{highest['value']:.1f} ({highest['attacker']})", f"{risk['attackers']['meaning']:.1f}"]
        shown += [f"{inference['value']:.1f}"]
    theirs = [f"{x['attack']:.1f} / {x['control']:.1f} / {x['risk']:.1f}" for x in rates.values()]
    return f"| {' | '.join([label, *shown, *theirs])} |"


def table(python: str) -> str:
    """Measure and return the table."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.strip()
    version = subprocess.run(
        [python, "-c", "from importlib.metadata import version; print(version('anonymeter'))"],
        check=True, capture_output=True, text=True,
    ).stdout.strip()  # fmt: skip
    lines = [
        f"{RELEASED:,} records of Adult, {CONTROL:,} others as control; quasi-identifiers {', '.join(QUASI)}; {SECRET} "
        f"is sensitive. `python benchmarks/anonymeter.py PYTHON` with anonymeter {version}, "
        f"{time.strftime('%Y-%m-%d')}, commit {commit}. All figures in %.\n",
        "| release | highest linkage | by meaning | income inferred | singling out | linkability | inference |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_parts(folder)
        lines.append(line("original", None, peer(python, folder, "original.csv")))
        for method, parameters in SETTINGS:
            made = plan_of(method, parameters).run(folder / "original.csv", folder / "release.csv")
            label = ", ".join([method, *(f"{x} = {y}" for x, y in parameters.items())])
            lines.append(line(label, made.summary["risk"], peer(python, folder, "release.csv")))
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    pages.write(PAGE, "anonymeter", table(sys.argv[1]))
