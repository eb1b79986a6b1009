"""The exponential mechanism over concepts: ε-differential privacy of one value (McSherry and Talwar 2007).

A value x becomes c with probability ∝ exp(-s·d(x, c)), where the scale s is the largest one whose privacy loss over all
values that anyone may have is at most ε: see `calibration`. What is drawn are exact whole-number weights.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from allonym.arrays import Floats, Ints, Keys
from allonym.errors import OptionError, Problem
from allonym.kinds.codec import CellCodec
from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.domain import Domain
from allonym.kinds.registry import kind_named
from allonym.kinds.word_codec import WordCodec
from allonym.methods.base import MethodInfo
from allonym.methods.calibration import Calibration, calibrated, weights_of
from allonym.methods.draws import Words, below, below_of_one
from allonym.methods.record_level import ByValue, Perturbation, RecordLevelMethod
from allonym.metric import Value
from allonym.ontology.narrower import Narrower, broader
from allonym.parameters import is_number, parameter
from allonym.records import Attribute

EPSILON = 1.0  # of a value, unless stated
SENSITIVITY = 1.0  # of a distance in [0, 1]
MAX_CANDIDATES = 2**20  # the sum of their weights is below 2^64
MAX_CACHED_WEIGHTS = 4_000_000  # weights that are kept for rows that come alone


@dataclass(frozen=True)
class Exponential(RecordLevelMethod):
    """Each value becomes one of the candidates, the likelier the nearer it is; nothing depends on other records."""

    info: ClassVar = MethodInfo(
        "exponential",
        "replaces each value by a random candidate, a near one with a higher probability (exponential mechanism)",
        kinds=("text", "set"),
        guarantees=("differential privacy",),
        data_independent=True,
        min_values=0,
    )
    epsilon: float = parameter(
        EPSILON,
        "Privacy budget ε of each value: smaller is more private.",
        above=0,
        minimum=1e-9,  # far more than the margin of a calibration
        hint="1 is usual.",
    )
    budget: float | None = parameter(
        None,
        "Privacy budget ε of a person in all: each value gets an equal share of it, in place of epsilon.",
        type=float,
        above=0,
        minimum=1e-9,
    )
    max_rows: int | None = parameter(
        None,
        "The most rows of a person, known beforehand; a table with more is refused. With a budget, 1 unless given.",
        type=int,
        minimum=1,
    )
    releases: int = parameter(
        1, "Releases of the same people that share the budget, earlier and later ones included.", minimum=1
    )
    max_items: int = parameter(
        5,
        "The most items of a set that are drawn; of larger sets, others are left out at random. Each spends ε.",
        minimum=1,
    )
    hide_sizes: bool = parameter(
        False, "Draw max_items items for every set, so that the number of its items is hidden, too."
    )
    nulls: bool = parameter(False, "Values may become null; otherwise null becomes any candidate.")
    codes: bool = parameter(False, "Write concepts by code, not by label.")

    def conflicts(self, stated: Mapping[str, Any]) -> Iterator[Problem]:
        """Yield the problem of two budgets."""
        if self.budget is not None and stated.get("epsilon", EPSILON) != EPSILON:
            text = "epsilon is the budget of a value, budget that of a person, which values share."
            yield Problem("two-budgets", text, "state one of them.")

    @property
    def bounds_persons(self) -> bool:
        """Whether there is a bound of what a person contributes."""
        return self.budget is not None or self.max_rows is not None

    def answers_per_row(self, kinds: Sequence[str]) -> int:
        """Return how many values of a row are drawn at most, given the kinds of its columns."""
        return sum(self.items_of(kind) for kind in kinds)

    def items_of(self, kind: str) -> int:
        """Return how many values of a cell are drawn at most."""
        return self.max_items if kind_named(kind).multivalued else 1

    @property
    def set_limits(self) -> dict[str, Any]:
        """How many items of a set are drawn."""
        return {"max_items": self.max_items, "hide_sizes": self.hide_sizes}

    def value_epsilon(self, kinds: Sequence[str]) -> float:
        """Return the ε of each value, given the kinds of all columns: a share of the budget, if there is one.

        >>> Exponential(budget=6.0, max_rows=3).value_epsilon(["text", "text"])
        1.0
        """
        if self.budget is None:
            return self.epsilon
        return self.budget / ((self.max_rows or 1) * self.answers_per_row(kinds) * self.releases)

    def for_columns(self, attributes: Sequence[Attribute]) -> Self:
        """Return the method with the ε that each value of these columns gets."""
        return replace(self, epsilon=self.value_epsilon([x.kind for x in attributes]), budget=None)

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

    def restored(self, codec: CellCodec, stored: Mapping[str, Any]) -> Perturbation:
        """Return the candidates that were stored."""
        candidates = tuple(codec.from_json(x) for x in stored["candidates"])
        if not candidates or not isinstance(codec, WordCodec):
            raise ValueError("candidates")
        epsilon = stored.get("epsilon", self.epsilon)
        if not (is_number(epsilon) and epsilon > 0):
            raise ValueError("epsilon")
        return Candidates(Domain.of_kind(codec.scope, codec.kind, individuals=True), candidates, epsilon)


@dataclass(frozen=True, eq=False)
class Candidates(ByValue):
    """What values may become: concepts, perhaps null. Null is 1 from all concepts and 0 from itself."""

    domain: Domain
    candidates: tuple[Value, ...]
    epsilon: float
    _known: dict[tuple[Value, bool], Keys] = field(default_factory=dict, repr=False)

    def to_dict(self, to_json: Callable[[Value], Any]) -> dict[str, Any]:
        """Return the candidates, and the ε of a value."""
        return {"candidates": [to_json(value) for value in self.candidates], "epsilon": self.epsilon}

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

    @cached_property
    def calibration(self) -> Calibration:
        """The scale of the distances, and the ε that it spends."""
        return calibrated(self.domain, self.candidates, self.epsilon)

    def weights(self, value: Value) -> Keys:
        """Return how likely each candidate is, as whole numbers; that of the nearest candidate is 2^43.

        For these very numbers, P(c | x) / P(c | y) is at most exp(ε - 2^-40) for all c, x and y. The logarithms by
        which that is found, and drawing from 128 bits, change it by a factor far below exp(2^-40).
        """
        far = self.far(value)
        return weights_of(far - far.min(), self.calibration.scale)

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
