"""Can people be found again? Every function takes a release as `Pairs`; persons are counted where there are units."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from allonym.arrays import Floats, Ints, distinct, sum_by
from allonym.measures.attackers.base import Estimate
from allonym.measures.attackers.meaning import semantic_linkage
from allonym.measures.attackers.registry import blind_guess
from allonym.measures.attackers.text import record_linkage
from allonym.records import Pairs

__all__ = [
    "Estimate", "Risks", "blind_guess", "journalist", "marketer", "prosecutor", "record_linkage", "semantic_linkage",
    "together", "uniqueness",
]  # fmt: skip


class Risks(NamedTuple):
    """The risk that a person is found, by group: the highest, the mean, and the share of persons above a threshold."""

    highest: float
    mean: float
    above: float


def prosecutor(pairs: Pairs, threshold: float = 0.2) -> Risks:
    """Return the risks if the attacker knows that a person is in the table: 1/f in a group of f persons."""
    sizes = pairs.sizes[pairs.sizes > 0]
    if not sizes.size:
        return Risks(0.0, 0.0, 0.0)
    above = sizes[1 / sizes > threshold].sum() / sizes.sum()
    return Risks(float(1 / sizes.min()), float(len(sizes) / sizes.sum()), float(above))


def journalist(pairs: Pairs, threshold: float = 0.2) -> Risks:
    """Return the risks if the attacker only knows that a person is in the population: 1/F, F persons there.

    F is estimated by the survey weights of a group (its size, if that is larger); without weights the table is the
    population. The mean is the larger of J/ΣF and Σ(f/F)/n over J groups (El Emam 2013).
    """
    there, population = pairs.sizes > 0, _population(pairs)
    sizes, population = pairs.sizes[there], population[there]
    if not sizes.size:
        return Risks(0.0, 0.0, 0.0)
    mean = max(len(sizes) / population.sum(), (sizes / population).sum() / sizes.sum())
    above = sizes[1 / population > threshold].sum() / sizes.sum()
    return Risks(float(1 / population.min()), float(mean), float(above))


def marketer(pairs: Pairs) -> float:
    """Return the share of persons found if the attacker wants as many as possible: Σ(f/F)/n."""
    there = pairs.sizes > 0
    total = pairs.sizes.sum()
    return float((pairs.sizes[there] / _population(pairs)[there]).sum() / total) if total else 0.0


def _population(pairs: Pairs) -> Floats:
    """Return how many persons of the population each group stands for."""
    released = pairs.groups >= 0
    groups, mass, counts = pairs.groups[released], pairs.mass[released], pairs.counts[released]
    if pairs.units is not None:  # a person counts once, with the largest weight (the mean of rows that are alike)
        order = np.lexsort((mass / counts, pairs.units[released], groups))
        last = np.ones(len(order), bool)
        same = (np.diff(groups[order]) == 0) & (np.diff(pairs.units[released][order]) == 0)
        last[:-1] = ~same
        groups, mass = groups[order[last]], (mass / counts)[order[last]]
    return np.maximum(sum_by(groups, mass, len(pairs.sizes)), pairs.sizes)


def uniqueness(pairs: Pairs) -> float:
    """Return the share of records that only one person could have, in per cent."""
    released = pairs.groups >= 0
    alone = pairs.sizes[pairs.groups[released]] == 1
    total = pairs.counts[released].sum()
    return float(100 * pairs.counts[released][alone].sum() / total) if total else 0.0


def together(one: Ints, other: Ints) -> Ints:
    """Return which rows look alike to somebody who has two releases of the same people, from how each looks alone.

    >>> together(np.array([0, 0, 0, 1, -1]), np.array([0, 0, 1, 1, -1])).tolist()
    [1, 1, 2, 3, -1]
    """
    return np.where((one < 0) & (other < 0), -1, distinct([one + 1, other + 1])[0])
