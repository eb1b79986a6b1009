"""Hierarchies of numbers and ranks: nested classes, from fine to coarse."""

from __future__ import annotations

import math
from collections.abc import Sequence

from allonym.kinds.ranges.readable import readable_steps

FINEST_CLASSES = 20  # about so many classes has the finest level
MAX_LEVELS = 4  # of classes
Range = tuple[float, float]


def nested_steps(span: float) -> list[int]:
    """Return readable steps, each a multiple of the one before, for numbers that span so many units.

    >>> nested_steps(73), nested_steps(99_999), nested_steps(3)
    ([5, 10, 20], [5000, 10000, 20000], [2])
    """
    steps: list[int] = []
    for step in readable_steps(max(span / FINEST_CLASSES, 2.0)):
        if step > span or len(steps) == MAX_LEVELS:
            return steps
        if not steps or step % steps[-1] == 0:
            steps.append(step)
    return steps


def steps_within(low: int, high: int, limits: Sequence[int]) -> list[int]:
    """Return the least readable steps, each a multiple of the one before, with at most so many classes at each level.

    >>> steps_within(17, 90, [10, 4]), steps_within(0, 99, [50, 20, 5])
    ([10, 50], [2, 10, 20])
    """
    steps = [1]
    for limit in limits:
        wider = (x for x in readable_steps(steps[-1]) if x % steps[-1] == 0 and high // x - low // x < limit)
        steps.append(next(wider))
    return steps[1:]


def class_of(ends: Range, step: int, decimals: int) -> Range:
    """Return the class of a step, in units of the last decimal, that has a number or a range.

    >>> class_of((23.0, 23.0), 10, 0), class_of((1.5, 1.5), 20, 1)
    ((20.0, 29.0), (0.0, 1.9))
    """
    scale = 10**decimals
    start, end = (math.floor(round(x * scale) / step) * step for x in ends)
    return start / scale, (end + step - 1) / scale


def opened(ends: Range, lowest: float | None, highest: float | None) -> Range:
    """Return a class without a low or high end where numbers from `highest` on, or below `lowest`, are one class."""
    low, high = ends
    return (
        -math.inf if lowest is not None and low < lowest else low,
        math.inf if highest is not None and high >= highest else high,
    )


def merged_neighbours(number: int) -> list[list[tuple[int, int]]]:
    """Return for so many classes in order, level by level, the first and the last that each is merged with.

    >>> merged_neighbours(5)
    [[(0, 1), (0, 1), (2, 3), (2, 3), (4, 4)], [(0, 3), (0, 3), (0, 3), (0, 3), (4, 4)]]
    """
    size = 2
    while number > size * 2**MAX_LEVELS:
        size *= 2
    levels = []
    while size < number:
        levels.append([(x // size * size, min(x // size * size + size, number) - 1) for x in range(number)])
        size *= 2
    return levels


def spanned(classes: Sequence[Range], first: int, last: int) -> Range:
    """Return the range from one class to another."""
    return classes[first][0], classes[last][1]
