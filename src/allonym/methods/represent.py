"""What stands for each group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints, distinct, sum_by
from allonym.kinds.metric import tolerance
from allonym.kinds.registry import kind_named
from allonym.methods.groups import Groups
from allonym.methods.replacement.allowed_values import (
    CONSENSUS,
    LEAST_SQUARES,
    barred_values,
    is_averaged,
    max_distance,
    representative_of,
)
from allonym.methods.replacement.consensus import consensus_of, consensus_values
from allonym.methods.replacement.existing_records import EXISTING, existing_records
from allonym.methods.replacement.least_squares import chosen_together
from allonym.methods.replacement.means import GroupMeans
from allonym.metric import Metric, Value
from allonym.ontology.narrower import is_narrower, true_of_all
from allonym.records import Attribute, Records

Bools = NDArray[np.bool_]
ROUNDING = 1e-9  # by which distances may differ that are computed for all groups together


def represent(
    records: Records,
    groups: Groups,
    k: int,
    metrics: Sequence[Metric],
    representative: str = "centroid",
    members: Ints | None = None,
) -> tuple[Ints, tuple[Attribute, ...]]:
    """Return the codes every piece takes, and the attributes extended by the values that are new.

    What stands for a group is, per attribute, its centroid (by the method's metrics), the least common subsumer or a
    value that is true of all (by the attribute's own); or a member, the one that is nearest to all unless one is named
    for each group. A text that no ontology knows, or a number, that fewer than k units hold is never written as it
    stands: such texts do not take part, and a number is only written as the mean of several units' numbers; the
    member's gives way to the centroid. A mean that would reveal the number of a unit that stands out gives way to
    another value (`kinds.dominance`). A leaf below a concept stands only for groups in which all have it; others have
    the concept. What would be farther from a member than the attribute allows gives way to a value that is true of
    all, unless a member is named. Where nothing is left, null stands. An attribute may say itself what stands for its
    values. `existing`: a record of the table, the member that loses least. `least-squares`: the values with the
    least Σ ω·d², chosen for all attributes together; means stay means. `consensus`, of sets: one that is nobody's.
    """
    if representative == EXISTING:
        return existing_records(records, groups, k, metrics, members)
    together = chosen_together(records, groups, k, metrics) if representative == LEAST_SQUARES else None
    codes = np.empty((len(groups.source), len(records.attributes)), np.int64)
    attributes = []
    mass, named = groups.mass(records), members is not None
    if members is None and representative == "member":
        members = _medoids(records, groups, metrics, mass)
    for a, attribute in enumerate(records.attributes):
        column = _Column(records, groups, a, k, metrics[a], representative_of(attribute, representative), mass)
        bound = None if named else max_distance(attribute, representative)
        if column.chosen == "member" and members is not None:
            values = column.allowed(column.member_values(records.codes[members, a]), bound)
        elif column.chosen == LEAST_SQUARES and together is not None and column.means is None:
            values = column.allowed(together[a], bound)
        elif column.chosen == CONSENSUS:
            chosen = column.allowed(consensus_values(records, groups, a, k), bound)
            values = [None if consensus_of(records, a, k).is_somebodys(x) else x for x in chosen]
        else:
            values = column.values(bound)
        metric = attribute.metric.extend(values)
        places = {value: code for code, value in enumerate(metric.values)}
        codes[:, a] = np.array([places[v] for v in values], np.int64)[groups.group]
        attributes.append(replace(attribute, metric=metric, coded_means=column.coded_means))
    return codes, tuple(attributes)


class _Column:
    """One attribute of the groups: its values, each once for each group, and what stands for them.

    Args:
        records: the table.
        groups: the groups of its tuples.
        a: the attribute.
        k: how many records must be indistinguishable.
        metric: the metric by which the method chooses what stands for a group.
        chosen: what that is: a centroid, a subsumer, a value that is true of all, or a member.
        mass: what each piece counts.
    """

    def __init__(
        self, records: Records, groups: Groups, a: int, k: int, metric: Metric, chosen: str, mass: Floats
    ) -> None:
        self.attribute, self.metric, self.chosen = records.attributes[a], metric, chosen
        self.size, self.suppressed = len(groups), groups.suppressed
        self.barred, holders = barred_values(records, a, k), records.holders(a)
        self.careful = self.attribute.metric.with_holders(holders, k)
        self.means = None
        if is_averaged(self.attribute):
            means = GroupMeans(records, groups, a, metric.with_holders(holders, k), self.barred)
            mass, self.means = (means.votes, None) if chosen == "truthful" else (mass, means)
        own = records.codes[groups.source, a]
        value, _, first = distinct([groups.group, own])
        self.codes, self.mass = own[first], sum_by(value, mass, len(first))
        self.starts = np.searchsorted(groups.group[first], np.arange(len(groups) + 1))
        self.several = np.flatnonzero(np.diff(self.starts) > 1)  # the groups with several values

    @property
    def coded_means(self) -> int:
        """How many groups have another value than their mean, which would reveal a number."""
        return 0 if self.means is None else self.means.coded

    def values(self, bound: float | None) -> list[Value]:
        """Return what stands for each group; groups with equal values that count the same have it in common."""
        if self.means is not None:
            means = self.means.means(g for g in range(self.size) if g != self.suppressed)
            return self._near_enough([means.get(g) for g in range(self.size)], bound)
        first = self.codes[self.starts[:-1]]
        alone = {c: self._choose(np.array([c]), np.ones(1)) for c in np.unique(first).tolist()}
        values = [alone[c] for c in first.tolist()]
        known: dict[bytes, Value] = {}
        for g in self.several.tolist():
            codes, mass = self.group(g)
            key = codes.tobytes() + mass.tobytes()
            if key not in known:
                known[key] = _allowed(self._choose(codes, mass), codes, mass, self.attribute, bound)
            values[g] = known[key]
        return self._with_nulls(values)

    def member_values(self, members: Ints) -> list[Value]:
        """Return the value that a member of each group has; another one, if fewer than k units hold it."""
        values: list[Value] = []
        for g, code in enumerate(members.tolist()):
            if not self.barred[code]:
                values.append(self.attribute.values[code])
            else:
                values.append(self._choose(*self.group(g)) if self.means is None else self.means.mean(g))
        return values

    def allowed(self, values: list[Value], bound: float | None) -> list[Value]:
        """Return values that were chosen for the groups, or what may be written in their place."""
        allowed = [_allowed(value, *self.group(g), self.attribute, bound) for g, value in enumerate(values)]
        return self._with_nulls(allowed)

    def group(self, g: int) -> tuple[Ints, Floats]:
        """Return the values of a group, each once, and what each counts."""
        own = slice(self.starts[g], self.starts[g + 1])
        return self.codes[own], self.mass[own]

    def _choose(self, codes: Ints, mass: Floats) -> Value:
        """Return what stands for a group with these values, each once."""
        if self.chosen == "truthful":
            return self.careful.truthful(codes, mass)
        if self.chosen == "subsumer":
            return self.attribute.metric.subsumer(codes, mass)  # a rare text has no group of its own
        return _stands_for(codes, mass, self.metric, self.barred)

    def _near_enough(self, values: list[Value], bound: float | None) -> list[Value]:
        """Return means that are near enough to all of their groups; distances are computed for all groups together."""
        if bound is None:
            return values
        wider = self.attribute.metric.extend(values)
        places = {value: code for code, value in enumerate(wider.values)}
        own = np.repeat(np.array([places[v] for v in values], np.int64), np.diff(self.starts))
        far = np.maximum.reduceat(wider.distances(own, self.codes), self.starts[:-1])
        for g in np.flatnonzero(far > bound - ROUNDING).tolist():
            values[g] = _within_bound(values[g], *self.group(g), self.attribute, bound)
        return values

    def _with_nulls(self, values: list[Value]) -> list[Value]:
        """Return the values of groups, and null where the group is suppressed."""
        if self.suppressed is not None:
            values[self.suppressed] = None
        return values


def _allowed(value: Value, codes: Ints, mass: Floats, attribute: Attribute, bound: float | None) -> Value:
    """Return a value without leaves that not all have, if it is near enough to all; else another, or null."""
    value = _true_of_all(value, codes, attribute.metric)
    return value if bound is None else _within_bound(value, codes, mass, attribute, bound)


def _true_of_all(value: Value, codes: Ints, metric: Metric) -> Value:
    """Return a value without leaves below concepts that some of a group do not have."""
    return true_of_all(value, (metric.values[c] for c in np.unique(codes).tolist())) if is_narrower(value) else value


def _within_bound(value: Value, codes: Ints, mass: Floats, attribute: Attribute, bound: float) -> Value:
    """Return a value that is near enough to all of a group; else what is true of all, unless it is a range; else null.

    The value that all of a group have is written, however far it is from itself (as sets are by some distances).
    """
    metric = attribute.metric
    if value is None or (codes == codes[0]).all() or _farthest(value, codes, metric) <= bound:
        return value
    other = None if kind_named(attribute.kind).numeric else metric.truthful(codes, mass)
    return None if other is None or _farthest(other, codes, metric) > bound else other


def _farthest(value: Value, codes: Ints, metric: Metric) -> float:
    """Return the distance of a value to the farthest of a group, without rounding errors."""
    return round(float(metric.distances_to(value, codes).max()), 9)


def _medoids(records: Records, groups: Groups, metrics: Sequence[Metric], mass: Floats) -> Ints:
    """Return for each group the tuple with the least Σ ω·d to its members; the first of equals."""
    medoids = []
    for pieces in groups.members():
        tuples = groups.source[pieces]
        medoids.append(tuples[_medoid(records.codes[tuples].T, mass[pieces], metrics, records.shares)])
    return np.array(medoids, np.int64)


def _medoid(columns: Ints, mass: Floats, metrics: Sequence[Metric], shares: Floats) -> int:
    """Return the place of the tuple with the least Σ ω·d to all; the first of equals."""
    costs = np.zeros(len(mass))
    for share, metric, codes in zip(shares, metrics, columns, strict=True):
        values, own = np.unique(codes, return_inverse=True)
        held = sum_by(own.ravel(), mass, len(values))
        costs += share * (metric.distances(values[:, None], values) @ held)[own.ravel()]
    return int(np.argmax(costs <= costs.min() + tolerance(float(costs.min()))))


def _stands_for(codes: Ints, mass: Floats, metric: Metric, barred: Bools) -> Value:
    """Return what stands for a group in one attribute; where all have one value, that is it.

    Where no value may be written as it stands, something that is true of all stands for several.
    """
    kept = ~barred[codes]
    if not kept.any():
        return None if (codes == codes[0]).all() else metric.truthful(codes, mass)
    if not kept.all():
        codes, mass = codes[kept], mass[kept]
    first, *others = codes.tolist()
    if all(code == first for code in others):
        return metric.values[first]
    return metric.preferred(metric.centroid(codes, mass), codes, mass)
