"""Measures against slow references written from the formulas, and laws that hold for every measure."""

from __future__ import annotations

import functools
import itertools

import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from strategies import Dag, dags, taxonomy

from allonym.errors import OptionError
from allonym.ontology import ancestry, content, similarity
from allonym.ontology.similarity import features
from allonym.ontology.taxonomy import Taxonomy
from allonym.ontology.wordnet import bundled

WORDS = ["tversky", "rodriguez-egenhofer", "x-similarity"]
NEEDS_GLOSSES = ["gloss-vector"]
WITHOUT_GLOSSES = [m for m in similarity.MEASURES if m not in NEEDS_GLOSSES]
LINKS_AND_CONTENT = [m for m in WITHOUT_GLOSSES if m not in WORDS]
RAW = {"path": reference.path, "leacock-chodorow": reference.leacock_chodorow}


def table_of(parents: Dag, pair: object) -> np.ndarray:
    return np.array([[pair(a, b) for b in parents] for a in parents], float)  # type: ignore[operator]


@given(dags())
def test_raw_measures_on_links_agree_with_the_reference(parents: Dag) -> None:
    t, codes = taxonomy(parents), np.arange(len(parents))
    column = codes[:, None]
    assert np.array_equal(
        similarity.path(t, column, codes), table_of(parents, lambda a, b: reference.path(parents, a, b))
    )
    expected = table_of(parents, lambda a, b: reference.leacock_chodorow(parents, a, b))
    assert np.allclose(similarity.leacock_chodorow(t, column, codes), expected, rtol=1e-14)
    expected = table_of(parents, lambda a, b: reference.ancestor_overlap(parents, a, b))
    assert np.allclose(similarity.ancestor_overlap(t, column, codes), expected, rtol=1e-14)
    for depth in similarity.DEPTHS:
        expected = table_of(parents, lambda a, b, depth=depth: reference.wu_palmer(parents, a, b, depth))
        assert np.allclose(similarity.wu_palmer(t, column, codes, depth=depth), expected, rtol=1e-14)


@given(dags(), st.lists(st.integers(0, 50), min_size=12, max_size=12))
def test_information_content_agrees_with_the_reference(parents: Dag, counts: list[int]) -> None:
    t = taxonomy(parents)
    assert np.allclose(content.seco(t), [reference.seco(parents, c) for c in parents], atol=1e-12)
    assert np.allclose(content.sanchez_batet(t), [reference.sanchez_batet(parents, c) for c in parents], atol=1e-12)
    own = dict(enumerate(counts[: len(parents)]))
    expected = [reference.corpus(parents, own, c) for c in parents]
    assert np.allclose(content.corpus(t, list(own.values())), expected, atol=1e-12)


@given(dags(), st.sampled_from(["seco", "sanchez-batet"]))
def test_measures_on_content_agree_with_the_reference(parents: Dag, name: str) -> None:
    t, codes = taxonomy(parents), np.arange(len(parents))
    amount = dict(enumerate(content.content(t, name).tolist()))
    for measure in ("resnik", "lin", "jiang_conrath"):
        slow = getattr(reference, measure)
        expected = table_of(parents, lambda a, b, slow=slow: slow(parents, amount, a, b))
        got = getattr(similarity, measure)(t, codes[:, None], codes, content=name)
        assert np.allclose(got, expected, atol=1e-12), measure


@given(parents=dags())
def test_distance_agrees_with_the_reference(parents: Dag) -> None:
    t, codes = taxonomy(parents), np.arange(len(parents))
    amount = dict(enumerate(content.seco(t).tolist()))
    for measure in LINKS_AND_CONTENT:
        expected = table_of(parents, functools.partial(reference.distance, measure, parents, content=amount))
        got = similarity.distance(measure, t, codes[:, None], codes)
        assert np.allclose(got, expected, atol=1e-12), measure


@given(dags(max_size=8), st.data())
def test_tversky_agrees_with_the_reference(parents: Dag, data: st.DataObject) -> None:
    words = st.frozensets(st.sampled_from("pqrstu"), max_size=3)
    terms = {c: data.draw(words) for c in parents}
    t, codes = taxonomy(parents, terms), np.arange(len(parents))
    for reach in ("direct", "ancestors"):
        sets = {c: reference.neighbourhood(parents, terms, c, reach) for c in parents}
        expected = table_of(parents, lambda a, b, sets=sets: reference.tversky(parents, sets, a, b))
        assert np.allclose(features.tversky(t, codes[:, None], codes, reach=reach), expected, atol=1e-12)


@given(parents=dags(), data=st.data())
def test_distance_is_symmetric_bounded_and_zero_for_equal_concepts(parents: Dag, data: st.DataObject) -> None:
    terms = {c: data.draw(st.frozensets(st.sampled_from("pqrstu"), max_size=3)) for c in parents}
    t, codes = taxonomy(parents, terms), np.arange(len(parents))
    for measure, depth in itertools.product(WITHOUT_GLOSSES, similarity.DEPTHS):
        d = similarity.table(measure, t, codes, depth=depth)
        assert np.array_equal(d, d.T), measure
        assert (np.diag(d) == 0).all(), measure
        assert d.min() >= 0, measure
        assert d.max() <= 1, measure


@given(parents=dags(tree=True))
def test_distance_grows_up_a_chain_on_trees(parents: Dag) -> None:
    t = taxonomy(parents)
    for measure, c in itertools.product(LINKS_AND_CONTENT, parents):
        distances = similarity.distance(measure, t, c, t.path(c))
        assert (np.diff(distances) >= -1e-12).all(), measure


@given(parents=dags())
def test_pairs_tables_and_ancestries_agree(parents: Dag) -> None:
    t, codes = taxonomy(parents), np.arange(len(parents))
    one, other = (grid.ravel() for grid in np.meshgrid(codes, codes, indexing="ij"))
    last, made_once = len(codes) - 1, t.ancestry(codes)
    for measure in WITHOUT_GLOSSES:
        whole = similarity.table(measure, t, codes)
        assert np.array_equal(similarity.distance(measure, t, one, other), whole.ravel()), measure
        assert np.array_equal(similarity.distance(measure, t, codes[:, None], codes), whole), measure
        assert np.array_equal(similarity.distance(measure, t, last, codes), whole[last]), measure
        assert float(similarity.distance(measure, t, last, 0)) == whole[last, 0], measure
        assert np.array_equal(similarity.distance(measure, made_once, codes, last), whole[:, last]), measure


@pytest.mark.parametrize("block", [1, 7])
def test_block_size_does_not_matter(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(block)
    parents: Dag = {0: [], **{c: sorted(set(rng.integers(0, c, 3).tolist())) for c in range(1, 30)}}
    t, codes = taxonomy(parents), np.arange(len(parents))
    expected = table_of(parents, lambda a, b: reference.wu_palmer(parents, a, b))
    monkeypatch.setattr(ancestry, "BLOCK", block)
    assert np.allclose(similarity.wu_palmer(t, codes[:, None], codes), expected, rtol=1e-14)
    one, other = (grid.ravel() for grid in np.meshgrid(codes, codes, indexing="ij"))
    assert np.allclose(similarity.wu_palmer(t, one, other), expected.ravel(), rtol=1e-14)


def test_empty_input() -> None:
    t = taxonomy({0: [], 1: [0]})
    nothing = np.empty(0, np.int64)
    for measure in WITHOUT_GLOSSES:
        assert similarity.distance(measure, t, nothing, nothing).shape == (0,)
        assert similarity.distance(measure, t, 1, nothing).shape == (0,)
        assert similarity.table(measure, t, nothing).shape == (0, 0)


def test_deep_chains_with_merges_exceed_the_main_slots() -> None:
    """Two chains of 40 that meet again: more slots than one machine word of the fast way."""
    parents: Dag = {0: []}
    for c in range(1, 81):
        parents[c] = [c - 2] if c > 2 else [0]
    parents[81], parents[82], parents[83] = [79, 80], [81], [81, 40]
    t, codes = taxonomy(parents), np.arange(len(parents))
    some = np.array([0, 1, 2, 39, 40, 78, 79, 80, 81, 82, 83])  # the ends of the chains and where they meet
    for measure in ("wu_palmer", "path", "ancestor_overlap"):
        slow = getattr(reference, measure)
        expected = [[slow(parents, a, b) for b in codes.tolist()] for a in some.tolist()]
        assert np.allclose(getattr(similarity, measure)(t, some[:, None], codes), expected, rtol=1e-14), measure


def test_very_deep_chain_keeps_exact_links() -> None:
    parents: Dag = {0: [], **{c: [c - 1] for c in range(1, 400)}}
    t = taxonomy(parents)
    assert float(similarity.path(t, 399, 0)) == 399
    assert float(similarity.wu_palmer(t, 399, 1)) == (2 * 2) / (398 + 0 + 2 * 2)


def test_lcs_of_highest_similarity() -> None:
    # 4 and 5 share 2 (depth 2, far) and 3 (depth 1, near): W&P decides
    parents: Dag = {0: [], 1: [0], 2: [1], 3: [0], 4: [2, 3], 5: [2, 3]}
    t = taxonomy(parents)
    assert reference.least_common_subsumers(parents, 4, 5) == {2, 3} == set(t.lcs(4, 5))
    assert int(similarity.lcs(t, 4, 5)) == 2
    assert float(similarity.wu_palmer(t, 4, 5)) == (2 * 3) / (1 + 1 + 2 * 3)


def test_a_shortcut_above_the_lcs_counts_where_it_is_shorter() -> None:
    # 3 has a short way to 0, but by 2 it is nearer to 4
    t = taxonomy({0: [], 1: [0], 2: [1], 3: [2, 0], 4: [2]})
    assert float(similarity.path(t, 3, 4)) == 1 + 1
    assert float(similarity.path(t, 3, 0)) == 1
    shortcut = taxonomy({c: list(parents) for c, parents in reference.SHORTCUT.items()})
    assert shortcut.lcs(5, 6) == [1]
    assert float(similarity.path(shortcut, 5, 6)) == 1 + 2
    assert int(similarity.lcs(shortcut, 5, 6, measure="path")) == 0
    assert int(similarity.lcs(shortcut, 5, 6, measure="wu-palmer")) == 1


def test_the_path_between_nouns_leads_over_any_common_subsumer() -> None:
    t = bundled()
    dog, snake = t.code("dog"), t.code("snake")
    assert [t.ids[c] for c in t.lcs(dog, snake)] == ["vertebrate.n.01"]
    assert float(similarity.path(t, dog, snake)) == 7
    assert t.ids[int(similarity.lcs(t, dog, snake, measure="path"))] == "animal.n.01"


def test_paths_between_nouns_agree_with_a_search() -> None:
    t, rng = bundled(), np.random.default_rng(7)
    several = np.flatnonzero(np.diff(t.parents[0]) > 1)  # where shortcuts begin
    some = np.concatenate([rng.choice(len(t), 40, replace=False), rng.choice(several, 40, replace=False)])
    parents = {c: t.parents_of(c).tolist() for c in t.above(some).tolist()}
    expected = np.array([[reference.path(parents, a, b) for b in some.tolist()] for a in some.tolist()])
    assert np.array_equal(similarity.path(t, some[:, None], some), expected)
    assert (expected < _links_over_the_lcs(t, some)).any()


def _links_over_the_lcs(t: Taxonomy, some: np.ndarray) -> np.ndarray:
    return -t.ancestry(some).best(some[:, None], some, lambda links, lcs: -links.astype(float))


def test_unknown_names_are_refused_with_a_hint() -> None:
    t = taxonomy({0: [], 1: [0]})
    with pytest.raises(OptionError, match="did you mean 'wu-palmer'"):
        similarity.distance("wupalmer", t, 0, 1)
    with pytest.raises(OptionError, match="depth convention"):
        similarity.wu_palmer(t, 0, 1, depth="node")
    with pytest.raises(OptionError, match="information content"):
        similarity.resnik(t, 0, 1, content="secco")
    with pytest.raises(OptionError, match="no definitions, which the measure 'gloss-vector' needs"):
        similarity.distance("gloss-vector", t, 0, 1)
    with pytest.raises(OptionError, match="no word counts"):
        similarity.resnik(t, 0, 1, content="corpus")


def test_ancestry_refuses_other_concepts() -> None:
    t = taxonomy({0: [], 1: [0], 2: [0], 3: [1]})
    some = t.ancestry([3])
    assert 1 in some
    assert 2 not in some
    assert float(similarity.path(some, 3, 0)) == 2
    with pytest.raises(IndexError, match="does not contain some"):
        similarity.path(some, 3, 2)
    with pytest.raises(IndexError, match="does not contain some"):
        similarity.path(some, 2, [0, 1])


def test_more_concepts_in_a_slot_than_sixteen_bits_count() -> None:
    """70,000 leaves share one slot; two parents of the last make it meet another."""
    n = 70_003
    child = [1, 2, *range(3, n), n - 1]
    parent = [0, 0, *([1] * (n - 3)), 2]
    t = Taxonomy.build("broad", [str(i) for i in range(n)], child=child, parent=parent)
    few = np.array([0, 1, 2, 3, 65_540, n - 2, n - 1])
    whole = similarity.wu_palmer(t.ancestry(np.arange(n)), few[:, None], few)
    assert np.array_equal(whole, similarity.wu_palmer(t, few[:, None], few))
    assert whole[3, 4] == (2 * 2) / (1 + 1 + 2 * 2)
    assert whole[2, 6] == (2 * 2) / (0 + 1 + 2 * 2)
    assert whole[3, 2] == (2 * 1) / (2 + 1 + 2 * 1)


def test_numbering_does_not_matter() -> None:
    rng = np.random.default_rng(4)
    parents: Dag = {0: [], **{c: sorted(set(rng.integers(0, c, 2).tolist())) for c in range(1, 25)}}
    new = rng.permutation(25)
    shuffled = Taxonomy.build(
        "shuffled",
        [f"c{i}" for i in range(25)],
        child=[new[c] for c in parents for _ in parents[c]],
        parent=[new[p] for c in parents for p in parents[c]],
    )
    codes = np.arange(25)
    for measure in LINKS_AND_CONTENT:
        expected = similarity.table(measure, taxonomy(parents), codes)
        assert np.allclose(similarity.table(measure, shuffled, new), expected, atol=1e-12), measure


def test_ties_of_subsumers_are_broken_by_depth_then_number() -> None:
    deeper = taxonomy({0: [], 1: [0], 2: [0], 3: [2], 4: [1, 3], 5: [1, 3]})
    assert int(similarity.lcs(deeper, 4, 5, measure="path")) == 3  # 1 is as near
    alike = taxonomy({0: [], 1: [0], 2: [0], 3: [1, 2], 4: [1, 2]})
    assert int(similarity.lcs(alike, 3, 4)) == 1


def test_each_measure_has_its_own_subsumer() -> None:
    # 8 and 9 share 5, near and shallow, and 4, far and deep
    t = taxonomy({0: [], 1: [0], 2: [1], 3: [2], 4: [3], 5: [0], 6: [4], 7: [4], 8: [5, 6], 9: [5, 7]})
    assert int(similarity.lcs(t, 8, 9, measure="wu-palmer")) == 4
    assert int(similarity.lcs(t, 8, 9, measure="path")) == 5
    amount = np.array([0.0, 1, 1, 1, 1, 2, 2, 2, 3, 3])
    assert int(similarity.lcs(t, 8, 9, measure="resnik", content=amount)) == 5
    assert int(similarity.lcs(t, 8, 9, measure="lin", content=amount[::-1])) == 4


def test_taxonomies_are_read_only() -> None:
    t = taxonomy({0: [], 1: [0]})
    for array in (t.depth, t.parents[1], t.children[1], t.instances, t.lexicon.concepts):
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 0
    with pytest.raises(TypeError):
        t.ids[0] = "x"  # type: ignore[index]


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint64])
def test_codes_may_be_integers_of_any_width(dtype: type) -> None:
    t = taxonomy({0: [], **{c: [(c - 1) // 2] for c in range(1, 100)}})
    codes = np.arange(100)
    narrow = codes.astype(dtype)
    for measure in WITHOUT_GLOSSES:
        expected = similarity.distance(measure, t, codes, codes[::-1])
        assert np.array_equal(similarity.distance(measure, t, narrow, narrow[::-1]), expected)


def test_more_paths_down_than_a_float_can_count() -> None:
    """60 diamonds on top of each other, numbered from below: 2^60 ways."""
    n = 181
    child, parent = [], []
    for i in range(60):
        top, left, right, bottom = (n - 1 - 3 * i - k for k in (0, 1, 2, 3))
        child += [left, right, bottom, bottom]
        parent += [top, top, left, right]
    t = Taxonomy.build("diamonds", [str(i) for i in range(n)], child=child, parent=parent)
    assert float(similarity.path(t, 0, n - 1)) == 120
    left, right = n - 2, n - 3
    assert int(similarity.lcs(t, left, right)) == n - 1
    assert float(similarity.wu_palmer(t, 0, n - 1)) == (2 * 1) / (120 + 0 + 2 * 1)
    assert t.ancestry(np.arange(n)).size[0] == n


def test_a_word_without_senses_is_refused() -> None:
    with pytest.raises(ValueError, match="without senses"):
        similarity.best_pair("path", taxonomy({0: [], 1: [0]}), [[0], [], [1]])
