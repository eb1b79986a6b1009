"""Words linked to concepts of an ontology; the semantic centroid represents a group.

The centroid is that of Martínez, Sánchez and Valls (2012), §3.3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints, frozen, sum_by
from allonym.cells import MISSING, Cells, is_missing
from allonym.errors import TableError
from allonym.kinds.base import ANYTHING, EncodedColumn, Kind
from allonym.kinds.category import EqualityMetric
from allonym.kinds.concept_index import ConceptIndex
from allonym.kinds.levels import distinct_levels, steps_to_root
from allonym.kinds.linking import LINKING_OPTIONS, ColumnLinks, concept_style, concept_writer
from allonym.kinds.metric import MAX_FAMILIES, BaseMetric, tolerance
from allonym.kinds.word_codec import WordCodec
from allonym.ontology.hierarchy_builder import build
from allonym.ontology.linking.link import Link, link
from allonym.ontology.scope import Scope
from allonym.records import Metric, Value

BUILT_LEVELS = 5  # of a hierarchy that is built where an ontology is no tree


class ConceptMetric(BaseMetric):
    """Distances between concepts of an ontology. A value is a concept, an unlinked text or null.

    The centroid is the candidate c with the least Σ ω·d(c, v). Candidates are the concepts on any path from a value up
    to a minimal common subsumer, and unlinked values. Ties: the first concept in the ontology; unlinked values last.

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
    ) -> None:
        super().__init__(values)
        self.scope, self.measure, self.depth = scope, measure, depth
        if index is not None:
            self.__dict__["index"] = index

    def _with(self, values: Sequence[Value]) -> ConceptMetric:
        index = self.__dict__.get("index")
        if index is not None and not all(index.has(v) for v in values[len(self.values) :]):
            index = None
        return ConceptMetric(values, self.scope, self.measure, self.depth, index)

    @cached_property
    def concepts(self) -> Ints:
        """The concept of every value; -1 for unlinked ones."""
        return frozen(np.array([-1 if self.unlinked[i] else v for i, v in enumerate(self.values)], np.int64))

    @cached_property
    def index(self) -> ConceptIndex:
        """The values and all their ancestors; metrics extended by some of these share it."""
        return ConceptIndex(self.scope, self.measure, self.depth, self.concepts)

    def _between(self, a: Ints, b: Ints) -> Floats:
        return self.index.between(self.concepts[a], self.concepts[b])

    def _from(self, value: Value) -> Floats:
        if value is None or isinstance(value, str) or not self.index.has(value):
            return super()._from(value)
        distances = np.ones(len(self.values))
        linked = ~self.unlinked
        others = self.concepts[linked]
        distances[linked] = self.index.between(np.full(len(others), value), others)
        return distances

    # --- the semantic centroid -------------------------------------------------------------------------------

    def candidates(self, concepts: Ints) -> Ints:
        """Return H(V): the concepts under the root on any path from one of V up to a minimal common subsumer of V."""
        return self.index.candidates(concepts)

    def centroid(self, codes: Ints, counts: Floats) -> Value:
        """Return the semantic centroid."""
        total, linked, unlinked = self.split_linked(codes, counts)
        if not linked.size:
            return self.mode(codes, counts)
        concepts, weights, lost = self.concepts[linked], total[linked], total[unlinked].sum()
        if linked.size == 1:
            best, least = int(concepts[0]), 0.0
        else:
            candidates = self.candidates(concepts)
            sums = self.index.sums(candidates, concepts, weights)
            best, least = first_of_best(candidates, sums), float(sums.min())
        if unlinked.size and total.sum() - total[unlinked].max() < least + lost - tolerance(least + lost):
            return self.values[int(unlinked[np.argmax(total[unlinked])])]
        return best

    def subsumer(self, codes: Ints, counts: Floats) -> Value:
        """Return the nearest least common subsumer; null, if some value is unlinked and they differ."""
        total, linked, unlinked = self.split_linked(codes, counts)
        if unlinked.size:
            return super().subsumer(codes, counts)
        concepts = self.concepts[linked]
        subsumers = self.index.subsumers(concepts)
        return first_of_best(subsumers, self.index.sums(subsumers, concepts, total[linked]))

    def _families(self, codes: Ints, counts: Floats) -> Ints:
        """Number families under upper concepts; the largest is split while it has more than half of the values."""
        concepts = self.concepts[codes]
        families = np.zeros(len(codes), np.int64)
        while (parts := int(families.max()) + 1) < MAX_FAMILIES:
            sizes = sum_by(families, counts, parts)
            own = np.flatnonzero(families == sizes.argmax())
            if (sizes.max() * 2 <= sizes.sum() and parts > 1) or len(own) == 1:
                break
            branch = self.index.branches(concepts[own], counts[own])
            families[own[branch > 0]] = parts - 1 + branch[branch > 0]
        return families

    def generalisations(self) -> list[list[Value]]:
        """Return the generalisation of each value, level by level, up to one top; unlinked values become null at once.

        A hierarchy has its levels. In another tree, each level moves the deepest concepts one step towards the root.
        In an ontology whose concepts have several parents, a hierarchy is built.
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
        for level in above.T:
            becomes = dict(zip(concepts.tolist(), level.tolist(), strict=True))
            levels.append([None if self.unlinked[c] else becomes[int(v)] for c, v in enumerate(self.values)])
        if len({x for x in levels[-1] if x is not None}) > 1 or (None in levels[-1] and len(set(levels[-1])) > 1):
            levels.append([None] * len(self.values))
        return levels

    # --- for measures ----------------------------------------------------------------------------------------

    def covered(self, a: Ints, b: Ints, data: Ints) -> Floats | None:
        """Return how many values of the data lie under the least common subsumer; all, where a value is unlinked."""
        pairs, place = np.unique(np.stack([a, b]), axis=1, return_inverse=True)
        concepts = self.concepts[data]
        linked = concepts[concepts >= 0]
        covered = np.full(pairs.shape[1], float(len(data)))
        below: dict[int, int] = {}
        for i, (one, other) in enumerate(pairs.T.tolist()):
            if one == other:
                covered[i] = 1.0
            elif not (self.unlinked[one] or self.unlinked[other]):
                top = self.subsumer(np.array([one, other]), np.ones(2))
                if top not in below:
                    below[top] = self.index.count_below(top, linked)
                covered[i] = below[top]
        return covered[place.ravel()]

    def generalises(self, code: int, codes: Ints) -> NDArray[np.bool_]:
        """Return which values a value is true of: a concept, of itself and of all below it."""
        itself = super().generalises(code, codes)
        if self.unlinked[code]:
            return itself
        return itself | np.isin(self.concepts[codes], self.scope.taxonomy.descendants(int(self.concepts[code])))

    def links(self, a: Ints, b: Ints) -> Floats | None:
        """Return the number of links between values; the largest possible for unlinked ones."""
        return self.with_measure("path").distances(a, b) * 2 * self.scope.taxonomy.deepest

    def by_equality(self) -> Metric:
        """Return equality of the values."""
        return EqualityMetric(self.values)

    def with_measure(self, measure: str) -> ConceptMetric:
        """Return the same values under another measure."""
        return self if measure == self.measure else ConceptMetric(self.values, self.scope, measure, self.depth)


def first_of_best(concepts: Ints, costs: Floats) -> int:
    """Return the concept with the least cost, the first of equals."""
    least = float(costs.min())
    return int(concepts[np.argmax(costs <= least + tolerance(least))])


@dataclass(frozen=True)
class Text(Kind):
    """Words, each linked to a concept of one ontology, or of several."""

    name: ClassVar[str] = "text"
    description: ClassVar[str] = "words"
    options: ClassVar[frozenset[str]] = LINKING_OPTIONS | {"candidates", "hierarchy"}
    automatic: ClassVar[bool] = True
    several_ontologies: ClassVar[bool] = True
    without_ontology: ClassVar[Mapping[str, str]] = {"kind": "category"}

    measure: str = Kind.default_measure
    depth: str = "nodes"
    unmatched: str = "opaque"  # an unlinked word stands for itself, or becomes null (suppress)
    language: str = "en"
    individuals: bool | None = None
    accept_review: bool = False

    @classmethod
    def recognises(cls, cells: Cells, missing: Sequence[str] = MISSING) -> bool:
        """Take any column for words that is of no other kind."""
        return True

    @property
    def linked(self) -> bool:
        """Whether values are words that are linked to an ontology, and reviewed."""
        return True

    def encode(self, name: str, cells: Cells, links: Sequence[ColumnLinks] = ()) -> EncodedColumn:
        """Encode words by their concepts; concepts are numbered by their most frequent spelling."""
        originals = [self._value(cell, links) for cell in cells.values]
        values = [None if isinstance(v, str) and self.unmatched == "suppress" else v for v in originals]
        writers = [concept_writer(x.scope.taxonomy, concept_style(x.links, x.scope, self.writes_codes)) for x in links]

        def label(value: Value) -> str | None:
            if value is None or isinstance(value, str):
                return None
            each = (value,) if len(links) == 1 else value
            return next(write(c) for c, write in zip(each, writers, strict=True) if c is not None)

        spelled = spellings(cells, originals)
        scopes = [x.scope for x in links]
        return self._encoded(
            name, cells, values, lambda v: self._metric(v, scopes), lambda v: spelled[v][1], label, originals
        )

    def _value(self, cell: Any, links: Sequence[ColumnLinks]) -> Value:
        if is_missing(cell, self.missing):
            return None
        concepts = tuple(x.links[str(cell)].concept for x in links)
        if all(concept is None for concept in concepts):
            return str(cell)
        return concepts[0] if len(concepts) == 1 else concepts

    def _metric(self, values: list[Value], scopes: Sequence[Scope]) -> Metric:
        from allonym.kinds.blend import BlendedMetric

        parts = [ConceptMetric([], scope, self.measure, self.depth) for scope in scopes]
        return parts[0].extend(values) if len(parts) == 1 else BlendedMetric(values, parts)

    def meanings(
        self, encoded: EncodedColumn, cells: Cells, new: Mapping[str, int], links: Sequence[ColumnLinks]
    ) -> dict[str, Value]:
        """Return the concepts of new words."""
        each = [self._new_concepts(encoded, cells, new, x) for x in links]
        together = {text: tuple(concepts.get(text) for concepts in each) for text in new}
        return {
            text: concepts[0] if len(links) == 1 else concepts
            for text, concepts in together.items()
            if any(c is not None for c in concepts)
        }

    def _new_concepts(
        self, encoded: EncodedColumn, cells: Cells, new: Mapping[str, int], links: ColumnLinks
    ) -> dict[str, int]:
        """Link new words; of several senses, take the one nearest to the concepts that the word replaces."""
        scope = links.scope
        settled = {x.value: scope.taxonomy.ids[x.concept] for x in links.links.values() if x.concept is not None}
        words = {text: 1 for text in new if text != ANYTHING}
        new_links = link(
            dict.fromkeys(settled, 1) | words,
            scope,
            senses="first",
            language=self.language,
            settled=settled,
            suggest=False,
        )
        concepts = {ANYTHING: scope.root} if ANYTHING in new else {}
        original = encoded.cells
        for x in new_links:
            if x.value not in words or x.concept is None:
                continue
            places, counts = np.unique(original.codes[cells.codes == new[x.value]], return_counts=True)
            replaced = []
            for place, count in zip(places.tolist(), counts.tolist(), strict=True):
                old = links.links.get(str(original.values[place]))
                if old is not None and old.concept is not None:
                    replaced.append((old.concept, count))
            concepts[x.value] = self._nearest([x.concept, *x.alternatives], replaced, scope)
        return concepts

    def codec(self, encoded: EncodedColumn, links: Sequence[ColumnLinks], domain: Any = None) -> WordCodec:
        """Return the codec of the words of one ontology."""
        scope, linked = links[0].scope, links[0].links
        concepts = {text: x.concept for text, x in linked.items()}
        individuals = bool(self.individuals) if domain is None else domain.individuals
        style = concept_style(linked, scope, self.writes_codes)
        return WordCodec(encoded.attribute.name, self, scope, concepts, style, individuals, domain)

    def stored_codec(self, name: str, stored: Mapping[str, Any], scopes: Sequence[Scope]) -> WordCodec:
        """Return the codec of words whose ontology is the same as when it was stored."""
        taxonomy = scopes[0].taxonomy
        if taxonomy.source.sha256 != stored["ontology"]["sha256"]:
            raise TableError(f"The ontology of column {name} has changed since it was fitted.", hint="fit it again.")
        concepts = {text: None if id is None else taxonomy.code(id) for text, id in stored["links"].items()}
        return WordCodec(name, self, scopes[0], concepts, stored["written"], stored["individuals"])

    def _nearest(self, senses: list[int], replaced: Sequence[tuple[int, int]], scope: Scope) -> int:
        """Return the sense with the least Σ ω·d to some concepts with their counts; the first of equals."""
        if len(senses) == 1 or not replaced:
            return senses[0]
        values = list(dict.fromkeys([*senses, *(c for c, _ in replaced)]))
        metric = ConceptMetric(values, scope, self.measure, self.depth)
        codes = metric.codes_of([c for c, _ in replaced])
        counts = np.array([n for _, n in replaced], np.float64)
        costs = metric.distances(metric.codes_of(senses)[:, None], codes) @ counts
        return senses[int(np.argmin(np.round(costs, 9)))]


def with_hierarchy(encoded: EncodedColumn, links: Mapping[str, Link], scope: Scope, measure: str) -> EncodedColumn:
    """Place the values of a column in a hierarchy beside its ontology, each by its most frequent spelling."""
    places: dict[int, Value] = {}
    for value, (_, cell) in spellings(encoded.cells, encoded.code_of.tolist()).items():
        places[value] = links[cell].concept if cell in links else None
    values = [places.get(code) for code in range(len(encoded.attribute.values))]
    hierarchy = ConceptMetric(values, scope, measure)
    return replace(encoded, attribute=replace(encoded.attribute, hierarchy=hierarchy))


def spellings(cells: Cells, values: Sequence[Value]) -> dict[Value, tuple[int, str]]:
    """Return for every value its negated count and its most frequent spelling; ties: text order."""
    frequent: dict[Value, tuple[int, str]] = {}
    for cell, value, count in zip(cells.values, values, cells.counts.tolist(), strict=True):
        frequent[value] = min(frequent.get(value, (1, "")), (-count, str(cell)))
    return frequent
