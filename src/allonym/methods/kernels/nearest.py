"""Which tuple is nearest to some values, or farthest: the answer of comparing all of them, without comparing all."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from allonym.arrays import Floats, Ints
from allonym.metric import Metric, Value

BLOCK = 16  # tuples of a block
MIN_BLOCKED = 1024  # so many tuples are one block
BATCH = 32  # blocks that are looked at first
CHUNK = 4096  # tuples that are looked at together for the farthest
MAX_CACHED_DISTANCES = 16_000_000  # distances, and bounds, that are kept
SAMPLE = 512  # values of an attribute whose distances tell how well it separates
MIN_DENSITY = 0.75  # tuples are laid out anew when less than this share of them is left
MIN_REBUILT = 1024  # so few are not laid out anew


class Points:
    """What the distances of points to tuples of codes are made of: for each attribute, weighted distances by code.

    The codes of the attributes follow each other, so that those of a tuple are places in one array of distances.
    """

    def __init__(self, metrics: Sequence[Metric], shares: Floats, columns: Ints) -> None:
        self.metrics, self.shares = metrics, shares
        widths = [len(metric.values) for metric in metrics]
        self.offsets = np.cumsum([0, *widths[:-1]])
        self.codes = np.ascontiguousarray(columns + self.offsets[:, None])
        self.kept = max(1, MAX_CACHED_DISTANCES // max(1, sum(widths)))
        self._known: list[dict[Value, Floats]] = [{} for _ in metrics]

    def __len__(self) -> int:
        return self.codes.shape[1]

    def parts(self, point: Sequence[Value]) -> list[Floats]:
        """Return, attribute by attribute, the weighted distances of a point to every code."""
        parts = []
        for known, metric, share, value in zip(self._known, self.metrics, self.shares, point, strict=True):
            part = known.get(value)
            if part is None:
                if len(known) >= self.kept:
                    known.clear()
                part = known[value] = share * metric.distances_from(value)
            parts.append(part)
        return parts

    def values(self, one: int) -> list[Value]:
        """Return the values of a tuple."""
        codes = (self.codes[:, one] - self.offsets).tolist()
        return [metric.values[c] for metric, c in zip(self.metrics, codes, strict=True)]

    def alike(self) -> Ints:
        """Return the tuples in an order in which those that follow each other are alike.

        They are sorted by the attribute that separates them most (by mean distance of two), then by the next.
        """
        spread, keys = [], []
        for metric, share, codes, offset in zip(self.metrics, self.shares, self.codes, self.offsets, strict=True):
            counts = np.bincount(codes - offset, minlength=len(metric.values))
            most = np.argsort(-counts, kind="stable")[: min(SAMPLE, np.count_nonzero(counts))]
            weights = counts[most] / counts[most].sum()
            far = metric.distances(most[:, None], most)
            spread.append(share * float(weights @ far @ weights))
            end = metric.values[most[far[0].argmax()]]  # numbers are in their order, seen from one end
            rank = np.argsort(np.argsort(metric.distances_from(end), kind="stable"), kind="stable")
            keys.append(rank[codes - offset])
        return np.lexsort([keys[a] for a in np.argsort(spread, kind="stable").tolist()])


class Nearest:
    """Tuples in blocks of alike ones, of which only those are looked at that may have the nearest.

    The least distance any value of a block has to a point in an attribute, added up over the attributes, is a bound for
    all tuples of the block. No property of the distances is needed for that. It holds to the last bit, since rounded
    sums grow with what is added, and bounds and distances are added up in the same order.
    """

    def __init__(self, points: Points, mass: Floats) -> None:
        self.points, self.mass = points, mass
        self.place = np.zeros(len(points), np.int64)  # in the blocks
        self.lay(points.alike() if len(points) > MIN_BLOCKED else np.arange(len(points)))

    def lay(self, order: Ints) -> None:
        """Lay out blocks of some tuples; the last is filled up with a tuple that is gone from there."""
        self.order = order if len(order) > MIN_BLOCKED else np.sort(order)
        self.size = BLOCK if len(order) > MIN_BLOCKED else max(2, len(order))
        blocks = -(-len(order) // self.size)
        places = np.arange(blocks * self.size).reshape(blocks, self.size)
        self.members = self.order[np.minimum(places, len(order) - 1)]
        self.gone = np.where(places < len(order), 0.0, np.inf)  # infinite where a tuple is gone
        self.place[self.order] = np.arange(len(order))
        self.codes = self.points.codes.take(self.members, axis=1)
        self.weights = self.mass[self.members]
        self.lightest = self.weights.min(axis=1)
        self.filled = np.count_nonzero(self.gone == 0, axis=1).tolist()
        self.empty = np.zeros(blocks)  # infinite where all are gone
        self.left = self.laid = len(order)
        self._bounds: dict[tuple[int, Value], Floats] = {}

    def remove(self, one: int) -> None:
        """Leave a tuple out from now on."""
        block, at = divmod(int(self.place[one]), self.size)
        self.gone[block, at] = np.inf
        self.filled[block] -= 1
        self.left -= 1
        if self.laid > MIN_REBUILT and self.left < MIN_DENSITY * self.laid:
            self.lay(self.order[self.gone.ravel()[self.place[self.order]] == 0])
        elif not self.filled[block]:
            self.empty[block] = np.inf

    def bounds(self, point: Sequence[Value], parts: list[Floats], weighted: bool) -> Floats:
        """Return for each block how near to a point its tuples are at most."""
        total = np.zeros(len(self.empty))
        for a, (value, part) in enumerate(zip(point, parts, strict=True)):
            bound = self._bounds.get((a, value))
            if bound is None:
                if len(self._bounds) * len(total) > MAX_CACHED_DISTANCES:
                    self._bounds.clear()
                codes = self.codes[a] - self.points.offsets[a]
                bound = self._bounds[a, value] = part[codes].min(axis=1)
            total += bound
        if weighted:
            total *= self.lightest
        total += self.empty
        return total

    def nearest(self, point: Sequence[Value], weighted: bool = False) -> int:
        """Return the tuple nearest to a point, by d or by ω·d."""
        return int(self.ties(point, weighted)[1].min())

    def others(self, one: int, digits: int) -> tuple[float, Ints]:
        """Return how far the tuples nearest to one of them are, rounded, and which these are, in order."""
        gone, place = self.gone.reshape(-1), self.place[one]
        gone[place] = np.inf
        least, tied = self.ties(self.points.values(one), digits=digits)
        gone[place] = 0.0
        return least, np.sort(tied)

    def ties(self, point: Sequence[Value], weighted: bool = False, digits: int | None = None) -> tuple[float, Ints]:
        """Return how far the tuples nearest to a point are, by d or by ω·d, rounded if asked for; and which these are.

        Blocks are looked at from the least bound on, more of them each time, until the bounds are larger than that.
        """
        parts = self.points.parts(point)
        line = np.concatenate(parts)
        some, batch = np.arange(len(self.empty)), BATCH
        if len(some) == 1:
            far = self.look(line, some, weighted, digits)
            return (least := float(far.min())), self.members[far == least]
        bounds = self.bounds(point, parts, weighted)
        if digits is not None:
            bounds = np.round(bounds, digits)  # rounding keeps the order
        least, tied = np.inf, [some[:0]]
        while some.size:
            chosen = some if len(some) <= batch else some[np.argpartition(bounds[some], batch)[:batch]]
            far = self.look(line, chosen, weighted, digits)
            nearest = float(far.min())
            if nearest < least:
                least, tied = nearest, []
            if nearest == least:
                tied.append(self.members[chosen][far == nearest])
            bounds[chosen] = np.inf
            left = bounds[some]
            some = some[(left <= least) & (left < np.inf)]
            batch *= 2
        return least, np.concatenate(tied)

    def several(self, point: Sequence[Value], number: int) -> Ints:
        """Return the tuples nearest to a point, so many of them, the nearest first; the first of equals."""
        parts = self.points.parts(point)
        line = np.concatenate(parts)
        bounds = self.bounds(point, parts, False)
        some, batch = np.arange(len(bounds)), max(BATCH, 2 * number // self.size)
        far, neighbours, limit = np.zeros(0), some[:0], np.inf
        while some.size:
            chosen = some if len(some) <= batch else some[np.argpartition(bounds[some], batch)[:batch]]
            far = np.concatenate([far, self.look(line, chosen, False, None).ravel()])
            neighbours = np.concatenate([neighbours, self.members[chosen].ravel()])
            if len(far) > number:
                limit = np.partition(far, number - 1)[number - 1]
                far, neighbours = far[far <= limit], neighbours[far <= limit]
            bounds[chosen] = np.inf
            some = some[(bounds[some] <= limit) & (bounds[some] < np.inf)]
            batch *= 2
        order = np.lexsort((neighbours, far))[:number]
        return neighbours[order[far[order] < np.inf]]

    def look(self, line: Floats, blocks: Ints, weighted: bool, digits: int | None) -> Floats:
        """Return how far the tuples of some blocks are, rounded if asked for; those that are gone, infinitely."""
        codes = self.codes if len(blocks) == len(self.empty) else self.codes.take(blocks, axis=1)
        far = added(line.take(codes))
        if weighted:
            far *= self.weights[blocks]
        far += self.gone[blocks]
        return far if digits is None else np.round(far, digits)


def added(parts: Floats) -> Floats:
    """Add up the parts of distances, attribute by attribute, in their order.

    NumPy adds rows up one after the other, but the numbers of one column in pairs, which rounds otherwise.
    """
    if parts[0].size > 1:
        return np.asarray(np.add.reduce(parts, axis=0))
    return np.asarray(np.add.accumulate(parts, axis=0)[-1])


class Farthest:
    """Tuples in chunks, from those that count most on; an `Aim` looks for the one with the largest ω·d."""

    def __init__(self, points: Points, mass: Floats) -> None:
        self.points, self.all = points, mass
        self.place = np.zeros(len(points), np.int64)
        self.lay(np.argsort(-mass, kind="stable"))

    def lay(self, order: Ints) -> None:
        """Lay out chunks of some tuples."""
        self.order, self.mass = order, self.all[order]
        self.gone = np.zeros(len(order))  # infinite where a tuple is gone
        self.place[order] = np.arange(len(order))
        cuts = list(range(CHUNK, len(order), CHUNK))
        self.codes = [np.ascontiguousarray(x) for x in np.split(self.points.codes[:, order], cuts, axis=1)]
        self.first = np.array([x.min() for x in np.split(order, cuts)])
        self.heads = np.arange(0, len(order), CHUNK)  # the first of each chunk that is left
        self.left = self.laid = len(order)

    def remove(self, one: int) -> None:
        """Leave a tuple out from now on."""
        at = int(self.place[one])
        self.gone[at] = np.inf
        self.left -= 1
        if self.laid > MIN_REBUILT and self.left < MIN_DENSITY * self.laid:
            self.lay(self.order[self.gone == 0])
        elif self.heads[chunk := at // CHUNK] == at:
            low = chunk * CHUNK
            self.heads[chunk] = low + self.gone[low : low + CHUNK].argmin()


class Aim:
    """The search for the farthest tuple from a point; it may be asked again as tuples go.

    A chunk has a bound until it is looked at: its largest ω times the largest distance a tuple could have. Then it has
    the ω·d of its farthest tuple, which is a bound again once that tuple is gone. Ties go to the first tuple.
    """

    def __init__(self, tuples: Farthest, point: Sequence[Value]) -> None:
        self.tuples, self.point, self.order = tuples, point, tuples.order
        parts = tuples.points.parts(point)
        self.line = np.concatenate(parts)
        reach = 1.0
        if len(tuples.heads) > 1:
            reach = np.add.accumulate([part.max() for part in parts])[-1]  # one after the other, as distances are
        self.values = tuples.mass[tuples.heads] * reach
        self.candidates = tuples.first.copy()
        self.sure = np.zeros(len(self.candidates), bool)

    def farthest(self) -> int:
        """Return the tuple left with the largest ω·d."""
        tuples = self.tuples
        while True:
            chunk = int(self.values.argmax())
            if len(self.values) > 1:
                best = np.flatnonzero(self.values == self.values[chunk])
                chunk = int(best[self.candidates[best].argmin()])
            one = int(self.candidates[chunk])
            if self.sure[chunk] and tuples.gone[tuples.place[one]] == 0:
                return one
            part = slice(chunk * CHUNK, (chunk + 1) * CHUNK)
            far = added(self.line.take(tuples.codes[chunk]))
            far *= tuples.mass[part]
            far -= tuples.gone[part]
            self.values[chunk] = most = far.max()
            self.candidates[chunk] = tuples.order[part][far == most].min()
            self.sure[chunk] = True
