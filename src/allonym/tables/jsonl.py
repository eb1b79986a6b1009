"""JSON lines: an object a line. Values that are not masked stay as they are; lists are sets to those who ask."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from allonym.cells import Cells
from allonym.errors import TableError
from allonym.tables.columns import coded


class JsonLines:
    """A file of JSON lines.

    >>> table = JsonLines(b'{"id": 1, "likes": ["milk", "bread"]}\\n{"id": 2}\\n', "x")
    >>> table.names, table.n, table.cells(["likes"])["likes"].values
    (('id', 'likes'), 2, [('milk', 'bread'), None])
    """

    suffix = ".jsonl"

    def __init__(self, raw: bytes, name: str) -> None:
        self.name = name
        self._records: list[dict[str, Any]] = []
        try:
            lines = raw.decode("utf-8-sig").split("\n")
        except UnicodeDecodeError as error:
            raise TableError(f"{name} is not valid UTF-8.", hint="JSON lines are; convert the file.") from error
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise TableError(f"{name}, line {number} is no JSON.", hint="write one object a line.") from error
            if not isinstance(record, dict):
                raise TableError(f"{name}, line {number} is no object.", hint="write one object a line.")
            self._records.append(record)
        self.names = tuple(dict.fromkeys(key for record in self._records for key in record))
        self.n = len(self._records)
        try:
            "".join(self.names).encode()
        except UnicodeEncodeError as error:
            raise TableError(f"{name} has half of a character in the name of a column.", hint="rename it.") from error

    def cells(self, names: Sequence[str]) -> dict[str, Cells]:
        """Return the cells of some columns; what an object does not have is null."""
        return {name: coded([record.get(name) for record in self._records], name, self.name) for name in names}

    def changed(
        self, columns: Mapping[str, Cells], drop: Sequence[str], *, discard_style: bool = False
    ) -> Iterator[bytes]:
        """Yield the lines with other values in some columns, and without some columns."""
        for row, record in enumerate(self._records):
            new = dict(record)
            for name, cells in columns.items():
                value = cells.values[cells.codes[row]]
                new[name] = list(value) if isinstance(value, tuple) else value
            yield encoded({name: new[name] for name in self.names if name in new and name not in drop})

    def save(self, changed: Iterable[bytes], path: Path, *, zipped: bool = False) -> None:
        """Write what `changed` gives."""
        content = b"".join(changed)
        path.write_bytes(gzip.compress(content, mtime=0) if zipped else content)


def encoded(record: Mapping[str, Any]) -> bytes:
    """Return an object as a line."""
    try:
        return (json.dumps(record, ensure_ascii=False) + "\n").encode()
    except UnicodeEncodeError:  # half of a pair of surrogates
        return (json.dumps(record) + "\n").encode()
