"""Pairs of ranks that exchange their values, and how likely two ranks do."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from allonym.arrays import Floats, Ints

MAX_CELLS = 64  # of a window of ranks, for likelihoods
MAX_TOTAL = 100_000  # of all ranks, likewise
ROUNDING = 1e-9


def window_of(share: float, n: int) -> int:
    """Return how many ranks ahead a partner may be: a share of all ranks, but at least one.

    >>> window_of(0.05, 1000), window_of(0.05, 7), window_of(0.29, 100)
    (50, 1, 29)
    """
    return max(1, int(share * n + ROUNDING))


def paired(n: int, window: int, draws: Floats) -> Ints:
    """Return for every rank the one that it exchanges its value with; itself, if none is left.

    From the first rank to the last, each that was not drawn yet draws one of those not drawn within the window ahead.
    `draws` has a number in [0, 1) for every rank. Candidates are kept in a list whose order is of no importance: the
    last one takes the place of one that leaves.

    >>> paired(5, 2, np.array([0.9, 0.0, 0.0, 0.0, 0.0])).tolist()
    [1, 0, 4, 3, 2]
    """
    partner, drawn = list(range(n)), draws.tolist()
    candidates = list(range(min(window + 1, n)))
    place = list(range(n))  # of each rank among the candidates
    taken = bytearray(n)
    for i in range(n):
        if i and i + window < n:
            place[i + window] = len(candidates)
            candidates.append(i + window)
        if taken[i]:
            continue
        last = candidates.pop()
        if last != i:
            candidates[place[i]] = last
            place[last] = place[i]
        if not candidates:
            continue
        j = candidates[int(drawn[i] * len(candidates))]
        last = candidates.pop()
        if last != j:
            candidates[place[j]] = last
            place[last] = place[j]
        taken[j] = 1
        partner[i], partner[j] = j, i
    return np.array(partner, np.int64)


@dataclass(frozen=True)
class ExpectedPairs:
    """How many values each cell of ranks is expected to take from each other cell.

    Which ranks exchange values depends on how many there are and on the window alone, not on the values. With u(j) the
    probability that rank j was not drawn yet, rank i draws rank j with probability u(i)·u(j) / Σ u over the window.
    That takes the number of candidates by its mean: exact for a window of 1, and in the limit of large windows.
    Windows of more than `MAX_CELLS` ranks are divided into cells, within which ranks are alike.
    """

    n: int
    window: int

    @cached_property
    def cells_of_window(self) -> int:
        """How many cells a window has."""
        fitting = int(MAX_TOTAL * self.window / max(self.n, 1))
        return max(1, min(self.window, MAX_CELLS, fitting))

    @cached_property
    def starts(self) -> Floats:
        """The first rank of each cell, and the number of ranks."""
        size = self.window / self.cells_of_window
        cells = max(int(np.ceil(self.n / size - ROUNDING)), 1)
        return np.minimum(np.arange(cells + 1) * size, self.n)

    @cached_property
    def matrix(self) -> Any:
        """The expected number of values that cell x (row) takes from cell y, as a sparse matrix."""
        from scipy.sparse import coo_array

        width, left = self.cells_of_window, np.diff(self.starts)
        single = width == self.window  # cells are ranks
        cells = len(left)
        ahead = np.append(left, np.zeros(width + 1))  # not drawn yet
        weights = np.ones(width + 1)
        weights[0], weights[-1] = (0.0, 1.0) if single else (0.5, 0.5)  # while a cell is passed through, on average
        drawn = np.zeros((cells, width + 1))
        for i in range(cells):
            reach = weights * ahead[i : i + width + 1]
            total, own = reach.sum(), ahead[i]
            if total <= 0:
                continue
            drawing = min(own / (1 + reach[0] / total), total)  # the rest is drawn by ranks of its own cell
            drawn[i] = drawing * reach / total
            ahead[i : i + width + 1] -= drawn[i]
            ahead[i] = max(own - drawing - drawn[i, 0], 0.0)  # they stay
        rows = np.repeat(np.arange(cells), width + 1)
        columns = rows + np.tile(np.arange(width + 1), cells)
        inside = columns < cells
        once = coo_array((drawn.ravel()[inside], (rows[inside], columns[inside])), (cells, cells)).tocsr()
        stay = coo_array((np.maximum(left - once.sum(axis=1) - once.sum(axis=0), 0.0), (np.arange(cells),) * 2))
        return (once + once.T + stay).tocsr()

    def shares(self, lows: Floats, highs: Floats) -> Any:
        """Return which share of each cell (column) lies between two ranks (row), as a sparse matrix."""
        from scipy.sparse import coo_array

        first = np.clip(np.searchsorted(self.starts, lows, side="right") - 1, 0, len(self.starts) - 2)
        last = np.clip(np.searchsorted(self.starts, highs, side="left") - 1, first, len(self.starts) - 2)
        lengths = last - first + 1
        rows = np.repeat(np.arange(len(lows)), lengths)
        columns = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths) + first[rows]
        low, high = self.starts[columns], self.starts[columns + 1]
        inside = np.maximum(np.minimum(high, highs[rows]) - np.maximum(low, lows[rows]), 0.0)
        shape = len(lows), len(self.starts) - 1
        return coo_array((inside / (high - low), (rows, columns)), shape).tocsr()

    def between(self, befores: tuple[Floats, Floats], afters: tuple[Floats, Floats]) -> Floats:
        """Return how likely a value whose ranks are in one range becomes one whose ranks are in another."""
        expected = self.shares(*befores) @ self.matrix @ self.shares(*afters).T
        return np.asarray(expected.toarray() / (befores[1] - befores[0])[:, None])
