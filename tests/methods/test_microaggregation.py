"""MDAV over tuples gives what the pseudo-code gives over rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
import slow_masking as slow
from both_kernels import BOTH, use
from hypothesis import given, settings
from hypothesis import strategies as st

from allonym.arrays import Floats
from allonym.kinds.category import EqualityMetric
from allonym.kinds.numeric import NumericMetric
from allonym.kinds.ordinal import OrdinalMetric
from allonym.methods.groups import Groups
from allonym.methods.kernels.microaggregation import mdav, tie_order
from allonym.metric import Metric
from allonym.progress import no_progress
from allonym.records import Attribute, Records

WORDS, NUMBERS, RANKS = ("a", "b", "c", None), (1.0, 2.0, 5.0, None), (0, 1, 2, None)
Row = tuple[object, ...]
Told = tuple[Counter[frozenset[tuple[Row, int]]], Counter[Row]]


@pytest.fixture(scope="module", params=BOTH, autouse=True)
def kernels(request: pytest.FixtureRequest) -> Iterator[None]:
    """Run every test with compiled kernels and with NumPy."""
    with use(request.param):
        yield


def records_of(rows: list[Row]) -> Records:
    metrics: list[Metric] = [EqualityMetric(WORDS), NumericMetric(NUMBERS, 1), OrdinalMetric(RANKS, 3)]
    codes = [[values.index(row[a]) for row in rows] for a, values in enumerate((WORDS, NUMBERS, RANKS))]
    kinds = ("category", "numeric", "ordinal")
    return Records.of([Attribute(kind, kind, m) for kind, m in zip(kinds, metrics, strict=True)], codes)


def told(groups: Groups, tuples: list[Row]) -> Told:
    """Return groups of several tuples, and how many rows of each tuple are in groups of their own."""
    mixed: Counter[frozenset[tuple[Row, int]]] = Counter()
    alone: Counter[Row] = Counter()
    for pieces in groups.members():
        members = [(tuples[groups.source[i]], int(groups.share[i])) for i in pieces]
        if len(members) == 1:
            alone[members[0][0]] += members[0][1]
        else:
            mixed[frozenset(members)] += 1
    return mixed, alone


def slowly(rows: list[Row], k: int, order: list[Row]) -> Told:
    distance = slow.record_distance(
        [slow.equality, lambda a, b: slow.numeric(a, b, 4.0), lambda a, b: slow.ordinal(a, b, 3)]
    )
    centroid = slow.record_centroid([lambda p: slow.mode(p, WORDS), lambda p: slow.mean(p, 1), slow.median])
    mixed: Counter[frozenset[tuple[Row, int]]] = Counter()
    alone: Counter[Row] = Counter()
    for cluster in slow.mdav(rows, k, distance, centroid, order):
        members = Counter(cluster)
        if len(members) == 1:
            alone.update(members)
        else:
            mixed[frozenset(members.items())] += 1
    return mixed, alone


ROW = st.tuples(st.sampled_from(WORDS), st.sampled_from(NUMBERS), st.sampled_from(RANKS))
FEW = st.lists(ROW, min_size=1, max_size=5)


@given(rows=st.lists(ROW, min_size=2, max_size=30), k=st.integers(2, 5), seed=st.integers(0, 99))
def test_groups_over_tuples_are_those_over_rows(rows: list[Row], k: int, seed: int) -> None:
    got, expected, sizes = both_ways(rows, k, seed)
    assert got == expected
    assert sizes.sum() == len(rows)
    assert len(rows) < k or sizes.min() >= k


@settings(max_examples=100)
@given(
    few=FEW,
    row_counts=st.lists(st.integers(1, 40), min_size=5, max_size=5),
    k=st.integers(2, 4),
    seed=st.integers(0, 9),
)
def test_rounds_taken_at_once_are_those_taken_one_by_one(
    few: list[Row], row_counts: list[int], k: int, seed: int
) -> None:
    got, expected, _ = both_ways([row for row, n in zip(few, row_counts, strict=False) for _ in range(n)], k, seed)
    assert got == expected


def both_ways(rows: list[Row], k: int, seed: int) -> tuple[Told, Told, Floats]:
    """Return the groups as the product makes them, as the slow version does, and how large they are."""
    records = records_of(rows)
    tuples = [(WORDS[a], NUMBERS[b], RANKS[c]) for a, b, c in records.codes]
    order = tie_order(records, np.random.default_rng(seed))
    groups = mdav(records, [a.metric for a in records.attributes], k, np.random.default_rng(seed), no_progress)
    expected = slowly(rows, k, [tuples[i] for i in order])
    return told(groups, tuples), expected, np.bincount(groups.group, weights=groups.share)


def test_ties_go_by_the_first_row_of_a_shuffled_table() -> None:
    records = records_of([("a", 1.0, 0)] * 9 + [("b", 1.0, 0)])
    first = [int(tie_order(records, np.random.default_rng(seed))[0]) for seed in range(400)]
    assert 0.85 < first.count(0) / 400 < 0.95  # nine rows in ten
    copies = records_of([("a", 1.0, 0)] * 90 + [("b", 1.0, 0)] * 10)
    assert [int(tie_order(copies, np.random.default_rng(seed))[0]) for seed in range(400)] == first


def test_the_work_grows_with_tuples_not_with_rows() -> None:
    rng = np.random.default_rng(3)
    few = [(WORDS[a], NUMBERS[b], RANKS[c]) for a, b, c in rng.integers(0, 4, (20, 3))]

    def steps(copies: int) -> int:
        done: list[int] = []
        records = records_of(few * copies)
        mdav(records, [a.metric for a in records.attributes], 5, np.random.default_rng(0), lambda d, _: done.append(d))
        return len(done)

    assert steps(1000) < 3 * steps(10)


def test_ticks_count_up_to_the_rows_and_may_cancel() -> None:
    records = records_of([(w, n, 0) for w in WORDS for n in NUMBERS] * 3)
    seen: list[tuple[int, int]] = []
    mdav(records, [a.metric for a in records.attributes], 2, np.random.default_rng(0), lambda d, t: seen.append((d, t)))
    assert [t for _, t in seen] == [48] * len(seen)
    assert [d for d, _ in seen] == sorted(d for d, _ in seen)
    assert seen[-1] == (48, 48)

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        mdav(records, [a.metric for a in records.attributes], 2, np.random.default_rng(0), stop)


def test_what_is_left_of_one_tuple_is_taken_at_once() -> None:
    done: list[int] = []
    records = records_of([("a", 1.0, 0)] * 5000 + [("b", 1.0, 0)] * 2)
    metrics = [a.metric for a in records.attributes]
    groups = mdav(records, metrics, 2, np.random.default_rng(0), lambda d, _: done.append(d))
    assert len(done) < 10
    assert groups.share.sum() == 5002
