"""Slow, obviously correct measures on the words of concepts, written from the formulas: a test oracle.

Martínez (2010), eq. 8-12 and 17. Nothing is shared with the package. `Described` is an ontology as plain dictionaries.
"""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import reference
from reference import Parents

Words = frozenset[str]


@dataclass(frozen=True)
class Described:
    """Concepts with their parents, words, parts and the words of their glosses."""

    parents: Parents
    terms: Mapping[int, Words]
    parts: Mapping[int, frozenset[int]] = field(default_factory=dict)  # the parts of a whole
    glosses: Mapping[int, Words] = field(default_factory=dict)

    def words(self, concepts: set[int]) -> Words:
        """Return the words of several concepts."""
        return frozenset(word for c in concepts for word in self.terms[c])

    def part_neighbours(self, c: int) -> set[int]:
        """Return the parts of a concept, and what it is a part of."""
        return set(self.parts.get(c, ())) | {whole for whole in self.parents if c in self.parts.get(whole, ())}

    def children(self, c: int) -> set[int]:
        """Return the direct children of a concept."""
        return {child for child in self.parents if c in self.parents[child]}


def jaccard(a: Words, b: Words) -> float:
    """Return |A ∩ B| / |A ∪ B|, 0 for two empty sets."""
    return len(a & b) / len(a | b) if a | b else 0.0


def x_similarity(ontology: Described, a: int, b: int) -> float:
    """Return eq. 11: 1 if synonyms are shared, else the best of neighbourhoods (eq. 12: is-a, part-of) and glosses."""
    if a == b or ontology.terms[a] & ontology.terms[b]:
        return 1.0
    is_a = [ontology.words(reference.ancestors(ontology.parents, c)) for c in (a, b)]
    part_of = [ontology.words(ontology.part_neighbours(c)) for c in (a, b)]
    descriptions = [ontology.glosses.get(c, frozenset()) for c in (a, b)]
    return max(jaccard(*is_a), jaccard(*part_of), jaccard(*descriptions))


def rodriguez_egenhofer(ontology: Described, a: int, b: int, weights: tuple[float, float, float]) -> float:
    """Return eq. 10: w·S(synsets) + u·S(features) + v·S(neighbourhoods), each S as in `reference.tversky`."""
    if a == b:
        return 1.0
    near = {
        c: ontology.words({c} | set(ontology.parents[c]) | ontology.children(c) | ontology.part_neighbours(c))
        for c in (a, b)
    }
    parts = {c: ontology.words(ontology.part_neighbours(c)) for c in (a, b)}
    sets = (ontology.terms, parts, near)
    return sum(w * reference.tversky(ontology.parents, each, a, b) for w, each in zip(weights, sets, strict=True))


def gloss_vector(ontology: Described, a: int, b: int) -> float:
    """Return eq. 17: the cosine of the context vectors of a and b.

    The context of a word counts the glosses that it shares with every word. The vector of a concept adds up the
    contexts of all words in its own gloss, in those of its parents and in those of its children.
    """
    if a == b:
        return 1.0

    def context(word: str) -> Counter[str]:
        return Counter(other for gloss in ontology.glosses.values() if word in gloss for other in gloss)

    def vector(c: int) -> Counter[str]:
        total: Counter[str] = Counter()
        for concept in [c, *ontology.parents[c], *ontology.children(c)]:
            for word in ontology.glosses[concept]:
                total += context(word)
        return total

    one, other = vector(a), vector(b)
    length = math.sqrt(sum(x * x for x in one.values()) * sum(x * x for x in other.values()))
    return sum(one[word] * other[word] for word in one) / length if length else 0.0
