"""Work that takes a while: in a thread of its own, with progress, and given up when somebody says so."""

from __future__ import annotations

import itertools
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Any

from allonym import __version__
from allonym.errors import AllonymError

Tick = Callable[[int, int], None]
_NUMBERS = itertools.count(1)
RUNNING, DONE, FAILED, CANCELLED = "running", "done", "failed", "cancelled"


class Cancelled(Exception):
    """Somebody does not want the work to go on."""


class Job:
    """One piece of work."""

    def __init__(self, what: str, work: Callable[[Tick], None], then: str = "") -> None:
        self.what, self.then = what, then  # in words; the page to go to
        self.number = next(_NUMBERS)  # a page waits for this one, not for another
        self.state, self.share = RUNNING, 0  # in percent
        self.problems: list[str] = []
        self.told_so = False  # whether somebody saw that it was cancelled, or why it failed
        self._work, self._stop = work, threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"allonym {what}", daemon=True)
        self._thread.start()

    def tick(self, done: int, total: int) -> None:
        """Take note of what is done; what has been cancelled ends here."""
        if self._stop.is_set():
            raise Cancelled
        if total:  # parts may tell it each from its own beginning: what was reached stays
            self.share = max(self.share, min(100, round(100 * done / total)))

    def cancel(self) -> None:
        """Ask the work to end; it does at its next tick."""
        self._stop.set()

    @property
    def cancelling(self) -> bool:
        """Whether it was asked to end."""
        return self._stop.is_set()

    @property
    def running(self) -> bool:
        """Whether it goes on."""
        return self.state == RUNNING

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until it ends, or some time has gone by; tell whether it ended."""
        self._thread.join(seconds)
        return not self.running

    def to_dict(self) -> dict[str, Any]:
        """Return it for the page that waits."""
        return {"what": self.what, "state": self.state, "share": self.share, "then": self.then}

    def _run(self) -> None:
        try:
            self._work(self.tick)
            self.state = DONE
        except Cancelled:
            self.state = CANCELLED
        except AllonymError as error:
            self.problems, self.state = problems_of(error), FAILED
        except MemoryError:
            self.problems = ["There is not enough memory. Hint: close other programs, or take fewer columns."]
            self.state = FAILED
        except Exception as error:
            self.problems, self.state = [mistake(error)], FAILED


def problems_of(error: AllonymError) -> list[str]:
    """Return what an error tells, a problem each."""
    return [str(problem) for problem in error.problems]


def mistake(error: BaseException) -> str:
    """Say that something went wrong: where, to standard error; what, to nobody, as it may hold cells."""
    kind = type(error).__name__
    print(f"allonym {__version__} made a mistake ({kind}):", file=sys.stderr)
    for place in traceback.extract_tb(error.__traceback__):
        where = place.filename.replace("\\", "/").rpartition("/allonym/")[2]
        print(f"  {where}, line {place.lineno}, in {place.name}", file=sys.stderr)
    return f"allonym made a mistake ({kind}). Nothing was changed. Hint: where it was told this is worth a report."
