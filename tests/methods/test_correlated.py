"""Correlated noise: matrices and draws are those of the slow reference; all else is as with independent noise."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
import slow_correlated as slow
import slow_noise
from hypothesis import given, settings
from hypothesis import strategies as st
from shared import same_key
from strategies import Dag, dags, taxonomy

import allonym as al
from allonym import Noise
from allonym.errors import PlanError, TableError
from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.ranges.numeric_metric import NumericMetric
from allonym.methods.correlation import ErrorCorrelation, nearest_correlation
from allonym.methods.draws import uniform
from allonym.ontology.scope import Scope
from allonym.records import Attribute, Records

WORD = st.integers(0, 2**64 - 1)


def matrix_of(entries: list[float]) -> np.ndarray:
    matrix = np.eye(3)
    matrix[np.triu_indices(3, 1)] = entries
    return np.maximum(matrix, matrix.T) + np.minimum(matrix, matrix.T) - np.diag([1.0] * 3)


entries = st.lists(st.floats(-1, 1), min_size=3, max_size=3).map(lambda x: [round(y, 3) for y in x])


@given(entries=entries)
def test_the_nearest_correlation_matrix(entries: list[float]) -> None:
    matrix = matrix_of(entries)
    found = nearest_correlation(matrix)
    assert found == pytest.approx(slow.nearest_correlation(matrix.tolist()), abs=1e-4)
    assert np.linalg.eigvalsh(found).min() > -1e-9
    assert np.diag(found).tolist() == [1, 1, 1]


@given(entries=entries, words=st.lists(st.tuples(WORD, WORD, WORD, WORD), min_size=3, max_size=3))
def test_draws_go_together_as_the_formula_says(entries: list[float], words: list[tuple[int, ...]]) -> None:
    correlation = ErrorCorrelation(nearest_correlation(matrix_of(entries)))
    drawn = [np.array(x, np.uint64)[:, None] for x in words]
    found = list(correlation.together(drawn))
    expected = slow.correlated([float(uniform(x[0])[0]) for x in drawn], correlation.matrix.tolist())
    assert [float(uniform(x[0])[0]) for x in found] == pytest.approx(expected, abs=1e-7)
    assert all((one[1:] == other[1:]).all() for one, other in zip(found, drawn, strict=True))  # ties are independent
    many = [np.repeat(x, 9, axis=1) for x in drawn]
    assert correlation.together_of_one(words) == [tuple(x[:, 8].tolist()) for x in correlation.together(many)]


@settings(max_examples=30)
@given(parents=dags(6), data=st.data())
def test_relations_are_measured_by_distance_correlation(parents: Dag, data: st.DataObject) -> None:
    t = taxonomy(parents)
    n = data.draw(st.integers(3, 7))
    concepts = data.draw(st.lists(st.sampled_from(list(parents)), min_size=n, max_size=n))
    numbers = [data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)) for _ in range(2)]
    attributes = [Attribute("word", "text", ConceptMetric(list(parents), Scope(t, t.root)))]
    attributes += [Attribute(x, "numeric", NumericMetric([0.0, 1.0, 2.0, 3.0], 0)) for x in ("one", "other")]
    found = ErrorCorrelation.of(Records.of(attributes, [concepts, *numbers])).matrix
    columns = [[[slow_noise.sd(parents, x, y) for y in concepts] for x in concepts]]
    columns += [[[abs(x - y) / 3 for y in own] for x in own] for own in numbers]
    middle = attributes[0].metric.centroid(np.array(concepts), np.ones(n))
    positions = [[slow_noise.sd(parents, middle, x) for x in concepts], *numbers]
    expected = np.array(
        [
            [1.0 if i == j else slow.distance_correlation(a, b) * slow.sign(positions[i], positions[j])
             for j, b in enumerate(columns)]
            for i, a in enumerate(columns)
        ]
    )  # fmt: skip
    assert found == pytest.approx(slow.nearest_correlation(expected.tolist()), abs=1e-4)


# --- releases ------------------------------------------------------------------------------------------------------


def table(n: int = 400, seed: int = 1) -> pd.DataFrame:
    """Return a table whose columns depend on each other."""
    rng = np.random.default_rng(seed)
    age = rng.normal(45, 12, n).round()
    job = np.where(
        age + rng.normal(0, 8, n) < 45, rng.choice(["cook", "plumber"], n), rng.choice(["nurse", "dentist"], n)
    )
    data = {"job": job, "age": age, "years": (age - 18 + rng.normal(0, 3, n)).round(), "rank": (90 - age).round()}
    return pd.DataFrame({name: [str(x).removesuffix(".0") for x in column] for name, column in data.items()})


COLUMNS = {"job": al.quasi("wordnet:person"), **{x: al.quasi("numeric") for x in ("age", "years", "rank")}}


def plan_of(columns: dict[str, Any] = COLUMNS, seed: int = 3, **parameters: Any) -> al.Plan:
    return al.Plan(columns, method="noise", seed=seed, parameters={"correlated": True} | parameters, keep_rest=True)


def test_without_relations_it_is_independent_noise_draw_by_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Noise, "error_correlation", lambda self, records: ErrorCorrelation(np.eye(4)))
    with same_key():
        found = plan_of().run(table()).frame
        expected = al.Plan(COLUMNS, method="noise", seed=3).run(table()).frame
    pd.testing.assert_frame_equal(found, expected)


def test_errors_have_the_correlations_and_the_variance_that_were_asked_for() -> None:
    frame = table(4000)
    plan = plan_of(alpha=0.5)
    done = plan.run(frame).frame
    errors = np.array([done[x].astype(float) - frame[x].astype(float) for x in ("age", "years", "rank")])
    expected = ErrorCorrelation.of(plan.run(frame).records).matrix[1:, 1:]
    assert np.corrcoef(errors) == pytest.approx(expected, abs=0.03)
    assert expected[0, 2] == pytest.approx(-1, abs=0.01)
    variances = [frame[x].astype(float).var(ddof=0) for x in ("age", "years", "rank")]
    assert errors.var(axis=1) == pytest.approx(0.5 * np.array(variances), rel=0.1)


def test_relations_weaken_less_and_the_summary_says_so() -> None:
    summary = plan_of(alpha=0.5).run(table()).summary
    by_pair = {tuple(x["columns"]): x["distance_correlation"] for x in summary["association"]}
    for pair in (("age", "years"), ("age", "rank"), ("years", "rank")):
        before, after, independent = (by_pair[pair][x] for x in ("before", "after", "independent"))
        assert abs(after - before) < 0.05
        assert abs(independent - before) > 0.15
    plain = al.Plan(COLUMNS, method="noise", seed=3).run(table()).summary["association"]
    assert all(set(x["distance_correlation"]) == {"before", "after"} for x in plain)


def test_the_order_of_columns_does_not_matter() -> None:
    with same_key():
        one = plan_of().run(table()).frame
        other = plan_of(dict(reversed(COLUMNS.items()))).run(table()[["rank", "years", "age", "job"]]).frame
    assert (one == other[list(one)]).to_numpy().mean() > 0.999  # sums are taken in another order


def test_rows_become_the_same_alone_in_batches_and_in_engines(tmp_path: Path) -> None:
    frame, plan = table(120), plan_of()
    once = plan.run(frame).frame
    plan.fit(frame).save(tmp_path / "fitted.json", stream=True)
    for fitted in (plan.fit(frame), al.Fitted.load(tmp_path / "fitted.json", resume=True)):
        pd.testing.assert_frame_equal(fitted.mask(frame, start=0), once)
        assert list(fitted.stream(frame.to_dict("records"), start=0)) == once.to_dict("records")
    with same_key():
        expected = plan.run(frame).frame
        found = plan.run(duckdb.from_df(frame)).frame.df()
    columns = list(COLUMNS)
    assert sorted(map(tuple, found[columns].to_numpy())) == sorted(map(tuple, expected[columns].to_numpy()))


def test_a_key_is_refused() -> None:
    with pytest.raises(PlanError, match="a person's value gets another error beside other values"):
        plan_of(key="age")


def test_a_damaged_fit_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "fitted.json"
    plan_of().fit(table(60)).save(path)
    stored = json.loads(path.read_text())
    al.Fitted.load(path)
    matrix = stored["correlation"]
    for damaged in (
        None,
        [[1.0]],
        [["x"] * 4] * 4,
        [[2.0, *row[1:]] for row in matrix],
        [[1.0 if a == b else -0.9 for a in range(4)] for b in range(4)],
    ):
        path.write_text(json.dumps(stored | {"correlation": damaged}))
        with pytest.raises(TableError, match="is damaged"):
            al.Fitted.load(path)
    del stored["correlation"]
    path.write_text(json.dumps(stored))
    with pytest.raises(TableError, match="is damaged"):
        al.Fitted.load(path)


# --- attackers -----------------------------------------------------------------------------------------------------


def test_scores_are_those_of_the_errors_that_were_drawn() -> None:
    """An attacker who knows value and outcome knows the error: of numbers exactly, of words about."""
    from scipy.special import ndtri

    t = taxonomy({0: [], 1: [0], 2: [0], 3: [1], 4: [1], 5: [2], 6: [3], 7: [6]})
    words = Attribute("word", "text", ConceptMetric(list(range(8)), Scope(t, t.root)))
    numbers = Attribute("number", "numeric", NumericMetric([0.0, 10.0, 50.0], 3))
    rng = np.random.default_rng(1)
    drawn = rng.integers(0, 2**64, (4, 4000), dtype=np.uint64)
    seen: dict[str, bool] = {}
    for distribution in ("normal", "laplace"):
        noise = Noise(alpha=0.5, distribution=distribution)
        for attribute, close in ((words, 0.6), (numbers, 0.001)):
            counts = np.ones(len(attribute.values), np.int64)
            fitted = noise.fitted(attribute, np.arange(len(counts)), counts)
            for value in attribute.values:
                after, places = fitted.column([value], np.zeros(4000, np.int64), drawn)
                scores = fitted.scores([value], after)[0][places]
                errors = ndtri(uniform(drawn[0]))
                known = scores != 0  # where errors of both signs lead to the same words, nothing is known
                seen[attribute.name] = seen.get(attribute.name, False) or known.any()
                assert not known.any() or np.abs(scores - errors)[known].mean() < close
    assert seen == {"word": True, "number": True}


def test_who_knows_that_errors_go_together_finds_more_people() -> None:
    """The errors of columns that are nearly the same are nearly the same: their differences are hardly masked."""
    from dataclasses import replace

    from allonym.measures.attackers.base import Setting
    from allonym.measures.attackers.rerun import rerun
    from allonym.methods.record_level import CorrelatedColumns, FittedColumns
    from allonym.records import Pairs

    frame = table(300)
    release = plan_of({x: al.quasi("numeric") for x in ("age", "years", "rank")}, alpha=0.5).run(frame)
    masking = release.masking
    assert isinstance(masking.mechanism, CorrelatedColumns)
    naive = replace(masking, mechanism=FittedColumns(masking.mechanism.perturbations))
    found = [rerun(Setting(Pairs.of(release.records, x), x.mechanism)).value for x in (naive, masking)]
    assert found[1] > 1.3 * found[0]
    assert release.summary["risk"]["attackers"]["re-run"] == pytest.approx(found[1])
