"""Countries in the regions of the United Nations' standard M49, with ISO codes and names in many languages.

The regions are those of CLDR (territoryContainment), which follows M49. What M49 has and CLDR lacks is declared here:
see https://unstats.un.org/unsd/methodology/m49/.

Countries are concepts, not named individuals: they are the values that columns contain and that masking may write.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from xml.etree import ElementTree

from allonym.ontology.catalog.entry import CatalogEntry
from allonym.ontology.catalog.package import Package
from allonym.ontology.catalog.sources.names import (
    TAGS,
    Name,
    Translations,
    cldr_names,
    codes,
    names_of,
    usual_order,
    variants,
)
from allonym.ontology.lexicon import Entry
from allonym.ontology.readers.builder import OntologyBuilder
from allonym.ontology.taxonomy import Taxonomy

CLDR = "language_data/data/supplementalData.xml"
WORLD = "001"
GROUPS_OF_M49 = ("202", "419")  # groups of CLDR that are regions of M49; other groups overlap with regions
NORTH_AMERICA = "003"  # overlaps with 419: it is placed under the Americas, with no country below it
NOT_OF_CLDR = {"830": ("154", ("GG", "JE"))}  # a region of M49, its parent and its countries
NOT_IN_A_REGION = ("AQ",)  # M49 has Antarctica directly under the world
KOSOVO = "XK"  # not in M49, but in CLDR
PARTS_OF_COUNTRIES = {"GB": ("GB-ENG", "GB-NIR", "GB-SCT", "GB-WLS")}  # which many columns list as countries
ENGLISH = {
    WORLD: "World", "002": "Africa", "003": "North America", "005": "South America", "009": "Oceania",
    "011": "Western Africa", "013": "Central America", "014": "Eastern Africa", "015": "Northern Africa",
    "017": "Middle Africa",
    "018": "Southern Africa", "019": "Americas", "021": "Northern America", "029": "Caribbean", "030": "Eastern Asia",
    "034": "Southern Asia", "035": "South-eastern Asia", "039": "Southern Europe", "053": "Australia and New Zealand",
    "054": "Melanesia", "057": "Micronesia", "061": "Polynesia", "142": "Asia", "143": "Central Asia",
    "145": "Western Asia", "150": "Europe", "151": "Eastern Europe", "154": "Northern Europe", "155": "Western Europe",
    "202": "Sub-Saharan Africa", "419": "Latin America and the Caribbean", "830": "Channel Islands",
}  # fmt: skip
OFFICIAL = {  # names of M49 where CLDR names something else, or nothing
    "053": {"fr": "Australie et Nouvelle-Zélande", "es": "Australia y Nueva Zelandia", "zh": "澳大利亚和新西兰",
            "ru": "Австралия и Новая Зеландия", "ar": "أستراليا ونيوزيلندا", "de": "Australien und Neuseeland"},
    "202": {"ru": "Африка к югу от Сахары"},
    "419": {"fr": "Amérique latine et Caraïbes", "es": "América Latina y el Caribe", "zh": "拉丁美洲和加勒比",
            "ru": "Латинская Америка и Карибский бассейн", "ar": "أمريكا اللاتينية ومنطقة البحر الكاريبي",
            "de": "Lateinamerika und Karibik"},
    "830": {"fr": "Îles Anglo-Normandes", "es": "Islas del Canal", "ru": "Нормандские острова", "zh": "海峡群岛",
            "ar": "جزر القنال", "de": "Kanalinseln"},
}  # fmt: skip
# the region of former countries whose area belongs to several countries now, where CLDR has none
FORMER = {"CSHH": "151", "FQHH": WORLD, "GEHH": "009", "PCHH": "057"}
NAME = 1  # rank of names among the senses of a form; codes have 0
_CODE = re.compile(r"\d{3}|[A-Z]{2}")
_COMMA = re.compile(r"\s*[,،]\s*")


@dataclass
class World:
    """The regions and countries of M49 as an ontology that is being built."""

    iso: Package
    cldr: Package
    all_codes: bool = True  # whether codes with two letters, and codes of digits, are notations
    builder: OntologyBuilder = field(default_factory=lambda: OntologyBuilder(labels=[], labels_are_words=False))
    concept: dict[str, int] = field(default_factory=dict)  # by two-letter code, or by the id of what is no country
    _named: set[tuple[str, str]] = field(default_factory=set)  # concepts with the languages they have names in

    @cached_property
    def _names(self) -> dict[str, dict[str, str]]:
        return cldr_names(self.cldr, _CODE)

    @cached_property
    def _data(self) -> ElementTree.Element:
        return ElementTree.fromstring(self.cldr.read(CLDR).text())

    @cached_property
    def countries(self) -> list[dict[str, str]]:
        """The rows of ISO 3166-1."""
        return codes(self.iso, "3166-1")

    @cached_property
    def population(self) -> dict[str, int]:
        """The population of each country, by its two-letter code."""
        rows = self._data.iterfind("territoryInfo/territory")
        return {row.get("type", ""): int(float(row.get("population", 0))) for row in rows}

    @cached_property
    def parent(self) -> dict[str, str]:
        """The region above each region and country, also of those former countries that CLDR places."""
        above: dict[str, str] = {}
        groups = list(self._data.iterfind("territoryContainment/group"))
        for group in [x for x in groups if not x.get("grouping")] + [x for x in groups if x.get("grouping")]:
            region, status = group.get("type", ""), group.get("status")
            if region not in ENGLISH or (group.get("grouping") and region not in GROUPS_OF_M49):
                continue
            for part in group.get("contains", "").split():
                if status != "grouping" or part in (*GROUPS_OF_M49, NORTH_AMERICA):
                    above[part] = region
        for region, (higher, parts) in NOT_OF_CLDR.items():
            above |= {region: higher} | dict.fromkeys(parts, region)
        if not above.keys() >= ENGLISH.keys() - {WORLD}:
            raise self.cldr.changed("regions of M49 in territoryContainment")
        return above | dict.fromkeys(NOT_IN_A_REGION, WORLD)

    def add(self, key: str, id: str, parent: int | None, label: str, names: list[Name]) -> int:
        """Add a concept with its names; those of populous countries come first among equal names."""
        builder = self.builder
        concept = self.concept[key] = len(builder.ids)
        assert builder.labels is not None
        builder.labels.append(label)
        builder.ids.append(id)
        builder.child.append(id)
        builder.parent.append("" if parent is None else builder.ids[parent])
        self.name(key, names)
        self.name(key, [Name(label, "")])  # English names are used in tables of every language
        return concept

    def name(self, key: str, names: list[Name]) -> None:
        """Add names to a concept; the first one of a language is preferred. Codes come before names that equal them."""
        people = self.population.get(key, 0)
        concept = self.concept[key]
        for x in names:
            preferred = x.preferred or (bool(x.language) and (key, x.language) not in self._named)
            self._named.add((key, x.language))
            self.builder.words.append(Entry(x.text, concept, NAME, people, x.language, preferred))

    def notations(self, key: str, forms: Iterable[str], *, preferred: bool = True) -> None:
        """Add codes to a concept: preferred ones, of which columns are written, or old and other ones."""
        concept = self.concept[key]
        forms = [x for x in forms if x and (self.all_codes or (len(x) > 2 and not x.isdecimal()))]
        self.builder.words += [Entry(x, concept, notation=True, preferred=preferred) for x in forms]

    def build(self) -> None:
        """Add regions, countries, their parts and former countries."""
        self._add_regions()
        self._add_countries()
        self._add_parts()
        self._add_former()
        for row in csv.DictReader(_aliases()):
            if not row["language"]:
                self.notations(row["code"], [row["alias"]], preferred=False)
            else:
                self.name(row["code"], [Name(x, row["language"]) for x in variants(row["alias"])])

    def _add_regions(self) -> None:
        untranslated = Translations(self.iso, "none")
        for region in sorted(ENGLISH, key=lambda x: len(self._path(x))):
            cldr = self._names.get(region, {})
            names = names_of(ENGLISH[region], [], untranslated, cldr | OFFICIAL.get(region, {}))
            names += [Name(cldr[tag], tag) for tag in OFFICIAL.get(region, {}) if tag in cldr]
            above = self.concept[self.parent[region]] if region != WORLD else None
            self.add(region, region, above, ENGLISH[region], names)
            self.notations(region, [region])

    def _path(self, region: str) -> list[str]:
        return [region] if region == WORLD else [*self._path(self.parent[region]), region]

    def _add_countries(self) -> None:
        translations = Translations(self.iso, "3166-1")
        for row in self.countries:
            code, numeric, label = (
                row["alpha_2"],
                row["numeric"],
                english_label(row, self._names.get(row["alpha_2"], {})),
            )
            english = [row.get("common_name", ""), row["name"], row.get("official_name", "")]
            names = names_of(label, english, translations, self._names.get(code, {}))
            names += [Name(form, "en") for x in (label, *english) if x for form in (f"the {x}", f"{x} (the)")]
            self.add(code, numeric, self.concept[self.parent[code]], label, names)
            self.notations(code, [numeric, row["alpha_3"], code])
            self.notations(code, {numeric.lstrip("0")} - {numeric}, preferred=False)
        names = names_of("Kosovo", [], translations, self._names[KOSOVO])
        self.add(KOSOVO, KOSOVO, self.concept[self.parent[KOSOVO]], "Kosovo", names)
        self.notations(KOSOVO, ["XKX", KOSOVO])

    def _add_parts(self) -> None:
        rows = {row["code"]: row["name"] for row in codes(self.iso, "3166-2")}
        translations = Translations(self.iso, "3166-2")
        for country, parts in PARTS_OF_COUNTRIES.items():
            for code in parts:
                label = rows[code].partition(" [")[0]
                self.add(code, code, self.concept[country], label, names_of(label, [rows[code]], translations, {}))
                self.notations(code, [code])
                self.notations(code, [code.partition("-")[2]], preferred=False)

    def _add_former(self) -> None:
        """Add former countries; one that has the code of a country of today is that country under another name."""
        translations = Translations(self.iso, "3166-3")
        today = {row["numeric"]: row["alpha_2"] for row in self.countries}
        used = {x.form for x in self.builder.words if x.notation} | {row["alpha_2"] for row in self.countries}
        taken = {(_letters(x.form), x.language) for x in self.builder.words}
        for row in codes(self.iso, "3166-3"):
            code, key = row["alpha_2"], today.get(row.get("numeric", ""), row["alpha_4"])
            names = _former_names(row["name"], translations, taken)
            if key not in self.concept:
                cldr = self._names.get(code, {}).get("en") if code not in used and key not in FORMER else None
                label = cldr or next(x.text for x in names if x.language == "en")
                self.add(key, key, self.concept[self._region_of(row)], label, [Name(label, "en")])
            self.name(key, names)
            forms = [row["alpha_3"], code, row["alpha_4"], row.get("numeric", "")]
            forms = [x for x in forms if x not in used]
            used.update(forms)
            self.notations(key, forms, preferred=key == row["alpha_4"])

    def _region_of(self, row: dict[str, str]) -> str:
        """Return the smallest region of a former country: as declared, of the country it is part of, or of CLDR."""
        successor = row["alpha_4"][2:]
        return FORMER.get(row["alpha_4"]) or self.parent.get(successor) or self.parent[row["alpha_2"]]


def english_label(row: dict[str, str], cldr: dict[str, str]) -> str:
    """Return the usual English name of a country: `Iran`, not `Iran, Islamic Republic of`."""
    name = row.get("common_name", row["name"])
    if name.endswith(")") and "en" in cldr:
        return cldr["en"]
    if "," in name:
        inverted = name.endswith((" of", " the"))  # else it is a list: Saint Helena, Ascension and Tristan da Cunha
        name = row.get("official_name") or (usual_order(name).removeprefix("The ") if inverted else name)
    return name.removeprefix("the ")


def _former_names(name: str, translations: Translations, taken: set[tuple[str, str]]) -> list[Name]:
    """Return the names of a former country; what is before a comma is its short name, unless it is taken."""
    found = []
    for tag in TAGS:
        text = name if tag == "en" else translations.of(name, tag)
        short, *rest = _COMMA.split(text)
        others = rest if len(rest) == 1 and (rest[0][-4:].isalpha() or rest[0].split()[-1][0].isupper()) else []
        forms = [form for each in (short, usual_order(text), *others, text) for form in variants(each)]
        found += [Name(form, tag) for form in forms if (_letters(form), tag) not in taken]
    return list(dict.fromkeys(found))


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()


def _aliases() -> list[str]:
    return (Path(__file__).parents[2] / "data" / "country_aliases.csv").read_text("utf-8").splitlines()


def read(package: Package) -> Taxonomy:
    """Read regions and countries."""
    world = World(package, package.others["language-data"])
    world.build()
    return replace(world.builder.build(package.read("pycountry/databases/iso3166-1.json")), proper_names=True)


ENTRIES = {
    "m49": CatalogEntry(
        name="m49",
        title="Countries and UN M49 regions",
        purpose="countries and regions of the world",
        family="places",
        publisher="United Nations Statistics Division; ISO 3166; Unicode CLDR",
        url="https://unstats.un.org/unsd/methodology/m49/",
        licence="LGPL-2.1 (codes and names, Debian iso-codes); Unicode-3.0 (regions and names, CLDR); MIT (some names, "
        "hdx-python-country)",
        languages=TAGS,
        concepts=307,
        packages=("pycountry", "language-data"),
        extra="places",
        read=read,
    )
}
