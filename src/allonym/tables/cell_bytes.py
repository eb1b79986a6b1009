"""Cells of delimited text as bytes: numbered, replaced, and in another order of rows.

The work is done by compiled kernels, or else by Arrow, with the same result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from allonym.arrays import Ints
from allonym.compiled import kernels


class CellDictionary(Protocol):
    """The distinct cells of a column, numbered in the order in which they appear."""

    def add(self, starts: Ints, ends: Ints) -> Ints:
        """Return the number of each cell, given by its first byte and the one after its last; they are in order."""

    def values(self) -> list[bytes]:
        """Return the distinct cells."""


def cell_dictionary(content: bytes) -> CellDictionary:
    """Return an empty dictionary of the cells of a text.

    >>> cells = cell_dictionary(b"cook,nurse,cook")
    >>> cells.add(np.array([0, 5, 11]), np.array([4, 10, 15])).tolist(), cells.values()
    ([0, 1, 0], [b'cook', b'nurse'])
    """
    return ArrowDictionary(content) if kernels is None else kernels.CellDictionary(content)


def spliced(
    content: bytes, begin: int, end: int, bounds: Ints, chosen: Ints, texts: Sequence[bytes]
) -> tuple[bytes, Ints]:
    """Return a part of a text in which spans are replaced, and where in it each row of spans ends.

    Args:
        content: the text.
        begin: the first byte of the part.
        end: the byte after the last.
        bounds: for each row, the begin and the end of each of its spans, in order.
        chosen: for each row, the numbers of the texts that replace the spans.
        texts: the texts.

    >>> spliced(b"1,cook\\n2,baker\\n", 0, 15, np.array([[2, 6], [9, 14]]), np.array([[1], [0]]), [b"x", b"worker"])[0]
    b'1,worker\\n2,x\\n'
    """
    if kernels is None:
        return spliced_by_arrow(content, begin, end, bounds, chosen, texts)
    starts = np.cumsum([0, *map(len, texts)])
    return kernels.spliced(content, begin, end, bounds, chosen, b"".join(texts), starts)


def rows_of(content: bytes, starts: Ints, rows: Ints) -> bytes:
    """Return some rows of a text one after the other; row i is from `starts[i]` to `starts[i + 1]`.

    >>> rows_of(b"a\\nbc\\n", np.array([0, 2, 5]), np.array([1, 0]))
    b'bc\\na\\n'
    """
    if kernels is None:
        return rows_by_arrow(content, starts, rows)
    return kernels.rows_of(content, starts, rows)


# --- by Arrow ---------------------------------------------------------------------------------------------------


class ArrowDictionary:
    """The distinct cells of a column, numbered in the order in which they appear."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self._numbers: dict[bytes, int] = {}

    def add(self, starts: Ints, ends: Ints) -> Ints:
        """Return the number of each cell, given by its first byte and the one after its last; they are in order."""
        if not len(starts):
            return np.zeros(0, np.int64)
        bounds = np.stack([starts, ends], axis=1).ravel()
        cells = _pieces(self.content, bounds).take(_int_array(np.arange(0, len(bounds), 2))).dictionary_encode()
        numbers = [self._numbers.setdefault(cell, len(self._numbers)) for cell in cells.dictionary.to_pylist()]
        return np.array(numbers, np.int64)[np.frombuffer(cells.indices.buffers()[1], np.int32)[: len(cells)]]

    def values(self) -> list[bytes]:
        """Return the distinct cells."""
        return list(self._numbers)


def spliced_by_arrow(
    content: bytes, begin: int, end: int, bounds: Ints, chosen: Ints, texts: Sequence[bytes]
) -> tuple[bytes, Ints]:
    """Return a part of a text in which spans are replaced, and where in it each row of spans ends."""
    import pyarrow as pa

    pieces = _pieces(content, np.concatenate([[begin], bounds.ravel(), [end]]))
    choice = np.arange(len(pieces))
    choice[1::2] = chosen.ravel() + len(pieces)
    table = _pieces(b"".join(texts), np.cumsum([0, *map(len, texts)]))
    whole = pa.concat_arrays([pieces, table]).take(_int_array(choice))
    ends = np.frombuffer(whole.buffers()[1], np.int32)[: len(whole) + 1][bounds.shape[1] :: max(bounds.shape[1], 1)]
    return whole.buffers()[2].to_pybytes(), ends[: len(bounds)].astype(np.int64)


def rows_by_arrow(content: bytes, starts: Ints, rows: Ints) -> bytes:
    """Return some rows of a text one after the other; row i is from `starts[i]` to `starts[i + 1]`."""
    import pyarrow as pa

    buffers = [None, pa.py_buffer(np.ascontiguousarray(starts)), pa.py_buffer(content)]
    lines = pa.Array.from_buffers(pa.large_binary(), len(starts) - 1, buffers)
    taken: bytes = lines.take(_int_array(rows)).buffers()[2].to_pybytes()
    return taken


def _pieces(content: bytes, bounds: Ints) -> Any:
    """Return a text cut at some bytes, as an Arrow array that shares its memory."""
    import pyarrow as pa

    offsets = pa.py_buffer((bounds - bounds[0]).astype(np.int32))
    data = pa.py_buffer(content).slice(int(bounds[0]), int(bounds[-1] - bounds[0]))
    return pa.Array.from_buffers(pa.binary(), len(bounds) - 1, [None, offsets, data])


def _int_array(numbers: Ints) -> Any:
    """Return numbers for Arrow; `pa.array` would import pandas first, where there is one."""
    import pyarrow as pa

    return pa.Array.from_buffers(pa.int64(), len(numbers), [None, pa.py_buffer(np.ascontiguousarray(numbers))])
