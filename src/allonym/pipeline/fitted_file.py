"""The file of a fitted plan: JSON that only its owner can read, with the stream of its draws where that was saved."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from allonym.errors import OptionError, OutputError, TableError
from allonym.pipeline.budget import Ledger
from allonym.pipeline.row_numbers import row_number
from allonym.release.write import save_text
from allonym.release_key import ReleaseKey

FORMAT = 1


def text_of(stored: Mapping[str, Any]) -> str:
    """Return the text of a file."""
    return json.dumps(stored, indent=1, ensure_ascii=False) + "\n"


def read(path: Path) -> dict[str, Any]:
    """Read the file of a fitted plan."""
    try:
        stored = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise TableError(f"{path} cannot be read.", hint="name a file that `Fitted.save` wrote.") from error
    if not isinstance(stored, dict) or stored.get("format") != FORMAT:
        raise TableError(f"{path} is not of format {FORMAT}.", hint="fit the plan again, and save it.")
    return stored


def save_stream(path: Path, stored: dict[str, Any], key: ReleaseKey, row: int | None, spent: Any = None) -> None:
    """Write a fitted plan with its stream: the key of its draws and its next row; None, if draws go by a key column.

    A stream with rows is bound to this very file: a copy is another file. `spent` says what persons have spent.
    """
    position: dict[str, Any] = {"secret": key.secret.hex(), "seed": key.seed}
    position |= {} if spent is None else {"spent": spent}
    try:
        handle, part = tempfile.mkstemp(prefix=".allonym-", suffix=".part", dir=path.parent)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            position |= {} if row is None else {"row": row, "file": os.fstat(handle).st_ino}
            file.write(text_of(stored | {"stream": position}))
        Path(part).replace(path)
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}.", hint="does its folder exist?") from error


def shared_key(path: Path) -> ReleaseKey:
    """Return the key of a stream whose draws go by a key column; everybody who has the file may continue it."""
    stream = read(path).get("stream")
    if not isinstance(stream, dict):
        raise TableError(f"{path} has no stream to resume.", hint="save(…, stream=True) stores it.")
    return _key(path, stream)


def claimed_stream(path: Path) -> tuple[ReleaseKey, int, dict[str, Any] | None]:
    """Take the stream out of a file, so that nobody else can continue it: its key, its next row, and what is spent."""
    lock = path.with_name(f"{path.name}.lock")
    try:
        os.close(os.open(lock, os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError as error:
        hint = f"wait; if no other process is running, remove {lock.name}."
        raise TableError(f"Another process is opening {path}.", hint=hint) from error
    try:
        stored = read(path)
        stream = stored.pop("stream", None)
        if not isinstance(stream, dict) or stream.get("file") != path.stat().st_ino:
            hint = "save(…, stream=True) stores a stream, for one to continue; load the file without resume."
            raise TableError(f"{path} has no stream to resume: it was taken, or the file is a copy.", hint=hint)
        try:
            key, row, spent = _key(path, stream), row_number(stream["row"]), stream.get("spent")
            if spent is not None:
                Ledger.from_dict(spent)
        except (LookupError, TypeError, ValueError, OptionError) as error:
            raise _damaged(path) from error
        save_text(path, text_of(stored), private=True)
        return key, row, spent
    finally:
        lock.unlink()


def _key(path: Path, stream: Mapping[str, Any]) -> ReleaseKey:
    try:
        seed = None if stream["seed"] is None else row_number(stream["seed"])
        return ReleaseKey(bytes.fromhex(stream["secret"]), seed)
    except (LookupError, TypeError, ValueError, OptionError) as error:
        raise _damaged(path) from error


def _damaged(path: Path) -> TableError:
    return TableError(f"{path} is damaged.", hint="fit the plan again, and save it.")
