"""Plans that come from elsewhere with the files they name: of what was given to the page, nothing else is opened."""

from __future__ import annotations

import posixpath
import shutil
from pathlib import Path

from allonym.errors import PlanError
from allonym.pipeline import review as editing
from allonym.plan import Plan
from allonym.studio.history import Step, Steps, safe_name


class Given:
    """Files that came with a plan, by the names they had there; they lie under names of ours."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.beside = ""  # the folder of the plan, in an archive
        self._files: dict[str, Path] = {}
        self._count = 0

    def place(self, name: str) -> Path:
        """Return where a file is to lie, so that it is found by its name."""
        self._count += 1
        path = self.folder / f"{self._count}-{safe_name(name)}"
        self._files[_plain(name)] = path
        return path

    def find(self, named: str) -> Path | None:
        """Return the file that a plan means: at its place in an archive, else the only one of its name."""
        wanted = _plain(named)
        for way in (_plain(posixpath.join(self.beside, wanted)), wanted):
            if way in self._files:
                return self._files[way]
        for called in (posixpath.basename, safe_name):
            found = [path for name, path in self._files.items() if called(name) == called(wanted)]
            if len(found) == 1:
                return found[0]
        return None

    def remove(self) -> None:
        """Remove all of it."""
        shutil.rmtree(self.folder, ignore_errors=True)


def _plain(name: str) -> str:
    return posixpath.normpath(name.replace("\\", "/"))


def files_for(plan: Plan, given: Given | None) -> dict[str, Path]:
    """Return where the files lie that a plan names: among those that were given, if it was, else beside it."""
    found = {x: plan.folder / x if given is None else given.find(x) for x in editing.files_of(plan)}
    there = {name: path for name, path in found.items() if path is not None and path.is_file()}
    lost = sorted({safe_name(x) for x in found if x not in there})
    if lost:
        raise PlanError(
            [f"the plan names files that did not come with it: {', '.join(lost)}. Hint: choose them together with it."]
        )
    return there


def add_loaded(steps: Steps, plan: Plan, label: str, given: Given | None = None) -> Step:
    """Take a step to a plan that lies elsewhere; the files it names come along, under plain names of their own."""
    named: dict[str, str] = {}
    there = files_for(plan, given)
    for path in there:
        name, number = safe_name(path), 1
        while name in named.values():
            number += 1
            name = f"{number}-{safe_name(path)}"
        named[path] = name
    files: dict[str, bytes | Path] = {name: there[path] for path, name in named.items()}
    return steps.add(label, editing.with_files(plan, lambda path: named[path]), files)
