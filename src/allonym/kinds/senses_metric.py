"""Distances between words that keep all their senses: each pair is compared by its closest senses.

As in studies of human judgement (Martínez 2010, §3.3). Such a word is no concept, so that nothing stands for several
words but one of them: there is no centroid among concepts, and no common subsumer.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints, frozen
from allonym.kinds.category import EqualityMetric
from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.metric import BaseMetric, tolerance
from allonym.metric import Metric, Value
from allonym.ontology.narrower import Senses, broader, concept_order

MAX_TABLE = 25_000_000  # distances between words in a table
PAIRS_AT_A_TIME = 4_000_000  # of senses


class SensesMetric(BaseMetric):
    """Distances between words with several senses: the least over all pairs of senses.

    A value is what a word may mean (`Senses`), an unlinked text or null. The centroid is the value with the least
    Σ ω·d; of equals the most frequent, then the one whose senses come first in the ontology.

    >>> from allonym.ontology.wordnet import wordnet
    >>> wn = wordnet()
    >>> words = [Senses(wn.taxonomy.senses(word)) for word in ("crane", "stork", "bulldozer")]
    >>> metric = SensesMetric(words, ConceptMetric([], wn))
    >>> [round(float(x), 2) for x in metric.distances(0, [1, 2])]
    [0.08, 0.4]
    """

    def __init__(self, values: Sequence[Value], senses: ConceptMetric) -> None:
        super().__init__(values)
        self.senses = senses  # the metric of single senses

    def _with(self, values: Sequence[Value]) -> SensesMetric:
        return SensesMetric(values, self.senses)

    @cached_property
    def _single(self) -> tuple[ConceptMetric, Ints, Ints]:
        """The metric of all senses, the codes of the senses of one value after the other, and where each begins."""
        each = [value if isinstance(value, Senses) else () for value in self.values]
        metric = self.senses.extend([sense for senses in each for sense in senses])
        return metric, metric.codes_of([x for senses in each for x in senses]), np.cumsum([0, *map(len, each)])

    @cached_property
    def _table(self) -> Floats | None:
        """The distances between all values; null and unlinked texts aside."""
        if len(self.values) ** 2 > MAX_TABLE:
            return None
        table = np.ones((len(self.values), len(self.values)))
        linked = np.flatnonzero(~self.unlinked)
        table[np.ix_(linked, linked)] = self._closest(linked, linked)
        return frozen(table)

    def _closest(self, a: Ints, b: Ints) -> Floats:
        """Return the distances of linked values to others, as a table."""
        closest = np.empty((len(a), len(b)))
        metric, codes, starts = self._single
        columns = np.concatenate([codes[starts[y] : starts[y + 1]] for y in b.tolist()] or [codes[:0]])
        first = np.cumsum([0, *np.diff(starts)[b]])[:-1]
        height = max(1, PAIRS_AT_A_TIME // max(1, len(columns)))
        for low in range(0, len(a), height):
            some = a[low : low + height]
            rows = np.concatenate([codes[starts[x] : starts[x + 1]] for x in some.tolist()])
            far = np.minimum.reduceat(metric.distances(rows[:, None], columns), first, axis=1)
            closest[low : low + height] = np.minimum.reduceat(far, np.cumsum([0, *np.diff(starts)[some]])[:-1], axis=0)
        return closest

    def _between(self, a: Ints, b: Ints) -> Floats:
        if self._table is not None:
            distances = self._table[a, b]
        else:
            distances = np.empty(a.shape)
            for code in np.unique(a).tolist():
                others, place = np.unique(b[a == code], return_inverse=True)
                distances[a == code] = self._closest(np.array([code]), others)[0][place.ravel()]
        return np.where(np.equal(a, b), 0.0, distances)

    def centroid(self, codes: Ints, counts: Floats) -> Value:
        """Return the value with the least Σ ω·d."""
        total, linked, unlinked = self.split_linked(codes, counts)
        candidates = linked if linked.size else unlinked
        present = np.concatenate([linked, unlinked])
        costs = self.distances(candidates[:, None], present) @ total[present]
        best = candidates[costs <= costs.min() + tolerance(float(costs.min()))].tolist()
        return self.values[min(best, key=lambda code: (-total[code], self._order(code)))]

    def _order(self, code: int) -> list[tuple[bool, int, str]]:
        value = self.values[code]
        return [concept_order(sense) for sense in value] if isinstance(value, Senses) else []

    def covered(self, a: Ints, b: Ints, data: Ints) -> Floats | None:
        """Return how many values of the data may lie under the subsumer of the closest senses of two."""
        pairs, place = np.unique(np.stack([a, b]), axis=1, return_inverse=True)
        covered = np.where(pairs[0] == pairs[1], 1.0, float(len(data)))
        metric, senses, starts = self._single
        for i, (one, other) in enumerate(pairs.T.tolist()):
            if one != other and not (self.unlinked[one] or self.unlinked[other]):
                rows, columns = (senses[starts[x] : starts[x + 1]] for x in (one, other))
                far = metric.distances(rows[:, None], columns)
                nearest = np.unravel_index(int(np.argmin(far)), far.shape)
                closest = np.array([rows[nearest[0]], columns[nearest[1]]])
                top = broader(metric.subsumer(closest, np.ones(2)))
                under = np.isin(metric.concepts, metric.scope.taxonomy.descendants(top))
                covered[i] = sum(under[senses[starts[x] : starts[x + 1]]].any() for x in data.tolist())
        return covered[place.ravel()]

    def generalises(self, code: int, codes: Ints) -> NDArray[np.bool_]:
        """Return which values a value is true of: those of which a sense lies at or below one of its senses."""
        itself = super().generalises(code, codes)
        if self.unlinked[code]:
            return itself
        metric, senses, starts = self._single
        own = senses[starts[code] : starts[code + 1]]
        true = np.zeros(len(metric.values), bool)
        for sense in own.tolist():
            true |= metric.generalises(sense, np.arange(len(metric.values)))
        meant = [true[senses[starts[x] : starts[x + 1]]].any() for x in codes.tolist()]
        return itself | np.array(meant, bool)

    def links(self, a: Ints, b: Ints) -> Floats | None:
        """Return the least number of links between senses; the largest possible for unlinked values."""
        return self.with_measure("path").distances(a, b) * 2 * self.senses.scope.taxonomy.deepest

    def by_equality(self) -> Metric:
        """Return equality of the values."""
        return EqualityMetric(self.values)

    def with_measure(self, measure: str) -> SensesMetric:
        """Return the same values under another measure."""
        return SensesMetric(self.values, self.senses.with_measure(measure))
