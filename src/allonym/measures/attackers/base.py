"""What every attacker is given, and what an attack returns."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from allonym.arrays import Ints
from allonym.records import Mechanism, Pairs

if TYPE_CHECKING:
    from allonym.measures.attackers.likelihood import Likelihoods


class Estimate(NamedTuple):
    """A figure, and where it lies with 95 % confidence if it comes from a sample."""

    value: float
    interval: tuple[float, float] | None = None


@dataclass(frozen=True, eq=False)
class Setting:
    """A release under attack, and what attackers know besides the original table and the plan."""

    pairs: Pairs
    mechanism: Mechanism | None = None  # how the method replaces values at random; None: it groups records
    tied_rows: bool = False  # whether it can be told which rows of the release belong to one person
    seed: int = 0  # of samples
    exact: bool = False  # whether all records are attacked, however long it takes

    @cached_property
    def likelihoods(self) -> Likelihoods:
        """How likely each original tuple becomes records of the release."""
        from allonym.measures.attackers.likelihood import Likelihoods

        assert self.mechanism is not None
        return Likelihoods.of(self.pairs, self.mechanism, self.seed)


@dataclass(frozen=True)
class Attacker:
    """An attacker: the story, the releases it applies to, and the attack, which returns per cent."""

    name: str  # in JSON and on the command line
    label: str  # of the figure, in tables
    story: str  # what the attacker knows and does, after "an attacker who"
    releases: str  # which releases the attack applies to
    applies: Callable[[Setting], bool]
    attack: Callable[[Setting], Estimate]


def interval_of(mean: float, size: int) -> tuple[float, float]:
    """Return where a share lies with 95 % confidence, in per cent (Wilson 1927).

    >>> [round(float(x), 2) for x in interval_of(0.0, 100)]
    [0.0, 3.7]
    """
    z = 1.96
    middle = (mean + z**2 / (2 * size)) / (1 + z**2 / size)
    half = z / (1 + z**2 / size) * math.sqrt(mean * (1 - mean) / size + z**2 / (4 * size**2))
    return 100 * max(middle - half, 0.0), 100 * min(middle + half, 1.0)


def drawn(pairs: Pairs, size: int, seed: int) -> Ints:
    """Draw some records by the seed; return the pair of each."""
    rng = np.random.Generator(np.random.Philox(key=seed))
    return rng.choice(len(pairs.counts), size=size, p=pairs.counts / pairs.counts.sum())


def several_rows(pairs: Pairs) -> bool:
    """Return whether there are units, and one of them has several rows."""
    return pairs.units is not None and int(pairs.counts.sum()) > len(np.unique(pairs.units))
