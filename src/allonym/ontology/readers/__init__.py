"""Readers of ontologies: each turns one file format into a `Taxonomy`.

| format        | recognised by                                              |
|---------------|------------------------------------------------------------|
| `wndb`        | a directory with data.noun and index.noun                  |
| `wndb-verbs`  | never: the verbs of such a directory, where asked for      |
| `obo`         | `format-version:` or `[Term]`                              |
| `rdf`         | RDF/XML, Turtle or N-Triples: OWL classes or SKOS concepts |
| `lmf`         | XML with `<LexicalResource`                                |
| `mesh`        | a column of MeSH tree numbers (C01.221.812)                |
| `hierarchy`   | no header, leaf first, one top value (ARX)                 |
| `tree`        | JSON                                                       |
| `child-parent`| a table with a column of parents                           |
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from allonym.errors import OptionError, UnknownFormatError
from allonym.ontology.readers import csv, hierarchies, lmf, mesh, obo, rdf
from allonym.ontology.readers.source import File
from allonym.ontology.readers.wndb import read_wndb
from allonym.ontology.taxonomy import Taxonomy

READERS: dict[str, Callable[[File], Taxonomy]] = {
    "obo": obo.read,
    "rdf": rdf.read,
    "lmf": lmf.read,
    "mesh": mesh.read,
    "hierarchy": hierarchies.read_table,
    "tree": hierarchies.read_tree,
    "child-parent": csv.read_child_parent,
}
DIRECTORIES = {"wndb": "noun", "wndb-verbs": "verb"}
_TURTLE = re.compile(r"^[ \t]*(@prefix|@base|prefix|base)\s", re.IGNORECASE | re.MULTILINE)
_TRIPLE = re.compile(r"^[ \t]*(<[^<>\s]+>|_:\w+)[ \t]+<[^<>\s]+>[ \t]+(<|_:|\").*\.[ \t\r]*$", re.MULTILINE)
_OBO = re.compile(r"^(format-version:|\[Term\])", re.MULTILINE)
_OTHER_OWL = re.compile(r"^[ \t]*(Prefix\(|Ontology\(|<Ontology\b|Prefix:|Ontology:)|<Ontology\s", re.MULTILINE)


def read_taxonomy(path: str | Path, format: str | None = None) -> Taxonomy:
    """Read an ontology; its format is found by what is in it, unless one is given.

    Arguments: a file (gzipped or not) or a WNDB directory; a name from the table above.
    """
    path = Path(path)
    if format is not None and format not in (*READERS, *DIRECTORIES):
        raise OptionError.of("ontology format", format, [*READERS, *DIRECTORIES])
    if path.is_dir() or format in DIRECTORIES:
        return read_wndb(path, DIRECTORIES[format or "wndb"])
    file = File.read(path)
    return READERS[format or recognise(file)](file)


def recognise(file: File) -> str:
    """Return the format of a file, by its content."""
    head = File(file.path, file.content[:200_000], "").text()
    if not head.strip():
        raise UnknownFormatError("the file is empty.", path=file.path)
    if "\0" in head:
        raise UnknownFormatError("this is a binary file, not an ontology in text.", path=file.path)
    if _OBO.search(head):
        return "obo"
    if _OTHER_OWL.search(head) and not rdf.is_xml(head):
        raise UnknownFormatError(
            "OWL in a syntax other than RDF.", path=file.path, hint="save it as RDF/XML or Turtle (Protégé, ROBOT)."
        )
    if head.lstrip().startswith("<") and "<LexicalResource" in head:
        return "lmf"
    if rdf.is_xml(head) or _TURTLE.search(head) or _TRIPLE.search(head):
        return "rdf"
    if head.lstrip()[0] in "{[":
        return "tree"
    return csv.recognise(file)
