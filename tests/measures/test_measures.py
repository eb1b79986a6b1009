"""Every measure agrees with a slow version written from its formula, on random tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pytest
import slow_masking
import slow_measures as slow
from hypothesis import given
from hypothesis import strategies as st
from strategies import Dag, dags, taxonomy

from allonym import privacy
from allonym.kinds.category import EqualityMetric
from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.numeric import NumericMetric
from allonym.measures import clusters, loss, risk
from allonym.measures.dendrogram import dendrograms
from allonym.ontology.scope import Scope
from allonym.records import Attribute, Pairs

NUMBERS, SEXES = (1.0, 2.0, 5.0, None), ("f", "m", None)
Row = tuple[Any, ...]


@dataclass
class Drawn:
    """A table before and after masking, row by row, and the same as measures take it."""

    parents: dict[str, list[str]]
    original: list[Row]
    masked: list[Row]
    weights: list[float] | None
    persons: list[int] | None
    sensitive: list[Row]
    pairs: Pairs
    largest: int  # depth

    @property
    def distances(self) -> list[Callable[[Any, Any], float]]:
        word = partial(slow_masking.wu_palmer_distance, self.parents)
        return [word, lambda a, b: slow_masking.numeric(a, b, 4.0), slow_masking.equality]

    @property
    def losses(self) -> list[Callable[[Any, Any], float]]:
        """The distances, but for null."""
        names = (lambda v: f"c{v}" if isinstance(v, int) else v, lambda v: v, lambda v: v)
        centroids = slow.centroids_of(self.pairs.attributes, self.pairs.original, self.pairs.mass, names)
        return slow.counting_nulls(self.distances, self.original, centroids, self.weights)

    def record_distance(self, a: Row, b: Row) -> float:
        return sum(d(x, y) for d, x, y in zip(self.distances, a, b, strict=True)) / 3


@st.composite
def drawn(draw: st.DrawFn, max_size: int = 14) -> Drawn:
    dag: Dag = draw(dags(7))
    words = [*(f"c{c}" for c in dag), "?x", None]
    row = st.tuples(st.sampled_from(words), st.sampled_from(NUMBERS), st.sampled_from(SEXES))
    original = draw(st.lists(row, min_size=1, max_size=max_size))
    n = len(original)
    masked = draw(st.lists(st.sampled_from([*original, *draw(st.lists(row, max_size=3))]), min_size=n, max_size=n))
    sensitive = draw(st.lists(row, min_size=n, max_size=n))
    persons = draw(st.none() | st.lists(st.integers(0, 5), min_size=n, max_size=n))
    who = list(range(n)) if persons is None else persons
    weight_of = draw(st.none() | st.lists(st.sampled_from([0.5, 1.0, 2.0, 7.0]), min_size=20, max_size=20))
    weights = None if weight_of is None else [weight_of[p] for p in who]
    t = taxonomy(dag)
    attributes = (
        Attribute("word", "text", ConceptMetric([*dag, "?x", None], Scope(t, t.root))),
        Attribute("number", "numeric", NumericMetric(NUMBERS, 1)),
        Attribute("sex", "category", EqualityMetric(SEXES)),
    )

    def codes(rows: list[Row]) -> list[np.ndarray]:
        known = (words, NUMBERS, SEXES)
        return [np.array([values.index(r[a]) for r in rows]) for a, values in enumerate(known)]

    pairs = Pairs.of_rows(
        attributes,
        codes(original),
        codes(masked),
        weights=None if weights is None else np.array(weights),
        units=None if persons is None else np.array(persons),
        sensitive=attributes,
        sensitive_codes=codes(sensitive),
    )
    named = {f"c{c}": [f"c{p}" for p in ps] for c, ps in dag.items()}
    return Drawn(named, original, masked, weights, persons, sensitive, pairs, t.deepest)


@given(drawn())
def test_meaning(table: Drawn) -> None:
    rows = table.original, table.masked
    assert loss.semantic_quality(table.pairs) == pytest.approx(
        slow.semantic_quality(*rows, table.losses, table.weights), abs=1e-9
    )
    assert loss.content_loss(table.pairs) == pytest.approx(slow.local_ic_loss(*rows, table.weights), abs=1e-9)
    words = [[(row[0],) for row in each] for each in rows]

    def links(a: Any, b: Any) -> float:
        if a == b or not (slow_masking.is_linked(a) and slow_masking.is_linked(b)):
            return 0 if a == b else 2 * table.largest
        return slow_masking.reference.path(table.parents, a, b)

    expected = slow.mean_path(*words, [links], table.weights)
    assert loss.path_distance(table.pairs) == pytest.approx(expected, abs=1e-9)


@given(drawn())
def test_generalisation_and_groups(table: Drawn) -> None:
    data = [{row[a] for row in table.original} for a in range(3)]
    word = partial(slow_masking.wu_palmer_distance, table.parents)
    number = table.distances[1]
    cells = [
        [
            lambda a, b, leaf=leaf: leaf(table.parents, data[0], a, b, word),
            number,
            lambda a, b, leaf=leaf: leaf({}, data[2], a, b, slow_masking.equality),
        ]
        for leaf in (slow.leaf_loss, slow.leaf_penalty)
    ]
    rows = table.original, table.masked
    assert loss.loss_metric(table.pairs) == pytest.approx(slow.loss_metric(*rows, cells[0], table.weights), abs=1e-9)
    assert loss.certainty_penalty(table.pairs) == pytest.approx(slow.ncp(*rows, cells[1], table.weights), abs=1e-9)
    assert loss.discernibility(table.pairs) == slow.discernibility(table.masked)
    assert loss.group_size(table.pairs, 3) == pytest.approx(slow.average_group_size(table.masked, 3))


@given(drawn())
def test_linkage_by_meaning(table: Drawn) -> None:
    expected = slow.semantic_linkage(table.original, table.masked, table.distances, table.persons)
    found = risk.semantic_linkage(table.pairs)
    assert (found.value, found.interval) == (pytest.approx(expected, abs=1e-9), None)


@given(drawn())
def test_linkage_by_text(table: Drawn) -> None:
    who = table.persons or list(range(len(table.original)))
    found = []
    for now, person in zip(table.masked, who, strict=True):
        alike = [other for was, other in zip(table.original, who, strict=True) if was == now]
        found.append(alike.count(person) / len(alike) if alike else 0)
    assert risk.record_linkage(table.pairs) == pytest.approx(100 * sum(found) / len(found))
    guess = sum(who.count(p) / len(who) for p in who) / len(who)
    assert risk.blind_guess(table.pairs) == pytest.approx(100 * guess)
    before = slow.semantic_linkage(table.original, table.original, table.distances, table.persons)
    assert risk.semantic_linkage(table.pairs.unmasked).value == pytest.approx(before)


@given(drawn(), st.sampled_from([0.1, 0.3, 0.5]))
def test_risks_of_groups(table: Drawn, threshold: float) -> None:
    expected = slow.record_risks(table.masked, table.persons, table.weights)
    sees, reads = risk.prosecutor(table.pairs, threshold), risk.journalist(table.pairs, threshold)
    assert sees[:2] == pytest.approx((expected["prosecutor_max"], expected["prosecutor_mean"]))
    assert reads[:2] == pytest.approx((expected["journalist_max"], expected["journalist_mean"]))
    assert risk.marketer(table.pairs) == pytest.approx(expected["marketer"])
    for found, who in ((sees, "prosecutor"), (reads, "journalist")):
        above = slow.share_above(table.masked, table.persons, table.weights, threshold, who)
        assert found.above == pytest.approx(above)
    assert risk.uniqueness(table.pairs) == pytest.approx(100 * slow.unique_share(table.masked, table.persons))
    before = slow.unique_share(table.original, table.persons)
    assert risk.uniqueness(table.pairs.unmasked) == pytest.approx(100 * before)


@given(drawn(), st.sampled_from([0, 1, 2]), st.sampled_from([1.0, 2.0, 3.0]))
def test_privacy_models(table: Drawn, column: int, c: float) -> None:
    sensitive = [row[column] for row in table.sensitive]
    given = table.masked, sensitive, table.persons
    word = partial(slow_masking.wu_palmer_distance, table.parents)
    ground = (word, slow.ordered_ground({x for x in sensitive if x is not None}), slow_masking.equality)[column]
    assert privacy.l_diversity(table.pairs, column) == slow.distinct_l(*given)
    assert privacy.entropy_l_diversity(table.pairs, column) == pytest.approx(slow.entropy_l(*given))
    assert privacy.recursive_l_diversity(table.pairs, column, c) == slow.recursive_l(*given, c)
    assert privacy.t_closeness(table.pairs, column) == pytest.approx(slow.t_closeness(*given, ground), abs=1e-8)
    assert privacy.k_anonymity(table.pairs) == slow_masking.k_of(table.masked, table.persons)


@given(drawn(), st.integers(1, 5))
def test_clusters_before_and_after(table: Drawn, number: int) -> None:
    points = sorted(set(table.original), key=str)
    rng = np.random.default_rng(len(points))
    far = rng.random((len(points), len(points)))  # distances without ties, so that there is one answer
    far = np.triu(far, 1) + np.triu(far, 1).T
    counts = rng.integers(1, 5, len(points)).astype(float)
    place = {point: i for i, point in enumerate(points)}
    expected = slow.ward(points, counts.tolist(), lambda a, b: float(far[place[a], place[b]]), number)
    assert clusters.ward(far, counts, number).tolist() == expected
    one, other = ([hash(row[a]) % 4 for row in table.original] for a in (0, 1))
    mass = np.array(table.weights or [1.0] * len(one))
    assert clusters.partition_distance(np.array(one), np.array(other), mass) == pytest.approx(
        slow.partition_distance(one, other, table.weights), abs=1e-12
    )
    same = clusters.clustering_distance(table.pairs.unmasked, number)
    assert same == 0
    assert 0 <= clusters.clustering_distance(table.pairs, number) <= 1 + 1e-12


@given(st.integers(4, 12), st.integers(0, 50))
def test_the_variance_ratio_of_each_cut(size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    far = np.triu(rng.random((size, size)), 1)
    far, counts = far + far.T, rng.integers(1, 5, size).astype(float)
    tree = clusters.WardTree(clusters.ward_unions(far, counts), np.arange(size), counts)
    expected = [
        slow.variance_ratio(tree.cut(c).tolist(), counts.tolist(), lambda a, b: float(far[a, b]))
        for c in range(2, size)
    ]
    assert tree.variance_ratios == pytest.approx(expected, rel=1e-9)
    falls = [i for i in range(1, len(expected)) if expected[i] < expected[i - 1]]
    assert tree.suggested == (falls[0] + 1 if falls else int(np.argmax(expected)) + 2)


def test_clear_clusters_are_counted() -> None:
    points = np.concatenate([np.linspace(0, 0.04, 5) + x for x in (0.0, 1.0, 3.0)])
    far = np.abs(points[:, None] - points) / 4
    assert clusters.WardTree(clusters.ward_unions(far, np.ones(15)), np.arange(15), np.ones(15)).suggested == 3
    two = clusters.WardTree(clusters.ward_unions(far[:2, :2], np.ones(2)), np.arange(2), np.ones(2))
    assert two.suggested == 2


@given(drawn(), st.sampled_from([2, 3, 5, "auto"]))
def test_dendrograms_unite_all_records(table: Drawn, number: int | str) -> None:
    trees = dendrograms(table.pairs, number)
    assert trees.distance == pytest.approx(clusters.clustering_distance(table.pairs, number))
    for tree in (trees.before, trees.after):
        shares = np.array(tree.clusters)
        assert shares.sum() == pytest.approx(1)
        assert len(tree.unions) == len(tree.clusters) - 1
        assert all(union.height >= max(union.heights) - 1e-12 for union in tree.unions)
        assert all(union.places[0] < union.places[1] for union in tree.unions)
    assert all((np.array(parts) > 0).sum() == 1 for parts in trees.before.clusters)
    assert np.array(trees.after.clusters).sum(axis=0).tolist() == pytest.approx(
        np.array(trees.before.clusters).sum(axis=0).tolist()
    )


@given(drawn(), st.data())
def test_two_releases_together(table: Drawn, data: st.DataObject) -> None:
    n = len(table.pairs.counts)
    earlier = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    alone = table.pairs
    together = replace(alone, group_ids=risk.together(alone.groups, earlier))
    rows = np.repeat(np.arange(n), table.pairs.counts)
    persons = None if table.pairs.units is None else table.pairs.units[rows].tolist()
    smallest, _, unique = slow.intersection(alone.groups[rows].tolist(), earlier[rows].tolist(), persons)
    assert privacy.k_anonymity(together) == smallest <= privacy.k_anonymity(alone)
    assert risk.uniqueness(together) == pytest.approx(100 * unique)
