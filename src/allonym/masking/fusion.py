"""Record fusion: small groups of equal records take the values of another group, until all have k (P0 §4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from allonym.knowledge.similarity import MEASURES
from allonym.masking.base import Anonymising, Tick, silent
from allonym.masking.groups import Groups, distances, values_of
from allonym.masking.microaggregation import DIGITS
from allonym.masking.refine import finished
from allonym.masking.represent import represent
from allonym.records import Attribute, Ints, Masking, Metric, Records

HEURISTICS = ("none", "h1", "h1+target", "h1+h2", "h1+h2+h3")
GUIDES = ("similarity", "hierarchy", "discernibility", "random")  # or a measure of similarity
NONE = np.iinfo(np.int64).max  # more rows than any group has


@dataclass(frozen=True)
class Fusion(Anonymising):
    """Groups of equal records take the values of the group most like them; only values of the data are written."""

    heuristics: str = "h1+h2+h3"
    guide: str = "similarity"
    refine: bool = False  # whether the groups are made better by a local search
    name: ClassVar[str] = "fusion"
    about: ClassVar[str] = "small groups take the values of the most similar group: only values in the data"

    @property
    def by_hierarchy(self) -> bool:
        """Whether hierarchies are needed."""
        return self.guide == "hierarchy"

    def problems(self) -> Iterator[str]:
        """Say what is wrong with the parameters."""
        yield from problems_of(heuristics=(self.heuristics, HEURISTICS), guide=(self.guide, (*GUIDES, *MEASURES)))
        if not isinstance(self.refine, bool):
            yield "refine must be true or false."

    def mask(self, records: Records, seed: int = 0, tick: Tick = silent) -> Masking:
        """Fuse groups until each has k records, and k persons; the group that stayed gives its values."""
        rng = np.random.Generator(np.random.Philox(key=seed))
        into = Fusing(records, self.k, rng, self.heuristics, self.guide).run(tick)
        return fused(records, into, self.k, tick, refine=self.refine)


def problems_of(**parameters: tuple[str, Iterable[str]]) -> Iterator[str]:
    """Say which parameters are none of those that are known."""
    for name, (given, known) in parameters.items():
        if given not in known:
            yield f"{name} is {given!r}, it must be one of {', '.join(known)}."


def guiding(records: Records, guide: str) -> list[Metric]:
    """Return the distances that guide: the attributes' own, those of a measure, or those of a hierarchy."""
    if guide == "hierarchy":
        return [attribute.tree or attribute.metric for attribute in records.attributes]
    own = [attribute.metric for attribute in records.attributes]
    return [metric.by(guide) for metric in own] if guide in MEASURES else own


def fused(records: Records, into: Ints, k: int, tick: Tick = silent, *, refine: bool = False) -> Masking:
    """Return the masking in which each tuple has the values of another, or of a group that holds what is promised."""
    pieces = np.stack([np.arange(len(records)), records.counts, into], axis=1)
    metrics = [attribute.metric for attribute in records.attributes]

    def look(groups: Groups) -> tuple[Ints, tuple[Attribute, ...]]:
        return represent(records, groups, k, metrics, "member", _stayed(groups, into))

    return finished(records, Groups.of(pieces), k, metrics, "member", tick, look, refine=refine)


def _stayed(groups: Groups, into: Ints) -> Ints:
    """Return for each group the tuple whose values it has: of several that stayed, the one that most rows took."""
    rows = np.bincount(into, weights=np.bincount(groups.source, weights=groups.share, minlength=len(into)))
    found = []
    for pieces in groups.members():
        own = np.unique(into[groups.source[pieces]])
        found.append(int(own[np.argmax(rows[own])]))
    return np.array(found, np.int64)


class Fusing:
    """The groups there are: `into` says whose values each tuple has now."""

    def __init__(self, records: Records, k: int, rng: np.random.Generator, heuristics: str, guide: str) -> None:
        self.metrics = guiding(records, guide)
        self.columns, self.shares = np.ascontiguousarray(records.codes.T), records.shares
        self.sizes = records.counts.astype(np.int64).copy()  # NONE, once a group is gone
        self.k, self.rng, self.heuristics, self.guide = k, rng, heuristics, guide
        self.into = np.arange(len(records))
        self.left = len(records)

    def run(self, tick: Tick) -> Ints:
        """Fuse groups, the smallest first, until none is smaller than k."""
        total = int((self.sizes < self.k).sum())
        while self.left > 1 and (smallest := int(self.sizes.min())) < self.k:
            if self.heuristics == "none":
                self.fuse(*self.any_pair(np.flatnonzero(self.sizes < self.k)))
            elif self.heuristics == "h1" or self.guide == "random":
                self.fuse(*self.any_pair(np.flatnonzero(self.sizes == smallest)))
            elif self.heuristics == "h1+target" or self.guide == "discernibility":
                one = self.drawn(np.flatnonzero(self.sizes == smallest))
                self.fuse(one, self.target(self.best(one)[1]))
            else:
                self.level(smallest)
            tick(total - int((self.sizes < self.k).sum()), total)
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
        others = np.flatnonzero(self.sizes < NONE)
        return one, self.drawn(others[others != one])

    def fuse(self, one: int, other: int) -> None:
        """Let a group take the values of another."""
        self.sizes[other] += self.sizes[one]
        self.sizes[one] = NONE
        self.into[one] = other
        self.left -= 1

    def best(self, one: int) -> tuple[float, Ints]:
        """Return how far the groups are that a group may best fuse with, and which these are."""
        if self.guide == "discernibility":
            far = self.sizes.astype(np.float64)  # 2·|I|·|I'| grows with the other's size alone
        else:
            values = values_of(self.metrics, self.columns, one)
            far = np.round(distances(self.metrics, self.shares, values, self.columns), DIGITS)
        far[self.sizes == NONE] = np.inf
        far[one] = np.inf
        least = float(far.min())
        return least, np.flatnonzero(far == least)

    def target(self, groups: Ints) -> int:
        """Return the smallest of some groups; the first of equals."""
        return int(groups[np.argmin(self.sizes[groups])])

    def level(self, smallest: int) -> None:
        """Fuse all groups of the smallest size: those with the best target first (H2), the least result first (H3)."""
        open_groups = {int(g): self.best(int(g)) for g in np.flatnonzero(self.sizes == smallest)}
        while open_groups and self.left > 1:
            nearest = min(far for far, _ in open_groups.values())
            here = [g for g, (far, _) in sorted(open_groups.items()) if far == nearest]
            flat = np.concatenate([open_groups[g][1] for g in here])
            starts = np.cumsum([0, *(len(open_groups[g][1]) for g in here[:-1])])
            members = np.array(here)
            while True:
                least = np.minimum.reduceat(self.sizes[flat], starts)
                ready = (self.sizes[members] == smallest) & (least < NONE)
                if not ready.any() or self.left == 1:
                    break
                if self.heuristics == "h1+h2+h3":
                    ready &= least == least[ready].min()
                one = self.drawn(members[ready])
                self.fuse(one, self.target(open_groups[one][1]))
            for g in here:
                far_and_targets = open_groups.pop(g)
                if self.sizes[g] == smallest and self.left > 1:
                    assert (self.sizes[far_and_targets[1]] == NONE).all()
                    open_groups[g] = self.best(g)
