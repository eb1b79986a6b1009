"""An attacker who knows the algorithm, the table and the numbers of all others of a group must not learn a number.

The story: a colleague of somebody in a group knows everybody else's income, reads the range that was published for the
group, and tries which incomes of that person would have given the same range.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import allonym as al
from allonym.kinds.dominance import DominanceRule
from allonym.kinds.numeric import NumericMetric

P = DominanceRule.p / 100
UNIVERSE = list(range(-60, 400))


def published(group: list[int]) -> object:
    """Return the range of a group; who holds a number elsewhere is not known, so that any may be an end."""
    values = sorted(set(group))
    metric = NumericMetric([float(x) for x in values])
    codes = np.array([values.index(x) for x in group])
    return metric.truthful(codes, np.ones(len(codes)))


def possible(others: list[int], seen: object) -> list[int]:
    """Return the numbers that the remaining person may have."""
    return [x for x in UNIVERSE if published([*others, x]) == seen]


def estimable(numbers: list[int]) -> bool:
    """Tell whether one estimate is within p per cent of every number."""
    return max(x - P * abs(x) for x in numbers) <= min(x + P * abs(x) for x in numbers)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-40, 120), min_size=2, max_size=5), st.integers(-50, 250))
def test_nobody_who_stands_out_can_be_estimated(others: list[int], target: int) -> None:
    nearest = max(others) if target > max(others) else min(others)
    assume(not min(others) <= target <= max(others) and abs(target - nearest) > P * abs(target))
    assert not estimable(possible(others, published([*others, target])))


def test_the_attacker_succeeds_on_exact_ranges() -> None:
    others = [20, 21, 23]
    exact = [x for x in UNIVERSE if (min(*others, x), max(*others, x)) == (20, 90)]
    assert exact == [90]
    seen = published([*others, 90])
    assert not estimable(possible(others, seen))


@pytest.mark.parametrize("k", [3, 5])
def test_no_end_in_a_release_is_a_number_that_few_hold(k: int) -> None:
    rng = np.random.default_rng(3)
    incomes = np.round(rng.lognormal(10, 0.8, 300)).astype(int)
    frame = pd.DataFrame({"income": incomes, "age": rng.integers(18, 80, 300)})
    numbers = al.quasi("numeric", p_percent=0, max_distance=1)
    options = {"income": numbers, "age": numbers}
    release = al.Plan(options, method="mdav", k=k, parameters={"represent": "truthful"}, seed=1).run(frame)
    for column in frame:
        held = Counter(frame[column].tolist())
        ranges = [tuple(map(int, x.split(" to "))) for x in release.frame[column].unique() if " to " in x]
        assert all(0 in (low % 2, low % 5) for low, _ in ranges if 0 < held[low] < k)  # at least a step of 2
        assert all(0 in ((high + 1) % 2, (high + 1) % 5) for _, high in ranges if 0 < held[high] < k)
    inside = [
        (low <= x <= high)
        for cell, x in zip(release.frame["income"], frame["income"], strict=True)
        for low, high in [map(int, cell.split(" to "))]
    ]
    assert all(inside)
