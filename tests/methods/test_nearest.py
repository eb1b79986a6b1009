"""Looking at blocks of tuples gives what comparing all tuples gives, to the last bit and in every tie."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import dags, taxonomy

from allonym.arrays import Floats, Ints
from allonym.kinds.category import EqualityMetric
from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.numeric import NumericMetric
from allonym.kinds.ordinal import OrdinalMetric
from allonym.kinds.set_metric import SET_DISTANCES, SetMetric
from allonym.methods.groups import Groups, centre, distances, values_of
from allonym.methods.kernels import nearest
from allonym.methods.kernels.adaptive import RunningCentroid, sa_mdav
from allonym.methods.kernels.nearest import Aim, Farthest, Nearest, Points, added
from allonym.metric import Metric, Value
from allonym.ontology.scope import Scope
from allonym.progress import no_progress
from allonym.records import Attribute, Records

KINDS = ("text", "numeric", "ordinal", "category", "set")
DIGITS = 12


@contextmanager
def small_blocks() -> Iterator[None]:
    with patch.multiple(nearest, BLOCK=2, MIN_BLOCKED=1, MIN_REBUILT=1, BATCH=1, CHUNK=3):
        yield


@st.composite
def metrics(draw: st.DrawFn, kind: str) -> Metric:
    if kind == "text":
        parents = draw(dags(8))
        t = taxonomy(parents)
        return ConceptMetric([*parents, "nobody knows", None], Scope(t, t.root))
    if kind == "numeric":
        return NumericMetric([0.1, 0.2, 0.30000000000000004, 1.0, 2.5, 7.0, None], draw(st.sampled_from([0, 1, 17])))
    if kind == "ordinal":
        return OrdinalMetric([0, 1, 2, 3, None], 4)
    if kind == "category":
        return EqualityMetric(["a", "b", "c", None])
    sets = [frozenset("ab"), frozenset("b"), frozenset("bcd"), frozenset("e"), frozenset(), None]
    return SetMetric(sets, EqualityMetric([]), draw(st.sampled_from(SET_DISTANCES)))


@st.composite
def tables(draw: st.DrawFn) -> Records:
    """Draw a table of up to twelve attributes of any kind, with weights, and now and then survey weights."""
    kinds = draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=4)) * draw(st.integers(1, 3))
    weights = st.sampled_from([1.0, 1.0, 2.0, 0.3])
    attributes = [Attribute(f"{i}", kind, draw(metrics(kind)), draw(weights)) for i, kind in enumerate(kinds)]
    rows = draw(st.lists(st.tuples(*(st.integers(0, len(a.values) - 1) for a in attributes)), min_size=2, max_size=30))
    rows *= draw(st.integers(1, 2))
    survey = None
    if draw(st.booleans()):
        drawn = st.sampled_from(draw(st.sampled_from([(0.0, 3.0), (0.0, 0.1, 0.7, 3.0)])))  # whole numbers, or not
        survey = np.array(draw(st.lists(drawn, min_size=len(rows), max_size=len(rows))))
    return Records.of(attributes, list(np.array(rows).T), weights=survey)


def plain(records: Records, k: int, weighted: bool, static: bool) -> Groups:
    """Group tuples by SA-MDAV as it is written: every tuple left is compared each time."""
    own: list[Metric] = [attribute.metric for attribute in records.attributes]
    columns, mass, left = records.codes.T, records.mass, np.ones(len(records), bool)
    clusters: list[list[int]] = []

    def far(point: list[Value], by_mass: bool) -> Floats:
        found = distances(own, records.shares, point, columns)
        return found * mass if by_mass else found

    def farthest(point: list[Value]) -> int:
        return int(np.where(left, far(point, True), -1.0).argmax())

    def middle(tuples: list[int] | Ints) -> list[Value]:
        return centre(own, columns[:, tuples], mass[tuples])

    def grow(one: int) -> None:
        members, point = [one], values_of(own, columns, one)
        left[one] = False
        while records.counts[members].sum() < k:
            members.append(int(np.where(left, far(point, weighted), np.inf).argmin()))
            left[members[-1]] = False
            point = point if static else middle(members)
        clusters.append(members)

    while records.counts[left].sum() >= k:
        r = farthest(middle(np.flatnonzero(left)))
        grow(r)
        if records.counts[left].sum() >= k:
            grow(farthest(values_of(own, columns, r)))
    centres = [middle(c) if len(c) > 1 else values_of(own, columns, c[0]) for c in clusters]
    for one in np.flatnonzero(left).tolist():
        near = [distances(own, records.shares, point, columns[:, [one]])[0] for point in centres]
        clusters[int(np.argmin(near))].append(one)
    return Groups.of([(one, int(records.counts[one]), g) for g, c in enumerate(clusters) for one in c])


def same(a: Groups, b: Groups) -> bool:
    return all(np.array_equal(getattr(a, x), getattr(b, x)) for x in ("source", "share", "group"))


@pytest.mark.parametrize("shape", [(13, 1), (13, 1, 2), (13, 2), (13, 4, 16), (40, 1), (1, 5)])
def test_parts_are_added_up_in_their_order(shape: tuple[int, ...]) -> None:
    for seed in range(20):
        parts = np.random.default_rng(seed).random(shape)
        total = parts[0].copy()
        for part in parts[1:]:
            total += part
        assert (added(parts) == total).all()


@given(records=tables(), data=st.data())
def test_the_nearest_and_the_farthest_are_those_of_all_compared(records: Records, data: st.DataObject) -> None:
    own: list[Metric] = [attribute.metric for attribute in records.attributes]
    columns, mass, left = records.codes.T, records.mass, list(range(len(records)))
    with small_blocks():
        points = Points(own, records.shares, columns)
        near, far = Nearest(points, mass), Farthest(points, mass)
        kept: Aim | None = None
        while len(left) > 1:
            some = data.draw(st.lists(st.sampled_from(left), min_size=1, max_size=3, unique=True))
            point = centre(own, columns[:, some], mass[some])
            d = distances(own, records.shares, point, columns)
            assert near.nearest(point) == min(left, key=lambda i: d[i])
            assert near.ties(point)[0] == d[left].min()
            number = data.draw(st.integers(1, 6))
            assert near.several(point, number).tolist() == sorted(left, key=lambda i: (d[i], i))[:number]
            assert near.nearest(point, weighted=True) == min(left, key=lambda i: mass[i] * d[i])
            assert Aim(far, point).farthest() == max(left, key=lambda i: mass[i] * d[i])
            kept = Aim(far, point) if kept is None or kept.order is not far.order else kept
            d = distances(own, records.shares, kept.point, columns)
            assert kept.farthest() == max(left, key=lambda i: mass[i] * d[i])
            one = some[0]
            d = np.round(distances(own, records.shares, values_of(own, columns, one), columns), DIGITS)
            others = [i for i in left if i != one]
            least, found = near.others(one, DIGITS)
            assert least == d[others].min()
            assert found.tolist() == [i for i in others if d[i] == least]
            gone = data.draw(st.sampled_from(left))
            left.remove(gone)
            near.remove(gone)
            far.remove(gone)


@given(records=tables(), data=st.data())
def test_the_centroid_of_those_left_is_that_of_their_tuples(records: Records, data: st.DataObject) -> None:
    own: list[Metric] = [attribute.metric for attribute in records.attributes]
    columns, left = records.codes.T, list(range(len(records)))
    middle = RunningCentroid(Points(own, records.shares, columns), columns, records.mass)
    while left:
        assert middle.value() == centre(own, columns[:, left], records.mass[left])
        for one in data.draw(st.lists(st.sampled_from(left), min_size=1, max_size=3, unique=True)):
            left.remove(one)
            middle.remove(one)
    assert not middle.left().size


def test_of_tuples_that_weigh_nothing_each_counts_once() -> None:
    own: list[Metric] = [NumericMetric([1.0, 4.0], 1), EqualityMetric(["a", "b"])]
    columns = np.array([[0, 0, 1], [0, 1, 0]])
    middle = RunningCentroid(Points(own, np.array([0.5, 0.5]), columns), columns, np.zeros(3))
    assert middle.value() == [2.0, "a"]


@given(records=tables(), k=st.integers(2, 5), weighted=st.booleans(), static=st.booleans())
def test_groups_are_those_of_the_plain_algorithm(records: Records, k: int, weighted: bool, static: bool) -> None:
    if records.n < k:
        return
    growth = "weighted" if weighted else "plain"
    own = [attribute.metric for attribute in records.attributes]
    with small_blocks():
        groups = sa_mdav(records, own, k, no_progress, growth=growth, static=static)
    assert same(groups, plain(records, k, weighted, static))


@pytest.mark.parametrize("weighted", [False, True])
def test_many_tuples_are_grouped_as_by_the_plain_algorithm(weighted: bool) -> None:
    rng = np.random.default_rng(3)
    t = taxonomy({0: [], **{c: [(c - 1) // 3] for c in range(1, 40)}})
    attributes = [
        Attribute("word", "text", ConceptMetric([*range(40), None], Scope(t, t.root))),
        Attribute("age", "numeric", NumericMetric([float(x) for x in range(30)])),
        *(Attribute(f"c{i}", "category", EqualityMetric(list("abcdefg"))) for i in range(3)),
    ]
    columns = [(len(a.values) * rng.random(1700) ** 2).astype(np.int64) for a in attributes]
    records = Records.of(attributes, columns)
    assert len(records) > 1.4 * nearest.MIN_BLOCKED  # laid out in blocks, and anew
    groups = sa_mdav(
        records, [a.metric for a in attributes], 4, no_progress, growth="weighted" if weighted else "plain"
    )
    assert same(groups, plain(records, 4, weighted, static=False))


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_a_centroid_depends_on_what_each_value_counts_alone(kind: str, data: st.DataObject) -> None:
    metric = data.draw(metrics(kind))
    codes = np.array(data.draw(st.lists(st.integers(0, len(metric.values) - 1), min_size=1, max_size=12)))
    counts = np.array(data.draw(st.lists(st.integers(1, 5), min_size=len(codes), max_size=len(codes))), np.float64)
    total = np.bincount(codes, counts)
    here = np.flatnonzero(total)
    assert metric.centroid(codes, counts) == metric.centroid(here, total[here])
