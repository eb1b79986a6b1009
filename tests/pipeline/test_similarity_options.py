"""The options of a plan that choose how words are compared, from the plan to the distances."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import allonym as al
from allonym.errors import PlanError
from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.domain import Domain
from allonym.ontology import similarity
from allonym.pipeline.prepare import prepare
from allonym.pipeline.source import open_source
from allonym.plan import toml
from allonym.plan.model import Plan

WORDS = ["nurse", "physician", "teacher", "carpenter", "plumber", "worker", "employee", "skilled worker"]
FRAME = pd.DataFrame({"job": WORDS * 4})


def plan(**options: Any) -> Plan:
    return al.Plan(columns={"job": al.quasi("wordnet:person", **options)}, k=2, seed=1)


def metric_of(**options: Any) -> ConceptMetric:
    of_plan = plan(**options)
    prepared = prepare(of_plan, open_source(of_plan, FRAME))
    assert not prepared.problems
    metric = prepared.encoded["job"].attribute.metric
    assert isinstance(metric, ConceptMetric)
    return metric


@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        ({"similarity": "lin", "content": "corpus"}, {"content": "corpus"}),
        ({"similarity": "jiang-conrath", "content": "sanchez-batet"}, {"content": "sanchez-batet"}),
        ({"similarity": "rodriguez-egenhofer", "feature_weights": [0.2, 0.3, 0.5]}, {"weights": (0.2, 0.3, 0.5)}),
        ({"similarity": "gloss-vector"}, {}),
    ],
)
def test_options_reach_the_distances(options: dict[str, Any], arguments: dict[str, Any]) -> None:
    metric = metric_of(**options)
    taxonomy, codes = metric.scope.taxonomy, np.arange(len(metric.values))
    expected = similarity.table(options["similarity"], taxonomy, metric.concepts, **arguments)
    usual = similarity.table(options["similarity"], taxonomy, metric.concepts)
    assert np.array_equal(metric.distances(codes[:, None], codes), expected)
    assert np.array_equal(metric.extend([taxonomy.code("worker")]).distances(codes[:, None], codes), expected)
    assert bool(arguments) != np.array_equal(expected, usual)
    again = metric.with_measure("path").with_measure(options["similarity"])
    assert np.array_equal(again.distances(codes[:, None], codes), expected)
    domain, own = Domain.of(metric, metric.concepts), np.searchsorted(metric.scope.concepts, metric.concepts)
    inside = similarity.distance(options["similarity"], metric.scope.cut(), own[0], own, **arguments)
    got = domain.distances_from(int(metric.concepts[0]))[domain.places(metric.concepts)]
    assert np.allclose(got, inside, atol=1e-11)


def test_masking_and_fitting_by_corpus_content(tmp_path: Path) -> None:
    release = plan(similarity="lin", content="corpus").run(FRAME)
    assert release.summary["privacy"][0]["reached"] >= 2
    columns = {"job": al.quasi("wordnet:person", similarity="resnik", content="corpus")}
    noisy = al.Plan(columns=columns, method="noise", parameters={"alpha": 0.5}, seed=3)
    assert len(noisy.run(FRAME).frame) == len(FRAME)


def test_options_survive_a_plan_file(tmp_path: Path) -> None:
    before = plan(similarity="rodriguez-egenhofer", feature_weights=(0.2, 0.3, 0.5), content="corpus")
    after = toml.loads(toml.dumped(before), tmp_path / "plan.toml", Plan)
    assert after.columns == before.columns


def test_wrong_options_are_refused_with_the_plan() -> None:
    with pytest.raises(PlanError) as refused:
        plan(content="corpse", feature_weights=(0.2, 0.3))
    texts = " ".join(map(str, refused.value.problems))
    assert "did you mean 'corpus'" in texts
    assert "needs three, of synonyms, parts, neighbourhoods" in texts
    with pytest.raises(PlanError, match="sum to 1; they sum to 2"):
        plan(feature_weights=(1, 0.5, 0.5))
    with pytest.raises(PlanError, match="unknown similarity 'tversky-asymmetric'"):
        plan(similarity="tversky-asymmetric")


def test_an_ontology_without_counts_or_definitions_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "jobs.csv").write_text("nurse,care,*\nteacher,school,*\n")
    for options, text in (
        ({"similarity": "lin", "content": "corpus"}, "no word counts, which the measure lin needs"),
        ({"similarity": "gloss-vector"}, "no definitions, which the measure gloss-vector needs"),
    ):
        wrong = al.Plan(columns={"job": al.quasi(str(tmp_path / "jobs.csv"), **options)}, k=2)
        with pytest.raises(PlanError, match=text):
            wrong.run(pd.DataFrame({"job": ["nurse", "teacher"] * 3}))
