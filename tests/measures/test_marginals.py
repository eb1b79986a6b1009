"""Distributions of columns: total variation and the earth mover's distance, against slow versions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
import slow_measures
from hypothesis import given
from hypothesis import strategies as st
from strategies import dags, taxonomy

import allonym as al
from allonym.kinds.category import EqualityMetric
from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.numeric import NumericMetric
from allonym.measures import marginals
from allonym.measures.marginals import earth_movers_distance, total_variation
from allonym.measures.transport import nearest_first, transport
from allonym.metric import Metric
from allonym.ontology.scope import Scope
from allonym.records import Attribute, Pairs


def figures(kind: str, metric: Metric, was: Sequence[int], now: Sequence[int]) -> tuple[float, float | None]:
    """Return both distances of one column."""
    pairs = Pairs.of_rows((Attribute("c", kind, metric),), [np.array(was)], [np.array(now)])
    return total_variation(pairs)["c"], earth_movers_distance(pairs).get("c")


def test_nothing_moves_where_values_only_change_places() -> None:
    metric = EqualityMetric(["a", "b", None])
    assert figures("category", metric, [0, 0, 1, 2], [2, 1, 0, 0]) == (0.0, None)


def test_a_share_of_the_records_moved() -> None:
    assert figures("category", EqualityMetric(["a", "b"]), [0, 0, 0, 1], [0, 1, 1, 1]) == (0.5, None)


def test_null_spreads_evenly_over_the_values_of_the_data() -> None:
    """Of 4 cells that become null, each of two values gets two, however frequent they were."""
    metric = EqualityMetric(["a", "b", None])
    assert figures("category", metric, [0] * 7 + [1], [2] * 4 + [0] * 3 + [1])[0] == pytest.approx(2 / 8)
    missing_before = figures("category", metric, [0] * 3 + [2] * 3, [2] * 6)[0]
    assert missing_before == 0.0  # what was null stays null; the rest can only be a


def test_a_range_spreads_over_the_numbers_in_it_and_distances_count() -> None:
    metric = NumericMetric([20.0, 25.0, 40.0, (20.0, 29.0), 30.0], 0, span=20.0)
    variation, moved = figures("numeric", metric, [0, 0, 1, 2], [3, 3, 3, 2])
    assert variation == pytest.approx(0.125)  # 1.5 / 4 each, instead of 2 / 4 and 1 / 4
    assert moved == pytest.approx(0.125 * 5 / 20)
    variation, moved = figures("numeric", metric, [0, 2], [4, 4])  # the mean is no number of the data
    assert (variation, moved) == (1.0, pytest.approx(0.5))


@given(dags(max_size=9), st.data())
def test_words_against_the_slow_version(parents: dict[int, list[int]], data: st.DataObject) -> None:
    tree = taxonomy(parents)
    scope = Scope(tree, 0)
    values: list[Any] = [*range(len(parents)), None]
    rows = st.lists(st.integers(0, len(parents)), min_size=1, max_size=12)
    was = data.draw(rows)
    now = data.draw(st.lists(st.integers(0, len(parents)), min_size=len(was), max_size=len(was)))
    metric = ConceptMetric(values, scope)
    below = {c: set(tree.descendants(c).tolist()) for c in range(len(parents))}
    before, after = slow_measures.spread_marginal(
        [values[c] for c in was], [values[c] for c in now], lambda general, x: x in below[general]
    )
    variation, moved = figures("text", metric, was, now)
    assert variation == pytest.approx(slow_measures.total_variation(before, after))
    place = {value: code for code, value in enumerate(values)}
    slow = slow_measures.moved_mass(before, after, lambda x, y: float(metric.distances([place[x]], [place[y]])[0]))
    assert moved == pytest.approx(slow, abs=1e-9)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=12), st.data())
def test_numbers_against_the_slow_version(was: list[int], data: st.DataObject) -> None:
    now = data.draw(st.lists(st.integers(0, 9), min_size=len(was), max_size=len(was)))
    metric = NumericMetric([float(x**2) for x in range(10)], 0)
    before, after = slow_measures.spread_marginal(was, now, lambda x, y: x == y)
    variation, moved = figures("numeric", metric, was, now)
    assert variation == pytest.approx(slow_measures.total_variation(before, after))
    slow = slow_measures.moved_mass(before, after, lambda x, y: float(metric.distances(x, y)))
    assert moved == pytest.approx(slow, abs=1e-9)


@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 10**6))
def test_transport_is_cheapest_and_nearest_first_is_a_bound(rows: int, columns: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    supply, demand = rng.integers(1, 5, rows) / 1.0, rng.integers(1, 5, columns) / 1.0
    supply, demand = supply / supply.sum(), demand / demand.sum()
    cost = rng.integers(0, 4, (rows, columns)) / 4
    before = {f"r{i}": 0.0 for i in range(rows)} | {f"c{j}": float(x) for j, x in enumerate(demand)}
    after = {f"r{i}": float(x) for i, x in enumerate(supply)} | {f"c{j}": 0.0 for j in range(columns)}
    slow = slow_measures.moved_mass(before, after, lambda x, y: float(cost[int(x[1:]), int(y[1:])]))
    assert transport(supply, demand, cost) == pytest.approx(slow, abs=1e-9)
    bound, left = nearest_first(supply, demand, cost)
    assert left == pytest.approx(0.0, abs=1e-9)
    assert bound >= slow - 1e-9


def test_large_columns_get_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    tree = taxonomy({c: [] if not c else [int(rng.integers(0, c))] for c in range(120)})
    metric = ConceptMetric(list(range(120)), Scope(tree, 0))
    was, now = rng.integers(60, 120, 300), rng.integers(60, 120, 300)
    exact = figures("text", metric, was, now)[1]
    assert exact is not None
    for limit in (250_000, 100):
        monkeypatch.setattr(marginals, "MAX_EXACT", 0)
        monkeypatch.setattr(marginals, "MAX_GREEDY", limit)
        bound = figures("text", metric, was, now)[1]
        assert bound is not None
        assert exact - 1e-9 <= bound <= figures("text", metric, was, now)[0] + 1e-9


def test_summaries_evaluations_and_comparisons_have_them() -> None:
    frame = pd.DataFrame({"town": [*"aaabbbccc"], "age": ["20", "21", "22", "40", "41", "42", "60", "61", "62"]})
    plan = al.Plan({"town": al.quasi("category"), "age": al.quasi("numeric")}, k=3)
    release = plan.run(frame)
    measures = release.summary["measures"]
    assert set(measures["total_variation"]["by_column"]) == {"town", "age"}
    assert set(measures["earth_movers_distance"]["by_column"]) == {"age"}  # towns are equal or not
    assert measures["total_variation"]["before"] == 0.0
    evaluated = plan.evaluate(frame, release.frame).summary["measures"]
    for name in ("total_variation", "earth_movers_distance"):
        assert evaluated[name] == measures[name]
    [row] = al.compare(frame, plan, ["sa-mdav"], {"k": [3]}).rows()
    assert row["total_variation"] == pytest.approx(measures["total_variation"]["value"])
