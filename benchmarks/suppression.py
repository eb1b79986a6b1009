"""What suppressing records saves, and when it is worth it: python benchmarks/suppression.py

Masks four tables with and without a budget of suppressed records. Writes a block of docs/methods/suppression.md.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import adult
import census
import growth
import pages
from paths import ROOT

import allonym as al
from allonym.measures import loss
from allonym.pipeline.demo import demonstration
from allonym.records import Pairs, Records

PAGE = ROOT / "docs" / "methods" / "suppression.md"
K = 5
BUDGETS = (0.01, 0.02, 0.05)
LARGE_TABLE = 5_000  # tuples
REPRESENTATIVES = ("truthful", "centroid")


def tables(folder: Path) -> Iterator[tuple[str, Records]]:
    """Yield the name and the records of each table."""
    survey = Path(str(files("allonym") / "data"))
    yield "the bundled survey, 2 columns", growth.records_of(demonstration(survey), survey / "survey.csv")
    adult.write(folder / "adult.csv")
    yield "Adult, 2 columns", growth.records_of(adult.plan(), folder / "adult.csv")
    yield "Adult, 8 columns", growth.records_of(adult.plan_of_eight(), folder / "adult.csv")
    census.write(folder / "census.csv")
    yield "census_income_kdd, 4 columns", growth.records_of(census.plan(4, words=True), folder / "census.csv")


def masked(records: Records, representative: str, share: float) -> tuple[float, int, float]:
    """Return loss, suppressed records within the budget, and CPU seconds."""
    began = time.process_time()
    masking = al.SAMDAV(k=K, represent=representative, suppress=share).mask(records)
    spent = time.process_time() - began
    chosen = 0 if masking.suppression is None else masking.suppression.records
    return loss.information_loss(Pairs.of(records, masking)), chosen, spent


def table() -> str:
    """Measure and return the table."""
    lines = [
        "| table | records | tuples | represent | budget | suppressed | of all | L without | L with | saved "
        "| saved for each 1 % | CPU s without | with |",
        "|---|---:|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    with tempfile.TemporaryDirectory() as folder:
        for name, records in tables(Path(folder)):
            for representative in REPRESENTATIVES:
                before, _, spent = masked(records, representative, 0.0)
                for budget in BUDGETS[:1] if len(records) > LARGE_TABLE else BUDGETS:
                    after, chosen, spent_with = masked(records, representative, budget)
                    share, saved = chosen / records.n, 1 - after / before
                    ratio = f"{saved / share:,.1f} %" if chosen else ""
                    figures = f"{chosen:,} | {100 * share:.3f} % | {before:.3f} | {after:.3f} | {100 * saved:.1f} %"
                    size = f"{name} | {records.n:,} | {len(records):,} | {representative} | {100 * budget:g} %"
                    lines.append(f"| {size} | {figures} | {ratio} | {spent:.2f} | {spent_with:.2f} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    pages.write(PAGE, "suppression", table())
