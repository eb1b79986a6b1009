"""Senses in their column: the fit agrees with its formula, and coherent columns are read as such."""

from __future__ import annotations

import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from strategies import Dag, dags, taxonomy

from allonym.ontology.linking.senses import Column, sizes_of, softmax
from allonym.ontology.wordnet import bundled

Drawn = tuple[Dag, list[list[int]], list[list[float]], list[int]]


@st.composite
def columns(draw: st.DrawFn) -> Drawn:
    parents = draw(dags(max_size=12))
    concepts = st.integers(0, len(parents) - 1)
    words = draw(st.lists(st.lists(concepts, min_size=1, max_size=3, unique=True), min_size=1, max_size=5))
    weights = [draw(st.lists(st.floats(-4, 0), min_size=len(w), max_size=len(w))) for w in words]
    raw = draw(st.lists(st.integers(0, 2), min_size=len(words), max_size=len(words)))
    family = np.unique(raw, return_inverse=True)[1].tolist()
    return parents, words, weights, family


def column_of(drawn: Drawn) -> Column:
    parents, words, weights, family = drawn
    starts = np.cumsum([0, *map(len, words)])
    flat = np.array([s for w in words for s in w])
    return Column(taxonomy(parents), starts, flat, np.array([x for w in weights for x in w]), np.array(family))


def cosine(parents: Dag, a: int, b: int) -> float:
    ta, tb = reference.ancestors(parents, a), reference.ancestors(parents, b)
    return float(len(ta & tb) / (len(ta) * len(tb)) ** 0.5)


@given(columns())
def test_the_fit_is_the_mean_similarity_to_other_families(drawn: Drawn) -> None:
    parents, words, weights, family = drawn
    column = column_of(drawn)
    probability = softmax(np.array([x for w in weights for x in w]), column.starts)
    by_word = np.split(probability, column.starts[1:-1])
    members = [family.count(f) for f in family]
    others = max(len(set(family)) - 1, 1)
    expected = [
        sum(
            p / members[j] * cosine(parents, sense, other)
            for j, word in enumerate(words)
            if family[j] != family[i]
            for p, other in zip(by_word[j], word, strict=True)
        )
        / others
        for i, senses in enumerate(words)
        for sense in senses
    ]
    assert column.fit(probability) == pytest.approx(np.array(expected), abs=1e-9)


@given(columns())
def test_probabilities_sum_to_one(drawn: Drawn) -> None:
    column = column_of(drawn)
    for senses in (column.senses(), column.without_context()):
        sums = np.add.reduceat(senses.probability, column.starts[:-1])
        assert sums == pytest.approx(np.ones(len(sums)))


@given(columns())
def test_neighbours_are_the_nearest_of_other_families(drawn: Drawn) -> None:
    parents, words, _, family = drawn
    column = column_of(drawn)
    probability = column.without_context().probability
    best = [words[i][int(np.argmax(p))] for i, p in enumerate(np.split(probability, column.starts[1:-1]))]
    count = max(min(2, len(set(family)) - 1), 1)
    for i, near in enumerate(column.neighbours(probability)):
        others = [cosine(parents, best[i], best[j]) for j in range(len(words)) if family[j] != family[i]]
        top = sorted([*others, *[0.0] * count], reverse=True)[:count]
        assert near == pytest.approx(sum(top) / count, abs=1e-9)


@given(dags(max_size=12))
def test_sizes_count_every_concept_once(parents: Dag) -> None:
    t = taxonomy(parents)
    assert sizes_of(t)[t.root] == len(t)
    assert (sizes_of(t) >= 1).all()


def test_rare_senses_win_among_their_kind() -> None:
    t = bundled()
    words = ["bass", "trout", "salmon", "perch", "cod"]
    meanings = [t.lexicon.senses(w).astype(np.int64) for w in words]
    starts = np.cumsum([0, *map(len, meanings)])
    weights = np.concatenate([-np.log1p(np.arange(len(m))) for m in meanings])
    column = Column(t, starts, np.concatenate(meanings), weights, np.arange(len(words)))
    chosen = [
        m[int(np.argmax(p))] for m, p in zip(meanings, np.split(column.senses().probability, starts[1:-1]), strict=True)
    ]
    animals = [t.code("fish.n.01") in t.subsumers(int(c)) or t.code("fish.n.02") in t.subsumers(int(c)) for c in chosen]
    assert all(animals)
