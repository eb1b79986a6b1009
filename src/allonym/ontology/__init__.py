"""Ontologies: taxonomies, similarity, linking of text, readers of files, the catalog of names, the bundled WordNet.

The package can be called: `allonym.ontology("icd10")` opens an ontology by its name, as `allonym.ontology.catalog`
defines it.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from allonym.ontology.scope import Scope


class _Package(ModuleType):
    def __call__(self, name: str) -> Scope:
        """Open an ontology by its name."""
        from allonym.ontology.catalog import ontology

        return ontology(name)


sys.modules[__name__].__class__ = _Package
