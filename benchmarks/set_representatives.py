"""What stands for groups of sets, and what it gives away: python benchmarks/set_representatives.py

Writes a table of docs/methods/sets.md.
"""

from __future__ import annotations

import time

import pages
import sets

import allonym as al
from allonym.measures.measurement import measured
from allonym.records import Pairs

K = 5
MEASURES = ("verbatim_sets", "rare_items", "read_by_3_items", "whole_sets_read", "information_loss", "set_loss",
            "set_loss_min_sum")  # fmt: skip
HEAD = (
    "| | represent | somebody's sets (%) | rare items (%) | other items read (%) | sets read whole (%) | "
    "information loss (%) | L with avg | L with min-sum | items per set | CPU seconds |"
)


def table() -> str:
    """Return the figures of both representatives for each data set."""
    lines = [HEAD, "|---|---|" + "---:|" * 9]
    for name, (rows, ontology) in sets.data_sets().items():
        records = sets.records_of(rows, ontology)
        for label, represent in (("consensus", "auto"), ("medoid", "centroid")):
            began = time.process_time()
            masking = al.SAMDAV(k=K, represent=represent).mask(records, 0)
            spent = time.process_time() - began
            pairs = Pairs.of(records, masking)
            figures = measured(pairs, K, MEASURES)
            cells = " | ".join(f"{figures[x].value:.1f}" for x in MEASURES)
            lines.append(f"| {name} | `{label}` | {cells} | {length(pairs, pairs.masked):.1f} | {spent:.1f} |")
        before = " | ".join(f"{figures[x].before or 0:.1f}" for x in MEASURES)
        lines.append(f"| {name} | unmasked | {before} | {length(pairs, pairs.original):.1f} | |")
        blind = " | ".join("" if "read" not in x else f"{figures[x].baseline or 0:.1f}" for x in MEASURES)
        lines.append(f"| {name} | the most frequent items | {blind} | | |")
    return "\n".join(lines) + "\n"


def length(pairs: Pairs, codes: object) -> float:
    """Return the mean number of items of a set."""
    sizes = pairs.attributes[0].metric.sizes  # type: ignore[attr-defined]
    return float((sizes[codes[:, 0]] * pairs.counts).sum() / pairs.counts.sum())  # type: ignore[index]


if __name__ == "__main__":
    pages.write(sets.PAGE, "representatives", table())
