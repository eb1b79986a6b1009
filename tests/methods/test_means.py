"""Means of all groups, computed together, are those that are computed for each group."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from allonym.kinds.dominance import Bounds, DominanceRule, GroupNumbers, reveal_nobody
from allonym.kinds.ranges.numeric_metric import MEDIAN, NumericMetric, Representation
from allonym.methods.groups import Groups
from allonym.methods.replacement.means import GroupMeans
from allonym.records import Attribute, Records

NUMBERS = st.one_of(
    st.none(),
    st.sampled_from([0.0, 1.0, 17.0, 100.0]),
    st.integers(0, 90).map(float),
    st.integers(-50, 50).map(lambda x: x * 1000.0),
    st.integers(0, 9999).map(lambda x: x / 100),
)
ROWS = st.lists(
    st.tuples(NUMBERS, st.integers(0, 3), st.integers(0, 3), st.integers(0, 12)), min_size=4, max_size=30
)  # number, group, survey weight, person
RULES = st.sampled_from([DominanceRule(), DominanceRule(p=0, k=100), DominanceRule(p=30, n=2, k=60)])


def group_means(
    rows: list[tuple[float | None, int, int, int]],
    rule: DominanceRule,
    k: int = 2,
    *,
    weighted: bool = False,
    persons: bool = False,
    representation: Representation | None = None,
) -> GroupMeans:
    """Return the means of the groups of rows; tuples are numbers with the numbers of their groups."""
    values = sorted({number for number, *_ in rows}, key=lambda x: (x is None, x))
    metric = NumericMetric(values, 2, rule=rule, representation=representation)
    label = Attribute("group", "numeric", NumericMetric([0.0, 1.0, 2.0, 3.0]))
    codes = [values.index(number) for number, *_ in rows]
    records = Records.of(
        [Attribute("x", "numeric", metric), label],
        [codes, [group for _, group, *_ in rows]],
        weights=np.array([weight for *_, weight, _ in rows], np.float64) if weighted else None,
        units=np.unique([who for *_, who in rows], return_inverse=True)[1] if persons else None,
    )
    pieces = np.stack([np.arange(len(records)), records.counts, records.codes[:, 1]], axis=1)
    return GroupMeans(records, Groups.of(pieces), 0, metric, records.holders(0) < k)


@settings(max_examples=400)
@given(rows=ROWS, rule=RULES, weighted=st.booleans(), persons=st.booleans(), k=st.integers(1, 3))
def test_means_of_all_groups_are_those_of_each(
    rows: list[tuple[float | None, int, int, int]], rule: DominanceRule, weighted: bool, persons: bool, k: int
) -> None:
    means = group_means(rows, rule, k, weighted=weighted, persons=persons)
    plain = means.plain_means()
    assert {g: repr(means.mean(g)) for g in plain} == {g: repr(mean) for g, mean in plain.items()}
    assert means.coded == 0  # a mean that gives way to another value is none of them


def test_most_means_are_computed_together() -> None:
    rng = np.random.default_rng(1)
    rows = [(float(age), int(rng.integers(4)), 1, 0) for age in rng.integers(30, 60, 200)]
    assert len(group_means(rows, DominanceRule(), 1).plain_means()) == 4


@pytest.mark.parametrize(
    "numbers",
    [
        [0.0, 0.0, 0.0, 0.0, 99.0],  # the largest number stands out
        [95.0, 95.0, 95.0, 95.0, 20.0],  # the smallest one does
        [3.0, 3.0, 4.0, 7.0, 100.0],  # one person has most of the sum
        [50.0],  # of one person
        [20.0, 30.0, 40.0, None],  # nulls may be the majority
    ],
)
def test_other_means_are_computed_one_by_one(numbers: list[float | None]) -> None:
    others = [(float(x), 1, 1, 0) for x in (0, 1000)]
    means = group_means([*((x, 0, 1, 0) for x in numbers), *others], DominanceRule(), 1)
    assert 0 not in means.plain_means()


def test_a_rare_number_is_no_mean() -> None:
    rows = [(20.0, 0, 1, 0), (30.0, 0, 1, 0), (40.0, 0, 1, 0), (30.5, 1, 1, 0), (30.5, 1, 1, 0)]
    no_rule = DominanceRule(p=0, k=100)
    assert group_means(rows, no_rule, 1).plain_means() == {0: 30.0, 1: 30.5}
    assert group_means(rows, no_rule, 3).plain_means() == {}


@pytest.mark.parametrize("low", [-80, 0, 10])
@pytest.mark.parametrize("rule", [DominanceRule(), DominanceRule(p=30, n=1, k=40), DominanceRule(p=25, n=2, k=70)])
def test_the_rules_are_those_of_single_groups(low: int, rule: DominanceRule) -> None:
    rng, bounds = np.random.default_rng(low + 99), Bounds(low, 100.0)
    sizes = rng.integers(2, 7, 3000)
    group = np.repeat(np.arange(len(sizes)), sizes)
    values = low + (100 - low) * rng.random(len(group)) ** rng.integers(1, 6, len(sizes))[group]
    means = np.round(np.bincount(group, values) / sizes, 1)
    groups = [GroupNumbers.of(values[group == g], np.ones(sizes[g]), bounds, 1) for g in range(len(sizes))]
    revealed = np.array([bool(x.revealed(float(mean), rule)) for x, mean in zip(groups, means, strict=True)])
    largest = np.array([(np.abs(x.values) if low < 0 else x.values - low).max() for x in groups])
    sums = np.array([(np.abs(x.values) if low < 0 else x.values - low).sum() + len(x.values) * 0.05 for x in groups])
    expected = ~revealed & (rule.n * largest <= rule.k / 100 * sums)
    found = reveal_nobody(group, values, np.ones(len(group)), means, rule, bounds, 1)
    assert 200 < expected.sum() < 2800
    assert (found == expected).all()
    dominated = np.array([x.is_dominated(float(mean), rule) for x, mean in zip(groups, means, strict=True)])
    assert not (found & dominated).any()


def test_medians_are_computed_one_by_one() -> None:
    rows = [(20.0, 0, 1, 0), (30.0, 0, 1, 0), (70.0, 0, 1, 0)]
    assert group_means(rows, DominanceRule(), 1, representation=Representation(MEDIAN)).plain_means() == {}
    assert group_means(rows, DominanceRule(), 1, representation=Representation(step=25.0)).plain_means() == {0: 50.0}
