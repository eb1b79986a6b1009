"""Verified releases: written beside the output path, read again by a second reader, recounted, then renamed.

This module imports neither methods nor records: it does not know how the table was masked.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

from allonym.errors import OutputError
from allonym.release.recount import Promise, Verified, verify
from allonym.tables.base import STANDARD_STREAM, Draft
from allonym.tables.files import hash_files

REMOVAL_ATTEMPTS, REMOVAL_PAUSE = 300, 0.1  # the pause is in seconds


def write(target: str | Path, draft: Draft, promise: Promise) -> tuple[Verified, str]:
    """Write a release, and return what it reaches and its hash.

    The release is saved in a private folder beside its place, read again and recounted. Only a verified release gets
    its name, or goes to standard output (`-`), a pipe or a device. If a promise does not hold, nothing is left behind.

    Raises:
        ReleaseError: a promise does not hold.
        OutputError: the release cannot be written there.
    """
    to_stdout = str(target) == STANDARD_STREAM
    target = Path(target).resolve() if Path(target).is_symlink() else Path(target)
    if draft.in_folder and target.exists():
        raise OutputError(f"{target} exists already.", hint="give the name of a new folder.")
    in_place = not to_stdout and target.exists() and not target.is_file()  # a pipe or a device
    try:
        beside = tempfile.gettempdir() if to_stdout or in_place else target.parent
        part = Path(tempfile.mkdtemp(prefix=".allonym-", suffix=".part", dir=beside))
    except OSError as error:
        raise OutputError(f"{target} cannot be written: {error.strerror}.", hint="does its folder exist?") from error
    try:
        written = part / "release"
        draft.save(written)
        files = sorted(x for x in written.rglob("*") if x.is_file()) if draft.in_folder else [written]
        with _hashed(files, written) as sha256:
            verified = verify(draft.reread(written, promise.counted_columns), promise)
        if to_stdout or in_place:
            _copy(written, None if to_stdout else target)
        else:
            for file in files:
                file.chmod(_usual_mode(file.parent / "new" if draft.in_folder else target))
                _flush_to_disk(file)
            written.replace(target)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise OutputError(f"{target} cannot be written: {reason}.") from error
    finally:
        try:
            _remove(part)
        finally:  # an engine may see Ctrl-C before Python does, which then interrupts even this
            _remove(part)
    return verified, sha256[0]


@contextmanager
def _hashed(files: Sequence[Path], folder: Path) -> Iterator[list[str]]:
    """Hash files in a thread while the block runs; the list that is yielded has the hash at its end."""
    hashes: list[str] = []
    errors: list[OSError] = []

    def work() -> None:
        try:
            hashes.append(hash_files([(x, str(x.relative_to(folder))) for x in files]))
        except OSError as error:
            errors.append(error)

    thread = Thread(target=work)
    thread.start()
    try:
        yield hashes
    finally:
        thread.join()
    if errors:
        raise errors[0]


def _copy(file: Path, device: Path | None) -> None:
    """Write the content of a file to a pipe or a device, else to standard output."""
    with file.open("rb") as content:
        if device is not None:
            with device.open("wb") as target:
                shutil.copyfileobj(content, target)
        else:
            shutil.copyfileobj(content, sys.stdout.buffer)
            sys.stdout.buffer.flush()


def _remove(folder: Path) -> None:
    """Remove a folder; try again while threads of an engine that was stopped still write into it."""
    for _ in range(REMOVAL_ATTEMPTS):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(REMOVAL_PAUSE)


def refuse_input_as_output(output: str | Path, source: str | Path) -> None:
    """Refuse to overwrite the data with its release."""
    if STANDARD_STREAM not in (str(output), str(source)) and _same(Path(output), Path(source)):
        raise OutputError(f"{output} is the data itself.", hint="write the release to a file of its own.")


def check_outputs(outputs: Sequence[str | Path | None], inputs: Sequence[str | Path | None]) -> None:
    """Refuse, before any work, outputs that are inputs, that are named twice, or whose folder does not exist."""
    written: list[Path] = []
    for output in (Path(x) for x in outputs if x is not None and str(x) != "-"):
        for other in (Path(x) for x in inputs if x is not None and str(x) != "-"):
            if _same(output, other):
                raise OutputError(f"{output} is the data itself.", hint="write to a file of its own.")
        if any(output.absolute() == other.absolute() or _same(output, other) for other in written):
            raise OutputError(f"{output} would be written twice.", hint="write to files of their own.")
        if not output.parent.is_dir():
            raise OutputError(f"{output} cannot be written: its folder does not exist.", hint="make the folder first.")
        if output.is_dir():
            raise OutputError(f"{output} is an existing folder.", hint="give a name that is not taken.")
        if not os.access(output.parent if not output.exists() else output, os.W_OK):
            raise OutputError(f"{output} cannot be written: permission denied.", hint="choose another place.")
        written.append(output)


def save_text(path: Path, text: str, *, private: bool = False) -> None:
    """Write a text file whole or not at all; only its owner may read a private one."""
    part: Path | None = None
    try:
        if path.exists() and not path.is_file():  # a pipe, a device
            path.write_text(text, "utf-8", newline="")
            return
        part = _part(path.parent)
        part.write_text(text, "utf-8", newline="")
        part.chmod(0o600 if private else _usual_mode(path))
        part.replace(path)
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}.", hint="does its folder exist?") from error
    finally:
        if part is not None:
            part.unlink(missing_ok=True)


@contextmanager
def private_file(path: Path) -> Iterator[Path]:
    """Make a file that only its owner may read; it gets its name if the block succeeds, else it is removed."""
    part: Path | None = None
    try:
        part = _part(path.parent)
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}.", hint="does its folder exist?") from error
    try:
        yield part
        _flush_to_disk(part)
        part.replace(path)
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}.") from error
    finally:
        part.unlink(missing_ok=True)


def _part(folder: Path) -> Path:
    """Make a file beside what is to be written, for its owner only."""
    handle, name = tempfile.mkstemp(prefix=".allonym-", suffix=".part", dir=folder)
    os.close(handle)
    return Path(name)


def _flush_to_disk(file: Path) -> None:
    """Make sure that a file is on the disk before it gets its name."""
    with file.open("rb") as opened:
        os.fsync(opened.fileno())


def _same(one: Path, other: Path) -> bool:
    return one.exists() and other.exists() and one.samefile(other)


def _usual_mode(target: Path) -> int:
    """Return the permissions a new file has; if it replaces a file, no others than that one had."""
    mask = os.umask(0o077)
    os.umask(mask)
    before = target.stat().st_mode if target.exists() else 0o666
    return 0o666 & ~mask & before
