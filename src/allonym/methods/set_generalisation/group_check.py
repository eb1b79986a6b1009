"""Whether tuples may be a group: at least k units, and what is required of sensitive columns."""

from __future__ import annotations

import numpy as np

from allonym.arrays import Ints, take_rows, to_rows
from allonym.privacy.counts import SensitiveCounts
from allonym.privacy.requirements import RequirementCheck
from allonym.records import Records


class GroupCheck:
    """What a group of tuples needs."""

    def __init__(self, records: Records, k: int) -> None:
        self.k, self._counts, self._units, self._sensitive = k, records.counts, records.units, records.sensitive
        self._by_row = records.units is not None or records.sensitive is not None
        if self._by_row:
            assert records.inverse is not None
            self._rows = to_rows(records.inverse, np.arange(len(records.inverse)), len(records))
        if self._sensitive is not None:
            self._requirements = RequirementCheck(self._sensitive, records.units)

    def is_met(self, tuples: Ints) -> bool:
        """Tell whether some tuples may be a group."""
        if self._counts[tuples].sum() < self.k:
            return False
        if not self._by_row:
            return True
        rows = take_rows(*self._rows, tuples)[1]
        units = None if self._units is None else self._units[rows]
        if units is not None and len(np.unique(units)) < self.k:
            return False
        return self._sensitive is None or not self._lacks(rows, units)

    def _lacks(self, rows: Ints, units: Ints | None) -> bool:
        """Tell whether some rows, as a group, lack something that is required of a sensitive column."""
        assert self._sensitive is not None
        for requirement in self._sensitive.requirements:
            codes = self._sensitive.codes[requirement.column][rows]
            counts = self._sensitive.each(requirement.column)[rows]
            held = SensitiveCounts.of(np.zeros(len(rows), np.int64), codes, counts, units)
            if (self._requirements.lacking(requirement, held) > 0).any():
                return True
        return False
