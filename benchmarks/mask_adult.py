"""Masking Adult, one copy and ten, beside importing its packages and beside polars: python benchmarks/mask_adult.py

Every figure is of a whole process, started anew: CPU seconds of user and system on all cores, the best of several runs,
and peak memory. Writes its part of docs/benchmarks.md.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import adult
import pages
from paths import ROOT
from processes import cost

PAGE = ROOT / "docs" / "benchmarks.md"
RUNS = 7
POLARS = """
import polars as pl, sys
table = pl.read_csv(sys.argv[1], infer_schema=False)
table.group_by("occupation", "native-country").len()
table.write_csv(sys.argv[2])
"""
LIGHT = "import typer.main, typer.rich_utils, rich.console"
LOADED = """
import sys
from allonym.cli.app import app
try:
    app(sys.argv[1:])
except SystemExit:
    pass
ours = {*sys.stdlib_module_names, "allonym"}
print("import " + ", ".join(m for m in sys.modules if m.split(".")[0] not in ours and not m.startswith("_")))
"""
STEP = """
import numpy.ma, sys, time  # np.unique loads numpy.ma when it is first called
sys.path.insert(0, sys.argv[1])
import adult
from allonym.plan.prepare import prepare
from allonym.tables.files import open_table
plan = adult.plan()
records = prepare(plan, open_table(sys.argv[2])).records
began = time.process_time()
plan.method.mask(records)
print(time.process_time() - began)
"""


def options(data: Path, output: Path, copies: int = 1) -> list[str]:
    """Return what masks occupation and native-country with k = 5 for each copy, so that groups are those of one."""
    roles = [x for name in adult.LINKS for x in ("--quasi", f"{name}=wordnet")]
    links = [f"--links={name}={path}" for name, path in adult.LINKS.items()]
    return ["mask", str(data), "-o", str(output), *roles, "--keep-rest", "--k", str(5 * copies), *links]


def printed(script: str, *arguments: str) -> str:
    """Return the last line a script prints."""
    done = subprocess.run([sys.executable, "-c", script, *arguments], check=True, capture_output=True, text=True)
    return done.stdout.splitlines()[-1]


def table() -> str:
    """Measure, and lay out the figures."""
    allonym = str(Path(sys.executable).parent / "allonym")
    lines = ["| what | CPU s | peak MB |", "|---|---:|---:|"]
    told = []

    def line(what: str, *command: str) -> float:
        found = cost(*command, runs=RUNS)
        assert found is not None
        lines.append(f"| {what} | {found.seconds:.2f} | {found.megabytes:.0f} |")
        return found.seconds

    with tempfile.TemporaryDirectory() as folder:
        data, output = Path(folder) / "adult.csv", Path(folder) / "out.csv"
        whole = []
        for copies in (1, 10):
            size = f"{adult.write(data, copies):,} rows × 15 columns"
            whole.append(line(f"`allonym mask`, sa-mdav, {size}", allonym, *options(data, output, copies)))
            if copies == 1:
                imports = printed(LOADED, *options(data, output))
                bare = line("importing the packages it loads, alone", sys.executable, "-c", imports)
                step = min(float(printed(STEP, str(ROOT / "benchmarks"), str(data))) for _ in range(RUNS))
                told.append(f"The masking step itself (394 tuples) takes {step:.3f} s of CPU; the process takes")
                told.append(f"{whole[0] - bare:.2f} s above importing the packages it loads.")
            line(f"polars: read, group, write, {size}", sys.executable, "-c", POLARS, str(data), str(output))
    told.append(f"Ten copies take {whole[1] / whole[0]:.1f} times the CPU of one.")
    line("`allonym --help`", allonym, "--help")
    line("importing typer and rich alone", sys.executable, "-c", LIGHT)
    return "\n".join(lines) + "\n\n" + "\n".join(told) + "\n"


if __name__ == "__main__":
    pages.write(PAGE, "masking", table())
