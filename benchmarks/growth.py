"""Plain and weighted growth of sa-mdav: loss and linkage over k on three tables: python benchmarks/growth.py

Writes a block of docs/methods/sa-mdav.md.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import adult
import census
import pages
from paths import ROOT

import allonym as al
from allonym.measures import loss, risk
from allonym.methods.kernels.adaptive import GROWTH
from allonym.pipeline.demo import demonstration
from allonym.pipeline.prepare import prepare
from allonym.records import Pairs, Records
from allonym.tables.files import open_table

PAGE = ROOT / "docs" / "methods" / "sa-mdav.md"
KS = (2, 3, 5, 10, 15, 50, 100)


def tables(folder: Path) -> Iterator[tuple[str, Records]]:
    """Yield the name and the records of each table."""
    adult.write(folder / "adult.csv")
    yield "Adult, occupation × native-country", records_of(adult.plan(), folder / "adult.csv")
    survey = Path(str(files("allonym") / "data"))
    yield (
        "the bundled survey, reason × activity",
        records_of(demonstration(Path(str(survey))), Path(str(survey / "survey.csv"))),
    )
    census.write(folder / "census.csv")
    words = al.quasi("wordnet", unmatched="opaque", accept_review=True)
    columns = {"age": al.quasi("numeric"), "sex": al.quasi("category"), "education": al.quasi("category")}
    columns |= {"country_of_birth_self": words}
    name = "census_income_kdd, age × sex × education × country of birth"
    yield name, records_of(al.Plan(columns, keep_rest=True), folder / "census.csv")


def records_of(plan: al.Plan, path: Path) -> Records:
    """Return the encoded records of a table."""
    prepared = prepare(plan, open_table(path, plan.reading))
    assert prepared.records is not None, prepared.problems
    return prepared.records


def table() -> str:
    """Measure and return the table."""
    lines = [
        "| table | rows | tuples | | growth | " + " | ".join(f"k={k}" for k in KS) + " |",
        "|---|---:|---:|---|---|" + "---:|" * len(KS),
    ]
    lower = total = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, records in tables(Path(folder)):
            results: dict[tuple[str, str], list[float]] = {}
            for growth in GROWTH:
                pairs = [
                    Pairs.of(records, al.SAMDAV(k=k, growth=growth, represent="centroid", refine=False).mask(records))
                    for k in KS
                ]
                results["loss", growth] = [loss.information_loss(x) for x in pairs]
                results["linkage", growth] = [risk.record_linkage(x) for x in pairs]
            size = f"{name} | {records.n:,} | {len(records):,}"
            for (measure, growth), figures in results.items():
                lines.append(f"| {size} | {measure} | {growth} | " + " | ".join(f"{x:.3f}" for x in figures) + " |")
                size = " | | "
            paired = list(zip(results["loss", "plain"], results["loss", "weighted"], strict=True))
            lower += sum(a < b for a, b in paired)
            total += sum(a != b for a, b in paired)
    comparison = f"\n`plain` loses less in {lower} of the {total} cases in which the two differ.\n"
    return "\n".join(lines) + "\n" + comparison


if __name__ == "__main__":
    pages.write(PAGE, "growth", table())
