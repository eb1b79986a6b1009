"""Uploaded plans: a plan may use the files that were uploaded with it, and no others."""

from __future__ import annotations

import itertools
import posixpath
import shutil
import zipfile
import zlib
from pathlib import Path

from starlette.datastructures import UploadFile

from allonym.errors import PlanError, Problem
from allonym.pipeline import review
from allonym.pipeline.cached_table import archive_exceeds
from allonym.plan import Plan
from allonym.studio.history import PLAN, History, PlanVersion, safe_name

MAX_UNPACKED = 200_000_000  # bytes of all files of an archive


class UploadedFiles:
    """Files uploaded with a plan, by their original names; on disk they have safe names."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.plan_folder = ""  # the folder of the plan within an archive
        self._paths: dict[str, Path] = {}
        self._numbers = itertools.count(1)

    def new_path(self, name: str) -> Path:
        """Return where to save a file, and remember its original name."""
        path = self.folder / f"{next(self._numbers)}-{safe_name(name)}"
        self._paths[_normalised(name)] = path
        return path

    def find(self, name: str) -> Path | None:
        """Return the file that a plan names: by its path in the archive, else the only one with that file name."""
        wanted = _normalised(name)
        for path in (_normalised(posixpath.join(self.plan_folder, wanted)), wanted):
            if path in self._paths:
                return self._paths[path]
        for key in (posixpath.basename, safe_name):
            matches = [path for original, path in self._paths.items() if key(original) == key(wanted)]
            if len(matches) == 1:
                return matches[0]
        return None

    def save(self, files: list[UploadFile]) -> Path:
        """Save a plan and its files, unpacking archives; return the path of the plan."""
        plan = self.folder / PLAN
        for file in files:
            name = str(file.filename).lower()
            if name.endswith(".zip"):
                self._unpack(file)
            else:
                save_upload(file, plan if name.endswith(".toml") else self.new_path(str(file.filename)))
        if not plan.exists():
            raise PlanError(
                [Problem("no-plan-chosen", "No plan was chosen.", "choose plan.toml and its files, or a zip archive.")]
            )
        return plan

    def _unpack(self, file: UploadFile) -> None:
        try:
            with zipfile.ZipFile(file.file) as archive:
                if archive_exceeds(file.file, MAX_UNPACKED):
                    raise PlanError(
                        [
                            Problem(
                                "archive-too-large", "The archive is too large for a plan.", "choose its files instead."
                            )
                        ]
                    )
                for member in (x for x in archive.infolist() if not x.is_dir()):
                    folder, _, name = member.filename.replace("\\", "/").rpartition("/")
                    path = self.new_path(member.filename)
                    if name.lower().endswith(".toml"):
                        path, self.plan_folder = self.folder / PLAN, folder
                    with archive.open(member) as source, path.open("wb") as target:
                        shutil.copyfileobj(source, target)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError) as error:
            problem = Problem("unreadable-archive", "The archive cannot be read.", "choose a zip archive.")
            raise PlanError([problem]) from error

    def remove(self) -> None:
        """Delete all files."""
        shutil.rmtree(self.folder, ignore_errors=True)


def _normalised(name: str) -> str:
    return posixpath.normpath(name.replace("\\", "/"))


def save_upload(file: UploadFile, path: Path) -> Path:
    """Save an uploaded file; only its owner may read it."""
    path.touch(mode=0o600)
    with path.open("wb") as target:
        shutil.copyfileobj(file.file, target, 1 << 20)
    return path


def find_plan_files(plan: Plan, uploads: UploadedFiles | None) -> dict[str, Path]:
    """Return the paths of the files that a plan names: among the uploads, or beside a plan that was not uploaded."""
    paths = {name: plan.folder / name if uploads is None else uploads.find(name) for name in review.files_of(plan)}
    existing = {name: path for name, path in paths.items() if path is not None and path.is_file()}
    missing = sorted({safe_name(name) for name in paths if name not in existing})
    if missing:
        problem = Problem(
            "missing-plan-files",
            f"Files named by the plan are missing: {', '.join(missing)}.",
            "choose them together with the plan.",
        )
        raise PlanError([problem])
    return existing


def add_loaded_plan(history: History, plan: Plan, label: str, uploads: UploadedFiles | None = None) -> PlanVersion:
    """Add a version with a loaded plan and the files it names, under safe names."""
    names: dict[str, str] = {}
    paths = find_plan_files(plan, uploads)
    for original in paths:
        name, number = safe_name(original), 1
        while name in names.values():
            number += 1
            name = f"{number}-{safe_name(original)}"
        names[original] = name
    files: dict[str, bytes | Path] = {name: paths[original] for original, name in names.items()}
    return history.add(label, review.with_files(plan, lambda path: names[path]), files)
