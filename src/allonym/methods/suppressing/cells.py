"""Cell suppression: in each group, a value gives way to null where null loses less."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import sum_by
from allonym.records import Masking, Pairs, Records

MIN_GAIN = 1e-12  # for each record: less is no gain


def with_cells_suppressed(records: Records, masking: Masking) -> Masking:
    """Return a masking in which a group has null instead of a value wherever Σ ω·d² of the group is less then.

    Of the columns of a group, the one that saves most comes first, as the distance of records is a mean over columns.
    """
    number, attributes = int(masking.groups.max(initial=-1)) + 1, masking.attributes
    mass = records.mass_of(masking.source, masking.share)
    pairs = Pairs.with_costs_of(records, attributes, records.codes[masking.source], masking.codes, masking.share, mass)
    far = np.stack([pairs.shares[a] * pairs.distances(a) for a in range(len(attributes))])
    null = np.stack([pairs.shares[a] * costs[pairs.original[:, a]] for a, costs in enumerate(records.null_costs)])
    least = MIN_GAIN * sum_by(masking.groups, mass, number)
    is_null = np.zeros((len(attributes), number), bool)
    while True:
        total = far.sum(axis=0)
        gains = np.stack([sum_by(masking.groups, mass * (total**2 - x**2), number) for x in total - far + null])
        best = np.argmax(gains, axis=0)
        better = np.flatnonzero(gains[best, np.arange(number)] > least)
        if not len(better):
            return _with_nulls(masking, is_null) if is_null.any() else masking
        is_null[best[better], better] = True
        far = np.where(is_null[:, masking.groups], null, far)


def _with_nulls(masking: Masking, is_null: NDArray[np.bool_]) -> Masking:
    """Return a masking with null for some values of groups, given by attribute and group."""
    attributes, columns, cells = [], [], []
    for attribute, codes, groups in zip(masking.attributes, masking.codes.T, is_null, strict=True):
        metric = attribute.metric.extend([None])
        attributes.append(replace(attribute, metric=metric) if groups.any() else attribute)
        columns.append(np.where(groups[masking.groups], metric.values.index(None), codes))
        cells.append(int(masking.share[groups[masking.groups]].sum()))
    told = masking.suppression
    return replace(
        masking,
        attributes=tuple(attributes),
        codes=np.stack(columns, axis=1),
        suppression=None if told is None else replace(told, cells=tuple(cells)),
    )
