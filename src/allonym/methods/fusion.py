"""Record fusion (Martínez 2010, §4): small groups of equal records take another group's values until all have k."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from allonym.arrays import Ints
from allonym.errors import Problem
from allonym.methods.base import (
    REFINE,
    SUPPRESS_CELLS,
    VALUES,
    VALUES_CHOICES,
    MethodInfo,
    PartitionMethod,
    cell_conflicts,
    refines,
    suppress_parameter,
    time_limit_parameter,
)
from allonym.methods.blocks import Blocks, grouped
from allonym.methods.finish import Finishing, effort_of
from allonym.methods.groups import Groups
from allonym.methods.kernels.fusion import UNCOMPARED, UNGUIDED, fusion
from allonym.methods.refine import Effort
from allonym.methods.replacement.existing_records import EXISTING
from allonym.methods.represent import represent
from allonym.metric import Metric
from allonym.ontology.similarity import MEASURES
from allonym.parameters import parameter
from allonym.progress import Progress, no_progress
from allonym.records import Attribute, Masking, Records

HEURISTICS = ("none", "h1", "h1+target", "h1+h2", "h1+h2+h3", "h1+h2+h3-printed")
GUIDES = ("similarity", "hierarchy", "discernibility", "random")  # or a measure of similarity
TOWARDS = ("existing", "new")


@dataclass(frozen=True)
class Fusion(PartitionMethod):
    """Groups of equal records take the values of the group most like them."""

    info: ClassVar = MethodInfo(
        "fusion",
        "merges small groups of equal records with the most similar group, whose values they take",
    )
    heuristics: str = parameter("h1+h2+h3", "Which groups are fused first.", choices=HEURISTICS)
    guide: str = parameter("similarity", "What makes groups alike.", choices=(*GUIDES, *MEASURES))
    towards: str = parameter(
        "existing",
        "What two fused groups become: the values of the second, or new values near all records of both.",
        choices=TOWARDS,
    )
    refine: bool = parameter(True, REFINE)
    time_limit: float | None = time_limit_parameter()
    values: str = parameter("any", VALUES, choices=VALUES_CHOICES)
    suppress: float | None = suppress_parameter()
    suppress_cells: bool = parameter(False, SUPPRESS_CELLS)

    def conflicts(self, stated: Mapping[str, Any]) -> Iterator[Problem]:
        """Yield options that contradict others, or have no effect together with them."""
        yield from cell_conflicts(self.values, cells=self.suppress_cells)
        yield from options_without_effect(self.heuristics, self.guide, stated)
        if self.towards == "new" and self.writes_existing:
            text = "towards = new writes new values, but values = existing only those of records of the table."
            yield Problem("values-not-existing", text, "leave one of the two out.")
        if self.towards == "new" and self.guide == "hierarchy":
            text = "towards = new needs distances to new values, which a hierarchy does not have."
            yield Problem("new-not-in-hierarchy", text, "choose another guide, or towards = existing.")

    @property
    def needs_hierarchy(self) -> bool:
        """Whether hierarchies are needed."""
        return self.guide == "hierarchy"

    @property
    def bounded_representative(self) -> str | None:
        """What represents groups: a member."""
        return "member"

    def metrics(self, records: Records) -> list[Metric]:
        """Return the distances that guide."""
        return guiding(records, self.guide)

    def partition(self, records: Records, rng: np.random.Generator, tick: Progress) -> Groups:
        """Fuse groups until each has k records; the one that stayed is named, if its values do."""
        into = fused_into(records, self.k, rng, tick, self.heuristics, self.guide, new=self.towards == "new")
        groups = Groups.of(np.stack([np.arange(len(records)), records.counts, into], axis=1))
        return groups if self.towards == "new" else replace(groups, named=np.unique(into))

    def mask(
        self, records: Records, seed: int = 0, tick: Progress = no_progress, blocks: Blocks | None = None
    ) -> Masking:
        """Fuse groups until each has k records, and k persons; the group that stayed, or the centroid, gives values."""
        effort = effort_of(
            records,
            refine=refines(records, self.refine, self.time_limit),
            seconds=self.time_limit,
            seed=seed,
            suppress=self.suppress,
            truthful=False,
        )
        groups = grouped(self, records, seed, tick, blocks)
        if self.towards == "new":
            finishing = Finishing(self.k, self.metrics(records), "centroid", effort, self.suppress_cells)
            return finishing.masked(records, groups, tick)
        return _finished(
            records, groups, _into(groups), self.k, tick, effort, self.suppress_cells, self.writes_existing
        )


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


def options_without_effect(heuristics: str, guide: str, stated: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield the problem of a guide that heuristics ignore, or of heuristics that a guide ignores."""
    if heuristics in UNGUIDED and ("guide" in stated or guide != "similarity"):
        text = f"guide has no effect with heuristics = {heuristics}, which draws the group whose values are taken."
        hint = "leave guide out, or choose heuristics = h1+target, h1+h2 or h1+h2+h3."
        yield Problem("guide-without-effect", text, hint)
    elif guide in UNCOMPARED and ("heuristics" in stated or heuristics != "h1+h2+h3"):
        way = "draws the group whose values are taken" if guide == "random" else "takes the smallest other group"
        text = f"heuristics has no effect with guide = {guide}, which {way}."
        yield Problem("heuristics-without-effect", text, "leave heuristics out, or choose another guide.")


def fused_into(
    records: Records,
    k: int,
    rng: np.random.Generator,
    tick: Progress,
    heuristics: str,
    guide: str,
    *,
    new: bool = False,
) -> Ints:
    """Fuse groups until each has k records; return for every tuple the one that stayed of its group."""
    return fusion(records, guiding(records, guide), k, rng, tick, heuristics=heuristics, guide=guide, new=new)


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
