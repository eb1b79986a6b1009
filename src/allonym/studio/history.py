"""Every plan there was, each in a folder of its own with the files it names: one can go back to any of them."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

from allonym.plan import Plan, toml

PLAN = "plan.toml"
OURS = (PLAN, "report.html", "report-public.html", "summary.json", "codebook.json")  # of a release


@dataclass(frozen=True)
class Step:
    """A plan, what was changed to get there, and the folder it lies in; no plan yet where no column has a role."""

    number: int
    label: str
    plan: Plan | None
    folder: Path
    reading: Any = None  # how the file is read

    @property
    def text(self) -> str:
        """The plan as it is saved."""
        return "" if self.plan is None else toml.dumped(self.plan)


class Steps:
    """The way so far; after going back, a change begins another way."""

    def __init__(self, folder: Path, numbers: Iterator[int] | None = None) -> None:
        self._folder, self._numbers = folder, numbers or count(1)  # no two steps have the same, of whatever table
        self.steps: list[Step] = []
        self.place = -1

    @property
    def now(self) -> Step:
        """The step that counts."""
        return self.steps[self.place]

    def add(
        self, label: str, plan: Plan | None, files: Mapping[str, bytes | Path] | None = None, reading: Any = None
    ) -> Step:
        """Take a step: the files of the one before stay, unless others are given under their names."""
        number = next(self._numbers)
        folder = self._folder / f"{number:04}"
        folder.mkdir(mode=0o700)
        files = files or {}
        if self.place >= 0:
            for old in self.now.folder.iterdir():
                if old.name not in files and old.name != PLAN:
                    linked(old, folder / old.name)
        for name, content in files.items():
            if isinstance(content, Path):
                linked(content, folder / name)
            else:
                (folder / name).write_bytes(content)
        reading = reading or (self.now.reading if self.place >= 0 else None)
        if plan is not None:
            plan, reading = replace(plan, folder=folder), plan.reading
            plan.save(folder / PLAN)
        for step in self.steps[self.place + 1 :]:
            shutil.rmtree(step.folder)
        self.steps = [*self.steps[: self.place + 1], Step(number, label, plan, folder, reading)]
        self.place = len(self.steps) - 1
        return self.now

    def go(self, number: int) -> Step:
        """Go to a step by its number; to none that is gone."""
        self.place = next((i for i, x in enumerate(self.steps) if x.number == number), self.place)
        return self.now

    @property
    def before(self) -> Step | None:
        """The step that can be gone back to."""
        return self.steps[self.place - 1] if self.place > 0 else None

    @property
    def after(self) -> Step | None:
        """The step that was gone back from."""
        return self.steps[self.place + 1] if self.place + 1 < len(self.steps) else None


def linked(old: Path, new: Path) -> None:
    """Have a file at another place too, without copying it where that can be; nothing here is ever written over."""
    try:
        os.link(old, new)
    except OSError:
        shutil.copyfile(old, new)


def safe_name(name: str, usual: str = "file") -> str:
    """Return a name under which a file can lie in a folder of ours, whatever it was called elsewhere.

    >>> safe_name("../../etc/passwd"), safe_name("C:\\\\jobs (1).obo"), safe_name(".."), safe_name("plan.toml")
    ('passwd', 'jobs_1_.obo', 'file', 'plan-file.toml')
    """
    last = re.split(r"[\\/]", name)[-1]
    safe = re.sub(r"[^\w.-]+", "_", last).lstrip("._-")[-80:]
    safe = safe.encode()[-200:].decode(errors="ignore").lstrip("._-") or usual  # systems count bytes
    stem, dot, ending = safe.rpartition(".")
    return f"{stem}-file{dot}{ending}" if safe.lower() in OURS else safe
