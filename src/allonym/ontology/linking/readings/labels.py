"""Other names of a class, derived from its label by the conventions of classifications.

- "Cholera, unspecified", "Cholera NOS", "Unspecified cholera": the words that leave the kind open say nothing.
- "Leprosy [Hansen disease]": square brackets have another name.
- "Essential (primary) hypertension": words in round brackets may be there or not.
- "Type 2 diabetes mellitus": "mellitus" says nothing where it and "diabetes" go together.

No derived name loses a negation: "Migraine without aura" has none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from allonym.ontology.lexicon import Entry, key
from allonym.ontology.linking.languages import Language
from allonym.ontology.linking.readings.negation import has_negation, words_of

DERIVED_RANK = 100  # words of a label come before derived ones
MAX_SHARED = 3  # concepts that may have the same derived name
MAX_BRACKETS = 8
MIN_PAIRS, MIN_SHARE = 10, 0.9  # how often a word must follow another to be redundant, and of all its occurrences
_SQUARE = re.compile(r"\s*\[([^\[\]]+)\]")
_ROUND = re.compile(r"\s*\(([^()]+)\)")
_ENDING = re.compile(r"\((?:s|es)\)|\((?=\w*-\))")  # finger(s), (cardio-)pulmonary
_NOT_SPECIFIED = re.compile(r",? not (?:elsewhere classified|otherwise specified|specified(?: as .*)?)$", re.IGNORECASE)
_CONVENTION = re.compile(r"[\[(]|\b(?:unspecified|nos|nec)\b| not ", re.IGNORECASE)
_REMARKS = frozenset({"any", "all", "including", "excluding", "except", "part", "other", "see", "with", "without"})
_OPEN = frozenset({"unspecified", "nos", "nec"})
_OPEN_CLASS = _OPEN | {"elsewhere", "defined", "specification", "n.e.c"}


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


def leaves_open(label: str) -> bool:
    """Tell whether a class is for what is not specified, or for what has no class of its own.

    Such a class is not above the specified ones: a burn of the hand is no "Burn of unspecified body region".

    >>> labels = ("Injury, unspecified", "Other forms of heart disease", "Injury and certain other consequences")
    >>> [leaves_open(x) for x in labels]
    [True, True, False]
    """
    words = words_of(label)
    return words[:1] == ["other"] or not _OPEN_CLASS.isdisjoint(words)


def derived_entries(
    names: Sequence[Entry], parents: Mapping[int, int], language: Language, others: Iterable[Entry] = ()
) -> list[Entry]:
    """Return the derived names of concepts, as words that no concept has already.

    A name that several labels lead to belongs to those that are not below another of them, if these are few.

    Args:
        names: the labels and synonyms of all concepts.
        parents: the parent of every concept that has one.
        language: the language of the names.
        others: further words of the concepts, to which no name is added.
    """
    pairs = redundant_pairs([entry.form for entry in names], language)
    taken = {key(entry.form) for entry in (*names, *others)}
    derived = [x._replace(form=name) for x in names for name in other_names(x.form, language)]
    first = _unclaimed(derived, taken, parents)
    taken.update(key(entry.form) for entry in first)
    shortened = [x._replace(form=short) for x in (*names, *first) if (short := _shortened(x.form, pairs, language))]
    return first + _unclaimed(shortened, taken, parents)


def _unclaimed(names: Iterable[Entry], taken: Collection[str], parents: Mapping[int, int]) -> list[Entry]:
    claims: dict[str, dict[int, str]] = {}
    for entry in names:
        if key(entry.form) not in taken:
            claims.setdefault(key(entry.form), {}).setdefault(entry.concept, entry.form)
    found = []
    for concepts in claims.values():
        highest = [c for c in concepts if not any(x in concepts for x in _above(c, parents))]
        if len(highest) <= MAX_SHARED:
            found += [Entry(concepts[c], c, rank=DERIVED_RANK) for c in highest]
    return found


def redundant_pairs(names: Sequence[str], language: Language) -> frozenset[tuple[str, str]]:
    """Return pairs of words of which hardly ever one is without the other: "diabetes mellitus".

    >>> from allonym.ontology.linking.languages import language
    >>> redundant_pairs(["diabetes mellitus"] * 20 + ["diabetes insipidus", "burn of foot"], language("en"))
    frozenset({('diabetes', 'mellitus')})
    """
    single: Counter[str] = Counter()
    both: Counter[tuple[str, str]] = Counter()
    for name in names:
        words = [word.strip(",;") for word in name.casefold().split()]
        single.update(words)
        both.update(pairwise(words))
    ignored = language.prepositions | language.conjunctions | language.all_negations
    return frozenset(
        (a, b)
        for (a, b), count in both.items()
        if count >= max(MIN_PAIRS, MIN_SHARE * max(single[a], single[b])) and (a + b).isalpha() and not {a, b} & ignored
    )


def _shortened(name: str, pairs: Collection[tuple[str, str]], language: Language) -> str:
    """Return a name without redundant words before its end, a comma or a preposition; an empty text if it has none."""
    words = name.split()
    plain = [word.strip(",;").casefold() for word in words]
    kept = words[:1]
    for n in range(1, len(words)):
        ends = n + 1 == len(words) or words[n].endswith(",") or plain[n + 1] in language.prepositions
        if not (ends and (plain[n - 1], plain[n]) in pairs):
            kept.append(words[n])
        elif words[n].endswith(","):
            kept[-1] += ","
    return " ".join(kept) if len(kept) < len(words) else ""


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
