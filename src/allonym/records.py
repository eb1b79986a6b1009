"""What methods see: attributes, distinct tuples with counts, and what became of them. Integers only; arrays are locked.

A tuple is a row of `codes`, one code per attribute; a code is the place of a value in its metric's `values`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from allonym.knowledge.rows import frozen

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Value = Any  # a concept (int), a number (float), a rank (int), a text nobody linked (str), or null (None)


class Metric(Protocol):
    """How far apart the values of one attribute are, and which value stands for several."""

    @property
    def values(self) -> tuple[Value, ...]:
        """The values, by code."""

    def rows(self, code: ArrayLike, codes: ArrayLike) -> Floats:
        """Return distances in [0, 1], broadcasting like NumPy; 0 between a value and itself."""

    def around(self, value: Value) -> Floats:
        """Return the distances of a value, which need not be one of `values`, to each of them."""

    def centroid(self, codes: Ints, counts: Floats) -> Value:
        """Return the value that stands for some others; it need not be one of them, nor of `values`."""

    def subsumer(self, codes: Ints, counts: Floats) -> Value:
        """Return the most specific value that is true of all of some others; null, where there is none."""

    def extend(self, values: Sequence[Value]) -> Metric:
        """Return a metric that has these values too, appended where they are new; codes never move."""


@dataclass(frozen=True)
class Attribute:
    """One column as methods see it."""

    name: str
    kind: str
    metric: Metric
    weight: float = 1.0

    @property
    def values(self) -> tuple[Value, ...]:
        """The values, by code."""
        return self.metric.values


@dataclass(frozen=True, eq=False)
class Records:
    """Distinct tuples with counts.

    Counts serve k. Survey weights, if there are any, serve utility; units (persons), if there are any, serve k when a
    person has several rows. `inverse` says for every row which tuple it is.
    """

    attributes: tuple[Attribute, ...]
    codes: Ints  # p × m
    counts: Ints  # p
    weights: Floats | None = None  # n: the survey weight of every row
    units: Ints | None = None  # n: who a row is about, 0 … u-1
    inverse: Ints | None = field(default=None, repr=False)  # n: the tuple of every row

    def __post_init__(self) -> None:
        """Lock the arrays."""
        for name in ("codes", "counts", "weights", "units", "inverse"):
            if (array := getattr(self, name)) is not None:
                object.__setattr__(self, name, frozen(array))

    @classmethod
    def of(
        cls,
        attributes: Sequence[Attribute],
        columns: Sequence[ArrayLike],
        *,
        weights: Floats | None = None,
        units: Ints | None = None,
    ) -> Records:
        """Count the distinct tuples of some columns of codes, in the order of their codes.

        >>> records = Records.of([], [[0, 1, 0, 1, 1], [2, 0, 2, 0, 2]])
        >>> records.codes.tolist(), records.counts.tolist(), records.inverse.tolist()
        ([[0, 2], [1, 0], [1, 2]], [2, 2, 1], [0, 1, 0, 1, 2])
        """
        arrays = [np.asarray(column, np.int64) for column in columns]
        inverse, counts, first = distinct(arrays)
        codes = np.stack([column[first] for column in arrays], axis=1)
        return cls(tuple(attributes), codes, counts, weights, units, inverse)

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def n(self) -> int:
        """The number of rows."""
        return int(self.counts.sum())

    @cached_property
    def persons(self) -> int:
        """The number of units; of rows, where no units are given."""
        return self.n if self.units is None else int(self.units.max(initial=-1)) + 1

    @cached_property
    def mass(self) -> Floats:
        """What a tuple counts for utility: the survey weights of its rows, else how many they are."""
        return self.mass_of(np.arange(len(self)), self.counts)

    def mass_of(self, source: Ints, share: Ints) -> Floats:
        """Return what pieces of tuples count for utility."""
        if self.weights is None:
            return share.astype(np.float64)
        return summed_by(piece_of_rows(self, source, share), self.weights, len(source))

    @cached_property
    def shares(self) -> Floats:
        """The weights of the attributes, summing to one."""
        weights = np.array([a.weight for a in self.attributes], np.float64)
        return weights / weights.sum()

    def holders(self, attribute: int) -> Ints:
        """Return how many units hold each value of an attribute; rows, where no units are given."""
        size = len(self.attributes[attribute].values)
        codes = self.codes[:, attribute]
        if self.units is None:
            return np.bincount(codes, weights=self.counts, minlength=size).astype(np.int64)
        assert self.inverse is not None
        return count_units(codes[self.inverse], self.units, size)


@dataclass(frozen=True, eq=False)
class Masking:
    """What became of the tuples: piece i is `share[i]` rows of tuple `source[i]`, in group `groups[i]`, now `codes[i]`.

    A tuple may be split into pieces; the pieces of one take its rows in the order of units, then of rows.
    """

    source: Ints
    share: Ints
    groups: Ints
    codes: Ints  # q × m, codes of the extended attributes
    attributes: tuple[Attribute, ...]

    def __post_init__(self) -> None:
        """Lock the arrays."""
        for name in ("source", "share", "groups", "codes"):
            object.__setattr__(self, name, frozen(getattr(self, name)))


@dataclass(frozen=True, eq=False)
class Pairs:
    """Tuples before and after masking, with how many rows took that way: what measures take, whoever masked."""

    attributes: tuple[Attribute, ...]
    original: Ints  # q × m
    masked: Ints  # q × m
    counts: Ints  # q
    mass: Floats  # q: survey weights, else counts

    @classmethod
    def of(cls, records: Records, masking: Masking) -> Pairs:
        """Pair the tuples of a table with what became of them."""
        mass = records.mass_of(masking.source, masking.share)
        return cls(masking.attributes, records.codes[masking.source], masking.codes, masking.share, mass)

    @classmethod
    def of_rows(
        cls, attributes: tuple[Attribute, ...], original: Sequence[Ints], masked: Sequence[Ints], weights: Floats | None
    ) -> Pairs:
        """Pair the rows of a table, column by column, with what they became."""
        number, counts, first = distinct([*original, *masked])
        was, now = (np.stack([column[first] for column in columns], axis=1) for columns in (original, masked))
        mass = counts.astype(np.float64) if weights is None else summed_by(number, weights, len(counts))
        return cls(attributes, was, now, counts, mass)

    @property
    def shares(self) -> Floats:
        """The weights of the attributes, summing to one."""
        weights = np.array([a.weight for a in self.attributes], np.float64)
        return weights / weights.sum()


def distinct(columns: Sequence[Ints]) -> tuple[Ints, Ints, Ints]:
    """Number the distinct rows of some columns in their order; return the number of every row, counts, first rows."""
    number = np.zeros(len(columns[0]), np.int64)
    size = 1
    for column in columns:
        width = int(column.max(initial=-1)) + 1
        if size * width > 2**62:
            number, size = _renumbered(number, size)
        number, size = number * width + column, size * width
        if size > 4 * len(number) + 1024:
            number, size = _renumbered(number, size)
    number, size = _renumbered(number, size)
    first = np.full(size, -1, np.int64)
    first[number[::-1]] = np.arange(len(number) - 1, -1, -1)
    return number, np.bincount(number, minlength=size), first


def _renumbered(number: Ints, size: int) -> tuple[Ints, int]:
    """Close the gaps in a numbering, keeping its order."""
    if size > 4 * len(number) + 1024:
        found, dense = np.unique(number, return_inverse=True)
        return dense.astype(np.int64), len(found)
    used = np.bincount(number, minlength=size) > 0
    return (np.cumsum(used) - 1)[number], int(used.sum())


def summed_by(places: Ints, amounts: Floats, size: int) -> Floats:
    """Return the sum of the amounts at each of `size` places."""
    return np.bincount(places, weights=amounts, minlength=size).astype(np.float64, copy=False)


def count_units(group: Ints, units: Ints, size: int) -> Ints:
    """Return how many different units there are in each of `size` groups, from the group and unit of every row.

    >>> count_units(np.array([0, 0, 0, 1]), np.array([7, 7, 8, 7]), 3).tolist()
    [2, 1, 0]
    """
    width = int(units.max(initial=0)) + 1
    pairs = np.unique(group * width + units)
    return np.bincount(pairs // width, minlength=size)


def piece_of_rows(records: Records, source: Ints, share: Ints) -> Ints:
    """Return for every row which piece of a tuple it belongs to: they take its rows by unit, then by row."""
    assert records.inverse is not None
    if len(source) == len(records):  # nothing was split
        piece = np.empty(len(records), np.int64)
        piece[source] = np.arange(len(records))
        return piece[records.inverse]
    order = np.argsort(records.inverse, kind="stable")
    if records.units is not None:
        order = np.lexsort((records.units, records.inverse))
    by_source = np.argsort(source, kind="stable")
    piece = np.empty(records.n, np.int64)
    piece[order] = np.repeat(by_source, share[by_source])
    return piece
