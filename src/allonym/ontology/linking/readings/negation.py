"""Negations: which words of a value are negated, and whether leaving words out would lose a negation.

Words are those of a value in order, split at blanks and hyphens.

- "no", "not", "never", "former" negate every word after them, and "without", "except" do so too.
- "non", "un", "anti" negate the next word only: "non small cell lung cancer" is a cancer.
- "free", "negative", "absent" negate the word before them only: "sugar free tea" is a tea.

"Other" and "unknown" negate nothing: other vegetables are vegetables. Alone they mean nothing; they are residual.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache

from allonym.ontology.linking.languages import Language

_WORD = re.compile(r"[^\s\-_,;:()\[\]{}|&+]+")
_NEGATING_PREFIXES = {
    "en": ("un", "non", "in", "im", "il", "ir", "dis", "a"),
    "de": ("un", "nicht"),
    "nl": ("on", "niet"),
    "fr": ("in", "im", "il", "ir", "non", "dé", "dés"),
    "es": ("in", "im", "i", "des", "no"),
    "it": ("in", "im", "il", "ir", "non", "dis"),
    "pt": ("in", "im", "i", "des", "não"),
}


def words_of(text: str) -> list[str]:
    """Split a text at blanks, hyphens and punctuation, in lower case.

    >>> words_of("Never-married (no children)")
    ['never', 'married', 'no', 'children']
    """
    return list(_words_of(text))


@lru_cache(1024)
def _words_of(text: str) -> tuple[str, ...]:
    return tuple([word for w in _WORD.findall(text) if (word := w.strip(".\"'?!*").casefold())])


def negated(words: Sequence[str], language: Language) -> frozenset[int]:
    """Return the places of the negated words.

    >>> from allonym.ontology.linking.languages import language
    >>> sorted(negated(["concussion", "with", "no", "loss", "of", "consciousness"], language("en")))
    [3, 4, 5]
    """
    return frozenset(place for i in range(len(words)) for place in _scope(words, i, language))


def is_negation(word: str, language: Language) -> bool:
    """Tell whether a word negates other words.

    >>> from allonym.ontology.linking.languages import language
    >>> [is_negation(word, language("en")) for word in ("never", "don't", "w/o", "other")]
    [True, True, True, False]
    """
    return word in language.all_negations or word.endswith("n't")


def has_negation(words: Sequence[str], language: Language) -> bool:
    """Tell whether one of several words negates others.

    >>> from allonym.ontology.linking.languages import language
    >>> has_negation(["never", "married"], language("en")), has_negation(["married"], language("en"))
    (True, False)
    """
    return not language.all_negations.isdisjoint(words) or any(word.endswith("n't") for word in words)


def drops_negation(words: Sequence[str], kept: Collection[int], language: Language) -> bool:
    """Tell whether a value reduced to some of its words loses a negation.

    It does if a word is kept and its negation is not, if only a part of what a kept "no" or "without" negates is
    kept, or if a negation without a preposition follows what is kept ("fever not present", "insurance none").

    Args:
        words: all words of the value, in order.
        kept: the places of the words that are kept; a range, or any set of places.
        language: the language of the words.

    >>> from allonym.ontology.linking.languages import language
    >>> en = language("en")
    >>> drops_negation(["without", "pay"], range(1, 2), en), drops_negation(["tea", "without", "milk"], range(1), en)
    (True, False)
    """
    return has_negation(words, language) and any(
        _is_lost(words, i, kept, language) for i in range(len(words)) if is_negation(words[i], language)
    )


def opposes(word: str, other: str, language: Language) -> bool:
    """Tell whether one of two words is the other with a negating prefix.

    >>> from allonym.ontology.linking.languages import language
    >>> opposes("married", "unmarried", language("en")), opposes("married", "carried", language("en"))
    (True, False)
    """
    short, long = sorted((word, other), key=len)
    prefixes = negating_prefixes(language)
    return bool(short) and any(long == prefix + joint + short for prefix in prefixes for joint in ("", "-", " "))


def negating_prefixes(language: Language) -> tuple[str, ...]:
    """Return the prefixes that turn a word into its opposite."""
    return _NEGATING_PREFIXES.get(language.code, ())


def is_residual(text: str, language: Language) -> bool:
    """Tell whether a value names no concept: "other", "unknown", "n/a", "none of the above", or only signs.

    >>> from allonym.ontology.linking.languages import language
    >>> [is_residual(text, language("en")) for text in ("Other/unknown", "N/A", "?", "other vegetables", "without pay")]
    [True, True, True, False, False]
    """
    words = words_of(text)
    if not words or " ".join(words) in language.residual_phrases:
        return True
    if "/" not in text and language.residual.isdisjoint(words):
        return False
    parts = [part for word in words for part in ([word] if word in language.residual else word.split("/")) if part]
    return all(part in language.residual or part in language.conjunctions for part in parts) and any(
        part in language.residual for part in parts
    )


def _scope(words: Sequence[str], place: int, language: Language) -> range:
    """Return the places that the word at a place negates."""
    word = words[place]
    if word in language.negating_prefixes:
        return range(place + 1, min(place + 2, len(words)))
    if word in language.negating_suffixes:
        return range(max(place - 1, 0), place)
    if is_negation(word, language):
        return range(place + 1, len(words))
    return range(0)


def _is_lost(words: Sequence[str], place: int, kept: Collection[int], language: Language) -> bool:
    scope = _scope(words, place, language)
    local = words[place] in language.negating_prefixes or words[place] in language.negating_suffixes
    if place in kept:
        return not local and not all(i in kept for i in scope)
    if any(i in kept for i in scope):
        return True
    if words[place] in language.negating_suffixes:
        return False
    if words[place] in language.negating_prefixes or words[place] in language.negating_prepositions:
        return not scope
    last_kept = max((i for i in kept if i < place), default=None)
    if last_kept is None:
        return False
    qualifier = words[last_kept + 1 : place]
    return not scope or not any(word in language.prepositions for word in qualifier)
