"""Coverage and precision of linking items of sets, with and without their context: python benchmarks/linking_queries.py

The queries are those of tests/data/queries.csv: made up, in sets as one person might ask them, with the concepts that
are right, or none. The weights were chosen on the part `development`; the part `check` was seen, too. Baskets and
diagnoses are those of the development set of linking_quality.py, in the sets of the data beside the project. Four of
its columns as one show what becomes of named individuals among other items. Writes a block of
docs/ontologies/linking.md. `--errors` lists the links of queries that are not right.
"""

from __future__ import annotations

import argparse
import csv
import gzip
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pages import write
from paths import DATA, ROOT

from allonym.ontology.linking.link import Link, link
from allonym.ontology.wordnet import wordnet

QUERIES = ROOT / "tests" / "data" / "queries.csv"
MIXED = (
    ("adult", "native-country"),
    ("adult", "occupation"),
    ("groceries", "item"),
    ("synthea", "diagnosis"),
)  # columns of words and of named individuals
PAGE = ROOT / "docs" / "ontologies" / "linking.md"


@dataclass(frozen=True)
class Items:
    """The items of a column of sets, and the concepts that are right for some of them."""

    title: str
    name: str
    sets: list[list[str]]
    right: dict[str, frozenset[str]]  # empty, if no concept is

    def links(self, *, together: bool) -> list[Link]:
        """Return the links of the items that were judged, as a column of sets or of words."""
        counts = Counter(item for items in self.sets for item in set(items))
        sets: Sequence[list[str]] = self.sets if together else ()
        links = link(counts, wordnet(), name=self.name, suggest=False, together=sets)
        return [x for x in links if x.value in self.right]


def queries(part: str) -> Items:
    """Return the queries of a part."""
    sets: dict[str, list[str]] = {}
    right: dict[str, frozenset[str]] = {}
    with QUERIES.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["part"] == part:
                sets.setdefault(row["person"], []).append(row["query"])
                right[row["query"]] = frozenset(row["acceptable"].split(" | ")) - {""}
    return Items(f"queries, {part}", "queries", list(sets.values()), right)


def labelled() -> Iterator[Items]:
    """Yield the sets of the data beside the project whose items were labelled."""
    with (DATA / "setvalued" / "groceries.csv").open(encoding="utf-8", newline="") as file:
        baskets = [[item for item in row if item] for row in csv.reader(file)]
    patients: dict[str, list[str]] = {}
    with gzip.open(DATA / "setvalued" / "synthea_ibm_conditions.csv.gz", "rt", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            patients.setdefault(row["PATIENT"], []).append(row["DESCRIPTION"])
    yield Items("baskets", "item", baskets, _gold("groceries", "item"))
    yield Items("diagnoses", "diagnosis", list(patients.values()), _gold("synthea", "diagnosis"))
    mixed = [_gold(*x) for x in MIXED]
    values = {value: right for gold in mixed for value, right in gold.items()}
    yield Items("countries, jobs, groceries and diagnoses", "items", [[value] for value in values], values)


def _gold(dataset: str, column: str) -> dict[str, frozenset[str]]:
    with (DATA / "words" / "gold_dev.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if (row["dataset"], row["column"]) == (dataset, column)]
    return {row["value"]: frozenset(row["concepts"].split()) for row in rows}


def tally(items: Items, *, together: bool) -> Counter[str]:
    """Count links by status, those that are right, and items that have a concept."""
    ids = wordnet().taxonomy.ids
    counts: Counter[str] = Counter()
    for x in items.links(together=together):
        right = x.concept is not None and ids[x.concept] in items.right[x.value]
        counts.update({"all": 1, x.status: 1, f"{x.status} right": right, "found": right})
        counts["has concept"] += bool(items.right[x.value])
    return counts


def rows(items: Items) -> Iterator[str]:
    """Yield the rows of the table for a column."""
    for together, title in ((False, "as words"), (True, "as items of sets")):
        n = tally(items, together=together)
        shares = [f"{n[f'{status} right']} of {n[status]}" for status in ("sure", "review")]
        found = f"{n['found']} of {n['has concept']}"
        yield f"| {items.title} | {n['all']} | {title} | {' | '.join(shares)} | {n['unmatched']} | {found} |"


def table(columns: Sequence[Items]) -> str:
    """Return the table as Markdown."""
    lines = [
        "| items | judged | linked | right of `sure` | right of `review` | unmatched | found |",
        "|---|---:|---|---:|---:|---:|---:|",
        *(row for items in columns for row in rows(items)),
    ]
    return "\n".join(lines) + "\n"


def errors() -> Iterator[str]:
    """Yield the links of queries that are not right."""
    ids = wordnet().taxonomy.ids
    for part in ("development", "check"):
        items = queries(part)
        for x in items.links(together=True):
            concept = None if x.concept is None else ids[x.concept]
            right = items.right[x.value]
            if concept not in (right or {None}):
                yield f"{part:12} {x.status:9} {x.confidence:.2f} {x.value:26} {concept} <- {' '.join(sorted(right))}"


def main() -> None:
    """Write the table, or print what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--errors", action="store_true", help="list the links that are not right")
    if parser.parse_args().errors:
        print("\n".join(errors()))
    else:
        write(PAGE, "queries", table([queries("development"), queries("check"), *labelled()]))


if __name__ == "__main__":
    main()
