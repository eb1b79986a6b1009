"""Correct the spelling of words that an ontology does not have, to words it has.

A word is compared with words of about its length that begin with the same letter: one letter may differ (added, left
out, replaced or two exchanged), or two in a word of nine letters or more.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from allonym.ontology.lexicon import Lexicon
from allonym.ontology.linking.languages import Language
from allonym.ontology.linking.readings.negation import opposes

MIN_LETTERS = 5
LONG = 9  # letters of a word in which two may differ
MAX_CORRECTIONS = 3
_WORD = re.compile(r"[^\W\d_]+")


class Spelling:
    """The words of a lexicon in one language, by their first letter and length.

    >>> from allonym.ontology.lexicon import Entry
    >>> from allonym.ontology.linking.languages import language
    >>> Spelling(Lexicon.build([Entry("bus driver", 0), Entry("diver", 1)]), language("en")).corrections("drivver")
    ['driver']
    """

    def __init__(self, lexicon: Lexicon, language: Language, known: Callable[[str], bool] | None = None) -> None:
        self.language = language
        self._known = known or (lambda word: False)
        self._words: set[str] = set()
        self._by_shape: dict[tuple[str, int], list[str]] = {}
        for word in sorted(set(_WORD.findall("\n".join(lexicon.keys_of(language.code))))):
            self._words.add(word)
            if len(word) >= MIN_LETTERS - 1:
                self._by_shape.setdefault((word[0], len(word)), []).append(word)
        self._cached: dict[str, list[str]] = {}

    @classmethod
    def of(cls, lexicon: Lexicon, language: Language, known: Callable[[str], bool]) -> Spelling:
        """Return the words of a lexicon, which are cached with it."""
        name = f"spelling {language.code}"
        if name not in lexicon.cache:
            lexicon.cache[name] = cls(lexicon, language, known)
        found: Spelling = lexicon.cache[name]
        return found

    def is_known(self, word: str) -> bool:
        """Tell whether a word is a word of the lexicon, or one of another part of speech."""
        return word in self._words or self._known(word)

    def corrections(self, word: str) -> list[str]:
        """Return the nearest words; none for a word that is known, short, or near only to its opposite."""
        if word not in self._cached:
            self._cached[word] = [] if self.is_known(word) else self.nearest(word)
        return self._cached[word]

    def nearest(self, word: str) -> list[str]:
        """Return the nearest words, whether the word is known or not."""
        if len(word) < MIN_LETTERS or not word.isalpha():
            return []
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        most = 2 if len(word) >= LONG else 1
        lengths = range(len(word) - most, len(word) + most + 1)
        near: list[tuple[str, int]] = []
        for length in lengths:
            for other, distance, _ in process.extract(
                word, self._by_shape.get((word[0], length), ()), scorer=OSA.distance, score_cutoff=most, limit=5
            ):
                if other != word and not opposes(word, other, self.language):
                    near.append((other, int(distance)))
        least = min((distance for _, distance in near), default=0)
        return sorted(other for other, distance in near if distance == least)[:MAX_CORRECTIONS]

    def corrected(self, text: str) -> list[str]:
        """Return the text with its unknown words replaced by their corrections; nothing, if there are none."""
        texts = [""]
        changed, at = False, 0
        for found in _WORD.finditer(text):
            options = self.corrections(found[0].lower()) or [found[0]]
            changed |= options != [found[0]]
            between, at = text[at : found.start()], found.end()
            texts = [before + between + option for before in texts for option in options][:MAX_CORRECTIONS]
        return [before + text[at:] for before in texts] if changed else []
