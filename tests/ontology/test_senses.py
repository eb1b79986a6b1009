"""Coherent senses: the energy agrees with its formula, and small columns reach its minimum."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import Dag, dags, taxonomy

from allonym.ontology.linking import senses
from allonym.ontology.linking.senses import PRIOR, Column, coherent, first
from allonym.ontology.wordnet import bundled


def energy(parents: Dag, choice: list[int], counts: list[float], prior: list[float]) -> float:
    """Return E straight from its formula."""
    total, apart = sum(counts), 0.0
    for i, a in enumerate(choice):
        for j, b in enumerate(choice):
            if i != j:
                ta, tb = reference.ancestors(parents, a), reference.ancestors(parents, b)
                apart += counts[i] * counts[j] * (1 - len(ta & tb) / (len(ta) * len(tb)) ** 0.5)
    return apart / total + PRIOR * sum(f * p for f, p in zip(counts, prior, strict=True))


@st.composite
def columns(draw: st.DrawFn) -> tuple[Dag, list[list[int]], list[list[float]], list[float]]:
    parents = draw(dags(max_size=12))
    concepts = st.integers(0, len(parents) - 1)
    words = draw(st.lists(st.lists(concepts, min_size=1, max_size=3, unique=True), min_size=1, max_size=4))
    unusual = st.floats(0, 1)
    prior = [[0.0, *draw(st.lists(unusual, min_size=len(w) - 1, max_size=len(w) - 1))] for w in words]
    counts = draw(st.lists(st.integers(1, 9).map(float), min_size=len(words), max_size=len(words)))
    return parents, words, prior, counts


def column_of(parents: Dag, words: list[list[int]], prior: list[list[float]], counts: list[float]) -> Column:
    starts = np.cumsum([0, *map(len, words)])
    flat = np.array([s for w in words for s in w])
    return Column(taxonomy(parents), starts, flat, np.array([p for ps in prior for p in ps]), np.array(counts))


@given(columns())
def test_small_columns_get_the_minimum_of_the_formula(drawn: tuple) -> None:  # type: ignore[type-arg]
    parents, words, prior, counts = drawn
    column = column_of(*drawn)
    every = {}
    for picks in itertools.product(*(range(len(w)) for w in words)):
        choice = [w[i] for w, i in zip(words, picks, strict=True)]
        every[picks] = energy(parents, choice, counts, [p[i] for p, i in zip(prior, picks, strict=True)])
        assert column.energy(np.array(picks)) == pytest.approx(every[picks], abs=1e-9)
    choice = coherent(column)
    assert every[tuple(choice.chosen.tolist())] == pytest.approx(min(every.values()), abs=1e-9)
    for i, w in enumerate(words):  # the margin is what changing this one value would cost, per record
        others = [p for p in range(len(w)) if p != choice.chosen[i]]
        if not others:
            assert choice.margin[i] == np.inf
            continue
        changed = [tuple(p if j == i else c for j, c in enumerate(choice.chosen.tolist())) for p in others]
        cheapest = min(every[c] for c in changed) - min(every.values())
        assert choice.margin[i] == pytest.approx(cheapest / counts[i], abs=1e-9)


AMBIGUOUS = [
    "bank", "bat", "bow", "spring", "crane", "seal", "pitch", "bass", "match", "file", "ring", "date", "club", "jam",
    "key", "nail", "palm", "plant", "fan", "trunk",
]  # fmt: skip
SEVEN = {"min_size": 7, "max_size": 7}


@settings(max_examples=15)
@given(st.lists(st.sampled_from(AMBIGUOUS), unique=True, **SEVEN), st.lists(st.integers(1, 50), **SEVEN))
def test_seven_words_of_wordnet_are_no_worse_than_brute_force(words: list[str], counts: list[int]) -> None:
    """Improvement from two starts alone, checked against all combinations of up to three senses each."""
    t = bundled()
    meanings = [t.lexicon.senses(w)[:3].astype(np.int64) for w in words]
    starts = np.cumsum([0, *map(len, meanings)])
    prior = np.concatenate([np.arange(len(m)) / len(m) for m in meanings])
    column = Column(t, starts, np.concatenate(meanings), prior, np.array(counts))
    best = min(column.energy(np.array(picks)) for picks in itertools.product(*(range(len(m)) for m in meanings)))
    assert coherent(column).energy <= best + 1e-9


def large(size: int) -> Column:
    rng = np.random.default_rng(3)
    t = bundled()
    prior = rng.random(6 * size)
    prior[::6] = 0
    concepts = rng.integers(0, len(t), 6 * size)
    return Column(t, np.arange(0, 6 * size + 1, 6), concepts, prior, rng.integers(1, 100, size))


def test_descent_never_increases_the_energy() -> None:
    column = large(300)
    start = first(column)
    assert start.chosen.tolist() == [0] * 300
    assert coherent(column).energy < start.energy


def test_descent_stops_at_a_local_minimum() -> None:
    column = large(200)
    choice = coherent(column)
    assert (choice.margin >= -1e-9).all()


def test_descent_finds_the_minimum_of_small_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(8)
    t = bundled()
    missed = 0
    for _ in range(30):
        column = Column(
            t, np.arange(0, 19, 3), rng.integers(0, len(t), 18), np.tile([0, 0.3, 0.6], 6), rng.integers(1, 9, 6)
        )
        monkeypatch.setattr(senses, "MAX_EXACT_BITS", 21)
        best = coherent(column).energy
        monkeypatch.setattr(senses, "MAX_EXACT_BITS", 0)
        missed += coherent(column).energy > best + 1e-9
    assert missed <= 6
