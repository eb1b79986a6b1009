"""The ontologies that columns are compared with: WordNet, those the user added, and those of the catalog."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property

from allonym.errors import OntologyError
from allonym.ontology.catalog import added, ontology
from allonym.ontology.catalog.entry import CatalogEntry
from allonym.ontology.catalog.registry import entries
from allonym.ontology.scope import Scope
from allonym.ontology.wordnet import wordnet


@dataclass(frozen=True, eq=False)
class NamedOntology:
    """An ontology that can be opened by its name."""

    name: str
    scope: Scope
    is_added: bool = False

    @cached_property
    def languages(self) -> Sequence[str]:
        """The languages of its words; English comes first."""
        names = {x.partition("-")[0].lower() for x in self.scope.taxonomy.lexicon.language_names if x}
        return sorted(names, key=lambda x: (x != "en", x))


@dataclass(frozen=True, eq=False)
class Ontologies:
    """WordNet, and the named ontologies, which are opened when a column is first compared with them."""

    general: Scope = field(default_factory=wordnet)
    added: Sequence[str] = ()
    installed: Sequence[str] = ()
    not_installed: Sequence[CatalogEntry] = ()
    names: Sequence[str] = field(init=False)

    def __post_init__(self) -> None:
        """Put the ontologies of the user first."""
        object.__setattr__(self, "names", [*self.added, *self.installed])

    @classmethod
    def available(cls) -> Ontologies:
        """Return all that can be opened now."""
        declared = entries()
        installed = [x.name for x in declared if x.is_installed]
        return cls(wordnet(), added.names(), installed, [x for x in declared if x.name not in installed])

    @cached_property
    def opened(self) -> Sequence[NamedOntology]:
        """The named ontologies; one that cannot be read is left out."""
        opened = []
        for name in self.names:
            with suppress(OntologyError):
                opened.append(NamedOntology(name, ontology(name), name in self.added))
        return opened

    @property
    def specific(self) -> Sequence[NamedOntology]:
        """The ontologies with words in English, or with codes only; WordNet knows ordinary words."""
        return [x for x in self.opened if x.languages[:1] in (["en"], [])]

    @property
    def in_other_languages(self) -> Sequence[NamedOntology]:
        """The ontologies without words in English."""
        return [x for x in self.opened if x.languages and x.languages[0] != "en"]
