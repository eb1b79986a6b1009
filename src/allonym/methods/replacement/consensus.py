"""What stands for groups of sets: a set that is nobody's (`kinds.set_metric.consensus`)."""

from __future__ import annotations

from collections.abc import Iterator
from weakref import WeakKeyDictionary

import numpy as np

from allonym.arrays import Ints, distinct, sum_by
from allonym.kinds.set_metric import SetMetric
from allonym.kinds.set_metric.consensus import Consensus
from allonym.kinds.set_metric.consensus_search import Members
from allonym.methods.groups import Groups
from allonym.metric import Value
from allonym.records import Records, piece_of_rows

_KNOWN: WeakKeyDictionary[Records, dict[tuple[int, int], Consensus]] = WeakKeyDictionary()  # by attribute and k


def consensus_of(records: Records, a: int, k: int) -> Consensus:
    """Return what chooses the consensus of groups in an attribute of a table."""
    known = _KNOWN.setdefault(records, {})
    if (a, k) not in known:
        metric, codes = records.attributes[a].metric, records.codes[:, a]
        assert isinstance(metric, SetMetric)
        if records.units is None:
            known[a, k] = Consensus(metric, k, codes, records.counts)
        else:
            assert records.inverse is not None
            known[a, k] = Consensus(metric, k, codes[records.inverse], np.ones(records.n, np.int64), records.units)
    return known[a, k]


def consensus_values(records: Records, groups: Groups, a: int, k: int) -> list[Value]:
    """Return the consensus of each group in an attribute; null for suppressed records."""
    chosen = consensus_of(records, a, k)
    return [None if g == groups.suppressed else chosen.of(x) for g, x in enumerate(members(records, groups, a))]


def members(records: Records, groups: Groups, a: int) -> Iterator[Members]:
    """Yield the sets of each group, with what each counts and who holds it."""
    own = records.codes[groups.source, a]
    value, _, first = distinct([groups.group, own])
    codes, mass = own[first], sum_by(value, groups.mass(records), len(first))
    starts = np.searchsorted(groups.group[first], np.arange(len(groups) + 1))
    owned, people = _holders(records, groups, value, len(first))
    low, high = np.searchsorted(owned, starts[:-1]), np.searchsorted(owned, starts[1:])
    for g in range(len(groups)):
        some, rows = slice(starts[g], starts[g + 1]), slice(low[g], high[g])
        yield Members(codes[some], mass[some], people[rows], owned[rows] - starts[g])


def _holders(records: Records, groups: Groups, value: Ints, size: int) -> tuple[Ints, Ints]:
    """Return which value of a group is held by whom, in the order of values; of many persons, two are enough."""
    if records.units is None:
        rows = np.minimum(sum_by(value, groups.share.astype(np.float64), size).astype(np.int64), 2)
        owned = np.repeat(np.arange(size), rows)
        return owned, np.arange(len(owned))
    pieces = value[piece_of_rows(records, groups.source, groups.share)]
    width = int(records.units.max(initial=0)) + 1
    owned, people = np.divmod(np.unique(pieces * width + records.units), width)
    return owned, people
