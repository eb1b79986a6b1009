"""Evidence from glosses: a sense is likelier if its gloss shares words with the column.

This is the idea of Lesk (1986). The words of a column are those of its values, of its name, and of the glosses of all
senses that its values may have, each with the probability of the sense. Rare words weigh more.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from allonym.arrays import Floats, Ints
from allonym.ontology.details import Details
from allonym.ontology.linking.readings.negation import words_of
from allonym.ontology.linking.senses import softmax

FEW_WORDS = 2.0  # with so many other words the evidence counts half
MANY_WORDS = 20.0  # more words than these make no word of a gloss weigh more
# words of a column's name that say nothing of its values
GENERIC_NAMES = frozenset({
    "category", "class", "code", "column", "description", "field", "group", "id", "item", "kind", "label", "level",
    "list", "main", "name", "number", "primary", "status", "text", "title", "type", "value", "variable",
})  # fmt: skip
TEXT = 1.0  # weight of a word of a value against a word of a gloss
NAME = 1.5  # weight of a word of the column's name


class GlossEvidence:
    """Weighs the senses of a column's words by their glosses.

    Args:
        details: the glosses.
        starts: the senses of word i are `starts[i]:starts[i+1]` of `concepts`.
        concepts: the senses.
        family: the family of each word; words of a family say nothing of one another.
        texts: the texts of the values of each word.
        forms: the matched form of each word; that glosses of its senses have its words says nothing.
        name: the name of the column.
    """

    def __init__(
        self,
        details: Details,
        starts: Ints,
        concepts: Ints,
        family: Ints,
        texts: Sequence[str],
        forms: Sequence[str],
        name: str = "",
    ) -> None:
        self.details, self.starts = details, starts
        owner = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        self.rows, self.words = details.gloss_words(concepts)
        self.sense = np.repeat(np.arange(len(concepts)), np.diff(self.rows))
        size = len(details.word_frequencies)
        self._numbers: dict[str, int | None] = {}
        own = {(int(family[word]), n) for word, text in enumerate(texts) for n in self._of(text)}
        matched = np.array([word * size + n for word, form in enumerate(forms) for n in self._of(form)], np.int64)
        self.counts = ~np.isin(owner[self.sense] * size + self.words, matched)
        pairs = np.array(sorted(own), np.int64).reshape(-1, 2)
        self.text_words = pairs
        self.name_words = self._of(" ".join(w for w in words_of(name.replace("_", " ")) if w not in GENERIC_NAMES))
        keys = np.concatenate([family[owner[self.sense]] * size + self.words, pairs[:, 0] * size + pairs[:, 1]])
        _, self.pair = np.unique(keys, return_inverse=True)
        self.part = (1 / np.bincount(family))[family[owner]]
        documents = len(details.glosses)
        self.rarity = np.log(documents / np.maximum(details.word_frequencies, 1)) / np.log(documents)
        self.size = size
        self.others = max(len(np.unique(family)) - 1, 0)
        self.scale = min(1.0, MANY_WORDS / max(self.others, 1))

    def _of(self, text: str) -> list[int]:
        """Return the numbers of the words of a text that glosses have."""
        for word in (words := set(words_of(text))):
            if word not in self._numbers:
                self._numbers[word] = self.details.word_number(word)
        return [number for word in words if (number := self._numbers[word]) is not None]

    def weights(self, weights: Floats) -> Floats:
        """Return the evidence for every sense, given the weights of the senses without it."""
        probability = softmax(weights, self.starts)
        in_gloss = (probability * self.part)[self.sense]
        in_text = np.full(len(self.text_words), TEXT)
        amounts = np.concatenate([in_gloss, in_text])
        words = np.concatenate([self.words, self.text_words[:, 1]])
        profile = np.bincount(words, amounts, self.size)
        itself = np.bincount(self.pair, amounts)[self.pair][: len(self.words)]
        others = np.maximum(profile[self.words] - itself, 0.0)
        value = np.log1p(others * self.scale) * self.rarity[self.words] ** 2 * self.counts
        sums = np.bincount(self.sense, value, len(probability))
        named = np.isin(self.words, self.name_words) * self.rarity[self.words] ** 2 * self.counts
        in_name = np.bincount(self.sense, named, len(probability))
        return NAME * in_name + sums / np.sqrt(np.maximum(np.diff(self.rows), 1) + 4) * self.others / (
            self.others + FEW_WORDS
        )
