"""The folders of the user in which compiled ontologies are kept."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

from allonym.errors import OntologyError


def cache_folder() -> Path:
    """Return the folder of what can be compiled again: ALLONYM_CACHE, else where the system keeps caches."""
    return _folder("ALLONYM_CACHE", "XDG_CACHE_HOME", ".cache", "Library/Caches", "Cache")


def data_folder() -> Path:
    """Return the folder of the ontologies that the user added: ALLONYM_DATA, else where the system keeps data."""
    return _folder("ALLONYM_DATA", "XDG_DATA_HOME", ".local/share", "Library/Application Support", "Data")


def _folder(variable: str, base: str, linux: str, mac: str, windows: str) -> Path:
    stated = os.environ.get(variable)
    if stated:
        return Path(stated)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData/Local") / "allonym" / windows
    if sys.platform == "darwin":
        return Path.home() / mac / "allonym"
    stated = os.environ.get(base, "")
    return (Path(stated) if Path(stated).is_absolute() else Path.home() / linux) / "allonym"


def write_private(path: Path, content: bytes) -> None:
    """Write a file that only the user may read; a reader sees the old file or the whole new one.

    Raises:
        OntologyError: the file cannot be written.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(content)
        temporary.replace(path)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink()
        raise OntologyError(f"cannot be written: {error.strerror}.", path=path) from error
