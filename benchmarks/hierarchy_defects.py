"""What a data steward would object to in a hierarchy, counted: python benchmarks/hierarchy_defects.py

Builds hierarchies for real columns and prints them as trees, with the number of defects of each kind.
"""

from __future__ import annotations

import csv
import sys
from collections import Counter
from collections.abc import Mapping
from itertools import permutations
from pathlib import Path

from paths import DATA

from allonym.ontology.catalog import open_ontology
from allonym.ontology.generality.familiar import is_known
from allonym.ontology.generality.filler import filler
from allonym.ontology.hierarchy import Hierarchy
from allonym.ontology.linking.link import link
from allonym.ontology.scope import Scope
from allonym.pipeline import hierarchies
from allonym.pipeline.hierarchies import HierarchyScore, editor

COLUMNS = DATA / "words" / "columns"
DEFECTS = (
    "untrue", "under its neighbour", "overlapping", "filler", "unknown", "two parents", "repeated level", "id as label",
)  # fmt: skip
Concepts = Mapping[str, int]


def defects(built: HierarchyScore, scope: Scope, narrower: frozenset[str] = frozenset()) -> Counter[str]:
    """Return how many defects of each kind the levels below the top have."""
    found = Counter(dict.fromkeys(DEFECTS, 0))
    rows, taxonomy = built.hierarchy.rows, scope.taxonomy
    concepts = {value: taxonomy.code(i) for value, i in built.concepts.items()}
    above = {leaf: set(taxonomy.subsumers(concepts[leaf]).tolist()) for leaf, *_ in rows}
    says_nothing = filler(taxonomy)
    for level in range(1, built.hierarchy.height):
        groups: dict[str, list[str]] = {}
        for row in rows:
            groups.setdefault(row[level], []).append(row[0])
        named = {x: c for x, own in groups.items() if (c := _concept(x, own, concepts, above, scope)) is not None}
        for value, own in groups.items():
            itself = own == [value]
            c = named.get(value)
            found["untrue"] += not itself and not all(_is_true(value, x, concepts, above, scope) for x in own)
            found["filler"] += c is not None and not itself and value not in above and bool(says_nothing[c])
            found["unknown"] += c is not None and value not in above and not is_known(taxonomy, c)
            found["id as label"] += value.endswith(")") and any(value == f"{x} ({i})" for x, i in _ids(scope, c))
        for a, b in permutations(named, 2):
            if a in narrower and groups[a] == [a]:
                continue
            inside = named[a] in set(taxonomy.subsumers(named[b]).tolist())
            found["under its neighbour"] += inside
            both = sum(named[a] in above[x] for x in groups[b])
            found["overlapping"] += not inside and 2 * both >= len(groups[b])
        parents = {(row[level], row[level + 1]) for row in rows}
        found["two parents"] += len(parents) - len(groups)
        found["repeated level"] += len({row[level] for row in rows}) == len({row[level - 1] for row in rows})
    return found


def _concept(value: str, own: list[str], concepts: Concepts, above: Mapping[str, set[int]], scope: Scope) -> int | None:
    """Return the concept of a value; of a word for several concepts, the sense above its first leaf."""
    if value in concepts:
        return concepts[value]
    return next((c for c in scope.taxonomy.senses(value) if c in above[own[0]]), None)


def _is_true(value: str, leaf: str, concepts: Concepts, above: Mapping[str, set[int]], scope: Scope) -> bool:
    if value in concepts:
        return concepts[value] in above[leaf]
    return any(c in above[leaf] for c in scope.taxonomy.senses(value))


def _ids(scope: Scope, concept: int | None) -> list[tuple[str, str]]:
    return [] if concept is None else [(scope.taxonomy.labels[concept], scope.taxonomy.ids[concept])]


def real_columns() -> dict[str, tuple[str, dict[str, int]]]:
    """Return the ontology and the values of each real column; without its missing-value markers."""
    columns: dict[str, tuple[str, dict[str, int]]] = {}
    for path in sorted(COLUMNS.glob("*.csv")):
        with path.open(encoding="utf-8") as file:
            values = {row["value"].strip(): int(row["cells"]) for row in csv.DictReader(file)}
        columns[path.stem] = "wordnet", {v: n for v, n in values.items() if v not in ("", "?")}
    items = (DATA / "setvalued" / "Groceries.labels").read_text("utf-8").splitlines()
    columns["groceries_all"] = "wordnet", {line.split("\t")[1].strip(): 1 for line in items}
    esco = open_ontology(str(DATA / "esco")).taxonomy
    jobs = [esco.labels[c] for c in range(len(esco)) if esco.is_leaf[c]]
    columns["jobs"] = str(DATA / "esco"), dict.fromkeys(jobs[::75], 1)
    columns["countries"] = "m49", columns["adult_native-country"][1]
    columns["diagnoses"] = "icd10", columns["synthea_diagnosis"][1]
    columns["diseases"] = str(next((DATA / "taxonomies").glob("doid_*"))), columns["synthea_diagnosis"][1]
    return columns


def built_for(ontology: str, values: Mapping[str, int], levels: int = 3) -> tuple[HierarchyScore, Scope] | None:
    """Return a hierarchy of the values that have a concept; None, if fewer than two have different ones."""
    scope = open_ontology(ontology)
    linked = {x.value: x.concept for x in link(values, scope) if x.concept is not None and x.value in values}
    if len(set(linked.values())) < 2:
        return None
    counts = {value: values[value] for value in linked}
    return hierarchies.build(counts, scope, levels=levels, accept_review=True), scope


def drawn(hierarchy: Hierarchy) -> list[str]:
    """Return the lines of a tree; values that stay themselves are listed behind the one above them."""
    lines: list[str] = []

    def draw(branch: editor.Branch, indent: int) -> None:
        while len(branch.children) == 1 and branch.children[0].level and branch.children[0].value == branch.value:
            branch = branch.children[0]
        lone = [x for x in branch.children if not x.level or _only_leaf(x) == x.value]
        line = f"{'  ' * indent}{branch.value} ({branch.leaves})"
        lines.append(line + (": " + ", ".join(x.value for x in lone) if lone else ""))
        for child in branch.children:
            if child not in lone:
                draw(child, indent + 1)

    draw(editor.branches(hierarchy), 0)
    return lines


def _only_leaf(branch: editor.Branch) -> str | None:
    while branch.children:
        if len(branch.children) > 1:
            return None
        branch = branch.children[0]
    return branch.value


if __name__ == "__main__":
    chosen = sys.argv[1:]
    for name, (ontology, values) in real_columns().items():
        if chosen and name not in chosen:
            continue
        made = built_for(ontology, values)
        if made is None:
            continue
        sizes = " → ".join(str(level["values"]) for level in made[0].levels)
        title = Path(ontology).name
        print(f"\n{name} by {title}: {len(values)} values, {sizes}, VghGSL {made[0].value:.4f}")
        print("\n".join(drawn(made[0].hierarchy)))
        print(f"defects: {dict(+defects(*made, made[0].narrower)) or 'none'}")
