"""Values that are a kind of a concept: leaves of their own below it."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pytest
import slow_masking as slow
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import Dag, dags, taxonomy

from allonym.kinds.blend import BlendedMetric
from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.set_metric import SetMetric
from allonym.metric import Metric, Value
from allonym.ontology.narrower import Narrower, broader, true_of_all
from allonym.ontology.scope import Scope
from allonym.ontology.similarity import MEASURES
from allonym.ontology.wordnet import wordnet

LONE = ["?x", "?y", None]
PLAIN = ["wu-palmer", "path", "ancestor-overlap", "resnik", "lin", "jiang-conrath"]


def name_of(value: Value) -> object:
    """Return the name of a value in the slow reference, where leaves are children of their concepts."""
    if isinstance(value, Narrower):
        return f"c{value.concept}/{value.text}"
    return f"c{value}" if isinstance(value, (int, np.integer)) else value


def named(parents: Dag, values: list[Value]) -> dict[str, list[str]]:
    """Return the taxonomy with a child for every leaf."""
    leaves = {name_of(v): [f"c{v.concept}"] for v in values if isinstance(v, Narrower)}
    return {f"c{c}": [f"c{p}" for p in ps] for c, ps in parents.items()} | leaves


def table(metric: Metric) -> np.ndarray:
    codes = np.arange(len(metric.values))
    return np.asarray(metric.distances(codes[:, None], codes))


@st.composite
def leafy(draw: st.DrawFn, tree: bool = False) -> tuple[Dag, list[Value], list[tuple[int, int]]]:
    """Draw a taxonomy, values of which many are leaves, and (code, count) pairs."""
    parents = draw(dags(8, tree=tree))
    concept = st.sampled_from(sorted(parents))
    value = st.one_of(concept, st.builds(Narrower, concept, st.sampled_from("abc")), st.sampled_from(LONE))
    values = draw(st.lists(value, min_size=1, max_size=8, unique=True))
    pairs = st.tuples(st.integers(0, len(values) - 1), st.integers(1, 5))
    return parents, values, draw(st.lists(pairs, min_size=1, max_size=8))


@given(leafy())
def test_leaves_are_as_far_apart_as_wu_and_palmer_say(drawn: tuple[Dag, list[Value], object]) -> None:
    parents, values, _ = drawn
    t = taxonomy(parents)
    got, extended = table(ConceptMetric(values, Scope(t, t.root))), named(parents, values)
    for i, j in itertools.product(range(len(values)), repeat=2):
        expected = slow.wu_palmer_distance(extended, name_of(values[i]), name_of(values[j]))
        assert got[i][j] == pytest.approx(expected, abs=1e-12)


@given(leafy(), st.sampled_from(["?z", None, 0, Narrower(0, "a"), Narrower(0, "z")]), st.booleans())
def test_distances_around_a_value_are_those_of_the_table(
    drawn: tuple[Dag, list[Value], object], other: Value, large: bool
) -> None:
    parents, values, _ = drawn
    t = taxonomy(parents)
    metric = ConceptMetric(values, Scope(t, t.root))
    if large:
        metric.index.__dict__["table"] = None  # as of an ontology with too many concepts
    for value in (*values, other):
        wider = ConceptMetric([*values, value] if value not in values else values, Scope(t, t.root))
        assert metric.distances_from(value) == pytest.approx(table(wider)[wider.values.index(value)][: len(values)])


@pytest.mark.parametrize("measure", MEASURES)
@given(drawn=leafy())
def test_a_kind_of_a_concept_is_never_nearer_than_the_concept(
    measure: str, drawn: tuple[Dag, list[Value], object]
) -> None:
    """Compare each pair of values as kinds of their concepts, as the concepts themselves, and unlinked."""
    parents, values, _ = drawn
    t = taxonomy(parents, {c: frozenset({"w" + "abcdefghijklmnop"[c], "x"}) for c in parents}, defined=True)
    scope = Scope(t, t.root)
    metric = ConceptMetric(values, scope, measure)
    as_same = metric.extend([broader(v) for v in values])
    codes = as_same.codes_of([broader(v) for v in values])
    got, same = table(metric), as_same.distances(codes[:, None], codes)
    assert (got >= same - 1e-12).all()
    assert ((got <= 1) & (np.diag(got) == 0)).all()
    unlike = ~np.eye(len(values), dtype=bool)
    assert (
        (got[unlike] > 0).all()
        or measure == "x-similarity"
        or "egenhofer" in measure
        or measure in ("tversky", "gloss-vector")
    )


@example(({0: [], 1: [0]}, [Narrower(1, "a"), "?x"], [(0, 3), (1, 1)]))
@given(leafy())
def test_the_centroid_is_the_best_candidate_and_no_leaf_that_is_not_the_value_of_all(
    drawn: tuple[Dag, list[Value], list[tuple[int, int]]],
) -> None:
    parents, values, pairs = drawn
    t = taxonomy(parents)
    codes, counts = (np.array(x) for x in zip(*pairs, strict=True))
    got = ConceptMetric(values, Scope(t, t.root)).centroid(codes, counts.astype(float))
    held = {values[c] for c in codes.tolist()}
    if len(held) == 1:
        assert {got} == held
        return
    assert not isinstance(got, Narrower)
    extended = named(parents, values)
    weighed = [(name_of(values[c]), n) for c, n in pairs]
    linked = [name for name, _ in weighed if slow.is_linked(name)]
    candidates = {x for x in slow.centroid_candidates(extended, linked) if "/" not in str(x)} if linked else set()
    candidates |= {x.split("/")[0] for x in linked if len(set(linked)) == 1}  # a leaf beside unlinked values
    candidates |= {name for name, _ in weighed if not slow.is_linked(name)}
    costs = {x: slow.centroid_cost(extended, weighed, x) for x in candidates}
    assert float(costs[name_of(got)]) == pytest.approx(float(min(costs.values())))


@given(leafy())
def test_the_subsumer_is_true_of_all_and_a_leaf_only_of_itself(
    drawn: tuple[Dag, list[Value], list[tuple[int, int]]],
) -> None:
    parents, values, pairs = drawn
    t = taxonomy(parents)
    codes, counts = (np.array(x) for x in zip(*pairs, strict=True))
    metric = ConceptMetric(values, Scope(t, t.root))
    got = metric.subsumer(codes, counts.astype(float))
    wider = metric.extend([got])
    assert wider.generalises(wider.places[got], codes).all()
    assert isinstance(got, Narrower) <= (len({values[c] for c in codes.tolist()}) == 1)
    extended = named(parents, values)
    for one in range(len(values)):
        true_of = wider.generalises(one, np.arange(len(values)))
        for other in range(len(values)):
            name, below = name_of(values[one]), name_of(values[other])
            expected = name is None or name == below
            if slow.is_linked(name) and slow.is_linked(below):
                expected = name in slow.reference.ancestors(extended, below)
            assert true_of[other] == expected


@pytest.mark.parametrize("tree", [True, False])
@given(data=st.data())
def test_leaves_become_their_concepts_and_then_what_is_above(tree: bool, data: st.DataObject) -> None:
    parents, values, _ = data.draw(leafy(tree=tree))
    t = taxonomy(parents)
    metric = ConceptMetric(values, Scope(t, t.root))
    levels = metric.generalisations()
    assert levels[0] == values
    if any(isinstance(v, Narrower) for v in values):
        assert levels[1] == [None if v is None or isinstance(v, str) else broader(v) for v in values]
    assert len(set(levels[-1])) == 1
    wider = metric.extend([v for level in levels for v in level])
    for level in levels:
        for code, value in enumerate(level):
            assert wider.generalises(wider.places[value], np.array([code])).all()


@given(leafy())
def test_families_and_covered_values_count_leaves(drawn: tuple[Dag, list[Value], list[tuple[int, int]]]) -> None:
    parents, values, _ = drawn
    t = taxonomy(parents)
    metric = ConceptMetric(values, Scope(t, t.root))
    codes = np.arange(len(values))
    families = metric.families(codes, np.ones(len(values)))
    assert set(families.tolist()) == set(range(families.max() + 1))
    if len(values) > 1:
        assert families.max() > 0
    extended = named(parents, values)
    covered = metric.covered(np.zeros_like(codes), codes, codes)
    assert covered is not None
    for code in codes[1:].tolist():
        names = [name_of(values[0]), name_of(values[code])]
        if not all(map(slow.is_linked, names)):
            assert covered[code] == len(values)
            continue
        tops = slow.minimal_common_subsumers(extended, names)
        under = [name_of(v) for v in values if slow.is_linked(name_of(v))]
        counts = {sum(top in slow.reference.ancestors(extended, x) for x in under) for top in tops}
        assert covered[code] in counts


def test_wordnet_itself_does_not_change() -> None:
    """Leaves change no distance of other concepts, by any measure, and add nothing to the ontology."""
    scope = wordnet()
    concepts = [scope.taxonomy.code(x) for x in ("driver", "nurse", "dog", "milk", "entity")]
    leaves = [Narrower(c, f"kind {i}") for c in concepts for i in range(3)]
    for measure in PLAIN:
        plain = ConceptMetric(concepts, scope, measure)
        got = table(ConceptMetric([*concepts, *leaves], scope, measure))
        assert (got[: len(concepts), : len(concepts)] == table(plain)).all()
    assert len(scope.taxonomy) == 82115


def test_many_leaves_cost_no_more_than_their_concepts() -> None:
    scope = wordnet()
    driver = scope.taxonomy.code("driver")
    metric = ConceptMetric([Narrower(driver, str(i)) for i in range(100_000)], scope)
    assert metric.distances(0, np.arange(3)).tolist() == metric.distances_from(metric.values[0])[:3].tolist()
    assert metric.centroid(np.arange(100_000), np.ones(100_000)) == driver
    assert len(metric.index.used) < 100


def test_a_metric_with_leaves_is_pickled() -> None:
    t = taxonomy({0: [], 1: [0]})
    metric = ConceptMetric([1, Narrower(1, "a"), Narrower(1, "b")], Scope(t, 0))
    again = pickle.loads(pickle.dumps(metric))
    assert again.values == metric.values
    assert (table(again) == table(metric)).all()
    assert again.restricted_to(np.array([2, 0])).values == (Narrower(1, "b"), 1)


def test_sets_of_leaves() -> None:
    """A set that stands for several keeps the leaves that all have; of others it has the concepts."""
    t = taxonomy({0: [], 1: [0], 2: [0]})
    a, b = Narrower(1, "a"), Narrower(1, "b")
    sets = [frozenset({a, 2}), frozenset({b, 2}), frozenset({a}), frozenset({1, 2})]
    metric = SetMetric(sets, ConceptMetric([], Scope(t, 0)))
    far = metric.distances(0, np.arange(4))
    assert far[0] == 0
    assert 0 < far[3] < far[1] < 1
    assert true_of_all(metric.values[0], [metric.values[0], metric.values[2]]) == {a, 2}
    assert true_of_all(metric.values[0], metric.values) == {1, 2}
    assert metric.distances_from(frozenset({1, 2})).tolist() == metric.distances(3, np.arange(4)).tolist()
    assert metric.centroid(np.array([0, 1]), np.ones(2)) == {1, 2}
    assert metric.centroid(np.array([0, 0]), np.ones(2)) == {a, 2}


def test_leaves_of_several_ontologies() -> None:
    """A value that one ontology has itself is that concept there, and a leaf in the other."""
    t = taxonomy({0: [], 1: [0], 2: [0], 3: [1]})
    parts = [ConceptMetric([], Scope(t, 0)), ConceptMetric([], Scope(t, 0))]
    values = [(Narrower(1, "a"), None), (Narrower(1, "b"), 2), (Narrower(1, "c"), 2), (1, None)]
    metric = BlendedMetric(values, parts)
    one = parts[0].extend([Narrower(1, "a"), Narrower(1, "b"), 1])
    assert metric.distances(0, 1) == one.distances(0, 1)
    assert metric.distances(0, 3) == one.distances(0, 2)
    assert metric.centroid(np.array([0, 0]), np.ones(2)) == values[0]
    assert metric.centroid(np.array([0, 3]), np.ones(2)) == (1, None)
    assert metric.centroid(np.array([1, 2]), np.ones(2)) == (None, 2)
    assert metric.subsumer(np.array([0, 1]), np.ones(2)) == (1, None)
    assert metric.generalises(3, np.arange(4)).all()
