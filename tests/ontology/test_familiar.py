"""Concepts and labels that people know."""

from __future__ import annotations

import numpy as np
import pytest

from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.linking import concept_writer
from allonym.ontology.generality.ceiling import Ceiling
from allonym.ontology.generality.choice import FARTHER, HARDLY_FARTHER, TIED, better_known, chosen_concept
from allonym.ontology.generality.familiar import is_known, label
from allonym.ontology.generality.residual import names_the_rest
from allonym.ontology.joining.taxonomy import joined
from allonym.ontology.scope import Scope
from allonym.ontology.taxonomy import Taxonomy
from allonym.ontology.wordnet import wordnet

WORDNET = wordnet().taxonomy
#: all > diseases > (other diseases > (a, b)), (heart diseases > c)
DISEASES = Taxonomy.build(
    "d",
    ["all", "diseases", "other diseases", "heart diseases", "a", "b", "c"],
    child=[1, 2, 3, 4, 5, 6],
    parent=[0, 1, 1, 2, 2, 3],
)


@pytest.mark.parametrize("word", ["homeotherm", "oscine", "diapsid", "scombroid", "monogenic disorder"])
def test_scientific_words_are_not_known(word: str) -> None:
    assert not is_known(WORDNET, WORDNET.code(word))


@pytest.mark.parametrize("word", ["bird", "rodent", "businessperson", "racehorse", "chef", "dairy product"])
def test_everyday_words_are_known(word: str) -> None:
    assert is_known(WORDNET, WORDNET.code(word))


def test_concepts_of_ontologies_without_word_counts_are_known() -> None:
    assert is_known(DISEASES, 4)
    assert label(DISEASES, 4) == "a"
    both = joined([Scope.of(WORDNET, "animal"), Scope(DISEASES, 0)])
    oscine, disease = both.taxonomy.code("oscine"), both.taxonomy.code("diseases")
    assert [is_known(both.taxonomy, c) for c in (oscine, disease, both.root)] == [False, True, True]


@pytest.mark.parametrize(
    ("concept", "written"),
    [
        ("diversion.n.01", "recreation"),  # used more
        ("time_period.n.01", "period"),
        ("angiosperm", "flowering plant"),  # explains itself
        ("serviceman", "serviceman"),  # "man" is used more, but means another concept first
        ("body_of_water.n.01", "body of water"),
        ("miscarriage", "miscarriage"),  # a synonym need not explain anything
        ("divorcee", "divorcee"),  # a grass widow is no kind of widow
        ("sexually_transmitted_disease.n.01", "venereal disease"),  # several words explain themselves
        ("united_states.n.01", "United States"),  # an individual keeps its name
    ],
)
def test_the_label_that_people_know_is_written(concept: str, written: str) -> None:
    assert concept_writer(WORDNET, "label")(WORDNET.code(concept)) == written


def test_a_concept_that_nobody_knows_gives_way_to_one_that_is_hardly_farther() -> None:
    codes = [WORDNET.code(x) for x in ("crow", "nightingale", "goldfinch", "cat")]
    scope, birds = wordnet(), np.arange(3)
    plain = ConceptMetric(codes, scope)
    assert WORDNET.labels[plain.truthful(birds, np.ones(3))] == "oscine"
    column = ConceptMetric(codes, scope, ceiling=Ceiling(scope, concepts=codes, counts=[1, 1, 1, 9]))
    assert WORDNET.labels[column.truthful(birds, np.ones(3))] == "bird"
    oscine = WORDNET.code("oscine")
    assert WORDNET.labels[column.preferred(oscine, birds, np.ones(3))] == "bird"
    assert plain.preferred(oscine, birds, np.ones(3)) == oscine
    with_oscine = ConceptMetric(codes, scope, ceiling=Ceiling(scope, concepts=[*codes, oscine], counts=[1] * 5))
    assert with_oscine.preferred(oscine, birds, np.ones(3)) == oscine  # a word of the data is known


def test_a_class_of_the_rest_gives_way_to_one_that_is_not_much_farther() -> None:
    ceiling = Ceiling(Scope(DISEASES, 0))
    concepts = np.array([1, 2])
    assert better_known(2, concepts, np.array([FARTHER - 0.01, 0.0]), 1.0, ceiling) == 1
    assert better_known(2, concepts, np.array([FARTHER + 0.01, 0.0]), 1.0, ceiling) == 2
    assert HARDLY_FARTHER < FARTHER
    other = better_known(1, np.array([1, 2]), np.array([0.5, 0.0]), 1.0, ceiling)
    assert other == 1


def test_of_equally_near_concepts_one_in_the_data_is_chosen_then_the_more_used() -> None:
    scope = wordnet()
    dog, animal, bird = (WORDNET.code(x) for x in ("dog", "animal", "bird"))
    concepts, costs = np.array([bird, animal, dog]), np.array([0.0, TIED / 2, TIED / 2])
    assert chosen_concept(concepts, costs, 1.0, Ceiling(scope, concepts=[dog], counts=[1])) == dog
    assert chosen_concept(concepts, costs, 1.0, Ceiling(scope)) == animal
    assert chosen_concept(concepts, np.array([0.0, 2 * TIED, 2 * TIED]), 1.0, Ceiling(scope)) == bird


@pytest.mark.parametrize(
    ("text", "code", "expected"),
    [
        ("Other forms of heart disease", "en", True),
        ("Managers not elsewhere classified", "en", True),
        ("Retail sale n.e.c.", "en", True),
        ("Sonstige Krankheiten", "de", True),
        ("Persons with other significant others nearby", "en", False),
        ("Other", "en", False),  # says nothing of a class
        ("Mother", "en", False),
    ],
)
def test_classes_of_the_rest(text: str, code: str, expected: bool) -> None:
    assert names_the_rest(text, code) is expected
