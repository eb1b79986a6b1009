"""Slow, obviously correct suppression on tables of categories, written from the formulas: a test oracle.

Nothing is shared with the package, and nothing is optimised. A record is a tuple of values, None is null; two values
are 0 apart if they are the same, else 1. The distance of records is the mean over columns.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, product

Record = tuple[str | None, ...]


def null_costs(records: Sequence[Record]) -> list[dict[str | None, float]]:
    """Return for each column what a value costs where it is suppressed.

    That is its distance to the most frequent value (the first of equals), at least the mean of these distances. A value
    that is missing anyway costs nothing; a column with a single value costs 1.
    """
    costs: list[dict[str | None, float]] = []
    for column in zip(*records, strict=True):
        counts = Counter(column)
        order = sorted(counts, key=lambda x: (x is None, x))
        mode = max(order, key=lambda x: counts[x])
        mean = sum(value != mode for value in column) / len(column)
        costs.append({value: max(float(value != mode), mean or 1.0) for value in counts} | {None: 0.0})
    return costs


def loss(records: Sequence[Record], released: Sequence[Record]) -> float:
    """Return the sum over records of their squared distance to what they became."""
    costs = null_costs(records)
    return sum(squared(costs, was, now) for was, now in zip(records, released, strict=True))


def least_loss(records: Sequence[Record], k: int, budget: int) -> float:
    """Return the least loss of any release in which each class has k records and at most `budget` are suppressed.

    Equal records stay together. A class has any values of its members; suppressed records are k or more, together with
    those that have no values, or none.
    """
    return min(
        group_loss(records, suppressed, groups)
        for suppressed, rest in suppressible(records, k, budget)
        for groups in partitions(rest)
        if all(sum(records.count(x) for x in group) >= k for group in groups)
    )


def suppressible(records: Sequence[Record], k: int, budget: int) -> Iterator[tuple[list[Record], list[Record]]]:
    """Yield sets of distinct records that may be suppressed, with all others."""
    distinct = sorted(set(records), key=str)
    for size in range(len(distinct) + 1):
        for some in combinations(distinct, size):
            paid = sum(records.count(x) for x in some if any(value is not None for value in x))
            if not some or (paid <= budget and sum(records.count(x) for x in some) >= k):
                yield list(some), [x for x in distinct if x not in some]


def partitions(some: list[Record]) -> Iterator[list[list[Record]]]:
    """Yield all partitions of some distinct records."""
    if not some:
        yield []
        return
    first, *others = some
    for rest in partitions(others):
        yield [[first], *rest]
        for place, group in enumerate(rest):
            yield [*rest[:place], [first, *group], *rest[place + 1 :]]


def group_loss(records: Sequence[Record], suppressed: list[Record], groups: list[list[Record]]) -> float:
    """Return the loss of a partition whose groups have the best values of their members."""
    costs = null_costs(records)
    total = sum(
        records.count(x) * (sum(costs[a][value] for a, value in enumerate(x)) / len(x)) ** 2 for x in suppressed
    )
    for group in groups:
        choices = product(*(sorted(set(column), key=str) for column in zip(*group, strict=True)))
        total += min(sum(records.count(x) * squared(costs, x, y) for x in group) for y in choices)
    return total


def squared(costs: Sequence[dict[str | None, float]], was: Record, now: Record) -> float:
    """Return the squared distance of a record to what it became."""
    cells = enumerate(zip(was, now, strict=True))
    return (sum(costs[a][x] if y is None else float(x != y) for a, (x, y) in cells) / len(was)) ** 2
