"""Slow, obviously correct merging of groups until they meet the requirements on sensitive columns: a test oracle.

Written from the description of the rule, not from the code, and without optimisation. A group is a list of row
numbers; rows with the same record are never in two groups. The figures are those of `slow_measures`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import slow_measures
from slow_masking import Pairs, Record

Group = list[int]  # row numbers
Distance = Callable[[Any, Any], float]

TOLERANCE = 1e-9  # smaller deficits count as 0
DECIMALS = 12  # costs are rounded before they are compared


class Requirement(NamedTuple):
    """A requirement that every group must meet in a sensitive column."""

    model: str  # l-diversity, entropy-l-diversity, recursive-l-diversity, p-sensitive or t-closeness
    column: int  # index of the sensitive column
    asked: float
    c: float = 3.0


@dataclass(frozen=True)
class Table:
    """Rows with quasi-identifiers, sensitive values, persons and weights."""

    records: Sequence[Record]
    distance: Distance  # between two records
    centroids: Sequence[Callable[[Pairs], Hashable]]  # one for each attribute
    sensitive: Sequence[Sequence[Hashable]]  # one sequence per column, one value per row
    grounds: Sequence[Distance]  # of two values of each sensitive column
    persons: Sequence[Hashable] | None = None
    weights: Sequence[float] | None = None

    def weight(self, row: int) -> float:
        """Return the weight of a row for utility."""
        return 1.0 if self.weights is None else self.weights[row]


def figure(table: Table, requirement: Requirement, group: Group) -> float:
    """Return the figure that a group reaches for a requirement."""
    column = table.sensitive[requirement.column]
    values = [column[row] for row in group]
    persons = None if table.persons is None else [table.persons[row] for row in group]
    alike: list[Record] = [()] * len(group)
    if requirement.model in ("l-diversity", "p-sensitive"):
        return slow_measures.distinct_l(alike, values, persons)
    if requirement.model == "entropy-l-diversity":
        return slow_measures.entropy_l(alike, values, persons)
    if requirement.model == "recursive-l-diversity":
        return slow_measures.recursive_l(alike, values, persons, requirement.c)
    if requirement.model == "t-closeness":
        [held] = slow_measures._value_counts(alike, values, persons)
        [whole] = slow_measures._value_counts([()] * len(column), column, table.persons)
        return slow_measures._earth_movers_distance(held, whole, table.grounds[requirement.column])
    raise ValueError(f"unknown model {requirement.model!r}")


def deficit(table: Table, requirements: Sequence[Requirement], group: Group) -> float:
    """Return the sum of the deficits of a group, each relative to the required figure; 0 if it meets all."""
    total = 0.0
    for requirement in requirements:
        reached = figure(table, requirement, group)
        missing = reached - requirement.asked if requirement.model == "t-closeness" else requirement.asked - reached
        if missing > TOLERANCE:
            total += missing / requirement.asked
    return total


def centre(table: Table, group: Group) -> Record:
    """Return the record of the centroids of a group's attributes, rows counting by their weights."""
    columns = range(len(table.centroids))
    return tuple(table.centroids[a]([(table.records[row][a], table.weight(row)) for row in group]) for a in columns)


def spread(table: Table, group: Group, point: Record) -> float:
    """Return Σ ω·d² of the rows of a group to a point."""
    return math.fsum(table.weight(row) * table.distance(table.records[row], point) ** 2 for row in group)


def cost(table: Table, one: Group, other: Group) -> float:
    """Return the increase of Σ ω·d² if one of two groups takes the centroid of the other, whichever is cheaper."""
    c_one, c_other = centre(table, one), centre(table, other)
    goes = spread(table, one, c_other) - spread(table, one, c_one)
    comes = spread(table, other, c_one) - spread(table, other, c_other)
    return round(min(goes, comes), DECIMALS)


def partner(table: Table, requirements: Sequence[Requirement], groups: Sequence[Group], one: int) -> int:
    """Return the index of the group to join.

    This is the cheapest group that removes the deficit, else the cheapest that reduces it, else the cheapest. Ties go
    to the first group.
    """
    others = [place for place in range(len(groups)) if place != one]
    others.sort(key=lambda place: (cost(table, groups[one], groups[place]), place))
    together = {place: deficit(table, requirements, groups[one] + groups[place]) for place in others}
    for place in others:
        if together[place] == 0:
            return place
    now = deficit(table, requirements, groups[one])
    for place in others:
        if together[place] < now - TOLERANCE:
            return place
    return others[0]


def merged(table: Table, requirements: Sequence[Requirement], groups: Sequence[Group]) -> list[Group]:
    """Return the groups after repeatedly joining the largest group with a deficit to another group."""
    now = [list(group) for group in groups]
    while len(now) > 1:
        deficient = [place for place in range(len(now)) if deficit(table, requirements, now[place]) > 0]
        if not deficient:
            break
        one = max(deficient, key=lambda place: (len(now[place]), -place))
        other = partner(table, requirements, now, one)
        now[other] = now[other] + now[one]
        del now[one]
    return now


def join_equal(groups: Sequence[Group], representative: Callable[[Group], Hashable]) -> list[Group]:
    """Return the groups, with groups of equal representatives joined at the position of the first."""
    joined: dict[Hashable, Group] = {}
    for group in groups:
        joined.setdefault(representative(group), []).extend(group)
    return list(joined.values())


def enforced(
    table: Table,
    requirements: Sequence[Requirement],
    groups: Sequence[Group],
    representative: Callable[[Group], Hashable],
) -> list[Group]:
    """Return groups with distinct representatives, none of which has a deficit unless there is only one."""
    now = [list(group) for group in groups]
    while True:
        after = merged(table, requirements, join_equal(now, representative))
        if len(after) == len(now):
            return after
        now = after
