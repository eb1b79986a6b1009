"""The exponential mechanism over concepts: ε-differential privacy of one value (McSherry and Talwar 2007).

A value x becomes c with probability ∝ exp(-ε·d(x, c) / 2Δ). Distances are in [0, 1], so one record cannot change one by
more than Δ = 1. What is drawn are exact whole-number weights: see `weights`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from allonym.arrays import Floats, Ints, Keys
from allonym.errors import OptionError
from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.domain import Domain
from allonym.methods.base import MethodInfo
from allonym.methods.draws import Words, below, below_of_one
from allonym.methods.record_level import ByValue, Perturbation, RecordLevelMethod
from allonym.metric import Value
from allonym.ontology.narrower import Narrower, broader
from allonym.parameters import parameter
from allonym.records import Attribute

SENSITIVITY = 1.0  # of a distance in [0, 1]
SCALE = 2.0**43  # of the weights
MAX_CANDIDATES = 2**20  # candidates; the sum of their weights is below 2^64
MARGIN = 2.0**-40  # taken off ε, so that rounding cannot exceed it
MAX_CACHED_WEIGHTS = 4_000_000  # weights that are kept for rows that come alone


@dataclass(frozen=True)
class Exponential(RecordLevelMethod):
    """Each value becomes one of the candidates, the likelier the nearer it is; nothing depends on other records."""

    info: ClassVar = MethodInfo(
        "exponential",
        "replaces each value by a random candidate, a near one with a higher probability (exponential mechanism)",
        kinds=("text",),
        guarantees=("differential privacy",),
        data_independent=True,
        min_values=0,
    )
    epsilon: float = parameter(
        1.0,
        "Privacy budget ε of each value: smaller is more private.",
        above=0,
        minimum=1e-9,  # more than twice MARGIN
        hint="1 is usual.",
    )
    nulls: bool = parameter(False, "Values may become null; otherwise null becomes any candidate.")
    codes: bool = parameter(False, "Write concepts by code, not by label.")

    def fitted(self, attribute: Attribute, codes: Ints, counts: Ints) -> Perturbation:
        """Take the candidates; the values of the data are not looked at."""
        metric = attribute.metric
        assert isinstance(metric, ConceptMetric)
        domain = Domain.under(metric, individuals=True)
        candidates = attribute.candidates
        if candidates is None:
            candidates = tuple(domain.concepts[~metric.scope.taxonomy.instances[domain.concepts]].tolist())
        if len(candidates) > MAX_CANDIDATES:
            raise OptionError(
                f"There are {len(candidates):,} candidates, more than {MAX_CANDIDATES:,}.", hint="choose a root."
            )
        return Candidates(domain, (*candidates, None) if self.nulls else candidates, self.epsilon)


@dataclass(frozen=True, eq=False)
class Candidates(ByValue):
    """What values may become: concepts, perhaps null. Null is 1 from all concepts and 0 from itself."""

    domain: Domain
    candidates: tuple[Value, ...]
    epsilon: float
    _known: dict[tuple[Value, bool], Keys] = field(default_factory=dict, repr=False)

    @property
    def outcomes(self) -> Sequence[Value]:
        """The candidates."""
        return self.candidates

    def far(self, value: Value) -> Floats:
        """Return the distances of a value to all candidates."""
        concepts = np.array([-1 if c is None else c for c in self.candidates], np.int64)
        if value is None:
            return (concepts >= 0).astype(np.float64)
        distances = np.ones(len(concepts))
        distances[concepts >= 0] = self.domain.distances_from(value)[self.domain.places(concepts[concepts >= 0])]
        return distances

    def weights(self, value: Value) -> Keys:
        """Return how likely each candidate is, as whole numbers: ⌈2^43·exp(-(ε - 2^-40)·d / 2)⌉.

        With ε' = ε - 2^-40 all weights, whatever the value, lie between 2^43·exp(-ε'/2) and 2^43. So do their means; a
        probability is a weight by a sum: P(c | x) / P(c | y) is at most exp(ε'/2)·exp(ε'/2) = exp(ε'). Rounding in
        `exp`, and drawing from 128 bits, change it by a factor far below exp(2^-40). Beyond ε of about 60 the least
        weight is 1, which is more than the formula says, and 2^43 is less than exp(ε'/2).
        """
        exponent = -(self.epsilon - MARGIN) / (2 * SENSITIVITY)
        return np.maximum(np.ceil(SCALE * np.exp(exponent * self.far(value))), 1.0).astype(np.uint64)

    def probabilities(self, value: Value) -> Floats:
        """Return how likely each candidate is."""
        weights = self.weights(value).astype(np.float64)
        return weights / weights.sum()

    def places(self, value: Value, drawn: Words) -> Ints:
        """Return what rows with a value become."""
        total = self._summed(value)
        return np.searchsorted(total, below(int(total[-1]), drawn[0], drawn[1]), side="right")

    def one(self, value: Value, drawn: Sequence[int]) -> Value:
        """Return what a single value becomes."""
        total = self._summed(value)
        drawn_below = np.uint64(below_of_one(int(total[-1]), drawn[0], drawn[1]))
        return self.candidates[int(total.searchsorted(drawn_below, side="right"))]

    def _summed(self, value: Value) -> Keys:
        """Return the cumulative weights, which are the same for all leaves below a concept."""
        key = broader(value), isinstance(value, Narrower)
        if key not in self._known:
            if len(self._known) * len(self.candidates) >= MAX_CACHED_WEIGHTS:
                self._known.clear()
            self._known[key] = np.cumsum(self.weights(value))
        return self._known[key]
