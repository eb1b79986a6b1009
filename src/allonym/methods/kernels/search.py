"""The local search that improves groups, in Python; `cpp/search.h` has the same search, and gives the same groups."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from allonym.methods.kernels.group_state import (
    NEW,
    SUPPRESSED,
    Change,
    GroupState,
    Members,
    Pieces,
    with_pieces,
    without_piece,
)
from allonym.methods.kernels.standing import Standing

MAX_SWAPS = 6  # swaps that are tried for a piece
MAX_REPLACED = 2  # groups that a piece may join while another one takes its place
MAX_REFILLS = 4  # pieces that may take its place
MAX_JOINED = 1  # groups that a group may join
AGAIN = 3  # neighbours of a changed piece that are looked at again
MIN_GAIN = 1e-9  # of the whole loss: less is no gain

Tick = Callable[[int, int], None]
Targets = Sequence[tuple[float, int]]  # groups, and how far a piece is from what stands for them


class Search(GroupState):
    """Groups that are being changed, and the changes that are considered."""

    def __init__(self, pieces: Pieces, standing: Standing) -> None:
        super().__init__(pieces, standing)
        self.moving = True  # whether pieces may change their groups; else, they are suppressed or stay
        self.least = 0.0  # what the next change must gain, at least
        self.again: list[int] = []  # pieces to look at again

    # --- what may be changed -------------------------------------------------------------------------------------

    def changes(self, piece: int) -> Iterator[Change]:
        """Yield what may be done about a piece."""
        own = self.group[piece]
        if own == SUPPRESSED:
            if self.suppression is not None:
                yield from self.suppression.released(piece)
            return
        members, lost, _ = self.groups[own]
        if not lost:
            return
        if self.suppression is not None:
            yield from self.suppression.suppressing(piece)
        if not self.moving:
            return
        rest = without_piece(members, piece)
        free = self.enough(rest)
        spared = free and self.loss_of(rest) < lost
        if spared and self.enough((piece,)):
            yield {own: rest, NEW: (piece,)}
        targets = self.others(piece)
        if spared:
            for _, other in targets:
                yield {own: rest, other: with_pieces(self.groups[other].members, piece)}
        if not free:
            yield from self.swaps(piece, targets)
            yield from self.replacements(piece, targets)
        for _, other in targets[:MAX_JOINED]:
            yield {own: (), other: with_pieces(self.groups[other].members, *members)}
        if not free and piece == members[0] and (change := self.dissolved(own)):
            yield change
        if change := self.around(piece):
            yield change

    def swaps(self, piece: int, targets: Targets) -> Iterator[Change]:
        """Yield swaps of a piece with one of another group: those that are best by what stands for the groups now."""
        own, ranked = self.group[piece], []
        rest = without_piece(self.groups[own].members, piece)
        for cost, other in targets:
            there = self.groups[other].members
            for back in there if len(there) > 1 else ():
                change = {own: with_pieces(rest, back), other: with_pieces(without_piece(there, back), piece)}
                if all(map(self.enough, change.values())):
                    ranked.append((cost + self.far(back, own) - self.far(back, other), other, back, change))
        for *_, change in sorted(ranked, key=lambda x: x[:3])[:MAX_SWAPS]:
            yield change

    def replacements(self, piece: int, targets: Targets) -> Iterator[Change]:
        """Yield changes after which a piece is in another group, and one of a third group has taken its place."""
        own = self.group[piece]
        rest, refills = without_piece(self.groups[own].members, piece), self.refills(piece)
        for _, other in targets[:MAX_REPLACED]:
            for back in [x for x in refills if self.group[x] != other][:MAX_REFILLS]:
                third = self.group[back]
                yield {
                    own: with_pieces(rest, back),
                    other: with_pieces(self.groups[other].members, piece),
                    third: without_piece(self.groups[third].members, back),
                }

    def refills(self, piece: int) -> list[int]:
        """Return the neighbours of a group that can leave theirs and take the place of a piece, the best first."""
        own, refills = self.group[piece], []
        members = self.groups[own].members
        rest = without_piece(members, piece)
        for back in {x for one in members for x in self.near(one)}:
            third = self.group[back]
            if third in (own, SUPPRESSED):
                continue
            left = without_piece(self.groups[third].members, back)
            if (not left or self.enough(left)) and self.enough(with_pieces(rest, back)):
                refills.append((self.far(back, own) - self.far(back, third), back))
        return [back for _, back in sorted(refills)]

    def dissolved(self, group: int, without: int | None = None) -> Change | None:
        """Return the change after which all members of a group, or all but one, are in others: where it costs least.

        None, if that cannot gain enough.
        """
        change: Change = {group: ()}
        gone, spent = self.groups[group].loss, 0.0
        if without is not None:
            assert self.suppression is not None
            gone -= self.suppression.cost(without)
        for piece in self.groups[group].members:
            if piece == without:
                continue
            costs = []
            for _, other in self.others(piece):
                before = self.loss_of(change[other]) if other in change else self.groups[other].loss
                joined = with_pieces(change.get(other, self.groups[other].members), piece)
                costs.append((self.loss_of(joined) - before, other, joined))
            if not costs:
                return None
            cost, other, joined = min(costs)
            spent += cost
            if gone - spent <= self.least:
                return None
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
            rest = without_piece(change.get(own, self.groups[own].members), one)
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

    def improve(self, piece: int, least: float) -> bool:
        """Make the best change about a piece; the pieces to look at again are left in `again`."""
        best = self.best(self.changes(piece), least)
        self.again = []
        for one in self.apply(best or {}):
            self.again += (one, *self.near(one)[:AGAIN])
        return best is not None

    def best(self, changes: Iterator[Change], least: float) -> Change | None:
        """Return the change that gains most, and more than `least`; the first of equals."""
        best, self.least = None, least
        for change in changes:
            gain = self.gain(change)
            if gain > self.least and all(self.holds(x) for g, x in change.items() if x and g != SUPPRESSED):
                best, self.least = change, gain
        return best

    def gain(self, change: Change) -> float:
        """Return by how much less is lost after a change; once that is not enough, the rest is not weighed."""
        gone = 0.0
        for group in change:
            if group not in (NEW, SUPPRESSED):
                gone += self.groups[group].loss
        if SUPPRESSED in change:
            assert self.suppression is not None
            gone += self.suppression.saved(change[SUPPRESSED])
        left = 0.0
        for group, members in change.items():
            if members and group != SUPPRESSED:
                left += self.loss_of(members)
                if gone - left <= self.least:
                    break
        return gone - left
