"""Concepts and labels that people know, in an ontology of general words.

WordNet counts how often each word was used in each sense in tagged texts. Most words do not occur there; whether people
know these shows in how many definitions of other concepts use them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from allonym.ontology.details import Details
from allonym.ontology.generality.upper_layer import has_word_counts
from allonym.ontology.gloss_words import words_of
from allonym.ontology.joining.taxonomy import JoinedTaxonomy
from allonym.ontology.lexicon import key
from allonym.ontology.taxonomy import Taxonomy

Word = tuple[str, int, bool]  # how often it was used for a concept, and whether it means the concept first
MIN_USES = 10  # in tagged texts, of a word that becomes the label instead of another
USED = 5  # times, of a concept whose name people say
MORE_OFTEN = 5  # times as often as the other
MIN_GLOSSES = 8  # that use every word of a label that people know
MIN_LETTERS = 4  # of both words of a compound
MANY_GLOSSES = 25  # a label whose words are used in fewer gives way to one that explains itself


def is_known(taxonomy: Taxonomy, concept: int) -> bool:
    """Tell whether people know a concept: its words are used, or common; without counts of words, all are known.

    >>> from allonym.ontology.wordnet import bundled
    >>> [is_known(bundled(), bundled().code(x)) for x in ("oscine", "diapsid", "songbird", "rodent", "nurse")]
    [False, False, True, True, True]
    """
    if isinstance(taxonomy, JoinedTaxonomy):
        place = taxonomy.branch_of(concept)
        return place is None or is_known(taxonomy.branches[place].taxonomy, taxonomy.own_concept(concept))
    if not has_word_counts(taxonomy) or taxonomy.details is None:
        return True
    cache = _cache(taxonomy, "known concepts")
    if concept not in cache:
        cache[concept] = uses(taxonomy, concept) > 0 or _glosses(taxonomy, label(taxonomy, concept)) >= MIN_GLOSSES
    return bool(cache[concept])


def is_used(taxonomy: Taxonomy, concept: int) -> bool:
    """Tell whether texts use the words of a concept at least five times; without counts of words, all are used."""
    if isinstance(taxonomy, JoinedTaxonomy):
        place = taxonomy.branch_of(concept)
        return place is None or is_used(taxonomy.branches[place].taxonomy, taxonomy.own_concept(concept))
    return not has_word_counts(taxonomy) or uses(taxonomy, concept) >= USED


def label(taxonomy: Taxonomy, concept: int) -> str:
    """Return the label of a concept that people know best; the ontology's own, unless another is clearly better.

    A word is better if it is used at least five times as often and means the concept first. Where no word of the
    concept is used, a term that ends in a word for a broader concept is better than a rare word.

    >>> from allonym.ontology.wordnet import bundled
    >>> [label(bundled(), bundled().code(x)) for x in ("diversion.n.01", "angiosperm", "serviceman", "nurse")]
    ['recreation', 'flowering plant', 'serviceman', 'nurse']
    """
    own = taxonomy.labels[concept].replace("_", " ")
    if not has_word_counts(taxonomy) or taxonomy.instances[concept]:
        return own
    cache = _cache(taxonomy, "known labels")
    if concept not in cache:
        words = _words(taxonomy, concept) if len(taxonomy.lexicon.entries_of(concept)) > 1 else ()
        cache[concept] = _used_more(words, own) or _explaining(taxonomy, concept, words, own) or own
    return str(cache[concept])


def uses(taxonomy: Taxonomy, concept: int) -> int:
    """Return how often the words of a concept were used for it."""
    return sum(count for _, count, _ in _words(taxonomy, concept))


def _cache(taxonomy: Taxonomy, name: str) -> dict[int, Any]:
    cache: dict[int, Any] = taxonomy.lexicon.cache.setdefault(name, {})
    return cache


def _words(taxonomy: Taxonomy, concept: int) -> list[Word]:
    """Return the words of a concept: how often each was used for it, and whether the word means it first."""
    words = taxonomy.lexicon
    return [
        (words.forms[words.form_of[e]].replace("_", " "), int(words.counts[e]), not words.ranks[e])
        for e in words.entries_of(concept)
        if not words.notation[e]
    ]


def _used_more(words: Sequence[Word], own: str) -> str | None:
    """Return the word that is used most for a concept, if that is much more than its label."""
    usual = max((count for word, count, _ in words if key(word) == key(own)), default=0)
    count, word = max(((count, word) for word, count, is_first in words if is_first), default=(0, own))
    return word if count >= max(MIN_USES, MORE_OFTEN * usual) and key(word) != key(own) else None


def _explaining(taxonomy: Taxonomy, concept: int, words: Sequence[Word], own: str) -> str | None:
    """Return a term that ends in a word for a broader concept, in place of a word that is hardly ever used."""
    terms = [word for word, _, _ in words if " " in word]
    if not terms or taxonomy.details is None or " " in own or any(count for _, count, _ in words):
        return None
    if _glosses(taxonomy, own) >= MANY_GLOSSES:
        return None
    broader = {key(word) for c in _above(taxonomy, concept) for word, _, _ in _words(taxonomy, c)}
    each = [(_glosses(taxonomy, x), x) for x in terms if key(x.rpartition(" ")[2]) in broader]
    most, term = max(each, default=(0, own))
    return term if most > _glosses(taxonomy, own) else None


def _above(taxonomy: Taxonomy, concept: int) -> set[int]:
    """Return the ancestors of a concept."""
    above: set[int] = set()
    reached = [concept]
    while reached:
        parents = set(taxonomy.parents_of(reached.pop()).tolist()) - above
        above |= parents
        reached += parents
    return above


def _glosses(taxonomy: Taxonomy, text: str) -> int:
    """Return how many concepts have the rarest word of a label in their definition or names."""
    assert taxonomy.details is not None
    return min((_glosses_of_word(taxonomy.details, word) for word in words_of(text)), default=0)


def _glosses_of_word(details: Details, word: str) -> int:
    """Return how many concepts have a word in their definition or names; of a compound, the rarer of its two words."""
    number = details.word_number(word)
    own = 0 if number is None else int(details.word_frequencies[number])
    if own >= MIN_GLOSSES:
        return own
    splits = [(word[:i], word[i:]) for i in range(MIN_LETTERS, len(word) - MIN_LETTERS + 1)]
    numbers = [(details.vocabulary.find(first), details.word_number(second)) for first, second in splits]
    known = [
        min(int(details.word_frequencies[details.word_numbers[first]]), int(details.word_frequencies[second]))
        for first, second in numbers
        if first is not None and second is not None
    ]
    return max([own, *known])
