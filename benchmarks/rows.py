"""Copies of Adult, up to ten million rows, beside polars reading, grouping and writing them: python benchmarks/rows.py

Whole processes, started anew, one after the other on the same files. Writes its part of docs/benchmarks.md.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import adult
import masking
import pages
from places import ROOT
from processes import cost, exponent

PAGE = ROOT / "docs" / "benchmarks.md"
COPIES = {1: 5, 10: 3, 100: 2, 332: 2}  # how many copies of Adult: how many runs of each


def table() -> str:
    """Measure, and lay out the figures."""
    lines = [
        "| rows | allonym: s | CPU s | peak MB | polars: s | CPU s | peak MB | ratio of s | of CPU s |",
        "|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    program = str(Path(sys.executable).parent / "allonym")
    sizes, ours, theirs = [], [], []
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as folder:
        data, output = Path(folder) / "adult.csv", Path(folder) / "out.csv"
        for copies, runs in COPIES.items():
            rows = adult.write(data, copies)
            bare = cost(sys.executable, "-c", masking.POLARS, str(data), str(output), runs=runs)
            output.unlink()
            full = cost(program, *masking.options(data, output), runs=runs)
            output.unlink()
            assert full is not None
            assert bare is not None
            shown = (f"{x.clock:.1f} | {x.seconds:.1f} | {x.megabytes:,.0f}" for x in (full, bare))
            ratios = f"{full.clock / bare.clock:.2f} | {full.seconds / bare.seconds:.2f}"
            lines.append(f"| {rows:,} | {' | '.join(shown)} | {ratios} |")
            sizes.append(rows)
            ours.append(full.seconds)
            theirs.append(bare.seconds)
    grown = exponent(sizes[1:], ours[1:]), exponent(sizes[1:], theirs[1:])
    told = "CPU seconds grow with the rows (from the second size on, as n to the power of)"
    return "\n".join(lines) + f"\n\n{told} {grown[0]:.2f}; polars' by {grown[1]:.2f}.\n"


if __name__ == "__main__":
    (ROOT / "build").mkdir(exist_ok=True)
    pages.write(PAGE, "rows", table())
