"""How far apart codes are: by the levels they share from the beginning on."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints, frozen, sum_by
from allonym.kinds.codes.scheme import Code, CodeScheme
from allonym.kinds.metric import BaseMetric, single_families, tolerance
from allonym.metric import Value


class CodeMetric(BaseMetric):
    """Distance 1 - shared levels / levels of the longer code; a prefix counts as a code with one more level.

    The centroid is the code nearest to all; of equals the more frequent one, then the first by code. What is true of
    several is their longest common prefix. Nulls are left out unless they are the majority.

    >>> scheme = CodeScheme.of(["98101", "98104", "10001"])
    >>> metric = CodeMetric([scheme.read(x) for x in ("98101", "98104", "10001", "981*")], scheme)
    >>> [round(x, 1) for x in metric.distances(0, [0, 1, 2, 3]).tolist()]
    [0.0, 0.2, 1.0, 0.4]
    >>> scheme.write(metric.truthful(np.array([0, 1]), np.ones(2)))
    '9810*'
    """

    def __init__(self, values: Sequence[Value], scheme: CodeScheme, min_prefix: int = 1) -> None:
        super().__init__(values)
        self.scheme, self.min_prefix = scheme, min_prefix

    def _with(self, values: Sequence[Value]) -> CodeMetric:
        return CodeMetric(values, self.scheme, self.min_prefix)

    @cached_property
    def _levels(self) -> Sequence[tuple[str, ...]]:
        return [v.levels if isinstance(v, Code) else () for v in self.values]

    @cached_property
    def _is_prefix(self) -> NDArray[np.bool_]:
        return frozen(np.array([isinstance(v, Code) and v.is_prefix for v in self.values], bool))

    @cached_property
    def _lengths(self) -> Ints:
        """How many levels each value has; a prefix has one more."""
        return frozen(np.array([len(x) for x in self._levels], np.int64) + self._is_prefix)

    @cached_property
    def _beginnings(self) -> Ints:
        """Which beginning of so many levels each value has: a row for each number of levels; -1, where it has fewer."""
        numbers: dict[tuple[str, ...], int] = {}
        beginnings = np.full((max(map(len, self._levels), default=0), len(self.values)), -1, np.int64)
        for code, levels in enumerate(self._levels):
            for level in range(len(levels)):
                beginnings[level, code] = numbers.setdefault(levels[: level + 1], len(numbers))
        return frozen(beginnings)

    @cached_property
    def ancestor_sets(self) -> NDArray[np.uint64] | None:
        """For every code the set of its beginnings."""
        words = int(self._beginnings.max(initial=0)) // 64 + 1
        sets = np.zeros((len(self.values), words), np.uint64)
        for beginnings in self._beginnings:
            known = np.flatnonzero(beginnings >= 0)
            place = beginnings[known]
            sets[known, place // 64] |= np.uint64(1) << (place % 64).astype(np.uint64)
        return sets

    def _shared(self, a: Ints, b: Ints) -> Ints:
        """Return how many levels values share."""
        shared = np.zeros(np.broadcast_shapes(a.shape, b.shape), np.int64)
        for beginnings in self._beginnings:
            shared += (beginnings[a] == beginnings[b]) & (beginnings[a] >= 0)
        return shared

    def _between(self, a: Ints, b: Ints) -> Floats:
        distances = 1 - self._shared(a, b) / np.maximum(np.maximum(self._lengths[a], self._lengths[b]), 1)
        return np.where(np.equal(a, b), 0.0, distances)

    def centroid(self, codes: Ints, counts: Floats) -> Value:
        """Return the value with the least sum of distances to all."""
        linked = self.without_unlinked(codes, counts)
        if linked is None:
            return self.mode(codes[self.unlinked[codes]], counts[self.unlinked[codes]])
        codes, counts = linked
        total = sum_by(codes, counts, len(self.values))
        present = np.unique(codes)
        costs = self._sums(present, total)
        nearest = present[costs <= costs.min() + tolerance(float(total.sum()))]
        return self.values[int(nearest[np.argmax(total[nearest])])]

    def _sums(self, codes: Ints, total: Floats) -> Floats:
        """Return the sum of the distances of some values to all, each counted as given; cost is linear in values."""
        lengths = self._lengths[codes]
        alike = np.zeros(len(codes))
        for length in np.unique(lengths):
            own = codes[lengths == length]
            for beginnings in self._beginnings:
                has = beginnings[own] >= 0
                held = sum_by(beginnings[own[has]], total[own[has]], int(self._beginnings.max()) + 1)
                known = beginnings[codes] >= 0
                alike[known] += held[beginnings[codes[known]]] / np.maximum(lengths[known], length)
        itself = (self._lengths - self._is_prefix)[codes] / np.maximum(lengths, 1)
        return total[codes].sum() - alike - total[codes] * (1 - itself)

    def _families(self, codes: Ints, counts: Floats) -> Ints:
        """Number the families of codes that share one more level than all do; of equal codes, single ones."""
        common = len(self._common(codes))
        if common >= len(self._beginnings):
            return single_families(counts)
        numbers, family = np.unique(self._beginnings[common][codes], return_inverse=True)
        return single_families(sum_by(family.ravel(), counts, len(numbers)))[family.ravel()]

    def _common(self, codes: Ints) -> tuple[str, ...]:
        """Return the levels that all of some values share."""
        first = int(codes[0])
        return self._levels[first][: int(self._shared(np.array(first), np.unique(codes)).min())]

    def subsumer(self, codes: Ints, counts: Floats) -> Value:
        """Return the longest common prefix; null, if there is none."""
        if (codes == codes[0]).all():
            return self.values[codes[0]]
        common = () if self.unlinked[codes].any() else self._common(codes)
        return Code(common, is_prefix=True) if common else None

    def truthful(self, codes: Ints, counts: Floats) -> Value:
        """Return the longest common prefix; null, if it has too few levels."""
        value = self.subsumer(codes, counts)
        short = isinstance(value, Code) and len(value.levels) < self.min_prefix
        return None if short and not (codes == codes[0]).all() else value

    def representatives(self, *, truthful: bool) -> list[Value] | None:
        """Return the codes; if values must be true of several, also their prefixes."""
        values = [value for value in self.values if value is not None]
        if truthful:
            shortest = self.min_prefix
            values += [Code(x[:n], is_prefix=True) for x in self._levels for n in range(shortest, len(x) + 1)]
        return list(dict.fromkeys(values))

    def covered(self, a: Ints, b: Ints, data: Ints) -> Floats | None:
        """Return how many values of the data begin with what two values share; one, if they are equal."""
        shared = self._shared(a, b)
        covered = np.full(shared.shape, float(len(data)))
        for level, beginnings in enumerate(self._beginnings):
            own = beginnings[data]
            held = np.bincount(own[own >= 0], minlength=int(self._beginnings.max()) + 1)
            at_level = shared == level + 1
            covered[at_level] = held[np.broadcast_to(beginnings[a], shared.shape)[at_level]]
        return np.where(np.equal(a, b) & ~self._is_prefix[a], 1.0, np.maximum(covered, 1.0))

    def generalises(self, code: int, codes: Ints) -> NDArray[np.bool_]:
        """Return which values a value is true of: a prefix, of all that begin with it."""
        own = super().generalises(code, codes)
        if not self._is_prefix[code]:
            return own
        length = len(self._levels[code])
        return own | (self._beginnings[length - 1][codes] == self._beginnings[length - 1][code])

    def generalisations(self) -> list[list[Value]]:
        """Return prefixes with one level fewer each time, down to the fewest that are written; null at the top.

        A code without more levels than a prefix becomes it where others have more; else, it stays.
        """
        levels = [list(self.values)]
        for length in range(len(self._beginnings) - 1, self.min_prefix - 1, -1):
            longer = {x[:length] for x, is_prefix in zip(self._levels, self._is_prefix, strict=True)
                      if len(x) > length or (is_prefix and len(x) == length)}  # fmt: skip
            level = [Code(x[:length], is_prefix=True) if x[:length] in longer and len(x) >= length else value
                     for value, x in zip(self.values, self._levels, strict=True)]  # fmt: skip
            if level != levels[-1]:
                levels.append(level)
        return [*levels, [None] * len(self.values)]
