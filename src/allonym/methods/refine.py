"""Finished groups: they hold what is promised, and a local search improves them while less is lost."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from allonym.arrays import Ints
from allonym.compiled import kernels
from allonym.measures import loss
from allonym.methods.groups import Groups
from allonym.methods.holding import Holding
from allonym.methods.kernels.search import Pieces, Search
from allonym.methods.kernels.space import alike, space_of
from allonym.methods.kernels.standing import ColumnStanding, Standing, Together
from allonym.methods.replacement.existing_records import EXISTING, publishable
from allonym.methods.represent import barred_values, max_distance, represent, representative_of
from allonym.methods.requirements import Look, enforced
from allonym.metric import Metric
from allonym.records import Attribute, Masking, Pairs, Records

WORK_PER_PIECE = 200  # groups that are weighed for each piece, at most
MAX_WORK = 40_000_000  # and in all
Tick = Callable[[int, int], None]
DEBUG=False
SECONDS=0.0
def STEPS(work): return [("descend", work)]


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
    """See that groups hold what is promised, improve them if that is asked for, and choose what stands for each.

    Refined groups are taken only if they hold what is promised and lose less: by Σ ω·d², as they would be written.
    """

    def stands(groups: Groups) -> tuple[Ints, tuple[Attribute, ...]]:
        return represent(records, groups, k, metrics, representative)

    def lost(masking: Masking) -> float:
        return loss.sse(Pairs.of(records, masking))

    groups, codes, attributes = enforced(records, groups, k, metrics, look or stands, tick)
    masking = _masking(groups, codes, attributes)
    if refine:
        better = refined(records, groups, k, metrics, representative, tick)
        masking = min(masking, _masking(*enforced(records, better, k, metrics, stands, tick)), key=lost)
    return masking


def _masking(groups: Groups, codes: Ints, attributes: tuple[Attribute, ...]) -> Masking:
    suppressed = None if groups.suppressed is None else groups.group == groups.suppressed
    return Masking(groups.source, groups.share, groups.group, codes, attributes, suppressed)


def refined(
    records: Records, groups: Groups, k: int, metrics: Sequence[Metric], representative: str, tick: Tick
) -> Groups:
    """Return groups that lose less.

    Pieces move to another group, are swapped, make a group of their own or with those next to them; groups join
    another or are dissolved: whichever makes Σ ω·d² least, until nothing makes it less or enough was tried.
    """
    if len(groups) < 2:
        return groups
    pieces, standing = pieces_of(records, groups, k), standing_of(records, groups, k, metrics, representative)
    work = min(WORK_PER_PIECE * len(groups.source), MAX_WORK)
    found = _compiled(pieces, standing, work, tick) if kernels else Search(pieces, standing).run(work, tick)
    return Groups.of(np.stack([groups.source, groups.share, found], axis=1), groups.suppressed)


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
        groups.group,
        movable,
        holding.alone[movable[holding.alone]],
        k,
        None if holding.is_count_of_rows else holding.holds,
    )


def standing_of(
    records: Records, groups: Groups, k: int, metrics: Sequence[Metric], representative: str
) -> Standing:
    """Return what stands for groups while they are being changed."""
    columns = []
    for a, attribute in enumerate(records.attributes):
        chosen = representative_of(attribute, representative)
        own = attribute.metric.with_holders(records.holders(a), k)
        columns.append(
            ColumnStanding(
                own,
                chosen if chosen in ("truthful", "subsumer") else "centroid",
                records.null_costs[a],
                barred_values(records, a, k, averaged=False),
                max_distance(attribute, representative),
                by_mode=metrics[a] is not attribute.metric,
            )
        )
    together, may_stand = Together.ALONE, np.ones(len(groups.source), bool)
    if representative == "least-squares":
        together = Together.SQUARES
    elif representative in ("member", EXISTING):
        together = Together.MEMBER
        if representative == EXISTING:
            may_stand = publishable(records, k)[groups.source]
    return Standing(columns, records.shares, together, may_stand)


def _compiled(pieces: Pieces, standing: Standing, work: int, tick: Tick) -> Ints:
    """Run the compiled search."""
    assert kernels is not None
    assert standing.may_stand is not None
    space = space_of([column.metric for column in standing.columns], pieces.shares, pieces.columns.T)
    some = np.flatnonzero(pieces.movable)
    order = some[alike(pieces.metrics, pieces.shares, pieces.columns[:, some])]
    alone = pieces.alone
    if alone.size:
        alone = alone[alike(pieces.metrics, pieces.shares, pieces.columns[:, alone])]
    found, losses, spent = kernels.refine(
        space,
        [column.form() for column in standing.columns],
        int(standing.together),
        standing.may_stand.astype(np.uint8),
        pieces.mass,
        pieces.rows,
        pieces.groups,
        pieces.movable.astype(np.uint8),
        order,
        alone,
        pieces.k,
        pieces.holds,
        STEPS(work),
        SECONDS,
        tick,
    )
    if DEBUG: print("losses", losses, "work", spent)
    return found
