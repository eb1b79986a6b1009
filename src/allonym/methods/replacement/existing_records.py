"""Records of the table stand for groups: every value that is written, and every combination, exists in the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints, frozen, sum_by
from allonym.kinds.metric import tolerance
from allonym.methods.groups import Groups
from allonym.metric import Metric
from allonym.ontology.narrower import is_narrower, true_of_all
from allonym.records import Attribute, Masking, Records

Bools = NDArray[np.bool_]
EXISTING = "existing"  # the representative of a method that writes existing records only
MAX_MEMBERS = 256  # of a group, whose loss is computed: those with the least distances to all
MAX_OTHERS = 5_000  # records of the table that may stand for a group without a member to write: the most frequent
MAX_PAIRS = 4_000_000  # distances that are computed at once


def publishable(records: Records, k: int) -> Bools:
    """Return which tuples may be written as they stand: those of which at least k units hold every value."""
    if records.publishable is not None:
        return records.publishable
    may = np.ones(len(records), bool)
    for a, attribute in enumerate(records.attributes):
        missing = np.array([value is None for value in attribute.values], bool)
        may &= ((records.holders(a) >= k) | missing)[records.codes[:, a]]
    return may


class ExistingRecords:
    """Which tuple of the table stands for a group.

    It is the member that loses least (Σ ω·d²) of those that may be written; without such a member, one of the records
    of the table that are nearest to the members. A leaf below a concept is written only where all of the group have it.
    """

    def __init__(self, records: Records, k: int, metrics: Sequence[Metric]) -> None:
        self.records, self.metrics, self.codes = records, metrics, records.codes
        self.publishable = publishable(records, k)
        self.leaves = [np.array([is_narrower(v) for v in x.values], bool) for x in records.attributes]
        has_leaf = np.zeros(len(records), bool)
        for a, leaves in enumerate(self.leaves):
            has_leaf |= leaves[self.codes[:, a]]
        self.has_leaf = has_leaf
        others = np.flatnonzero(self.publishable & ~has_leaf)
        self.others = np.sort(others[np.argsort(-records.mass[others], kind="stable")[:MAX_OTHERS]])
        self._nearest = np.full(len(records), -1, np.int64)  # of `others`, by tuple; -1: not known yet

    def stands_for(self, tuples: Ints, mass: Floats, preferred: int | None = None) -> int | None:
        """Return the tuple that stands for a group of tuples: the preferred one, if it may; None, if there is none."""
        if preferred is not None and self._may_stand(preferred, tuples):
            return preferred
        candidates = np.unique(tuples[self.publishable[tuples]])
        if self.has_leaf[candidates].any():
            candidates = np.array([x for x in candidates.tolist() if self._may_stand(x, tuples)], np.int64)
        if not candidates.size:
            if not self.others.size:
                return None
            candidates = np.unique(self._nearest_others(np.unique(tuples)))
        if len(candidates) == 1:
            return int(candidates[0])
        if len(candidates) > MAX_MEMBERS:
            costs = self._sums(candidates, tuples, mass)
            candidates = np.sort(candidates[np.argsort(np.round(costs, 12), kind="stable")[:MAX_MEMBERS]])
        costs = self._losses(candidates, tuples, mass)
        return int(candidates[np.argmax(costs <= costs.min() + tolerance(float(costs.min())))])

    def _may_stand(self, one: int, tuples: Ints) -> bool:
        """Tell whether a tuple may be written for a group: a leaf only where it is true of all."""
        if not self.publishable[one] or not self.has_leaf[one]:
            return bool(self.publishable[one])
        for a, leaves in enumerate(self.leaves):
            if leaves[code := self.codes[one, a]]:
                values = self.records.attributes[a].values
                group = (values[c] for c in np.unique(self.codes[tuples, a]).tolist())
                if true_of_all(values[code], group) != values[code]:
                    return False
        return True

    def _distances(self, a: int, codes: Ints, candidates: Ints) -> Floats:
        """Return what values (rows) lose in an attribute if they become others (columns), given by code."""
        distances = self.metrics[a].distances(codes[:, None], candidates[None, :])
        null = np.array([self.metrics[a].values[c] is None for c in candidates.tolist()], bool)
        return np.where(null, self.records.null_costs[a][codes][:, None], distances) if null.any() else distances

    def _between(self, tuples: Ints, candidates: Ints) -> Floats:
        """Return what tuples (rows) lose if they become others (columns)."""
        total = np.zeros((len(tuples), len(candidates)))
        for a, share in enumerate(self.records.shares.tolist()):
            own, other = self.codes[tuples, a], self.codes[candidates, a]
            if (known := self._known[a]) is not None:
                total += share * known[own[:, None], other]
                continue
            own, own_place = np.unique(own, return_inverse=True)
            other, other_place = np.unique(other, return_inverse=True)
            total += share * self._distances(a, own, other)[own_place.ravel()][:, other_place.ravel()]
        return total

    @cached_property
    def _known(self) -> list[Floats | None]:
        """The distances between all values of each attribute, unless they are too many."""
        sizes = [len(attribute.values) for attribute in self.records.attributes]
        every = [np.arange(size) for size in sizes]
        return [self._distances(a, x, x) if x.size**2 <= MAX_PAIRS else None for a, x in enumerate(every)]

    def _losses(self, candidates: Ints, tuples: Ints, mass: Floats) -> Floats:
        """Return Σ ω·d² of a group for each candidate."""
        costs = np.zeros(len(candidates))
        step = max(1, MAX_PAIRS // len(candidates))
        for low in range(0, len(tuples), step):
            part = slice(low, low + step)
            costs += mass[part] @ self._between(tuples[part], candidates) ** 2
        return costs

    def _sums(self, candidates: Ints, tuples: Ints, mass: Floats) -> Floats:
        """Return Σ ω·d of a group for each candidate, attribute by attribute."""
        costs = np.zeros(len(candidates))
        for a, share in enumerate(self.records.shares.tolist()):
            own, place = np.unique(self.codes[tuples, a], return_inverse=True)
            other, other_place = np.unique(self.codes[candidates, a], return_inverse=True)
            held = sum_by(place.ravel(), mass, len(own))
            costs += share * (held @ self._distances(a, own, other))[other_place.ravel()]
        return costs

    def _nearest_others(self, tuples: Ints) -> Ints:
        """Return for each tuple the nearest record of the table that may stand for any group; the first of equals."""
        unknown = tuples[self._nearest[tuples] < 0]
        step = max(1, MAX_PAIRS // len(self.others))
        for low in range(0, len(unknown), step):
            part = unknown[low : low + step]
            far = np.round(self._between(part, self.others), 12)
            self._nearest[part] = self.others[far.argmin(axis=1)]
        return self._nearest[tuples]


def existing_records(
    records: Records, groups: Groups, k: int, metrics: Sequence[Metric], preferred: Ints | None = None
) -> tuple[Ints, tuple[Attribute, ...]]:
    """Return the codes that every piece takes, and the attributes; null in all of them, where no record may stand."""
    existing, mass = ExistingRecords(records, k, metrics), groups.mass(records)
    chosen = []
    for g, pieces in enumerate(groups.members()):
        named = None if preferred is None else int(preferred[g])
        chosen.append(
            None if g == groups.suppressed else existing.stands_for(groups.source[pieces], mass[pieces], named)
        )
    attributes = records.attributes
    suppressed = np.array([x is None for x in chosen], bool)
    codes = records.codes[np.array([x or 0 for x in chosen], np.int64)].copy()
    if suppressed.any():
        attributes = tuple(replace(x, metric=x.metric.extend([None])) for x in attributes)
        codes[suppressed] = [x.values.index(None) for x in attributes]
    return codes[groups.group], attributes


def with_suppressed(records: Records, masking: Masking) -> Masking:
    """Return a masking that says which pieces have lost all their values."""
    gone, empty = (_all_null(masking.attributes, codes) for codes in (masking.codes, records.codes[masking.source]))
    suppressed = gone & ~empty
    return replace(masking, suppressed=frozen(suppressed)) if suppressed.any() else masking


def empty_tuples(records: Records) -> Bools:
    """Return which tuples had no values before."""
    return _all_null(records.attributes, records.codes)


def _all_null(attributes: Sequence[Attribute], codes: Ints) -> Bools:
    """Return which tuples of codes are null in all attributes."""
    null = np.ones(len(codes), bool)
    for a, attribute in enumerate(attributes):
        null &= np.array([value is None for value in attribute.values], bool)[codes[:, a]]
    return null
