"""The search for the set that stands for a group of sets at the least cost."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints
from allonym.kinds.set_metric.costs import SetCosts

Bools = NDArray[np.bool_]
MAX_STEPS = 4  # times the length of a set, in which candidates are added
NOBODY = 2**62  # the number of nobody
TIED = 1e-12  # share of a cost by which two may differ in a tie
Choice = tuple[int, ...]  # of candidates
Found = tuple[Choice, float]


@dataclass(frozen=True, eq=False)
class Members:
    """A group: its different sets by code, what each counts, and who holds which.

    Holder i has the set `codes[places[i]]`; equal numbers are one person.
    """

    codes: Ints
    mass: Floats
    holders: Ints
    places: Ints

    @property
    def key(self) -> tuple[bytes, ...]:
        """What is the same for groups that have the same consensus."""
        people = self.holders - self.holders.min(initial=NOBODY)
        return tuple(x.tobytes() for x in (self.codes, self.mass, people, self.places))

    @cached_property
    def _rows(self) -> Floats | None:
        """How many rows have each set, if each is about another person."""
        if len(np.unique(self.holders)) < len(self.holders):
            return None
        return np.bincount(self.places, minlength=len(self.codes)).astype(np.float64)

    def without(self, gone: Bools) -> Members:
        """Return the group without some of its sets."""
        kept, place = ~gone[self.places], np.cumsum(~gone) - 1
        return Members(self.codes[~gone], self.mass[~gone], self.holders[kept], place[self.places[kept]])

    def held(self, has: Bools) -> Bools:
        """Return for rows of sets (one column each) whether at least two persons have one of them."""
        if self._rows is not None:
            return np.asarray(has @ self._rows >= 2)
        own = has[:, self.places]
        last = np.where(own, self.holders, -1).max(axis=1, initial=-1)
        return last > np.where(own, self.holders, NOBODY).min(axis=1, initial=NOBODY)


class Search:
    """The search for the candidates that stand for a group at the least cost.

    A candidate that fewer than two persons hold as it is must subsume items of two that nothing else chosen subsumes,
    except what is above the candidate.
    """

    def __init__(self, costs: SetCosts, sets: Members, codes: Ints, covers: Bools, held: Bools) -> None:
        self.costs, self.sets, self.codes, self.covers, self.held = costs, sets, codes, covers, held
        order = np.argsort(costs.sizes, kind="stable")
        below = np.cumsum(sets.mass[order])
        middle = int(np.searchsorted(below, below[-1] / 2, side="right"))
        self.length = max(int(costs.sizes[order[min(middle, len(order) - 1)]]), 1)  # the upper median
        self.loose = np.flatnonzero(~held)  # the candidates that stand for others

    def least(self) -> Found:
        """Return candidates that cost little together.

        One after the other is added, the one with which the set costs least, while it costs less. A concept gives way
        if what is added leaves it too few items. Then each is dropped, if that costs less. Ties: the first candidate.
        """
        chosen: Choice = ()
        state, cost, taken = self.costs.state(()), np.inf, self._taken(())
        for _ in range(MAX_STEPS * self.length):
            if len(chosen) >= self.length:
                break
            costs = np.where(self._open(chosen, taken), self.costs.with_each(state), np.inf)
            place, least = first_of_least(costs)
            if not least < cost * (1 - TIED):
                break
            added = (*chosen, place)
            chosen = tuple(x for x in added if self.held[x] or self._stands(x, added, place))
            if len(chosen) == len(added):
                state, cost, taken = self.costs.plus(state, place), least, self._taken((place,), taken)
            else:
                state, taken = self.costs.state(chosen), self._taken(chosen)
                cost = self.costs.of(state)
        return self._dropped(chosen, cost)

    def empty(self) -> list[Found]:
        """Return no candidates at all, if some of the group have the empty set."""
        return [((), self.costs.of(self.costs.state(())))] if not self.costs.sizes.all() else []

    def _dropped(self, chosen: Choice, cost: float) -> Found:
        """Drop candidates one after the other, while that costs less."""
        while len(chosen) > 1:
            place, least = first_of_least(self.costs.without_each(chosen))
            if not least < cost * (1 - TIED):
                break
            chosen, cost = chosen[:place] + chosen[place + 1 :], least
        return tuple(sorted(chosen)), cost

    def neighbours(self, chosen: Choice) -> list[Found]:
        """Return the sets that differ from another by one candidate, with their costs."""
        found: list[Found] = []
        for rest in [chosen, *(tuple(x for x in chosen if x != one) for one in chosen)]:
            state = self.costs.state(rest)
            costs, may = self.costs.with_each(state), np.flatnonzero(self._open(rest, self._taken(rest)))
            found += [
                (tuple(sorted((*rest, new))), float(costs[new]))
                for new in may.tolist()
                if all(self._stands(one, (*rest, new), new) for one in rest)
            ]
            if rest and rest != chosen:
                found.append((rest, self.costs.of(state)))
        return found

    @cached_property
    def _contains(self) -> Bools:
        """Which candidates (row) subsume all items of the group that others (column) do, and more."""
        covers = self.covers.astype(np.float32)
        sizes = covers.sum(axis=1)
        return np.asarray((covers @ covers.T == sizes) & (sizes[:, None] > sizes))

    def _taken(self, chosen: Choice, taken: Bools | None = None) -> Bools:
        """Return by loose candidate (row) the items that those chosen subsume, except what is above the candidate."""
        taken = np.zeros((len(self.loose), self.covers.shape[1]), bool) if taken is None else taken
        for one in chosen:
            taken = taken | (self.covers[one] & ~self._contains[one, self.loose][:, None])
        return taken

    def _open(self, chosen: Choice, taken: Bools) -> Bools:
        """Return which candidates may be added."""
        may = self.held.copy()
        if len(self.loose):
            may[self.loose] = self.sets.held(reached(self.covers[self.loose] & ~taken, self.costs.has))
        may[list(chosen)] = False
        return may

    def _stands(self, one: int, chosen: Choice, new: int) -> bool:
        """Tell whether a candidate may still be chosen among others, of which one is new."""
        if self.held[one] or one == new or not (self.covers[one] & self.covers[new]).any():
            return True
        others = [x for x in chosen if x != one and not self._contains[x, one]]
        left = self.covers[one] & ~self.covers[others].any(axis=0)
        return bool(self.sets.held(reached(left[None], self.costs.has))[0])


def reached(covers: Bools, has: Bools) -> Bools:
    """Return which sets have one of the items that each row covers."""
    return np.asarray(covers.astype(np.float32) @ has.T.astype(np.float32) > 0)


def first_of_least(costs: Floats) -> tuple[int, float]:
    """Return the place and the least of some costs; the first of equals."""
    least = float(costs.min(initial=np.inf))
    return (int(np.argmax(costs <= least * (1 + TIED))), least) if len(costs) else (0, least)
