"""How the cost of grouping grows with the number of columns and with k: python benchmarks/scaling.py

The table is census_income_kdd, reduced to a fixed number of distinct tuples. Every figure is the minimum of two runs
in one process. Writes a block of docs/engines.md.
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


def first_tuples(records: Records) -> Records:
    """Return the first tuples of a table."""
    return replace(records, codes=records.codes[:TUPLES], counts=records.counts[:TUPLES], inverse=None)


def seconds(records: Records, k: int) -> float:
    """Return the minimum CPU seconds of masking."""
    spent = []
    for _ in range(RUNS):
        began = time.process_time()
        masking = al.SAMDAV(k=k, represent="centroid", refine=False).mask(records)
        spent.append(time.process_time() - began)
        assert np.bincount(masking.groups, weights=masking.share).min() >= k
    return min(spent)


def table() -> str:
    """Measure and return the table."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "census.csv"
        census.write(path)
        records = {m: first_tuples(growth.records_of(census.plan(m, words=False), path)) for m in COLUMNS}
    per_column = {m: seconds(x, 5) for m, x in records.items()}
    by_k = {k: seconds(records[COLUMNS[0]], k) for k in KS}
    lines = ["| columns m | CPU s | k | CPU s |", "|---:|---:|---:|---:|"]
    left = [f"| {m} | {s:.2f}" for m, s in per_column.items()] + ["| | "] * (len(KS) - len(COLUMNS))
    lines += [f"{one} | {k} | {s:.2f} |" for one, (k, s) in zip(left, by_k.items(), strict=True)]
    grows = exponent(list(per_column), list(per_column.values())), exponent(list(by_k), list(by_k.values()))
    growth_text = f"CPU seconds grow with m to the power of {grows[0]:.2f} and with k to the power of {grows[1]:.2f}."
    return "\n".join(lines) + f"\n\n{growth_text} Measured on {machine('allonym', 'numpy')}.\n"


if __name__ == "__main__":
    pages.write(PAGE, "growth", table())
