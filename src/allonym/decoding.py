"""Text from bytes: gzip, encodings, lines, and the delimiter of a table."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
from collections import Counter
from collections.abc import Iterator

UNPACKED_AT_A_TIME = 1 << 22  # bytes
_MARKS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)


class TooLargeError(ValueError):
    """Compressed data that unpacks to more bytes than it may."""


def gunzip(packed: bytes, limit: int) -> bytes:
    """Return gzip data unpacked; stop at a number of bytes, whatever the size that the data declares.

    >>> gunzip(gzip.compress(b"a,b"), limit=3)
    b'a,b'

    Raises:
        TooLargeError: it has more bytes.
        OSError, EOFError, zlib.error: it is damaged.
    """
    parts, size = [], 0
    with gzip.GzipFile(fileobj=io.BytesIO(packed)) as file:
        while part := file.read(UNPACKED_AT_A_TIME):
            size += len(part)
            if size > limit:
                raise TooLargeError
            parts.append(part)
    return b"".join(parts)


def encoding_of(raw: bytes, declared: str | None = None) -> tuple[str, bytes]:
    """Return the encoding of a text and its byte order mark.

    Without a mark: UTF-16 where there are zero bytes, UTF-8 where the text is valid, else Windows-1252 or Latin-1.

    >>> encoding_of("Käse".encode("utf-16-le")), encoding_of("Käse".encode("latin-1"))
    (('utf-16-le', b''), ('cp1252', b''))
    """
    marked = next(((encoding, mark) for mark, encoding in _MARKS if raw.startswith(mark)), None)
    head = raw[:2000]
    little = head[1::2].count(0) >= head[0::2].count(0)
    if declared is not None:
        name = codecs.lookup(declared).name.removesuffix("-sig")
        if marked and marked[0].startswith(name):
            return marked
        ending = ("-le" if little else "-be") if name in ("utf-16", "utf-32") else ""
        return name + ending, b""
    if marked:
        return marked
    if 0 in head:
        return ("utf-16-le" if little else "utf-16-be"), b""
    return _unmarked(raw), b""


def _unmarked(raw: bytes) -> str:
    """Return UTF-8 if a text is valid UTF-8, else Windows-1252, else Latin-1, in which any bytes are valid."""
    if raw.isascii():
        return "utf-8"
    for encoding in ("utf-8", "cp1252"):
        try:
            raw.decode(encoding)
            return encoding
        except UnicodeDecodeError:
            continue
    return "latin-1"


def decode(content: bytes) -> str:
    """Decode bytes: by their byte order mark, as UTF-8 if they are valid, else as Windows-1252 or Latin-1.

    >>> decode("Käse".encode("utf-16")) == decode("Käse".encode("latin-1")) == "Käse"
    True
    >>> decode("5 €".encode("cp1252"))
    '5 €'
    """
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if content.startswith(mark):
            return content.decode(encoding, errors="replace")
    for encoding in ("utf-8", "cp1252"):
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    return content.decode("latin-1")


def lines_of(text: str) -> list[str]:
    """Split a text at line ends of any system only.

    >>> lines_of("a\\r\\nb\\x85\\rc\\n")
    ['a', 'b\\x85', 'c']
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def table_of(text: str, delimiter: str) -> Iterator[list[str]]:
    """Yield the rows of a table; an unclosed quote raises a `csv.Error` with its line."""
    if "\n" not in text:
        text = text.replace("\r", "\n")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True, strict=True)
    try:
        yield from reader
    except csv.Error as error:
        raise csv.Error(f"{error} (line {reader.line_num})") from error


def delimiter_of(text: str) -> str:
    """Return the delimiter that splits the first lines of a table into the same, largest number of cells.

    >>> delimiter_of('a;b\\n"x;1";2\\n')
    ';'
    """
    head = "\n".join(lines_of(text[:100_000])[:20])

    def fit(delimiter: str) -> tuple[bool, float, int]:
        try:
            cells = Counter(len(row) for row in csv.reader(io.StringIO(head), delimiter=delimiter) if row)
        except csv.Error:
            return False, 0, 0
        [(usual, lines)] = cells.most_common(1) or [(0, 0)]
        return usual > 1, lines / max(cells.total(), 1), usual

    return max(",;\t|", key=fit)
