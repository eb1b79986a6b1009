"""Existing records stand for groups: the member that loses least of those that may be written."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slow_existing import candidates, loss, publishable

import allonym as al
from allonym.errors import PlanError
from allonym.kinds.category import EqualityMetric
from allonym.kinds.numeric import NumericMetric
from allonym.kinds.ordinal import OrdinalMetric
from allonym.methods import METHODS
from allonym.methods.groups import Groups
from allonym.methods.replacement import existing_records as module
from allonym.methods.replacement.existing_records import existing_records
from allonym.records import Attribute, Records

JOBS = ["cook", "smith", "vicar", None]
AGES = [20.0, 30.0, 35.0, 60.0]
SIZES = [0, 1, 2]
METHODS_WITH_VALUES = ["sa-mdav", "sa-mdav-static", "s-mdav", "mdav", "fusion"]
ROWS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 2), st.integers(0, 9)), min_size=4,
                max_size=24)  # fmt: skip


def records_of(rows: list[tuple[int, int, int, int]], units: bool = False) -> Records:
    attributes = [
        Attribute("job", "category", EqualityMetric(JOBS)),
        Attribute("age", "numeric", NumericMetric(AGES)),
        Attribute("size", "ordinal", OrdinalMetric(SIZES, 3)),
    ]
    columns = list(zip(*(row[:3] for row in rows), strict=True))
    return Records.of(attributes, columns, units=np.array([x[3] for x in rows]) if units else None)


def loss_of(records: Records) -> module.ExistingRecords:
    """Return the distance of two records in plain terms; a null that is written costs what the records say."""

    def distance(was: tuple[object, ...], now: tuple[object, ...]) -> float:
        total = 0.0
        for a, (before, after) in enumerate(zip(was, now, strict=True)):
            metric = records.attributes[a].metric
            code = metric.values.index(before)
            if after is None:
                total += records.null_costs[a][code]
            elif a == 0:
                total += before != after
            else:
                total += abs(before - after) / (40 if a == 1 else 2)
        return total / 3

    return distance


def values_of(records: Records, codes: np.ndarray) -> tuple[object, ...]:
    return tuple(x.values[c] for x, c in zip(records.attributes, codes.tolist(), strict=True))


@settings(max_examples=60)
@given(rows=ROWS, k=st.integers(2, 4), units=st.booleans(), data=st.data())
def test_the_member_that_loses_least_stands_for_its_group(
    rows: list[tuple[int, int, int, int]], k: int, units: bool, data: st.DataObject
) -> None:
    records = records_of(rows, units)
    group = data.draw(st.lists(st.integers(0, 2), min_size=len(records), max_size=len(records)))
    groups = Groups.of(list(zip(range(len(records)), records.counts.tolist(), group, strict=True)))
    codes, attributes = existing_records(records, groups, k, [x.metric for x in records.attributes])
    table = [values_of(records, records.codes[i]) for i in records.inverse]
    persons = [row[3] for row in rows] if units else list(range(len(rows)))
    allowed, distance = publishable(table, persons, k), loss_of(records)
    for pieces in groups.members():
        members = [values_of(records, records.codes[groups.source[i]]) for i in pieces for _ in range(groups.share[i])]
        (written,) = {tuple(x.values[c] for x, c in zip(attributes, codes[i].tolist(), strict=True)) for i in pieces}
        if not allowed:
            assert written == (None, None, None)
            continue
        possible = candidates(members, allowed, distance)
        assert written in possible
        if set(members) & allowed:
            assert loss(members, written, distance) == pytest.approx(min(loss(members, x, distance) for x in possible))


@pytest.mark.parametrize("name", METHODS_WITH_VALUES)
@pytest.mark.parametrize("refine", [False, True])
@settings(max_examples=15)
@given(rows=ROWS, k=st.integers(2, 4))
def test_every_method_writes_records_of_the_table(
    name: str, refine: bool, rows: list[tuple[int, int, int, int]], k: int
) -> None:
    records = records_of(rows)
    masking = METHODS[name](k=k, values="existing", refine=refine).mask(records, 1)
    tuples = {tuple(codes) for codes in records.codes.tolist()}
    suppressed = np.zeros(len(masking.source), bool) if masking.suppressed is None else masking.suppressed
    sizes: dict[tuple[int, ...], int] = defaultdict(int)
    for codes, share, gone in zip(masking.codes.tolist(), masking.share.tolist(), suppressed.tolist(), strict=True):
        sizes[tuple(codes)] += share
        values = [x.values[c] for x, c in zip(masking.attributes, codes, strict=True)]
        assert (values == [None] * 3) if gone else (tuple(codes) in tuples)
    assert min(sizes.values()) >= k


def test_fewer_candidates_are_compared_in_large_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_MEMBERS", 2)
    monkeypatch.setattr(module, "MAX_PAIRS", 3)
    records = records_of([(0, x, x % 3, 0) for x in (0, 1, 2, 3)] * 3)
    groups = Groups.of([(i, 3, 0) for i in range(4)])
    codes, _ = existing_records(records, groups, 2, [x.metric for x in records.attributes])
    assert {values_of(records, x) for x in codes} == {("cook", 30.0, 1)}


def test_the_nearest_record_of_the_table_stands_for_a_group_without_one(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(0, 0, 0, 0)] * 3 + [(1, 3, 2, 0)] * 3 + [(2, 3, 1, 0)]  # the vicar is alone
    records = records_of(rows)
    groups = Groups.of([(0, 3, 0), (1, 3, 1), (2, 1, 2)])
    metrics = [x.metric for x in records.attributes]
    codes, attributes = existing_records(records, groups, 3, metrics)
    assert [values_of(records, x) for x in codes] == [("cook", 20.0, 0), ("smith", 60.0, 2), ("smith", 60.0, 2)]
    assert attributes == records.attributes
    monkeypatch.setattr(module, "MAX_OTHERS", 1)  # the most frequent, the first of equals
    codes, _ = existing_records(records, groups, 3, metrics)
    assert values_of(records, codes[2]) == ("cook", 20.0, 0)


@pytest.mark.parametrize("option", [{"ranges": (0, 18, 65)}, {"round": 5}, {"top": 60}, {"represent": "median"}])
def test_options_that_change_values_are_refused_with_existing_values(option: dict[str, Any]) -> None:
    frame = pd.DataFrame({"age": [20, 30, 40, 70] * 5})
    plan = al.Plan({"age": al.quasi("numeric", **option)}, k=2, parameters={"values": "existing"})
    with pytest.raises(PlanError, match=f"but {next(iter(option))} changes values"):
        plan.run(frame)
