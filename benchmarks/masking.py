"""Masking Adult, one copy and ten, beside what polars takes to read, group and write it: python benchmarks/masking.py

Every figure is of a whole process, started anew: CPU seconds of user and system on all cores, the best of several runs,
and peak memory. Writes its part of docs/benchmarks.md.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import pages
from places import DATA, ROOT

PAGE = ROOT / "docs" / "benchmarks.md"
ADULT = DATA / "adult" / "adult.data"
RUNS = 5
NAMES = (
    "age,workclass,fnlwgt,education,education-num,marital-status,occupation,relationship,race,sex,capital-gain,"
    "capital-loss,hours-per-week,native-country,income"
)
POLARS = """
import polars as pl, sys
table = pl.read_csv(sys.argv[1], infer_schema=False)
table.group_by("occupation", "native-country").len()
table.write_csv(sys.argv[2])
"""
LIGHT = "import typer.main, typer.rich_utils, rich.console"


class Cost(NamedTuple):
    """What a process took."""

    seconds: float
    megabytes: float


def cost(*command: str) -> Cost:
    """Return the least CPU seconds of a command over some runs, and its peak memory."""
    child = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); "
        "used = resource.getrusage(resource.RUSAGE_CHILDREN); print(used.ru_utime + used.ru_stime, used.ru_maxrss)"
    )
    found = []
    for _ in range(RUNS):
        done = subprocess.run([sys.executable, "-c", child, *command], check=True, capture_output=True, text=True)
        seconds, kilobytes = done.stdout.split()
        found.append(Cost(float(seconds), float(kilobytes) / 1024))
    return Cost(min(c.seconds for c in found), max(c.megabytes for c in found))


def mask(data: Path, output: Path) -> list[str]:
    """Return the command that masks occupation and native-country with k = 5."""
    links = [f"--links={c}={DATA / 'adult' / f}" for c, f in (
        ("occupation", "links_occupation_p1.csv"), ("native-country", "links_native-country.csv"))]  # fmt: skip
    roles = ["--quasi", "occupation=wordnet", "--quasi", "native-country=wordnet", "--keep-rest", "--k", "5"]
    return [str(Path(sys.executable).parent / "allonym"), "mask", str(data), "-o", str(output), *roles, *links]


def table() -> str:
    """Measure, and lay out the figures."""
    rows = [line for line in ADULT.read_text().splitlines() if line and "?" not in line]
    lines = ["| what | CPU s | peak MB |", "|---|---:|---:|"]
    with tempfile.TemporaryDirectory() as folder:
        data, output = Path(folder) / "adult.csv", Path(folder) / "out.csv"
        seconds = []
        for copies in (1, 10):
            data.write_text("\n".join([NAMES, *rows * copies]) + "\n")
            size = f"{len(rows) * copies:,} rows × 15 columns"
            ours, theirs = cost(*mask(data, output)), cost(sys.executable, "-c", POLARS, str(data), str(output))
            seconds.append(ours.seconds)
            lines.append(f"| `allonym mask`, method mode, {size} | {ours.seconds:.2f} | {ours.megabytes:.0f} |")
            lines.append(f"| polars: read, group, write, {size} | {theirs.seconds:.2f} | {theirs.megabytes:.0f} |")
    for what, command in (
        ("`allonym --help`", [str(Path(sys.executable).parent / "allonym"), "--help"]),
        ("importing typer and rich alone", [sys.executable, "-c", LIGHT]),
    ):
        found = cost(*command)
        lines.append(f"| {what} | {found.seconds:.2f} | {found.megabytes:.0f} |")
    ratio = f"\nTen copies take {seconds[1] / seconds[0]:.1f} times the CPU of one.\n"
    return "\n".join(lines) + "\n" + ratio


if __name__ == "__main__":
    pages.write(PAGE, "masking", table())
