"""Match a text to forms of a lexicon: exactly, by spelling, by inflection, by stem, by the head of a phrase.

Each step is weaker than the one before, and the match records it. Negations are never dropped.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from allonym.ontology.lexicon import Lexicon, key
from allonym.ontology.linking.languages import Language

# WordNet's detachment rules for nouns (morphy(7WN))
SUFFIXES = [
    ("s", ""), ("ses", "s"), ("ves", "f"), ("xes", "x"), ("zes", "z"),
    ("ches", "ch"), ("shes", "sh"), ("men", "man"), ("ies", "y"),
]  # fmt: skip
# the semantic tags of SNOMED CT
_TAGS = "disorder|finding|situation|procedure|event|morphologic abnormality|body structure|substance|person|occupation"
_TAG = re.compile(rf"\s*\(({_TAGS})\)\s*$", re.IGNORECASE)
_PARENTHESIS = re.compile(r"\s*[(\[{][^)\]}]*[)\]}]?")
_BREAK = re.compile(r",|\s-+\s")
_BRACKET = re.compile(r"[()\[\]{},]")
_LETTERS = re.compile(r"[^\W\d_]{2}")
_SIGN = re.compile(r"[/;&+|:]+|\.(?=\s|$)")

MAX_ANALYSED_LETTERS = 16_000  # longer texts are only matched exactly


@dataclass(frozen=True)
class Match:
    """A form of the lexicon for a text, and how it was matched."""

    form: str  # its key
    reason: str  # exact | spelling | inflection | stem | head
    dropped: str = ""


class Matcher:
    """Matches texts to the forms of one lexicon, in one language.

    >>> from allonym.ontology.lexicon import Entry
    >>> from allonym.ontology.linking.languages import language
    >>> m = Matcher(Lexicon.build([Entry("ice cream", 0), Entry("parrot", 1)]), language("en"))
    >>> next(m.matches("Ice-Cream"))
    Match(form='ice cream', reason='spelling', dropped='')
    >>> next(m.matches("grey parrots"))
    Match(form='parrot', reason='head', dropped='grey')
    >>> list(m.matches("no parrot"))
    []
    """

    def __init__(self, lexicon: Lexicon, language: Language) -> None:
        self.lexicon, self.language = lexicon, language

    @classmethod
    def of(cls, lexicon: Lexicon, language: Language) -> Matcher:
        """Return the matcher of a lexicon, which is cached with its table of stems."""
        return lexicon.cache.setdefault(f"matcher {language.code}", cls(lexicon, language))

    def matches(self, text: str) -> Iterator[Match]:
        """Yield every form for a text, best first."""
        for step in self.steps(text):
            yield from step

    def steps(self, text: str) -> Iterator[list[Match]]:
        """Yield the matches of a text in steps of decreasing strength: the whole text, its stem, its head.

        The text may mean all forms of one step: "buns" are buns and a bun.
        """
        whole = key(text)
        if len(whole) > MAX_ANALYSED_LETTERS or any("\ud800" <= c <= "\udfff" for c in whole):  # no word
            yield [Match(whole, "exact")]
        elif whole:
            yield list(self._word(whole))
            yield list(self._stem(whole))
            yield from self._head(" ".join(text.split()))

    def _word(self, text: str) -> Iterator[Match]:
        """Match the text as it is, then with other spelling, then in the singular."""
        seen: set[str] = set()
        spellings = self._spellings(text)
        for i, spelled in enumerate(spellings):
            if spelled in self.lexicon and spelled not in seen:
                seen.add(spelled)
                yield Match(spelled, "exact" if i == 0 else "spelling")
        if self.language.code != "en":
            return
        for spelled in spellings:
            for singular in self._singulars(spelled):
                if singular in self.lexicon and singular not in seen:
                    seen.add(singular)
                    yield Match(singular, "inflection")

    def _spellings(self, text: str) -> list[str]:
        """Return a key as it is, with hyphens and signs as spaces or the reverse, as one word, without full stops."""
        words = _words(text)
        if any(c.isdigit() for c in text):  # 1.5 is not 15, and -5 is not 5
            return [text] if text[0] in "+-" or not _LETTERS.search(text) else [text, " ".join(words), "-".join(words)]
        others = [" ".join(words), "-".join(words), text.replace("'", ""), text.replace(".", "")]
        if not any(word in self.language.negations | self.language.determiners for word in words):
            others.append("".join(words))  # but "not able" is not notable
        return list(dict.fromkeys([text, *others]))

    def _singulars(self, text: str) -> Iterator[str]:
        """Yield the singulars of WordNet's Morphy: exceptions, then without the ending of the last word."""
        yield from self.lexicon.exceptions.get(text, ())
        before, gap, last = text.rpartition(" ")
        for irregular in self.lexicon.exceptions.get(last, ()):
            yield before + gap + irregular
        if len(last) <= 2 or last.endswith("ss"):
            return
        for ending, other in SUFFIXES:
            if last.endswith(ending) and len(last) > len(ending):
                yield before + gap + last[: -len(ending)] + other

    @cached_property
    def _stemmer(self) -> Any:
        import Stemmer

        return Stemmer.Stemmer(self.language.stemmer)

    @cached_property
    def _by_stem(self) -> dict[str, list[str]]:
        """Forms by the stems of their words; notations have no stems."""
        forms_of: dict[str, list[str]] = {}
        words = self.lexicon
        named = np.logical_or.reduceat(~words.notation, words.starts[:-1]) if words.forms else np.empty(0, bool)
        forms = [form for form, is_named in zip(words.keys, named, strict=True) if is_named]
        for form, stems in zip(forms, self._stems(forms), strict=True):
            forms_of.setdefault(stems, []).append(form)
        return forms_of

    def _stems(self, texts: list[str]) -> list[str]:
        """Stem every word of many texts in one call."""
        if not texts:
            return []
        text = "\n".join(texts).replace("-", " ").replace("\n", " \n ")
        return " ".join(self._stemmer.stemWords(text.split(" "))).split(" \n ")

    def _stem(self, text: str) -> Iterator[Match]:
        if len(text) > 3 and not any(c.isdigit() for c in text):
            for form in sorted(
                self._by_stem.get(self._stems([text])[0], ()), key=lambda f: (abs(len(f) - len(text)), f)
            ):
                yield Match(form, "stem")

    def _head(self, text: str) -> Iterator[list[Match]]:
        """Drop qualifiers on the right, fewest first; then drop words from the end away from the head."""
        plain = _TAG.sub("", text)
        tag = _words(re.sub(r"[()]", " ", key(text.removeprefix(plain))))
        rests = list(self._cut(plain))
        words = rests[-1].split() if rests else []
        near = self._max_words + 1  # no form has more words
        words = words[-near:] if self.language.head_last else words[:near]
        while words := self._shorter(words):
            rests.append(" ".join(words))
        for rest in rests:
            if rest.count(" ") >= self._max_words or not _LETTERS.search(rest):
                continue  # no form has so many words; "stage 2" is not a two
            dropped = _dropped_words(plain, rest)
            if any(self._negates(word) for word in dropped):
                continue
            trivial = all(word in self.language.determiners for word in dropped)
            matches = list(self._word(rest))
            if not matches and self.language.code != "en":  # in other languages, stems match plurals
                matches = list(self._stem(rest))
            dropped_text = " ".join([*dropped, *tag])
            yield [Match(m.form, m.reason if trivial else "head", dropped_text) for m in matches]

    def _negates(self, word: str) -> bool:
        return re.sub(r"\W", "", word) in self.language.negations or word.endswith("n't")

    @cached_property
    def _max_words(self) -> int:
        """The largest number of words of a form."""
        return 1 + max((form.count(" ") + form.count("-") for form in self.lexicon.keys), default=0)

    def _shorter(self, words: list[str]) -> list[str]:
        """Drop the word farthest from the head; a single word with hyphens is split first."""
        if len(words) == 1:
            words = words[0].split("-")
        return words[1:] if self.language.head_last else words[:-1]

    def _cut(self, text: str) -> Iterator[str]:
        """Yield the text without parentheses, then repeatedly without its part after the last comma or preposition."""
        parts = [
            p
            for p in (" ".join(_SIGN.sub(" ", p).split()) for p in _BREAK.split(key(_PARENTHESIS.sub(" ", text))))
            if p
        ]
        for n in range(len(parts), 0, -1):
            yield " ".join(parts[:n])
        words = parts[0].split() if parts else []
        while (at := max((i for i, w in enumerate(words) if w in self.language.prepositions), default=0)) > 0:
            words = words[:at]
            yield " ".join(words)


def _words(text: str) -> list[str]:
    """Split a key at spaces, hyphens and signs."""
    return [w for w in re.split(r"[\s-]+", _SIGN.sub(" ", text)) if w]


def _dropped_words(text: str, rest: str) -> list[str]:
    """Return the words of a text that are not in its rest, in order."""
    every, rest_words = (_words(_BRACKET.sub(" ", key(part))) for part in (text, rest))
    at = next((i for i in range(len(every)) if every[i : i + len(rest_words)] == rest_words), None)
    if at is not None:
        return every[:at] + every[at + len(rest_words) :]
    remaining = Counter(rest_words)
    dropped = []
    for word in every:
        if remaining[word]:
            remaining[word] -= 1
        else:
            dropped.append(word)
    return dropped
