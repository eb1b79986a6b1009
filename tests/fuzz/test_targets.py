"""Every target of fuzzing works on what fuzzing begins with; no fuzzer is needed for that."""

from __future__ import annotations

import pytest
from targets import LONG, TARGETS


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_holds_on_its_seeds(name: str) -> None:
    target = TARGETS[name]
    for data in target.seeds():
        target.run(data)


def test_every_long_target_is_one() -> None:
    assert set(LONG) <= set(TARGETS)
