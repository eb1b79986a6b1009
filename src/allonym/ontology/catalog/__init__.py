"""Ontologies by their names on the command line and in plans.

A name is `wordnet`, that of another ontology of the catalog (`icd10`), or that of one the user added (`esco`), each
with an optional root (`wordnet:person`); or a file, `FILE` or `FILE#ROOT`. Nothing is ever downloaded.
"""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from weakref import WeakValueDictionary

from allonym.errors import OntologyError, first_few
from allonym.ontology.catalog import added
from allonym.ontology.catalog.registry import MODULES
from allonym.ontology.scope import Scope
from allonym.ontology.taxonomy import Taxonomy
from allonym.ontology.wordnet import bundled

WORDNET = "wordnet"
_IN_USE: WeakValueDictionary[tuple[object, ...], Taxonomy] = WeakValueDictionary()  # all but WordNet


def ontology(name: str) -> Scope:
    """Return the ontology of a name; a root is a word (its first sense), a code or an id.

    Raises:
        OntologyError: the name is neither that of an ontology nor a file, or the ontology is not installed.
        UnknownConceptError: the ontology has no such root.

    >>> ontology("wordnet:person").name
    'wordnet:person.n.01'
    """
    if is_named(name):
        name, _, root = name.partition(":")
        return Scope.of(_named(name), root or None)
    path, suffix = split_root(name)
    if not _exists(path):
        raise unknown_ontology(name, "write a name that `allonym ontologies` lists, NAME:ROOT, FILE or FILE#ROOT.")
    return Scope.of(_of_file(path), suffix[1:] if suffix else None)


open_ontology = ontology


def unknown_ontology(name: str, hint: str) -> OntologyError:
    """Return the error of a name that no ontology has; its hint begins with similar names."""
    similar = get_close_matches(name.partition(":")[0], [WORDNET, *MODULES, *added.names()])
    question = f"did you mean {first_few(similar)}? " if similar else ""
    return OntologyError(f"There is no ontology {name!r}.", hint=question + hint)


def _named(name: str) -> Taxonomy:
    """Return a named taxonomy; the same one while it is in use and has not changed."""
    if name == WORDNET:
        return bundled()
    from allonym.ontology.catalog import compiling

    version, load = compiling.loader(name) if name in MODULES else added.loader(name)
    taxonomy = _IN_USE.get((name, version))
    if taxonomy is None:
        taxonomy = _IN_USE[name, version] = load()
    return taxonomy


def _of_file(path: str) -> Taxonomy:
    """Read a file, unless its taxonomy is in use and the file has not changed."""
    from allonym.ontology.readers import read_taxonomy  # which WordNet does without

    if not Path(path).is_file():
        return read_taxonomy(path)
    stat = Path(path).stat()
    version = (stat.st_dev, stat.st_ino, stat.st_mtime_ns, stat.st_size, Path(path).name)
    taxonomy = _IN_USE.get(version)
    if taxonomy is None:
        taxonomy = _IN_USE[version] = read_taxonomy(path)
    return taxonomy


def is_named(name: str) -> bool:
    """Tell whether an ontology has this name, perhaps with a root: WordNet, one of the catalog, or an added one.

    >>> is_named("wordnet:person"), is_named("icd10"), is_named("jobs.obo")
    (True, True, False)
    """
    name = name.partition(":")[0]
    return name == WORDNET or name in MODULES or added.is_added(name)


def name_and_root(name: str, folder: str | Path = "") -> tuple[str, str]:
    """Split the name of an ontology, or its file, from its root, with the : or # before it."""
    if is_named(name):
        own, colon, root = name.partition(":")
        return own, colon + root
    return split_root(name, folder)


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
