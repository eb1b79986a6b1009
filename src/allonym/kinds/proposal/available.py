"""The ontologies that columns are compared with: WordNet, those the user added, and those of the catalog."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from allonym.errors import OntologyError
from allonym.ontology.catalog import added, ontology
from allonym.ontology.catalog.entry import CatalogEntry
from allonym.ontology.catalog.registry import entries
from allonym.ontology.linking.languages import LANGUAGES
from allonym.ontology.scope import Scope
from allonym.ontology.wordnet import wordnet

MAX_SMALL = 20_000  # concepts: compiling as many takes up to two seconds, once
ENGLISH = "en"


@dataclass(frozen=True, eq=False)
class NamedOntology:
    """An ontology that is opened by its name when a column is first compared with it."""

    name: str
    declared: CatalogEntry | None = None  # None, if the user added it

    @property
    def is_added(self) -> bool:
        """Whether the user added it."""
        return self.declared is None

    @property
    def is_large(self) -> bool:
        """Whether it takes long to compile, so that it must be plausible for a column."""
        return self.declared is not None and self.declared.concepts > MAX_SMALL

    @cached_property
    def opened(self) -> Scope | None:
        """The ontology; None, if it cannot be read."""
        try:
            return ontology(self.name)
        except OntologyError:
            return None

    @cached_property
    def is_usable(self) -> bool:
        """Whether it can be read, and has words of a language that can be linked, or no words."""
        language = self.languages[0] if self.languages else ENGLISH
        return self.opened is not None and self.opened.taxonomy.lexicon.has_language(language)

    @property
    def scope(self) -> Scope:
        """The ontology, which can be read."""
        assert self.opened is not None
        return self.opened

    @cached_property
    def languages(self) -> Sequence[str]:
        """The languages of its words that can be linked; English comes first."""
        if self.declared is not None:
            names = set(self.declared.languages)
        else:
            names = set() if self.opened is None else set(self.opened.taxonomy.lexicon.language_names) - {""}
        codes = {x.partition("-")[0].lower() for x in names}
        return sorted(codes & set(LANGUAGES), key=lambda x: (x != ENGLISH, x))

    @property
    def has_english(self) -> bool:
        """Whether it has words in English, or none at all; the words of others are ordinary words."""
        return not self.languages or self.languages[0] == ENGLISH


@dataclass(frozen=True, eq=False)
class Ontologies:
    """WordNet, and the named ontologies: those of the user first, then the installed ones of the catalog."""

    general: Scope = field(default_factory=wordnet)
    named: Sequence[NamedOntology] = ()
    not_installed: Sequence[CatalogEntry] = ()

    @classmethod
    def available(cls) -> Ontologies:
        """Return all that can be opened now."""
        declared = entries()
        installed = [x.name for x in declared if x.is_installed]
        named = [NamedOntology(x) for x in added.names()]
        named += [NamedOntology(x.name, x) for x in declared if x.name in installed]
        return cls(wordnet(), named, [x for x in declared if x.name not in installed])
