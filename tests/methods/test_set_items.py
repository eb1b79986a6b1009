"""Sets masked item by item: the probabilities, the draws, and what differential privacy of a whole set costs."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from strategies import Dag, dags, taxonomy

import slow_set_items as slow
from allonym import Exponential, Noise, RandomiseFrequency
from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.domain import Domain
from allonym.kinds.set_metric import SetMetric
from allonym.methods.draws import stream_of, words, words_of_one
from allonym.methods.exponential import Candidates
from allonym.methods.record_level import ByValue
from allonym.methods.semantic_noise import SemanticNoise
from allonym.methods.set_items import MAX_EXACT, SetPerturbation
from allonym.metric import Value
from allonym.ontology.narrower import Narrower
from allonym.ontology.scope import Scope
from allonym.records import Attribute, Records

PARENTS: Dag = {0: [], 1: [0], 2: [0], 3: [1], 4: [1], 5: [2]}


def domain(parents: Dag) -> Domain:
    t = taxonomy(parents)
    return Domain(Scope(t, t.root))


def outcomes_of(items: ByValue) -> Any:
    """Return how likely an item becomes each outcome, as the slow reference wants it."""
    return lambda item: dict(zip(items.outcomes, items.probabilities(item).tolist(), strict=True))


def rows_of(perturbation: SetPerturbation, values: list[Value], codes: list[int], keys: list[int]) -> list[Value]:
    """Return what rows become, with a seed."""
    numbers = np.array(keys, np.uint64)
    found, places = perturbation.rows(values, np.array(codes), lambda rows, drawn: words(9, "x", numbers[rows], drawn))
    return [found[i] for i in places]


@given(parents=dags(5), data=st.data(), nulls=st.booleans())
def test_the_likelihood_is_that_of_all_that_may_happen(parents: Dag, data: st.DataObject, nulls: bool) -> None:
    concepts = st.sampled_from(list(parents))
    candidates = data.draw(st.lists(concepts, min_size=1, max_size=3, unique=True))
    mechanism = Candidates(domain(parents), (*candidates, None) if nulls else tuple(candidates), 2.0)
    before = [frozenset(x) for x in data.draw(st.lists(st.lists(concepts, min_size=1, max_size=3), min_size=1))]
    after = [frozenset(x) for n in range(1, 4) for x in itertools.combinations(candidates, n)]
    logs = SetPerturbation(mechanism).log_likelihood(before, [*after, None])
    for row, was in enumerate(before):
        expected = slow.masked_set(sorted(was), outcomes_of(mechanism))
        found = np.exp(logs[row])
        assert found == pytest.approx([expected.get(x, 0.0) for x in (*after, frozenset())], abs=1e-9)


def test_larger_sets_have_an_upper_bound() -> None:
    many: Dag = {0: []} | {i: [0] for i in range(1, 9)}
    mechanism = Candidates(domain(many), tuple(range(1, 9)), 1.0)
    large = frozenset(range(1, MAX_EXACT + 2))
    found = math.exp(SetPerturbation(mechanism).log_likelihood([frozenset({1, 2})], [large])[0, 0])
    assert found >= slow.masked_set([1, 2], outcomes_of(mechanism)).get(large, 0.0)
    assert found < 1


@pytest.mark.parametrize("limit", [None, 2])
@pytest.mark.parametrize("sizes_hidden", [False, True])
def test_a_single_set_becomes_what_it_becomes_in_a_batch(limit: int | None, sizes_hidden: bool) -> None:
    values: list[Value] = [frozenset({1, 3}), frozenset({3, 4, 5}), frozenset({Narrower(1, "x"), 5}), frozenset(), None]
    for items in (Candidates(domain(PARENTS), (1, 3, 5, None), 3.0), SemanticNoise(domain(PARENTS), 1, 0.2, 0.5)):
        perturbation = SetPerturbation(items, limit, sizes_hidden)
        codes, keys = [i % 5 for i in range(200)], [i // 5 for i in range(200)]
        batch = rows_of(perturbation, values, codes, keys)
        for code, key, became in zip(codes, keys, batch, strict=True):
            alone = perturbation.draw_one(values[code], partial(words_of_one, stream_of(9, "x"), key))
            assert alone == became


def test_an_item_of_a_key_becomes_the_same_in_every_set() -> None:
    perturbation = SetPerturbation(Candidates(domain(PARENTS), tuple(PARENTS), 0.5))
    values: list[Value] = [frozenset({3}), frozenset({3, 4}), frozenset({3, 5})]
    found = rows_of(perturbation, values, [0, 1, 2] * 50, [i // 3 for i in range(150)])
    for alone, *others in zip(found[::3], found[1::3], found[2::3], strict=True):
        assert all(alone <= other for other in others)
    assert len(set(found[::3])) > 1


def test_sets_are_masked_as_likely_as_computed() -> None:
    mechanism = Candidates(domain(PARENTS), (1, 3, 5, None), 3.0)
    for limit, hidden, items in ((None, False, [3, 4]), (3, True, [3, 4, None])):
        found = Counter(
            rows_of(SetPerturbation(mechanism, limit, hidden), [frozenset({3, 4})], [0] * 20_000, [*range(20_000)])
        )
        expected = slow.masked_set(items, outcomes_of(mechanism))
        observed = [found.get(x or None, 0) for x in expected]
        assert sum(observed) == 20_000
        assert stats.chisquare(observed, [20_000 * p for p in expected.values()]).pvalue > 0.0001


def test_of_large_sets_every_item_is_as_likely_left_out() -> None:
    many: Dag = {0: []} | {i: [0] for i in range(1, 7)}
    perturbation = SetPerturbation(Candidates(domain(many), tuple(range(1, 7)), 60.0), 2)
    found = rows_of(perturbation, [frozenset(range(1, 7))], [0] * 6000, [*range(6000)])
    assert {len(x) for x in found} <= {1, 2}
    counts = Counter(item for x in found for item in x)
    assert stats.chisquare([counts[i] for i in range(1, 7)]).pvalue > 0.0001


@pytest.mark.parametrize("nulls", [False, True])
def test_a_hidden_size_makes_the_whole_set_private(nulls: bool) -> None:
    """Any two sets, whatever their sizes: every result has a likelihood within e^(ε · max_items)."""
    epsilon, limit = 0.7, 3
    mechanism = Candidates(domain(PARENTS), (1, 3, 5, None) if nulls else (1, 3, 5), epsilon)
    sizes = [list(x) for n in range(limit + 1) for x in itertools.combinations(PARENTS, n)]
    hidden = [[*x, *[None] * (limit - len(x))] for x in sizes]
    assert [len(SetPerturbation(mechanism, limit, True)._listed(frozenset(x))) for x in sizes] == [limit] * len(sizes)
    assert epsilon < slow.largest_loss(hidden, outcomes_of(mechanism)) <= limit * epsilon
    same_size = [x for x in sizes if len(x) == 2]
    assert slow.largest_loss(same_size, outcomes_of(mechanism)) <= 2 * epsilon
    if not nulls:
        assert slow.largest_loss([[3], [3, 4]], outcomes_of(mechanism)) == math.inf  # which is why it must be asked for


@pytest.mark.parametrize("method", [Noise(), RandomiseFrequency(), Exponential(epsilon=4.0, max_items=2)])
def test_methods_are_fitted_to_the_items_of_a_column(method: Any) -> None:
    sets = [frozenset({3, 4}), frozenset({3}), frozenset({5, 1}), None]
    metric = SetMetric(sets, ConceptMetric([], Scope(taxonomy(PARENTS), 0)))
    attribute = Attribute("basket", "set", metric)
    records = Records.of([attribute], [[0] * 40 + [1] * 10 + [2] * 40 + [3] * 10])
    perturbation = method.mechanism(records).perturbations[0]
    items = Attribute("basket", "text", ConceptMetric([1, 3, 4, 5], Scope(taxonomy(PARENTS), 0)))
    counts = np.array([40, 50, 40, 40])
    alone = method.fitted(items, np.arange(4), counts)
    assert perturbation.items.to_dict(lambda x: x) == alone.to_dict(lambda x: x)
    masking = method.mask(records, 3)
    values = [masking.attributes[0].values[c] for c in masking.codes[:, 0]]
    assert all(x is None or len(x) <= 2 for x in values)
    assert (None in values) == (not isinstance(method, Exponential))
