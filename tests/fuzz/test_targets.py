"""Every fuzz target holds on its seeds; this needs no fuzzer."""

from __future__ import annotations

import pytest
from contract import Finding
from targets import LONG, TARGETS


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_holds_on_its_seeds(name: str) -> None:
    target, failures = TARGETS[name], []
    for data in target.seeds():
        try:
            target.run(data)
        except (Finding, Exception) as error:
            failures.append((data[:200], repr(error)))
    assert failures == []


def test_every_target_for_long_inputs_exists() -> None:
    assert set(LONG) <= set(TARGETS)
