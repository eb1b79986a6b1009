"""Which named ontology `inspect` proposes for a column: only one that clearly fits."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from allonym.cells import Cells
from allonym.kinds.proposal import Ontologies, Proposal, propose
from allonym.kinds.proposal.vocabulary import names_of_ontologies
from allonym.ontology.catalog import added, ontology
from allonym.ontology.catalog.package import Package
from allonym.ontology.catalog.registry import MODULES, entries
from allonym.ontology.lexicon import Entry, Lexicon
from allonym.ontology.taxonomy import Taxonomy
from allonym.pipeline.inspect import inspect
from cli.running import run

EACH = 12  # cells of each value


@pytest.fixture(scope="module")
def available() -> Ontologies:
    return Ontologies.available()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for ontologies of the user, with no others at hand."""
    monkeypatch.setenv("ALLONYM_DATA", str(tmp_path))
    monkeypatch.setattr(Package, "find", lambda name: None)
    return tmp_path


def proposed(name: str, values: Sequence[str], ontologies: Ontologies | None = None) -> Proposal:
    cells = Cells(list(values), np.repeat(np.arange(len(values)), EACH))
    return propose(name, cells, ontologies or Ontologies.available())


def split(values: str) -> list[str]:
    return [x.strip() for x in values.split("|")]


def drawn(forms: Sequence[str], n: int) -> list[str]:
    """Draw some texts, always the same."""
    return random.Random(n).sample(sorted(set(forms)), n)


def codes_of(name: str, length: int) -> list[str]:
    """Return the codes of so many characters, without dots."""
    lexicon = ontology(name).taxonomy.lexicon
    forms = {lexicon.forms[lexicon.form_of[x]].replace(".", "") for x in np.flatnonzero(lexicon.notation)}
    return [x for x in forms if x.isalnum() and len(x) == length]


def codes(proposal: Proposal) -> list[str]:
    return [x.code for x in proposal.evidence]


def small(name: str, words: str, *, language: str = "en", codes: Sequence[str] = ()) -> Taxonomy:
    """Return an ontology of words under one root, with codes in the order of the words."""
    labels = ["everything", *split(words)]
    entries = [Entry(x, i, language=language, preferred=True) for i, x in enumerate(labels)]
    entries += [Entry(x, i, notation=True) for i, x in enumerate(codes, start=1)]
    below = list(range(1, len(labels)))
    return Taxonomy.build(
        name, [f"{name}/{i}" for i in range(len(labels))], child=below, parent=[0] * len(below),
        labels=labels, lexicon=Lexicon.build(entries),
    )  # fmt: skip


DOTTED = split("E11.9|I10|J45.9|M54.5|F32.9|K21.9|N39.0|I25.1|G43.9|C50.9|S72.0|Z95.1")
DIAGNOSES = split(
    "Type 2 diabetes mellitus|Essential (primary) hypertension|Asthma|Epilepsy|Migraine|Gastric ulcer|Cataract"
    "|Acute appendicitis|Other diseases of stomach and duodenum"
)
INDUSTRIES = split(
    "Growing of rice|Mining of hard coal|Manufacture of wearing apparel, except fur apparel|Manufacture of cement, "
    "lime and plaster|Construction of buildings|Retail sale in non-specialized stores|Hospital activities"
    "|Book publishing|Restaurants and mobile food service activities|Legal activities"
)
COUNTRIES = split(
    "Germany|France|Italy|United-States|Mexico|Viet Nam|Japan|China|India|Kenya|Nigeria|Egypt|Poland|Peru"
)
US_STATES = split("AL|AK|AZ|AR|CA|CO|CT|DE|FL|GA|HI|ID|IL|IN|IA|KS|KY|LA|ME|MD|MA|MI|MN|MS|MO|MT|NE|NV|NH|NJ|NY|OK|TX")
ISO_2 = split("DE|FR|IT|US|MX|VN|JP|CN|IN|KE|NG|EG|PL|BR")


@pytest.mark.parametrize(
    ("ontology", "name", "values"),
    [
        ("geonames", "city", split("Springfield|Salem|Cottbus|Bamberg|Albury|Uppsala|Leeds|Lyon|Porto")),
        ("geonames", "state", US_STATES),
        ("geonames", "addr_state", split("CA|CO|GA|IL|IN|PA|VA|AL")),  # codes of countries too
        ("languages", "language", split("English|Spanish|French|German|Italian|Polish|Arabic|Turkish")),
        (
            "wordnet-es",
            "ocupacion",
            split(
                "abogado|arquitecto|enfermero|ingeniero|maestro|cocinero|carpintero|electricista|agricultor|pescador"
                "|periodista|secretaria|vendedor|obrero"
            ),
        ),
        ("m49", "country", COUNTRIES),
        ("m49", "nationality", COUNTRIES[:3]),
        ("m49", "place", COUNTRIES),
        ("m49", "country", ISO_2),
        ("m49", "country", [x.lower() for x in ISO_2[:3]]),
        ("m49", "x", ISO_2),
        ("m49", "x", split("DEU|FRA|ITA|ESP|USA|MEX|CAN|JPN|CHN|IND")),
        ("m49", "country_code", split("276|250|380|724|840|484|124|392|156|356")),
        ("m49", "region", split("Western Europe|Northern Africa|South-eastern Asia|Eastern Europe|Caribbean")),
        ("icd10", "diagnosis", DOTTED),
        ("icd10", "dx1", [x.replace(".", "") for x in DOTTED]),
        ("icd10", "icd_code", [x.lower() for x in DOTTED]),
        ("icd10", "principal_diagnosis", ["E11", "I10", "J45", "F32", "G43", "C50"]),
        ("icd10", "value", DOTTED),
        ("icd10", "diagnosis", DIAGNOSES),
        ("icd10", "text", [x for x in DIAGNOSES if x != "Cataract"]),
        ("isic", "industry", INDUSTRIES),
        ("isic", "text", INDUSTRIES),
        ("isic", "isic", ["0112", "0510", "1410", "2394", "4100", "4711", "8610", "5811", "5610", "6910"]),
        ("isic", "industry_code", ["0112", "0510", "1410", "2394", "4100", "4711", "8610", "5811", "5610", "6910"]),
        ("isic", "industry", ["1410", "2394", "4100", "4711", "8610", "5811", "5610", "6910"]),
        ("isic", "sector", split("Agriculture, forestry and fishing|Manufacturing|Construction|Education")),
        ("naics", "naics", ["541511", "541512", "541330", "722511", "722513", "621111", "611110", "236220"]),
        ("naics", "naics_sector", split("11|21|22|23|31-33|42|44-45|48-49|51|52|53|54")),
    ],
)
def test_columns_of_named_ontologies(ontology: str, name: str, values: list[str], available: Ontologies) -> None:
    found = proposed(name, values, available)
    assert (found.kind, found.ontology) == ("text", ontology)
    assert found.coverage is not None
    assert found.coverage >= 0.85


@pytest.mark.parametrize(("name", "length"), [("icd10", 4), ("isic", 4), ("naics", 6)])
def test_codes_without_a_telling_name(name: str, length: int, available: Ontologies) -> None:
    found = proposed("code", drawn(codes_of(name, length), 60), available)
    assert found.ontology == name
    assert codes(found) == ["distinct", "codes-of-ontology", "no-coincidence"]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("postcode", split("E11|E14|SW1|N16|W12|B33|M14|L15|S10|G12|E17|N10|N12|W10")),
        ("postcode", split("SW1A 1AA|E1 6AN|EC1A 1BB|W1A 0AX|M1 1AE|B33 8TH")),
        ("zip", ["10001", "10002", "10451", "11201", "60601", "94103", "94110", "33139"]),
        ("age", [str(x) for x in range(17, 90)]),
        ("year", [str(x) for x in range(1990, 2024)]),
        ("industry_year", ["2011", "2012", "2013"]),
        ("sector", ["2011", "2012", "2013"]),
        ("industry", [str(x) for x in range(1, 10)]),
        ("country", [str(x) for x in range(1, 10)]),
        ("country", [str(x) for x in range(1, 200)]),
        ("diagnosis", [str(x) for x in range(1, 10)]),
        ("branch", [f"{x:03}" for x in range(1, 60)]),
        ("branch", split("Main Street|Downtown|Airport|Harbour|Old Town|Campus")),
        ("month", [f"{x:02}" for x in range(1, 13)]),
        ("fips", [f"{x:02}" for x in range(1, 57)]),
        ("purpose", split("A43|A40|A42|A41|A49|A46|A45|A44|A410|A48")),  # all but one are codes of ICD-10
        ("product_id", [f"{chr(65 + i % 26)}{i * 37 % 100:02}" for i in range(60)]),
        ("seat", [f"{letter}{row:02}" for row in range(1, 30) for letter in "ABCDEF"]),
        ("diagnosis", [f"D{x:02}" for x in range(1, 10)]),  # numbered in the study
        ("state", split("Alabama|Alaska|Arizona|California|Colorado|Florida|Georgia|Hawaii|Idaho|Texas|Utah|Ohio")),
        ("region", split("North|South|East|West|Central")),
        ("addr", US_STATES),
        ("region", split("CA|CO|GA|IL")),  # states, and countries too
        ("hobby", split("cold|burn|running|reading|fishing|hiking|cooking|chess|swimming|football|gardening|painting")),
        ("complaint", split("cold|burn|fever|headache|cough|nausea|fatigue|dizziness")),
        ("job", split("nurse|teacher|plumber|carpenter|cook|driver|engineer|accountant|lawyer|farmer|fisherman|miner")),
        ("cuisine", split("Italian|Mexican|Chinese|Thai|Indian|French|Japanese|Greek|Spanish|Korean")),
        ("color", split("red|blue|green|white|black|orange|yellow|purple|brown|pink")),
        ("condition", split("new|used|refurbished|damaged|good")),
        ("sic", ["1011", "2011", "2013", "2834", "3571", "3674", "4812", "4911", "5411", "5812", "6021", "7372"]),
        ("origin", split("ATL|LAX|ORD|DFW|DEN|JFK|SFO|SEA|LAS|MCO|CLT|PHX")),
    ],
)
def test_other_columns(name: str, values: list[str], available: Ontologies) -> None:
    found = proposed(name, values, available).ontology
    assert found is None or found.partition(":")[0] == "wordnet"


def test_words_that_wordnet_knows_too_are_left_to_it(folder: Path) -> None:
    words = "cold|burn|fever|headache|cough|nausea|asthma|epilepsy"
    added.add(small("illness", words), "illness")
    assert proposed("illness", split(words)).ontology == "illness"  # the name announces it
    assert proposed("what", split(words)).ontology == "wordnet"
    assert proposed("what", split("zork|blorb|frotz|gnusto|rezrov|yomin")).ontology is None


def test_an_ontology_of_the_user_comes_first(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    monkeypatch.setenv("ALLONYM_DATA", str(folder))
    assert proposed("text", INDUSTRIES).ontology == "isic"
    labels = "|".join(INDUSTRIES)
    added.add(small("mine", labels), "mine")
    assert proposed("text", INDUSTRIES).ontology == "mine"
    added.add(small("mine", "|".join(INDUSTRIES[:-1])), "mine")
    assert proposed("text", INDUSTRIES).ontology == "isic"  # it knows more


def test_items_of_sets() -> None:
    cells = ["E11.9;I10", "I10", "J45.9;E11.9", "F32.9", "K21.9;I10", "M54.5", "E78.5;I10;E11.9"] * EACH
    found = propose("diagnoses", Cells(cells, np.arange(len(cells))), Ontologies.available())
    assert (found.kind, found.ontology, codes(found)[0]) == ("set", "icd10", "several-items")


def test_words_of_another_language(folder: Path) -> None:
    words = "abogado|panadero|carnicero|cocinero|pescador|carpintero|actor|doctor"
    added.add(small("oficios", words, language="es"), "oficios")
    found = proposed("trabajo", split(words))
    assert (found.ontology, found.language) == ("oficios", None)  # its only language need not be stated
    added.add(small("oficios", "actor|doctor|director|tenor|tumor|error", language="es"), "oficios")
    assert proposed("trabajo", split("actor|doctor|director|tenor|tumor|error")).ontology == "wordnet"


def test_the_language_of_an_ontology_with_several(folder: Path) -> None:
    english, spanish = split("Germany|France|Japan|Sweden|Norway"), split("Alemania|Francia|Japón|Suecia|Noruega")
    entries = [Entry(x, i, language="en", preferred=True) for i, x in enumerate(["world", *english])]
    entries += [Entry(x, i, language="es", preferred=True) for i, x in enumerate(["mundo", *spanish])]
    taxonomy = Taxonomy.build(
        "lands", ["world", *english], child=[1, 2, 3, 4, 5], parent=[0] * 5, lexicon=Lexicon.build(entries)
    )
    added.add(taxonomy, "lands")
    table = pd.DataFrame({"lands": spanish * EACH, "lands2": english * EACH})
    first, second = inspect(table, combination_size=0).columns
    assert (first.ontology, first.language, first.column().language) == ("lands", "es", "es")
    assert (second.ontology, second.language, second.column().language) == ("lands", None, "en")


def test_country_names_of_another_language(available: Ontologies) -> None:
    found = proposed("pais", split("Alemania|Francia|Italia|España|Estados Unidos|México|Japón|Brasil"), available)
    assert (found.ontology, found.language) == ("m49", "es")
    assert proposed("country", COUNTRIES, available).language is None


def test_a_language_that_cannot_be_linked(folder: Path) -> None:
    words = "faidid|drochaid|abhainn|taigh|sgoil|baile"
    added.add(small("gaelic", words, language="gd"), "gaelic")
    assert proposed("gaelic", split(words)).ontology is None


def test_large_ontologies_are_opened_only_where_they_are_plausible() -> None:
    ontologies = Ontologies.available()
    large = [x for x in ontologies.named if x.is_large]
    assert {"icd10cm", "geonames", "wordnet-es"} <= {x.name for x in large}
    for name, values in (("x", COUNTRIES), ("job", ["nurse", "cook", "smith"]), ("x", US_STATES), ("zip", ["10001"])):
        proposed(name, values, ontologies)
    assert not [x.name for x in large if "opened" in vars(x)]
    proposed("city", ["London", "Paris", "Rome"], ontologies)
    assert [x.name for x in large if "opened" in vars(x)] == ["geonames"]


def test_a_damaged_ontology_is_left_out(folder: Path) -> None:
    path = added.add(small("illness", "cold|burn|fever|headache|cough|nausea"), "illness")
    path.write_bytes(path.read_bytes()[:-1])
    assert proposed("illness", split("cold|burn|fever|headache|cough|nausea")).ontology == "wordnet"


def test_what_is_not_installed(folder: Path) -> None:
    found = proposed("diagnosis", DOTTED)
    assert (found.kind, found.evidence[-1].code) == ("category", "not-installed")
    assert "icd10" in found.evidence[-1].text
    assert "pip install 'allonym[health]'" in found.evidence[-1].text
    assert "not-installed" not in codes(proposed("room", DOTTED))
    assert "not-installed" not in codes(proposed("diagnosis", DIAGNOSES))


def test_the_plan_names_the_ontology(tmp_path: Path) -> None:
    file, plan = tmp_path / "patients.csv", tmp_path / "plan.toml"
    pd.DataFrame({"dx": DOTTED * EACH, "branch": INDUSTRIES[:6] * 2 * EACH}).to_csv(file, index=False)
    told = run("inspect", str(file), "-o", str(plan), "--explain")
    assert 'ontology = "icd10"' in plan.read_text()
    assert 'ontology = "isic"' in plan.read_text()
    assert "100 % of cells and 100 % of values are codes of icd10." in told
    assert re.search(r"quasi +icd10 +100%", told)
    masked = tmp_path / "masked.csv"
    run("mask", str(file), "-o", str(masked), "--plan", str(plan), "--k", "3")
    assert masked.exists()


def test_every_ontology_of_the_catalog_is_announced_by_names() -> None:
    specific = {x.name for x in entries() if x.family != "other languages"}
    assert set(names_of_ontologies()) & set(MODULES) == specific


def test_a_few_words_of_another_language_do_not_change_the_language(available: Ontologies) -> None:
    countries = split(
        "United States|Mexico|Philippines|Germany|Canada|Puerto Rico|India|El Salvador|Cuba|England|Jamaica|Italy|"
        "China|Vietnam|Japan|Poland|Columbia|Haiti|Portugal|Iran|Taiwan|Greece|Nicaragua|Peru|Ecuador|France|Ireland"
    )
    found = proposed("native-country", countries, available)  # Colombia is Columbia in Romanian
    assert (found.ontology, found.language) == ("m49", None)
    french = split("Allemagne|Italie|Espagne|Japon|Chine|Pologne|Suisse|Belgique|Canada|France|Portugal|Maroc")
    found = proposed("pays", french, available)
    assert (found.ontology, found.language) == ("m49", "fr")
