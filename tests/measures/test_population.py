"""People of a population who share the values of a record: the formulas, a brute-force count, units and weights."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from allonym.measures.population import class_sizes, from_table, from_weights, individual_risk, k_map


def mean_of_inverse(f: int, p: float) -> float:
    """Return Σ 1/F · C(F-1, f-1) p^f q^(F-f), F = f, f+1, …: the definition."""
    total, F = 0.0, f
    log_p, log_q = math.log(p), math.log1p(-p)
    while True:
        log_term = math.lgamma(F) - math.lgamma(f) - math.lgamma(F - f + 1) + f * log_p + (F - f) * log_q
        total += math.exp(log_term) / F
        F += 1
        if f / p < F and math.exp(log_term) < 1e-13:
            return total


@pytest.mark.parametrize("f", [1, 2, 3, 5, 12, 29, 30, 31, 75])
@pytest.mark.parametrize("p", [0.02, 0.2, 0.49, 0.51, 0.8, 0.99])
def test_individual_risk_is_the_mean_of_the_inverse(f: int, p: float) -> None:
    got = individual_risk(np.array([f]), np.array([f / p]))
    assert got[0] == pytest.approx(mean_of_inverse(f, p), rel=1e-8)


def test_individual_risk_of_few_people() -> None:
    p, q = 0.1, 0.9
    got = individual_risk(np.array([1, 2]), np.array([10.0, 20.0]))
    assert got.tolist() == pytest.approx([p / q * math.log(1 / p), p / q - (p / q) ** 2 * math.log(1 / p)])


def test_individual_risk_as_published() -> None:
    """The sample of the IHSN guide to disclosure control (Benschop, Machingauta and Welch, table 4.1)."""
    groups = np.array([0, 0, 1, 2, 3, 2, 4, 5, 6, 6])
    weights = np.array([180, 180, 215, 76, 186, 76, 180, 215, 186, 76], np.float64)
    risk = from_weights(["residence", "gender", "education", "labour"], groups, weights)
    assert risk.sizes.tolist() == [2, 2, 1, 2, 1, 2, 1, 1, 2, 2]
    assert risk.counts.tolist() == [360, 360, 215, 152, 186, 152, 180, 215, 262, 262]
    assert risk.individual is not None
    assert risk.individual.round(9).tolist() == [
        0.005424520, 0.005424520, 0.025096439, 0.012563425, 0.028247279,
        0.012563425, 0.029010932, 0.025096439, 0.007403834, 0.007403834,
    ]  # fmt: skip


def test_a_whole_population_has_the_risk_of_its_groups() -> None:
    sizes = np.array([1, 2, 40])
    assert individual_risk(sizes, sizes.astype(float)).tolist() == pytest.approx([1, 1 / 2, 1 / 40])


def test_no_rows_have_no_risk() -> None:
    nothing = np.zeros(0, np.int64)
    assert individual_risk(nothing, np.zeros(0)).tolist() == []
    assert from_weights(["a"], nothing, np.zeros(0)).to_dict()["expected_reidentifications"] == 0


def test_weights_of_a_group_estimate_the_population() -> None:
    risk = from_weights(["job"], np.array([0, 0, 1]), np.array([3.0, 5.0, 0.2]))
    assert risk.counts.tolist() == [8, 8, 1]  # a population has at least the people of the table
    told = risk.to_dict()
    assert (told["k_map"], told["median"], told["people"]) == (1, 8, 8.2)
    assert told["expected_reidentifications"] == pytest.approx(2 / 8 + 1)
    assert told["individual_risk"]["highest"] == pytest.approx(1)


def test_a_person_counts_once_with_the_largest_weight() -> None:
    groups, units = np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1])
    risk = from_weights(["job"], groups, np.array([2.0, 3.0, 5.0, 4.0]), units)
    assert risk.sizes.tolist() == [2, 2, 2, 1]
    assert risk.counts.tolist() == [8, 8, 8, 4]
    assert risk.people == 3 + 5
    told = risk.to_dict()
    assert told["expected_reidentifications"] == pytest.approx(1 / 8 + 1 / 4)  # each by the riskiest row
    assert told["mean_risk"] == pytest.approx((1 / 8 + 1 / 4) / 2)


ROWS = st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1, max_size=10)
PEOPLE = st.lists(st.tuples(*[st.integers(0, 3)] * 3, st.integers(0, 4)), min_size=1, max_size=14)
TABLES = st.tuples(*[st.none() | st.lists(st.booleans(), min_size=16, max_size=16)] * 3)


@given(ROWS, PEOPLE, TABLES, st.booleans())
def test_as_by_comparing_each_row_with_each_person(
    rows: list[tuple[int, ...]], people: list[tuple[int, ...]], flags: tuple[list[bool] | None, ...], has_units: bool
) -> None:
    matches = [None if x is None else np.array(x).reshape(4, 4) for x in flags]
    units = np.array([x[-1] for x in people]) if has_units else None
    released = [np.array(x) for x in zip(*rows, strict=True)]
    population = [np.array(x) for x in list(zip(*people, strict=True))[:3]]
    expected = []
    for row in rows:
        fits = [
            person if not has_units else who[-1]
            for person, who in enumerate(people)
            if all(a == b if t is None else t[a, b] for a, b, t in zip(row, who[:3], matches, strict=True))
        ]
        expected.append(len(set(fits)))
    assert k_map(released, population, matches, units).tolist() == expected


def test_a_population_that_lacks_people_of_the_table_never_lowers_their_risk() -> None:
    codes = [np.array([0, 0, 1])]
    risk = from_table(["job"], codes, [np.array([0, 0, 0])], [None], class_sizes(codes[0]))
    assert risk.counts.tolist() == [3, 3, 0]
    assert risk.risks.tolist() == pytest.approx([1 / 3, 1 / 3, 1])
    told = risk.to_dict()
    assert (told["k_map"], told["fewer_than_in_table"], told["people"]) == (0, 1, 3)
    assert told["expected_reidentifications"] == pytest.approx(5 / 3)
