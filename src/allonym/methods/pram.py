"""Semantic PRAM: values change by a published matrix of probabilities, the likelier the nearer and more frequent.

The post-randomisation method (Kooiman, Willenborg and Gouweleeuw 1997) with P(v, w) ∝ f(w)·exp(-d(v, w)/τ), made
invariant in two stages (Gouweleeuw, Kooiman, Willenborg and de Wolf 1998): expected frequencies stay as they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from allonym.arrays import Floats, Ints
from allonym.errors import OptionError, Problem
from allonym.kinds.codec import CellCodec
from allonym.methods.base import MethodInfo
from allonym.methods.draws import Words, below, below_of_one
from allonym.methods.randomise import SINGLE_VALUED, counts_of_values
from allonym.methods.record_level import ByValue, Perturbation, RecordLevelMethod
from allonym.metric import Value
from allonym.ontology.narrower import broader
from allonym.parameters import is_number, parameter
from allonym.records import Attribute

SCALE = 10**12  # probabilities are whole numbers of this: those that are drawn are those that are published
CHANGED = 0.3  # expected share of changed records, unless a plan says otherwise
MAX_VALUES = 1_000  # different values of a column
MARGIN = 1e-6  # taken off the bound on the odds, relative to it, so that rounding cannot exceed it
STEPS = 50  # of bisection
DIGITS = 9  # of τ and λ, so that they are the same on every machine
LARGEST_TAU = 1e4  # distances are at most 1: beyond, values are drawn by frequency


@dataclass(frozen=True)
class Pram(RecordLevelMethod):
    """Each value changes by a matrix that keeps the expected frequencies."""

    info: ClassVar = MethodInfo(
        "pram",
        "replaces each value by a random value of the column, near ones more often, and keeps expected frequencies",
        kinds=SINGLE_VALUED,
        guarantees=(),
        min_values=2,
    )
    changed: float | None = parameter(
        None,
        "Expected share of records whose value changes, in each column; 0.3, unless tau is given.",
        type=float,
        above=0,
        below=1,
        hint="0.3 is usual.",
    )
    tau: float | None = parameter(
        None,
        "How far values move, instead of changed: a value at distance d is less likely by the factor exp(-d/tau).",
        type=float,
        above=0,
        maximum=LARGEST_TAU,
        hint="0.05 to 0.2 is usual.",
    )
    max_odds: float = parameter(
        9.0,
        "Highest odds of any original value, given the value in the release; of a value that more than half of the "
        "records have, this many times its odds before.",
        minimum=1,
        maximum=1e6,
        hint="9 leaves a doubt of at least one in ten.",
    )

    def conflicts(self, stated: Mapping[str, Any]) -> Iterator[Problem]:
        """Yield the problem of two parameters that say how much changes."""
        if self.tau is not None and self.changed is not None:
            text = "changed and tau both say how much changes."
            yield Problem("changed-and-tau", text, "state one of them.")

    def fitted(self, attribute: Attribute, codes: Ints, counts: Ints) -> Perturbation:
        """Find the matrix of a column; a leaf below a concept counts as the concept."""
        known = counts_of_values(attribute, codes, counts)
        if len(known) > MAX_VALUES:
            text = f"{attribute.name} has {len(known):,} different values; the matrix of pram takes {MAX_VALUES:,}."
            raise OptionError(text, hint="recode the column into fewer values, or choose the method noise.")
        if len(known) < 2:
            return Transitions(tuple(known), tuple(known.values()), np.full((len(known), len(known)), SCALE))
        metric = attribute.metric.extend(list(known))
        code_of = {value: code for code, value in enumerate(metric.values)}
        places = np.array([code_of[value] for value in known], np.int64)
        shares = np.array(list(known.values()), np.float64) / sum(known.values())
        distances = metric.distances(places[:, None], places)
        tau = self.tau or _tau_for(distances, shares, self.changed or CHANGED, self.max_odds)
        stages = invariant(distances, shares, tau)
        share = mixing(stages, shares, self.max_odds)
        matrix = (1 - share) * stages + share * shares
        return Transitions(tuple(known), tuple(known.values()), rounded(matrix), tau, share)

    def restored(self, codec: CellCodec, stored: Mapping[str, Any]) -> Perturbation:
        """Return the matrix that was stored."""
        values, counts = tuple(codec.from_json(x) for x in stored["values"]), tuple(stored["counts"])
        matrix, tau, share = np.array(stored["matrix"], np.int64), stored["tau"], stored["mixing"]
        if not all(type(x) is int and x > 0 for x in counts) or not len(counts) == len(values) == len(set(values)):
            raise ValueError("counts")
        if matrix.shape != (len(values), len(values)) or (matrix < 0).any() or (matrix.sum(axis=1) != SCALE).any():
            raise ValueError("matrix")
        if not (is_number(tau) and is_number(share) and tau > 0 and 0 <= share <= 1):
            raise ValueError("tau")
        return Transitions(values, counts, matrix, tau, share)


def invariant(distances: Floats, shares: Floats, tau: float) -> Floats:
    """Return the matrix R of two stages with f·R = f, where f are the shares.

    P(v, w) ∝ f(w)·exp(-d(v, w)/τ); Q(w, v) = f(v)·P(v, w) / Σ_u f(u)·P(u, w) says what w was before; R = P·Q.

    >>> shares = np.array([0.9, 0.1])
    >>> matrix = invariant(np.array([[0.0, 1.0], [1.0, 0.0]]), shares, 0.5)
    >>> matrix.round(3).tolist(), (shares @ matrix).round(12).tolist()
    ([[0.931, 0.069], [0.62, 0.38]], [0.9, 0.1])
    """
    first = _first_stage(distances, shares, tau)
    second = (shares[:, None] * first / (shares @ first)).T
    matrix = first @ second
    return matrix / matrix.sum(axis=1, keepdims=True)


def _first_stage(distances: Floats, shares: Floats, tau: float) -> Floats:
    weights = shares * np.exp(-distances / tau)
    return weights / weights.sum(axis=1, keepdims=True)


def mixing(matrix: Floats, shares: Floats, max_odds: float) -> float:
    """Return the least λ with which (1-λ)·R + λ·1·f keeps the odds of all values within the bound.

    Given w, v is as likely as (1-λ)·f(v)·R(v, w)/f(w) + λ·f(v). With λ = 1, that is f(v): the bound is not below it.
    """
    highest = _highest(shares, max_odds)[:, None]
    posterior, prior = shares[:, None] * matrix / shares, shares[:, None]
    excess = posterior > highest
    least = float(((posterior - highest) / np.where(excess, posterior - prior, 1.0))[excess].max(initial=0.0))
    return min(math.ceil(least * 10**DIGITS) / 10**DIGITS, 1.0)


def _highest(shares: Floats, max_odds: float) -> Floats:
    """Return how likely each value may be, given what is seen."""
    odds = max_odds * (1 - MARGIN) * np.maximum(1.0, shares / (1 - shares))
    return np.maximum(odds / (1 + odds), shares)


def _tau_for(distances: Floats, shares: Floats, changed: float, max_odds: float) -> float:
    """Return the τ with which a share of the records is expected to change, once the odds are within the bound.

    The least τ, if the bound needs more changes than that; the largest, if frequencies allow fewer.
    """

    def share_changed(tau: float) -> float:
        matrix = invariant(distances, shares, tau)
        same = float(shares @ np.diag(matrix))
        share = mixing(matrix, shares, max_odds)
        return 1 - (1 - share) * same - share * float(shares @ shares)

    low, high = math.log(float(distances[distances > 0].min(initial=1.0)) / 50), math.log(LARGEST_TAU)
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if share_changed(math.exp(middle)) > changed else (middle, high)
    return float(f"{math.exp(high):.{DIGITS}g}")


def rounded(matrix: Floats) -> Ints:
    """Return probabilities as whole numbers of 10^-12 with the same sum in each row: the largest remainders go up.

    >>> rounded(np.array([[1 / 3, 2 / 3]])).tolist()
    [[333333333333, 666666666667]]
    """
    exact = matrix * SCALE
    whole = np.floor(exact).astype(np.int64)
    missing = SCALE - whole.sum(axis=1)
    ranks = np.argsort(np.argsort(whole - exact, axis=1, kind="stable"), axis=1, kind="stable")
    return whole + (ranks < missing[:, None])


@dataclass(frozen=True, eq=False)
class Transitions(ByValue):
    """How likely each value becomes each other. Null stays null; a value never seen is drawn by frequency."""

    known: tuple[Value, ...]
    counts: tuple[int, ...]
    matrix: Ints  # a row for each value; whole numbers that sum to SCALE
    tau: float = LARGEST_TAU
    mixing: float = 0.0  # λ, with which the matrix was mixed with drawing by frequency

    def to_dict(self, to_json: Callable[[Value], Any]) -> dict[str, Any]:
        """Return the values, their counts and the matrix."""
        values = [to_json(value) for value in self.known]
        figures = {"tau": self.tau, "mixing": self.mixing}
        return {"values": values, "counts": list(self.counts), "matrix": self.matrix.tolist()} | figures

    @property
    def outcomes(self) -> Sequence[Value]:
        """The values, and null."""
        return [*self.known, None]

    @cached_property
    def _place(self) -> dict[Value, int]:
        return {value: place for place, value in enumerate(self.known)}

    @cached_property
    def _summed(self) -> Ints:
        """The cumulative probabilities of each value."""
        return np.cumsum(self.matrix, axis=1)

    def _summed_of(self, value: Value) -> Ints:
        place = self._place.get(broader(value))
        return np.cumsum(self.counts) if place is None else self._summed[place]

    def probabilities(self, value: Value) -> Floats:
        """Return how likely a value becomes each value, or null."""
        if value is None:
            return np.append(np.zeros(len(self.known)), 1.0)
        weights = np.diff(self._summed_of(value), prepend=0)
        return np.append(weights / weights.sum(), 0.0)

    def places(self, value: Value, drawn: Words) -> Ints:
        """Return what rows with a value become."""
        if value is None:
            return np.full(drawn.shape[1], len(self.known))
        total = self._summed_of(value)
        return np.searchsorted(total, below(int(total[-1]), drawn[0], drawn[1]), side="right")

    def one(self, value: Value, drawn: Sequence[int]) -> Value:
        """Return what a single value becomes."""
        if value is None:
            return None
        total = self._summed_of(value)
        return self.known[int(np.searchsorted(total, below_of_one(int(total[-1]), drawn[0], drawn[1]), side="right"))]

    def figures(self) -> dict[str, Any]:
        """Return the expected share of changed records, and the highest odds of a value given what is seen."""
        if not self.counts:
            return {}
        shares = np.array(self.counts, np.float64) / sum(self.counts)
        matrix = self.matrix / SCALE
        posterior = shares[:, None] * matrix / (shares @ matrix)
        highest = None
        if len(shares) > 1:
            with np.errstate(divide="ignore"):
                odds = posterior / (1 - posterior)
            highest = float((odds / np.maximum(1.0, shares / (1 - shares))[:, None]).max())
        return {
            "values": len(shares),
            "tau": self.tau,
            "mixing": self.mixing,
            "expected_changed": float(1 - shares @ np.diag(matrix)),
            "possible_changed": float(1 - shares @ shares),
            "highest_posterior": float(posterior.max(initial=0.0)),
            "highest_odds": highest,
        }
