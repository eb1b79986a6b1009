"""Readings of a value before it is matched to an ontology: other ways to write the same words, or most of them.

A reading says how it was obtained and which words it leaves out. No reading loses a negation.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from allonym.ontology.lexicon import Lexicon, key
from allonym.ontology.linking.abbreviations import Abbreviations
from allonym.ontology.linking.languages import Language
from allonym.ontology.linking.negation import drops_negation, is_negation
from allonym.ontology.linking.parts import (
    CAMEL,
    COMMA,
    DASH,
    HYPHEN,
    STEP_OF_GAP,
    Parts,
    Trimmed,
    parts_of,
    trim,
)
from allonym.ontology.linking.spelling_variants import numeral, ordinal, regional_spellings
from allonym.ontology.linking.unions import members

MAX_LETTERS, MAX_WORDS = 300, 30  # a longer text has only its key as reading
MAX_LETTERS_OF_WORD = 40  # a longer word has no other spelling
MAX_READINGS = 24
MAX_SPELLINGS = 6  # of one choice of words
MIN_PREFIX = 3  # letters before a full stop that stand for a known word
MIN_REPEATS = 3  # of a word before a hyphen in a column, to be a head: "surgery-general", "surgery-vascular"
_SIMPLE = re.compile(r"[^\W\d_]+(?: [^\W\d_]+)*")
_LETTERS = re.compile(r"[^\W\d_]{2}")


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a value."""

    text: str  # words in lower case, separated by single blanks, as `lexicon.key` writes them
    steps: tuple[str, ...] = ()  # how it was obtained: hyphen, inverted, abbreviation, …
    dropped: tuple[str, ...] = ()  # the words of the value that it leaves out
    part: bool = False  # whether it is one member of a union


@dataclass(frozen=True, slots=True)
class _Choice:
    """Some words of a value in some order."""

    places: tuple[int, ...]
    steps: tuple[str, ...] = ()
    dropped: tuple[int, ...] = ()
    part: bool = False


class Normaliser:
    """Finds the readings of the values of one column.

    Args:
        language: the language of the values.
        abbreviations: further abbreviations with what they stand for, most likely first.
        column: all values of the column, whose longer words explain abbreviations.
        known: tells whether a text is a word or phrase of the ontology.
        completions: returns the first words of the ontology's phrases that start with some letters.

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
        known: Callable[[str], bool] = lambda text: False,
        completions: Callable[[str], Sequence[str]] = lambda prefix: (),
    ) -> None:
        self.language = language
        self.known, self.completions = lru_cache(200_000)(known), completions
        words, heads = _evidence(column)
        self.abbreviations = Abbreviations(language.code, abbreviations, words)
        self._heads = {word for word, n in heads.items() if n >= MIN_REPEATS}
        self._options: dict[tuple[str, bool], tuple[tuple[str, str], ...]] = {}

    @classmethod
    def of(
        cls,
        lexicon: Lexicon,
        language: Language,
        abbreviations: Mapping[str, Sequence[str]] | None = None,
        column: Iterable[str] = (),
    ) -> Normaliser:
        """Return the normaliser of a column whose values are matched to the forms of a lexicon."""
        keys = lexicon.keys

        def known(text: str) -> bool:
            return keys.find(text) is not None or (" " in text and keys.find(text.replace(" ", "-")) is not None)

        def completions(prefix: str) -> list[str]:
            low, high = bisect_left(keys, prefix), bisect_left(keys, prefix + "\U0010ffff")
            firsts = Counter(re.split(r"[ -]", keys[i], maxsplit=1)[0] for i in range(low, min(high, low + 1000)))
            return [word for word, _ in sorted(firsts.items(), key=lambda item: (-item[1], len(item[0]), item[0]))]

        return cls(language, abbreviations, column, known, completions)

    def readings(self, value: str) -> list[Reading]:
        """Return the readings of a value, best first; the first is its key.

        A value without letters or a very long one has no other reading, and an empty one has none.
        """
        plain = key(value)
        if not plain:
            return []
        found = {(plain, False): Reading(plain)}
        if len(plain) <= MAX_LETTERS and plain.count(" ") < MAX_WORDS and plain.isprintable():
            for reading in self._others(value, plain):
                found.setdefault((reading.text, reading.part), reading)
                if len(found) >= MAX_READINGS:
                    break
        whole = {text for text, part in found if not part}
        return [reading for (text, part), reading in found.items() if not part or text not in whole]

    def _others(self, value: str, plain: str) -> Iterator[Reading]:
        """Yield readings, possibly repeated."""
        for long in self.abbreviations.listed(plain):
            yield Reading(long, ("abbreviation",))
        if _SIMPLE.fullmatch(plain) and not CAMEL.search(value):
            parts = Parts(words := plain.split(" "), [" "] * len(words), [0] * len(words))
            choices = self._choices(parts)
        elif _LETTERS.search(plain.replace(".", "")):
            parts = parts_of(self.abbreviations.expand_signs(value))
            choices = self._choices(parts)
        else:
            return
        for choice in choices:
            yield from self._spelled(parts, choice)

    def _choices(self, parts: Parts) -> Iterator[_Choice]:
        """Yield choices of words and of their order: all, without the ends, inverted, of brackets, of unions."""
        outside = parts.outside() or list(range(len(parts.words)))
        inside = [i for i in range(len(parts.words)) if i not in outside] if len(outside) < len(parts.words) else []
        steps = tuple(dict.fromkeys(STEP_OF_GAP[parts.gaps[i]] for i in outside[1:] if parts.gaps[i] != " "))
        if any(parts.gaps[i] == "&" for i in outside):
            steps = tuple(dict.fromkeys((*steps, "ampersand")))
        acronym = bool(inside) and (
            self._is_acronym(parts, outside, inside) or self._is_acronym(parts, inside, outside)
        )
        if inside:
            steps = (*steps, "brackets")
        unnamed = () if acronym else tuple(inside)
        if not inside or self._keeps_negations(parts, outside):
            yield _Choice(tuple(outside), steps, unnamed)
        trimmed = trim(parts, outside, self.language)
        if len(trimmed.places) < len(outside):
            if not _LETTERS.search(parts.text(trimmed.places)):
                trimmed = Trimmed(outside)
            elif self._keeps_negations(parts, trimmed.places, trimmed.without_meaning):
                dropped = tuple(i for i in outside if i not in trimmed.places)
                yield _Choice(tuple(trimmed.places), (*steps, *trimmed.steps), tuple(sorted(dropped + unnamed)))
        orders = [trimmed.places]
        if len(trimmed.places) < len(outside) and (inverted := self._inverted(parts, outside)):
            yield _Choice(tuple(inverted), (*steps, "inverted"), self._rest(parts, inverted, acronym))
        steps = (*steps, *trimmed.steps)
        if inverted := self._inverted(parts, trimmed.places):
            orders.insert(0, inverted)
            yield _Choice(tuple(inverted), (*steps, "inverted"), self._rest(parts, inverted, acronym))
        if inside and self._keeps_negations(parts, inside):
            yield _Choice(tuple(inside), ("brackets",), () if acronym else tuple(outside))
        for order in orders:
            yield from self._members(parts, order, steps)
        yield from self._segments(parts, trimmed.places, steps)

    def _rest(self, parts: Parts, places: Iterable[int], acronym: bool = False) -> tuple[int, ...]:
        chosen = set(places)
        return tuple(i for i in range(len(parts.words)) if i not in chosen and not (acronym and parts.brackets[i]))

    def _keeps_negations(self, parts: Parts, places: Sequence[int], without_meaning: Iterable[int] = ()) -> bool:
        if not any(is_negation(word, self.language) for word in parts.words):
            return True
        ignored = set(without_meaning)
        counted = [i for i in range(len(parts.words)) if i not in ignored]
        place_of = {i: n for n, i in enumerate(counted)}
        return not drops_negation([parts.words[i] for i in counted], {place_of[i] for i in places}, self.language)

    def _inverted(self, parts: Parts, places: list[int]) -> list[int] | None:
        """Return "retriever, golden" the other way round, and "surgery-general" if the column or ontology has it so."""
        gaps = [parts.gaps[i] for i in places[1:]]
        if any(is_negation(word, self.language) for word in parts.words):
            return None
        if 1 <= gaps.count(COMMA) <= 2:
            sign = COMMA
        elif gaps.count(HYPHEN) + gaps.count(DASH) == 1:
            sign = HYPHEN if HYPHEN in gaps else DASH
        else:
            return None
        segments = _split(parts, places, sign)
        leading = {parts.words[segment[0]] for segment in segments[1:]}
        if leading & (self.language.prepositions | self.language.conjunctions):
            return None
        inverted = [i for segment in reversed(segments) for i in segment]
        is_head = parts.text(segments[0]) in self._heads
        return inverted if sign == COMMA or is_head or self.known(parts.text(inverted)) else None

    def _members(self, parts: Parts, order: Sequence[int], steps: tuple[str, ...]) -> Iterator[_Choice]:
        for places in members(parts, order, self.language, self.known):
            if len(places) < len(order) and self._covers(parts, order, places) and _LETTERS.search(parts.text(places)):
                dropped = tuple(
                    i for i in order if i not in places and parts.words[i] not in self.language.conjunctions
                )
                yield _Choice(places, (*steps, "union"), dropped, part=True)

    def _covers(self, parts: Parts, order: Sequence[int], places: Sequence[int]) -> bool:
        """Tell whether a member of a union keeps every negation of its words."""
        words = [parts.words[i] for i in order]
        if not any(is_negation(word, self.language) for word in words):
            return True
        kept = {n for n, i in enumerate(order) if i in places}
        shared = {n for n in range(len(words)) if n in kept or not is_negation(words[n], self.language)}
        return shared == set(range(len(words)))

    def _segments(self, parts: Parts, places: list[int], steps: tuple[str, ...]) -> Iterator[_Choice]:
        """Yield what stands on either side of a dash or colon: "body mass index 30+ - obesity"."""
        segments = _split(parts, places, DASH)
        if len(segments) < 2:
            return
        for segment in reversed(segments):
            if _LETTERS.search(parts.text(segment)) and self._keeps_negations(parts, segment):
                yield _Choice(tuple(segment), (*steps, "dash"), tuple(i for i in places if i not in segment))

    def _is_acronym(self, parts: Parts, short: list[int], long: list[int]) -> bool:
        if len(short) != 1 or len(long) < 2:
            return False
        words = [parts.words[i] for i in long]
        initials = {"".join(w[0] for w in words), "".join(w[0] for w in words if w not in self.language.prepositions)}
        return parts.words[short[0]] in initials

    def _spelled(self, parts: Parts, choice: _Choice) -> Iterator[Reading]:
        """Yield the chosen words as they are, with every unknown word replaced, then with other replacements."""
        words = [parts.words[i] for i in choice.places]
        dropped = tuple(parts.words[i] for i in choice.dropped)
        yield Reading(" ".join(words), choice.steps, dropped, choice.part)
        options = [
            self._word_options(parts.words[i], i in parts.dotted) or self._numeral_options(words, n)
            for n, i in enumerate(choice.places)
        ]
        if any(options):
            for text, steps in self._combined(words, options):
                yield Reading(text, tuple(dict.fromkeys((*choice.steps, *steps))), dropped, choice.part)
        for text, step in self._other_phrases(words):
            yield Reading(text, (*choice.steps, step), dropped, choice.part)

    def _combined(
        self, words: list[str], options: list[tuple[tuple[str, str], ...]]
    ) -> Iterator[tuple[str, list[str]]]:
        unchanged = [(word, "") for word in words]
        first = [option[0] if option else same for option, same in zip(options, unchanged, strict=True)]
        unknown = [
            new if new[1] == "ordinal" or not self._is_word(old) else (old, "")
            for old, new in zip(words, first, strict=True)
        ]
        singles = [
            [*base[:n], other, *base[n + 1 :]]
            for base in (first, unchanged)
            for n, option in enumerate(options)
            for other in option
        ]
        distinct: dict[str, list[tuple[str, str]]] = {}
        for pairs in (unknown, first, *singles):
            distinct.setdefault(" ".join(text for text, _ in pairs), pairs)
        for text in sorted(distinct, key=lambda text: not self.known(text))[:MAX_SPELLINGS]:
            yield text, [step for _, joined in distinct[text] for step in joined.split("+") if step]

    def _word_options(self, word: str, dotted: bool) -> tuple[tuple[str, str], ...]:
        """Return what may stand for a word, best first, each with its step."""
        options = self._options.get((word, dotted))
        if options is None:
            options = self._options[word, dotted] = tuple(dict.fromkeys(self._find_options(word, dotted)))
        return options

    def _find_options(self, word: str, dotted: bool) -> Iterator[tuple[str, str]]:
        if spelled := ordinal(word):
            if word[0].isdigit() or self.known(spelled):
                yield spelled, "ordinal"
            return
        if not word.isalpha() or len(word) > MAX_LETTERS_OF_WORD or word in self.language.residual:
            return
        listed = self.abbreviations.listed(word) or (self.abbreviations.listed(word[:-1]) if word.endswith("s") else ())
        yield from ((long, "abbreviation") for long in listed[:4])
        if self._is_word(word):
            return
        yield from ((long, "abbreviation") for long in self.abbreviations.in_column(word) if self._is_word(long))
        yield from ((other, "spelling") for other in regional_spellings(word) if self.known(other))
        yield from self._run_together(word)
        if dotted and not listed and len(word) >= MIN_PREFIX:
            longer = [w for w in self.completions(word) if len(w) > len(word) + 1 and w.isalpha()]
            yield from ((long, "abbreviation+prefix") for long in longer[:2])

    def _numeral_options(self, words: list[str], n: int) -> tuple[tuple[str, str], ...]:
        """Return the Roman or Arabic form of a number after a classifier, as in "type 2"."""
        other = numeral(words[n]) if len(words[n]) < 6 else None
        if other is None or n == 0:
            return ()
        after_classifier = words[n - 1] in self.language.classifiers
        several_letters = len(words[n]) > 1 and words[n].isalpha()
        return ((other, "number"),) if after_classifier or several_letters else ()

    def _is_word(self, word: str) -> bool:
        """Tell whether a word, or its singular, is a word of the ontology, alone or at the start of a phrase."""
        return (
            self.known(word)
            or (word.endswith("s") and (self.known(word[:-1]) or self.known(word[:-2])))
            or word in self.completions(word)
        )

    def _run_together(self, word: str) -> Iterator[tuple[str, str]]:
        """Yield words that are joined by "and" or "of" without blanks, if both are known."""
        for joint in ("and", "with", "of", "or"):
            at = word.find(joint, 3)
            while at > 0:
                before, after = word[:at], word[at + len(joint) :]
                if self.known(before) and (not after or (len(after) > 2 and self.known(after))):
                    yield f"{before} {joint} {after}".strip(), "run-together"
                at = word.find(joint, at + 1)

    def _other_phrases(self, words: list[str]) -> Iterator[tuple[str, str]]:
        """Yield known phrases with a possessive ("masters degree") or two words for one ("icecream")."""
        for n, word in enumerate(words):
            if len(word) > 3 and word[-1] == "s" and word[-2] not in "s'":
                owner = f"{word[:-1]}'s"
                phrase = " ".join([*words[:n], owner, *words[n + 1 :]])
                if self.known(phrase) or (n + 1 < len(words) and self.known(f"{owner} {words[n + 1]}")):
                    yield phrase, "possessive"
            elif "'" in word and self.known(phrase := " ".join([*words[:n], word.replace("'", ""), *words[n + 1 :]])):
                yield phrase, "possessive"
        if (
            len(words) == 1
            and 6 < len(words[0]) <= MAX_LETTERS_OF_WORD
            and words[0].isalpha()
            and not self._is_word(words[0])
        ):
            word = words[0]
            for at in range(3, len(word) - 2):
                if self.known(f"{word[:at]} {word[at:]}"):
                    yield f"{word[:at]} {word[at:]}", "run-together"


def _split(parts: Parts, places: Sequence[int], sign: str) -> list[list[int]]:
    segments: list[list[int]] = [[]]
    for n, i in enumerate(places):
        if n and parts.gaps[i] == sign:
            segments.append([])
        segments[-1].append(i)
    return segments


def _evidence(column: Iterable[str]) -> tuple[Counter[str], Counter[str]]:
    """Count the words of a column, and the words before a hyphen in it."""
    words: Counter[str] = Counter()
    heads: Counter[str] = Counter()
    for value in column:
        if len(value) > MAX_LETTERS:
            continue
        parts = parts_of(value)
        words.update({word for word in parts.words if word.isalpha()})
        if parts.gaps.count(HYPHEN) + parts.gaps.count(DASH) == 1 and parts.gaps[1] in (HYPHEN, DASH):
            heads[parts.words[0]] += 1
    return words, heads
