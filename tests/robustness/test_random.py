"""The laws on random ontologies, weights, persons and holes, for every method."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from strategies import Dag, dags, taxonomy

import allonym as al
from allonym.methods import METHODS
from allonym.methods.base import ColumnwiseMethod, KAnonymityMethod
from allonym.records import Pairs

few = settings(max_examples=8, suppress_health_check=[HealthCheck.too_slow], deadline=None)


@st.composite
def tables(draw: st.DrawFn) -> tuple[Dag, pd.DataFrame]:
    """Draw an ontology, and a table of its words with numbers, weights, persons, and holes in all but these."""
    dag = draw(dags(max_size=10, min_size=2))
    n = draw(st.integers(4, 24))
    words = st.sampled_from([*(f"c{c}" for c in dag), None])
    numbers = st.sampled_from([0, 1, 2.5, 7, -3, None])

    def column(cells: st.SearchStrategy[Any]) -> list[Any]:
        return draw(st.lists(cells, min_size=n, max_size=n))

    data = {"word": column(words), "number": column(numbers), "weight": column(st.sampled_from([0.0, 0.5, 1.0, 40.0]))}
    data["who"] = column(st.integers(0, max(n // 2, 3)))
    return dag, pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in data.items()})


@pytest.mark.parametrize("method", METHODS)
@few
@given(drawn=tables(), k=st.integers(2, 4), persons=st.booleans(), weighted=st.booleans())
def test_laws_hold_on_any_ontology(
    method: str, drawn: tuple[Dag, pd.DataFrame], k: int, persons: bool, weighted: bool
) -> None:
    dag, frame = drawn
    kind = METHODS[method]
    who = frame["who"].tolist() if persons else list(range(len(frame)))
    assume(len(set(who)) >= k and (not weighted or frame["weight"].sum() > 0))
    numeric = "numeric" in kind.info.kinds
    if kind.info.min_values > 1:  # columns that would not change are refused
        assume(all(frame[x].nunique() > 1 for x in (["word", "number"] if numeric else ["word"])))
    columns = {"word": al.quasi(taxonomy(dag)), "number": al.quasi("numeric") if numeric else al.keep()}
    columns |= {"weight": al.weight() if weighted else al.keep(), "who": al.unit() if persons else al.keep()}
    parameters = {"per_attribute": True} if issubclass(kind, ColumnwiseMethod) else {}
    promises_k = issubclass(kind, KAnonymityMethod)
    plan = al.Plan(columns, method=method, k=k if promises_k else None, seed=1, parameters=parameters)
    release = plan.run(frame)
    assert len(release.frame) == len(frame)
    assert release.frame["weight"].tolist() == frame["weight"].tolist()
    known = {f"c{c}" for c in dag}
    assert {x for x in release.frame["word"] if x is not None and not pd.isna(x)} <= known
    if promises_k:
        masked = ["word", "number"] if numeric else ["word"]
        for part in [[x] for x in masked] if issubclass(kind, ColumnwiseMethod) else [masked]:
            held = defaultdict(set)
            for cells, person in zip(release.frame[part].astype(object).itertuples(index=False), who, strict=True):
                held[tuple(None if pd.isna(x) else x for x in cells)].add(person)
            assert min(map(len, held.values())) >= k
    for measure in release.summary["measures"].values():
        assert math.isfinite(measure["value"])
    shares = Pairs.of(release.records, release.masking)
    assert int(shares.counts.sum()) == len(frame)
    assert np.isfinite(shares.mass).all()
    again = plan.run(frame)
    pd.testing.assert_frame_equal(again.frame, release.frame)
    assert release.report.questions
    assert release.codebook()["variables"]
