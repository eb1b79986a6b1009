"""Recompute every published figure and test every claim of the five papers: python benchmarks/papers_page.py

Writes the generated blocks of docs/papers.md, the charts in docs/papers, and the table of centroid candidates in
docs/methods/sa-mdav.md.
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

import claims_fusion_steps
import claims_recoding
import papers_centroid_example
from allonym.records import Records

PAGE = ROOT / "docs" / "papers.md"
CHARTS = ROOT / "docs" / "papers"
METHOD_PAGE = ROOT / "docs" / "methods" / "sa-mdav.md"
THESIS, SA_MDAV, VGH_QUALITY, NOISE, SETS = "thesis", "SA-MDAV", "VGH quality", "semantic noise", "set-valued"
CLAIMS: dict[str, Sequence[Claim[Any]]] = {
    THESIS: (
        *claims_fusion_quality.CLAIMS,
        *claims_fusion_steps.CLAIMS,
        *claims_fusion_linkage.CLAIMS,
        *claims_recoding.CLAIMS,
    ),
    SA_MDAV: (*claims_sa_mdav_loss.CLAIMS, *claims_sa_mdav_score.CLAIMS),
    VGH_QUALITY: papers_hierarchy_quality.CLAIMS,
    NOISE: papers_semantic_noise.CLAIMS,
    SETS: papers_set_valued.CLAIMS,
}


def block(paper: str, part: str) -> str:
    """Return the name of a generated block of the page.

    >>> block("VGH quality", "claims")
    'vgh-quality-claims'
    """
    return f"{paper.lower().replace(' ', '-')}-{part}"


BLOCKS = ("summary", "over-k", "cpu-seconds", *(block(x, part) for x in CLAIMS for part in ("figures", "claims")))


class Measured(NamedTuple):
    """The results measured for a paper, and its published figures with ours."""

    results: Any
    figures: list[Figure]


def measurements(tables: dict[str, Records]) -> dict[str, Callable[[], Measured]]:
    """Return the function that measures each paper."""

    def thesis() -> Measured:
        results = papers_martinez_thesis.measure(tables)
        return Measured(results, papers_martinez_thesis.published_figures(results))

    def sa_mdav() -> Measured:
        results = papers_sa_mdav.measure(tables)
        return Measured(results, papers_sa_mdav.published_figures(tables, results))

    def hierarchy_quality() -> Measured:
        results = papers_hierarchy_quality.measure()
        return Measured(results, papers_hierarchy_quality.published_figures(results))

    def semantic_noise() -> Measured:
        results = papers_semantic_noise.measure()
        return Measured(results, papers_semantic_noise.published_figures(results))

    def set_valued() -> Measured:
        return Measured(papers_set_valued.measure(), papers_set_valued.published_figures())

    return {
        THESIS: thesis,
        SA_MDAV: sa_mdav,
        VGH_QUALITY: hierarchy_quality,
        NOISE: semantic_noise,
        SETS: set_valued,
    }


def summary(verdicts_of: dict[str, list[str]]) -> str:
    """Return how many claims hold, and the list of those that do not."""
    lines = [summary_table(verdicts_of), "Claims that do not hold:\n"]
    for paper, verdicts in verdicts_of.items():
        for claim, verdict in zip(CLAIMS[paper], verdicts, strict=True):
            if verdict == NOT:
                lines.append(f"- {paper}: {claim.statement} ({claim.section}).")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure every paper and write the page."""
    seconds: dict[str, float] = {}
    verdicts_of: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        tables = dict(fusion.tables(Path(folder)))
    for paper, measure in measurements(tables).items():
        began = time.process_time()
        results, figures = measure()
        seconds[paper] = time.process_time() - began
        verdicts_of[paper] = [claim.verdict(results) for claim in CLAIMS[paper]]
        pages.write(PAGE, block(paper, "figures"), figures_table(figures))
        pages.write(PAGE, block(paper, "claims"), claims_table(CLAIMS[paper], results))
        if paper == SA_MDAV:
            papers_sa_mdav.draw(results, CHARTS)
            pages.write(PAGE, "over-k", papers_sa_mdav.over_k(results))
            sums = papers_centroid_example.all_sums()
            pages.write(METHOD_PAGE, "centroid-candidates", papers_centroid_example.candidates_table(sums))
    pages.write(PAGE, "summary", summary(verdicts_of))
    parts = ", ".join(f"{paper} {spent:.0f}" for paper, spent in seconds.items())
    pages.write(PAGE, "cpu-seconds", f"CPU seconds: {sum(seconds.values()):.0f} in total ({parts}).\n")


if __name__ == "__main__":
    main()
