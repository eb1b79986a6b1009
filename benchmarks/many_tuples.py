"""Masking up to 87,691 tuples of census_income_kdd with three methods: python benchmarks/many_tuples.py

Every figure comes from a separate process. Up to 40,000 tuples, the NumPy kernels, which compare all tuples with each
other, must give the same release. Writes a block of docs/benchmarks.md.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import census
import growth
import numpy as np
import pages
from paths import ROOT
from processes import exponent, machine

import allonym as al
from allonym.measures import loss
from allonym.methods.base import KAnonymityMethod
from allonym.records import Pairs

PAGE = ROOT / "docs" / "benchmarks.md"
K = 5
METHODS: dict[str, KAnonymityMethod] = {
    "sa-mdav": al.SAMDAV(k=K, refine=False),
    "s-mdav": al.SMDAV(k=K, refine=False),
    "fusion": al.Fusion(k=K, refine=False),
}
SETTINGS = ("categories", "WordNet")
COLUMNS = (1, 2, 4, 7, 10, 13)  # numbers of category columns; with WordNet, those of census.TUPLES
GROWTH_FROM = 10_000  # tuples: smaller tables do not count for the exponent
SAMPLES = (8, 4, 2)  # every nth row
EXHAUSTIVE_UP_TO = 40_000  # tuples


def run(method: str, setting: str, columns: str, every: str) -> dict[str, Any]:
    """Mask the table; return the cost, the loss and a hash of the release."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "census.csv"
        census.write(path, int(every))
        records = growth.records_of(census.plan(int(columns), words=setting == "WordNet"), path)
    began, clock = time.process_time(), time.perf_counter()
    masking = METHODS[method].mask(records)
    spent, wall = time.process_time() - began, time.perf_counter() - clock
    parts = (masking.source, masking.share, masking.groups, masking.codes)
    pairs = Pairs.of(records, masking)
    return {
        "tuples": len(records),
        "seconds": spent,
        "wall": wall,
        "smallest": int(pairs.sizes.min()),
        "loss": loss.information_loss(pairs),
        "release": hashlib.sha256(b"".join(np.ascontiguousarray(x).tobytes() for x in parts)).hexdigest(),
    }


def measure(*arguments: str, script: str = __file__, kernels: str = "compiled") -> dict[str, Any]:
    """Run this benchmark, or another one, in a separate process; add its peak memory to the result."""
    child = (
        "import resource, subprocess, sys; done = subprocess.run(sys.argv[1:], check=True, capture_output=True); "
        "used = resource.getrusage(resource.RUSAGE_CHILDREN); print(used.ru_maxrss / 1024); print(done.stdout.decode())"
    )
    command = [sys.executable, "-c", child, sys.executable, script, *arguments]
    environment = os.environ | {"ALLONYM_KERNELS": kernels}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    megabytes, result = done.stdout.split("\n", 1)
    return {**json.loads(result), "megabytes": float(megabytes)}


def row(method: str, setting: str, columns: int, every: int, run: dict[str, Any]) -> str:
    """Return the row of a run, with the cost of comparing all tuples in NumPy where that is feasible."""
    exhaustive = ""
    if run["tuples"] <= EXHAUSTIVE_UP_TO:
        full = measure(method, setting, str(columns), str(every), kernels="numpy")
        assert full["release"] == run["release"]
        exhaustive = f"{full['seconds']:.1f}"
    rows = "all" if every == 1 else f"1 in {every}"
    spent = f"{run['seconds']:.1f} | {run['wall']:.1f} | {run['megabytes']:.0f}"
    figures = f"{columns} | {run['tuples']:,} | {spent} | {run['loss']:.3f} | {exhaustive}"
    return f"| {method} | {setting} | {rows} | {figures} |"


def table() -> str:
    """Measure and return the tables."""
    lines = [
        "| method | kind of columns | rows | columns | tuples | CPU s | elapsed s | peak MB | L "
        "| CPU s, NumPy, all compared |",
        "|---|---|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    exponents = []
    for method in METHODS:
        for setting in SETTINGS:
            cases = {"columns": [(n, 1) for n in (COLUMNS if setting == SETTINGS[0] else census.TUPLES)]}
            if setting == SETTINGS[0]:
                cases["rows"] = [(13, every) for every in SAMPLES]
            whole = None
            for grown, shapes in cases.items():
                runs = [measure(method, setting, str(n), str(every)) for n, every in shapes]
                lines += [row(method, setting, *shape, run) for shape, run in zip(shapes, runs, strict=True)]
                assert all(run["smallest"] >= K for run in runs)
                whole = whole or runs[-1]
                sizes = runs if grown == "columns" else [*runs, whole]
                many = [x for x in sizes if x["tuples"] > GROWTH_FROM]
                grows = exponent([x["tuples"] for x in many], [x["seconds"] for x in many])
                exponents.append(f"| {method} | {setting} | {grown} | {grows:.2f} |")
    head = "| method | kind of columns | tuples grow with | exponent of p, from 10,000 tuples |\n|---|---|---|---:|\n"
    return f"On {machine('allonym', 'numpy')}.\n\n" + "\n".join(lines) + "\n\n" + head + "\n".join(exponents) + "\n"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(run(*sys.argv[1:])))
    else:
        pages.write(PAGE, "large", table())
