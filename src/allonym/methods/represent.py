"""What stands for each group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints, distinct, sum_by
from allonym.kinds.dominance import Bounds, GroupNumbers, protected
from allonym.kinds.metric import tolerance
from allonym.kinds.ranges.numeric_metric import MEDIAN, NumericMetric
from allonym.kinds.registry import kind_named
from allonym.methods.groups import Groups
from allonym.methods.replacement.allowed_values import (
    LEAST_SQUARES,
    barred_values,
    is_averaged,
    max_distance,
    representative_of,
)
from allonym.methods.replacement.existing_records import EXISTING, existing_records
from allonym.methods.replacement.least_squares import chosen_together
from allonym.metric import Metric, Value
from allonym.ontology.narrower import is_narrower, true_of_all
from allonym.records import Attribute, Records, piece_of_rows

Bools = NDArray[np.bool_]
MIN_UNITS_OF_MEAN = 2  # units whose numbers make a mean


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
    least Σ ω·d², chosen for all attributes together; means stay means.
    """
    if representative == EXISTING:
        return existing_records(records, groups, k, metrics, members)
    together = chosen_together(records, groups, k, metrics) if representative == LEAST_SQUARES else None
    codes = np.empty((len(groups.source), len(records.attributes)), np.int64)
    attributes = []
    mass, named = groups.mass(records), members is not None
    if members is None:
        members = _medoids(records, groups, metrics, mass) if representative == "member" else groups.source[:0]
    every = list(groups.members())
    starts = np.array([pieces[0] for pieces in every], np.int64)
    for a, attribute in enumerate(records.attributes):
        own = records.codes[groups.source, a]
        same = np.minimum.reduceat(own, starts) == np.maximum.reduceat(own, starts)
        barred = barred_values(records, a, k)
        numeric, holders = is_averaged(attribute), records.holders(a)
        chosen = representative_of(attribute, representative)
        if numeric:
            numbers = _Numbers(records, groups, a, metrics[a].with_holders(holders, k))
        careful = attribute.metric.with_holders(holders, k)
        values: list[Value] = []
        for g, pieces in enumerate(every):
            if g == groups.suppressed:
                values.append(None)
                continue
            if chosen == "truthful":
                persons = numbers.votes if numeric else mass
                values.append(careful.truthful(own[pieces], persons[pieces]))
                continue
            if same[g] and chosen == "centroid" and not numeric:  # that is it, unless it is rare
                values.append(None if barred[own[pieces[0]]] else metrics[a].values[own[pieces[0]]])
                continue
            codes_here, mass_here = own[pieces], mass[pieces]
            if chosen == "member" and not barred[records.codes[members[g], a]]:
                values.append(attribute.values[records.codes[members[g], a]])
            elif numeric:
                values.append(numbers.mean(g, pieces, codes_here, mass_here, barred))
            elif chosen == "subsumer":
                values.append(attribute.metric.subsumer(codes_here, mass_here))  # a rare text has no group of its own
            else:
                values.append(_stands_for(codes_here, mass_here, metrics[a], barred))
        values = _together(values, together, a, groups) if chosen == LEAST_SQUARES and not numeric else values
        bound = None if named else max_distance(attribute, representative)
        each = zip(values, every, strict=True)
        values = [_allowed(value, own[pieces], mass[pieces], attribute, bound) for value, pieces in each]
        metric = attribute.metric.extend(values)
        places = {value: code for code, value in enumerate(metric.values)}
        codes[:, a] = np.array([places[v] for v in values], np.int64)[groups.group]
        attributes.append(replace(attribute, metric=metric, coded_means=numbers.coded if numeric else 0))
    return codes, tuple(attributes)


def _together(values: list[Value], together: list[list[Value]] | None, a: int, groups: Groups) -> list[Value]:
    """Return the values of groups that were chosen for all attributes together; null, where a group is suppressed."""
    if together is None:
        return values
    return [None if g == groups.suppressed else value for g, value in enumerate(together[a])]


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


class _Numbers:
    """The numbers that the persons of each group have in an attribute, and the means that may be written.

    A person counts by its survey weight, if there are weights; in a group where one has more than half of the weight,
    every person counts once.
    """

    def __init__(self, records: Records, groups: Groups, a: int, metric: Metric) -> None:
        self.metric, self.coded = metric, 0  # how many groups have another value than their mean
        self._rare: frozenset[Value] | None = None  # values that are never written as they stand
        numbers = _numbers_of(records.attributes[a])
        self.bounds = Bounds(float(np.nanmin(numbers, initial=np.inf)), float(np.nanmax(numbers, initial=-np.inf)))
        own = numbers[records.codes[groups.source, a]]
        known = ~np.isnan(own)
        if records.units is None and records.weights is None:
            rows = pieces = np.repeat(np.arange(len(own)), np.where(known, groups.share, 0))
            person = first = np.arange(len(pieces))
            votes = weights = np.ones(len(pieces))
        else:
            piece = piece_of_rows(records, groups.source, groups.share)
            rows = np.flatnonzero(known[piece])
            pieces = piece[rows]
            weights = np.ones(len(rows)) if records.weights is None else records.weights[rows]
            person, counts, first = distinct(
                [groups.group[pieces], rows if records.units is None else records.units[rows]]
            )
            votes = 1 / counts[person]
        group = groups.group[pieces[first]]
        self.votes = sum_by(pieces, votes, len(own))  # what each piece counts if a person counts once
        self.weights = sum_by(person, weights, len(first))
        self.once = sum_by(person, votes * own[pieces], len(first))  # the mean of each person's numbers
        weighted = sum_by(person, weights * own[pieces], len(first))
        self.weighted = np.divide(weighted, self.weights, out=self.once.copy(), where=self.weights > 0)
        self.starts = np.searchsorted(group, np.arange(len(groups) + 1))
        heaviest = np.zeros(len(groups))
        np.maximum.at(heaviest, group, self.weights)
        self.one_vote_each = heaviest * 2 > sum_by(group, self.weights, len(groups))

    def mean(self, g: int, pieces: Ints, codes: Ints, mass: Floats, rare: Bools) -> Value:
        """Return the mean of the numbers of several persons; null, if it would be the number of one, or a rare one.

        Where weights would make the mean the number of few, every person counts once. Where the mean would reveal a
        number that stands out, another value is returned.
        """
        metric, votes, persons = self.metric, self.votes[pieces], slice(self.starts[g], self.starts[g + 1])
        known = np.array([metric.values[c] is not None for c in codes], bool)
        numbers = np.unique(codes[known])
        if persons.stop - persons.start < MIN_UNITS_OF_MEAN or (len(numbers) == 1 and rare[numbers[0]]):
            return None
        once, otherwise = bool(self.one_vote_each[g]), None
        if isinstance(metric, NumericMetric) and metric.representation.by == MEDIAN:
            median = metric.centroid(codes, votes if once else mass)
            return metric.hidden(median) if median in {metric.numbers[c] for c in numbers if rare[c]} else median
        mean = metric.centroid(codes, votes if once else mass)
        held = {metric.values[c] for c in numbers if rare[c]}
        fair = votes if once else mass
        heaviest = sum_by(codes[known], fair[known], int(codes.max()) + 1).max() * 2 > fair[known].sum()
        if mean in held and heaviest and mean is not None:
            mean, once = metric.centroid(codes[known], votes[known]), True
            otherwise = self._of_persons(persons, once=bool(self.one_vote_each[g]))
        if mean is None or not isinstance(metric, NumericMetric):
            return mean
        group = replace(self._of_persons(persons, once=once), otherwise=otherwise)
        value, coded = protected(group, mean, metric.rule, held)
        self.coded += coded
        if self._rare is None:
            self._rare = frozenset(metric.values[c] for c in np.flatnonzero(rare).tolist())
        return metric.beside(value, self._rare)

    def _of_persons(self, persons: slice, *, once: bool) -> GroupNumbers:
        """Return the numbers of persons who count once each, or by their weights."""
        assert isinstance(self.metric, NumericMetric)
        values, weights = (self.once, np.ones_like(self.weights)) if once else (self.weighted, self.weights)
        return GroupNumbers.of(values[persons], weights[persons], self.bounds, self.metric.decimals)


def _numbers_of(attribute: Attribute) -> Floats:
    """Return the values of an attribute as numbers, a range by its middle; null is NaN."""
    if isinstance(attribute.metric, NumericMetric):
        return attribute.metric.numbers
    return np.array([np.nan if v is None else v for v in attribute.values], np.float64)
