"""Every published figure and claim of the five papers, tested: python benchmarks/papers_page.py

Writes the computed parts of docs/papers.md and the charts beside it, in docs/papers.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import claims_fusion_linkage
import claims_fusion_quality
import claims_sa_mdav_loss
import claims_sa_mdav_score
import fusion
import pages
import papers_hierarchy_quality
import papers_martinez_thesis
import papers_sa_mdav
import papers_semantic_noise
import papers_set_valued
from claims import NOT, Claim, Figure, claims_table, figures_table, summary_table
from paths import ROOT

from allonym.records import Records

PAGE = ROOT / "docs" / "papers.md"
CHARTS = ROOT / "docs" / "papers"
CLAIMS: dict[str, Sequence[Claim[Any]]] = {
    "P0": (*claims_fusion_quality.CLAIMS, *claims_fusion_linkage.CLAIMS),
    "P1": (*claims_sa_mdav_loss.CLAIMS, *claims_sa_mdav_score.CLAIMS),
    "P2": papers_hierarchy_quality.CLAIMS,
    "P3": papers_semantic_noise.CLAIMS,
    "P4": papers_set_valued.CLAIMS,
}
MARKS = ("summary", "over-k", "spent", *(f"{x.lower()}-{part}" for x in CLAIMS for part in ("figures", "claims")))


class Measured(NamedTuple):
    """What was measured for a paper, and its published figures beside ours."""

    found: Any
    figures: list[Figure]


def measured(every: dict[str, Records]) -> dict[str, Callable[[], Measured]]:
    """Say how each paper is measured."""

    def with_tables(paper: Any) -> Measured:
        found = paper.measured(every)
        return Measured(found, paper.published(every, found) if paper is papers_sa_mdav else paper.published(found))

    def alone(paper: Any) -> Measured:
        found = paper.measured()
        return Measured(found, paper.published() if paper is papers_set_valued else paper.published(found))

    return {
        "P0": lambda: with_tables(papers_martinez_thesis),
        "P1": lambda: with_tables(papers_sa_mdav),
        "P2": lambda: alone(papers_hierarchy_quality),
        "P3": lambda: alone(papers_semantic_noise),
        "P4": lambda: alone(papers_set_valued),
    }


def told(judged: dict[str, list[str]]) -> str:
    """Lay out how many claims hold, and name those that do not."""
    lines = [summary_table(judged), "What does not hold:\n"]
    for paper, verdicts in judged.items():
        for claim, verdict in zip(CLAIMS[paper], verdicts, strict=True):
            if verdict == NOT:
                lines.append(f"- {paper}: {claim.says} ({claim.where}).")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure everything, write the page."""
    spent: dict[str, float] = {}
    judged: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory() as place:
        every = dict(fusion.tables(Path(place)))
    for paper, measure in measured(every).items():
        began = time.process_time()
        found, figures = measure()
        spent[paper] = time.process_time() - began
        judged[paper] = [claim.verdict(found) for claim in CLAIMS[paper]]
        pages.write(PAGE, f"{paper.lower()}-figures", figures_table(figures))
        pages.write(PAGE, f"{paper.lower()}-claims", claims_table(CLAIMS[paper], found))
        if paper == "P1":
            papers_sa_mdav.draw(found, CHARTS)
            pages.write(PAGE, "over-k", papers_sa_mdav.over_k(found))
    pages.write(PAGE, "summary", told(judged))
    parts = ", ".join(f"{paper} {seconds:.0f}" for paper, seconds in spent.items())
    pages.write(PAGE, "spent", f"CPU seconds: {sum(spent.values()):.0f} in all ({parts}).\n")


if __name__ == "__main__":
    main()
