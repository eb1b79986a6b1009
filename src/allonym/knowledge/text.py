"""Text from bytes, and the delimiter of a table."""

from __future__ import annotations

import csv
import io
from collections import Counter


def decode(content: bytes) -> str:
    """Decode bytes: UTF-8 or UTF-16 by their mark, UTF-8 if they are valid, else Latin-1.

    >>> decode("Käse".encode("utf-16")) == decode("Käse".encode("latin-1")) == "Käse"
    True
    """
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if content.startswith(mark):
            return content.decode(encoding, errors="replace")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def delimiter_of(text: str) -> str:
    """Return the delimiter that splits the first lines of a table alike, and into most cells.

    >>> delimiter_of('a;b\\n"x;1";2\\n')
    ';'
    """
    head = "\n".join(text.split("\n", 20)[:20])

    def fit(delimiter: str) -> tuple[bool, float, int]:
        cells = Counter(len(row) for row in csv.reader(io.StringIO(head), delimiter=delimiter) if row)
        [(usual, lines)] = cells.most_common(1) or [(0, 0)]
        return usual > 1, lines / max(cells.total(), 1), usual

    return max(",;\t|", key=fit)
