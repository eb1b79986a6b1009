"""Full-domain generalisation of numbers and ranks: nested readable classes, without a hierarchy that anybody gives."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import allonym as al
from allonym.kinds.ranges.numeric_metric import NumericMetric, Representation
from allonym.kinds.registry import KINDS
from allonym.methods.generalise import Generalise


def ends(value: object) -> tuple[float, float]:
    return value if isinstance(value, tuple) else (-np.inf, np.inf) if value is None else (value, value)  # type: ignore[return-value]


@given(
    st.lists(st.integers(-10_000, 10_000), min_size=1, max_size=40, unique=True),
    st.sampled_from([0, 1, 2]),
    st.booleans(),
    st.booleans(),
)
def test_classes_are_few_have_their_numbers_and_nest(units: list[int], decimals: int, top: bool, bottom: bool) -> None:
    values: list[object] = [x / 10**decimals for x in sorted(units)]
    bounds = (values[0], values[-1])
    values[-1] = (values[-1], np.inf) if top else values[-1]
    if bottom and len(values) > 2:
        bounds = (values[1], bounds[1])
        values[0] = (-np.inf, (sorted(units)[1] - 1) / 10**decimals)
    levels = NumericMetric(values, decimals, bounds=bounds).generalisations()  # type: ignore[arg-type]
    assert len(levels) <= 6
    assert levels[0] == values
    assert set(levels[-1]) == {None}
    for finer, coarser in pairwise(levels):
        joined = dict(zip(finer, coarser, strict=True))
        assert len(joined) == len(set(finer))
        for value in set(finer):
            (low, high), (wider_low, wider_high) = ends(value), ends(joined[value])
            assert wider_low <= low <= high <= wider_high
    for level in levels[1:-1]:
        for one, other in pairwise(sorted(set(map(ends, level)))):
            assert one[1] < other[0]


def test_fixed_classes_are_joined_with_their_neighbours() -> None:
    classes = [(0.0, 17.0), (18.0, 29.0), (30.0, 64.0), (65.0, np.inf)]
    levels = NumericMetric(classes, representation=Representation(classes=True)).generalisations()
    assert levels[1] == [(0.0, 29.0), (0.0, 29.0), (30.0, np.inf), (30.0, np.inf)]
    assert levels[2] == [None] * 4


def test_every_kind_is_generalised() -> None:
    assert set(Generalise.info.kinds) == set(KINDS)


@pytest.mark.parametrize("k", [3, 10])
def test_ages_and_heights_become_classes(k: int) -> None:
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"age": rng.integers(18, 90, 400), "height": np.round(rng.normal(1.7, 0.1, 400), 2)})
    plan = al.Plan({"age": al.quasi("numeric"), "height": al.quasi("numeric")}, method="generalise", k=k)
    release = plan.run(frame)
    for column in frame:
        for number, text in zip(frame[column], release.frame[column], strict=True):
            if not pd.isna(text):
                low, high = map(float, str(text).split(" to ")) if " to " in str(text) else (float(text), float(text))
                assert low <= number <= high
    assert release.frame.groupby(list(frame), dropna=False).size().min() >= k
    assert release.frame["age"].notna().all() or release.frame["height"].notna().all()
    assert not plan.evaluate(frame, release.frame).strange
