"""Whether a column that is kept gives away another one: it is a copy of it, determines it, or has the same order."""

from __future__ import annotations

import re
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints
from allonym.kinds.identifiers.detect import ColumnSample
from allonym.kinds.numbers import to_number
from allonym.ontology.lexicon import key

MIN_ROWS = 5  # in which both columns have a value
SAME = 0.95  # share of rows in which a copy is equal, chance aside
MAX_CHANCE_OF_COPY = -3.0  # log10 of the probability that unrelated columns are equal
DETERMINED = 0.98  # share of the rows that a blind guess gets wrong, and which the other column gets right
MAX_CHANCE = -4.0  # log10 of the probability that unrelated columns agree as well
SAME_ORDER = 0.995  # rank correlation of columns that have the same order
MIN_RANKS = 10  # different values in each of them
_DATE = re.compile(r"\d{4}-\d{2}(-\d{2})?([T ]\d{2}:\d{2}.*)?")


class Relation(Enum):
    """How a column gives away another one; the value follows the names of both."""

    COPY = "is a copy of"
    DETERMINES = "determines"
    SAME_ORDER = "has the same order as"


def relation_of(kept: ColumnSample, other: ColumnSample) -> Relation | None:
    """Return how a column gives away another one in the same rows; None where it does not.

    >>> from allonym.cells import Cells
    >>> grades = ColumnSample("grade", Cells(["9", "10", "12"], np.repeat([0, 1, 2], 9)))
    >>> schools = ColumnSample("school", Cells(["middle", "high"], np.repeat([0, 1, 1], 9)))
    >>> relation_of(grades, schools), relation_of(schools, grades)
    (<Relation.DETERMINES: 'determines'>, None)
    """
    both = (kept.codes >= 0) & (other.codes >= 0)
    own, others = kept.codes[both], other.codes[both]
    if len(own) < MIN_ROWS or len(np.unique(others)) < 2:
        return None
    if _is_copy(kept, other, own, others):
        return Relation.COPY
    if _determines(own, others):
        return Relation.DETERMINES
    return Relation.SAME_ORDER if _same_order(kept, other, both) else None


def _is_copy(kept: ColumnSample, other: ColumnSample, own: Ints, others: Ints) -> bool:
    """Tell whether the texts of nearly all rows are equal, but for case, blanks and the way numbers are written.

    Equal rows count beyond those that chance makes equal (Cohen 1960, kappa).
    """
    number: dict[str | float, int] = {}
    first, second = (
        np.array([number.setdefault(_canonical(x), len(number)) for x in column.present], np.int64)[codes]
        for column, codes in ((kept, own), (other, others))
    )
    shares = (np.bincount(x, minlength=len(number)) / len(own) for x in (first, second))
    by_chance = float(np.prod(list(shares), axis=0).sum())
    equal = float((first == second).mean())
    if by_chance == 0.0 or equal - by_chance < SAME * (1 - by_chance):
        return False
    return len(own) * np.log10(by_chance) <= MAX_CHANCE_OF_COPY


def _canonical(text: str) -> str | float:
    number = to_number(text)
    return key(text) if number is None else number


def _determines(own: Ints, others: Ints) -> bool:
    """Tell whether each value goes with one value of the other column, and not because it occurs only once.

    Each row is guessed from the other rows with its value: what they have most. The share of right guesses is compared
    with that of always guessing the most frequent value (Goodman and Kruskal 1954, lambda). Values that occur once say
    nothing, and at least half of the rows must have others.
    """
    pairs, counts = _pairs(own, others)
    sizes = np.bincount(own)
    several = sizes[pairs[0]] > 1
    rows = int(counts[several].sum())
    if 2 * rows < len(own):
        return False
    (group, value), counts = pairs[:, several], counts[several]
    most, second = (np.zeros(len(sizes), np.int64) for _ in range(2))
    np.maximum.at(most, group, counts)
    modal = counts == most[group]
    np.maximum.at(second, group, np.where(modal, 0, counts))
    alone = np.bincount(group, modal, minlength=len(sizes))[group] == 1
    right = int(counts[modal & alone & (counts - 1 > second[group])].sum())
    blind = int(np.bincount(value, counts).max())
    if blind == rows or right - blind < DETERMINED * (rows - blind):
        return False
    return _chance_of_pure_groups(pairs[0], sizes, others) <= MAX_CHANCE


def _pairs(own: Ints, others: Ints) -> tuple[Ints, Ints]:
    """Return the distinct pairs of two columns' codes, as two rows, and how often each occurs."""
    width = int(others.max()) + 1
    codes, counts = np.unique(own * width + others, return_counts=True)
    return np.stack(np.divmod(codes, width)), counts


def _chance_of_pure_groups(group_of_pair: Ints, sizes: Ints, others: Ints) -> float:
    """Return log10 of the probability that so many groups of equal values have one value of an unrelated column."""
    shares = np.bincount(others) / len(others)
    logs = np.log(shares[shares > 0])
    pure = sizes[np.flatnonzero(np.bincount(group_of_pair) == 1)]
    size, groups = np.unique(pure[pure > 1], return_counts=True)
    chance = [max(float(np.log10(np.exp(x * logs).sum() + 1e-300)), -300.0) for x in size.tolist()]
    return float(np.dot(chance, groups)) if len(size) else 0.0


def _same_order(kept: ColumnSample, other: ColumnSample, both: NDArray[np.bool_]) -> bool:
    """Tell whether the ranks of two columns of numbers or dates are nearly the same, or nearly reversed."""
    values = _ordered(kept), _ordered(other)
    if values[0] is None or values[1] is None:
        return False
    first, second = values[0][kept.codes[both]], values[1][other.codes[both]]
    known = ~(np.isnan(first) | np.isnan(second))
    if known.mean() < SAME or min(len(np.unique(x[known])) for x in (first, second)) < MIN_RANKS:
        return False
    return abs(_rank_correlation(first[known], second[known])) >= SAME_ORDER


def _ordered(column: ColumnSample) -> Floats | None:
    """Return the distinct texts of a column as numbers in their order: numbers, or dates as ISO 8601 writes them."""
    numbers = np.array([np.nan if x is None else x for x in column.numbers], np.float64)
    if np.isnan(numbers).mean() <= 1 - SAME:
        return numbers
    if all(_DATE.fullmatch(x) for x in column.present):
        return np.argsort(np.argsort(np.array(column.present))).astype(np.float64)
    return None


def _rank_correlation(first: Floats, second: Floats) -> float:
    """Return Spearman's coefficient; equal values share their mean rank."""
    centred = []
    for values in (first, second):
        _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
        ranks = (np.cumsum(counts) - (counts - 1) / 2)[place]
        centred.append(ranks - ranks.mean())
    return float(centred[0] @ centred[1] / np.sqrt((centred[0] ** 2).sum() * (centred[1] ** 2).sum()))
