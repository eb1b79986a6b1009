"""Figures for publication: rounded so that nobody can test one person's value against them.

Somebody who has the release, and knows the original but for one person, can compute a figure for each value that this
person may have, and compare it with the published one. An exact figure is a checksum: it tells the value. A figure that
is rounded to steps of s changes with the value of one person in about the share d / s of all cases, d being the largest
change that one person makes. Steps are chosen so that this share is at most one in `MARGIN`; where none is wide enough,
the figure is not published.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from allonym.arrays import Floats
from allonym.measures.loss import distances
from allonym.records import Pairs

STEPS = (5.0, 10.0, 20.0, 50.0)  # percentage points
MARGIN = 40  # a step is at least so many times as wide as what one person changes
COUNT_STEP = 20  # of counts of persons, each of which one person changes by 1


@dataclass(frozen=True)
class Rounding:
    """How percentages are rounded: to multiples of `step` points; None: they are not published."""

    step: float | None

    @classmethod
    def of(cls, change: float) -> Rounding:
        """Return the rounding of a percentage that one person changes by so many points at most.

        >>> [Rounding.of(x).step for x in (0.1, 0.4, 1.0, 5.0)]
        [5.0, 20.0, 50.0, None]
        """
        return cls(next((step for step in STEPS if MARGIN * change <= step), None))

    def __call__(self, percentage: float | None) -> float | None:
        """Return a percentage as it is published.

        >>> Rounding(5.0)(13.37), Rounding(None)(13.37)
        (15.0, None)
        """
        if percentage is None or self.step is None:
            return None
        return self.step * float(np.round(percentage / self.step))


def round_count(persons: int) -> int:
    """Return a count of persons as it is published.

    >>> round_count(975)
    980
    """
    return COUNT_STEP * round(persons / COUNT_STEP)


def largest_share(pairs: Pairs) -> float:
    """Return the share of the rows that one person has at most, in per cent; without persons, each row is one."""
    rows = int(pairs.counts.sum())
    most = 1 if pairs.units is None else int(np.bincount(pairs.units, pairs.counts).max(initial=0))
    return 100 * most / rows if rows else 100.0


def loss_without_one(pairs: Pairs) -> float:
    """Return by how many points the information loss changes at most if one person is left out.

    It is a ratio of sums over records, so that one outlier can make up most of it.
    """
    squares, totals = (x.mass * distances(x) ** 2 for x in (pairs, pairs.blind))
    own, own_totals = (_of_persons(x, pairs) for x in (squares, totals))
    if not totals.sum():
        return 100.0
    rest = np.maximum(totals.sum() - own_totals, 0.0)
    without = np.divide(squares.sum() - own, rest, out=np.full(len(rest), np.inf), where=rest > 1e-9 * totals.sum())
    changes = np.abs(100 * (without - squares.sum() / totals.sum()))
    return float(np.minimum(changes, 100.0).max(initial=0.0))


def _of_persons(amounts: Floats, pairs: Pairs) -> Floats:
    """Return what each person has of some amounts per pair; without persons, what one row of each pair has."""
    if pairs.units is None:
        return amounts / np.maximum(pairs.counts, 1)
    return np.bincount(pairs.units, amounts).astype(np.float64)
