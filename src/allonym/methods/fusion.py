"""Record fusion (Martínez 2010, §4): small groups of equal records take another group's values until all have k."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from typing import Any, ClassVar

import numpy as np

from allonym.arrays import Ints, take_rows
from allonym.errors import Problem
from allonym.methods.base import (
    SUPPRESS_CELLS,
    VALUES,
    VALUES_CHOICES,
    MethodInfo,
    PartitionMethod,
    cell_conflicts,
    refine_parameter,
    refines,
    suppress_parameter,
    time_limit_parameter,
)
from allonym.methods.blocks import Blocks, grouped
from allonym.methods.finish import Finishing, effort_of
from allonym.methods.groups import Groups
from allonym.methods.kernels.ties import DIGITS
from allonym.methods.kernels.nearest import Nearest, Points
from allonym.methods.refine import Effort
from allonym.methods.replacement.existing_records import EXISTING
from allonym.methods.represent import represent
from allonym.metric import Metric
from allonym.ontology.similarity import MEASURES
from allonym.parameters import parameter
from allonym.progress import Progress, no_progress
from allonym.records import Attribute, Masking, Records

HEURISTICS = ("none", "h1", "h1+target", "h1+h2", "h1+h2+h3")
GUIDES = ("similarity", "hierarchy", "discernibility", "random")  # or a measure of similarity
GONE = np.iinfo(np.int64).max  # more rows than any group has


@dataclass(frozen=True)
class Fusion(PartitionMethod):
    """Groups of equal records take the values of the group most like them."""

    info: ClassVar = MethodInfo(
        "fusion",
        "merges small groups of equal records with the most similar group, whose values they take",
    )
    heuristics: str = parameter("h1+h2+h3", "Which groups are fused first.", choices=HEURISTICS)
    guide: str = parameter("similarity", "What makes groups alike.", choices=(*GUIDES, *MEASURES))
    refine: bool | None = refine_parameter()
    time_limit: float | None = time_limit_parameter()
    values: str = parameter("any", VALUES, choices=VALUES_CHOICES)
    suppress: float | None = suppress_parameter()
    suppress_cells: bool = parameter(False, SUPPRESS_CELLS)

    def conflicts(self, stated: Mapping[str, Any]) -> Iterator[Problem]:
        """Yield the problem of existing values together with suppressed cells."""
        yield from cell_conflicts(self.values, cells=self.suppress_cells)

    @property
    def needs_hierarchy(self) -> bool:
        """Whether hierarchies are needed."""
        return self.guide == "hierarchy"

    def metrics(self, records: Records) -> list[Metric]:
        """Return the distances that guide."""
        return guiding(records, self.guide)

    def partition(self, records: Records, rng: np.random.Generator, tick: Progress) -> Groups:
        """Fuse groups until each has k records; the one that stayed is named."""
        into = Fusing(records, self.k, rng, self.heuristics, self.guide).run(tick)
        groups = Groups.of(np.stack([np.arange(len(records)), records.counts, into], axis=1))
        return replace(groups, named=np.unique(into))

    def mask(
        self, records: Records, seed: int = 0, tick: Progress = no_progress, blocks: Blocks | None = None
    ) -> Masking:
        """Fuse groups until each has k records, and k persons; the group that stayed gives its values."""
        effort = effort_of(
            records,
            refine=refines(records, self.refine),
            seconds=self.time_limit,
            seed=seed,
            suppress=self.suppress,
            truthful=False,
        )
        groups = grouped(self, records, seed, tick, blocks)
        return _finished(records, groups, _into(groups), self.k, tick, effort, self.suppress_cells, self.writes_existing)


def _into(groups: Groups) -> Ints:
    """Return for every tuple the one whose values its group has."""
    assert groups.named is not None
    into = np.empty(int(groups.source.max(initial=-1)) + 1, np.int64)
    into[groups.source] = groups.named[groups.group]
    return into


def guiding(records: Records, guide: str) -> list[Metric]:
    """Return the distances that guide: the attributes' own, those of a measure, or those of a hierarchy."""
    if guide == "hierarchy":
        return [attribute.hierarchy or attribute.metric for attribute in records.attributes]
    own = [attribute.metric for attribute in records.attributes]
    return [metric.with_measure(guide) for metric in own] if guide in MEASURES else own


def fused(records: Records, into: Ints, k: int, tick: Progress = no_progress) -> Masking:
    """Return the masking in which each tuple has the values of another, or of a group that holds what is promised."""
    pieces = np.stack([np.arange(len(records)), records.counts, into], axis=1)
    return _finished(records, Groups.of(pieces), into, k, tick, Effort(refine=False))


def _finished(
    records: Records,
    groups: Groups,
    into: Ints,
    k: int,
    tick: Progress,
    effort: Effort,
    cells: bool = False,
    existing: bool = False,
) -> Masking:
    """Finish groups in which each tuple has the values of another."""
    metrics = [attribute.metric for attribute in records.attributes]
    member = EXISTING if existing else "member"

    def look(groups: Groups) -> tuple[Ints, tuple[Attribute, ...]]:
        return represent(records, groups, k, metrics, member, _stayed(groups, into))

    return Finishing(k, metrics, member, effort, cells, look).masked(records, groups, tick)


def _stayed(groups: Groups, into: Ints) -> Ints:
    """Return for each group the tuple whose values it has: of several that stayed, the one that most rows took."""
    rows = np.bincount(into, weights=np.bincount(groups.source, weights=groups.share, minlength=len(into)))
    representatives = []
    for pieces in groups.members():
        own = np.unique(into[groups.source[pieces]])
        representatives.append(int(own[np.argmax(rows[own])]))
    return np.array(representatives, np.int64)


class Fusing:
    """The groups there are: `into` says whose values each tuple has now."""

    def __init__(self, records: Records, k: int, rng: np.random.Generator, heuristics: str, guide: str) -> None:
        self.sizes = records.counts.astype(np.int64).copy()  # GONE, once a group is gone
        self.k, self.rng, self.heuristics, self.guide = k, rng, heuristics, guide
        self.into = np.arange(len(records))
        self.left, self.small = len(records), int((self.sizes < k).sum())  # groups; those of fewer than k
        self.near: Nearest | None = None
        if heuristics not in ("none", "h1") and guide not in ("discernibility", "random"):
            self.near = Nearest(Points(guiding(records, guide), records.shares, records.codes.T), records.mass)

    def run(self, tick: Progress) -> Ints:
        """Fuse groups, the smallest first, until none is smaller than k."""
        total = self.small
        while self.left > 1 and (smallest := int(self.sizes.min())) < self.k:
            if self.heuristics == "none":
                self.fuse(*self.any_pair(np.flatnonzero(self.sizes < self.k)))
            elif self.heuristics == "h1" or self.guide == "random":
                self.fuse(*self.any_pair(np.flatnonzero(self.sizes == smallest)))
            elif self.heuristics == "h1+target" or self.guide == "discernibility":
                one = self.drawn(np.flatnonzero(self.sizes == smallest))
                self.fuse(one, self.target(self.best(one)[1]))
            else:
                self.level(smallest, lambda: tick(total - self.small, total))
            tick(total - self.small, total)
        tick(total, total)
        while (self.into != self.into[self.into]).any():
            self.into = self.into[self.into]
        return self.into

    def drawn(self, groups: Ints) -> int:
        """Draw one of some groups."""
        return int(groups[self.rng.integers(len(groups))]) if len(groups) > 1 else int(groups[0])

    def any_pair(self, groups: Ints) -> tuple[int, int]:
        """Draw one of some groups, and any other."""
        one = self.drawn(groups)
        others = np.flatnonzero(self.sizes < GONE)
        return one, self.drawn(others[others != one])

    def fuse(self, one: int, other: int) -> None:
        """Let a group take the values of another."""
        before, own = int(self.sizes[other]), int(self.sizes[one])
        self.small -= (own < self.k) + (before < self.k <= before + own)
        self.sizes[other] += own
        self.sizes[one] = GONE
        self.into[one] = other
        self.left -= 1
        if self.near is not None:
            self.near.remove(one)

    def best(self, one: int) -> tuple[float, Ints]:
        """Return how far the groups are that a group may best fuse with, and which these are."""
        if self.near is not None:
            return self.near.others(one, DIGITS)
        far = self.sizes.astype(np.float64)  # 2·|I|·|I'| grows with the other's size alone
        far[self.sizes == GONE] = np.inf
        far[one] = np.inf
        least = float(far.min())
        return least, np.flatnonzero(far == least)

    def target(self, groups: Ints) -> int:
        """Return the smallest of some groups; the first of equals."""
        return int(groups[np.argmin(self.sizes[groups])])

    def level(self, smallest: int, tick: Callable[[], None]) -> None:
        """Fuse all groups of the smallest size: those with the best target first (H2), the least result first (H3)."""
        by_far: dict[float, dict[int, Ints]] = {}
        waiting: list[float] = []  # a heap of the distances

        def wait(group: int) -> None:
            far, targets = self.best(group)
            if far not in by_far:
                heappush(waiting, far)
            by_far.setdefault(far, {})[group] = targets

        for group in np.flatnonzero(self.sizes == smallest).tolist():
            wait(group)
        while waiting and self.left > 1:
            targets_of = by_far.pop(heappop(waiting))
            ties = Ties(targets_of, self.sizes, smallest)
            while self.left > 1 and (ready := ties.ready(by_result=self.heuristics == "h1+h2+h3")).size:
                one = self.drawn(ready)
                other = self.target(targets_of[one])
                self.fuse(one, other)
                ties.changed(one, other)
                tick()
            for group, targets in targets_of.items():
                if self.sizes[group] == smallest and self.left > 1:
                    assert (self.sizes[targets] == GONE).all()
                    wait(group)


class Ties:
    """Groups of one size whose best targets are equally far; for each the size of its smallest target left.

    A fusion changes the sizes of two groups, so that only those are looked at again that have one of them as a target.
    """

    def __init__(self, targets: dict[int, Ints], sizes: Ints, smallest: int) -> None:
        self.sizes, self.smallest = sizes, smallest
        self.groups = np.array(sorted(targets), np.int64)
        each = [targets[group] for group in self.groups.tolist()]
        self.starts = np.cumsum([0, *map(len, each)])
        self.targets = np.concatenate(each)
        order = np.argsort(self.targets, kind="stable")
        self.sorted = self.targets[order]
        self.owners = np.repeat(np.arange(len(each)), np.diff(self.starts))[order]
        self.least = np.full(len(each), GONE)  # GONE, too, where a group has another size by now
        self.look(np.arange(len(each)))

    def look(self, some: Ints) -> None:
        """Update the smallest targets of some of the groups."""
        starts, targets = take_rows(self.starts, self.targets, some)
        least = np.minimum.reduceat(self.sizes[targets], starts[:-1])
        self.least[some] = np.where(self.sizes[self.groups[some]] == self.smallest, least, GONE)

    def changed(self, one: int, other: int) -> None:
        """Say that two groups have other sizes now."""
        own = np.searchsorted(self.groups, [one, other])
        affected = [own[self.groups[np.minimum(own, len(self.groups) - 1)] == [one, other]]]
        for group in (one, other):
            low, high = np.searchsorted(self.sorted, [group, group + 1])
            affected.append(self.owners[low:high])
        self.look(np.unique(np.concatenate(affected)))

    def ready(self, by_result: bool) -> Ints:
        """Return the groups that can still be fused; only those that give the smallest group, if asked for (H3)."""
        most = self.least.min() if by_result else GONE - 1
        return self.groups[(self.least <= most) & (self.least < GONE)]
