"""Full-domain generalisation: every value of a column goes up its hierarchy to the same level (Samarati, Sweeney)."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints, count_units, distinct
from allonym.errors import OptionError
from allonym.methods.base import KAnonymityMethod, MethodInfo
from allonym.parameters import parameter
from allonym.privacy.counts import SensitiveCounts
from allonym.privacy.requirements import RequirementCheck
from allonym.progress import Progress, no_progress
from allonym.records import Attribute, Masking, Records

MAX_COMBINATIONS = 200_000  # of levels


@dataclass(frozen=True)
class Generalise(KAnonymityMethod):
    """The levels of the columns' hierarchies that lose least with k; records may be suppressed, up to a share."""

    info: ClassVar = MethodInfo(
        "generalise",
        "all values of a column go up its hierarchy to one level: nothing is untrue",
        kinds=("text", "category"),
    )
    suppression: float = parameter(0.0, "Share of records that may be suppressed.", minimum=0, below=1)

    def mask(self, records: Records, seed: int = 0, tick: Progress = no_progress) -> Masking:
        """Find the levels that lose least among those that keep the promise."""
        return _Lattice(records, self.k, self.suppression).best(tick)


@dataclass(frozen=True, eq=False)
class _Ladder:
    """One column: its attribute with the values of all levels, what each tuple becomes, and how far that is."""

    attribute: Attribute
    codes: Ints  # levels × tuples
    far: Floats  # levels × tuples
    lost: Floats  # tuples: how far null is


class _Lattice:
    """All combinations of levels."""

    def __init__(self, records: Records, k: int, suppression: float) -> None:
        self.records, self.k = records, k
        self.most = math.floor(suppression * records.n + 1e-9)
        self.ladders = [_ladder(records, a) for a in range(len(records.attributes))]
        self.requirement_check = (
            None if records.sensitive is None else RequirementCheck(records.sensitive, records.units)
        )
        self.lost = sum((share * x.lost for share, x in zip(records.shares, self.ladders, strict=True)), start=0.0)

    def best(self, tick: Progress) -> Masking:
        """Look at combinations from the one that would lose least on; stop when no other can lose less."""
        number = math.prod(len(x.codes) for x in self.ladders)
        if number > MAX_COMBINATIONS:
            raise OptionError(
                f"The hierarchies have {number:,} combinations of levels, more than {MAX_COMBINATIONS:,}.",
                hint="mask fewer columns, or give hierarchies with fewer levels.",
            )
        ways = list(itertools.product(*(range(len(x.codes)) for x in self.ladders)))
        least = np.array([self._loss(way) for way in ways])
        best: tuple[float, Masking] | None = None
        for done, i in enumerate(np.argsort(least, kind="stable").tolist()):
            tick(done, len(ways))
            if best is not None and least[i] >= best[0]:
                break
            groups, kept = self._groups(ways[i])
            if self.records.counts[~kept].sum() > self.most or self._lacks(np.where(kept, 0, 1), 2)[1] > 0:
                continue
            loss = self._loss(ways[i], kept)
            if best is None or loss < best[0]:
                best = loss, self._masking(ways[i], groups, kept)
        assert best is not None, "the top of every hierarchy is one value, so that all records look alike there"
        return best[1]

    def _loss(self, way: tuple[int, ...], kept: NDArray[np.bool_] | None = None) -> float:
        """Return SSE of a combination of levels, as if nothing or some were suppressed."""
        far = np.zeros(len(self.records))
        for share, ladder, level in zip(self.records.shares, self.ladders, way, strict=True):
            far += share * ladder.far[level]
        if kept is not None:
            far = np.where(kept, far, self.lost)
        return float((self.records.mass * far**2).sum())

    def _groups(self, way: tuple[int, ...]) -> tuple[Ints, NDArray[np.bool_]]:
        """Return the group of every tuple, and whether it is large enough."""
        records = self.records
        groups, _, first = distinct([x.codes[level] for x, level in zip(self.ladders, way, strict=True)])
        if records.units is None:
            sizes = np.bincount(groups, weights=records.counts)
        else:
            assert records.inverse is not None
            sizes = count_units(groups[records.inverse], records.units, len(first)).astype(np.float64)
        return groups, ((sizes >= self.k) & (self._lacks(groups, len(first)) == 0))[groups]

    def _lacks(self, groups: Ints, number: int) -> Floats:
        """Return what each group lacks of what is demanded of sensitive columns."""
        lacks, sensitive = np.zeros(number), self.records.sensitive
        if sensitive is None or self.requirement_check is None or self.records.inverse is None:
            return lacks
        rows = groups[self.records.inverse]
        for requirement in sensitive.requirements:
            codes = sensitive.codes[requirement.column]
            held = SensitiveCounts.of(rows, codes, sensitive.each(requirement.column), self.records.units)
            lacks[np.unique(rows)] += self.requirement_check.lacking(requirement, held)
        return lacks

    def _masking(self, way: tuple[int, ...], groups: Ints, kept: NDArray[np.bool_]) -> Masking:
        columns = []
        for ladder, level in zip(self.ladders, way, strict=True):
            null = ladder.attribute.values.index(None)
            columns.append(np.where(kept, ladder.codes[level], null))
        number = np.where(kept, groups, groups.max(initial=0) + 1)
        attributes = tuple(x.attribute for x in self.ladders)
        source = np.arange(len(self.records))
        dense = distinct([number])[0]
        return Masking(source, self.records.counts, dense, np.stack(columns, axis=1), attributes, ~kept)


def _ladder(records: Records, a: int) -> _Ladder:
    attribute = records.attributes[a]
    levels = attribute.metric.generalisations()
    metric = attribute.metric.extend([*(value for level in levels for value in level), None])
    places = {value: code for code, value in enumerate(metric.values)}
    own = records.codes[:, a]
    codes = np.array([[places[value] for value in level] for level in levels], np.int64)[:, own]
    far = np.stack([metric.distances(own, level) for level in codes])
    return _Ladder(replace(attribute, metric=metric), codes, far, metric.distances(own, places[None]))
