"""Readings of a value before it is matched to an ontology: other ways to write the same words, or most of them.

A reading says how it was obtained and which words it leaves out. No reading loses a negation.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from allonym.ontology.lexicon import Lexicon, key
from allonym.ontology.linking.languages import Language
from allonym.ontology.linking.readings.abbreviations import Abbreviations
from allonym.ontology.linking.readings.choices import LETTERS, Chooser
from allonym.ontology.linking.readings.negation import is_residual
from allonym.ontology.linking.readings.parts import CAMEL, DASH, HYPHEN, Parts, parts_of
from allonym.ontology.linking.readings.word_options import Forms, Option, Predicate, Vocabulary, WordOptions

MAX_LETTERS, MAX_WORDS = 300, 30  # a longer text has only its key as reading
MAX_READINGS = 24
MAX_SPELLINGS = 6  # of one choice of words
MAX_WORDS_MIXED = 4  # of a choice in which one word is replaced and others stay
MIN_REPEATS = 3  # of a word before a hyphen in a column, to be a head: "surgery-general", "surgery-vascular"
_SIMPLE = re.compile(r"[^\W\d_]+(?: [^\W\d_]+)*")


class Reading(NamedTuple):
    """One way to read a value."""

    text: str  # words in lower case, separated by single blanks, as `lexicon.key` writes them
    steps: tuple[str, ...] = ()  # how it was obtained: hyphen, inverted, abbreviation, …
    dropped: tuple[str, ...] = ()  # the words of the value that it leaves out
    part: bool = False  # whether it is one member of a union


_ALL_WORDS = Reading("")


class Normaliser:
    """Finds the readings of the values of one column.

    Args:
        language: the language of the values.
        abbreviations: further abbreviations with what they stand for, most likely first.
        column: all values of the column, whose longer words explain abbreviations.
        known: tells whether a text is a word or phrase of the ontology.

    >>> from allonym.ontology.linking.languages import language
    >>> en = Normaliser(language("en"))
    >>> [(r.text, r.steps) for r in en.readings("Retriever, Golden")][2:]
    [('golden retriever', ('comma', 'inverted'))]
    >>> [(r.text, r.dropped) for r in en.readings("asst mgr (retired)")][2:3]
    [('assistant manager', ('retired',))]
    """

    def __init__(
        self,
        language: Language,
        abbreviations: Mapping[str, Sequence[str]] | None = None,
        column: Iterable[str] = (),
        known: Callable[[str], bool] | Vocabulary = lambda text: False,
    ) -> None:
        self._language = language
        self._whole: dict[str, list[Reading]] = {}
        self._residual = language.residual | {word for text in language.residual_phrases for word in text.split()}
        words, heads = _evidence(column)
        self._abbreviations = Abbreviations(language.code, abbreviations, words)
        vocabulary = Predicate(known) if callable(known) else known
        self._options = WordOptions(language, vocabulary, self._abbreviations)
        self._chooser = Chooser(
            language, self._options.is_form, [word for word, n in heads.items() if n >= MIN_REPEATS]
        )

    @classmethod
    def of(
        cls,
        lexicon: Lexicon,
        language: Language,
        abbreviations: Mapping[str, Sequence[str]] | None = None,
        column: Iterable[str] = (),
    ) -> Normaliser:
        """Return the normaliser of a column whose values are matched to the forms of a lexicon."""
        return cls(language, abbreviations, column, Forms(lexicon))

    def whole_readings(self, value: str) -> list[Reading]:
        """Return the readings of a value that have all its words; they are kept."""
        if value not in self._whole:
            self._whole[value] = self.readings(value, whole=True)
        return self._whole[value]

    def readings(self, value: str, *, whole: bool = False) -> list[Reading]:
        """Return the readings of a value, best first; the first is its key.

        A value without letters or a very long one has no other reading, and an empty one has none.

        Args:
            value: the value.
            whole: whether to return only readings that have all its words.
        """
        plain = key(value)
        if not plain:
            return []
        complete, parts = {plain: Reading(plain)}, dict[str, Reading]()
        if len(plain) <= MAX_LETTERS and plain.count(" ") < MAX_WORDS and plain.isprintable():
            for reading in self._others(value, plain, whole):
                (parts if reading.part else complete).setdefault(reading.text, reading)
                if len(complete) + len(parts) >= MAX_READINGS:
                    break
        return [*complete.values(), *(reading for text, reading in parts.items() if text not in complete)]

    def _others(self, value: str, plain: str, whole: bool) -> Iterator[Reading]:
        """Yield readings, possibly repeated."""
        before: tuple[str, ...] = ()
        for long in self._abbreviations.listed(plain):
            yield Reading(long, ("abbreviation",))
        if _SIMPLE.fullmatch(plain) and (plain == value or not CAMEL.search(value)):
            words = plain.split(" ")
            if self._chooser.has_one_choice(words):
                if self._options.has_none(words):
                    return
                yield from self._respelled(words, _ALL_WORDS)
                return
            parts = Parts.of_words(words)
        elif LETTERS.search(plain.replace(".", "")):
            expanded = self._abbreviations.expand_signs(value)
            before = () if expanded == value else ("abbreviation",)
            parts = parts_of(expanded)
        else:
            return
        if not parts.words or (not self._residual.isdisjoint(parts.words) and is_residual(plain, self._language)):
            return
        if sum(len(word) == 1 for word in parts.words) > 1:
            parts = parts.with_joined_initials()
        for choice in self._chooser.choices(parts):
            if whole and (choice.dropped or choice.part):
                continue
            words = [parts.words[i] for i in choice.places]
            dropped = tuple([parts.words[i] for i in choice.dropped])
            plain_reading = Reading(" ".join(words), before + choice.steps, dropped, choice.part)
            yield plain_reading
            dotted = {n for n, i in enumerate(choice.places) if i in parts.dotted} if parts.dotted else ()
            if dotted or not self._options.has_none(words):
                yield from self._respelled(words, plain_reading, dotted)

    def _respelled(self, words: list[str], plain: Reading, dotted: Collection[int] = ()) -> Iterator[Reading]:
        """Yield a reading with other words or spellings in the places of its words."""
        options = self._options.of_words(words, dotted)
        for text, step in self._options.phrases(words):
            yield Reading(text, (*plain.steps, step), plain.dropped, plain.part)
        if any(options):
            for text, steps in self._combined(words, options):
                all_steps = tuple(dict.fromkeys((*plain.steps, *steps)))
                yield Reading(text, all_steps, plain.dropped, plain.part)
                if person := self._options.person(text.split(" ")):
                    yield Reading(person, (*all_steps, "person"), plain.dropped, plain.part)

    def _combined(self, words: list[str], options: list[tuple[Option, ...]]) -> Iterator[tuple[str, list[str]]]:
        """Yield the words with every unknown one replaced, with every one replaced, then with other replacements.

        Texts that the ontology has come first.
        """
        unchanged = [(word, "") for word in words]
        first = [option[0] if option else same for option, same in zip(options, unchanged, strict=True)]
        unknown = [
            new if new[1] == "ordinal" or not self._options.is_word(old) else (old, "")
            for old, new in zip(words, first, strict=True)
        ]
        singles = [
            [*base[:n], other, *base[n + 1 :]]
            for base in ((first, unchanged) if len(words) <= MAX_WORDS_MIXED else (first,))
            for n, option in enumerate(options)
            for other in option
        ]
        distinct: dict[str, list[Option]] = {}
        for pairs in (unknown, first, *singles):
            distinct.setdefault(_without_repeats(" ".join([text for text, _ in pairs])), pairs)
        for text in sorted(distinct, key=lambda text: not self._options.is_form(text))[:MAX_SPELLINGS]:
            yield text, [step for _, joined in distinct[text] for step in joined.split("+") if step]


def _without_repeats(text: str) -> str:
    """Return "bachelor's degree degree" with its last word once."""
    words = text.split(" ")
    return " ".join([word for n, word in enumerate(words) if not n or word != words[n - 1]])


def _evidence(column: Iterable[str]) -> tuple[Counter[str], Counter[str]]:
    """Count the words of a column, and the words before a hyphen in it."""
    words: Counter[str] = Counter()
    heads: Counter[str] = Counter()
    for value in column:
        if len(value) > MAX_LETTERS:
            continue
        if _SIMPLE.fullmatch(value) and not CAMEL.search(value):
            words.update(set(key(value).split(" ")))
            continue
        parts = parts_of(value)
        words.update({word for word in parts.words if word.isalpha()})
        if len(parts.words) > 1 and parts.gaps.count(HYPHEN) + parts.gaps.count(DASH) == 1:
            first_gap = parts.gaps[1]
            if first_gap in (HYPHEN, DASH):
                heads[parts.words[0]] += 1
    return words, heads
