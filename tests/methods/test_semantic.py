"""S-MDAV and Abril et al. give what the pseudo-code gives over rows; what stands for a group is what it says."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import slow_masking as slow
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import Dag, dags, taxonomy

from allonym import SAMDAV, SMDAV, Abril
from allonym.kinds.category import EqualityMetric
from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.numeric import NumericMetric
from allonym.methods import METHODS
from allonym.methods.base import GroupingMethod
from allonym.methods.kernels.microaggregation import tie_order
from allonym.ontology.scope import Scope
from allonym.progress import no_progress
from allonym.records import Attribute, Masking, Records

NUMBERS = (1.0, 2.0, 5.0, None)
Row = tuple[object, ...]


@st.composite
def drawn_tables(draw: st.DrawFn) -> tuple[Dag, list[Row]]:
    parents = draw(dags(8))
    words = st.sampled_from([*(f"c{c}" for c in parents), "?alone", None])
    return parents, draw(st.lists(st.tuples(words, st.sampled_from(NUMBERS)), min_size=2, max_size=25))


def records_of(parents: Dag, rows: list[Row]) -> tuple[Records, list[Row]]:
    """Return a table as methods see it, and its distinct tuples as slow versions do."""
    t = taxonomy(parents)
    words = [*(f"c{c}" for c in parents), "?alone", None]
    metric = ConceptMetric([*parents, "?alone", None], Scope(t, t.root))
    attributes = [Attribute("w", "text", metric), Attribute("n", "numeric", NumericMetric(NUMBERS, 1))]
    records = Records.of(attributes, [[words.index(w) for w, _ in rows], [NUMBERS.index(n) for _, n in rows]])
    return records, [(words[a], NUMBERS[b]) for a, b in records.codes]


def named(parents: Dag) -> dict[str, list[str]]:
    return {f"c{c}": [f"c{p}" for p in ps] for c, ps in parents.items()}


@pytest.mark.parametrize("method", [SMDAV, Abril])
@given(drawn=drawn_tables(), k=st.integers(2, 5), seed=st.integers(0, 9))
def test_groups_are_those_of_the_pseudo_code(
    method: type[GroupingMethod], drawn: tuple[Dag, list[Row]], k: int, seed: int
) -> None:
    parents, rows = drawn
    assume(len(rows) >= k)
    records, tuples = records_of(parents, rows)
    known = named(parents)
    distance = slow.record_distance(
        [lambda a, b: slow.wu_palmer_distance(known, a, b), lambda a, b: slow.numeric(a, b, 4.0)]
    )
    words = [*known, "?alone", None]
    middle = {
        SMDAV: lambda p: slow.semantic_centroid(known, p, words),
        Abril: lambda p: slow.least_common_subsumer(known, p),
    }[method]
    centroid = slow.record_centroid([middle, lambda p: slow.mean(p, 1)])
    order = [tuples[i] for i in tie_order(records, np.random.default_rng(seed))]
    mixed = Counter(
        frozenset(Counter(cluster).items())
        for cluster in slow.mdav(rows, k, distance, centroid, order)
        if len(set(cluster)) > 1
    )
    groups = method(k=k).partition(records, np.random.default_rng(seed), no_progress)
    got = [[(tuples[groups.source[i]], int(groups.share[i])) for i in pieces] for pieces in groups.members()]
    assert Counter(frozenset(members) for members in got if len(members) > 1) == mixed
    assert np.bincount(groups.group, weights=groups.share).min() >= k


@pytest.mark.parametrize("name", [name for name, method in METHODS.items() if issubclass(method, GroupingMethod)])
@given(drawn=drawn_tables(), k=st.integers(2, 4))
def test_a_subsumer_is_true_of_everyone_and_nothing_below_it_is(
    name: str, drawn: tuple[Dag, list[Row]], k: int
) -> None:
    parents, rows = drawn
    assume(len(rows) >= k)
    records, tuples = records_of(parents, rows)
    masking = METHODS[name](k=k, represent="subsumer").mask(records)
    known = named(parents)
    rare = {w for w, n in Counter(w for w, _ in rows).items() if n < k}
    for members, written in groups_of(masking, tuples, "w"):
        expected = slow.least_common_subsumer(known, [(row[0], n) for row, n in members])
        assert written == (None if expected == "?alone" and expected in rare else expected)


@given(drawn=drawn_tables(), k=st.integers(2, 4))
def test_a_member_is_one_of_the_group_and_nearest_to_all(drawn: tuple[Dag, list[Row]], k: int) -> None:
    parents, rows = drawn
    rows = [(w, n) for w, n in rows for _ in range(k)]  # nothing is too rare to be written
    records, tuples = records_of(parents, rows)
    masking = SAMDAV(k=k, represent="member").mask(records)
    known = named(parents)
    distance = slow.record_distance(
        [lambda a, b: slow.wu_palmer_distance(known, a, b), lambda a, b: slow.numeric(a, b, 4.0)]
    )
    both = zip(groups_of(masking, tuples, "w"), groups_of(masking, tuples, "n"), strict=True)
    for (members, word), (_, number) in both:
        costs = {row: sum(n * distance(row, other) for other, n in members) for row, _ in members}
        assert (word, number) in costs
        assert costs[word, number] <= min(costs.values()) + 1e-9


def groups_of(masking: Masking, tuples: list[Row], column: str) -> list[tuple[list[tuple[Row, int]], object]]:
    """Return the members of every group, and what is written for them in a column."""
    a = [x.name for x in masking.attributes].index(column)
    values = masking.attributes[a].values
    told = []
    for g in range(masking.groups.max() + 1):
        pieces = np.flatnonzero(masking.groups == g)
        value = values[masking.codes[pieces[0], a]]
        written = f"c{value}" if column == "w" and isinstance(value, int) else value
        told.append(([(tuples[masking.source[i]], int(masking.share[i])) for i in pieces], written))
    return told


def test_a_member_with_a_value_too_few_hold_gives_way_to_the_centroid() -> None:
    job = Attribute("job", "category", EqualityMetric(["cook", "smith", "vicar"]))
    age = Attribute("age", "numeric", NumericMetric([20.0, 30.0, 40.0]))
    records = Records.of([job, age], [[0, 0, 0, 1, 2], [0, 0, 1, 1, 2]])
    masking = SAMDAV(k=5, represent="member").mask(records)
    told = [attribute.values[c] for attribute, c in zip(masking.attributes, masking.codes[0], strict=True)]
    assert told == [None, 28.0]  # the member is a cook of 20; only three are cooks, and only two are 20


def test_a_subsumer_of_categories_is_what_all_have() -> None:
    sex, town = (Attribute(n, "category", EqualityMetric(["a", "b"])) for n in ("sex", "town"))
    records = Records.of([sex, town], [[0, 0, 0], [0, 0, 1]])
    masking = SAMDAV(k=3, represent="subsumer").mask(records)
    assert [x.values[c] for x, c in zip(masking.attributes, masking.codes[0], strict=True)] == ["a", None]


def test_what_stands_for_a_group_is_one_of_five() -> None:
    assert list(SAMDAV(represent="subsumer").problems()) == []
    assert (
        "Known: auto, truthful, centroid, least-squares, subsumer, member"
        in next(SAMDAV(represent="mean").problems()).hint
    )
