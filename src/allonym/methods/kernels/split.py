"""Many tuples are cut into blocks of related meaning, where that parts the fewest that are near to each other."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush

import numpy as np

from allonym.arrays import Floats, Ints
from allonym.methods.kernels.space import alike
from allonym.metric import Metric

SAMPLE = 256  # tuples whose neighbours tell what a cut costs
MAX_SEARCHED = 20_000  # tuples among which these are looked for
NEIGHBOURS = 64  # neighbours of each
COUNTED_NEIGHBOURS = 16  # of these count
COUNTED_ACROSS_BLOCKS = 4  # and so many of those that were in other blocks before
MIN_COST = 0.01  # of the distances of neighbours: what every cut is taken to cost, so that cuts of nothing are not free


def cut(
    metrics: Sequence[Metric], shares: Floats, codes: Ints, rows: Ints, k: int, size: int, before: Ints | None = None
) -> list[Ints]:
    """Return blocks of at most `size` tuples and at least k rows, each as the numbers of its tuples, in order.

    What is too large is cut into the parts of one attribute, again and again: of the attribute whose parts leave most
    tuples with their neighbours, for what the cut achieves. Small parts are then joined to the nearest. `before` has
    the block each tuple was in earlier: then only neighbours count that were in others.
    """
    order = by_frequency(codes)
    waiting, small = [order], []
    while waiting:
        some = waiting.pop()
        if len(some) <= size:
            small.append(np.sort(some))
            continue
        part = _cheapest(metrics, shares, codes[some], None if before is None else before[some])
        waiting += [some[part == x] for x in range(int(part.max()) + 1)]
    small.sort(key=lambda some: int(some[0]))
    blocks = []
    for block in joined(metrics, shares, codes, small, rows, k, size):
        part = in_order(metrics, shares, codes[block]) if len(block) > size else np.zeros(len(block), np.int64)
        blocks += [block[part == x] for x in range(int(part.max()) + 1)]
    return blocks


def by_frequency(codes: Ints) -> Ints:
    """Return the tuples in an order that goes by how frequent their values are, so that names do not matter."""
    keys = [np.bincount(column)[column] for column in codes.T]
    return np.lexsort(keys)


def _cheapest(metrics: Sequence[Metric], shares: Floats, codes: Ints, before: Ints | None) -> Ints:
    """Return the part of each tuple by the cut that costs least; two halves of those that are alike, if there is none.

    What a cut costs is how much farther the nearest tuples are in the own part than in all; what it achieves is the
    entropy of the parts, since cuts of cuts add up to as much as it takes to come from p tuples to blocks.
    """
    near, far = _neighbours(metrics, shares, codes, before)
    few = COUNTED_NEIGHBOURS if before is None else COUNTED_ACROSS_BLOCKS
    base = (far[:, :few] ** 2).mean()
    best, best_parts = np.inf, None
    for metric, column in zip(metrics, codes.T, strict=True):
        tuples = np.bincount(column)
        used = np.flatnonzero(tuples)
        if len(used) == 1:
            continue
        number = np.zeros(len(tuples), np.int64)
        number[used] = metric.families(used, tuples[used].astype(np.float64))
        part = number[column]
        sizes = np.bincount(part) / len(part)
        if len(sizes) == 1:
            continue
        costs = _within(part, near, far, few) - base + MIN_COST * base
        cost = max(costs, 0.0) / -float(sizes @ np.log(sizes))
        if cost < best:
            best, best_parts = cost, part
    return in_order(metrics, shares, codes) if best_parts is None else best_parts


def in_order(metrics: Sequence[Metric], shares: Floats, codes: Ints) -> Ints:
    """Return two halves of tuples by an order in which those that follow each other are alike."""
    part = np.zeros(len(codes), np.int64)
    part[alike(metrics, shares, codes.T)[len(codes) // 2 :]] = 1
    return part


def _neighbours(
    metrics: Sequence[Metric], shares: Floats, codes: Ints, before: Ints | None
) -> tuple[tuple[Ints, Ints], Floats]:
    """Return some tuples, the nearest to each of them, and how far these are, the nearest first."""
    looked = np.linspace(0, len(codes) - 1, min(len(codes), MAX_SEARCHED)).astype(np.int64)
    some = looked[np.linspace(0, len(looked) - 1, min(len(looked), SAMPLE)).astype(np.int64)]
    far = np.zeros((len(some), len(looked)))
    for metric, share, column in zip(metrics, shares, codes.T, strict=True):
        values, place = np.unique(column[looked], return_inverse=True)
        far += share * metric.distances(column[some][:, None], values)[:, place.ravel()]
    own = some[:, None] == looked
    if before is not None:
        own |= before[some][:, None] == before[looked]
    far[own] = np.inf
    nearest = np.argpartition(far, min(NEIGHBOURS, far.shape[1]) - 1, axis=1)[:, :NEIGHBOURS]
    nearest_distances = np.take_along_axis(far, nearest, axis=1)
    order = np.argsort(nearest_distances, axis=1, kind="stable")
    far = np.minimum(np.take_along_axis(nearest_distances, order, axis=1), 1.0)
    return (some, looked[np.take_along_axis(nearest, order, axis=1)]), far


def _within(part: Ints, near: tuple[Ints, Ints], far: Floats, few: int) -> float:
    """Return the mean squared distance of the nearest tuples in the own part.

    Where there are too few among the neighbours, the others are taken to be as far as the last of these.
    """
    some, others = near
    same = part[others] == part[some][:, None]
    wanted = same & (np.cumsum(same, axis=1) <= few)
    missing = few - wanted.sum(axis=1)
    total = (far**2 * wanted).sum(axis=1) + missing * far[:, -1] ** 2
    return float(total.mean()) / few


def joined(
    metrics: Sequence[Metric], shares: Floats, codes: Ints, parts: list[Ints], rows: Ints, k: int, size: int
) -> list[Ints]:
    """Join parts while two make no more than `size`: the smallest with the nearest that has room for it.

    When there is no room any more, one part at most has fewer than half as many; it joins the nearest even so, if it
    has fewer than k rows. Ties go to the part whose first tuple comes first.
    """
    far = _apart(metrics, shares, codes, parts)
    sizes = np.array([len(x) for x in parts])
    blocks = dict(enumerate(parts))
    waiting = [(len(x), number) for number, x in blocks.items()]
    heapify(waiting)
    while len(blocks) > 1:
        number, one = heappop(waiting)
        if one not in blocks or number != sizes[one]:
            continue
        room = np.where(sizes + number <= size, far[one], np.inf)
        full = room.min() == np.inf
        if full and rows[blocks[one]].sum() >= k:
            break
        other = int(np.argmin(far[one] if full else room))
        _merge(far, sizes, blocks, one, other)
        heappush(waiting, (int(sizes[other]), other))
        if full:
            break
    return [np.sort(blocks[x]) for x in sorted(blocks)]


def _merge(far: Floats, sizes: Ints, parts: dict[int, Ints], one: int, other: int) -> None:
    """Let a part join another; its distances are the means of theirs, by how many tuples they have."""
    mean = (far[one] * sizes[one] + far[other] * sizes[other]) / (sizes[one] + sizes[other])
    far[other], far[:, other] = mean, mean
    far[other, other] = np.inf
    far[one], far[:, one] = np.inf, np.inf
    parts[other] = np.concatenate([parts[other], parts.pop(one)])
    sizes[other] += sizes[one]


def _apart(metrics: Sequence[Metric], shares: Floats, codes: Ints, parts: list[Ints]) -> Floats:
    """Return how far the centroids of parts are from each other; a part is in no way near to itself."""
    far = np.zeros((len(parts), len(parts)))
    for metric, share, column in zip(metrics, shares, codes.T, strict=True):
        values = [metric.centroid(column[some], np.ones(len(some))) for some in parts]
        wider = metric.extend(values)
        places = {value: code for code, value in enumerate(wider.values)}
        own = np.array([places[v] for v in values], np.int64)
        far += share * wider.distances(own[:, None], own)
    np.fill_diagonal(far, np.inf)
    return far
