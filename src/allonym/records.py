"""What methods see: attributes, distinct tuples with counts, and what became of them. Integers only; arrays are locked.

A tuple is a row of `codes`, one code per attribute; a code is the place of a value in its metric's `values`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from allonym.arrays import Floats, Ints, Keys, count_by, count_units, distinct, frozen, sum_by
from allonym.metric import Metric, Value


@dataclass(frozen=True)
class Attribute:
    """One column as methods see it."""

    name: str
    kind: str
    metric: Metric
    weight: float = 1.0
    hierarchy: Metric | None = None  # the same values, by code, in a hierarchy that was given beside the ontology
    candidates: tuple[Value, ...] | None = None  # what values may become, where that is fixed beforehand
    represent: str | None = None  # what replaces the values of a group, instead of what the method says
    coded_means: int = 0  # how many groups have another value than their mean, which would reveal a person's number
    max_distance: float | None = None  # of a group's value to each value that it replaces
    max_true_distance: float | None = None  # the same of a value that is true of all, unless the former is stated

    @property
    def values(self) -> tuple[Value, ...]:
        """The values, by code."""
        return self.metric.values


class Mechanism(Protocol):
    """How a method replaces each value at random, as far as everybody knows it who knows the plan and the data."""

    def log_likelihood(self, attribute: int, before: Sequence[Value], after: Sequence[Value]) -> Floats:
        """Return log P(after | before) of an attribute: a row for each value before, a column for each value after."""


@runtime_checkable
class TupleMechanism(Mechanism, Protocol):
    """A mechanism that does not replace each column independently of the others."""

    def log_likelihood_of_tuples(self, before: Ints, after: Ints) -> Floats:
        """Return log P(after | before) of tuples of all attributes, given by their codes."""


@runtime_checkable
class CorrelatedMechanism(Mechanism, Protocol):
    """A mechanism whose errors in several columns go together."""

    def scores(self, attribute: int, before: Sequence[Value], after: Sequence[Value]) -> Floats:
        """Return the errors that lead from each value to each, as standard normal numbers; 0, if they may be any."""

    def log_relation(self, scores: Sequence[Floats]) -> Floats:
        """Return by how much log P(after | before) is larger than with independent errors, given those of columns."""


@dataclass(frozen=True)
class Requirement:
    """A privacy model that every group must meet for a sensitive column, besides k."""

    model: Any  # an `allonym.privacy.base.PrivacyModel`
    column: int  # which of the sensitive columns


@dataclass(frozen=True, eq=False)
class SensitiveColumns:
    """The sensitive columns of a table, and the privacy models they must meet."""

    attributes: tuple[Attribute, ...]
    codes: tuple[Ints, ...]  # for each column, the code of every row
    requirements: tuple[Requirement, ...] = ()
    row_counts: Ints | None = None  # how many rows every row stands for, where equal ones were counted

    def each(self, column: int) -> Floats:
        """Return how many rows every row of a column stands for."""
        return np.ones(len(self.codes[column])) if self.row_counts is None else self.row_counts.astype(np.float64)


@dataclass(frozen=True, eq=False)
class Records:
    """Distinct tuples with counts.

    Counts serve k. Survey weights, if there are any, serve utility; units (persons), if there are any, serve k when a
    person has several rows. `inverse` says for every row which tuple it is. Facts serve what is promised beside k.
    """

    attributes: tuple[Attribute, ...]
    codes: Ints  # p × m
    counts: Ints  # p
    weights: Floats | None = None  # n: the survey weight of every row
    units: Ints | None = None  # n: who a row is about, 0 … u-1
    inverse: Ints | None = field(default=None, repr=False)  # n: the tuple of every row
    keys: Keys | None = field(default=None, repr=False)  # n: what a row's draws go by; its number, where not given
    sensitive: SensitiveColumns | None = field(default=None, repr=False)  # of every row
    row_counts: Ints | None = field(
        default=None, repr=False
    )  # n: how many rows each stands for, where equal ones were counted
    publishable: NDArray[np.bool_] | None = field(
        default=None, repr=False
    )  # p: which tuples may be written as they stand, text by text, where the texts were counted

    def __post_init__(self) -> None:
        """Lock the arrays."""
        for name in ("codes", "counts", "weights", "units", "inverse", "keys", "row_counts", "publishable"):
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
        keys: Keys | None = None,
        sensitive: SensitiveColumns | None = None,
        row_counts: Ints | None = None,
    ) -> Records:
        """Count the distinct tuples of some columns of codes, in the order of their codes.

        Where equal rows were counted before, `row_counts` says how many rows each stands for; there are neither weights
        nor units then, which belong to single rows.

        >>> records = Records.of([], [[0, 1, 0, 1, 1], [2, 0, 2, 0, 2]])
        >>> records.codes.tolist(), records.counts.tolist(), records.inverse.tolist()
        ([[0, 2], [1, 0], [1, 2]], [2, 2, 1], [0, 1, 0, 1, 2])
        """
        arrays = [np.asarray(column, np.int64) for column in columns]
        inverse, counts, first = distinct(arrays)
        codes = np.stack([column[first] for column in arrays], axis=1)
        if row_counts is not None:
            counts = count_by(inverse, len(first), row_counts)
        return cls(tuple(attributes), codes, counts, weights, units, inverse, keys, sensitive, row_counts)

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
        return sum_by(piece_of_rows(self, source, share), self.weights, len(source))

    @cached_property
    def shares(self) -> Floats:
        """The weights of the attributes, summing to one."""
        weights = np.array([a.weight for a in self.attributes], np.float64)
        return weights / weights.sum()

    @cached_property
    def null_costs(self) -> tuple[Floats, ...]:
        """For each attribute, by code, the distance that a value counts with where it is suppressed."""
        return null_costs(self.attributes, self.codes, self.mass)

    def holders(self, attribute: int) -> Ints:
        """Return how many units hold each value of an attribute; rows, where no units are given."""
        size = len(self.attributes[attribute].values)
        codes = self.codes[:, attribute]
        if self.units is None:
            return np.bincount(codes, weights=self.counts, minlength=size).astype(np.int64)
        assert self.inverse is not None
        return count_units(codes[self.inverse], self.units, size)


@dataclass(frozen=True)
class Suppression:
    """What a method was allowed to suppress, and what it did."""

    budget: int  # records that might be suppressed
    records: int  # that were chosen
    loss_before: float | None = None  # Σ ω·d² without suppression, where that is known
    loss: float | None = None  # and with it
    cells: tuple[int, ...] = ()  # by attribute: cells that were suppressed where null loses less

    @property
    def saved(self) -> float | None:
        """The share of the loss that was saved, where that is known."""
        if self.loss is None or self.loss_before is None:
            return None
        return 1 - self.loss / self.loss_before if self.loss_before > 0 else 0.0


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
    suppressed: NDArray[np.bool_] | None = None  # q: which pieces have lost all their values; they are one group
    mechanism: Mechanism | None = field(default=None, repr=False)  # of a method that replaces each value at random
    suppression: Suppression | None = None  # of a method that was allowed to suppress something

    def __post_init__(self) -> None:
        """Lock the arrays."""
        for name in ("source", "share", "groups", "codes"):
            object.__setattr__(self, name, frozen(getattr(self, name)))

    @property
    def suppressed_rows(self) -> int:
        """How many rows were suppressed."""
        return 0 if self.suppressed is None else int(self.share[self.suppressed].sum())


@dataclass(frozen=True, eq=False)
class Pairs:
    """Tuples before and after masking, with how many rows took that way: what measures take, whoever masked.

    Where persons have several rows, or there are sensitive columns, pairs are told apart by these too.
    """

    attributes: tuple[Attribute, ...]
    original: Ints  # q × m
    masked: Ints  # q × m
    counts: Ints  # q
    mass: Floats  # q: survey weights, else counts
    group_ids: Ints | None = None  # q: equal numbers look alike, as text; -1: not in the release. Else, as `masked`
    units: Ints | None = None  # q: who the rows are about
    sensitive: tuple[Attribute, ...] = ()
    sensitive_codes: Ints | None = None  # q × s
    original_group_ids: Ints | None = None  # q: as `group_ids`, of the table as it was
    suppressed: NDArray[np.bool_] | None = None  # q: which have lost all their values, or are not in the release
    _release: Pairs | None = field(default=None, repr=False)  # of which this is the unmasked or the blind version

    @classmethod
    def of(cls, records: Records, masking: Masking) -> Pairs:
        """Pair the tuples of a table with what became of them."""
        mass = records.mass_of(masking.source, masking.share)
        source, share, codes = masking.source, masking.share, masking.codes
        if len(source) > 2 * len(records):  # masked row by row: equal ones become one pair
            pair, _, first = distinct([source, *codes.T])
            share = np.bincount(pair, weights=share).astype(np.int64)
            source, codes, mass = source[first], codes[first], sum_by(pair, mass, len(first))
        return cls.with_costs_of(records, masking.attributes, records.codes[source], codes, share, mass)

    @classmethod
    def with_costs_of(cls, records: Records, *parts: Any) -> Pairs:
        """Return pairs of some tuples, in which a suppressed value costs what it costs in the whole table."""
        pairs = cls(*parts)
        pairs.__dict__["null_costs"] = records.null_costs
        return pairs

    @classmethod
    def of_rows(
        cls,
        attributes: tuple[Attribute, ...],
        original: Sequence[Ints],
        masked: Sequence[Ints],
        *,
        weights: Floats | None = None,
        group_ids: Ints | None = None,
        units: Ints | None = None,
        sensitive: tuple[Attribute, ...] = (),
        sensitive_codes: Sequence[Ints] = (),
        original_group_ids: Ints | None = None,
        row_counts: Ints | None = None,
        suppressed: NDArray[np.bool_] | None = None,
    ) -> Pairs:
        """Pair the rows of a table, column by column, with what they became; `row_counts` says what each stands for."""
        flags = None if suppressed is None else suppressed.astype(np.int64)
        others = [None if group_ids is None else group_ids + 1, units, original_group_ids, flags]
        known = [x for x in others if x is not None]
        number, counts, first = distinct([*original, *masked, *known, *sensitive_codes])
        if row_counts is not None:
            counts = count_by(number, len(first), row_counts)
        was, now = (np.stack([column[first] for column in columns], axis=1) for columns in (original, masked))
        return cls(
            attributes,
            was,
            now,
            counts,
            counts.astype(np.float64) if weights is None else sum_by(number, weights, len(counts)),
            None if group_ids is None else group_ids[first],
            None if units is None else units[first],
            sensitive,
            np.stack([column[first] for column in sensitive_codes], axis=1) if sensitive_codes else None,
            None if original_group_ids is None else original_group_ids[first],
            None if suppressed is None else suppressed[first],
        )

    @cached_property
    def groups(self) -> Ints:
        """For every pair the number of those that look alike in the release; -1, where it is not in the release."""
        return self.masked_tuples[0] if self.group_ids is None else self.group_ids

    @cached_property
    def original_tuples(self) -> tuple[Ints, Ints]:
        """For every pair the number of its original tuple, and for every original tuple the first pair that has it."""
        shared = self._release
        return shared.original_tuples if shared and shared.original is self.original else _numbered(self.original)

    @cached_property
    def masked_tuples(self) -> tuple[Ints, Ints]:
        """For every pair the number of its masked tuple, and for every masked tuple the first pair that has it."""
        return self.original_tuples if self.masked is self.original else _numbered(self.masked)

    @cached_property
    def sizes(self) -> Ints:
        """How many persons (rows, where no units are given) each group has."""
        released = self.groups >= 0
        size = int(self.groups.max(initial=-1)) + 1
        if self.units is not None:
            return count_units(self.groups[released], self.units[released], size)
        return np.bincount(self.groups[released], weights=self.counts[released], minlength=size).astype(np.int64)

    def column(self, a: int) -> Pairs:
        """Return one attribute alone."""
        return self.columns[a]

    @cached_property
    def columns(self) -> tuple[Pairs, ...]:
        """Each attribute alone."""
        own = (self.counts, self.mass, None, self.units, self.sensitive, self.sensitive_codes)
        parts = [slice(a, a + 1) for a in range(len(self.attributes))]
        return tuple(Pairs(self.attributes[x], self.original[:, x], self.masked[:, x], *own) for x in parts)

    @cached_property
    def unmasked(self) -> Pairs:
        """The table as it was, as if it were released."""
        group_ids, release = self.original_group_ids, self._release or self
        return replace(self, masked=self.original, group_ids=group_ids, suppressed=None, _release=release)

    @cached_property
    def blind(self) -> Pairs:
        """The release in which one record, the centroid of the data, replaces all."""
        if self._release and self.masked is self.original and self._release.attributes is self.attributes:
            return self._release.blind
        centroids = [x.metric.centroid(self.original[:, a], self.mass) for a, x in enumerate(self.attributes)]
        wider = [x.metric.extend([value]) for x, value in zip(self.attributes, centroids, strict=True)]
        codes = [metric.values.index(value) for metric, value in zip(wider, centroids, strict=True)]
        attributes = tuple(replace(x, metric=metric) for x, metric in zip(self.attributes, wider, strict=True))
        masked = np.tile(np.array(codes, np.int64), (len(self.counts), 1))
        release = self._release or self
        blind = replace(self, attributes=attributes, masked=masked, group_ids=None, suppressed=None, _release=release)
        blind.__dict__["blind"] = blind
        return blind

    @property
    def shares(self) -> Floats:
        """The weights of the attributes, summing to one."""
        weights = np.array([a.weight for a in self.attributes], np.float64)
        return weights / weights.sum()

    @cached_property
    def null_costs(self) -> tuple[Floats, ...]:
        """For each attribute, by code, the distance that a value counts with where it is suppressed."""
        return null_costs(self.attributes, self.original, self.mass)

    @cached_property
    def tuple_distances(self) -> Floats:
        """For every pair the distance between the two tuples: the weighted mean over attributes."""
        total = np.zeros(len(self.counts))
        for a in range(len(self.attributes)):
            total += self.shares[a] * self.distances(a)
        return frozen(total)

    def distances(self, a: int) -> Floats:
        """Return for every pair the distance between the two values of an attribute; of a suppressed one, its cost."""
        metric, was, now = self.attributes[a].metric, self.original[:, a], self.masked[:, a]
        distances = metric.distances(was, now)
        null = np.array([value is None for value in metric.values], bool)
        suppressed = null[now] if null.any() else null
        return np.where(suppressed, self.null_costs[a][was], distances) if suppressed.any() else distances


def _numbered(tuples: Ints) -> tuple[Ints, Ints]:
    """Return for every row the number of its tuple, in the order of tuples, and for every tuple the first such row."""
    none = np.zeros(0, np.int64)
    number, _, first = distinct(list(tuples.T)) if len(tuples) else (none, none, none)
    return number, first


def null_costs(attributes: Sequence[Attribute], codes: Ints, mass: Floats) -> tuple[Floats, ...]:
    """Return for each attribute, by code, the distance that a value counts with where it is suppressed.

    A reader who sees no value expects the centroid of the column: the distance to it is lost, and at least the mean of
    these distances, so that frequent values are not suppressed for nothing. A value that was missing loses nothing.
    """
    costs = []
    for a, attribute in enumerate(attributes):
        if not len(codes):
            costs.append(np.zeros(len(attribute.values)))
            continue
        far = attribute.metric.distances_from(attribute.metric.centroid(codes[:, a], mass))
        mean = float((mass * far[codes[:, a]]).sum() / mass.sum()) if mass.sum() > 0 else 0.0
        missing = np.array([value is None for value in attribute.values], bool)
        costs.append(np.where(missing, 0.0, np.maximum(far, mean or 1.0)))  # 1: all records have one value
    return tuple(costs)


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
