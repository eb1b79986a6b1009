"""Distinct tuples with counts."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from allonym.arrays import distinct
from allonym.kinds.category import EqualityMetric
from allonym.records import Attribute, Masking, Pairs, Records


@given(st.integers(1, 4).flatmap(lambda m: st.lists(st.tuples(*[st.integers(0, 6)] * m), min_size=1, max_size=40)))
def test_tuples_are_numbered_in_their_order_and_counted(rows: list[tuple[int, ...]]) -> None:
    number, counts, first = distinct([np.array(column) for column in zip(*rows, strict=True)])
    expected = Counter(rows)
    assert [rows[i] for i in first] == sorted(expected)
    assert counts.tolist() == [expected[t] for t in sorted(expected)]
    assert [sorted(expected)[i] for i in number] == rows
    assert first.tolist() == [rows.index(t) for t in sorted(expected)]


def test_many_wide_columns_do_not_overflow() -> None:
    rng = np.random.default_rng(0)
    columns = [rng.integers(0, 2**31, 50) for _ in range(13)]
    number, counts, _ = distinct(columns)
    assert sorted(number.tolist()) == list(range(50))
    assert (counts == 1).all()


def test_arrays_are_read_only_and_weights_are_summed() -> None:
    job = Attribute("job", "category", EqualityMetric(["a", "b"]))
    records = Records.of([job], [[0, 1, 0]], weights=np.array([0.5, 2.0, 1.5]))
    assert records.mass.tolist() == [2.0, 2.0]
    assert (records.n, len(records), records.persons) == (3, 2, 3)
    with pytest.raises(ValueError, match="read-only"):
        records.codes[0, 0] = 1
    masking = Masking(np.array([0, 0, 1]), np.array([1, 1, 1]), np.array([0, 0, 0]), np.zeros((3, 1), int), (job,))
    pairs = Pairs.of(records, masking)
    assert pairs.mass.tolist() == [0.5, 1.5, 2.0]  # each piece takes the next rows, with their weights
    assert pairs.original.tolist() == [[0], [0], [1]]
