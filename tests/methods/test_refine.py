"""Refined groups: they hold what is promised, lose less, and nothing simple is left to be gained."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import dags, taxonomy

import allonym as al
from allonym.kinds.category import EqualityMetric
from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.dominance import DominanceRule
from allonym.kinds.numeric import NumericMetric
from allonym.measures import loss
from allonym.methods import METHODS, refine
from allonym.methods.blocks import Blocks
from allonym.methods.groups import Groups
from allonym.methods.kernels.group_state import NEW
from allonym.methods.kernels.search import Search
from allonym.methods.kernels.walks import start_along, walk
from allonym.methods.replacement.least_squares import standing_of
from allonym.methods.represent import represent
from allonym.ontology.scope import Scope
from allonym.privacy.l_diversity import LDiversity
from allonym.progress import no_progress
from allonym.records import Attribute, Masking, Pairs, Records, Requirement, SensitiveColumns

METHODS_THAT_GROUP = [x for x in METHODS if "refine" in METHODS[x].__dataclass_fields__]
Partition = list[frozenset[int]]


def line(*numbers: float) -> Records:
    """Make records of one column of numbers."""
    values = sorted(set(numbers))
    attribute = Attribute("x", "numeric", NumericMetric(values, decimals=3))
    return Records.of([attribute], [[values.index(x) for x in numbers]])


def groups_of(*groups: list[int]) -> Groups:
    """Make groups of tuples of one row each."""
    return Groups.of([(x, 1, g) for g, members in enumerate(groups) for x in members])


def parts(groups: Groups) -> list[list[int]]:
    return [groups.source[x].tolist() for x in groups.members()]


def better(records: Records, groups: Groups, k: int, way: str = "centroid") -> list[list[int]]:
    metrics = [x.metric for x in records.attributes]
    return sorted(parts(refine.refined(records, groups, k, metrics, way, no_progress).groups))


def test_a_record_moves_to_a_group_that_is_nearer() -> None:
    assert better(line(0, 1, 2, 10, 11), groups_of([0, 1, 2, 3], [4]), 1) != [[0, 1, 2, 3], [4]]
    assert better(line(0, 1, 8, 10, 11), groups_of([0, 1, 2], [3, 4]), 2) == [[0, 1], [2, 3, 4]]


def test_records_are_swapped_where_none_can_leave() -> None:
    assert better(line(0, 1, 10, 11), groups_of([0, 2], [1, 3]), 2) == [[0, 1], [2, 3]]


def test_a_group_is_dissolved_into_those_around_it() -> None:
    assert better(line(0, 1, 2, 20, 21, 22), groups_of([0, 1], [2, 3], [4, 5]), 2) == [[0, 1, 2], [3, 4, 5]]


def test_a_group_is_split_where_it_falls_apart() -> None:
    assert better(line(0, 1, 20, 21), groups_of([0, 1, 2, 3]), 2) == [[0, 1], [2, 3]]
    assert better(line(0, 1, 20, 21, 40, 41), groups_of([0, 1, 2, 3], [4, 5]), 2) == [[0, 1], [2, 3], [4, 5]]


def search_of(records: Records, groups: Groups, k: int) -> Search:
    metrics = [x.metric for x in records.attributes]
    standing = standing_of(records, groups, k, metrics, "centroid")
    return Search(refine.pieces_of(records, groups, k), standing)


def test_what_may_be_done_about_a_record() -> None:
    records = line(0, 1, 2, 20, 21, 40)
    search = search_of(records, groups_of([0, 1, 2], [3, 4, 5]), 2)
    found = list(search.changes(2))
    assert {0: (0, 1), 1: (2, 3, 4, 5)} in found  # it moves
    assert {0: (), 1: (0, 1, 2, 3, 4, 5)} in found  # its group joins the other
    assert {0: (0,), NEW: (1, 2)} not in found  # what would be left has not enough
    three = search_of(records, groups_of([0, 1, 2], [3, 4, 5]), 3)
    found = list(three.changes(2))
    assert {0: (0, 1, 3), 1: (2, 4, 5)} in found  # it is swapped
    assert {0: (), 1: (0, 1, 2, 3, 4, 5)} in found
    assert not any(len(x) < 3 for change in found for x in change.values() if x)


def test_another_record_takes_the_place_of_one_that_leaves() -> None:
    records = line(0, 1, 10, 11, 12, 20, 21)
    search = search_of(records, groups_of([0, 1], [2, 3, 4], [5, 6]), 2)
    assert {0: (0, 2), 1: (3, 4), 2: (1, 5, 6)} in list(search.changes(1))  # 2 can leave its group, 3 rows


def consecutive(order: list[int], k: int) -> Iterator[list[list[int]]]:
    """Yield all groups of at least k that follow each other."""
    if not order:
        yield []
    for end in range(k, len(order) + 1):
        yield from ([order[:end], *rest] for rest in consecutive(order[end:], k))


@settings(max_examples=20)
@given(st.lists(st.integers(0, 40), min_size=4, max_size=9), st.integers(2, 3), st.data())
def test_groups_along_a_walk_lose_least(numbers: list[int], k: int, data: st.DataObject) -> None:
    records = line(*(float(x) for x in set(numbers)))
    size = len(records)
    if size < k:
        return
    search = search_of(records, groups_of(list(range(size))), k)
    order = data.draw(st.permutations(range(size)))
    least = min(sum(search.weigh(tuple(sorted(x)))[0] for x in cuts) for cuts in consecutive(list(order), k))
    start_along(search, np.array(order), no_progress)
    assert search.loss() == pytest.approx(least)


def test_a_walk_goes_through_related_values_one_after_the_other() -> None:
    numbers = [7.0, 1.0, 5.0, 3.0, 9.0]
    records = line(*numbers)
    order = walk(refine.pieces_of(records, groups_of([0, 1, 2, 3, 4]), 2)).tolist()
    assert order in ([0, 1, 2, 3, 4], [4, 3, 2, 1, 0])  # values are sorted in `line`
    tree = taxonomy({0: [], 1: [0], 2: [0], 3: [1], 4: [2], 5: [1], 6: [2], 7: [1], 8: [2]})
    words = Attribute("word", "text", ConceptMetric(list(range(9)), Scope(tree, tree.root)))
    leaves = Records.of([words], [np.array([3, 4, 5, 6, 7, 8])])
    pieces = refine.pieces_of(leaves, groups_of([0, 1, 2, 3, 4, 5]), 2)
    parents = [int(leaves.codes[x, 0]) % 2 for x in walk(pieces)]  # odd leaves are under 1, even ones under 2
    assert parents in ([0, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0])


def test_the_search_starts_along_a_walk_that_loses_much_less() -> None:
    records = line(*(float(x) for x in range(400)))
    metrics = [x.metric for x in records.attributes]
    search = refine._searched if refine.kernels is None else refine._compiled

    def losses(groups: Groups) -> list[float]:
        pieces, standing = refine.pieces_of(records, groups, 4), standing_of(records, groups, 4, metrics, "centroid")
        steps = refine.Effort().steps(400, walk(pieces))
        assert [step[0] for step in steps] == ["walk", "choose", "descend", "regroup"]
        return search(pieces, standing, steps[:2], None, no_progress)[1]

    before, along_walk, chosen = losses(Groups.of([(x, 1, x % 100) for x in range(400)]))
    assert chosen == along_walk < 0.01 * before
    before, along_walk, chosen = losses(Groups.of([(x, 1, x // 4) for x in range(400)]))
    assert chosen == before == along_walk  # nothing is gained: the groups before are kept


@st.composite
def tables(draw: st.DrawFn) -> tuple[Records, int]:
    """Draw a small table of words, a category and a number, and k."""
    graph = draw(dags(min_size=4))
    tree = taxonomy(graph)
    words = ConceptMetric(list(graph), Scope(tree, tree.root))
    n = draw(st.integers(4, 14))
    columns = [draw(st.lists(st.integers(0, size - 1), min_size=n, max_size=n)) for size in (len(graph), 2, 4)]
    attributes = [
        Attribute("word", "text", words),
        Attribute("sex", "category", EqualityMetric(["f", "m"])),
        Attribute("age", "numeric", NumericMetric([20.0, 31.0, 44.0, 60.0], rule=DominanceRule(p=0, k=100))),
    ]
    return Records.of(attributes, columns), draw(st.integers(2, min(4, n)))


def squares(records: Records, partition: Partition, k: int, representative: str = "centroid") -> float:
    """Return Σ ω·d² of some groups, with what would be written for them."""
    pieces = [(x, int(records.counts[x]), g) for g, members in enumerate(partition) for x in members]
    groups = Groups.of(pieces)
    codes, attributes = represent(records, groups, k, [x.metric for x in records.attributes], representative)
    return loss.sse(Pairs.of(records, Masking(groups.source, groups.share, groups.group, codes, attributes)))


def moved(partition: Partition) -> Iterator[Partition]:
    """Yield what comes of moving one, of swapping two, and of joining two groups."""
    for one, other in combinations(partition, 2):
        rest = [x for x in partition if x not in (one, other)]
        yield [*rest, one | other]
        yield from ([*rest, one - {x}, other | {x}] for x in one if len(one) > 1)
        yield from ([*rest, one | {x}, other - {x}] for x in other if len(other) > 1)


@given(tables(), st.sampled_from(["centroid", "truthful"]))
def test_nothing_is_gained_by_moving_one_more(table: tuple[Records, int], represent: str) -> None:
    records, k = table
    masking = al.SAMDAV(k=k, refine=True, represent=represent).mask(records)
    groups = Groups(masking.source, masking.share, masking.groups)
    partition = [frozenset(x) for x in parts(groups)]
    total = squares(records, partition, k, represent)
    for other in moved(partition):
        if len(other) == len(partition) and all(records.counts[list(x)].sum() >= k for x in other):
            left = next(x for x in partition if any(y < x for y in other))
            rest = next(y for y in other if y < left)
            spared = squares(records, [rest], k, represent) < squares(records, [left], k, represent)
            assert not spared or squares(records, other, k, represent) >= total * (1 - 1e-6) - 1e-12


@pytest.mark.parametrize("name", METHODS_THAT_GROUP)
@settings(max_examples=20)
@given(table=tables())
def test_less_is_lost_and_k_is_kept(name: str, table: tuple[Records, int]) -> None:
    records, k = table
    plain, finer = (METHODS[name](k=k, refine=x).mask(records, 3) for x in (False, True))  # type: ignore[call-arg]
    assert loss.sse(Pairs.of(records, finer)) <= loss.sse(Pairs.of(records, plain)) * (1 + 1e-12)
    assert np.bincount(finer.groups, weights=finer.share).min() >= k
    assert np.bincount(finer.source, weights=finer.share).tolist() == records.counts.tolist()
    again = METHODS[name](k=k, refine=True).mask(records, 3)  # type: ignore[call-arg]
    assert all(np.array_equal(getattr(finer, x), getattr(again, x)) for x in ("source", "share", "groups", "codes"))


def test_refinement_starts_from_the_groups_of_an_unrefined_run() -> None:
    tree = taxonomy({0: [], 1: [0], 2: [0], 3: [0], 4: [0], 5: [0, 3], 6: [0], 7: [0], 8: [5]})
    attributes = [
        Attribute("word", "text", ConceptMetric(list(range(9)), Scope(tree, tree.root))),
        Attribute("sex", "category", EqualityMetric(["f", "m"])),
        Attribute("age", "numeric", NumericMetric([20.0, 31.0, 44.0, 60.0], rule=DominanceRule(p=0, k=100))),
    ]
    tuples = [(0, 0, 0), (0, 1, 0), (0, 1, 1), (0, 1, 2), (3, 1, 0), (3, 1, 1), (8, 1, 0)]
    columns = np.repeat(tuples, [7, 2, 1, 1, 1, 1, 1], axis=0).T
    records = Records.of(attributes, list(columns))
    plain, finer = (al.SMDAV(k=3, refine=x).mask(records, 3) for x in (False, True))
    assert loss.sse(Pairs.of(records, finer)) <= loss.sse(Pairs.of(records, plain)) * (1 + 1e-12)


@given(tables(), st.data())
def test_persons_and_sensitive_values_are_kept_apart_as_demanded(
    table: tuple[Records, int], data: st.DataObject
) -> None:
    records, k = table
    assert records.inverse is not None
    n = records.n
    units = np.unique(data.draw(st.lists(st.integers(0, n - 1), min_size=n, max_size=n)), return_inverse=True)[1]
    illness = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    attribute = Attribute("illness", "category", EqualityMetric(["flu", "cold", "gout"]))
    requirement = Requirement(LDiversity(min(2, len(np.unique(illness)))), 0)
    k = min(k, len(np.unique(units)))
    full = replace(
        records, units=units.astype(np.int64), sensitive=SensitiveColumns((attribute,), (illness,), (requirement,))
    )
    plain, finer = (al.SAMDAV(k=k, refine=x).mask(full) for x in (False, True))
    begun = Groups(plain.source, plain.share, plain.groups)
    own = [x.metric for x in full.attributes]
    alone = refine.refined(full, begun, k, own, "centroid", no_progress).groups
    for source, groups in (
        (finer.source, finer.groups),
        (alone.source, alone.group),
    ):  # before it is looked at again, too
        rows = groups[np.argsort(source)][records.inverse]
        for group in range(int(groups.max()) + 1):
            assert len(np.unique(units[rows == group])) >= k
            assert len(np.unique(illness[rows == group])) >= requirement.model.asked


def test_work_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    records = line(*rng.integers(0, 1000, 300).astype(float))
    metrics = [x.metric for x in records.attributes]
    begun = Groups.of([(x, int(c), x % 20) for x, c in enumerate(records.counts)])
    longer = refine.refined(records, begun, 2, metrics, "centroid", no_progress)
    monkeypatch.setattr(refine, "WORK_PER_PIECE", 1)
    monkeypatch.setattr(refine, "MIN_WORK", 1)
    monkeypatch.setattr(refine, "REGROUPED_PER_PIECE", 0)
    short = refine.refined(records, begun, 2, metrics, "centroid", no_progress)
    assert longer.loss < short.loss <= short.loss_before

    def lost(groups: Groups) -> float:
        codes, attributes = represent(records, groups, 2, metrics)
        return loss.sse(Pairs.of(records, Masking(groups.source, groups.share, groups.group, codes, attributes)))

    assert lost(longer.groups) < lost(short.groups) <= lost(begun)


def test_the_time_is_limited() -> None:
    records = line(*np.random.default_rng(1).integers(0, 1000, 300).astype(float))
    metrics = [x.metric for x in records.attributes]
    begun = Groups.of([(x, int(c), x % 20) for x, c in enumerate(records.counts)])
    found = refine.refined(records, begun, 2, metrics, "centroid", no_progress, refine.Effort(seconds=0.05))
    assert found.loss <= found.loss_before
    assert al.SAMDAV(k=2, time_limit=0.05).mask(records).groups.max() > 0


@pytest.mark.parametrize("blocks", [None, Blocks(start=50, size=40)])
@pytest.mark.parametrize("represent", ["auto", "centroid", "least-squares"])
def test_a_tiny_time_limit_yields_groups_of_k(represent: str, blocks: Blocks | None) -> None:
    records = line(*np.random.default_rng(1).integers(0, 1000, 300).astype(float))
    plain = al.SAMDAV(k=3, represent=represent, refine=False).mask(records, 0, blocks=blocks)
    masking = al.SAMDAV(k=3, represent=represent, time_limit=1e-6).mask(records, 0, blocks=blocks)
    assert np.bincount(masking.groups, weights=masking.share).min() >= 3
    assert loss.sse(Pairs.of(records, masking)) <= loss.sse(Pairs.of(records, plain)) * (1 + 1e-12)


def test_of_several_runs_the_best_is_taken() -> None:
    records = line(*np.random.default_rng(2).integers(0, 60, 80).astype(float))
    once, often = (al.SAMDAV(k=3, refine=False, restarts=x).mask(records, 5) for x in (1, 10))
    assert loss.sse(Pairs.of(records, often)) <= loss.sse(Pairs.of(records, once))
