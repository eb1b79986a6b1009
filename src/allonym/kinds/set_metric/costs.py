"""What sets of candidates cost that stand for a group of sets: Σ ω·d, by any of the five distances."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats


class State(NamedTuple):
    """Some candidates: how far each item is from them, and how far they are from each set, added up."""

    size: int
    near: Floats
    own: Floats


class SetCosts:
    """The costs of sets of candidates.

    Args:
        far: the distance of each candidate (row) to each item of the group.
        has: which set (row) has which item.
        mass: what each set counts.
        distance: of sets, one of the five.
    """

    def __init__(self, far: Floats, has: NDArray[np.bool_], mass: Floats, distance: str) -> None:
        self.far, self.has, self.mass = far, has, mass
        self.sizes = has.sum(axis=1)
        self.adds = distance not in ("min", "max")
        self.averages = distance == "avg"
        self.best = np.maximum if distance in ("max", "max-sum") else np.minimum

    @cached_property
    def to_sets(self) -> Floats:
        """The distance of each candidate to the nearest item of each set (the farthest; the mean); 1 to no items."""
        full = np.flatnonzero(self.sizes)
        to_sets = np.ones((len(self.far), len(self.sizes)))
        if len(full):
            starts = np.cumsum(self.sizes[full]) - self.sizes[full]
            reduce = np.add if self.averages else self.best
            to_sets[:, full] = reduce.reduceat(self.far[:, np.nonzero(self.has)[1]], starts, axis=1)
            if self.averages:
                to_sets[:, full] /= self.sizes[full]
        return to_sets

    def state(self, chosen: tuple[int, ...]) -> State:
        """Return the state of some candidates."""
        none, own = -np.inf if self.best is np.maximum else np.inf, self.to_sets[list(chosen)]
        near = self.best.reduce(self.far[list(chosen)], axis=0, initial=none)
        total = own.sum(axis=0) if self.adds else self.best.reduce(own, axis=0, initial=none)
        return State(len(chosen), near, total)

    def plus(self, state: State, candidate: int) -> State:
        """Return some candidates and one more."""
        own = self.to_sets[candidate]
        own = state.own + own if self.adds else self.best(state.own, own)
        return State(state.size + 1, self.best(state.near, self.far[candidate]), own)

    def of(self, state: State) -> float:
        """Return Σ ω·d of a set of candidates; the empty set is 1 from all others."""
        if not state.size:
            return float(self.mass[self.sizes > 0].sum())
        return float(self._costs(state.size, state.near, state.own))

    def with_each(self, state: State) -> Floats:
        """Return Σ ω·d of some candidates together with each."""
        own = state.own + self.to_sets if self.adds else self.best(state.own, self.to_sets)
        near = state.near if self.averages or not self.adds else self.best(state.near, self.far)
        return np.asarray(self._costs(state.size + 1, near, own))

    def without_each(self, chosen: tuple[int, ...]) -> Floats:
        """Return Σ ω·d of some candidates, two or more, without each."""
        far, own = self.far[list(chosen)], self.to_sets[list(chosen)]
        total = own.sum(axis=0) - own if self.adds else self._best_of_others(own)
        return np.asarray(self._costs(len(chosen) - 1, self._best_of_others(far), total))

    def _best_of_others(self, numbers: Floats) -> Floats:
        """Return for each row the least (or largest) numbers of all other rows, column by column."""
        sign = -1.0 if self.best is np.maximum else 1.0
        first, second = np.partition(sign * numbers, 1, axis=0)[:2]
        return np.asarray(sign * np.where(sign * numbers == first, second, first))

    def _costs(self, size: int, near: Floats, own: Floats) -> Floats:
        if self.averages:
            return np.asarray(own @ self.mass / size)
        if not self.adds:
            return np.asarray(own @ self.mass)
        share = self.mass / (size + self.sizes)
        return np.asarray(near @ (share @ self.has) + own @ share)
