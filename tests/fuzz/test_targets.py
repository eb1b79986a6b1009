"""Every target of fuzzing works on what fuzzing begins with; no fuzzer is needed for that."""

from __future__ import annotations

import pytest
from contract import Finding
from targets import LONG, TARGETS


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_holds_on_its_seeds(name: str) -> None:
    target, found = TARGETS[name], []
    for data in target.seeds():
        try:
            target.run(data)
        except (Finding, Exception) as error:
            found.append((data[:200], repr(error)))
    assert found == []


def test_every_long_target_is_one() -> None:
    assert set(LONG) <= set(TARGETS)
