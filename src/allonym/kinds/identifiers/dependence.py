"""Whether a column that is kept gives away another one: it is a copy of it, determines it, or has the same order."""

from __future__ import annotations

from enum import Enum

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints, distinct
from allonym.kinds.identifiers.detect import ColumnSample

MIN_ROWS = 5  # in which both columns have a value
SAME = 0.95  # share of rows in which a copy is equal, chance aside
MAX_CHANCE_OF_COPY = -3.0  # log10 of the probability that unrelated columns are equal
DETERMINED = 0.98  # share of the rows that a blind guess gets wrong, and which the other column gets right
MAX_CHANCE = -4.0  # log10 of the probability that unrelated columns agree as well
SAME_ORDER = 0.995  # rank correlation of columns that have the same order
MIN_RANKS = 10  # different values in each of them


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
    if len(own) < MIN_ROWS or (others == others[0]).all():
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
    if kept.different.isdisjoint(other.different):
        return False
    number: dict[str | float, int] = {}
    first, second = (
        np.array([number.setdefault(x, len(number)) for x in column.canonical], np.int64)[codes]
        for column, codes in ((kept, own), (other, others))
    )
    shares = (np.bincount(x, minlength=len(number)) / len(own) for x in (first, second))
    by_chance = float(np.prod(list(shares), axis=0).sum())
    equal = float((first == second).mean())
    if by_chance == 0.0 or equal - by_chance < SAME * (1 - by_chance):
        return False
    return len(own) * np.log10(by_chance) <= MAX_CHANCE_OF_COPY


def _determines(own: Ints, others: Ints) -> bool:
    """Tell whether each value goes with one value of the other column, and not because it occurs only once.

    Each row is guessed from the other rows with its value: what they have most. The share of right guesses is compared
    with that of always guessing the most frequent value (Goodman and Kruskal 1954, lambda). Values that occur once say
    nothing, and at least half of the rows must have others.
    """
    sizes = np.bincount(own)
    rows = int(sizes[sizes > 1].sum())
    if 2 * rows < len(own):
        return False
    pairs, counts = _pairs(own, others)
    several = sizes[pairs[0]] > 1
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
    _, counts, first = distinct([own, others])
    return np.stack([own[first], others[first]]), counts


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
    if kept.ordered is None or other.ordered is None or min(len(x.present) for x in (kept, other)) < MIN_RANKS:
        return False
    known = ~(np.isnan(kept.ordered)[kept.codes[both]] | np.isnan(other.ordered)[other.codes[both]])
    ranks = [_ranks(x.ordered, x.codes[both][known]) for x in (kept, other) if x.ordered is not None]
    if known.mean() < SAME or min(different for different, _ in ranks) < MIN_RANKS:
        return False
    return abs(_correlation(*(x for _, x in ranks))) >= SAME_ORDER


def _ranks(values: Floats, codes: Ints) -> tuple[int, Floats]:
    """Return how many different values rows have, and the rank of each row; equal values share their mean rank."""
    used, places = np.unique(values, return_inverse=True)
    counts = np.bincount(places.ravel()[codes], minlength=len(used))
    ranks = np.cumsum(counts) - (counts - 1) / 2
    return int((counts > 0).sum()), ranks[places.ravel()][codes]


def _correlation(first: Floats, second: Floats) -> float:
    """Return the correlation coefficient of two columns; of ranks, it is Spearman's."""
    one, other = first - first.mean(), second - second.mean()
    return float((one * other).sum() / np.sqrt((one**2).sum() * (other**2).sum()))
