"""Compile the details of the bundled WordNet from a WNDB directory; called by tools/build_wordnet.py."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
import Stemmer

from allonym.ontology.array_file import Arrays, joined
from allonym.ontology.details import DOMAINS, PARTS_OF_SPEECH, POINTERS, SUFFIXES, detached
from allonym.ontology.gloss_words import words_of
from allonym.ontology.lexicon import key
from allonym.ontology.strings import compressed, hash_table, packed
from allonym.ontology.taxonomy import Taxonomy

NAMES = {"a": "adj", "v": "verb", "r": "adv", "n": "noun"}
OF_SENSE_KEY = {"2": "v", "3": "a", "4": "r", "5": "a"}
STRAIGHT = {"+": "derivation", "\\": "pertainym", "=": "attribute"}
THROUGH = {("<", "v"): "participle", ("+", "v"): "verb", ("\\", "a"): "adjective"}
PART = ("%p", "%m", "%s")
DOMAIN = (";c", ";r", ";u")
GLOSS_BLOCK_LENGTH = 128
EXAMPLES = re.compile(r'[;:,]?\s*(?=(?<![(\w])(?<!as in )(?<!phrase )(?<!expression )(?<!e\.g\. )(?<!as )")')
EXAMPLE = re.compile(r'"([^"]+)"?([^";]*)')
MAX_COUNT = 2**16 - 1


class Pointer(NamedTuple):
    """A link from a word of a synset (0: all) to a word of another."""

    symbol: str
    offset: str
    part_of_speech: str
    word: int
    other_word: int


@dataclass(frozen=True)
class Synset:
    """One line of a data file."""

    offset: str
    satellite: bool
    words: tuple[str, ...]
    pointers: tuple[Pointer, ...]
    gloss: str


class Database:
    """The files of a WNDB directory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.synsets = {letter: {s.offset: s for s in self._synsets(name)} for letter, name in NAMES.items()}
        self.concepts = {offset: concept for concept, offset in enumerate(self.synsets["n"])}

    def lines(self, name: str) -> Iterator[str]:
        """Yield the lines of a file, without the licence."""
        for line in (self.directory / name).read_text("utf-8").splitlines():
            if not line.startswith("  "):
                yield line

    def _synsets(self, name: str) -> Iterator[Synset]:
        for line in self.lines(f"data.{name}"):
            head, _, gloss = line.partition(" | ")
            fields = head.split()
            at = 4 + 2 * int(fields[3], 16)
            words = tuple(key(re.sub(r"\((a|p|ip)\)$", "", word)) for word in fields[4:at:2])
            pointers = tuple(
                Pointer(fields[i], fields[i + 1], fields[i + 2], int(fields[i + 3][:2], 16), int(fields[i + 3][2:], 16))
                for i in range(at + 1, at + 1 + 4 * int(fields[at]), 4)
            )
            yield Synset(fields[0], fields[2] == "s", words, pointers, gloss.strip())

    @cached_property
    def counts(self) -> dict[tuple[str, str, int], int]:
        """How often each sense of a lemma was tagged, by lemma, part of speech and number of the sense."""
        counts: Counter[tuple[str, str, int]] = Counter()
        for line in self.lines("cntlist.rev"):
            sense_key, number, count = line.split()
            lemma, _, lexical = sense_key.partition("%")
            if lexical[0] in OF_SENSE_KEY:
                counts[key(lemma), OF_SENSE_KEY[lexical[0]], int(number)] += int(count)
        return counts

    def exceptions(self, part_of_speech: str) -> dict[str, list[str]]:
        """Return the irregular forms of a part of speech and their lemmas."""
        forms: dict[str, list[str]] = {}
        for line in self.lines(f"{NAMES[part_of_speech]}.exc"):
            form, *lemmas = (key(field) for field in line.split())
            forms.setdefault(form, []).extend(lemmas)
        return dict(sorted(forms.items()))

    @cached_property
    def verbs(self) -> dict[str, list[tuple[Synset, int]]]:
        """The synsets of each verb, and the place of the verb in each."""
        verbs: dict[str, list[tuple[Synset, int]]] = defaultdict(list)
        for synset in self.synsets["v"].values():
            for place, word in enumerate(synset.words, 1):
                verbs[word].append((synset, place))
        return verbs

    @cached_property
    def irregular_verbs(self) -> dict[str, list[str]]:
        """The irregular forms of verbs."""
        return self.exceptions("v")

    def stated(self, synset: Synset, word: int) -> list[tuple[str, int]]:
        """Return the nouns that a word of a synset (0: any) points to, or that the word it stems from points to."""
        found = []
        for pointer in synset.pointers:
            if word and pointer.word not in (0, word):
                continue
            through = THROUGH.get((pointer.symbol, pointer.part_of_speech))
            if pointer.part_of_speech == "n" and pointer.symbol in STRAIGHT:
                found.append((STRAIGHT[pointer.symbol], self.concepts[pointer.offset]))
            elif through is not None and pointer.part_of_speech != "n":
                other = self.synsets[pointer.part_of_speech][pointer.offset]
                found += [
                    (through, noun)
                    for name, noun in self.stated(other, pointer.other_word)
                    if name in STRAIGHT.values()
                ]
        return found

    def of_form(self, synset: Synset, word: int) -> list[int]:
        """Return the nouns of a word of a synset, and of the verb of which it is a participle."""
        found = [noun for _, noun in self.stated(synset, word)]
        form = synset.words[word - 1]
        for verb in self.irregular_verbs.get(form) or detached(form, SUFFIXES["v"]):
            for other, place in self.verbs.get(verb, ()):
                found += [noun for _, noun in self.stated(other, place)]
        return found

    def satellites(self, synset: Synset) -> list[Synset]:
        """Return the narrower adjectives of an adjective: homoiothermic, of warm-blooded."""
        similar = [x for x in synset.pointers if x.symbol == "&" and not synset.satellite]
        return [self.synsets[x.part_of_speech][x.offset] for x in similar]

    def nouns(self, synset: Synset, word: int) -> dict[int, str]:
        """Return the nouns that a word of a synset leads to, each with its strongest pointer."""
        found = self.stated(synset, word)
        found += [("synonym", noun) for _, noun in self.stated(synset, 0)]
        for pointer in synset.pointers:
            if pointer.symbol == "!" and pointer.word in (0, word):
                opposite = self.synsets[pointer.part_of_speech][pointer.offset]
                found += [("antonym", noun) for noun in self.of_form(opposite, pointer.other_word)]
            elif pointer.symbol == "&" and synset.satellite:
                head = self.synsets[pointer.part_of_speech][pointer.offset]
                found += [("similar", noun) for _, noun in self.stated(head, 0)]
        if not found:  # the nouns of narrower adjectives, of an adjective that has none of its own
            found = [("satellite", noun) for other in self.satellites(synset) for _, noun in self.stated(other, 0)]
        strongest: dict[int, str] = {}
        for name, noun in sorted(found, key=lambda pair: POINTERS.index(pair[0])):
            strongest.setdefault(noun, name)
        return strongest


def split_gloss(gloss: str) -> list[str]:
    """Return the definition of a gloss and its examples.

    >>> split_gloss('a place; "a good place"; "two places"- Poe')
    ['a place', 'a good place', 'two places - Poe']
    >>> split_gloss('progress (in the phrase "make strides"); "big strides"')
    ['progress (in the phrase "make strides")', 'big strides']
    """
    starts = re.search(r';\s*"', gloss) or EXAMPLES.search(gloss)
    definition, rest = (gloss, "") if starts is None else (gloss[: starts.start()], gloss[starts.start() :])
    examples = [
        f"{quote.strip()} - {by}" if (by := author.strip(" -:.,")) else quote.strip()
        for quote, author in EXAMPLE.findall(rest)
    ]
    return [" ".join(definition.split()).strip(" ;:,").replace(" ;", ";"), *(" ".join(e.split()) for e in examples)]


def _word_arrays(texts: Sequence[str]) -> Arrays:
    """Number the words of texts by stem, and list the numbers of each text; a word of one text only has none."""
    stem = Stemmer.Stemmer("english").stemWord
    words = [{word: stem(word) for word in words_of(text)} for text in texts]
    frequency = Counter(s for row in words for s in set(row.values()))
    number = {s: i for i, s in enumerate(sorted(s for s in frequency if frequency[s] > 1))}
    number_type = np.uint16 if len(number) <= 2**16 else np.int32
    spellings = sorted({w: s for row in words for w, s in row.items() if s in number}.items())
    rows = [sorted({number[s] for s in row.values() if s in number}) for row in words]
    return {
        "word_starts": np.cumsum([0, *map(len, rows)], dtype=np.int32),
        "words": np.array([n for row in rows for n in row], number_type),
        "word_numbers": np.array([number[s] for _, s in spellings], number_type),
        **_index("vocabulary", [w for w, _ in spellings]),
    }


def _index(name: str, strings: Sequence[str]) -> Arrays:
    text, starts = packed(strings)
    return {f"{name}_text": text, f"{name}_starts": starts, f"{name}_table": hash_table(strings)}


def _noun_arrays(database: Database) -> Arrays:
    """List the senses of adjectives, verbs and adverbs, and the nouns that each leads to."""
    senses: dict[str, list[tuple[int, int, int, dict[int, str]]]] = defaultdict(list)
    for part_of_speech, letter in enumerate(PARTS_OF_SPEECH):
        for line in database.lines(f"index.{NAMES[letter]}"):
            fields = line.split()
            lemma = key(fields[0])
            for rank, offset in enumerate(fields[-int(fields[2]) :]):
                synset = database.synsets[letter][offset]
                count = min(database.counts.get((lemma, letter, rank + 1), 0), MAX_COUNT)
                nouns = database.nouns(synset, synset.words.index(lemma) + 1)
                senses[lemma].append((part_of_speech, rank, count, nouns))
    lemmas = sorted(senses)
    flat = [sense for lemma in lemmas for sense in senses[lemma]]
    links = [link for sense in flat for link in sense[3].items()]
    return {
        **_index("lemma", lemmas),
        "sense_starts": np.cumsum([0, *(len(senses[lemma]) for lemma in lemmas)], dtype=np.int32),
        "parts_of_speech": np.array([sense[0] for sense in flat], np.uint8),
        "ranks": np.array([sense[1] for sense in flat], np.uint8),
        "counts": np.array([sense[2] for sense in flat], np.uint16),
        "noun_starts": np.cumsum([0, *(len(sense[3]) for sense in flat)], dtype=np.int32),
        "nouns": np.array([noun for noun, _ in links], np.int32),
        "pointers": np.array([POINTERS.index(pointer) for _, pointer in links], np.uint8),
    }


def _link_arrays(database: Database) -> Arrays:
    """List the parts, topics, regions and usages of nouns, by concept."""
    names = dict(zip(DOMAIN, DOMAINS, strict=True)) | dict.fromkeys(PART, "parts")
    links: dict[str, dict[tuple[int, int], None]] = {name: {} for name in ("parts", *DOMAINS)}
    for concept, synset in enumerate(database.synsets["n"].values()):
        for pointer in synset.pointers:
            if pointer.symbol in names and pointer.part_of_speech == "n":
                links[names[pointer.symbol]][concept, database.concepts[pointer.offset]] = None
    arrays = {}
    for name, pairs in links.items():
        owners, others = np.array(list(pairs), np.int32).reshape(-1, 2).T
        arrays["wholes" if name == "parts" else f"of_{name}"], arrays[name] = owners.copy(), others.copy()
    return arrays


def pack_details(directory: Path, taxonomy: Taxonomy) -> bytes:
    """Return the details of a WNDB directory's nouns as one file; equal input gives equal bytes."""
    database = Database(directory)
    assert len(database.concepts) == len(taxonomy)
    glosses = [split_gloss(synset.gloss) for synset in database.synsets["n"].values()]
    names = [" ".join(synset.words) for synset in database.synsets["n"].values()]
    blocks, starts = compressed(["\t".join(gloss) for gloss in glosses], GLOSS_BLOCK_LENGTH)
    arrays: Arrays = {
        "gloss_blocks": blocks,
        "gloss_starts": starts,
        **_word_arrays([" ".join([name, *gloss]) for name, gloss in zip(names, glosses, strict=True)]),
        **_noun_arrays(database),
        **_link_arrays(database),
    }
    about = {
        "name": f"{taxonomy.name} details",
        "version": taxonomy.source.version,
        "licence": taxonomy.source.licence,
        "sha256": taxonomy.source.sha256,
        "concepts": len(taxonomy),
        "gloss_block_length": GLOSS_BLOCK_LENGTH,
        "exceptions": {letter: database.exceptions(letter) for letter in PARTS_OF_SPEECH},
    }
    return joined(arrays, about)
