"""The lower bound: no grouping loses less, and it is close to the optimum of the linear programme."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from both_kernels import needs_compiled
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import allonym as al
from allonym.arrays import Floats, sum_by
from allonym.kinds.category import EqualityMetric
from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.numeric import NumericMetric
from allonym.kinds.ordinal import OrdinalMetric
from allonym.measures import loss
from allonym.methods.lower_bound import bound as bound_module
from allonym.methods.lower_bound import lower_bound
from allonym.methods.lower_bound.candidates import candidate_distances
from allonym.methods.lower_bound.pricing import ExhaustivePricing, pricing_of
from allonym.methods.lower_bound.start import groups_by_price
from allonym.ontology.scope import Scope
from allonym.ontology.taxonomy import Taxonomy
from allonym.records import Attribute, Pairs, Records
from table_strategies import tables

REPRESENTATIVES = ("auto", "truthful", "centroid", "least-squares", "subsumer", "member")
ANIMALS = Taxonomy.build(
    "animals",
    ["animal", "bird", "mammal", "parrot", "owl", "cat", "dog"],
    child=[1, 2, 3, 4, 5, 6],
    parent=[0, 0, 1, 1, 2, 2],
)


@given(tables(), st.sampled_from(REPRESENTATIVES), st.booleans(), st.integers(0, 99))
@settings(deadline=None, max_examples=60)
def test_no_release_loses_less(drawn: tuple[Records, int], represent: str, refine: bool, seed: int) -> None:
    records, k = drawn
    masking = al.SAMDAV(k=k, represent=represent, refine=refine, suppress=0.3).mask(records, seed)
    other = al.Fusion(k=k, refine=refine).mask(records, seed)
    bound = lower_bound(records, masking, k, represent)
    assert bound is not None
    assert bound.loss == loss.sse(Pairs.of(records, masking))
    assert 0 <= bound.sse <= bound.loss + 1e-9
    any_value = lower_bound(records, masking, k, "least-squares")
    assert any_value is not None
    assert any_value.sse <= loss.sse(Pairs.of(records, other)) + 1e-9


def small_table(seed: int) -> Records:
    """Return eight or so tuples with words, a category and ranks."""
    rng = np.random.default_rng(seed)
    attributes = [
        Attribute("animal", "text", ConceptMetric([3, 4, 5, 6], Scope(ANIMALS, 0))),
        Attribute("colour", "category", EqualityMetric(["red", "green"])),
        Attribute("size", "ordinal", OrdinalMetric([0, 1, 2], 3)),
    ]
    return Records.of(attributes, [rng.integers(0, len(a.values), 14) for a in attributes])


def costs_of_groups(records: Records, k: int) -> dict[tuple[int, ...], float]:
    """Return Σ ω·d² of every group of tuples with k rows or more, with its best representative of any values."""
    candidates = [[*range(7)], ["red", "green"], [0, 1, 2]]
    far: dict[tuple[int, int], Floats] = {}
    for a, attribute in enumerate(records.attributes):
        for i, value in enumerate(candidates[a]):
            far[a, i] = attribute.metric.distances_from(value)[records.codes[:, a]] / 3
    costs: dict[tuple[int, ...], float] = {}
    representatives = [
        records.counts * sum(far[a, i] for a, i in enumerate(chosen)) ** 2
        for chosen in product(*(range(len(x)) for x in candidates))
    ]
    for size in range(1, len(records) + 1):
        for group in combinations(range(len(records)), size):
            if records.counts[list(group)].sum() >= k:
                costs[group] = min(float(costs_of_all[list(group)].sum()) for costs_of_all in representatives)
    return costs


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("k", [2, 4])
def test_the_bound_reaches_that_of_the_linear_programme(seed: int, k: int) -> None:
    """Set partitioning over all groups (its linear relaxation) is what the prices of tuples are dual to."""
    records = small_table(seed)
    costs = costs_of_groups(records, k)
    covers = np.array([[t in group for group in costs] for t in range(len(records))], float)
    optimum = linprog(list(costs.values()), A_eq=covers, b_eq=np.ones(len(records))).fun
    masking = al.SAMDAV(k=k, represent="least-squares").mask(records)
    bound = lower_bound(records, masking, k, "least-squares")
    assert bound is not None
    assert bound.sse >= 0.96 * optimum
    assert bound.sse <= loss.sse(Pairs.of(records, masking)) + 1e-9


@needs_compiled
@given(tables(), st.sampled_from(REPRESENTATIVES), st.integers(0, 2**32 - 1), st.sampled_from([2, 3, 300]))
@settings(deadline=None, max_examples=60)
def test_both_kernels_price_alike(drawn: tuple[Records, int], represent: str, seed: int, k: int) -> None:
    records, _ = drawn
    columns = [candidate_distances(records, a, represent) for a in range(len(records.attributes))]
    assert all(column is not None for column in columns)
    known = [column * share for column, share in zip(columns, records.shares, strict=True) if column is not None]
    if np.prod([len(column) for column in known]) > 3_000:
        return
    rows = records.counts * (60 if k == 300 else 1)
    prices = np.random.default_rng(seed).random(len(records)) ** 3 * records.mass * (30 if k == 300 else 0.3)
    parts = known, records.codes, records.mass, rows, k
    compiled, reference = pricing_of(*parts).price(prices, 10**9), ExhaustivePricing(*parts).price(prices, 10**9)
    assert compiled[0] == reference.total
    assert compiled[1].tolist() == reference.chosen.tolist()
    assert compiled[2].tolist() == reference.representatives.tolist()


def test_too_much_work_is_no_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    records = small_table(1)
    masking = al.SAMDAV(k=4, represent="centroid").mask(records)
    monkeypatch.setattr(bound_module, "MAX_SIZE", 100)
    assert lower_bound(records, masking, 4, "centroid") is None
    assert lower_bound(records, masking, 4, "centroid", thorough=True) is not None


def test_a_release_without_loss_is_optimal() -> None:
    attribute = Attribute("colour", "category", EqualityMetric(["red", "green"]))
    records = Records.of([attribute], [[0, 0, 1, 1]])
    bound = lower_bound(records, al.SAMDAV(k=2).mask(records), 2, "auto")
    assert bound is not None
    assert bound.gap == 0.0


def test_numbers_in_an_interval_are_no_farther_than_the_interval() -> None:
    metric = NumericMetric([0.0, 1.0, 4.0, 10.0, None], 0)
    records = Records.of([Attribute("n", "numeric", metric)], [[0, 1, 2, 3, 4]])
    rows = candidate_distances(records, 0, "centroid")
    assert rows is not None
    for number in (0.0, 0.4, 1.0, 3.0, 7.7, 10.0):
        assert (rows <= metric.distances_from(number) + 1e-12).all(axis=1).any()


@given(tables(), st.sampled_from(REPRESENTATIVES), st.integers(0, 99))
@settings(deadline=None, max_examples=40)
def test_groups_by_price_are_groups_of_whole_tuples(drawn: tuple[Records, int], represent: str, seed: int) -> None:
    records, k = drawn
    masking = al.SAMDAV(k=k, represent=represent, refine=False).mask(records, seed)
    groups = groups_by_price(records, masking, k, represent)
    if groups is not None:
        assert sorted(groups.source.tolist()) == list(range(len(records)))
        assert (sum_by(groups.group, groups.share.astype(np.float64), len(groups)) >= min(k, records.n)).all()
