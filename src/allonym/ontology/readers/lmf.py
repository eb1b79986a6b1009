"""WordNets of other languages in WN-LMF, the XML format of the Global WordNet Association; nouns only."""

from __future__ import annotations

import io
import re
from collections import defaultdict
from xml.etree import ElementTree

from allonym.errors import UnknownFormatError
from allonym.ontology.lexicon import Entry
from allonym.ontology.readers.builder import OntologyBuilder
from allonym.ontology.readers.sample import Sample
from allonym.ontology.readers.source import File
from allonym.ontology.taxonomy import Taxonomy

_WHOLE = {"holo_part", "holo_member", "holo_substance"}


def recognise(sample: Sample) -> bool:
    """Recognise XML with a `LexicalResource`."""
    return sample.text.lstrip().startswith("<") and "<LexicalResource" in sample.text


def read(file: File) -> Taxonomy:
    """Read the noun synsets of all lexicons in the file, with words in the order of their senses."""
    builder = OntologyBuilder(labels=[], definitions=[], labels_are_words=False)
    words: dict[str, list[tuple[str, int, str]]] = defaultdict(list)  # synset -> form, rank, language
    next_rank: dict[tuple[str, str], int] = defaultdict(int)
    language = ""
    part_of: list[tuple[str, str]] = []
    try:
        for event, node in ElementTree.iterparse(io.BytesIO(file.content), events=("start", "end")):
            tag = node.tag.rpartition("}")[2]
            if event == "start" and tag == "Lexicon":
                language = node.get("language", "")
                builder.version, builder.licence = node.get("version", ""), node.get("license", "")
            elif event == "end" and tag == "LexicalEntry":
                _entry(node, language, words, next_rank)
                node.clear()
            elif event == "end" and tag == "Synset":
                if node.get("partOfSpeech", "n") == "n":
                    _synset(node, builder, part_of)
                node.clear()
    except ElementTree.ParseError as error:
        raise UnknownFormatError(
            f"the XML cannot be parsed: {error.msg}.",
            path=file.path,
            line=error.position[0],
            hint="check that the file is complete.",
        ) from error
    except (LookupError, ValueError) as error:
        raise UnknownFormatError(
            "the encoding is unknown.", path=file.path, hint="convert the file to UTF-8."
        ) from error
    if not all(identifier.strip() for identifier in builder.ids):
        raise UnknownFormatError("a synset has no id.", path=file.path)
    code = {identifier: c for c, identifier in enumerate(builder.ids)}
    builder.parts = [(code[whole], code[part]) for part, whole in part_of if part in code and whole in code]
    assert builder.labels is not None
    for c, identifier in enumerate(builder.ids):
        forms = sorted(words.get(identifier, []), key=lambda word: word[1])  # the word of lowest rank is the label
        builder.labels.append(forms[0][0] if forms else identifier)
        builder.words += [
            Entry(form, c, rank, language=lang, preferred=i == 0) for i, (form, rank, lang) in enumerate(forms)
        ]
        builder.words.append(Entry(identifier, c, notation=True))
    return builder.build(file)


def _entry(
    node: ElementTree.Element,
    language: str,
    words: dict[str, list[tuple[str, int, str]]],
    next_rank: dict[tuple[str, str], int],
) -> None:
    """Add the senses of one word; entries with the same spelling continue its ranks."""
    lemma = node.find("{*}Lemma")
    if lemma is None or lemma.get("partOfSpeech", "n") != "n":
        return
    form = lemma.get("writtenForm", "")
    for sense in node.iterfind("{*}Sense"):
        words[sense.get("synset", "")].append((form, next_rank[language, form], language))
        next_rank[language, form] += 1


def _synset(node: ElementTree.Element, builder: OntologyBuilder, part_of: list[tuple[str, str]]) -> None:
    identifier = node.get("id", "")
    builder.ids.append(identifier)
    assert builder.definitions is not None
    definition = node.find("{*}Definition")
    builder.definitions.append("" if definition is None else re.sub(r"\s+", " ", definition.text or "").strip())
    for relation in node.iterfind("{*}SynsetRelation"):
        kind, target = relation.get("relType", ""), relation.get("target", "")
        if kind in ("hypernym", "instance_hypernym"):
            builder.child.append(identifier)
            builder.parent.append(target)
            if kind == "instance_hypernym":
                builder.instances.add(len(builder.ids) - 1)
        elif kind in _WHOLE:
            part_of.append((identifier, target))
