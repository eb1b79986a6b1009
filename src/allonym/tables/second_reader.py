"""What the second readers share: they read a release by other means than it was written, so that it can be recounted.

Each format module has its own second reader, `reread`.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from allonym.cells import cell_text


def unpacked(content: bytes) -> bytes:
    """Return the content of a file that may be gzipped; one that only begins like a gzip file is returned as it is."""
    try:
        return gzip.decompress(content) if content[:3] == b"\x1f\x8b\x08" else content
    except (OSError, EOFError, zlib.error):
        return content


def joined(items: Iterable[Any]) -> str:
    """Return a list as one text, the same for any order of its items."""
    return "\x1f" + json.dumps(sorted(map(str, items)))  # no text of a cell begins with this character


def items_of_joined(text: str) -> list[str] | None:
    """Return the items of a list that `joined` made one text; None, if a text is no list.

    >>> items_of_joined(joined(["milk", "bread"])), items_of_joined("milk")
    (['bread', 'milk'], None)
    """
    return [str(item) for item in json.loads(text[1:])] if text.startswith("\x1f") else None


def text_table(
    data: Mapping[str, Sequence[Any]], columns: Sequence[str], labels: Mapping[str, Mapping[Any, str]] | None = None
) -> pa.Table:
    """Return some columns as text: by their value labels, if any; whole numbers without a decimal point."""

    def text(value: Any, label_of: Mapping[Any, str]) -> str | None:
        if value is None or value != value or not str(value).strip():  # noqa: PLR0124
            return None
        return label_of.get(value) or cell_text(value)

    label_of = labels or {}
    return pa.table(
        {x: pa.array([text(v, label_of.get(x, {})) for v in data[x]], pa.string()) for x in columns if x in data}
    )


def text_columns(frame: Any, columns: Sequence[str]) -> Iterator[pa.ChunkedArray]:
    """Yield columns of a frame for Arrow to count: as text, unless Arrow already holds them; null stays null."""
    for name in columns:
        if isinstance(frame, pa.Table):
            column = frame.column(name)
            if pa.types.is_list(column.type) or pa.types.is_large_list(column.type):
                texts = [None if cell is None else joined(cell) for cell in column.to_pylist()]
                yield pa.chunked_array([pa.array(texts, pa.string())])
                continue
            yield column
        else:
            import narwhals as nw  # frames only

            series = nw.from_native(frame, eager_only=True)[name]
            cells = zip(series.to_list(), series.is_null().to_list(), strict=True)
            texts = [None if null else joined(x) if isinstance(x, list) else str(x) for x, null in cells]
            yield pa.chunked_array([pa.array(texts, pa.string())])
