"""What pieces of tuples hold: rows or persons, and values of sensitive columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from allonym.arrays import Ints
from allonym.methods.groups import Groups
from allonym.privacy.counts import SensitiveCounts
from allonym.privacy.requirements import RequirementCheck
from allonym.records import Records, piece_of_rows


class Holding:
    """What pieces hold; tells whether some of them would be a group that meets every requirement."""

    def __init__(self, records: Records, groups: Groups, k: int) -> None:
        self.k, self.rows = k, groups.share
        self.sensitive = records.sensitive if records.sensitive is not None and records.sensitive.requirements else None
        self.alone = np.flatnonzero(groups.share >= k)
        self.units: list[Ints] = []
        self.own: list[Ints] = []
        self.records = records
        if records.units is None and self.sensitive is None:
            return
        piece = piece_of_rows(records, groups.source, groups.share)
        order = np.argsort(piece, kind="stable")
        self.own = np.split(order, np.searchsorted(piece[order], np.arange(1, len(groups.share))))
        if records.units is not None:
            self.units = [np.unique(records.units[x]) for x in self.own]
            self.alone = np.flatnonzero(np.array([len(x) for x in self.units]) >= k)
        if self.sensitive is not None:
            self.requirement_check = RequirementCheck(self.sensitive, records.units)

    def enough(self, members: Sequence[int] | Ints) -> bool:
        """Tell whether there are k rows, or persons."""
        if int(self.rows[list(members)].sum()) < self.k:
            return False
        return not self.units or len(np.unique(np.concatenate([self.units[x] for x in members]))) >= self.k

    def holds(self, members: Sequence[int] | Ints) -> bool:
        """Tell whether some pieces would be a group that holds what is promised."""
        if not self.enough(members):
            return False
        if self.sensitive is None:
            return True
        rows = np.concatenate([self.own[x] for x in members])
        units = None if self.records.units is None else self.records.units[rows]
        one, sensitive = np.zeros(len(rows), np.int64), self.sensitive
        requirements = (
            (x, SensitiveCounts.of(one, sensitive.codes[x.column][rows], sensitive.each(x.column)[rows], units))
            for x in sensitive.requirements
        )
        return not any(self.requirement_check.lacking(requirement, held).any() for requirement, held in requirements)
