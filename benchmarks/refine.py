"""Gain and cost of --refine, and its distance from the optimum: python benchmarks/refine.py

Uses three tables: two with words, one with mixed kinds. Integer programming finds the optimum on small samples; whole
tables are compared with the lower bound. Figures are means and ranges over several seeds. Writes four blocks of
docs/methods/refine.md.
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
from allonym.methods.lower_bound.bound import lower_bound
from allonym.records import Pairs, Records

PAGE = ROOT / "docs" / "methods" / "refine.md"
KS = (3, 5, 10, 15, 50)
LARGE_TABLE = 5_000  # tuples
LARGE_TABLE_KS = (5,)
SEEDS, LARGE_TABLE_SEEDS = 10, 3
BOUNDED_KS = (3, 5, 10, 15)
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


MEASURES = ("L", "linked by text", "linked by meaning", "score")


def figures(records: Records, method: KAnonymityMethod, seeds: int) -> Floats:
    """Return by seed: loss, linkage by text and by meaning, score at balance 0.5, and CPU seconds."""
    found = []
    for seed in range(seeds):
        began = time.process_time()
        masking = method.mask(records, seed)
        spent = time.process_time() - began
        pairs = Pairs.of(records, masking)
        information_loss, linkage = loss.information_loss(pairs), risk.record_linkage(pairs)
        score = (information_loss + linkage) / 2
        found.append((information_loss, linkage, risk.semantic_linkage(pairs).value, score, spent))
    return np.array(found)


def spread(values: Floats) -> str:
    """Return the mean, and the range if there is one."""
    low, high = f"{values.min():.3f}", f"{values.max():.3f}"
    return f"{values.mean():.3f}" + ("" if low == high else f" ({low}–{high})")


def gains() -> tuple[str, str]:
    """Return the gain on each table, and its effect on linkage."""
    losses = [
        "| table, method | k | L | refined | reduction | CPU s | refined |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    linkages = ["| table, method | k | " + " | ".join(f"{x} | refined" for x in MEASURES[1:]) + " |"]
    linkages.append("|---|---:|" + "---:|" * 6)
    better, total = dict.fromkeys(MEASURES, 0), 0
    with tempfile.TemporaryDirectory() as folder:
        for name, records in growth.tables(Path(folder)):
            large = len(records) > LARGE_TABLE
            for label, method in METHODS.items():
                for k in (ks := LARGE_TABLE_KS if large else KS):
                    seeds = LARGE_TABLE_SEEDS if large else SEEDS
                    plain, refined = (figures(records, method(k=k, refine=x), seeds).T for x in (False, True))
                    shown = f"| {name}, {label} | {k} | " if k == ks[0] else f"|  | {k} | "
                    pairs = [f"{spread(a)} | {spread(b)}" for a, b in zip(plain, refined, strict=True)]
                    reduction = f"{100 * (1 - refined[0].mean() / plain[0].mean()):.0f} %"
                    seconds = f"{plain[4].mean():.2f} | {refined[4].mean():.2f}"
                    losses.append(f"{shown}{pairs[0]} | {reduction} | {seconds} |")
                    linkages.append(shown + " | ".join(pairs[1:4]) + " |")
                    print(losses[-1], flush=True)
                    total += 1
                    for i, measure in enumerate(MEASURES):
                        better[measure] += refined[i].mean() <= plain[i].mean()
    counts = ", ".join(f"{measure} in {count}" for measure, count in better.items())
    summary = f"\nMeans that are not higher after refinement, of {total} cases: {counts}.\n"
    return "\n".join(losses) + "\n", "\n".join(linkages) + "\n" + summary


def bounds() -> str:
    """Return how far refined releases with least-squares representatives are from the lower bound."""
    lines = ["| table | k | lower bound | L | at most above the optimum | CPU s |", "|---|---:|---:|---:|---:|---:|"]
    with tempfile.TemporaryDirectory() as folder:
        for name, records in list(growth.tables(Path(folder)))[:2]:
            for k in BOUNDED_KS:
                maskings, spent = [], []
                for seed in range(SEEDS):
                    began = time.process_time()
                    maskings.append(al.SAMDAV(k=k, represent="least-squares").mask(records, seed))
                    spent.append(time.process_time() - began)
                best = min(maskings, key=lambda masking: loss.sse(Pairs.of(records, masking)))
                bound = lower_bound(records, best, k, "least-squares", thorough=True)
                assert bound is not None
                lost = np.array([loss.information_loss(Pairs.of(records, masking)) for masking in maskings])
                gaps = 100 * (lost / bound.information_loss - 1)
                above = f"{gaps.mean():.1f} % ({gaps.min():.1f}–{gaps.max():.1f})"
                shown = name if k == BOUNDED_KS[0] else ""
                lower = f"{bound.information_loss:.3f} | {spread(lost)}"
                lines.append(f"| {shown} | {k} | {lower} | {above} | {np.mean(spent):.2f} |")
                print(lines[-1], flush=True)
    return "\n".join(lines) + "\n"


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
                    cells.append(f"{abs(100 * (reached.sum() / optimal.sum() - 1)):.1f} %")  # the sign may be rounding
                    cells.append(f"{int(np.isclose(reached, optimal).sum())} of {SAMPLES}")
                shown = name if k == SAMPLE_KS[0] else ""
                lines.append(f"| {shown} | {k} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    pages.write(PAGE, "gaps", gaps())
    pages.write(PAGE, "bounds", bounds())
    for block, text in zip(("gains", "linkage"), gains(), strict=True):
        pages.write(PAGE, block, text)
