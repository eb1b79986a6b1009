"""The members of a union: "rolls/buns", "fruit/vegetable juice", "installation, maintenance and repair"."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from allonym.ontology.linking.languages import Language
from allonym.ontology.linking.readings.negation import is_negation
from allonym.ontology.linking.readings.parts import COMMA, HYPHEN, SLASH, Parts

MAX_MEMBERS, MAX_WORDS = 6, 10


def members(
    parts: Parts, order: Sequence[int], language: Language, known: Callable[[str], bool]
) -> Iterator[tuple[int, ...]]:
    """Yield the places of each member's words, with the words that all members share.

    >>> from allonym.ontology.linking.languages import language
    >>> from allonym.ontology.linking.readings.parts import parts_of
    >>> juice = parts_of("fruit/vegetable juice")
    >>> [juice.text(member) for member in members(juice, range(3), language("en"), lambda text: False)]
    ['fruit juice', 'vegetable juice']
    """
    chunks = _chunks(parts, order, language)
    if not 2 <= len(chunks) <= MAX_MEMBERS or len(order) > MAX_WORDS:
        return
    before, after = tuple(chunks[0][:-1]), tuple(chunks[-1][1:])
    share_after = bool(after) and language.head_last
    share_before = bool(before) and (
        not language.head_last
        or parts.words[before[-1]] in language.prepositions
        or any(is_negation(parts.words[i], language) for i in before)
    )
    if share_before:
        yield tuple(chunks[0])
        yield from (before + tuple(chunk) for chunk in chunks[1:])
    elif share_after:
        yield from (tuple(chunk) + after for chunk in chunks[:-1])
        yield tuple(chunks[-1])
        if known(parts.text(chunks[-1])):  # "children or armed forces"
            yield from (tuple(chunk) for chunk in chunks[:-1] if known(parts.text(chunk)))
    else:
        yield from map(tuple, chunks)
    if before and not share_before:
        yield from (before + tuple(chunk) for chunk in chunks[1:] if known(parts.text(before + tuple(chunk))))


def _chunks(parts: Parts, order: Sequence[int], language: Language) -> list[list[int]]:
    """Split words at slashes and conjunctions, and at commas if a conjunction follows them."""
    last_conjunction = max((n for n, i in enumerate(order) if parts.words[i] in language.conjunctions), default=-1)
    chunks: list[list[int]] = [[]]
    for n, i in enumerate(order):
        is_conjunction = parts.words[i] in language.conjunctions
        starts = n > 0 and (parts.gaps[i] == SLASH or (parts.gaps[i] == COMMA and n <= last_conjunction))
        if (starts or is_conjunction) and chunks[-1]:
            chunks.append([])
        if not is_conjunction:
            chunks[-1].append(i)
    if len(chunks) == 1 and _is_hyphenated_pair(parts, order):
        return [[order[0]], [order[1]]]
    return [chunk for chunk in chunks if chunk]


def _is_hyphenated_pair(parts: Parts, order: Sequence[int]) -> bool:
    """Tell whether two words of the same inflection are joined by a hyphen: "handlers-cleaners"."""
    if len(order) != 2 or parts.gaps[order[1]] != HYPHEN:
        return False
    words = [parts.words[i] for i in order]
    return all(w.endswith("ing") for w in words) or all(w.endswith("s") and not w.endswith("ss") for w in words)
