"""Suppression within a budget: proposals are finished like any groups, and taken if they hold and lose less."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from allonym.arrays import Ints, count_units, distinct, sum_by
from allonym.measures import loss
from allonym.methods.blocks import Block, Partitioning, of, partitioned
from allonym.methods.groups import Groups
from allonym.methods.replacement.existing_records import with_suppressed
from allonym.methods.suppressing.cells import with_cells_suppressed
from allonym.methods.suppressing.choice import Choice
from allonym.privacy.counts import SensitiveCounts
from allonym.privacy.requirements import RequirementCheck
from allonym.records import Masking, Pairs, Records, Suppression, piece_of_rows

MAX_REGROUPED = 4_000  # tuples that are grouped anew without those that are suppressed
MIN_SAVED = 1e-9  # of what is lost: less is no saving
DEFAULT_SHARE = 0.01  # of the records, where nothing else is asked for
DEFAULT_RATIO = 10.0  # at least, of the share of the loss that is saved then to the share of records suppressed

Finish = Callable[[Groups], Masking]  # makes groups hold what is promised, and chooses what replaces each


@dataclass(frozen=True)
class Suppressing:
    """What may be suppressed: a share of the records, and single cells."""

    records: float = 0.0
    cells: bool = False
    min_ratio: float = 0.0  # by which the share of the loss that is saved must exceed the share of records

    @classmethod
    def of(cls, records: float | None, cells: bool, *, truthful: bool) -> Suppressing:
        """Return what may be suppressed: what is asked for; else, a little, where it saves much."""
        if records is None:
            return cls(DEFAULT_SHARE if truthful else 0.0, cells, DEFAULT_RATIO)
        return cls(records, cells)

    def budget(self, records: Records) -> int:
        """Return how many records may be suppressed."""
        return math.floor(self.records * records.n + 1e-9)

    def is_worth_it(self, records: Records, masking: Masking, before: float) -> bool:
        """Tell whether the share of the loss that is saved is large enough for the share of records suppressed."""
        chosen = 0 if masking.suppression is None else masking.suppression.records
        return 1 - _sse(records, masking) / before >= self.min_ratio * chosen / records.n

    def masked(
        self, method: Partitioning, records: Records, groups: Groups, representative: str, finish: Finish, seed: int
    ) -> Masking:
        """Finish groups; suppress what loses less without its values, if every promise holds then."""
        masking, budget = finish(groups), self.budget(records)
        if not self.records and not self.cells:
            return with_suppressed(records, masking)
        before = _sse(records, masking)
        masking = replace(masking, suppression=Suppression(budget, 0, before, before))
        if budget and before > 0:
            other = with_records_suppressed(method, records, masking, representative, finish, seed)
            masking = other if self.is_worth_it(records, other, before) else masking
        if self.cells:
            other = with_cells_suppressed(records, masking)
            masking = other if holds(records, other, method.k) else masking
        assert masking.suppression is not None
        told = replace(masking.suppression, loss=_sse(records, masking))
        return with_suppressed(records, replace(masking, suppressed=None, suppression=told))


def with_records_suppressed(
    method: Partitioning, records: Records, masking: Masking, representative: str, finish: Finish, seed: int
) -> Masking:
    """Return the masking that loses least: without suppression, or with records suppressed within a budget.

    Records are chosen from the groups as they are. The others stay in these groups, or are grouped anew where they are
    not too many: whichever loses less.
    """
    told = masking.suppression
    assert told is not None
    assert told.loss_before is not None
    choice = Choice(records, masking, method.k, method.metrics(records), representative, told.budget)
    chosen = choice.run()
    if chosen is None:
        return masking
    proposals = [chosen]
    if len(records) <= MAX_REGROUPED:
        proposals += _regrouped(method, records, chosen, seed)
    best, least = masking, told.loss_before * (1 - MIN_SAVED)
    for groups in proposals:
        candidate = finish(groups)
        lost = _sse(records, candidate)
        if lost < least and holds(records, candidate, method.k):
            best, least = replace(candidate, suppression=replace(told, records=choice.chosen)), lost
    return best


def _sse(records: Records, masking: Masking) -> float:
    return loss.sse(Pairs.of(records, masking))


def _regrouped(method: Partitioning, records: Records, groups: Groups, seed: int) -> list[Groups]:
    """Return the groups that a method makes of the records that are not suppressed; none, if these are too few."""
    kept = groups.group != groups.suppressed
    tuples, place = np.unique(groups.source[kept], return_inverse=True)
    rows = np.bincount(place.ravel(), weights=groups.share[kept]).astype(np.int64)
    if rows.sum() < method.k:
        return []
    mass = sum_by(place.ravel(), groups.mass(records)[kept], len(tuples))
    block = Block(records.attributes, records.codes[tuples], rows, tuple_mass=mass)
    anew = of(partitioned(method, block, seed), tuples)
    last = len(anew)
    pieces = [
        np.stack([anew.source, anew.share, anew.group], axis=1),
        np.stack([groups.source[~kept], groups.share[~kept], np.full(int((~kept).sum()), last)], axis=1),
    ]
    named = None if anew.named is None else np.append(anew.named, groups.source[~kept][0])
    return [replace(Groups.of(np.concatenate(pieces), last), named=named)]


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
