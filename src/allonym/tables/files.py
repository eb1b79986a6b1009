"""Data files: a CSV table read as text."""

from __future__ import annotations

import csv
import gzip
import io
import sys
from collections import Counter
from pathlib import Path

from allonym.errors import TableError, listed
from allonym.knowledge.readers.source import decode

NULLS = ("", "?", "NA", "N/A", "NULL", "null", "NaN", "nan")


def read_column(path: str | Path, column: str, *, header: bool = True, delimiter: str | None = None) -> Counter[str]:
    """Return the distinct values of a column with their counts, in order of appearance; empty cells are left out.

    Without a header a column is its number, from 1. A text file may be gzipped; `-` is standard input.
    """
    text = _text(path)
    if not text.strip():
        raise TableError(f"{path} is empty.")
    delimiter = delimiter or _delimiter(text)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    names = next(rows) if header else []
    at = _position(names, column, path) if header else _number(column, path)
    values = Counter(row[at].strip() for row in rows if len(row) > at)
    if not values:
        raise TableError(f"{path} has no column {column}.", hint=f"the delimiter seems to be {delimiter!r}.")
    for null in NULLS:
        values.pop(null, None)
    return values


def _text(path: str | Path) -> str:
    try:
        raw = sys.stdin.buffer.read() if str(path) == "-" else Path(path).read_bytes()
        raw = gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw
    except (OSError, EOFError) as error:
        raise TableError(
            f"{path} cannot be read: {getattr(error, 'strerror', None) or 'damaged gzip data'}."
        ) from error
    return decode(raw)


def _delimiter(text: str) -> str:
    """Return the delimiter that the first line has most of."""
    first = text.split("\n", 1)[0]
    return max(",;\t|", key=first.count)


def _position(names: list[str], column: str, path: str | Path) -> int:
    if column in names:
        return names.index(column)
    raise TableError(
        f"{path} has no column {column!r}.",
        hint=f"it has {listed(names, 12)}; or give --no-header and a column's number.",
    )


def _number(column: str, path: str | Path) -> int:
    if column.isdecimal() and int(column) > 0:
        return int(column) - 1
    raise TableError(
        f"{path} is read without a header, so {column!r} is no column.", hint="give a number, 1 for the first."
    )
