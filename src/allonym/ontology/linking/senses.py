"""Choose the senses of the words of a column by the company they keep.

The probabilities of the senses of a word are

    q(c) ∝ p(c) · exp(FIT_WEIGHT · fit(c))

with p from the lexicon, from the way the word was matched and from glosses. The fit of a sense is its mean similarity
to the senses of the other words of the column, each by its probability. Similarity is the cosine of the two ancestor
sets, |T(a) ∩ T(b)| / √(|T(a)|·|T(b)|): unlike the published measures it is linear in each argument, so that comparing a
sense with a whole column costs only its own ancestors. Fit and probabilities determine each other; they are computed in
turn until they settle, from probabilities that are almost equal at first, so that rare senses have a chance. Words are
counted once, however many cells or values have them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from allonym.arrays import Floats, Ints, take_rows
from allonym.ontology.taxonomy import Taxonomy

if TYPE_CHECKING:
    from allonym.ontology.linking.together import Together

FIT_WEIGHT = 14.0
FEW_WORDS = 0.5  # with so many other words the fit counts half
NEIGHBOURS = 2
MAX_COMPARED = 300
ROUNDS = 15
WARM_UP = 5  # rounds in which the weights of the senses count less
DAMPING = 0.3
SETTLED = 1e-3  # largest change of a probability in the last round


@dataclass(frozen=True)
class Senses:
    """The probability of every candidate sense of every word of a column."""

    probability: Floats


class Column:
    """The candidate senses of the words of a column: `starts[i]:starts[i+1]` are those of word i.

    Args:
        taxonomy: the ontology.
        starts: where the senses of each word start.
        concepts: the senses.
        weights: the logarithms of their probabilities without the column.
        family: the family of each word; words of a family say nothing of one another and count as one.
        counted: how many words the column has; those after them only stand beside these. By default, all.
        together: the evidence of words that stand together.
    """

    def __init__(
        self,
        taxonomy: Taxonomy,
        starts: Ints,
        concepts: Ints,
        weights: Floats,
        family: Ints,
        counted: int | None = None,
        together: Together | None = None,
    ) -> None:
        self.starts, self.weights, self.together = starts, weights, together
        self.owner = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        self.counted = len(family) if counted is None else counted
        self.family = family[self.owner]
        self.families = int(family[: self.counted].max(initial=-1)) + 1
        self.part = (1 / np.bincount(family))[self.family] * (self.owner < self.counted)
        distinct, place = np.unique(concepts, return_inverse=True)
        rows, ancestors, _ = taxonomy.closure(distinct)
        self.rows, above = take_rows(rows, ancestors, place)  # T(c) of every sense
        used, self.above = np.unique(above, return_inverse=True)
        self.width = len(used)
        self.norm = np.sqrt(np.diff(self.rows))

    def without_context(self) -> Senses:
        """Return the probabilities of the senses by their weights alone."""
        return Senses(softmax(self.weights, self.starts))

    def senses(self, *, together: bool = True) -> Senses:
        """Return the probabilities of the senses in their column, with the evidence of words that stand together."""
        others = max(self.families - 1, 0)
        together = together and self.together is not None
        if not others and not together:
            return self.without_context()
        weight = FIT_WEIGHT * others / (others + FEW_WORDS)
        probability = softmax(self.weights * 0.2, self.starts)
        for done in range(ROUNDS):
            prior = self.weights * min(1.0, 0.2 + 0.8 * done / WARM_UP)
            new = softmax(prior + self._evidence(probability, weight, together), self.starts)
            new = DAMPING * probability + (1 - DAMPING) * new
            change = float(np.abs(new - probability).max(initial=0))
            probability = new
            if change < SETTLED and done > WARM_UP:
                break
        return Senses(softmax(self.weights + self._evidence(probability, weight, together), self.starts))

    def _evidence(self, probability: Floats, weight: float, together: bool) -> Floats:
        """Return the evidence of the other words of the column, and of those beside each."""
        evidence = weight * self.fit(probability)
        return evidence + self.together.weights(probability) if together and self.together is not None else evidence

    def fit(self, probability: Floats) -> Floats:
        """Return the mean similarity of every sense to the words of other families."""
        amounts = np.repeat(probability * self.part / self.norm, np.diff(self.rows))
        field = np.bincount(self.above, amounts, self.width)
        own = self._own_field(amounts)
        sums = np.add.reduceat(field[self.above] - own, self.rows[:-1]) / self.norm
        return sums / max(self.families - 1, 1)

    def _own_field(self, amounts: Floats) -> Floats:
        """Return what the family of each sense adds to the field at each of the sense's ancestors."""
        return np.bincount(self._pairs, amounts).astype(np.float64, copy=False)[self._pairs]

    @cached_property
    def _pairs(self) -> Ints:
        """The number of the pair of a family and an ancestor, for each ancestor of each sense."""
        keys = np.repeat(self.family, np.diff(self.rows)) * self.width + self.above
        return np.unique(keys, return_inverse=True)[1].ravel()

    def neighbours(self, probability: Floats) -> Floats:
        """Return for each word the mean similarity of its likeliest sense to the nearest of other families.

        In a long column, words are compared with some of it.
        """
        words = len(self.starts) - 1
        best = np.lexsort((-probability, self.owner))[self.starts[:-1]]
        starts, above = take_rows(self.rows, self.above, best)
        family, norm = self.family[best], np.sqrt(np.diff(starts))
        sample = np.unique(np.linspace(0, self.counted - 1, min(self.counted, MAX_COMPARED)).astype(np.int64))
        count = max(min(NEIGHBOURS, self.families - 1), 1)
        nearest = np.zeros((count, words))
        held = np.zeros(self.width)
        for other in sample.tolist():
            own = above[starts[other] : starts[other + 1]]
            held[own] = 1
            similar = np.add.reduceat(held[above], starts[:-1]) / (norm * norm[other])
            held[own] = 0
            similar[family == family[other]] = 0
            at = np.argmin(nearest, axis=0)
            least = nearest[at, np.arange(words)]
            nearest[at, np.arange(words)] = np.maximum(least, similar)
        return nearest.mean(axis=0)


def sizes_of(taxonomy: Taxonomy) -> Floats:
    """Return how many concepts lie at or below each one; one with several parents counts below the first."""
    sizes: Floats | None = taxonomy.lexicon.cache.get("sizes")
    if sizes is None:
        starts, parents = taxonomy.parents
        below = np.flatnonzero(np.diff(starts))
        first = np.full(len(taxonomy), -1, np.int64)
        first[below] = parents[starts[below]]
        sizes = np.ones(len(taxonomy))
        by_depth = np.argsort(taxonomy.depth, kind="stable")
        ends = np.cumsum(np.bincount(taxonomy.depth))
        for low, high in zip(ends[-2::-1], ends[:0:-1], strict=True):
            level = by_depth[low:high]
            sizes += np.bincount(first[level], sizes[level], len(taxonomy))
        taxonomy.lexicon.cache["sizes"] = sizes
    return sizes


def softmax(scores: Floats, starts: Ints) -> Floats:
    """Return the probabilities of scores, row by row."""
    owner = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    top = np.maximum.reduceat(scores, starts[:-1])
    weight = np.exp(scores - top[owner])
    return weight / np.add.reduceat(weight, starts[:-1])[owner]
