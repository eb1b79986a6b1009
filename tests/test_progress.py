"""Phases are measured once, each without those inside it."""

from __future__ import annotations

from contextlib import suppress

import pytest

from allonym import progress
from allonym.progress import Clock, Phase, phase


@pytest.fixture
def seconds(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return the time that the clock reads, which tests change."""
    now = [0.0]
    monkeypatch.setattr(progress.time, "perf_counter", lambda: now[0])
    return now


def test_a_phase_pauses_while_another_runs_inside_it(seconds: list[float]) -> None:
    clock = Clock()
    with clock.running():
        seconds[0] += 1  # in no phase
        with phase(Phase.GROUP):
            seconds[0] += 2
            with phase(Phase.REFINE):
                seconds[0] += 4
            seconds[0] += 8
        with phase(Phase.GROUP):
            seconds[0] += 16
    assert {name: x for name, x in clock.seconds.items() if x} == {Phase.GROUP: 2 + 8 + 16, Phase.REFINE: 4}


def test_a_function_may_be_a_phase(seconds: list[float]) -> None:
    @phase(Phase.READ)
    def read() -> str:
        seconds[0] += 1
        return "read"

    clock = Clock()
    assert read() == "read"  # nothing is measured outside a run
    with clock.running():
        assert (read(), read()) == ("read", "read")
    assert clock.seconds[Phase.READ] == 2


def test_a_phase_ends_with_an_error(seconds: list[float]) -> None:
    clock = Clock()
    with clock.running():
        with suppress(ZeroDivisionError), phase(Phase.LINK):
            seconds[0] += 1
            raise ZeroDivisionError
        seconds[0] += 5
        with phase(Phase.WRITE):
            seconds[0] += 2
    assert (clock.seconds[Phase.LINK], clock.seconds[Phase.WRITE]) == (1, 2)
