"""Microaggregation of sets against their generalisation, as in Table 1 of Batet et al. (2014), and the cost of both.

python benchmarks/set_generalisation.py writes a block of docs/methods/sets.md and one of docs/methods/generalise.md.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pages
import sets
from paths import ROOT

import allonym as al
from allonym.measures import loss
from allonym.methods.base import KAnonymityMethod
from allonym.records import Masking, Pairs, Records

GENERALISE_PAGE = ROOT / "docs" / "methods" / "generalise.md"
JUDGES = ("avg", "min-sum")  # distances with which L is computed
LOCAL, KM, KM_PUBLISHED = "local", "k^2, items left out", "k^2"
MICROAGGREGATION = {
    "s-mdav, min-sum": (al.SMDAV, "min-sum"),
    "s-mdav, avg": (al.SMDAV, "avg"),
    "mdav, equality, min-sum": (al.MDAV, "min-sum"),
    "mdav, equality, avg": (al.MDAV, "avg"),
}
GENERALISATION: dict[str, dict[str, Any]] = {
    LOCAL: {},
    KM: {"recoding": "global"},
    KM_PUBLISHED: {"recoding": "global", "leave_out": False},
}


def generalise(name: str, k: int) -> al.Generalise:
    """Return a variant of `generalise`."""
    return al.Generalise(k=k, **GENERALISATION[name])


def loss_over_k(records: Records, name: str, seeds: Sequence[int] = (0,)) -> dict[str, list[float]]:
    """Return L of a variant of `generalise` for each k, by what it is computed with: the mean over seeds."""
    pairs = [[Pairs.of(records, generalise(name, k).mask(records, seed)) for seed in seeds] for k in sets.KS]
    return {by: [float(np.mean([loss.set_loss(x, by) for x in runs])) for runs in pairs] for by in JUDGES}


def _maskings(records: Records) -> Iterator[tuple[str, str, list[Masking]]]:
    """Yield the releases of each method over k, with what it guarantees."""
    for name, (method, distance) in MICROAGGREGATION.items():
        compared = sets.with_distance(records, distance)
        masked = [method(k=k, represent="centroid", refine=False).mask(compared) for k in sets.KS]
        yield f"microaggregation: {name}", "k", masked
    for name in GENERALISATION:
        guarantee = "k" if name == LOCAL else "k^2"
        yield f"generalisation: {name}", guarantee, [generalise(name, k).mask(records) for k in sets.KS]


def table() -> str:
    """Return the losses of all methods on each data set."""
    lines: list[str] = []
    for data, (rows, ontology) in sets.data_sets().items():
        records = sets.records_of(rows, ontology)
        lines += [
            f"{data} ({len(records):,} distinct sets).\n",
            "| | promise | " + " | ".join(f"{head}, k={k}" for head in ("L", "L with min-sum") for k in sets.KS)
            + " | null, k=5 |",
            "|---|---|" + "---:|" * (2 * len(sets.KS) + 1),
        ]  # fmt: skip
        for name, guarantee, maskings in _maskings(records):
            pairs = [Pairs.of(records, masking) for masking in maskings]
            figures = " | ".join(f"{loss.set_loss(x, by):.1f}" for by in JUDGES for x in pairs)
            lines.append(f"| {name} | {guarantee} | {figures} | {_null_share(maskings[-1], records):.1f} % |")
        lines.append("")
    return "\n".join(lines)


def _null_share(masking: Masking, records: Records) -> float:
    """Return the share of records with items, in per cent, that have none in a release."""
    before, after = (
        np.array([not x for x in attributes[0].values], bool)[codes]
        for attributes, codes in (
            (records.attributes, records.codes[masking.source, 0]),
            (masking.attributes, masking.codes[:, 0]),
        )
    )
    return 100 * float(masking.share[after & ~before].sum() / masking.share[~before].sum())


def speed() -> str:
    """Measure whole data sets."""
    lines = [
        "| generalise, k = 5 | sets | distinct | items | recoding | CPU seconds |",
        "|---|---:|---:|---:|---|---:|",
    ]
    for name, rows in (("Groceries", sets.groceries()), ("What's Cooking", sets.recipes()[1])):
        records = sets.records_of(rows)
        about = f"| {name} | {len(rows):,} | {len(records):,} | {len({x for row in rows for x in row}):,} |"
        variants: dict[str, KAnonymityMethod] = {"local": al.Generalise(k=5)}
        variants |= {f"global, m = {m}": al.Generalise(k=5, recoding="global", items=m) for m in (2, 3)}
        for variant, method in variants.items():
            began = time.process_time()
            method.mask(records)
            lines.append(f"{about} {variant} | {time.process_time() - began:.1f} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    pages.write(sets.PAGE, "generalisation", table())
    pages.write(GENERALISE_PAGE, "sets", speed())
