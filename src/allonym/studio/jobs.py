"""Background work: one thread per job, with progress and cancellation."""

from __future__ import annotations

import itertools
import sys
import threading
import traceback
from collections.abc import Callable
from enum import StrEnum
from typing import Any

from allonym import __version__
from allonym.errors import AllonymError, Problem

Tick = Callable[[int, int], None]
_NUMBERS = itertools.count(1)


class JobKind(StrEnum):
    """What a job does."""

    OPEN = "open"
    READ = "read"
    MATCH = "match"
    MASK = "mask"
    ESTIMATE = "estimate"
    BUILD_HIERARCHY = "build-hierarchy"


class JobState(StrEnum):
    """How far a job is."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Cancelled(Exception):
    """Ends the work of a job that a person cancelled."""


class Job:
    """Work in a thread: `title` describes it on pages, `next_page` is the address to open when it is done."""

    def __init__(self, kind: JobKind, title: str, work: Callable[[Tick], None], next_page: str = "") -> None:
        self.kind, self.title, self.next_page = kind, title, next_page
        self.number = next(_NUMBERS)  # a page waits for this job, not for another one
        self.state, self.percent = JobState.RUNNING, 0
        self.problems: tuple[Problem, ...] = ()
        self.acknowledged = False  # whether a page has shown that it failed or was cancelled
        self._work, self._stop = work, threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"allonym {kind}", daemon=True)
        self._thread.start()

    def tick(self, done: int, total: int) -> None:
        """Record progress; end the work here if the job was cancelled."""
        if self._stop.is_set():
            raise Cancelled
        if total:  # each part of the work may count from 0: progress never goes back
            self.percent = max(self.percent, min(100, round(100 * done / total)))

    def cancel(self) -> None:
        """Ask the work to end at its next tick."""
        self._stop.set()

    @property
    def running(self) -> bool:
        """Whether the work goes on."""
        return self.state == JobState.RUNNING

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the end of the work, at most for some seconds; return whether it has ended."""
        self._thread.join(seconds)
        return not self.running

    def to_dict(self) -> dict[str, Any]:
        """Return the progress for the page that waits."""
        return {"what": self.title, "state": str(self.state), "share": self.percent, "then": self.next_page}

    def _run(self) -> None:
        try:
            self._work(self.tick)
            self.state = JobState.DONE
        except Cancelled:
            self.state = JobState.CANCELLED
        except AllonymError as error:
            self._fail(*error.problems)
        except MemoryError:
            self._fail(
                Problem("no-memory", "There is not enough memory.", "close other programs, or use fewer columns.")
            )
        except Exception as error:
            self._fail(internal_error(error))

    def _fail(self, *problems: Problem) -> None:
        self.problems, self.state = problems, JobState.FAILED


def internal_error(error: BaseException) -> Problem:
    """Describe an unexpected error without its message, which may hold cells; standard error gets the traceback."""
    name = type(error).__name__
    print(f"allonym {__version__}: internal error ({name})", file=sys.stderr)
    for frame in traceback.extract_tb(error.__traceback__):
        file = frame.filename.replace("\\", "/").rpartition("/allonym/")[2]
        print(f"  {file}, line {frame.lineno}, in {frame.name}", file=sys.stderr)
    return Problem(
        "internal-error", f"Internal error ({name}). Nothing was changed.", "please report the lines in the terminal."
    )
