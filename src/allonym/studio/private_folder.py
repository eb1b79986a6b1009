"""The private folder of a running studio, and what became of folders whose studio was killed."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

PREFIX = "allonym-studio-"
LOCK = ".lock"  # a file that a running studio has locked; the system unlocks it when the process ends
UNLOCKED_SECONDS = 24 * 3600  # a folder without a lock file is removed after this time


@contextmanager
def private_folder() -> Iterator[Path]:
    """Create a folder for all files, readable by its owner only; remove it at the end, and remove stale ones."""
    remove_stale_folders(Path(tempfile.gettempdir()))
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    before, tempfile.tempdir = tempfile.tempdir, str(folder)
    try:
        with (folder / f"{LOCK}-new").open("wb") as file:
            _lock(file)
            (folder / f"{LOCK}-new").rename(folder / LOCK)  # locked as soon as others see it
            yield folder
    finally:
        tempfile.tempdir = before
        shutil.rmtree(folder, ignore_errors=True)


def remove_stale_folders(parent: Path) -> None:
    """Remove folders of this user whose studio no longer runs, such as after SIGKILL or a power failure."""
    for folder in parent.glob(f"{PREFIX}*"):
        with suppress(OSError):
            if _is_own(folder) and _is_stale(folder):
                shutil.rmtree(folder, ignore_errors=True)


def _is_own(folder: Path) -> bool:
    """Tell whether a path is a folder of this user, and no link to one."""
    status = folder.lstat()
    return stat.S_ISDIR(status.st_mode) and (not hasattr(os, "getuid") or status.st_uid == os.getuid())


def _is_stale(folder: Path) -> bool:
    """Tell whether no process has locked a folder."""
    lock = folder / LOCK
    if not lock.exists():  # a studio that is just starting, or one of an earlier version
        return time.time() - folder.stat().st_mtime > UNLOCKED_SECONDS
    with lock.open("r+b") as file:
        return _lock(file)


def _lock(file: BinaryIO) -> bool:
    """Lock a file until it is closed; tell whether that was possible."""
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        except OSError:
            return False
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
