"""OWL ontologies and SKOS thesauri, in RDF/XML, Turtle or N-Triples, read as a stream of triples."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field

from allonym.errors import UnknownFormatError
from allonym.ontology.lexicon import Entry
from allonym.ontology.readers.builder import OntologyBuilder
from allonym.ontology.readers.retired import unmarked
from allonym.ontology.readers.sample import Sample
from allonym.ontology.readers.source import File
from allonym.ontology.taxonomy import Taxonomy

_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_RDFS = "http://www.w3.org/2000/01/rdf-schema#"
_OWL = "http://www.w3.org/2002/07/owl#"
_SKOS = "http://www.w3.org/2004/02/skos/core#"
_OBO = "http://www.geneontology.org/formats/oboInOwl#"

_OBOLIBRARY = "http://purl.obolibrary.org/obo/"
TYPE, DEPRECATED = _RDF + "type", _OWL + "deprecated"
CLASSES = {_OWL + "Class", _RDFS + "Class", _SKOS + "Concept"}
TOPS = {_OWL + "Thing", _RDFS + "Resource"}
UP = {_RDFS + "subClassOf", _SKOS + "broader", _SKOS + "broaderGeneric", _SKOS + "broaderInstantial"}
DOWN = {_SKOS + "narrower"}
PREFERRED = {_RDFS + "label", _SKOS + "prefLabel"}
SYNONYM = {_SKOS + "altLabel", _SKOS + "hiddenLabel", _OBO + "hasExactSynonym"}
NOTATION = {_SKOS + "notation", _OBO + "id", _OBO + "hasAlternativeId"}
DEFINITION = {_SKOS + "definition", _OBOLIBRARY + "IAO_0000115"}
REPLACED_BY = {"http://purl.org/dc/terms/isReplacedBy", _OBOLIBRARY + "IAO_0100001"}
CONSIDER = {_OBO + "consider"}
RETIRED = {"deprecated", "obsolete", "retired", "withdrawn"}  # objects of a property that is named "status"
VERSION = {_OWL + "versionInfo", _OWL + "versionIRI"}

_TURTLE = re.compile(r"^[ \t]*(@prefix|@base|prefix|base)\s", re.IGNORECASE | re.MULTILINE)
_TRIPLE = re.compile(r"^[ \t]*(<[^<>\s]+>|_:\w+)[ \t]+<[^<>\s]+>[ \t]+(<|_:|\").*\.[ \t\r]*$", re.MULTILINE)
_OTHER_OWL = re.compile(r"^[ \t]*(Prefix\(|Ontology\(|<Ontology\b|Prefix:|Ontology:)|<Ontology\s", re.MULTILINE)


@dataclass
class _Thing:
    """The triples about one IRI."""

    is_class: bool = False
    is_individual: bool = False
    deprecated: bool = False
    types: list[str] = field(default_factory=list)
    parents: list[str] = field(default_factory=list)
    labels: list[tuple[str, str]] = field(default_factory=list)  # text, language
    synonyms: list[tuple[str, str]] = field(default_factory=list)
    notations: list[str] = field(default_factory=list)
    replaced_by: list[str] = field(default_factory=list)
    consider: list[str] = field(default_factory=list)
    definition: str = ""


def recognise(sample: Sample) -> bool:
    """Recognise RDF/XML, Turtle and N-Triples.

    Raises:
        UnknownFormatError: the file is an OWL ontology in another syntax.
    """
    if _is_xml(sample.text):
        return True
    if _OTHER_OWL.search(sample.text):
        raise UnknownFormatError(
            "OWL in a syntax other than RDF.", path=sample.path, hint="save it as RDF/XML or Turtle (Protégé, ROBOT)."
        )
    return bool(_TURTLE.search(sample.text) or _TRIPLE.search(sample.text))


def _is_xml(text: str) -> bool:
    return bool(re.match(r"\s*(<\?xml|<!DOCTYPE|<!--|<rdf:RDF|<RDF)", text)) and "RDF" in text


def _format(file: File) -> object:
    import pyoxigraph

    head = File(file.path, file.content[:100_000], "").text()
    if _is_xml(head):
        return pyoxigraph.RdfFormat.RDF_XML
    return pyoxigraph.RdfFormat.TURTLE  # N-Triples are Turtle too


_NESTED = re.compile(rb"""<!ENTITY\s+[^\s"']+\s+["'][^"'<>]*&(?!#)""")  # entities that expand exponentially


def _source(file: File) -> bytes | str:
    """Return bytes if XML declares its encoding, else the decoded text."""
    if _NESTED.search(file.content[:100_000]):
        raise UnknownFormatError(
            "an XML entity is defined by other entities.", path=file.path, hint="write the entities out."
        )
    return file.content if file.content.lstrip().startswith(b"<?xml") else file.text()


def read(file: File) -> Taxonomy:
    """Read classes, individuals and concepts with their labels in all languages.

    The words and codes of a deprecated one mean the one that replaces it.
    """
    things, version = _things(file)
    builder = OntologyBuilder(labels=[], definitions=[], version=version, labels_are_words=False)
    classes = {iri for iri, thing in things.items() if thing.is_class and not thing.deprecated} - TOPS
    individuals = {
        iri
        for iri, thing in things.items()
        if not (thing.is_class or thing.deprecated) and (thing.is_individual or not classes.isdisjoint(thing.types))
    }
    builder.ids = sorted(classes | individuals)
    _retire(builder, things)
    in_use = set(builder.ids)
    assert builder.labels is not None
    assert builder.definitions is not None
    for c, iri in enumerate(builder.ids):
        thing = things[iri]
        label = _label(_without_codes(thing)) or _local(iri)
        builder.labels.append(label)
        builder.definitions.append(thing.definition)
        builder.words += _words(iri, thing, c)
        parents = dict.fromkeys(thing.parents if thing.is_class else thing.types)
        replaced = [builder.retired.replacement(p, in_use) if _is_deprecated(things, p) else p for p in parents]
        links = [p for p in dict.fromkeys(replaced) if p is not None and p not in TOPS and p != iri]
        builder.child += [iri] * len(links)
        builder.parent += links
        if not thing.is_class:
            builder.instances.add(c)
        if not thing.labels:
            builder.words.append(Entry(label, c, preferred=True))
    return builder.build(file)


def _words(iri: str, thing: _Thing, concept: int) -> list[Entry]:
    labels = _without_codes(thing)
    words = [Entry(text, concept, language=lang, preferred=True) for text, lang in labels]
    others = [*thing.synonyms, *(label for label in thing.labels if label not in labels)]
    words += [Entry(text, concept, language=lang) for text, lang in others]
    codes = {*thing.notations, *([_local(iri)] if any(map(str.isdigit, _local(iri))) else [])}
    return words + [Entry(code, concept, notation=True) for code in sorted(codes)]


def _without_codes(thing: _Thing) -> list[tuple[str, str]]:
    """Return the labels of a concept, without its code where they begin with it, as in "01.1 Growing of crops"."""
    if not thing.notations:
        return thing.labels
    codes = "|".join(map(re.escape, sorted(thing.notations, key=len, reverse=True)))
    return [(re.sub(rf"^(?:{codes})(?:\s*[:–-]\s+|\s+)(?=\S)", "", text), lang) for text, lang in thing.labels]


def _is_deprecated(things: dict[str, _Thing], iri: str) -> bool:
    return iri in things and things[iri].deprecated


def _retire(builder: OntologyBuilder, things: dict[str, _Thing]) -> None:
    """Add the deprecated classes and concepts; a replacement is an IRI, or a code as in OBO (DOID:4)."""
    deprecated = {iri: thing for iri, thing in things.items() if thing.deprecated}
    if not deprecated:
        return
    by_code = {_local(iri).replace("_", ":"): iri for iri in things}
    for iri, thing in deprecated.items():
        replacements = [by_code.get(x, x) for x in thing.replaced_by or thing.consider]
        words = [word._replace(form=unmarked(word.form)) for word in _words(iri, thing, -1)]
        builder.retired.add(iri, replacements, words)


def _things(file: File) -> tuple[dict[str, _Thing], str]:
    """Collect the triples about each IRI and the version; skip blank nodes (restrictions, lists)."""
    import pyoxigraph

    things: dict[str, _Thing] = defaultdict(_Thing)
    version = ""
    try:
        for quad in pyoxigraph.parse(_source(file), format=_format(file), base_iri="urn:base:"):  # type: ignore[arg-type]
            if not isinstance(quad.subject, pyoxigraph.NamedNode):
                continue
            subject, predicate, value = quad.subject.value, quad.predicate.value, quad.object
            if isinstance(value, pyoxigraph.Literal):
                version = value.value if predicate in VERSION and not version else version
                _add_literal(things[subject], predicate, value.value, value.language or "")
            elif isinstance(value, pyoxigraph.NamedNode):
                version = value.value if predicate in VERSION and not version else version
                _add_relation(things, subject, predicate, value.value)
    except SyntaxError as error:
        raise UnknownFormatError(
            "the RDF cannot be parsed.", path=file.path, line=error.lineno, hint=f"parser message: {error.msg}"
        ) from error
    return dict(things), version


def _add_literal(thing: _Thing, predicate: str, text: str, language: str) -> None:
    if predicate in PREFERRED:
        thing.labels.append((text, language))
    elif predicate in SYNONYM:
        thing.synonyms.append((text, language))
    elif predicate in NOTATION:
        thing.notations.append(text)
    elif predicate in DEFINITION:
        thing.definition = thing.definition or text
    elif predicate == DEPRECATED:
        thing.deprecated = text in ("true", "1")
    else:
        _add_replacement(thing, predicate, text)


def _add_replacement(thing: _Thing, predicate: str, value: str) -> None:
    """Add what a triple says about the end of a concept."""
    if predicate in REPLACED_BY:
        thing.replaced_by.append(value)
    elif predicate in CONSIDER:
        thing.consider.append(value)
    elif predicate.lower().endswith("status") and _local(value).lower() in RETIRED:
        thing.deprecated = True


def _add_relation(things: dict[str, _Thing], subject: str, predicate: str, value: str) -> None:
    if predicate == TYPE:
        if value in CLASSES:
            things[subject].is_class = True
        elif value == _OWL + "NamedIndividual":
            things[subject].is_individual = True
        else:
            things[subject].types.append(value)
    elif predicate in UP:
        things[subject].parents.append(value)
    elif predicate in DOWN:
        things[value].parents.append(subject)
    else:
        _add_replacement(things[subject], predicate, value)


def _label(labels: list[tuple[str, str]]) -> str:
    """Return the English label, else one without a language, else the first."""
    order = sorted(labels, key=lambda x: (not x[1].startswith("en"), x[1] != "", x[1], x[0]))
    return order[0][0] if order else ""


def _local(iri: str) -> str:
    return re.split(r"[#/:]", iri.rstrip("#/"))[-1]
