"""V-MDAV and k-Ward form the groups of their articles, record by record, and those of Fig. 2 of the SA-MDAV article."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from papers_sa_mdav import example_2

from allonym.kinds.numeric import NumericMetric
from allonym.progress import no_progress
from allonym.records import Attribute, Records
from variable_size import VMDAV, KWard, table_of_distances

Row = tuple[float, float]
Distance = Callable[[Row, Row], float]


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[Row], int]:
    """Draw records with two numbers whose distances differ, some of them several times, and a k."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    points = [(float(a), float(b)) for a, b in rng.random((draw(st.integers(3, 9)), 2))]
    rows = [point for point in points for _ in range(int(rng.integers(1, 5)))]
    return rows, draw(st.integers(2, min(5, len(rows))))


def records_of(rows: list[Row]) -> tuple[Records, list[Row]]:
    columns = [sorted({row[a] for row in rows}) for a in range(2)]
    attributes = [Attribute(str(a), "numeric", NumericMetric(columns[a], decimals=12)) for a in range(2)]
    records = Records.of(attributes, [[columns[a].index(row[a]) for row in rows] for a in range(2)])
    return records, [(columns[0][a], columns[1][b]) for a, b in records.codes.tolist()]


def groups_of(method: VMDAV | KWard, records: Records, tuples: list[Row]) -> Counter[tuple[Row, ...]]:
    """Return the groups, each as its records."""
    groups = method.partition(records, np.random.default_rng(0), no_progress)
    members: dict[int, list[Row]] = {}
    for one, share, group in zip(groups.source, groups.share, groups.group, strict=True):
        members.setdefault(int(group), []).extend([tuples[one]] * int(share))
    return Counter(tuple(sorted(x)) for x in members.values())


def distance_of(rows: list[Row]) -> Distance:
    spans = [max(row[a] for row in rows) - min(row[a] for row in rows) for a in range(2)]

    def distance(one: Row, other: Row) -> float:
        return sum(abs(one[a] - other[a]) / spans[a] for a in range(2)) / 2

    return distance


def mean(rows: list[Row]) -> Row:
    return sum(row[0] for row in rows) / len(rows), sum(row[1] for row in rows) / len(rows)


def slow_v_mdav(rows: list[Row], k: int, gamma: float) -> list[list[Row]]:
    """Form groups record by record (Solanas and Martínez-Ballesté 2006)."""
    distance, left, groups = distance_of(rows), list(rows), []
    middle = mean(rows)
    while len(left) >= k:
        first = max(left, key=lambda row: distance(row, middle))
        left.remove(first)
        group = [first]
        while len(group) < k:
            group.append(min(left, key=lambda row: distance(row, first)))
            left.remove(group[-1])
        while len(group) < 2 * k - 1 and left:
            one = min(left, key=lambda row: min(distance(row, member) for member in group))
            rest = list(left)
            rest.remove(one)
            inward = min(distance(one, member) for member in group)
            if inward > gamma * min((distance(one, other) for other in rest), default=np.inf):
                break
            left.remove(one)
            group.append(one)
        groups.append(group)
    middles = [mean(group) for group in groups]
    for row in left:
        groups[min(range(len(groups)), key=lambda g: distance(row, middles[g]))].append(row)
    return groups


@pytest.mark.parametrize("gamma", [0.2, 1.1])
@given(tables())
def test_v_mdav(gamma: float, drawn: tuple[list[Row], int]) -> None:
    rows, k = drawn
    records, tuples = records_of(rows)
    expected = slow_v_mdav(rows, k, gamma)
    assert groups_of(VMDAV(k=k, gamma=gamma), records, tuples) == Counter(tuple(sorted(x)) for x in expected)


def squares(rows: list[Row], distance: Distance) -> float:
    return sum(distance(a, b) ** 2 for a, b in itertools.combinations(rows, 2)) / len(rows)


def slow_k_ward(rows: list[Row], k: int, distance: Distance) -> list[list[Row]]:
    """Form groups record by record (Domingo-Ferrer and Mateo-Sanz 2002); equal records are together at first."""
    if len(rows) < 2 * k or len(set(rows)) == 1:
        return [rows]
    ends = max(itertools.combinations(sorted(set(rows)), 2), key=lambda pair: distance(*pair))
    left, groups = list(rows), []
    for end in ends:
        nearest = sorted(left, key=lambda row: distance(row, end))[:k]
        groups.append(nearest)
        for row in nearest:
            left.remove(row)
    groups += [[row] * number for row, number in Counter(left).items()]
    while any(len(group) < k for group in groups):
        pairs = [(a, b) for a, b in itertools.combinations(groups, 2) if min(len(a), len(b)) < k]
        one, other = min(
            pairs, key=lambda x: squares(x[0] + x[1], distance) - squares(x[0], distance) - squares(x[1], distance)
        )
        groups = [group for group in groups if group is not one and group is not other] + [one + other]
    return [x for group in groups for x in slow_k_ward(group, k, distance)]


@given(tables())
def test_k_ward(drawn: tuple[list[Row], int]) -> None:
    rows, k = drawn
    records, tuples = records_of(rows)
    expected = slow_k_ward(sorted(rows), k, distance_of(rows))
    assert groups_of(KWard(k=k), records, tuples) == Counter(tuple(sorted(x)) for x in expected)


def test_distances_are_those_of_records() -> None:
    records, tuples = records_of([(0.0, 0.0), (1.0, 0.5), (0.25, 1.0)])
    far = table_of_distances(records)
    assert far[tuples.index((0.0, 0.0)), tuples.index((1.0, 0.5))] == 0.75 * 10**12


def test_groups_of_up_to_2k_minus_1_are_those_of_figure_2() -> None:
    """Fig. 2 B: five equal records, five equal records, and a group of what is left of the seven, and another."""
    groups = VMDAV(k=3).partition(example_2(), np.random.default_rng(0), no_progress)
    assert sorted(np.bincount(groups.group, weights=groups.share).tolist()) == [3, 5, 5]
