"""OBO files (format 1.2 and 1.4): terms, synonyms, is_a links, part_of relationships."""

from __future__ import annotations

import re
from collections import defaultdict

from allonym.decoding import lines_of
from allonym.errors import UnknownFormatError
from allonym.ontology.lexicon import Entry
from allonym.ontology.readers.builder import OntologyBuilder
from allonym.ontology.readers.retired import unmarked
from allonym.ontology.readers.sample import Sample
from allonym.ontology.readers.source import File
from allonym.ontology.taxonomy import Taxonomy

_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*+)"')
_ESCAPE = re.compile(r"\\(.)")
_ESCAPED = {"n": "\n", "t": "\t", "W": " "}
_MODIFIERS = re.compile(r"(?<!\\)\{[^{}]*\}\s*$")
_RECOGNISED = re.compile(r"^(format-version:|\[Term\])", re.MULTILINE)
Stanza = dict[str, list[tuple[int, str]]]


def recognise(sample: Sample) -> bool:
    """Recognise `format-version:` or `[Term]`."""
    return bool(_RECOGNISED.search(sample.text))


def read(file: File) -> Taxonomy:
    """Read names, exact synonyms and alternative ids as words.

    Words and ids of an obsolete term mean the term in its `replaced_by`, or else in its only `consider`.
    """
    link_lines: list[int] = []
    builder = OntologyBuilder(labels=[], definitions=[], link_lines=link_lines)
    header, stanzas = _stanzas(file.text())
    builder.version = _first(header, "data-version") or _first(header, "date")
    concepts = []
    for kind, line, tags in stanzas:
        if kind in ("Term", "Instance") and _first(tags, "id"):
            if _first(tags, "is_obsolete") == "true":
                _retire(builder, tags)
            else:
                concepts.append((kind, line, tags))
    builder.ids = [_first(tags, "id") for _, _, tags in concepts]
    builder.id_lines = [line for _, line, _ in concepts]
    code = {identifier: c for c, identifier in enumerate(builder.ids)}
    assert builder.labels is not None
    assert builder.definitions is not None
    for c, (kind, _, tags) in enumerate(concepts):
        builder.labels.append(_unescape(_first(tags, "name")) or builder.ids[c])
        builder.definitions.append(_quoted(_first(tags, "def")))
        builder.words += _words(tags, c)
        links = tags.get("is_a" if kind == "Term" else "instance_of", [])
        builder.child += [builder.ids[c]] * len(links)
        empty = next((line for line, value in links if not value), None)
        if empty is not None:
            raise UnknownFormatError("a link has no parent.", path=file.path, line=empty)
        builder.parent += [value.split()[0] for _, value in links]
        link_lines += [line for line, _ in links]
        if kind == "Instance":
            builder.instances.add(c)
        for relation in _all(tags, "relationship"):
            relation_type, *target = relation.split() or [""]
            if relation_type in ("part_of", "has_part") and target and target[0] in code:
                builder.parts.append((code[target[0]], c))
    return builder.build(file)


def _words(tags: Stanza, concept: int) -> list[Entry]:
    """Return the ids and the exact synonyms of a term."""
    ids = [Entry(identifier, concept, notation=True) for identifier in (_first(tags, "id"), *_all(tags, "alt_id"))]
    exact = [_quoted(synonym) for synonym in _all(tags, "synonym") if " EXACT" in _unquoted(synonym)]
    return [*ids, *(Entry(form, concept) for form in exact if form)]


def _retire(builder: OntologyBuilder, tags: Stanza) -> None:
    replacements = [value.split()[0] for value in _all(tags, "replaced_by") or _all(tags, "consider") if value]
    label = Entry(unmarked(_unescape(_first(tags, "name"))), -1)
    builder.retired.add(_first(tags, "id"), replacements, [label, *_words(tags, -1)])


def _stanzas(text: str) -> tuple[Stanza, list[tuple[str, int, Stanza]]]:
    """Split the file into its header and stanzas: kind, line of the id, tags with their lines."""
    header: Stanza = defaultdict(list)
    stanzas: list[tuple[str, int, Stanza]] = []
    tags = header
    for number, raw in enumerate(lines_of(text), 1):
        line = raw.strip()
        if line.startswith("[") and line.endswith("]"):
            tags = defaultdict(list)
            stanzas.append((line[1:-1], number, tags))
        elif line and not line.startswith("!"):
            tag, _, value = line.partition(":")
            if tag == "id" and stanzas:
                stanzas[-1] = (stanzas[-1][0], number, tags)
            tags[tag].append((number, _clean(value)))
    return header, stanzas


def _clean(value: str) -> str:
    """Strip a trailing comment and trailing modifiers; neither starts inside quotes."""
    if value.lstrip().startswith("!"):
        return ""
    if " !" in value and '"' not in value:
        value = value.split(" !", maxsplit=1)[0]
    elif value.count('"') >= 2:
        end = value.rindex('"') + 1
        value = value[:end] + value[end:].split(" !")[0]
    return _MODIFIERS.sub("", value).strip()


def _first(tags: Stanza, tag: str) -> str:
    return tags[tag][0][1] if tags.get(tag) else ""


def _all(tags: Stanza, tag: str) -> list[str]:
    return [value for _, value in tags.get(tag, [])]


def _unescape(value: str) -> str:
    return _ESCAPE.sub(lambda m: _ESCAPED.get(m.group(1), m.group(1)), value)


def _quoted(value: str) -> str:
    match = _QUOTED.match(value.strip())
    return _unescape(match.group(1)) if match else ""


def _unquoted(value: str) -> str:
    """Return what follows the quoted text."""
    match = _QUOTED.match(value.strip())
    return value.strip()[match.end() :] if match else value
