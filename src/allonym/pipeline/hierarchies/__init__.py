"""Value generalisation hierarchies: scoring them by an ontology, and building them from one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from allonym.arrays import Ints
from allonym.errors import OptionError
from allonym.ontology import hierarchy_builder as building
from allonym.ontology import similarity
from allonym.ontology.catalog import open_ontology
from allonym.ontology.hierarchy import Hierarchy
from allonym.ontology.linking.link import NARROWER, link
from allonym.ontology.scope import Scope
from allonym.pipeline.hierarchies.findings import Finding
from allonym.pipeline.hierarchies.model import ChosenSense, HierarchyComparison, HierarchyScore, Transition
from allonym.pipeline.hierarchies.scoring import (
    DEPTH,
    MEASURE,
    Links,
    compare,
    link_hierarchies,
    losses_of_kind,
    narrower_of,
    score,
    settled_of,
    unsure,
)

__all__ = [
    "DEPTH", "MEASURE", "ChosenSense", "Finding", "Hierarchy", "HierarchyComparison", "HierarchyScore", "Links",
    "Transition", "build", "compare", "link_hierarchies", "narrower_of", "score", "settled_of", "unsure",
]  # fmt: skip


def build(
    values: Mapping[str, int],
    ontology: str | Scope = "wordnet",
    links: Links = None,
    *,
    levels: int = 3,
    limits: Sequence[int] | None = None,
    accept_review: bool = False,
    measure: str = MEASURE,
    depth: str = DEPTH,
    language: str = "en",
    name: str = "hierarchy",
) -> HierarchyScore:
    """Build a hierarchy of low semantic loss over some values with their counts.

    Every level has fewer values than the one below, at most as many as `limits` allow, and the last has one.
    """
    _check(levels, limits)
    scope = ontology if isinstance(ontology, Scope) else open_ontology(ontology)
    settled: dict[str, Any] = {"settled": settled_of(links), "narrower": narrower_of(links)}
    linked = [x for x in link(values, scope, language=language, **settled) if x.value in values]
    open_links = [x for x in linked if x.concept is None or (x.status == "review" and not accept_review)]
    if open_links:
        raise unsure(name, open_links, scope, review=not accept_review)
    texts: dict[int, list[str]] = {}
    for x in linked:
        assert x.concept is not None
        texts.setdefault(x.concept, []).append(x.value)
    if len(texts) < 2:
        raise OptionError("All values have the same concept: there is nothing to generalise.", hint="check the column.")
    leaves = np.array(sorted(texts), np.int64)
    above = building.build(leaves, scope, measure, depth, levels=levels, limits=limits)
    labels = _labels(np.unique(above).tolist(), texts, scope)
    rows, paths = _rows(leaves, above, texts, labels)
    losses = [similarity.distance(measure, scope.taxonomy, p[0], np.array(p[1:]), depth=depth) for p in paths]
    kinds = {x.value for x in linked if x.relation == NARROWER}
    for i, (row, path) in enumerate(zip(rows, paths, strict=True)):
        if row[0] in kinds:
            losses[i] = losses_of_kind(row, np.array(path), scope, measure, depth)
    order = sorted(range(len(rows)), key=lambda i: (rows[i][::-1], rows[i]))
    ids = scope.taxonomy.ids
    concepts = {labels[c]: ids[c] for c in labels} | {text: ids[c] for c, own in texts.items() for text in own}
    built = Hierarchy(name, tuple(rows[i] for i in order))
    written = {value for row in built.rows for value in row}
    return HierarchyScore(
        built, np.stack([losses[i] for i in order]), concepts={x: y for x, y in concepts.items() if x in written}
    )


def _rows(
    leaves: Ints, above: Ints, texts: Mapping[int, Sequence[str]], labels: Mapping[int, str]
) -> tuple[list[tuple[str, ...]], list[list[int]]]:
    """Return the rows of a hierarchy as texts, and as concepts; a leaf alone at a level keeps its text there."""
    rows, paths = [], []
    for leaf, path in zip(leaves.tolist(), above.tolist(), strict=True):
        for text in texts[leaf]:
            alone = [c == leaf and len(texts[c]) == 1 and (above[:, i] == c).sum() == 1 for i, c in enumerate(path)]
            rows.append((text, *(text if own else labels[c] for c, own in zip(path, alone, strict=True))))
            paths.append([leaf, *path])
    return rows, paths


def _check(levels: int, limits: Sequence[int] | None) -> None:
    """Refuse limits that no hierarchy can meet."""
    if levels < 1:
        raise OptionError(f"levels is {levels}; it must be at least 1.")
    if limits is not None and (limits[-1] != 1 or any(a <= b for a, b in pairwise(limits))):
        raise OptionError("The limits must decrease from level to level, down to 1.", hint="for example 10,4,1.")


def _labels(concepts: Sequence[int], texts: Mapping[int, Sequence[str]], scope: Scope) -> dict[int, str]:
    """Return the labels of concepts above leaves, with the id where another value has the same label."""
    taxonomy = scope.taxonomy
    plain = {c: taxonomy.labels[c].replace("_", " ") for c in concepts}
    taken = Counter(plain.values())
    others = {text: c for c, own in texts.items() for text in own}
    return {
        c: label if taken[label] == 1 and others.get(label, c) == c else f"{label} ({taxonomy.ids[c]})"
        for c, label in plain.items()
    }
