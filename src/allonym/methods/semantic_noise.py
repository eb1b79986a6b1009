"""What noise does to words: an error leads to another concept of the domain, at about its distance."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints
from allonym.kinds.domain import Domain
from allonym.methods.draws import Words, uniform, uniform_of_one
from allonym.methods.error_distributions import DISTRIBUTIONS, SMALLEST, Errors
from allonym.methods.nearest_concepts import NearestConcepts, SideOfMean
from allonym.methods.record_level import ByValue
from allonym.metric import Value
from allonym.ontology.narrower import Narrower, broader
from allonym.ontology.pickling import DropCaches

MAX_CACHED_CONCEPTS = 4_000_000  # concepts in the tables of values that are kept for rows that come alone


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

    def nearest(self, size: Any, tie: Any) -> tuple[Any, Any]:
        """Return the nearest that are at least so far away, the farthest if none is, and how far these are.

        `tie` within (0, 1) says which of those that are equally far.
        """
        level = np.minimum(self.levels.searchsorted(size), len(self.levels) - 1)
        low, high = self.starts[level], self.starts[level + 1]
        return self.members[low + np.int64(tie * (high - low))], self.levels[level]

    def probabilities(self, beyond: Callable[[Floats], Floats], allow_same: bool) -> tuple[Floats, float]:
        """Return how likely errors lead to each of `members`, and to staying, from how likely they exceed sizes."""
        low, high = np.append(0.0, self.levels[:-1]), np.append(self.levels[:-1], np.inf)
        start = np.maximum(low, self.levels / 2) if allow_same else low
        width = np.diff(self.starts)
        staying = float((beyond(low) - beyond(start)).sum())
        return np.repeat((beyond(start) - beyond(high)) / width, width), staying


@dataclass(frozen=True, eq=False)
class SemanticNoise(DropCaches, ByValue):
    """Noise on a column of words (Algorithm 1). Null stays null. A leaf that does not move becomes its concept.

    With candidates, values become these only: one that is not a candidate itself always moves.
    """

    domain: Domain
    mean: int
    variance: float
    alpha: float
    allow_same: bool = False
    distribution: str = "normal"
    candidates: tuple[Value, ...] | None = None  # concepts of the domain; None: all of it
    _known: dict[tuple[int, bool], tuple[ConceptsByDistance, ConceptsByDistance]] = field(
        default_factory=dict, repr=False
    )  # by concept, and whether the value is a leaf below it

    def to_dict(self, to_json: Callable[[Value], Any]) -> dict[str, Any]:
        """Return the mean and the variance, and the candidates if there is a list."""
        stored = {"mean": to_json(self.mean), "variance": self.variance}
        return stored if self.candidates is None else stored | {"candidates": [to_json(x) for x in self.candidates]}

    @property
    def outcomes(self) -> Sequence[Value]:
        """The concepts of the domain, and null."""
        return [*self.domain.concepts.tolist(), None]

    @cached_property
    def errors(self) -> Errors:
        """The distribution of the errors."""
        return DISTRIBUTIONS[self.distribution](math.sqrt(self.alpha * self.variance))

    @cached_property
    def _allowed(self) -> NDArray[np.bool_]:
        """For each concept of the domain, whether values may become it."""
        allowed = np.ones(len(self.domain), bool)
        if self.candidates is not None:
            allowed[:] = False
            allowed[self.domain.places(np.array(self.candidates))] = True
        return allowed

    @cached_property
    def _only(self) -> int:
        """The only concept that values may become, by its place; -1, if there are several."""
        (places,) = np.nonzero(self._allowed)
        return int(places[0]) if len(places) == 1 else -1

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
        order = order[self._allowed[order]]
        is_leaf = isinstance(value, Narrower)
        others = order if is_leaf else order[order != own]
        if value == self.mean:
            return ConceptsByDistance.of(far, others), ConceptsByDistance.of(far, others)
        off, own_off = self._off[others], far[self.domain.place(self.mean)] if is_leaf else self._off[own]
        by_side = others[off < own_off], others[off > own_off]
        nearer, farther = (ConceptsByDistance.of(far, side if len(side) else others) for side in by_side)
        return nearer, farther

    @cached_property
    def _nearest(self) -> NearestConcepts:
        """The sides of single values, in small tables."""
        return NearestConcepts(self.domain, self.mean, self._allowed)

    def _whole(self, value: Value) -> tuple[ConceptsByDistance, ConceptsByDistance]:
        """Return `sides` for single values that do not have both."""

        def make() -> tuple[tuple[ConceptsByDistance, ConceptsByDistance], int]:
            both = self.sides(value)
            return both, sum(side.members.nbytes for side in both)

        whole: tuple[ConceptsByDistance, ConceptsByDistance]
        whole = self._nearest.keep(("whole", broader(value), isinstance(value, Narrower)), make)
        return whole

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
        if own == self._only or (self._allowed[own] and self.errors.deviation == 0):
            likely[own] = 1.0
            return likely
        sides = self._sides(value)
        if self.errors.deviation == 0:
            nearest = sides[0].members[: sides[0].starts[1]]
            likely[nearest] = 1 / len(nearest)
            return likely
        for side in sides:
            of_members, staying = side.probabilities(self.errors.beyond, self.allow_same and bool(self._allowed[own]))
            likely[side.members] += of_members / 2
            likely[own] += staying / 2
        return likely

    def scores(self, before: Sequence[Value], after: Sequence[Value]) -> Floats:
        """Return the errors that lead from each concept to each, as standard normal numbers; 0, if of either sign."""
        place = {concept: i for i, concept in enumerate(self.outcomes)}
        columns = np.array([place.get(value, len(self.domain)) for value in after], np.int64)
        scores = np.zeros((len(before), len(after)))
        for row, value in enumerate(before):
            if value is None or isinstance(value, str):
                continue
            known = np.zeros(len(self.domain) + 1)
            for sign, side in zip((-1.0, 1.0), self._sides(value), strict=True):
                low = np.append(0.0, side.levels[:-1])
                high = np.append(side.levels[:-1], np.inf)
                middle = self.errors.scores(np.maximum(low, SMALLEST), high)
                known[side.members] += sign * np.repeat(middle, np.diff(side.starts))
            scores[row] = known[columns]
        return scores

    def places(self, value: Value, drawn: Words) -> Ints:
        """Return what rows with a concept become."""
        if value is None:
            return np.full(drawn.shape[1], len(self.domain))
        errors, ties = self.errors.quantiles(uniform(drawn[0])), uniform(drawn[1])
        own = self.domain.place(value)
        outcomes = np.full(len(errors), own)
        if own == self._only:
            return outcomes
        may_stay = bool(self._allowed[own])
        towards = errors < 0 if may_stay else errors <= 0
        for side, rows in zip(self._sides(value), (towards, errors > 0), strict=True):
            concepts, far = side.nearest(np.abs(errors[rows]), ties[rows])
            same = (self.allow_same and may_stay) & (2 * np.abs(errors[rows]) < far)
            outcomes[rows] = np.where(same, own, concepts)
        return outcomes

    def one(self, value: Value, drawn: Sequence[int]) -> Value:
        """Return what a single concept becomes."""
        if value is None:
            return None
        own = self.domain.place(value)
        if own == self._only:
            return broader(value)
        error, may_stay = self.errors.quantile(uniform_of_one(drawn[0])), bool(self._allowed[own])
        if error == 0 and may_stay:
            return broader(value)
        sides: Sequence[SideOfMean | ConceptsByDistance] = self._nearest.sides(value) or self._whole(value)
        place, far = sides[error > 0].nearest(abs(error), uniform_of_one(drawn[1]))
        same = self.allow_same and may_stay and 2 * abs(error) < far
        return broader(value) if same else int(self.domain.concepts[place])
