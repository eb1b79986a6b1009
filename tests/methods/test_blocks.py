"""Blocks: related meaning together, not too large, the same wherever they are worked on; and k always holds."""

from __future__ import annotations

import math
import pickle
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import Dag, dags, taxonomy

import allonym as al
from allonym.kinds.blend import BlendedMetric
from allonym.kinds.category import EqualityMetric
from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.numeric import NumericMetric
from allonym.kinds.ordinal import OrdinalMetric
from allonym.kinds.set_metric import SetMetric
from allonym.methods import METHODS, blocks
from allonym.methods.blocks import Block, Blocks, Partitioning, Tick, grouped, in_turn, partitioned
from allonym.methods.groups import Groups, centre, distances, values_of
from allonym.methods.kernels import split as cuts
from allonym.ontology.scope import Scope
from allonym.progress import no_progress
from allonym.records import Attribute, Masking, Records

BLOCKED = ("sa-mdav", "sa-mdav-static", "s-mdav", "abril", "mdav", "fusion")
METRICS = ("taxonomy", "blend", "equality", "numeric", "ordinal", "sets")
JOBS = al.read_taxonomy(Path(__file__).parents[1] / "data" / "mini-jobs.csv")
NUMBERS = (1.0, 2.0, 5.0, 9.0, None)
methods = pytest.mark.parametrize("name", BLOCKED)
few = settings(max_examples=15)
Row = tuple[int, int, int]


@st.composite
def drawn_tables(draw: st.DrawFn, min_size: int = 2) -> tuple[Dag, list[Row], list[float] | None]:
    """Draw a graph of words; rows of words, numbers and categories by code; survey weights or none."""
    parents = draw(dags(9))
    cells = st.tuples(st.integers(0, len(parents) + 1), st.integers(0, 4), st.integers(0, 2))
    rows = draw(st.lists(cells, min_size=min_size, max_size=60))
    weights = st.lists(st.floats(0.25, 4.0), min_size=len(rows), max_size=len(rows))
    return parents, rows, draw(st.none() | weights)


def records_of(drawn: tuple[Dag, list[Row], list[float] | None]) -> Records:
    parents, rows, weights = drawn
    t = taxonomy(parents)
    attributes = [
        Attribute("word", "text", ConceptMetric([*parents, "?alone", None], Scope(t, t.root))),
        Attribute("number", "numeric", NumericMetric(NUMBERS, 1)),
        Attribute("sex", "category", EqualityMetric(["f", "m", None])),
    ]
    return Records.of(attributes, list(zip(*rows, strict=True)), weights=None if weights is None else np.array(weights))


class Seen:
    """Works on blocks as usual, and remembers them."""

    def __init__(self) -> None:
        self.runs: list[list[Block]] = []

    def __call__(self, method: Partitioning, some: Sequence[Block], seed: int, tick: Tick) -> list[Groups]:
        self.runs.append(list(some))
        return in_turn(method, some, seed, tick)


def elsewhere(method: Partitioning, some: Sequence[Block], seed: int, tick: Tick) -> list[Groups]:
    """Work on copies of blocks, from the last to the first."""
    copies = [pickle.loads(pickle.dumps((method, x, seed))) for x in reversed(some)]
    return [partitioned(*copy) for copy in copies][::-1]


def same(a: Masking, b: Masking) -> bool:
    return all(np.array_equal(getattr(a, x), getattr(b, x)) for x in ("source", "share", "groups", "codes"))


@methods
@few
@given(drawn=drawn_tables(), k=st.integers(2, 4), size=st.integers(1, 30), seed=st.integers(0, 3))
def test_every_row_is_in_a_group_of_k_and_no_block_is_too_large(
    name: str, drawn: tuple[Dag, list[Row], list[float] | None], k: int, size: int, seed: int
) -> None:
    records, seen = records_of(drawn), Seen()
    assume(records.n >= k)
    masking = METHODS[name](k=k).mask(records, seed, blocks=Blocks(0, size, seen))
    assert np.bincount(masking.groups, weights=masking.share).min() >= k
    assert np.bincount(masking.source, weights=masking.share).tolist() == records.counts.tolist()
    for run in seen.runs:
        assert max(map(len, run)) <= max(size, 2 * k)
        assert min(x.n for x in run) >= k
        assert len(np.concatenate([x.codes for x in run])) == len({tuple(c) for x in run for c in x.codes.tolist()})
    first = sorted((*c, n) for x in seen.runs[0] for c, n in zip(x.codes.tolist(), x.counts.tolist(), strict=True))
    assert sorted(x[-1] for x in first) == sorted(records.counts.tolist())
    assert sum(x.mass.sum() for x in seen.runs[0]) == pytest.approx(records.mass.sum())


@methods
@few
@given(drawn=drawn_tables(), k=st.integers(2, 4), size=st.integers(4, 20))
def test_it_does_not_matter_who_works_on_a_block_and_when(
    name: str, drawn: tuple[Dag, list[Row], list[float] | None], k: int, size: int
) -> None:
    records, method = records_of(drawn), METHODS[name](k=k)
    assume(records.n >= k)
    assert same(
        method.mask(records, 1, blocks=Blocks(0, size)), method.mask(records, 1, blocks=Blocks(0, size, elsewhere))
    )


@methods
@few
@given(drawn=drawn_tables(), k=st.integers(2, 4))
def test_nothing_changes_with_fewer_tuples_than_blocks_start_from(
    name: str, drawn: tuple[Dag, list[Row], list[float] | None], k: int
) -> None:
    records, method, seen = records_of(drawn), METHODS[name](k=k), Seen()
    assume(records.n >= k)
    plain = method.mask(records, 1)
    assert same(plain, method.mask(records, 1, blocks=Blocks(len(records) + 1, 1, seen)))
    assert not seen.runs
    method.mask(records, 1, blocks=Blocks(len(records), 1, seen))
    assert seen.runs


@methods
@few
@given(drawn=drawn_tables(min_size=20), size=st.integers(4, 12))
def test_groups_are_made_anew_across_borders_only_if_that_is_better(
    name: str, drawn: tuple[Dag, list[Row], list[float] | None], size: int
) -> None:
    records, method = records_of(drawn), METHODS[name](k=3)
    with pytest.MonkeyPatch.context() as patch:
        settings = Blocks(0, size)
        after = grouped(method, records, 1, no_progress, settings)
        patch.setattr(blocks, "REGROUPED", ())
        before = grouped(method, records, 1, no_progress, settings)
    lost = blocks._Blocked(method, records, 1, no_progress, settings).lost
    assert lost(after).sum() <= lost(before).sum() * (1 + 1e-9)


@methods
@few
@given(drawn=drawn_tables(min_size=20), size=st.integers(4, 30))
def test_what_groups_lose_is_told_some_at_a_time_and_to_the_last_bit(
    name: str, drawn: tuple[Dag, list[Row], list[float] | None], size: int
) -> None:
    records, method = records_of(drawn), METHODS[name](k=3)
    groups = grouped(method, records, 1, no_progress, Blocks(0, size))
    metrics, shares, columns = method.metrics(records), records.shares, records.codes.T
    mass = records.mass[groups.source] * (groups.share / records.counts[groups.source])
    slow = []
    for g in range(len(groups)):
        pieces = np.flatnonzero(groups.group == g)
        own = columns[:, groups.source[pieces]]
        named = None if groups.named is None else int(groups.named[g])
        values = centre(metrics, own, mass[pieces]) if named is None else values_of(metrics, columns, named)
        slow.append(mass[pieces] @ distances(metrics, shares, values, own) ** 2 if len(pieces) > 1 else 0.0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "GROUPS_PER_BATCH", 2)
        assert blocks._Blocked(method, records, 1, no_progress, Blocks()).lost(groups).tolist() == slow


@pytest.mark.parametrize("name", ["sa-mdav", "sa-mdav-static", "fusion"])
def test_what_a_border_has_parted_is_joined_again(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    parted = [(town, x, x, x) for town in (0, 1) for x in range(4)]
    others = [(town, x, x, y) for town in (0, 1) for x in range(4, 10) for y in (x, 10)]
    attributes = [Attribute(f"c{a}", "category", EqualityMetric([f"v{x}" for x in range(11)])) for a in range(4)]
    records = Records.of(attributes, list(zip(*parted, *others, strict=True)))
    by_town = [np.flatnonzero(records.codes[:, 0] == town) for town in (0, 1)]
    monkeypatch.setattr(blocks, "cut", lambda *work: by_town if work[-1] is None else cuts.cut(*work))
    groups = grouped(METHODS[name](k=2), records, 0, no_progress, Blocks(0, 20))
    for pieces in groups.members():
        assert len(set(records.codes[groups.source[pieces], 1].tolist())) == 1


# --- the cut ---------------------------------------------------------------------------------------------------------


def cut_of(attributes: list[Attribute], columns: list[list[int]], size: int) -> list[set[tuple[object, ...]]]:
    """Return the blocks of a table, as values."""
    records = Records.of(attributes, columns)
    metrics = [x.metric for x in attributes]
    found = cuts.cut(metrics, records.shares, records.codes, records.counts, 2, size)
    values = [x.values for x in attributes]
    return [{tuple(v[c] for v, c in zip(values, records.codes[i], strict=True)) for i in x} for x in found]


@pytest.mark.parametrize("turned", [False, True])
def test_words_are_cut_by_upper_concepts(turned: bool) -> None:
    names = ["cook", "baker", "smith", "welder", "nurse"][:: -1 if turned else 1]
    words = ConceptMetric([JOBS.code(x) for x in names], Scope(JOBS, JOBS.root))
    attributes = [Attribute("job", "text", words), Attribute("n", "numeric", NumericMetric(range(30), 0, span=1000.0))]
    found = cut_of(attributes, [[j for j in range(5) for _ in range(30)], list(range(30)) * 5], 60)
    jobs = [{JOBS.labels[word] for word, _ in block} for block in found]
    assert sorted(map(sorted, jobs)) == [["baker", "cook"], ["nurse"], ["smith", "welder"]]


@pytest.mark.parametrize("turned", [False, True])
def test_the_column_is_cut_that_parts_no_neighbours(turned: bool) -> None:
    numbers = [float(x) for x in (*range(10), *range(90, 100))][:: -1 if turned else 1]
    words = ConceptMetric([JOBS.code(x) for x in ("cook", "baker", "smith", "welder", "nurse")], Scope(JOBS, JOBS.root))
    attributes = [Attribute("job", "text", words), Attribute("n", "numeric", NumericMetric(numbers))]
    found = cut_of(attributes, [[j for j in range(5) for _ in range(20)], list(range(20)) * 5], 50)
    assert sorted((min(n for _, n in x), max(n for _, n in x)) for x in found) == [(0, 9), (90, 99)]


def test_small_families_are_joined_to_the_nearest() -> None:
    words = ConceptMetric([JOBS.code(x) for x in ("cook", "baker", "smith", "welder")], Scope(JOBS, JOBS.root))
    towns = Attribute("town", "category", EqualityMetric(["a"]))
    found = cut_of([Attribute("job", "text", words), towns], [[0, 1, 2, 3], [0, 0, 0, 0]], 2)
    assert sorted(sorted(JOBS.labels[word] for word, _ in x) for x in found) == [["baker", "cook"], ["smith", "welder"]]


def test_tuples_that_nothing_tells_apart_are_cut_by_their_order() -> None:
    class Same(EqualityMetric):
        """Values that are all of one family."""

        def families(self, codes: np.ndarray, counts: np.ndarray) -> np.ndarray:
            return np.zeros(len(codes), np.int64)

    found = cut_of([Attribute("x", "category", Same(list("abcdefgh")))], [list(range(8))], 4)
    assert [len(x) for x in found] == [4, 4]


def test_a_part_of_too_few_rows_joins_its_neighbour_which_is_cut_in_two() -> None:
    metric = EqualityMetric(list("abc"))
    codes = np.array([[0, x] for x in range(6)] + [[1, x] for x in range(6)] + [[2, 0]])
    metrics, shares = [metric, NumericMetric(range(6))], np.array([0.5, 0.5])
    found = cuts.cut(metrics, shares, codes, np.ones(13, np.int64), 3, 6)
    assert sorted(map(len, found)) == [3, 4, 6]


def slow_cost(metrics: Sequence[object], shares: np.ndarray, codes: np.ndarray, part: Sequence[int]) -> float:
    """Return what a cut costs for what it achieves, tuple by tuple and pair by pair."""

    apart = zip(shares, metrics, codes.T, strict=True)
    far = sum(share * metric.distances(column[:, None], column) for share, metric, column in apart)
    near, own = 0.0, 0.0
    for i in range(len(codes)):
        all_others = sorted(far[i, j] for j in range(len(codes)) if j != i)
        family = sorted(far[i, j] for j in range(len(codes)) if j != i and part[i] == part[j])[
            : cuts.COUNTED_NEIGHBOURS
        ]
        near += sum(d**2 for d in [*all_others, 1.0][: cuts.COUNTED_NEIGHBOURS])
        own += sum(d**2 for d in family) + (cuts.COUNTED_NEIGHBOURS - len(family)) * 1.0
    near, own = near / (cuts.COUNTED_NEIGHBOURS * len(codes)), own / (cuts.COUNTED_NEIGHBOURS * len(codes))
    sizes = [list(part).count(x) / len(part) for x in set(part)]
    return max(own - near + cuts.MIN_COST * near, 0.0) / -sum(x * math.log(x) for x in sizes)


@given(drawn=drawn_tables(min_size=30))
def test_the_cut_that_is_made_costs_least(drawn: tuple[Dag, list[Row], list[float] | None]) -> None:
    records = records_of(drawn)
    assume(cuts.COUNTED_NEIGHBOURS < len(records) <= cuts.NEIGHBOURS)
    metrics, shares, codes = [x.metric for x in records.attributes], records.shares, records.codes
    candidates = []
    for metric, column in zip(metrics, codes.T, strict=True):
        values, place = np.unique(column, return_inverse=True)
        part = metric.families(values, np.bincount(place).astype(float))[place]
        if part.any():
            candidates.append(slow_cost(metrics, shares, codes, part.tolist()))
    made = cuts._cheapest(metrics, shares, codes, None)
    assert slow_cost(metrics, shares, codes, made.tolist()) == pytest.approx(min(candidates), abs=1e-12)


# --- what metrics tell of families -----------------------------------------------------------------------------------


def metric_of(kind: str, parents: Dag) -> object:
    t = taxonomy(parents)
    words = ConceptMetric([*parents, "?alone", None], Scope(t, t.root))
    return {
        "taxonomy": words,
        "blend": BlendedMetric([*((c, None) for c in parents), (0, 0), "?alone", None], [words, words]),
        "equality": EqualityMetric(["a", "b", None, "c"]),
        "numeric": NumericMetric([1.0, 2.0, 5.0, None, 9.0], 1),
        "ordinal": OrdinalMetric([0, 1, 2, None, 3], levels=4),
        "sets": SetMetric([frozenset({c, 0}) for c in parents] + [frozenset(), frozenset({"?x"}), None], words),
    }[kind]


@pytest.mark.parametrize("kind", METRICS)
@few
@given(parents=dags(9), data=st.data())
def test_values_that_differ_are_of_two_families_at_least(kind: str, parents: Dag, data: st.DataObject) -> None:
    metric = metric_of(kind, parents)
    places = list(range(len(metric.values)))
    codes = np.array(sorted(data.draw(st.sets(st.sampled_from(places), min_size=2))))
    far = metric.distances(codes[:, None], codes)
    found = metric.families(codes, np.ones(len(codes)))
    assert sorted(set(found.tolist())) == list(range(found.max() + 1))
    if (far + np.eye(len(codes)) > 0).all():
        assert found.max() >= 1


@pytest.mark.parametrize("kind", METRICS)
@few
@given(parents=dags(9), data=st.data())
def test_some_values_alone_are_as_far_apart_and_have_the_same_centroid(
    kind: str, parents: Dag, data: st.DataObject
) -> None:
    metric = metric_of(kind, parents)
    codes = np.array(sorted(data.draw(st.sets(st.sampled_from(range(len(metric.values))), min_size=1))))
    alone, here = metric.restricted_to(codes), np.arange(len(codes))
    assert alone.values == tuple(metric.values[c] for c in codes)
    assert np.array_equal(alone.distances(here[:, None], here), metric.distances(codes[:, None], codes))
    counts = np.arange(1.0, len(codes) + 1)
    assert alone.centroid(here, counts) == metric.centroid(codes, counts)


def test_families_are_what_they_are_said_to_be() -> None:
    names = ["cook", "baker", "smith", "nurse", "worker"]
    words = ConceptMetric([*(JOBS.code(x) for x in names), None, "?x"], Scope(JOBS, JOBS.root))
    found = words.families(np.arange(7), np.ones(7)).tolist()
    assert found[0] == found[1]
    assert len(set(found)) == 6  # food, metal, health, the worker as such, null, the text nobody linked
    ages = NumericMetric([50.0, 20.0, None, 30.0, 60.0])
    assert ages.families(np.arange(5), np.ones(5)).tolist() == [1, 0, 2, 0, 1]
    assert OrdinalMetric([2, 0, 1], levels=3).families(np.arange(3), np.array([1.0, 5.0, 1.0])).tolist() == [1, 0, 1]
    assert len(set(EqualityMetric(list("abc")).families(np.arange(3), np.ones(3)).tolist())) == 3
    food, metal = {JOBS.code("cook"), JOBS.code("baker")}, {JOBS.code("smith"), JOBS.code("welder")}
    sets = SetMetric([frozenset(food), frozenset(metal), frozenset(list(food)[:1]), frozenset(list(metal)[:1])], words)
    assert sets.families(np.arange(4), np.ones(4)).tolist() in ([0, 1, 0, 1], [1, 0, 1, 0])


def test_sets_of_which_most_are_equally_far_are_cut_in_two_even_so() -> None:
    flat = al.Taxonomy.build("flat", ["top", *map(str, range(600))], child=range(1, 601), parent=[0] * 600)
    words = ConceptMetric(range(1, 601), Scope(flat, 0))
    sets = SetMetric([frozenset({3 * i + 1, 3 * i + 2, 3 * i + 3}) for i in range(200)], words)
    found = sets.families(np.arange(200), np.ones(200))
    assert np.bincount(found).tolist() == [100, 100]


def test_many_values_that_are_like_nothing_else_share_a_few_families() -> None:
    numbers = EqualityMetric([str(x) for x in range(1000)]).families(np.arange(1000), np.ones(1000))
    assert np.bincount(numbers).tolist() == [16] * 40 + [15] * 24
    flat = al.Taxonomy.build("flat", ["top", *map(str, range(1000))], child=range(1, 1001), parent=[0] * 1000)
    words = ConceptMetric(range(1, 1001), Scope(flat, 0)).families(np.arange(1000), np.ones(1000))
    assert np.bincount(words).max() <= 32


def test_a_family_that_has_most_is_cut_further_down() -> None:
    names = ["cook", "baker", "nurse"]
    words = ConceptMetric([JOBS.code(x) for x in names], Scope(JOBS, JOBS.root))
    assert len(set(words.families(np.arange(3), np.ones(3)).tolist())) == 3
    assert len(set(words.families(np.arange(3), np.array([1.0, 1.0, 2.0])).tolist())) == 2


# --- what goes to other processes ------------------------------------------------------------------------------------


def test_what_is_sent_is_without_what_was_worked_out() -> None:
    people = al.wordnet(root="person")
    words = ConceptMetric(people.concepts[:300].tolist(), people)
    before = len(pickle.dumps(words))
    far = words.distances(0, np.arange(300))
    words.centroid(np.arange(300), np.ones(300))
    people.taxonomy.lexicon.cache["something"] = open  # as linking does with a stemmer, that cannot be sent
    sent = pickle.dumps(words)
    assert len(sent) <= before
    assert np.array_equal(pickle.loads(sent).distances(0, np.arange(300)), far)
    del people.taxonomy.lexicon.cache["something"]


def test_what_a_piece_of_a_tuple_counts_is_its_share() -> None:
    block = Block((), np.zeros((2, 0), np.int64), np.array([3, 4]), tuple_mass=np.array([0.3, 10.0]))
    assert block.mass.tolist() == [0.3, 10.0]
    assert block.mass_of(np.array([0, 1, 1]), np.array([3, 1, 3])).tolist() == [0.3, 2.5, 7.5]
    assert Block((), np.zeros((1, 0), np.int64), np.array([3])).mass.tolist() == [3.0]
