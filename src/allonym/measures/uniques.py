"""Which columns make people unique: minimal unique combinations of columns (SUDA; Elliot, Manning and Ford 2002)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints, count_by, distinct

SIZE = 4  # columns in a combination, at most
MAX_CELLS = 150_000_000  # combinations × distinct tuples to search; beyond, combinations have fewer columns
CELLS_PER_COMBINATION = 2_000  # that a combination costs besides its tuples
MAX_LISTED = 200  # combinations in JSON

Combination = tuple[int, ...]  # places of columns, in order
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class UniqueCombinations:
    """The minimal combinations of columns in which people are unique, the score of every row, and of every column.

    A combination is minimal for a person if the person is unique in it and in none of its parts.
    """

    columns: tuple[str, ...]
    size: int  # columns in a combination, at most: what was asked for, or as many as could be searched
    people: int
    unique: int  # people whom at least one combination makes unique
    counts: Mapping[Combination, int]  # people whom each combination makes unique, where there are any
    scores: Floats = field(repr=False)  # of every row
    contributions: Floats  # of every column: the share of all scores, in %, of combinations with the column
    without: Ints  # people still unique if a column is left out

    def ranked(self) -> list[tuple[tuple[str, ...], int]]:
        """Return the combinations, by name, with the people they make unique; those of most people first."""
        order = sorted(self.counts, key=lambda x: (-self.counts[x], len(x), x))
        return [(tuple(self.columns[c] for c in x), self.counts[x]) for x in order]

    def to_dict(self) -> dict[str, Any]:
        """Return it for JSON; it holds no values of the data."""
        ranked = self.ranked()
        return {
            "size": self.size,
            "people": self.people,
            "unique": self.unique,
            "number": len(ranked),
            "combinations": [{"columns": list(names), "people": people} for names, people in ranked[:MAX_LISTED]],
            "by_column": {
                name: {"contribution": float(self.contributions[c]), "unique_without": int(self.without[c])}
                for c, name in enumerate(self.columns)
            },
            "highest_score": float(self.scores.max(initial=0.0)),
        }


def unique_combinations(
    names: Sequence[str],
    columns: Sequence[Ints],
    *,
    size: int = SIZE,
    units: Ints | None = None,
    row_counts: Ints | None = None,
    limit: int = MAX_CELLS,
) -> UniqueCombinations:
    """Find every minimal combination of at most `size` columns in which somebody is unique.

    Where there are units, a person is unique in columns if nobody else has the values of one of the person's rows.
    The score of a row sums over its minimal combinations ∏ (ATT - i), i from the number of columns to the largest
    size, of ATT columns (Elliot, Manning, Mayes, Gurd and Bane 2005); the factor 0 of all columns is left out.
    The cost depends on distinct tuples.

    Args:
        names: the names of the columns.
        columns: the codes of every row, column by column.
        size: the largest number of columns in a combination.
        units: who every row is about.
        row_counts: how many rows every row stands for, where equal ones were counted.
        limit: combinations × distinct tuples to search; beyond, combinations have fewer columns.

    >>> one, two = np.array([0, 0, 1, 1]), np.array([5, 6, 5, 5])
    >>> uniques = unique_combinations(["one", "two"], [one, two])
    >>> uniques.ranked(), uniques.scores.tolist(), uniques.contributions.tolist()
    ([(('two',), 1), (('one', 'two'), 1)], [1.0, 1.0, 0.0, 0.0], [50.0, 100.0])
    """
    tuples = _Tuples.of(columns, units, row_counts)
    return _scored(names, tuples, _searchable(len(tuples.counts), len(columns), size, limit))


def _scored(names: Sequence[str], tuples: _Tuples, size: int) -> UniqueCombinations:
    """Sum up the minimal combinations of tuples, by tuple and by column."""
    columns = tuples.codes
    weights = [math.prod(len(columns) - i for i in range(s, min(size, len(columns) - 1) + 1)) for s in range(size + 1)]
    scores, by_column = np.zeros(len(tuples.counts)), np.zeros(len(columns))
    unique, without = np.zeros(len(scores), bool), np.zeros((len(columns), len(scores)), bool)
    counts: dict[Combination, int] = {}
    for combination, minimal in _minimal(tuples, size):
        counts[combination] = tuples.people(minimal)
        weight = weights[len(combination)]
        scores[minimal] += weight
        by_column[list(combination)] += weight * len(minimal)
        unique[minimal] = True
        others = np.setdiff1d(np.arange(len(columns)), combination)
        without[others[:, None], minimal] = True
    total = scores.sum()
    return UniqueCombinations(
        tuple(names),
        size,
        tuples.total,
        tuples.people(np.flatnonzero(unique)),
        counts,
        scores[tuples.inverse],
        100 * by_column / total if total else by_column,
        np.array([tuples.people(np.flatnonzero(x)) for x in without], np.int64),
    )


def _searchable(tuples: int, columns: int, size: int, limit: int) -> int:
    """Return how many columns combinations can have so that the search stays within its limit."""
    size, searched = min(size, columns), 0
    for s in range(1, size + 1):
        searched += math.comb(columns, s) * (tuples + CELLS_PER_COMBINATION)
        if s > 1 and searched > limit:
            return s - 1
    return size


@dataclass(frozen=True, eq=False)
class _Tuples:
    """The distinct tuples of a table, told apart by person where there are units."""

    codes: list[Ints]  # of each column
    counts: Ints
    persons: Ints | None
    inverse: Ints
    total: int  # people

    @classmethod
    def of(cls, columns: Sequence[Ints], units: Ints | None, row_counts: Ints | None) -> _Tuples:
        """Count the distinct tuples of a table."""
        inverse, counts, first = distinct([*columns, *([] if units is None else [units])])
        if row_counts is not None:
            counts = count_by(inverse, len(first), row_counts)
        persons = None if units is None else units[first]
        total = int(counts.sum()) if units is None else len(np.unique(units))
        return cls([_dense(x[first]) for x in columns], counts, persons, inverse, total)

    def people(self, places: Ints) -> int:
        """Return how many people some tuples, each of one person, are about."""
        return len(places) if self.persons is None else len(np.unique(self.persons[places]))

    def alone(self, places: Ints, groups: Ints, number: int) -> Flags:
        """Return which of some tuples are in a group with no other person, given their groups."""
        if self.persons is None:
            return (count_by(groups, number, self.counts[places]) == 1)[groups]
        persons = self.persons[places]
        any_person = np.zeros(number, np.int64)
        any_person[groups] = persons
        several = np.zeros(number, bool)
        several[groups[any_person[groups] != persons]] = True
        return ~several[groups]


def _dense(codes: Ints) -> Ints:
    return np.unique(codes, return_inverse=True)[1].astype(np.int64).ravel()


def _minimal(tuples: _Tuples, size: int) -> Iterator[tuple[Combination, Ints]]:
    """Yield the combinations that make tuples unique, each with the tuples for which it is minimal."""
    smaller: dict[Combination, Flags] = {(): np.zeros(len(tuples.counts), bool)}
    for s in range(1, size + 1):
        unique: dict[Combination, Flags] = {}
        for prefix in combinations(range(len(tuples.codes)), s - 1):
            for combination, flags in _extended(tuples, prefix, smaller[prefix]):
                parts = [smaller[x] for x in combinations(combination, s - 1)]
                minimal = np.flatnonzero(flags & ~np.logical_or.reduce(parts))
                if len(minimal):
                    yield combination, minimal
                unique[combination] = flags
        smaller = unique


def _extended(tuples: _Tuples, prefix: Combination, known: Flags) -> Iterator[tuple[Combination, Flags]]:
    """Yield the combinations that begin with a prefix and have one column more, with the tuples unique in them.

    A tuple that is unique in the prefix is unique in all of them, and keeps no other tuple from being so.
    """
    rest = np.flatnonzero(~known)
    groups = distinct([tuples.codes[c][rest] for c in prefix])[0] if prefix else np.zeros(len(rest), np.int64)
    for last in range(prefix[-1] + 1 if prefix else 0, len(tuples.codes)):
        flags = known.copy()
        if len(rest):
            wider, _, first = distinct([groups, tuples.codes[last][rest]])
            flags[rest] = tuples.alone(rest, wider, len(first))
        yield (*prefix, last), flags
