"""The domain of a column: all concepts its values may become (Rodriguez-Garcia, Batet and Sánchez, §III.A)."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints, frozen, take_rows
from allonym.kinds.concept_index import ConceptIndex
from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.metric import tolerance
from allonym.metric import Value
from allonym.ontology.dominators import Dominators
from allonym.ontology.joining.virtual_roots import virtual_roots
from allonym.ontology.narrower import Narrower, broader
from allonym.ontology.scope import Scope
from allonym.ontology.similarity import DEFAULT_CONTENT

Bools = NDArray[np.bool_]
BY_LINKS = ("wu-palmer", "path", "leacock-chodorow")  # measures on links and the depth of subsumers
TIE_DECIMALS = 12  # distances that agree to so many decimals are ties
STRUCTURAL = ("wu-palmer", "path", "leacock-chodorow", "ancestor-overlap")  # measures that depend on links alone


class Domain:
    """The concepts under a root, which has depth 1 whatever lies above it; named individuals only on request.

    Concepts are codes of the whole ontology; `concepts` lists them in order, and a place is an index into it. A leaf
    below a concept is not in the domain: values are never replaced by it. Its distances to the domain are its own.

    >>> from allonym.ontology.wordnet import wordnet
    >>> people = wordnet(root="person")
    >>> domain, code = Domain(people), people.taxonomy.code
    >>> far = domain.distances_from(code("skilled worker"))
    >>> [round(float(far[domain.place(code(w))]), 3) for w in ("employee", "craftsman.n.03")]
    [0.333, 0.143]
    """

    def __init__(
        self,
        scope: Scope,
        measure: str = "wu-palmer",
        depth: str = "nodes",
        *,
        individuals: bool = False,
        content: str = DEFAULT_CONTENT,
        weights: Sequence[float] | None = None,
    ) -> None:
        self.scope, self.individuals = scope, individuals
        cut = scope.cut()
        kept = np.ones(len(cut), bool) if individuals else ~cut.instances
        kept[virtual_roots(cut)] = False
        self._kept = np.flatnonzero(kept)
        self.concepts: Ints = frozen(scope.concepts[kept])
        inside = Scope(cut, cut.root)
        self._index = ConceptIndex(inside, measure, depth, np.arange(len(cut)), content=content, weights=weights)
        self._place = np.full(len(scope.taxonomy), -1, np.int64)
        self._place[self.concepts] = np.arange(len(self.concepts))

    @classmethod
    def of(cls, metric: ConceptMetric, concepts: Ints) -> Domain:
        """Return the domain of a column; it has named individuals if the column has."""
        return cls.under(metric, individuals=bool(metric.scope.taxonomy.instances[concepts].any()))

    @classmethod
    def under(cls, metric: ConceptMetric, *, individuals: bool) -> Domain:
        """Return the domain under the root of a column, with the measure of the column."""
        options: dict[str, Any] = {"content": metric.content, "weights": metric.weights}
        return cls(metric.scope, metric.measure, metric.depth, individuals=individuals, **options)

    @classmethod
    def of_kind(cls, scope: Scope, kind: Any, *, individuals: bool) -> Domain:
        """Return the domain under the root of a column, with the measure of its kind."""
        options: dict[str, Any] = {"content": kind.content, "weights": kind.weights_of_features}
        return cls(scope, kind.measure, kind.depth, individuals=individuals, **options)

    def __len__(self) -> int:
        return len(self.concepts)

    def place(self, value: Value) -> int:
        """Return the place of a concept, or of the concept above a leaf; -1, if it is not in the domain."""
        return int(self._place[broader(value)])

    def places(self, concepts: Ints) -> Ints:
        """Return the places of concepts; -1, if they are not in the domain."""
        return self._place[concepts]

    def distances_from(self, value: Value, places: Ints | None = None) -> Floats:
        """Return the distances of a concept of the domain, or of a leaf below one, to all of it or to some places."""
        own = self._kept[self._inside(broader(value))]
        others = self._kept if places is None else self._kept[places]
        below = isinstance(value, Narrower), False
        return np.round(self._index.compute_distances(np.full(len(others), own), others, below), TIE_DECIMALS)

    @cached_property
    def _dominators(self) -> Dominators:
        return Dominators.of(self._index.scope.taxonomy)

    def anchor(self, value: Value, least: int) -> tuple[int, int]:
        """Return the nearest concept that dominates a value and at least so many others, and the links up to it.

        Values that are as many links below it are equally far from concepts that are not below it. Where a measure
        does not go by links, it is the root. The concept is a code of the taxonomy under the root.
        """
        concept, links = int(self._kept[self._inside(broader(value))]), int(isinstance(value, Narrower))
        root, above = self._index.scope.root, self._dominators
        if self._index.measure not in BY_LINKS:
            return root, 0
        while concept != root and above.sizes[concept] < least:
            concept, links = int(above.nearest[concept]), links + int(above.links[concept])
        return concept, links

    def below(self, anchor: int) -> Ints:
        """Return the places of the concepts at and below an anchor."""
        inside = np.zeros(len(self._index.scope.taxonomy), bool)
        inside[self._index.scope.taxonomy.descendants(anchor)] = True
        return np.flatnonzero(inside[self._kept])

    def _inside(self, concept: int) -> int:
        place = self.place(concept)
        if place < 0:
            raise IndexError("the concept is not in the domain")
        return place

    def table(self, rows: Ints, columns: Ints, *, leaves: bool = False) -> Floats:
        """Return the distances of places to other places, a row for each, as `distances_from` gives them.

        With `leaves`, return those of leaves below the concepts of the rows.
        """
        one, other = self._kept[rows][:, None], self._kept[columns]
        return np.round(self._index.compute_distances(one, other, (leaves, False)), TIE_DECIMALS)

    def twins(self, labels: Ints) -> Ints:
        """Number the places so that those with the same number can be exchanged without changing any distance.

        They are concepts without children that have the same parents and the same label. Measures that go by words or
        by word counts tell them apart: there, each concept has a number of its own.
        """
        taxonomy = self._index.scope.taxonomy
        childless = np.full(len(taxonomy), self._index.measure in STRUCTURAL)
        childless[taxonomy.parents[1]] = False
        numbers: dict[Any, int] = {}
        twins = np.empty(len(self._kept), np.int64)
        for place, (concept, label) in enumerate(zip(self._kept.tolist(), labels.tolist(), strict=True)):
            alike = (label, *sorted(taxonomy.parents_of(concept).tolist())) if childless[concept] else concept
            twins[place] = numbers.setdefault(alike, len(numbers))
        return twins

    @property
    def fingerprint(self) -> Hashable:
        """Return what tells this domain from one with other concepts or distances."""
        index, taxonomy, digest = self._index, self._index.scope.taxonomy, hashlib.blake2b(digest_size=16)
        for array in (*taxonomy.parents, self._kept):
            digest.update(np.append(len(array), array).astype(np.int64).tobytes())
        source: Hashable = None
        if index.measure not in STRUCTURAL:  # the words of an ontology count too
            source = (taxonomy.source.sha256, self.scope.root) if taxonomy.source.sha256 else object()
        weights = None if index.weights is None else tuple(index.weights)
        return digest.digest(), source, index.measure, index.depth, index.content, weights

    def between(self, a: Ints, b: Ints, leaves: Bools | None = None) -> Floats:
        """Return the distances of concepts of the domain, pair by pair; `leaves` tells where a is a leaf below."""
        one, other = self._kept[self.places(a)], self._kept[self.places(b)]
        distances = self._index.compute_distances(one, other)
        if leaves is not None and leaves.any():
            distances[leaves] = self._index.compute_distances(one[leaves], other[leaves], (True, False))
        return distances

    def mean(self, concepts: Ints, counts: NDArray[np.number], leaves: Bools | None = None) -> int:
        """Return the concept of the domain with the least Σ ω·sd(c, x) (ibid., eq. 10); the first of equals.

        `leaves` tells where x is a leaf below the concept.
        """
        own = self._kept[self.places(concepts)]
        candidates = self._candidates(own)
        sums = np.zeros(len(candidates))
        flags = np.zeros(len(own), bool) if leaves is None else leaves
        if flags.any():  # leaves below one concept are equally far from all others
            distinct, place = np.unique(own * 2 + flags, return_inverse=True)
            own, flags = distinct // 2, distinct % 2 > 0
            counts = np.bincount(place.ravel(), weights=counts)
        for concept, count, is_leaf in zip(own.tolist(), counts.tolist(), flags.tolist(), strict=True):
            below = is_leaf, False
            sums += count * self._index.compute_distances(np.full(len(candidates), concept), candidates, below)
        least = float(sums.min())
        best = candidates[np.flatnonzero(sums <= least + tolerance(least))[0]]
        return int(self.concepts[np.searchsorted(self._kept, best)])

    def _candidates(self, own: Ints) -> Ints:
        """Return the concepts that may be the mean of some.

        If all paths from a concept up to ancestors of the values lead through another concept, both have the same
        subsumers with each value. The paths of the first are longer, so path measures put it farther from all values.
        """
        if self._index.measure not in BY_LINKS:
            return self._kept
        taxonomy = self._index.scope.taxonomy
        through = np.full(len(taxonomy), -1, np.int64)
        above = taxonomy.above(own)
        through[above] = above
        for level in range(1, int(taxonomy.depth.max()) + 1):
            open_concepts = np.flatnonzero((taxonomy.depth == level) & (through < 0))
            if len(open_concepts):
                starts, parents = take_rows(*taxonomy.parents, open_concepts)
                first = np.minimum.reduceat(through[parents], starts[:-1])
                last = np.maximum.reduceat(through[parents], starts[:-1])
                through[open_concepts] = np.where(first == last, first, open_concepts)
        return self._kept[through[self._kept] == self._kept]

    def variance(self, concepts: Ints, counts: NDArray[np.number], mean: int, leaves: Bools | None = None) -> float:
        """Return the mean of sd(x, μ)² (ibid., eq. 12); `leaves` tells where x is a leaf below the concept."""
        far = self.between(concepts, np.full(len(concepts), mean), leaves)
        return float((counts * far**2).sum() / counts.sum())
