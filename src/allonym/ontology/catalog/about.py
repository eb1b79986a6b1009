"""What a person should know about a named ontology: what it is for, its version, its licence and its publisher."""

from __future__ import annotations

from dataclasses import dataclass

from allonym.ontology.catalog import WORDNET, added
from allonym.ontology.catalog.registry import MODULES, entry
from allonym.ontology.scope import Scope

ASKS_FOR_ATTRIBUTION = "CC BY"  # how the names of such licences begin


@dataclass(frozen=True)
class OntologyInfo:
    """A named ontology, as lists, forms and reports describe it."""

    name: str
    title: str
    purpose: str = ""  # what the values of a column must be: "diagnoses"
    publisher: str = ""
    url: str = ""
    licence: str = ""
    version: str = ""  # empty if it is not installed, or is known only after it is opened
    attribution: str = ""
    install: str = ""  # the command that installs it; empty if it is installed

    @property
    def is_installed(self) -> bool:
        """Whether it can be used."""
        return not self.install


_WORDNET = OntologyInfo(
    name=WORDNET,
    title="WordNet 3.0",
    purpose="general English words",
    publisher="Princeton University",
    url="https://wordnet.princeton.edu",
    licence="WordNet licence",
    version="3.0",
)


def about(name: str) -> OntologyInfo:
    """Describe the ontology of a name, without a root; nothing is compiled or opened.

    >>> about("wordnet").title, about("icd10").publisher
    ('WordNet 3.0', 'World Health Organization')
    """
    if name == WORDNET:
        return _WORDNET
    if name not in MODULES:
        return OntologyInfo(name=name, title=name, purpose="added by you")
    declared = entry(name)
    return OntologyInfo(
        name=name,
        title=declared.title,
        purpose=declared.purpose,
        publisher=declared.publisher,
        url=declared.url,
        licence=declared.licence,
        version=declared.version,
        attribution=declared.attribution,
        install="" if declared.is_installed else declared.how_to_install,
    )


def named_ontologies() -> list[OntologyInfo]:
    """Return every named ontology: WordNet, those of the catalog, installed or not, and those the user added."""
    return [about(name) for name in (WORDNET, *MODULES, *added.names())]


def described(scope: Scope) -> dict[str, str]:
    """Return what a report says of an ontology: name, version, licence, publisher and hash; only what is known.

    >>> from allonym.ontology.taxonomy import Source, Taxonomy
    >>> source = Source(version="3", licence="CC BY 4.0", attribution="By A. Person.")
    >>> described(Scope.of(Taxonomy.build("jobs", ["job"], child=[], parent=[], source=source)))
    {'name': 'jobs', 'version': '3', 'licence': 'CC BY 4.0', 'attribution': 'By A. Person.'}
    """
    source = scope.taxonomy.source
    info = about(source.name) if source.name else OntologyInfo("", "")
    known = {
        "name": scope.name,
        "title": info.title if info.publisher else "",
        "version": source.version,
        "licence": source.licence,
        "publisher": info.publisher,
        "url": info.url,
        "attribution": source.attribution or info.attribution or _attribution(info, source.licence),
        "sha256": source.sha256,
    }
    return {key: value for key, value in known.items() if value}


def published(scope: Scope) -> dict[str, str]:
    """Return what a public report says of an ontology; an unpublished one may list values, so nothing of it."""
    source = scope.taxonomy.source
    return described(scope) if source.version or source.licence else {"name": "a hierarchy of its own"}


def _attribution(info: OntologyInfo, licence: str) -> str:
    """Return the statement that Creative Commons licences ask for: title, author, source and licence."""
    if not (info.publisher and licence.startswith(ASKS_FOR_ATTRIBUTION)):
        return ""
    return f"{info.title} by {info.publisher}, {info.url}, licensed under {licence}."
