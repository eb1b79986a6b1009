"""Coverage and precision of linking on real columns: python benchmarks/linking_quality.py

Links the columns of the development set (20 columns, 405 values linked by hand) and compares the links with the gold
standard; then those of tests/data/judged (linking_judged.py). Needs the data beside the project. Writes two blocks of
docs/ontologies/linking.md. `--errors` lists the links that the gold standard does not accept; `--fit` fits the weights
of the confidence and prints them.
"""

from __future__ import annotations

import argparse
import csv
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from unittest import mock

import numpy as np
from pages import write
from paths import DATA, ROOT

import linking_judged
from allonym.ontology.linking import choose
from allonym.ontology.linking.confidence import Features
from allonym.ontology.linking.link import Link, link
from allonym.ontology.taxonomy import Taxonomy
from allonym.ontology.wordnet import wordnet

WORDS = DATA / "words"
PAGE = ROOT / "docs" / "ontologies" / "linking.md"
STATUSES = ("sure", "review", "unmatched")


@dataclass(frozen=True)
class Gold:
    """What a person says of a value."""

    relation: str  # same | narrower | none
    concepts: frozenset[str]
    cells: int


@dataclass(frozen=True)
class Judged:
    """A link beside the gold standard."""

    link: Link
    gold: Gold
    concept: str | None
    merged: bool  # with another value, although it is narrower than its concept

    @property
    def right(self) -> bool:
        """Whether the concept is an accepted one."""
        return self.concept in self.gold.concepts

    @property
    def has_concept(self) -> bool:
        """Whether the ontology has a concept for the value."""
        return self.gold.relation != "none"


@dataclass
class Tally:
    """Sums over the judged values of a column, by values and by cells."""

    values: Counter[str] = field(default_factory=Counter)
    cells: Counter[str] = field(default_factory=Counter)

    def add(self, name: str, cells: int) -> None:
        """Count one value."""
        self.values[name] += 1
        self.cells[name] += cells

    def __iadd__(self, other: Tally) -> Tally:
        self.values += other.values
        self.cells += other.cells
        return self


def columns() -> Iterator[tuple[str, str, dict[str, int], dict[str, Gold]]]:
    """Yield the data set, the name, the values and the gold standard of each column."""
    gold: dict[tuple[str, str], dict[str, Gold]] = {}
    with (WORDS / "gold_dev.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            accepted = Gold(row["relation"], frozenset(row["concepts"].split()), int(row["cells"]))
            gold.setdefault((row["dataset"], row["column"]), {})[row["value"]] = accepted
    for (dataset, column), accepted_of in gold.items():
        with (WORDS / "columns" / f"{dataset}_{column}.csv").open(encoding="utf-8", newline="") as file:
            values = {row["value"]: int(row["cells"]) for row in csv.DictReader(file)}
        yield dataset, column, values, accepted_of


def judge(values: dict[str, int], gold: dict[str, Gold], taxonomy: Taxonomy, name: str = "") -> list[Judged]:
    """Link a column and compare the links with the gold standard."""
    links = link(values, taxonomy, name=name)
    same = Counter(x.concept for x in links if x.concept is not None and x.relation == "same")
    judged = []
    for x in links:
        if x.value in gold:
            concept = None if x.concept is None else taxonomy.ids[x.concept]
            shared = x.concept is not None and x.relation == "same" and same[x.concept] > 1
            judged.append(Judged(x, gold[x.value], concept, shared and gold[x.value].relation == "narrower"))
    return judged


def tally(judged: list[Judged]) -> Tally:
    """Count links by status, right ones, and values that have a concept."""
    sums = Tally()
    for x in judged:
        cells = x.gold.cells
        sums.add("all", cells)
        sums.add(x.link.status, cells)
        if x.right:
            sums.add(f"{x.link.status} right", cells)
        if x.has_concept:
            sums.add("has concept", cells)
            if x.link.status == "sure":
                sums.add("sure of concept", cells)
            if x.right:
                sums.add("found", cells)
        if x.merged:
            sums.add("merged", cells)
    return sums


def measure() -> tuple[dict[str, Tally], Tally, list[tuple[str, Judged]]]:
    """Return the tally of each column, that of all, and every judged link with its column."""
    taxonomy = wordnet().taxonomy
    tallies: dict[str, Tally] = {}
    total = Tally()
    every = []
    for dataset, column, values, gold in columns():
        judged = judge(values, gold, taxonomy, column)
        tallies[f"{dataset}: {column}"] = sums = tally(judged)
        total += sums
        every += [(f"{dataset}: {column}", x) for x in judged]
    return tallies, total, every


def share(part: int, whole: int) -> str:
    """Return a share in per cent."""
    return "–" if not whole else f"{part / whole:.0%}"


def row(name: str, sums: Tally) -> str:
    """Return a row of the table."""
    cells, values = sums.cells, sums.values
    shares = [share(cells[s], cells["all"]) for s in STATUSES]
    right = [f"{values[f'{s} right']} of {values[s]}" for s in ("sure", "review")]
    found = f"{values['found']} of {values['has concept']}"
    return f"| {name} | {values['all']} | " + " | ".join([*shares, *right, found, str(values["merged"])]) + " |"


def table() -> str:
    """Return the table as Markdown."""
    tallies, total, _ = measure()
    lines = [
        "| column | values | sure | review | unmatched | right of `sure` | right of `review` | found | merged |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
        *(row(name, sums) for name, sums in tallies.items()),
        row("**all**", total),
        "",
        *summary(total),
    ]
    return "\n".join(lines) + "\n"


def summary(total: Tally) -> list[str]:
    """Return the figures that must hold, as a list."""
    values, cells = total.values, total.cells
    return [
        f"- `sure` is right for {values['sure right'] / values['sure']:.1%} of values, "
        f"{cells['sure right'] / cells['sure']:.1%} of cells.",
        f"- `sure` covers {cells['sure of concept'] / cells['has concept']:.1%} of the cells that have a concept.",
        f"- Recall (`sure` or the first proposal): {values['found'] / values['has concept']:.1%} of values, "
        f"{cells['found'] / cells['has concept']:.1%} of cells.",
        f"- Narrower values merged with another value: {values['merged']}.",
    ]


def errors() -> Iterator[str]:
    """Yield the links that the gold standard does not accept."""
    for name, x in measure()[2]:
        if not x.right and (x.has_concept or x.concept):
            accepted = " ".join(sorted(x.gold.concepts)) or "none"
            yield (
                f"{x.link.status:9} {x.link.confidence:.2f} {name[:24]:24} {x.link.value[:40]:40} {x.gold.cells:6} "
                f"{x.link.reason:12} {x.concept} <- {accepted}"
            )


def features() -> list[tuple[Features, bool]]:
    """Return what is known about the link of each judged value that has one, and whether the link is accepted."""
    taxonomy = wordnet().taxonomy
    seen: dict[str, Features] = {}
    original = choose.ColumnChoice.choices

    def noted(self: choose.ColumnChoice) -> dict[str, choose.Choice]:
        chosen = original(self)
        seen.update({value: x.features for value, x in chosen.items()})
        return chosen

    known = []
    with mock.patch.object(choose.ColumnChoice, "choices", noted):
        for _, column, values, gold in columns():
            seen.clear()
            known += [(seen[x.link.value], x.right) for x in judge(values, gold, taxonomy, column) if x.concept]
    return known


def fitted(regularisation: float = 0.5) -> dict[str, float]:
    """Return the weights of the logistic model, by Newton's method with a penalty on their squares."""
    known = features()
    names = list(asdict(known[0][0]))
    table = np.array([[1.0, *asdict(x).values()] for x, _ in known])
    right = np.array([accepted for _, accepted in known], float)
    weights = np.zeros(table.shape[1])
    penalty = np.diag([0.01, *[regularisation] * len(names)])
    for _ in range(50):
        probability = 1 / (1 + np.exp(-table @ weights))
        slope = table.T @ (right - probability) - penalty @ weights
        curvature = (table * (probability * (1 - probability))[:, None]).T @ table + penalty
        weights += np.linalg.solve(curvature, slope)
    return dict(zip(["constant", *names], np.round(weights, 2).tolist(), strict=True))


def main() -> None:
    """Write both tables, or print what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--errors", action="store_true", help="list the links that are not accepted")
    parser.add_argument("--fit", action="store_true", help="fit the weights of the confidence")
    options = parser.parse_args()
    if options.errors:
        print("\n".join(errors()))
    elif options.fit:
        print(fitted())
    else:
        write(PAGE, "quality", table())
        write(PAGE, "judged", linking_judged.table())


if __name__ == "__main__":
    main()
