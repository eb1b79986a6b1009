"""Generalisation: values go up their hierarchies.

Full-domain generalisation moves every value of a column to the same level (Samarati, Sweeney). The items of sets are
generalised group by group (He and Naughton 2009), or for all records alike (Terrovitis, Mamoulis and Kalnis 2008).
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import InitVar, dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints, count_units, distinct, sum_by
from allonym.errors import OptionError, Problem
from allonym.kinds.registry import is_multivalued
from allonym.methods.base import KAnonymityMethod, MethodInfo
from allonym.methods.kernels.ties import DIGITS
from allonym.methods.set_generalisation.release import generalised_globally, generalised_locally
from allonym.parameters import parameter, parameters_of
from allonym.privacy.counts import SensitiveCounts
from allonym.privacy.requirements import RequirementCheck
from allonym.progress import Progress, no_progress
from allonym.records import Attribute, Masking, Records, Suppression

Bools = NDArray[np.bool_]
MAX_COMBINATIONS = 200_000  # of levels
MAX_SUPPRESSED_SETS = 200  # that are tried at one combination of levels
LOCAL, GLOBAL = "local", "global"  # recoding of sets


@dataclass(frozen=True)
class Generalise(KAnonymityMethod):
    """The levels of the columns' hierarchies that lose least with k; records may be suppressed, up to a share.

    Suppressed records are null in all columns, and so are a group like any other: together with records that have no
    values anyway, they are at least k units, and meet the requirements of sensitive columns. If the groups that lack
    something are too few for that, other groups are suppressed too: those that lose least.

    The sets of a column are generalised after that, within the groups of the other columns.
    """

    info: ClassVar = MethodInfo(
        "generalise",
        "replaces values by their ancestors: those of a column at one level of its hierarchy, the items of sets group "
        "by group; all values stay true",
        truthful=True,
    )
    suppress: float = parameter(
        0.0, "Share of records that may be suppressed, by the columns that are no sets.", minimum=0, below=1
    )
    recoding: str = parameter(
        LOCAL,
        "How the items of sets are generalised. local: group by group, so that k records have the same set; global: "
        "each item alike in all records, so that k records have each combination of a few items (k^m-anonymity). "
        "Whole sets may be unique then: global promises less.",
        choices=(LOCAL, GLOBAL),
    )
    items: int = parameter(
        2,
        "Items of a set that an attacker knows, with recoding = global: m of k^m-anonymity.",
        minimum=1,
        hint="2 or 3.",
    )
    leave_out: bool = parameter(
        True,
        "With recoding = global, leave an item out of all sets where that loses less than generalising it and others; "
        "without, as published, only where no generalisation reaches k.",
    )
    suppression: InitVar[float | None] = None  # older name of `suppress`

    def __post_init__(self, suppression: float | None) -> None:
        """Take a share that is given by its older name."""
        if suppression is not None:
            object.__setattr__(self, "suppress", suppression)

    @property
    def description(self) -> str:
        """What the method does, with how it generalises sets."""
        if self.recoding == LOCAL:
            return self.info.summary
        return (
            "replaces each item of a set by the same ancestor in all records, or leaves it out, so that k records have "
            f"each combination of up to {self.items} (k^{self.items}-anonymity); all values stay true"
        )

    @property
    def known_items(self) -> int | None:
        """The items of a set that an attacker may know, where k is promised for these."""
        return self.items if self.recoding == GLOBAL else None

    def conflicts(self, stated: Mapping[str, Any]) -> Iterator[Problem]:
        """Yield options that have no effect together with others; a saved plan states defaults, too."""
        changed = [x for x in ("items", "leave_out") if getattr(self, x) != parameters_of(self)[x].default]
        for name in changed if self.recoding == LOCAL else ():
            text = f"{name} has no effect: with recoding = local, k records have the same whole set."
            yield Problem(f"{name}-without-effect", text, f"omit {name}, or choose recoding = global.")
        if self.recoding == GLOBAL and self.suppress:
            text = "suppress has no effect: with recoding = global, items are left out, not records."
            yield Problem("suppress-without-effect", text, "omit suppress, or choose recoding = local.")

    def mask(self, records: Records, seed: int = 0, tick: Progress = no_progress) -> Masking:
        """Find the levels that lose least among those that keep the promise; generalise sets within their groups."""
        sets = [a for a, attribute in enumerate(records.attributes) if is_multivalued(attribute.kind)]
        if self.recoding == GLOBAL:
            assert sets == list(range(len(records.attributes))) == [0], "the plan is refused otherwise"
            return generalised_globally(records, self.k, self.items, seed, tick, leave_out=self.leave_out)
        if sets:
            return generalised_locally(records, sets, self.k, lambda part: self._levelled(part, tick), seed, tick)
        return self._levelled(records, tick)

    def _levelled(self, records: Records, tick: Progress) -> Masking:
        return _Lattice(records, self.k, self.suppress).best(tick)


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
        combinations = list(itertools.product(*(range(len(x.codes)) for x in self.ladders)))
        least = np.array([self._least_loss(levels) for levels in combinations])
        best: tuple[float, Masking] | None = None
        for done, i in enumerate(np.argsort(least, kind="stable").tolist()):
            tick(done, len(combinations))
            if best is not None and least[i] >= best[0]:
                break
            candidate = self._release(combinations[i], math.inf if best is None else best[0])
            if candidate is not None and (best is None or candidate[0] < best[0]):
                best = candidate
        assert best is not None, "the top of every hierarchy is one value, so that all records look alike there"
        return best[1]

    def _release(self, levels: tuple[int, ...], below: float) -> tuple[float, Masking] | None:
        """Return the loss of a combination of levels and its release; None, if it cannot keep the promise below a loss.

        Groups that lack something are suppressed. They are one group with the records that have only nulls.
        """
        columns = [x.codes[level] for x, level in zip(self.ladders, levels, strict=True)]
        groups, _, first = distinct(columns)
        nulls = [x.attribute.values.index(None) for x in self.ladders]
        is_null = np.all([column[first] == null for column, null in zip(columns, nulls, strict=True)], axis=0)
        lacking = (self._sizes(groups, len(first)) < self.k) | (self._lacks(groups, len(first)) > 0)
        suppressed = self._suppressed(levels, groups, lacking, is_null, below)
        if suppressed is None:
            return None
        gone = suppressed[groups]
        codes = np.stack([np.where(gone, null, column) for column, null in zip(columns, nulls, strict=True)], axis=1)
        number = distinct([np.where(gone, groups.max(initial=0) + 1, groups)])[0]
        attributes = tuple(x.attribute for x in self.ladders)
        source = np.arange(len(self.records))
        flags = gone & ~is_null[groups]
        rows = int(self.records.counts[flags].sum())
        told = Suppression(self.most, rows) if self.most else None
        counts = self.records.counts
        return self._loss(levels, gone), Masking(source, counts, number, codes, attributes, flags, suppression=told)

    def _suppressed(
        self, levels: tuple[int, ...], groups: Ints, lacking: Bools, is_null: Bools, below: float
    ) -> Bools | None:
        """Return which groups are null in a release, with the least loss; None, if no such set keeps the promise.

        They are those that lack something, those that have only nulls, and others that lose less so or are needed.
        """
        number = len(lacking)
        always = lacking | is_null
        rows = np.bincount(groups, weights=np.where(is_null[groups], 0, self.records.counts), minlength=number)
        budget = self.most - rows[always].sum()
        if budget < 0:
            return None
        extra = self.records.mass * (self.lost**2 - self._far(levels) ** 2)
        costs = np.round(sum_by(groups, extra, number), DIGITS)
        others = np.flatnonzero(~always & (rows <= budget))
        others = others[np.argsort(np.abs(costs[others]), kind="stable")]
        cheaper = always.copy()
        cheaper[others[costs[others] < 0]] = True  # null loses less than the value
        base = self._loss(levels, cheaper[groups])
        for cost, some in itertools.islice(_cheapest_sets(np.abs(costs[others])), MAX_SUPPRESSED_SETS):
            if base + cost >= below:
                return None
            chosen = cheaper.copy()
            chosen[others[some]] ^= True
            if rows[others][chosen[others]].sum() <= budget and (not chosen.any() or self._is_group(chosen[groups])):
                return chosen
        return None if lacking.any() else always

    def _is_group(self, some: Bools) -> bool:
        """Tell whether some tuples, were they one group, would have k units and meet the requirements."""
        one = np.where(some, 0, -1)
        return bool(self._sizes(one, 1)[0] >= self.k and self._lacks(one, 1)[0] == 0)

    def _far(self, levels: tuple[int, ...]) -> Floats:
        """Return how far every tuple is from what it becomes at a combination of levels."""
        far = np.zeros(len(self.records))
        for share, ladder, level in zip(self.records.shares, self.ladders, levels, strict=True):
            far += share * ladder.far[level]
        return far

    def _least_loss(self, levels: tuple[int, ...]) -> float:
        """Return a bound below SSE of a combination of levels, whatever is suppressed."""
        far = self._far(levels)
        return float((self.records.mass * (np.minimum(far, self.lost) if self.most else far) ** 2).sum())

    def _loss(self, levels: tuple[int, ...], suppressed: Bools | None = None) -> float:
        """Return SSE of a combination of levels, as if nothing or some were suppressed."""
        far = self._far(levels)
        if suppressed is not None:
            far = np.where(suppressed, self.lost, far)
        return float((self.records.mass * far**2).sum())

    def _sizes(self, groups: Ints, number: int) -> Floats:
        """Return how many units each group of tuples has; tuples of group -1 are in none."""
        records, grouped = self.records, groups >= 0
        if records.units is None:
            return sum_by(groups[grouped], records.counts[grouped].astype(np.float64), number)
        assert records.inverse is not None
        rows = groups[records.inverse]
        return count_units(rows[rows >= 0], records.units[rows >= 0], number).astype(np.float64)

    def _lacks(self, groups: Ints, number: int) -> Floats:
        """Return what each group lacks of what is demanded of sensitive columns; tuples of group -1 are in none."""
        lacks, sensitive, units = np.zeros(number), self.records.sensitive, self.records.units
        if sensitive is None or self.requirement_check is None or self.records.inverse is None:
            return lacks
        rows = groups[self.records.inverse]
        grouped = rows >= 0
        rows, units = rows[grouped], None if units is None else units[grouped]
        for requirement in sensitive.requirements:
            codes, counts = sensitive.codes[requirement.column], sensitive.each(requirement.column)
            held = SensitiveCounts.of(rows, codes[grouped], counts[grouped], units)
            lacks[np.unique(rows)] += self.requirement_check.lacking(requirement, held)
        return lacks


def _cheapest_sets(costs: Floats) -> Iterator[tuple[float, list[int]]]:
    """Yield sets of places in order of the sum of their costs, from the empty set on; costs are sorted.

    >>> [places for _, places in _cheapest_sets(np.array([1.0, 2.0, 4.0]))][:5]
    [[], [0], [1], [0, 1], [2]]
    """
    yield 0.0, []
    heap: list[tuple[float, list[int]]] = [(float(costs[0]), [0])] if len(costs) else []
    while heap:
        cost, places = heapq.heappop(heap)
        yield cost, places
        *others, last = places
        if last + 1 < len(costs):
            step = float(costs[last + 1])
            heapq.heappush(heap, (cost + step, [*places, last + 1]))
            heapq.heappush(heap, (cost + step - float(costs[last]), [*others, last + 1]))


def _ladder(records: Records, a: int) -> _Ladder:
    attribute = records.attributes[a]
    levels = attribute.metric.generalisations()
    metric = attribute.metric.extend([*(value for level in levels for value in level), None])
    places = {value: code for code, value in enumerate(metric.values)}
    own = records.codes[:, a]
    codes = np.array([[places[value] for value in level] for level in levels], np.int64)[:, own]
    lost = records.null_costs[a][own]
    far = np.stack([np.where(level == places[None], lost, metric.distances(own, level)) for level in codes])
    return _Ladder(replace(attribute, metric=metric), codes, far, lost)
