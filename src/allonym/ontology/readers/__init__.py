"""Readers of ontologies: each turns one format into a `Taxonomy`.

| format        | recognised by                                              |
|---------------|------------------------------------------------------------|
| `wndb`        | a directory with data.noun and index.noun                  |
| `wndb-verbs`  | never; the verbs of such a directory, on request           |
| `esco`        | a directory with occupations_en.csv or another language    |
| `esco-skills` | a directory with skills_en.csv, and no occupations         |
| `rf2`         | a directory with sct2_Concept_Snapshot*.txt (SNOMED CT)    |
| `obo`         | `format-version:` or `[Term]`                              |
| `lmf`         | XML with `<LexicalResource`                                |
| `rdf`         | RDF/XML, Turtle or N-Triples: OWL classes or SKOS concepts |
| `tree`        | JSON                                                       |
| `hierarchy`   | no header, leaf first, one top value (ARX)                 |
| `mesh`        | a column of MeSH tree numbers (C01.221.812)                |
| `child-parent`| a table with a column of parents                           |
| `codes`       | a table of codes that nest (A, A10, A10B) and their labels |

To add a file format, write a module with `recognise` and `read` and add it to `FILE_FORMATS`; for the
format of a directory, add its functions to `DIRECTORY_FORMATS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, Protocol

from allonym.errors import OptionError, UnknownFormatError
from allonym.ontology.readers import (
    child_parent,
    code_table,
    esco,
    hierarchy_table,
    lmf,
    mesh,
    obo,
    rdf,
    rf2,
    tree,
    wndb,
)
from allonym.ontology.readers.archive import is_archive, unpacked
from allonym.ontology.readers.sample import Sample
from allonym.ontology.readers.source import File
from allonym.ontology.taxonomy import Taxonomy


class Reader(Protocol):
    """The functions of a reader module."""

    def recognise(self, sample: Sample) -> bool:
        """Tell whether a file that starts like this has the format."""

    def read(self, file: File) -> Taxonomy:
        """Read a file of the format."""


FILE_FORMATS: dict[str, Reader] = {  # tried in this order
    "obo": obo,
    "lmf": lmf,
    "rdf": rdf,
    "tree": tree,
    "hierarchy": hierarchy_table,
    "mesh": mesh,
    "child-parent": child_parent,
    "codes": code_table,
}


class DirectoryReader(NamedTuple):
    """The functions of a reader of directories."""

    recognise: Callable[[Path], bool]
    read: Callable[[Path], Taxonomy]


DIRECTORY_FORMATS = {  # tried in this order
    "wndb": DirectoryReader(wndb.recognise, wndb.read),
    "wndb-verbs": DirectoryReader(lambda directory: False, wndb.read_verbs),
    "esco": DirectoryReader(esco.recognise, esco.read),
    "esco-skills": DirectoryReader(esco.recognise_skills, esco.read_skills),
    "rf2": DirectoryReader(rf2.recognise, rf2.read),
}


def read_taxonomy(path: str | Path, format: str | None = None) -> Taxonomy:
    """Read an ontology from a file, gzipped or not, from a directory, or from a zip archive of either.

    Args:
        path: the file or directory.
        format: a name from the table above; without one, the content decides.

    Raises:
        OptionError: the format is unknown.
        OntologyError: the file cannot be read, or its concepts do not form a taxonomy.
    """
    path = Path(path)
    if format is not None and format not in (*FILE_FORMATS, *DIRECTORY_FORMATS):
        raise OptionError.of("ontology format", format, [*FILE_FORMATS, *DIRECTORY_FORMATS])
    if is_archive(path):
        with unpacked(path) as content:
            taxonomy = read_taxonomy(content, format)
        return replace(taxonomy, source=replace(taxonomy.source, path=str(path)))
    if format in DIRECTORY_FORMATS or path.is_dir():
        return DIRECTORY_FORMATS[format or recognise_directory(path)].read(path)
    file = File.read(path)
    return FILE_FORMATS[format or recognise(file)].read(file)


def recognise_directory(path: Path) -> str:
    """Return the format of a directory, by the names of its files.

    Raises:
        UnknownFormatError: the directory has the files of none.
    """
    for name, reader in DIRECTORY_FORMATS.items():
        if reader.recognise(path):
            return name
    raise UnknownFormatError(
        "the folder has the files of no known format.",
        path=path,
        hint="name a file, or the folder of a WNDB database (data.noun, index.noun), of ESCO (occupations_en.csv) or "
        "of SNOMED CT (sct2_Concept_Snapshot*.txt).",
    )


def recognise(file: File) -> str:
    """Return the format of a file, by its content.

    Raises:
        UnknownFormatError: the content has none of the formats.
    """
    sample = Sample(file)
    if not sample.text.strip():
        raise UnknownFormatError("the file is empty.", path=file.path)
    if "\0" in sample.text:
        raise UnknownFormatError("this is a binary file; ontologies are text files.", path=file.path)
    for name, reader in FILE_FORMATS.items():
        if reader.recognise(sample):
            return name
    if not sample.rows:
        raise UnknownFormatError(
            "not an ontology in a known format.",
            path=file.path,
            hint="formats are OBO, OWL or SKOS in RDF, WN-LMF, ARX hierarchies, child,parent tables, codes that nest "
            "and MeSH tree numbers.",
        )
    raise UnknownFormatError(
        f"a table of {len(sample.rows[-1])} columns that is neither a hierarchy (leaf first, one top value in the last "
        "column) nor a list of children and parents, nor of codes that nest.",
        path=file.path,
        hint="name the columns, for example id,parent,label.",
    )
