"""Progress of long work, as a callback, and where its time goes, by phase."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum

Progress = Callable[[int, int], None]  # called with the work done and its total; may raise to cancel


def no_progress(done: int, total: int) -> None:
    """Show no progress."""


def part_of(progress: Progress, part: int, parts: int) -> Progress:
    """Return the callback for one of several parts of a job."""
    return lambda done, total: progress(part * 1000 + 1000 * done // max(total, 1), parts * 1000)


class Phase(StrEnum):
    """The phases of a run, in their order. To measure one, write `with phase(Phase.READ):` or use it as a decorator."""

    READ = "read"  # open the table, read its cells
    LINK = "link"  # open ontologies, link words to them
    REVIEW = "review"  # look for columns that give away what is masked
    GROUP = "group"  # group records and choose what replaces them; all work of a method that does not group
    REFINE = "refine"  # improve the groups
    WRITE = "write"
    VERIFY = "verify"  # read the release again, count what is promised
    MEASURE = "measure"  # count changes, measure loss
    RISK = "risk"  # attack the release


class Clock:
    """The seconds that each phase took, without the phases inside it.

    >>> clock = Clock()
    >>> with clock.running(), phase(Phase.GROUP):
    ...     with phase(Phase.REFINE):
    ...         time.sleep(0.01)
    >>> clock.seconds[Phase.REFINE] >= 0.01 > clock.seconds[Phase.GROUP]
    True
    """

    def __init__(self) -> None:
        self.seconds = dict.fromkeys(Phase, 0.0)
        self._phases: list[Phase] = []
        self._since = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        """Measure the phases inside the block."""
        before = _CLOCK.set(self)
        try:
            yield
        finally:
            _CLOCK.reset(before)

    def enter(self, name: Phase) -> None:
        """Begin a phase: the one around it pauses."""
        self._pause()
        self._phases.append(name)

    def leave(self) -> None:
        """End the phase that began last."""
        self._pause()
        self._phases.pop()

    def _pause(self) -> None:
        now = time.perf_counter()
        if self._phases:
            self.seconds[self._phases[-1]] += now - self._since
        self._since = now


_CLOCK: ContextVar[Clock | None] = ContextVar("clock", default=None)


@contextmanager
def phase(name: Phase) -> Iterator[None]:
    """Measure the block, or the decorated function, as a phase of the run that it is part of, if it is part of one."""
    clock = _CLOCK.get()
    if clock is None:
        yield
        return
    clock.enter(name)
    try:
        yield
    finally:
        clock.leave()
