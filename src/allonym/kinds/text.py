"""Concepts of an ontology: a published distance; the semantic centroid stands for several (P1 §3.3)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from allonym.arrays import Floats, Ints, frozen, sum_by
from allonym.kinds.base import FAMILIES, BaseMetric, tolerance
from allonym.kinds.concept_index import ConceptIndex
from allonym.ontology.hierarchy_builder import build
from allonym.ontology.scope import Scope
from allonym.records import Value

LEVELS = 5  # of a hierarchy that is built


class ConceptMetric(BaseMetric):
    """Distances between concepts of an ontology. A value is a concept; texts nobody linked and null are alone.

    The centroid is the candidate c with the least Σ ω·d(c, v); candidates are the concepts on any way from a value up
    to a minimal common subsumer, and lone values. Ties: the concept that is first in the ontology; lone values last.

    >>> from allonym.ontology.wordnet import wordnet
    >>> wn = wordnet()
    >>> sports = [wn.taxonomy.code(w) for w in ("boxing", "soccer", "rugby", "contact sport", "swimming", "surfing")]
    >>> metric = ConceptMetric(sports, wn)
    >>> wn.taxonomy.labels[metric.centroid(np.arange(6), np.array([1.0, 2, 2, 1, 1, 3]))]
    'contact sport'
    """

    def __init__(
        self,
        values: Sequence[Value],
        scope: Scope,
        measure: str = "wu-palmer",
        depth: str = "nodes",
        world: ConceptIndex | None = None,
    ) -> None:
        super().__init__(values)
        self.scope, self.measure, self.depth = scope, measure, depth
        if world is not None:
            self.__dict__["world"] = world

    def _with(self, values: Sequence[Value]) -> ConceptMetric:
        known = self.__dict__.get("world")
        if known is not None and not all(known.has(v) for v in values[len(self.values) :]):
            known = None
        return ConceptMetric(values, self.scope, self.measure, self.depth, known)

    @cached_property
    def concepts(self) -> Ints:
        """The concept of every value; -1 for those that are alone."""
        return frozen(np.array([-1 if self.unlinked[i] else v for i, v in enumerate(self.values)], np.int64))

    @cached_property
    def world(self) -> ConceptIndex:
        """The values and all their ancestors; metrics extended by some of these share it."""
        return ConceptIndex(self.scope, self.measure, self.depth, self.concepts)

    def _between(self, a: Ints, b: Ints) -> Floats:
        return self.world.between(self.concepts[a], self.concepts[b])

    def _from(self, value: Value) -> Floats:
        if value is None or isinstance(value, str) or not self.world.has(value):
            return super()._from(value)
        found = np.ones(len(self.values))
        known = ~self.unlinked
        others = self.concepts[known]
        found[known] = self.world.between(np.full(len(others), value), others)
        return found

    # --- the semantic centroid -------------------------------------------------------------------------------

    def candidates(self, concepts: Ints) -> Ints:
        """Return H(V): the concepts on any way from one of V up to a minimal common subsumer of V, under the root."""
        return self.world.candidates(concepts)

    def centroid(self, codes: Ints, counts: Floats) -> Value:
        """Return the semantic centroid."""
        total, linked, alone = self.parted(codes, counts)
        if not linked.size:
            return self.mode(codes, counts)
        concepts, weights, lost = self.concepts[linked], total[linked], total[alone].sum()
        if linked.size == 1:
            best, least = int(concepts[0]), 0.0
        else:
            found = self.candidates(concepts)
            sums = self.world.sums(found, concepts, weights)
            best, least = first_of_best(found, sums), float(sums.min())
        if alone.size and total.sum() - total[alone].max() < least + lost - tolerance(least + lost):
            return self.values[int(alone[np.argmax(total[alone])])]
        return best

    def subsumer(self, codes: Ints, counts: Floats) -> Value:
        """Return the least common subsumer, of several the nearest; null, if some value is alone and they differ."""
        total, linked, alone = self.parted(codes, counts)
        if alone.size:
            return super().subsumer(codes, counts)
        concepts = self.concepts[linked]
        found = self.world.subsumers(concepts)
        return first_of_best(found, self.world.sums(found, concepts, total[linked]))

    def _families(self, codes: Ints, counts: Floats) -> Ints:
        """Number the families under upper concepts, until none has more than half of the values, or is one concept."""
        concepts = self.concepts[codes]
        found = np.zeros(len(codes), np.int64)
        while (parts := int(found.max()) + 1) < FAMILIES:
            sizes = sum_by(found, counts, parts)
            own = np.flatnonzero(found == sizes.argmax())
            if (sizes.max() * 2 <= sizes.sum() and parts > 1) or len(own) == 1:
                break
            below = self.world.under(concepts[own], counts[own])
            found[own[below > 0]] = parts - 1 + below[below > 0]
        return found

    def generalisations(self) -> list[list[Value]]:
        """Return what each value becomes on the way to one top; those alone are null from the first step on.

        A hierarchy has its own levels. In another tree, a level is a step towards the root for those that are deepest
        down (others wait). In an ontology in which concepts have several parents, a hierarchy is built.
        """
        known = np.flatnonzero(~self.unlinked)
        concepts = np.unique(self.concepts[known])
        taxonomy = self.scope.taxonomy
        if len(concepts) < 2:
            ways = np.zeros((len(concepts), 0), np.int64)
        elif taxonomy.steps is not None and self.scope.root == taxonomy.root:
            ways = _that_differ(concepts, taxonomy.steps[concepts])
        elif taxonomy.is_tree:
            ways = _towards_root(concepts, self.scope)
        else:
            ways = _built(concepts, self.scope, self.measure, self.depth)
        found: list[list[Value]] = [list(self.values)]
        for level in ways.T:
            becomes = dict(zip(concepts.tolist(), level.tolist(), strict=True))
            found.append([None if self.unlinked[c] else becomes[int(v)] for c, v in enumerate(self.values)])
        if len({x for x in found[-1] if x is not None}) > 1 or (None in found[-1] and len(set(found[-1])) > 1):
            found.append([None] * len(self.values))
        return found

    # --- for measures ----------------------------------------------------------------------------------------

    def covered(self, a: Ints, b: Ints, data: Ints) -> Floats | None:
        """Return how many values of the data lie under the least common subsumer; all, where a value is alone."""
        pairs, place = np.unique(np.stack([a, b]), axis=1, return_inverse=True)
        concepts = self.concepts[data]
        known = concepts[concepts >= 0]
        found = np.full(pairs.shape[1], float(len(data)))
        below: dict[int, int] = {}
        for i, (one, other) in enumerate(pairs.T.tolist()):
            if one == other:
                found[i] = 1.0
            elif not (self.unlinked[one] or self.unlinked[other]):
                top = self.subsumer(np.array([one, other]), np.ones(2))
                if top not in below:
                    below[top] = self.world.below(top, known)
                found[i] = below[top]
        return found[place.ravel()]

    def links(self, a: Ints, b: Ints) -> Floats | None:
        """Return how many links values are apart; of those alone, as many as two concepts can be at most."""
        return self.with_measure("path").distances(a, b) * 2 * self.scope.taxonomy.deepest

    def with_measure(self, measure: str) -> ConceptMetric:
        """Return the same values under another measure."""
        return self if measure == self.measure else ConceptMetric(self.values, self.scope, measure, self.depth)


def _that_differ(concepts: Ints, steps: Ints) -> Ints:
    """Return the levels that differ from the one below, up to the first that has one value."""
    found = [concepts]
    for level in steps.T[1:]:
        if len(np.unique(found[-1])) > 1 and not np.array_equal(level, found[-1]):
            found.append(level)
    return np.stack(found, axis=1)[:, 1:]


def _towards_root(concepts: Ints, scope: Scope) -> Ints:
    """Return for each concept what it becomes when all go as deep as the next level at most."""
    taxonomy = scope.taxonomy
    depth = taxonomy.depth[concepts].astype(np.int64)
    current = concepts.copy()
    found = []
    for limit in range(int(depth.max()) - 1, int(taxonomy.depth[scope.root]) - 1, -1):
        deep = taxonomy.depth[current] > limit
        current = current.copy()
        current[deep] = [int(taxonomy.parents_of(int(c))[0]) for c in current[deep]]
        found.append(current)
        if len(np.unique(current)) == 1:
            break
    return np.stack(found, axis=1) if found else np.zeros((len(concepts), 0), np.int64)


def _built(concepts: Ints, scope: Scope, measure: str, depth: str) -> Ints:
    """Return a hierarchy that loses little, of as many levels as there can be up to some."""
    return build(concepts, scope, measure, depth, levels=min(LEVELS, len(concepts) - 1))


def first_of_best(concepts: Ints, costs: Floats) -> int:
    """Return the concept with the least cost, the first of equals."""
    least = float(costs.min())
    return int(concepts[np.argmax(costs <= least + tolerance(least))])
