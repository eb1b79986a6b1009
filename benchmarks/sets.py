"""Set-valued data: the evaluation of Batet et al. (2014), speed, and machine learning: python benchmarks/sets.py

Writes the tables of docs/methods/sets.md.
"""

from __future__ import annotations

import csv
import gzip
import subprocess
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
from paths import DATA, ROOT
from processes import cost, machine

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
WHOLE_DATA_SET = """
import resource, sys, time
sys.path.insert(0, sys.argv[1])
import sets
records = sets.records_of(sets.groceries() if sys.argv[2] == "Groceries" else sets.recipes()[1], distance=sys.argv[3])
began = time.process_time()
import allonym as al
al.SMDAV(k=5, represent="centroid", refine=False).mask(records)
print(time.process_time() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


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


def whole_process() -> str:
    """Measure `allonym mask` on all recipes, with default settings."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "recipes.csv"
        cuisines, rows = recipes()
        pd.DataFrame({"cuisine": cuisines, "items": [";".join(x) for x in rows]}).to_csv(path, index=False)
        options = ("--set", "items=wordnet", "--unmatched", "opaque", "--accept-review", "--keep-rest", "--k", "5")
        command = (sys.executable, "-m", "allonym", "mask", str(path), "-o", f"{folder}/masked.csv", *options)
        spent = cost(*command, runs=1)
    assert spent is not None
    task = f"`allonym mask` of all {len(rows):,} recipes (`sa-mdav`, refined, k = 5, min-sum), with all measures"
    figures = f"{spent.seconds:.0f} CPU seconds, {spent.clock:.0f} s elapsed, {spent.megabytes:,.0f} MB"
    return f"{task}: {figures}, on {machine('allonym')}.\n"


def speed() -> str:
    """Measure whole data sets, each in a separate process."""
    lines = ["| s-mdav, k = 5 | distance | CPU seconds | MB |", "|---|---|---:|---:|"]
    for name, distances in (("Groceries", SET_DISTANCES), ("What's Cooking", ("avg", "min-sum"))):
        for distance in distances:
            command = [sys.executable, "-c", WHOLE_DATA_SET, str(ROOT / "benchmarks"), name, distance]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            seconds, megabytes = map(float, done.stdout.split())
            lines.append(f"| {name} | {distance} | {seconds:.0f} | {megabytes:.0f} |")
    return "\n".join(lines) + "\n\n" + whole_process()


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


if __name__ == "__main__":
    pages.write(PAGE, "speed", speed())  # first: the peak memory of a child starts at that of its parent
    pages.write(PAGE, "losses", table())
    pages.write(PAGE, "learning", learning())
