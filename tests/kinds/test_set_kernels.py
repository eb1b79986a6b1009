"""Compiled kernels compare sets exactly as NumPy does: every result is the same to the last bit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import slow_sets as slow
from both_kernels import NUMPY, use
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from strategies import Dag, dags, taxonomy

from allonym.arrays import Floats, Ints
from allonym.compiled import kernels
from allonym.kinds.category import EqualityMetric
from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.set_metric import SET_DISTANCES, SetMetric, distances, elements, medoids
from allonym.kinds.set_metric.distances import CompiledSetDistances, SetDistances
from allonym.kinds.set_metric.elements import ElementDistances
from allonym.kinds.set_metric.medoids import Medoids
from allonym.methods.groups import Groups
from allonym.methods.kernels.adaptive import sa_mdav
from allonym.methods.kernels.fusion import fusion
from allonym.methods.kernels.microaggregation import mdav
from allonym.methods.refine import Effort, refined
from allonym.metric import Metric, Value
from allonym.ontology.narrower import Narrower
from allonym.ontology.scope import Scope
from allonym.progress import no_progress
from allonym.records import Attribute, Records

compiled = pytest.mark.skipif(kernels is None, reason="needs the compiled extension")
each_distance = pytest.mark.parametrize("distance", SET_DISTANCES)


def random_parents(rng: np.random.Generator, number: int) -> Dag:
    """Draw a tree."""
    return {0: [], **{c: [int(rng.integers(c))] for c in range(1, number)}}


def random_sets(rng: np.random.Generator, number: int, concepts: int, largest: int) -> list[Value]:
    """Draw different sets of concepts, leaves below them and unlinked texts; one is empty, one is null."""
    items: list[Value] = [*range(concepts), *(Narrower(c % concepts, f"leaf {c}") for c in range(concepts))]
    items += [f"text {i}" for i in range(concepts // 4)]
    sizes = rng.integers(1, largest + 1, size=number)
    drawn = [frozenset(items[i] for i in rng.choice(len(items), size, replace=False).tolist()) for size in sizes]
    return [*dict.fromkeys([frozenset(), *drawn]), None]


def metric_of(sets: list[Value], parents: Dag | None, distance: str, measure: str = "ancestor-overlap") -> SetMetric:
    """Return sets by the meaning of their elements, or by equality."""
    if parents is None:
        return SetMetric(sets, EqualityMetric([]), distance)
    ontology = taxonomy(parents)
    return SetMetric(sets, ConceptMetric([], Scope(ontology, ontology.root), measure), distance)


def both(metric: SetMetric) -> tuple[SetDistances, SetDistances]:
    """Return the distances of sets in NumPy, and by compiled kernels; neither has tables of the other."""
    return tuple(  # type: ignore[return-value]
        kind(ElementDistances(metric.elements), *metric._rows, metric.distance)
        for kind in (SetDistances, CompiledSetDistances)
    )


def all_distances(sets: SetDistances) -> Floats:
    """Return the distances of each set to each."""
    codes = np.arange(len(sets.sizes))
    return np.stack([sets.one_to_many(sets.items_of(code), codes) for code in codes.tolist()])


def assert_equal(metric: SetMetric) -> None:
    """Compare distances of one set to many, to few, and of pairs."""
    reference, kernel = both(metric)
    expected = all_distances(reference)
    assert np.array_equal(all_distances(kernel), expected)
    number = len(expected)
    few = np.array([number - 1, 0, number - 1]) % max(number, 1)
    one = kernel.items_of(number // 2)
    assert np.array_equal(kernel.one_to_many(one, few), expected[number // 2, few])
    a, b = (x.ravel() for x in np.indices(expected.shape))
    assert np.array_equal(kernel.pairs(a, b), expected.ravel())
    assert np.array_equal(reference.pairs(a, b), expected.ravel())
    if number:
        assert isinstance(kernel, CompiledSetDistances)
        assert np.array_equal(kernel.matrix, expected)  # type: ignore[arg-type]
        assert np.array_equal(kernel.from_code(number // 2, few), expected[number // 2, few])


@compiled
@each_distance
@given(parents=dags(8), data=st.data())
def test_distances_of_drawn_sets_are_equal(distance: str, parents: Dag, data: st.DataObject) -> None:
    items = st.sampled_from([*parents, Narrower(0, "a"), Narrower(0, "b"), Narrower(max(parents), "c"), "x", "y"])
    sets = data.draw(st.lists(st.frozensets(items, max_size=7), min_size=1, max_size=9, unique=True))
    assert_equal(metric_of(sets, parents, distance))


@compiled
@each_distance
@pytest.mark.parametrize("measure", ["ancestor-overlap", "wu-palmer", "lin"])
def test_distances_of_many_sets_are_equal(distance: str, measure: str) -> None:
    rng = np.random.default_rng(1)
    for largest in (1, 3, 9, 40):
        assert_equal(metric_of(random_sets(rng, 90, 40, largest), random_parents(rng, 40), distance, measure))
        assert_equal(metric_of(random_sets(rng, 60, 40, largest), None, distance))


@compiled
@each_distance
@pytest.mark.parametrize("kept", [0, 1000, 10**6])
@pytest.mark.parametrize("measure", ["ancestor-overlap", "wu-palmer", "lin"])
def test_distances_are_equal_if_rows_of_elements_are_computed_when_needed(
    distance: str, measure: str, kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(2)
    sets, parents = random_sets(rng, 70, 30, 12), random_parents(rng, 30)
    expected = all_distances(both(metric_of(sets, parents, distance, measure))[0])
    monkeypatch.setattr(elements, "MAX_RANKED_BYTES", 0)
    monkeypatch.setattr(elements, "MAX_ROW_BYTES", kept)
    monkeypatch.setattr(distances, "MAX_ROW_BYTES", kept)
    monkeypatch.setattr(distances, "PAIRS_AT_A_TIME", 50)
    for version in both(metric_of(sets, parents, distance, measure)):
        assert (version.elements.ranked is None) == (measure != "ancestor-overlap")
        assert np.array_equal(all_distances(version), expected)
        assert np.array_equal(version.pairs(np.arange(50), np.arange(50)[::-1]), expected[range(50), range(49, -1, -1)])


@compiled
@each_distance
def test_distances_are_equal_with_wide_ranks(distance: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    monkeypatch.setattr(elements, "RANKS", (np.int32,))
    assert_equal(metric_of(random_sets(rng, 70, 30, 12), random_parents(rng, 30), distance))
    assert_equal(metric_of(random_sets(rng, 70, 30, 12), random_parents(rng, 30), distance, "wu-palmer"))


@compiled
@each_distance
@pytest.mark.parametrize("depth", [20, 300])
def test_distances_are_equal_in_deep_ontologies(distance: str, depth: int) -> None:
    rng = np.random.default_rng(4)
    chain = {c: (c - 1,) if c else () for c in range(depth)}  # more than 255 ancestors need wider counts
    assert_equal(metric_of(random_sets(rng, 40, depth, 9), chain, distance))


class Line(EqualityMetric):
    """Elements at random places of a line."""

    def distances(self, code: ArrayLike, codes: ArrayLike) -> Floats:
        """Return how far elements are from each other."""
        places = np.random.default_rng(3).random(len(self.values))
        return np.abs(places[np.asarray(code)] - places[np.asarray(codes)])

    def interchangeable(self) -> Ints:
        """Return a number of its own for each element."""
        return np.arange(len(self.values))


@compiled
@pytest.mark.parametrize(("number", "dtype"), [(200, np.int16), (400, np.int32)])
def test_ranks_are_as_long_as_there_are_different_distances(
    number: int, dtype: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(elements, "PAIRS_AT_A_TIME", 1000)
    far = ElementDistances(Line([str(i) for i in range(number)]))
    found = far.ranks_table()
    assert found is not None
    ranks, levels = found
    assert ranks.dtype == dtype
    codes = np.arange(number)
    assert np.array_equal(levels[ranks], far.metric.distances(codes[:, None], codes))


@compiled
def test_a_block_that_does_not_fit_is_refused() -> None:
    assert kernels is not None
    with pytest.raises(ValueError, match="square"):
        kernels.Numbering().add(np.zeros((1, 3)), np.zeros((2, 3), np.int16), 0)


@each_distance
def test_sums_over_large_sets_do_not_overflow(distance: str) -> None:
    sets = [frozenset(map(str, range(400))), frozenset(map(str, range(399, 800))), frozenset({"0"})]
    metric = SetMetric(sets, EqualityMetric([]), distance)
    expected = [slow.set_distance(distance, slow.equality, sets[0], other) for other in sets]
    assert metric.distances(0, np.arange(3)) == pytest.approx(expected, abs=1e-12)


# --- elements -------------------------------------------------------------------------------------------------------


@given(parents=dags(8), data=st.data())
def test_interchangeable_values_have_the_same_distances(parents: Dag, data: st.DataObject) -> None:
    items = st.sampled_from([*parents, Narrower(0, "a"), Narrower(0, "b"), Narrower(max(parents), "c"), "x", "y", None])
    values = data.draw(st.lists(items, min_size=1, unique=True))
    ontology = taxonomy(parents)
    metrics: list[Metric] = [ConceptMetric(values, Scope(ontology, ontology.root)), EqualityMetric(values)]
    for metric in metrics:
        numbers, codes = metric.interchangeable(), np.arange(len(values))
        far = metric.distances(codes[:, None], codes)
        for a in codes.tolist():
            for b in np.flatnonzero(numbers == numbers[a]).tolist():
                others = (codes != a) & (codes != b)
                assert np.array_equal(far[a, others], far[b, others])
        among = [{float(far[a, b]) for a in own for b in own if a != b} for own in _members(numbers)]
        assert all(len(x) <= 1 for x in among)


def _members(numbers: Ints) -> list[list[int]]:
    return [np.flatnonzero(numbers == x).tolist() for x in range(int(numbers.max()) + 1)]


# --- medoids --------------------------------------------------------------------------------------------------------


def leaving(rng: np.random.Generator, number: int, whole: bool) -> list[tuple[Ints, Floats]]:
    """Draw groups that become smaller, with weights; some weights change."""
    weights = rng.integers(1, 4, number).astype(float) if whole else rng.random(number) * 10
    order, groups = rng.permutation(number), []
    for step in range(0, number - 10, 7):
        group = np.sort(order[step:])
        weights[group[0]] = max(weights[group[0]] - 1, 0.0) if whole else weights[group[0]] / 2
        groups.append((group, weights[group].copy()))
    return groups


@compiled
@each_distance
@pytest.mark.parametrize("whole", [True, False])
def test_sums_of_the_nearest_sets_are_equal(distance: str, whole: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(medoids, "MAX_COMPUTED", 0.2)
    rng = np.random.default_rng(5)
    parents = random_parents(rng, 40)
    metric = metric_of([x for x in random_sets(rng, 220, 40, 9) if x is not None], parents, distance)
    reference, kernel = map(Medoids, both(metric))
    computed = 0
    for group, weights in leaving(rng, len(metric.values), whole):
        expected = dict(zip(*(x.tolist() for x in reference.least(group, weights, 1e-9)), strict=True))
        assert sorted(expected) == group.tolist()
        codes, costs = kernel.least(group, weights, 1e-9)
        assert all(expected[code] == cost for code, cost in zip(codes.tolist(), costs.tolist(), strict=True))
        least = min(expected.values())
        assert {c for c, cost in expected.items() if cost <= least + 1e-9} <= set(codes.tolist())
        far = reference.sets.one_to_many(reference.sets.items_of(int(codes[0])), group)
        assert float(far @ weights) == pytest.approx(costs[0], rel=1e-7)
        computed += len(codes)
    if distance not in ("min", "max"):
        assert computed < 110 * len(metric.values)  # not all of them each time


@compiled
@pytest.mark.parametrize("distance", ["avg", "min-sum", "max-sum"])
def test_estimates_are_near(distance: str) -> None:
    rng = np.random.default_rng(6)
    for parents in (random_parents(rng, 30), None):
        metric = metric_of([x for x in random_sets(rng, 90, 30, 8) if x is not None], parents, distance)
        kernel = both(metric)[1]
        codes, weights = rng.permutation(len(metric.values)), rng.random(len(metric.values))
        estimates = kernel.cost_estimates(weights, codes)
        assert estimates == pytest.approx((all_distances(kernel) @ weights)[codes], abs=1e-10)


@each_distance
def test_a_metric_with_more_sets_finds_the_same_medoids(distance: str) -> None:
    rng = np.random.default_rng(7)
    metric = metric_of(random_sets(rng, 150, 30, 6), random_parents(rng, 30), distance)
    wider = metric.extend([frozenset({0, 1, 2}), frozenset({3, "text 1"})])
    other = metric_of(list(wider.values), None, distance)
    codes, counts = np.arange(120), rng.integers(1, 4, 120).astype(float)
    assert wider.centroid(codes, counts) == metric.centroid(codes, counts)
    assert wider.distances_from(metric.values[3])[: len(metric.values)].tolist() == (
        metric.distances_from(metric.values[3]).tolist()
    )
    assert other.extend([frozenset({"new"})]).distances(0, [len(other.values)]).tolist() == [1.0]


@compiled
@each_distance
@pytest.mark.parametrize("with_others", [False, True])
@pytest.mark.parametrize("most", [0, 2000])  # sets whose distances to all others are kept
def test_groups_of_many_sets_are_equal(
    distance: str, with_others: bool, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(distances, "MAX_MATRIX", most)
    rng = np.random.default_rng(4)
    sets = random_sets(rng, 500, 40, 9)
    attributes = [Attribute("sets", "set", metric_of(sets, random_parents(rng, 40), distance))]
    columns = [np.arange(len(sets))]
    if with_others:
        attributes += [Attribute("c", "category", EqualityMetric(list("abc")), 0.5)]
        columns = [np.repeat(columns[0] % 200, 2), rng.integers(0, 3, 2 * len(sets))]
    records = Records.of(attributes, columns)
    metrics = [x.metric for x in attributes]

    def groups() -> list[list[int]]:
        return [
            sa_mdav(records, metrics, 5, no_progress).group.tolist(),
            mdav(records, metrics, 5, np.random.default_rng(0), no_progress).group.tolist(),
            fusion(records, metrics, 5, np.random.default_rng(0), no_progress).tolist(),
        ]

    with use(NUMPY):
        expected = groups()
    assert groups() == expected


@compiled
@each_distance
@pytest.mark.parametrize("whole", [True, False])
def test_refined_large_groups_are_equal(distance: str, whole: bool) -> None:
    rng = np.random.default_rng(5)
    sets = random_sets(rng, 150, 40, 6)[:-1]
    metric = metric_of(sets, random_parents(rng, 40), distance)
    weights = rng.integers(1, 4, len(sets)) * (1.0 if whole else 0.37)
    records = replace(Records.of([Attribute("sets", "set", metric)], [np.arange(len(sets))]), weights=weights)
    groups = Groups.of(np.stack([np.arange(len(sets)), records.counts, np.arange(len(sets)) // 76], axis=1))

    def found() -> tuple[list[int], float]:
        better = refined(records, groups, 66, [metric], "centroid", no_progress, Effort(seed=3))
        return better.groups.group.tolist(), better.loss

    with use(NUMPY):
        expected = found()
    assert found() == expected


@compiled
@each_distance
def test_many_concepts_take_the_compiled_path_without_a_table(distance: str, monkeypatch: pytest.MonkeyPatch) -> None:
    number = 12_000
    chains = {c: (c - 1,) if c % 8 else () for c in range(number)}  # trees of eight
    rng = np.random.default_rng(6)
    sets = [frozenset(map(int, rng.choice(number, 12, replace=False))) for _ in range(1100)]
    metric = metric_of([*dict.fromkeys(sets)], chains, distance)
    computed = []
    monkeypatch.setattr(type(metric.elements), "distances", lambda *args: computed.append(args))
    form = metric.compiled_distances()
    assert form is not None
    assert form["form"] == "sets"
    far = metric.distances(0, np.arange(1100))
    metric.centroid(np.arange(1100), np.ones(1100))
    assert not computed  # no distance of elements outside the kernels
    monkeypatch.undo()
    reference, _ = both(metric)
    assert np.array_equal(far[:20], reference.one_to_many(reference.items_of(0), np.arange(20)))


@compiled
@each_distance
def test_medoids_are_equal_however_sums_are_found(distance: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(7)
    sets, parents = random_sets(rng, 150, 30, 9)[:-1], random_parents(rng, 30)
    found = []
    for per_class, most in ((0.0, 10**9), (0.0, 2), (10.0**9, 10**9)):
        monkeypatch.setattr(medoids, "SETS_PER_CLASS", per_class)
        monkeypatch.setattr(medoids, "MAX_ESTIMATES", most)
        metric = metric_of(sets, parents, distance)
        left = np.arange(len(sets))
        found.append([])
        for step in range(12):
            found[-1].append(metric.centroid(left, np.ones(len(left))))
            left = np.delete(left, [step, -1 - step, len(left) // 2])
    assert found[0] == found[1] == found[2]
