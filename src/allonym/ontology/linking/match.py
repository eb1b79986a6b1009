"""Match a text to forms of a lexicon: as a whole, by the members of a union, by the head of a phrase, by its stem.

Each step is weaker than the one before, and the match records it. Negations are never dropped.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from allonym.ontology.lexicon import Lexicon, key
from allonym.ontology.linking.inflections import RULES, accented, base_forms
from allonym.ontology.linking.languages import Language
from allonym.ontology.linking.readings.negation import drops_negation, words_of
from allonym.ontology.linking.readings.normalise import Normaliser, Reading

# WordNet's detachment rules for nouns (morphy(7WN))
SUFFIXES = [
    ("s", ""), ("ses", "s"), ("ves", "f"), ("xes", "x"), ("zes", "z"),
    ("ches", "ch"), ("shes", "sh"), ("men", "man"), ("ies", "y"),
]  # fmt: skip
_ENDINGS = tuple(ending for ending, _ in SUFFIXES)
_PARENTHESIS = re.compile(r"\s*[(\[{][^)\]}]*[)\]}]?")
_SEGMENT = re.compile(r"\s+[-–—:|]+\s*|[-–—:|]+\s+|[,;:/|]\s*|(?<=[^\W\d_]{3})[-–—](?=[^\W\d_]{3})")
_SURROGATE = re.compile("[\ud800-\udfff]")
_LETTERS = re.compile(r"[^\W\d_]{2}")
_NO_LETTER = re.compile(r"\W")
_BLANK = re.compile(r"[\s-]+")
_SIGN = re.compile(r"[/;&+|:]+|\.(?=\s|$)")

MAX_ANALYSED_LETTERS = 16_000  # longer texts are only matched exactly
MAX_SEGMENTS = 4
MAX_CACHED = 100_000  # words, and segments of texts
# how much less likely a match is, as a logarithm
LATER_EXPANSION, MAX_EXPANSIONS = 1.0, 3  # for each earlier expansion of an abbreviation, up to so many
LATER_SEGMENT = 0.7  # found in another segment than the first
DROPPED_WORD = 0.2  # for each word that was dropped
LEADING_WORD = 2.0  # found at the beginning of a phrase
EXPANDED = 0.5  # found after expanding an abbreviation


class Match(NamedTuple):
    """A form of the lexicon for a text, and how it was matched."""

    form: str  # its key
    reason: str  # exact | spelling | inflection | inverted | abbreviation | derived | part | head | stem
    dropped: str = ""
    penalty: float = 0.0  # a logarithm
    first: bool = False  # whether it is the beginning of a phrase, not its head
    leads: bool = False  # whether the beginning may be the head, as it begins other values or is a verb
    agrees: bool = False  # whether the noun is also derived from an adjective of the same form
    derived: bool = False  # whether the form is no noun, and means the nouns it is derived from


class Matcher:
    """Matches texts to the forms of one lexicon, in one language.

    >>> from allonym.ontology.lexicon import Entry
    >>> from allonym.ontology.linking.languages import language
    >>> m = Matcher(Lexicon.build([Entry("ice cream", 0), Entry("parrot", 1)]), language("en"))
    >>> next(m.matches("Ice-Cream")).reason
    'spelling'
    >>> next(m.matches("grey parrots")).form
    'parrot'
    >>> list(m.matches("no parrot"))
    []
    """

    def __init__(self, lexicon: Lexicon, language: Language) -> None:
        self.lexicon, self.language = lexicon, language
        self._never_joined = language.negations | language.determiners
        self._breaks = language.prepositions | language.determiners
        self._word = lru_cache(MAX_CACHED)(self._matches_of_word)

    @classmethod
    def of(cls, lexicon: Lexicon, language: Language) -> Matcher:
        """Return the matcher of a lexicon, which is cached with its table of stems."""
        return lexicon.cache.setdefault(f"matcher {language.code}", cls(lexicon, language))

    def matches(self, text: str) -> Iterator[Match]:
        """Yield every form for a text, best first."""
        for step in self.steps(text):
            yield from (match for match in step if not match.derived)

    def steps(
        self, text: str, normaliser: Normaliser | None = None, leads: Callable[[str], bool] = lambda word: False
    ) -> Iterator[list[Match]]:
        """Yield the matches of a text in steps of decreasing strength: whole, members of a union and heads, stem.

        The text may mean any form of one step: "buns" are buns and a bun.

        Args:
            text: the text.
            normaliser: the readings of the column.
            leads: tells whether a word at the beginning of a phrase may be its head.
        """
        whole = key(text)
        if len(whole) > MAX_ANALYSED_LETTERS or _SURROGATE.search(whole):  # no word
            yield [Match(whole, "exact")]
        elif whole:
            normaliser = normaliser or self._normaliser
            readings = normaliser.readings(text)
            yield _distinct(self._whole(readings))
            parts = [match for r in readings if r.part for match in self._reading(r)]
            yield _distinct([*parts, *self._heads(text, readings, normaliser, leads)])
            yield list(self._stem(whole))

    def whole(self, text: str, normaliser: Normaliser) -> list[Match]:
        """Return the matches of a text as a whole; if it is a form as it stands, only that."""
        plain = key(text)
        if plain in self.lexicon:
            return [Match(plain, "exact")]
        if len(plain) > MAX_ANALYSED_LETTERS or _SURROGATE.search(plain):
            return []
        return _distinct(self._whole(normaliser.whole_readings(text)))

    @cached_property
    def _normaliser(self) -> Normaliser:
        return Normaliser.of(self.lexicon, self.language)

    def _whole(self, readings: Iterable[Reading]) -> Iterator[Match]:
        """Match the readings of a text that have all its words; of several expansions, the first is likelier."""
        expansions = 0
        for reading in readings:
            if not reading.dropped and not reading.part:
                expanded = _is_expanded(reading)
                yield from self._reading(reading, LATER_EXPANSION * min(expansions, MAX_EXPANSIONS) * expanded)
                expansions += expanded

    def _reading(self, reading: Reading, penalty: float = 0.0) -> Iterator[Match]:
        """Match a reading of a text; words of other parts of speech come last."""
        for match in self._word(reading.text):
            yield Match(match.form, _reason(reading, match.reason), penalty=penalty)
        yield Match(reading.text, "part" if reading.part else "derived", derived=True)

    def _matches_of_word(self, text: str) -> tuple[Match, ...]:
        """Match the text as it is, then with other spelling, then in the singular (or masculine)."""
        found: dict[str, Match] = {}
        spellings = self._spellings(text)
        for i, spelled in enumerate(spellings):
            if spelled not in found and spelled in self.lexicon:
                found[spelled] = Match(spelled, "exact" if i == 0 else "spelling")
        for spelled in spellings if self.language.code == "en" else ():
            for singular in self._singulars(spelled):
                if singular not in found and singular in self.lexicon:
                    found[singular] = Match(singular, "inflection")
        if not found and self.language.code in RULES:
            return tuple(self._inflected(text))
        return tuple(found.values())

    def _inflected(self, text: str) -> list[Match]:
        """Match a text without its accents, else the first form of it in the singular or masculine that is known."""
        if found := self._accented(text):
            return [Match(form, "spelling") for form in found]
        forms = ([x] if x in self.lexicon else self._accented(x) for x in base_forms(text, self.language.code))
        return [Match(form, "inflection") for form in next(filter(None, forms), [])]

    def _accented(self, text: str) -> list[str]:
        """Return the forms that a text without accents may be."""
        return self._by_plain.get(text, []) if text.isascii() else []

    @cached_property
    def _by_plain(self) -> dict[str, list[str]]:
        return accented(self.lexicon.keys)

    @cached_property
    def _by_words(self) -> dict[str, str]:
        """Forms with hyphens or commas, by their words with blanks between."""
        signs = [form for form in self.lexicon.keys if "-" in form or "," in form]
        return {form.replace("-", " ").replace(",", ""): form for form in reversed(signs)}

    def _spellings(self, text: str) -> list[str]:
        """Return a key as it is, with hyphens and signs as spaces or the reverse, as one word, without full stops."""
        letters = text.replace(" ", "")
        if letters.isalpha():
            if letters == text:
                return [text]
            blanks = " ".join(words := text.split())
            joined = letters if self._never_joined.isdisjoint(words) else text
            return list(dict.fromkeys([text, blanks, self._by_words.get(blanks, blanks), joined]))
        words = _words(text)
        if any(map(str.isdigit, text)):  # 1.5 is not 15, and -5 is not 5
            if text[0] in "+-" or not _LETTERS.search(text):
                return [text]
            blanks = " ".join(words)
            return list(dict.fromkeys([text, blanks, "-".join(words), self._by_words.get(blanks, blanks)]))
        blanks = " ".join(words)
        others = [blanks, self._by_words.get(blanks, blanks), text.replace("'", ""), text.replace(".", "")]
        if self._never_joined.isdisjoint(words):
            others.append("".join(words))  # but "not able" is not notable
        return list(dict.fromkeys([text, *others]))

    def _singulars(self, text: str) -> Iterator[str]:
        """Yield the singulars of WordNet's Morphy: exceptions, then without the ending of the last word."""
        yield from self.lexicon.exceptions.get(text, ())
        before, gap, last = text.rpartition(" ")
        for irregular in self.lexicon.exceptions.get(last, ()):
            yield before + gap + irregular
        if len(last) <= 2 or last.endswith("ss") or not last.endswith(_ENDINGS):
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
        if self.language.stemmer and len(text) > 3 and not any(c.isdigit() for c in text):
            for form in sorted(
                self._by_stem.get(self._stems([text])[0], ()), key=lambda f: (abs(len(f) - len(text)), f)
            ):
                yield Match(form, "stem")

    def _heads(
        self, text: str, readings: Sequence[Reading], normaliser: Normaliser, leads: Callable[[str], bool]
    ) -> Iterator[Match]:
        """Match the head of each segment of a text, and of readings that leave something out."""
        for reading in readings:
            if reading.dropped and not reading.part:
                dropped = " ".join(reading.dropped)
                for match in self._word(reading.text):
                    yield Match(match.form, "head", dropped, DROPPED_WORD * len(reading.dropped))
        later = 0.0
        words = words_of(text)
        for segment, others in self._segments(text):
            for reading in readings if segment == text else normaliser.readings(segment):
                if not reading.part and "inverted" not in reading.steps:
                    penalty = later + EXPANDED * _is_expanded(reading)
                    rest = " ".join([*reading.dropped, others]).strip()
                    for x in self._head(reading, leads):
                        dropped = _in_order(words_of(f"{x.dropped} {rest}"), words) if x.dropped or rest else ""
                        reason = "head" if rest else x.reason
                        cost = x.penalty + penalty
                        yield Match(x.form, reason, dropped, cost, x.first, x.leads, x.agrees, x.derived)
            later = LATER_SEGMENT

    def _segments(self, text: str) -> Iterator[tuple[str, str]]:
        """Yield the segments of a text, each with the other words of the text.

        Segments that qualify others, or whose negation is in another, are left out.
        """
        every = words_of(text)
        plain = _PARENTHESIS.sub(" ", " ".join(text.split()))  # the patterns take long over many blanks
        words = words_of(plain)
        at = 0
        for segment in self._split(plain)[:MAX_SEGMENTS]:
            own = words_of(segment)
            kept, at = range(at, at + len(own)), at + len(own)
            qualifies = bool(own) and own[0] in self.language.prepositions and len(own) < len(words)
            if _LETTERS.search(segment) and not qualifies and not drops_negation(words, kept, self.language):
                yield segment, "" if own == every else " ".join((Counter(every) - Counter(own)).elements())

    def _split(self, text: str) -> list[str]:
        """Split a text into segments, but not after a prefix: "non-small cell cancer" is one."""
        segments: list[str] = []
        for segment in _SEGMENT.split(text):
            before = words_of(segments[-1])[-1:] if segments else []
            if before and before[0] in self.language.negating_prefixes:
                segments[-1] += f"-{segment}"
            else:
                segments.append(segment)
        return segments

    def _head(self, reading: Reading, leads: Callable[[str], bool]) -> Iterator[Match]:
        """Cut qualifiers off a reading, then drop words from the end away from the head, until a form matches.

        The first words may be the head too, if they are so in the column: "burglary business", "assist personnel".
        """
        words = reading.text.split()
        after, before = self._spans(words)
        matches = list(self._first_span(words, after, 0.0))
        yield from matches
        may_lead = bool(words) and leads(words[0])
        for x in self._first_span(words, before, LEADING_WORD):
            yield x._replace(first=True, leads=may_lead or all(m.derived for m in matches))

    def _first_span(self, words: list[str], spans: Iterable[tuple[int, int]], penalty: float) -> Iterator[Match]:
        """Match the first span of words that is a form."""
        plain = [word if word.isalnum() else _NO_LETTER.sub("", word) for word in words]
        for low, high in spans:
            rest = " ".join(words[low:high])
            if high - low > self._max_words or not _LETTERS.search(rest):
                continue  # no form has so many words; "stage 2" is not a two
            if drops_negation(plain, range(low, high), self.language):
                continue
            matches = self._word(rest)
            if not matches and self.language.code != "en":  # in other languages, stems match plurals
                matches = tuple(self._stem(rest))
            dropped = words[:low] + words[high:]
            cost = penalty + DROPPED_WORD * len(dropped)
            trivial = high == len(words) and all(word in self.language.determiners for word in dropped)
            for x in matches:
                yield Match(x.form, x.reason if trivial else "head", " ".join(dropped), 0.0 if trivial else cost)
            if high - low == 1:
                yield Match(rest, "head", " ".join(dropped), cost, derived=True)
            if matches:
                return

    def _spans(self, words: list[str]) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Return the parts of a phrase that may be its head, longest first, and those at its other end."""
        ends = [len(words), *(i for i in range(len(words) - 1, 0, -1) if words[i] in self._breaks)]
        cut = [(0, end) for end in ends]
        last = [(low, ends[-1]) for low in range(1, ends[-1])]
        first = [(0, high) for high in range(ends[-1] - 1, 0, -1)]
        return (cut + last, first) if self.language.head_last else (cut + first, [])

    @cached_property
    def _max_words(self) -> int:
        """The largest number of words of a form."""
        return 1 + max((form.count(" ") + form.count("-") for form in self.lexicon.keys), default=0)


def _distinct(matches: Iterable[Match]) -> list[Match]:
    """Return the first match of every form by each way."""
    return list({(match.form, match.reason): match for match in reversed(list(matches))}.values())[::-1]


def _in_order(dropped: list[str], words: list[str]) -> str:
    """Return the dropped words in the order of the text; expanded ones last."""
    if len(dropped) < 2:
        return " ".join(dropped)
    left = Counter(dropped)
    ordered = []
    for word in words:
        if left[word]:
            left[word] -= 1
            ordered.append(word)
    return " ".join([*ordered, *left.elements()])


def _reason(reading: Reading, reason: str) -> str:
    """Return how a reading was matched."""
    if reading.part:
        return "part"
    if _is_expanded(reading):
        return "abbreviation"
    if "inverted" in reading.steps:
        return "inverted"
    return "spelling" if reading.steps and reason == "exact" else reason


def _is_expanded(reading: Reading) -> bool:
    return "abbreviation" in reading.steps or "prefix" in reading.steps


def _words(text: str) -> list[str]:
    """Split a key at spaces, hyphens and signs."""
    return [w for w in _BLANK.split(_SIGN.sub(" ", text)) if w]
