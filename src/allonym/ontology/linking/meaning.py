"""Suggest concepts for values by meaning: by names, definitions, related nouns and the rest of the column.

Candidates are the senses of the words and phrases of a value, nouns that its adjectives and verbs lead to, words
spelled like it, other senses of its link, and concepts whose definitions have its words. They are ranked by a sum of
scores, whose weights were chosen on labelled columns (docs/ontologies/reviewing.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from allonym.ontology.gloss_words import words_of as content_words
from allonym.ontology.lexicon import key
from allonym.ontology.linking.languages import language as language_of
from allonym.ontology.linking.link import SURE, Link
from allonym.ontology.linking.readings.negation import is_negation, negated, opposes, words_of
from allonym.ontology.linking.readings.normalise import Normaliser
from allonym.ontology.linking.review_order import in_review_order, is_open
from allonym.ontology.linking.suggest import MAX_SUGGESTIONS
from allonym.ontology.scope import Scope
from allonym.ontology.word_index import WordIndex

MAX_VALUES = 2000  # of a column that get suggestions by meaning, those most worth a review first
MAX_READINGS = 8  # of a value
MAX_PHRASE = 3  # words of a phrase of a value
MAX_SENSES = 8  # of a phrase
MAX_BY_DEFINITION = 100  # candidates
MAX_RANKED_BY_COLUMN = 40
SAME_SPELLING = 88  # percent of equal letters from which a text is taken for a misspelled word


@dataclass(frozen=True)
class Weights:
    """What counts how much for a suggestion."""

    definition: float = 1.0  # cosine of the words of the value and of a concept's names and definition
    name: float = 1.0  # share of words that the value and a name have in common
    whole_name: float = 0.5  # all words of a name are in the value
    column: float = 2.0  # mean similarity with what the other values of the column mean
    derived: float = 0.25  # a noun that an adjective or verb of the value leads to
    sense: float = 0.3  # another sense of the proposed link
    spelling: float = 0.3  # a word spelled like the value
    misspelled: float = 1.0  # nearly the same spelling


class Suggester:
    """Suggests concepts for the values of one column.

    Args:
        scope: the ontology, or the part of it that values may mean.
        links: the links of all values of the column; what they mean is evidence for the others.
        language: the language of the values.
        weights: what counts how much.
    """

    def __init__(
        self, scope: Scope, links: Iterable[Link], language: str = "en", weights: Weights | None = None
    ) -> None:
        self.scope, self.taxonomy, self.weights = scope, scope.taxonomy, weights or Weights()
        self.links = list(links)
        self.language = language_of(self.taxonomy.lexicon.language(language))
        self.index = WordIndex.of(self.taxonomy)
        self.readings = Normaliser.of(self.taxonomy.lexicon, self.language, column=[x.value for x in self.links])

    def suggestions(self, link: Link) -> tuple[str, ...]:
        """Return up to five words or ids of concepts that a value may mean, best first."""
        spelled = self._by_spelling(link)
        words = {concept: word for concept, (word, _) in spelled.items()}
        return tuple(dict.fromkeys(words.get(c) or self._text(c, link.value) for c in self.concepts(link)))

    def concepts(self, link: Link, most: int = MAX_SUGGESTIONS) -> list[int]:
        """Return the concepts that a value may mean, best first, without the one it is linked to."""
        texts = self._texts(link.value)
        words = self.index.numbers([w for text in texts for w in content_words(text)])
        if not words and link.concept is None:
            return list(self._by_spelling(link))[:most]
        scores = self.scores(link, texts, words)
        if not scores:
            return []
        concepts = np.array(list(scores), np.int64)
        usable = self.scope.members[concepts] & (concepts != (-1 if link.concept is None else link.concept))
        if not self._mostly_individuals:
            known = [*link.alternatives, *self._by_spelling(link)]  # without individuals, unless the column has them
            usable &= ~self.taxonomy.instances[concepts] | np.isin(concepts, known)
        concepts, values = concepts[usable], np.array(list(scores.values()))[usable]
        first = np.lexsort((concepts, -values))[:MAX_RANKED_BY_COLUMN]
        concepts, values = concepts[first], values[first]
        values = values + self.weights.column * self._fits_column(concepts, link)
        ranked = concepts[np.lexsort((concepts, -np.round(values, 9)))].tolist()
        return list(islice((c for c in ranked if not self._is_negated(link.value, c)), most))

    # --- scores ----------------------------------------------------------------------------------------------

    def scores(self, link: Link, texts: Sequence[str], words: Sequence[int]) -> dict[int, float]:
        """Return candidates with their scores, the column apart."""
        weights, scores = self.weights, dict[int, float]()

        def add(concept: int, score: float) -> None:
            if score:
                scores[concept] = scores.get(concept, 0.0) + score

        by_definition = self._by_definition(words)
        ranked = sorted(by_definition, key=lambda c: (-by_definition[c], c))[:MAX_BY_DEFINITION]
        named = self._by_name(texts)
        for concept in dict.fromkeys([*named, *ranked]):
            add(concept, weights.definition * by_definition.get(concept, 0.0))
            add(concept, self._name_score(concept, words))
        for concept in self._derived(texts):
            add(concept, weights.derived)
        for concept in link.alternatives[:MAX_SENSES]:
            add(concept, weights.sense)
        for place, (concept, (_, is_same)) in enumerate(self._by_spelling(link).items()):
            add(concept, weights.spelling * (1 - 0.1 * place) + weights.misspelled * is_same)
        return scores

    def _texts(self, value: str) -> list[str]:
        """Return the readings of a value, without words that are negated."""
        without = self._negated(value)
        texts = [x.text for x in self.readings.readings(value)[:MAX_READINGS]]
        return [" ".join(w for w in text.split() if w not in without) for text in texts] if without else texts

    def _negated(self, value: str) -> set[str]:
        words = words_of(value)
        return {words[i] for i in negated(words, self.language)}

    def _by_definition(self, words: Sequence[int]) -> dict[int, float]:
        if not words:
            return {}
        concepts, similar = self.index.similarity(words)
        best = np.argsort(-similar, kind="stable")[: 4 * MAX_BY_DEFINITION]
        return dict(zip(concepts[best].tolist(), similar[best].tolist(), strict=True))

    def _by_name(self, texts: Sequence[str]) -> list[int]:
        """Return the senses of the words and phrases of a value."""
        phrases: dict[str, None] = {}
        for text in texts:
            words = text.split()
            for length in range(min(MAX_PHRASE, len(words)), 0, -1):
                phrases |= dict.fromkeys(" ".join(words[i : i + length]) for i in range(len(words) - length + 1))
        return [int(c) for x in phrases for c in self.taxonomy.senses(x, self.language.code)[:MAX_SENSES] if len(x) > 1]

    def _name_score(self, concept: int, words: Sequence[int]) -> float:
        """Return how much the best name of a concept and a value have in common."""
        total, best = self.index.weight(words), 0.0
        for name, rare in self._names[concept] if concept in self._names else self._add_names(concept):
            common = [w for w in name if w in words]
            if common:
                length = self.index.weight(name) + rare * self.index.largest_weight
                share = 2 * self.index.weight(common) / (length + total)
                whole = self.weights.whole_name if len(common) == len(name) and not rare else 0.0
                best = max(best, self.weights.name * share + whole)
        return best

    @cached_property
    def _names(self) -> dict[int, list[tuple[list[int], int]]]:
        """The words of each name of concepts, and how many of its words no other concept has."""
        names: dict[int, list[tuple[list[int], int]]] = self.taxonomy.lexicon.cache.setdefault("words of names", {})
        return names

    def _add_names(self, concept: int) -> list[tuple[list[int], int]]:
        names = [content_words(x.replace("_", " ")) for x in self.taxonomy.lexicon.terms(concept)]
        self._names[concept] = [(self.index.numbers(x), sum(self.index.number(w) is None for w in x)) for x in names]
        return self._names[concept]

    def _derived(self, texts: Sequence[str]) -> list[int]:
        details = self.taxonomy.details
        if details is None or self.language.code != "en":
            return []
        words = dict.fromkeys(w for text in texts for w in content_words(text))
        nouns = [x for w in words for x in details.nouns_of(w)[:MAX_SENSES] if x.pointer != "antonym"]
        return list(dict.fromkeys(x.concept for x in nouns))

    def _by_spelling(self, link: Link) -> dict[int, tuple[str, bool]]:
        """Return the first senses of words spelled like a value, with the word and whether it is nearly the same."""
        from rapidfuzz import fuzz

        whole, found = key(link.value).replace("-", " "), dict[int, tuple[str, bool]]()
        for word in link.suggestions:
            same = fuzz.ratio(whole, key(word).replace("-", " ")) >= SAME_SPELLING
            senses = [c for c in self.taxonomy.senses(word, self.language.code) if c in self.scope]
            for concept in senses[:1]:
                if not self._is_negated(link.value, concept):
                    found.setdefault(concept, (word, same))
        return found

    # --- the column ------------------------------------------------------------------------------------------

    @cached_property
    def _mostly_individuals(self) -> bool:
        linked = [x.concept for x in self.links if x.concept is not None]
        return bool(linked) and 2 * int(self.taxonomy.instances[linked].sum()) >= len(linked)

    @cached_property
    def _profile(self) -> tuple[NDArray[np.float64], float]:
        """The weight of each concept as an ancestor of what the column means, and the number of links."""
        linked = [x for x in self.links if x.concept is not None]
        if not linked:
            return np.zeros(len(self.taxonomy)), 0.0
        starts, above, _ = self.taxonomy.closure(np.array([x.concept for x in linked], np.int64))
        sizes, trust = np.diff(starts), np.array([_trust(x) for x in linked])
        weights = np.repeat(trust / np.sqrt(sizes), sizes)
        return np.bincount(above, weights, len(self.taxonomy)).astype(np.float64), float(trust.sum())

    def _fits_column(self, concepts: NDArray[np.int64], link: Link) -> NDArray[np.float64]:
        """Return the mean cosine of the ancestors of each concept and of what the other values mean."""
        profile, total = self._profile
        if link.concept is not None:
            above = self.taxonomy.subsumers(link.concept)
            profile, total = profile.copy(), total - _trust(link)
            profile[above] -= _trust(link) / np.sqrt(len(above))
        if total <= 0 or not len(concepts):
            return np.zeros(len(concepts))
        starts, above, _ = self.taxonomy.closure(concepts)
        means: NDArray[np.float64] = np.add.reduceat(profile[above], starts[:-1]) / np.sqrt(np.diff(starts)) / total
        return means

    # --- texts -----------------------------------------------------------------------------------------------

    def _text(self, concept: int, value: str) -> str:
        """Return the word of a concept, if that differs from a value and means the concept first; else its id."""
        label = self.taxonomy.labels[concept].replace("_", " ")
        senses = (c for c in self.taxonomy.senses(label, self.language.code) if c in self.scope)
        return label if next(senses, None) == concept and key(label) != key(value) else self.taxonomy.ids[concept]

    def _is_negated(self, value: str, concept: int) -> bool:
        """Tell whether a concept is one that a value says is absent: never married, unmarried → married."""
        words, without = words_of(value), self._negated(value)
        names = {w for x in self.taxonomy.lexicon.terms(concept) for w in words_of(x.replace("_", " "))}
        if without & names and not any(is_negation(w, self.language) for w in names):
            return True
        return any(opposes(a, b, self.language) for a in words for b in names if a not in names and b not in words)


def _trust(link: Link) -> float:
    return 1.0 if link.status == SURE else 0.5


def with_suggestions(column: Iterable[Link], scope: Scope, language: str = "en") -> dict[str, Link]:
    """Return the links of a column that a person has to review, by value, with suggestions by meaning and spelling.

    >>> from allonym.ontology.linking.link import link
    >>> from allonym.ontology.wordnet import wordnet
    >>> people = wordnet(root="person")
    >>> links = link(["nurse", "dentist", "specialist for hearts"], people)
    >>> "cardiologist" in with_suggestions(links, people)["specialist for hearts"].suggestions
    True
    """
    column = list(column)
    links = [x for x in in_review_order(column) if is_open(x) and x.count][:MAX_VALUES]
    if not links:
        return {}
    suggester = Suggester(scope, column, language)
    return {x.value: replace(x, suggestions=suggester.suggestions(x)) for x in links}
