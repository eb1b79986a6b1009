"""JSON lines: one object a line. Values that are not masked stay as they are; lists can be read as sets."""

from __future__ import annotations

import gzip
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from allonym.cells import Cells
from allonym.errors import ReleaseError, TableError
from allonym.tables.base import Format, Reading
from allonym.tables.columns import coded
from allonym.tables.memory import MemoryTable
from allonym.tables.row_order import RowOrder
from allonym.tables.second_reader import joined, unpacked


class JsonLines(MemoryTable):
    """A file of JSON lines.

    >>> table = JsonLines(b'{"id": 1, "likes": ["milk", "bread"]}\\n{"id": 2}\\n', "x")
    >>> table.names, table.n, table.cells(["likes"])["likes"].values
    (('id', 'likes'), 2, [('milk', 'bread'), None])
    """

    def __init__(self, content: bytes, name: str) -> None:
        self.name, self.format = name, FORMAT
        self._records: list[dict[str, Any]] = []
        try:
            lines = content.decode("utf-8-sig").split("\n")
        except UnicodeDecodeError as error:
            raise TableError(f"{name} is not valid UTF-8.", hint="JSON lines are; convert the file.") from error
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise TableError(f"{name}, line {number} is not JSON.", hint="write one object a line.") from error
            if not isinstance(record, dict):
                raise TableError(f"{name}, line {number} is not an object.", hint="write one object a line.")
            self._records.append(record)
        self.names = tuple(dict.fromkeys(key for record in self._records for key in record))
        try:
            "".join(self.names).encode()
        except UnicodeEncodeError as error:
            raise TableError(f"{name} has half of a character in the name of a column.", hint="rename it.") from error

    @classmethod
    def open(cls, content: bytes, name: str, reading: Reading, *, item_separators: Collection[str] = ()) -> JsonLines:
        """Open a file; there is nothing to choose."""
        return cls(content, name)

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(self._records)

    def cells(self, names: Sequence[str]) -> dict[str, Cells]:
        """Return the cells of some columns; a key that an object lacks is null."""
        return {name: coded([record.get(name) for record in self._records], name, self.name) for name in names}

    def changed(
        self,
        columns: Mapping[str, Cells],
        drop: Sequence[str],
        *,
        discard_style: bool = False,
        order: RowOrder | None = None,
    ) -> Iterator[bytes]:
        """Yield the lines with other values in some columns, without others, in an order."""
        for row in range(self.n) if order is None else order.rows(self.n).tolist():
            new = dict(self._records[row])
            for name, cells in columns.items():
                value = cells.values[cells.codes[row]]
                new[name] = list(value) if isinstance(value, tuple) else value
            yield _line({name: new[name] for name in self.names if name in new and name not in drop})

    def from_columns(self, data: Mapping[str, list[Any]]) -> Iterator[bytes]:
        """Yield new columns as lines."""
        return (_line(dict(zip(data, row, strict=True))) for row in zip(*data.values(), strict=True))

    def save(self, content: Iterable[bytes], path: Path, *, zipped: bool = False) -> None:
        """Write lines to a file."""
        whole = b"".join(content)
        path.write_bytes(gzip.compress(whole, mtime=0) if zipped else whole)

    def reread(self, content: bytes, columns: Sequence[str], names: Sequence[str]) -> tuple[Any, Sequence[str]]:
        """Read some columns of the written lines, and the names of all columns."""
        return reread(content, columns, names)


def _line(record: Mapping[str, Any]) -> bytes:
    """Return an object as one line of JSON."""
    try:
        return (json.dumps(record, ensure_ascii=False) + "\n").encode()
    except UnicodeEncodeError:  # half of a pair of surrogates
        return (json.dumps(record) + "\n").encode()


def _recognises(content: bytes) -> bool:
    """Tell whether the first line of a file is a JSON object."""
    if content.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] != b"{":
        return False
    line = next((x for x in content.splitlines() if x.strip(b"\xef\xbb\xbf \t")), b"")
    try:
        return isinstance(json.loads(line.decode("utf-8-sig", errors="replace")), dict)
    except json.JSONDecodeError:
        return False
    except (ValueError, RecursionError):  # too many digits, too deep: JSON that cannot be read
        return True


FORMAT = Format("jsonl", (".jsonl", ".ndjson", ".json"), _recognises, JsonLines.open, gzip=True)


# --- the second reader ---------------------------------------------------------------------------------------


def reread(content: bytes, columns: Sequence[str], names: Sequence[str]) -> tuple[pa.Table, Sequence[str]]:
    """Read some columns of JSON lines, and the names of all columns, which may come in any order."""
    try:
        records = [json.loads(line) for line in unpacked(content).decode().split("\n") if line]
    except ValueError as error:
        raise ReleaseError("The release cannot be read again.") from error
    written = {name for record in records for name in record}
    data = {x: pa.array([_text(record.get(x)) for record in records], pa.string()) for x in columns}
    expected = [x for x in names if x in written or x in columns]
    return pa.table(data), names if len(expected) == len(names) and written <= set(names) else sorted(written)


def _text(value: Any) -> str | None:
    """Return a JSON value as text."""
    if value is None:
        return None
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode()
    return joined(value) if isinstance(value, list) else json.dumps(value)
