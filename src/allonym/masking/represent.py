"""What stands for each group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from allonym.masking.groups import Groups
from allonym.records import Attribute, Ints, Metric, Records, Value


def represent(
    records: Records, groups: Groups, k: int, metrics: Sequence[Metric]
) -> tuple[Ints, tuple[Attribute, ...]]:
    """Return the codes every piece takes, and the attributes extended by the values that are new.

    The centroid of a group stands for it, per attribute. A text that no ontology knows and fewer than k units hold is
    never written: such values do not take part, and if there are no others, null stands for the group.
    """
    codes = np.empty((len(groups.source), len(records.attributes)), np.int64)
    attributes = []
    for a, attribute in enumerate(records.attributes):
        barred = _barred(records, a, k)
        values = _centroids(records, groups, a, metrics[a], barred)
        metric = attribute.metric.extend(values)
        places = {value: code for code, value in enumerate(metric.values)}
        codes[:, a] = np.array([places[v] for v in values], np.int64)[groups.group]
        attributes.append(replace(attribute, metric=metric))
    return codes, tuple(attributes)


def _barred(records: Records, a: int, k: int) -> NDArray[np.bool_]:
    """Tell which values of an attribute may not be written: texts nobody linked that fewer than k units hold."""
    unlinked = np.array([isinstance(v, str) for v in records.attributes[a].values], bool)
    return unlinked & (records.holders(a) < k)


def _centroids(records: Records, groups: Groups, a: int, metric: Metric, barred: NDArray[np.bool_]) -> list[Value]:
    """Return what stands for each group in one attribute; where all have one value, that is it."""
    codes, mass = records.codes[groups.source, a], groups.mass(records)
    values: list[Value] = []
    for pieces in groups.members():
        own = codes[pieces]
        kept = ~barred[own]
        if not kept.any():
            values.append(None)
        elif (own == own[0]).all():
            values.append(metric.values[own[0]])
        else:
            values.append(metric.centroid(own[kept], mass[pieces][kept]))
    return values
