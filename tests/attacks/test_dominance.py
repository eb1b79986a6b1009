"""An attacker computes the number of the person who stands out from the mean of a group and an own number."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from shared import DATA, needs

import allonym as al
from allonym.kinds.dominance import Bounds, DominanceRule, GroupNumbers, protected
from attacks.judging import judge

ADULT = DATA / "adult" / "adult.data"
P = DominanceRule.p / 100
HEAVY = st.one_of(
    st.sampled_from([0, 0, 0, 1, 17, 100]),
    st.integers(0, 200),
    st.floats(0, 6).map(lambda x: round(10**x)),
    st.integers(-50, 50).map(lambda x: x * 1000),
)


def estimates(own: Sequence[float], weights: Sequence[float], value: float, low: float, high: float) -> list[tuple]:
    """Return (true number, best estimate, weight share) of the persons at both ends, as their neighbours compute it."""
    order = sorted(range(len(own)), key=lambda i: own[i])
    found = []
    for places, far in ((order[::-1], low), (order, high)):
        target, intruder, *others = places
        guesses = {far, own[intruder]} | ({0.0} if low < 0 < high else set())
        rest = sum(weights[i] for i in others)
        known = sum(weights) * value - weights[intruder] * own[intruder]
        computed = [(known - rest * guess) / weights[target] for guess in guesses]
        best = min(computed, key=lambda x: abs(x - own[target]))
        scale = max(abs(own[target]), abs(own[target] - own[intruder]))
        found.append((own[target], best, scale, sum(weights) / weights[target]))
    return found


def reveals(
    own: Sequence[float], weights: Sequence[float], value: float, bounds: tuple[float, float], step: float = 1.0
) -> bool:
    """Tell whether somebody who stands out is known to within p %, up to the rounding of the value."""
    for true, best, scale, share in estimates(own, weights, value, *bounds):
        stands_out = abs(true - value) > P * scale
        if stands_out and abs(best - true) + share * step / 2 < P * scale - 1e-9 * max(abs(true), 1):
            return True
    return False


def groups_of(release: al.Release, column: str) -> list[tuple[list[int], float | None]]:
    """Return the rows of each group, and the number that was written for it."""
    assert release.records.inverse is not None
    from allonym.records import piece_of_rows

    piece = piece_of_rows(release.records, release.masking.source, release.masking.share)
    groups = release.masking.groups[piece]
    written = [None if pd.isna(x) else float(x) for x in release.frame[column]]
    return [(rows.tolist(), written[rows[0]]) for rows in (np.flatnonzero(groups == g) for g in np.unique(groups))]


INCOMES = [30_000, 31_500, 32_000, 33_000, 4_850_000]


def test_an_income_of_millions_does_not_come_back() -> None:
    frame = pd.DataFrame({"income": [*INCOMES, *range(1000, 1010)]})
    off = al.quasi("numeric", p_percent=0, dominance_k=100, max_distance=1)
    plain = al.Plan({"income": off}, k=5).run(frame)
    mean = max(plain.frame["income"])
    assert 5 * mean - sum(INCOMES[:4]) == pytest.approx(INCOMES[4], rel=0.003)  # who knows the others
    assert reveals(INCOMES, [1] * 5, mean, (1000, 4_850_000))
    release = al.Plan({"income": al.quasi("numeric", max_distance=1)}, k=5).run(frame)
    assert max(release.frame["income"]) < 50_000
    assert release.summary["dominance"] == {"income": {"groups": 1, "p": 10.0, "n": 1, "k": 85.0}}
    loss = [x.summary["measures"]["information_loss"]["value"] for x in (plain, release)]
    assert loss[0] < loss[1]  # of the value that was written


def test_a_rule_that_is_off_is_told() -> None:
    frame = pd.DataFrame({"income": INCOMES * 2})
    release = al.Plan({"income": al.quasi("numeric", p_percent=0, dominance_k=100)}, k=5).run(frame)
    assert release.summary["dominance"] == {"income": {"groups": 0, "p": 0, "n": 1, "k": 100}}
    assert any("stand out in their group (income)" in x for x in release.report.cautions)
    other = al.Plan({"income": al.quasi("numeric")}, k=5).run(frame)
    assert not any("stand out" in x for x in other.report.cautions)


@settings(max_examples=150)
@given(
    rows=st.lists(st.tuples(HEAVY, st.integers(1, 4)), min_size=2, max_size=30),
    k=st.integers(2, 5),
    weighted=st.booleans(),
    units=st.booleans(),
    data=st.data(),
)
def test_nobody_who_stands_out_is_computed(
    rows: list[tuple[int, int]], k: int, weighted: bool, units: bool, data: st.DataObject
) -> None:
    persons = list(range(len(rows)))
    if units:
        persons = data.draw(st.lists(st.integers(0, 9), min_size=len(rows), max_size=len(rows)))
    assume(len(set(persons)) >= k)
    frame = pd.DataFrame({"x": [x for x, _ in rows], "w": [w for _, w in rows], "who": persons})
    columns = {"x": al.quasi("numeric"), "w": al.weight() if weighted else al.keep()}
    columns |= {"who": al.unit() if units else al.keep()}
    release = al.Plan(columns, k=k).run(frame)
    bounds = float(frame["x"].min()), float(frame["x"].max())
    for group, value in groups_of(release, "x"):
        held: dict[int, list[int]] = {}
        for row in group:
            held.setdefault(persons[row], []).append(row)
        weight = {who: sum(rows[i][1] if weighted else 1 for i in own) for who, own in held.items()}
        once = max(weight.values()) * 2 > sum(weight.values())
        own = [
            float(
                np.average(
                    [rows[i][0] for i in mine], weights=[rows[i][1] if weighted and not once else 1 for i in mine]
                )
            )
            for mine in held.values()
        ]
        if value is not None and len(held) > 1:
            weights = [1.0 if once else float(weight[who]) for who in held]
            assert not reveals(own, weights, value, bounds)


def test_a_mean_that_counts_each_once_reveals_nobody_who_is_thought_to_count_by_weight() -> None:
    # the weighted mean is a rare number, so that each person counts once; an intruder may not know that
    rows = [(100, 2), (40, 1), (136, 1), (2, 1), (77, 1), (-1000, 1), (79, 2), (0, 1), (1, 1), (100, 3), (87, 1),
            (88, 1), (0, 1), (100, 3)]  # fmt: skip
    persons = [2, 0, 0, 2, 2, 0, 0, 2, 0, 0, 2, 1, 1, 1]
    frame = pd.DataFrame({"x": [x for x, _ in rows], "w": [w for _, w in rows], "who": persons})
    columns = {"x": al.quasi("numeric"), "w": al.weight(), "who": al.unit()}
    plan = al.Plan(columns, k=3, parameters={"represent": "centroid", "refine": False})
    ((_, value),) = [x for x in groups_of(plan.run(frame), "x") if len(x[0]) == 8]
    assert value is not None
    assert reveals([69.75, 499 / 7, 100.0], [4.0, 7.0, 3.0], 58.0, (-1000.0, 136.0))
    assert not reveals([69.75, 499 / 7, 100.0], [4.0, 7.0, 3.0], value, (-1000.0, 136.0))


numbers = st.lists(HEAVY.map(float), min_size=2, max_size=9)


@settings(max_examples=300)
@given(values=numbers, decimals=st.integers(0, 2), spread=st.integers(0, 1000), rare=st.booleans())
def test_what_stands_for_a_group_reveals_nobody_and_is_the_mean_if_it_can(
    values: list[float], decimals: int, spread: int, rare: bool
) -> None:
    bounds = Bounds(min(values) - spread, max(values) + spread)
    group = GroupNumbers.of(np.array(values), np.ones(len(values)), bounds, decimals)
    mean = group.written(np.mean(values))
    value, coded = protected(group, mean, DominanceRule(), set(values) if rare else set())
    assert not reveals(values, [1] * len(values), value, bounds, 10.0**-decimals)
    if not coded:
        assert value == mean
    elif rare:
        assert value not in values
    if len(set(values)) == 1:
        assert not coded


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([30, 31, 32, 33, 34], 32),  # nobody stands out
        ([5, 5, 5, 5, 5], 5),
        ([0, 0, 0, 0, 0], 0),
        ([0, 0, 0, 0, 99_999], 0),  # the others have nothing
        ([100, 100, 100, 100, 150], 100),  # the others are alike
        ([95, 95, 95, 95, 20], 95),  # the least stands out
        ([-5_000_000, 100_000, 110_000, 120_000, 130_000], 112_000),
        ([100_000, 200_000, 300_000, 400_000, 9_000_000], 280_000),
        ([0, 0, 0, 1_000, 90_000], 0),  # then the second
    ],
)
def test_numbers_that_stand_out_take_the_next_number(values: list[float], expected: float) -> None:
    own = np.array(values, np.float64)
    group = GroupNumbers.of(own, np.ones(len(own)), Bounds(min(0, own.min()), 1e7), 0)
    assert protected(group, group.written(own.mean()), DominanceRule(), set())[0] == expected


def test_the_share_of_the_largest_is_limited_too() -> None:
    values = np.array([3.0, 3.0, 4.0, 7.0, 100.0])
    group = GroupNumbers.of(values, np.ones(5), Bounds(0.0, 1000.0), 2)
    assert not group.revealed(23.4, DominanceRule())  # from 89 to 110
    assert group.is_dominated(23.4, DominanceRule())
    assert not group.is_dominated(23.4, DominanceRule(k=90))
    assert protected(group, 23.4, DominanceRule(), set()) == (4.8, True)
    pair = GroupNumbers.of(np.array([0.0, 100.0]), np.ones(2), Bounds(0.0, 1000.0), 0)
    assert protected(pair, 50.0, DominanceRule(p=0), set()) == (40.0, True)  # nobody is left to be coded


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_engines_write_the_same(engine: str) -> None:
    frame = pd.DataFrame({"income": [*INCOMES, *range(1000, 1010)], "row": range(15)})
    plan = al.Plan({"income": al.quasi("numeric", max_distance=1)}, k=5, keep_rest=True)
    native: Any = pl.from_pandas(frame).lazy() if engine == "polars" else duckdb.from_df(frame)
    expected, found = plan.run(frame), plan.run(native)
    assert found.summary["dominance"] == expected.summary["dominance"]
    rows = found.frame.collect().rows() if engine == "polars" else found.frame.fetchall()
    assert sorted(rows) == sorted(expected.frame.itertuples(index=False, name=None))


@needs(ADULT)
@pytest.mark.parametrize("method", ["sa-mdav", "mdav", "s-mdav"])
def test_capital_gains_of_adult(method: str) -> None:
    names = {0: "age", 10: "capital-gain"}
    lines = [x.replace(", ", ",") for x in ADULT.read_text().splitlines()[:2000] if x]
    frame = pd.read_csv(io.StringIO("\n".join(lines)), header=None, usecols=list(names)).rename(columns=names)
    revealed = []
    for options in ({"p_percent": 0, "dominance_k": 100}, {}):
        columns = {"age": al.quasi("numeric", **options), "capital-gain": al.quasi("numeric", **options)}
        release = al.Plan(columns, k=5, method=method).run(frame)
        found = 0
        for column in columns:
            bounds = float(frame[column].min()), float(frame[column].max())
            own = frame[column].tolist()
            for rows, value in groups_of(release, column):
                if value is not None:
                    found += reveals([own[i] for i in rows], [1] * len(rows), value, bounds)
        revealed.append(found)
    assert revealed[0] > 0  # without the rule
    judge("groups whose mean reveals somebody", f"{method}, 2,000 records of Adult", revealed[1], 0)
