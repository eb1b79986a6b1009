"""SA-MDAV gives what the pseudo-code gives, and what was found independently on Adult."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
import slow_masking as slow
from both_kernels import BOTH, use
from hypothesis import given
from hypothesis import strategies as st
from strategies import Dag, dags, taxonomy

from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.numeric import NumericMetric
from allonym.methods.kernels.adaptive import sa_mdav
from allonym.ontology.scope import Scope
from allonym.progress import no_progress
from allonym.records import Attribute, Records

NUMBERS = (1.0, 2.0, 5.0, None)
Row = tuple[object, ...]


@pytest.fixture(scope="module", params=BOTH, autouse=True)
def kernels(request: pytest.FixtureRequest) -> Iterator[None]:
    """Run every test with compiled kernels and with NumPy."""
    with use(request.param):
        yield


@st.composite
def drawn_tables(draw: st.DrawFn) -> tuple[Dag, list[Row]]:
    parents = draw(dags(8))
    words = st.sampled_from([*(f"c{c}" for c in parents), None])
    return parents, draw(st.lists(st.tuples(words, st.sampled_from(NUMBERS)), min_size=2, max_size=25))


@given(drawn=drawn_tables(), k=st.integers(2, 5), weighted=st.booleans(), static=st.booleans())
def test_groups_are_those_of_the_pseudo_code(
    drawn: tuple[Dag, list[Row]], k: int, weighted: bool, static: bool
) -> None:
    parents, rows = drawn
    if len(rows) < k:
        return
    t = taxonomy(parents)
    words = [*(f"c{c}" for c in parents), None]
    word = ConceptMetric([*parents, None], Scope(t, t.root))
    attributes = [Attribute("w", "text", word), Attribute("n", "numeric", NumericMetric(NUMBERS, 1))]
    records = Records.of(attributes, [[words.index(w) for w, _ in rows], [NUMBERS.index(n) for _, n in rows]])
    tuples = [(words[a], NUMBERS[b]) for a, b in records.codes]
    named = {f"c{c}": [f"c{p}" for p in ps] for c, ps in parents.items()}
    distance = slow.record_distance(
        [lambda a, b: slow.float_wu_palmer_distance(named, a, b), lambda a, b: slow.numeric(a, b, 4.0)]
    )
    centroid = slow.record_centroid([lambda p: slow.semantic_centroid(named, p, words), lambda p: slow.mean(p, 1)])
    expected = slow.sa_mdav(Counter(rows), k, distance, centroid, tuples, weighted=weighted, static=static)
    growth = "weighted" if weighted else "plain"
    metrics = [a.metric for a in attributes]
    groups = sa_mdav(records, metrics, k, no_progress, growth=growth, static=static)
    got = {frozenset(tuples[i] for i in groups.source[m]) for m in groups.members()}
    assert got == {frozenset(cluster) for cluster in expected}
    assert np.bincount(groups.group, weights=groups.share).min() >= k
    assert len(groups.source) == len(records)  # no tuple is split
