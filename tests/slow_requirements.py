"""Slow, obviously-correct merging of groups until they hold what is demanded of sensitive columns: an oracle for tests.

Written from the description of the rule, not from the code, and nothing is optimised. A group is a list of row numbers;
rows with the same record are never in two groups. The figures are those of `slow_measures`.
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

HOLDS = 1e-9  # what is missing by no more than this is not missing
DECIMALS = 12  # costs are compared rounded to so many decimals


class Requirement(NamedTuple):
    """What every group must hold of a sensitive column."""

    model: str  # l-diversity, entropy-l-diversity, recursive-l-diversity, p-sensitive or t-closeness
    column: int  # which of the sensitive columns
    asked: float
    c: float = 3.0


@dataclass(frozen=True)
class Table:
    """Rows: their quasi-identifiers, what is sensitive about them, whose they are and what they weigh."""

    records: Sequence[Record]
    distance: Distance  # of two records
    centroids: Sequence[Callable[[Pairs], Hashable]]  # one for each attribute
    sensitive: Sequence[Sequence[Hashable]]  # column by column, the value of every row
    grounds: Sequence[Distance]  # of two values of each sensitive column
    persons: Sequence[Hashable] | None = None
    weights: Sequence[float] | None = None

    def weight(self, row: int) -> float:
        """Return what a row counts for utility."""
        return 1.0 if self.weights is None else self.weights[row]


def figure(table: Table, requirement: Requirement, group: Group) -> float:
    """Return what one group reaches of a demand."""
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


def lacking(table: Table, requirements: Sequence[Requirement], group: Group) -> float:
    """Return the sum over the demands of what a group lacks, each as a share of what is asked; 0 where it holds."""
    total = 0.0
    for requirement in requirements:
        reached = figure(table, requirement, group)
        missing = reached - requirement.asked if requirement.model == "t-closeness" else requirement.asked - reached
        if missing > HOLDS:
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
    """Return by how much Σ ω·d² grows if one group takes over the centroid of the other, or the other of the one."""
    c_one, c_other = centre(table, one), centre(table, other)
    goes = spread(table, one, c_other) - spread(table, one, c_one)
    comes = spread(table, other, c_one) - spread(table, other, c_other)
    return round(min(goes, comes), DECIMALS)


def partner(table: Table, requirements: Sequence[Requirement], groups: Sequence[Group], one: int) -> int:
    """Return the place of the group to join: the cheapest with which nothing, else less, is lacking; else the cheapest.

    Of groups that cost the same the first is taken.
    """
    others = [place for place in range(len(groups)) if place != one]
    others.sort(key=lambda place: (cost(table, groups[one], groups[place]), place))
    together = {place: lacking(table, requirements, groups[one] + groups[place]) for place in others}
    for place in others:
        if together[place] == 0:
            return place
    now = lacking(table, requirements, groups[one])
    for place in others:
        if together[place] < now - HOLDS:
            return place
    return others[0]


def merged(table: Table, requirements: Sequence[Requirement], groups: Sequence[Group]) -> list[Group]:
    """Return the groups after the largest that lacks something joined another, again and again."""
    now = [list(group) for group in groups]
    while len(now) > 1:
        poor = [place for place in range(len(now)) if lacking(table, requirements, now[place]) > 0]
        if not poor:
            break
        one = max(poor, key=lambda place: (len(now[place]), -place))
        other = partner(table, requirements, now, one)
        now[other] = now[other] + now[one]
        del now[one]
    return now


def joined_alike(groups: Sequence[Group], stands_for: Callable[[Group], Hashable]) -> list[Group]:
    """Return the groups, those for which the same stands being one, at the place of the first."""
    found: dict[Hashable, Group] = {}
    for group in groups:
        found.setdefault(stands_for(group), []).extend(group)
    return list(found.values())


def enforced(
    table: Table, requirements: Sequence[Requirement], groups: Sequence[Group], stands_for: Callable[[Group], Hashable]
) -> list[Group]:
    """Return the groups when each has a representative of its own and, if there are several, none lacks anything."""
    now = [list(group) for group in groups]
    while True:
        after = merged(table, requirements, joined_alike(now, stands_for))
        if len(after) == len(now):
            return after
        now = after
