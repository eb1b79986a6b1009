"""Data files: a column of a CSV table, read as text."""

from __future__ import annotations

import csv
import gzip
import sys
import zlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from allonym.errors import TableError
from allonym.knowledge.text import decode, delimiter_of, table_of

MISSING = ("", "?", "NA", "N/A", "NULL", "null", "NaN", "nan")  # what people write where there is nothing


@dataclass(frozen=True)
class Column:
    """The distinct values of a column with their counts, in order of appearance, and how many cells have none."""

    values: Counter[str]
    missing: int


def read_column(path: str | Path, column: str, *, header: bool = True, delimiter: str | None = None) -> Column:
    """Read a column of a text table, gzipped or not; `-` is standard input.

    Without a header a column is its number, from 1. Cells that are empty or say so (`MISSING`), and cells of rows that
    are too short, are counted as missing.
    """
    text = _text(path)
    if not text.strip():
        raise TableError(f"{path} is empty.")
    if delimiter is not None and len(delimiter) != 1:
        raise TableError(f"A delimiter is one character, not {len(delimiter)}.", hint="leave it out to have it found.")
    delimiter = delimiter or delimiter_of(text)
    rows = table_of(text, delimiter)
    try:
        names = next(rows) if header else []
        at = _position(names, column, path) if header else _number(column, path)
        cells = [row[at].strip() if len(row) > at else "" for row in rows if row]
    except csv.Error as error:
        raise TableError(f"{path} cannot be read as a table: {error}.", hint="is it a text file?") from error
    values = Counter(cell for cell in cells if cell not in MISSING)
    if not values:
        raise TableError(
            f"Column {column} of {path} has no values.", hint=f"the delimiter was taken to be {delimiter!r}."
        )
    return Column(values, len(cells) - sum(values.values()))


def _text(path: str | Path) -> str:
    try:
        raw = sys.stdin.buffer.read() if str(path) == "-" else Path(path).read_bytes()
        raw = gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or "its gzip data is damaged"
        raise TableError(f"{path} cannot be read: {reason}.") from error
    return decode(raw)


def _position(names: list[str], column: str, path: str | Path) -> int:
    """Find a column by its name. The names are not shown: in a file without a header they are somebody's data."""
    if column in names:
        return names.index(column)
    raise TableError(
        f"None of the {len(names)} columns of {path} is called {column!r}.",
        hint="For a file without a header give --no-header and the column's number.",
        values=names,
    )


def _number(column: str, path: str | Path) -> int:
    if column.isdecimal() and int(column) > 0:
        return int(column) - 1
    raise TableError(
        f"{path} is read without a header, so {column!r} is no column.", hint="give a number, 1 for the first."
    )
