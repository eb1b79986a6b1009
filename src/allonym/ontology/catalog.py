"""An ontology as it is named on the command line and in a plan: `wordnet`, `wordnet:person`, `FILE`, `FILE#ROOT`."""

from __future__ import annotations

from pathlib import Path
from weakref import WeakValueDictionary

from allonym.errors import OntologyError
from allonym.ontology.readers import read_taxonomy
from allonym.ontology.scope import Scope
from allonym.ontology.taxonomy import Taxonomy
from allonym.ontology.wordnet import wordnet

_IN_USE: WeakValueDictionary[tuple[int, ...], Taxonomy] = WeakValueDictionary()  # files that somebody works with


def open_ontology(name: str) -> Scope:
    """Return the scope a name stands for; a root is a word (its first sense) or an id.

    >>> open_ontology("wordnet:person").name
    'wordnet:person.n.01'
    """
    if name == "wordnet":
        return wordnet()
    if name.startswith("wordnet:"):
        return wordnet(name.removeprefix("wordnet:"))
    path, end = parted(name)
    root = end[1:] if end else None
    if not _exists(path):
        raise OntologyError(
            f"There is no ontology {name!r}.", hint="it is wordnet, wordnet:ROOT, or a file, FILE or FILE#ROOT."
        )
    return Scope.of(_taxonomy(path), root)


def _taxonomy(path: str) -> Taxonomy:
    """Read a file, unless it is in use and has not changed: one that is large takes seconds."""
    told = Path(path).stat()
    known = (told.st_dev, told.st_ino, told.st_mtime_ns, told.st_size, hash(Path(path).name))
    found = _IN_USE.get(known) if Path(path).is_file() else None
    if found is None:
        found = read_taxonomy(path)
        if Path(path).is_file():
            _IN_USE[known] = found
    return found


def is_wordnet(name: str) -> bool:
    """Tell whether a name stands for the bundled WordNet, or a part of it."""
    return name.partition(":")[0] == "wordnet"


def parted(name: str, folder: str | Path = "") -> tuple[str, str]:
    """Return the file of a name, and its root with the # before it; a root may have slashes and # of its own.

    >>> parted("jobs.owl#http://example.org/jobs#nurse"), parted("jobs.owl")
    (('jobs.owl', '#http://example.org/jobs#nurse'), ('jobs.owl', ''))
    """
    if "#" not in name or _exists(str(Path(folder) / name)):
        return name, ""
    path, split, root = name.partition("#")
    return path, split + root


def _exists(path: str) -> bool:
    try:
        return Path(path).exists()
    except OSError:  # a name too long, or a folder that may not be read
        return False
