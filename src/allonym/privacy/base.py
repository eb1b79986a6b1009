"""The base classes of privacy models of sensitive columns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Self

import numpy as np

from allonym.arrays import Floats
from allonym.parameters import parameters_of
from allonym.privacy.counts import SensitiveCounts
from allonym.privacy.earth_mover import Closeness
from allonym.records import Attribute, Pairs

TOLERANCE = 1e-9  # figures that differ less are equal


@dataclass(frozen=True)
class ModelInfo:
    """What a privacy model declares of itself besides its parameters."""

    name: str  # in plans and on the command line
    figure: str  # the parameter that is the figure to reach
    summary: str  # one line
    whole: bool = False  # figures are whole numbers


class Reference:
    """A sensitive column of the whole table, to which groups are compared."""

    def __init__(self, attribute: Attribute, table: SensitiveCounts) -> None:
        self.attribute, self.table = attribute, table

    @cached_property
    def closeness(self) -> Closeness:
        """The distances of other distributions to that of the table; what it computes is kept."""
        return Closeness(self.attribute, self.table.values, self.table.counts / self.table.counts.sum())


@dataclass(frozen=True)
class PrivacyModel(ABC):
    """A privacy model with its parameters, each declared on its field with `parameter`."""

    info: ClassVar[ModelInfo]

    @property
    @abstractmethod
    def title(self) -> str:
        """The name of the model in reports and summaries."""

    @property
    def asked(self) -> float:
        """The figure to reach."""
        return float(getattr(self, self.info.figure))

    @classmethod
    def measuring(cls) -> Self:
        """Return the model to measure a release with, where no figure is asked for."""
        return cls(**{name: np.nan for name, declared in parameters_of(cls).items() if declared.required})

    @abstractmethod
    def reached(self, counts: SensitiveCounts, reference: Reference) -> float:
        """Return the figure that all groups reach; 0, if there are none."""

    @abstractmethod
    def lacking(self, counts: SensitiveCounts, reference: Reference) -> Floats:
        """Return how much each group lacks as a share of the figure to reach, or less; 0, where it lacks nothing."""

    @abstractmethod
    def is_met(self, figure: float) -> bool:
        """Tell whether a figure is as good as the one to reach."""

    def reached_by(self, pairs: Pairs, column: int) -> float:
        """Return the figure that a release reaches for one of its sensitive columns."""
        reference = Reference(pairs.sensitive[column], SensitiveCounts.of_table(pairs, column))
        reached = self.reached(SensitiveCounts.of_release(pairs, column), reference)
        return int(reached) if self.info.whole else reached

    def _shortfall(self, missing: Floats) -> Floats:
        return np.where(missing > TOLERANCE, missing / self.asked, 0.0)


class DiversityModel(PrivacyModel):
    """A privacy model that asks for a diversity of values in each group, the more the better."""

    @abstractmethod
    def diversity(self, counts: SensitiveCounts) -> Floats:
        """Return the diversity of each group."""

    def reached(self, counts: SensitiveCounts, reference: Reference) -> float:
        """Return the least diversity of a group."""
        return float(min(self.diversity(counts), default=0.0)) if counts.number else 0.0

    def lacking(self, counts: SensitiveCounts, reference: Reference) -> Floats:
        """Return how much diversity each group lacks."""
        return self._shortfall(self.asked - self.diversity(counts))

    def is_met(self, figure: float) -> bool:
        """Tell whether a diversity is enough."""
        return figure >= self.asked - TOLERANCE
