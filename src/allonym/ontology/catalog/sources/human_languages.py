"""Human languages in their families, with ISO 639 codes and names in many languages.

The families are those of ISO 639-5 (`language_families.csv`, written by hand: the parent of each, and the families and
languages of Wiktionary that belong to it). A language is below its
macrolanguage, else below the family that Wiktionary states. Languages of which neither is known are left out, unless
CLDR names them in several languages: they are directly below the root, as isolates are.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from allonym.ontology.catalog.entry import CatalogEntry
from allonym.ontology.catalog.package import Package
from allonym.ontology.catalog.sources.names import (
    TAGS,
    Name,
    Translations,
    cldr_names,
    codes,
    names_of,
    variants,
)
from allonym.ontology.lexicon import Entry, key
from allonym.ontology.readers.builder import OntologyBuilder
from allonym.ontology.taxonomy import Taxonomy

ROOT = "mul"  # the code of ISO 639-2 for multiple languages
ROOT_NAMES = {"en": "Languages", "ar": "لغات", "de": "Sprachen", "es": "lenguas", "fr": "langues", "it": "lingue",
              "nl": "talen", "pt": "línguas", "ru": "языки", "zh": "语言"}  # fmt: skip
NAME, OTHER_NAME = 1, 2  # ranks of names among the senses of a form; codes have 0
NAMED_BY_CLDR = 5  # languages in which CLDR names a language that is well known
REGISTRY = "language_data/data/language-subtag-registry.txt"
WIKTIONARY = "language_data/data/wiktionary/codes-en.csv"
SPEAKERS = "language_data/population_data.py"
_CODE = re.compile(r"[a-z]{2,3}")
_SPEAKERS = re.compile(r"^    '([a-z]{2,3})': (\d+),$", re.MULTILINE)
_FAMILY = re.compile(r" (languages|\(family\))$")


@dataclass
class Languages:
    """Families and languages as an ontology that is being built."""

    iso: Package
    cldr: Package
    builder: OntologyBuilder = field(default_factory=lambda: OntologyBuilder(labels=[], labels_are_words=False))
    concept: dict[str, int] = field(default_factory=dict)  # by the code with three letters

    @cached_property
    def rows(self) -> dict[str, dict[str, str]]:
        """The rows of ISO 639-3 by code, without codes for anything but a language."""
        return {row["alpha_3"]: row for row in codes(self.iso, "639-3") if row["scope"] != "S"}

    @cached_property
    def _code(self) -> dict[str, str]:
        """The code with three letters, by each code of a language."""
        return {code: code for code in self.rows} | {x["alpha_2"]: c for c, x in self.rows.items() if "alpha_2" in x}

    @cached_property
    def _cldr(self) -> dict[str, dict[str, str]]:
        return {self._code.get(code, code): names for code, names in cldr_names(self.cldr, _CODE).items()}

    @cached_property
    def _speakers(self) -> dict[str, int]:
        text = self.cldr.read(SPEAKERS).text().partition("LANGUAGE_WRITING_POPULATION")[0]
        return {self._code.get(code, code): int(people) for code, people in _SPEAKERS.findall(text)}

    @cached_property
    def _wiktionary(self) -> dict[str, list[str]]:
        """The rows of Wiktionary: code, name, family, scripts, other names."""
        rows = csv.reader(self.cldr.read(WIKTIONARY).text().splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
        return {self._code[row[0]]: row for row in rows if row and row[0] in self._code}

    @cached_property
    def _macrolanguage(self) -> dict[str, str]:
        found = {}
        for record in self.cldr.read(REGISTRY).text().split("%%"):
            values = dict(line.split(": ", 1) for line in record.strip().splitlines() if ": " in line)
            code, whole = self._code.get(values.get("Subtag", "")), self._code.get(values.get("Macrolanguage", ""))
            if values.get("Type") == "language" and code and whole:
                found[code] = whole
        return found

    def build(self) -> None:
        """Add the root, the families and the languages."""
        self._add(ROOT, "", ROOT_NAMES["en"], [Name(name, tag, True) for tag, name in ROOT_NAMES.items()])
        family_of = self._add_families()
        parents = {code: parent for code in self.rows if (parent := self._parent(code, family_of)) is not None}
        labels = {code: self._cldr.get(code, {}).get("en") or row["name"] for code, row in self.rows.items()}
        taken = {key(labels[code]) for code in parents}
        translations = Translations(self.iso, "639-3")
        for code in sorted(parents, key=lambda c: (self._macrolanguage.get(c, "") in parents, c)):
            row, other_names = self.rows[code], self._wiktionary.get(code, ["", "", "", "", ""])
            english = [row["name"], row.get("common_name", ""), row.get("inverted_name", "")]
            names = names_of(labels[code], english, translations, self._cldr.get(code, {}))
            self._add(code, parents[code], labels[code], names)
            others = [other_names[1], *(x.strip() for x in other_names[4].split(","))]
            others = [x for x in others if x and key(x) not in taken]
            self._words(code, [Name(form, "en") for x in others for form in variants(x)], OTHER_NAME)
            if "alpha_2" in row or self._is_well_known(code):  # other words of three letters are no codes
                self._notations(code, [code, row.get("alpha_2", ""), row.get("bibliographic", "")])

    def _parent(self, code: str, family_of: dict[str, str]) -> str | None:
        """Return the macrolanguage or the family of a language; None, if it is left out."""
        whole = self._macrolanguage.get(code)
        if whole and self._parent(whole, family_of) is not None:
            return whole
        family = self._wiktionary.get(code, ["", "", ""])[2]
        known = family_of.get(code) or family_of.get(family.lower())
        return ROOT if known is None and (family or self._is_well_known(code)) else known

    def _is_well_known(self, code: str) -> bool:
        return len(self._cldr.get(code, {})) >= NAMED_BY_CLDR

    def _add_families(self) -> dict[str, str]:
        """Add the families of ISO 639-5; return the family of the families of Wiktionary, and of some languages."""
        iso = {row["alpha_3"]: row["name"] for row in codes(self.iso, "639-5")}
        translations = Translations(self.iso, "639-5")
        path = Path(__file__).parents[2] / "data" / "language_families.csv"
        families = {row["family"]: row for row in csv.DictReader(path.read_text("utf-8").splitlines())}
        family_of: dict[str, str] = {}
        for code in sorted(families, key=lambda x: len(_path(x, families))):
            name = iso[code]
            label = f"{_FAMILY.sub('', name)} languages" if _FAMILY.search(name) else name
            own_names = {tag: families[code][tag] for tag in ("es", "ar")}  # not translated in iso-codes
            names = names_of(label[0].upper() + label[1:], [name], translations, own_names)
            names = [_in_usual_order(x) for x in names]
            self._add(code, families[code]["parent"] or ROOT, names[0].text, names)
            self._words(code, [Name(_FAMILY.sub("", name), "en")], OTHER_NAME)
            self._notations(code, [code])
            own = [x for x in families[code]["names"].split("|") if x]
            family_of |= {x.lower(): code for x in (_FAMILY.sub("", name), *own, *families[code]["languages"].split())}
        return family_of

    def _add(self, code: str, parent: str, label: str, names: list[Name]) -> None:
        builder = self.builder
        self.concept[code] = len(builder.ids)
        assert builder.labels is not None
        builder.labels.append(label)
        builder.ids.append(code)
        builder.child.append(code)
        builder.parent.append(parent)
        self._words(code, [*names, Name(label, "")])  # English names are used in tables of every language

    def _words(self, code: str, names: list[Name], rank: int = NAME) -> None:
        concept, people = self.concept[code], self._speakers.get(code, 0)
        self.builder.words += [Entry(x.text, concept, rank, people, x.language, x.preferred) for x in names]

    def _notations(self, code: str, forms: list[str]) -> None:
        concept = self.concept[code]
        self.builder.words += [Entry(x, concept, notation=True, preferred=x == code) for x in forms if x]


def _in_usual_order(name: Name) -> Name:
    """Return a preferred name that is inverted, `Germaniques, langues`, as `langues germaniques`."""
    before, comma, after = name.text.partition(", ")
    inverted = name.preferred and comma and name.language != "en" and " " not in after
    return Name(f"{after} {before[:1].lower()}{before[1:]}", name.language, True) if inverted else name


def _path(code: str, families: dict[str, dict[str, str]]) -> list[str]:
    return [*_path(families[code]["parent"], families), code] if code else []


def read(package: Package) -> Taxonomy:
    """Read families and languages."""
    languages = Languages(package, package.others["language-data"])
    languages.build()
    return replace(languages.builder.build(package.read("pycountry/databases/iso639-3.json")), proper_names=True)


ENTRIES = {
    "languages": CatalogEntry(
        name="languages",
        title="Languages in their families",
        purpose="human languages",
        family="places",
        publisher="ISO 639, Unicode CLDR and Wiktionary",
        url="https://www.loc.gov/standards/iso639-5/",
        licence="LGPL-2.1 (codes and names, Debian iso-codes); Unicode-3.0 (names, CLDR); CC BY-SA 4.0 (families and "
        "other names, Wiktionary)",
        languages=TAGS,
        concepts=4_540,
        packages=("pycountry", "language-data"),
        extra="places",
        read=read,
        attribution="Codes and names by ISO 639, Unicode CLDR and Wiktionary; families by contributors to Wiktionary, "
        "https://en.wiktionary.org/wiki/Wiktionary:List_of_languages, licensed under CC BY-SA 4.0.",
    )
}
