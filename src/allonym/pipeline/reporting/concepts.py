"""Section: the concepts that were replaced most, as trees."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from allonym.arrays import Ints, distinct
from allonym.kinds.concept_metric import ConceptMetric
from allonym.ontology.narrower import broader
from allonym.ontology.taxonomy import Taxonomy
from allonym.pipeline.reporting.facts import ReleaseFacts
from allonym.records import Pairs
from allonym.report.model import Node

MAX_REPLACEMENTS = 12  # whose concepts are drawn


def concepts(facts: ReleaseFacts) -> dict[str, Any]:
    """Return a tree of concepts for every masked column of words."""
    return {"trees": dict(_trees(facts))}


def _trees(facts: ReleaseFacts) -> Iterator[tuple[str, Node]]:
    records, masking = facts.prepared.records, facts.release.masking
    assert records is not None
    pairs = Pairs.of(records, masking)
    for a, attribute in enumerate(masking.attributes):
        links = facts.prepared.links.get(attribute.name, [])
        if not isinstance(attribute.metric, ConceptMetric) or len(links) != 1:
            continue
        moves, _, first = distinct([pairs.original[:, a], pairs.masked[:, a]])
        rows = np.bincount(moves, weights=pairs.counts)
        was, now = pairs.original[first, a], pairs.masked[first, a]
        frequent = np.flatnonzero(was != now)[np.argsort(-rows[was != now], kind="stable")][:MAX_REPLACEMENTS]
        before, after = (
            _by_concept(attribute.values, codes, pairs.counts) for codes in (pairs.original[:, a], pairs.masked[:, a])
        )
        values = {attribute.values[c] for i in frequent for c in (was[i], now[i])}
        chosen = {int(c) for c in map(broader, values) if isinstance(c, (int, np.integer))}
        if chosen:
            yield attribute.name, tree(links[0].scope.taxonomy, chosen, before, after)


def _by_concept(values: Sequence[Any], codes: Ints, counts: Ints) -> dict[int, int]:
    """Return how many records have each concept, or a leaf below it."""
    rows = np.bincount(codes, weights=counts, minlength=len(values)).astype(int)
    total: dict[int, int] = {}
    for value, n in zip(map(broader, values), rows.tolist(), strict=True):
        if isinstance(value, (int, np.integer)) and n:
            total[int(value)] = total.get(int(value), 0) + n
    return total


def tree(taxonomy: Taxonomy, concepts: set[int], before: Mapping[int, int], after: Mapping[int, int]) -> Node:
    """Return some concepts as a tree, each under one parent; other concepts with a single child are left out."""
    totals: dict[int, list[int]] = {}
    for place, counts in enumerate((before, after)):
        for concept, rows in counts.items():
            for ancestor in taxonomy.path(concept):
                totals.setdefault(ancestor, [0, 0])[place] += rows
    below: dict[int, set[int]] = {}
    tops: set[int] = set()
    for concept in concepts:
        path = taxonomy.path(concept)
        tops.add(path[-1])
        for child, parent in pairwise(path):
            below.setdefault(parent, set()).add(child)

    def node(concept: int) -> Node:
        children = sorted(below.get(concept, ()), key=lambda c: (-sum(totals.get(c, (0, 0))), taxonomy.labels[c]))
        own = before.get(concept, 0), after.get(concept, 0)
        if len(children) == 1 and concept not in concepts:
            return node(children[0])
        label = taxonomy.labels[concept].replace("_", " ")
        old, new = totals.get(concept, [0, 0])
        return Node(label, old, new, own, tuple(node(c) for c in children))

    return node(min(tops))
