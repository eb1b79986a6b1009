"""Counting changes: text against text, with what each text means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from allonym.kinds.category import EqualityMetric
from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.numeric import NumericMetric
from allonym.kinds.set_metric import SetMetric
from allonym.measures.changes import CellPairs, Changes, changes
from allonym.ontology.narrower import Narrower
from allonym.ontology.wordnet import wordnet


def pairs_of(cells: Sequence[tuple[str, int, str, int, int]], values: Sequence[Any], **others: Any) -> CellPairs:
    """Pair texts with their codes and their number of cells; an empty text is missing."""
    before, after = ([x[place] for x in cells] for place in (0, 2))
    places, none = np.arange(len(cells)), np.zeros(len(cells), bool)
    codes, counts = ([x[place] for x in cells] for place in (1, 3)), [x[4] for x in cells]
    arguments = {
        "original_missing": np.array([not x for x in before]),
        "released_missing": np.array([not x for x in after]),
        "unreviewed": none,
        "doubtful": none,
    }
    metric = others.pop("metric", EqualityMetric(values))
    return CellPairs(
        "c", metric, before, after, places, places, *map(np.array, codes), np.array(counts), **arguments | others
    )


def counted(made: Changes) -> dict[str, Any]:
    """Return the counts that are not 0."""
    return {name: x for name, x in made.to_dict().items() if x and name != "by_column"}


def test_text_meaning_and_null() -> None:
    cells = [
        ("beach", 0, "beach", 0, 9),  # as it was
        ("beaches", 0, "beach", 0, 3),  # spelled otherwise
        ("Beach", 0, "beach", 0, 1),
        ("beach", 0, "park", 1, 2),  # another value
        ("park", 1, "", 2, 4),  # null
        ("", 2, "park", 1, 5),  # null before
        ("NA", 2, "", 2, 6),  # null before and after
    ]
    missing = np.array([x[0] in ("", "NA") for x in cells])
    made = changes([pairs_of(cells, ["beach", "park", None], original_missing=missing)])
    assert counted(made) == {
        "cells": 30,
        "changed": 3 + 1 + 2 + 4 + 5 + 6,
        "meaning_changed": 2 + 4 + 5,
        "false": 2 + 5,  # another value, and a value where there was none
        "set_to_null": 4,
        "spelling_only": 3 + 1 + 6,
        "united_spellings": 3,
        "replacements": 6,
        "farthest": 1.0,
    }
    assert [tuple(x) for x in made.columns["c"].replacements] == [
        ("NA", "", 6, False, 0.0),
        ("", "park", 5, True, 1.0),
        ("park", "", 4, True, 1.0),
        ("beaches", "beach", 3, False, 0.0),
        ("beach", "park", 2, True, 1.0),
        ("Beach", "beach", 1, False, 0.0),
    ]


def test_one_text_of_two_values_is_no_change_and_texts_of_a_pair_are_added() -> None:
    cells = [
        ("bank", 0, "bank", 1, 2),
        ("shore", 1, "bank", 0, 3),
        ("shore", 1, "bank", 1, 4),
        ("bay", 2, "bank", 0, 1),
    ]
    made = changes([pairs_of(cells, ["a", "b", "c"])])
    assert counted(made) == {
        "cells": 10, "changed": 8, "meaning_changed": 4, "false": 4, "spelling_only": 4, "united_spellings": 1,
        "replacements": 2, "farthest": 1.0,
    }  # fmt: skip
    assert [tuple(x) for x in made.columns["c"].replacements] == [
        ("shore", "bank", 4, False, 0.0), ("shore", "bank", 3, True, 1.0), ("bay", "bank", 1, True, 1.0),
    ]  # fmt: skip


def test_a_concept_a_range_and_null_are_true() -> None:
    """A value is false unless it is null, the value itself, an ancestor of it, or a range that it lies in."""
    wn = wordnet()
    cook, chef, worker, dog = (wn.taxonomy.code(x) for x in ("cook", "chef", "skilled worker", "dog"))
    words = ConceptMetric([cook, chef, worker, dog, None, Narrower(cook, "cook (retired)")], wn)
    made = changes(
        [
            pairs_of(
                [
                    ("chef", 1, "skilled worker", 2, 3),  # two steps up
                    ("skilled worker", 2, "chef", 1, 5),  # down: more than is known
                    ("cook", 0, "dog", 3, 7),
                    ("chef", 1, "", 4, 11),
                    ("cook (retired)", 5, "cook", 0, 13),  # the concept of a leaf
                    ("cook", 0, "cook (retired)", 5, 17),
                    ("", 4, "skilled worker", 2, 19),  # nothing was known
                ],
                (),
                metric=words,
            )
        ]
    )
    counts = made.counts
    assert (counts.false, counts.generalised, counts.set_to_null) == (5 + 7 + 17 + 19, 3 + 13, 11)
    assert counts.changed == counts.false + counts.generalised + counts.set_to_null + counts.spelling_only
    assert made.farthest == 1.0
    numbers = NumericMetric([24.0, 31.0, (20.0, 29.0), None, (24.0, 24.0)], 0, span=11.0)
    cells = [("24", 0, "20 to 29", 2, 2), ("31", 1, "20 to 29", 2, 3), ("24", 0, "31", 1, 5), ("31", 1, "", 3, 7)]
    counts = changes([pairs_of([*cells, ("24", 0, "24 to 24", 4, 11)], (), metric=numbers)]).counts
    assert (counts.false, counts.generalised, counts.set_to_null) == (3 + 5, 2 + 11, 7)


def test_the_farthest_cell_says_something() -> None:
    """The largest distance is that of values: a null says nothing, and a respelled cell is where it was."""
    numbers = NumericMetric([0.0, 5.0, 10.0, None], 0)
    cells = [("0", 0, "5", 1, 2), ("10", 2, "", 3, 1), ("5.0", 1, "5", 1, 1)]
    made = changes([pairs_of(cells, (), metric=numbers)])
    assert made.farthest == made.columns["c"].farthest == 0.5
    assert made.to_dict()["by_column"]["c"]["farthest"] == 0.5
    assert changes([pairs_of(cells[1:], (), metric=numbers)]).farthest == 0.0
    assert changes([]).farthest == 0.0


def test_unreviewed_links_count_whether_a_cell_changed_or_not() -> None:
    cells = [("a", 0, "a", 0, 5), ("b", 1, "a", 0, 3), ("c", 2, "c", 2, 1)]
    flags = {"unreviewed": np.array([True, True, False]), "doubtful": np.array([False, True, False])}
    made = changes([pairs_of(cells, "abc", **flags)])
    assert made.counts.unreviewed == 5 + 3
    assert made.counts.doubtful == 3


def test_items_of_sets() -> None:
    values = [frozenset({"milk", "bread"}), frozenset({"milk"}), None]
    before = [{"milks": "milk", "bread": "bread"}, {"milk": "milk"}, {"milk": "milk"}]
    after = [frozenset({"milk"}), frozenset({"milk", "bread"}), frozenset()]
    made = changes(
        [
            pairs_of(
                [("milks;bread", 0, "milk", 1, 2), ("milk", 1, "bread;milk", 0, 10), ("milk", 1, "", 2, 100)],
                values,
                metric=SetMetric(values, EqualityMetric(["milk", "bread"])),
                original_items=before,
                released_items=after,
            )
        ]
    )
    items = made.columns["c"].items
    assert items is not None
    assert (items.original, items.released) == (2 * 2 + 10 + 100, 2 + 2 * 10)
    assert items.removed == 2 * 2 + 100
    assert items.respelled == 2  # milks is written milk
    assert items.added == 2 + 10
    assert items.released == items.original - items.removed + items.added
    assert made.to_dict()["by_column"]["c"]["items"]["removed"] == items.removed


def test_columns_add_up() -> None:
    one = pairs_of([("a", 0, "b", 1, 5)], "ab")
    other = pairs_of([("A", 0, "a", 0, 3)], "ab")
    object.__setattr__(other, "name", "d")
    made = changes([one, other])
    assert (made.counts.cells, made.counts.meaning_changed, made.counts.spelling_only) == (8, 5, 3)
    assert made.counts.changed == made.counts.meaning_changed + made.counts.spelling_only
