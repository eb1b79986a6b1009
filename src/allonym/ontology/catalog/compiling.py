"""Compile named ontologies from installed packages, once for each version of them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from allonym.errors import OntologyError
from allonym.ontology.array_file import mapped
from allonym.ontology.catalog.entry import CatalogEntry
from allonym.ontology.catalog.folders import cache_folder, write_private
from allonym.ontology.catalog.registry import entry
from allonym.ontology.compiled import pack, unpack
from allonym.ontology.taxonomy import Source, Taxonomy

COMPILED_FORMAT = 9  # raise it if a reader or the compiled form changes, so that caches are not used any more


def loader(name: str) -> tuple[str, Callable[[], Taxonomy]]:
    """Return the versions of the packages of a named ontology, and the function that loads it.

    Raises:
        OntologyError: a package is not installed.
    """
    declared = entry(name)
    return declared.package().versions, lambda: load(declared)


def load(declared: CatalogEntry) -> Taxonomy:
    """Return a named ontology from the cache, else from its packages; it is then in the cache, if that is writable."""
    path = cache_path(declared)
    with suppress(OntologyError):  # missing, of another format, or damaged
        return _with_source(unpack(mapped(path), path), declared)
    taxonomy = compile(declared)
    with suppress(OntologyError):
        write_private(path, pack(taxonomy))
        return _with_source(unpack(mapped(path), path), declared)
    return taxonomy


def compile(declared: CatalogEntry) -> Taxonomy:
    """Read a named ontology from its packages."""
    package = declared.package()
    taxonomy = replace(declared.read(package), name=declared.name)
    version = taxonomy.source.version or package.versions_text
    source = Source("", version, declared.licence, package.sha256, declared.name)
    return replace(taxonomy, source=source)


def cache_path(declared: CatalogEntry) -> Path:
    """Return where the compiled form of a named ontology is kept, by the versions of its packages."""
    versions = declared.package().versions.replace("==", "-").replace(" ", "_")
    return cache_folder() / "ontologies" / f"{declared.name}_{versions}_{COMPILED_FORMAT}.bin"


def is_compiled(declared: CatalogEntry) -> bool:
    """Tell whether an installed ontology is in the cache."""
    return declared.is_installed and cache_path(declared).is_file()


def _with_source(taxonomy: Taxonomy, declared: CatalogEntry) -> Taxonomy:
    return replace(taxonomy, source=replace(taxonomy.source, path="", name=declared.name))
