"""Cost of masking Adult, compared with its imports and with polars: python benchmarks/mask_adult.py

Every figure is of a whole process: CPU seconds (user and system, all cores), the minimum of several runs, and peak
memory. Writes a block of docs/benchmarks.md.
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
LIST_IMPORTS = """
import sys
from allonym.cli.app import app
try:
    app(sys.argv[1:])
except SystemExit:
    pass
ours = {*sys.stdlib_module_names, "allonym"}
print("import " + ", ".join(m for m in sys.modules if m.split(".")[0] not in ours and not m.startswith("_")))
"""
MASKING_STEP = """
import numpy.ma, sys, time  # the first call of np.unique imports numpy.ma
sys.path.insert(0, sys.argv[1])
import adult
from allonym.pipeline.prepare import prepare
from allonym.tables.files import open_table
plan = adult.plan()
records = prepare(plan, open_table(sys.argv[2])).records
began = time.process_time()
plan.method.mask(records)
print(time.process_time() - began)
"""


def options(data: Path, output: Path, copies: int = 1) -> list[str]:
    """Return the arguments that mask occupation and native-country; k is 5 per copy, so the groups stay the same."""
    roles = [x for name in adult.LINKS for x in ("--quasi", f"{name}=wordnet")]
    links = [f"--links={name}={path}" for name, path in adult.LINKS.items()]
    return ["mask", str(data), "-o", str(output), *roles, "--keep-rest", "--k", str(5 * copies), *links]


def last_line(script: str, *arguments: str) -> str:
    """Return the last line that a script prints."""
    done = subprocess.run([sys.executable, "-c", script, *arguments], check=True, capture_output=True, text=True)
    return done.stdout.splitlines()[-1]


def table() -> str:
    """Measure and return the table."""
    allonym = str(Path(sys.executable).parent / "allonym")
    lines = ["| process | CPU s | peak MB |", "|---|---:|---:|"]
    notes = []

    def line(label: str, *command: str) -> float:
        spent = cost(*command, runs=RUNS)
        assert spent is not None
        lines.append(f"| {label} | {spent.seconds:.2f} | {spent.megabytes:.0f} |")
        return spent.seconds

    with tempfile.TemporaryDirectory() as folder:
        data, output = Path(folder) / "adult.csv", Path(folder) / "out.csv"
        whole = []
        for copies in (1, 10):
            size = f"{adult.write(data, copies):,} rows × 15 columns"
            whole.append(line(f"`allonym mask`, sa-mdav, {size}", allonym, *options(data, output, copies)))
            if copies == 1:
                imports = last_line(LIST_IMPORTS, *options(data, output))
                bare = line("the imports of that command alone", sys.executable, "-c", imports)
                step = min(float(last_line(MASKING_STEP, str(ROOT / "benchmarks"), str(data))) for _ in range(RUNS))
                notes.append(f"The masking step itself (394 tuples) takes {step:.3f} s of CPU; the whole process takes")
                notes.append(f"{whole[0] - bare:.2f} s more than its imports.")
            line(f"polars: read, group, write, {size}", sys.executable, "-c", POLARS, str(data), str(output))
    notes.append(f"Ten copies take {whole[1] / whole[0]:.1f} times the CPU time of one.")
    return "\n".join(lines) + "\n\n" + "\n".join(notes) + "\n"


if __name__ == "__main__":
    pages.write(PAGE, "masking", table())
