"""Dependence of columns: distance correlation and Cramér's V, against slow versions over all pairs of rows."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import dags, taxonomy

import allonym as al
from allonym.kinds.category import EqualityMetric
from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.numeric import NumericMetric
from allonym.measures import association
from allonym.measures.association import associations, cramers_v, distance_correlation
from allonym.metric import Metric
from allonym.ontology.scope import Scope
from allonym.records import Attribute, Pairs


def slow_distance_correlation(one: Metric, other: Metric, a: list[int], b: list[int]) -> float:
    """Follow Székely, Rizzo and Bakirov (2007), definition 4, on all pairs of rows."""
    n = len(a)

    def centred(metric: Metric, codes: list[int]) -> list[list[float]]:
        far = [[float(metric.distances(x, [y])[0]) for y in codes] for x in codes]
        rows = [sum(line) / n for line in far]
        columns = [sum(far[k][j] for k in range(n)) / n for j in range(n)]
        mean = sum(rows) / n
        return [[far[k][j] - rows[k] - columns[j] + mean for j in range(n)] for k in range(n)]

    def product(x: list[list[float]], y: list[list[float]]) -> float:
        return sum(x[k][j] * y[k][j] for k in range(n) for j in range(n)) / n**2

    x, y = centred(one, a), centred(other, b)
    spread = math.sqrt(product(x, x) * product(y, y))
    return math.sqrt(max(product(x, y), 0.0) / spread) if spread > 1e-15 else 0.0


rows = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=9)


@given(dags(), rows)
def test_distance_correlation_equals_the_definition(dag: list[tuple[int, ...]], rows: list[tuple[int, int]]) -> None:
    tree = taxonomy(dag)
    concepts = [i % len(tree) for i in range(4)]
    one, other = (
        ConceptMetric(list(dict.fromkeys(concepts)), Scope(tree, tree.root)),
        NumericMetric([1.0, 2.0, 4.0, None], 0),
    )
    codes, others = ([row[i] for row in rows] for i in (0, 1))
    codes = [c % len(set(concepts)) for c in codes]
    expected = slow_distance_correlation(one, other, codes, others)
    pairs, counts = np.unique(np.array([codes, others]).T, axis=0, return_counts=True)
    fast = distance_correlation(one, other, pairs[:, 0], pairs[:, 1], counts.astype(float))
    assert fast == pytest.approx(expected, abs=1e-6)


@given(rows)
def test_cramers_v_equals_the_definition(rows: list[tuple[int, int]]) -> None:
    """Bergsma (2013), eq. 3 to 5, from the table of counts."""
    table = pd.crosstab(pd.Series([a for a, _ in rows]), pd.Series([b for _, b in rows])).to_numpy().astype(float)
    (r, c), n = table.shape, table.sum()
    expected = 0.0
    if min(r, c) > 1 and n > 1:
        even = np.outer(table.sum(axis=1), table.sum(axis=0)) / n
        phi = max(((table - even) ** 2 / even).sum() / n - (r - 1) * (c - 1) / (n - 1), 0)
        least = min(r - (r - 1) ** 2 / (n - 1), c - (c - 1) ** 2 / (n - 1)) - 1
        expected = math.sqrt(min(phi / least, 1)) if least > 1e-12 else 0.0
    codes = np.array(rows)
    assert cramers_v(codes[:, 0], codes[:, 1], np.ones(len(rows))) == pytest.approx(expected, abs=1e-9)


def test_independent_columns_have_none_and_equal_ones_have_all() -> None:
    metric, codes = EqualityMetric(["a", "b", "c"]), np.repeat(np.arange(3), 9)
    mixed, mass = np.tile(np.arange(3), 9), np.ones(27)
    assert distance_correlation(metric, metric, codes, mixed, mass) == pytest.approx(0.0, abs=1e-9)
    assert distance_correlation(metric, metric, codes, codes, mass) == pytest.approx(1.0)


def test_a_constant_column_depends_on_nothing() -> None:
    metric = EqualityMetric(["a", "b"])
    assert distance_correlation(metric, metric, np.zeros(4, np.int64), np.array([0, 1, 0, 1]), np.ones(4)) == 0.0
    assert cramers_v(np.zeros(4, np.int64), np.array([0, 1, 0, 1]), np.ones(4)) == 0.0


def test_columns_with_very_many_values_are_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    metric = NumericMetric([float(i) for i in range(300)], 0)
    attributes = (Attribute("a", "numeric", metric), Attribute("b", "numeric", metric))
    codes = np.arange(300)
    pairs = Pairs.of_rows(attributes, [codes, codes], [codes, codes[::-1]])
    (exact,) = associations(pairs)
    monkeypatch.setattr(association, "MAX_VALUES", 100)
    (sampled,) = associations(pairs)
    assert (exact.sampled, sampled.sampled) == (False, True)
    assert sampled.distance_correlation == pytest.approx(exact.distance_correlation, abs=0.05)


def test_evaluation_says_how_much_relations_changed() -> None:
    """A column that is shuffled no longer depends on the other."""
    frame = pd.DataFrame({"a": ["x", "y"] * 40, "b": ["u", "v"] * 40})
    plan = al.Plan({"a": al.quasi("category"), "b": al.quasi("category")}, k=2)
    release = frame.assign(b=["u", "u", "v", "v"] * 20)
    figures = al.evaluate(plan, frame, release).summary["measures"]["association_change"]
    assert (figures["value"], figures["before"]) == (pytest.approx(1.0), 0.0)
    assert figures["baseline"] == pytest.approx(1.0)


def test_one_column_or_a_column_of_sets_has_no_relations() -> None:
    frame = pd.DataFrame({"a": ["x", "y"] * 4, "items": ["u;v", "v"] * 4})
    plan = al.Plan({"a": al.quasi("category"), "items": al.quasi("set", elements="category")}, k=2)
    assert "association_change" not in al.evaluate(plan, frame, frame).summary["measures"]


def test_records_with_a_weight_of_zero_count_for_nothing() -> None:
    frame = pd.DataFrame(
        {"a": ["x"] * 3 + ["y", "z"] * 20, "b": ["u"] * 3 + ["v", "w"] * 20, "weight": [0.0] * 3 + [2.0] * 40}
    )
    columns = {"a": al.quasi("category"), "b": al.quasi("category"), "weight": al.weight()}
    plan = al.Plan(columns, method="randomise-uniform", seed=1)
    with_zeros, without = (plan.run(x).summary["association"][0] for x in (frame, frame[3:]))
    for figure in ("distance_correlation", "cramers_v"):
        assert with_zeros[figure]["before"] == pytest.approx(without[figure]["before"])
