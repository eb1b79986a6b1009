"""What an executor of Spark does for a block, without Spark; `make spark` does it with one."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from allonym.kinds.numeric import NumericMetric
from allonym.methods import METHODS
from allonym.methods.blocks import Block, partitioned
from allonym.records import Attribute
from allonym.tables.engines import spark_blocks as spark


@pytest.mark.parametrize("name", ["sa-mdav", "mdav", "fusion"])
@pytest.mark.parametrize("weighed", [True, False])
def test_a_block_goes_there_and_its_groups_come_back_as_bytes(name: str, weighed: bool) -> None:
    rng = np.random.default_rng(1)
    attributes = tuple(Attribute(x, "numeric", NumericMetric(range(20))) for x in "ab")
    codes, counts = np.argwhere(rng.random((20, 20)) < 0.2), rng.integers(1, 4, 400)
    given = rng.random(len(codes)) if weighed else None
    block, method = Block(attributes, codes, counts[: len(codes)], tuple_mass=given), METHODS[name](k=4)
    sent = pickle.loads(pickle.dumps(((method, attributes, 9), spark._parcel(7, block))))
    answer = spark.answer(*sent)
    assert answer[0] == 7
    assert all(x is None or isinstance(x, bytes) for x in answer[1:])
    found, expected = spark._groups(answer), partitioned(method, block, 9)
    for array in ("source", "share", "group"):
        assert np.array_equal(getattr(found, array), getattr(expected, array))
    assert (found.named is None) == (expected.named is None)
    assert found.named is None or np.array_equal(found.named, expected.named)
    assert np.bincount(found.group, weights=found.share).min() >= 4
