"""The declaration of a named ontology."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from allonym.errors import OntologyError
from allonym.ontology.catalog.package import Package
from allonym.ontology.taxonomy import Taxonomy

Reader = Callable[[Package], Taxonomy]


@dataclass(frozen=True)
class CatalogEntry:
    """A named ontology that is read from installed packages, and what a person should know before using it."""

    name: str
    title: str
    purpose: str  # what the values of a column must be, in the plural: "diagnoses"
    family: str  # health, work, places, food and products, general words, other languages
    publisher: str
    url: str
    licence: str  # of the classification, not of the package's code
    languages: tuple[str, ...]
    concepts: int  # in the version that was tested
    packages: tuple[str, ...]  # distributions that contain the data; the first has the version
    extra: str  # of allonym, by which they are installed
    read: Reader
    install: str = ""  # the command to install the packages, if the extra does not
    attribution: str = ""  # the statement that the publisher asks for, if it is not the usual one of CC BY

    @property
    def is_installed(self) -> bool:
        """Whether the packages are installed."""
        return all(Package.find(name) is not None for name in self.packages)

    @property
    def version(self) -> str:
        """The version of the package that has the data; empty if it is not installed."""
        package = Package.find(self.packages[0])
        return "" if package is None else package.version

    @property
    def how_to_install(self) -> str:
        """The command that installs the ontology."""
        return self.install or f"pip install 'allonym[{self.extra}]'"

    def package(self) -> Package:
        """Return the package with the data.

        Raises:
            OntologyError: a package is not installed.
        """
        if not self.is_installed:
            raise OntologyError(f"The ontology {self.name} is not installed.", hint=f"run {self.how_to_install}.")
        first, *others = (Package.find(name) for name in self.packages)
        assert first is not None
        return first.with_others([x for x in others if x is not None])
