"""The versions of a plan, each in its own folder with the files it names, for undo and redo."""

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
RESERVED_NAMES = (PLAN, "report.html", "report-public.html", "summary.json", "codebook.json")  # files of a release
REPLACEMENTS = "replacements.csv"  # of a release: downloaded by name only, never with its other files


@dataclass(frozen=True)
class PlanVersion:
    """A plan, the change that led to it, and its folder; the plan is None while no column has a role."""

    number: int
    label: str
    plan: Plan | None
    folder: Path
    reading: Any = None  # how the table is read

    @property
    def toml(self) -> str:
        """The plan as it is saved."""
        return "" if self.plan is None else toml.dumped(self.plan)


class History:
    """The versions of a plan; a change after an undo discards the versions that could be redone."""

    def __init__(self, folder: Path, numbers: Iterator[int] | None = None) -> None:
        self._folder, self._numbers = folder, numbers or count(1)  # unique across tables
        self.versions: list[PlanVersion] = []
        self.position = -1

    @property
    def current(self) -> PlanVersion:
        """The version in use."""
        return self.versions[self.position]

    def add(
        self, label: str, plan: Plan | None, files: Mapping[str, bytes | Path] | None = None, reading: Any = None
    ) -> PlanVersion:
        """Add a version; it keeps the files of the current one, except those replaced under the same name."""
        number = next(self._numbers)
        folder = self._folder / f"{number:04}"
        folder.mkdir(mode=0o700)
        files = files or {}
        if self.position >= 0:
            for old in self.current.folder.iterdir():
                if old.name not in files and old.name != PLAN:
                    link_or_copy(old, folder / old.name)
        for name, content in files.items():
            if isinstance(content, Path):
                link_or_copy(content, folder / name)
            else:
                (folder / name).write_bytes(content)
        reading = reading or (self.current.reading if self.position >= 0 else None)
        if plan is not None:
            plan, reading = replace(plan, folder=folder), plan.reading
            plan.save(folder / PLAN)
        for version in self.versions[self.position + 1 :]:
            shutil.rmtree(version.folder)
        self.versions = [*self.versions[: self.position + 1], PlanVersion(number, label, plan, folder, reading)]
        self.position = len(self.versions) - 1
        return self.current

    def go_to(self, number: int) -> PlanVersion:
        """Make a version current by its number; an unknown number changes nothing."""
        self.position = next((i for i, x in enumerate(self.versions) if x.number == number), self.position)
        return self.current

    @property
    def previous(self) -> PlanVersion | None:
        """The version that undo leads to."""
        return self.versions[self.position - 1] if self.position > 0 else None

    @property
    def following(self) -> PlanVersion | None:
        """The version that redo leads to."""
        return self.versions[self.position + 1] if self.position + 1 < len(self.versions) else None


def link_or_copy(source: Path, target: Path) -> None:
    """Give a file a second name; copy it where hard links are impossible. Files of versions are never overwritten."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def safe_name(name: str, default: str = "file") -> str:
    """Return a file name that is safe in a folder of the studio.

    >>> safe_name("../../etc/passwd"), safe_name("C:\\\\jobs (1).obo"), safe_name(".."), safe_name("plan.toml")
    ('passwd', 'jobs_1_.obo', 'file', 'plan-file.toml')
    """
    last = re.split(r"[\\/]", name)[-1]
    safe = re.sub(r"[^\w.-]+", "_", last).lstrip("._-")[-80:]
    safe = safe.encode()[-200:].decode(errors="ignore").lstrip("._-") or default  # file systems count bytes
    stem, dot, ending = safe.rpartition(".")
    return f"{stem}-file{dot}{ending}" if safe.lower() in (*RESERVED_NAMES, REPLACEMENTS) else safe
