"""The consensus of sets is that of its definition: near to all, and nobody's."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import Dag, dags, taxonomy

from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.set_metric import SET_DISTANCES, SetMetric
from allonym.kinds.set_metric.consensus import Consensus
from allonym.kinds.set_metric.consensus_search import Members
from allonym.ontology.generality.ceiling import Ceiling
from allonym.ontology.scope import Scope
from slow_consensus import Items, Problem, persons

# food: fruit (apple, pear, plum), drink: juice (orange juice), beer
FOOD: Dag = {0: [], 1: [0], 2: [1], 3: [1], 4: [1], 5: [0], 6: [5], 7: [5], 8: [5]}
FRUIT, APPLE, PEAR, PLUM, DRINK, JUICE, BEER, TEA = range(1, 9)


def problem_of(parents: Dag, table: list[Items], members: list[Items], k: int, distance: str = "min-sum") -> Problem:
    general = np.flatnonzero(metric_of(parents, table).elements._too_general).tolist()  # type: ignore[attr-defined]
    return Problem(parents, table, members, k, distance, general)


def metric_of(parents: Dag, table: list[Items], distance: str = "min-sum") -> SetMetric:
    scope = Scope(t := taxonomy(parents), t.root)
    concepts = ConceptMetric([], scope, "ancestor-overlap", ceiling=Ceiling(scope, (t.root,)))
    return SetMetric(list(dict.fromkeys(table)), concepts, distance)


def consensus(problem: Problem) -> Items | None:
    """Return the consensus as the package finds it."""
    metric = metric_of(problem.parents, list(problem.table), problem.distance)
    counts = Counter(problem.table)
    codes = np.arange(len(counts))
    chosen = Consensus(metric, problem.k, codes, np.array([counts[x] for x in metric.values], np.int64))
    return chosen.of(members_of(metric, problem.members))  # type: ignore[no-any-return]


def members_of(metric: SetMetric, members: list[Items] | tuple[Items, ...] | object) -> Members:
    counts = Counter(metric.places[x] for x in members)  # type: ignore[attr-defined]
    codes = np.array(sorted(counts), np.int64)
    places = np.repeat(np.arange(len(codes)), [counts[c] for c in codes.tolist()])
    return Members(codes, np.array([float(counts[c]) for c in codes.tolist()]), np.arange(len(places)), places)


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """Draw a table of sets, a group of it, k and a distance."""
    parents = draw(dags(8))
    elements = st.sampled_from([*parents, "x", "y"])
    table = draw(st.lists(st.frozensets(elements, max_size=4), min_size=2, max_size=9))
    size = draw(st.integers(2, len(table)))
    table = list(dict.fromkeys(table)) + [x for i, x in enumerate(table) if x in table[:i]]  # by code
    members = [x for x in table if table.index(x) < size][:6]
    return problem_of(parents, table, members, draw(st.integers(2, 4)), draw(st.sampled_from(SET_DISTANCES)))


@settings(max_examples=150)
@given(problem=problems())
def test_the_consensus_is_that_of_the_definition(problem: Problem) -> None:
    assert consensus(problem) == problem.consensus()


@settings(max_examples=150)
@given(problem=problems())
def test_it_is_nobodys_and_made_of_what_several_have(problem: Problem) -> None:
    found = consensus(problem)
    if found is None:
        return
    assert not problem.is_somebodys(found)
    if len(set(problem.members)) > 1:
        assert len(found) <= problem.length + 1  # a set that is somebody's may have one more
        for element in found:
            assert len(persons(problem.parents, problem.members, element)) >= 2
            assert len(persons(problem.parents, problem.table, element)) >= problem.k
            assert problem.stands(element, found)


def test_it_costs_hardly_more_than_the_best_set() -> None:
    rng = random.Random(3)
    costs, best = 0.0, 0.0
    for _ in range(60):
        leaves = [APPLE, PEAR, PLUM, JUICE, BEER, TEA, "x"]
        table: list[Items] = [frozenset(rng.sample(leaves, rng.randint(1, 4))) for _ in range(12)]
        problem = problem_of(FOOD, table, table[:4], 2)
        found = consensus(problem)
        assert found is not None
        least, cost = problem.best(), problem.cost(found)
        assert least <= cost + 1e-9
        costs, best = costs + cost, best + least
    assert costs <= 1.05 * best


def test_items_of_several_stay_and_others_become_a_common_concept() -> None:
    members: list[Items] = [frozenset({APPLE, BEER}), frozenset({PEAR, BEER}), frozenset({PLUM, BEER, TEA})]
    assert consensus(problem_of(FOOD, members, members, 3)) == {FRUIT, BEER}


def test_what_nobody_shares_is_null() -> None:
    members: list[Items] = [frozenset({"x"}), frozenset({"y"}), frozenset({"z"})]
    assert consensus(problem_of(FOOD, members, members, 3)) is None


def test_a_set_that_k_hold_may_be_written() -> None:
    table: list[Items] = [frozenset({APPLE})] * 3 + [frozenset({APPLE, TEA})]
    assert consensus(problem_of(FOOD, table, table, 3)) == {APPLE}
    assert consensus(problem_of(FOOD, table, table, 4)) == {FRUIT}  # {apple} is that of three


def test_the_empty_set_may_stand_for_empty_sets() -> None:
    table: list[Items] = [frozenset()] * 3 + [frozenset({APPLE})]
    assert consensus(problem_of(FOOD, table, table, 3)) == frozenset()
    assert consensus(problem_of(FOOD, table, table, 4)) is None


def test_one_person_with_two_rows_is_not_several() -> None:
    sets: list[Items] = [frozenset({APPLE, TEA}), frozenset({APPLE, BEER}), frozenset({TEA, JUICE})]
    metric = metric_of(FOOD, sets)
    codes, units = np.array([0, 1, 2, 2]), np.array([0, 0, 1, 2])
    chosen = Consensus(metric, 2, codes, np.ones(4, np.int64), units)
    group = Members(np.arange(3), np.array([1.0, 1.0, 2.0]), np.array([0, 0, 1, 2]), np.array([0, 1, 2, 2]))
    found = chosen.of(group)
    assert found is not None
    assert TEA in found
    assert APPLE not in found  # the first person alone has apples


def test_ties_do_not_depend_on_the_order_of_rows() -> None:
    members: list[Items] = [frozenset({APPLE, PEAR}), frozenset({APPLE, PLUM}), frozenset({BEER, TEA, PEAR})]
    table = [*members, *members, frozenset({JUICE})]
    expected = consensus(problem_of(FOOD, table, members, 2))
    for seed in range(5):
        shuffled = random.Random(seed).sample(table, len(table))
        codes = list(dict.fromkeys([*members, *shuffled]))
        assert (
            consensus(problem_of(FOOD, [*codes, *(x for x in shuffled if shuffled.count(x) > 1)], members, 2))
            == expected
        )


@pytest.mark.parametrize("distance", SET_DISTANCES)
def test_every_distance_has_a_consensus(distance: str) -> None:
    members: list[Items] = [frozenset({APPLE, BEER}), frozenset({PEAR, BEER}), frozenset({PLUM, BEER, TEA})]
    found = consensus(problem_of(FOOD, members, members, 3, distance))
    assert found is not None
    assert found <= {BEER, FRUIT, DRINK}
