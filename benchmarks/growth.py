"""Plain and weighted growth of sa-mdav: loss and linkage over k on three tables: python benchmarks/growth.py

Figures are means over ten seeds, with their range. Writes a block of docs/methods/sa-mdav.md.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

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
SEEDS = 10


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


def figures(records: Records, growth: str, k: int) -> dict[str, Figures]:
    """Return the loss and the linkage of releases with ten seeds, which break ties."""
    method = al.SAMDAV(k=k, growth=growth, represent="centroid", refine=False)
    pairs = [Pairs.of(records, method.mask(records, seed)) for seed in range(SEEDS)]
    return {
        "loss": Figures.of([loss.information_loss(x) for x in pairs]),
        "linkage": Figures.of([risk.record_linkage(x) for x in pairs]),
    }


class Figures(NamedTuple):
    """The mean and the range of a figure."""

    mean: float
    least: float
    most: float

    @classmethod
    def of(cls, each: list[float]) -> Figures:
        """Return the mean and the range of figures."""
        return cls(sum(each) / len(each), min(each), max(each))

    def __str__(self) -> str:
        """Write the mean, and the range where there is one."""
        least, most = f"{self.least:.3f}", f"{self.most:.3f}"
        return f"{self.mean:.3f}" if least == most else f"{self.mean:.3f} ({least}–{most})"


def table() -> str:
    """Measure and return the table."""
    lines = [
        "| table | rows | tuples | | growth | " + " | ".join(f"k={k}" for k in KS) + " |",
        "|---|---:|---:|---|---|" + "---:|" * len(KS),
    ]
    lower = total = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, records in tables(Path(folder)):
            results = {growth: [figures(records, growth, k) for k in KS] for growth in GROWTH}
            size = f"{name} | {records.n:,} | {len(records):,}"
            for growth, by_k in results.items():
                for measure in ("loss", "linkage"):
                    cells = " | ".join(str(x[measure]) for x in by_k)
                    lines.append(f"| {size} | {measure} | {growth} | {cells} |")
                    size = " | | "
            means = [(a["loss"].mean, b["loss"].mean) for a, b in zip(*(results[x] for x in GROWTH), strict=True)]
            lower += sum(a < b for a, b in means)
            total += sum(a != b for a, b in means)
    comparison = f"\n`{GROWTH[0]}` loses less, by the mean, in {lower} of the {total} cases in which the two differ.\n"
    return "\n".join(lines) + "\n" + comparison


if __name__ == "__main__":
    pages.write(PAGE, "growth", table())
