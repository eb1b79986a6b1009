"""Data files: delimited text, JSON lines, Parquet, spreadsheets, SPSS and Stata; what a file is, its content tells."""

from __future__ import annotations

import codecs
import gzip
import json
import sys
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from allonym.cells import MISSING, Cells
from allonym.decoding import delimiter_of
from allonym.errors import OutputError, TableError
from allonym.parameters import parameter
from allonym.tables.delimited import Delimited
from allonym.tables.excel import ExcelFile
from allonym.tables.frame import Frame
from allonym.tables.jsonl import JsonLines
from allonym.tables.spss import LabelledFile

_MARKS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)


@dataclass(frozen=True)
class Reading:
    """How a file is read; the encoding and the delimiter are detected unless given."""

    encoding: str | None = parameter(None, "Encoding of a text file; by default detected.")
    delimiter: str | None = parameter(None, "Delimiter of a text file; by default detected.")
    header: bool = parameter(True, "The first line of a text file has the names of the columns.")
    sheet: str | None = parameter(None, "Sheet of a workbook; by default the first.")


class TextFile(Delimited):
    """A file of delimited text, in any encoding; what is written back is in the same."""

    suffix = ".csv"

    def __init__(self, raw: bytes, name: str, reading: Reading) -> None:
        given = reading.delimiter
        if given is not None and (len(given) != 1 or not given.isascii() or given in '"\r\n\0'):
            raise TableError("A delimiter is one plain character.", hint="leave it out to have it found.")
        try:
            self.encoding, self._mark = encoding_of(raw, reading.encoding)
            utf8 = raw[len(self._mark) :]
            if self.encoding != "utf-8":
                text = utf8.decode(self.encoding)
                lines = text.splitlines(keepends=True)  # each must be written as it is, whatever came before
                if b"".join(line.encode(self.encoding) for line in lines) != utf8:
                    raise TableError(f"{name} would not come back as it is.", hint="convert it to UTF-8 first.")
                utf8 = text.encode()
            elif reading.encoding or self._mark:
                utf8.decode()
        except (UnicodeError, LookupError, ValueError) as error:
            if 0 in raw[:2000] and not reading.encoding:
                raise _no_text(name) from error
            what = reading.encoding or "UTF-8"
            raise TableError(
                f"{name} is not valid {what}.", hint="give its encoding, e.g. --encoding latin-1."
            ) from error
        if b"\0" in utf8[:10_000]:
            raise _no_text(name)
        delimiter = reading.delimiter or delimiter_of(utf8[:100_000].decode(errors="ignore"))
        super().__init__(utf8, delimiter, header=reading.header, name=name)

    @property
    def codec(self) -> str:
        """The encoding by which other readers understand the file, its mark included."""
        return self.encoding[:6] if self._mark and self.encoding != "utf-8" else self.encoding

    def changed(
        self, columns: Mapping[str, Cells], drop: Sequence[str], *, discard_style: bool = False
    ) -> Iterator[bytes]:
        """Yield the file with other cells in some columns, and without some columns."""
        return self.encoded(super().changed(columns, drop, discard_style=discard_style))

    def encoded(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """Yield text in UTF-8 as this file has it: with its mark, in its encoding."""
        yield self._mark
        for chunk in chunks:
            try:
                yield chunk if self.encoding == "utf-8" else chunk.decode().encode(self.encoding)
            except UnicodeEncodeError as error:
                raise OutputError(
                    f"A label of the ontology cannot be written in {self.encoding}.",
                    hint="convert the file to UTF-8 first.",
                ) from error

    def save(self, changed: Iterable[bytes], path: Path, *, zipped: bool = False) -> None:
        """Write what `changed` gives."""
        with path.open("wb") as file:
            if zipped:
                with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
                    packed.writelines(changed)
            else:
                file.writelines(changed)


def _no_text(name: str) -> TableError:
    return TableError(f"{name} is not a text file.", hint="give a table of delimited text, or Parquet.")


class ParquetFile(Frame):
    """A Parquet file; columns that are not masked keep their type."""

    suffix = ".parquet"

    def __init__(self, raw: bytes, name: str) -> None:
        import pyarrow.parquet as pq

        try:
            notes = pq.read_metadata(pa.BufferReader(raw))
            if sum(notes.row_group(x).num_rows for x in range(notes.num_row_groups)) != notes.num_rows:
                raise pa.ArrowInvalid("row groups")  # to read so many rows would take all memory there is
            table = pq.read_table(pa.BufferReader(raw))
            table.validate(full=True)
            list(table.column_names)
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise TableError(f"{name} is a damaged Parquet file, or names a column twice.") from error
        super().__init__(_without_index(table), name)

    def save(self, changed: Any, path: Path, *, zipped: bool = False) -> None:
        """Write what `changed` gives."""
        import pyarrow.parquet as pq

        pq.write_table(changed, path)


def _without_index(table: pa.Table) -> pa.Table:
    """Take a numbered index out of the notes that pandas leaves in a file: no role speaks of it."""
    notes = (table.schema.metadata or {}).get(b"pandas")
    if notes is None:
        return table
    try:
        told = json.loads(notes)
        told["index_columns"] = [x for x in told.get("index_columns", []) if isinstance(x, str)]
    except (ValueError, AttributeError, TypeError, RecursionError):  # nothing that pandas wrote
        return table.replace_schema_metadata({k: v for k, v in table.schema.metadata.items() if k != b"pandas"})
    return table.replace_schema_metadata({**table.schema.metadata, b"pandas": json.dumps(told).encode()})


def read_bytes(path: str | Path) -> bytes:
    """Read a file as it is; `-` is standard input."""
    try:
        return sys.stdin.buffer.read() if str(path) == "-" else Path(path).read_bytes()
    except OSError as error:
        raise TableError(f"{path} cannot be read: {error.strerror}.", hint="is the name right?") from error


DataFile = TextFile | ParquetFile | JsonLines | ExcelFile | LabelledFile
_OLD_STATA = tuple(bytes([version, order]) for version in (105, 108, 110, 111, 113, 114, 115) for order in (1, 2))


def open_table(path: str | Path, reading: Reading | None = None, raw: bytes | None = None) -> DataFile:
    """Open a data file; what it is, its content tells."""
    raw = read_bytes(path) if raw is None else raw
    name = "standard input" if str(path) == "-" else str(path)
    try:
        raw = gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw
    except (OSError, EOFError, zlib.error) as error:
        raise TableError(f"{name} cannot be read: its gzip data is damaged.") from error
    reading = reading or Reading()
    if raw[:4] == b"PAR1":
        return ParquetFile(raw, name)
    if raw[:4] == b"PK\x03\x04" or raw[:8] == b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1":
        return ExcelFile(raw, name, header=reading.header, sheet=reading.sheet)
    if (
        raw[:4] in (b"$FL2", b"$FL3")
        or raw[:11] == b"<stata_dta>"
        or (raw[:2] in _OLD_STATA and raw[2:4] == b"\x01\x00")
    ):
        return LabelledFile(raw, name)
    if raw.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{" and _is_json(raw):
        return JsonLines(raw, name)
    return TextFile(raw, name, reading)


def _is_json(raw: bytes) -> bool:
    """Tell whether the first line of a file is an object of JSON."""
    line = next((x for x in raw.splitlines() if x.strip(b"\xef\xbb\xbf \t")), b"")
    try:
        return isinstance(json.loads(line.decode("utf-8-sig", errors="replace")), dict)
    except json.JSONDecodeError:
        return False
    except (ValueError, RecursionError):  # too many digits, too deep: JSON that cannot be read
        return True


def open_any(source: Any, reading: Reading | None = None, raw: bytes | None = None) -> DataFile | Frame:
    """Open a data file, or take a frame."""
    return open_table(source, reading, raw) if isinstance(source, (str, Path)) else Frame(source)


def encoding_of(raw: bytes, given: str | None = None) -> tuple[str, bytes]:
    """Return the encoding of a text and its byte order mark: by the mark, by its zeros, UTF-8 if valid, else Windows'.

    >>> encoding_of("Käse".encode("utf-16-le")), encoding_of("Käse".encode("latin-1"))
    (('utf-16-le', b''), ('cp1252', b''))
    """
    marked = next(((encoding, mark) for mark, encoding in _MARKS if raw.startswith(mark)), None)
    head = raw[:2000]
    little = head[1::2].count(0) >= head[0::2].count(0)
    if given is not None:
        asked = codecs.lookup(given).name.removesuffix("-sig")
        if marked and marked[0].startswith(asked):
            return marked
        ending = ("-le" if little else "-be") if asked in ("utf-16", "utf-32") else ""
        return asked + ending, b""
    if marked:
        return marked
    if 0 in head:
        return ("utf-16-le" if little else "utf-16-be"), b""
    return _unmarked(raw), b""


def _unmarked(raw: bytes) -> str:
    """Return UTF-8 if a text is that, else what Windows writes, else Latin-1, which anything is."""
    if raw.isascii():
        return "utf-8"
    for encoding in ("utf-8", "cp1252"):
        try:
            raw.decode(encoding)
            return encoding
        except UnicodeDecodeError:
            continue
    return "latin-1"


@dataclass(frozen=True)
class Column:
    """The distinct values of a column with their counts, in order of appearance, and how many cells have none."""

    values: Counter[str]
    missing: int


def read_column(path: str | Path, column: str, reading: Reading | None = None) -> Column:
    """Read a column of a file. Without a header a column is its number, from 1.

    Cells that are empty or say so (`MISSING`) are counted as missing.
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
