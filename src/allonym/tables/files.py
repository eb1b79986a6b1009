"""Data files: the content of a file tells its format."""

from __future__ import annotations

import hashlib
import sys
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from allonym.cells import MISSING
from allonym.errors import TableError
from allonym.tables.base import STANDARD_STREAM, Reading
from allonym.tables.frame import Frame
from allonym.tables.memory import MemoryTable
from allonym.tables.registry import FORMATS
from allonym.tables.unpacking import unpacked

__all__ = ["Column", "Reading", "hash_files", "open_any", "open_table", "read_bytes", "read_column"]


def read_bytes(path: str | Path) -> bytes:
    """Read a file as it is; `-` is standard input."""
    try:
        return sys.stdin.buffer.read() if str(path) == STANDARD_STREAM else Path(path).read_bytes()
    except OSError as error:
        raise TableError(f"{path} cannot be read: {error.strerror}.", hint="is the name right?") from error


def open_table(
    path: str | Path,
    reading: Reading | None = None,
    raw: bytes | None = None,
    *,
    item_separators: Collection[str] = (),
) -> MemoryTable:
    """Open a data file, or its bytes where they were read already.

    Args:
        path: the file; `-` is standard input.
        reading: how to read it.
        raw: its bytes.
        item_separators: characters between the items of sets, which are unlikely delimiters.
    """
    raw = read_bytes(path) if raw is None else raw
    name = "standard input" if str(path) == STANDARD_STREAM else str(path)
    reading = reading or Reading()
    content = unpacked(raw, name, reading.max_size)
    format = next(x for x in FORMATS if x.recognises(content))
    table = format.open(content, name, reading, item_separators=item_separators)
    table.sha256 = hashlib.sha256(raw).hexdigest()
    return table


def open_any(
    source: Any, reading: Reading | None = None, raw: bytes | None = None, *, item_separators: Collection[str] = ()
) -> MemoryTable:
    """Open a data file, or take a frame."""
    if isinstance(source, (str, Path)):
        return open_table(source, reading, raw, item_separators=item_separators)
    return Frame(source)


@dataclass(frozen=True)
class Column:
    """The distinct values of a column with their counts, in order of appearance, and the number of missing cells."""

    values: Counter[str]
    missing: int


def read_column(path: str | Path, column: str, reading: Reading | None = None) -> Column:
    """Read a column of a file. Without a header a column is its number, from 1.

    Empty cells and missing-value markers (`MISSING`) are counted as missing.
    """
    table = open_table(path, reading)
    if column not in table.names:
        numbered = reading is not None and not reading.header
        raise TableError(
            f"None of the {len(table.names)} columns of {table.name} is called {column!r}.",
            hint="without a header a column is its number, 1 for the first."
            if numbered
            else "for a file without a header give --no-header and the column's number.",
            values=table.names,  # not shown: in a file without a header they are somebody's data
        )
    cells = table.cells([column])[column]
    counts = Counter({str(v): int(c) for v, c in zip(cells.values, cells.counts, strict=True) if v is not None})
    values = Counter({v: c for v, c in counts.items() if v not in MISSING})
    if not values:
        raise TableError(f"Column {column} of {table.name} has no values.")
    return Column(values, table.n - values.total())


def hash_files(files: Sequence[tuple[Path, str]]) -> str:
    """Return the hash of one file that is named `.`, else of the list that sha256sum prints of files and names."""
    hashes = []
    for path, name in files:
        with path.open("rb") as file:
            hashes.append((hashlib.file_digest(file, "sha256").hexdigest(), name))
    if len(hashes) == 1 and hashes[0][1] == ".":
        return hashes[0][0]
    return hashlib.sha256("".join(f"{digest}  {name}\n" for digest, name in hashes).encode()).hexdigest()
