"""How the cost of grouping grows with the number of columns and with k: python benchmarks/scaling.py

census_income_kdd, cut to one number of distinct tuples, so that nothing else grows. Every figure is the least of some
runs in one process. Writes its part of docs/engines.md.
"""

from __future__ import annotations

import tempfile
import time
from dataclasses import replace
from pathlib import Path

import census
import growth
import numpy as np
import pages
from paths import ROOT
from processes import exponent, machine

import allonym as al
from allonym.records import Records

PAGE = ROOT / "docs" / "engines.md"
TUPLES = 10_000
COLUMNS = (4, 7, 10, 13)
KS = (2, 5, 20, 100, 500)
RUNS = 2


def first(records: Records) -> Records:
    """Return the first tuples of a table, without its rows."""
    some = slice(0, TUPLES)
    return replace(records, codes=records.codes[some], counts=records.counts[some], inverse=None)


def seconds(records: Records, k: int) -> float:
    """Return the least CPU seconds that masking took."""
    found = []
    for _ in range(RUNS):
        began = time.process_time()
        masking = al.SAMDAV(k=k).mask(records)
        found.append(time.process_time() - began)
        assert np.bincount(masking.groups, weights=masking.share).min() >= k
    return min(found)


def table() -> str:
    """Measure, and lay out the figures."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "census.csv"
        census.write(path)
        records = {m: first(growth.of(census.plan(m, words=False), path)) for m in COLUMNS}
    per_column = {m: seconds(x, 5) for m, x in records.items()}
    by_k = {k: seconds(records[COLUMNS[0]], k) for k in KS}
    lines = ["| columns m | CPU s | k | CPU s |", "|---:|---:|---:|---:|"]
    left = [f"| {m} | {s:.2f}" for m, s in per_column.items()] + ["| | "] * (len(KS) - len(COLUMNS))
    lines += [f"{one} | {k} | {s:.2f} |" for one, (k, s) in zip(left, by_k.items(), strict=True)]
    grows = exponent(list(per_column), list(per_column.values())), exponent(list(by_k), list(by_k.values()))
    told = f"CPU seconds grow as m to the power of {grows[0]:.2f}, and as k to the power of {grows[1]:.2f}."
    return "\n".join(lines) + f"\n\n{told} On {machine('allonym', 'numpy')}.\n"


if __name__ == "__main__":
    pages.write(PAGE, "growth", table())
