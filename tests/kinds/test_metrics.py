"""Each kind's distance and centroid, against the slow reference."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import slow_masking as slow
from hypothesis import given
from hypothesis import strategies as st
from strategies import Dag, dags, taxonomy

from allonym.kinds.blend import BlendedMetric
from allonym.kinds.category import EqualityMetric
from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.numeric import NumericMetric
from allonym.kinds.ordinal import OrdinalMetric
from allonym.metric import Metric
from allonym.ontology.scope import Scope

Both = tuple[int | None, int | None]
LONE = ["?x", "?y", None]


def table(metric: Metric) -> list[list[float]]:
    codes = np.arange(len(metric.values))
    return metric.distances(codes[:, None], codes).tolist()


def named(parents: Dag) -> dict[str, list[str]]:
    return {f"c{c}": [f"c{p}" for p in ps] for c, ps in parents.items()}


@st.composite
def worded(draw: st.DrawFn) -> tuple[Dag, list[object], list[tuple[int, int]]]:
    """Draw a taxonomy, values of which some are alone, and (code, count) pairs."""
    parents = draw(dags(10))
    concepts = draw(st.lists(st.sampled_from(sorted(parents)), min_size=1, max_size=6, unique=True))
    values = [*concepts, *draw(st.lists(st.sampled_from(LONE), max_size=3, unique=True))]
    pairs = st.tuples(st.integers(0, len(values) - 1), st.integers(1, 5))
    return parents, values, draw(st.lists(pairs, min_size=1, max_size=8))


@given(worded())
def test_concepts_are_as_far_apart_as_wu_and_palmer_say(drawn: tuple[Dag, list[object], object]) -> None:
    parents, values, _ = drawn
    t = taxonomy(parents)
    names = [t.ids[v] if isinstance(v, int) else v for v in values]
    got = table(ConceptMetric(values, Scope(t, t.root)))
    for i, j in itertools.product(range(len(values)), repeat=2):
        assert got[i][j] == pytest.approx(slow.wu_palmer_distance(named(parents), names[i], names[j]), abs=1e-12)


@given(worded())
def test_the_semantic_centroid_is_the_candidate_with_the_least_sum(
    drawn: tuple[Dag, list[object], list[tuple[int, int]]],
) -> None:
    parents, values, pairs = drawn
    t = taxonomy(parents)
    codes, counts = (np.array(x) for x in zip(*pairs, strict=True))
    got = ConceptMetric(values, Scope(t, t.root)).centroid(codes, counts.astype(float))
    names = [t.ids[v] if isinstance(v, int) else v for v in values]
    expected = slow.semantic_centroid(named(parents), [(names[c], n) for c, n in pairs], names)
    assert (t.ids[got] if isinstance(got, int) else got) == expected


@given(worded(), st.sampled_from(["?x", "?z", None, 0]))
def test_distances_around_a_value_are_those_of_the_table(
    drawn: tuple[Dag, list[object], list[tuple[int, int]]], other: object
) -> None:
    parents, values, _ = drawn
    t = taxonomy(parents)
    metric = ConceptMetric(values, Scope(t, t.root))
    for value in (*values, other):
        wider = metric.extend([value])
        assert metric.distances_from(value).tolist() == table(wider)[wider.values.index(value)][: len(values)]


@given(worded())
def test_a_subsumer_is_the_least_common_one(drawn: tuple[Dag, list[object], list[tuple[int, int]]]) -> None:
    parents, values, pairs = drawn
    t = taxonomy(parents)
    codes, counts = (np.array(x) for x in zip(*pairs, strict=True))
    got = ConceptMetric(values, Scope(t, t.root)).subsumer(codes, counts.astype(float))
    names = [t.ids[v] if isinstance(v, int) else v for v in values]
    expected = slow.least_common_subsumer(named(parents), [(names[c], n) for c, n in pairs])
    assert (t.ids[got] if isinstance(got, int) else got) == expected


@given(
    st.lists(st.sampled_from([1.0, 2.0, 4.5, 9.0, None]), min_size=1, unique=True), st.sampled_from([0.0, 3.3, 20.0])
)
def test_distances_around_a_number_are_those_of_the_table(values: list[float | None], other: float) -> None:
    metric = NumericMetric(values, 1)
    for value in (*values, other, None):
        wider = metric.extend([value])
        assert metric.distances_from(value).tolist() == table(wider)[wider.values.index(value)][: len(values)]


def test_a_centroid_does_not_depend_on_the_scale_of_the_weights() -> None:
    t = taxonomy({0: [], 1: [0], 2: [1], 3: [2], 4: [0]})
    metric = ConceptMetric([3, 4], Scope(t, 0))
    for scale in (1.0, 1e-13, 1e13):
        assert metric.centroid(np.array([0, 1]), scale * np.array([5.0, 1.0])) == 3


def test_a_subsumer_stays_under_the_root_and_is_no_individual_but_itself() -> None:
    t = taxonomy({0: [], 1: [0], 2: [0], 3: [1, 2], 4: [1, 2]})
    both = np.array([0, 1]), np.ones(2)
    assert ConceptMetric([3, 4], Scope(t, 2)).subsumer(*both) == 2
    assert ConceptMetric([3, 4], Scope(t, 0)).subsumer(*both) == 1
    assert ConceptMetric([3, 4], Scope(t, 3)).subsumer(*both) in (1, 2)  # 4 is outside: settled by a person


def test_nothing_among_numbers_and_ranks_is_true_of_several() -> None:
    codes, counts = np.array([0, 1, 1]), np.ones(3)
    assert NumericMetric([1.0, 4.0], 0).subsumer(codes, counts) == 3
    assert OrdinalMetric([0, 2], 3).subsumer(codes, counts) == 2
    assert EqualityMetric(["a", "b"]).subsumer(codes, counts) is None
    assert EqualityMetric(["a", "b"]).subsumer(codes[1:], counts[1:]) == "b"


def test_a_centroid_stays_under_the_root() -> None:
    diamond = {0: [], 1: [0], 2: [0], 3: [1, 2], 4: [1, 2]}  # 3 and 4 lie under 1 and under 2
    t = taxonomy(diamond)
    values, counts = [3, 4], np.array([1.0, 1.0])
    metric = ConceptMetric(values, Scope(t, 2))
    assert metric.candidates(np.array([3, 4])).tolist() == [2, 3, 4]
    assert ConceptMetric(values, Scope(t, 0)).candidates(np.array([3, 4])).tolist() == [1, 2, 3, 4]
    assert metric.centroid(np.array([0, 1]), counts) in (3, 4)


@given(st.lists(st.tuples(st.sampled_from([1.0, 2.0, 4.0, 7.0, None]), st.integers(1, 4)), min_size=1, max_size=6))
def test_numbers_are_apart_by_their_range_and_stand_for_by_their_mean(pairs: list[tuple[float | None, int]]) -> None:
    values = [1.0, 2.0, 4.0, 7.0, None]
    metric = NumericMetric(values, decimals=1)
    assert table(metric) == [[slow.numeric(a, b, 6.0) for b in values] for a in values]
    codes = np.array([values.index(v) for v, _ in pairs])
    assert metric.centroid(codes, np.array([float(n) for _, n in pairs])) == slow.mean(pairs, 1)


def test_numbers_all_alike_have_no_distance_and_new_ones_stay_within_one() -> None:
    assert table(NumericMetric([3.0])) == [[0.0]]
    wider = NumericMetric([3.0]).extend([4.0])
    assert wider.distances(0, 1) == 1
    assert NumericMetric([0.0, 1.0]).extend([5.0]).distances(0, 2) == 1
    assert str(NumericMetric([-1.0, 1.0], 0).centroid(np.array([0, 1]), np.array([1.2, 1.0]))) == "0.0"  # not -0.0


@given(st.lists(st.tuples(st.sampled_from([0, 1, 2, 3, None]), st.integers(1, 4)), min_size=1, max_size=6))
def test_ranks_are_apart_by_their_number_and_stand_for_by_their_median(pairs: list[tuple[int | None, int]]) -> None:
    values = [0, 1, 2, 3, None]
    metric = OrdinalMetric(values, levels=4)
    assert table(metric) == [[slow.ordinal(a, b, 4) for b in values] for a in values]
    codes = np.array([values.index(v) for v, _ in pairs])
    assert metric.centroid(codes, np.array([float(n) for _, n in pairs])) == slow.median(pairs)


@given(st.lists(st.tuples(st.sampled_from(["a", "b", "c", None]), st.integers(1, 3)), min_size=1, max_size=6))
def test_categories_are_equal_or_not_and_stand_for_by_their_mode(pairs: list[tuple[str | None, int]]) -> None:
    values = ["a", "b", "c", None]
    metric = EqualityMetric(values)
    assert table(metric) == [[slow.equality(a, b) for b in values] for a in values]
    codes = np.array([values.index(v) for v, _ in pairs])
    assert metric.centroid(codes, np.array([float(n) for _, n in pairs])) == slow.mode(pairs, values)


def test_rows_that_weigh_nothing_still_have_a_centroid() -> None:
    t = taxonomy({0: [], 1: [0], 2: [0]})
    none = np.zeros(2)
    codes = np.array([1, 2])
    assert EqualityMetric(["a", "b", "c"]).centroid(codes, none) == "b"
    assert NumericMetric([1.0, 2.0, 4.0], 0).centroid(codes, none) == 3
    assert OrdinalMetric([0, 1, 2], 3).centroid(codes, none) in (1, 2)
    assert ConceptMetric([0, 1, 2], Scope(t, 0)).centroid(codes, none) in (0, 1, 2)


@pytest.mark.parametrize(
    "metric",
    [EqualityMetric(["a", "b"]), NumericMetric([1.0, 2.0]), OrdinalMetric([0, 1], 3)],
    ids=["equality", "numeric", "ordinal"],
)
def test_codes_never_move_when_values_are_added(metric: Metric) -> None:
    new = {"EqualityMetric": "c", "NumericMetric": 9.0, "OrdinalMetric": 2}[type(metric).__name__]
    wider = metric.extend([metric.values[1], new, new])
    assert wider.values == (*metric.values, new)
    assert metric.extend([metric.values[0]]) is metric
    assert [row[:2] for row in table(wider)[:2]] == table(metric)


# --- blend ---------------------------------------------------------------------------------------------------------


@st.composite
def blended(draw: st.DrawFn) -> tuple[Dag, Dag, list[Both | None]]:
    one, other = draw(dags(7)), draw(dags(7))
    both = st.tuples(st.none() | st.sampled_from(sorted(one)), st.none() | st.sampled_from(sorted(other)))
    values = draw(st.lists(both.filter(lambda v: v != (None, None)), min_size=1, max_size=5, unique=True))
    return one, other, [*values, None]


def far(
    one: Dag, other: Dag, v: tuple[int | None, int | None] | None, w: tuple[int | None, int | None] | None
) -> float:
    """Return the smallest distance any ontology gives that knows both."""
    if v == w:
        return 0.0
    if v is None or w is None:
        return 1.0
    found = [1.0]
    for parents, a, b in zip((one, other), v, w, strict=True):
        if a is not None and b is not None:
            found.append(slow.wu_palmer_distance(named(parents), f"c{a}", f"c{b}"))
    return min(found)


@given(blended())
def test_of_several_ontologies_the_one_counts_that_finds_a_pair_most_alike(
    drawn: tuple[Dag, Dag, list[Both | None]],
) -> None:
    one, other, values = drawn
    scopes = [Scope(t, t.root) for t in (taxonomy(one), taxonomy(other))]
    metric = BlendedMetric(values, [ConceptMetric([], scope) for scope in scopes])
    expected = [[far(one, other, v, w) for w in values] for v in values]
    assert np.allclose(table(metric), expected, atol=1e-12)
    got = metric.centroid(np.arange(len(values)), np.ones(len(values)))
    costs = [sum(row) for row in expected]
    wider = metric.extend([got])
    code = wider.values.index(got)
    assert (
        wider.distances(code, np.arange(len(values))).sum() <= min(costs) + 1e-9
    )  # no value of the data stands better


def test_a_blend_joins_what_neither_ontology_knows_alone() -> None:
    jobs, food = taxonomy({0: [], 1: [0], 2: [1], 3: [1]}), taxonomy({0: [], 1: [0], 2: [1], 3: [1]})
    parts = [ConceptMetric([], Scope(t, t.root)) for t in (jobs, food)]
    metric = BlendedMetric([(2, None), (3, 2), (None, 3)], parts)
    sibling = 1 - 2 * 2 / (1 + 1 + 2 * 2)
    assert metric.distances(0, [0, 1, 2]).tolist() == pytest.approx([0, sibling, 1])
    assert metric.distances(1, 2) == pytest.approx(sibling)
    assert metric.centroid(np.arange(3), np.ones(3)) == (3, 2)  # the only one that both others are close to
    assert metric.subsumer(np.array([0, 1]), np.ones(2)) == (1, None)
    assert metric.subsumer(np.array([1, 2]), np.ones(2)) == (None, 1)
    assert metric.subsumer(np.arange(3), np.ones(3)) is None
    assert metric.subsumer(np.array([1, 1]), np.ones(2)) == (3, 2)


@given(dags(10), st.data())
def test_concepts_that_are_added_are_as_far_from_both_sides(parents: Dag, data: st.DataObject) -> None:
    t = taxonomy(parents)
    some = data.draw(st.lists(st.sampled_from(sorted(parents)), min_size=1, max_size=4, unique=True))
    metric = ConceptMetric(some, Scope(t, t.root))
    assert metric.distances(0, 0) == 0  # its distances are laid out now
    wider = metric.extend(sorted(parents))
    names = [f"c{v}" for v in wider.values]
    expected = [[slow.wu_palmer_distance(named(parents), a, b) for b in names] for a in names]
    for i, row in enumerate(expected):
        for j, far_away in enumerate(row):
            assert wider.distances(i, j) == pytest.approx(far_away, abs=1e-12)
