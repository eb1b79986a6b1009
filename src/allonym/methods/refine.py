"""Groups are improved by a local search, while less is lost and every promise holds."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from allonym.arrays import Ints
from allonym.compiled import kernels
from allonym.methods.groups import Groups
from allonym.methods.holding import Holding
from allonym.methods.kernels.regrouping import regroup
from allonym.methods.kernels.search import SUPPRESSED, Pieces, Search
from allonym.methods.kernels.space import alike, space_of_forms
from allonym.methods.kernels.standing import Standing
from allonym.methods.kernels.suppressed_pieces import SuppressedPieces
from allonym.methods.replacement.existing_records import empty_tuples
from allonym.methods.replacement.least_squares import standing_of
from allonym.metric import Metric
from allonym.progress import Phase, phase
from allonym.records import Records

WORK_PER_PIECE = 100  # groups that are weighed for each piece, until no single change gains anything
REGROUPED_PER_PIECE = 500  # groups that are weighed for each piece, while groups are formed anew
MAX_REGROUPED = 500_000  # and in all
RATIOS = (32.0, 8.0, 2.0, 0.5, 0.0)  # prices of suppression within a budget, from what saves most on
NO_LIMIT = 2**62  # groups that are weighed, where only the time is limited
Tick = Callable[[int, int], None]
Step = tuple[str, int] | tuple[str, int, int] | tuple[str, int, float, int]


@dataclass(frozen=True)
class Effort:
    """How groups are improved.

    Args:
        refine: whether pieces of tuples may change their groups.
        seconds: how long to search; None: until enough was tried, which is the same on every machine.
        seed: of the random numbers by which groups are formed anew.
        budget: how many rows may be suppressed.
        min_ratio: by how much the share of the loss that is saved must exceed the share of rows suppressed.
    """

    refine: bool = True
    seconds: float | None = None
    seed: int = 0
    budget: int = 0
    min_ratio: float | None = None
    suppresses: bool = False  # whether suppression is asked for, even if the budget is too small for any record

    def steps(self, pieces: int) -> list[Step]:
        """Return what the search does, one after the other."""
        steps: list[Step] = []
        if self.refine:
            work = min(REGROUPED_PER_PIECE * pieces, MAX_REGROUPED) if self.seconds is None else NO_LIMIT
            steps += [("descend", WORK_PER_PIECE * pieces), ("regroup", work, self.seed % 2**64)]
        if self.budget > 0:
            for ratio in RATIOS if self.min_ratio is None else (self.min_ratio,):
                steps.append(("suppress", self.budget, ratio, WORK_PER_PIECE * pieces))
            steps.append(("complete", self.budget))
        return steps

    @property
    def steps_before_suppression(self) -> int:
        """How many of the steps do not suppress anything."""
        return 2 if self.refine else 0


@dataclass(frozen=True)
class Refined:
    """Groups after a search, and what they lose as far as the search knows: Σ ω·d²."""

    groups: Groups
    loss_before: float = 0.0
    loss_without_suppression: float = 0.0
    loss: float = 0.0

    @property
    def gain(self) -> float:
        """By what share of the loss before the groups are better."""
        return 1 - self.loss / self.loss_before if self.loss_before > 0 else 0.0


@phase(Phase.REFINE)
def refined(
    records: Records,
    groups: Groups,
    k: int,
    metrics: Sequence[Metric],
    representative: str,
    tick: Tick,
    effort: Effort | None = None,
) -> Refined:
    """Return groups that lose less, by Σ ω·d², and hold what is promised.

    Pieces move to another group, are swapped, make a group of their own or with those next to them, or are
    suppressed; groups join another or are dissolved: whichever makes Σ ω·d² least, until nothing makes it less. Then
    neighbouring groups are formed anew, at random, as long as that gains something and enough was tried.
    """
    effort = effort or Effort()
    if len(groups.source) < 2:
        return Refined(groups)
    pieces, standing = pieces_of(records, groups, k), standing_of(records, groups, k, metrics, representative)
    search = _searched if kernels is None else _compiled
    found, losses = search(pieces, standing, effort, tick)
    suppressed = groups.suppressed
    if (found == SUPPRESSED).any():
        suppressed = int(found.max()) + 1 if suppressed is None else suppressed
        found = np.where(found == SUPPRESSED, suppressed, found)
    new = Groups.of(np.stack([groups.source, groups.share, found], axis=1), suppressed)
    return Refined(new, losses[0], losses[effort.steps_before_suppression], losses[-1])


def pieces_of(records: Records, groups: Groups, k: int) -> Pieces:
    """Return the pieces of groups as the search sees them."""
    holding = Holding(records, groups, k)
    movable = np.ones(len(groups.source), bool)
    if groups.suppressed is not None:
        movable = groups.group != groups.suppressed
    return Pieces(
        [attribute.metric for attribute in records.attributes],
        records.shares,
        np.ascontiguousarray(records.codes[groups.source].T),
        groups.mass(records),
        groups.share,
        np.where(empty_tuples(records)[groups.source], 0, groups.share),
        groups.group,
        movable,
        holding.alone[movable[holding.alone]],
        k,
        holding.units,
        None if holding.sensitive is None else holding.holds,
    )


def _searched(pieces: Pieces, standing: Standing, effort: Effort, tick: Tick) -> tuple[Ints, list[float]]:
    """Run the search in Python; return the group of each piece, and the loss before and after each step."""
    search = Search(pieces, standing)
    if effort.seconds is not None:
        search.deadline = time.monotonic() + effort.seconds
    suppression: SuppressedPieces | None = None
    losses = [search.loss()]
    for step in effort.steps(len(pieces.rows)):
        match step:
            case ("descend", work):
                search.descend(work, tick)
            case ("regroup", work, seed):
                regroup(search, work, int(seed), tick)
            case ("suppress", budget, ratio, work):
                suppression = suppression or SuppressedPieces(search)
                suppression.suppress(budget, ratio, work, tick)
            case (_, budget):
                assert suppression is not None
                suppression.complete(budget)
        losses.append(search.loss())
    return np.array(search.group, np.int64), losses


def _compiled(pieces: Pieces, standing: Standing, effort: Effort, tick: Tick) -> tuple[Ints, list[float]]:
    """Run the compiled search; return the group of each piece, and the loss before and after each step."""
    assert kernels is not None
    assert standing.may_stand is not None
    space = space_of_forms([column.space_form() for column in standing.columns], pieces.shares, pieces.columns.T)
    every, alone = (
        some[alike(pieces.metrics, pieces.shares, pieces.columns[:, some])] if some.size else some
        for some in (np.flatnonzero(pieces.movable), pieces.alone)
    )
    groups, losses, _, _ = kernels.refine(
        space=space,
        columns=[column.form() for column in standing.columns],
        together=int(standing.together),
        may_stand=standing.may_stand.astype(np.uint8),
        mass=pieces.mass,
        rows=pieces.rows,
        charged=pieces.charged,
        groups=pieces.groups,
        movable=pieces.movable.astype(np.uint8),
        order=every,
        alone=alone,
        k=pieces.k,
        unit_starts=np.cumsum([0, *map(len, pieces.units)]) if pieces.units else np.arange(0),
        units=np.concatenate(pieces.units) if pieces.units else np.arange(0),
        holds=pieces.holds,
        steps=effort.steps(len(pieces.rows)),
        seconds=0.0 if effort.seconds is None else effort.seconds,
        tick=tick,
    )
    return groups, losses.tolist()
