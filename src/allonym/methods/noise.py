"""Semantic noise (Rodriguez-Garcia, Batet and Sánchez): a random error moves words to other words, and numbers.

The paper draws normal errors, and plans Laplace errors next; neither gives differential privacy here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from allonym.arrays import Ints
from allonym.errors import Problem
from allonym.kinds.category import CategoryCodec
from allonym.kinds.codec import CellCodec
from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.dates.calendar import unit_of
from allonym.kinds.dates.codec import DateCodec
from allonym.kinds.dates.metric import DateMetric
from allonym.kinds.domain import Domain
from allonym.kinds.numeric import NumberCodec
from allonym.kinds.ordinal import LevelCodec, OrdinalMetric
from allonym.kinds.ranges.numeric_metric import NumericMetric
from allonym.kinds.word_codec import WordCodec
from allonym.methods.base import MethodInfo
from allonym.methods.correlation import ErrorCorrelation
from allonym.methods.error_distributions import DISTRIBUTIONS
from allonym.methods.numeric_noise import CategoryNoise, NumericNoise
from allonym.methods.record_level import Perturbation, RecordLevelMethod, linked, present
from allonym.methods.semantic_noise import SemanticNoise
from allonym.metric import Value
from allonym.parameters import is_number, parameter
from allonym.records import Attribute, Records


@dataclass(frozen=True)
class Noise(RecordLevelMethod):
    """Errors have variance α·σ² in each row; their sign says whether to go away from the mean, or towards it."""

    info: ClassVar = MethodInfo(
        "noise",
        "adds random noise to each value; a word becomes another one at about the distance that was drawn",
        kinds=("text", "category", "date", "ordinal", "numeric", "set"),
        guarantees=(),
        min_values=2,
    )
    takes_candidates = True
    alpha: float = parameter(
        0.3,
        "Variance of the noise relative to the variance of the data.",
        above=0,
        maximum=1000,
        hint="0.1 to 0.5 is usual.",
    )
    allow_same: bool = parameter(False, "Small errors may leave a word unchanged.")
    correlated: bool = parameter(
        False, "Errors of related columns go together, so that relations between columns weaken less."
    )
    distribution: str = parameter("normal", "Distribution of the errors.", choices=tuple(DISTRIBUTIONS))

    def conflicts(self, stated: Mapping[str, Any]) -> Iterator[Problem]:
        """Yield the problem of a key together with errors that depend on other columns."""
        if self.correlated and self.key:
            text = "with correlated errors, a person's value gets another error beside other values."
            yield Problem("key-and-correlated", f"{text} They could be averaged.", "leave out key or correlated.")

    def error_correlation(self, records: Records) -> ErrorCorrelation | None:
        """Return how the errors of the columns go together, if that is asked for."""
        return ErrorCorrelation.of(records) if self.correlated else None

    def fitted(self, attribute: Attribute, codes: Ints, counts: Ints) -> Perturbation:
        """Find the mean and the variance of a column."""
        if not isinstance(attribute.metric, ConceptMetric):
            return self._fitted_to_values(attribute, codes, counts)
        concepts, row_counts, leaves = linked(attribute.metric, codes, counts)
        candidates = attribute.candidates
        domain = Domain.of(attribute.metric, np.append(concepts, np.array(candidates or (), np.int64)))
        if not len(concepts):
            return self._semantic(domain, domain.scope.root, 0.0, candidates)
        middle = domain.mean(concepts, row_counts, leaves)
        variance = domain.variance(concepts, row_counts, middle, leaves)
        return self._semantic(domain, middle, variance, candidates)

    def _fitted_to_values(self, attribute: Attribute, codes: Ints, counts: Ints) -> Perturbation:
        """Find the mean and the variance of a column of numbers, dates or ranks, or of categories."""
        metric = attribute.metric
        if isinstance(metric, (NumericMetric, OrdinalMetric)):
            numbers, row_counts = present(attribute, codes, counts)
            mean = float((row_counts * numbers).sum() / max(row_counts.sum(), 1))
            variance = float((row_counts * (numbers - mean) ** 2).sum() / max(row_counts.sum(), 1))
            return self._numeric(mean, variance, _limits(metric))
        known = np.array([attribute.values[c] is not None for c in codes.tolist()], bool)
        values = [attribute.values[c] for c in codes[known].tolist()]
        if not values:
            return CategoryNoise((), None, 0.0, self.alpha, self.distribution)
        mode = metric.centroid(codes[known], counts[known].astype(np.float64))
        share = float(counts[known][values.index(mode)] / counts[known].sum())
        return CategoryNoise(tuple(values), mode, 1 - share, self.alpha, self.distribution)

    def _numeric(self, mean: float, variance: float, limits: Mapping[str, Any]) -> NumericNoise:
        return NumericNoise(mean, variance, self.alpha, distribution=self.distribution, **limits)

    def _semantic(
        self, domain: Domain, mean: int, variance: float, candidates: tuple[Value, ...] | None
    ) -> SemanticNoise:
        options: dict[str, Any] = {"distribution": self.distribution, "candidates": candidates}
        return SemanticNoise(domain, mean, variance, self.alpha, self.allow_same, **options)

    def restored(self, codec: CellCodec, stored: Mapping[str, Any]) -> Perturbation:
        """Return noise with the mean and the variance that were stored."""
        variance = stored["variance"]
        if not (is_number(variance) and variance >= 0):
            raise ValueError("noise")
        if isinstance(codec, (NumberCodec, DateCodec, LevelCodec)):
            if not is_number(stored["mean"]):
                raise ValueError("mean")
            return self._numeric(stored["mean"], variance, _limits(codec))
        mean = codec.from_json(stored["mean"])
        if isinstance(codec, CategoryCodec):
            known = tuple(codec.from_json(x) for x in stored["values"])
            if mean not in known or None in known or len(set(known)) < len(known):
                raise ValueError("values")
            return CategoryNoise(known, mean, variance, self.alpha, self.distribution)
        if mean is None or not isinstance(codec, WordCodec):
            raise ValueError("kind")
        domain = Domain.of_kind(codec.scope, codec.kind, individuals=codec.individuals)
        candidates = tuple(codec.from_json(x) for x in stored["candidates"]) if "candidates" in stored else None
        if candidates is not None and (not candidates or (domain.places(np.array(candidates)) < 0).any()):
            raise ValueError("candidates")
        return self._semantic(domain, mean, variance, candidates)


def _limits(column: NumericMetric | OrdinalMetric | NumberCodec | DateCodec | LevelCodec) -> dict[str, Any]:
    """Return how numbers of a column are rounded, and between which they lie: ranks, or dates of the calendar."""
    if isinstance(column, (OrdinalMetric, LevelCodec)):
        levels = column.levels if isinstance(column, OrdinalMetric) else len(column.levels)
        return {"decimals": 0, "lowest": 0.0, "highest": levels - 1.0, "number": int}
    if isinstance(column, (DateMetric, DateCodec)):
        unit = (column.written if isinstance(column, DateMetric) else column.form).unit
        return {"decimals": 0, "lowest": unit_of(1, unit=unit), "highest": unit_of(9999, 12, 31, unit)}
    return {"decimals": column.decimals}
