"""Masking up to 400,000 distinct tuples: python benchmarks/many_tuples.py

The tables are census_income_kdd and rows drawn from it with some cells changed. Every figure comes from a separate
process. Up to 17,000 tuples, the NumPy kernels, which compare all tuples with each other, must give the same release;
so must one thread and several. Writes blocks of docs/benchmarks.md.
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
from allonym.measures import loss, risk
from allonym.methods.base import KAnonymityMethod
from allonym.records import Pairs

PAGE = ROOT / "docs" / "benchmarks.md"
K = 5
METHODS: dict[str, KAnonymityMethod] = {
    "sa-mdav": al.SAMDAV(k=K, refine=False),
    "s-mdav": al.SMDAV(k=K, refine=False),
    "fusion": al.Fusion(k=K, refine=False),
    "sa-mdav, refined": al.SAMDAV(k=K),
    "fusion, refined": al.Fusion(k=K),
}
COMPARED = ("sa-mdav", "s-mdav", "fusion")  # with NumPy
SETTINGS = ("categories", "WordNet")
SAMPLES = (8, 4, 2)  # every nth row
EXHAUSTIVE_UP_TO = 17_000  # tuples
GROWTH_FROM = 10_000  # tuples: smaller tables do not count for the exponent
CHANGED = "changed"  # instead of every nth row: so many tuples of changed rows
GROWN = (10_000, 50_000, 100_000, 200_000, 400_000)  # tuples
THREADED = 100_000  # tuples


def run(method: str, setting: str, columns: str, rows: str) -> dict[str, Any]:
    """Mask every nth row of the table, or changed rows; return the cost, the loss and a hash of the release."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "census.csv"
        if rows.startswith(CHANGED):
            census.write_changed(path, int(rows.removeprefix(CHANGED)))
        else:
            census.write(path, int(rows))
        records = growth.records_of(census.plan(int(columns), words=setting == "WordNet"), path)
    began, clock = time.process_time(), time.perf_counter()
    masking = METHODS[method].mask(records)
    spent, wall = time.process_time() - began, time.perf_counter() - clock
    parts = (masking.source, masking.share, masking.groups, masking.codes)
    pairs = Pairs.of(records, masking)
    assert pairs.sizes.min() >= K
    return {
        "tuples": len(records),
        "seconds": spent,
        "wall": wall,
        "loss": loss.information_loss(pairs),
        "release": hashlib.sha256(b"".join(np.ascontiguousarray(x).tobytes() for x in parts)).hexdigest(),
    }


def linkage() -> dict[str, Any]:
    """Measure linkage by meaning on a release of the whole table; return the cost and the result."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "census.csv"
        census.write(path)
        records = growth.records_of(census.plan(len(census.QUASI), words=False), path)
    pairs = Pairs.of(records, METHODS["sa-mdav"].mask(records))
    began, clock = time.process_time(), time.perf_counter()
    found = risk.semantic_linkage(pairs)
    spent, wall = time.process_time() - began, time.perf_counter() - clock
    return {"tuples": len(records), "seconds": spent, "wall": wall, "release": repr(found)}


def measure(*arguments: str, script: str = __file__, kernels: str = "compiled", threads: int | None = None) -> Any:
    """Run this benchmark, or another one, in a separate process; add its peak memory to the result."""
    child = (
        "import resource, subprocess, sys; done = subprocess.run(sys.argv[1:], check=True, capture_output=True); "
        "used = resource.getrusage(resource.RUSAGE_CHILDREN); print(used.ru_maxrss / 1024); print(done.stdout.decode())"
    )
    command = [sys.executable, "-c", child, sys.executable, script, *arguments]
    environment = os.environ | {"ALLONYM_KERNELS": kernels}
    if threads is not None:
        environment["ALLONYM_THREADS"] = str(threads)
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
    line = f"| {method} | {setting} | {rows} | {figures} |"
    print(line, file=sys.stderr, flush=True)
    return line


def comparison() -> str:
    """Measure three methods on the census; return the tables."""
    lines = [
        "| method | kind of columns | rows | columns | tuples | CPU s | elapsed s | peak MB | L "
        "| CPU s, NumPy, all compared |",
        "|---|---|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    exponents = []
    for method in COMPARED:
        for setting in SETTINGS:
            shapes = [(columns, 1) for columns in census.TUPLES]
            if setting == SETTINGS[0]:
                shapes += [(len(census.QUASI), every) for every in SAMPLES]
            runs = {shape: measure(method, setting, *map(str, shape)) for shape in shapes}
            lines += [row(method, setting, *shape, run) for shape, run in runs.items()]
            for grown, some in (("columns", shapes[: len(census.TUPLES)]), ("rows", shapes[len(census.TUPLES) - 1 :])):
                if len(some) > 1:
                    exponents.append(f"| {method} | {setting} | {grown} | {growth_of([runs[x] for x in some]):.2f} |")
    head = "| method | kind of columns | tuples grow with | exponent of p, from 10,000 tuples |\n|---|---|---|---:|\n"
    return f"On {machine('allonym', 'numpy')}.\n\n" + "\n".join(lines) + "\n\n" + head + "\n".join(exponents) + "\n"


def growth_of(runs: list[dict[str, Any]]) -> float:
    """Return the exponent of CPU seconds in the number of tuples."""
    many = [x for x in runs if x["tuples"] >= GROWTH_FROM]
    return exponent([x["tuples"] for x in many], [x["seconds"] for x in many])


def up_to_400_000() -> str:
    """Measure sa-mdav, refined, on more and more tuples; return the table."""
    lines = ["| table | tuples | CPU s | elapsed s | peak MB | L |", "|---|---:|---:|---:|---:|---:|"]
    grown = []
    for rows in ("1", *(f"{CHANGED}{tuples}" for tuples in GROWN)):
        run = measure("sa-mdav, refined", SETTINGS[0], str(len(census.QUASI)), rows)
        name = "census_income_kdd" if rows == "1" else "changed rows"
        costs = f"{run['seconds']:.1f} | {run['wall']:.1f} | {run['megabytes']:,.0f}"
        lines.append(f"| {name} | {run['tuples']:,} | {costs} | {run['loss']:.3f} |")
        print(lines[-1], file=sys.stderr, flush=True)
        grown += [run] if name != "census_income_kdd" else []
    grows = f"From {GROWN[0]:,} tuples on, CPU seconds grow with p to the power of {growth_of(grown):.2f}."
    return "\n".join(lines) + f"\n\n{grows} Measured on {machine('allonym', 'numpy')}.\n"


def with_threads() -> str:
    """Measure one thread and two; return the table."""
    lines = ["| task | tuples | threads | CPU s | elapsed s |", "|---|---:|---:|---:|---:|"]
    changed = (SETTINGS[0], str(len(census.QUASI)), f"{CHANGED}{THREADED}")
    tasks = {method: (method, *changed) for method in ("sa-mdav, refined", "fusion, refined")}
    for name, arguments in (tasks | {"linkage by meaning": ("linkage",)}).items():
        runs = {threads: measure(*arguments, threads=threads) for threads in (1, 2)}
        assert runs[1]["release"] == runs[2]["release"]
        for threads, run in runs.items():
            lines.append(f"| {name} | {run['tuples']:,} | {threads} | {run['seconds']:.1f} | {run['wall']:.1f} |")
    return "\n".join(lines) + f"\n\nMeasured on {machine('allonym', 'numpy')}.\n"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(linkage() if sys.argv[1:] == ["linkage"] else run(*sys.argv[1:])))
    else:
        pages.write(PAGE, "scale", up_to_400_000())
        pages.write(PAGE, "threads", with_threads())
        pages.write(PAGE, "large", comparison())
