"""How well linking works on real columns: python benchmarks/linking_quality.py

Coverage is over the whole column; precision is over up to 50 random values of each, whose acceptable concepts were
written down without seeing what the software chose (tests/data/judged). Writes the table between the marks in
docs/ontologies/linking.md. Needs the data beside the project.
"""

from __future__ import annotations

import csv
import gzip
import random
from collections import Counter
from dataclasses import dataclass

from pages import write
from paths import DATA, ROOT

from allonym.ontology.linking.link import Link, link
from allonym.ontology.readers import read_taxonomy
from allonym.ontology.scope import Scope
from allonym.ontology.wordnet import wordnet

JUDGED = ROOT / "tests" / "data" / "judged"
PAGE = ROOT / "docs" / "ontologies" / "linking.md"
STATUSES = ("sure", "review", "unmatched")


@dataclass(frozen=True)
class Quality:
    """One column: what became of all its values, and how many of the judged ones are right."""

    links: list[Link]
    judged: Counter[str]
    right: Counter[str]


def columns() -> dict[str, tuple[str, Counter[str], Scope]]:
    """Return the columns with their ontologies."""
    with (DATA / "adult" / "adult.data").open() as file:
        adult = [row for row in csv.reader(file, skipinitialspace=True) if row]
    with gzip.open(DATA / "setvalued" / "synthea_ibm_conditions.csv.gz", "rt") as file:
        diagnoses = Counter(row["DESCRIPTION"] for row in csv.DictReader(file))
    labels = (DATA / "setvalued" / "Groceries.labels").read_text("latin-1").splitlines()
    items = Counter(line.split("\t")[1].strip() for line in labels)
    doid = Scope.of(read_taxonomy(DATA / "taxonomies" / "doid_2019-03-07.obo.gz"))
    return {
        "occupations": ("Adult's occupations", _without(adult, 6), wordnet(root="person")),
        "countries": ("Adult's countries", _without(adult, 13), wordnet()),
        "groceries": ("grocery items", items, wordnet()),
        "diagnoses-wordnet": ("diagnoses", diagnoses, wordnet()),
        "diagnoses-doid": ("diagnoses", diagnoses, doid),
    }


def sample(values: Counter[str]) -> list[str]:
    """Draw the values to be judged: the same every time."""
    every = sorted(values)
    random.Random(2026).shuffle(every)
    return sorted(every[:50])


def _without(rows: list[list[str]], column: int) -> Counter[str]:
    return Counter(row[column] for row in rows if row[column] != "?")


def quality(name: str, values: Counter[str], scope: Scope) -> Quality:
    """Link a column and compare with what was judged."""
    with (JUDGED / f"{name}.csv").open(encoding="utf-8") as file:
        accepted = {row["value"]: row["acceptable"].split(" | ") for row in csv.DictReader(file)}
    links = link(values, scope, suggest=False)
    judged, right = Counter[str](), Counter[str]()
    for x in links:
        if x.value in accepted:
            judged[x.status] += 1
            right[x.status] += x.concept is not None and scope.taxonomy.ids[x.concept] in accepted[x.value]
    return Quality(links, judged, right)


def table() -> str:
    """Return the table as Markdown."""
    lines = [
        "| column | ontology | values | sure | review | unmatched | cells sure or review | right of judged `sure` "
        "| right of judged `review` |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    total_judged, total_right = Counter[str](), Counter[str]()
    for name, (title, values, scope) in columns().items():
        found = quality(name, values, scope)
        by_status = Counter(x.status for x in found.links)
        cells = sum(x.count for x in found.links if x.concept is not None) / sum(values.values())
        ontology = "DOID" if name.endswith("doid") else f"`{scope.name}`"
        ratios = [f"{found.right[s]} of {found.judged[s]}" for s in ("sure", "review")]
        numbers = [str(len(values)), *(str(by_status[s]) for s in STATUSES), f"{cells:.0%}", *ratios]
        lines.append(f"| {title} | {ontology} | " + " | ".join(numbers) + " |")
        total_judged += found.judged
        total_right += found.right
    summed = [f"**{total_right[s]} of {total_judged[s]}**" for s in ("sure", "review")]
    lines.append("| all | | | | | | | " + " | ".join(summed) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    write(PAGE, "quality", table())
