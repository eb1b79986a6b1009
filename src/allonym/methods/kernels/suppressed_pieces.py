"""Pieces are suppressed while groups are being changed, if that saves more than it costs.

As in `cpp/suppressed_pieces.cpp`.
"""

from __future__ import annotations

from collections.abc import Iterator

from allonym.methods.kernels.group_state import NEW, SUPPRESSED, Change, Members, with_pieces, without_piece
from allonym.methods.kernels.search import Search, Tick


class SuppressedPieces:
    """The class of suppressed pieces: at most so many rows, each of which has a price besides what it loses."""

    def __init__(self, search: Search) -> None:
        self.search, self.members, self.rows, self.budget, self.price = search, (), 0, 0, 0.0
        self.before = search.snapshot()
        self.completing = False  # whether any piece is suppressed, whatever that costs
        search.suppression = self

    members: Members

    def suppress(self, budget: int, ratio: float, work: int, tick: Tick) -> None:
        """Suppress pieces while that saves more than their price: `ratio` times what each of their rows lost before."""
        self.budget = budget
        self.price = ratio * self.before.loss / float(self.search.pieces.rows.sum())
        self.search.moving = False
        self.search.descend(work, tick)
        self.search.moving = True
        self.budget = 0

    def complete(self, budget: int) -> None:
        """Suppress a class that meets every requirement, or, if that costs more than it saves, nothing."""
        search, self.budget = self.search, budget
        while self.members and not search.is_late() and not search.holds(self.members) and self._suppress_one_more():
            pass
        price = self.price * float(self.rows)
        if not self.members or not search.holds(self.members) or search.loss() + price >= self.before.loss:
            search.restore(self.before)
            self.set_members(())
        self.budget = 0

    def _suppress_one_more(self) -> bool:
        """Suppress the piece, or the group, that costs least; tell whether there is one."""
        search, self.completing = self.search, True
        kept = (piece for piece in search.movable() if search.group[piece] != SUPPRESSED)
        best = search.best((change for piece in kept for change in self.suppressing(piece)), -float("inf"))
        self.completing = False
        if best is None:
            return False
        search.apply(best)
        return True

    def cost(self, piece: int) -> float:
        """Return what it costs to suppress a piece."""
        return float(self.search.null_losses[piece]) + self.price * float(self.search.pieces.charged[piece])

    def saved(self, members: Members) -> float:
        """Return what is saved if other pieces are suppressed; it is negative, if these are more."""
        gone, new = (set(x) - set(y) for x, y in ((self.members, members), (members, self.members)))
        total = 0.0
        for piece in sorted(new):
            total += self.cost(piece)
        for piece in sorted(gone):
            total -= self.cost(piece)
        return -total

    def set_members(self, members: Members) -> None:
        """Let other pieces be suppressed."""
        self.members, self.rows = members, int(self.search.pieces.charged[list(members)].sum())
        for one in members:
            self.search.group[one] = SUPPRESSED

    def suppressing(self, piece: int) -> Iterator[Change]:
        """Yield the changes after which a piece is suppressed, or its whole group."""
        if self.budget <= 0:
            return
        search, rows = self.search, self.search.pieces.charged
        own = search.group[piece]
        members = search.groups[own].members
        rest = without_piece(members, piece)
        cheap = self.completing or self.cost(piece) < search.groups[own].loss
        if self.rows + rows[piece] <= self.budget and cheap:
            if not rest or search.enough(rest):
                yield {own: rest, SUPPRESSED: with_pieces(self.members, piece)}
            elif change := search.dissolved(own, without=piece):
                yield {**change, SUPPRESSED: with_pieces(self.members, piece)}
        if piece == members[0] and rest and self.rows + int(rows[list(members)].sum()) <= self.budget:
            yield {own: (), SUPPRESSED: with_pieces(self.members, *members)}

    def released(self, piece: int) -> Iterator[Change]:
        """Yield the changes after which a suppressed piece is in a group."""
        rest = without_piece(self.members, piece)
        if self.search.enough((piece,)):
            yield {NEW: (piece,), SUPPRESSED: rest}
        for _, other in self.search.others(piece):
            yield {other: with_pieces(self.search.groups[other].members, piece), SUPPRESSED: rest}
