"""What `inspect` proposes for the columns of real tables, read in place."""

from __future__ import annotations

from functools import cache

import pandas as pd
import pytest
from shared import DATA, needs

from allonym.pipeline.inspect import ColumnInspection, inspect
from pipeline.test_inspect import proposal

ADULT, CENSUS = DATA / "adult/adult.data", DATA / "microdata/census_income_kdd_nominal.csv.gz"
COLUMNS, CONDITIONS = DATA / "words/columns", DATA / "setvalued/synthea_ibm_conditions.csv.gz"
ISCO = DATA / "esco/ISCOGroups_en.csv"
NAMES = [
    "age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship", "race",
    "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "income",
]  # fmt: skip
CATEGORY, WORDS, EITHER = ("category",), ("words",), ("category", "words")
LISTS = ("category", "ordinal")

OF_ADULT = {
    "age": ("numeric",), "workclass": CATEGORY, "fnlwgt": ("weight",), "education": LISTS,
    "education-num": ("numeric", "ordinal"), "marital-status": CATEGORY, "occupation": EITHER, "relationship": CATEGORY,
    "race": CATEGORY, "sex": CATEGORY, "capital-gain": ("numeric",), "capital-loss": ("numeric",),
    "hours-per-week": ("numeric",), "native-country": WORDS, "income": LISTS,
}  # fmt: skip
OF_CENSUS = {
    "split": CATEGORY, "age": ("numeric",), "class_of_worker": CATEGORY, "education": LISTS, "marital_stat": CATEGORY,
    "major_industry_code": EITHER, "major_occupation_code": EITHER, "race": CATEGORY, "hispanic_origin": CATEGORY,
    "sex": CATEGORY, "full_or_part_time_employment_stat": CATEGORY, "tax_filer_stat": CATEGORY,
    "state_of_previous_residence": WORDS, "detailed_household_and_family_stat": CATEGORY,
    "country_of_birth_father": WORDS, "country_of_birth_mother": WORDS, "country_of_birth_self": WORDS,
    "citizenship": CATEGORY, "income": LISTS,
}  # fmt: skip
OF_LISTS = {
    "covid_clinic_name": EITHER, "covid_demo_group": CATEGORY, "covid_patient_class": CATEGORY,
    "covid_payor_group": CATEGORY, "diabetes_medical_specialty": EITHER, "groceries_item": WORDS, "gss_educcat": LISTS,
    "gss_maritalcat": CATEGORY, "gss_occrecode": WORDS, "gss_wrkstat": CATEGORY, "police_problem": WORDS,
    "synthea_diagnosis": WORDS,
}  # fmt: skip
OF_CONDITIONS = {
    "START": ("date",), "STOP": ("date",), "PATIENT": ("unit",), "ENCOUNTER": ("identifier",), "CODE": CATEGORY,
    "DESCRIPTION": WORDS,
}  # fmt: skip


def found(table: pd.DataFrame) -> dict[str, ColumnInspection]:
    return {x.name: x for x in inspect(table, combination_size=0).columns}


@cache
def adult() -> dict[str, ColumnInspection]:
    return found(pd.read_csv(ADULT, names=NAMES, skipinitialspace=True, keep_default_na=False))


@cache
def census() -> dict[str, ColumnInspection]:
    return found(pd.read_csv(CENSUS, keep_default_na=False))


@needs(ADULT)
@pytest.mark.parametrize("name", OF_ADULT)
def test_adult(name: str) -> None:
    assert proposal(adult()[name]) in OF_ADULT[name]


@needs(ADULT)
def test_ontologies_of_adult() -> None:
    assert adult()["native-country"].ontology == "m49"
    roots = {x.ontology for x in adult().values() if x.ontology}
    assert roots <= {"wordnet", "m49", "wordnet:person"}


@needs(ADULT)
def test_degrees_are_in_the_order_of_their_numbers() -> None:
    table = pd.read_csv(ADULT, names=NAMES, skipinitialspace=True, usecols=["education", "education-num"])
    numbers = table.drop_duplicates().set_index("education")["education-num"]
    assert [int(numbers[x]) for x in adult()["education"].levels] == list(range(1, 17))


@needs(CENSUS)
@pytest.mark.parametrize("name", OF_CENSUS)
def test_census(name: str) -> None:
    assert proposal(census()[name]) in OF_CENSUS[name]


@needs(COLUMNS)
@pytest.mark.parametrize("name", OF_LISTS)
def test_columns_of_words(name: str) -> None:
    table = pd.read_csv(COLUMNS / f"{name}.csv", keep_default_na=False)
    column = name.partition("_")[2]
    cells = table["value"].repeat(table["cells"]).reset_index(drop=True)
    assert proposal(found(pd.DataFrame({column: cells}))[column]) in OF_LISTS[name]


@needs(CONDITIONS)
def test_conditions() -> None:
    columns = found(pd.read_csv(CONDITIONS, keep_default_na=False))
    wrong = {name for name, accepted in OF_CONDITIONS.items() if proposal(columns[name]) not in accepted}
    assert not wrong


@needs(ISCO)
def test_codes_of_occupations() -> None:
    code = found(pd.read_csv(ISCO, dtype=str))["code"]
    assert proposal(code) == "category"
    assert "leading-zeros" in {x.code for x in code.evidence}
