"""Privacy models by allonym and pycanon, on a release of Adult: python benchmarks/pycanon_comparison.py PYTHON

PYTHON is the interpreter of an environment with pycanon. Writes a block of docs/benchmarks.md.
"""

from __future__ import annotations

import itertools
import json
import math
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import adult
import pages
from paths import ROOT

import allonym as al

PAGE = ROOT / "docs" / "benchmarks.md"
SENSITIVE = {"income": al.sensitive("category"), "hours-per-week": al.sensitive("numeric")}
KS = (5, 100)
MODELS = {"distinct l": "distinct l-diversity", "entropy l": "entropy l-diversity", "t": "t-closeness"}


def ours(original: Path, masked: Path, column: str) -> dict[str, Any]:
    """Return the figures of allonym; the CPU seconds include reading and all other measures."""
    plan = al.Plan({**adult.plan().columns, column: SENSITIVE[column]}, keep_rest=True)
    began = time.process_time()
    reached = {x["model"]: x["reached"] for x in plan.evaluate(original, masked).privacy}
    seconds = time.process_time() - began
    return {"k": reached["k-anonymity"], **{short: reached[long] for short, long in MODELS.items()}, "seconds": seconds}


def theirs(python: str, masked: Path, column: str) -> dict[str, Any]:
    """Return the figures of pycanon; the CPU seconds are of these figures alone."""
    script = str(ROOT / "benchmarks" / "peer_pycanon.py")
    command = [python, script, str(masked), "occupation,native-country", column]
    figures: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return figures


def table(python: str) -> str:
    """Measure and return the table."""
    lines = ["| sensitive column | | allonym | pycanon |", "|---|---|---:|---:|"]
    with tempfile.TemporaryDirectory() as folder:
        original, masked = Path(folder) / "adult.csv", Path(folder) / "masked.csv"
        rows = adult.write(original)
        for k, column in itertools.product(KS, SENSITIVE):
            replace(adult.plan(), k=k, row_order="keep").run(original, masked)
            own, peer = ours(original, masked, column), theirs(python, masked, column)
            shown = f"{column}, k = {k}"
            for name in own:
                digits = ".4f" if name in ("t", "entropy l") else ".2f" if name == "seconds" else "d"
                peer_digits = "d" if name == "entropy l" else digits
                label = "CPU s" if name == "seconds" else name
                lines.append(f"| {shown} | {label} | {own[name]:{digits}} | {peer[name]:{peer_digits}} |")
                shown = ""
            same = own["k"] == peer["k"] and own["distinct l"] == peer["distinct l"]
            same &= int(own["entropy l"] + 1e-9) == peer["entropy l"] and math.isclose(own["t"], peer["t"])
            assert same, "allonym and pycanon disagree"
    caption = (
        f"\nA release of Adult ({rows:,} rows, occupation × native-country). "
        "The two tools agree on every figure (pycanon\n"
        "rounds entropy l down). The seconds of allonym include all its measures.\n"
    )
    return "\n".join(lines) + "\n" + caption


if __name__ == "__main__":
    pages.write(PAGE, "privacy", table(sys.argv[1]))
