"""Concepts that are too general to stand for different values."""

from __future__ import annotations

import numpy as np
import pytest

from allonym.errors import UnknownConceptError
from allonym.kinds.blend import BlendedMetric
from allonym.kinds.concept_metric import ConceptMetric
from allonym.metric import Value
from allonym.ontology.catalog import open_ontology
from allonym.ontology.generality.ceiling import Ceiling, named_concepts
from allonym.ontology.generality.upper_layer import summed_up_paths, upper_layer
from allonym.ontology.joining.taxonomy import joined
from allonym.ontology.lexicon import Entry, Lexicon
from allonym.ontology.scope import Scope
from allonym.ontology.taxonomy import Taxonomy
from allonym.ontology.wordnet import wordnet

#: thing > animal > (bird > parrot, owl), (cat); thing > tool > saw
THINGS = Taxonomy.build(
    "things",
    ["thing", "animal", "bird", "parrot", "owl", "cat", "tool", "saw"],
    child=[1, 2, 3, 4, 5, 6, 7],
    parent=[0, 1, 2, 2, 1, 0, 6],
    lexicon=Lexicon.build(
        [Entry(x, i) for i, x in enumerate(["thing", "animal", "bird", "parrot", "owl", "cat", "tool", "saw"])]
    ),
)


def truthful(values: list[Value], ceiling: Ceiling) -> Value:
    metric = ConceptMetric(list(dict.fromkeys(values)), ceiling.scope, ceiling=ceiling)
    return metric.truthful(metric.codes_of(values), np.ones(len(values)))


def test_the_upper_layer_of_wordnet_is_what_nobody_says() -> None:
    taxonomy = wordnet().taxonomy
    abstract = upper_layer(taxonomy)
    no_words = "entity physical_entity abstraction.n.06 object whole.n.02 living_thing causal_agent.n.01 artifact"
    no_words += " psychological_feature attribute.n.02 matter.n.03 relation event cognition act.n.02 communication.n.02"
    no_words += " group location"
    assert [x for x in no_words.split() if not abstract[taxonomy.code(x)]] == []
    words = "person animal plant.n.02 food worker disease sport vehicle tree body_part language city"
    assert [x for x in words.split() if abstract[taxonomy.code(x)]] == []
    assert abstract.sum() < 60


@pytest.mark.parametrize("name", ["m49", "icd10", "isic"])
def test_the_upper_layer_of_another_ontology_is_little_more_than_its_root(name: str) -> None:
    taxonomy = open_ontology(name).taxonomy
    assert upper_layer(taxonomy)[taxonomy.root]
    assert upper_layer(taxonomy).sum() <= 2


def test_sums_over_paths_count_a_concept_once_for_each_path() -> None:
    diamond = Taxonomy.build("diamond", list("rxya"), child=[1, 2, 3, 3], parent=[0, 0, 1, 2])
    assert summed_up_paths(diamond, np.ones(4)).tolist() == [5, 2, 2, 1]


def test_the_root_of_the_column_and_all_above_it_say_nothing() -> None:
    everything, animals = Ceiling(Scope(THINGS, 0)), Ceiling(Scope(THINGS, 1))
    assert truthful([3, 4], everything) == 2
    assert truthful([3, 5], everything) == 1
    assert truthful([3, 7], everything) is None
    assert truthful([3, 5], animals) is None
    assert truthful([3, 4], animals) == 2


def test_one_value_is_written_however_general_it_is() -> None:
    assert truthful([0, 0], Ceiling(Scope(THINGS, 0))) == 0


def test_what_is_true_of_nearly_all_records_says_nothing() -> None:
    scope = Scope(THINGS, 0)
    mostly_animals = Ceiling(scope, concepts=[3, 4, 5, 7], counts=[40, 40, 18, 2])
    assert truthful([3, 5], mostly_animals) is None
    assert truthful([3, 4], mostly_animals) == 2
    one_frequent_value = Ceiling(scope, concepts=[2, 3, 5, 7, 6], counts=[96, 1, 1, 1, 1])
    assert truthful([2, 3], one_frequent_value) == 2  # most of the distinct values are no birds


def test_named_concepts_replace_the_rule() -> None:
    scope = Scope(THINGS, 0)
    birds = Ceiling(scope, [2], concepts=[3, 5], counts=[1, 1])
    assert truthful([3, 4], birds) is None
    assert truthful([3, 5], birds) is None  # above birds
    no_ceiling = Ceiling(scope, None, concepts=[3, 7], counts=[1, 1])
    assert truthful([3, 7], no_ceiling) == 0


def test_a_virtual_root_is_never_written() -> None:
    both = joined([Scope(THINGS, 1), Scope(THINGS, 6)])
    parrot, saw = both.taxonomy.code("parrot"), both.taxonomy.code("saw")
    assert truthful([parrot, saw], Ceiling(both, None)) is None
    assert ConceptMetric([parrot, saw], both).truthful(np.arange(2), np.ones(2)) is None
    tool = both.taxonomy.code("tool")
    assert truthful([saw, tool], Ceiling(both)) is None  # the root of its branch


def test_blended_ontologies_have_a_ceiling_each() -> None:
    scopes = [Scope(THINGS, 0), Scope(THINGS, 0)]
    parts = [
        ConceptMetric([], scope, ceiling=Ceiling(scope, named)) for scope, named in zip(scopes, ([1], []), strict=True)
    ]
    metric = BlendedMetric([(3, 3), (5, 5), (7, None), None], parts)
    assert metric.truthful(np.array([0, 1]), np.ones(2)) == (None, 1)
    assert metric.truthful(np.array([0, 2]), np.ones(2)) is None
    assert metric.truthful(np.array([0, 3]), np.ones(2)) is None


def test_a_ceiling_is_named_by_words_or_ids_of_any_ontology_of_the_column() -> None:
    other = Taxonomy.build("other", ["x", "y"], child=[1], parent=[0])
    scopes = [Scope(THINGS, 0), Scope(other, 0)]
    assert named_concepts("none", scopes) == [None, None]
    assert named_concepts((), scopes) == [[], []]
    assert named_concepts(("bird", "y"), scopes) == [[2], [1]]
    with pytest.raises(UnknownConceptError, match="ceiling 'brid' is neither a word nor an id"):
        named_concepts("brid", scopes)
