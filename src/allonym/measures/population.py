"""How many people of a population share the values of a record: counted in a population table, or from weights."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints, count_by, count_units, distinct, sum_by

PAIRS_PER_BATCH = 8_000_000  # of records and people, compared at a time
TERMS = 80  # of the series, enough for double precision where it is used
FROM_SERIES = 30  # people in a group from which on the series converges at any sampling fraction

Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class PopulationRisk:
    """The people of a population who share the values of each record (k-map; Sweeney 2002, §4).

    `counts` has their number F for every row, `sizes` the number f of people of the table. A population has at least
    the people of the table, so that risks use the larger of both.
    """

    source: str  # "table" or "weights"
    columns: tuple[str, ...]  # that were compared
    people: float  # of the population
    sizes: Ints = field(repr=False)
    counts: Floats = field(repr=False)
    individual: Floats | None = field(default=None, repr=False)  # individual risk, where F is estimated by weights
    units: Ints | None = field(default=None, repr=False)
    row_counts: Ints | None = field(default=None, repr=False)

    @property
    def risks(self) -> Floats:
        """The risk 1/F of every row."""
        return 1 / np.maximum(self.counts, self.sizes)

    def to_dict(self) -> dict[str, Any]:
        """Return it for JSON; it holds no values of the data."""
        individual = None
        if self.individual is not None:
            expected, people = self._expected(self.individual)
            individual = {
                "highest": float(self.individual.max(initial=0.0)),
                "mean": expected / max(people, 1),
                "expected_reidentifications": expected,
            }
        expected, people = self._expected(self.risks)
        return {
            "source": self.source,
            "columns": list(self.columns),
            "people": float(self.people),
            "k_map": float(self.counts.min()) if self.counts.size else 0.0,
            "median": _median(self.counts, self._each),
            "fewer_than_in_table": int(self._each[self.counts < self.sizes].sum()),
            "expected_reidentifications": expected,
            "mean_risk": expected / max(people, 1),
            "individual_risk": individual,
        }

    @property
    def _each(self) -> Ints:
        return np.ones(len(self.sizes), np.int64) if self.row_counts is None else self.row_counts

    def _expected(self, risks: Floats) -> tuple[float, int]:
        """Return how many people are expected to be found, each by the riskiest row, and of how many."""
        if self.units is None:
            return _sum(risks * self._each), int(self._each.sum())
        highest = np.zeros(int(self.units.max(initial=-1)) + 1)
        np.maximum.at(highest, self.units, risks)
        return _sum(highest), len(np.unique(self.units))


def _sum(amounts: Floats) -> float:
    """Return a sum that does not depend on the order of rows."""
    return float(np.sort(amounts).sum())


def _median(values: Floats, counts: Ints) -> float:
    """Return the median of values that occur several times.

    >>> _median(np.array([5.0, 1.0, 9.0]), np.array([1, 2, 1]))
    3.0
    """
    if not values.size:
        return 0.0
    order = np.argsort(values)
    below = np.cumsum(counts[order])
    middle = np.searchsorted(below, [(below[-1] - 1) // 2, below[-1] // 2], side="right")
    return float(values[order][middle].mean())


def class_sizes(groups: Ints, units: Ints | None = None, row_counts: Ints | None = None) -> Ints:
    """Return for every row how many people are in its group.

    >>> class_sizes(np.array([0, 0, 1])).tolist(), class_sizes(np.array([0, 0, 1]), np.array([4, 4, 4])).tolist()
    ([2, 2, 1], [1, 1, 1])
    """
    number = int(groups.max(initial=-1)) + 1
    sizes = count_by(groups, number, row_counts) if units is None else count_units(groups, units, number)
    return sizes[groups]


def from_weights(
    columns: Sequence[str],
    groups: Ints,
    weights: Floats,
    units: Ints | None = None,
) -> PopulationRisk:
    """Estimate the people of the population by the sampling weights of the rows in a group, at least its size.

    A person with several rows in a group counts once, with the largest weight.
    """
    number = int(groups.max(initial=-1)) + 1
    sizes = class_sizes(groups, units)
    if units is None:
        order = np.argsort(weights)  # so that the order of rows does not matter
        total, people = sum_by(groups[order], weights[order], number), _sum(weights)
    else:
        person, _, first = distinct([groups, units])
        largest = np.zeros(len(first))
        np.maximum.at(largest, person, weights)
        order = np.argsort(largest)
        total = sum_by(groups[first][order], largest[order], number)
        overall = np.zeros(int(units.max(initial=-1)) + 1)
        np.maximum.at(overall, units, weights)
        people = _sum(overall)
    counts = np.maximum(total[groups], sizes)
    return PopulationRisk("weights", tuple(columns), people, sizes, counts, individual_risk(sizes, counts), units)


def individual_risk(sizes: Ints, counts: Floats) -> Floats:
    """Return the mean of 1/F for groups of f people of a sample, where F is estimated (Benedetti and Franconi 1998).

    Given f, F has a negative binomial distribution with the sampling fraction p = f / estimate of F. Then
    E(1/F) = ∫ y^(f-1) p/(p + (1-p)y) dy over [0, 1] (Polettini 2003): p/q·ln(1/p) for f = 1, where q = 1 - p, and
    r(f+1) = p/q·(1/f - r(f)). All groups are computed exactly; sdcMicro uses p/(f - q) from f = 3 on.

    >>> individual_risk(np.array([1, 2, 3]), np.array([10.0, 10.0, 3.0])).round(4).tolist()
    [0.2558, 0.1494, 0.3333]
    """
    pairs, place = np.unique(np.stack([sizes.astype(np.float64), counts]), axis=1, return_inverse=True)
    f, p = pairs[0], np.minimum(pairs[0] / pairs[1], 1.0) if pairs.size else pairs[1]
    by_series = (p > 0.5) | (f >= FROM_SERIES)
    risks = np.empty(len(f))
    risks[by_series] = _series(f[by_series], p[by_series])
    risks[~by_series] = _recurrence(f[~by_series], p[~by_series])
    return risks[place.ravel()]


def _series(f: Floats, p: Floats) -> Floats:
    """Return p/f·₂F₁(1, 1; f+1; 1-p), a sum of positive terms."""
    term, total = np.ones(len(f)), np.ones(len(f))
    for n in range(1, TERMS):
        term = term * (1 - p) * n / (f + n)
        total += term
    return p / f * total


def _recurrence(f: Floats, p: Floats) -> Floats:
    """Return the risk from that of smaller groups, which loses no digits where p is at most 1/2."""
    odds = p / (1 - p)
    risk = odds * np.log(1 / p)
    for size in range(1, int(f.max(initial=1))):
        risk = np.where(f > size, odds * (1 / size - risk), risk)
    return risk


def from_table(
    columns: Sequence[str],
    released: Sequence[Ints],
    population: Sequence[Ints],
    matches: Sequence[Flags | None],
    sizes: Ints,
    *,
    population_units: Ints | None = None,
    units: Ints | None = None,
    row_counts: Ints | None = None,
) -> PopulationRisk:
    """Count the people of a population table who may be the person of each row.

    Args:
        columns: the names of the columns.
        released: the codes of every row, column by column.
        population: the codes of every row of the population table.
        matches: for each column, whether a released code (row) fits a code of the population; None: if they are equal.
        sizes: the number of people in the group of every row.
        population_units: who every row of the population table is about.
        units: who every row is about.
        row_counts: how many rows every row stands for.
    """
    people = len(population[0]) if population_units is None else len(np.unique(population_units))
    counts = k_map(released, population, matches, population_units).astype(np.float64)
    return PopulationRisk("table", tuple(columns), people, sizes, counts, None, units, row_counts)


def k_map(
    released: Sequence[Ints],
    population: Sequence[Ints],
    matches: Sequence[Flags | None],
    units: Ints | None = None,
) -> Ints:
    """Return for every row how many people of a population fit it; see `from_table`.

    >>> released, population = [np.array([0, 1])], [np.array([0, 0, 1])]
    >>> k_map(released, population, [None]).tolist()
    [2, 1]
    >>> k_map(released, population, [np.array([[True, True], [False, True]])]).tolist()
    [3, 1]
    """
    row_of, _, first = distinct(released)
    records = [x[first] for x in released]
    _, counts, own = distinct([*population, *([] if units is None else [units])])
    people = [x[own] for x in population]
    fitting = np.zeros(len(first), np.int64)
    for rows, persons in _blocks(records, people, matches):
        number = _Counter(counts[persons], None if units is None else units[own][persons])
        height = max(PAIRS_PER_BATCH // max(len(persons), 1), 1)
        for low in range(0, len(rows), height):
            part = rows[low : low + height]
            fits = np.ones((len(part), len(persons)), bool)
            for a, b, table in zip(records, people, matches, strict=True):
                if table is not None:
                    fits &= table[a[part][:, None], b[persons]]
            fitting[part] = number.of(fits)
    return fitting[row_of]


def _blocks(records: list[Ints], people: list[Ints], matches: Sequence[Flags | None]) -> Iterator[tuple[Ints, Ints]]:
    """Yield records and the people that are equal to them in the columns that are compared by code alone."""
    by_code = [(a, b) for a, b, table in zip(records, people, matches, strict=True) if table is None]
    if not by_code:
        yield np.arange(len(records[0])), np.arange(len(people[0]))
        return
    keys = distinct([np.concatenate(x) for x in by_code])[0]
    mine, theirs = keys[: len(records[0])], keys[len(records[0]) :]
    order, other = np.argsort(mine, kind="stable"), np.argsort(theirs, kind="stable")
    present = np.intersect1d(mine, theirs)
    begins, ends = (np.searchsorted(mine[order], present, side) for side in ("left", "right"))
    starts, stops = (np.searchsorted(theirs[other], present, side) for side in ("left", "right"))
    for begin, end, start, stop in zip(begins, ends, starts, stops, strict=True):
        yield order[begin:end], other[start:stop]


class _Counter:
    """Counts the people among some rows of a population, by unit where there are units."""

    def __init__(self, counts: Ints, units: Ints | None) -> None:
        self.counts, self.order, self.starts = counts, None, None
        if units is not None:
            self.order = np.argsort(units, kind="stable")
            self.starts = np.flatnonzero(np.diff(units[self.order], prepend=-1))

    def of(self, fits: Flags) -> Ints:
        """Return how many people there are, given which rows fit."""
        if self.order is None or self.starts is None:
            return fits @ self.counts
        return np.logical_or.reduceat(fits[:, self.order], self.starts, axis=1).sum(axis=1)
