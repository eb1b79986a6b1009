"""Distances between sets, and their medoids, are those of the formulas."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
import pytest
import slow_sets as slow
from hypothesis import given
from hypothesis import strategies as st
from strategies import Dag, dags, taxonomy

from allonym.kinds.category import EqualityMetric
from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.set_metric import SET_DISTANCES, SetMetric
from allonym.kinds.set_metric import metric as module
from allonym.ontology.generality.ceiling import Ceiling
from allonym.ontology.scope import Scope
from allonym.ontology.taxonomy import Taxonomy

Drawn = list[frozenset[int | str]]
ways = pytest.mark.parametrize("way", SET_DISTANCES)


def some_sets(parents: Dag, data: st.DataObject, least: int = 1) -> Drawn:
    """Draw different sets of concepts and unknown words, perhaps the empty one."""
    elements = st.sampled_from([*parents, "x", "y"])
    return data.draw(st.lists(st.frozensets(elements, max_size=5), min_size=least, max_size=9, unique=True))


def distance_of_elements(parents: Dag) -> Callable[[int | str, int | str], float]:
    """Return the slow distance of two elements, computed once for each pair."""
    return functools.cache(functools.partial(slow.delta, parents))


def by_meaning(parents: Dag, values: list[frozenset[int | str] | None], way: str) -> SetMetric:
    """Return sets of concepts by ancestor overlap."""
    t = taxonomy(parents)
    return SetMetric(values, ConceptMetric([], Scope(t, t.root), "ancestor-overlap"), way)


@ways
@given(parents=dags(8), data=st.data())
def test_distances_are_those_of_the_formulas(way: str, parents: Dag, data: st.DataObject) -> None:
    values = some_sets(parents, data)
    metric = by_meaning(parents, [*values, None], way)
    codes = np.arange(len(values) + 1)
    delta = distance_of_elements(parents)
    expected = [[slow.set_distance(way, delta, x, y) for y in values] for x in values]
    whole = metric.distances(codes[:, None], codes)
    assert whole[:-1, :-1] == pytest.approx(np.array(expected), abs=1e-12)
    assert whole[-1].tolist() == [1.0] * len(values) + [0.0]
    a, b = (np.array(data.draw(st.lists(st.sampled_from(codes.tolist()), min_size=6, max_size=6))) for _ in range(2))
    assert metric.distances(a, b) == pytest.approx(whole[a, b], abs=1e-12)
    for code, value in enumerate([*values, None]):
        assert metric.distances_from(value) == pytest.approx(whole[code], abs=1e-12)
    other = frozenset(data.draw(st.frozensets(st.sampled_from([*parents, "z"]), max_size=4)))
    expected = [slow.set_distance(way, delta, other, y) for y in values]
    assert metric.distances_from(other)[:-1] == pytest.approx(expected, abs=1e-12)


@ways
@given(data=st.data())
def test_by_equality_elements_are_the_same_or_not(way: str, data: st.DataObject) -> None:
    values = some_sets({0: [], 1: [0], 2: [0]}, data)
    metric = by_meaning({0: [], 1: [0], 2: [0]}, values, way).by_equality()
    codes = np.arange(len(values))
    expected = [[slow.set_distance(way, slow.equality, x, y) for y in values] for x in values]
    assert metric.distances(codes[:, None], codes) == pytest.approx(np.array(expected), abs=1e-12)


@ways
@pytest.mark.parametrize("few", [64, 0])
@given(parents=dags(7), data=st.data())
def test_the_medoid_is_that_of_the_definition(way: str, few: int, parents: Dag, data: st.DataObject) -> None:
    values = some_sets(parents, data)
    metric, delta = by_meaning(parents, values, way), distance_of_elements(parents)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MAX_SMALL_GROUP", few)
        for _ in range(3):  # the second and third from what the first found
            some = data.draw(st.dictionaries(st.integers(0, len(values) - 1), st.integers(1, 5), min_size=1))
            codes, counts = np.array(sorted(some)), np.array([float(some[c]) for c in sorted(some)])
            pairs = [(values[c], some[c]) for c in sorted(some)]
            expected = slow.medoid(pairs, way, delta)
            assert metric.centroid(codes, counts) == expected


@ways
def test_many_medoids_from_what_was_found_before_are_those_found_anew(way: str) -> None:
    rng = np.random.default_rng(3)
    parents = {0: [], **{c: [int(rng.integers(c))] for c in range(1, 60)}}
    values = list({frozenset(rng.choice(60, rng.integers(1, 9)).tolist()): None for _ in range(400)})
    metric = by_meaning(parents, values, way)
    left = rng.integers(1, 4, size=len(values)).astype(float)
    order = rng.permutation(len(values))
    for step in range(0, len(order) - 100, 7):
        codes = np.sort(order[step:])
        fresh = by_meaning(parents, values, way)
        assert metric.centroid(codes, left[codes]) == fresh.centroid(codes, left[codes])


def test_null_stands_for_sets_only_where_it_is_nearer_to_all() -> None:
    values = [frozenset({"a"}), frozenset({"b"}), None]
    metric = SetMetric(values, EqualityMetric([]))
    assert metric.centroid(np.array([0, 1, 2]), np.array([1.0, 1.0, 3.0])) is None
    assert metric.centroid(np.array([0, 1, 2]), np.array([2.0, 1.0, 1.0])) == frozenset({"a"})
    assert metric.centroid(np.array([2]), np.array([1.0])) is None


def test_each_against_each_is_the_same_with_null_among_them() -> None:
    values = [frozenset({"a", "b"}), None, frozenset(), frozenset({"b", "c"})]
    metric = SetMetric(values, EqualityMetric([]))
    codes = np.arange(4)
    pairs = [[float(metric.distances([i], [j])[0]) for j in codes] for i in codes]
    assert metric.distances(codes[:, None], codes).tolist() == pairs


def test_what_all_sets_have_is_true_of_all() -> None:
    values = [frozenset({"a", "b"}), frozenset({"b", "c"}), None]
    metric = SetMetric(values, EqualityMetric([]))
    assert metric.subsumer(np.array([0, 1]), np.ones(2)) == frozenset({"b"})
    assert metric.subsumer(np.array([0, 2]), np.ones(2)) is None
    assert metric.extend([frozenset({"b"})]).distances(3, [0, 1, 2, 3]).tolist() == pytest.approx([1 / 3, 1 / 3, 1, 0])


def test_the_example_of_the_paper() -> None:
    parents: Dag = {0: [], 1: [0], 2: [1], 3: [1], 4: [], 5: [4], 6: [5], 7: [6]}  # sports, and a sea
    swimming, windsurfing, mediterranean = 2, 3, 7
    parents[8], parents[0], parents[4] = [], [8], [8]  # one root above both
    t = taxonomy(dict(sorted(parents.items())))
    far = ConceptMetric([], Scope(t, t.root), "ancestor-overlap").extend([swimming, windsurfing]).distances(0, 1)
    assert float(far) == pytest.approx(1 - 3 / 5)  # .5 without the root above sports
    sea = frozenset({swimming, mediterranean}), frozenset({windsurfing, mediterranean})
    metric = SetMetric(sea, ConceptMetric([], Scope(t, t.root), "ancestor-overlap"))
    assert float(metric.distances(0, 1)) == pytest.approx(float(far) / 2)


def truthful_set(sets: list[set[str]]) -> set[str] | None:
    """Return what is true of all of some sets of animals and tools."""
    names = ["thing", "animal", "bird", "parrot", "owl", "cat", "tool", "saw"]
    things = Scope(Taxonomy.build("t", names, child=[1, 2, 3, 4, 5, 6, 7], parent=[0, 1, 2, 2, 1, 0, 6]), 0)
    code = {name: i for i, name in enumerate(names)}
    values = [None if x is None else frozenset(code.get(str(y), y) for y in x) for x in sets]
    metric = SetMetric(values, ConceptMetric([], things, ceiling=Ceiling(things)))
    true = metric.truthful(np.arange(len(values)), np.ones(len(values)))
    return None if true is None else {names[x] if isinstance(x, int) else x for x in true}


def test_a_truthful_set_has_common_subsumers_of_items_of_every_set() -> None:
    assert truthful_set([{"parrot", "saw"}, {"owl", "saw", "cat"}]) == {"bird", "saw"}
    assert truthful_set([{"parrot", "cat"}, {"parrot", "owl"}]) == {"parrot"}  # bird and animal say less
    assert truthful_set([{"parrot"}, {"owl", "cat"}, {"cat", "saw"}]) == {"animal"}
    assert truthful_set([{"parrot"}, {"saw"}]) is None
    assert truthful_set([{"parrot", "zzz"}, {"owl", "zzz"}]) == {"bird", "zzz"}


def test_a_truthful_set_of_missing_or_empty_sets_is_null() -> None:
    assert truthful_set([{"parrot"}, set()]) is None
    assert truthful_set([{"parrot"}, None]) is None  # type: ignore[list-item]
    assert truthful_set([set()]) == set()
