"""The contract of every target: it succeeds, or raises an `AllonymError` whose message contains no cell values."""

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
    """A property that must hold is violated."""


def expect(holds: bool, violation: str) -> None:
    """Raise a finding unless a property holds."""
    if not holds:
        raise Finding(violation)


@cache
def source_words() -> frozenset[str]:
    """Return the words of the source code, which messages may contain."""
    files = Path(allonym.__file__).parent.rglob("*.py")
    return frozenset(x for file in files for x in _WORD.findall(file.read_text("utf-8").lower()))


@contextmanager
def refusing(cells: str = "", names: Iterable[str] = ()) -> Iterator[None]:
    """Allow an `AllonymError` whose message contains no long word of the cells; column names are allowed."""
    try:
        yield
    except AllonymError as error:
        name_words = {x for name in names for x in _WORD.findall(name.lower())}
        words = set(_WORD.findall(str(error).lower())) - source_words() - name_words
        expect(not words & set(_WORD.findall(cells.lower())), "a message contains part of a cell")


@cache
def folder() -> Path:
    """Return a temporary folder that contains an ontology."""
    temporary = TemporaryDirectory(prefix="fuzz-")
    atexit.register(temporary.cleanup)
    (Path(temporary.name) / "mini-jobs.csv").write_bytes(*seeds.test_files("mini-jobs.csv"))
    return Path(temporary.name)


def write(data: bytes, name: str = "given") -> Path:
    """Write a file to the temporary folder and return its path."""
    path = folder() / name
    path.write_bytes(data)
    return path
