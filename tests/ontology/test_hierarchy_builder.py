"""Levels of concepts above values: true, nested, coarser from level to level, and no concept above another."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import Dag, dags, taxonomy

import allonym as al
from allonym.ontology.hierarchy_builder import ITSELF, build, concept_levels, says_anything
from allonym.ontology.hierarchy_builder.levels import nearest_sizes, spread_limits
from allonym.ontology.scope import Scope
from allonym.ontology.taxonomy import Taxonomy


def partition(level: np.ndarray) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(level == value).tolist()) for value in level}


def slow_partition(t: Taxonomy, leaves: list[int], depth: int) -> set[frozenset[int]]:
    """Return values by their ancestors at a depth; those that are less deep are alone."""

    def key(leaf: int) -> int:
        path = [c for c in t.subsumers(leaf).tolist() if t.depth[c] == depth]
        return path[0] if path else leaf

    keys = np.array([key(x) for x in leaves])
    return partition(keys)


@given(parents=dags(14, tree=True), data=st.data())
def test_levels_of_a_classification_are_its_own(parents: Dag, data: st.DataObject) -> None:
    """Where no value is above another, every level groups values by their ancestors at one depth."""
    t = taxonomy(parents)
    ends = np.flatnonzero(t.is_leaf).tolist()
    assume(len(ends) > 3)
    leaves = sorted(data.draw(st.lists(st.sampled_from(ends), min_size=3, unique=True)))
    height = data.draw(st.integers(1, 4))
    above = build(np.array(leaves), Scope(t, t.root), "wu-palmer", "nodes", levels=height)
    depths = [slow_partition(t, leaves, d) for d in range(t.deepest + 1)]
    different = {frozenset(x) for x in depths if 1 < len(x) < len(leaves)}
    assert all(frozenset(partition(level)) in different for level in above.T[:-1])
    assert above.shape[1] - 1 == min(height - 1, len(different))


@given(parents=dags(14), data=st.data())
def test_levels_are_true_nested_and_without_ancestors(parents: Dag, data: st.DataObject) -> None:
    t = taxonomy(parents)
    assume(len(t) > 4)
    leaves = np.array(data.draw(st.lists(st.sampled_from(range(len(t))), min_size=3, max_size=9, unique=True)))
    limits = data.draw(st.none() | st.just([max(len(leaves) // 2, 2), 1]) | st.just([5, 3, 2, 1]))
    above = build(leaves, Scope(t, t.root), "wu-palmer", "nodes", levels=3, limits=limits)
    before = partition(leaves)
    for level in above.T:
        groups = partition(level)
        assert all(any(x <= y for y in groups) for x in before)
        assert len(groups) < len(before)
        before = groups
        for leaf, value in zip(leaves.tolist(), level.tolist(), strict=True):
            assert value in t.subsumers(leaf)
        for a in set(level.tolist()):
            assert not (set(t.subsumers(a).tolist()) - {a}) & set(level.tolist())
    assert len(before) == 1


def wordnet_levels(words: str, **options: object) -> dict[str, list[str]]:
    wn = al.wordnet()
    concepts = np.array([wn.taxonomy.code(x.strip()) for x in words.split(",")])
    above = concept_levels(concepts, wn, "wu-palmer", "virtual-root", **options)  # type: ignore[arg-type]
    return {
        word.strip(): ["itself" if c == ITSELF else wn.taxonomy.ids[c] for c in row]
        for word, row in zip(words.split(","), above.tolist(), strict=True)
    }


def test_a_concept_covers_what_is_below_it() -> None:
    """No pork beside meat, although pork alone would lose less."""
    rows = wordnet_levels("pork.n.01, meat.n.01, beef.n.02, apple.n.01, pear.n.01, soup.n.01", levels=3)
    assert rows["pork.n.01"] == rows["meat.n.01"] == rows["beef.n.02"]
    people = wordnet_levels("worker.n.01, person.n.01, nurse.n.01, child.n.01, dog.n.01", levels=3)
    assert people["worker.n.01"][:-1] == people["child.n.01"][:-1] == ["person.n.01"] * (len(people["dog.n.01"]) - 1)


def test_no_filler_and_nothing_unknown() -> None:
    """Transport and repair are both a change, songbirds are oscines: nobody says so."""
    rows = wordnet_levels("transportation.n.02, repair.n.01, thrush.n.03, finch.n.01, wren.n.02, nurse.n.01", levels=4)
    used = {c for row in rows.values() for c in row[:-1]}
    assert not used & {"change.n.03", "oscine.n.01", "passerine.n.01", "organism.n.01", "whole.n.02"}
    assert rows["thrush.n.03"][-1] == "entity.n.01"
    assert not says_anything(al.wordnet(), al.wordnet().taxonomy.root)
    assert says_anything(al.wordnet("person"), al.wordnet("person").root)


def test_a_value_with_two_parents_is_under_one() -> None:
    """Milk is a dairy product and a beverage; both remain groups."""
    rows = wordnet_levels(
        "milk.n.01, butter.n.01, cheese.n.01, yogurt.n.01, coffee.n.01, tea.n.01, beer.n.01", limits=[2, 1]
    )
    first = {row[0] for row in rows.values()}
    assert {"dairy_product.n.01", "beverage.n.01"} <= first
    assert len(first) == 2


def test_values_alone_become_as_general_as_the_others() -> None:
    words = "cow.n.01, horse.n.01, sparrow.n.01, owl.n.01, hammer.n.02"
    assert wordnet_levels(words, levels=2)["hammer.n.02"][0] == "itself"
    alike = wordnet_levels(words, levels=2, alike=True)["hammer.n.02"][0]
    assert alike in ("hand_tool.n.01", "tool.n.01")


def test_a_kind_of_a_concept_covers_nothing() -> None:
    """A value that is a kind of food is not above bread; food itself is."""
    wn = al.wordnet()
    concepts = np.array([wn.taxonomy.code(x) for x in ("food.n.01", "beer.n.01", "wine.n.01", "hammer.n.02")])
    options = {"levels": 3, "is_kind": np.array([True, False, False, False])}
    above = concept_levels(concepts, wn, "wu-palmer", "nodes", **options)  # type: ignore[arg-type]
    assert above[0, 0] == ITSELF
    assert above[1, 0] == above[2, 0] == wn.taxonomy.code("alcohol.n.01")
    above = concept_levels(concepts, wn, "wu-palmer", "nodes", levels=2)
    assert len(set(above[:3, 0].tolist())) == 1


def test_numbers_of_values_are_met_where_they_can_be() -> None:
    words = "pork.n.01, beef.n.02, apple.n.01, pear.n.01, coffee.n.01, tea.n.01, beer.n.01, wine.n.01, soup.n.01"
    for limits in ([8, 7, 1], [6, 4, 1], [5, 1]):
        rows = list(wordnet_levels(words, limits=limits).values())
        sizes = [
            len({row[i] if row[i] != "itself" else str(n) for n, row in enumerate(rows)}) for i in range(len(rows[0]))
        ]
        assert len(sizes) == len(limits)
        assert all(size <= limit for size, limit in zip(sizes, limits, strict=True))


@pytest.mark.parametrize("wanted", [[3], [9, 3], [20, 10, 5]])
def test_nearest_sizes(wanted: list[int]) -> None:
    """By trying all ways."""
    from itertools import combinations

    sizes = [30, 22, 17, 9, 8, 4, 2]
    ways = combinations(range(len(sizes)), len(wanted))
    best = min(ways, key=lambda way: sum(np.log(sizes[i] / x) ** 2 for i, x in zip(way, wanted, strict=True)))
    assert nearest_sizes(sizes, wanted) == list(best)
    assert spread_limits(1000, 3, 2) == [100, 10]
