"""WordNet's own database files, of any version: a directory with data.noun, index.noun, noun.exc, cntlist.rev."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import numpy as np

from allonym.errors import DanglingParentError, UnknownFormatError
from allonym.knowledge.lexicon import Entry, Lexicon
from allonym.knowledge.rows import to_rows
from allonym.knowledge.taxonomy import Source, Taxonomy

IS_A, INSTANCE = "@", "@i"
PARTS = {"#p", "#m", "#s", "%p", "%m", "%s"}  # holonyms and meronyms
LETTER = {"noun": "n", "verb": "v"}


def read_wndb(directory: str | Path, part_of_speech: str = "noun") -> Taxonomy:
    """Read the nouns (or the verbs) of a WNDB directory, with definitions, parts and word counts.

    Ids are as in NLTK: `dog.n.01` is the first sense of the first word of a synset.
    """
    directory = Path(directory)
    data = directory / f"data.{part_of_speech}"
    lines = _lines(data)
    synsets = [line for line in lines if not line.startswith("  ")]
    code = {line[:8]: i for i, line in enumerate(synsets)}
    ranks = _ranks(directory / f"index.{part_of_speech}", code)
    counts = _counts(directory / "cntlist.rev", part_of_speech)
    letter = LETTER[part_of_speech]
    ids: list[str] = []
    labels: list[str] = []
    definitions: list[str] = []
    entries: list[Entry] = []
    child: list[int] = []
    parent: list[int] = []
    parts: list[tuple[int, int]] = []
    instances = np.zeros(len(synsets), bool)
    for concept, line in enumerate(synsets):
        head, _, gloss = line.partition(" | ")
        fields = head.split()
        count = int(fields[3], 16)
        words = list(zip(fields[4 : 4 + 2 * count : 2], fields[5 : 5 + 2 * count : 2], strict=True))
        for place, (word, lex_id) in enumerate(words):
            lemma = word.lower()
            sense_key = f"{lemma}%{'1' if letter == 'n' else '2'}:{fields[1]}:{int(lex_id, 16):02d}::"
            rank = ranks[lemma, concept]
            entries.append(
                Entry(word.replace("_", " "), concept, rank, counts.get(sense_key, 0), "en", preferred=place == 0)
            )
            if place == 0:
                ids.append(f"{lemma}.{letter}.{rank + 1:02d}")
                labels.append(word.replace("_", " "))
        for kind, offset, other in _pointers(fields[4 + 2 * count :]):
            if other != letter:
                continue
            if kind in (IS_A, INSTANCE):
                if offset not in code:
                    raise DanglingParentError(f"{ids[-1]} has the parent {offset}, which is not there.", path=data)
                child.append(concept)
                parent.append(code[offset])
                instances[concept] |= kind == INSTANCE
            elif kind in PARTS:
                parts.append((concept, code[offset]))
        definitions.append(gloss.strip())
    whole, part = np.array(parts or [(0, 0)], np.int64).T
    return Taxonomy.build(
        "wordnet",
        ids,
        child=child,
        parent=parent,
        labels=labels,
        lexicon=Lexicon.build(entries, _exceptions(directory / f"{part_of_speech}.exc")),
        instances=instances,
        source=Source(directory.name, _version(lines), "WordNet licence", _sha256(data)),
        definitions=definitions,
        parts=to_rows(whole, part, len(ids)) if parts else None,
    )


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text("utf-8").splitlines()
    except OSError as error:
        raise UnknownFormatError(
            f"cannot be read: {error.strerror}.", path=path, hint="a WNDB directory has data.noun and index.noun."
        ) from error


def _pointers(fields: list[str]) -> list[tuple[str, str, str]]:
    count = int(fields[0])
    return [(fields[i], fields[i + 1], fields[i + 2]) for i in range(1, 1 + 4 * count, 4)]


def _ranks(index: Path, code: dict[str, int]) -> dict[tuple[str, int], int]:
    """Return the place of each synset among the senses of each word, from 0."""
    ranks: dict[tuple[str, int], int] = {}
    for line in _lines(index):
        if line.startswith("  "):
            continue
        fields = line.split()
        offsets = fields[-int(fields[2]) :]
        for rank, offset in enumerate(offsets):
            ranks[fields[0], code[offset]] = rank
    return ranks


def _counts(cntlist: Path, part_of_speech: str) -> dict[str, int]:
    """Return how often each sense key was tagged; nothing where the file is missing."""
    if not cntlist.exists():
        return {}
    number = "%1:" if part_of_speech == "noun" else "%2:"
    rows = (line.split() for line in _lines(cntlist) if number in line)
    return {row[0]: int(row[2]) for row in rows}


def _exceptions(path: Path) -> dict[str, tuple[str, ...]]:
    if not path.exists():
        return {}
    rows = ([field.replace("_", " ") for field in line.split()] for line in _lines(path))
    return {fields[0]: tuple(fields[1:]) for fields in rows if len(fields) > 1}


def _version(lines: list[str]) -> str:
    found = re.search(r"WordNet (\d[\d.]*\d)", "\n".join(lines[:40]))
    return found.group(1) if found else ""


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
