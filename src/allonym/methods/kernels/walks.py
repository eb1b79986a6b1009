"""A walk through the tuples, along which groups are cut: another start of the search. As in `cpp/walk.cpp`.

Tuples are sorted by one attribute after the other, whose values follow each other like those of a depth-first walk of
a taxonomy. Groups of tuples that follow each other, with the least loss, come from dynamic programming.
"""

from __future__ import annotations

import numpy as np

from allonym.arrays import Floats, Ints
from allonym.methods.kernels.group_state import NEW, Members, Pieces, with_pieces
from allonym.methods.kernels.search import Search, Tick
from allonym.methods.kernels.ties import rounded
from allonym.metric import Metric

MAX_CUTS = 16  # groups that are weighed for each piece of a walk
MAX_CHAINED = 1_000  # values that follow each other by their distances; more are sorted by that from one end
SAMPLE = 512  # values of an attribute that tell how far two of its tuples are


def walk(pieces: Pieces) -> Ints:
    """Return the movable pieces, sorted by the attribute first whose values differ most, then by the next."""
    some = np.flatnonzero(pieces.movable)
    spread, ranks = [], []
    for metric, share, column in zip(pieces.metrics, pieces.shares, pieces.columns, strict=True):
        codes, first, place, tuples = np.unique(
            column[some], return_index=True, return_inverse=True, return_counts=True
        )
        order = np.lexsort((first, -tuples))  # by frequency; ties in the order of the tuples, which is drawn
        rank = np.empty(len(codes), np.int64)
        rank[order[_chain(metric, codes[order])]] = np.arange(len(codes))
        ranks.append(rank[place.ravel()])
        spread.append(float(share) * _mean_distance(metric, codes[order], tuples[order]))
    keys = np.argsort(rounded(np.array(spread)), kind="stable")
    return some[np.lexsort([ranks[a] for a in keys.tolist()])]


def _mean_distance(metric: Metric, codes: Ints, tuples: Ints) -> float:
    """Return how far two tuples are on average, by their most frequent values."""
    weights = tuples[:SAMPLE] / tuples[:SAMPLE].sum()
    return float(weights @ metric.distances(codes[:SAMPLE, None], codes[:SAMPLE]) @ weights)


def _chain(metric: Metric, codes: Ints) -> Ints:
    """Return an order of values: from the one farthest from the first, always to the nearest that is left."""
    end = int(np.argmax(_from(metric, codes, 0)))
    if len(codes) > MAX_CHAINED:
        return np.argsort(_from(metric, codes, end), kind="stable")
    far = rounded(np.asarray(metric.distances(codes[:, None], codes), np.float64))
    order, left = [end], np.ones(len(codes), bool)
    left[end] = False
    while left.any():
        order.append(int(np.argmin(np.where(left, far[order[-1]], np.inf))))
        left[order[-1]] = False
    return np.array(order, np.int64)


def _from(metric: Metric, codes: Ints, one: int) -> Floats:
    return rounded(np.asarray(metric.distances_from(metric.values[codes[one]]), np.float64)[codes])


def start_along(search: Search, order: Ints, tick: Tick) -> None:
    """Start anew with groups of pieces that follow each other, by dynamic programming.

    Where there are none of k rows, groups stay as they are.
    """
    least, begin = [0.0] + [np.inf] * len(order), [0] * (len(order) + 1)
    pieces = order.tolist()
    for end in range(1, len(pieces) + 1):
        least[end], begin[end] = _best_cut(search, pieces[:end], least)
        if search.is_late():
            return
        if end % 256 == 0:
            tick(end, len(pieces))
    if least[-1] == np.inf:
        return
    made: list[Members] = []
    end = len(pieces)
    while end > 0:
        made.append(tuple(sorted(pieces[begin[end] : end])))
        end = begin[end]
    search.groups.clear()
    for members in reversed(made):
        search.apply({NEW: members})


def _best_cut(search: Search, pieces: list[int], least: list[float]) -> tuple[float, int]:
    """Return what the first pieces of a walk lose at least, and where the last of their groups begins then.

    It has k rows, and is not so large that it could be cut.
    """
    best, begin, tried, k = np.inf, 0, 0, search.pieces.k
    members: Members = ()
    counts: list[int] = []
    for first in range(len(pieces) - 1, -1, -1):
        members = with_pieces(members, pieces[first])
        counts.append(int(search.pieces.rows[pieces[first]]))
        if sum(counts) < k:
            continue
        tried += 1
        if least[first] < np.inf and (lost := least[first] + search.weigh(members)[0]) < best:
            best, begin = lost, first
        if sum(counts) - max(counts) >= 2 * k or tried == MAX_CUTS:
            break
    return best, begin
