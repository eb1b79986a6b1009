"""Delimited text in any encoding: CSV, TSV and the like."""

from __future__ import annotations

import csv
import gzip
import io
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from allonym.cells import Cells
from allonym.decoding import delimiter_of, encoding_of
from allonym.errors import OutputError, ReleaseError, TableError
from allonym.tables.base import Format, Reading
from allonym.tables.delimited import Delimited
from allonym.tables.memory import MemoryTable
from allonym.tables.row_order import RowOrder
from allonym.tables.second_reader import unpacked

BUFFERED_ROWS = 10_000  # rows of a new file that are encoded at a time
MIN_THREADED_BYTES = 1 << 26  # from this size on, Arrow reads a release on all cores
CODECS_WITH_PLAIN_LINES = ("utf-8", "ascii", "cp1252", "latin-1", "iso8859-1")  # a line end is its ASCII byte


class TextFile(Delimited, MemoryTable):
    """A file of delimited text; a release has the same encoding."""

    def __init__(self, content: bytes, name: str, reading: Reading, *, item_separators: Collection[str] = ()) -> None:
        delimiter = reading.delimiter
        if delimiter is not None and (len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\0'):
            raise TableError("A delimiter is one ASCII character.", hint="leave it out to have it detected.")
        self.format = FORMAT
        try:
            self.encoding, self._mark = encoding_of(content, reading.encoding)
            utf8 = content[len(self._mark) :]
            if self.encoding != "utf-8":
                text = utf8.decode(self.encoding)
                lines = text.splitlines(keepends=True)  # each must be written as it is, whatever came before
                if b"".join(line.encode(self.encoding) for line in lines) != utf8:
                    raise TableError(f"{name} would not come back as it is.", hint="convert it to UTF-8 first.")
                utf8 = text.encode()
            elif reading.encoding or self._mark:
                utf8.decode()
        except (UnicodeError, LookupError, ValueError) as error:
            if 0 in content[:2000] and not reading.encoding:
                raise _not_text(name) from error
            what = reading.encoding or "UTF-8"
            raise TableError(
                f"{name} is not valid {what}.", hint="give its encoding, e.g. --encoding latin-1."
            ) from error
        if b"\0" in utf8[:10_000]:
            raise _not_text(name)
        delimiter = delimiter or delimiter_of(utf8[:100_000].decode(errors="ignore"))
        super().__init__(utf8, delimiter, header=reading.header, name=name)
        if len(self.names) == 1 and delimiter in item_separators:  # one column of sets: there is no delimiter
            super().__init__(utf8, "," if ";" in item_separators else ";", header=reading.header, name=name)

    @property
    def codec(self) -> str:
        """The encoding by which other readers understand the file, its byte order mark included."""
        return self.encoding[:6] if self._mark and self.encoding != "utf-8" else self.encoding

    # --- writing ---------------------------------------------------------------------------------------------

    def changed(
        self,
        columns: Mapping[str, Cells],
        drop: Sequence[str],
        *,
        discard_style: bool = False,
        order: RowOrder | None = None,
    ) -> Iterator[bytes]:
        """Yield the file with other cells in some columns, without others, and with its rows in an order."""
        return self._encoded(super().changed(columns, drop, discard_style=discard_style, order=order))

    def from_columns(self, data: Mapping[str, list[Any]]) -> Iterator[bytes]:
        """Yield new columns as a file with the same delimiter, header and encoding."""
        return self._encoded(self._lines(data))

    def _lines(self, data: Mapping[str, list[Any]]) -> Iterator[bytes]:
        text = io.StringIO(newline="")
        writer = csv.writer(text, delimiter=self.delimiter, lineterminator="\n")
        if self.has_header:
            writer.writerow(data)
        for number, row in enumerate(zip(*data.values(), strict=True)):
            writer.writerow(["" if x is None else x for x in row])
            if number % BUFFERED_ROWS == 0:
                yield text.getvalue().encode()
                text.seek(0)
                text.truncate()
        yield text.getvalue().encode()

    def _encoded(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """Yield UTF-8 text in the encoding of the file, after its byte order mark."""
        yield self._mark
        for chunk in chunks:
            try:
                yield chunk if self.encoding == "utf-8" else chunk.decode().encode(self.encoding)
            except UnicodeEncodeError as error:
                raise OutputError(
                    f"A label of the ontology cannot be written in {self.encoding}.",
                    hint="convert the file to UTF-8 first.",
                ) from error

    def save(self, content: Iterable[bytes], path: Path, *, zipped: bool = False) -> None:
        """Write content to a file."""
        with path.open("wb") as file:
            if zipped:
                with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
                    packed.writelines(content)
            else:
                file.writelines(content)

    def reread(self, content: bytes, columns: Sequence[str], names: Sequence[str]) -> tuple[Any, Sequence[str]]:
        """Read some columns of a release by Arrow's reader, and the names of all columns by Python's."""
        unstored = None if self.has_header else names
        return reread(content, columns, delimiter=self.delimiter, encoding=self.codec, names=unstored)


def _not_text(name: str) -> TableError:
    return TableError(f"{name} is not a text file.", hint="give a table of delimited text, or Parquet.")


FORMAT = Format("csv", (".csv", ""), recognises=lambda content: True, open=TextFile, gzip=True)


# --- the second reader ---------------------------------------------------------------------------------------


def reread(
    content: bytes, columns: Sequence[str], *, delimiter: str, encoding: str, names: Sequence[str] | None
) -> tuple[pa.Table, list[str]]:
    """Read some columns of delimited text by Arrow's reader, and the names of all, unless given, by Python's."""
    content = unpacked(content)
    has_header = names is None
    if names is None:
        names = [name.strip() for name in next(_rows(content, delimiter, encoding), [])]
    wanted = [name for name in names if name in set(columns)] or list(names[:1])
    places = [names.index(name) for name in wanted]
    try:
        table = _by_arrow(_without_blank_start(content, encoding), places, delimiter, encoding, len(names))
    except (pa.ArrowException, AttributeError, ValueError):  # blanks before quotes, which Arrow does not skip; codecs
        table = _by_python(content, places, delimiter, encoding, len(names))
    return table.rename_columns(wanted).slice(int(has_header)), list(names)


def _without_blank_start(content: bytes, encoding: str) -> bytes:
    """Return a text from its first line that is not blank."""
    if encoding not in CODECS_WITH_PLAIN_LINES:
        return content
    mark = content[:3] if content[:3] == b"\xef\xbb\xbf" else b""
    blank = re.match(rb"(?:[ \t]*(?:\r\n|\r|\n))*", content[len(mark) :])
    assert blank is not None
    return mark + content[len(mark) + blank.end() :] if blank.end() else content


def _rows(content: bytes, delimiter: str, encoding: str) -> Iterator[list[str]]:
    """Yield the rows of delimited text by Python's reader, without blank lines."""
    codec = "utf-8-sig" if encoding == "utf-8" else encoding
    text = io.TextIOWrapper(io.BytesIO(content), encoding=codec, newline="")
    csv.field_size_limit(2**31 - 1)
    for row in csv.reader(text, delimiter=delimiter, skipinitialspace=True):
        if any(cell.strip() for cell in row) or len(row) > 1:
            yield row


def _by_arrow(content: bytes, places: list[int], delimiter: str, encoding: str, width: int) -> pa.Table:
    from pyarrow import csv as arrow

    numbers = [f"f{i}" for i in range(width)]
    use_threads, quoted = len(content) > MIN_THREADED_BYTES, b'"' in content
    return arrow.read_csv(
        pa.BufferReader(content),
        arrow.ReadOptions(
            autogenerate_column_names=True, encoding=encoding, block_size=1 << 24, use_threads=use_threads
        ),
        arrow.ParseOptions(delimiter=delimiter, newlines_in_values=quoted, ignore_empty_lines=width > 1),
        arrow.ConvertOptions(
            include_columns=[numbers[i] for i in places],
            column_types=dict.fromkeys(numbers, pa.dictionary(pa.int32(), pa.string())),
            strings_can_be_null=False,
        ),
    )


def _by_python(content: bytes, places: list[int], delimiter: str, encoding: str, width: int) -> pa.Table:
    try:
        rows = list(_rows(content, delimiter, encoding))
    except csv.Error:
        rows = [[]]
    if any(len(row) != width for row in rows):
        raise ReleaseError("The release could not be read again, so it was not written.")
    return pa.table({str(i): pa.array([row[i] for row in rows], pa.string()) for i in places})
