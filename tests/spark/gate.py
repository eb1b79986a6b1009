"""A method that waits, on the executors, until a test lets it go on: executors import this module."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import numpy as np

from allonym.methods.base import GroupingMethod
from allonym.methods.groups import Groups
from allonym.metric import Metric
from allonym.progress import Progress
from allonym.records import Records


@dataclass(frozen=True)
class Gate:
    """A folder in which tasks say where they run, and see whether they may go on."""

    folder: str

    @property
    def started(self) -> list[str]:
        """The folders in which tasks have started, one for each start."""
        return [x.read_text("utf-8") for x in Path(self.folder).glob("started-*")]

    def open(self) -> None:
        """Let everyone go on, from now on."""
        (Path(self.folder) / "open").touch()

    def wait(self) -> None:
        """Say where this runs, and wait."""
        made = Path(self.folder) / f"new-{uuid4()}"
        made.write_text(os.getcwd(), "utf-8")
        made.rename(made.with_name(made.name.replace("new", "started")))  # whole, or not there
        while not (Path(self.folder) / "open").exists():
            time.sleep(0.02)


@dataclass(frozen=True)
class Gated:
    """A method whose groups are made when the gate is open."""

    method: GroupingMethod
    gate: Gate

    @property
    def k(self) -> int:
        """As the method has it."""
        return self.method.k

    def metrics(self, records: Records) -> Sequence[Metric]:
        """Return what the method sees."""
        return self.method.metrics(records)

    def partition(self, records: Records, rng: np.random.Generator, tick: Progress) -> Groups:
        """Wait; then group the tuples."""
        self.gate.wait()
        return self.method.partition(records, rng, tick)
