"""Minimal unique combinations: published examples, a brute-force search, persons with several rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import slow_uniques
from allonym.arrays import Ints, distinct
from allonym.measures.uniques import UniqueCombinations, unique_combinations


def coded(*columns: list[str] | list[int]) -> list[Ints]:
    return [np.unique(x, return_inverse=True)[1].astype(np.int64) for x in columns]


def found(*columns: list[str] | list[int], size: int = 4) -> UniqueCombinations:
    return unique_combinations([f"c{i}" for i in range(len(columns))], coded(*columns), size=size)


def test_published_scores_of_ten_people() -> None:
    """The sample of the IHSN guide to disclosure control (Benschop, Machingauta and Welch, table 4.1)."""
    residence = ["urban"] * 4 + ["rural"] + ["urban"] * 5
    gender = ["f", "f", "f", "m", "f", "m", "f", "m", "f", "f"]
    education = ["si", "si", "pi", "sc", "sc", "sc", "pc", "ps", "si", "si"]
    labour = ["emp", "emp", "non", "emp", "un", "emp", "non", "un", "non", "non"]
    got = found(residence, gender, education, labour)
    assert got.scores.tolist() == [0, 0, 6, 0, 12, 0, 6, 10, 0, 0]
    assert got.unique == 4


def test_published_scores_of_eight_people() -> None:
    """The example of Templ (2017, §3.6)."""
    age = ["20s"] * 7 + ["60s"]
    gender = ["m"] * 4 + ["f"] * 3 + ["m"]
    income = ["50k+"] * 2 + ["50k-"] * 6
    education = ["h"] * 4 + ["u", "h", "m", "u"]
    assert found(age, gender, income, education).scores[4:].tolist() == [4, 2, 6, 8]


def test_published_contributions_of_columns() -> None:
    """The example of sdcMicro's tests: contributions add up to more than 100 %, as columns share combinations."""
    got = found([2, 1, 1], [0, 3, 0], [0, 6, 0])
    assert got.contributions.tolist() == [50, 37.5, 37.5]
    assert got.scores.tolist() == [2, 4, 2]
    assert got.ranked() == [(("c0",), 1), (("c1",), 1), (("c2",), 1), (("c0", "c1"), 1), (("c0", "c2"), 1)]
    assert got.without.tolist() == [1, 3, 3]


TABLES = st.integers(1, 5).flatmap(
    lambda m: st.lists(st.tuples(*[st.integers(0, 3)] * m, st.integers(0, 6)), min_size=1, max_size=14)
)


@given(TABLES, st.integers(1, 4), st.booleans())
def test_as_by_brute_force(table: list[tuple[int, ...]], size: int, has_units: bool) -> None:
    rows = [row[:-1] for row in table]
    persons = [row[-1] for row in table] if has_units else list(range(len(table)))
    columns = [np.array(x, np.int64) for x in zip(*rows, strict=True)]
    units = np.unique(persons, return_inverse=True)[1].astype(np.int64) if has_units else None
    got = unique_combinations([str(c) for c in range(len(columns))], columns, size=size, units=units)
    expected = slow_uniques.minimal_unique(rows, persons, size)
    assert got.scores.tolist() == slow_uniques.scores(expected, len(columns), size)
    by_combination: dict[tuple[int, ...], set[int]] = {}
    for person, own in zip(persons, expected, strict=True):
        for x in own:
            by_combination.setdefault(x, set()).add(person)
    assert got.counts == {x: len(people) for x, people in by_combination.items()}
    assert got.unique == len({person for person, own in zip(persons, expected, strict=True) if own})
    without = [len({q for q, own in zip(persons, expected, strict=True) if any(c not in x for x in own)})
               for c in range(len(columns))]  # fmt: skip
    assert got.without.tolist() == without
    if not has_units:
        assert got.contributions == pytest.approx(slow_uniques.contributions(expected, len(columns), size))


@given(TABLES)
def test_counted_rows_give_the_same_as_rows(table: list[tuple[int, ...]]) -> None:
    columns = [np.array(x, np.int64) for x in zip(*[row[:-1] for row in table], strict=True)]
    _, counts, first = distinct(columns)
    names = [str(c) for c in range(len(columns))]
    each = unique_combinations(names, columns)
    counted = unique_combinations(names, [x[first] for x in columns], row_counts=counts)
    assert counted.to_dict() == each.to_dict()


def test_a_person_with_equal_rows_is_unique_and_counts_once() -> None:
    job, units = np.array([0, 0, 1, 1, 2]), np.array([0, 0, 1, 2, 0])
    got = unique_combinations(["job"], [job], units=units)
    assert (got.people, got.unique, got.counts) == (3, 1, {(0,): 1})
    assert got.scores.tolist() == [1, 1, 0, 0, 1]


def test_no_rows() -> None:
    nothing = np.zeros(0, np.int64)
    got = unique_combinations(["a", "b"], [nothing, nothing])
    assert (got.people, got.unique, got.ranked(), got.scores.tolist()) == (0, 0, [], [])


@pytest.mark.parametrize(("limit", "size"), [(100_000, 4), (40_000, 2), (1, 1)])
def test_a_search_beyond_its_limit_takes_fewer_columns(limit: int, size: int) -> None:
    columns = [np.arange(10, dtype=np.int64) // (2 + c) for c in range(5)]
    assert unique_combinations(list("abcde"), columns, limit=limit).size == size
