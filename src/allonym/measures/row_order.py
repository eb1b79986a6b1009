"""Does the order of rows tell something? A column whose values follow it can be read from the place of a row.

Two tests of a column, both against a random order of its rows:

- **Trend**: the rank correlation (Spearman 1904) ρ between the place of a row and its value: numbers by size, other
  values by text. In a random order ρ·√(n − 1) is about standard normal.
- **Blocks**: the share of neighbouring rows with equal values, above what chance gives (the join-count form of the test
  by Wald and Wolfowitz 1940, for any number of values).

A column follows the order where ρ or the excess share is at least `EFFECT` and the standard score at least `SCORE`.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from allonym.arrays import Floats, Ints
from allonym.cells import Cells, cell_text, is_missing
from allonym.kinds.numbers import numbers_of

EFFECT = 0.1  # correlation, or share of neighbours in excess of chance: below it, the order tells little
SCORE = 4.0  # standard deviations: a random order exceeds it once in 16,000 columns
MOSTLY = 0.9  # share of numbers from which on the values of a column are numbers


def ordered_columns(columns: Mapping[str, Cells]) -> list[str]:
    """Return the columns whose values follow the order of the rows.

    >>> rows = np.arange(40)
    >>> age = Cells([str(18 + x) for x in rows], rows)
    >>> sex = Cells(["f", "m"], np.random.default_rng(1).permutation(rows % 2))
    >>> ordered_columns({"age": age, "sex": sex})
    ['age']
    """
    return [name for name, cells in columns.items() if follows_order(cells)]


def follows_order(cells: Cells) -> bool:
    """Tell whether the values of a column follow the order of the rows, by trend or in blocks."""
    n = len(cells.codes)
    if n < 2 or len(np.unique(cells.codes)) < 2:
        return False
    correlation = trend(_ranks(cells)[cells.codes])
    if abs(correlation) >= EFFECT and abs(correlation) * np.sqrt(n - 1) >= SCORE:
        return True
    excess, score = blocks(cells.codes)
    return excess >= EFFECT and score >= SCORE


def trend(values: Floats) -> float:
    """Return the rank correlation between places and values; equal values have the mean of their ranks.

    >>> trend(np.array([1.0, 2.0, 3.0])), trend(np.array([2.0, 2.0]))
    (1.0, 0.0)
    """
    ranks = _mean_ranks(values)
    places = np.arange(len(ranks)) - (len(ranks) - 1) / 2
    ranks = ranks - ranks.mean()
    scale = np.sqrt((places**2).sum() * (ranks**2).sum())
    return float((places * ranks).sum() / scale) if scale > 0 else 0.0


def blocks(codes: Ints) -> tuple[float, float]:
    """Return the share of neighbours with equal values in excess of chance, and its standard score.

    In a random order of n rows, of which nᵢ have value i, neighbours are equal with p = Σ nᵢ(nᵢ − 1)/(n(n − 1)). The
    variance is that of the number of runs of several kinds (Mood 1940).

    >>> blocks(np.array([0] * 50 + [1] * 50))[0] > 0.45
    True
    """
    n = len(codes)
    sizes = np.bincount(codes).astype(float)
    squares, cubes = float((sizes**2).sum()), float((sizes**3).sum())
    if n < 3:
        return 0.0, 0.0
    chance = (squares - n) / (n * (n - 1))
    variance = (squares * (squares + n * (n + 1)) - 2 * n * cubes - n**3) / (n**2 * (n - 1))
    equal = int((codes[1:] == codes[:-1]).sum())
    excess = equal - chance * (n - 1)
    return excess / (n - 1), float(excess / np.sqrt(variance)) if variance > 0 else 0.0


def _ranks(cells: Cells) -> Floats:
    """Return a number for each value of a column by which it is sorted: numbers by size, other values by text."""
    texts = [None if is_missing(x) else cell_text(x) for x in cells.values]
    numbers = numbers_of(texts)[0]
    present = [text.casefold() for text in texts if text is not None]
    by_size = [number for number in numbers if number is not None]
    ranks = np.zeros(len(texts))  # what is missing, or no number among numbers, comes first
    if len(by_size) >= MOSTLY * len(present):
        ranks[[x is not None for x in numbers]] = 1 + np.unique(by_size, return_inverse=True)[1]
    else:
        ranks[[x is not None for x in texts]] = 1 + np.unique(present, return_inverse=True)[1]
    return ranks


def _mean_ranks(values: Floats) -> Floats:
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    mean_rank: Floats = (ends - (counts - 1) / 2)[place.ravel()]
    return mean_rank
