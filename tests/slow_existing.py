"""Slow, obviously correct choice of an existing record for a group: a test oracle.

Nothing is shared with the package. A record is a tuple of values, None is null; the distance of two records is the mean
over their attributes. Writing null for a value costs what the caller says.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Sequence

Record = tuple[Hashable, ...]
Distance = Callable[[Record, Record], float]  # what a record loses if another is written for it


def publishable(records: Sequence[Record], units: Sequence[int], k: int) -> set[Record]:
    """Return the records of which every value that is not null is held by at least k units."""
    holders = [Counter() for _ in records[0]]
    for a, held in enumerate(holders):
        held.update(value for value, _ in {(record[a], unit) for record, unit in zip(records, units, strict=True)})
    return {
        record for record in records if all(value is None or holders[a][value] >= k for a, value in enumerate(record))
    }


def loss(group: Sequence[Record], record: Record, distance: Distance) -> float:
    """Return Σ d² of a group that becomes a record."""
    return sum(distance(member, record) ** 2 for member in group)


def candidates(group: Sequence[Record], allowed: set[Record], distance: Distance) -> set[Record]:
    """Return the members that may be written; if there is none, the records nearest to any of the members."""
    members = set(group) & allowed
    if members:
        return members
    nearest = set()
    for member in group:
        least = min((distance(member, record) for record in allowed), default=0)
        nearest |= {record for record in allowed if distance(member, record) <= least + 1e-9}
    return nearest
