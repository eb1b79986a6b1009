"""The local search that improves groups, in Python; `cpp/search.h` has the same search, and gives the same groups."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints
from allonym.methods.groups import distances, values_of
from allonym.methods.kernels.standing import Stand, Standing
from allonym.methods.kernels.ties import rounded
from allonym.metric import Metric

NEIGHBOURS = 16  # pieces next to a piece, whose groups it may join; and half as many of those that could stay alone
MAX_TARGETS = 8  # groups that a piece of a dissolved group may join
MAX_SWAPS = 3  # swaps that are tried with a group
MAX_JOINED = 4  # groups that a group may join
LARGE_GROUP = 100  # members, for which a group counts once more
CALL = 20  # groups that the compiled search could weigh in the time of a call of Python
MIN_GAIN = 1e-9  # of the whole loss: less is no gain

Tick = Callable[[int, int], None]
Members = tuple[int, ...]  # pieces, in ascending order
Change = dict[int, Members]  # groups by number, and the members that they would have
NEW = -1  # a group that a change would found
SUPPRESSED = -2  # the class of suppressed pieces


@dataclass(frozen=True)
class Pieces:
    """Pieces of tuples that are in groups, and what a group of them must hold.

    Args:
        metrics: the attributes' own metrics.
        shares: the weights of the attributes.
        columns: codes, attribute by attribute.
        mass: what each piece counts for utility.
        rows: how many rows each piece has.
        charged: how many of them count for the budget of suppression; records without values do not.
        groups: the group of each piece.
        movable: which pieces may change their groups; the others are suppressed.
        alone: the pieces that could be groups alone.
        k: how many rows a group has at least.
        units: the persons of each piece; none, where every row is a person.
        holds: tells whether some pieces would be a group that meets all other requirements; None: there are none.
    """

    metrics: list[Metric]
    shares: Floats
    columns: Ints
    mass: Floats
    rows: Ints
    charged: Ints
    groups: Ints
    movable: NDArray[np.bool_]
    alone: Ints
    k: int
    units: list[Ints]
    holds: Callable[[Ints], bool] | None


class Search:
    """Groups that are being changed."""

    def __init__(self, pieces: Pieces, standing: Standing) -> None:
        self.pieces, self.standing, self.work = pieces, standing, 0
        self.group: list[int] = pieces.groups.tolist()
        self.members: dict[int, Members] = {}
        for group in np.unique(pieces.groups[pieces.movable]).tolist():
            self.members[group] = tuple(np.flatnonzero((pieces.groups == group) & pieces.movable).tolist())
        self.made = int(pieces.groups.max(initial=-1)) + 1
        self.weighed = {group: self.weigh(members) for group, members in self.members.items()}
        self.known: dict[int, list[int]] = {}
        self.moving = True  # whether pieces may change their groups; else, they are suppressed or stay
        self.deadline = float("inf")  # by the clock of `time.monotonic`
        self.suppression: Suppression | None = None
        null = [column.null for column in standing.columns]
        self.null_losses = pieces.mass * standing.distances(null, pieces.columns) ** 2

    # --- what a group loses --------------------------------------------------------------------------------------

    def weigh(self, members: Members) -> tuple[float, list[Stand]]:
        """Return Σ ω·d² of a group, and what stands for it."""
        self.work += 1 + len(members) // LARGE_GROUP + CALL * self.standing.calls
        own = list(members)
        return self.standing.weigh(self.pieces.columns[:, own], self.pieces.mass[own], members)

    def far(self, piece: int, group: int) -> float:
        """Return ω·d² of a piece by what stands for a group now."""
        distance = self.standing.distances(self.weighed[group][1], self.pieces.columns[:, [piece]])[0]
        return float(self.pieces.mass[piece] * (distance * distance))

    def enough(self, members: Members) -> bool:
        """Tell whether some pieces have k rows, and, where rows are about persons, k persons."""
        if int(self.pieces.rows[list(members)].sum()) < self.pieces.k:
            return False
        units = self.pieces.units
        return not units or len(np.unique(np.concatenate([units[x] for x in members]))) >= self.pieces.k

    def holds(self, members: Members) -> bool:
        """Tell whether some pieces would be a group that meets every requirement."""
        if not self.enough(members) or self.pieces.holds is None:
            return self.enough(members)
        self.work += CALL
        return self.pieces.holds(np.array(members))

    # --- what may be changed -------------------------------------------------------------------------------------

    def near(self, piece: int) -> list[int]:
        """Return the pieces next to a piece, the nearest first, and more of those that could be groups alone."""
        if piece not in self.known:
            every = np.flatnonzero(self.pieces.movable)
            near = self._nearest(piece, every, NEIGHBOURS)
            near += self._nearest(piece, self.pieces.alone, NEIGHBOURS // 2)
            self.known[piece] = list(dict.fromkeys(near))
        return self.known[piece]

    def _nearest(self, piece: int, some: Ints, number: int) -> list[int]:
        others = some[some != piece]
        if not others.size:
            return []
        point = values_of(self.pieces.metrics, self.pieces.columns, piece)
        far = rounded(distances(self.pieces.metrics, self.pieces.shares, point, self.pieces.columns[:, others]))
        return others[np.lexsort((others, far))[:number]].tolist()

    def others(self, piece: int) -> list[int]:
        """Return the groups of the pieces next to one, except its own; the one whose values are nearest first."""
        groups = dict.fromkeys(self.group[x] for x in self.near(piece))
        own = self.group[piece]
        return [g for _, g in sorted((self.far(piece, g), g) for g in groups if g not in (own, SUPPRESSED))]

    def changes(self, piece: int) -> Iterator[Change]:
        """Yield what may be done about a piece."""
        own = self.group[piece]
        if own == SUPPRESSED:
            if self.suppression is not None:
                yield from self.suppression.released(piece)
            return
        members, lost = self.members[own], self.weighed[own][0]
        if not lost:
            return
        if self.suppression is not None:
            yield from self.suppression.suppressing(piece)
        if not self.moving:
            return
        rest = without_piece(members, piece)
        free = self.enough(rest)
        spared = free and self.weigh(rest)[0] < lost
        if spared and self.enough((piece,)):
            yield {own: rest, NEW: (piece,)}
        for place, other in enumerate(self.others(piece)):
            there = self.members[other]
            if spared:
                yield {own: rest, other: with_pieces(there, piece)}
            elif not free and len(there) > 1:
                yield from self.swaps(piece, rest, other)
            if place < MAX_JOINED:
                yield {own: (), other: with_pieces(there, *members)}
        if not free and piece == members[0] and (change := self.dissolved(own)):
            yield change
        if change := self.around(piece):
            yield change

    def swaps(self, piece: int, rest: Members, other: int) -> Iterator[Change]:
        """Yield swaps of a piece with one of another group: those that are best by what stands for the groups now."""
        own, there = self.group[piece], self.members[other]
        tried = 0
        for back in sorted(there, key=lambda x: self.far(x, own) - self.far(x, other)):
            change = {own: with_pieces(rest, back), other: with_pieces(without_piece(there, back), piece)}
            if all(map(self.enough, change.values())):
                yield change
                tried += 1
            if tried == MAX_SWAPS:
                return

    def dissolved(self, group: int, without: int | None = None) -> Change | None:
        """Return the change after which all members of a group, or all but one, are in others: where it costs least."""
        change: Change = {group: ()}
        for piece in self.members[group]:
            if piece == without:
                continue
            costs = []
            for other in self.others(piece)[:MAX_TARGETS]:
                before = self.weigh(change[other])[0] if other in change else self.weighed[other][0]
                joined = with_pieces(change.get(other, self.members[other]), piece)
                costs.append((self.weigh(joined)[0] - before, other, joined))
            if not costs:
                return None
            _, other, joined = min(costs)
            change[other] = joined
        return change

    def around(self, piece: int) -> Change | None:
        """Return the change after which a piece and the nearest ones that can be spared are a new group."""
        change: Change = {}
        made: Members = ()
        for one in (piece, *self.near(piece)):
            own = self.group[one]
            if own == SUPPRESSED:
                continue
            rest = without_piece(change.get(own, self.members[own]), one)
            if not rest or self.enough(rest):
                change[own], made = rest, with_pieces(made, one)
                if self.enough(made):
                    return {**change, NEW: made}
            elif one == piece:
                return None
        return None

    # --- the search ----------------------------------------------------------------------------------------------

    def descend(self, work: int, tick: Tick) -> None:
        """Change groups, what loses most first, until nothing is gained any more, or the work is done."""
        least = MIN_GAIN * self.loss()
        limit = self.work + work
        every = self.movable()
        order, changed = every, True
        while changed and self.work < limit and not self.is_late():
            changed = len(order) < len(every)
            waiting: set[int] = set()
            for place, piece in enumerate(sorted(order, key=lambda x: (-self.lost(x), x))):
                if self.work >= limit or self.is_late():
                    break
                if self.improve(piece, least):
                    changed = True
                    waiting.update(self.again)
                if place % 256 == 0:
                    tick(min(self.work, limit), limit)
            order = sorted(waiting) or every  # once more, whether nothing is left to be gained

    def is_late(self) -> bool:
        """Tell whether the time is over."""
        return time.monotonic() >= self.deadline

    def movable(self) -> list[int]:
        """Return the pieces that may change their groups."""
        return np.flatnonzero(self.pieces.movable).tolist()

    def lost(self, piece: int) -> float:
        """Return ω·d² of a piece."""
        group = self.group[piece]
        return float(self.null_losses[piece]) if group == SUPPRESSED else self.far(piece, group)

    def loss(self) -> float:
        """Return Σ ω·d² of all groups, and of the suppressed pieces."""
        total = 0.0
        for group in sorted(self.members):
            total += self.weighed[group][0]
        for piece in self.suppression.members if self.suppression else ():
            total += float(self.null_losses[piece])
        return total

    def improve(self, piece: int, least: float) -> bool:
        """Make the best change about a piece; the pieces to look at again are left in `again`."""
        best: Change | None = None
        for change in self.changes(piece):
            gain = self.gain(change, least)
            if gain > least and all(self.holds(x) for g, x in change.items() if x and g != SUPPRESSED):
                best, least = change, gain
        self.again: list[int] = []
        for one in self.apply(best or {}):
            self.again += (one, *self.near(one)[:MAX_SWAPS])
        return best is not None

    def apply(self, change: Change) -> list[int]:
        """Make a change; return the members of the groups that it changes."""
        touched: list[int] = []
        for group, members in change.items():
            if group == SUPPRESSED:
                assert self.suppression is not None
                self.suppression.set_members(members)
                continue
            number = self.made if group == NEW else group
            self.made += group == NEW
            self.set_group(number, members)
            touched += members
        return touched

    def set_group(self, number: int, members: Members) -> None:
        """Let a group have some members; none, if it is gone."""
        if members:
            self.members[number], self.weighed[number] = members, self.weigh(members)
        else:
            del self.members[number], self.weighed[number]
        for one in members:
            self.group[one] = number

    def gain(self, change: Change, least: float) -> float:
        """Return by how much less is lost after a change; once that is at most `least`, the rest is not weighed."""
        gone = 0.0
        for group in change:
            if group not in (NEW, SUPPRESSED):
                gone += self.weighed[group][0]
        if SUPPRESSED in change:
            assert self.suppression is not None
            gone += self.suppression.saved(change[SUPPRESSED])
        left = 0.0
        for group, members in change.items():
            if members and group != SUPPRESSED:
                left += self.weigh(members)[0]
                if gone - left <= least:
                    break
        return gone - left


class Suppression(Protocol):
    """Pieces that are suppressed while groups are being changed (`suppressed_pieces`)."""

    members: Members

    def released(self, piece: int) -> Iterator[Change]:
        """Yield the changes after which a suppressed piece is in a group."""

    def suppressing(self, piece: int) -> Iterator[Change]:
        """Yield the changes after which a piece is suppressed."""

    def saved(self, members: Members) -> float:
        """Return what is saved if other pieces are suppressed; it is negative, if these are more."""

    def set_members(self, members: Members) -> None:
        """Let other pieces be suppressed."""


def with_pieces(members: Members, *pieces: int) -> Members:
    """Return members and more pieces, in ascending order."""
    return tuple(sorted((*members, *pieces)))


def without_piece(members: Members, piece: int) -> Members:
    """Return members without one."""
    return tuple(x for x in members if x != piece)
