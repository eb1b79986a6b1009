"""Which records to suppress: those whose absence saves most, for each record that is suppressed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, sum_by
from allonym.measures import loss
from allonym.methods.groups import Groups, centre, losses
from allonym.methods.kernels.ties import DIGITS
from allonym.methods.holding import Holding
from allonym.methods.kernels.search import Members
from allonym.methods.represent import Representatives
from allonym.metric import Metric
from allonym.records import Masking, Pairs, Records

MAX_WEIGHED = 4_000  # groups whose loss is computed, at most; and so many more for each record of the budget
WEIGHED_PER_RECORD = 4
MAX_SINGLE = 12  # members up to which each of them may leave a group alone, not only those farthest from the centre
MAX_COMPLETING = 64  # moves that are tried so that suppressed records meet the requirements of sensitive columns
MIN_GAIN = 1e-9  # of what is lost in all: less is no gain


@dataclass(frozen=True)
class Move:
    """Some members of a group are suppressed; the others stay a group, or join another one."""

    gain: float
    rows: int  # that count for the budget
    members: Members
    group: int
    rest: Members
    joined: int | None = None  # the group that the others join
    versions: tuple[int, ...] = ()  # of the groups, when the move was weighed

    @property
    def score(self) -> float:
        """The gain for each record."""
        return self.gain / max(self.rows, 1)


class Choice:
    """Groups from which records are being suppressed, as long as less is lost."""

    def __init__(
        self, records: Records, masking: Masking, k: int, metrics: Sequence[Metric], representative: str, budget: int
    ) -> None:
        self.records, self.metrics, self.allowed, self.budget = records, metrics, budget, budget
        groups = Groups(masking.source, masking.share, masking.groups)
        self.groups, self.holding = groups, Holding(records, groups, k)
        self.columns = np.ascontiguousarray(records.codes[groups.source].T)
        self.mass = groups.mass(records)
        self.standing = Representatives(records, k, metrics, representative)
        self.null_costs = self.mass * losses(records, [None] * len(records.attributes), self.columns) ** 2
        self.members: dict[int, Members] = {g: tuple(x.tolist()) for g, x in enumerate(groups.members())}
        self.group = groups.group.copy()  # of every piece; -1, if it is suppressed
        pairs = Pairs(masking.attributes, records.codes[masking.source], masking.codes, masking.share, self.mass)
        self.lost: Floats = sum_by(groups.group, self.mass * loss.distances(pairs) ** 2, len(groups))
        self.versions = [0] * len(groups)
        self.heap: list[tuple[float, int, int, Move | None]] = []
        self.pushed, self.limit = 0, MAX_WEIGHED + WEIGHED_PER_RECORD * budget
        self.known: dict[Members, float] = {}
        self.is_near: tuple[tuple[int, int], int | None] | None = None  # a piece, when, and the group nearest to it
        self.completing = False  # whether the suppressed records have yet to become a class
        self.suppressed: Members = ()
        empty = empty_tuples(records)[groups.source]
        self.empty = int(groups.share[empty].sum())
        self.rows = np.where(empty, 0, groups.share)  # that count for the budget: records without values lose none
        self._take_empty_groups(masking)

    def _take_empty_groups(self, masking: Masking) -> None:
        """Put the groups that have no values left into the class of suppressed records, which look like them."""
        null = np.array([[v is None for v in (x.values[c] for c in column)]
                         for x, column in zip(masking.attributes, masking.codes.T, strict=True)], bool)  # fmt: skip
        for group in np.unique(masking.groups[null.all(axis=0)]).tolist():
            self.suppressed += self.members.pop(group)
            self.group[self.groups.group == group] = -1

    @property
    def chosen(self) -> int:
        """How many records are suppressed within the budget."""
        return self.allowed - self.budget

    # --- what groups lose --------------------------------------------------------------------------------------------

    def weighed(self, members: Members) -> float:
        """Return Σ ω·d² of a group."""
        known = self.known.get(members)
        if known is None:
            own = np.array(members)
            codes, mass = self.columns[:, own], self.mass[own]
            known = self.known[members] = float(mass @ losses(self.records, self.standing.of(codes, mass), codes) ** 2)
        return known

    def bound(self, group: int) -> float:
        """Return the most that may be gained for each record that leaves a group."""
        own = np.array(self.members[group])
        return float(((self.lost[group] - self.null_costs[own]) / np.maximum(self.rows[own], 1)).max())

    # --- what may be suppressed --------------------------------------------------------------------------------------

    def best_of(self, group: int) -> Move | None:
        """Return the best move about a group within the budget: those farthest from its centre leave, or one, or all.

        Unless the suppressed records have yet to become a class, only moves that gain something count.
        """
        members, best = self.members[group], None
        before, some = self.weighed(members), self.leaving(group)
        for leaving in some:
            gone = list(leaving)
            rows, cost = int(self.rows[gone].sum()), float(self.null_costs[gone].sum())
            most = before - cost  # that may be gained
            if rows > self.budget or (most <= 0 and not self.completing):
                continue
            if best is None or most / max(rows, 1) > best.score:
                move = self.weighed_move(group, leaving, some[-1], rows, most)
                better = move is not None and (move.gain > 0 or self.completing)
                if move is not None and better and (best is None or move.score > best.score):
                    best = move
        return best

    def leaving(self, group: int) -> list[Members]:
        """Return which members may leave a group together; the last is the member nearest to its centre."""
        own = np.array(self.members[group])
        codes, mass = self.columns[:, own], self.mass[own]
        far = losses(self.records, centre(self.metrics, codes, mass), codes)
        order = own[np.argsort(-far, kind="stable")].tolist()
        several = [tuple(sorted(order[:size])) for size in range(len(order), 1, -1)]
        return [*several, *((one,) for one in (order if len(order) <= MAX_SINGLE else [order[0], order[-1]]))]

    def weighed_move(self, group: int, leaving: Members, central: Members, rows: int, most: float) -> Move | None:
        """Return a move with what it gains; None, if the members that are left can neither stay nor join others."""
        rest, joined, after = tuple(x for x in self.members[group] if x not in leaving), None, 0.0
        if rest and self.holding.holds(rest):
            after = self.weighed(rest)
        elif rest:
            joined = self.nearest(group, central[0])
            if joined is None:
                return None
            there = self.members[joined]
            rest = tuple(sorted((*there, *rest)))
            if not self.holding.holds(rest):
                return None
            after = self.weighed(rest) - self.weighed(there)
        return Move(most - after, rows, leaving, group, rest, joined, self.versions_of(group, joined))

    def versions_of(self, group: int, joined: int | None) -> tuple[int, ...]:
        """Return how often the groups of a move have changed."""
        return (self.versions[group], *(() if joined is None else (self.versions[joined],)))

    def nearest(self, group: int, piece: int) -> int | None:
        """Return the group that has the piece nearest to one of another group; None, if there is no other group."""
        if self.is_near is None or self.is_near[0] != (piece, self.pushed):
            far = np.zeros(len(self.group))
            for share, attribute, codes in zip(self.records.shares, self.records.attributes, self.columns, strict=True):
                far += share * attribute.metric.distances(codes[piece], codes)
            far[(self.group == group) | (self.group < 0)] = np.inf
            other = int(np.argmin(np.round(far, DIGITS)))
            self.is_near = (piece, self.pushed), int(self.group[other]) if np.isfinite(far[other]) else None
        return self.is_near[1]

    # --- the search --------------------------------------------------------------------------------------------------

    def run(self) -> Groups | None:
        """Suppress records, those first that save most; None, if that saves nothing or they are too few."""
        if self.groups.share[list(self.suppressed)].sum() + self.budget + self.empty < self.holding.k:
            return None
        least = MIN_GAIN * float(self.lost.sum())
        for group in self.members:
            self.push(self.bound(group), group)
        gained = 0.0
        while (move := self.best()) is not None and move.gain > least:
            gained += move.gain
            self.apply(move)
        if gained > least and not self.holds():
            self.completing, self.heap = True, []
            for group in self.members:
                self.push(self.bound(group), group)
        while not self.holds() and (move := self.best_completing()) is not None and gained + move.gain > least:
            gained += move.gain
            self.apply(move)
        return self.result() if gained > least and self.holds() else None

    def holds(self) -> bool:
        """Tell whether the suppressed records are a class that holds what is promised."""
        return bool(self.suppressed) and self.holding.holds(self.suppressed)

    def push(self, score: float, group: int, move: Move | None = None) -> None:
        """Remember a group with the most that may be gained, or a move with what is gained, for each record."""
        self.pushed += 1
        heappush(self.heap, (-score, group, self.pushed, move))

    def best(self) -> Move | None:
        """Return the move that gains most for each record; groups are weighed only where they may gain as much."""
        while self.heap:
            _, group, _, move = heappop(self.heap)
            if group not in self.members:
                continue
            if move is not None and move.rows <= self.budget and self.is_current(move):
                return move
            if len(self.known) < self.limit and (move := self.best_of(group)) is not None:
                self.push(move.score, group, move)
        return None

    def best_completing(self) -> Move | None:
        """Return the best move after which the class of suppressed records holds what is promised; else, the best."""
        tried: list[Move] = []
        enough = self.holding.enough(self.suppressed)  # what it lacks are values of sensitive columns
        while (move := self.best()) is not None and len(tried) < MAX_COMPLETING:
            if not enough or self.holding.holds((*self.suppressed, *move.members)):
                break
            tried.append(move)
        chosen = move if move is not None else tried.pop(0) if tried else None
        for other in tried:
            self.push(other.score, other.group, other)
        return chosen

    def is_current(self, move: Move) -> bool:
        """Tell whether the groups of a move are as they were when it was weighed."""
        return move.versions == self.versions_of(move.group, move.joined)

    def apply(self, move: Move) -> None:
        """Suppress records."""
        self.budget -= move.rows
        self.suppressed = tuple(sorted((*self.suppressed, *move.members)))
        self.group[list(move.members)] = -1
        kept = move.group if move.joined is None else move.joined
        if move.joined is not None or not move.rest:
            del self.members[move.group]
        if move.rest:
            self.members[kept] = move.rest
            self.group[list(move.rest)] = kept
            self.lost[kept] = self.weighed(move.rest)
            self.push(self.bound(kept), kept)
        self.versions[move.group] += 1
        self.versions[kept] += kept != move.group

    def result(self) -> Groups:
        """Return the groups, with that of the suppressed records."""
        last = len(self.versions)
        group = np.where(self.group < 0, last, self.group)
        return Groups.of(np.stack([self.groups.source, self.groups.share, group], axis=1), last)


def empty_tuples(records: Records) -> NDArray[np.bool_]:
    """Return which tuples have no value at all."""
    empty = np.ones(len(records), bool)
    for attribute, codes in zip(records.attributes, records.codes.T, strict=True):
        empty &= np.array([value is None for value in attribute.values], bool)[codes]
    return empty
