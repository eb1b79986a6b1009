"""Leaves below concepts: values that are a kind of a concept, one link below it."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import Dag, dags, taxonomy

import slow_leaves
from allonym.ontology import similarity
from allonym.ontology.similarity import MEASURES
from allonym.ontology.taxonomy import Taxonomy
from allonym.ontology.wordnet import wordnet

ON_FEATURES = ("tversky", "rodriguez-egenhofer", "x-similarity", "gloss-vector")
ON_LINKS = [name for name in MEASURES if name not in ON_FEATURES]
BELOW = [(True, False), (False, True), (True, True)]
TERMS = {c: frozenset({"w" + "abcdefghijkl"[c], "x" + "abcdefghijkl"[c]}) for c in range(12)}
measures = pytest.mark.parametrize("measure", MEASURES)


def animals() -> Taxonomy:
    """Return animal (0) > bird (1) > parrot (2), animal > cat (3)."""
    return taxonomy({0: [], 1: [0], 2: [1], 3: [0]}, TERMS, defined=True)


@pytest.mark.parametrize("measure", ON_LINKS)
@pytest.mark.parametrize("below", BELOW)
@given(parents=dags(9, min_size=2), convention=st.sampled_from(sorted(similarity.DEPTHS)))
def test_leaves_follow_from_the_formula(measure: str, below: tuple[bool, bool], parents: Dag, convention: str) -> None:
    codes = np.arange(len(parents))
    got = similarity.distance(measure, taxonomy(parents), codes[:, None], codes, depth=convention, below=below)
    for a, b in itertools.product(parents, repeat=2):
        expected = slow_leaves.distance(measure, parents, a, b, below, convention)
        assert got[a, b] == pytest.approx(expected, abs=1e-12), (a, b)


@measures
@given(parents=dags(9), data=st.data())
def test_a_leaf_is_never_nearer_than_its_concept(measure: str, parents: Dag, data: st.DataObject) -> None:
    """Taking a value for a kind of a concept, and not for the concept, never makes two values more alike."""
    terms = {c: data.draw(st.frozensets(st.sampled_from("uvwxyz"), max_size=3)) for c in parents}
    t = taxonomy(parents, terms, defined=True)
    codes = np.arange(len(parents))
    same, below_a, below_b, below_both = (
        similarity.distance(measure, t, codes[:, None], codes, below=below) for below in [(False, False), *BELOW]
    )
    assert (below_a >= same - 1e-12).all()
    assert (below_both >= below_a - 1e-12).all()
    assert (below_both <= 1).all()
    assert np.allclose(below_a, below_b.T)
    assert np.allclose(below_both, below_both.T)


@measures
def test_a_leaf_is_apart_from_its_concept_and_from_its_siblings(measure: str) -> None:
    t = animals()
    codes = np.arange(len(t))
    to_concept = similarity.distance(measure, t, codes, codes, below=(True, False))
    to_sibling = similarity.distance(measure, t, codes, codes, below=(True, True))
    assert (to_concept > 0).all()
    if measure == "resnik":  # knows the common subsumer only, which is the concept in both cases
        assert (to_sibling == to_concept).all()
    else:
        assert (to_sibling[1:] > to_concept[1:]).all()


def test_by_hand() -> None:
    """Compute the distances of a leaf below parrot to its concept, to a sibling, and to cat."""
    t = animals()
    parrot, cat = t.code("c2"), t.code("c3")

    def distances(measure: str) -> list[float]:
        pairs = [(parrot, (True, False)), (parrot, (True, True)), (cat, (True, False))]
        return [float(similarity.distance(measure, t, parrot, other, below=below)) for other, below in pairs]

    assert distances("wu-palmer") == pytest.approx(
        [1 - 2 * 3 / (1 + 0 + 2 * 3), 1 - 2 * 3 / (1 + 1 + 2 * 3), 1 - 2 * 1 / (3 + 1 + 2 * 1)]
    )
    assert distances("path") == pytest.approx([1 / 4, 2 / 4, 4 / 4])
    by_logarithm = [1 + math.log(length / 6) / math.log(6) for length in (2, 3, 5)]
    assert distances("leacock-chodorow") == pytest.approx(by_logarithm)
    assert distances("ancestor-overlap") == pytest.approx([(4 - 3) / 4, (5 - 3) / 5, (5 - 1) / 5])
    half = 1 - math.log(2) / math.log(4)  # the content of parrot, once it has a kind
    assert distances("resnik") == pytest.approx([1 - half, 1 - half, 1])
    assert distances("lin") == pytest.approx([1 - 2 * half / (1 + half), 1 - half, 1])
    assert distances("jiang-conrath") == pytest.approx([(1 - half) / 2, (2 - 2 * half) / 2, 1])
    words = 6  # of parrot, bird and animal
    assert distances("tversky")[:2] == pytest.approx([1 - words / (words + 1 / 2), 1 - words / (words + 1)])
    assert distances("gloss-vector")[:2] == pytest.approx([1 - 1 / math.sqrt(1.25), 1 - 1 / 1.25])
    assert distances("x-similarity") == pytest.approx([1 - 6 / 7, 1 - 6 / 8, 1 - 2 / 9])


def test_leaves_change_no_distance_between_concepts() -> None:
    scope = wordnet()
    concepts = np.array([scope.taxonomy.code(x) for x in ("dog", "cat", "driver", "milk", "entity")])
    for measure in ON_LINKS:
        before = similarity.distance(measure, scope.taxonomy, concepts[:, None], concepts)
        below = similarity.distance(measure, scope.taxonomy, concepts[:, None], concepts, below=(True, True))
        assert (below >= before).all()
        assert (similarity.distance(measure, scope.taxonomy, concepts[:, None], concepts) == before).all()
