"""What stands for a group, and groups that hold enough persons."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

import allonym as al
from allonym import MDAV
from allonym.arrays import count_units
from allonym.kinds.category import EqualityMetric
from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.numeric import NumericMetric
from allonym.methods import METHODS
from allonym.methods.base import UngroupedMethod
from allonym.methods.enforce import enough_units
from allonym.methods.groups import Groups
from allonym.methods.represent import represent
from allonym.ontology.generality.ceiling import Ceiling
from allonym.ontology.scope import Scope
from allonym.ontology.taxonomy import Taxonomy
from allonym.pipeline.prepare import prepare
from allonym.records import Attribute, Masking, Records, piece_of_rows
from allonym.tables.files import open_any


def one_column(values: list[str | None], rows: list[int], units: list[int] | None = None) -> Records:
    attribute = Attribute("job", "category", EqualityMetric(values))
    return Records.of([attribute], [rows], units=None if units is None else np.array(units))


def test_a_text_that_too_few_hold_never_stands_for_others() -> None:
    records = one_column(["cook", "smith", "vicar"], [0, 0, 0, 1, 1, 2])
    together = Groups.of([(0, 1, 0), (1, 2, 0), (0, 2, 1), (2, 1, 1)])
    codes, attributes = represent(records, together, 3, [records.attributes[0].metric])
    told = [attributes[0].values[c] for c in codes[:, 0]]
    assert told == ["cook"] * 4  # smith is more frequent in the first group, but only two hold it
    lonely = Groups.of([(0, 3, 0), (1, 2, 1), (2, 1, 1)])
    codes, attributes = represent(records, lonely, 3, [records.attributes[0].metric])
    assert [attributes[0].values[c] for c in codes[:, 0]] == ["cook", None, None]


def test_a_value_that_is_too_far_from_a_member_gives_way() -> None:
    names = ["thing", "animal", "bird", "parrot", "owl", "cat", "tool", "saw"]
    things = Scope(Taxonomy.build("t", names, child=[1, 2, 3, 4, 5, 6, 7], parent=[0, 1, 2, 2, 1, 0, 6]), 0)
    words = Attribute("job", "text", ConceptMetric([3, 4, 5, 7], things, ceiling=Ceiling(things)))

    def written(rows: list[int], representative: str, max_distance: float | None) -> set[str | None]:
        records = Records.of([replace(words, max_distance=max_distance)], [rows])
        groups = Groups.of([(i, int(n), 0) for i, n in enumerate(records.counts)])
        codes, attributes = represent(records, groups, 2, [words.metric], representative)
        (value,) = {attributes[0].values[c] for c in codes[:, 0]}
        return {None if value is None else names[value]}

    assert written([0, 0, 0, 2], "centroid", None) == {"parrot"}
    assert written([0, 0, 0, 2], "centroid", 0.4) == {"animal"}  # which is true of all, and nearer to the farthest
    assert written([0, 0, 0, 2], "centroid", 0.1) == {None}
    assert written([0, 0, 0, 3], "centroid", 0.5) == {None}  # all that is true of them is a thing
    assert written([0, 2], "truthful", 0.3) == {None}
    assert written([0, 2], "truthful", 0.4) == {"animal"}
    assert written([0, 0], "subsumer", 0.01) == {"parrot"}
    assert written([0, 0, 0, 2], "member", 0.4) == {"animal"}


def test_numbers_that_are_too_far_from_their_mean_are_null() -> None:
    ages = Attribute("age", "numeric", NumericMetric([20.0, 30.0, 80.0]), max_distance=0.5)
    records = Records.of([ages], [[0, 0, 1, 1, 2, 2]])
    groups = Groups.of([(0, 2, 0), (1, 2, 0), (2, 2, 0)])
    codes, attributes = represent(records, groups, 2, [ages.metric])
    assert {attributes[0].values[c] for c in codes[:, 0]} == {None}
    codes, attributes = represent(records, Groups.of([(0, 2, 0), (1, 2, 0), (2, 2, 1)]), 2, [ages.metric])
    assert None not in {attributes[0].values[c] for c in codes[:, 0]}


def test_holders_are_counted_in_persons() -> None:
    records = one_column(["cook", "smith"], [0, 0, 0, 1, 1, 1], units=[7, 7, 7, 7, 8, 9])
    assert records.holders(0).tolist() == [1, 3]
    codes, attributes = represent(records, Groups.of([(0, 3, 0), (1, 3, 0)]), 2, [records.attributes[0].metric])
    assert {attributes[0].values[c] for c in codes[:, 0]} == {"smith"}


def test_a_group_of_too_few_persons_joins_the_nearest() -> None:
    ages = Attribute("age", "numeric", NumericMetric([20.0, 30.0, 70.0, 80.0]))
    records = Records.of([ages], [[0, 0, 1, 1, 2, 2, 3, 3]], units=np.array([0, 0, 1, 2, 3, 4, 5, 6]))
    groups = Groups.of([(0, 2, 0), (1, 2, 1), (2, 2, 2), (3, 2, 3)])
    merged = enough_units(records, groups, 2, [ages.metric])
    assert [sorted(merged.source[m].tolist()) for m in merged.members()] == [[0, 1], [2], [3]]
    assert enough_units(records, groups, 1, [ages.metric]).group.tolist() == [0, 1, 2, 3]
    last = Records.of([ages], [[0, 0, 1, 1, 2, 2, 3, 3]], units=np.array([0, 1, 2, 3, 4, 5, 6, 6]))
    merged = enough_units(last, groups, 2, [ages.metric])
    assert [sorted(merged.source[m].tolist()) for m in merged.members()] == [[0], [1], [2, 3]]


def test_what_was_merged_has_a_new_centre() -> None:
    ages = Attribute("age", "numeric", NumericMetric([-11.0, 0.0, 10.0, 22.0]))
    rows = [0] * 3 + [1] * 9 + [2] + [3] * 3
    people = np.array([1, 2, 3, *[0] * 10, 4, 5, 6])
    records = Records.of([ages], [rows], units=people)
    groups = Groups.of([(1, 9, 0), (2, 1, 1), (0, 3, 2), (3, 3, 3)])
    merged = enough_units(records, groups, 3, [ages.metric])
    # 0 joins 10; their centre is 1, nearer to -11 than to 22, though 10 was not
    assert [sorted(merged.source[m].tolist()) for m in merged.members()] == [[0, 1, 2], [3]]


@given(st.data())
def test_every_group_has_k_persons_wherever_there_are_k(data: st.DataObject) -> None:
    n = data.draw(st.integers(3, 40))
    rows = data.draw(st.lists(st.integers(0, 5), min_size=n, max_size=n))
    people = np.unique(data.draw(st.lists(st.integers(0, 15), min_size=n, max_size=n)), return_inverse=True)[1]
    k = data.draw(st.integers(2, 4))
    records = one_column(list("abcdef"), rows, units=people)
    if records.persons < k:
        return
    masking = MDAV(k=k).mask(records)
    piece = piece_of_rows(records, masking.source, masking.share)
    shown = np.unique(masking.codes[piece, 0], return_inverse=True)[1]
    assert count_units(shown, people, int(shown.max()) + 1).min() >= k


def test_rows_of_a_split_tuple_that_move_when_groups_merge_are_counted_again() -> None:
    rows = [0, 0, 0, 0, 0, 0, 0, 3, 3, 3, 3, 4, 4, 5, 5, 0, 3, 3, 1, 1, 5, 2, 5]
    people = np.array([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 0, 0, 0, 1, 2, 0, 3, 3])
    records = one_column(list("abcdef"), rows, units=people)
    masking = MDAV(k=4).mask(records)
    group = masking.groups[piece_of_rows(records, masking.source, masking.share)]
    assert count_units(group, people, int(group.max()) + 1).min() == 4


def test_pieces_take_the_rows_of_a_tuple_by_person_then_by_row() -> None:
    records = one_column(["a", "b"], [0, 1, 0, 0, 0, 1], units=[3, 0, 1, 3, 2, 1])
    masking = Masking(
        np.array([0, 0, 1]), np.array([2, 2, 2]), np.array([0, 1, 1]), np.array([[0], [0], [0]]), records.attributes
    )
    assert piece_of_rows(records, masking.source, masking.share).tolist() == [1, 2, 0, 1, 0, 2]


def test_every_method_says_what_it_is() -> None:
    for name, method in METHODS.items():
        assert method.info.name == name
        assert method.info.summary
        assert bool(method.info.guarantees) == (not issubclass(method, UngroupedMethod) or method.info.data_independent)
        assert method.info.kinds


def ages_of(
    rows: list[int], *, weights: list[float] | None = None, units: list[int] | None = None, decimals: int = 0
) -> list[object]:
    """Return what is written for ages 79, 80, 81, 82 and 83 in one group."""
    ages = Attribute("age", "numeric", NumericMetric([79.0, 80.0, 81.0, 82.0, 83.0], decimals))
    persons = None if units is None else np.array(units)
    records = Records.of([ages], [rows], weights=None if weights is None else np.array(weights), units=persons)
    masking = METHODS["sa-mdav"](k=5, represent="centroid").mask(records)
    return [masking.attributes[0].values[c] for c in np.unique(masking.codes)]


def test_a_mean_is_not_the_number_of_one_person_however_much_he_weighs() -> None:
    assert ages_of([0, 1, 2, 3, 4]) == [81]
    assert ages_of([0, 1, 1, 1, 4], weights=[1, 1, 1, 1, 5000]) == [80]  # (79 + 3·80 + 83) / 5 = 80.4
    assert ages_of([0, 1, 1, 1, *[4] * 200], units=[0, 1, 2, 3, *[4] * 200]) == [80]
    assert ages_of([0, 1, 1, 1, *[4] * 200], units=[0, 1, 2, 3, *[4] * 200], weights=[1.0] * 204) == [80]
    assert ages_of([1, 1, 1, 1, 4], weights=[0, 0, 0, 0, 9]) == [81]  # (4·80 + 83) / 5 = 80.6
    assert ages_of([0, 0, 4, 4, 4], weights=[1, 1, 99, 99, 1]) == [81]  # two heavy persons of 83: 81.4
    assert ages_of([0, 1, 1, 1, 4], weights=[1, 1, 1, 1, 5000], decimals=4) == [80.4]  # not 82.9974
    assert ages_of([0, 1, 1, 1, *[4] * 200], units=[0, 1, 2, 3, *[4] * 200], decimals=4) == [80.4]
    assert ages_of([0, 1, 1, 1, 4], weights=[1, 1, 1, 1, 2], decimals=4) == [80.8333]  # nobody has more than half


def test_the_member_that_stands_for_a_group_is_the_nearest_to_all_of_it() -> None:
    ages = Attribute("age", "numeric", NumericMetric([20.0, 30.0, 60.0]))
    records = Records.of([ages], [[0, 1, 2, 2, 2]])
    every = Groups.of([(0, 1, 0), (1, 1, 0), (2, 3, 0)])
    codes, _ = represent(records, every, 1, [ages.metric], "member")
    assert codes.tolist() == [[2]] * 3  # 40 + 30 years to the others; from 30 it is 10 + 3 · 30
    first_of_equals = Groups.of([(0, 1, 0), (1, 1, 0), (2, 3, 1)])
    assert represent(records, first_of_equals, 1, [ages.metric], "member")[0].tolist() == [[0], [0], [2]]


def test_a_group_of_nothing_has_no_length() -> None:
    assert len(Groups.of([])) == 0
    assert list(Groups.of([]).members()) == []


def test_mdav_compares_words_and_sets_by_equality_and_numbers_as_they_are() -> None:
    jobs = al.quasi("wordnet", unmatched="opaque", accept_review=True)
    items = al.quasi("wordnet", kind="set", unmatched="opaque", accept_review=True)
    frame = pd.DataFrame(
        {"job": ["cook", "baker", "nurse"], "items": [["bread", "milk"], ["bread"], ["ale"]], "age": [20, 31, 60]}
    )
    found = prepare(al.Plan({"job": jobs, "items": items, "age": al.quasi("numeric")}), open_any(frame)).records
    assert found is not None
    job, item, age = MDAV().metrics(found)
    assert isinstance(job, EqualityMetric)
    assert age is found.attributes[2].metric
    sizes = [len(x) for x in found.attributes[1].values]
    both = sizes.index(2)
    bread = next(i for i, x in enumerate(found.attributes[1].values) if x < found.attributes[1].values[both])
    assert float(item.distances(both, bread)) == 1 / 3  # of three items, one has no equal on the other side


def test_parameters_that_are_none_are_told() -> None:
    wrong = [
        (al.SAMDAV(growth="slow"), "unknown growth 'slow'"),
        (al.SAMDAV(represent="all"), "unknown represent 'all'"),
        (al.SAMDAV(refine="yes"), "refine must be true or false"),  # type: ignore[arg-type]
        (al.Fusion(refine=1), "refine must be true or false"),  # type: ignore[arg-type]
        (al.Exponential(epsilon=0.0), "it must be above 0"),
        (al.Exponential(epsilon=math.inf), "it must be above 0"),
        (al.Exponential(nulls="no"), "nulls must be true or false"),  # type: ignore[arg-type]
    ]
    for method, told in wrong:
        assert [told in str(x) for x in method.problems()] == [True]
    assert not any(list(x.problems()) for x in (al.SAMDAV(), al.Fusion(), al.Exponential(epsilon=0.1)))
