"""Cost of masking up to ten million rows (copies of Adult), beside polars: python benchmarks/many_rows.py

Whole processes, started anew, one after the other on the same files. Writes its part of docs/benchmarks.md.
"""

from __future__ import annotations

import cProfile
import pstats
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import adult
import mask_adult
import pages
from paths import ROOT
from processes import cost, exponent

PAGE = ROOT / "docs" / "benchmarks.md"
PROFILED = 100  # copies of which the stages are told
COPIES = {1: 5, 10: 3, 100: 2, 332: 2}  # how many copies of Adult: how many runs of each


STAGES = {  # what a run does, and the functions that do it
    "reading, linking, counting distinct tuples": (("files.py", "read_bytes"), ("prepare.py", "prepare")),
    "masking the tuples": (("base.py", "mask"),),
    "writing": (("files.py", "save"),),
    "reading what was written": (("reread.py", "read_text"),),
    "recounting": (("release.py", "recount"),),
    "hashes of what was read and written": (("run.py", "sha256_of"),),
}


def stages(data: Path, output: Path) -> str:
    """Lay out where the time goes."""
    profile = cProfile.Profile()
    profile.runcall(replace(adult.plan(), k=5 * PROFILED).run, data, output)
    found = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    spent = {(Path(file).name, name): figures[3] for (file, _, name), figures in found.items() if "allonym" in file}
    whole = spent["run.py", "run"]
    shares = {stage: sum(spent[x] for x in functions) / whole for stage, functions in STAGES.items()}
    shares["the rest, waiting for the disk most of all"] = 1 - sum(shares.values())
    lines = [f"| {stage} | {100 * share:.0f} % |" for stage, share in shares.items()]
    return "\n".join(["| of the time | |", "|---|---:|", *lines]) + "\n"


def table() -> str:
    """Measure, and lay out the figures."""
    lines = [
        "| rows | allonym: s | CPU s | peak MB | polars: s | CPU s | peak MB | ratio of s | of CPU s |",
        "|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    program = str(Path(sys.executable).parent / "allonym")
    sizes, ours, theirs, told = [], [], [], ""
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as folder:
        data, output = Path(folder) / "adult.csv", Path(folder) / "out.csv"
        for copies, runs in COPIES.items():
            rows = adult.write(data, copies)
            bare = cost(sys.executable, "-c", mask_adult.POLARS, str(data), str(output), runs=runs)
            output.unlink()
            full = cost(program, *mask_adult.options(data, output, copies), runs=runs)
            output.unlink()
            assert full is not None
            assert bare is not None
            if copies == PROFILED:
                told = f"Where the time goes, {rows:,} rows:\n\n{stages(data, output)}"
            shown = (f"{x.clock:.1f} | {x.seconds:.1f} | {x.megabytes:,.0f}" for x in (full, bare))
            ratios = f"{full.clock / bare.clock:.2f} | {full.seconds / bare.seconds:.2f}"
            lines.append(f"| {rows:,} | {' | '.join(shown)} | {ratios} |")
            sizes.append(rows)
            ours.append(full.seconds)
            theirs.append(bare.seconds)
    grown = exponent(sizes[1:], ours[1:]), exponent(sizes[1:], theirs[1:])
    grows = f"From the second size on, CPU seconds grow as n to the power of {grown[0]:.2f}; polars' of {grown[1]:.2f}."
    return "\n".join(lines) + f"\n\n{grows}\n\n{told}"


if __name__ == "__main__":
    (ROOT / "build").mkdir(exist_ok=True)
    pages.write(PAGE, "rows", table())
