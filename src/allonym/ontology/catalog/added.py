"""Ontologies that the user added from files, compiled and kept in a private folder."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from allonym.errors import OntologyError
from allonym.ontology.array_file import mapped
from allonym.ontology.catalog.folders import data_folder, write_private
from allonym.ontology.catalog.registry import MODULES
from allonym.ontology.compiled import pack, unpack
from allonym.ontology.taxonomy import Taxonomy

NAME = re.compile(r"[a-z][a-z0-9-]*")
_SUFFIX = ".bin"


def names() -> list[str]:
    """Return the names of the added ontologies."""
    return sorted(path.stem for path in _folder().glob(f"*{_SUFFIX}") if NAME.fullmatch(path.stem))


def is_added(name: str) -> bool:
    """Tell whether the user added an ontology of this name."""
    return NAME.fullmatch(name) is not None and _path(name).is_file()


def loader(name: str) -> tuple[tuple[int, ...], Callable[[], Taxonomy]]:
    """Return the version of an added ontology, and the function that loads it."""
    path = _path(name)
    stat = path.stat()
    return (stat.st_ino, stat.st_mtime_ns, stat.st_size), lambda: _load(path)


def _load(path: Path) -> Taxonomy:
    taxonomy = unpack(mapped(path), path)
    return replace(taxonomy, source=replace(taxonomy.source, path="", name=path.stem))


def add(taxonomy: Taxonomy, name: str) -> Path:
    """Keep an ontology under a name; one of the same name is replaced.

    Raises:
        OntologyError: the name is taken by the catalog or has other characters than a-z, 0-9 and -, or the file cannot
            be written.
    """
    if not NAME.fullmatch(name):
        raise OntologyError(f"An ontology cannot have the name {name!r}.", hint="use a-z, 0-9 and -: esco, atc-2024.")
    if name == "wordnet" or name in MODULES:
        raise OntologyError(f"{name} is an ontology of the catalog.", hint="choose another name.")
    path = _path(name)
    write_private(path, pack(replace(taxonomy, name=name)))
    return path


def remove(name: str) -> None:
    """Delete an added ontology.

    Raises:
        OntologyError: there is none of this name.
    """
    if not is_added(name):
        raise OntologyError(f"No ontology {name!r} was added.")
    _path(name).unlink()


def _folder() -> Path:
    return data_folder() / "ontologies"


def _path(name: str) -> Path:
    return _folder() / f"{name}{_SUFFIX}"
