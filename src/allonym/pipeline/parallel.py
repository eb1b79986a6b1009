"""Figures of many runs, by several processes where that helps: each is sent settings, and answers with figures.

Nothing is pickled and no cell goes between them: a helper opens the same file by the same plan.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

Task = tuple[int, dict[str, Any]]  # a number, and what is to be run
HELPER = "from allonym.pipeline.compare import serve; serve()"
WORTH = 4.0  # seconds of work that are worth starting helpers for


def each(
    tasks: Sequence[dict[str, Any]],
    here: Callable[[int], dict[str, Any]],
    begin: dict[str, Any] | None,
    workers: int | None,
    tick: Callable[[int, int], None],
) -> list[dict[str, Any]]:
    """Return the figures of each task, made `here` by its number or by helpers that are told how to `begin`.

    The first is made here, to see what it takes. What helpers have not done in the end is made here too, so that one
    that fails or hangs keeps nobody waiting.
    """
    done: dict[int, dict[str, Any]] = {}
    began = time.perf_counter()
    done[0] = here(0)
    tick(1, len(tasks))
    left = deque((place, task) for place, task in enumerate(tasks) if place)
    most = min(workers or os.cpu_count() or 1, len(tasks)) - 1
    helps = begin is not None and (time.perf_counter() - began) * len(left) > WORTH
    helpers = [_Helper(begin or {}, left, done) for _ in range(most if helps else 0)]
    try:
        while len(done) < len(tasks):
            try:
                place, _ = left.popleft()
            except IndexError:  # the last ones are with helpers; who is first has done it
                place = next((x for x in range(len(tasks)) if x not in done), 0)
            if place not in done:
                done[place] = here(place)
            tick(len(done), len(tasks))
    finally:
        for helper in helpers:
            helper.stop()
    return [done[place] for place in range(len(tasks))]


class _Helper(threading.Thread):
    """A process that takes tasks, as long as there are some and it answers."""

    def __init__(self, begin: dict[str, Any], left: deque[Task], done: dict[int, dict[str, Any]]) -> None:
        super().__init__(daemon=True)
        self.left, self.done = left, done
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-c", HELPER],  # -P: nothing is imported from where the data is
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, [_home(), os.environ.get("PYTHONPATH")]))},
        )
        self.begin = begin
        self.start()

    def run(self) -> None:
        """Send tasks, one at a time, and take the answers."""
        try:
            self._send(self.begin)
            while self.left:
                place, task = self.left.popleft()
                self.done[place] = self._send(task)
        except (OSError, ValueError, IndexError):
            return

    def _send(self, message: dict[str, Any]) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answer

    def stop(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.communicate()
        self.join()


def _home() -> str:
    """Return where this package is imported from."""
    return str(Path(__file__).parents[2])
