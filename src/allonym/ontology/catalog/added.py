"""Ontologies that the user added from files, compiled and kept in a private folder."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from allonym.errors import OntologyError, first_few
from allonym.ontology.array_file import header_of, mapped
from allonym.ontology.catalog.folders import data_folder, write_private
from allonym.ontology.catalog.registry import MODULES
from allonym.ontology.compiled import pack, unpack
from allonym.ontology.taxonomy import Taxonomy

NAME = re.compile(r"[a-z][a-z0-9-]*")
_SUFFIX = ".bin"


@dataclass(frozen=True)
class AddedFacts:
    """What the header of an added ontology says."""

    version: str
    licence: str
    languages: tuple[str, ...]
    concepts: int
    date: str  # when it was added


def facts(name: str) -> AddedFacts:
    """Return what is known of an added ontology without opening it.

    Raises:
        OntologyError: the file is damaged.
    """
    path = path_of(name)
    header = header_of(mapped(path), path)
    day = date.fromtimestamp(path.stat().st_mtime).isoformat()
    languages = tuple(language for language in header.get("languages", ["en"]) if language)
    concepts = header["arrays"]["instances"][2]
    return AddedFacts(header["version"], header["licence"], languages, concepts, day)


def names() -> list[str]:
    """Return the names of the added ontologies."""
    return sorted(path.stem for path in _folder().glob(f"*{_SUFFIX}") if NAME.fullmatch(path.stem))


def may_be_added(name: str) -> bool:
    """Tell whether an ontology may be added under a name: it is not that of a file with an ending or in a folder."""
    return NAME.fullmatch(name.partition(":")[0]) is not None


def is_added(name: str) -> bool:
    """Tell whether the user added an ontology of this name."""
    return NAME.fullmatch(name) is not None and path_of(name).is_file()


def loader(name: str) -> tuple[tuple[int, ...], Callable[[], Taxonomy]]:
    """Return the version of an added ontology, and the function that loads it."""
    path = path_of(name)
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
    check_name(name)
    broken = [x for x in taxonomy.ids if "\n" in x]
    if broken:
        text = f"{len(broken):,} ids of concepts contain line breaks: {first_few(map(repr, broken))}."
        raise OntologyError(text, hint="add a column of short ids or codes.")
    path = path_of(name)
    write_private(path, pack(replace(taxonomy, name=name)))
    return path


def check_name(name: str) -> None:
    """Check that a user's ontology may have a name.

    Raises:
        OntologyError: the name is taken by the catalog or has other characters than a-z, 0-9 and -.
    """
    if not NAME.fullmatch(name):
        raise OntologyError(f"An ontology cannot have the name {name!r}.", hint="use a-z, 0-9 and -: esco, atc-2024.")
    if name == "wordnet" or name in MODULES:
        raise OntologyError(f"{name} is an ontology of the catalog.", hint="choose another name.")


def remove(name: str) -> None:
    """Delete an added ontology.

    Raises:
        OntologyError: there is none of this name, or its file cannot be deleted.
    """
    if name == "wordnet" or name in MODULES:
        hint = "its data is bundled." if name == "wordnet" else "uninstall its packages instead."
        raise OntologyError(f"{name} is an ontology of the catalog and cannot be removed.", hint=hint)
    if not is_added(name):
        known = names()
        hint = f"added ontologies are {', '.join(known)}." if known else "no ontology was added."
        raise OntologyError(f"No ontology {name!r} was added.", hint=hint)
    try:
        path_of(name).unlink()
    except OSError as error:
        raise OntologyError(f"cannot be deleted: {error.strerror}.", path=path_of(name)) from error


def _folder() -> Path:
    return data_folder() / "ontologies"


def path_of(name: str) -> Path:
    """Return where an added ontology is kept."""
    return _folder() / f"{name}{_SUFFIX}"
