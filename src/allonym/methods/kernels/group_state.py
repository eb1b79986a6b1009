"""Groups that are being changed by a search, and what they lose; `cpp/search.cpp` has the same."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints
from allonym.methods.groups import distances, values_of
from allonym.methods.kernels.standing import Stand, Standing
from allonym.methods.kernels.ties import rounded
from allonym.metric import Metric

NEIGHBOURS = 16  # pieces next to a piece, whose groups it may join; and half as many of those that could stay alone
MAX_TARGETS = 8  # groups that a piece may join
LARGE_GROUP = 100  # members, for which a group counts once more
CALL = 20  # groups that the compiled search could weigh in the time of a call of Python
HITS = 8  # known losses that the compiled search could look up in the time of weighing a group
MAX_KNOWN = 2**18  # known losses; all are forgotten then

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


class Group(NamedTuple):
    """The members of a group, what it loses, and what stands for it."""

    members: Members
    loss: float
    stands: list[Stand]


class Snapshot(NamedTuple):
    """Groups by number, the group of each piece, and how many groups were made."""

    groups: dict[int, Group]
    group: list[int]
    made: int
    loss: float


class GroupState:
    """Groups that are being changed."""

    def __init__(self, pieces: Pieces, standing: Standing) -> None:
        self.pieces, self.standing, self.work, self.hits = pieces, standing, 0, 0
        self.known_losses: dict[Members, float] = {}
        self.group: list[int] = pieces.groups.tolist()
        self.made = int(pieces.groups.max(initial=-1)) + 1
        self.groups: dict[int, Group] = {}
        for group in np.unique(pieces.groups[pieces.movable]).tolist():
            members = tuple(np.flatnonzero((pieces.groups == group) & pieces.movable).tolist())
            self.groups[group] = Group(members, *self.weigh(members))
        self.known: dict[int, list[int]] = {}
        self.log: list[tuple[int, Group | None]] | None = None  # groups as they were, for rolling back
        self.deadline = float("inf")  # by the clock of `time.monotonic`
        self.suppression: Suppression | None = None
        null = [column.null for column in standing.columns]
        self.null_losses = pieces.mass * standing.distances(null, pieces.columns) ** 2

    # --- what a group loses, and what it must hold -----------------------------------------------------------------

    def weigh(self, members: Members) -> tuple[float, list[Stand]]:
        """Return Σ ω·d² of a group, and what stands for it."""
        self.work += 1 + len(members) // LARGE_GROUP + CALL * self.standing.calls
        own = list(members)
        return self.standing.weigh(self.pieces.columns[:, own], self.pieces.mass[own], members)

    def loss_of(self, members: Members) -> float:
        """Return Σ ω·d² of a group; it is looked up, if it is known."""
        if members in self.known_losses:
            self.hits += 1
            self.work += self.hits % HITS == 0
            return self.known_losses[members]
        if len(self.known_losses) == MAX_KNOWN:
            self.known_losses.clear()
        self.known_losses[members] = self.weigh(members)[0]
        return self.known_losses[members]

    def loss(self) -> float:
        """Return Σ ω·d² of all groups, and of the suppressed pieces."""
        total = 0.0
        for group in sorted(self.groups):
            total += self.groups[group].loss
        for piece in self.suppression.members if self.suppression else ():
            total += float(self.null_losses[piece])
        return total

    def far(self, piece: int, group: int) -> float:
        """Return ω·d² of a piece by what stands for a group now."""
        distance = self.standing.distances(self.groups[group].stands, self.pieces.columns[:, [piece]])[0]
        return float(self.pieces.mass[piece] * (distance * distance))

    def lost(self, piece: int) -> float:
        """Return ω·d² of a piece."""
        group = self.group[piece]
        return float(self.null_losses[piece]) if group == SUPPRESSED else self.far(piece, group)

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

    # --- neighbours ------------------------------------------------------------------------------------------------

    def movable(self) -> list[int]:
        """Return the pieces that may change their groups."""
        return np.flatnonzero(self.pieces.movable).tolist()

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

    def others(self, piece: int) -> list[tuple[float, int]]:
        """Return groups of the pieces next to one, except its own, whose values are nearest: the distances first."""
        groups = dict.fromkeys(self.group[x] for x in self.near(piece))
        own = self.group[piece]
        return sorted((self.far(piece, g), g) for g in groups if g not in (own, SUPPRESSED))[:MAX_TARGETS]

    # --- changes ---------------------------------------------------------------------------------------------------

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
            if self.log is not None:
                self.log.append((number, self.groups.get(number)))
            self._set_group(number, Group(members, *self.weigh(members)) if members else None)
            touched += members
        return touched

    def _set_group(self, number: int, group: Group | None) -> None:
        """Let a number be that of a group; None, if it is gone."""
        if group is None:
            self.groups.pop(number, None)
            return
        self.groups[number] = group
        for one in group.members:
            self.group[one] = number

    def gained(self) -> float:
        """Return by how much less the groups lose that were changed since the log began."""
        assert self.log is not None
        before: dict[int, Group | None] = {}
        for number, group in self.log:
            before.setdefault(number, group)
        lost = left = 0.0
        for number in sorted(before):
            lost += _loss(before[number])
            left += _loss(self.groups.get(number))
        return lost - left

    def roll_back(self, made: int) -> None:
        """Undo the changes since the log began, before which so many groups were made."""
        assert self.log is not None
        for number, group in reversed(self.log):
            self.groups.pop(number, None) if group is None else self.groups.update({number: group})
        for number, _ in self.log:
            for one in self.groups[number].members if number in self.groups else ():
                self.group[one] = number
        self.made = made

    def snapshot(self) -> Snapshot:
        """Return the groups as they are."""
        return Snapshot(dict(self.groups), list(self.group), self.made, self.loss())

    def restore(self, snapshot: Snapshot) -> None:
        """Let the groups be as they were."""
        self.groups, self.group, self.made = dict(snapshot.groups), list(snapshot.group), snapshot.made

    def is_late(self) -> bool:
        """Tell whether the time is over."""
        return time.monotonic() >= self.deadline


class Suppression(Protocol):
    """Pieces that are suppressed while groups are being changed (`suppressed_pieces`)."""

    members: Members

    def cost(self, piece: int) -> float:
        """Return what it costs to suppress a piece."""

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


def _loss(group: Group | None) -> float:
    return 0.0 if group is None else group.loss
