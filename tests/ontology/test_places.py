"""Countries and regions: the tree of M49, codes, names in many languages, masking in the language of the column."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest
from commands import call

import allonym as al
from allonym.kinds.linking import concept_style, concept_writer
from allonym.ontology.linking.link import Link, link

PATHS = {
    "Germany": ["Western Europe", "Europe", "World"],
    "Kenya": ["Eastern Africa", "Sub-Saharan Africa", "Africa", "World"],
    "Brazil": ["South America", "Latin America and the Caribbean", "Americas", "World"],
    "Egypt": ["Northern Africa", "Africa", "World"],
    "Jersey": ["Channel Islands", "Northern Europe", "Europe", "World"],
    "Antarctica": ["World"],
    "England": ["United Kingdom", "Northern Europe", "Europe", "World"],
    "Soviet Union": ["Eastern Europe", "Europe", "World"],
    "Yugoslavia": ["Southern Europe", "Europe", "World"],
    "Czechoslovakia": ["Eastern Europe", "Europe", "World"],
    "East Germany": ["Western Europe", "Europe", "World"],
    "Kosovo": ["Southern Europe", "Europe", "World"],
    "North America": ["Americas", "World"],
}
SIX_LANGUAGES = {
    "en": ["Germany", "Ivory Coast", "South Korea", "United Kingdom", "Western Europe"],
    "fr": ["Allemagne", "Côte d'Ivoire", "Corée du Sud", "Royaume-Uni", "Europe de l'Ouest"],
    "es": ["Alemania", "Costa de Marfil", "Corea del Sur", "Reino Unido", "Europa occidental"],
    "ru": ["Германия", "Кот-д’Ивуар", "Южная Корея", "Великобритания", "Западная Европа"],
    "zh": ["德国", "科特迪瓦", "韩国", "英国", "西欧"],
    "ar": ["ألمانيا", "كوت ديفوار", "كوريا الجنوبية", "المملكة المتحدة", "غرب أوروبا"],
    "de": ["Deutschland", "Elfenbeinküste", "Südkorea", "Großbritannien", "Westeuropa"],
}
CODES = ["DEU", "CIV", "KOR", "GBR", "155"]
SAME = {
    "Germany": ["DE", "DEU", "276", "germany", "GERMANY", "the Federal Republic of Germany"],
    "United States": ["US", "USA", "840", "U.S.", "U.S.A.", "United States of America", "United-States"],
    "United Kingdom": ["UK", "GB", "GBR", "Great Britain", "Britain", "U.K."],
    "Myanmar": ["Burma", "MM", "BUR"],
    "Netherlands": ["Holland", "NL", "NLD", "528"],
    "Czechia": ["Czech Republic", "CZ"],
    "Russian Federation": ["Russia", "RUS"],
    "Bolivia": ["Bolivia, Plurinational State of", "Bolivia (Plurinational State of)"],
    "Democratic Republic of the Congo": ["Zaire", "DR Congo", "COD"],
    "Bahamas": ["The Bahamas", "Bahamas (the)"],
    "Côte d'Ivoire": ["Cote d'Ivoire", "Ivory Coast"],
    "Australia": ["036", "36", "AUS"],
}  # fmt: skip


def linked(texts: list[str], name: str = "m49", language: str = "en") -> list[Link]:
    return link(texts, al.ontology(name), language=language, suggest=False)


def test_least_common_subsumers_are_regions() -> None:
    m49 = al.ontology("m49").taxonomy
    for one, other, region in [
        ("Germany", "France", "Western Europe"),
        ("Kenya", "Nigeria", "Sub-Saharan Africa"),
        ("Kenya", "Egypt", "Africa"),
        ("Brazil", "Mexico", "Latin America and the Caribbean"),
        ("Brazil", "Canada", "Americas"),
        ("Germany", "Japan", "World"),
    ]:
        assert [m49.labels[c] for c in m49.lcs(m49.code(one), m49.code(other))] == [region]


@pytest.mark.parametrize("country", PATHS)
def test_regions_of_countries(country: str) -> None:
    m49 = al.ontology("m49").taxonomy
    assert [m49.labels[c] for c in m49.path(m49.code(country, "en"))[1:]] == PATHS[country]


def test_every_country_is_below_a_region_and_the_tree_is_a_tree() -> None:
    m49 = al.ontology("m49").taxonomy
    assert m49.is_tree
    assert m49.labels[m49.root] == "World"
    assert len(set(m49.labels)) == len(m49)
    assert not m49.instances.any()


@pytest.mark.parametrize("language", SIX_LANGUAGES)
def test_names_in_many_languages_are_one_concept(language: str) -> None:
    m49 = al.ontology("m49").taxonomy
    links = linked(SIX_LANGUAGES[language], language=language)
    assert [x.concept for x in links] == [m49.code(code) for code in CODES]
    assert {x.status for x in links} == {"sure"}


@pytest.mark.parametrize("language", ["ar", "de", "en", "es", "fr", "it", "nl", "pt", "ru", "zh"])
def test_every_country_has_a_preferred_name_that_is_linked_to_it(language: str) -> None:
    m49 = al.ontology("m49").taxonomy
    words = m49.lexicon
    countries = [c for c, id in enumerate(m49.ids) if id.isdecimal() and m49.is_leaf[c]]
    names = {c: words.preferred_term(c, language) for c in countries}
    assert all(names.values())
    found = {x.value: x for x in linked([x for x in names.values() if x], language=language)}
    wrong = [name for c, name in names.items() if name and found[name].concept != c]
    assert len(wrong) <= 2, wrong


@pytest.mark.parametrize("label", SAME)
def test_codes_aliases_and_former_names_are_sure(label: str) -> None:
    m49 = al.ontology("m49").taxonomy
    for x in linked(SAME[label]):
        assert x.concept is not None, x.value
        assert (m49.labels[x.concept], x.status) == (label, "sure"), x.value


def test_misspelt_countries_are_corrected_to_words_of_their_language() -> None:
    m49 = al.ontology("m49").taxonomy
    for text, label in [("Columbia", "Colombia"), ("Germny", "Germany"), ("Nigerea", "Nigeria")]:
        [x] = linked([text])
        assert x.concept is not None
        assert (m49.labels[x.concept], x.status) == (label, "review")


@pytest.mark.parametrize(
    ("text", "name"),
    [("Middle East", "m49"), ("Nowhereville", "geonames"), ("Abroad", "geonames"), ("Martian", "languages")],
)
def test_values_that_only_look_like_names_are_not_linked_without_review(text: str, name: str) -> None:
    [x] = linked([text], name)
    assert x.status != "sure"


def test_suggestions_are_words_of_the_language_of_the_column() -> None:
    m49 = al.ontology("m49")
    for text in ("Suedkorea", "Republik of Germany"):
        [x] = link([text], m49)
        english = {form for c in range(len(m49.taxonomy)) for form in m49.taxonomy.lexicon.terms(c, "en")}
        assert set(x.suggestions) <= english


def test_a_french_column_is_masked_in_french(tmp_path: Path) -> None:
    countries = [
        "Allemagne",
        "Belgique",
        "Pays-Bas",
        "Autriche",
        "Kenya",
        "Ouganda",
        "Rwanda",
        "Brésil",
        "Chili",
        "Pérou",
    ]
    rows = [(countries[i % 9], str(20 + i % 7)) for i in range(63)]
    with (tmp_path / "in.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("pays", "age"), *rows])
    plan, output = tmp_path / "plan.toml", tmp_path / "out.csv"
    columns = {"pays": al.quasi("m49", language="fr"), "age": al.quasi("numeric")}
    al.Plan(columns=columns, k=5, seed=1).save(plan)
    done = call("mask", str(tmp_path / "in.csv"), "--plan", str(plan), "--represent", "subsumer", "-o", str(output))
    assert done.returncode == 0, done.stderr
    with output.open(encoding="utf-8", newline="") as file:
        masked = [tuple(row) for row in csv.reader(file)][1:]
    assert min(Counter(masked).values()) >= 5
    m49 = al.ontology("m49").taxonomy
    written = {country for country, _ in masked}
    french = {m49.lexicon.preferred_term(c, "fr") for c in range(len(m49))}
    assert written - set(countries), "regions are written"
    assert written <= french


@pytest.mark.parametrize(
    "column",
    [
        ["DE", "GR", "MM", "VU", "ZW", "GB"],
        ["DEU", "GRC", "MMR", "VUT", "ZWE", "GBR"],
        ["276", "300", "104", "548", "036"],
    ],
)
def test_codes_are_written_as_the_column_writes_them(column: list[str]) -> None:
    m49 = al.ontology("m49")
    links = {x.value: x for x in linked(column)}
    write = concept_writer(m49.taxonomy, concept_style(links, m49))
    assert [write(links[x].concept or 0) for x in column] == column
    assert write(m49.taxonomy.code("Western Europe")) == "155"


CITY_PATHS = {
    "Munich": ["Germany", "Western Europe", "Europe", "World"],
    "Paris": ["France", "Western Europe", "Europe", "World"],
    "Paris, Texas": ["Texas", "United States", "Northern America", "Americas", "World"],
    "Los Angeles County, CA": ["California", "United States", "Northern America", "Americas", "World"],
    "Edinburgh": ["Scotland", "United Kingdom", "Northern Europe", "Europe", "World"],
    "Zürich": ["Zürich", "Switzerland", "Western Europe", "Europe", "World"],
    "Nairobi": ["Kenya", "Eastern Africa", "Sub-Saharan Africa", "Africa", "World"],
}
SAME_CITY = {
    "Munich": ["München", "Munich, Germany", "Munchen", "MUNICH"],
    "Köln": ["Cologne", "Koln"],
    "Moscow": ["Москва", "Moskva"],
    "Beijing": ["Peking", "北京"],
    "São Paulo": ["Sao Paulo"],
    "California": ["CA", "US-CA", "california"],
    "New York": ["NY", "US-NY"],
    "Germany": ["DEU", "Germany"],
    "Singapore": ["SGP"],
    "Los Angeles County, California": ["06037", "Los Angeles County", "Los Angeles County, CA"],
    "Springfield, Illinois": ["Springfield, IL"],
}


@pytest.mark.parametrize("city", CITY_PATHS)
def test_cities_lie_in_areas_countries_and_regions(city: str) -> None:
    geonames = al.ontology("geonames").taxonomy
    senses = geonames.senses(city)
    paths = [[geonames.labels[c] for c in geonames.path(concept)[1:]] for concept in senses]
    assert CITY_PATHS[city] in paths
    if city == "Paris":
        assert paths[0] == CITY_PATHS[city], "the most populous comes first"


@pytest.mark.parametrize("label", SAME_CITY)
def test_other_names_and_codes_of_places_are_sure(label: str) -> None:
    geonames = al.ontology("geonames").taxonomy
    for text in SAME_CITY[label]:
        [x] = linked([text], "geonames")
        assert x.concept is not None, text
        assert (geonames.labels[x.concept], x.status) == (label, "sure"), text


def test_two_letter_codes_are_states_not_countries() -> None:
    geonames = al.ontology("geonames").taxonomy
    links = linked(["CA", "GA", "IN", "DE", "AL", "MD"], "geonames")
    paths = [[geonames.labels[c] for c in geonames.path(x.concept or 0)] for x in links]
    assert all(path[1] == "United States" for path in paths)


def test_a_name_of_several_large_places_needs_review() -> None:
    for text in ("Springfield", "Washington County"):
        [x] = linked([text], "geonames")
        assert x.status == "review", text
        assert x.alternatives


def test_labels_of_places_are_unique_apart_from_states_and_areas() -> None:
    geonames = al.ontology("geonames").taxonomy
    repeated = [label for label, n in Counter(geonames.labels).items() if n > 1]
    assert set(repeated) <= {"Georgia", "Luxembourg"}
    assert geonames.is_tree


def test_a_column_of_cities_is_masked_by_their_regions(tmp_path: Path) -> None:
    cities = ["Munich", "Hamburg", "Lyon", "Marseille", "Osaka", "Kyoto", "Nairobi", "Kampala", "Austin", "Dallas"]
    with (tmp_path / "in.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("city",), *([x] for x in cities * 3)])
    output = tmp_path / "out.csv"
    options = ("--quasi", "city=geonames", "--k", "6", "--represent", "subsumer", "--seed", "1", "-o", str(output))
    done = call("mask", str(tmp_path / "in.csv"), *options)
    assert done.returncode == 0, done.stderr
    written = Counter(output.read_text(encoding="utf-8").split("\n")[1:-1])
    assert min(written.values()) >= 6
    assert {"Germany", "France", "Japan", "Eastern Africa", "Texas"} == set(written)


LANGUAGE_PATHS = {
    "German": ["West Germanic languages", "Germanic languages", "Indo-European languages", "Languages"],
    "French": ["Romance languages", "Italic languages", "Indo-European languages", "Languages"],
    "Cantonese": ["Chinese", "Chinese languages", "Sino-Tibetan languages", "Languages"],
    "Croatian": [
        "Serbo-Croatian",
        "South Slavic languages",
        "Slavic languages",
        "Indo-European languages",
        "Languages",
    ],
    "Arabic": ["Semitic languages", "Afro-Asiatic languages", "Languages"],
    "Swahili": ["Bantu languages", "Atlantic-Congo languages", "Niger-Kordofanian languages", "Languages"],
    "Korean": ["Languages"],
}


@pytest.mark.parametrize("language", LANGUAGE_PATHS)
def test_languages_are_below_their_families(language: str) -> None:
    languages = al.ontology("languages").taxonomy
    concept = languages.code(language, "en")
    assert [languages.labels[c] for c in languages.path(concept)[1:]] == LANGUAGE_PATHS[language]


def test_most_languages_have_a_family_and_every_common_one_is_there() -> None:
    languages = al.ontology("languages").taxonomy
    assert languages.is_tree
    with_two_letters = [c for c in range(len(languages)) if any(len(x) == 2 for x in languages.lexicon.notations(c))]
    assert len(with_two_letters) == 184
    isolated = [languages.labels[c] for c in with_two_letters if languages.root in languages.parents_of(c)]
    assert isolated == ["Korean"]
    assert len(languages.children_of(languages.root)) < 120


@pytest.mark.parametrize(
    ("text", "language", "code"),
    [
        ("de", "en", "deu"), ("ger", "en", "deu"), ("deu", "en", "deu"), ("Farsi", "en", "fas"),
        ("Mandarin", "en", "cmn"), ("Castilian", "en", "spa"), ("allemand", "fr", "deu"), ("Englisch", "de", "eng"),
        ("francés", "es", "fra"), ("английский", "ru", "eng"), ("法语", "zh", "fra"), ("الألمانية", "ar", "deu"),
        ("langues slaves", "fr", "sla"), ("lenguas romances", "es", "roa"),
    ],
)  # fmt: skip
def test_codes_and_names_of_languages_are_sure(text: str, language: str, code: str) -> None:
    [x] = linked([text], "languages", language)
    assert x.concept is not None
    assert (al.ontology("languages").taxonomy.ids[x.concept], x.status) == (code, "sure")
