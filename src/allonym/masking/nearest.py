"""Which tuple is nearest to some values, or farthest: the answer of comparing all of them, without comparing all."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from allonym.records import Floats, Ints, Metric, Value

BLOCK = 16  # tuples of a block
FEW = 1024  # so many tuples are one block
BATCH = 32  # blocks that are looked at first
CHUNK = 4096  # tuples that are looked at together for the farthest
KEPT = 8_000_000  # bounds that are kept
SAMPLE = 512  # values of an attribute whose distances tell how well it separates
DENSE = 0.75  # blocks are laid out anew when fewer tuples than this share of them are left


class Points:
    """What the distances of points to tuples of codes are made of: for each attribute, weighted distances by code.

    The codes of the attributes follow each other, so that those of a tuple are places in one array of distances.
    """

    def __init__(self, metrics: Sequence[Metric], shares: Floats, columns: Ints) -> None:
        self.metrics, self.shares = metrics, shares
        widths = [len(metric.values) for metric in metrics]
        self.offsets = np.cumsum([0, *widths[:-1]])
        self.codes = np.ascontiguousarray(columns + self.offsets[:, None])
        self.kept = max(1, KEPT // max(1, sum(widths)))
        self._known: list[dict[Value, Floats]] = [{} for _ in metrics]

    def __len__(self) -> int:
        return self.codes.shape[1]

    def parts(self, point: Sequence[Value]) -> list[Floats]:
        """Return, attribute by attribute, the weighted distances of a point to every code."""
        found = []
        for known, metric, share, value in zip(self._known, self.metrics, self.shares, point, strict=True):
            part = known.get(value)
            if part is None:
                if len(known) >= self.kept:
                    known.clear()
                part = known[value] = share * metric.around(value)
            found.append(part)
        return found

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
            far = metric.rows(most[:, None], most)
            spread.append(share * float(weights @ far @ weights))
            end = metric.values[most[far[0].argmax()]]  # numbers are in their order, seen from one end
            rank = np.argsort(np.argsort(metric.around(end), kind="stable"), kind="stable")
            keys.append(rank[codes - offset])
        return np.lexsort([keys[a] for a in np.argsort(spread, kind="stable").tolist()])


class Nearest:
    """Tuples in blocks of alike ones, of which only those are looked at that may have the nearest.

    The least distance any value of a block has to a point in an attribute, added up over the attributes, is a bound for
    all tuples of the block. No property of the distances is needed for that, and it holds to the last bit, since rounded
    sums grow with what is added: bounds and distances are added up in the same order. Ties go to the first tuple.
    """

    def __init__(self, points: Points, mass: Floats) -> None:
        self.points, self.mass = points, mass
        self.place = np.zeros(len(points), np.int64)  # in the blocks
        self.lay(points.alike() if len(points) > FEW else np.arange(len(points)))

    def lay(self, order: Ints) -> None:
        """Lay out blocks of some tuples; the last is filled up with a tuple that is gone from there."""
        self.order = order if len(order) > FEW else np.sort(order)
        self.size = BLOCK if len(order) > FEW else max(2, len(order))
        blocks = -(-len(order) // self.size)
        self.members = np.append(self.order, np.repeat(self.order[-1:], blocks * self.size - len(order)))
        self.gone = np.zeros(len(self.members))  # infinite where a tuple is gone
        self.gone[len(order) :] = np.inf
        self.members = self.members.reshape(blocks, self.size)
        self.gone = self.gone.reshape(blocks, self.size)
        self.place[self.order] = np.arange(len(order))
        self.codes = self.points.codes.take(self.members, axis=1)
        self.weights = self.mass[self.members]
        self.lightest = self.weights.min(axis=1)
        self.first = self.members.min(axis=1)
        self.empty = np.zeros(blocks)  # infinite where all are gone
        self.left = self.laid = len(order)
        self._bounds: list[dict[Value, Floats]] = [{} for _ in self.codes]

    def remove(self, one: int) -> None:
        """Leave a tuple out from now on."""
        block, at = divmod(int(self.place[one]), self.size)
        gone = self.gone[block]
        gone[at] = np.inf
        self.left -= 1
        if self.left < DENSE * self.laid:
            self.lay(self.order[self.gone.ravel()[self.place[self.order]] == 0])
        elif self.first[block] == one:
            here = self.members[block][gone == 0]
            self.first[block] = here.min() if here.size else one
            self.empty[block] = 0.0 if here.size else np.inf

    def bounds(self, point: Sequence[Value], parts: list[Floats], weighted: bool) -> Floats:
        """Return for each block how near to a point its tuples are at most."""
        total = np.zeros(len(self.first))
        for known, codes, offset, value, part in zip(
            self._bounds, self.codes, self.points.offsets, point, parts, strict=True
        ):
            bound = known.get(value)
            if bound is None:
                if len(known) * len(total) * len(parts) > KEPT:
                    known.clear()
                bound = known[value] = part[codes - offset].min(axis=1)
            total += bound
        if weighted:
            total *= self.lightest
        total += self.empty
        return total

    def nearest(self, point: Sequence[Value], weighted: bool = False) -> int:
        """Return the tuple nearest to a point, by d or by ω·d."""
        parts = self.points.parts(point)
        line = np.concatenate(parts)
        if len(self.first) == 1:
            far = self.look(line, np.zeros(1, np.int64), weighted)
            return int(self.members[0, far.argmin()])
        bounds = self.bounds(point, parts, weighted)
        least, found = np.inf, len(self.points)
        some, batch = np.arange(len(bounds)), BATCH
        while some.size:
            if len(some) > batch:
                chosen = some[np.argpartition(bounds[some], batch)[:batch]]
            else:
                chosen = some
            far = self.look(line, chosen, weighted)
            nearest = float(far.min())
            if nearest <= least:
                one = int(self.members[chosen][far == nearest].min())
                found = one if nearest < least else min(one, found)
                least = nearest
            bounds[chosen] = np.inf
            here = bounds[some]
            some = some[(here < least) | ((here == least) & (self.first[some] < found))]
            batch *= 2
        return found

    def look(self, line: Floats, blocks: Ints, weighted: bool) -> Floats:
        """Return how far the tuples of some blocks are; those that are gone, infinitely."""
        far = np.add.reduce(line.take(self.codes.take(blocks, axis=1)), axis=0)  # along the slow axis: one by one
        if weighted:
            far *= self.weights[blocks]
        far += self.gone[blocks]
        return far


class Farthest:
    """Tuples in chunks, from those that count most on; `aim` looks for the one with the largest ω·d to a point."""

    def __init__(self, points: Points, mass: Floats) -> None:
        self.points, self.all = points, mass
        self.place = np.zeros(len(points), np.int64)
        self.lay(np.argsort(-mass, kind="stable"))

    def lay(self, order: Ints) -> None:
        """Lay out chunks of some tuples."""
        self.order, self.mass = order, self.all[order]
        self.gone = np.zeros(len(order))  # infinite where a tuple is gone
        self.place[order] = np.arange(len(order))
        self.starts = np.arange(0, len(order), CHUNK)
        cuts = self.starts[1:].tolist()
        self.codes = [np.ascontiguousarray(x) for x in np.split(self.points.codes[:, order], cuts, axis=1)]
        self.first = np.array([x.min() for x in np.split(order, cuts)])
        self.heaviest = self.mass[self.starts]
        self.left = self.laid = len(order)

    def remove(self, one: int) -> None:
        """Leave a tuple out from now on."""
        at = int(self.place[one])
        self.gone[at] = np.inf
        self.left -= 1
        if 0 < self.left < DENSE * self.laid:
            self.lay(self.order[self.gone == 0])
            return
        chunk = at // CHUNK
        low = chunk * CHUNK
        self.heaviest[chunk] = self.mass[low + self.gone[low : low + CHUNK].argmin()]


class Aim:
    """The search for the farthest tuple from a point; it may be asked again as tuples go.

    A chunk has a bound until it is looked at: its largest ω times the largest distance a tuple could have. Then it has
    the ω·d of its farthest tuple, which is a bound again once that tuple is gone. Ties go to the first tuple.
    """

    def __init__(self, tuples: Farthest, point: Sequence[Value]) -> None:
        self.tuples, self.point, self.order = tuples, point, tuples.order
        parts = tuples.points.parts(point)
        self.line = np.concatenate(parts)
        reach = np.add.accumulate([part.max() for part in parts])[-1]  # added up one by one, as distances are
        self.values = tuples.heaviest * reach
        self.found = tuples.first.copy()
        self.sure = np.zeros(len(self.found), bool)

    def farthest(self) -> int:
        """Return the tuple left with the largest ω·d."""
        tuples = self.tuples
        while True:
            best = np.flatnonzero(self.values == self.values.max())
            chunk = int(best[self.found[best].argmin()])
            one = int(self.found[chunk])
            if self.sure[chunk] and tuples.gone[tuples.place[one]] == 0:
                return one
            part = slice(chunk * CHUNK, (chunk + 1) * CHUNK)
            far = np.add.reduce(self.line.take(tuples.codes[chunk]), axis=0)
            far *= tuples.mass[part]
            far -= tuples.gone[part]
            self.values[chunk] = most = far.max()
            self.found[chunk] = tuples.order[part][far == most].min()
            self.sure[chunk] = True
