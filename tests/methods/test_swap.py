"""Swapping: the same pairs as by its definition, the values of every column, and the likelihoods of what is drawn."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import slow_swap as slow
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import Dag, dags, taxonomy

from allonym import Swap
from allonym.kinds.category import EqualityMetric
from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.numeric import NumericMetric
from allonym.methods.swapping.blocks import Block, SwappedTable, blocks_of
from allonym.methods.swapping.nearest import NearPairs
from allonym.methods.swapping.orders import order_of_tuples, order_of_values, taxonomy_order, tuple_distances
from allonym.methods.swapping.ranks import ExpectedPairs, paired, window_of
from allonym.ontology.narrower import Narrower, broader
from allonym.ontology.scope import Scope
from allonym.records import Attribute, Masking, Records
from table_strategies import tables

WAYS: dict[str, dict[str, Any]] = {
    "rank": {},
    "reference": {"order": "reference"},
    "wide": {"window": 1.0},
    "half": {"share": 0.5},
    "together": {"together": "all"},
    "nearest": {"pairs": "nearest", "share": 1.0},
    "nearest together": {"pairs": "nearest", "together": "all", "cap": 0.3},
}
ways = pytest.mark.parametrize("way", WAYS)


def numbers(name: str, values: list[float | None]) -> Attribute:
    return Attribute(name, "numeric", NumericMetric(values, 0))


def rows_of(records: Records, masking: Masking) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """Return the values of all rows before and after."""
    source = np.repeat(masking.source, masking.share)
    before = records.codes[source]
    after = np.repeat(masking.codes, masking.share, axis=0)
    values = [x.values for x in masking.attributes]
    was, now = (
        [tuple(v[c] for v, c in zip(values, row, strict=True)) for row in rows.tolist()] for rows in (before, after)
    )
    return was, now


# --- pairs of ranks --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", range(1, 7))
@pytest.mark.parametrize("window", [1, 2, 3])
def test_pairs_are_as_likely_as_by_the_definition(n: int, window: int) -> None:
    """All draws on a grid that every number of candidates divides: each pairing comes as often as it must."""
    grid = math.lcm(*range(1, window + 1))
    found: Counter[tuple[int, ...]] = Counter()
    for draws in itertools.product(range(grid), repeat=n - 1):
        found[tuple(paired(n, window, (np.array([*draws, 0]) + 0.5) / grid).tolist())] += 1
    expected = slow.pairing_probabilities(n, window)
    assert {x: Fraction(count, grid ** (n - 1)) for x, count in found.items()} == expected


@given(n=st.integers(0, 60), window=st.integers(1, 70), seed=st.integers(0, 99))
def test_a_pair_is_within_the_window_and_nobody_is_left_who_could_swap(n: int, window: int, seed: int) -> None:
    partner = paired(n, window, np.random.default_rng(seed).random(n))
    ranks = np.arange(n)
    assert (partner[partner] == ranks).all()
    assert (np.abs(partner - ranks) <= window).all()
    assert (np.diff(ranks[partner == ranks]) > window).all()


@given(share=st.sampled_from([0.01, 0.05, 0.29, 1.0]), n=st.integers(1, 5000))
def test_a_window_is_a_share_of_the_ranks(share: float, n: int) -> None:
    assert window_of(share, n) == slow.window_of(share, n) == max(1, math.floor(round(share * n, 6)))


@pytest.mark.parametrize(("n", "window"), [(60, 1), (200, 2), (400, 20), (1000, 200), (50, 50), (1500, 100)])
def test_expected_pairs_are_those_that_are_drawn(n: int, window: int) -> None:
    rng, runs = np.random.default_rng(1), 60_000 // n
    ends = np.linspace(0, n, 11).round()
    part = np.searchsorted(ends, np.arange(n), side="right") - 1
    drawn = np.zeros((10, 10))
    for _ in range(runs):
        np.add.at(drawn, (part, part[paired(n, window, rng.random(n))]), 1)
    found = ExpectedPairs(n, window).between((ends[:-1], ends[1:]), (ends[:-1], ends[1:]))
    assert found.sum(axis=1) == pytest.approx(np.ones(10))
    assert found == pytest.approx(drawn / drawn.sum(axis=1, keepdims=True), abs=0.03)


# --- orders ----------------------------------------------------------------------------------------------------


@given(parents=dags(12, min_size=3), data=st.data())
def test_reference_order(parents: Dag, data: st.DataObject) -> None:
    t = taxonomy(parents)
    values = sorted(data.draw(st.sets(st.sampled_from(list(parents)), min_size=3)))
    metric = ConceptMetric(values, Scope(t, t.root))
    counts = np.array(data.draw(st.lists(st.integers(1, 5), min_size=len(values), max_size=len(values))))
    codes = np.arange(len(values))
    found = order_of_values(Attribute("word", "text", metric), codes, counts, "reference", np.random.default_rng(1))

    def distance(one: int, other: int) -> float:
        return float(metric.distances_from(other)[values.index(one)])

    centroid = metric.centroid(codes, counts.astype(float))
    assert [values[c] for c in found.tolist()] == slow.reference_order(values, counts.tolist(), distance, centroid)


@given(parents=dags(14, min_size=4), data=st.data())
def test_taxonomy_order(parents: Dag, data: st.DataObject) -> None:
    t = taxonomy(parents)
    values = sorted(data.draw(st.sets(st.sampled_from(list(parents)), min_size=3)))
    metric = ConceptMetric(values, Scope(t, t.root))
    counts = data.draw(st.lists(st.integers(1, 5), min_size=len(values), max_size=len(values)))
    found = taxonomy_order(metric, np.arange(len(values)), np.array(counts))
    levels = metric.generalisations()[:0:-1]

    def distance(one: int, other: int) -> float:
        return float(metric.distances(values.index(one), values.index(other)))

    above = [[level[i] for level in levels] for i in range(len(values))]
    assert [values[c] for c in found.tolist()] == slow.taxonomy_order(values, counts, above, distance)


@given(parents=dags(14, tree=True, min_size=4), data=st.data())
def test_taxonomy_order_is_a_depth_first_walk(parents: Dag, data: st.DataObject) -> None:
    """The values below any concept follow each other."""
    t = taxonomy(parents)
    leaves = [c for c in parents if not any(c in above for above in parents.values())]
    metric = ConceptMetric(leaves, Scope(t, t.root))
    counts = np.array(data.draw(st.lists(st.integers(1, 5), min_size=len(leaves), max_size=len(leaves))))
    found = taxonomy_order(metric, np.arange(len(leaves)), counts)
    assert sorted(found.tolist()) == list(range(len(leaves)))
    for concept in parents:
        below = set(t.descendants(concept).tolist()) | {concept}
        places = [place for place, code in enumerate(found.tolist()) if leaves[code] in below]
        assert places == list(range(places[0], places[0] + len(places)))


def test_siblings_follow_each_other_from_near_to_near() -> None:
    t = taxonomy({0: [], 1: [0], 2: [0], 3: [1], 4: [1], 5: [2], 6: [2], 7: [3], 8: [3]})
    values = [4, 5, 6, 7, 8]
    metric = ConceptMetric(values, Scope(t, t.root))
    for order in ("taxonomy", "reference"):
        attribute = Attribute("word", "text", metric)
        found = order_of_values(attribute, np.arange(5), np.ones(5, np.int64), order, np.random.default_rng(1))
        steps = metric.distances(found[:-1], found[1:])
        best = min(metric.distances(np.array(x[:-1]), np.array(x[1:])).sum() for x in itertools.permutations(range(5)))
        assert steps.sum() >= best - 1e-9
        assert order == "reference" or steps.sum() == pytest.approx(best)


def test_the_most_frequent_value_of_a_sibling_stands_for_it() -> None:
    t = taxonomy({0: [], 1: [0], 2: [0], 3: [0], 4: [1], 5: [2], 6: [2], 7: [6], 8: [7], 9: [3], 10: [9]})
    values = [4, 5, 8, 10]
    metric = ConceptMetric(values, Scope(t, t.root))
    rare, frequent = (taxonomy_order(metric, np.arange(4), np.array([1, 1, count, 1])) for count in (1, 5))
    assert [values[c] for c in rare.tolist()] == [10, 4, 5, 8]
    assert [values[c] for c in frequent.tolist()] == [8, 5, 4, 10]


def test_numbers_have_their_order_and_that_of_categories_is_drawn() -> None:
    rng = np.random.default_rng(1)
    ages = numbers("age", [20.0, 30.0, 40.0, 50.0])
    for order in ("taxonomy", "reference"):
        found = order_of_values(ages, np.array([0, 1, 2, 3]), np.array([1, 9, 1, 1]), order, rng)
        assert found.tolist() == [0, 1, 2, 3]
    sexes = Attribute("sex", "category", EqualityMetric(["a", "b", "c", None]))
    drawn = {tuple(order_of_values(sexes, np.arange(3), np.ones(3, np.int64), "taxonomy", rng)) for _ in range(99)}
    assert len(drawn) == 6


def test_neighbours_of_a_seriation_are_near() -> None:
    rng = np.random.default_rng(2)
    attributes = [numbers("x", [float(i) for i in range(60)]), numbers("y", [float(i) for i in range(60)])]
    place = rng.permutation(300)
    codes = np.stack([place // 5, 59 - place // 5], axis=1)  # on a line
    codes[:, 1] = np.clip(codes[:, 1] + rng.integers(-1, 2, 300), 0, 59)
    found = order_of_tuples(attributes, np.full(2, 0.5), codes)
    assert sorted(found.tolist()) == list(range(300))
    steps = tuple_distances(attributes, np.full(2, 0.5), codes[found[:-1]], codes[found[1:]])
    shuffled = tuple_distances(attributes, np.full(2, 0.5), codes[:-1], codes[1:])
    assert steps.mean() < 0.1 * shuffled.mean()


# --- the release -----------------------------------------------------------------------------------------------


@ways
@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(table=tables(), seed=st.integers(0, 9))
def test_every_column_keeps_its_values_and_nulls_stay(way: str, table: tuple[Records, int], seed: int) -> None:
    records = table[0]
    masking = Swap(**WAYS[way]).mask(records, seed)
    assert np.bincount(masking.source, masking.share).astype(int).tolist() == records.counts.tolist()
    was, now = rows_of(records, masking)
    for a in range(len(records.attributes)):
        before, after = [row[a] for row in was], [row[a] for row in now]
        assert Counter(map(repr, map(broader, before))) == Counter(map(repr, after))
        assert [x is None for x in before] == [x is None for x in after]
    if "together" in WAYS[way]:
        assert Counter(repr(tuple(map(broader, row))) for row in was) == Counter(map(repr, now))
    again = Swap(**WAYS[way]).mask(records, seed)
    assert (again.source.tolist(), again.codes.tolist()) == (masking.source.tolist(), masking.codes.tolist())


@settings(max_examples=30)
@given(n=st.integers(2, 80), share=st.sampled_from([0.05, 0.2, 0.5]), seed=st.integers(0, 99))
def test_a_value_moves_by_the_window_at_most(n: int, share: float, seed: int) -> None:
    records = Records.of([numbers("age", [float(i) for i in range(n)])], [np.arange(n)])
    masking = Swap(window=share).mask(records, seed)
    assert np.abs(masking.codes[:, 0] - records.codes[masking.source, 0]).max() <= slow.window_of(share, n)


def test_columns_of_a_group_move_together_and_others_on_their_own() -> None:
    rng = np.random.default_rng(3)
    attributes = [numbers(name, [float(i) for i in range(8)]) for name in "abc"]
    records = Records.of(attributes, list(rng.integers(0, 8, (3, 400))))
    was, now = rows_of(records, Swap(together="a, c").mask(records, 1))
    assert Counter((a, c) for a, _, c in was) == Counter((a, c) for a, _, c in now)
    assert Counter((a, b) for a, b, _ in was) != Counter((a, b) for a, b, _ in now)
    assert [x.columns for x in blocks_of(records, "a, c")] == [(1,), (0, 2)]
    assert [x.columns for x in blocks_of(records, "all")] == [(0, 1, 2)]
    assert [x.columns for x in blocks_of(records, "")] == [(0,), (1,), (2,)]


def test_rows_with_equal_values_are_drawn_in_any_order() -> None:
    """Of ten equal rows at the end of the ranks, each is as likely to change as any other."""
    records = Records.of([numbers("age", [1.0, 2.0, 3.0])], [np.repeat([0, 1, 2], 10)], units=np.arange(30))
    changed = np.zeros(10)
    for seed in range(600):
        masking = Swap(window=0.2).mask(records, seed)
        changed += masking.codes[:10, 0] != 0
    assert changed.min() > 0.7 * changed.mean()
    assert changed.max() < 1.3 * changed.mean()


@settings(max_examples=40)
@given(data=st.data(), cap=st.sampled_from([0.1, 0.4, 1.0]))
def test_nearest_pairs_are_those_of_the_definition(data: st.DataObject, cap: float) -> None:
    """Where no two pairs are equally near, the exchanges are the same, rows of equal records counted."""
    values = data.draw(st.lists(st.integers(0, 400), min_size=2, max_size=9, unique=True))
    rows = data.draw(st.lists(st.sampled_from(values), min_size=2, max_size=14))
    attribute = numbers("age", [float(x) for x in sorted(values)])
    metric = attribute.metric
    records = Records.of([attribute], [[sorted(values).index(x) for x in rows]])
    partner, tied = slow.nearest_swapped(
        sorted(rows),
        lambda one, other: one != other,
        lambda one, other: float(metric.distances(sorted(values).index(one), sorted(values).index(other))),
        cap,
    )
    if tied:
        return
    was, now = rows_of(records, Swap(pairs="nearest", cap=cap, share=1.0).mask(records, 5))
    expected = Counter((float(sorted(rows)[i]), float(sorted(rows)[j])) for i, j in enumerate(partner))
    assert Counter((x[0], y[0]) for x, y in zip(was, now, strict=True)) == expected


def test_many_tuples_are_compared_with_their_neighbours(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    attributes = [numbers(name, [float(i) for i in range(40)]) for name in "ab"]
    records = Records.of(attributes, list(rng.integers(0, 40, (2, 500))))
    (block,) = blocks_of(records, "all")
    every = NearPairs(records, block, 0.05)
    monkeypatch.setattr("allonym.methods.swapping.nearest.MAX_COMPARED", 10)
    some = NearPairs(records, block, 0.05)
    assert 0 < len(some.far) < len(every.far)
    assert {*zip(np.minimum(some.one, some.other), np.maximum(some.one, some.other), strict=True)} <= {
        *zip(every.one, every.other, strict=True)
    }


# --- likelihoods -----------------------------------------------------------------------------------------------


def mixed() -> Records:
    """Return a table of words, categories and numbers with nulls, in which columns depend on each other."""
    t = taxonomy({0: [], 1: [0], 2: [0], 3: [1], 4: [1], 5: [2]})
    words = Attribute("word", "text", ConceptMetric([1, 3, 4, 5, "zzz", "yyy", None], Scope(t, t.root)))
    sexes = Attribute("sex", "category", EqualityMetric(["a", "b", "c"]))
    rng = np.random.default_rng(1)
    word = rng.choice(7, 300, p=[0.3, 0.2, 0.2, 0.1, 0.06, 0.04, 0.1])
    sex = np.where(rng.random(300) < 0.5, word % 3, rng.integers(0, 3, 300))
    return Records.of([words, sexes, numbers("age", [0.0, 1.0, 5.0])], [word, sex, rng.integers(0, 3, 300)])


@ways
def test_what_is_drawn_has_these_likelihoods(way: str) -> None:
    records, method = mixed(), Swap(**(WAYS[way] | ({"window": 0.1} if way == "rank" else {})))
    p, runs = len(records), 150
    drawn: Counter[tuple[int, ...]] = Counter()
    for seed in range(runs):
        masking = method.mask(records, seed)
        for source, count, codes in zip(masking.source, masking.share, masking.codes, strict=True):
            for a, code in enumerate(codes.tolist()):
                drawn[a, int(records.codes[source, a]), code] += int(count)
    mechanism = method.mechanism(records)
    for a, attribute in enumerate(records.attributes):
        held = np.bincount(records.codes[:, a], records.counts, len(attribute.values))
        logs = mechanism.log_likelihood(a, attribute.values, attribute.values)
        for code in np.flatnonzero(held).tolist():
            likely = np.exp(logs[code])
            found = np.array([drawn[a, code, x] for x in range(len(attribute.values))]) / (held[code] * runs)
            assert likely.sum() == pytest.approx(1)
            assert found == pytest.approx(likely, abs=0.1 if "nearest" in way else 0.06)
    of_tuples = np.exp(mechanism.log_likelihood_of_tuples(records.codes, records.codes))
    assert of_tuples.shape == (p, p)
    assert (of_tuples.sum(axis=1) <= 1 + 1e-9).all()
    if "together" in WAYS[way]:
        assert of_tuples.sum(axis=1) == pytest.approx(np.ones(p))


def test_the_likelihood_of_several_columns_is_that_of_their_blocks() -> None:
    records = mixed()
    mechanism = Swap(together="word, age").mechanism(records)
    logs = mechanism.log_likelihood_of_tuples(records.codes, records.codes)
    alone = Swap(together="word, age").mechanism(records).log_likelihood(1, ["a", "b", "c"], ["a", "b", "c"])
    kinds = [tuple(x) for x in records.codes[:, [0, 2]].tolist()]
    alike = [(i, j) for i in range(9, len(kinds)) for j in range(len(kinds)) if kinds[i] == kinds[j] and i != j]
    first, other = alike[0]
    sexes = records.codes[[first, other], 1]
    assert logs[0, first] - logs[0, other] == pytest.approx(float(np.diff(alone[records.codes[0, 1], sexes[::-1]])[0]))
    new = records.codes[:1].copy()
    new[0, 0] = 99
    assert mechanism.log_likelihood_of_tuples(records.codes[:1], new) == -np.inf


@pytest.mark.parametrize("share", [0.3, 0.5, 1.0])
def test_likelihoods_of_values_that_one_row_has(share: float) -> None:
    values = [float(x) for x in range(41)]
    records = Records.of([numbers("age", values)], [np.arange(41)])
    likely = np.exp(Swap(window=0.1, share=share).mechanism(records).log_likelihood(0, values, values))
    assert likely.sum(axis=1) == pytest.approx(np.ones(41), abs=1e-5)
    assert np.diag(likely)[:35] == pytest.approx(np.full(35, 1 - share), abs=0.05)


def test_leaves_are_swapped_as_their_concepts() -> None:
    t = taxonomy({0: [], 1: [0], 2: [0], 3: [1]})
    values = [1, 2, Narrower(1, "head cook"), Narrower(1, "sous-chef")]
    records = Records.of(
        [Attribute("word", "text", ConceptMetric(values, Scope(t, t.root)))], [[0, 1, 2, 3, 0, 1, 2] * 4]
    )
    for parameters in ({"window": 0.3}, {"pairs": "nearest"}):
        masking = Swap(**parameters).mask(records, 1)
        _, now = rows_of(records, masking)
        assert Counter(now) == {(1,): 20, (2,): 8}
        logs = masking.mechanism.log_likelihood(0, values, [1, 2])
        assert np.exp(logs).sum(axis=1) == pytest.approx(np.ones(4))
        assert logs[2].tolist() == logs[0].tolist()
    table = SwappedTable.of(records)
    assert table.records.counts.tolist() == [20, 8]
    assert Block.of(table.records, [0]).counts.tolist() == [20, 8]
