"""The rules by which kinds and roles are proposed, each on its own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from allonym.cells import Cells
from allonym.kinds.proposal import Proposal, propose
from allonym.kinds.proposal.profile import ColumnProfile, plain
from allonym.kinds.proposal.ranges import intervals
from allonym.kinds.proposal.roles import proposed_role
from allonym.kinds.proposal.vocabulary import answer_words, names_of, scales, vocabulary
from allonym.ontology.wordnet import wordnet


def cells(values: Sequence[object], each: int = 12) -> Cells:
    """Return a column in which every value stands in so many cells."""
    return Cells(list(values), np.repeat(np.arange(len(values)), each))


def proposed(name: str, values: Sequence[object], each: int = 12) -> Proposal:
    return propose(name, cells(values, each), wordnet())


def codes(proposal: Proposal) -> list[str]:
    return [x.code for x in proposal.evidence]


@pytest.mark.parametrize(
    "levels",
    [
        ["very dissatisfied", "dissatisfied", "neutral", "satisfied", "very satisfied"],
        ["not at all important", "slightly important", "moderately important", "very important", "extremely important"],
        ["never", "rarely", "sometimes", "often", "always"],
        ["Less Than High School", "High School", "Some College", "Bachelor's", "Graduate"],
        ["XS", "S", "M", "L", "XL"],
        ["none", "mild", "moderate", "severe"],
        ["1 - Low", "2 - Medium", "3 - High"],
        ["3_poor", "2_fair", "1_good"],
        ["poor", "fair", "typical", "good", "excellent"],
        ["below college", "college", "bachelor", "master", "doctor"],
        ["1st class", "2nd class", "3rd class"],
        ["much worse", "worse", "about the same", "better", "much better"],
        ["daily", "weekly", "monthly"][::-1],
        ["under 18", "18-24", "25-34", "35-64", "65 and over"],
        ["Less than $10,000", "$10,000 to $19,999", "$20,000 or more"],
        ["<1 year", "1-2 years", "3-5 years", "6-9 years", "10+ years"],
        ["less than 6 months", "6 to 12 months", "1 to 2 years", "more than 2 years"],
        ["< 1 year", "1 year", "2 years", "3 years", "10+ years"],
        ["poorest", "poorer", "middle", "richer", "richest"],
    ],
    ids=lambda x: x[0],
)
def test_well_known_orders(levels: list[str]) -> None:
    found = proposed("q", sorted(levels))
    assert found.kind == "ordinal"
    assert list(found.levels) == levels


def test_one_value_outside_an_order_makes_a_category() -> None:
    assert proposed("q", ["low", "medium", "high", "refused"]).kind == "category"
    assert proposed("q", ["low", "Low", "high"]).kind == "category"  # two values in one place


def test_letters_are_grades_only_by_name() -> None:
    assert proposed("grade", ["C", "A", "B", "D"]).levels == ("D", "C", "B", "A")
    assert proposed("ward", ["C", "A", "B", "D"]).kind == "category"
    assert proposed("stage", ["III", "I", "II"]).levels == ("I", "II", "III")
    assert proposed("block", ["III", "I", "II"]).kind == "category"


def test_bare_words_are_degrees_only_by_name() -> None:
    assert proposed("education", ["none", "primary", "secondary"]).levels == ("none", "primary", "secondary")
    assert proposed("enforcement", ["no", "primary", "secondary"]).kind == "category"


def test_ranges_that_overlap_or_have_several_units_have_no_order() -> None:
    assert intervals(["0-10", "5-20", "20-30"]) is None
    assert intervals(["1-2 kg", "3-4 cm", "5-6 kg"]) is None
    assert intervals(["555-1234", "555-9876", "555-1111"]) is None


@pytest.mark.parametrize(
    ("name", "values", "code"),
    [
        ("precinct_number", [1, 5, 6, 7, 9, 10, 13], "name-of-codes"),
        ("c", ["01", "02", "10", "11"], "leading-zeros"),
        ("diagnosis", ["428", "250.01", "V57", "E909"], "letters-and-digits"),
        ("time", ["0:15", "13:45", "23:59"], "unread-dates"),
        ("opened", ["3/4/2021", "5/6/2021", "7/8/2021"], "unread-dates"),
        ("race", [1, 2, 3, 6, 8], "name-of-list"),
        ("q12", [1, 2, 3, 77, 99], "missing-codes"),
        ("hub", ["JFK", "LAX", "ORD", "ATL"], "capitals"),
        ("x", [0, 1], "two-numbers"),
        ("x", [True, False], "two-answers"),
        ("x", ["Y", "N"], "two-answers"),
        ("x", ["yes", "no", "don't know"], "two-answers"),
        ("x", ["0_no", "1_yes"], "two-answers"),
        ("x", ["1_Death", "2_Recovery", "3_Relapse", "4_Transfer", "5_Surgery"], "numbered-answers"),
        ("sex", ["man", "woman", "nonbinary", "intersex", "agender"], "name-of-answers"),
        ("c", ["Widowed", "Never married", "Civil union", "Divorced", "Married"], "answer-words"),
        ("c", ["Kindergarten", "10th", "HS-grad", "Bachelors", "Ph.D.", "Evening course"], "partly-ordered"),
        (
            "length",
            ["5 km", "10 km", "15 km", "20 km", "25 km", "30 km", "35 km", "40 km", "45 km", "50 km", "60 km"],
            "letters-and-digits",
        ),
        ("strain", ["H1N1", "H3N2", "H5N1", "H7N9"], "letters-and-digits"),
        ("certificate number", [1000007, 1000014, 1000049], "name-of-codes"),
        ("department_id", range(300, 330), "name-of-codes"),
        ("region_code", [1, 2, 3, 4, 7, 8], "name-of-codes"),
        ("pet", ["dog", "qqx", "zzv", "wwk", "vvj", "kkh"], "unknown-words"),
    ],
)
def test_categories(name: str, values: Sequence[object], code: str) -> None:
    found = proposed(name, list(values))
    assert found.kind == "category"
    assert code in codes(found)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("district_population", range(1000, 1050)),
        ("class_size", range(12, 30)),
        ("children", [0, 1, 2, 3, 4]),
        ("temperature", [-1, 0, 1, 99]),
        ("score", [1.5, 2.25, 3.5]),
        ("x", range(30)),
    ],
)
def test_numbers(name: str, values: Sequence[object]) -> None:
    assert proposed(name, list(values)).kind == "numeric"


@pytest.mark.parametrize(
    ("name", "values", "code"),
    [
        ("home_zip", range(10001, 10050), "name-of-codes"),
        ("zip", [2139, 2138, *range(98101, 98110)], "name-of-codes"),
        ("x", ["02139", "02138", *(str(x) for x in range(98101, 98130))], "leading-zeros"),
        ("area_code", range(201, 230), "name-of-codes"),
        ("ICD10", ["E11.9", "I10", "J45.909", "Z00.00"], "letters-and-digits"),
        ("icd9", [250.01, 401.9, 414.1], "name-of-codes"),
        (
            "home",
            [f"SW{x}A {y}AB" for x in range(1, 10) for y in (1, 2)] + ["M1 1AE", "EC1A 1BB"],
            "letters-and-digits",
        ),
        ("job", [f"11-10{x}" for x in range(11, 40)], "letters-and-digits"),
    ],
)
def test_hierarchical_codes(name: str, values: Sequence[object], code: str) -> None:
    found = proposed(name, list(values))
    assert found.kind == "code"
    assert code in codes(found)


@pytest.mark.parametrize(
    "values",
    [
        ["2020-01-01", "2021-05-06", "2022-07-08"],
        ["20160103", "20160214", "20161224"],
        ["04.03.2021", "05.04.2021", "06.05.2021"],
        ["3/25/2021", "5/6/2021", "7/8/2021"],
        ["2021-03-04T10:15:00Z", "2021-03-05T11:00:00Z", "2021-05-05T12:30:00Z"],
        ["March 2021", "May 2021", "June 2021"],
        ["2021 Q1", "2021 Q2", "2021 Q4"],
    ],
    ids=lambda x: x[0],
)
def test_dates(values: list[str]) -> None:
    found = proposed("stop", values)
    assert found.kind == "date"
    assert "dates" in codes(found)


@pytest.mark.parametrize("values", [[1990, 1985, 2001], ["1234-56", "2345-67", "3456-78"], ["12345678", "23456789"]])
def test_other_numbers_are_no_dates(values: list[object]) -> None:
    assert proposed("x", values).kind != "date"


def test_few_numbers_are_codes_only_with_codes_for_missing_answers() -> None:
    assert proposed("q", [1, 2, 9]).kind == "category"
    assert proposed("q", [0, 1, 2, 8]).kind == "numeric"  # a count
    assert proposed("q", list(range(1, 11))).kind == "numeric"  # a scale
    assert proposed("visits", [1, 2, 3, 77]).kind == "numeric"  # the name says counts


PEOPLE = ["nurse", "carpenter", "teacher", "plumber", "accountant", "lawyer", "physician"]


def test_a_root_holds_for_the_column_as_a_whole() -> None:
    assert proposed("c", PEOPLE).ontology == "wordnet:person"
    mixed = proposed("c", [*PEOPLE, "broccoli", "granite"])
    assert mixed.ontology == "wordnet"
    assert codes(mixed)[-1] == "no-root"
    rare = Cells([*PEOPLE, "broccoli"], np.repeat(np.arange(8), [100] * 7 + [1]))
    assert propose("c", rare, wordnet()).ontology == "wordnet"  # one of eight values, though few cells


def test_the_name_announces_a_root() -> None:
    countries = ["France", "Spain", "Germany", "Italy", "Norway", "Paris"]  # one of six is a city
    column = Cells(countries, np.repeat(np.arange(6), [100] * 5 + [5]))
    assert propose("country", column, wordnet()).ontology == "wordnet:country.n.02"
    assert propose("c", column, wordnet()).ontology == "wordnet:location"


def test_values_without_content_do_not_count() -> None:
    found = Cells([*PEOPLE, "Not in universe", "Other"], np.repeat(np.arange(9), [20] * 7 + [900, 300]))
    assert propose("profession", found, wordnet()).ontology == "wordnet:person"


def test_places_must_be_places() -> None:
    found = proposed("city", PEOPLE)
    assert (found.kind, codes(found)[-1]) == ("category", "no-places")


def test_few_values_are_a_closed_list() -> None:
    assert codes(proposed("c", ["dog", "cat"]))[-1] == "few-values"
    assert proposed("animal", ["dog", "cat"]).ontology == "wordnet:animal"
    assert proposed("c", ["dog", "cat"], each=1).ontology == "wordnet"  # no list: each value stands in one cell


def test_roles() -> None:
    names = [f"{x} {y}" for x in ("James", "Maria", "George") for y in ("Lee", "Park", "Cole", "Hunt")]
    assert proposed_role("officer", cells(names, 1), numeric=False) is not None
    role, evidence = proposed_role("last_name", cells([f"N{x}sen" for x in range(30)], 20), numeric=False) or ("", None)
    assert role == "identifier"
    assert evidence is not None
    assert evidence.code == "identifying"
    assert (proposed_role("id", cells(range(25), 30), numeric=True) or [""])[0] == "unit"
    assert (proposed_role("licence_no", cells(range(700, 900), 2), numeric=True) or [""])[0] == "identifier"
    assert proposed_role("license_class", cells(["A", "B", "C"], 30), numeric=False) is None
    dates = [f"2020-01-{x:02}" for x in range(1, 29)]
    assert proposed_role("admitted", cells(dates, 1), numeric=False) is None  # measured, though all differ


def test_measurements_of_persons_identify_nobody() -> None:
    many = cells(range(1000, 4000, 7), 1)
    homes = cells(range(400, 440), 3)
    for name in ("household_id", "hh_id", "hhid", "HouseholdID", "family_no", "household"):
        assert (proposed_role(name, homes, numeric=True) or [""])[0] == "household", name
    assert (proposed_role("hh_id", many, numeric=True) or [""])[0] == "identifier"  # one row each
    assert proposed_role("household_size", cells(range(1, 8), 40), numeric=True) is None
    assert proposed_role("hh_no", cells(range(1, 8), 40), numeric=True) is None  # too few: a number of something
    assert proposed_role("household_income", many, numeric=True) is None
    assert proposed_role("customers", many, numeric=True) is None
    assert (proposed_role("customerId", many, numeric=True) or [""])[0] == "identifier"
    assert (proposed_role("x", cells(range(5, 105), 1), numeric=True) or [""])[0] == "identifier"  # numbers its rows
    assert proposed_role("year", cells(range(1900, 2000), 1), numeric=True) is None


def test_names_are_read_word_by_word() -> None:
    column = ColumnProfile("homeZIP-Code5", cells([]))
    assert column.name_words == ["home", "zip", "code", "5"]
    assert column.is_named("codes")
    assert not ColumnProfile("zipper", cells([])).is_named("codes")
    assert plain(" Never-Married ") == "never married"


def test_the_vocabulary_is_consistent() -> None:
    for what in vocabulary()["names"]:
        names_of(what)
    assert all(x == plain(x) for ranks in scales().values() for x in ranks)
    assert all(x == x.casefold() for x in answer_words())


def test_an_empty_column_is_a_category() -> None:
    found = propose("c", Cells([None, ""], np.array([0, 1])), wordnet())
    assert (found.kind, found.evidence[0].text) == ("category", "0 distinct values in 0 cells.")
