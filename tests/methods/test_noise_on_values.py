"""Noise on dates, ordered categories and categories: against the definition, exact probabilities, and saved plans."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import slow_noise as slow
from hypothesis import given
from hypothesis import strategies as st

import allonym as al
from allonym.methods.draws import uniform
from allonym.methods.error_distributions import DISTRIBUTIONS
from allonym.methods.numeric_noise import CategoryNoise, NumericNoise

LEVELS = ["low", "middle", "high", "top"]
FRAME = pd.DataFrame(
    {
        "party": ["red", "red", "green", "blue", "red", None] * 20,
        "size": ["low", "middle", "high", "top", "low", "middle"] * 20,
        "born": ["1990-03-04", "1991-07-30", "1964-01-01", "2001-12-31", "1980-05-05", None] * 20,
        "age": [30, 29, 56, 19, 40, 33] * 20,
    }
)
COLUMNS = {
    "party": al.quasi("category"),
    "size": al.quasi("ordinal", levels=LEVELS),
    "born": al.quasi("date"),
    "age": al.quasi("numeric"),
}
distributions = pytest.mark.parametrize("distribution", list(DISTRIBUTIONS))
words = st.lists(st.integers(0, 2**64 - 1), min_size=2, max_size=2)


def plan(**parameters: object) -> al.Plan:
    return al.Plan(COLUMNS, method="noise", parameters=parameters, seed=3)


@distributions
@given(drawn=words, value=st.sampled_from("abcd"), size=st.integers(1, 4))
def test_categories_follow_the_algorithm(drawn: list[int], value: str, size: int, distribution: str) -> None:
    known = tuple("abcd"[:size])
    value = value if value in known else known[0]
    noise = CategoryNoise(known, known[0], 0.7, 0.9, distribution)
    array = np.array([*drawn, 0, 0], np.uint64)[:, None]
    error, tie = float(noise.errors.quantiles(uniform(array[0]))[0]), float(uniform(array[1])[0])
    expected = slow.category_after(known, known[0], value, error, tie)
    assert noise.one(value, [*drawn, 0, 0]) == expected
    assert noise.outcomes[int(noise.places(value, array)[0])] == expected


@distributions
@given(drawn=words, rank=st.integers(0, 3))
def test_ranks_stay_between_the_levels(drawn: list[int], rank: int, distribution: str) -> None:
    noise = NumericNoise(1.0, 1.5, 0.8, 0, distribution, 0.0, 3.0, int)
    error = float(noise.errors.quantiles(uniform(np.array([drawn[0]], np.uint64)))[0])
    if abs(rank + error - math.floor(rank + error) - 0.5) > 1e-9:
        assert noise.one(rank, [*drawn, 0, 0]) == slow.rank_after(4, rank, error)


@distributions
@pytest.mark.parametrize("bounded", [True, False])
def test_likelihoods_are_those_of_the_draws(distribution: str, bounded: bool) -> None:
    limits = (0.0, 3.0) if bounded else (-math.inf, math.inf)
    noise = NumericNoise(1.0, 1.5, 0.8, 0, distribution, *limits)
    after = [0.0, 1.0, 2.0, 3.0] if bounded else [float(x) for x in range(-40, 44)]
    likely = np.exp(noise.log_likelihood([0.0, 2.0], after))
    assert likely.sum(axis=1) == pytest.approx([1, 1])
    drawn = np.random.default_rng(1).integers(0, 2**64, (4, 200_000), np.uint64)
    values, places = noise.column([2.0], np.zeros(drawn.shape[1], np.int64), drawn)
    seen = dict(zip(values, np.bincount(places) / drawn.shape[1], strict=True))
    assert [seen.get(x, 0.0) for x in after] == pytest.approx(likely[1], abs=0.005)


@distributions
def test_probabilities_of_categories_are_those_of_the_draws(distribution: str) -> None:
    noise = CategoryNoise(("a", "b", "c"), "a", 0.6, 0.9, distribution)
    drawn = np.random.default_rng(1).integers(0, 2**64, (4, 200_000), np.uint64)
    for value in "ab":
        seen = np.bincount(noise.places(value, drawn), minlength=4) / drawn.shape[1]
        assert seen == pytest.approx(noise.probabilities(value), abs=0.005)


@pytest.mark.parametrize("parameters", [{}, {"distribution": "laplace"}, {"correlated": True}])
def test_all_kinds_are_masked_one_by_one_in_batches_and_after_loading(
    parameters: dict[str, object], tmp_path: Path
) -> None:
    fitted = plan(**parameters).fit(FRAME)
    batch = fitted.mask(FRAME, start=0)
    records = [{x: None if pd.isna(y) else y for x, y in row.items()} for row in FRAME.to_dict("records")]
    single = pd.DataFrame([fitted.mask_one(row, key=i) for i, row in enumerate(records)])
    for name in FRAME:
        assert [None if pd.isna(x) else x for x in batch[name]] == [None if pd.isna(x) else x for x in single[name]]
        assert (batch[name].isna() == FRAME[name].isna()).all()
    assert set(batch["size"]) <= set(LEVELS)
    assert set(batch["party"].dropna()) <= {"red", "green", "blue"}
    assert batch["born"].dropna().str.fullmatch(r"\d{4}-\d\d-\d\d").all()
    fitted.save(tmp_path / "noise.json", stream=True)
    again = al.Fitted.load(tmp_path / "noise.json", resume=True)
    assert again.mask_one(records[0], key=0) == dict(single.iloc[0].items())


@pytest.mark.parametrize("correlated", [False, True])
def test_a_release_has_figures_and_moves_every_column(correlated: bool) -> None:
    release = plan(correlated=correlated).run(FRAME)
    assert {x["columns"][0] for x in release.summary["association"]} == {"party", "size", "born"}
    for name in FRAME:
        assert not release.frame[name].equals(FRAME[name])
    assert release.summary["noise"]["born"]["mean_before"] == str(
        pd.to_datetime(FRAME["born"]).mean().round("D").date()
    )


def test_errors_of_days_have_the_variance_that_was_asked_for() -> None:
    days = pd.date_range("1950-01-01", "2010-12-31", periods=4000).strftime("%Y-%m-%d")
    frame = pd.DataFrame({"born": days})
    release = al.Plan({"born": al.quasi("date")}, method="noise", parameters={"alpha": 0.2}, seed=1).run(frame)
    moved = (pd.to_datetime(release.frame["born"]) - pd.to_datetime(frame["born"])).dt.days
    variance = pd.to_datetime(frame["born"]).map(lambda x: x.toordinal()).var()
    assert moved.var() == pytest.approx(0.2 * variance, rel=0.1)
    assert abs(moved.mean()) < 0.1 * math.sqrt(variance)
