"""Which words of a value a reading has, and in which order. No choice loses a negation."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from allonym.ontology.linking.languages import Language
from allonym.ontology.linking.readings.negation import drops_negation, has_negation, is_negation, negated
from allonym.ontology.linking.readings.parts import (
    AND,
    BLANK,
    COMMA,
    DASH,
    HYPHEN,
    INITIALS,
    SLASH,
    STEP_OF_GAP,
    Parts,
    Trimmed,
    trim,
)
from allonym.ontology.linking.readings.unions import members

MAX_SPECIALISED = 3  # words before brackets that name a kind of them: "liquor (appetizer)"
MAX_INVERTED = 5  # words, unless the ontology has them in this order
LETTERS = re.compile(r"[^\W\d_]{2}")


class Choice(NamedTuple):
    """Some words of a value in some order, by their places."""

    places: tuple[int, ...]
    steps: tuple[str, ...] = ()
    dropped: tuple[int, ...] = ()
    part: bool = False


class Chooser:
    """Chooses words of the values of one column.

    Args:
        language: the language of the values.
        known: tells whether a text is a word or phrase of the ontology.
        heads: words that name the kind of a value although other words follow: "surgery" in "surgery-general".
    """

    def __init__(self, language: Language, known: Callable[[str], bool], heads: Collection[str] = ()) -> None:
        self.language, self._known, self._heads = language, known, frozenset(heads)
        self._qualifying = language.prepositions - language.conjunctions
        self._meaningless = language.residual | language.negators | language.negating_prefixes | language.conjunctions
        self._alone = language.conjunctions | language.residual

    def has_one_choice(self, words: list[str]) -> bool:
        """Tell whether a value of words and blanks has no other choice than all its words."""
        return self._alone.isdisjoint(words) and all(len(word) > 1 for word in words)

    def choices(self, parts: Parts) -> Iterator[Choice]:
        """Yield all words, then without the ends, inverted, of brackets, of unions, of one side of a dash."""
        outside = parts.outside() or list(range(len(parts.words)))
        inside = [i for i in range(len(parts.words)) if i not in outside] if parts.has_brackets else []
        negates = has_negation(parts.words, self.language)
        acronym = self._is_acronym(parts, outside, inside) or self._is_acronym(parts, inside, outside)
        unnamed = () if acronym else tuple(inside)
        steps = _steps(parts, outside, bool(inside))
        if not (inside and negates) or self._keeps_negations(parts, outside):
            yield Choice(tuple(outside), steps, unnamed)
        trimmed = trim(parts, outside, self.language)
        if len(trimmed.places) < len(outside) and not self._means_something(parts, trimmed.places):
            trimmed = Trimmed(outside)
        if len(trimmed.places) < len(outside):
            if not negates or self._keeps_negations(parts, trimmed.places, trimmed.without_meaning):
                dropped = (*unnamed, *(i for i in outside if i not in trimmed.places))
                yield Choice(tuple(trimmed.places), (*steps, *trimmed.steps), tuple(sorted(dropped)))
            if trimmed.steps == ["number"]:
                yield from self._inverted(parts, outside, steps, unnamed)
        steps = (*steps, *trimmed.steps)
        orders = [trimmed.places]
        if not negates:
            for inverted in self._inverted(parts, trimmed.places, steps, unnamed):
                orders.insert(0, list(inverted.places))
                yield inverted
        if inside and (not negates or self._keeps_negations(parts, inside)):
            yield from self._of_brackets(parts, outside, inside, acronym)
        gaps = set(parts.gaps)
        if SLASH in gaps or HYPHEN in gaps or not self.language.conjunctions.isdisjoint(parts.words):
            for order in orders:
                yield from self._members(parts, order, steps, negates)
        if DASH in gaps:
            yield from self._segments(parts, trimmed.places, steps, negates)

    def _of_brackets(self, parts: Parts, outside: list[int], inside: list[int], acronym: bool) -> Iterator[Choice]:
        """Yield the words in brackets at the end, and the others after a preposition: "Iran (Islamic Republic of)"."""
        if outside[-1] > inside[0] or not self._means_something(parts, inside):
            return
        if parts.words[inside[-1]] in self._qualifying:
            yield Choice((*inside, *outside), ("brackets", "inverted"))
        elif acronym or len(outside) <= MAX_SPECIALISED:
            yield Choice(tuple(inside), ("brackets",), () if acronym else tuple(outside))

    def _means_something(self, parts: Parts, places: Sequence[int]) -> bool:
        """Tell whether words are not only numbers, negations and words like "other"."""
        words = [parts.words[i] for i in places]
        return LETTERS.search(" ".join(words)) is not None and not self._meaningless.issuperset(words)

    def _keeps_negations(self, parts: Parts, places: Sequence[int], without_meaning: Iterable[int] = ()) -> bool:
        ignored = set(without_meaning)
        counted = [i for i in range(len(parts.words)) if i not in ignored]
        place_of = {i: n for n, i in enumerate(counted)}
        return not drops_negation([parts.words[i] for i in counted], {place_of[i] for i in places}, self.language)

    def _inverted(
        self, parts: Parts, places: list[int], steps: tuple[str, ...], unnamed: tuple[int, ...]
    ) -> Iterator[Choice]:
        """Yield "retriever, golden" the other way round, and "surgery-general" if the column or ontology has it so."""
        gaps = [parts.gaps[i] for i in places[1:]]
        if COMMA not in gaps and HYPHEN not in gaps and DASH not in gaps:
            return
        if 1 <= gaps.count(COMMA) <= 2:
            sign = COMMA
        elif gaps.count(HYPHEN) + gaps.count(DASH) == 1:
            sign = HYPHEN if HYPHEN in gaps else DASH
        else:
            return
        segments = split(parts, places, sign)
        if any(parts.words[segment[0]] in self.language.conjunctions for segment in segments[1:]):
            return
        if has_negation(parts.words, self.language):  # it would negate other words
            return
        qualifiers = [segment for segment in segments[1:] if parts.words[segment[0]] in self._qualifying]  # ", of lung"
        turned = [segment for segment in segments if segment not in qualifiers]
        inverted = tuple(i for segment in [*reversed(turned), *qualifiers] for i in segment)
        in_turned = [i for segment in turned for i in segment]
        is_short = len(in_turned) <= MAX_INVERTED and not any(parts.words[i] in self._qualifying for i in in_turned)
        is_head = sign == COMMA or parts.text(segments[0]) in self._heads
        if len(turned) > 1 and ((is_short and is_head) or self._known(parts.text(inverted))):
            left_out = [i for i in parts.outside() if i not in inverted]
            yield Choice(inverted, (*steps, "inverted"), tuple(sorted([*unnamed, *left_out])))

    def _members(self, parts: Parts, order: Sequence[int], steps: tuple[str, ...], negates: bool) -> Iterator[Choice]:
        for places in members(parts, order, self.language, self._known):
            if len(places) == len(order) or not self._means_something(parts, places):
                continue
            others = [i for i in range(len(parts.words)) if i not in places]
            if negates and not self._negates_the_same(parts, places, others):
                continue
            dropped = tuple(i for i in others if parts.words[i] not in self.language.conjunctions)
            yield Choice(places, (*steps, "union"), dropped, part=True)

    def _negates_the_same(self, parts: Parts, places: Sequence[int], others: Sequence[int]) -> bool:
        """Tell whether a member of a union has all negations, and each negates the same words as in the value."""
        if any(is_negation(parts.words[i], self.language) for i in others):
            return False
        of_member = {places[n] for n in negated([parts.words[i] for i in places], self.language)}
        return of_member == negated(parts.words, self.language) & set(places)

    def _segments(self, parts: Parts, places: list[int], steps: tuple[str, ...], negates: bool) -> Iterator[Choice]:
        """Yield what stands on either side of a dash or colon: "body mass index 30+ - obesity"."""
        segments = split(parts, places, DASH)
        for segment in segments if len(segments) > 1 else []:
            if parts.words[segment[0]] in self.language.prepositions:
                continue
            if self._means_something(parts, segment) and (not negates or self._keeps_negations(parts, segment)):
                others = tuple(i for i in range(len(parts.words)) if i not in segment)
                yield Choice(tuple(segment), tuple(dict.fromkeys((*steps, "dash"))), others)

    def _is_acronym(self, parts: Parts, short: list[int], long: list[int]) -> bool:
        if len(short) != 1 or len(long) < 2:
            return False
        words = [parts.words[i] for i in long]
        initials = {"".join(w[0] for w in words), "".join(w[0] for w in words if w not in self.language.prepositions)}
        return parts.words[short[0]] in initials


def split(parts: Parts, places: Sequence[int], sign: str) -> list[list[int]]:
    """Split words at a sign."""
    segments: list[list[int]] = [[]]
    for n, i in enumerate(places):
        if n and parts.gaps[i] == sign:
            segments.append([])
        segments[-1].append(i)
    return segments


def _steps(parts: Parts, places: list[int], in_brackets: bool) -> tuple[str, ...]:
    gaps = dict.fromkeys(parts.gaps[i] for n, i in enumerate(places) if n or parts.gaps[i] in (AND, INITIALS))
    steps = [STEP_OF_GAP[gap] for gap in gaps if gap != BLANK]
    return (*steps, "brackets") if in_brackets else tuple(steps)
