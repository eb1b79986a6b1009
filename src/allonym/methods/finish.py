"""From groups to a masking: groups are improved, records are suppressed, and a record is chosen for each group."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from allonym.arrays import Ints, count_units, distinct, sum_by
from allonym.measures import loss
from allonym.methods.groups import Groups
from allonym.methods.lower_bound.start import groups_by_price
from allonym.methods.refine import Effort, refined
from allonym.methods.replacement.allowed_values import CONSENSUS, representative_of
from allonym.methods.replacement.existing_records import empty_tuples, with_suppressed
from allonym.methods.represent import represent
from allonym.methods.requirements import Look, enforced
from allonym.methods.suppressing.cells import with_cells_suppressed
from allonym.metric import Metric
from allonym.privacy.counts import SensitiveCounts
from allonym.privacy.requirements import RequirementCheck
from allonym.records import Attribute, Masking, Pairs, Records, Suppression, piece_of_rows

DEFAULT_SHARE = 0.01  # of the records that may be suppressed, where nothing else is asked for
DEFAULT_RATIO = 10.0  # at least, of the share of the loss that is saved then to the share of records suppressed
SEARCHED = 0.8  # of the time: for the search without suppression, where records may be suppressed
MIN_SECONDS = 0.05  # of a search that continues when the time is nearly over
LITTLE = 0.1  # of the loss: groups that gain less are compared with those before, as they would be written

Tick = Callable[[int, int], None]


@dataclass(frozen=True)
class Finishing:
    """How groups become a masking.

    Args:
        k: how many records must be indistinguishable.
        metrics: the metrics by which the method chooses what represents a group.
        representative: what represents a group.
        effort: how groups are improved.
        cells: whether single cells may be suppressed.
        look: what represents the groups of a method that says so itself.
    """

    k: int
    metrics: Sequence[Metric]
    representative: str
    effort: Effort
    cells: bool = False
    look: Look | None = None

    def masked(self, records: Records, groups: Groups, tick: Tick) -> Masking:
        """Improve groups, suppress what loses less without its values, and choose what represents each group.

        What is suppressed is compared, as it would be written, with the same groups without suppression.
        """
        masking, before, chosen = self._with_records_suppressed(records, groups, tick)
        if self.effort.suppresses or self.cells:
            masking = replace(masking, suppression=Suppression(self.effort.budget, chosen, before, before))
            if self.cells:
                other = with_cells_suppressed(records, masking)
                masking = other if holds(records, other, self.k) else masking
            assert masking.suppression is not None
            told = replace(masking.suppression, loss=_sse(records, masking))
            masking = replace(masking, suppressed=None, suppression=told)
        return with_suppressed(records, masking)

    def _with_records_suppressed(self, records: Records, groups: Groups, tick: Tick) -> tuple[Masking, float, int]:
        """Improve groups, and suppress records where that is worth it.

        Returns:
            The masking, what it loses without suppression, and how many records are suppressed.
        """
        effort, seconds = self.effort, self.effort.seconds
        plain_effort = replace(effort, budget=0)
        if effort.budget and seconds is not None:
            plain_effort = replace(plain_effort, seconds=seconds * SEARCHED)
            seconds = max(seconds * (1 - SEARCHED), MIN_SECONDS)
        plain = self._improved(records, groups, tick, plain_effort)
        before = _sse(records, plain)
        if not effort.budget:
            return plain, before, 0
        if self.look is None:
            only_suppress = replace(effort, refine=False, seconds=seconds)
            masking = self._searched(records, _groups_of(plain), tick, only_suppress)
        else:  # the method names the values of its groups, which no others have
            masking = self._improved(records, groups, tick, replace(effort, seconds=seconds))
        chosen = _suppressed_records(records, masking)
        if chosen and self._is_kept(records, masking, chosen, before):
            return masking, before, chosen
        return plain, before, 0

    def _is_kept(self, records: Records, masking: Masking, chosen: int, lost_before: float) -> bool:
        """Tell whether suppression keeps every promise and saves enough for so many records."""
        saved = 1 - _sse(records, masking) / lost_before if lost_before > 0 else 0.0
        return saved > (self.effort.min_ratio or 0.0) * chosen / records.n and holds(records, masking, self.k)

    def _improved(self, records: Records, groups: Groups, tick: Tick, effort: Effort) -> Masking:
        """Return groups that are improved, as they would be written; those before, if they lose less."""
        if records.units is not None or records.sensitive is not None:
            groups, _, _ = self._enforced(records, groups, tick, self.look)
        if not effort.refine and not effort.budget:
            return _masking(*self._enforced(records, groups, tick, self.look))
        if not effort.refine or self.look is not None:
            return self._searched(records, groups, tick, effort)
        return self._from_several_starts(records, groups, tick, effort)

    def _from_several_starts(self, records: Records, groups: Groups, tick: Tick, effort: Effort) -> Masking:
        """Search from the groups of the method and, in small tables, from those that the lower bound suggests.

        Of a time limit, a quarter is spent on each start and the rest on the better groups.
        """
        limited = effort.seconds is not None
        first = replace(effort, seconds=(effort.seconds or 0.0) / 4, budget=0) if limited else effort
        began = time.monotonic()
        masking = self._searched(records, groups, tick, first)
        start = groups_by_price(records, masking, self.k, self.representative)
        if start is not None:
            if records.units is not None or records.sensitive is not None:
                start, _, _ = self._enforced(records, start, tick)
            masking = _better(records, masking, self._searched(records, start, tick, replace(first, walks=False)))
        if not limited:
            return masking
        left = max((effort.seconds or 0.0) - (time.monotonic() - began), MIN_SECONDS)
        longer = replace(effort, seconds=left, walks=False)
        return _better(records, masking, self._searched(records, _groups_of(masking), tick, longer))

    def _searched(self, records: Records, groups: Groups, tick: Tick, effort: Effort) -> Masking:
        """Return groups that are improved by the search, as they would be written; those before, if they lose less."""
        found = refined(records, groups, self.k, self.metrics, self.representative, tick, effort)
        if found.gain >= LITTLE and effort.refine and self.look is None and not self._is_estimated(records):
            return _masking(*self._enforced(records, found.groups, tick))
        masking = _masking(*self._enforced(records, groups, tick, self.look))
        if found.gain > 0:
            masking = _better(records, masking, _masking(*self._enforced(records, found.groups, tick)))
        return masking

    def _is_estimated(self, records: Records) -> bool:
        """Tell whether the search judges groups by other sets than those that are written: by their medoids."""
        return any(representative_of(x, self.representative) == CONSENSUS for x in records.attributes)

    def _enforced(
        self, records: Records, groups: Groups, tick: Tick, look: Look | None = None
    ) -> tuple[Groups, Ints, tuple[Attribute, ...]]:
        def stands(groups: Groups) -> tuple[Ints, tuple[Attribute, ...]]:
            return represent(records, groups, self.k, self.metrics, self.representative)

        return enforced(records, groups, self.k, self.metrics, look or stands, tick)


def effort_of(
    records: Records,
    *,
    refine: bool,
    seconds: float | None,
    seed: int,
    suppress: float | None,
    truthful: bool,
) -> Effort:
    """Return how groups are improved.

    Args:
        suppress: the share of records that may be suppressed. Without one, a little may be where it saves much, if
            groups are improved and what represents them must be true of all (`truthful`).
    """
    share = suppress if suppress is not None else DEFAULT_SHARE if truthful and refine else 0.0
    budget = math.floor(share * records.n + 1e-9)
    return Effort(refine, seconds, seed, budget, DEFAULT_RATIO if suppress is None else None, suppresses=share > 0)


def _masking(groups: Groups, codes: Ints, attributes: tuple[Attribute, ...]) -> Masking:
    suppressed = None if groups.suppressed is None else groups.group == groups.suppressed
    return Masking(groups.source, groups.share, groups.group, codes, attributes, suppressed)


def _groups_of(masking: Masking) -> Groups:
    """Return the groups of a masking without suppressed records."""
    return Groups.of(np.stack([masking.source, masking.share, masking.groups], axis=1))


def _better(records: Records, masking: Masking, other: Masking) -> Masking:
    """Return the one of two maskings that loses less; the first of equals."""
    return other if _sse(records, other) < _sse(records, masking) else masking


def _sse(records: Records, masking: Masking) -> float:
    return loss.sse(Pairs.of(records, masking))


def _suppressed_records(records: Records, masking: Masking) -> int:
    """Return how many records are suppressed that had a value before."""
    if masking.suppressed is None:
        return 0
    empty = empty_tuples(records)[masking.source]
    return int(masking.share[masking.suppressed & ~empty].sum())


def holds(records: Records, masking: Masking, k: int) -> bool:
    """Tell whether all records that look the same are k units or more, and meet what sensitive columns require."""
    classes = distinct(list(masking.codes.T))[0]
    number = int(classes.max(initial=-1)) + 1
    if records.units is None and records.sensitive is None:
        return bool((sum_by(classes, masking.share.astype(np.float64), number) >= k).all())
    rows = classes[piece_of_rows(records, masking.source, masking.share)]
    if records.units is None:
        enough = sum_by(classes, masking.share.astype(np.float64), number) >= k
    else:
        enough = count_units(rows, records.units, number) >= k
    return bool(enough.all()) and not _lacks(records, rows)


def _lacks(records: Records, classes: Ints) -> bool:
    """Tell whether one of the classes of rows lacks something that sensitive columns require."""
    sensitive = records.sensitive
    if sensitive is None or not sensitive.requirements:
        return False
    check = RequirementCheck(sensitive, records.units)
    for requirement in sensitive.requirements:
        codes, each = sensitive.codes[requirement.column], sensitive.each(requirement.column)
        if check.lacking(requirement, SensitiveCounts.of(classes, codes, each, records.units)).any():
            return True
    return False
