"""Semantic noise, its baselines and the exponential mechanism give what their formulas give, draw by draw."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from unittest.mock import patch

import numpy as np
import pytest
import slow_noise as slow
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats
from strategies import Dag, dags, taxonomy

from allonym import Exponential, Noise, RandomiseFrequency, RandomiseUniform, wordnet
from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.domain import Domain
from allonym.kinds.numeric import NumericMetric
from allonym.methods import nearest_concepts
from allonym.methods.draws import below, below_of_one, number_of, philox, stream_of, uniform, words, words_of_one
from allonym.methods.exponential import Candidates
from allonym.methods.numeric_noise import NumericNoise
from allonym.methods.randomise import Drawing
from allonym.methods.semantic_noise import ConceptsByDistance, SemanticNoise
from allonym.ontology.narrower import Narrower
from allonym.ontology.scope import Scope
from allonym.records import Attribute, Records

WORD = st.integers(0, 2**64 - 1)
BUDGETS = st.floats(0.01, 30) | st.sampled_from([60.0, 100.0, 700.0])
ERRORS = st.floats(-1.2, 1.2, allow_nan=False)


def domain(parents: Dag) -> Domain:
    """Return the domain of a drawn taxonomy."""
    t = taxonomy(parents)
    return Domain(Scope(t, t.root))


# --- draws ---------------------------------------------------------------------------------------------------------


@given(seed=WORD, attribute=WORD, keys=st.lists(WORD, min_size=1, max_size=5))
def test_draws_are_those_of_philox(seed: int, attribute: int, keys: list[int]) -> None:
    values = np.array(keys[::-1], np.uint64)
    found = philox((seed, attribute), np.array(keys, np.uint64), values)
    for i, (key, value) in enumerate(zip(keys, values.tolist(), strict=True)):
        expected = slow.philox((seed, attribute), key, value)
        assert tuple(found[:, i].tolist()) == expected == words_of_one((seed, attribute), key, value)


def test_draws_are_those_of_numpy() -> None:
    keys = np.arange(1, 5, dtype=np.uint64)
    found = words(12, "job", keys, np.full(4, 7, np.uint64))
    theirs = np.random.Philox(key=stream_of(12, "job"), counter=[0, 7, 0, 0]).random_raw(16).reshape(4, 4).T
    assert np.array_equal(found, theirs)


def test_draws_depend_on_seed_attribute_key_and_value_and_not_on_the_batch() -> None:
    keys = np.arange(40_000, dtype=np.uint64)
    assert not (words(5, "job", keys, keys) == words(5, "job", keys, keys + 1)).any()
    whole = words(5, "job", keys, keys)
    assert np.array_equal(whole[:, 20_000:], words(5, "job", keys[20_000:], keys[20_000:]))
    assert not (whole == words(6, "job", keys, keys)).any()
    assert not (whole == words(5, "age", keys, keys)).any()
    system = [words(None, "job", keys, keys) for _ in range(2)]
    assert not np.array_equal(*system)
    assert words_of_one(None, 1, 1) != words_of_one(None, 1, 1)


@given(limit=st.integers(1, 2**63), high=WORD, low=WORD)
def test_numbers_below_a_limit_come_from_all_bits(limit: int, high: int, low: int) -> None:
    exact = Fraction((high << 64) | low, 2**128) * limit
    found = below(limit, np.array([high], np.uint64), np.array([low], np.uint64))
    assert int(found[0]) == below_of_one(limit, high, low) == math.floor(exact)


def test_uniform_draws_are_within_0_and_1() -> None:
    assert 0 < uniform(np.array([0], np.uint64))[0] < uniform(np.array([2**64 - 1], np.uint64))[0] < 1


# --- noise ---------------------------------------------------------------------------------------------------------


@given(parents=dags(9), data=st.data())
def test_mean_and_variance_are_those_of_the_definition(parents: Dag, data: st.DataObject) -> None:
    counts = data.draw(st.dictionaries(st.sampled_from(list(parents)), st.integers(1, 9), min_size=1))
    concepts, row_counts = np.array(list(counts)), np.array(list(counts.values()))
    found = domain(parents).mean(concepts, row_counts)
    assert found == slow.mean(parents, counts)
    assert domain(parents).variance(concepts, row_counts, found) == pytest.approx(slow.variance(parents, counts, found))


@given(
    parents=dags(9),
    error=ERRORS,
    tie=st.floats(0.001, 0.999),
    same=st.booleans(),
    errors=st.sampled_from(["normal", "laplace"]),
    data=st.data(),
)
def test_replacements_are_those_of_the_algorithm(
    parents: Dag, error: float, tie: float, same: bool, errors: str, data: st.DataObject
) -> None:
    x, mean = (data.draw(st.sampled_from(list(parents))) for _ in range(2))
    listed = data.draw(st.none() | st.lists(st.sampled_from(list(parents)), min_size=1, unique=True).map(tuple))
    noise = SemanticNoise(domain(parents), mean, 1.0, 1.0, same, distribution=errors, candidates=listed)
    u = stats.norm.cdf(error) if errors == "normal" else stats.laplace.cdf(error, scale=math.sqrt(0.5))
    drawn = np.array([[int(u * 2**64 * (1 - 2**-52))], [int(tie * 2**64)]], np.uint64)
    u = uniform(drawn[0])[0]
    actual = float(special.ndtri(u)) if errors == "normal" else slow.laplace_error(u, 1.0)
    assert actual == pytest.approx(error, abs=1e-9)
    allowed = sorted(slow.replacements(parents, x, mean, actual, same, listed))
    found = int(noise.places(x, drawn)[0])
    assert found == noise.one(x, [int(w) for w in drawn[:, 0]])
    assert found == allowed[math.floor(uniform(drawn[1])[0] * len(allowed))]


@given(
    parents=dags(12),
    least=st.integers(1, 6),
    block=st.integers(1, 4),
    measure=st.sampled_from(["wu-palmer", "path", "leacock-chodorow", "lin", "ancestor-overlap"]),
    data=st.data(),
)
def test_single_values_share_tables_and_become_what_they_become_in_a_batch(
    parents: Dag, least: int, block: int, measure: str, data: st.DataObject
) -> None:
    t = taxonomy(parents)
    mean = data.draw(st.sampled_from(list(parents)))
    listed = data.draw(st.none() | st.lists(st.sampled_from(list(parents)), min_size=1, unique=True).map(tuple))
    noise = SemanticNoise(
        Domain(Scope(t, t.root), measure), mean, 0.2, 1.0, data.draw(st.booleans()), candidates=listed
    )
    drawn = words(9, "job", *[np.arange(40, dtype=np.uint64)] * 2)
    room = data.draw(st.sampled_from([0, 3_000, 10**9]))  # too little room never changes a result
    sizes = {"MIN_DOMINATED": least, "BLOCK": block, "MAX_CACHED_BYTES": room}
    with patch.multiple(nearest_concepts, **sizes):
        for value in (*parents, *(Narrower(c, "x") for c in parents)):
            batch = [noise.outcomes[i] for i in noise.places(value, drawn)]
            assert batch == [noise.one(value, drawn[:, i].tolist()) for i in range(drawn.shape[1])]
            assert noise._nearest._bytes <= max(room, 20_000)


def test_values_below_an_anchor_share_what_is_elsewhere() -> None:
    people = wordnet(root="person")
    t = people.taxonomy
    siblings = [c for c in t.children_of(t.code("musician.n.01")).tolist() if len(t.parents_of(c)) == 1]
    noise = SemanticNoise(Domain(people), t.code("employee"), 0.2, 0.3)
    with patch.object(nearest_concepts, "MIN_DOMINATED", 20):
        one, other, far = (
            noise._nearest.sides(c) for c in (*[c for c in siblings if t.is_leaf[c]][:2], t.code("cook"))
        )
    assert one is not None
    assert other is not None
    assert far is not None
    assert one[0].rows[1] is other[0].rows[1] is one[1].rows[1]
    assert one[0].rows[0] is not other[0].rows[0]
    assert far[0].rows[1] is not one[0].rows[1]
    assert one[0].rows[0].codes.nbytes < len(noise.domain) / 4


def test_a_concept_exactly_as_far_as_the_error_is_far_enough() -> None:
    ways = ConceptsByDistance.of(np.array([0.0, 0.25, 0.5, 0.5]), np.array([1, 2, 3]))
    found, far = ways.nearest(np.array([0.1, 0.25, 0.26, 0.5, 0.9]), np.full(5, 0.2))
    assert found.tolist() == [1, 1, 2, 2, 2]
    assert far.tolist() == [0.25, 0.25, 0.5, 0.5, 0.5]


def test_the_mean_may_lie_below_two_branches() -> None:
    parents: Dag = {0: [], 1: [0], 2: [1], 3: [2], 4: [0], 5: [4], 6: [5], 7: [3], 8: [6], 9: [3, 6]}
    assert domain(parents).mean(np.array([7, 8]), np.array([1, 1])) == slow.mean(parents, {7: 1, 8: 1}) == 9


def test_a_value_that_is_no_candidate_moves_also_where_values_do_not_vary() -> None:
    parents: Dag = {0: [], 1: [0], 2: [0], 3: [1], 4: [1]}
    still = SemanticNoise(domain(parents), 3, 0.0, 1.0, candidates=(2, 4))
    drawn = words(1, "a", *[np.arange(50, dtype=np.uint64)] * 2)
    assert still.places(3, drawn).tolist() == [4] * 50
    assert still.one(3, (1, 2, 3, 4)) == 4
    assert still.probabilities(3).tolist() == [0, 0, 0, 0, 1, 0]
    assert still.places(4, drawn).tolist() == [4] * 50


def test_ties_are_drawn_evenly_and_null_stays_null() -> None:
    flat = {0: [], **{c: [0] for c in range(1, 6)}}  # all leaves are equally far from each other
    noise = SemanticNoise(domain(flat), 0, 1.0, 1.0)
    drawn = words(1, "a", *[np.arange(6_000, dtype=np.uint64)] * 2)
    drawn = drawn[:, uniform(drawn[0]) > 0.95]  # errors above 1.6: as far as it goes, away from the root
    found = Counter(noise.places(1, drawn).tolist())
    assert set(found) == {2, 3, 4, 5}  # nothing is farther from the mean than a leaf, so anything far may come
    assert stats.chisquare([found[c] for c in (2, 3, 4, 5)]).pvalue > 0.001
    assert noise.places(None, drawn).tolist() == [6] * drawn.shape[1]
    assert noise.one(None, (1, 2, 3, 4)) is None


def test_a_domain_of_one_concept_and_values_that_do_not_vary_stay() -> None:
    alone = SemanticNoise(domain({0: []}), 0, 0.5, 1.0)
    drawn = words(1, "a", *[np.arange(50, dtype=np.uint64)] * 2)
    assert alone.places(0, drawn).tolist() == [0] * 50
    assert alone.one(0, (1, 2, 3, 4)) == 0
    still = SemanticNoise(domain({0: [], 1: [0], 2: [0]}), 1, 0.0, 1.0)
    assert still.places(1, drawn).tolist() == [1] * 50
    assert still.one(1, (1, 2, 3, 4)) == 1


@pytest.mark.parametrize("distribution", ["normal", "laplace"])
def test_numbers_get_errors_of_the_variance_asked_for(distribution: str) -> None:
    values = [*map(float, range(20, 70)), None]
    age = Attribute("age", "numeric", NumericMetric(values, decimals=3))
    codes = np.repeat(np.arange(51), 400)
    records = Records.of([age], [codes])
    masking = Noise(alpha=0.5, distribution=distribution).mask(records, 3)
    before = np.array([np.nan if v is None else v for v in values])[masking.source]
    after = np.array([np.nan if v is None else v for v in masking.attributes[0].values])[masking.codes[:, 0]]
    assert np.array_equal(np.isnan(before), np.isnan(after))
    errors = (after - before)[~np.isnan(before)]
    variance = np.var(np.arange(20, 70))
    law = (
        stats.norm(0, math.sqrt(0.5 * variance))
        if distribution == "normal"
        else stats.laplace(0, math.sqrt(variance) / 2)
    )
    assert stats.kstest(errors, law.cdf).pvalue > 0.001
    assert law.var() == pytest.approx(0.5 * variance)
    assert np.array_equal(np.round(errors, 3), np.round(errors, 9))
    one = NumericNoise(0.0, float(variance), 0.5, 3, distribution)
    drawn = [words_of_one(stream_of(3, "age"), i, number_of(b)) for i, b in enumerate(before[:50])]
    assert [one.one(b, words) for b, words in zip(before[:50], drawn, strict=True)] == after[:50].tolist()
    assert one.one(None, (1, 2, 3, 4)) is None


# --- baselines -----------------------------------------------------------------------------------------------------


def test_baselines_draw_values_of_the_column() -> None:
    t = taxonomy({0: [], 1: [0], 2: [0], 3: [0]})
    job = Attribute("job", "text", ConceptMetric([1, 2, 3, None], Scope(t, 0)))
    records = Records.of([job], [[0] * 6000 + [1] * 3000 + [2] * 1000 + [3] * 10])
    for method, expected in ((RandomiseUniform(), [1 / 3] * 3), (RandomiseFrequency(), [0.6, 0.3, 0.1])):
        masking = method.mask(records, 1)
        values = [masking.attributes[0].values[c] for c in masking.codes[:, 0].tolist()]
        counts = Counter(values)
        assert counts.pop(None) == 10
        assert stats.chisquare([counts[c] for c in (1, 2, 3)], [10_000 * x for x in expected]).pvalue > 0.001
    drawing = Drawing((1, 2, 3), (6, 3, 1))
    drawn = words(4, "a", *[np.arange(200, dtype=np.uint64)] * 2)
    assert [drawing.outcomes[i] for i in drawing.places(2, drawn)] == [
        drawing.one(2, words_of_one(stream_of(4, "a"), i, i)) for i in range(200)
    ]


# --- the exponential mechanism -------------------------------------------------------------------------------------


def probabilities(mechanism: Candidates, value: object) -> list[Fraction]:
    """Return how likely each candidate is drawn, exactly but for a part in 2^64."""
    weights = [int(w) for w in mechanism.weights(value)]
    return [Fraction(w, sum(weights)) for w in weights]


@given(
    parents=dags(8),
    epsilon=st.floats(0.01, 30) | st.sampled_from([60.0, 100.0, 700.0]),
    nulls=st.booleans(),
    data=st.data(),
)
def test_no_probability_exceeds_another_by_more_than_e_to_epsilon(
    parents: Dag, epsilon: float, nulls: bool, data: st.DataObject
) -> None:
    chosen = data.draw(st.lists(st.sampled_from(list(parents)), min_size=1, unique=True))
    candidates = (*chosen, None) if nulls else tuple(chosen)
    mechanism = Candidates(domain(parents), candidates, epsilon)
    limit = Fraction(math.exp(min(epsilon, 700.0)))
    found = {x: probabilities(mechanism, x) for x in (*parents, None)}
    for x, own in found.items():
        expected = slow.exponential(parents, x, candidates, mechanism.calibration.scale)
        if mechanism.calibration.scale <= 15:
            assert [float(p) for p in own] == pytest.approx([expected[c] for c in candidates], abs=1e-8)
        for other in found.values():
            assert all(p * (1 + Fraction(1, 2**60)) <= limit * q for p, q in zip(own, other, strict=True))


def test_what_is_drawn_has_the_distribution_that_was_computed() -> None:
    parents: Dag = {0: [], 1: [0], 2: [0], 3: [1], 4: [1], 5: [2, 3]}
    t = taxonomy(parents)
    job = Attribute("job", "text", ConceptMetric([*parents, None], Scope(t, 0)), candidates=(1, 3, 5))
    records = Records.of([job], [[3] * 20_000 + [6] * 20_000])
    for nulls in (False, True):
        method = Exponential(epsilon=2.0, nulls=nulls)
        candidates = (1, 3, 5, None) if nulls else (1, 3, 5)
        for seed in (7, None):
            masking = method.mask(records, seed)
            for tuple_, x in ((0, 3), (1, None)):
                rows = masking.codes[masking.source == tuple_, 0]
                counts = Counter(masking.attributes[0].values[c] for c in rows.tolist())
                scale = Candidates(domain(parents), candidates, 2.0).calibration.scale
                expected = slow.exponential(parents, x, candidates, scale)
                observed = [counts.get(c, 0) for c in candidates]
                assert sum(observed) == 20_000
                assert stats.chisquare(observed, [20_000 * expected[c] for c in candidates]).pvalue > 0.0001


def test_each_candidate_has_as_many_draws_as_its_weight() -> None:
    mechanism = Candidates(domain({0: [], 1: [0]}), (0, 1), 1.0)
    first, second = (int(w) for w in mechanism.weights(0))
    edge = -(-(first << 128) // (first + second))  # the least draw that is not the first candidate's
    for draw, expected in ((edge - 1, 0), (edge, 1), (0, 0), (2**128 - 1, 1)):
        drawn = [draw >> 64, draw & (2**64 - 1), 0, 0]
        assert mechanism.one(0, drawn) == expected
        assert mechanism.places(0, np.array([[w] for w in drawn], np.uint64)).tolist() == [expected]


def test_one_by_one_draws_what_a_batch_draws() -> None:
    parents: Dag = {0: [], 1: [0], 2: [0], 3: [1], 4: [1], 5: [2, 3]}
    mechanism = Candidates(domain(parents), (*parents, None), 1.5)
    noise = SemanticNoise(domain(parents), 1, 0.2, 0.5)
    drawn = words(9, "job", *[np.arange(300, dtype=np.uint64)] * 2)
    for value in (*parents, None):
        for perturbation in (mechanism, noise):
            batch = [perturbation.outcomes[i] for i in perturbation.places(value, drawn)]
            assert batch == [perturbation.one(value, words_of_one(stream_of(9, "job"), i, i)) for i in range(300)]


def test_a_million_candidates_keep_their_weights() -> None:
    mechanism = Candidates(domain({0: [], 1: [0]}), (1,) * 1_000_000, 1.0)
    total = np.cumsum(mechanism.weights(1))
    assert int(total[-1]) == 1_000_000 * 2**43 < 2**63


def test_parameters_are_checked() -> None:
    for method in (Noise(), Exponential(), RandomiseUniform()):
        assert list(method.problems()) == []
    assert "must be above 0" in next(iter(Noise(alpha=0).problems())).text
    assert "must be a number" in next(iter(Noise(alpha="much").problems())).text  # type: ignore[arg-type]
    assert "must be above 0" in next(iter(Exponential(epsilon=math.inf).problems())).text
    assert "true or false" in next(iter(Exponential(nulls=1).problems())).text  # type: ignore[arg-type]
