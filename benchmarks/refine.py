"""What --refine gains, what it costs, and how far from the optimum it ends: python benchmarks/refine.py

Four tables: two of words, one of mixed kinds, one of sets. The optimum is found by integer programming, on samples that
are small enough. Writes docs/methods/refine.md's tables.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import growth
import numpy as np
import pages
import sets
from paths import ROOT
from scipy.optimize import Bounds, LinearConstraint, milp

import allonym as al
from allonym.arrays import Floats
from allonym.measures import loss, risk
from allonym.methods.base import Anonymising
from allonym.methods.groups import centre, distances
from allonym.records import Pairs, Records

PAGE = ROOT / "docs" / "methods" / "refine.md"
KS = (3, 5, 10, 15, 50)
LARGE, FEW = 5_000, (5,)  # k on tables of more tuples
METHODS = {"sa-mdav": al.SAMDAV, "fusion": al.Fusion}
SMALL = 11  # tuples of a sample
SAMPLES = 12
SMALL_KS = (2, 3, 5)
ARMS = {
    "sa-mdav": (al.SAMDAV, False),
    "sa-mdav, refined": (al.SAMDAV, True),
    "fusion": (al.Fusion, False),
    "fusion, refined": (al.Fusion, True),
}


def tables(folder: Path) -> Iterator[tuple[str, Records]]:
    """Yield each table with what it is."""
    yield from growth.tables(folder)
    yield "2,000 baskets of groceries, one set-valued column", sets.records_of(sets.sampled(sets.groceries()))


def figures(records: Records, method: Anonymising) -> tuple[float, float, float, float, float]:
    """Return loss, linkage by text and by meaning, the balanced score, and CPU seconds."""
    began = time.process_time()
    masking = method.mask(records)
    spent = time.process_time() - began
    pairs = Pairs.of(records, masking)
    lost, linked = loss.information_loss(pairs), risk.record_linkage(pairs)
    return lost, linked, risk.semantic_linkage(pairs).value, (lost + linked) / 2, spent


def gains() -> str:
    """Lay out what is gained on each table."""
    head = "| table, method | k | L | refined | less by | linked by text | refined | by meaning | refined "
    lines = [head + "| score | refined | CPU s | refined |", "|---|---:|" + "---:|" * 11]
    better = {"loss": 0, "linkage by text": 0, "linkage by meaning": 0, "score": 0}
    total = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, records in tables(Path(folder)):
            for label, method in METHODS.items():
                for k in (ks := FEW if len(records) > LARGE else KS):
                    was, now = (figures(records, method(k=k, refine=x)) for x in (False, True))
                    less = f"{100 * (1 - now[0] / was[0]):.0f} %" if was[0] else ""
                    pairs = [f"{a:.3f} | {b:.3f}" for a, b in zip(was, now, strict=True)]
                    pairs[0] += f" | {less}"
                    pairs[4] = f"{was[4]:.2f} | {now[4]:.2f}"
                    shown = f"{name}, {label}" if k == ks[0] else ""
                    lines.append(f"| {shown} | {k} | " + " | ".join(pairs) + " |")
                    print(lines[-1], flush=True)
                    total += 1
                    for place, what in enumerate(better):
                        better[what] += now[place] <= was[place]
    told = ", ".join(f"{what} in {count}" for what, count in better.items())
    return "\n".join(lines) + f"\n\nOf {total} cases it is no higher: {told}.\n"


def sample(records: Records, seed: int) -> Records:
    """Draw some tuples of a table, with their counts."""
    chosen = np.sort(np.random.default_rng(seed).permutation(len(records))[:SMALL])
    counts = np.minimum(records.counts[chosen], SMALL_KS[-1])
    return replace(records, codes=records.codes[chosen], counts=counts, inverse=None)


def weighed(records: Records) -> tuple[Floats, Floats]:
    """Return every group there could be, as a column of which tuples it has, and Σ ω·d² of each to its centroid."""
    metrics = [x.metric for x in records.attributes]
    size = len(records)
    groups = [list(x) for length in range(1, size + 1) for x in combinations(range(size), length)]
    costs = []
    for own in groups:
        codes, mass = records.codes[own].T, records.mass[own]
        squares = distances(metrics, records.shares, centre(metrics, codes, mass), codes) ** 2
        costs.append(float(mass @ squares))
    return np.stack([np.isin(np.arange(size), own).astype(np.float64) for own in groups], axis=1), np.array(costs)


def optimum(records: Records, groups: Floats, costs: Floats, k: int) -> float:
    """Return the least Σ ω·d² of any partition into groups of k rows or more, each with its centroid."""
    enough = records.counts @ groups >= k
    once = LinearConstraint(groups[:, enough], 1, 1)
    whole = np.ones(int(enough.sum()))
    found = milp(costs[enough], constraints=once, integrality=whole, bounds=Bounds(0, 1))
    assert found.success, found.message
    return float(found.fun)


def gaps() -> str:
    """Lay out how much more is lost than need be."""
    lines = ["| table | k | " + " | ".join(f"{x}: mean | optimal" for x in ARMS) + " |"]
    lines.append("|---|---:|" + "---:|" * (2 * len(ARMS)))
    with tempfile.TemporaryDirectory() as folder:
        for name, records in list(growth.tables(Path(folder)))[:2]:
            some = [sample(records, seed) for seed in range(SAMPLES)]
            every = [weighed(x) for x in some]
            for k in SMALL_KS:
                least = np.array([optimum(x, *all_of_it, k) for x, all_of_it in zip(some, every, strict=True)])
                cells = []
                for method, refine in ARMS.values():
                    found = np.array([loss.sse(Pairs.of(x, method(k=k, refine=refine).mask(x))) for x in some])
                    cells.append(f"{100 * (found.sum() / least.sum() - 1):.1f} %")
                    cells.append(f"{int(np.isclose(found, least).sum())} of {SAMPLES}")
                shown = name if k == SMALL_KS[0] else ""
                lines.append(f"| {shown} | {k} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    pages.write(PAGE, "gaps", gaps())
    pages.write(PAGE, "gains", gains())
