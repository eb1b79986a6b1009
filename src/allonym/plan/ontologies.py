"""The ontologies that plans can name: list them, add the user's own, remove them."""

from __future__ import annotations

from dataclasses import replace as with_fields
from pathlib import Path

import numpy as np

from allonym.errors import OntologyError
from allonym.kinds.registry import KINDS
from allonym.ontology.catalog import added
from allonym.ontology.catalog.about import OntologyInfo, about, named_ontologies
from allonym.ontology.readers import read_taxonomy
from allonym.ontology.taxonomy import Taxonomy

RESERVED = (*KINDS, "date")  # words that say what a column is, where the name of an ontology can stand too


def ontologies() -> list[OntologyInfo]:
    """Return every ontology that has a name: the bundled WordNet, the catalog, installed or not, and your own.

    >>> [x.title for x in ontologies() if x.name == "wordnet"]
    ['WordNet 3.0']
    """
    return named_ontologies()


def add_ontology(
    path: str | Path,
    name: str,
    *,
    format: str | None = None,
    language: str = "",
    version: str = "",
    licence: str = "",
    replace: bool = False,
) -> OntologyInfo:
    """Read an ontology from a file or folder and keep it, compiled and private, under a name.

    Args:
        path: the publisher's file or folder; it is not needed afterwards.
        name: how columns name the ontology: a-z, 0-9 and -.
        format: a format of `read_taxonomy`; by default the content decides.
        language: the language of words for which the file states none.
        version: the version, if the file does not state it.
        licence: the licence, if the file does not state it.
        replace: replace an ontology of this name that was added before.

    Returns:
        What `ontologies` says of it.

    Raises:
        OntologyError: the name cannot be used, the file cannot be read, or the ontology cannot be kept. Nothing has
            changed then.
    """
    check_name(name, replace=replace)
    taxonomy = read_taxonomy(path, format)
    if language:
        taxonomy = _in_language(taxonomy, language)
    source = taxonomy.source
    source = with_fields(source, version=version or source.version, licence=licence or source.licence)
    added.add(with_fields(taxonomy, source=source), name)
    return about(name)


def check_name(name: str, *, replace: bool = False) -> None:
    """Check that an ontology can be added under a name.

    Raises:
        OntologyError: the name cannot be used, or is in use and not to be replaced.
    """
    added.check_name(name)
    if name in RESERVED:
        raise OntologyError(f"{name} is a kind of column, not a name of an ontology.", hint="choose another name.")
    if added.is_added(name) and not replace:
        hint = f"add it with --replace (replace=True), or remove it: allonym ontologies remove {name}."
        raise OntologyError(f"An ontology {name} was added before.", hint=hint)


def remove_ontology(name: str) -> None:
    """Delete an ontology that was added.

    Raises:
        OntologyError: none of this name was added.
    """
    added.remove(name)


def _in_language(taxonomy: Taxonomy, language: str) -> Taxonomy:
    """Return a taxonomy whose words without a language are in this one; codes belong to all languages."""
    words = taxonomy.lexicon
    names = words.language_names if language in words.language_names else (*words.language_names, language)
    number = np.uint16(names.index(language))
    languages = np.where((words.languages == 0) & ~words.notation, number, words.languages)
    return with_fields(taxonomy, lexicon=with_fields(words, languages=languages, language_names=names))
