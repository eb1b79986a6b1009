"""Cost of masking up to ten million rows (copies of Adult), compared with polars: python benchmarks/many_rows.py

Every figure is of a whole process; allonym and polars run one after the other on the same files. Writes a block of
docs/benchmarks.md.
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
PROFILED = 100  # copies for which the share of each stage is measured
COPIES = {1: 5, 10: 3, 100: 2, 332: 2}  # number of copies: number of runs


STAGES = {  # stage of a run: the functions that do the work
    "reading, linking, counting distinct tuples": (("files.py", "open_table"), ("prepare.py", "prepare")),
    "masking the tuples": (("base.py", "mask"),),
    "writing": (("memory.py", "save"),),
    "rereading the release": (("memory.py", "reread"),),
    "recounting": (("recount.py", "recount"),),
}


def stages(data: Path, output: Path) -> str:
    """Return the share of each stage in the run time."""
    profile = cProfile.Profile()
    profile.runcall(replace(adult.plan(), k=5 * PROFILED).run, data, output)
    statistics = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    spent = {
        (Path(file).name, name): figures[3] for (file, _, name), figures in statistics.items() if "allonym" in file
    }
    whole = spent["run.py", "run"]
    shares = {stage: sum(spent[x] for x in functions) / whole for stage, functions in STAGES.items()}
    shares["other, mostly disk access"] = 1 - sum(shares.values())
    lines = [f"| {stage} | {100 * share:.0f} % |" for stage, share in shares.items()]
    return "\n".join(["| stage | share |", "|---|---:|", *lines]) + "\n"


def table() -> str:
    """Measure and return the tables."""
    lines = [
        "| rows | allonym: s | CPU s | peak MB | polars: s | CPU s | peak MB | ratio, s | ratio, CPU s |",
        "|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    program = str(Path(sys.executable).parent / "allonym")
    sizes, ours, theirs, stage_table = [], [], [], ""
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
                stage_table = f"Run time by stage, {rows:,} rows:\n\n{stages(data, output)}"
            shown = (f"{x.clock:.1f} | {x.seconds:.1f} | {x.megabytes:,.0f}" for x in (full, bare))
            ratios = f"{full.clock / bare.clock:.2f} | {full.seconds / bare.seconds:.2f}"
            lines.append(f"| {rows:,} | {' | '.join(shown)} | {ratios} |")
            sizes.append(rows)
            ours.append(full.seconds)
            theirs.append(bare.seconds)
    grown = exponent(sizes[1:], ours[1:]), exponent(sizes[1:], theirs[1:])
    grows = f"From the second size on, CPU seconds grow with n to the power of {grown[0]:.2f} (polars: {grown[1]:.2f})."
    return "\n".join(lines) + f"\n\n{grows}\n\n{stage_table}"


if __name__ == "__main__":
    (ROOT / "build").mkdir(exist_ok=True)
    pages.write(PAGE, "rows", table())
