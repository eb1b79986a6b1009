"""Hierarchies of ARX for Adult compared with hierarchies built from WordNet: python benchmarks/hierarchies.py

Compares their scores and the loss after full-domain generalisation. Writes a block of docs/methods/generalise.md.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

import adult
import pages
from paths import DATA, ROOT

import allonym as al
from allonym.errors import OptionError
from allonym.ontology.linking import links_file as links_files
from allonym.pipeline import hierarchies
from allonym.tables.files import read_column

PAGE = ROOT / "docs" / "methods" / "generalise.md"
ARX = DATA / "vgh" / "arx"
COLUMNS = ("education", "marital-status", "native-country", "occupation", "workclass")
KS = (5, 25, 100)
SUPPRESSION = 0.02


def concepts_of(column: str) -> dict[str, str]:
    """Return the concepts of the values of a column: our links, completed by those of Martínez et al. (2012)."""
    concepts = dict(links_files.read(ROOT / "benchmarks" / "links" / f"{column}.csv").concepts)
    if column in adult.LINKS:
        concepts |= links_files.read(adult.LINKS[column]).concepts
    return concepts


def build(data: Path, column: str, arx: hierarchies.HierarchyScore) -> hierarchies.HierarchyScore:
    """Build a hierarchy with as many values per level as that of ARX; if impossible, with as many levels."""
    values = read_column(data, column).values
    limits = [level["values"] for level in arx.levels]
    try:
        return hierarchies.build(values, "wordnet", concepts_of(column), limits=limits, name=column)
    except OptionError:
        return hierarchies.build(values, "wordnet", concepts_of(column), levels=len(limits), name=column)


def cells(scored: hierarchies.HierarchyScore) -> str:
    """Return the number of values of each level, the score, and the mean of the levels below the top."""
    sizes = " → ".join(str(level["values"]) for level in scored.levels)
    lower = [level["gsl"] for level in scored.levels[:-1]]
    return f"{sizes} | {scored.value:.4f} | {sum(lower) / len(lower):.4f}"


def loss(data: Path, files: Mapping[str, Path], k: int) -> tuple[float, int]:
    """Return the loss by WordNet after generalisation along hierarchies, and the number of suppressed records."""
    columns = {name: al.quasi(str(path), accept_review=True) for name, path in files.items()}
    options = {"suppression": SUPPRESSION}
    plan = al.Plan(columns, method="generalise", k=k, keep_rest=True, parameters=options, row_order="keep")
    masked = data.with_name("masked.csv")
    plan.run(data, masked)
    words = al.Plan({x: al.quasi("wordnet", links=concepts_of(x)) for x in files}, k=k, keep_rest=True)
    evaluation = words.evaluate(data, masked)
    assert not evaluation.strange, evaluation.strange
    return evaluation.measures["information_loss"].value, evaluation.suppressed


def table() -> str:
    """Measure and return the tables."""
    lines = [
        "| column | ARX: values per level | VghGSL | below the top | built: values | VghGSL | below the top |",
        "|---|---|---:|---:|---|---:|---:|",
    ]
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "adult.csv"
        adult.write(data)
        files: dict[str, dict[str, Path]] = {"ARX": {}, "built": {}}
        for column in COLUMNS:
            path = ARX / f"adult_hierarchy_{column}.csv"
            arx = hierarchies.score(path, "wordnet", concepts_of(column))
            ours = build(data, column, arx)
            files["ARX"][column], files["built"][column] = path, Path(folder) / f"{column}.csv"
            files["built"][column].write_text(ours.hierarchy.to_csv())
            lines.append(f"| {column} | {cells(arx)} | {cells(ours)} |")
        lines += ["", "| hierarchies | k | loss (L, %) | suppressed records |", "|---|---:|---:|---:|"]
        for k in KS:
            for name, paths in files.items():
                lost, suppressed = loss(data, paths, k)
                lines.append(f"| {name} | {k} | {lost:.2f} | {suppressed:,} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    pages.write(PAGE, "hierarchies", table())
