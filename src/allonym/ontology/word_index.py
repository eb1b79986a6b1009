"""An index from words to the concepts that have them in their names or definitions."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import take_rows
from allonym.ontology.gloss_words import words_of
from allonym.ontology.taxonomy import Taxonomy

MAX_CONCEPTS = 500_000  # of an ontology whose names are indexed


@dataclass(frozen=True, eq=False)
class WordIndex:
    """The concepts of each word; rare words weigh more (inverse document frequency)."""

    number: Callable[[str], int | None]  # of a word, whatever its inflection; None: no concept has it
    starts: NDArray[np.int64]  # the concepts of each word, in CSR form
    concepts: NDArray[np.int64]
    weights: NDArray[np.float64]  # of the words
    lengths: NDArray[np.float64]  # of the vector of each concept

    @classmethod
    def of(cls, taxonomy: Taxonomy) -> WordIndex:
        """Return the index of an ontology, which is made once.

        >>> from allonym.ontology.wordnet import bundled
        >>> index = WordIndex.of(bundled())
        >>> concepts, similar = index.similarity(index.numbers(["nursing", "sick"]))
        >>> bundled().ids[int(concepts[similar.argmax()])]
        'visiting_nurse.n.01'
        """
        cache = taxonomy.lexicon.cache
        if "word index" not in cache:
            cache["word index"] = cls._of_details(taxonomy) if taxonomy.details is not None else cls._of_names(taxonomy)
        index: WordIndex = cache["word index"]
        return index

    @classmethod
    def _of_details(cls, taxonomy: Taxonomy) -> WordIndex:
        assert taxonomy.details is not None
        starts, words = taxonomy.details.gloss_words(np.arange(len(taxonomy)))
        owners = np.repeat(np.arange(len(taxonomy)), np.diff(starts))
        return cls._inverted(lru_cache(100_000)(taxonomy.details.word_number), owners, words, len(taxonomy))

    @classmethod
    def _of_names(cls, taxonomy: Taxonomy) -> WordIndex:
        numbers: dict[str, int] = {}
        owners, words = [], []
        for concept in range(len(taxonomy) if len(taxonomy) <= MAX_CONCEPTS else 0):
            text = " ".join([*taxonomy.lexicon.terms(concept), taxonomy.definition(concept)])
            for word in dict.fromkeys(map(_singular, words_of(text))):
                owners.append(concept)
                words.append(numbers.setdefault(word, len(numbers)))
        found = lambda word: numbers.get(_singular(word))  # noqa: E731
        return cls._inverted(found, np.array(owners, np.int64), np.array(words, np.int64), len(taxonomy))

    @classmethod
    def _inverted(
        cls, number: Callable[[str], int | None], owners: NDArray[np.int64], words: NDArray[np.int64], concepts: int
    ) -> WordIndex:
        counts = np.bincount(words)
        weights = np.log((concepts + 1) / np.maximum(counts, 1))
        lengths = np.sqrt(np.bincount(owners, weights=weights[words] ** 2, minlength=concepts))
        order = np.argsort(words, kind="stable")
        starts = np.concatenate([[0], np.cumsum(counts)])
        return cls(number, starts, owners[order], weights, np.maximum(lengths, 1e-9))

    def numbers(self, words: Collection[str]) -> list[int]:
        """Return the numbers of words that some concept has, each once."""
        return list(dict.fromkeys(n for n in map(self.number, words) if n is not None))

    def weight(self, words: Collection[int]) -> float:
        """Return the sum of the weights of words."""
        return sum([self._weights[word] for word in words])

    @cached_property
    def largest_weight(self) -> float:
        """The weight of a word that one concept has."""
        return max(self._weights, default=1.0)

    @cached_property
    def _weights(self) -> list[float]:
        return list(map(float, self.weights))

    def similarity(self, words: Collection[int]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the concepts that have some of the words, and the cosine of their words and these."""
        numbers = np.array(list(words), np.int64)
        starts, found = take_rows(self.starts, self.concepts, numbers)
        concepts, places = np.unique(found, return_inverse=True)
        squares = self.weights[numbers] ** 2
        sums = np.bincount(places.ravel(), weights=np.repeat(squares, np.diff(starts)), minlength=len(concepts))
        return concepts, sums / (self.lengths[concepts] * np.sqrt(squares.sum() or 1.0))


def _singular(word: str) -> str:
    return word.removesuffix("s") if len(word) > 3 and not word.endswith("ss") else word
