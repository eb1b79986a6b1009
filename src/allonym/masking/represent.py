"""What stands for each group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from allonym.masking.groups import Groups
from allonym.metrics.base import tolerance
from allonym.records import Attribute, Floats, Ints, Metric, Records, Value, count_units, piece_of_rows

Bools = NDArray[np.bool_]
SEVERAL = 2  # units whose numbers make a mean
BLOCK = 256  # members at a time
WAYS = ("centroid", "subsumer", "member")


def represent(
    records: Records, groups: Groups, k: int, metrics: Sequence[Metric], way: str = "centroid"
) -> tuple[Ints, tuple[Attribute, ...]]:
    """Return the codes every piece takes, and the attributes extended by the values that are new.

    What stands for a group is, per attribute, its centroid (by the method's metrics) or the least common subsumer (by
    the attribute's own); or the member that is nearest to all. A text that no ontology knows, or a number, that fewer
    than k units hold is never written as it stands: such texts do not take part, and a number is only written as the
    mean of several units' numbers; the member's gives way to the centroid. Where nothing is left, null stands.
    """
    codes = np.empty((len(groups.source), len(records.attributes)), np.int64)
    attributes = []
    mass = groups.mass(records)
    members = _medoids(records, groups, metrics, mass) if way == "member" else groups.source[:0]
    for a, attribute in enumerate(records.attributes):
        own = records.codes[groups.source, a]
        values: list[Value] = []
        for (barred, units), pieces in zip(_limits(records, groups, a, k), groups.members(), strict=True):
            if way == "member" and not barred[records.codes[members[len(values)], a]]:
                values.append(attribute.values[records.codes[members[len(values)], a]])
            elif attribute.kind == "numeric":
                values.append(_mean(own[pieces], mass[pieces], groups.share[pieces], metrics[a], barred, units))
            elif way == "subsumer":
                here = barred[own[pieces]].any()
                values.append(None if here else attribute.metric.subsumer(own[pieces], mass[pieces]))
            else:
                values.append(_stands_for(own[pieces], mass[pieces], metrics[a], barred))
        metric = attribute.metric.extend(values)
        places = {value: code for code, value in enumerate(metric.values)}
        codes[:, a] = np.array([places[v] for v in values], np.int64)[groups.group]
        attributes.append(replace(attribute, metric=metric))
    return codes, tuple(attributes)


def _medoids(records: Records, groups: Groups, metrics: Sequence[Metric], mass: Floats) -> Ints:
    """Return for each group the tuple with the least Σ ω·d to its members; the first of equals."""
    found = []
    for pieces in groups.members():
        tuples = groups.source[pieces]
        costs = np.zeros(len(tuples))
        for a, metric in enumerate(metrics):
            own = records.codes[tuples, a]
            for low in range(0, len(own), BLOCK):
                block = slice(low, low + BLOCK)
                costs[block] += records.shares[a] * (metric.rows(own[block, None], own) @ mass[pieces])
        found.append(tuples[np.argmax(costs <= costs.min() + tolerance(float(costs.min())))])
    return np.array(found, np.int64)


def _limits(records: Records, groups: Groups, a: int, k: int) -> Iterator[tuple[Bools, float]]:
    """Yield for each group which values must not be written as they stand, and how many units have a value there."""
    attribute = records.attributes[a]
    rare = records.holders(a) < k
    if attribute.kind != "numeric":
        unlinked = np.array([isinstance(v, str) for v in attribute.values], bool)
        yield from ((rare & unlinked, np.inf) for _ in range(len(groups)))
        return
    known = np.array([v is not None for v in attribute.values], bool)[records.codes[groups.source, a]]
    counts = np.bincount(groups.group[known], weights=groups.share[known], minlength=len(groups))
    if records.units is not None:
        piece = piece_of_rows(records, groups.source, groups.share)
        rows = known[piece]
        counts = count_units(groups.group[piece[rows]], records.units[rows], len(groups)).astype(np.float64)
    yield from ((rare, count) for count in counts.tolist())


def _stands_for(codes: Ints, mass: Floats, metric: Metric, barred: Bools) -> Value:
    """Return what stands for a group in one attribute; where all have one value, that is it."""
    kept = ~barred[codes]
    if not kept.any():
        return None
    if (codes == codes[0]).all():
        return metric.values[codes[0]]
    return metric.centroid(codes[kept], mass[kept])


def _mean(codes: Ints, mass: Floats, share: Ints, metric: Metric, rare: Bools, units: float) -> Value:
    """Return the mean of the numbers of several units; null, if it would be the number of one, or a rare one."""
    known = np.array([metric.values[c] is not None for c in codes], bool)
    numbers = np.unique(codes[known])
    if units < SEVERAL or (len(numbers) == 1 and rare[numbers[0]]):
        return None
    weighty = np.unique(codes[known & (mass > 0)])
    return metric.centroid(codes, mass if len(weighty) > 1 else share.astype(np.float64))
