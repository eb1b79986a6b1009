"""What a source says about its concepts beside is-a links and words: glosses, related nouns, parts, topics.

The details of the bundled WordNet are a file of their own, which is opened when `taxonomy.details` is first used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from allonym.arrays import take_rows
from allonym.ontology.array_file import Arrays
from allonym.ontology.lexicon import key
from allonym.ontology.pickling import DropCaches
from allonym.ontology.strings import CompressedStrings, PackedIndex, Strings

PARTS_OF_SPEECH = "avr"  # adjective, verb, adverb
POINTERS = (
    "derivation", "pertainym", "attribute", "participle", "verb", "adjective", "synonym", "similar", "antonym",
    "satellite",
)  # fmt: skip
INDIRECT = POINTERS.index("synonym")  # this pointer and those after it
DOMAINS = ("topic", "region", "usage")
# WordNet's detachment rules for verbs and adjectives (morphy(7WN))
SUFFIXES = {
    "v": [("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")],
    "a": [("er", ""), ("est", ""), ("er", "e"), ("est", "e")],
    "r": [],
}
_ENDINGS = {letter: tuple(ending for ending, _ in suffixes) for letter, suffixes in SUFFIXES.items()}
_ALL_ENDINGS = tuple(ending for endings in _ENDINGS.values() for ending in endings)
NOUN_SUFFIXES = [("s", ""), ("es", ""), ("ies", "y")]
Links = tuple[NDArray[np.int32], NDArray[np.int32]]


@dataclass(frozen=True, slots=True)
class Sense:
    """One sense of an adjective, adverb or verb."""

    lemma: str
    part_of_speech: str  # a | v | r
    rank: int  # from 0, most frequent first
    count: int  # occurrences in WordNet's tagged texts


@dataclass(frozen=True, slots=True)
class Derivation:
    """A noun concept that an adjective, adverb or verb leads to.

    `pointer` says how. Straight: `derivation` (retire → retirement), `pertainym` (obstetric → obstetrics), `attribute`
    (female → sex). Through another word: `participle` and `verb` (the derivations of a verb), `adjective` (of the
    adjective of an adverb). Weaker: `synonym` (nouns of another word of the same sense), `similar` (of the more general
    adjective), `satellite` (of narrower adjectives, where the word leads to no other noun: warm-blooded → homeotherm)
    and `antonym` (of the opposite; the concept is what the word denies).
    """

    concept: int
    part_of_speech: str  # a | v | r
    pointer: str
    sense_rank: int
    count: int  # occurrences of the sense of the word, not of the noun
    lemma: str


@dataclass(frozen=True, eq=False)
class Details(DropCaches):
    """Glosses, gloss words, related nouns, parts and domains of the concepts of a taxonomy."""

    glosses: Sequence[str]  # the definition, then each example, separated by tabs
    word_starts: NDArray[np.integer]
    words: NDArray[np.integer]  # numbers of the words of each concept, increasing (CSR form)
    vocabulary: Strings  # spellings of words
    word_numbers: NDArray[np.integer]  # of the spellings; those with the same stem have the same number
    lemmas: Strings  # adjectives, adverbs, verbs
    sense_starts: NDArray[np.integer]  # the senses of each lemma
    parts_of_speech: NDArray[np.uint8]  # of each sense
    ranks: NDArray[np.uint8]
    counts: NDArray[np.integer]
    noun_starts: NDArray[np.integer]  # the nouns of each sense, straight ones first
    nouns: NDArray[np.int32]
    pointers: NDArray[np.uint8]
    part_links: Links  # wholes and their parts, by whole
    domain_links: tuple[Links, ...]  # concepts and their topics; regions; usages
    exceptions: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)  # by part of speech

    @classmethod
    def unpacked(cls, arrays: Arrays, header: Mapping[str, Any]) -> Details:
        """Return the details in a file's arrays, without copying them."""
        glosses = CompressedStrings(
            arrays["gloss_blocks"], arrays["gloss_starts"], header["concepts"], header["gloss_block_length"]
        )
        indexes = {
            name: PackedIndex(arrays[f"{name}_text"], arrays[f"{name}_starts"], arrays[f"{name}_table"])
            for name in ("vocabulary", "lemma")
        }
        columns = ("word_starts", "words", "word_numbers", "sense_starts", "parts_of_speech", "ranks", "counts",
                   "noun_starts", "nouns", "pointers")  # fmt: skip
        return cls(
            glosses=glosses,
            vocabulary=indexes["vocabulary"],
            lemmas=indexes["lemma"],
            part_links=(arrays["wholes"], arrays["parts"]),
            domain_links=tuple((arrays[f"of_{domain}"], arrays[domain]) for domain in DOMAINS),
            exceptions=header["exceptions"],
            **{name: arrays[name] for name in columns},
        )

    # --- glosses ---------------------------------------------------------------------------------------------

    def definition(self, concept: int) -> str:
        """Return the definition of a concept, without examples; empty if it has none.

        >>> from allonym.ontology.wordnet import bundled
        >>> bundled().details.definition(bundled().code("nurse"))
        'one skilled in caring for young children or the sick (usually under the supervision of a physician)'
        """
        return self.glosses[concept].partition("\t")[0]

    def examples(self, concept: int) -> tuple[str, ...]:
        """Return the examples of a concept's use.

        >>> from allonym.ontology.wordnet import bundled
        >>> bundled().details.examples(bundled().code("dog"))
        ('the dog barked all night',)
        """
        return tuple(self.glosses[concept].split("\t")[1:])

    def gloss_words(self, concepts: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the numbers of the words of many concepts in CSR form: starts and numbers.

        Words are those of the definition, of the examples and of the concept's own names. Spellings with the same stem
        have the same number. Function words are left out, and words that no other concept has. The numbers of a concept
        are distinct and increasing.

        >>> from allonym.ontology.wordnet import bundled
        >>> details = bundled().details
        >>> starts, numbers = details.gloss_words([bundled().code("nurse.n.01"), bundled().code("nanny.n.01")])
        >>> details.word_number("children") in numbers[starts[0] : starts[1]]
        True
        >>> len(set(numbers[starts[0] : starts[1]]) & set(numbers[starts[1] :]))
        2
        """
        return take_rows(self.word_starts, self.words, np.asarray(concepts, np.int64).ravel())

    def word_number(self, word: str) -> int | None:
        """Return the number of a word in `gloss_words`, or None if no gloss has it.

        >>> from allonym.ontology.wordnet import bundled
        >>> number = bundled().details.word_number
        >>> number("Teaching") == number("teaches"), number("the")
        (True, None)
        """
        word = key(word)
        for spelling in (word, *detached(word, NOUN_SUFFIXES + SUFFIXES["v"])):
            place = self.vocabulary.find(spelling)
            if place is not None:
                return int(self.word_numbers[place])
        return None

    @cached_property
    def word_frequencies(self) -> NDArray[np.int64]:
        """The number of concepts that have each word in their gloss or names."""
        return np.bincount(self.words)

    # --- related nouns ---------------------------------------------------------------------------------------

    def senses_of(self, form: str) -> list[Sense]:
        """Return the senses of an adjective, adverb or verb, inflected or not; as it is spelled first.

        >>> from allonym.ontology.wordnet import bundled
        >>> [(x.lemma, x.part_of_speech) for x in bundled().details.senses_of("divorced")]
        [('divorced', 'a'), ('divorce', 'v'), ('divorce', 'v')]
        """
        return [self._sense(lemma, place) for lemma, place in self._senses(form)]

    def nouns_of(self, form: str) -> list[Derivation]:
        """Return the noun concepts that an adjective, adverb or verb leads to, the likeliest first.

        Inflected forms lead to the nouns of all their lemmas: "divorced" is an adjective and a form of the verb
        `divorce`. Each concept is listed once. The weaker pointers (from `synonym` on) come last; within
        both parts, frequent senses come first, then the lower rank.

        >>> from allonym.ontology.wordnet import bundled
        >>> def nouns(form):
        ...     t = bundled()
        ...     return [(t.ids[x.concept], x.lemma, x.pointer) for x in t.details.nouns_of(form)]
        >>> nouns("divorced")[:2]
        [('divorce.n.01', 'divorce', 'derivation'), ('divorcee.n.01', 'divorce', 'derivation')]
        >>> [noun for noun, _, _ in nouns("Vietnamese")]
        ['vietnamese.n.01', 'vietnam.n.01', 'vietnamese.n.02']
        >>> nouns("obstetric"), nouns("retired")[2]
        ([('obstetrics.n.01', 'obstetric', 'derivation')], ('retiree.n.01', 'retire', 'derivation'))
        >>> nouns("female")[2], nouns("unmarried")[1]
        (('sex.n.04', 'female', 'attribute'), ('married.n.01', 'unmarried', 'antonym'))
        """
        found = []
        for lemma, place in self._senses(form):
            sense = self._sense(lemma, place)
            for at in range(int(self.noun_starts[place]), int(self.noun_starts[place + 1])):
                pointer = int(self.pointers[at])
                order = (pointer >= INDIRECT, -sense.count, sense.rank, pointer)
                found.append((order, self._derivation(sense, at)))
        once: dict[int, Derivation] = {}
        for _, derivation in sorted(found, key=lambda pair: pair[0]):
            once.setdefault(derivation.concept, derivation)
        return list(once.values())

    def _derivation(self, sense: Sense, at: int) -> Derivation:
        pointer = POINTERS[int(self.pointers[at])]
        return Derivation(int(self.nouns[at]), sense.part_of_speech, pointer, sense.rank, sense.count, sense.lemma)

    def _sense(self, lemma: str, place: int) -> Sense:
        part_of_speech = PARTS_OF_SPEECH[int(self.parts_of_speech[place])]
        return Sense(lemma, part_of_speech, int(self.ranks[place]), int(self.counts[place]))

    def _senses(self, form: str) -> Iterator[tuple[str, int]]:
        """Yield the lemma and place of each sense of a form: those of the form itself, then of its other lemmas."""
        form = key(form)
        for place in self._places(form):
            yield form, place
        for part_of_speech, lemma in self._other_lemmas(form):
            for place in self._places(lemma):
                if self.parts_of_speech[place] == part_of_speech:
                    yield lemma, place

    def _places(self, lemma: str) -> range:
        at = self.lemmas.find(lemma)
        return range(0) if at is None else range(int(self.sense_starts[at]), int(self.sense_starts[at + 1]))

    def _other_lemmas(self, form: str) -> Iterator[tuple[int, str]]:
        """Yield the possible lemmas of a form besides itself: exceptions, or else without its ending."""
        if not form.endswith(_ALL_ENDINGS) and not any(form in x for x in self.exceptions.values()):
            return
        for part_of_speech, letter in enumerate(PARTS_OF_SPEECH):
            irregular = self.exceptions.get(letter, {}).get(form)
            if irregular is not None or form.endswith(_ENDINGS[letter]):
                lemmas = detached(form, SUFFIXES[letter]) if irregular is None else irregular
                yield from ((part_of_speech, lemma) for lemma in dict.fromkeys(lemmas) if lemma != form)

    # --- links between nouns ---------------------------------------------------------------------------------

    def parts(self, concept: int) -> NDArray[np.int32]:
        """Return the parts, members and substances of a concept.

        >>> from allonym.ontology.wordnet import bundled
        >>> t = bundled()
        >>> [t.ids[c] for c in t.details.parts(t.code("hand"))][4:6]
        ['palm.n.01', 'finger.n.01']
        """
        return _linked(self.part_links, concept)

    def wholes(self, concept: int) -> NDArray[np.int32]:
        """Return what a concept is a part, member or substance of.

        >>> from allonym.ontology.wordnet import bundled
        >>> t = bundled()
        >>> [t.ids[c] for c in t.details.wholes(t.code("finger"))]
        ['hand.n.01']
        """
        return _linked(self._whole_links, concept)

    @cached_property
    def _whole_links(self) -> Links:
        wholes, parts = self.part_links
        order = np.argsort(parts, kind="stable")
        return parts[order], wholes[order]

    def topics(self, concept: int) -> NDArray[np.int32]:
        """Return the fields that a concept belongs to.

        >>> from allonym.ontology.wordnet import bundled
        >>> t = bundled()
        >>> [t.ids[c] for c in t.details.topics(t.code("pitcher"))]
        ['baseball.n.01', 'softball.n.02']
        """
        return _linked(self.domain_links[DOMAINS.index("topic")], concept)

    def regions(self, concept: int) -> NDArray[np.int32]:
        """Return where the words of a concept are used."""
        return _linked(self.domain_links[DOMAINS.index("region")], concept)

    def usages(self, concept: int) -> NDArray[np.int32]:
        """Return how the words of a concept are used: as trademarks, archaisms, disparagement, …"""
        return _linked(self.domain_links[DOMAINS.index("usage")], concept)


def _linked(links: Links, concept: int) -> NDArray[np.int32]:
    owners, others = links
    low, high = np.searchsorted(owners, [concept, concept + 1])
    return others[low:high]


def detached(form: str, suffixes: Sequence[tuple[str, str]]) -> list[str]:
    """Return a form without each ending that it has.

    >>> detached("retired", SUFFIXES["v"])
    ['retire', 'retir']
    """
    return [
        form[: -len(ending)] + other for ending, other in suffixes if form.endswith(ending) and len(form) > len(ending)
    ]
