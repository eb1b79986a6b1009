"""Several ontologies for one column: each pair of values is compared by the one that finds it most alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints, frozen, sum_by
from allonym.kinds.category import EqualityMetric
from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.metric import BaseMetric, tolerance
from allonym.metric import Metric, Value
from allonym.ontology.narrower import broader, concept_order


class BlendedMetric(BaseMetric):
    """Distances by several ontologies. A value is a tuple with its concept in each of them, None where it has none.

    Martínez (2010) proposes "the ontology that better assesses the alikeness between a given pair of terms": of the
    ontologies that have both values, the one with the least distance. Without such an ontology, the distance is 1.
    The centroid is the value, or candidate of any ontology, with the least Σ ω·d. Ties: values, then candidates of the
    first ontology, then of the next; the first concept in each; unlinked values last. A value may be a leaf below a
    concept, which represents nothing but itself.

    >>> from allonym.ontology.scope import Scope
    >>> from allonym.ontology.taxonomy import Taxonomy
    >>> t = Taxonomy.build("t", ["animal", "bird", "parrot", "cat"], child=[1, 2, 3], parent=[0, 1, 0])
    >>> one, other = (ConceptMetric([], Scope(t, 0)) for _ in range(2))
    >>> BlendedMetric([(2, None), (3, 2), (None, 1)], [one, other]).distances(1, [0, 1, 2]).round(2).tolist()
    [0.6, 0.0, 0.2]
    """

    def __init__(self, values: Sequence[Value], parts: Sequence[ConceptMetric]) -> None:
        super().__init__(values)
        linked = [v for v in self.values if isinstance(v, tuple)]
        self.parts = tuple(
            part.extend(sorted({v[i] for v in linked if v[i] is not None}, key=concept_order))
            for i, part in enumerate(parts)
        )

    def _with(self, values: Sequence[Value]) -> BlendedMetric:
        return BlendedMetric(values, self.parts)

    @cached_property
    def _codes(self) -> Ints:
        """For every value its code in each ontology; -1 where it has none."""
        codes = np.full((len(self.values), len(self.parts)), -1, np.int64)
        for row, value in enumerate(self.values):
            if isinstance(value, tuple):
                codes[row] = [-1 if c is None else part.places[c] for c, part in zip(value, self.parts, strict=True)]
        return frozen(codes)

    def _between(self, a: Ints, b: Ints) -> Floats:
        nearest = np.ones(np.shape(a))
        for i, part in enumerate(self.parts):
            one, other = self._codes[a, i], self._codes[b, i]
            known = (one >= 0) & (other >= 0)
            nearest[known] = np.minimum(nearest[known], part.distances(one[known], other[known]))
        return np.where(np.equal(a, b), 0.0, nearest)

    def centroid(self, codes: Ints, counts: Floats) -> Value:
        """Return the candidate with the least sum of distances."""
        total, linked, unlinked = self.split_linked(codes, counts)
        if not linked.size:
            return self.mode(codes, counts)
        several = linked.size > 1 or unlinked.size > 0
        candidates: list[Value] = [broader(self.values[c]) if several else self.values[c] for c in linked]
        for i, part in enumerate(self.parts):
            known = np.unique(self._codes[linked, i])
            concepts = np.unique(part.concepts[known[known >= 0]])
            if concepts.size:
                others = part.candidates(concepts)
                candidates += [tuple(int(c) if j == i else None for j in range(len(self.parts))) for c in others]
        wider = self.extend(candidates)
        own = wider.codes_of(candidates)
        costs = wider.distances(own[:, None], linked) @ total[linked] + total[unlinked].sum()
        best = np.flatnonzero(costs <= costs.min() + tolerance(float(costs.min())))
        if unlinked.size and total.sum() - total[unlinked].max() < costs.min() - tolerance(float(costs.min())):
            return self.values[int(unlinked[np.argmax(total[unlinked])])]
        return min((candidates[i] for i in best), key=wider._order)

    def representatives(self, *, truthful: bool) -> list[Value] | None:
        """Return the values, without leaves too, and the concepts of each ontology that may represent others."""
        values = [v for v in self.values if v is not None]
        values += [broader(v) for v in values if isinstance(v, tuple)]
        for i, part in enumerate(self.parts):
            concepts = part.representatives(truthful=truthful) or []
            values += [tuple(broader(c) if j == i else None for j in range(len(self.parts))) for c in concepts
                       if not isinstance(c, str)]  # fmt: skip
        return list(dict.fromkeys(values))

    def _order(self, value: tuple[int | None, ...]) -> tuple[bool, int, int]:
        """Order candidates that cost the same."""
        first, concept = next((i, broader(c)) for i, c in enumerate(value) if c is not None)
        return value not in self.places, first, concept

    def subsumer(self, codes: Ints, counts: Floats) -> Value:
        """Return the nearest least common subsumer of the ontologies that have all values; null, if none has."""
        return self._nearest_common(codes, counts, lambda part, own, mass: part.subsumer(own, mass))

    def truthful(self, codes: Ints, counts: Floats) -> Value:
        """Return the nearest common subsumer of the ontologies that have all values, if it is not too general."""
        return self._nearest_common(codes, counts, lambda part, own, mass: part.truthful(own, mass))

    def _nearest_common(
        self, codes: Ints, counts: Floats, choose: Callable[[ConceptMetric, Ints, Floats], Value]
    ) -> Value:
        """Return what is chosen in the ontology in which it is nearest, of those that have all values."""
        if (codes == codes[0]).all() or self.unlinked[codes].any():
            return super().subsumer(codes, counts)
        total = sum_by(codes, counts, len(self.values))
        linked = np.flatnonzero(np.bincount(codes))
        chosen: list[Value] = []
        for i, part in enumerate(self.parts):
            own = self._codes[linked, i]
            concept = broader(choose(part, own, total[linked])) if (own >= 0).all() else None
            if concept is not None:
                chosen.append(tuple(concept if j == i else None for j in range(len(self.parts))))
        return min(chosen, key=lambda value: float(self.distances_from(value)[linked] @ total[linked]), default=None)

    def covered(self, a: Ints, b: Ints, data: Ints) -> Floats | None:
        """Return how many values of the data lie under the subsumer of two; all, where no ontology has both."""
        pairs, place = np.unique(np.stack([a, b]), axis=1, return_inverse=True)
        covered = np.where(pairs[0] == pairs[1], 1.0, float(len(data)))
        for i, (one, other) in enumerate(pairs.T.tolist()):
            top = None if one == other else self.subsumer(np.array([one, other]), np.ones(2))
            if top is None:
                continue
            which = next(j for j, concept in enumerate(top) if concept is not None)
            part, own = self.parts[which], self._codes[data, which]
            covered[i] = part.index.count_below(top[which], part.concepts[own[own >= 0]])
        return covered[place.ravel()]

    def generalises(self, code: int, codes: Ints) -> NDArray[np.bool_]:
        """Return which values a value is true of: in any ontology that has both."""
        true = super().generalises(code, codes)
        for i, part in enumerate(self.parts):
            own, others = int(self._codes[code, i]), self._codes[codes, i]
            if own >= 0:
                true = true | ((others >= 0) & part.generalises(own, np.maximum(others, 0)))
        return true

    def links(self, a: Ints, b: Ints) -> Floats | None:
        """Return the least number of links between values; the largest possible, where no ontology has both."""
        most = 2 * max(part.scope.taxonomy.deepest for part in self.parts)
        apart = np.where(a == b, 0.0, float(most))
        for i, part in enumerate(self.parts):
            one, other = self._codes[a, i], self._codes[b, i]
            both = (one >= 0) & (other >= 0)
            links = part.links(one[both], other[both])
            assert links is not None
            apart[both] = np.minimum(apart[both], links)
        return apart

    def by_equality(self) -> Metric:
        """Return equality of the values."""
        return EqualityMetric(self.values)

    def with_measure(self, measure: str) -> BlendedMetric:
        """Return the same values under another measure."""
        return BlendedMetric(self.values, [part.with_measure(measure) for part in self.parts])
