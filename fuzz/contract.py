"""What holds of every target: it works, or refuses by an `AllonymError` that has no part of a cell."""

from __future__ import annotations

import atexit
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import seeds

import allonym
from allonym.errors import AllonymError

MASKS = ("worker", "a, b;c", 'x "y"', "l1\nl2", " padded", "é", "", None)
_WORD = re.compile(r"[^\W_]{6,}")


class Finding(AssertionError):
    """What should hold does not."""


def expect(holds: bool, what: str) -> None:
    """Say what does not hold."""
    if not holds:
        raise Finding(what)


@cache
def known_words() -> frozenset[str]:
    """Return the words of the source, which messages are made of."""
    files = Path(allonym.__file__).parent.rglob("*.py")
    return frozenset(x for file in files for x in _WORD.findall(file.read_text("utf-8").lower()))


@contextmanager
def refusing(cells: str = "", names: Iterable[str] = ()) -> Iterator[None]:
    """Let a reader refuse what it is given, in a text that has no long word of some cells; names may be told."""
    try:
        yield
    except AllonymError as error:
        named = {x for name in names for x in _WORD.findall(name.lower())}
        told = set(_WORD.findall(str(error).lower()))
        expect(not (told - known_words() - named) & set(_WORD.findall(cells.lower())), "a message has part of a cell")


@cache
def folder() -> Path:
    """Return a folder for files, with an ontology in it."""
    kept = TemporaryDirectory(prefix="fuzz-")
    atexit.register(kept.cleanup)
    (Path(kept.name) / "mini-jobs.csv").write_bytes(*seeds.of("mini-jobs.csv"))
    return Path(kept.name)


def written(data: bytes, name: str = "given") -> Path:
    """Write a file."""
    path = folder() / name
    path.write_bytes(data)
    return path
