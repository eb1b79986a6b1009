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
from allonym.records import Attribute, Metric, Records, Value, piece_of_rows

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

    What stands for a group is, per attribute, its centroid (by the method's metrics) or the least common subsumer (by
    the attribute's own); or a member, the one that is nearest to all unless one is named for each group. A text that no
    ontology knows, or a number, that fewer than k units hold is never written as it stands: such texts do not take
    part, and a number is only written as the mean of several units' numbers; the member's gives way to the centroid.
    Where nothing is left, null stands.
    """
    codes = np.empty((len(groups.source), len(records.attributes)), np.int64)
    attributes = []
    mass = groups.mass(records)
    if members is None:
        members = _medoids(records, groups, metrics, mass) if representative == "member" else groups.source[:0]
    every = list(groups.members())
    starts = np.array([pieces[0] for pieces in every], np.int64)
    for a, attribute in enumerate(records.attributes):
        own = records.codes[groups.source, a]
        same = np.minimum.reduceat(own, starts) == np.maximum.reduceat(own, starts)
        barred = _barred(records, a, k)
        numeric = kind_named(attribute.kind).numeric
        if numeric:
            persons, votes, dominated = _votes(records, groups, a)
        values: list[Value] = []
        for g, pieces in enumerate(every):
            if same[g] and representative == "centroid" and not numeric:  # that is it, unless it is rare
                values.append(None if barred[own[pieces[0]]] else metrics[a].values[own[pieces[0]]])
                continue
            codes_here, mass_here = own[pieces], mass[pieces]
            if representative == "member" and not barred[records.codes[members[g], a]]:
                values.append(attribute.values[records.codes[members[g], a]])
            elif numeric:
                fair = votes[pieces] if dominated[g] else mass_here
                values.append(_mean(codes_here, fair, votes[pieces], metrics[a], barred, persons[g]))
            elif representative == "subsumer":
                values.append(attribute.metric.subsumer(codes_here, mass_here))  # a rare text has no group of its own
            else:
                values.append(_stands_for(codes_here, mass_here, metrics[a], barred))
        metric = attribute.metric.extend(values)
        places = {value: code for code, value in enumerate(metric.values)}
        codes[:, a] = np.array([places[v] for v in values], np.int64)[groups.group]
        attributes.append(replace(attribute, metric=metric))
    return codes, tuple(attributes)


class Representatives:
    """What stands for one group alone, while groups are being changed; numbers are means of rows."""

    def __init__(self, records: Records, k: int, metrics: Sequence[Metric], representative: str) -> None:
        self.metrics, self.shares, self.representative = metrics, records.shares, representative
        self.own = [attribute.metric for attribute in records.attributes]
        self.numeric = [kind_named(attribute.kind).numeric for attribute in records.attributes]
        self.barred = [_barred(records, a, k) for a in range(len(metrics))]

    def of(self, columns: Ints, mass: Floats) -> list[Value]:
        """Return what stands for some tuples of codes, given attribute by attribute."""
        one = _medoid(columns, mass, self.metrics, self.shares) if self.representative == "member" else 0
        values: list[Value] = []
        for a, codes in enumerate(columns):
            if self.representative == "member" and not self.barred[a][codes[one]]:
                values.append(self.metrics[a].values[codes[one]])
            elif self.numeric[a]:
                values.append(self.metrics[a].centroid(codes, mass))
            elif self.representative == "subsumer":
                values.append(self.own[a].subsumer(codes, mass))
            else:
                values.append(_stands_for(codes, mass, self.metrics[a], self.barred[a]))
        return values


def _barred(records: Records, a: int, k: int) -> Bools:
    """Return which values are never written as they stand: numbers, and texts nobody linked, of fewer than k units."""
    rare = records.holders(a) < k
    attribute = records.attributes[a]
    return (
        rare
        if kind_named(attribute.kind).numeric
        else rare & np.array([isinstance(v, str) for v in attribute.values], bool)
    )


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


def _votes(records: Records, groups: Groups, a: int) -> tuple[Floats, Floats, Bools]:
    """Return for each group how many persons have a number, and whether one has more than half of what counts.

    In between, what each piece counts if a person counts once.
    """
    known = np.array([v is not None for v in records.attributes[a].values], bool)[records.codes[groups.source, a]]
    votes = np.where(known, groups.share, 0).astype(np.float64)
    if records.units is None and records.weights is None:
        return sum_by(groups.group, votes, len(groups)), votes, np.zeros(len(groups), bool)
    piece = piece_of_rows(records, groups.source, groups.share)
    rows = np.flatnonzero(known[piece])
    piece = piece[rows]
    units = rows if records.units is None else records.units[rows]
    weights = np.ones(len(rows)) if records.weights is None else records.weights[rows]
    person, row_counts, first = distinct([groups.group[piece], units])
    votes = sum_by(piece, 1 / row_counts[person], len(votes))
    mass, group = sum_by(person, weights, len(first)), groups.group[piece[first]]
    heaviest = np.zeros(len(groups))
    np.maximum.at(heaviest, group, mass)
    persons = sum_by(group, np.ones(len(first)), len(groups))
    return persons, votes, heaviest * 2 > sum_by(group, mass, len(groups))


def _stands_for(codes: Ints, mass: Floats, metric: Metric, barred: Bools) -> Value:
    """Return what stands for a group in one attribute; where all have one value, that is it."""
    kept = ~barred[codes]
    if not kept.all():
        codes, mass = codes[kept], mass[kept]
    if not codes.size:
        return None
    first, *others = codes.tolist()
    if all(code == first for code in others):
        return metric.values[first]
    return metric.centroid(codes, mass)


def _mean(codes: Ints, mass: Floats, votes: Floats, metric: Metric, rare: Bools, persons: float) -> Value:
    """Return the mean of the numbers of several persons; null, if it would be the number of one, or a rare one.

    Where weights would make the mean the number of few, every person counts once.
    """
    known = np.array([metric.values[c] is not None for c in codes], bool)
    numbers = np.unique(codes[known])
    if persons < MIN_UNITS_OF_MEAN or (len(numbers) == 1 and rare[numbers[0]]):
        return None
    mean = metric.centroid(codes, mass)
    held = {metric.values[c] for c in numbers if rare[c]}
    heaviest = sum_by(codes[known], mass[known], int(codes.max()) + 1).max() * 2 > mass[known].sum()
    if mean in held and heaviest and mean is not None:
        return metric.centroid(codes[known], votes[known])
    return mean
