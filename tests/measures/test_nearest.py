"""The compiled search for the nearest tuples finds what comparing all with all finds, to the last bit."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import taxonomy

from allonym import compiled
from allonym.kinds.category import EqualityMetric
from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.numeric import NumericMetric
from allonym.measures import risk
from allonym.measures.attackers import nearest
from allonym.measures.attackers.nearest import TIE, Near, compare_all
from allonym.ontology.scope import Scope
from allonym.records import Attribute, Pairs

needs_kernels = pytest.mark.skipif(compiled.kernels is None, reason="no compiled kernels")
DISTANCES = (0.0, 0.1, 0.2, 0.30000000000000004, 1 / 3, 0.5, 1.0, 0.1 + 1e-9, 0.1 + 2e-9)  # with ties and near ties


@st.composite
def searches(draw: st.DrawFn) -> tuple[list[np.ndarray], np.ndarray, np.ndarray, list[list[int]], np.ndarray]:
    """Draw tables of distances, wanted and released tuples, parts of the columns, and guesses."""
    columns, wanted, released = draw(st.integers(1, 6)), draw(st.integers(1, 12)), draw(st.integers(1, 30))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    sizes = rng.integers(1, 7, (columns, 2))
    tables = [rng.choice(DISTANCES, tuple(x)) if rng.random() < 0.7 else rng.random(tuple(x)) for x in sizes]
    was, now = (np.stack([rng.integers(0, x, n) for x in sizes[:, i]], axis=1).astype(np.int32)
                for i, n in ((0, wanted), (1, released)))  # fmt: skip
    cut = draw(st.integers(0, columns))
    order = rng.permutation(columns).tolist()
    parts = [part for part in (order[:cut], order[cut:]) if part]
    return tables, was, now, parts, rng.integers(0, released, wanted)


@needs_kernels
@given(searches())
def test_the_index_finds_what_comparing_all_finds(drawn: tuple[list[np.ndarray], ...]) -> None:
    tables, was, now, parts, guesses = drawn
    starts, places = compiled.kernels.NearestTuples(now, parts).search(was, tables, guesses, TIE)
    expected_starts, expected = compare_all(tables, was, now)
    assert starts.tolist() == expected_starts.tolist()
    assert places.tolist() == expected.tolist()


@given(searches())
def test_comparing_all_follows_the_definition(drawn: tuple[list[np.ndarray], ...]) -> None:
    tables, was, now, _, _ = drawn
    starts, places = compare_all(tables, was, now)
    for row, (low, high) in zip(was.tolist(), pairwise(starts.tolist()), strict=True):
        far = [sum(float(t[x, y]) for t, x, y in zip(tables, row, other, strict=True)) for other in now.tolist()]
        assert places[low:high].tolist() == [i for i, d in enumerate(far) if d <= min(far) + TIE]


def test_near_tuples_are_summed_and_found() -> None:
    near = Near(np.array([0, 2, 3]), np.array([1, 4, 0]), 5)
    assert near.total(np.array([1.0, 2.0, 3.0, 4.0, 5.0])).tolist() == [2.0 + 5.0, 1.0]
    assert near.has(np.array([0, 0, 1, 1]), np.array([4, 0, 0, 4])).tolist() == [True, False, True, False]
    assert near.as_matrix().toarray().tolist() == [[0, 1, 0, 0, 1], [1, 0, 0, 0, 0]]


@needs_kernels
@pytest.mark.parametrize("batch", [50, 4_000_000])
@pytest.mark.parametrize("units", [False, True])
def test_linkage_by_meaning_is_the_same_without_kernels(
    monkeypatch: pytest.MonkeyPatch, batch: int, units: bool
) -> None:
    rng = np.random.default_rng(2)
    tree = taxonomy({0: [], 1: [0], 2: [0], 3: [1], 4: [1], 5: [2], 6: [2, 1]})
    attributes = (
        Attribute("age", "numeric", NumericMetric([float(x) for x in range(40)])),
        Attribute("sex", "category", EqualityMetric(["f", "m", None])),
        Attribute("job", "text", ConceptMetric([3, 4, 5, 6, 1, 2, None], Scope(tree, 0)), weight=2),
    )
    was = [rng.integers(0, x, 500) for x in (40, 2, 4)]
    now = [was[0] // 5 * 5, np.where(rng.random(500) < 0.1, 2, was[1]), rng.integers(0, 7, 500)]
    pairs = Pairs.of_rows(attributes, was, now, units=rng.integers(0, 200, 500) if units else None)
    monkeypatch.setattr(nearest, "PAIRS_PER_BATCH", batch)
    with_kernels = risk.semantic_linkage(pairs)
    monkeypatch.setattr(nearest, "kernels", None)
    assert risk.semantic_linkage(pairs) == with_kernels
