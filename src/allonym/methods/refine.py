"""Finished groups are made better: a local search changes them while less is lost and every promise holds."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence

import numpy as np

from allonym.arrays import Floats, Ints, sum_by
from allonym.measures import loss
from allonym.methods.groups import Groups, losses
from allonym.methods.kernels.microaggregation import DIGITS
from allonym.methods.kernels.nearest import Nearest, Points
from allonym.methods.represent import Representatives, represent
from allonym.methods.requirements import Look, enforced
from allonym.metric import Metric, Value
from allonym.privacy.counts import SensitiveCounts
from allonym.privacy.requirements import RequirementCheck
from allonym.records import Attribute, Masking, Pairs, Records, piece_of_rows

NEIGHBOURS = 16  # pieces next to a piece, whose groups it may go to; and half as many of those that could stay alone
MAX_TARGETS = 8  # groups that a piece of a dissolved group may go to
MAX_SWAPS = 3  # swaps that are tried with a group
MAX_JOINED = 4  # groups that a group may join
MAX_WEIGHED_PER_PIECE = 100  # groups that are weighed for each piece, at most
MAX_WEIGHED = 400_000  # and in all
LARGE_GROUP = 100  # members, for which a group counts once more
MAX_CACHED_MEMBERS = 4_000_000  # members of groups whose loss is remembered
MIN_GAIN = 1e-9  # of what is lost in all: less is no gain
MAX_WEIGHED_WORST = 2_000  # groups that are weighed where only the worst groups are improved
MAX_MOVED_WORST = 16  # members of each that are tried elsewhere, those of fewest records first
TRUE_OF_ALL = ("auto", "truthful")  # representatives with which one member can spoil a group for all others

Tick = Callable[[int, int], None]
Members = tuple[int, ...]  # pieces, in their order
Change = dict[int, Members]  # groups by number, and the members they would have; NEW is a group that is made
NEW = -1


def finished(
    records: Records,
    groups: Groups,
    k: int,
    metrics: Sequence[Metric],
    representative: str,
    tick: Tick,
    look: Look | None = None,
    *,
    refine: bool = False,
) -> Masking:
    """See that groups hold what is promised, make them better if that is asked for, and choose what stands for each.

    Where a value must be true of all of a group, one record may spoil it for many: the groups that lose most are
    improved in any case. Refined groups are taken only if they hold what is promised and lose less: by Σ ω·d², as they
    would be written.
    """

    def stands(groups: Groups) -> tuple[Ints, tuple[Attribute, ...]]:
        return represent(records, groups, k, metrics, representative)

    def lost(masking: Masking) -> float:
        return loss.sse(Pairs.of(records, masking))

    groups, codes, attributes = enforced(records, groups, k, metrics, look or stands, tick)
    masking = _masking(groups, codes, attributes)
    if representative in TRUE_OF_ALL and len(groups) > 1:
        improved = _Refining(records, groups, k, metrics, representative).improve_worst(_losses(records, masking))
        improved, codes, attributes = enforced(records, improved, k, metrics, stands, tick)
        other = _masking(improved, codes, attributes)
        if lost(other) < lost(masking):
            groups, masking = improved, other
    if refine:
        better = refined(records, groups, k, metrics, representative, tick)
        masking = min(masking, _masking(*enforced(records, better, k, metrics, stands, tick)), key=lost)
    return masking


def _masking(groups: Groups, codes: Ints, attributes: tuple[Attribute, ...]) -> Masking:
    suppressed = None if groups.suppressed is None else groups.group == groups.suppressed
    return Masking(groups.source, groups.share, groups.group, codes, attributes, suppressed)


def _losses(records: Records, masking: Masking) -> Floats:
    """Return Σ ω·d² of each group."""
    mass = records.mass_of(masking.source, masking.share)
    pairs = Pairs(masking.attributes, records.codes[masking.source], masking.codes, masking.share, mass)
    return sum_by(masking.groups, mass * loss.distances(pairs) ** 2, int(masking.groups.max()) + 1)


def refined(
    records: Records, groups: Groups, k: int, metrics: Sequence[Metric], representative: str, tick: Tick
) -> Groups:
    """Return groups that lose less.

    Pieces move to another group, are swapped, make a group of their own or with those next to them; groups join
    another or are dissolved: whichever makes Σ ω·d² least, until nothing makes it less or enough was tried.
    """
    return _Refining(records, groups, k, metrics, representative).run(tick) if len(groups) > 1 else groups


class _Refining:
    """Groups that are being changed: members by number, the group of every piece."""

    def __init__(
        self, records: Records, groups: Groups, k: int, metrics: Sequence[Metric], representative: str
    ) -> None:
        self.records, self.metrics, self.shares = records, [x.metric for x in records.attributes], records.shares
        self.groups, self.holding = groups, Holding(records, groups, k)
        self.columns = np.ascontiguousarray(records.codes[groups.source].T)
        self.mass = groups.mass(records)
        self.standing = Representatives(records, k, metrics, representative)
        self.members: dict[int, Members] = {g: tuple(x.tolist()) for g, x in enumerate(groups.members())}
        self.group: list[int] = groups.group.tolist()
        self.pieces = set(range(len(self.group)))  # that may be moved: suppressed ones stay where they are
        if groups.suppressed is not None:
            self.pieces.difference_update(self.members.pop(groups.suppressed))
        self.near = _Neighbours(self.metrics, self.shares, self.columns, self.holding.alone, self.pieces)
        self.known: dict[Members, tuple[float, list[Value]]] = {}
        self.evaluations = self.kept = 0
        self.made = len(groups)

    # --- what a group loses --------------------------------------------------------------------------------------

    def weighed(self, members: Members) -> tuple[float, list[Value]]:
        """Return Σ ω·d² of a group, and its representative."""
        loss_and_values = self.known.get(members)
        if loss_and_values is None:
            if self.kept >= MAX_CACHED_MEMBERS:
                self.known.clear()
                self.kept = 0
            self.kept += len(members)
            self.evaluations += 1 + len(members) // LARGE_GROUP
            own = np.array(members)
            codes, mass = self.columns[:, own], self.mass[own]
            values = self.standing.of(codes, mass)
            squares = losses(self.records, values, codes) ** 2
            loss_and_values = self.known[members] = float(mass @ squares), values
        return loss_and_values

    def far(self, piece: int, group: int) -> float:
        """Return ω·d² of a piece to the current representative of a group."""
        values = self.weighed(self.members[group])[1]
        return float(self.mass[piece]) * float(losses(self.records, values, self.columns[:, [piece]])[0]) ** 2

    def fars(self, pieces: Members, group: int) -> Floats:
        """Return the same of several pieces."""
        values, own = self.weighed(self.members[group])[1], list(pieces)
        return self.mass[own] * losses(self.records, values, self.columns[:, own]) ** 2

    def gain(self, change: Change) -> float:
        """Return by how much less is lost after a change."""
        gone = sum(self.weighed(self.members[g])[0] for g in change if g != NEW)
        return gone - sum(self.weighed(members)[0] for members in change.values() if members)

    def allowed(self, change: Change) -> bool:
        """Tell whether the groups of a change hold what is promised."""
        return all(self.holding.holds(members) for members in change.values() if members)

    # --- what may be changed -------------------------------------------------------------------------------------

    def others(self, piece: int) -> list[tuple[float, int]]:
        """Return the groups of the pieces next to one, but for its own, the one with the nearest centre first."""
        neighbouring = dict.fromkeys(self.group[x] for x in self.near[piece])
        return sorted((self.far(piece, g), g) for g in neighbouring if g != self.group[piece])

    def changes(self, piece: int) -> Iterator[Change]:
        """Yield what may be done about a piece."""
        own = self.group[piece]
        members = self.members[own]
        rest = _without(members, piece)
        lost = self.weighed(members)[0]
        if not lost:
            return
        free = self.holding.enough(rest)
        spared = free and self.weighed(rest)[0] < lost
        if spared and self.holding.enough((piece,)):
            yield {own: rest, NEW: (piece,)}
        for place, (_, other) in enumerate(self.others(piece)):
            there = self.members[other]
            if spared:
                yield {own: rest, other: _with(there, piece)}
            elif not free and len(there) > 1:
                yield from self.swaps(piece, rest, other)
            if place < MAX_JOINED:
                yield {own: (), other: _with(there, *members)}
        if not free and piece == members[0] and (change := self.dissolved(own)):
            yield change
        if change := self.around(piece):
            yield change

    def swaps(self, piece: int, rest: Members, other: int) -> Iterator[Change]:
        """Yield the swaps of a piece with one of another group that are best by the centres as they are."""
        own, there = self.group[piece], self.members[other]
        tried = 0
        order = np.argsort(self.fars(there, own) - self.fars(there, other), kind="stable")
        for back in (there[x] for x in order.tolist()):
            change = {own: _with(rest, back), other: _with(_without(there, back), piece)}
            if all(map(self.holding.enough, change.values())):
                yield change
                tried += 1
            if tried == MAX_SWAPS:
                return

    def dissolved(self, group: int) -> Change | None:
        """Return the change after which all members of a group are in others, where they cost least."""
        change: Change = {group: ()}
        for piece in self.members[group]:
            costs = []
            for _, other in self.others(piece)[:MAX_TARGETS]:
                there = change.get(other, self.members[other])
                joined = _with(there, piece)
                costs.append((self.weighed(joined)[0] - self.weighed(there)[0], other, joined))
            if not costs:
                return None
            _, other, joined = min(costs)
            change[other] = joined
        return change

    def around(self, piece: int) -> Change | None:
        """Return the change that makes a group of a piece and the nearest that can be spared."""
        change: Change = {}
        made: Members = ()
        for one in (piece, *self.near[piece]):
            own = self.group[one]
            rest = _without(change.get(own, self.members[own]), one)
            if not rest or self.holding.enough(rest):
                change[own], made = rest, _with(made, one)
                if self.holding.enough(made):
                    return {**change, NEW: made}
            elif one == piece:
                return None
        return None

    # --- the search ----------------------------------------------------------------------------------------------

    def run(self, tick: Tick) -> Groups:
        """Change groups, what loses most first, until nothing is gained any more, or enough was tried."""
        least = MIN_GAIN * sum(self.weighed(x)[0] for x in self.members.values())
        limit = min(MAX_WEIGHED_PER_PIECE * len(self.group), MAX_WEIGHED) + len(self.members)
        waiting, changed = set(self.pieces), True
        while changed and self.evaluations < limit:
            waiting = waiting or set(self.pieces)  # once more, whether nothing is left to be gained
            changed = len(waiting) < len(self.pieces)
            order = sorted(waiting, key=lambda x: (-self.far(x, self.group[x]), x))
            waiting = set()
            for place, piece in enumerate(order):
                if self.evaluations >= limit:
                    break
                touched = self.improve(piece, least)
                changed |= bool(touched)
                waiting |= touched
                if place % 64 == 0:
                    tick(min(self.evaluations, limit), limit)
        return self.result()

    def improve_worst(self, losses: Floats) -> Groups:
        """Try members of the groups that lose most in other groups, until enough was tried."""
        least = MIN_GAIN * float(losses.sum())
        for group in np.argsort(-np.round(losses, DIGITS), kind="stable").tolist():
            if losses[group] <= least:
                break
            members = sorted(self.members.get(group, ()), key=lambda x: (self.mass[x], x))
            for piece in members[:MAX_MOVED_WORST]:
                if self.evaluations >= MAX_WEIGHED_WORST:
                    return self.result()
                if self.group[piece] == group:
                    self.improve(piece, least)
        return self.result()

    def result(self) -> Groups:
        """Return the groups as they are now."""
        pieces = zip(self.groups.source.tolist(), self.groups.share.tolist(), self.group, strict=True)
        return Groups.of(list(pieces), self.groups.suppressed)

    def improve(self, piece: int, least: float) -> set[int]:
        """Make the best change that there is about a piece; return the pieces to look at again."""
        best: Change | None = None
        for change in self.changes(piece):
            gain = self.gain(change)
            if gain > least and self.allowed(change):
                best, least = change, gain
        touched: set[int] = set()
        for group, members in (best or {}).items():
            number = self.made if group == NEW else group
            self.made += group == NEW
            if members:
                self.members[number] = members
            else:
                del self.members[number]
            for one in members:
                self.group[one] = number
            touched.update(members)
        return touched.union(*(self.near[x][:MAX_SWAPS] for x in touched))


def _with(members: Members, *pieces: int) -> Members:
    return tuple(sorted((*members, *pieces)))


def _without(members: Members, piece: int) -> Members:
    return tuple(x for x in members if x != piece)


class _Neighbours:
    """The pieces next to each piece, the nearest first, and of those that could stay alone some more."""

    def __init__(
        self, metrics: Sequence[Metric], shares: Floats, columns: Ints, alone: Ints, movable: Container[int]
    ) -> None:
        self.points, self.alone, self.movable = Points(metrics, shares, columns), alone, movable
        self.every, self.frequent = Nearest(self.points, np.ones(len(self.points))), None
        if alone.size:
            self.frequent = Nearest(Points(metrics, shares, columns[:, alone]), np.ones(len(alone)))
        self.known: dict[int, list[int]] = {}

    def __getitem__(self, piece: int) -> list[int]:
        if piece not in self.known:
            values = self.points.values(piece)
            next_to = [x for x in self.every.several(values, NEIGHBOURS + 1).tolist() if x != piece][:NEIGHBOURS]
            if self.frequent is not None:
                more = self.alone[self.frequent.several(values, NEIGHBOURS // 2 + 1)].tolist()
                next_to += [x for x in more if x != piece][: NEIGHBOURS // 2]
            self.known[piece] = [x for x in dict.fromkeys(next_to) if x in self.movable]
        return self.known[piece]


class Holding:
    """What pieces hold: rows or persons, and values of sensitive columns; tells whether some hold what is promised."""

    def __init__(self, records: Records, groups: Groups, k: int) -> None:
        self.k, self.rows = k, groups.share.tolist()
        self.sensitive = records.sensitive if records.sensitive is not None and records.sensitive.requirements else None
        self.alone = np.flatnonzero(groups.share >= k)
        self.units: list[Ints] = []
        self.own: list[Ints] = []
        self.records = records
        if records.units is None and self.sensitive is None:
            return
        piece = piece_of_rows(records, groups.source, groups.share)
        order = np.argsort(piece, kind="stable")
        self.own = np.split(order, np.searchsorted(piece[order], np.arange(1, len(groups.share))))
        if records.units is not None:
            self.units = [np.unique(records.units[x]) for x in self.own]
            self.alone = np.flatnonzero(np.array([len(x) for x in self.units]) >= k)
        if self.sensitive is not None:
            self.requirement_check = RequirementCheck(self.sensitive, records.units)

    def enough(self, members: Members) -> bool:
        """Tell whether there are k rows, or persons."""
        if sum(self.rows[x] for x in members) < self.k:
            return False
        return not self.units or len(np.unique(np.concatenate([self.units[x] for x in members]))) >= self.k

    def holds(self, members: Members) -> bool:
        """Tell whether some pieces would be a group that holds what is promised."""
        if not self.enough(members):
            return False
        if self.sensitive is None:
            return True
        rows = np.concatenate([self.own[x] for x in members])
        units = None if self.records.units is None else self.records.units[rows]
        one, sensitive = np.zeros(len(rows), np.int64), self.sensitive
        requirements = (
            (x, SensitiveCounts.of(one, sensitive.codes[x.column][rows], sensitive.each(x.column)[rows], units))
            for x in sensitive.requirements
        )
        return not any(self.requirement_check.lacking(requirement, held).any() for requirement, held in requirements)
