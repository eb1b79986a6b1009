"""Semantic noise (Rodriguez-Garcia, Batet and Sánchez): a normal error moves words to other words, and numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np

from allonym.arrays import Floats, Ints
from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.domain import Domain
from allonym.kinds.ranges.numeric_metric import NumericMetric
from allonym.methods.base import MethodInfo
from allonym.methods.draws import Words, uniform, uniform_of_one
from allonym.methods.record_level import ByValue, Perturbation, RecordLevelMethod, linked, present
from allonym.metric import Value
from allonym.ontology.narrower import Narrower, broader
from allonym.parameters import parameter
from allonym.records import Attribute

MAX_CACHED_CONCEPTS = 4_000_000  # concepts in the tables of values that are kept for rows that come alone


@dataclass(frozen=True)
class Noise(RecordLevelMethod):
    """Errors are N(0, α·σ²) for each row; their sign says whether to go away from the mean, or towards it."""

    info: ClassVar = MethodInfo(
        "noise",
        "adds random noise to each value; a word becomes another one at about the distance that was drawn",
        kinds=("text", "numeric"),
        guarantees=(),
        min_values=2,
    )
    alpha: float = parameter(
        0.3,
        "Variance of the noise relative to the variance of the data.",
        above=0,
        maximum=1000,
        hint="0.1 to 0.5 is usual.",
    )
    allow_same: bool = parameter(False, "Small errors may leave a word unchanged.")

    def fitted(self, attribute: Attribute, codes: Ints, counts: Ints) -> Perturbation:
        """Find the mean and the variance of a column."""
        if isinstance(attribute.metric, NumericMetric):
            numbers, row_counts = present(attribute, codes, counts)
            mean = float((row_counts * numbers).sum() / max(row_counts.sum(), 1))
            variance = float((row_counts * (numbers - mean) ** 2).sum() / max(row_counts.sum(), 1))
            return NumericNoise(mean, variance, self.alpha, attribute.metric.decimals)
        assert isinstance(attribute.metric, ConceptMetric)
        concepts, row_counts, leaves = linked(attribute.metric, codes, counts)
        domain = Domain.of(attribute.metric, concepts)
        if not len(concepts):
            return SemanticNoise(domain, domain.scope.root, 0.0, self.alpha, self.allow_same)
        middle = domain.mean(concepts, row_counts, leaves)
        variance = domain.variance(concepts, row_counts, middle, leaves)
        return SemanticNoise(domain, middle, variance, self.alpha, self.allow_same)


@dataclass(frozen=True, eq=False)
class ConceptsByDistance:
    """Concepts in the order of their distance to one: those at `levels[i]` are `members[starts[i]:starts[i + 1]]`."""

    levels: Floats
    starts: Ints
    members: Ints

    @classmethod
    def of(cls, far: Floats, members: Ints) -> ConceptsByDistance:
        """Take concepts that are in the order of their distances."""
        ordered = far[members]
        starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
        return cls(ordered[starts], np.append(starts, len(members)), members.astype(np.int32))

    def nearest(self, size: Floats, tie: Floats) -> tuple[Ints, Floats]:
        """Return the nearest that are at least so far away, the farthest if none is, and how far these are.

        `tie` within (0, 1) says which of those that are equally far.
        """
        level = np.minimum(self.levels.searchsorted(size), len(self.levels) - 1)
        low, high = self.starts[level], self.starts[level + 1]
        return self.members[low + (tie * (high - low)).astype(np.int64)], self.levels[level]

    def probabilities(self, deviation: float, allow_same: bool) -> tuple[Floats, float]:
        """Return how likely errors of a normal distribution lead to each of `members`, and to staying."""
        from scipy.special import erfc

        def beyond(size: Floats) -> Floats:
            return erfc(size / (deviation * math.sqrt(2)))

        low, high = np.append(0.0, self.levels[:-1]), np.append(self.levels[:-1], np.inf)
        start = np.maximum(low, self.levels / 2) if allow_same else low
        width = np.diff(self.starts)
        staying = float((beyond(low) - beyond(start)).sum())
        return np.repeat((beyond(start) - beyond(high)) / width, width), staying


@dataclass(frozen=True, eq=False)
class SemanticNoise(ByValue):
    """Noise on a column of words (Algorithm 1). Null stays null. A leaf that does not move becomes its concept."""

    domain: Domain
    mean: int
    variance: float
    alpha: float
    allow_same: bool = False
    _known: dict[tuple[int, bool], tuple[ConceptsByDistance, ConceptsByDistance]] = field(
        default_factory=dict, repr=False
    )  # by concept, and whether the value is a leaf below it

    @property
    def outcomes(self) -> Sequence[Value]:
        """The concepts of the domain, and null."""
        return [*self.domain.concepts.tolist(), None]

    @property
    def deviation(self) -> float:
        """The standard deviation of the errors."""
        return math.sqrt(self.alpha * self.variance)

    def _sides(self, value: Value) -> tuple[ConceptsByDistance, ConceptsByDistance]:
        """Return `sides`, which are the same for all leaves below a concept."""
        key = broader(value), isinstance(value, Narrower)
        if key not in self._known:
            if len(self._known) * len(self.domain) >= MAX_CACHED_CONCEPTS:
                self._known.clear()
            self._known[key] = self.sides(value)
        return self._known[key]

    def sides(self, value: Value) -> tuple[ConceptsByDistance, ConceptsByDistance]:
        """Return where errors below and above 0 may lead from a concept, or from a leaf below one.

        That is towards the mean and away from it; anywhere, from the mean itself or where there is nothing on a side.
        """
        far, own = self.domain.distances_from(value), self.domain.place(value)
        order = np.argsort(far, kind="stable")
        is_leaf = isinstance(value, Narrower)
        others = order if is_leaf else order[order != own]
        if value == self.mean:
            return ConceptsByDistance.of(far, others), ConceptsByDistance.of(far, others)
        off, own_off = self._off[others], far[self.domain.place(self.mean)] if is_leaf else self._off[own]
        by_side = others[off < own_off], others[off > own_off]
        nearer, farther = (ConceptsByDistance.of(far, side if len(side) else others) for side in by_side)
        return nearer, farther

    @cached_property
    def _off(self) -> Floats:
        """The distances of all concepts to the mean."""
        return self.domain.distances_from(self.mean)

    def probabilities(self, value: Value) -> Floats:
        """Return how likely a concept becomes each concept of the domain, or null."""
        likely = np.zeros(len(self.domain) + 1)
        if value is None:
            likely[-1] = 1.0
            return likely
        own = self.domain.place(value)
        if len(self.domain) == 1 or self.deviation == 0:
            likely[own] = 1.0
            return likely
        for side in self._sides(value):
            of_members, staying = side.probabilities(self.deviation, self.allow_same)
            likely[side.members] += of_members / 2
            likely[own] += staying / 2
        return likely

    def places(self, value: Value, drawn: Words) -> Ints:
        """Return what rows with a concept become."""
        if value is None:
            return np.full(drawn.shape[1], len(self.domain))
        from scipy.special import ndtri

        errors, ties = self.deviation * ndtri(uniform(drawn[0])), uniform(drawn[1])
        own = self.domain.place(value)
        outcomes = np.full(len(errors), own)
        if len(self.domain) == 1:
            return outcomes
        for side, rows in zip(self._sides(value), (errors < 0, errors > 0), strict=True):
            concepts, far = side.nearest(np.abs(errors[rows]), ties[rows])
            same = self.allow_same & (2 * np.abs(errors[rows]) < far)
            outcomes[rows] = np.where(same, own, concepts)
        return outcomes

    def one(self, value: Value, drawn: Sequence[int]) -> Value:
        """Return what a single concept becomes."""
        if value is None or len(self.domain) == 1:
            return broader(value)
        from scipy.special import ndtri

        error = self.deviation * float(ndtri(uniform_of_one(drawn[0])))
        if error == 0:
            return broader(value)
        side = self._sides(value)[error > 0]
        place, far = side.nearest(np.array(abs(error)), np.array(uniform_of_one(drawn[1])))
        return broader(value) if self.allow_same and 2 * abs(error) < far else int(self.domain.concepts[place])


@dataclass(frozen=True, eq=False)
class NumericNoise(Perturbation):
    """Ordinary uncorrelated noise on a column of numbers, rounded as the column is. Null stays null."""

    mean: float
    variance: float
    alpha: float
    decimals: int

    def column(self, values: Sequence[Value], codes: Ints, drawn: Words) -> tuple[list[Value], Ints]:
        """Return what rows become."""
        from scipy.special import ndtri

        numbers = np.array([np.nan if v is None else v for v in values], np.float64)[codes]
        moved = np.round(numbers + math.sqrt(self.alpha * self.variance) * ndtri(uniform(drawn[0])), self.decimals)
        rounded, places = np.unique(moved + 0.0, return_inverse=True)
        return [None if math.isnan(x) else x for x in rounded.tolist()], places.ravel()

    def log_likelihood(self, before: Sequence[Value], after: Sequence[Value]) -> Floats:
        """Return log P(after | before): an error must round to the number after."""
        from scipy.special import log_ndtr

        was, now = (np.array([np.nan if v is None else v for v in values], np.float64) for values in (before, after))
        deviation, half = math.sqrt(self.alpha * self.variance), 0.5 * 10.0**-self.decimals
        error = np.abs(now - was[:, None])
        with np.errstate(divide="ignore", invalid="ignore"):
            if deviation == 0:
                logs = np.where(error < half, 0.0, -np.inf)
            else:
                high, low = (log_ndtr((side - error) / deviation) for side in (half, -half))
                logs = high + np.log1p(-np.exp(low - high))
        null = np.isnan(was)[:, None] & np.isnan(now)
        return np.where(null, 0.0, np.where(np.isnan(logs), -np.inf, logs))

    def one(self, value: Value, drawn: Sequence[int]) -> Value:
        """Return what a single number becomes."""
        if value is None:
            return None
        from scipy.special import ndtri

        error = math.sqrt(self.alpha * self.variance) * ndtri(uniform_of_one(drawn[0]))
        return float(np.round(value + error, self.decimals)) + 0.0
