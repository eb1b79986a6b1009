"""ESCO, the European classification of occupations and skills: the CSV files of the publisher's download.

A folder has the files of one language or of several, as `occupations_en.csv` and `occupations_de.csv`:

| pillar      | concepts                | groups               | links                             |
|-------------|-------------------------|----------------------|-----------------------------------|
| occupations | `occupations_XX.csv`    | `ISCOGroups_XX.csv`  | `broaderRelationsOccPillar*.csv`  |
| skills      | `skills_XX.csv`         | `skillGroups_XX.csv` | `broaderRelationsSkillPillar*.csv`|
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from allonym.errors import UnknownFormatError
from allonym.ontology.lexicon import Entry
from allonym.ontology.readers.builder import OntologyBuilder
from allonym.ontology.readers.source import File
from allonym.ontology.readers.table import rows_of
from allonym.ontology.taxonomy import Taxonomy

LICENCE = "European Commission, reuse with attribution (Decision 2011/833/EU)"
ATTRIBUTION = "This publication uses the ESCO classification of the European Commission."
OBSOLETE = {"obsolete", "deprecated", "retired"}
REPLACED_BY = ("isreplacedby", "replacedby", "replacementuri", "replacement")
LABEL_RANK, ALTERNATIVE_RANK, HIDDEN_RANK = 0, 100, 101  # of the senses of a word; groups are between the first two
_VERSION = re.compile(r"\bv(\d+(?:\.\d+)+)", re.IGNORECASE)
_SEPARATOR = re.compile(r"[\r\n]+|\s\|\s")  # between the labels of a cell
Row = dict[str, str]  # by column names in lower case


@dataclass(frozen=True)
class Pillar:
    """The files of occupations or of skills."""

    concepts: str
    groups: str
    links: str

    def find(self, folder: Path, kind: str) -> list[tuple[Path, str]]:
        """Return the files of a kind and their languages, English first; in the folder or the folders in it."""
        name = re.compile(rf"{getattr(self, kind)}(?:_([a-z]{{2,3}}(?:[-_][a-z]+)?))?\.csv(?:\.gz)?", re.IGNORECASE)
        paths = chain(folder.glob("*.csv*"), folder.glob("*/*.csv*"))
        files = [(path, (match[1] or "").lower()) for path in paths if (match := name.fullmatch(path.name))]
        return sorted(files, key=lambda file: (not file[1].startswith("en"), file[1], str(file[0])))


OCCUPATIONS = Pillar("occupations", "ISCOGroups", "broaderRelationsOccPillar")
SKILLS = Pillar("skills", "skillGroups", "broaderRelationsSkillPillar")


def recognise(folder: Path) -> bool:
    """Recognise a folder with occupations."""
    return bool(OCCUPATIONS.find(folder, "concepts"))


def recognise_skills(folder: Path) -> bool:
    """Recognise a folder with skills."""
    return bool(SKILLS.find(folder, "concepts"))


def read(folder: Path) -> Taxonomy:
    """Read occupations under the groups of ISCO-08, in all languages of the folder.

    Ids are the last parts of ESCO's URIs, which stay the same from version to version: C2654 for a group, a UUID for an
    occupation. Codes (2654, C2654, 2654.1.7) and URIs are notations.

    A label that two concepts share means an occupation before a group, and a narrower group before a wider one: where
    ISCO repeats a label from level to level, each group has only the next one below it, so the narrowest says as much
    as the widest. An alternative label comes after the label of any other concept.
    """
    return _read(folder, OCCUPATIONS)


def read_skills(folder: Path) -> Taxonomy:
    """Read skills under their groups, as `read` reads occupations."""
    return _read(folder, SKILLS)


def _read(folder: Path, pillar: Pillar) -> Taxonomy:
    files = [(path, language, kind) for kind in ("concepts", "groups") for path, language in pillar.find(folder, kind)]
    links = pillar.find(folder, "links")[:1]  # they are the same in all languages
    if not any(kind == "concepts" for _, _, kind in files) or not links:
        missing = pillar.links if files else f"{pillar.concepts}_en"
        needed = f"{pillar.concepts}_en.csv, {pillar.groups}_en.csv, {pillar.links}_en.csv"
        hint = f"download the classification as CSV from esco.ec.europa.eu and unpack all of it: {needed}."
        raise UnknownFormatError(f"the folder has no {missing}.csv.", path=folder, hint=hint)
    classification = _Classification()
    for path, language, kind in files:
        classification.add(path, language, is_group=kind == "groups")
    return classification.build(folder, classification.rows(links[0][0]))


class _Classification:
    """The concepts of a pillar, collected from its files."""

    def __init__(self) -> None:
        self.builder = OntologyBuilder(
            labels=[], definitions=[], labels_are_words=False, name="esco", licence=LICENCE, attribution=ATTRIBUTION
        )
        self.number: dict[str, int] = {}  # by URI
        self.group_of: dict[str, str] = {}  # URI of an occupation -> code of its group
        self.hashes: list[str] = []
        self.obsolete: set[str] = set()

    def rows(self, path: Path) -> Iterator[Row]:
        """Yield the rows of a file, and check that it has the columns of ESCO."""
        file = File.read(path)
        self.hashes.append(file.sha256)
        table = rows_of(file)
        header = [name.lower() for name in table[0]] if table else []
        wanted = "broaderuri" if "broaderrelations" in path.name.lower() else "preferredlabel"
        if missing := {"concepturi", wanted}.difference(header):
            names = ", ".join(sorted(missing)).replace("uri", "Uri").replace("label", "Label")
            raise UnknownFormatError(f"the table has no column {names}.", path=path, hint="download the file again.")
        for row in table[1:]:
            if any(row):
                yield dict(zip(header, row, strict=False))

    def add(self, path: Path, language: str, *, is_group: bool) -> None:
        """Add the concepts of a file, or the words of another language."""
        assert self.builder.labels is not None
        assert self.builder.definitions is not None
        for row in self.rows(path):
            uri = row["concepturi"]
            if row.get("status", "").lower() in OBSOLETE:
                self._retire(row, language)
                continue
            if uri not in self.number and uri not in self.obsolete:
                self.number[uri] = len(self.number)
                self.builder.ids.append(_local(uri))
                self.builder.labels.append(row["preferredlabel"] or _local(uri))
                self.builder.definitions.append(row.get("definition") or row.get("description") or "")
                self.builder.words += _notations(row, self.number[uri])
                if row.get("iscogroup"):
                    self.group_of[uri] = row["iscogroup"]
            if uri in self.number:
                self.builder.words += _words(row, self.number[uri], language, is_group=is_group)

    def _retire(self, row: Row, language: str) -> None:
        uri = row["concepturi"]
        replacements = [row[name] for name in REPLACED_BY if row.get(name)]
        words = [*_notations(row, -1), *_words(row, -1, language, is_group=False)]
        known = self.builder.retired.words.get(_local(uri), ())
        self.builder.retired.add(_local(uri), map(_local, replacements), [*known, *words])
        self.obsolete.add(uri)

    def build(self, folder: Path, links: Iterator[Row]) -> Taxonomy:
        """Link the concepts: by the broader relations, else by the code of the group."""
        builder = self.builder
        pairs = [(row["concepturi"], row["broaderuri"]) for row in links]
        linked = {child for child, _ in pairs}
        uris = list(self.number)
        groups = {entry.form: uris[entry.concept] for entry in builder.words if entry.notation}
        pairs += [(uri, groups[code]) for uri, code in self.group_of.items() if uri not in linked and code in groups]
        inside = [(child, parent) for child, parent in pairs if child in self.number and parent not in self.obsolete]
        builder.child, builder.parent = [_local(child) for child, _ in inside], [_local(parent) for _, parent in inside]
        version = _VERSION.search(folder.resolve().name)
        builder.version = version[1] if version else ""
        return builder.build(File(folder, b"", hashlib.sha256(" ".join(self.hashes).encode()).hexdigest()))


def _notations(row: Row, concept: int) -> list[Entry]:
    """Return the codes of a concept, the publisher's first."""
    uri = row["concepturi"]
    codes = dict.fromkeys(x for x in (row.get("code", ""), _local(uri), uri) if x)
    return [Entry(code, concept, notation=True, preferred=i == 0) for i, code in enumerate(codes)]


def _words(row: Row, concept: int, language: str, *, is_group: bool) -> list[Entry]:
    """Return the labels of a concept in one language; the narrower a group, the earlier its label among the senses."""
    label = row["preferredlabel"]
    rank = ALTERNATIVE_RANK - min(len(row.get("code", "")), ALTERNATIVE_RANK - 1) if is_group else LABEL_RANK
    words = [Entry(label, concept, rank, language=language, preferred=True)] if label else []
    others = [(form, ALTERNATIVE_RANK) for form in (*_genders(label, language), *_labels(row.get("altlabels", "")))]
    others += [(form, HIDDEN_RANK) for form in _labels(row.get("hiddenlabels", ""))]
    for form, place in others:
        if form != label:
            words.append(Entry(form, concept, place, language=language))
    return words


def _labels(cell: str) -> list[str]:
    labels = (" ".join(label.split()) for label in _SEPARATOR.split(cell))
    return list(dict.fromkeys(label for label in labels if label))


def _genders(label: str, language: str) -> list[str]:
    """Return both forms of a label as in "directeur technique/directrice technique"; English labels have one form.

    >>> _genders("Arzt/Ärztin", "de"), _genders("Kellner/in", "de"), _genders("hotel/motel manager", "en")
    (['Arzt', 'Ärztin'], [], [])
    """
    forms = [form.strip() for form in label.split("/")]
    is_pair = len(forms) == 2 and len(forms[0].split()) == len(forms[1].split()) and len(forms[1]) >= len(forms[0]) - 1
    return forms if is_pair and not language.startswith("en") and len(forms[1]) > 2 else []


def _local(uri: str) -> str:
    return uri.rstrip("/").rsplit("/", 1)[-1]
