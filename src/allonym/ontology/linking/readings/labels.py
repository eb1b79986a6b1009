"""Other names of a class, derived from its label by the conventions of classifications.

- "Cholera, unspecified", "Cholera NOS", "Unspecified cholera": the words that leave the kind open say nothing.
- "Leprosy [Hansen disease]": square brackets have another name.
- "Essential (primary) hypertension": words in round brackets may be there or not.

No derived name loses a negation: "Migraine without aura" has none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from allonym.ontology.lexicon import Entry, key
from allonym.ontology.linking.languages import Language
from allonym.ontology.linking.readings.negation import has_negation, words_of

DERIVED_RANK = 100  # words of a label come before derived ones
MAX_SHARED = 3  # concepts that may have the same derived name
MAX_BRACKETS = 8
_SQUARE = re.compile(r"\s*\[([^\[\]]+)\]")
_ROUND = re.compile(r"\s*\(([^()]+)\)")
_ENDING = re.compile(r"\((?:s|es)\)|\((?=\w*-\))")  # finger(s), (cardio-)pulmonary
_NOT_SPECIFIED = re.compile(r",? not (?:elsewhere classified|otherwise specified|specified(?: as .*)?)$", re.IGNORECASE)
_CONVENTION = re.compile(r"[\[(]|\b(?:unspecified|nos|nec)\b| not ", re.IGNORECASE)
_REMARKS = frozenset({"any", "all", "including", "excluding", "except", "part", "other", "see", "with", "without"})
_OPEN = frozenset({"unspecified", "nos", "nec"})


def other_names(label: str, language: Language) -> list[str]:
    """Return the names derived from a label, without the label itself.

    >>> from allonym.ontology.linking.languages import language
    >>> en = language("en")
    >>> other_names("Leprosy [Hansen disease]", en), other_names("Essential (primary) hypertension", en)[::2]
    (['Leprosy', 'Hansen disease'], ['Essential hypertension', 'primary hypertension'])
    >>> other_names("Pneumonia, organism unspecified", en), other_names("Unspecified diabetes mellitus", en)
    (['Pneumonia'], ['diabetes mellitus'])
    >>> other_names("Human immunodeficiency virus [HIV] disease", en)
    ['Human immunodeficiency virus disease', 'HIV disease']
    """
    if not _CONVENTION.search(label):
        return []
    plain = _ENDING.sub("", label)
    names = dict.fromkeys([plain])
    for derive in (_without_open_words, _of_square_brackets, _of_round_brackets):
        for name in list(names):
            names.update(dict.fromkeys(derive(name, language)))
    aliases = [alias for name in names for alias in _aliases(name, language)]
    negates = has_negation(words_of(_NOT_SPECIFIED.sub("", plain)), language)
    kept = [x for x in names if has_negation(words_of(x), language) == negates]
    tidy = [" ".join(x.split()).strip(" ,;:") for x in (*kept, *aliases)]
    return [x for x in dict.fromkeys(tidy) if x and key(x) != key(label) and _is_plain(x)]


def _is_plain(name: str) -> bool:
    return not any(sign in name for sign in "[]()") and _OPEN.isdisjoint(words_of(name))


def derived_entries(names: Sequence[Entry], parents: Mapping[int, int], language: Language) -> list[Entry]:
    """Return the derived names of concepts, as words that no concept has already.

    A name that several labels lead to belongs to those that are not below another of them, if these are few.

    Args:
        names: the labels and synonyms of all concepts.
        parents: the parent of every concept that has one.
        language: the language of the names.
    """
    taken = {key(entry.form) for entry in names}
    claims: dict[str, dict[int, str]] = {}
    for entry in names:
        for name in other_names(entry.form, language):
            if key(name) not in taken:
                claims.setdefault(key(name), {}).setdefault(entry.concept, name)
    found = []
    for concepts in claims.values():
        highest = [c for c in concepts if not any(x in concepts for x in _above(c, parents))]
        if len(highest) <= MAX_SHARED:
            found += [Entry(concepts[c], c, rank=DERIVED_RANK) for c in highest]
    return found


def _above(concept: int, parents: Mapping[int, int]) -> Iterator[int]:
    while concept in parents:
        concept = parents[concept]
        yield concept


def _without_open_words(label: str, language: Language) -> Iterator[str]:
    """Yield a label without the words that say that the kind is not known."""
    text = _NOT_SPECIFIED.sub("", label)
    before, comma, last = text.rpartition(",")
    if comma and not _OPEN.isdisjoint(words_of(last)) and len(words_of(last)) <= 3:
        text = before
    words = text.split()
    while len(words) > 1 and words[-1].strip(",.").casefold() in _OPEN:
        words.pop()
    if len(words) > 1 and words[0].casefold() == "unspecified":
        del words[0]
    if " ".join(words) != label:
        yield " ".join(words)


def _aliases(label: str, language: Language) -> Iterator[str]:
    """Yield the other name at the end of a label, in brackets; a person's name also with a noun."""
    found = _SQUARE.search(label)
    if found is None or label[found.end() :].strip(" ,") or _is_remark(found[1]):
        return
    before, inside = label[: found.start()], found[1]
    if ":" in before or not (language.prepositions - language.all_negations).isdisjoint(words_of(before)):
        return  # it may be another name of the words after the preposition only
    yield inside
    if all(word[:1].isupper() and not word.isupper() for word in re.split(r"[\s-]", inside)):
        yield from (f"{inside} {noun}" for noun in ("disease", "syndrome"))


def _of_square_brackets(label: str, language: Language) -> Iterator[str]:
    """Yield a label without the other name in brackets, and with it in place of the words before."""
    found = _SQUARE.search(label)
    if found is None:
        return
    yield _SQUARE.sub("", label)
    words, inside, after = label[: found.start()].split(), found[1], label[found.end() :]
    if _is_remark(inside) or not (after.strip(" ,") or inside.isupper()):
        return
    replaced = _words_of_acronym(words, inside) if inside.isupper() else 1
    if replaced:
        yield " ".join([*words[:-replaced], inside]) + after


def _words_of_acronym(words: Sequence[str], acronym: str) -> int:
    """Return how many of the last words an acronym stands for."""
    letters = acronym.casefold()
    for count in range(1, min(len(words), len(letters)) + 1):
        if "".join(word[0] for word in words[-count:]).casefold() == letters:
            return count
    return 0


def _of_round_brackets(label: str, language: Language) -> Iterator[str]:
    """Yield a label without the words in brackets, with all of them, and with one alone."""
    brackets = list(_ROUND.finditer(label))
    if not 0 < len(brackets) <= MAX_BRACKETS or any(_is_remark(x[1]) for x in brackets):
        return
    bare = _ROUND.sub("", label)
    yield bare
    yield _ROUND.sub(r" \1", label)
    for bracket in brackets:
        before, after = (_ROUND.sub("", x) for x in (label[: bracket.start()], label[bracket.end() :]))
        if " " not in before.strip() and after.strip():
            yield f"{bracket[1]} {after}"  # instead of the first word
        elif not after.strip():
            yield f"{bracket[1]} {bare}"
        if len(brackets) > 1:
            yield f"{before} {bracket[1]} {after}"


def _is_remark(inside: str) -> bool:
    words = words_of(inside)
    return not words or words[0] in _REMARKS or any(map(str.isdigit, inside))
