"""What may stand for a word of a value: an abbreviation's long forms, another spelling, two words for one."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import product
from operator import add
from typing import Protocol

from allonym.ontology.lexicon import Lexicon
from allonym.ontology.linking.languages import Language
from allonym.ontology.linking.readings.abbreviations import Abbreviations
from allonym.ontology.linking.readings.spelling_variants import NUMERALS, numeral, ordinal, regional_spellings

MAX_LONG_FORMS = 4
MAX_LETTERS_OF_WORD = 40  # a longer word has no other spelling
MIN_PREFIX = 3  # letters before a full stop that stand for a known word
MIN_RUN_TOGETHER = 7
MAX_ROMAN = 5  # a larger number is rarely a Roman one: "grade 10"
MAX_COMPLETIONS = 1000
MAX_WORDS_MIXED = 4  # of a form with both blanks and hyphens
MAX_SEARCHES = 20_000  # before all forms are indexed
INDEX = "forms with blanks, and their first words"
MAX_WORDS_OF_PERSON = 3  # one adjective alone may as well describe a thing
_PERSON = {"en": "person"}
_FIRST_WORD = re.compile(r"[^ -]+")

Option = tuple[str, str]  # the text, and how it was obtained: steps joined by "+"


class Vocabulary(Protocol):
    """What readings ask of an ontology."""

    def __contains__(self, text: str) -> bool:
        """Tell whether a text is a form."""

    def starts(self, word: str) -> bool:
        """Tell whether a form consists of a word and further words."""

    def completions(self, prefix: str) -> Sequence[str]:
        """Return the first words of forms that start with some letters, most frequent first."""


class Forms:
    """The vocabulary of a lexicon. Blanks and hyphens are the same.

    >>> from allonym.ontology.lexicon import Entry
    >>> forms = Forms(Lexicon.build([Entry("sour cream", 0), Entry("T-shirt", 1)]))
    >>> "t shirt" in forms, forms.starts("sour"), forms.completions("so")
    (True, True, ['sour'])
    """

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon, self._keys = lexicon, lexicon.keys
        self._index: tuple[frozenset[str], frozenset[str]] | None = lexicon.cache.get(INDEX)
        self._searches = 0

    def __contains__(self, text: str) -> bool:
        text = text.replace("-", " ")
        if self._index is not None or self._is_worth_an_index():
            return text in self._index[0]  # type: ignore[index]
        words = text.split(" ")
        if len(words) > MAX_WORDS_MIXED:
            return any(self._keys.find(sign.join(words)) is not None for sign in " -")
        return any(
            self._keys.find(words[0] + "".join(map(add, signs, words[1:]))) is not None
            for signs in product(" -", repeat=len(words) - 1)
        )

    def starts(self, word: str) -> bool:
        """Tell whether a form consists of a word and further words."""
        if self._index is not None or self._is_worth_an_index():
            return word in self._index[1]  # type: ignore[index]
        for sign in " -":
            place = bisect_left(self._keys, word + sign)
            if place < len(self._keys) and self._keys[place].startswith(word + sign):
                return True
        return False

    def _is_worth_an_index(self) -> bool:
        """Count a search; after many, index all forms and their first words, which then take less time."""
        self._searches += 1
        if self._searches <= MAX_SEARCHES:
            return False
        forms = [form.replace("-", " ") for form in self._keys if not _is_long_and_mixed(form)]
        starts = frozenset(
            form.replace("-", " ").partition(" ")[0] for form in self._keys if " " in form or "-" in form
        )
        self._index = self._lexicon.cache[INDEX] = frozenset(forms), starts
        return True

    def completions(self, prefix: str) -> list[str]:
        """Return the first words of forms that start with some letters, most frequent first."""
        low, high = bisect_left(self._keys, prefix), bisect_left(self._keys, prefix + "\U0010ffff")
        starts = (_FIRST_WORD.match(self._keys[i]) for i in range(low, min(high, low + MAX_COMPLETIONS)))
        firsts = Counter(start[0] for start in starts if start)
        return sorted(firsts, key=lambda word: (-firsts[word], len(word), word))


def _is_long_and_mixed(form: str) -> bool:
    """Tell whether a form has many words with both blanks and hyphens, which are too many to try."""
    return "-" in form and " " in form and form.count("-") + form.count(" ") >= MAX_WORDS_MIXED


class Predicate:
    """A vocabulary that knows only which texts are forms."""

    def __init__(self, known: Callable[[str], bool]) -> None:
        self._known = known

    def __contains__(self, text: str) -> bool:
        return self._known(text)

    def starts(self, word: str) -> bool:
        """Return False: the words of forms are not known."""
        return False

    def completions(self, prefix: str) -> tuple[str, ...]:
        """Return nothing."""
        return ()


class WordOptions:
    """Finds what may stand for the words of a column; results are cached by word."""

    def __init__(self, language: Language, vocabulary: Vocabulary, abbreviations: Abbreviations) -> None:
        self.language, self.vocabulary, self.abbreviations = language, vocabulary, abbreviations
        self._unchanged = frozenset().union(
            language.residual, language.determiners, language.prepositions, language.conjunctions,
            language.negators, language.negating_prepositions, language.negating_prefixes, language.negating_suffixes,
        )  # fmt: skip
        self._plain: dict[str, tuple[Option, ...]] = {}
        self._dotted: dict[str, tuple[Option, ...]] = {}
        self._is_word: dict[str, bool] = {}
        self._is_form: dict[str, bool] = {}

    def is_form(self, text: str) -> bool:
        """Tell whether the ontology has a text."""
        known = self._is_form.get(text)
        if known is None:
            known = self._is_form[text] = text in self.vocabulary
        return known

    def is_word(self, word: str) -> bool:
        """Tell whether a word or its singular is a form, or the first word of one."""
        known = self._is_word.get(word)
        if known is None:
            singulars = (word[:-1], word[:-2], word[:-3] + "y") if word.endswith("s") else ()
            known = self._is_word[word] = (
                self.is_form(word) or any(map(self.is_form, singulars)) or self.vocabulary.starts(word)
            )
        return known

    def has_none(self, words: list[str]) -> bool:
        """Tell whether nothing may stand for any of several words, with certainty."""
        plain = self._plain
        for word in words:
            if plain.get(word, True) or word[-1] == "s" or "'" in word:
                return False
        is_known = len(words) > 1 or self.is_word(words[0])
        return is_known and NUMERALS.isdisjoint(words) and self.person(words) is None

    def of_words(self, words: list[str], dotted: Collection[int] = ()) -> list[tuple[Option, ...]]:
        """Return what may stand for each of several words; `dotted` are places of words before a full stop."""
        options = [self.of(word, n in dotted) for n, word in enumerate(words)]
        if not NUMERALS.isdisjoint(words):
            options = [found or (self._of_number(words, n) if n else ()) for n, found in enumerate(options)]
        return options

    def of(self, word: str, dotted: bool = False) -> tuple[Option, ...]:
        """Return what may stand for a word, best first; `dotted` tells whether a full stop follows it."""
        cache = self._dotted if dotted else self._plain
        options = cache.get(word)
        if options is None:
            options = cache[word] = tuple(dict.fromkeys(self._find(word, dotted)))
        return options

    def _of_number(self, words: Sequence[str], place: int) -> tuple[Option, ...]:
        """Return the Roman or Arabic form of a number after a word, as in "type 2" or "world war II"."""
        word = words[place]
        other = numeral(word)
        if other is None:
            return ()
        after_classifier = words[place - 1] in self.language.classifiers
        is_likely = word.isalpha() or int(word) <= MAX_ROMAN
        return ((other, "number"),) if (after_classifier and is_likely) or (len(word) > 1 and word.isalpha()) else ()

    def phrases(self, words: list[str]) -> Iterator[Option]:
        """Yield known phrases: with a possessive, two words for one, or a person ("self-employed person")."""
        if person := self.person(words):
            yield person, "person"
        yield from self._moved_number(words)
        for n, word in enumerate(words):
            if len(word) > 3 and word[-1] == "s" and word[-2] not in "s'":
                owner = f"{word[:-1]}'s"
                phrase = " ".join([*words[:n], owner, *words[n + 1 :]])
                if self.is_form(phrase) or (n + 1 < len(words) and self.is_form(f"{owner} {words[n + 1]}")):
                    yield phrase, "possessive"
            elif "'" in word:
                for plain in (word.replace("'", ""), word.removesuffix("'s")):
                    phrase = " ".join([*words[:n], plain, *words[n + 1 :]])
                    if self.is_form(phrase):
                        yield phrase, "possessive"
        if len(words) == 1 and MIN_RUN_TOGETHER <= len(words[0]) <= MAX_LETTERS_OF_WORD:
            yield from self._two_words(words[0])

    def _moved_number(self, words: list[str]) -> Iterator[Option]:
        """Yield a numbered type at the other end, in both kinds of numerals: "diabetes type 2" is type II diabetes."""
        for at in (0, len(words) - 2) if len(words) > 2 else ():
            classifier, number = words[at : at + 2]
            if classifier in self.language.classifiers and (other := numeral(number)):
                rest = words[:at] + words[at + 2 :]
                for each in (number, other):
                    moved = [classifier, each, *rest] if at else [*rest, classifier, each]
                    yield " ".join(moved), "inverted"

    def person(self, words: list[str]) -> str | None:
        """Return the words with "person" if the ontology has only this: "self-employed" is an adjective."""
        noun = _PERSON.get(self.language.code)
        if noun is None or not 2 <= len(words) <= MAX_WORDS_OF_PERSON:
            return None
        text = " ".join(words)
        return f"{text} {noun}" if self.is_form(f"{text} {noun}") and not self.is_form(text) else None

    def _find(self, word: str, dotted: bool) -> Iterator[Option]:
        if spelled := ordinal(word):
            if word[0].isdigit() or self.is_form(spelled):
                yield spelled, "ordinal"
            return
        if not word.isalpha() or len(word) > MAX_LETTERS_OF_WORD or word in self._unchanged:
            return
        listed = self.abbreviations.listed(word) or (self.abbreviations.listed(word[:-1]) if word[-1] == "s" else ())
        yield from ((long, "abbreviation") for long in listed[:MAX_LONG_FORMS])
        if self.is_word(word):
            return
        yield from ((long, "abbreviation") for long in self.abbreviations.in_column(word) if self.is_word(long))
        yield from ((other, "spelling") for other in regional_spellings(word) if self.is_word(other))
        yield from self._joined(word)
        if dotted and not listed and len(word) >= MIN_PREFIX:
            longer = [w for w in self.vocabulary.completions(word) if len(w) > len(word) + 1 and w.isalpha()]
            yield from ((long, "abbreviation+prefix") for long in longer[:2])

    def _joined(self, word: str) -> Iterator[Option]:
        """Yield known words that are joined by a conjunction or preposition without blanks."""
        for joint in ("and", "with", "of", "or"):
            at = word.find(joint, 3)
            while at > 0:
                before, after = word[:at], word[at + len(joint) :]
                if self.is_form(before) and (not after or (len(after) > 2 and self.is_form(after))):
                    yield f"{before} {joint} {after}".strip(), "run-together"
                at = word.find(joint, at + 1)

    def _two_words(self, word: str) -> Iterator[Option]:
        if not word.isalpha() or self.is_word(word):
            return
        for at in range(3, len(word) - 2):
            phrase = f"{word[:at]} {word[at:]}"
            if phrase in self.vocabulary:
                yield phrase, "run-together"
