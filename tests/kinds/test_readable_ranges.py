"""Ranges of numbers: readable, true of all, and with no end that is a number of few."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
import slow_ranges as slow
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from allonym.kinds.dominance import DominanceRule
from allonym.kinds.numeric import NumericMetric

NUMBERS = st.integers(-300, 300)


def range_of(
    group: list[float], column: list[float], k: int = 3, decimals: int = 0, p: float = 10.0
) -> float | tuple[float, float] | None:
    values = sorted({*column, *group})
    held = Counter(column + group)
    metric = NumericMetric(values, decimals, rule=DominanceRule(p=p)).with_holders(
        np.array([held[x] for x in values]), k
    )
    codes = np.array([values.index(x) for x in group])
    return metric.truthful(codes, np.ones(len(codes)))


@settings(max_examples=300)
@given(
    st.lists(NUMBERS, min_size=2, max_size=6),
    st.lists(NUMBERS, min_size=1, max_size=30),
    st.integers(1, 5),
    st.sampled_from([0, 1, 2]),
    st.sampled_from([0, 10, 25]),
)
def test_a_range_is_that_of_the_slow_reference(
    group: list[int], column: list[int], k: int, decimals: int, p: int
) -> None:
    assume(len(set(group)) > 1)
    scale = 10**decimals
    got = range_of([x / scale for x in group], [x / scale for x in column], k, decimals, p)
    low, high = slow.covering(group, Counter(column + group), k, Fraction(p, 100), decimals)
    assert got == (low / scale, high / scale)


@given(
    st.lists(st.floats(-1e12, 1e12), min_size=2, max_size=6),
    st.lists(st.floats(-1e6, 1e6)),
    st.sampled_from([0, 3, 15]),
)
def test_a_range_has_all_numbers_of_a_group_whatever_their_order(
    group: list[float], column: list[float], decimals: int
) -> None:
    group = [round(x, decimals) + 0.0 for x in group]
    assume(len(set(group)) > 1)
    got = range_of(group, column, decimals=decimals)
    assert isinstance(got, tuple)
    assert got[0] <= min(group) < max(group) <= got[1]
    assert range_of(group[::-1], column[::-1], decimals=decimals) == got


@pytest.mark.parametrize(
    ("group", "expected"),
    [
        ([40, 40, 40], 40),  # all have it
        ([38, 39, 41], (38, 41)),  # numbers that many have
        ([38, 39, 77], (30, 89)),  # 77 stands out
        ([61, 63, 66, 67], (61, 67)),
        ([22, 58, 59], (20, 59)),
        ([25, 26, 27, 35], (24, 39)),
    ],
)
def test_ages(group: list[float], expected: object) -> None:
    assert range_of(group, [x for x in range(18, 70) for _ in range(3)]) == expected


def test_the_end_is_no_number_of_a_single_person() -> None:
    common = [float(x) for x in range(20, 80) for _ in range(5)]
    assert range_of([76, 78, 79, 83], common, k=5, p=0) == (76, 99)  # 80 to 99: 83 alone
    assert range_of([76, 78, 79, 83], [*common, 80, 81, 84, 84], k=5, p=0) == (76, 84)
    assert range_of([26, 98, 100], [*common, *[100] * 9], k=5, p=0) == (
        20,
        100,
    )  # no end beyond 100


def test_decimals_have_ends_that_touch() -> None:
    prices = [x / 100 for x in range(100, 1000, 7)]
    assert range_of([1.27, 1.84, 2.41], prices, decimals=2, p=0) == (1.2, 2.6)


def test_no_range_is_true_of_a_missing_number() -> None:
    metric = NumericMetric([20.0, 30.0, None])
    assert metric.truthful(np.array([0, 1, 2]), np.ones(3)) is None
    assert metric.truthful(np.array([2, 2]), np.ones(2)) is None


@given(st.integers(-50, 50), st.integers(-50, 50), st.integers(1, 50))
def test_a_number_is_as_far_from_a_range_as_from_the_numbers_in_it(number: int, low: int, width: int) -> None:
    metric = NumericMetric([float(number), (float(low), float(low + width))], span=200.0)
    expected = slow.mean_distance(Fraction(number), Fraction(low), Fraction(low + width)) / 200
    assert metric.distances(0, 1) == pytest.approx(expected, abs=1e-4)
    assert metric.distances_from(metric.values[1])[0] == metric.distances(1, 0) == metric.distances(0, 1)
