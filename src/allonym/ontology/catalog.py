"""Ontologies by their names on the command line and in plans: `wordnet`, `wordnet:person`, `FILE`, `FILE#ROOT`."""

from __future__ import annotations

from pathlib import Path
from weakref import WeakValueDictionary

from allonym.errors import OntologyError
from allonym.ontology.readers import read_taxonomy
from allonym.ontology.scope import Scope
from allonym.ontology.taxonomy import Taxonomy
from allonym.ontology.wordnet import wordnet

_IN_USE: WeakValueDictionary[tuple[int, ...], Taxonomy] = WeakValueDictionary()  # taxonomies of files


def open_ontology(name: str) -> Scope:
    """Return the scope of a name; a root is a word (its first sense) or an id.

    Raises:
        OntologyError: the name is neither that of an ontology nor a file.
        UnknownConceptError: the ontology has no such root.

    >>> open_ontology("wordnet:person").name
    'wordnet:person.n.01'
    """
    if name == "wordnet":
        return wordnet()
    if name.startswith("wordnet:"):
        return wordnet(name.removeprefix("wordnet:"))
    path, suffix = split_root(name)
    root = suffix[1:] if suffix else None
    if not _exists(path):
        raise OntologyError(f"There is no ontology {name!r}.", hint="write wordnet, wordnet:ROOT, FILE or FILE#ROOT.")
    return Scope.of(_taxonomy(path), root)


def _taxonomy(path: str) -> Taxonomy:
    """Read a file, unless its taxonomy is in use and the file has not changed."""
    if not Path(path).is_file():
        return read_taxonomy(path)
    stat = Path(path).stat()
    version = (stat.st_dev, stat.st_ino, stat.st_mtime_ns, stat.st_size, hash(Path(path).name))
    taxonomy = _IN_USE.get(version)
    if taxonomy is None:
        taxonomy = _IN_USE[version] = read_taxonomy(path)
    return taxonomy


def is_wordnet(name: str) -> bool:
    """Tell whether a name is that of the bundled WordNet or a part of it."""
    return name.partition(":")[0] == "wordnet"


def split_root(name: str, folder: str | Path = "") -> tuple[str, str]:
    """Split a name into its file and its root, with the # before it; a root may contain slashes and #.

    >>> split_root("jobs.owl#http://example.org/jobs#nurse"), split_root("jobs.owl")
    (('jobs.owl', '#http://example.org/jobs#nurse'), ('jobs.owl', ''))
    """
    if "#" not in name or _exists(str(Path(folder) / name)):
        return name, ""
    path, separator, root = name.partition("#")
    return path, separator + root


def _exists(path: str) -> bool:
    try:
        return Path(path).exists()
    except OSError:  # the name is too long, or the folder is not readable
        return False
