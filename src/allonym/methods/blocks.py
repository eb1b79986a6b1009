"""Too many tuples for one machine are grouped block by block, and across the borders of the blocks once more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints, sum_by
from allonym.methods.groups import Groups, centre, distances, values_of
from allonym.methods.kernels.split import cut
from allonym.metric import Metric
from allonym.records import Records
from allonym.release_key import rng_of

Tick = Callable[[int, int], None]
MIN_TUPLES = 100_000  # distinct tuples, from which on there are blocks
MAX_BLOCK = 20_000  # tuples of a block, at most
GROUPS_PER_BATCH = 1_000  # groups whose losses are told together, by metrics of no other values than theirs
REGROUPED = (4, 8, 16)  # one in so many groups is made anew across borders, then one in so many, …


class Partitioning(Protocol):
    """A method that groups tuples."""

    @property
    def k(self) -> int:
        """How many rows a group has at least."""

    def metrics(self, records: Records) -> Sequence[Metric]:
        """Return the metric the method sees for each attribute."""

    def partition(self, records: Records, rng: np.random.Generator, tick: Tick) -> Groups:
        """Group the tuples, or pieces of them, so that every group has at least k rows."""


@dataclass(frozen=True, eq=False)
class Block(Records):
    """Some tuples of a table, without its rows, and what each of them counts for utility."""

    tuple_mass: Floats | None = None  # p; by default the number of rows of each

    def mass_of(self, source: Ints, share: Ints) -> Floats:
        """Return what pieces of tuples count for utility."""
        if self.tuple_mass is None:
            return share.astype(np.float64)
        return self.tuple_mass[source] * (share / self.counts[source])


Runner = Callable[[Partitioning, Sequence[Block], int, Tick], list[Groups]]  # the groups of each block, in order


def partitioned(method: Partitioning, records: Records, seed: int) -> Groups:
    """Group the tuples of one block: the same, wherever that is done, and whatever becomes of other blocks."""
    rng = rng_of(seed)
    return method.partition(narrowed(records), rng, lambda done, total: None)


def in_turn(method: Partitioning, blocks: Sequence[Block], seed: int, tick: Tick) -> list[Groups]:
    """Group the tuples of blocks, one after the other in this process."""
    done, total, groups = 0, sum(map(len, blocks)), []
    for block in blocks:
        groups.append(partitioned(method, block, seed))
        done += len(block)
        tick(done, total)
    return groups


@dataclass(frozen=True)
class Blocks:
    """From how many distinct tuples on there are blocks, how large these are at most, and how they are worked on."""

    start: int = MIN_TUPLES
    size: int = MAX_BLOCK
    run: Runner = in_turn


def grouped(method: Partitioning, records: Records, seed: int, tick: Tick, blocks: Blocks | None = None) -> Groups:
    """Group the tuples by a method: all together, or in blocks where these are asked for and there are enough tuples.

    The groups that lose most are made anew across the borders of blocks, and again the worst of those.
    """
    if blocks is None or len(records) < blocks.start:
        return method.partition(records, rng_of(seed), tick)
    blocked = _Blocked(method, records, seed, tick, blocks)
    result = blocked.group(np.arange(len(records)), records.counts)
    if result.block.any():  # there are borders
        for one_in in REGROUPED:
            result = blocked.again(result, one_in)
    return result.groups


def narrowed(records: Records) -> Records:
    """Return the same tuples over attributes that have no other values, so that what is not there costs nothing."""
    attributes, columns = [], []
    for attribute, column in zip(records.attributes, records.codes.T, strict=True):
        used, place = np.unique(column, return_inverse=True)
        tree = None if attribute.hierarchy is None else attribute.hierarchy.restricted_to(used)
        attributes.append(replace(attribute, metric=attribute.metric.restricted_to(used), hierarchy=tree))
        columns.append(place.ravel())
    return replace(records, attributes=tuple(attributes), codes=np.stack(columns, axis=1))


class _Result(NamedTuple):
    """Groups, what each of them loses, and the block each tuple was in."""

    groups: Groups
    lost: Floats
    block: Ints


class _Blocked:
    """A table that is grouped in blocks."""

    def __init__(self, method: Partitioning, records: Records, seed: int, tick: Tick, blocks: Blocks) -> None:
        self.method, self.records, self.seed, self.tick, self.blocks = method, records, seed, tick, blocks
        self.metrics, self.shares = method.metrics(records), records.shares

    def group(self, tuples: Ints, rows: Ints, before: Ints | None = None) -> _Result:
        """Group some rows of some tuples; where these were in blocks before, others lie on the borders now."""
        codes, attributes = self.records.codes[tuples], self.records.attributes
        size = max(self.blocks.size, 2 * self.method.k)  # so that half a block has k rows
        parts = cut(self.metrics, self.shares, codes, rows, self.method.k, size, before)
        mass = self.weighed(tuples, rows) if self.records.weights is not None else None
        made = [Block(attributes, codes[x], rows[x], tuple_mass=None if mass is None else mass[x]) for x in parts]
        groups_of_blocks = self.blocks.run(self.method, made, self.seed, self.tick)
        groups = joined([of(x, tuples[part]) for x, part in zip(groups_of_blocks, parts, strict=True)])
        block = np.zeros(len(self.records), np.int64)
        for number, part in enumerate(parts):
            block[tuples[part]] = number
        return _Result(groups, self.lost(groups), block)

    def again(self, result: _Result, one_in: int) -> _Result:
        """Group the rows of the groups with the largest loss again; keep the result if it loses less."""
        worst = self.worst(result, one_in)
        some = worst[result.groups.group]
        tuples, place = np.unique(result.groups.source[some], return_inverse=True)
        if not len(tuples):
            return result
        rows = np.bincount(place.ravel(), weights=result.groups.share[some]).astype(np.int64)
        other = self.group(tuples, rows, result.block[tuples])
        if other.lost.sum() >= result.lost[worst].sum():
            return result
        lost = np.concatenate([result.lost[~worst], other.lost])
        return _Result(joined([picked(result.groups, ~some), other.groups]), lost, result.block)

    def worst(self, result: _Result, one_in: int) -> NDArray[np.bool_]:
        """Tell which groups lose most for what their tuples count, but for the one that counts most.

        That one need not be grouped with others if it has k rows: it must not hide that those are far.
        """
        groups = result.groups
        held = self.weighed(groups.source, groups.share)
        heaviest = np.zeros(len(groups))
        np.maximum.at(heaviest, groups.group, held)
        others = sum_by(groups.group, held, len(groups)) - heaviest
        mean = np.divide(result.lost, others, out=np.zeros(len(groups)), where=others > 0)
        worst = np.zeros(len(groups), bool)
        worst[np.argsort(-mean, kind="stable")[: -(-len(groups) // one_in)]] = True
        return worst & (mean > 0)

    def weighed(self, tuples: Ints, rows: Ints) -> Floats:
        """Return what rows of tuples count for utility: as many of their weight as they are of their rows."""
        return self.records.mass[tuples] * (rows / self.records.counts[tuples])

    def lost(self, groups: Groups) -> Floats:
        """Return Σ ω·d² of each group to its representative."""
        mass = self.weighed(groups.source, groups.share)
        starts = np.searchsorted(groups.group, np.arange(0, len(groups) + GROUPS_PER_BATCH, GROUPS_PER_BATCH))
        parts = [np.arange(low, high) for low, high in pairwise(starts.tolist())]
        return np.concatenate([np.zeros(0), *(self._lost(picked(groups, x), mass[x]) for x in parts)])

    def _lost(self, groups: Groups, mass: Floats) -> Floats:
        tuples, place = np.unique(groups.source, return_inverse=True)
        some = narrowed(Block(self.records.attributes, self.records.codes[tuples], self.records.counts[tuples]))
        metrics, columns, own = self.method.metrics(some), some.codes.T, place.ravel()
        losses = np.zeros(len(groups))
        for g, pieces in enumerate(groups.members()):
            if len(pieces) > 1:
                each, weights = columns[:, own[pieces]], mass[pieces]
                if groups.named is None:
                    values = centre(metrics, each, weights)
                else:
                    values = values_of(metrics, columns, int(np.searchsorted(tuples, groups.named[g])))
                losses[g] = weights @ distances(metrics, self.shares, values, each) ** 2
        return losses


def of(groups: Groups, tuples: Ints) -> Groups:
    """Return the groups of a block as groups of a table, from where in it the tuples of the block are."""
    return Groups(
        tuples[groups.source], groups.share, groups.group, None if groups.named is None else tuples[groups.named]
    )


def picked(groups: Groups, some: NDArray[np.bool_] | Ints) -> Groups:
    """Return the groups that some pieces are, all of each."""
    kept, number = np.unique(groups.group[some], return_inverse=True)
    named = None if groups.named is None else groups.named[kept]
    return Groups(groups.source[some], groups.share[some], number.ravel(), named)


def joined(several: Sequence[Groups]) -> Groups:
    """Return groups of several kinds together, in their order."""
    starts = np.cumsum([0, *map(len, several)])
    group = np.concatenate([x.group + start for x, start in zip(several, starts, strict=False)])
    named = [x.named for x in several if x.named is not None]
    return Groups(
        np.concatenate([x.source for x in several]),
        np.concatenate([x.share for x in several]),
        group,
        np.concatenate(named) if named else None,
    )
