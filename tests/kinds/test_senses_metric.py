"""Words that keep all their senses: the closest pair of senses counts."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from strategies import Dag, dags, taxonomy

import allonym as al
from allonym.errors import PlanError
from allonym.kinds import senses_metric
from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.senses_metric import SensesMetric
from allonym.ontology.narrower import Narrower, Senses
from allonym.ontology.scope import Scope
from allonym.plan.model import Plan

FRAME = pd.DataFrame({"bird": ["crane", "stork", "bat", "mouse", "pitcher", "goblet", "heron", "rat"] * 3})


@st.composite
def words(draw: st.DrawFn) -> tuple[Dag, list[Senses]]:
    parents: Dag = draw(dags(9, min_size=2))
    senses = st.lists(st.sampled_from(sorted(parents)), min_size=1, max_size=3, unique=True)
    return parents, [Senses(x) for x in dict.fromkeys(map(tuple, draw(st.lists(senses, min_size=1, max_size=6))))]


@pytest.mark.parametrize("limit", [0, 10**6])
@given(drawn=words())
def test_distances_are_those_of_the_closest_senses(limit: int, drawn: tuple[Dag, list[Senses]]) -> None:
    parents, values = drawn
    t = taxonomy(parents)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(senses_metric, "MAX_TABLE", limit)  # with and without a table
        for measure in ("wu-palmer", "path", "lin"):
            metric = SensesMetric([*values, "?x", None], ConceptMetric([], Scope(t, t.root), measure))
            codes = np.arange(len(metric.values))
            content = {c: reference.seco(parents, c) for c in parents}
            got = metric.distances(codes[:, None], codes)
            for i, j in product(range(len(values)), repeat=2):
                pairs = product(values[i], values[j])
                least = min(reference.distance(measure, parents, a, b, content=content) for a, b in pairs)
                assert got[i, j] == pytest.approx(0 if i == j else least, abs=1e-12)
            assert (got[-2:, :-2] == 1).all()
            assert got[-1, -1] == got[-2, -2] == 0


@given(words(), st.data())
def test_the_centroid_is_a_value_with_the_least_sum(drawn: tuple[Dag, list[Senses]], data: st.DataObject) -> None:
    parents, values = drawn
    t = taxonomy(parents)
    metric = SensesMetric(values, ConceptMetric([], Scope(t, t.root)))
    counts = np.array(data.draw(st.lists(st.integers(1, 9), min_size=len(values), max_size=len(values))), float)
    codes = np.arange(len(values))
    sums = metric.distances(codes[:, None], codes) @ counts
    assert sums[metric.places[metric.centroid(codes, counts)]] == pytest.approx(sums.min())


def test_kinds_of_a_concept_stay_apart() -> None:
    t = taxonomy({0: [], 1: [0], 2: [0], 3: [1]})
    night, head = (Senses((Narrower(1, x), Narrower(2, x))) for x in ("night", "head"))
    metric = SensesMetric([night, head, Senses((1, 2))], ConceptMetric([], Scope(t, 0), "path"))
    assert metric.links(np.array([0, 0, 0]), np.array([0, 1, 2])).tolist() == [0, 2, 1]  # type: ignore[union-attr]


def test_a_word_is_true_of_another_in_one_of_their_senses() -> None:
    t = taxonomy({0: [], 1: [0], 2: [0], 3: [1], 4: [2]})
    metric = SensesMetric([Senses((1, 4)), Senses((3,)), Senses((2,)), "x", None], ConceptMetric([], Scope(t, 0)))
    codes = np.arange(5)
    assert metric.generalises(0, codes).tolist() == [True, True, False, False, False]
    assert metric.generalises(2, codes).tolist() == [True, False, True, False, False]
    assert metric.generalises(4, codes).all()
    # 0 and 1 have the concept 1 in common, under which lie a sense of 0 and that of 1
    assert metric.covered(np.array([0, 1, 3]), np.array([1, 2, 0]), codes).tolist() == [2, 5 - 2, 5]  # type: ignore[union-attr]


def plan(method: str = "fusion", **options: Any) -> Plan:
    column = al.quasi("wordnet", accept="review", senses="best-pair", **options)
    return al.Plan(columns={"bird": column}, method=method, k=3, seed=2)


def test_fusion_masks_words_by_their_closest_senses() -> None:
    frame = pd.concat([FRAME, pd.DataFrame({"bird": ["stork", "goblet"] * 3 + ["crane", "crane"]})])
    release = plan().run(pd.concat([frame, pd.DataFrame({"bird": ["ibis", "beaker"]})]).reset_index(drop=True))
    assert release.summary["privacy"][0]["reached"] >= 3
    *_, ibis, beaker = release.frame["bird"]
    assert ibis in ("stork", "crane", "heron")
    assert beaker in ("goblet", "pitcher")
    found = plan().evaluate(FRAME, FRAME).summary["measures"]
    assert found["information_loss"]["value"] == 0
    # another method's release is measured too
    other = al.Plan(columns={"bird": al.quasi("wordnet", accept="review")}, k=3, seed=2).run(FRAME)
    assert plan("sa-mdav").evaluate(FRAME, other.frame).summary["measures"]["semantic_quality"]["value"] > 0


def test_methods_that_need_one_sense_refuse_best_pair() -> None:
    for method in ("sa-mdav", "mdav", "recoding", "generalise", "noise"):
        parameters = {} if method == "noise" else {"k": 3}
        wrong = al.Plan(columns=plan().columns, method=method, **parameters)
        with pytest.raises(PlanError, match=f"method {method} needs one sense of each word"):
            wrong.run(FRAME)


@pytest.mark.parametrize(
    "column",
    [
        lambda: al.sensitive("wordnet", senses="best-pair"),
        lambda: al.quasi("wordnet", kind="set", senses="best-pair"),
        lambda: al.quasi(["wordnet", "wordnet:person"], combine="blend", senses="best-pair"),
    ],
)
def test_best_pair_is_for_quasi_identifiers_of_words(column: Any) -> None:
    with pytest.raises(PlanError, match="best-pair applies to quasi-identifiers of words"):
        al.Plan(columns={"a": al.quasi("category"), "b": column()}, k=2)
