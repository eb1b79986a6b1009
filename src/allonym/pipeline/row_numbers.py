"""Numbers for rows that arrive one after the other: none is given twice, also where several threads ask."""

from __future__ import annotations

import operator
import os
import threading
from typing import Any

from allonym.errors import OptionError


class RowNumbers:
    """Counts rows. A copy, or the same object in a forked process, must not go on counting: both would use a number.

    >>> rows = RowNumbers()
    >>> rows.take(), rows.take(3), rows.take()
    (0, 1, 4)
    """

    def __init__(self, next_row: int = 0) -> None:
        self.next = next_row
        self._process: int | None = os.getpid()
        self._lock = threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        return {"next": self.next}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.next, self._process, self._lock = state["next"], None, threading.Lock()

    def restart(self, start: Any) -> None:
        """Go on from a number that the caller gives, in a copy too."""
        self.next, self._process = row_number(start), os.getpid()

    def take(self, count: int = 1) -> int:
        """Return the first of the next few numbers."""
        self.check()
        with self._lock:
            self.next += count
            return self.next - count

    def check(self) -> None:
        """Refuse to count in a copy."""
        if self._process != os.getpid():
            raise OptionError(
                "This fitted plan is a copy, as in a worker process: both would use the same draws for their rows.",
                hint="number the rows (start=…, key=…), name a key column in the plan, or save and resume the stream.",
            )


def row_number(key: Any) -> int:
    """Return the number of a row; refuse anything else."""
    try:
        number = operator.index(key)
    except TypeError:
        number = -1
    if not 0 <= number < 2**64:
        raise OptionError(
            "The number of a row must be a whole number from 0 on.",
            hint="for a key of text, name a key column in the plan.",
        )
    return number
