"""CPU time of starting allonym, beside the imports it is made of.

Writes the "startup" block of docs/benchmarks.md: `python benchmarks/startup.py`.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from statistics import median

import pages
from paths import ROOT
from processes import cost, machine

PAGE = ROOT / "docs" / "benchmarks.md"
RUNS = 10
ROWS = 24
IMPORTS = ("click", "rich.table", "numpy", "pyarrow", "scipy.sparse")


def seconds(*arguments: str) -> float:
    """Return the median CPU time of a Python process."""
    costs = [cost(sys.executable, *arguments, runs=1) for _ in range(RUNS)]
    return median(x.seconds for x in costs if x is not None)


def small_table(path: Path) -> None:
    """Write a table with one column of words."""
    rows = [f"p{i},{('nurse', 'cook', 'baker')[i % 3]},{20 + i % 4}\n" for i in range(ROWS)]
    path.write_text("name,job,age\n" + "".join(rows))


def table() -> str:
    """Measure, and lay out the figures."""
    with tempfile.TemporaryDirectory() as folder:
        data, output = Path(folder) / "people.csv", Path(folder) / "masked.csv"
        small_table(data)
        mask = ["mask", str(data), "-o", str(output), "--quasi", "job=wordnet:person", "--keep-rest", "--k", "3"]
        processes = {
            "`python -c pass`": ["-c", "pass"],
            **{f"`python -c 'import {name}'`": ["-c", f"import {name}"] for name in IMPORTS},
            "`allonym --help`": ["-m", "allonym", "--help"],
            "`allonym mask --help`": ["-m", "allonym", "mask", "--help"],
            f"`allonym mask`, {ROWS} rows, one column linked to WordNet": ["-m", "allonym", *mask],
        }
        lines = [f"| {label} | {seconds(*arguments):.2f} |" for label, arguments in processes.items()]
    caption = f"Median of {RUNS} runs on {machine('numpy', 'pyarrow', 'scipy', 'click', 'rich')}."
    return "\n".join(["| process | CPU s |", "|---|---:|", *lines, "", caption]) + "\n"


if __name__ == "__main__":
    pages.write(PAGE, "startup", table())
