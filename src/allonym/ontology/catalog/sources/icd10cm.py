"""ICD-10-CM, the clinical modification of ICD-10 for the United States, as the package simple-icd-10-cm contains it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from xml.etree.ElementTree import Element, fromstring

from allonym.ontology.catalog.entry import CatalogEntry
from allonym.ontology.catalog.package import Package
from allonym.ontology.catalog.sources.icd import Classification, as_range
from allonym.ontology.taxonomy import Taxonomy

MAX_WORDS = 10  # of an inclusion term; longer ones are remarks
LENGTH_EXTENDED = 7  # characters of a code with an extension
DOT_AFTER = 3
_FOLDER = "simple_icd_10_cm/data"
_RANGE = re.compile(r"\s*\((\w{3}(?:-\w{3})?)\)$")
_REFERENCE = re.compile(r"\s*\([A-Z]\d[^()]*\)")
_REMARK = re.compile(r"(any|the|code|use|conditions?|that|those|list) |.*(:$|classifi(ed|able))", re.IGNORECASE)
_RELEASE = re.compile(r"(January|April|October)-(?:\d+-)?(\d{4})")


def read(package: Package) -> Taxonomy:
    """Read the tabular list: inclusion terms are synonyms, and codes with a seventh character are concepts."""
    file = package.read(package.find_one(_FOLDER, "*.xml"))
    codes = frozenset(package.read(package.find_one(_FOLDER, "*.txt")).text().split())
    tree = fromstring(file.content)
    classification = Classification()
    for chapter in tree.iterfind("chapter"):
        label, code = _label_and_range(chapter.findtext("desc", ""))
        number = f"Chapter {chapter.findtext('name', '')}"
        _add_blocks(classification, chapter, classification.add(code, label, None, [number]), codes)
    release = _RELEASE.search(file.path.name)
    version = f"{release[1]} {release[2]}" if release else tree.findtext("version", "")
    return classification.build(file, f"{version} ({package.name} {package.version})")


def names_by_code(package: Package) -> dict[str, list[str]]:
    """Return the label and then the inclusion terms of every category, by its code."""
    tree = fromstring(package.read(package.find_one(_FOLDER, "*.xml")).content)
    return {x.findtext("name", ""): [x.findtext("desc", ""), *_synonyms(x)] for x in tree.iter("diag")}


def _label_and_range(text: str) -> tuple[str, str]:
    """Split "Tuberculosis (A15-A19)"."""
    found = _RANGE.search(text)
    return (text[: found.start()], as_range(found[1])) if found else (text, text)


def _add_blocks(classification: Classification, chapter: Element, above: int, codes: frozenset[str]) -> None:
    """Add the blocks of a chapter, each below the smallest one that contains it, and their categories."""
    ranges: dict[str, int] = {}
    for block in chapter.iterfind("section"):
        code = as_range(block.get("id", ""))
        containing = [x for x in ranges if _contains(x, code)]
        smallest = [x for x in containing if not any(_contains(x, other) for other in containing)]
        parent = ranges[smallest[0]] if smallest else above
        ranges[code] = concept = classification.add(code, _label_and_range(block.findtext("desc", ""))[0], parent)
        for category in block.iterfind("diag"):
            _add(classification, category, concept, codes, {})


def _contains(block: str, other: str) -> bool:
    (low, high), (other_low, other_high) = block.split("-"), other.split("-")
    return block != other and low <= other_low and other_high <= high


def _add(
    classification: Classification, item: Element, parent: int, codes: frozenset[str], extensions: Mapping[str, str]
) -> None:
    code, label = item.findtext("name", "").strip(), item.findtext("desc", "").strip()
    concept = classification.add(code, label, parent, _synonyms(item))
    own = {x.get("char", ""): (x.text or "").strip() for x in item.iterfind("sevenChrDef/extension")}
    extensions = own or extensions
    below = list(item.iterfind("diag"))
    for category in below:
        _add(classification, category, concept, codes, extensions)
    if not below:
        padded = code.replace(".", "").ljust(LENGTH_EXTENDED - 1, "X")
        for character, meaning in extensions.items():
            if padded + character in codes and len(padded) < LENGTH_EXTENDED:
                extended = f"{padded[:DOT_AFTER]}.{padded[DOT_AFTER:]}{character}"
                classification.add(extended, f"{label}, {meaning}", concept, is_extension=True)


def _synonyms(item: Element) -> Iterator[str]:
    """Yield the inclusion terms of a category that are names, without references to other codes.

    A category of complications of "diseases classified elsewhere" does not repeat that in its inclusion terms.
    """
    if "classified elsewhere" in item.findtext("desc", ""):
        return
    for tag in ("inclusionTerm/note", "includes/note"):
        for note in item.iterfind(tag):
            text = _REFERENCE.sub("", " ".join((note.text or "").split()))
            if text and len(text.split()) <= MAX_WORDS and not _REMARK.match(text):
                yield text


ENTRIES = {
    "icd10cm": CatalogEntry(
        name="icd10cm",
        title="ICD-10-CM",
        purpose="diagnoses as coded in the United States",
        family="health",
        publisher="National Center for Health Statistics (United States)",
        url="https://www.cdc.gov/nchs/icd/icd-10-cm/files.html",
        licence="public domain in the United States; based on ICD-10, © World Health Organization",
        languages=("en",),
        concepts=98_506,
        packages=("simple-icd-10-cm",),
        extra="health",
        read=read,
    )
}
