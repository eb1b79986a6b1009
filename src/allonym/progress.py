"""Progress of long work, as a callback."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[int, int], None]  # called with the work done and its total; may raise to cancel


def no_progress(done: int, total: int) -> None:
    """Show no progress."""


def part_of(progress: Progress, part: int, parts: int) -> Progress:
    """Return the callback for one of several parts of a job."""
    return lambda done, total: progress(part * 1000 + 1000 * done // max(total, 1), parts * 1000)
