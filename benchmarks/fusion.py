"""Record fusion on the bundled survey, as the thesis evaluates it (P0 §5): python benchmarks/fusion.py

Random arms are the mean of five seeds. Writes its part of docs/methods/fusion.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import growth
import numpy as np
import pages
from places import ROOT

import allonym as al
from allonym.measures import clusters, loss, risk
from allonym.plan.demo import demonstration
from allonym.records import Pairs, Records

PAGE = ROOT / "docs" / "methods" / "fusion.md"
KS = (2, 3, 5, 8, 10, 15)
SEEDS = range(5)
ARMS: dict[str, tuple[str | None, dict[str, str]]] = {  # the measure that guides, and the parameters
    "W&P, h1+h2+h3": ("wu-palmer", {}),
    "L&C, h1+h2+h3": ("leacock-chodorow", {}),
    "path, h1+h2+h3": ("path", {}),
    "W&P, h1+h2": ("wu-palmer", {"heuristics": "h1+h2"}),
    "W&P, h1+target": ("wu-palmer", {"heuristics": "h1+target"}),
    "random target, h1": (None, {"heuristics": "h1"}),
    "random, none": (None, {"heuristics": "none"}),
    "discernibility": (None, {"guide": "discernibility"}),
}
MEASURES: dict[str, Callable[[Pairs], float]] = {
    "semantic quality by W&P (%)": loss.semantic_quality,
    "links to the original value": loss.path_distance,
    "discernibility": loss.discernibility,
    "linked by text (%)": risk.record_linkage,
    "linked by meaning (%)": lambda pairs: risk.semantic_linkage(pairs).value,
    "distance of 14 clusters": clusters.clustering_distance,
}


def masked(records: Records, measure: str | None, method: al.Fusion, seed: int) -> Pairs:
    """Return what becomes of a table if another measure guides, as the plan's own measure sees it."""
    guided = records
    if measure is not None:
        by = tuple(replace(x, metric=x.metric.by(measure)) for x in records.attributes)
        guided = replace(records, attributes=by)
    masking = method.mask(guided, seed)
    values = [[x.values[c] for c in masking.codes[:, a]] for a, x in enumerate(masking.attributes)]
    own = [x.metric.extend(v) for x, v in zip(records.attributes, values, strict=True)]
    codes = [np.array([m.values.index(x) for x in v]) for m, v in zip(own, values, strict=True)]
    attributes = tuple(replace(x, metric=m) for x, m in zip(records.attributes, own, strict=True))
    return Pairs(
        attributes, records.codes[masking.source], np.stack(codes, axis=1), masking.share,
        records.mass_of(masking.source, masking.share),
    )  # fmt: skip


def table() -> str:
    """Measure, and lay out the figures."""
    folder = Path(str(files("allonym") / "data"))
    records = growth.of(demonstration(folder), folder / "survey.csv")
    found: dict[str, dict[str, list[float]]] = {name: {} for name in MEASURES}
    for arm, (measure, parameters) in ARMS.items():
        for k in KS:
            runs = [masked(records, measure, al.Fusion(k=k, **parameters), seed) for seed in SEEDS]
            for name, function in MEASURES.items():
                found[name].setdefault(arm, []).append(float(np.mean([function(pairs) for pairs in runs])))
    lines = []
    for name, arms in found.items():
        lines += [f"| {name} | " + " | ".join(f"k={k}" for k in KS) + " |", "|---|" + "---:|" * len(KS)]
        for arm, figures in arms.items():
            shown = [f"{x:,.0f}" if name == "discernibility" else f"{x:.3f}" for x in figures]
            lines.append(f"| {arm} | " + " | ".join(shown) + " |")
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    pages.write(PAGE, "fusion", table())
