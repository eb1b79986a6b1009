"""ARX's hierarchies for Adult beside those built from WordNet: python benchmarks/hierarchies.py

Scores, and the loss after full-domain generalisation along each. Writes its part of docs/methods/generalise.md.
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


def settled(column: str) -> dict[str, str]:
    """Return what values and labels of a column mean: ours, and for two columns P1's mapping completed."""
    found = dict(links_files.read(ROOT / "benchmarks" / "links" / f"{column}.csv").concepts)
    if column in adult.LINKS:
        found |= links_files.read(adult.LINKS[column]).concepts
    return found


def built(data: Path, column: str, theirs: hierarchies.HierarchyScore) -> hierarchies.HierarchyScore:
    """Return a hierarchy with as many values per level as ARX's; where there is none, with as many levels."""
    values = read_column(data, column).values
    limits = [level["values"] for level in theirs.levels]
    try:
        return hierarchies.build(values, "wordnet", settled(column), limits=limits, name=column)
    except OptionError:
        return hierarchies.build(values, "wordnet", settled(column), levels=len(limits), name=column)


def told(found: hierarchies.HierarchyScore) -> str:
    """Return how many values each level has, the score, and the mean of the levels below the top."""
    sizes = " → ".join(str(level["values"]) for level in found.levels)
    lower = [level["gsl"] for level in found.levels[:-1]]
    return f"{sizes} | {found.value:.4f} | {sum(lower) / len(lower):.4f}"


def loss(data: Path, files: Mapping[str, Path], k: int) -> tuple[float, int]:
    """Return the loss by WordNet after generalisation along hierarchies, and how many records were suppressed."""
    columns = {name: al.quasi(str(path), accept_review=True) for name, path in files.items()}
    options = {"suppression": SUPPRESSION}
    plan = al.Plan(columns, method="generalise", k=k, keep_rest=True, parameters=options)
    masked = data.with_name("masked.csv")
    plan.run(data, masked)
    words = al.Plan({x: al.quasi("wordnet", links=settled(x)) for x in files}, k=k, keep_rest=True)
    found = words.evaluate(data, masked)
    assert not found.strange, found.strange
    return found.measures["information_loss"].value, found.suppressed


def table() -> str:
    """Measure, and lay out the figures."""
    lines = [
        "| column | ARX: values per level | VghGSL | below the top | built: values | VghGSL | below the top |",
        "|---|---|---:|---:|---|---:|---:|",
    ]
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "adult.csv"
        adult.write(data)
        files: dict[str, dict[str, Path]] = {"ARX's": {}, "built": {}}
        for column in COLUMNS:
            path = ARX / f"adult_hierarchy_{column}.csv"
            theirs = hierarchies.score(path, "wordnet", settled(column))
            ours = built(data, column, theirs)
            files["ARX's"][column], files["built"][column] = path, Path(folder) / f"{column}.csv"
            files["built"][column].write_text(ours.hierarchy.to_csv())
            lines.append(f"| {column} | {told(theirs)} | {told(ours)} |")
        lines += ["", "| hierarchies | k | loss (L, %) | suppressed records |", "|---|---:|---:|---:|"]
        for k in KS:
            for name, paths in files.items():
                lost, suppressed = loss(data, paths, k)
                lines.append(f"| {name} | {k} | {lost:.2f} | {suppressed:,} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    pages.write(PAGE, "hierarchies", table())
