"""Distances between concepts of an ontology; the semantic centroid represents a group.

The centroid is that of Martínez, Sánchez and Valls (2012), §3.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints, frozen, sum_by, take_rows, to_rows
from allonym.kinds.category import EqualityMetric
from allonym.kinds.concept_index import ConceptIndex
from allonym.kinds.levels import distinct_levels, steps_to_root
from allonym.kinds.metric import MAX_FAMILIES, BaseMetric, tolerance
from allonym.metric import Metric, Value
from allonym.ontology.generality.ceiling import Ceiling
from allonym.ontology.generality.choice import better_known, chosen_concept, says_something
from allonym.ontology.hierarchy_builder import build
from allonym.ontology.narrower import Narrower, broader
from allonym.ontology.scope import Scope
from allonym.ontology.similarity import DEFAULT_CONTENT

MAX_COMPILED = 16_000_000  # distances that compiled kernels keep in a table
BUILT_LEVELS = 5  # of a hierarchy that is built where an ontology is no tree


class ConceptMetric(BaseMetric):
    """Distances between concepts of an ontology. A value is a concept, a leaf below one, an unlinked text or null.

    The centroid is the candidate c with the least Σ ω·d(c, v). Candidates are the concepts on any path from a value up
    to a minimal common subsumer, and unlinked values. Ties: the first concept in the ontology; unlinked values last.
    A leaf represents nothing but itself.

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
        index: ConceptIndex | None = None,
        ceiling: Ceiling | None = None,
        *,
        content: str = DEFAULT_CONTENT,
        weights: Sequence[float] | None = None,
    ) -> None:
        super().__init__(values)
        self.scope, self.measure, self.depth, self.ceiling = scope, measure, depth, ceiling
        self.content, self.weights = content, weights
        if index is not None:
            self.__dict__["index"] = index

    def _with(self, values: Sequence[Value]) -> ConceptMetric:
        index = self.__dict__.get("index")
        if index is not None and not all(index.has(v) for v in values[len(self.values) :]):
            index = None
        return self._like(values, self.measure, index)

    def _like(self, values: Sequence[Value], measure: str, index: ConceptIndex | None = None) -> ConceptMetric:
        options: dict[str, Any] = {"content": self.content, "weights": self.weights}
        return ConceptMetric(values, self.scope, measure, self.depth, index, self.ceiling, **options)

    @cached_property
    def concepts(self) -> Ints:
        """The concept of every value, and of every leaf the one above it; -1 for unlinked ones."""
        return frozen(np.array([-1 if self.unlinked[i] else broader(v) for i, v in enumerate(self.values)], np.int64))

    @cached_property
    def narrower(self) -> NDArray[np.bool_]:
        """Which values are leaves below their concepts."""
        return frozen(np.array([isinstance(v, Narrower) for v in self.values], bool))

    @cached_property
    def _any_narrower(self) -> bool:
        return bool(self.narrower.any())

    @cached_property
    def index(self) -> ConceptIndex:
        """The values and all their ancestors; metrics extended by some of these share it."""
        options: dict[str, Any] = {"content": self.content, "weights": self.weights}
        return ConceptIndex(self.scope, self.measure, self.depth, self.concepts, **options)

    def _between(self, a: Ints, b: Ints) -> Floats:
        one, other = self.concepts[a], self.concepts[b]
        if not self._any_narrower:
            return self.index.between(one, other)
        distances = np.empty(np.shape(a))
        for is_leaf, below in product((False, True), repeat=2):
            some = (self.narrower[a] == is_leaf) & (self.narrower[b] == below)
            distances[some] = self.index.between(one[some], other[some], (is_leaf, below))
        return np.where(np.equal(a, b), 0.0, distances)

    def _from(self, value: Value) -> Floats:
        if value is None or isinstance(value, str) or not self.index.has(value):
            return super()._from(value)
        distances = np.ones(len(self.values))
        is_leaf = isinstance(value, Narrower)
        for below in (False, True) if self._any_narrower else (False,):
            some = ~self.unlinked & (self.narrower == below)
            others = self.concepts[some]
            distances[some] = self.index.between(np.full(len(others), broader(value)), others, (is_leaf, below))
        if is_leaf and value in self.places:
            distances[self.places[value]] = 0.0
        return distances

    def compiled_form(self) -> dict[str, Any] | None:
        """Return distances to all codes, of these and of all concepts above, with the ancestors; None, if too many."""
        table = self.index.table
        number = len(self.values)
        if table is None or (number + len(self.index.used)) * number > MAX_COMPILED:
            return None
        codes = np.arange(number)
        rows = np.ones((number + len(self.index.used), number))
        rows[:number] = self.distances(codes[:, None], codes)
        for is_leaf, own in ((False, table), (True, self.index.table_to_leaves if self._any_narrower else None)):
            some = ~self.unlinked & (self.narrower == is_leaf)
            if own is not None and some.any():
                rows[number:, some] = own[:, self.index.column[self.concepts[some]]]
        place = np.where(self.unlinked, -1, self.index.place[self.concepts])
        above, allowed = self.index.ancestor_bits
        leaf = self.narrower.astype(np.uint8)
        return {"form": "concepts", "table": rows, "place": place, "leaf": leaf, "above": above, "allowed": allowed}

    def point_value(self, point: int) -> Value:
        """Return the value, or the concept, of a row of the distances that `compiled_form` has."""
        own = len(self.values)
        return self.values[point] if point < own else int(self.index.used[point - own])

    @cached_property
    def ancestor_sets(self) -> NDArray[np.uint64] | None:
        """For every value its concept with all concepts above; none, where it is unlinked."""
        if len(self.index.used) * len(self.values) > MAX_COMPILED * 8:
            return None
        above, _ = self.index.ancestor_bits
        sets = np.zeros((len(self.values), above.shape[1]), np.uint64)
        linked = ~self.unlinked
        sets[linked] = above[self.index.place[self.concepts[linked]]]
        return sets

    def ancestor_lists(self, codes: Ints) -> tuple[Ints, Ints, Ints] | None:
        """Return the ancestors of concepts, itself among them, and their number; a leaf counts itself, too."""
        if self.measure != "ancestor-overlap":
            return None
        linked = ~self.unlinked[codes]
        starts, ancestors, _ = self.scope.taxonomy.closure(self.concepts[codes[linked]])
        sizes = np.zeros(len(codes), np.int64)
        sizes[linked] = np.diff(starts)
        return np.cumsum([0, *sizes]), ancestors, sizes + self.narrower[codes]

    def interchangeable(self) -> Ints:
        """Number the values; leaves below one concept share a number, and so do unlinked values."""
        key = np.where(self.unlinked, -1, 2 * self.concepts + self.narrower)
        return np.unique(key, return_inverse=True)[1].ravel()

    # --- the semantic centroid -------------------------------------------------------------------------------

    def candidates(self, concepts: Ints) -> Ints:
        """Return H(V): the concepts under the root on any path from one of V up to a minimal common subsumer of V."""
        return self.index.candidates(concepts)

    def centroid(self, codes: Ints, counts: Floats) -> Value:
        """Return the semantic centroid."""
        total, linked, unlinked = self.split_linked(codes, counts)
        if not linked.size:
            return self.mode(codes, counts)
        best: Value = self.values[linked[0]]
        lost, least = total[unlinked].sum(), 0.0
        if linked.size > 1 or (unlinked.size and isinstance(best, Narrower)):
            candidates = self.candidates(self._distinct_concepts(linked))
            sums = self._sums(candidates, linked, total[linked])
            best, least = first_of_best(candidates, sums), float(sums.min())
        if unlinked.size and total.sum() - total[unlinked].max() < least + lost - tolerance(least + lost):
            return self.values[int(unlinked[np.argmax(total[unlinked])])]
        return best

    def alternatives(self, codes: Ints, counts: Floats) -> list[Value]:
        """Return the candidates for the centroid, and the unlinked values."""
        _, linked, unlinked = self.split_linked(codes, counts)
        found: list[Value] = [self.values[linked[0]]] if linked.size == 1 else []
        if linked.size > 1 or (linked.size and unlinked.size and self.narrower[linked[0]]):
            found += self.candidates(self._distinct_concepts(linked)).tolist()
        return found + [self.values[c] for c in unlinked.tolist()]

    def representatives(self, *, truthful: bool) -> list[Value] | None:
        """Return the values and all concepts above them that may represent others, and are not too general."""
        above = self.index.representatives
        if truthful:
            above = above[~self._too_general[above]]
        return list(dict.fromkeys([*(v for v in self.values if v is not None), *above.tolist()]))

    def _distinct_concepts(self, linked: Ints) -> Ints:
        """Return the concepts of some values, those of leaves once."""
        concepts = self.concepts[linked]
        return np.unique(concepts) if self._any_narrower else concepts

    def _sums(self, candidates: Ints, linked: Ints, weights: Floats) -> Floats:
        """Return Σ ω·d(c, v) for every candidate, over some linked values."""
        concepts = self.concepts[linked]
        if not self._any_narrower or not (leaves := self.narrower[linked]).any():
            return self.index.sums(candidates, concepts, weights)
        parents, place = np.unique(concepts[leaves], return_inverse=True)
        held = sum_by(place.ravel(), weights[leaves], len(parents))
        sums = self.index.sums(candidates, parents, held, leaves=True)
        if leaves.all():
            return sums
        return sums + self.index.sums(candidates, concepts[~leaves], weights[~leaves])

    def subsumer(self, codes: Ints, counts: Floats) -> Value:
        """Return the nearest least common subsumer; null, if some value is unlinked and they differ."""
        total, linked, unlinked = self.split_linked(codes, counts)
        if unlinked.size or (linked.size == 1 and self.narrower[linked[0]]):
            return super().subsumer(codes, counts)
        subsumers = self.index.subsumers(self._distinct_concepts(linked))
        return first_of_best(subsumers, self._sums(subsumers, linked, total[linked]))

    def truthful(self, codes: Ints, counts: Floats) -> Value:
        """Return the nearest common subsumer that is not too general; null, if none is, or some value is unlinked."""
        total, linked, unlinked = self.split_linked(codes, counts)
        if unlinked.size or linked.size == 1:
            return super().subsumer(codes, counts)
        subsumers = self.index.common_subsumers(self._distinct_concepts(linked))
        subsumers = subsumers[~self._too_general[subsumers]]
        return self._chosen(subsumers, linked, total[linked]) if subsumers.size else None

    def preferred(self, value: Value, codes: Ints, counts: Floats) -> Value:
        """Return the centroid, or the nearest concept above it that people know, if that is about as near."""
        if self.ceiling is None or value is None or isinstance(value, (str, Narrower)):
            return value
        total, linked, _ = self.split_linked(codes, counts)
        if linked.size < 2 or says_something(value, self.ceiling):
            return value
        concepts = self.index.common_subsumers(np.array([value]))
        concepts = concepts[(concepts == value) | ~self._too_general[concepts]]
        costs = self._sums(concepts, linked, total[linked])
        return better_known(value, concepts, costs, float(total[linked].sum()), self.ceiling)

    def is_known(self, value: Value) -> bool:
        """Tell whether a concept is in the data or people know it, and it is no class of the rest."""
        if self.ceiling is None or value is None or isinstance(value, (str, Narrower)):
            return True
        return says_something(value, self.ceiling)

    def _chosen(self, concepts: Ints, linked: Ints, weights: Floats) -> int:
        """Return the concept with the least Σ ω·d; in a column of a table, one that people know."""
        costs = self._sums(concepts, linked, weights)
        if self.ceiling is None:
            return first_of_best(concepts, costs)
        return chosen_concept(concepts, costs, float(weights.sum()), self.ceiling)

    @cached_property
    def _too_general(self) -> NDArray[np.bool_]:
        """For every concept of the ontology, whether it says too little to stand for different values."""
        return (self.ceiling or Ceiling(self.scope, named=None)).too_general

    def _families(self, codes: Ints, counts: Floats) -> Ints:
        """Number families under upper concepts; the largest is split while it has more than half of the values."""
        concepts = self.concepts[codes]
        families = np.zeros(len(codes), np.int64)
        while (parts := int(families.max()) + 1) < MAX_FAMILIES:
            sizes = sum_by(families, counts, parts)
            own = np.flatnonzero(families == sizes.argmax())
            if (sizes.max() * 2 <= sizes.sum() and parts > 1) or len(own) == 1:
                break
            branch = self.index.branches(concepts[own], counts[own], self.narrower[codes[own]])
            families[own[branch > 0]] = parts - 1 + branch[branch > 0]
        return families

    def generalisations(self) -> list[list[Value]]:
        """Return the generalisation of each value, level by level, up to one top; unlinked values become null at once.

        Leaves become their concepts first. A hierarchy has its levels. In another tree, each level moves the deepest
        concepts one step towards the root. In an ontology whose concepts have several parents, a hierarchy is built.
        """
        concepts = np.unique(self.concepts[~self.unlinked])
        taxonomy = self.scope.taxonomy
        if len(concepts) < 2:
            above = np.zeros((len(concepts), 0), np.int64)
        elif taxonomy.steps is not None and self.scope.root == taxonomy.root:
            above = distinct_levels(concepts, taxonomy.steps[concepts])
        elif taxonomy.is_tree:
            above = steps_to_root(concepts, self.scope)
        else:
            height = min(BUILT_LEVELS, len(concepts) - 1)
            above = build(concepts, self.scope, self.measure, self.depth, levels=height)
        levels: list[list[Value]] = [list(self.values)]
        for level in ([concepts] if self._any_narrower else []) + list(above.T):
            becomes = dict(zip(concepts.tolist(), level.tolist(), strict=True))
            levels.append([becomes.get(c) for c in self.concepts.tolist()])
        if len({x for x in levels[-1] if x is not None}) > 1 or (None in levels[-1] and len(set(levels[-1])) > 1):
            levels.append([None] * len(self.values))
        return levels

    # --- for measures ----------------------------------------------------------------------------------------

    @property
    def _is_hierarchy(self) -> bool:
        return self.scope.taxonomy.steps is not None

    def covered(self, a: Ints, b: Ints, data: Ints) -> Floats | None:
        """Return how many leaves lie under the least common subsumer; all, where a value is unlinked."""
        pairs, place = np.unique(np.stack([a, b]), axis=1, return_inverse=True)
        covered = np.full(pairs.shape[1], float(self.leaf_count(data)))
        below: dict[int, int] = {}
        for i, (one, other) in enumerate(pairs.T.tolist()):
            if one == other:
                covered[i] = 1.0
            elif not (self.unlinked[one] or self.unlinked[other]):
                top = self.subsumer(np.array([one, other]), np.ones(2))
                if top not in below:
                    below[top] = self._leaves_under(top, data)
                covered[i] = below[top]
        return covered[place.ravel()]

    def leaf_count(self, data: Ints) -> int:
        """Return how many leaves a hierarchy has; of another ontology, how many values the data have."""
        return self._leaves_under(self.scope.root, data) if self._is_hierarchy else len(data)

    def _leaves_under(self, concept: int, data: Ints) -> int:
        """Return how many leaves lie at or below a concept; values of the data that are kinds of a leaf are leaves."""
        linked = data[~self.unlinked[data]]
        if not self._is_hierarchy:
            return self.index.count_below(concept, self.concepts[linked])
        kinds = self.concepts[linked[self.narrower[linked]]]
        leaves = self.scope.taxonomy.leaves(concept)
        return int(self.scope.members[leaves].sum()) + self.index.count_below(concept, kinds)

    def generalises(self, code: int, codes: Ints) -> NDArray[np.bool_]:
        """Return which values a value is true of: a concept, of itself and of all below it."""
        itself = super().generalises(code, codes)
        if self.unlinked[code] or self.narrower[code]:
            return itself
        return itself | np.isin(self.concepts[codes], self.scope.taxonomy.descendants(int(self.concepts[code])))

    def generalised(self) -> tuple[Ints, NDArray[np.int32]] | None:
        """Return for every value all those that it is true of, in CSR form; None, if null is one of them."""
        if None in self.places:
            return None
        linked = np.flatnonzero(~self.unlinked)
        single = np.flatnonzero(self.unlinked | self.narrower)  # true of nothing but itself
        general = np.setdiff1d(linked, single)
        code_of = np.full(len(self.scope.taxonomy), -1)
        code_of[self.concepts[general]] = general
        distinct, place = np.unique(self.concepts[linked], return_inverse=True)
        starts, ancestors = take_rows(*self.scope.taxonomy.closure(distinct)[:2], place.ravel())
        above, below = code_of[ancestors], np.repeat(linked, np.diff(starts))
        above, below = np.append(above[above >= 0], single), np.append(below[above >= 0], single)
        return to_rows(above, below, len(self.values))

    def links(self, a: Ints, b: Ints) -> Floats | None:
        """Return the number of links between values; the largest possible for unlinked ones."""
        return self.with_measure("path").distances(a, b) * 2 * self.scope.taxonomy.deepest

    def by_equality(self) -> Metric:
        """Return equality of the values."""
        return EqualityMetric(self.values)

    def with_measure(self, measure: str) -> ConceptMetric:
        """Return the same values under another measure."""
        if measure == self.measure:
            return self
        return self._like(self.values, measure)


def first_of_best(concepts: Ints, costs: Floats) -> int:
    """Return the concept with the least cost, the first of equals."""
    least = float(costs.min())
    return int(concepts[np.argmax(costs <= least + tolerance(least))])
