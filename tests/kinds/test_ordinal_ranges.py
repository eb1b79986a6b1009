"""Ranges of levels: true of all, read back, and written as text."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import slow_ranges as slow
from hypothesis import given
from hypothesis import strategies as st

import allonym as al
from allonym.kinds.ordinal import OrdinalMetric

LEVELS = ["none", "primary", "lower secondary", "upper secondary", "tertiary"]


def test_a_range_of_levels_stands_for_a_group() -> None:
    metric = OrdinalMetric([0, 1, 2, 4, None], levels=5)
    ones = np.ones(3)
    assert metric.truthful(np.array([1, 2, 1]), ones) == (1, 2)
    assert metric.truthful(np.array([2, 2, 2]), ones) == 2
    assert metric.truthful(np.array([0, 3, 1]), ones) is None  # all levels say nothing
    assert metric.truthful(np.array([1, 2, 4]), ones) is None  # no range is true of a missing value


@given(st.integers(0, 8), st.integers(0, 7), st.integers(1, 8))
def test_a_rank_is_as_far_from_a_range_as_a_number_is(rank: int, low: int, width: int) -> None:
    high = min(low + width, 8)
    metric = OrdinalMetric([rank, (low, high)], levels=9)
    assert metric.distances(0, 1) == pytest.approx(slow.mean_distance(rank, low, high) / 8, abs=1e-3)  # type: ignore[arg-type]
    assert metric.distances(1, 1) == 0


def test_a_range_is_true_of_the_levels_in_it() -> None:
    metric = OrdinalMetric([0, 1, 2, (0, 1), (0, 3), None], levels=5)
    assert metric.generalises(3, np.arange(6)).tolist() == [True, True, False, True, False, False]
    assert metric.generalises(4, np.arange(6)).tolist() == [True, True, True, True, True, False]
    assert metric.generalises(5, np.arange(6)).all()


def test_levels_are_generalised_to_nested_ranges() -> None:
    metric = OrdinalMetric([0, 1, 2, 3, 4, None], levels=5)
    assert metric.generalisations() == [
        [0, 1, 2, 3, 4, None],
        [(0, 1), (0, 1), (2, 3), (2, 3), 4, None],
        [(0, 3), (0, 3), (0, 3), (0, 3), 4, None],
        [None] * 6,
    ]


@pytest.mark.parametrize("levels", [LEVELS, [1, 2, 3, 4, 5]], ids=["text", "numbers"])
def test_ranges_are_written_and_evaluated(levels: list[object]) -> None:
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"school": [levels[i] for i in rng.integers(0, 5, 60)], "age": rng.integers(20, 60, 60)})
    columns = {"school": al.quasi("ordinal", levels=[str(x) for x in levels]), "age": al.quasi("numeric")}
    plan = al.Plan(columns, method="mdav", k=5, parameters={"represent": "truthful"}, seed=1)
    release = plan.run(frame)
    written = release.frame["school"].dropna()
    assert written.map(lambda x: isinstance(x, str)).all()
    assert written.str.contains(" to ").any()
    for place, text in written.items():
        ends = [[str(x) for x in levels].index(x) for x in text.split(" to ")]
        assert ends[0] <= levels.index(frame["school"][place]) <= ends[-1]
    assert not plan.evaluate(frame, release.frame).strange


def test_a_level_may_have_the_word_of_ranges_in_it() -> None:
    levels = ["1 to 2 rooms", "3 to 4 rooms", "5 rooms", "more"]
    frame = pd.DataFrame({"size": [levels[i % 3] for i in range(30)] + ["more"] * 9})
    plan = al.Plan({"size": al.quasi("ordinal", levels=levels)}, method="generalise", k=12)
    release = plan.run(frame)
    assert set(release.frame["size"]) == {"1 to 2 rooms to 3 to 4 rooms", "5 rooms to more"}
    assert not plan.evaluate(frame, release.frame).strange
