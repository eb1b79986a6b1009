"""WordNets of other languages in WN-LMF, the XML format of the Global WordNet Association; nouns only."""

from __future__ import annotations

import io
import re
from collections import defaultdict
from xml.etree import ElementTree

from allonym.errors import UnknownFormatError
from allonym.ontology.lexicon import Entry
from allonym.ontology.readers.source import File, Found
from allonym.ontology.taxonomy import Taxonomy

_WHOLE = {"holo_part", "holo_member", "holo_substance"}


def read(file: File) -> Taxonomy:
    """Read the noun synsets of every lexicon in the file, their words in the order of their senses."""
    found = Found(labels=[], definitions=[], label_words=False)
    words: dict[str, list[tuple[str, int, str]]] = defaultdict(list)  # synset -> form, rank, language
    order: dict[tuple[str, str], int] = defaultdict(int)
    language = ""
    part_of: list[tuple[str, str]] = []
    try:
        for event, node in ElementTree.iterparse(io.BytesIO(file.content), events=("start", "end")):
            tag = node.tag.rpartition("}")[2]
            if event == "start" and tag == "Lexicon":
                language = node.get("language", "")
                found.version, found.licence = node.get("version", ""), node.get("license", "")
            elif event == "end" and tag == "LexicalEntry":
                _entry(node, language, words, order)
                node.clear()
            elif event == "end" and tag == "Synset":
                if node.get("partOfSpeech", "n") == "n":
                    _synset(node, found, part_of)
                node.clear()
    except ElementTree.ParseError as error:
        raise UnknownFormatError(
            f"the XML cannot be parsed: {error.msg}.", path=file.path, line=error.position[0], hint="is the file whole?"
        ) from error
    except (LookupError, ValueError) as error:
        raise UnknownFormatError("its encoding is not known.", path=file.path, hint="convert it to UTF-8.") from error
    if not all(identifier.strip() for identifier in found.ids):
        raise UnknownFormatError("a synset has no id.", path=file.path)
    code = {identifier: c for c, identifier in enumerate(found.ids)}
    found.parts = [(code[whole], code[part]) for part, whole in part_of if part in code and whole in code]
    assert found.labels is not None
    for c, identifier in enumerate(found.ids):
        forms = sorted(words.get(identifier, []), key=lambda word: word[1])  # its most usual word is its label
        found.labels.append(forms[0][0] if forms else identifier)
        found.words += [
            Entry(form, c, rank, language=lang, preferred=i == 0) for i, (form, rank, lang) in enumerate(forms)
        ]
        found.words.append(Entry(identifier, c, notation=True))
    return found.taxonomy(file)


def _entry(
    node: ElementTree.Element,
    language: str,
    words: dict[str, list[tuple[str, int, str]]],
    order: dict[tuple[str, str], int],
) -> None:
    """Note the senses of one word; several entries of one spelling go on counting."""
    lemma = node.find("{*}Lemma")
    if lemma is None or lemma.get("partOfSpeech", "n") != "n":
        return
    form = lemma.get("writtenForm", "")
    for sense in node.iterfind("{*}Sense"):
        words[sense.get("synset", "")].append((form, order[language, form], language))
        order[language, form] += 1


def _synset(node: ElementTree.Element, found: Found, part_of: list[tuple[str, str]]) -> None:
    identifier = node.get("id", "")
    found.ids.append(identifier)
    assert found.definitions is not None
    definition = node.find("{*}Definition")
    found.definitions.append("" if definition is None else re.sub(r"\s+", " ", definition.text or "").strip())
    for relation in node.iterfind("{*}SynsetRelation"):
        kind, target = relation.get("relType", ""), relation.get("target", "")
        if kind in ("hypernym", "instance_hypernym"):
            found.child.append(identifier)
            found.parent.append(target)
            if kind == "instance_hypernym":
                found.instances.add(len(found.ids) - 1)
        elif kind in _WHOLE:
            part_of.append((identifier, target))
