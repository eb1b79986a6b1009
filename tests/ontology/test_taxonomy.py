"""Taxonomies: depths, paths, least common subsumers, scopes, refused input."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import reference
from hypothesis import given
from strategies import Dag, dags, taxonomy

from allonym.errors import CycleError, UnknownConceptError
from allonym.ontology.lexicon import Entry, Lexicon
from allonym.ontology.scope import Scope
from allonym.ontology.taxonomy import Taxonomy


@given(dags())
def test_structure_agrees_with_the_reference(parents: Dag) -> None:
    t = taxonomy(parents)
    below = {c: {d for d in parents if c in reference.ancestors(parents, d)} for c in parents}
    assert t.depth.tolist() == [reference.depth(parents, c) for c in parents]
    assert t.subsumer_count.tolist() == [len(reference.ancestors(parents, c)) for c in parents]
    assert t.hyponyms.tolist() == [len(below[c]) - 1 for c in parents]
    for c in parents:
        assert set(t.subsumers(c).tolist()) == reference.ancestors(parents, c)
        assert set(t.descendants(c).tolist()) == below[c]
        assert set(t.leaves(c).tolist()) == {d for d in below[c] if len(below[d]) == 1}
        assert t.parents_of(c).tolist() == parents[c]
        assert sorted(t.children_of(c)) == sorted(d for d in parents if c in parents[d])
        way = t.path(c)
        assert way[0] == c
        assert way[-1] == 0
        assert all(b in parents[a] for a, b in itertools.pairwise(way))


@given(dags())
def test_closure_has_the_fewest_links(parents: Dag) -> None:
    t = taxonomy(parents)
    starts, ancestors, links = t.closure(list(parents))
    for c in parents:
        row = slice(starts[c], starts[c + 1])
        assert ancestors[row][0] == c
        for a, n in zip(ancestors[row].tolist(), links[row].tolist(), strict=True):
            assert n == reference.links_up(parents, c, a)


@given(dags())
def test_lcs_agrees_with_the_reference(parents: Dag) -> None:
    t = taxonomy(parents)
    last = len(parents) - 1
    for c in parents:
        assert set(t.lcs(c, last)) == reference.least_common_subsumers(parents, c, last)


@given(dags(max_size=10))
def test_cut_has_inner_links_and_own_depths(parents: Dag) -> None:
    t = taxonomy(parents)
    for root in parents:
        scope = Scope(t, root)
        cut = scope.cut()
        inside = [c for c in parents if root in reference.ancestors(parents, c)]
        assert list(cut.ids) == [f"c{c}" for c in inside]
        own = {i: [inside.index(p) for p in parents[c] if p in inside and c != root] for i, c in enumerate(inside)}
        assert cut.depth.tolist() == [reference.depth(own, i) for i in own]
        assert len(scope) == len(inside)
        assert [c in scope for c in parents] == [c in inside for c in parents]


def test_several_roots_get_a_virtual_one() -> None:
    t = Taxonomy.build("two", ["a", "b", "c"], child=[2], parent=[1])
    assert t.ids[t.root] == "*"
    assert t.depth.tolist() == [1, 1, 2, 0]
    assert t.find("*") == 3


def test_cycles_are_refused() -> None:
    with pytest.raises(CycleError, match="b → c → b") as caught:
        Taxonomy.build("loop", ["a", "b", "c"], child=[1, 2, 1], parent=[2, 1, 0])
    assert set(caught.value.values) == {"b", "c"}


def test_repeated_links_count_once() -> None:
    t = Taxonomy.build("t", ["a", "b"], child=[1, 1], parent=[0, 0])
    assert t.parents_of(1).tolist() == [0]


def test_arrays_and_restriction_keep_words() -> None:
    words = Lexicon.build([Entry("Bird", 1, preferred=True), Entry("parrot", 2), Entry("polly", 2), Entry("cat", 3)])
    t = Taxonomy.build("t", list("abpc"), child=[1, 2, 3], parent=[0, 1, 0], lexicon=words)
    cut = Scope(t, 1).cut()
    assert cut.lexicon.senses("polly").tolist() == [1]
    assert "cat" not in cut.lexicon
    assert cut.lexicon.terms(0) == ["Bird"]


def test_lookup_by_name_and_hints_for_unknown_names() -> None:
    words = Lexicon.build([Entry("bird", 1), Entry("parrot", 2, rank=0), Entry("parrot", 3, rank=1)])
    t = Taxonomy.build(
        "t", ["a", "bird.n.01", "parrot.n.01", "parrot.n.02"], child=[1, 2, 3], parent=[0, 1, 0], lexicon=words
    )
    assert t.code("bird.n.01") == t.code("Bird") == 1
    assert t.code("parrot") == 2
    assert t.code("parrot#2") == 3
    assert t.senses("parrot") == [2, 3]
    with pytest.raises(UnknownConceptError, match="did you mean 'parrot'"):
        t.code("parot")
    with pytest.raises(UnknownConceptError):
        t.code("parrot#3")
    with pytest.raises(UnknownConceptError):
        Scope.of(t, "nowhere")


def test_path_stays_under_the_root() -> None:
    t = Taxonomy.build("t", ["top", "left", "right", "low"], child=[1, 2, 3, 3], parent=[0, 0, 1, 2])
    assert t.path(3) == [3, 1, 0]
    assert t.path(3, root=2) == [3, 2]


def test_sums_of_trees_agree_with_sums_of_graphs() -> None:
    rng = np.random.default_rng(5)
    parent = [int(rng.integers(0, c)) for c in range(1, 200)]
    tree = Taxonomy.build("tree", [str(i) for i in range(200)], child=range(1, 200), parent=parent)
    own = rng.random(200)
    expected = [own[tree.descendants(c)].sum() for c in range(200)]
    assert np.allclose(tree.summed_up(own), expected)
