"""Coverage and precision of linking on columns that were judged independently; see linking_quality.py.

Coverage counts the whole column. Precision counts up to 50 random values per column, whose acceptable concepts were
listed without knowing the choices of the software (tests/data/judged).
"""

from __future__ import annotations

import csv
import gzip
import random
from collections import Counter
from dataclasses import dataclass

from paths import DATA, ROOT

from allonym.ontology.linking.link import Link, link
from allonym.ontology.readers import read_taxonomy
from allonym.ontology.scope import Scope
from allonym.ontology.wordnet import wordnet

JUDGED = ROOT / "tests" / "data" / "judged"
STATUSES = ("sure", "review", "unmatched")


@dataclass(frozen=True)
class Quality:
    """The links of a column, and by status the numbers of judged and of correct values."""

    links: list[Link]
    judged: Counter[str]
    correct: Counter[str]


def columns() -> dict[str, tuple[str, Counter[str], Scope]]:
    """Return the title, the values and the ontology of each column."""
    with (DATA / "adult" / "adult.data").open() as file:
        adult = [row for row in csv.reader(file, skipinitialspace=True) if row]
    with gzip.open(DATA / "setvalued" / "synthea_ibm_conditions.csv.gz", "rt") as file:
        diagnoses = Counter(row["DESCRIPTION"] for row in csv.DictReader(file))
    labels = (DATA / "setvalued" / "Groceries.labels").read_text("latin-1").splitlines()
    items = Counter(line.split("\t")[1].strip() for line in labels)
    doid = Scope.of(read_taxonomy(DATA / "taxonomies" / "doid_2019-03-07.obo.gz"))
    return {
        "occupations": ("occupations of Adult", _known_values(adult, 6), wordnet(root="person")),
        "countries": ("countries of Adult", _known_values(adult, 13), wordnet()),
        "groceries": ("grocery items", items, wordnet()),
        "diagnoses-wordnet": ("diagnoses", diagnoses, wordnet()),
        "diagnoses-doid": ("diagnoses", diagnoses, doid),
    }


def sample(values: Counter[str]) -> list[str]:
    """Return the values to be judged: a fixed random sample."""
    shuffled = sorted(values)
    random.Random(2026).shuffle(shuffled)
    return sorted(shuffled[:50])


def _known_values(rows: list[list[str]], column: int) -> Counter[str]:
    return Counter(row[column] for row in rows if row[column] != "?")


def quality(name: str, values: Counter[str], scope: Scope) -> Quality:
    """Link a column and compare the links with the judged values."""
    with (JUDGED / f"{name}.csv").open(encoding="utf-8") as file:
        accepted = {row["value"]: row["acceptable"].split(" | ") for row in csv.DictReader(file)}
    links = link(values, scope, suggest=False)
    judged, correct = Counter[str](), Counter[str]()
    for x in links:
        if x.value in accepted:
            judged[x.status] += 1
            correct[x.status] += x.concept is not None and scope.taxonomy.ids[x.concept] in accepted[x.value]
    return Quality(links, judged, correct)


def table() -> str:
    """Return the table as Markdown."""
    lines = [
        "| column | ontology | values | sure | review | unmatched | cells linked | correct of judged `sure` "
        "| correct of judged `review` |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    total_judged, total_correct = Counter[str](), Counter[str]()
    for name, (title, values, scope) in columns().items():
        measured = quality(name, values, scope)
        by_status = Counter(x.status for x in measured.links)
        cells = sum(x.count for x in measured.links if x.concept is not None) / sum(values.values())
        ontology = "DOID" if name.endswith("doid") else f"`{scope.name}`"
        ratios = [f"{measured.correct[s]} of {measured.judged[s]}" for s in ("sure", "review")]
        numbers = [str(len(values)), *(str(by_status[s]) for s in STATUSES), f"{cells:.0%}", *ratios]
        lines.append(f"| {title} | {ontology} | " + " | ".join(numbers) + " |")
        total_judged += measured.judged
        total_correct += measured.correct
    summed = [f"**{total_correct[s]} of {total_judged[s]}**" for s in ("sure", "review")]
    lines.append("| all | | | | | | | " + " | ".join(summed) + " |")
    return "\n".join(lines) + "\n"
