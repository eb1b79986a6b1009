"""What stands for groups, for all attributes together: the values with the least squared distances of records."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from allonym.arrays import Ints
from allonym.compiled import kernels
from allonym.methods.groups import Groups
from allonym.methods.kernels.space import space_of_forms
from allonym.methods.kernels.standing import ColumnStanding, Standing, Together
from allonym.methods.replacement.allowed_values import (
    LEAST_SQUARES,
    barred_values,
    is_averaged,
    max_distance,
    representative_of,
)
from allonym.methods.replacement.existing_records import EXISTING, publishable
from allonym.metric import Metric, Value
from allonym.records import Records

IS_NUMBER, IS_NULL = -1, -2  # points of compiled kernels (`cpp/standing.h`)


def standing_of(records: Records, groups: Groups, k: int, metrics: Sequence[Metric], representative: str) -> Standing:
    """Return what stands for groups while they are being changed."""
    columns = []
    for a, attribute in enumerate(records.attributes):
        chosen = representative_of(attribute, representative)
        columns.append(
            ColumnStanding(
                attribute.metric.with_holders(records.holders(a), k),
                chosen if chosen in ("truthful", "subsumer") else "centroid",
                records.null_costs[a],
                barred_values(records, a, k, averaged=False),
                max_distance(attribute, representative),
                by_mode=metrics[a] is not attribute.metric,
                is_mean=is_averaged(attribute),
            )
        )
    together, may_stand = Together.ALONE, np.ones(len(groups.source), bool)
    if representative == LEAST_SQUARES:
        together = Together.SQUARES
    elif representative in ("member", EXISTING):
        together = Together.MEMBER
        if representative == EXISTING:
            may_stand = publishable(records, k)[groups.source]
    return Standing(columns, records.shares, together, may_stand)


def chosen_together(records: Records, groups: Groups, k: int, metrics: Sequence[Metric]) -> list[list[Value]]:
    """Return for each attribute the value of each group; of numbers, the mean of its rows."""
    standing = standing_of(records, groups, k, metrics, LEAST_SQUARES)
    codes, mass = records.codes[groups.source], groups.mass(records)
    if kernels is None:
        stands = [standing.weigh(codes[x].T, mass[x], x.tolist())[1] for x in groups.members()]
        return [[stand.value for stand in column] for column in zip(*stands, strict=True)]
    assert standing.may_stand is not None
    _, _, points, numbers = kernels.refine(
        space=space_of_forms([column.space_form() for column in standing.columns], records.shares, codes),
        columns=[column.form() for column in standing.columns],
        together=int(standing.together),
        may_stand=standing.may_stand.astype(np.uint8),
        mass=mass,
        rows=groups.share,
        charged=groups.share,
        groups=groups.group,
        movable=np.ones(len(groups.source), np.uint8),
        order=np.arange(0),
        alone=np.arange(0),
        k=k,
        unit_starts=np.arange(0),
        units=np.arange(0),
        holds=None,
        steps=[],
        seconds=0.0,
        tick=lambda done, total: None,
    )
    each = zip(standing.columns, points.reshape(len(groups), -1).T, numbers.reshape(len(groups), -1).T, strict=True)
    return [_values(column, points_of_groups, means.tolist()) for column, points_of_groups, means in each]


def _values(column: ColumnStanding, points: Ints, numbers: Sequence[float]) -> list[Value]:
    """Return the values that points of a compiled kernel are."""
    values: list[Value] = []
    for point, number in zip(points.tolist(), numbers, strict=True):
        if point == IS_NULL:
            values.append(None)
        else:
            values.append(number if point == IS_NUMBER else column.point_value(point))
    return values
