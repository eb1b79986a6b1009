"""Measures on words, parts and glosses, against slow references written from the formulas."""

from __future__ import annotations

import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from shared import WNDB, needs
from strategies import Dag, dags

import slow_features
from allonym.arrays import to_rows
from allonym.errors import OptionError
from allonym.ontology import similarity
from allonym.ontology.joining.taxonomy import joined
from allonym.ontology.lexicon import Entry, Lexicon
from allonym.ontology.readers import read_taxonomy
from allonym.ontology.scope import Scope
from allonym.ontology.similarity import features, gloss_vectors
from allonym.ontology.taxonomy import Taxonomy
from allonym.ontology.wordnet import bundled
from slow_features import Described

WORDS = st.frozensets(st.sampled_from(["river", "bank", "money", "water", "stone", "house"]), max_size=3)


@st.composite
def ontologies(draw: st.DrawFn) -> Described:
    parents: Dag = draw(dags(max_size=8))
    parts = {c: draw(st.frozensets(st.sampled_from(sorted(parents)), max_size=2)) - {c} for c in parents}
    return Described(
        parents,
        *({c: draw(WORDS) for c in parents} for _ in range(1)),
        parts=parts,
        glosses={c: draw(WORDS) for c in parents},
    )


def taxonomy(ontology: Described) -> Taxonomy:
    links = [(c, p) for c, ps in ontology.parents.items() for p in ps]
    pairs = {(c, other) for c in ontology.parents for other in ontology.part_neighbours(c)}
    owner, other = (np.array([x[i] for x in sorted(pairs)], np.int64) for i in (0, 1))
    return Taxonomy.build(
        "drawn",
        [f"c{c}" for c in ontology.parents],
        child=[c for c, _ in links],
        parent=[p for _, p in links],
        lexicon=Lexicon.build([Entry(x, c) for c, words in ontology.terms.items() for x in sorted(words)]),
        parts=to_rows(owner, other, len(ontology.parents)),
        definitions=["the " + " of ".join(sorted(ontology.glosses[c])) for c in ontology.parents],
    )


def table_of(parents: Dag, pair: object) -> np.ndarray:
    return np.array([[pair(a, b) for b in parents] for a in parents], float)  # type: ignore[operator]


@given(ontologies())
def test_x_similarity_is_its_formula(ontology: Described) -> None:
    t, codes = taxonomy(ontology), np.arange(len(ontology.parents))
    expected = table_of(ontology.parents, lambda a, b: slow_features.x_similarity(ontology, a, b))
    assert np.allclose(features.x_similarity(t, codes[:, None], codes), expected, atol=1e-12)


@given(ontologies(), st.sampled_from([(1 / 3, 1 / 3, 1 / 3), (0.2, 0.5, 0.3), (0.0, 1.0, 0.0)]))
def test_rodriguez_egenhofer_is_its_formula(ontology: Described, weights: tuple[float, float, float]) -> None:
    t, codes = taxonomy(ontology), np.arange(len(ontology.parents))
    expected = table_of(ontology.parents, lambda a, b: slow_features.rodriguez_egenhofer(ontology, a, b, weights))
    got = 1 - similarity.table("rodriguez-egenhofer", t, codes, weights=weights)
    assert np.allclose(got, expected, atol=1e-12)
    if weights[0] == weights[1] == weights[2]:
        assert np.array_equal(similarity.table("rodriguez-egenhofer", t, codes), 1 - got)


@given(ontologies())
def test_gloss_vector_is_its_formula(ontology: Described) -> None:
    t, codes = taxonomy(ontology), np.arange(len(ontology.parents))
    often = [w for w, n in _frequencies(ontology).items() if n > gloss_vectors.MIN_GLOSSES]
    expected = table_of(ontology.parents, lambda a, b: slow_features.gloss_vector(ontology, a, b))
    if not often:  # words that most glosses have are no dimensions
        assert np.allclose(1 - similarity.table("gloss-vector", t, codes), expected, atol=1e-12)


def _frequencies(ontology: Described) -> dict[str, int]:
    words = {w for gloss in ontology.glosses.values() for w in gloss}
    return {w: sum(w in gloss for gloss in ontology.glosses.values()) for w in words}


@given(ontologies())
def test_tversky_as_printed_depends_on_the_order(ontology: Described) -> None:
    t, parents = taxonomy(ontology), ontology.parents
    codes = np.arange(len(parents))
    sets = {c: reference.neighbourhood(parents, ontology.terms, c, "ancestors") for c in parents}

    def printed(a: int, b: int) -> float:
        return 1.0 if a == b else reference.tversky_as_printed(parents, sets, a, b)

    expected = table_of(parents, printed)
    got = 1 - similarity.table("tversky-asymmetric", t, codes)
    assert np.allclose(got, expected, atol=1e-12)
    assert np.allclose((got + got.T) / 2, 1 - similarity.table("tversky", t, codes), atol=1e-12)


def test_the_printed_form_is_no_measure_for_masking() -> None:
    t = bundled()
    dog, animal = t.code("dog"), t.code("animal")
    there, back = (
        float(similarity.distance("tversky-asymmetric", t, *pair)) for pair in ((dog, animal), (animal, dog))
    )
    assert there < back  # a dog is more like an animal than an animal is like a dog
    assert "tversky-asymmetric" in similarity.ALL_MEASURES
    assert "tversky-asymmetric" not in similarity.MEASURES


@given(ontologies())
def test_pairs_and_tables_agree(ontology: Described) -> None:
    t, codes = taxonomy(ontology), np.arange(len(ontology.parents))
    one, other = (grid.ravel() for grid in np.meshgrid(codes, codes, indexing="ij"))
    for measure in ("tversky", "tversky-asymmetric", "rodriguez-egenhofer", "x-similarity", "gloss-vector"):
        whole = similarity.table(measure, t, codes)
        assert np.array_equal(similarity.distance(measure, t, one, other).reshape(whole.shape), whole), measure
        assert np.array_equal(similarity.distance(measure, t.ancestry(codes), codes[:, None], codes), whole), measure
        assert (np.diag(whole) == 0).all(), measure
        assert measure == "tversky-asymmetric" or np.array_equal(whole, whole.T), measure


def test_parts_and_definitions_count_if_the_source_has_them() -> None:
    words = Lexicon.build([Entry("a", 0), Entry("b", 1), Entry("c", 2), Entry("d", 3)])
    parts = to_rows(np.array([1, 2, 1]), np.array([3, 3, 2]), 4)  # 1 and 2 have the part 3, 1 has 2 too
    glosses = ["", "big red dog", "red dog house", ""]
    t = Taxonomy.build(
        "t", list("abcd"), child=[1, 2, 3], parent=[0, 0, 0], lexicon=words, parts=parts, definitions=glosses
    )
    # ancestors {a,b}, {a,c}: 1/3; parts {c,d}, {d}: 1/2; definitions {big,red,dog}, {red,dog,house}: 2/4
    assert float(features.x_similarity(t, 1, 2)) == max(1 / 3, 1 / 2, 2 / 4)
    # gamma = 1/2: synonyms 0; parts 1 / (1 + 1/2); neighbours {b,a,c,d}, {c,a,d}: 3 / (3 + 1/2)
    expected = (0 + 1 / (1 + 1 / 2) + 3 / (3 + 1 / 2)) / 3
    assert float(features.rodriguez_egenhofer(t, 1, 2)) == pytest.approx(expected)


def test_function_words_of_definitions_say_nothing() -> None:
    t = Taxonomy.build(
        "t", list("abc"), child=[1, 2], parent=[0, 0], definitions=["", "the one with all", "the one of"]
    )
    assert float(features.x_similarity(t, 1, 2)) == 0


def test_the_bundled_wordnet_has_parts_and_glosses() -> None:
    t = bundled()
    without = Taxonomy(t.name, t.ids, t.labels, t.parents, t.lexicon, t.instances)
    finger, hand = t.code("finger"), t.code("hand")
    sets = features.ConceptFeatures(t, [finger, hand])
    assert sets.parts is not None
    assert sets.definitions is not None
    both, _, _ = sets.direct.compare(finger, hand)  # each is a neighbour of the other
    assert both >= len(t.lexicon.terms(finger)) + len(t.lexicon.terms(hand))
    assert sets.parts.size[sets.concepts.searchsorted(finger)] > 0
    some = np.random.default_rng(5).choice(len(t), 300, replace=False)
    whole, poorer = (similarity.table("x-similarity", x, some) for x in (t, without))
    assert (whole <= poorer).all()
    assert (whole < poorer).any()


@needs(WNDB)
def test_the_bundled_wordnet_agrees_with_its_source() -> None:
    t, source = bundled(), read_taxonomy(WNDB)
    some = np.random.default_rng(3).choice(len(t), 200, replace=False)
    for measure in ("tversky", "rodriguez-egenhofer", "x-similarity"):
        assert np.array_equal(similarity.table(measure, t, some), similarity.table(measure, source, some)), measure


def test_parts_and_joined_ontologies_have_the_descriptions_of_their_sources() -> None:
    t = bundled()
    scope = Scope.of(t, "person.n.01")
    cut, both = scope.cut(), joined([scope, Scope.of(t, "plant.n.02")]).taxonomy
    for name in ("nurse", "teacher"):
        assert cut.definition(cut.code(name)) == both.definition(both.code(name)) == t.definition(t.code(name))
    ids = ["rosebush.n.01", "rose.n.01", "tree.n.01"]
    whole, part = (features.ConceptFeatures(x, [x.code(i) for i in ids]).definitions for x in (t, both))
    assert whole is not None
    assert part is not None
    assert np.array_equal(whole.table.toarray().sum(axis=1), part.table.toarray().sum(axis=1))
    pairs = cut.code("nurse"), cut.code("physician")
    assert 0 < float(similarity.distance("gloss-vector", cut, *pairs)) < 1


@pytest.mark.parametrize("weights", [(1.0,), (0.5, 0.5, 0.5), (-0.5, 0.5, 1.0)])
def test_weights_must_be_three_that_sum_to_one(weights: tuple[float, ...]) -> None:
    t = Taxonomy.build("t", ["a", "b"], child=[1], parent=[0])
    with pytest.raises(OptionError, match="weights"):
        features.rodriguez_egenhofer(t, 0, 1, weights=weights)
