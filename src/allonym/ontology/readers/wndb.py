"""WordNet's database files (WNDB), of any version: a directory with data.noun, index.noun, noun.exc, cntlist.rev."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from allonym.decoding import lines_of
from allonym.errors import UnknownFormatError
from allonym.ontology.lexicon import Entry
from allonym.ontology.readers.builder import OntologyBuilder
from allonym.ontology.readers.source import File
from allonym.ontology.taxonomy import Taxonomy

IS_A, INSTANCE = "@", "@i"
PARTS = {"#p", "#m", "#s", "%p", "%m", "%s"}  # holonyms and meronyms
KINDS = {"noun": ("n", 1), "verb": ("v", 2)}  # letter in ids and pointers, number in sense keys


@dataclass(frozen=True)
class _Synset:
    """One line of a data file."""

    line: int
    offset: str
    lexicographer: str
    words: list[tuple[str, str]]  # word, lexical id
    pointers: list[tuple[str, str, str]]  # kind, offset, part of speech
    gloss: str


def recognise(directory: Path) -> bool:
    """Recognise a directory with nouns."""
    return any((directory / f"{kind}.noun").exists() for kind in ("data", "index"))


def read(directory: Path) -> Taxonomy:
    """Read the nouns of a WNDB directory, with definitions, parts and word counts.

    Ids are as in NLTK: `dog.n.01` is the first sense of the first word of a synset.
    """
    return _read(directory, "noun")


def read_verbs(directory: Path) -> Taxonomy:
    """Read the verbs of a WNDB directory."""
    return _read(directory, "verb")


def _read(directory: Path, part_of_speech: str) -> Taxonomy:
    letter, number = KINDS[part_of_speech]
    missing = [name for kind in ("data", "index") if not (directory / (name := f"{kind}.{part_of_speech}")).exists()]
    if missing:
        raise UnknownFormatError(
            f"the directory has no {' and no '.join(missing)}.",
            path=directory,
            hint=f"a WNDB directory contains data.{part_of_speech} and index.{part_of_speech}.",
        )
    data = File.read(directory / f"data.{part_of_speech}")
    synsets = list(_synsets(data))
    ranks = _ranks(File.read(directory / f"index.{part_of_speech}"))
    counts = _counts(directory / "cntlist.rev", number)
    id_lines: list[int] = []
    link_lines: list[int] = []
    builder = OntologyBuilder(
        labels=[], definitions=[], id_lines=id_lines, link_lines=link_lines, labels_are_words=False, name="wordnet",
        licence="WordNet licence", version=_version(data), exceptions=_exceptions(directory / f"{part_of_speech}.exc"),
    )  # fmt: skip
    id_of = {s.offset: _identifier(s, ranks, letter, data) for s in synsets}
    concept_at = {s.offset: c for c, s in enumerate(synsets)}
    assert builder.labels is not None
    assert builder.definitions is not None
    for concept, synset in enumerate(synsets):
        builder.ids.append(id_of[synset.offset])
        id_lines.append(synset.line)
        builder.labels.append(synset.words[0][0].replace("_", " "))
        builder.definitions.append(synset.gloss)
        for at, (word, lexical) in enumerate(synset.words):
            key = f"{word.lower()}%{number}:{synset.lexicographer}:{int(lexical, 16):02d}::"
            rank = ranks.get((word.lower(), synset.offset), 99)
            builder.words.append(
                Entry(word.replace("_", " "), concept, rank, counts.get(key, 0), "en", preferred=at == 0)
            )
        for kind, offset, other in synset.pointers:
            if other == letter and kind in (IS_A, INSTANCE):
                builder.child.append(id_of[synset.offset])
                builder.parent.append(id_of.get(offset, f"offset {offset}"))
                link_lines.append(synset.line)
                if kind == INSTANCE:
                    builder.instances.add(concept)
            elif other == letter and kind in PARTS and offset in concept_at:
                builder.parts.append((concept, concept_at[offset]))
    return builder.build(data)


def _synsets(data: File) -> Iterator[_Synset]:
    """Parse the lines of a data file; those of the licence start with spaces."""
    for number, line in enumerate(lines_of(data.text()), 1):
        if line.startswith(" ") or not line.strip():
            continue
        head, _, gloss = line.partition(" | ")
        fields = head.split()
        try:
            count = int(fields[3], 16)
            words = [(fields[4 + 2 * i], fields[5 + 2 * i]) for i in range(count)]
            at = 4 + 2 * count
            pointers = [
                (fields[i], fields[i + 1], fields[i + 2]) for i in range(at + 1, at + 1 + 4 * int(fields[at]), 4)
            ]
            [int(lexical, 16) for _, lexical in words]
            yield _Synset(number, fields[0], fields[1], words, pointers, gloss.strip())
        except (IndexError, ValueError) as error:
            raise UnknownFormatError("not a line of a WordNet data file.", path=data.path, line=number) from error


def _identifier(synset: _Synset, ranks: dict[tuple[str, str], int], letter: str, data: File) -> str:
    if not synset.words:
        raise UnknownFormatError("the synset has no words.", path=data.path, line=synset.line)
    lemma = synset.words[0][0].lower()
    rank = ranks.get((lemma, synset.offset))
    if rank is None:
        raise UnknownFormatError(
            f"the index does not have {lemma!r} for this synset.", path=data.path, line=synset.line,
            hint="the data and index files have different versions, or one is truncated.",
        )  # fmt: skip
    return f"{lemma}.{letter}.{rank + 1:02d}"


def _ranks(index: File) -> dict[tuple[str, str], int]:
    """Return the rank of each synset among the senses of each word, from 0."""
    ranks: dict[tuple[str, str], int] = {}
    for number, line in enumerate(lines_of(index.text()), 1):
        if line.startswith(" ") or not line.strip():
            continue
        fields = line.split()
        try:
            ranks.update(((fields[0], offset), i) for i, offset in enumerate(fields[-int(fields[2]) :]))
        except (IndexError, ValueError) as error:
            raise UnknownFormatError("not a line of a WordNet index.", path=index.path, line=number) from error
    return ranks


def _counts(cntlist: Path, number: int) -> dict[str, int]:
    """Return how often each sense key was tagged; nothing if the file is missing."""
    if not cntlist.exists():
        return {}
    rows = (line.split() for line in lines_of(File.read(cntlist).text()) if f"%{number}:" in line)
    return {row[0]: int(row[2][:12]) for row in rows if len(row) == 3 and row[2].isdecimal()}


def _exceptions(path: Path) -> dict[str, tuple[str, ...]]:
    if not path.exists():
        return {}
    rows = ([field.replace("_", " ") for field in line.split()] for line in lines_of(File.read(path).text()))
    return {fields[0]: tuple(fields[1:]) for fields in rows if len(fields) > 1}


def _version(data: File) -> str:
    match = re.search(r"WordNet (\d[\d.]*\d)", data.text()[:5000])
    return match.group(1) if match else ""
