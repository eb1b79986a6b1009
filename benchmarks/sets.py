"""Set-valued data: the evaluation of Batet et al. (2014), speed, and machine learning: python benchmarks/sets.py

Writes the tables of docs/methods/sets.md; `--only speed` (or `losses`, `learning`) writes one of them.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pages
import pandas as pd
import synthetic_sets
from paths import DATA, ROOT
from processes import Cost, cost, exponent, machine

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
SAMPLE = 2000  # records masked for the table of losses
TRAINING = 6000  # recipes to train on, and as many to test
TRAINING_VARIANTS = (("min-sum", "s-mdav", "min-sum"), ("avg", "s-mdav", "avg"), ("equality", "mdav", "min-sum"))
GROWTH = {2_000: 4_000, 6_000: 7_500, 12_680: 11_000, 25_000: 16_000}  # synthetic sets: rows and concepts
USERS, QUERIES, QUERY_CONCEPTS = 1_000, 50, 14_000  # the size of the data of the paper


def groceries() -> list[list[str]]:
    """Return the baskets of a shop."""
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
    """Draw a sample of rows."""
    sample = np.random.default_rng(0).permutation(len(rows))[:size]
    return [rows[i] for i in sorted(sample.tolist())]


def records_of(rows: list[list[str]], ontology: str = "wordnet", distance: str = "min-sum") -> Records:
    """Return sets as encoded records."""
    column = al.quasi(ontology, kind="set", distance=distance, accept_review=True, unmatched="opaque")
    prepared = prepare(al.Plan({"items": column}), open_any(pd.DataFrame({"items": rows})))
    assert prepared.records is not None, prepared.problems
    return prepared.records


def with_distance(records: Records, distance: str) -> Records:
    """Return the same sets with another distance."""
    [attribute] = records.attributes
    assert isinstance(attribute.metric, SetMetric)
    return replace(records, attributes=(replace(attribute, metric=attribute.metric.with_distance(distance)),))


class SetLosses(NamedTuple):
    """The losses of a data set."""

    sets: int  # number of distinct sets
    unmasked: float  # L of the unmasked data, computed with avg
    figures: dict[tuple[str, str], dict[str, list[float]]]  # distance, comparison -> L computed with -> one per k


def losses(rows: list[list[str]], ontology: str, seeds: Sequence[int] = (0,)) -> SetLosses:
    """Measure L with avg, as in the paper, and with min-sum: the mean over seeds, which break ties."""
    records = records_of(rows, ontology)
    published: dict[str, Any] = {"represent": "centroid", "refine": False}  # without what allonym adds
    unmasked = Pairs.of(records, al.SMDAV(k=2, **published).mask(records)).unmasked
    figures = {}
    for distance in SET_DISTANCES:
        for comparison, method in (("semantic", al.SMDAV), ("equality", al.MDAV)):
            compared = with_distance(records, distance)
            pairs = [[Pairs.of(records, method(k=k, **published).mask(compared, seed)) for seed in seeds] for k in KS]
            figures[distance, comparison] = {
                judge: [float(np.mean([loss.set_loss(x, judge) for x in runs])) for runs in pairs]
                for judge in ("avg", "min-sum")
            }
    return SetLosses(len(records), loss.set_loss(unmasked), figures)


def data_sets(size: int = SAMPLE) -> dict[str, tuple[list[list[str]], str]]:
    """Return a sample of each data set, with its ontology."""
    return {
        f"Groceries, {size:,} of 9,835 baskets, WordNet": (sampled(groceries(), size), "wordnet"),
        f"What's Cooking, {size:,} of 39,692 recipes, WordNet": (sampled(recipes()[1], size), "wordnet"),
        "synthetic patients, all 986, Disease Ontology": (patients(), str(DOID)),
    }


def table() -> str:
    """Return a table like Table 1 of the paper for each data set."""
    lines: list[str] = []
    for name, (rows, ontology) in data_sets().items():
        measured = losses(rows, ontology)
        lines += [
            f"{name} ({measured.sets:,} distinct sets). "
            f"Unmasked data: L = {measured.unmasked:.1f} with avg, 0 with min-sum.\n",
            "| | | "
            + " | ".join(f"L, k={k}" for k in KS)
            + " | "
            + " | ".join(f"L with min-sum, k={k}" for k in KS)
            + " |",
            "|---|---|" + "---:|" * (2 * len(KS)),
        ]
        for (distance, comparison), by in measured.figures.items():
            cells = " | ".join(f"{x:.1f}" for x in (*by["avg"], *by["min-sum"]))
            lines.append(f"| {distance} | {comparison} | {cells} |")
        lines.append("")
    return "\n".join(lines)


def whole_process(rows: list[list[str]], *options: str) -> Cost:
    """Measure `allonym mask` of sets, with linking, all measures and the verification."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sets.csv"
        pd.DataFrame({"items": [";".join(x) for x in rows]}).to_csv(path, index=False)
        fixed = ("--set", "items=wordnet", "--unmatched", "opaque", "--accept-review", "--keep-rest", "--k", "5")
        command = (sys.executable, "-m", "allonym", "mask", str(path), "-o", f"{folder}/masked.csv", *fixed, *options)
        spent = cost(*command, runs=1)
    assert spent is not None
    return spent


def speed() -> str:
    """Measure whole processes on synthetic sets of nouns, on sets as in the paper by each distance, and on recipes."""
    lines = ["| `allonym mask`, k = 5 | distance | CPU seconds | MB |", "|---|---|---:|---:|"]

    def add(task: str, rows: list[list[str]], distance: str = "min-sum") -> float:
        spent = whole_process(rows, "--set-distance", distance)
        lines.append(f"| {task} | {distance} | {spent.seconds:.0f} | {spent.megabytes:,.0f} |")
        print(lines[-1], flush=True)
        return spent.seconds

    seconds = {
        rows: add(f"{rows:,} sets of 3 to 30 of {concepts:,} nouns", synthetic_sets.sets(rows, concepts, (3, 30)))
        for rows, concepts in GROWTH.items()
    }
    users = synthetic_sets.sets(USERS, QUERY_CONCEPTS, (QUERIES - 10, QUERIES + 10))
    for distance in SET_DISTANCES:
        add(f"{USERS:,} sets of about {QUERIES} of {QUERY_CONCEPTS:,} nouns", users, distance)
    recipe_rows = recipes()[1]
    add(f"What's Cooking, {len(recipe_rows):,} recipes", recipe_rows)
    power = exponent(list(seconds), list(seconds.values()))
    *_, before, last = sorted(seconds)
    first, at_last = min(seconds), exponent([before, last], [seconds[before], seconds[last]])
    return (
        "\n".join(lines)
        + f"\n\nFrom {first:,} to {last:,} sets, CPU time grows with the power {power:.2f} of the number of sets; "
        + f"from {before:,} on, with the power {at_last:.1f}. "
        + f"Measured on {machine('allonym')}.\n"
    )


def learning() -> str:
    """Return the accuracy of models that predict the cuisine after training on masked recipes."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.naive_bayes import MultinomialNB

    cuisines, rows = recipes()
    order = np.random.default_rng(1).permutation(len(rows))
    training, test = order[:TRAINING].tolist(), order[-TRAINING:].tolist()
    truth = [cuisines[i] for i in test]

    def accuracy(sets: Sequence[Sequence[str]]) -> float:
        words: Any = CountVectorizer(analyzer=lambda items: items, binary=True)
        model = MultinomialNB().fit(words.fit_transform(sets), [cuisines[i] for i in training])
        return 100 * float((model.predict(words.transform([rows[i] for i in test])) == np.array(truth)).mean())

    majority = 100 * max(truth.count(x) for x in set(truth)) / len(truth)
    original = [rows[i] for i in training]
    lines = [
        f"| training on {TRAINING:,} recipes, test on {TRAINING:,} others | accuracy (%) |",
        "|---|---:|",
        f"| always the most frequent cuisine | {majority:.1f} |",
        f"| original recipes | {accuracy(original):.1f} |",
    ]
    column = al.quasi("wordnet", kind="set", accept_review=True, unmatched="opaque")
    for k in (2, 5, 10):
        for label, method, distance in TRAINING_VARIANTS:
            medoid = {"represent": "centroid"}
            plan = al.Plan({"items": replace(column, distance=distance)}, method=method, k=k, parameters=medoid)
            masked = plan.run(pd.DataFrame({"items": original})).frame["items"].tolist()
            lines.append(f"| masked by {method}, {label}, k = {k} | {accuracy(masked):.1f} |")
    return "\n".join(lines) + "\n"


BLOCKS = {"speed": speed, "losses": table, "learning": learning}  # speed first: a child's peak memory starts at ours

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=BLOCKS)
    chosen = parser.parse_args().only
    for name, block in BLOCKS.items():
        if chosen in (None, name):
            pages.write(PAGE, name, block())
