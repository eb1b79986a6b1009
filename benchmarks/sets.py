"""Set-valued data as its paper evaluates it, its speed, and what is left for learning: python benchmarks/sets.py

Writes the tables of docs/methods/sets.md.
"""

from __future__ import annotations

import csv
import gzip
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
import pages
import pandas as pd
from paths import DATA, ROOT

import allonym as al
from allonym.kinds.set_metric import SET_DISTANCES, SetMetric
from allonym.measures import loss
from allonym.pipeline.prepare import prepare
from allonym.records import Pairs, Records
from allonym.tables.files import open_any

PAGE = ROOT / "docs" / "methods" / "sets.md"
FOLDER = DATA / "setvalued"
DOID = DATA / "taxonomies" / "doid_2019-03-07.obo.gz"
KS = (2, 3, 4, 5)
SAMPLE = 2000
LEARNT = 6000
ARMS = (("min-sum", "s-mdav", "min-sum"), ("avg", "s-mdav", "avg"), ("equality", "mdav", "min-sum"))
WHOLE = """
import resource, sys, time
sys.path.insert(0, sys.argv[1])
import sets
records = sets.records_of(sets.groceries() if sys.argv[2] == "Groceries" else sets.recipes()[1], way=sys.argv[3])
began = time.process_time()
import allonym as al
al.SMDAV(k=5).mask(records)
print(time.process_time() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def groceries() -> list[list[str]]:
    """Return baskets of a shop."""
    return [line.split(",") for line in (FOLDER / "groceries.csv").read_text().splitlines()]


def recipes() -> tuple[list[str], list[list[str]]]:
    """Return the cuisines and the ingredients of recipes."""
    with gzip.open(FOLDER / "whats_cooking_recipes_words.csv.gz", "rt") as file:
        rows = [line.strip().split(",") for line in file]
    return [row[0] for row in rows], [[x.replace("_", " ") for x in row[1:]] for row in rows]


def patients() -> list[list[str]]:
    """Return the diagnoses of synthetic patients."""
    with gzip.open(FOLDER / "synthea_ibm_conditions.csv.gz", "rt") as file:
        rows = sorted((row["PATIENT"], row["DESCRIPTION"]) for row in csv.DictReader(file))
    return [sorted({x for _, x in own}) for _, own in groupby(rows, key=lambda row: row[0])]


def sampled(rows: list[list[str]], size: int = SAMPLE) -> list[list[str]]:
    """Draw some rows."""
    chosen = np.random.default_rng(0).permutation(len(rows))[:size]
    return [rows[i] for i in sorted(chosen.tolist())]


def records_of(rows: list[list[str]], ontology: str = "wordnet", way: str = "min-sum") -> Records:
    """Return sets as methods see them."""
    column = al.quasi(ontology, kind="set", distance=way, accept_review=True, unmatched="opaque")
    found = prepare(al.Plan({"items": column}), open_any(pd.DataFrame({"items": rows})))
    assert found.records is not None, found.problems
    return found.records


def judged(records: Records, way: str) -> Records:
    """Return the same sets under another distance."""
    [attribute] = records.attributes
    assert isinstance(attribute.metric, SetMetric)
    return replace(records, attributes=(replace(attribute, metric=attribute.metric.judged(way)),))


class Lost(NamedTuple):
    """What a data set lost."""

    sets: int  # different ones
    floor: float  # L of the data as they are
    figures: dict[tuple[str, str], dict[str, list[float]]]  # distance, by what -> judged by -> a figure for each k


def losses(rows: list[list[str]], ontology: str, seeds: Sequence[int] = (0,)) -> Lost:
    """Measure L by avg, as P4 does, and by min-sum; the mean over seeds, which decide ties."""
    records = records_of(rows, ontology)
    own = Pairs.of(records, al.SMDAV(k=2).mask(records)).unmasked
    figures = {}
    for way in SET_DISTANCES:
        for what, method in (("semantic", al.SMDAV), ("equality", al.MDAV)):
            seen = judged(records, way)
            pairs = [[Pairs.of(records, method(k=k).mask(seen, seed)) for seed in seeds] for k in KS]
            figures[way, what] = {
                judge: [float(np.mean([loss.set_loss(x, judge) for x in runs])) for runs in pairs]
                for judge in ("avg", "min-sum")
            }
    return Lost(len(records), loss.set_loss(own), figures)


def data(size: int = SAMPLE) -> dict[str, tuple[list[list[str]], str]]:
    """Return some sets of each kind, with their ontology."""
    return {
        f"Groceries, {size:,} of 9,835 baskets, WordNet": (sampled(groceries(), size), "wordnet"),
        f"What's Cooking, {size:,} of 39,692 recipes, WordNet": (sampled(recipes()[1], size), "wordnet"),
        "synthetic patients, all 986, Disease Ontology": (patients(), str(DOID)),
    }


def table() -> str:
    """Lay out a table like P4's Table 1 for each data set."""
    lines: list[str] = []
    for name, (rows, ontology) in data().items():
        found = losses(rows, ontology)
        lines += [
            f"{name} ({found.sets:,} different sets). Floor of L by avg: {found.floor:.1f}, by min-sum 0.\n",
            "| | | "
            + " | ".join(f"L, k={k}" for k in KS)
            + " | "
            + " | ".join(f"by min-sum, k={k}" for k in KS)
            + " |",
            "|---|---|" + "---:|" * (2 * len(KS)),
        ]
        for (way, what), of in found.figures.items():
            lines.append(f"| {way} | {what} | " + " | ".join(f"{x:.1f}" for x in (*of["avg"], *of["min-sum"])) + " |")
        lines.append("")
    return "\n".join(lines)


def speed() -> str:
    """Measure whole data sets, each run in a process of its own."""
    lines = ["| s-mdav, k = 5 | distance | CPU seconds | MB |", "|---|---|---:|---:|"]
    for name, ways in (("Groceries", SET_DISTANCES), ("What's Cooking", ("avg", "min-sum"))):
        for way in ways:
            command = [sys.executable, "-c", WHOLE, str(ROOT / "benchmarks"), name, way]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            seconds, megabytes = map(float, done.stdout.split())
            lines.append(f"| {name} | {way} | {seconds:.0f} | {megabytes:.0f} |")
    return "\n".join(lines) + "\n"


def learning() -> str:
    """Say how well the cuisine of other recipes is told by a model that learnt from masked ones."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.naive_bayes import MultinomialNB

    cuisines, rows = recipes()
    order = np.random.default_rng(1).permutation(len(rows))
    learn, other = order[:LEARNT].tolist(), order[-LEARNT:].tolist()
    truth = [cuisines[i] for i in other]

    def accuracy(sets: Sequence[Sequence[str]]) -> float:
        words: Any = CountVectorizer(analyzer=lambda items: items, binary=True)
        model = MultinomialNB().fit(words.fit_transform(sets), [cuisines[i] for i in learn])
        return 100 * float((model.predict(words.transform([rows[i] for i in other])) == np.array(truth)).mean())

    majority = 100 * max(truth.count(x) for x in set(truth)) / len(truth)
    own = [rows[i] for i in learn]
    lines = [
        f"| {LEARNT:,} recipes learnt from, {LEARNT:,} others told | accuracy (%) |",
        "|---|---:|",
        f"| always the most frequent cuisine | {majority:.1f} |",
        f"| recipes as they are | {accuracy(own):.1f} |",
    ]
    column = al.quasi("wordnet", kind="set", accept_review=True, unmatched="opaque")
    for k in (2, 5, 10):
        for what, method, way in (
            ("min-sum", "s-mdav", "min-sum"),
            ("avg", "s-mdav", "avg"),
            ("equality", "mdav", "min-sum"),
        ):
            plan = al.Plan({"items": replace(column, distance=way)}, method=method, k=k)
            masked = plan.run(pd.DataFrame({"items": own})).frame["items"].tolist()
            lines.append(f"| masked by {method}, {what}, k = {k} | {accuracy(masked):.1f} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    pages.write(PAGE, "speed", speed())  # first: a child's peak memory begins with its parent's
    pages.write(PAGE, "losses", table())
    pages.write(PAGE, "learning", learning())
