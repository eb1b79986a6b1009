"""The benchmark of utility reads the cells of all tools alike."""

from __future__ import annotations

import numpy as np
import pytest

from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.numeric import NumericMetric
from allonym.ontology.wordnet import wordnet
from allonym.records import Attribute
from utility_cells import Column

BIRDS = ["duck", "eagle", "flamingo", "hawk", "oak"]
AGES = ["20", "21", "25", "30"]


@pytest.fixture
def birds() -> Column:
    scope = wordnet()
    metric = ConceptMetric([scope.taxonomy.code(f"{x}#1") for x in BIRDS], scope)
    hierarchy = {"raptor": frozenset({"eagle", "hawk"})}
    return Column("animal", BIRDS, False, Attribute("animal", "wordnet", metric), np.arange(5), hierarchy)


@pytest.fixture
def ages() -> Column:
    metric = NumericMetric([float(x) for x in AGES])
    return Column("age", AGES, True, Attribute("age", "numeric", metric), np.arange(4), {})


@pytest.mark.parametrize(
    ("text", "covered"),
    [
        ("duck", ["duck"]),
        ("", BIRDS),
        ("*", BIRDS),
        ("raptor", ["eagle", "hawk"]),  # a label of the hierarchy
        ("hawk,oak", ["hawk", "oak"]),  # a list
        ("bird", ["duck", "eagle", "flamingo", "hawk"]),  # a concept of the ontology
    ],
)
def test_mass_of_a_word_is_spread_over_what_it_covers(birds: Column, text: str, covered: list[str]) -> None:
    read = birds.read([text], np.array([0]))
    assert read.shares[0].tolist() == [(x in covered) / len(covered) for x in BIRDS]
    assert read.true[0].tolist() == [x in covered for x in BIRDS]


@pytest.mark.parametrize(
    ("text", "covered"),
    [
        ("20 to 25", ["20", "21", "25"]),
        ("20-21", ["20", "21"]),
        ("[20, 25)", ["20", "21"]),
        ("21.0", ["21"]),
        ("", AGES),
    ],
)
def test_mass_of_a_number_is_spread_over_its_range(ages: Column, text: str, covered: list[str]) -> None:
    read = ages.read([text], np.array([0]))
    assert read.shares[0].tolist() == [(x in covered) / len(covered) for x in AGES]


def test_a_mean_stands_for_the_nearest_number_and_is_false(ages: Column) -> None:
    read = ages.read(["22.4"], np.array([1]))
    assert read.shares[0].tolist() == [0, 1, 0, 0]
    assert read.false_cells(np.array([1])) == 1


def test_a_concept_beside_all_values_stands_for_the_nearest_and_is_false(birds: Column) -> None:
    read = birds.read(["goose"], np.array([0]))
    assert read.shares[0].argmax() == BIRDS.index("duck")
    assert read.false_cells(np.array([0])) == 1


def test_an_empty_cell_stands_for_the_mean_of_the_others(ages: Column) -> None:
    assert ages.read(["20", "30", ""], np.array([0, 3, 0])).expected.tolist() == [20, 30, 25]


def test_marginals_of_the_original_are_its_frequencies(birds: Column) -> None:
    assert birds.read(["duck", "duck", "oak", "hawk"], np.array([0, 0, 4, 3])).marginal.tolist() == [
        0.5,
        0,
        0,
        0.25,
        0.25,
    ]
