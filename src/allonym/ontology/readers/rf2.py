"""SNOMED CT in Release Format 2: the snapshot files of an unpacked release, international or national.

| file                                  | what is read                                                              |
|---------------------------------------|---------------------------------------------------------------------------|
| `sct2_Concept_Snapshot*`              | the concepts, and which of them are active                                |
| `sct2_Description_Snapshot*`          | fully specified names and synonyms, with their languages                  |
| `sct2_TextDefinition_Snapshot*`       | definitions                                                               |
| `sct2_Relationship_Snapshot*`         | the inferred is-a links                                                   |
| `der2_cRefset_LanguageSnapshot*`      | which descriptions are preferred                                          |
| `der2_cRefset_Association*Snapshot*`  | the concepts that replace inactive ones                                   |

A national edition has these files twice, for itself and for the international part. Of several versions of a row, the
one with the latest effective time counts.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from allonym.decoding import lines_of
from allonym.errors import UnknownFormatError
from allonym.ontology.lexicon import Entry
from allonym.ontology.readers.builder import OntologyBuilder
from allonym.ontology.readers.source import File
from allonym.ontology.taxonomy import Taxonomy

IS_A = "116680003"
NAME, SYNONYM = "900000000000003001", "900000000000013009"  # types of descriptions; a name is fully specified
PREFERRED = "900000000000548007"
SAME = {"900000000000527005", "900000000000526001"}  # same as, replaced by
SIMILAR = {"900000000000523009", "1186921001"}  # possibly equivalent to, possibly replaced by
PREFERRED_RANK, NAME_RANK, SYNONYM_RANK = 0, 1, 2  # among the senses of a word
MAX_FOLDERS = 4  # between the folder and its files
LICENCE = "SNOMED CT licence: SNOMED International or your national release centre"
ATTRIBUTION = "Includes SNOMED Clinical Terms® (SNOMED CT®), used by permission of SNOMED International."
_TAG = re.compile(r"\s+\([^()]+\)$")  # the semantic tag of a fully specified name
_DATE = re.compile(r"_(\d{8})\.txt$")
CONCEPTS, DESCRIPTIONS, LINKS = "sct2_Concept_Snapshot", "sct2_Description_Snapshot", "sct2_Relationship_Snapshot"
DEFINITIONS, LANGUAGE = "sct2_TextDefinition_Snapshot", "der2_cRefset_LanguageSnapshot"
ASSOCIATION = "der2_cRefset_Association"


def recognise(folder: Path) -> bool:
    """Recognise a folder with a file of concepts, perhaps in folders below it, of a snapshot or another release."""
    return any(_find(folder, f"sct2_Concept_{kind}") for kind in ("Snapshot", "Full", "Delta"))


def read(folder: Path) -> Taxonomy:
    """Read the active concepts, with their identifiers as codes.

    A label is the preferred English term, else the fully specified name without its tag. Words of an inactive concept
    mean the one that is the same or replaces it, or else the only one that may be equivalent.
    """
    release = _Release(folder)
    active = dict.fromkeys(row[0] for row in release.rows(CONCEPTS, 5) if row[2] == "1")
    release.builder.ids = list(active)
    words = _Words(release, active)
    for row in release.rows(LINKS, 8):
        if row[7] == IS_A and row[2] == "1" and row[4] in active and row[5] in active:
            release.builder.child.append(row[4])
            release.builder.parent.append(row[5])
    words.add_to(release.builder)
    _retire(release, words, active)
    return release.build()


class _Release:
    """The files of a release."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.hashes = folder, list[str]()
        missing = [name for name in (CONCEPTS, DESCRIPTIONS, LINKS) if not _find(folder, name)]
        if missing:
            raise UnknownFormatError(
                f"the folder has no {' and no '.join(missing)}*.txt.",
                path=folder,
                hint="unpack the whole release; the files of its snapshot are read, not those of Full and Delta.",
            )
        dates = [match[1] for path in _find(folder, CONCEPTS) if (match := _DATE.search(path.name))]
        self.builder = OntologyBuilder(
            labels=[], definitions=[], labels_are_words=False, name="snomed", licence=LICENCE, attribution=ATTRIBUTION,
            version=max(dates, default=""),
        )  # fmt: skip

    def rows(self, name: str, width: int) -> Iterator[Sequence[str]]:
        """Yield the rows of all files of a name, the latest version of each; rows start with id, time and active."""
        latest: dict[str, tuple[str, str]] = {}  # id -> time and row
        paths = _find(self.folder, name)
        for path in paths:
            file = File.read(path)
            self.hashes.append(file.sha256)
            for number, line in enumerate(lines_of(file.text())[1:], 2):
                if line.count("\t") < width - 1:
                    cells = line.count("\t") + 1
                    raise UnknownFormatError(f"a row of {cells} cells; {width} are needed.", path=path, line=number)
                if len(paths) == 1:
                    yield line.split("\t")
                    continue
                identifier, time, _ = line.split("\t", 2)
                if identifier not in latest or latest[identifier][0] <= time:
                    latest[identifier] = time, line
        for _, line in latest.values():
            yield line.split("\t")

    def build(self) -> Taxonomy:
        """Build the taxonomy."""
        return self.builder.build(File(self.folder, b"", hashlib.sha256(" ".join(self.hashes).encode()).hexdigest()))


class _Words:
    """The descriptions of concepts: term, language, type, and whether it is preferred."""

    def __init__(self, release: _Release, active: dict[str, None]) -> None:
        self.preferred = {row[5] for row in release.rows(LANGUAGE, 7) if row[2] == "1" and row[6] == PREFERRED}
        self.of: dict[str, list[tuple[str, str, bool, bool]]] = {}
        for row in release.rows(DESCRIPTIONS, 8):
            if row[2] == "1" and row[6] in (NAME, SYNONYM):
                description = (row[7].strip(), row[5], row[6] == NAME, row[0] in self.preferred)
                self.of.setdefault(row[4], []).append(description)
        definitions = release.rows(DEFINITIONS, 8)
        self.definition = {row[4]: row[7] for row in definitions if row[2] == "1" and row[4] in active}

    def entries(self, identifier: str, concept: int) -> list[Entry]:
        """Return the words of a concept, and its identifier as a code; a name counts with and without its tag."""
        entries = [Entry(identifier, concept, notation=True)]
        for term, language, is_name, is_preferred in self.of.get(identifier, ()):
            if is_name:
                entries += [Entry(x, concept, NAME_RANK, language=language) for x in {term, _TAG.sub("", term)}]
            else:
                rank = PREFERRED_RANK if is_preferred else SYNONYM_RANK
                entries.append(Entry(term, concept, rank, language=language, preferred=is_preferred))
        return entries

    def label(self, identifier: str) -> str:
        """Return the preferred English term, else one without its tag, else the first."""
        order = sorted(
            self.of.get(identifier, ()),
            key=lambda x: (not x[1].startswith("en"), not (x[3] and not x[2]), not x[2]),
        )
        return _TAG.sub("", order[0][0]) if order and order[0][2] else order[0][0] if order else identifier

    def add_to(self, builder: OntologyBuilder) -> None:
        """Add the words, labels and definitions of the active concepts."""
        assert builder.labels is not None
        assert builder.definitions is not None
        for concept, identifier in enumerate(builder.ids):
            builder.words += self.entries(identifier, concept)
            builder.labels.append(self.label(identifier))
            builder.definitions.append(self.definition.get(identifier, ""))


def _retire(release: _Release, words: _Words, active: dict[str, None]) -> None:
    same: dict[str, list[str]] = {}
    similar: dict[str, list[str]] = {}
    for row in release.rows(ASSOCIATION, 7):
        if row[2] == "1" and row[5] not in active:
            for kind, targets in ((SAME, same), (SIMILAR, similar)):
                if row[4] in kind:
                    targets.setdefault(row[5], []).append(row[6])
    for identifier in {**same, **similar}:
        replacements = same.get(identifier) or similar[identifier]
        release.builder.retired.add(identifier, replacements, words.entries(identifier, -1))


def _find(folder: Path, name: str) -> list[Path]:
    """Return the files whose names start with a name, after an x in releases for tests."""
    files = (path for depth in range(MAX_FOLDERS + 1) for path in folder.glob("*/" * depth + "*.txt"))
    pattern = re.compile(rf"x?{name}(?!\w*(Full|Delta)).*\.txt", re.IGNORECASE)
    return sorted(path for path in files if pattern.fullmatch(path.name))
