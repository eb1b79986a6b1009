"""The named ontologies: one line for each, with the module that declares it in `ENTRIES`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from allonym.ontology.catalog.entry import CatalogEntry

MODULES = {
    "icd10": "icd10",
    "icd10cm": "icd10cm",
    "hpo": "hpo",
    "isic": "industries",
    "isic5": "industries",
    "naics": "industries",
    "wordnet-es": "wordnets",
    "wordnet-fr": "wordnets",
    "wordnet-it": "wordnets",
    "wordnet-pt": "wordnets",
    "m49": "m49",
    "geonames": "geonames",
    "languages": "human_languages",
}


def entry(name: str) -> CatalogEntry:
    """Return the declaration of a named ontology."""
    module = import_module(f"allonym.ontology.catalog.sources.{MODULES[name]}")
    found: CatalogEntry = module.ENTRIES[name]
    return found


def entries() -> list[CatalogEntry]:
    """Return all declarations, in the order of the registry."""
    return [entry(name) for name in MODULES]
