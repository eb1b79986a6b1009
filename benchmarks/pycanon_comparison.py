"""Privacy models beside pycanon, on a release of Adult: python benchmarks/pycanon_comparison.py PYTHON

PYTHON is that of an environment with pycanon. Writes its part of docs/benchmarks.md.
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
    """Return what allonym says; CPU seconds are of everything it measures, reading included."""
    plan = al.Plan({**adult.plan().columns, column: SENSITIVE[column]}, keep_rest=True)
    began = time.process_time()
    told = {x["model"]: x["reached"] for x in plan.evaluate(original, masked).privacy}
    seconds = time.process_time() - began
    return {"k": told["k-anonymity"], **{short: told[long] for short, long in MODELS.items()}, "seconds": seconds}


def theirs(python: str, masked: Path, column: str) -> dict[str, Any]:
    """Return what pycanon says; CPU seconds are of these figures alone."""
    script = str(ROOT / "benchmarks" / "peer_pycanon.py")
    command = [python, script, str(masked), "occupation,native-country", column]
    found: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return found


def table(python: str) -> str:
    """Measure, and lay out the figures."""
    lines = ["| sensitive column | | allonym | pycanon |", "|---|---|---:|---:|"]
    with tempfile.TemporaryDirectory() as folder:
        original, masked = Path(folder) / "adult.csv", Path(folder) / "masked.csv"
        rows = adult.write(original)
        for k, column in itertools.product(KS, SENSITIVE):
            replace(adult.plan(), k=k).run(original, masked)
            one, other = ours(original, masked, column), theirs(python, masked, column)
            shown = f"{column}, k = {k}"
            for name in one:
                digits = ".4f" if name in ("t", "entropy l") else ".2f" if name == "seconds" else "d"
                their = "d" if name == "entropy l" else digits
                what = "CPU s" if name == "seconds" else name
                lines.append(f"| {shown} | {what} | {one[name]:{digits}} | {other[name]:{their}} |")
                shown = ""
            same = one["k"] == other["k"] and one["distinct l"] == other["distinct l"]
            same &= int(one["entropy l"] + 1e-9) == other["entropy l"] and math.isclose(one["t"], other["t"])
            assert same, "allonym and pycanon disagree"
    told = f"\nA release of Adult ({rows:,} rows, occupation × native-country). The two agree on every figure "
    return (
        "\n".join(lines)
        + "\n"
        + told
        + "(pycanon\nrounds entropy l down). allonym's seconds are of all its measures.\n"
    )


if __name__ == "__main__":
    pages.write(PAGE, "privacy", table(sys.argv[1]))
