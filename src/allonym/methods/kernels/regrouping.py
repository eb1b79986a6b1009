"""Neighbouring groups are formed anew at random and improved; what loses less is kept. As in `cpp/regrouping.cpp`."""

from __future__ import annotations

import numpy as np

from allonym.methods.groups import distances, values_of
from allonym.methods.kernels.group_state import NEW, SUPPRESSED, Change, Members, with_pieces
from allonym.methods.kernels.search import MIN_GAIN, Search, Tick
from allonym.methods.kernels.ties import rounded

MAX_REGROUPED = 6  # groups that are formed anew together
MAX_IMPROVED = 20  # pieces that are looked at again, for each one of the groups formed anew
MASK = 2**64 - 1


class Random:
    """Random numbers (Steele, Lea and Flood 2014, SplitMix64), the same as in C++."""

    def __init__(self, seed: int) -> None:
        self.state = seed & MASK

    def below(self, number: int) -> int:
        """Draw a whole number from 0 to `number` - 1."""
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return (z ^ (z >> 31)) % number


def regroup(search: Search, work: int, seed: int, tick: Tick) -> None:
    """Form a few neighbouring groups anew, at random, and improve them; keep that if less is lost. Again and again."""
    least = MIN_GAIN * search.loss()
    begun, limit, tries = search.work, search.work + work, 0
    every, random = search.movable(), Random(seed)
    suppression, search.suppression = search.suppression, None
    while search.work < limit and not search.is_late():
        piece = every[random.below(len(every))]
        search.work += 1  # also if there is nothing to be formed anew
        if search.group[piece] == SUPPRESSED:
            continue
        search.log, made = [], search.made
        pool = form_anew(search, piece, random)
        if pool:
            improve_around(search, pool, least)
        if not pool or search.gained() < 0:
            search.roll_back(made)
        search.log = None
        if tries % 64 == 0:
            tick(search.work - begun, work)
        tries += 1
    search.suppression = suppression


def form_anew(search: Search, piece: int, random: Random) -> list[int]:
    """Form groups of the pieces of a few neighbouring groups: around pieces in random order, of those nearest to each.

    Returns:
        The pieces; none, if the new groups would not meet every requirement.
    """
    chosen, number = [search.group[piece]], 2 + random.below(MAX_REGROUPED - 1)
    for group in (search.group[x] for x in search.near(piece)):
        if len(chosen) == number:
            break
        if group != SUPPRESSED and group not in chosen:
            chosen.append(group)
    pool = sorted(x for group in chosen for x in search.groups[group].members)
    left = list(pool)
    for i in range(len(left), 1, -1):
        other = random.below(i)
        left[i - 1], left[other] = left[other], left[i - 1]
    made = _made(search, left)
    if not made or not all(search.holds(x) for x in made):
        return []
    change: Change = dict.fromkeys(chosen, ())
    search.apply(change)
    for members in made:
        search.apply({NEW: members})
    return pool


def _made(search: Search, left: list[int]) -> list[Members]:
    """Return groups of pieces: of the first one left and those nearest to it, again and again; the rest joins them."""
    pieces, made = search.pieces, []
    while search.enough(tuple(left)):
        point = values_of(pieces.metrics, pieces.columns, left[0])
        far = rounded(distances(pieces.metrics, pieces.shares, point, pieces.columns[:, left[1:]]))
        left = [left[0], *(left[1 + x] for x in np.argsort(far, kind="stable").tolist())]
        taken = next(x for x in range(1, len(left) + 1) if search.enough(tuple(left[:x])))
        made.append(tuple(sorted(left[:taken])))
        left = left[taken:]
    for one in left if made else ():
        costs = []
        for members in made:
            joined = search.loss_of(with_pieces(members, one))
            costs.append(joined - search.loss_of(members))
        target = int(np.argmin(costs))
        made[target] = with_pieces(made[target], one)
    return made


def improve_around(search: Search, pool: list[int], least: float) -> None:
    """Improve some pieces, and those next to what changes, until nothing is gained."""
    queue, queued = list(pool), set(pool)
    for place, piece in enumerate(queue):
        queued.discard(piece)
        if place > MAX_IMPROVED * len(pool) or not search.improve(piece, least):
            continue
        for one in search.again:
            if one not in queued:
                queued.add(one)
                queue.append(one)
