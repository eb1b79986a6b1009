"""Hierarchies for Adult: those of ARX, built ones, and clusters: python benchmarks/hierarchies.py

Compares their scores, their defects and the loss after full-domain generalisation. Writes blocks of
docs/methods/generalise.md and docs/ontologies/hierarchies.md.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

import adult
import numpy as np
import pages
from hierarchy_defects import built_for, defects, drawn, real_columns
from paths import DATA, ROOT
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

import allonym as al
from allonym.ontology import similarity
from allonym.ontology.catalog import open_ontology
from allonym.ontology.hierarchy import Hierarchy
from allonym.ontology.linking import links_file as links_files
from allonym.pipeline import hierarchies
from allonym.tables.files import read_column

PAGE = ROOT / "docs" / "methods" / "generalise.md"
BUILDING = ROOT / "docs" / "ontologies" / "hierarchies.md"
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
    """Build a hierarchy with as many values per level as that of ARX, where possible."""
    values = read_column(data, column).values
    limits = [level["values"] for level in arx.levels]
    return hierarchies.build(values, "wordnet", concepts_of(column), limits=limits, name=column)


def clustered(data: Path, column: str, arx: hierarchies.HierarchyScore) -> hierarchies.HierarchyScore:
    """Cluster the values by average linkage, cut as the levels of ARX, and name clusters by their nearest subsumers."""
    scope = open_ontology("wordnet")
    taxonomy = scope.taxonomy
    links = concepts_of(column)
    values = sorted(read_column(data, column).values)
    concepts = np.array([taxonomy.code(links[value]) for value in values])
    distances = similarity.distance("wu-palmer", taxonomy, concepts[:, None], concepts, depth="virtual-root")
    tree = linkage(squareform(distances, checks=False), "average")
    rows = [[value] for value in values]
    for level in arx.levels:
        numbers = fcluster(tree, level["values"], "maxclust")
        for number in np.unique(numbers):
            own = np.flatnonzero(numbers == number)
            common = set.intersection(*(set(taxonomy.subsumers(c).tolist()) for c in concepts[own].tolist()))
            nearest = max(common, key=lambda c: (int(taxonomy.depth[c]), -c))
            name = f"{taxonomy.ids[nearest]} {level['level']}.{number}"
            links[name] = taxonomy.ids[nearest]
            for i in own.tolist():
                rows[i].append(values[i] if len(own) == 1 else name)
    return hierarchies.score(Hierarchy(column, tuple(map(tuple, rows))), "wordnet", links)


def cells(scored: hierarchies.HierarchyScore) -> str:
    """Return the number of values of each level, the score, and the mean of the levels below the top."""
    sizes = " → ".join(str(level["values"]) for level in scored.levels)
    lower = [level["gsl"] for level in scored.levels[:-1]]
    return f"{sizes} | {scored.value:.4f} | {sum(lower) / len(lower):.4f}"


def loss(data: Path, files: Mapping[str, Path], k: int) -> tuple[float, int]:
    """Return the loss by WordNet after generalisation along hierarchies, and the number of suppressed records."""
    columns = {name: al.quasi(str(path), accept_review=True) for name, path in files.items()}
    columns["education-num"] = al.keep(confirmed=True)  # no part of the comparison
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


def judged(scored: hierarchies.HierarchyScore) -> str:
    """Return the score below the top and the defects of a hierarchy, as cells of a table."""
    found = defects(scored, open_ontology("wordnet"), scored.narrower)
    objections = ", ".join(f"{number} {name}" for name, number in found.items() if number) or "none"
    return f"{cells(scored)} | {objections}"


def comparison() -> str:
    """Return the table of hierarchies from three sources."""
    lines = [
        "| column | hierarchy | values per level | VghGSL | below the top | defects |",
        "|---|---|---|---:|---:|---|",
    ]
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "adult.csv"
        adult.write(data)
        for column in COLUMNS:
            arx = hierarchies.score(ARX / f"adult_hierarchy_{column}.csv", "wordnet", concepts_of(column))
            rows = {"ARX": arx, "clusters": clustered(data, column, arx), "built": build(data, column, arx)}
            lines += [f"| {column} | {name} | {judged(scored)} |" for name, scored in rows.items()]
    return "\n".join(lines) + "\n"


def example() -> str:
    """Return a built hierarchy as a tree."""
    made = built_for(*real_columns()["groceries_item"])
    assert made is not None
    return "```text\n" + "\n".join(drawn(made[0].hierarchy)) + "\n```\n"


def real_table() -> str:
    """Return the hierarchies built for real columns."""
    lines = ["| column | ontology | values | values per level | VghGSL | defects |", "|---|---|---:|---|---:|---:|"]
    for name, (ontology, values) in real_columns().items():
        made = built_for(ontology, values)
        if made is not None:
            sizes = " → ".join(str(level["values"]) for level in made[0].levels)
            found = defects(*made, made[0].narrower).total()
            title = Path(ontology).name.partition("_")[0]
            leaves = len(made[0].hierarchy.rows)
            lines.append(f"| {name} | {title} | {leaves} | {sizes} | {made[0].value:.4f} | {found} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    pages.write(BUILDING, "built and other hierarchies", comparison())
    pages.write(BUILDING, "built example", example())
    pages.write(BUILDING, "built columns", real_table())
    pages.write(PAGE, "hierarchies", table())
