"""Masking many tuples: sa-mdav and fusion of census_income_kdd, up to 87,691 tuples: python benchmarks/many_tuples.py

Every figure is of a process of its own. Where all tuples can be compared with all others in reasonable time, that is
done too, and the release must be the same. Writes its part of docs/benchmarks.md.
"""

from __future__ import annotations

import hashlib
import json
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
from allonym.methods.base import Anonymising
from allonym.methods.kernels import nearest
from allonym.records import Pairs

PAGE = ROOT / "docs" / "benchmarks.md"
METHODS: dict[str, type[Anonymising]] = {"sa-mdav": al.SAMDAV, "fusion": al.Fusion}
SETTINGS = ("categories", "WordNet")
COLUMNS = (1, 2, 4, 7, 10, 13)  # of categories; with WordNet, those of which there are facts
MANY = 10_000  # tuples, from which on growth is told
SAMPLES = (8, 4, 2)  # every so many rows
COMPARED = 40_000  # up to so many tuples, all are compared as well
K = 5


def run(method: str, setting: str, columns: str, every: str, way: str) -> dict[str, Any]:
    """Mask the table, and say what that took and what came of it."""
    if way == "all":
        nearest.FEW = nearest.CHUNK = 10**9
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "census.csv"
        census.write(path, int(every))
        records = growth.of(census.plan(int(columns), words=setting == "WordNet"), path)
    began, clock = time.process_time(), time.perf_counter()
    masking = METHODS[method](k=K).mask(records)
    spent, wall = time.process_time() - began, time.perf_counter() - clock
    parts = (masking.source, masking.share, masking.groups, masking.codes)
    pairs = Pairs.of(records, masking)
    return {
        "tuples": len(records),
        "seconds": spent,
        "wall": wall,
        "reached": int(pairs.sizes.min()),
        "loss": loss.information_loss(pairs),
        "release": hashlib.sha256(b"".join(np.ascontiguousarray(x).tobytes() for x in parts)).hexdigest(),
    }


def measured(*arguments: str, script: str = __file__) -> dict[str, Any]:
    """Run that, or another benchmark, in a process of its own; its peak memory is added."""
    child = (
        "import resource, subprocess, sys; done = subprocess.run(sys.argv[1:], check=True, capture_output=True); "
        "used = resource.getrusage(resource.RUSAGE_CHILDREN); print(used.ru_maxrss / 1024); print(done.stdout.decode())"
    )
    command = [sys.executable, "-c", child, sys.executable, script, *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    megabytes, found = done.stdout.split("\n", 1)
    return {**json.loads(found), "megabytes": float(megabytes)}


def row(method: str, setting: str, columns: int, every: int, found: dict[str, Any]) -> str:
    """Lay out a run, beside comparing all where that can be done."""
    compared = ""
    if found["tuples"] <= COMPARED:
        plain = measured(method, setting, str(columns), str(every), "all")
        assert plain["release"] == found["release"]
        compared = f"{plain['seconds']:.1f}"
    rows = "all" if every == 1 else f"1 in {every}"
    spent = f"{found['seconds']:.1f} | {found['wall']:.1f} | {found['megabytes']:.0f}"
    told = f"{columns} | {found['tuples']:,} | {spent} | {found['loss']:.3f} | {compared}"
    return f"| {method} | {setting} | {rows} | {told} |"


def table() -> str:
    """Measure, and lay out the figures."""
    lines = [
        "| method | columns are | rows | columns | tuples | CPU s | wall s | peak MB | L | CPU s, all compared |",
        "|---|---|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    told = []
    for method in METHODS:
        for setting in SETTINGS:
            cases = {"columns": [(n, 1) for n in (COLUMNS if setting == SETTINGS[0] else census.TUPLES)]}
            if setting == SETTINGS[0]:
                cases["rows"] = [(13, every) for every in SAMPLES]
            whole = None
            for grown, shapes in cases.items():
                runs = [measured(method, setting, str(n), str(every), "blocks") for n, every in shapes]
                lines += [row(method, setting, *shape, found) for shape, found in zip(shapes, runs, strict=True)]
                assert all(found["reached"] >= K for found in runs)
                whole = whole or runs[-1]
                found = runs if grown == "columns" else [*runs, whole]
                many = [x for x in found if x["tuples"] > MANY]
                grows = exponent([x["tuples"] for x in many], [x["seconds"] for x in many])
                told.append(f"| {method} | {setting} | {grown} | {grows:.2f} |")
    head = "| method | columns are | more tuples by more | exponent of p, from 10,000 on |\n|---|---|---|---:|\n"
    return f"On {machine('allonym', 'numpy')}.\n\n" + "\n".join(lines) + "\n\n" + head + "\n".join(told) + "\n"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(run(*sys.argv[1:])))
    else:
        pages.write(PAGE, "large", table())
