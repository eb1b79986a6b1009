"""Slow, obviously correct ranges of numbers, by trial: a test oracle. Numbers are whole, in units of the last decimal.

Nothing is shared with the package. The low end is the negated high end of the negated numbers, with `inclusive` 0.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction


def is_round(number: int) -> bool:
    """Return whether a number has one digit other than 0 at most, or two: 1 and any, or any and 5."""
    digits = str(abs(number)).rstrip("0")
    return len(digits) <= 1 or (len(digits) == 2 and (digits[0] == "1" or digits[1] == "5"))


def is_step(number: int) -> bool:
    """Return whether a number is 1, 2 or 5 times a power of ten."""
    return str(number).rstrip("0") in ("1", "2", "5")


def estimable(numbers: Sequence[int], p: Fraction) -> bool:
    """Return whether an estimate is within p of every number: no lower bound on it exceeds an upper bound."""
    return max(x - p * abs(x) for x in numbers) <= min(x + p * abs(x) for x in numbers)


def highest_end(
    group: Sequence[int], column: Mapping[int, int], k: int, p: Fraction, inclusive: int, width: int | None = None
) -> int:
    """Return the high end for a group, one number for each person, in a column with its number of holders each."""
    *_, second, highest = sorted(group)
    limit = max(column) if column[max(column)] >= k > 1 else None
    if p and highest - second > p * abs(highest):
        return _coarse_end(highest, second, limit, p, inclusive)
    wanted = Fraction(width if width is not None else highest - min(group), 10)
    for step in filter(is_step, itertools.count(max(1, -(-wanted // 1)))):
        end = next(x for x in itertools.count(highest) if (x + inclusive) % step == 0)
        start = end - step + 1
        if limit is not None and highest <= limit:
            end = min(end, limit)
        inside = sum(held for x, held in column.items() if start <= x <= end)
        if inside >= k or step > 10 * max(max(column) - min(column), 1):
            return end
    raise AssertionError


def _coarse_end(highest: int, second: int, limit: int | None, p: Fraction, inclusive: int) -> int:
    start = next(x for x in itertools.count(second) if x - second > p * abs(x))
    for classes in _classes(start, limit, p, inclusive):
        if highest in classes:
            return classes[-1]
    raise AssertionError


def _classes(start: int, limit: int | None, p: Fraction, inclusive: int) -> Iterator[range]:
    for next_one in filter(is_round, itertools.count(start + 1)):
        end = next_one - inclusive
        if limit is not None and start <= limit < end and not estimable((start, limit), p):
            end = limit
        if end >= start and not estimable((start, end), p) and end > start:
            yield range(start, end + 1)
            start = end + 1


def covering(group: Sequence[int], column: Mapping[int, int], k: int, p: Fraction, decimals: int) -> tuple[int, int]:
    """Return both ends; where a number stands out, the width to the end that it gets decides on the other end."""
    negated, other_column = [-x for x in group], {-x: held for x, held in column.items()}
    low, *_, high = sorted(group)
    if p and sorted(group)[1] - low > p * abs(low):
        low = -highest_end(negated, other_column, k, p, 0)
    if p and high - sorted(group)[-2] > p * abs(high):
        high = highest_end(group, column, k, p, int(decimals == 0))
    width = high - low
    return (
        -highest_end(negated, other_column, k, p, 0, width),
        highest_end(group, column, k, p, int(decimals == 0), width),
    )


def mean_distance(number: Fraction, low: Fraction, high: Fraction, steps: int = 1000) -> float:
    """Return the mean distance of a number to many evenly spread numbers of a range."""
    spread = [low + (high - low) * Fraction(2 * i + 1, 2 * steps) for i in range(steps)]
    return float(sum(abs(x - number) for x in spread) / steps)
