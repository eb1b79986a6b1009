"""Gain and cost of --refine, and its distance from the optimum: python benchmarks/refine.py

Uses three tables: two with words, one with mixed kinds. Integer programming finds the optimum on small samples. Writes
two blocks of docs/methods/refine.md.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import combinations
from pathlib import Path

import growth
import numpy as np
import pages
from paths import ROOT
from scipy.optimize import Bounds, LinearConstraint, milp

import allonym as al
from allonym.arrays import Floats
from allonym.measures import loss, risk
from allonym.methods.base import KAnonymityMethod
from allonym.methods.groups import centre, distances
from allonym.records import Pairs, Records

PAGE = ROOT / "docs" / "methods" / "refine.md"
KS = (3, 5, 10, 15, 50)
LARGE_TABLE = 5_000  # tuples
LARGE_TABLE_KS = (5,)
METHODS: dict[str, Callable[..., KAnonymityMethod]] = {
    "sa-mdav": partial(al.SAMDAV, represent="centroid"),
    "fusion": al.Fusion,
}
SAMPLE_TUPLES = 11
SAMPLES = 12
SAMPLE_KS = (2, 3, 5)
VARIANTS = {
    "sa-mdav": (METHODS["sa-mdav"], False),
    "sa-mdav, refined": (METHODS["sa-mdav"], True),
    "fusion": (METHODS["fusion"], False),
    "fusion, refined": (METHODS["fusion"], True),
}


def figures(records: Records, method: KAnonymityMethod) -> tuple[float, float, float, float, float]:
    """Return loss, linkage by text and by meaning, score at balance 0.5, and CPU seconds."""
    began = time.process_time()
    masking = method.mask(records)
    spent = time.process_time() - began
    pairs = Pairs.of(records, masking)
    information_loss, linkage = loss.information_loss(pairs), risk.record_linkage(pairs)
    score = (information_loss + linkage) / 2
    return information_loss, linkage, risk.semantic_linkage(pairs).value, score, spent


def gains() -> str:
    """Return the gain on each table."""
    head = "| table, method | k | L | refined | reduction | linked by text | refined | by meaning | refined "
    lines = [head + "| score | refined | CPU s | refined |", "|---|---:|" + "---:|" * 11]
    better = {"loss": 0, "linkage by text": 0, "linkage by meaning": 0, "score": 0}
    total = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, records in growth.tables(Path(folder)):
            for label, method in METHODS.items():
                for k in (ks := LARGE_TABLE_KS if len(records) > LARGE_TABLE else KS):
                    plain, refined = (figures(records, method(k=k, refine=x)) for x in (False, True))
                    reduction = f"{100 * (1 - refined[0] / plain[0]):.0f} %" if plain[0] else ""
                    pairs = [f"{a:.3f} | {b:.3f}" for a, b in zip(plain, refined, strict=True)]
                    pairs[0] += f" | {reduction}"
                    pairs[4] = f"{plain[4]:.2f} | {refined[4]:.2f}"
                    shown = f"{name}, {label}" if k == ks[0] else ""
                    lines.append(f"| {shown} | {k} | " + " | ".join(pairs) + " |")
                    print(lines[-1], flush=True)
                    total += 1
                    for i, measure in enumerate(better):
                        better[measure] += refined[i] <= plain[i]
    counts = ", ".join(f"{measure} in {count}" for measure, count in better.items())
    return "\n".join(lines) + f"\n\nNot higher after refinement, of {total} cases: {counts}.\n"


def sample(records: Records, seed: int) -> Records:
    """Return a sample of the tuples of a table, with limited counts."""
    sampled = np.sort(np.random.default_rng(seed).permutation(len(records))[:SAMPLE_TUPLES])
    counts = np.minimum(records.counts[sampled], SAMPLE_KS[-1])
    return replace(records, codes=records.codes[sampled], counts=counts, inverse=None)


def all_groups(records: Records) -> tuple[Floats, Floats]:
    """Return every possible group as a membership column, and Σ ω·d² of its tuples to its centroid."""
    metrics = [x.metric for x in records.attributes]
    size = len(records)
    groups = [list(x) for length in range(1, size + 1) for x in combinations(range(size), length)]
    costs = []
    for members in groups:
        codes, mass = records.codes[members].T, records.mass[members]
        squares = distances(metrics, records.shares, centre(metrics, codes, mass), codes) ** 2
        costs.append(float(mass @ squares))
    return np.stack([np.isin(np.arange(size), members).astype(np.float64) for members in groups], axis=1), np.array(
        costs
    )


def optimum(records: Records, groups: Floats, costs: Floats, k: int) -> float:
    """Return the minimum Σ ω·d² over all partitions into groups of at least k rows."""
    valid = records.counts @ groups >= k
    each_tuple_once = LinearConstraint(groups[:, valid], 1, 1)
    integers = np.ones(int(valid.sum()))
    solution = milp(costs[valid], constraints=each_tuple_once, integrality=integers, bounds=Bounds(0, 1))
    assert solution.success, solution.message
    return float(solution.fun)


def gaps() -> str:
    """Return the excess loss over the optimum."""
    lines = ["| table | k | " + " | ".join(f"{x}: mean excess | optimal" for x in VARIANTS) + " |"]
    lines.append("|---|---:|" + "---:|" * (2 * len(VARIANTS)))
    with tempfile.TemporaryDirectory() as folder:
        for name, records in list(growth.tables(Path(folder)))[:2]:
            samples = [sample(records, seed) for seed in range(SAMPLES)]
            groups = [all_groups(x) for x in samples]
            for k in SAMPLE_KS:
                optimal = np.array([optimum(x, *possible, k) for x, possible in zip(samples, groups, strict=True)])
                cells = []
                for method, refine in VARIANTS.values():
                    reached = np.array([loss.sse(Pairs.of(x, method(k=k, refine=refine).mask(x))) for x in samples])
                    cells.append(f"{100 * (reached.sum() / optimal.sum() - 1):.1f} %")
                    cells.append(f"{int(np.isclose(reached, optimal).sum())} of {SAMPLES}")
                shown = name if k == SAMPLE_KS[0] else ""
                lines.append(f"| {shown} | {k} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    pages.write(PAGE, "gaps", gaps())
    pages.write(PAGE, "gains", gains())
