"""Delimited text, as bytes: a release is the file itself with some cells replaced.

A file is cut into cells at delimiters and line ends outside quotes; no other byte is looked at. What is not masked
therefore comes back byte for byte: leading zeros, quoted and unquoted empties, odd line ends, a blank last line.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from allonym.errors import TableError, listed
from allonym.records import Ints
from allonym.tables.base import Cells, merged

BLOCK = 1 << 22  # bytes at a time
QUOTE, NEWLINE, RETURN, SPACE, TAB = b'"\n\r \t'
Bytes = NDArray[np.uint8]


class Block(NamedTuple):
    """Some whole lines of a file: where they begin and end, and where each cell starts and ends (rows × columns)."""

    begin: int
    end: int
    starts: Ints
    ends: Ints


class Delimited:
    """A table of delimited text, in UTF-8.

    >>> table = Delimited(b'id,job\\n01,"nurse"\\n02,cook\\n', ",")
    >>> table.names, table.n, table.cells(["job"])["job"].values
    (('id', 'job'), 2, ['nurse', 'cook'])
    >>> b"".join(table.changed({"job": Cells(["worker"], np.array([0, 0]))}, drop=[]))
    b'id,job\\n01,worker\\n02,worker\\n'
    """

    def __init__(self, content: bytes, delimiter: str, *, header: bool = True, name: str = "the table") -> None:
        self.content, self.name, self.delimiter, self.has_header = content, name, delimiter, header
        self._bytes: Bytes = np.frombuffer(content, np.uint8)
        self._cut = ord(delimiter)
        self._newline = self._line_end()
        self._returns = self._newline == NEWLINE and b"\r" in content
        self._quotes = b'"' in content
        self._styles: dict[str, tuple[bytes, bool]] = {}  # by column, once it was read
        self._careful = self._quotes and not self._quotes_are_plain()
        first = self._first_line()
        if first is None:
            raise TableError(f"{name} is empty.")
        self._header = first if header else None
        self._rows_begin = first.end if header else 0
        width = first.starts.shape[1]
        spans = zip(first.starts[0].tolist(), first.ends[0].tolist(), strict=True)
        self.names = tuple(plain(content[a:b]) if header else str(i + 1) for i, (a, b) in enumerate(spans))
        if len(set(self.names)) < width:
            raise TableError(
                f"{width - len(set(self.names)):,} of {width:,} column names of {name} occur again.",
                hint="give every column a name of its own; for a file without a header say --no-header.",
                values=[x for x, times in Counter(self.names).items() if times > 1],
            )

    def _line_end(self) -> int:
        """Return what ends a line: a newline, unless there are only carriage returns outside quotes."""
        content = self.content
        if b"\r" not in content or b"\r\n" in content:
            return NEWLINE
        if b"\n" in content:
            inside = np.cumsum(self._bytes == QUOTE, dtype=np.uint8) & 1
            return NEWLINE if ((self._bytes == NEWLINE) & (inside == 0)).any() else RETURN
        return RETURN

    # --- cutting ---------------------------------------------------------------------------------------------

    def _quotes_are_plain(self) -> bool:
        """Tell whether every quote opens or closes a cell, or is doubled; then cells are cut by counting quotes."""
        found = np.concatenate(
            [np.flatnonzero(self._bytes[low : low + BLOCK] == QUOTE) + low for low in range(0, len(self._bytes), BLOCK)]
        )
        if len(found) % 2:
            return False
        before = self._bytes[np.maximum(found[0::2] - 1, 0)]
        after = self._bytes[np.minimum(found[1::2] + 1, len(self._bytes) - 1)]
        edges = [self._cut, self._newline, QUOTE]
        opens = np.isin(before, edges) | (found[0::2] == 0)
        closes = np.isin(after, [*edges, RETURN]) | (found[1::2] == len(self._bytes) - 1)
        return bool(opens.all() and closes.all())

    def _separators(self, begin: int) -> Iterator[tuple[int, int, Ints]]:
        """Yield blocks of whole lines: where each begins and ends, and its delimiters and line ends outside quotes.

        Where the file ends without a line end, its end is taken as one.
        """
        if self._careful:
            if begin < len(self._bytes):
                yield begin, len(self._bytes), self._careful_separators[self._careful_separators >= begin]
            return
        size = BLOCK
        while begin < len(self._bytes):
            part = self._bytes[begin : begin + size]
            cuts = part == self._cut
            cuts |= part == self._newline
            if self._quotes:
                cuts &= (np.cumsum(part == QUOTE, dtype=np.uint8) & 1) == 0
            found = np.flatnonzero(cuts)
            if begin + len(part) == len(self._bytes):
                if not (found.size and found[-1] == len(part) - 1 and part[-1] == self._newline):
                    found = np.append(found, len(part))
                yield begin, len(self._bytes), found + begin
                return
            lines = np.flatnonzero(part[found] == self._newline)
            if lines.size:
                found = found[: lines[-1] + 1] + begin
                yield begin, int(found[-1]) + 1, found
                begin, size = int(found[-1]) + 1, BLOCK
            else:
                size *= 2

    @cached_property
    def _careful_separators(self) -> Ints:
        """Where quotes also stand inside unquoted cells, only a quote that begins a cell opens one."""
        cut, line = (re.escape(bytes([x])) for x in (self._cut, self._newline))
        blank = b"[" + b"".join(re.escape(bytes([x])) for x in (SPACE, TAB) if x != self._cut) + b"]*"
        end = blank + (rb"\r?" if self._newline == NEWLINE else b"")
        quoted = re.compile(blank + b'"(?:[^"]|"")*+"' + end + b"(?=" + cut + b"|" + line + rb"|\Z)")
        opening, plain_cell = re.compile(blank + b'"'), re.compile(b"[^" + cut + line + b"]*")
        found, at = [], 0
        while at < len(self.content):
            match = quoted.match(self.content, at)
            if match is None and opening.match(self.content, at):
                raise TableError(
                    f"{self.name}, line {self._line(at)}: a quote is not closed, or something follows it.",
                    hint='inside quotes a quote is written "".',
                )
            match = match or plain_cell.match(self.content, at)
            assert match is not None
            found.append(match.end())
            at = match.end() + 1
        if self._bytes[-1] == self._cut:
            found.append(len(self.content))
        return np.array(found, np.int64)

    def _line(self, at: int) -> int:
        return self.content.count(bytes([self._newline]), 0, at) + 1

    def _ends_line(self, found: Ints) -> NDArray[np.bool_]:
        last = len(self._bytes) - 1
        return (self._bytes[np.minimum(found, last)] == self._newline) | (found > last)

    def _is_regular(self, begin: int, end: int, found: Ints, width: int) -> bool:
        """Tell whether every line of a block has the same number of cells."""
        if len(found) % width or not self._ends_line(found[width - 1 :: width]).all():
            return False
        if self._quotes or width == 1:
            return int(self._ends_line(found).sum()) * width == len(found)
        lines = self.content.count(bytes([self._newline]), begin, end) + (int(found[-1]) == len(self._bytes))
        return lines * width == len(found)

    def _first_line(self) -> Block | None:
        """Return the first line that has something on it."""
        for begin, _, found in self._separators(0):
            low, start = 0, begin
            for at in np.flatnonzero(self._ends_line(found)).tolist():
                ends = found[low : at + 1]
                starts = np.concatenate([[start], ends[:-1] + 1])
                if len(ends) > 1 or self.content[start : int(ends[0])].strip():
                    return self._block(start, min(int(ends[-1]) + 1, len(self._bytes)), starts[None], ends[None])
                low, start = at + 1, int(ends[-1]) + 1
        return None

    def _block(self, begin: int, end: int, starts: Ints, ends: Ints) -> Block:
        """Make a block; a carriage return before a line end belongs to the line end."""
        if self._returns and len(ends):
            ends = ends.copy()
            last = ends[:, -1]
            ends[:, -1] -= (self._bytes[np.maximum(last - 1, 0)] == RETURN) & (last > starts[:, -1])
        return Block(begin, end, starts, ends)

    def blocks(self) -> Iterator[Block]:
        """Yield the rows; blank lines are none, unless the table has only one column."""
        width = len(self.names)
        ragged: list[int] = []
        for begin, end, found in self._separators(self._rows_begin):
            starts = np.empty_like(found)
            starts[0] = begin
            np.add(found[:-1], 1, out=starts[1:])
            if self._is_regular(begin, end, found, width):
                yield self._block(begin, end, starts.reshape(-1, width), found.reshape(-1, width))
                continue
            is_end = self._ends_line(found)
            last = np.flatnonzero(is_end)
            sizes = np.diff(last, prepend=-1)
            first = last - sizes + 1
            blank = np.array(
                [
                    size == 1 and not self.content[starts[a] : found[b]].strip()
                    for a, b, size in zip(first, last, sizes, strict=True)
                ]
            )
            wrong = ~blank & (sizes != width)
            ragged += [self._line(int(starts[a])) for a in first[wrong][:5]] + [0] * (int(wrong.sum()) - 5)
            rows = first[~blank & ~wrong][:, None] + np.arange(width)
            yield self._block(begin, end, starts[rows], found[rows])
        if ragged:
            shown = listed([str(x) for x in ragged if x][:5])
            raise TableError(
                f"{len(ragged):,} lines of {self.name} do not have {width} cells like the first: line {shown}.",
                hint=f"the delimiter was taken to be {self.delimiter!r}; cells with one inside need quotes.",
            )

    @cached_property
    def n(self) -> int:
        """The number of rows."""
        return sum(len(block.starts) for block in self.blocks())

    # --- reading and writing ---------------------------------------------------------------------------------

    def cells(self, names: Sequence[str]) -> dict[str, Cells]:
        """Return the cells of some columns: text without quotes and surrounding blanks."""
        raw = self._raw(names)
        self._styles |= {name: _style(values) for name, (values, _) in raw.items()}
        return {name: merged([plain(x) for x in values], codes) for name, (values, codes) in raw.items()}

    def _raw(self, names: Sequence[str]) -> dict[str, tuple[list[bytes], Ints]]:
        """Return the distinct cells of some columns as they stand in the file, and for every row which it is."""
        chunks: dict[str, list[pa.Array]] = {name: [] for name in names}
        rows = 0
        for block in self.blocks():
            rows += len(block.starts)
            for name in names:
                j = self.names.index(name)
                spans = _interleaved(block.begin, block.end, block.starts[:, j], block.ends[:, j])
                pieces = self._pieces(block, spans)
                own = pieces.take(_int_array(np.arange(1, len(pieces), 2)))
                chunks[name].append(own.dictionary_encode())
        self.__dict__["n"] = rows
        empty = _byte_array([]).dictionary_encode()
        found = {}
        for name, parts in chunks.items():
            whole = pa.chunked_array(parts or [empty]).unify_dictionaries()
            codes = [np.frombuffer(chunk.indices.buffers()[1], np.int32)[: len(chunk)] for chunk in whole.chunks]
            found[name] = (whole.chunks[-1].dictionary.to_pylist(), np.concatenate(codes).astype(np.int64))
        return found

    def _pieces(self, block: Block, bounds: Ints) -> pa.Array:
        """Return a block cut at some places, as an array of bytes that shares the file's memory."""
        offsets = pa.py_buffer((bounds - block.begin).astype(np.int32))
        data = pa.py_buffer(self._bytes[block.begin : block.end])
        return pa.Array.from_buffers(pa.binary(), len(bounds) - 1, [None, offsets, data])

    def changed(self, columns: Mapping[str, Cells], drop: Sequence[str]) -> Iterator[bytes]:
        """Yield the file with other cells in some columns, and without some columns."""
        dropped = [self.names.index(name) for name in drop]
        touched = {self.names.index(name): cells for name, cells in columns.items()}
        plain_style = (b"", False)
        styles = {j: self._styles.get(self.names[j], plain_style) for j in touched}
        texts = {j: [self._quoted(v, *styles[j]) for v in cells.values] for j, cells in touched.items()}
        kept = [j for j in range(len(self.names)) if j not in dropped]
        if len(kept) == 1 and dropped:  # an empty cell alone on its line would be a blank line, which others skip
            [alone] = kept
            if alone not in touched:
                raw, codes = self._raw([self.names[alone]])[self.names[alone]]
                touched[alone], texts[alone] = Cells(raw, codes), raw
            texts[alone] = [text if text.strip() else b'""' for text in texts[alone]]
        if self._header is not None:
            yield self.content[: self._header.begin]
            yield self._spliced(self._header, {}, dropped)
        row = 0
        for block in self.blocks():
            rows = slice(row, row + len(block.starts))
            yield self._spliced(block, {j: (texts[j], cells.codes[rows]) for j, cells in touched.items()}, dropped)
            row = rows.stop

    def _quoted(self, value: str | None, pad: bytes, always: bool) -> bytes:
        text = "" if value is None else str(value)
        special = any(c in text for c in (self.delimiter, '"', "\n", "\r")) or text != text.strip()
        if special or always:
            text = '"' + text.replace('"', '""') + '"'
        return (b"" if special and not always else pad) + text.encode()  # not every reader skips blanks before quotes

    def _spliced(self, block: Block, touched: Mapping[int, tuple[list[bytes], Ints]], dropped: list[int]) -> bytes:
        """Return a block with some cells replaced and some left out with their delimiter."""
        width = len(self.names)
        kept_last = max(j for j in range(width) if j not in dropped)
        bounds, replaced = [], []
        table: list[bytes] = [b""]
        for j in sorted({*touched, *dropped}):
            starts, ends = block.starts[:, j], block.ends[:, j]
            if j in dropped:
                starts, ends = (starts - 1, ends) if j > kept_last else (starts, block.starts[:, j + 1])
                replaced.append(np.zeros(len(starts), np.int64))
            else:
                texts, codes = touched[j]
                replaced.append(codes + len(table))
                table += texts
            bounds += [starts, ends]
        if not bounds or not len(block.starts):
            return self.content[block.begin : block.end]
        edges = np.concatenate([[block.begin], np.stack(bounds, axis=1).ravel(), [block.end]])
        pieces = self._pieces(block, edges)
        choice = np.arange(len(pieces))
        choice[1::2] = np.stack(replaced, axis=1).ravel() + len(pieces)
        whole = pa.concat_arrays([pieces, _byte_array(table)]).take(_int_array(choice))
        return whole.buffers()[2].to_pybytes()


def _style(cells: list[bytes]) -> tuple[bytes, bool]:
    """Return the blanks that all cells of a column begin with, and whether all are quoted: masked cells follow."""
    pads = {x[: len(x) - len(x.lstrip(b" \t"))] for x in cells}
    return (pads.pop() if len(pads) == 1 else b""), bool(cells) and all(x.strip()[:1] == b'"' for x in cells)


def _interleaved(begin: int, end: int, starts: Ints, ends: Ints) -> Ints:
    """Return begin, start, end, start, end, …, end: places to cut so that every second piece is a cell."""
    return np.concatenate([[begin], np.stack([starts, ends], axis=1).ravel(), [end]])


def _int_array(numbers: Ints) -> pa.Array:
    """Return numbers for Arrow; `pa.array` would import pandas first, where there is one."""
    return pa.Array.from_buffers(pa.int64(), len(numbers), [None, pa.py_buffer(np.ascontiguousarray(numbers))])


def _byte_array(texts: list[bytes]) -> pa.Array:
    """Return texts for Arrow."""
    bounds = np.cumsum([0, *map(len, texts)]).astype(np.int32)
    return pa.Array.from_buffers(pa.binary(), len(texts), [None, pa.py_buffer(bounds), pa.py_buffer(b"".join(texts))])


def plain(cell: bytes) -> str:
    """Return the text of a cell: without surrounding blanks, and without quotes if it is quoted.

    >>> plain(b' "a ""b"" c"'), plain(b" c "), plain(b'5" pipe')
    ('a "b" c', 'c', '5" pipe')
    """
    text = cell.strip(b" \t\r\n").decode()
    if len(text) > 1 and text[0] == text[-1] == '"':
        text = text[1:-1].replace('""', '"')
    return text.strip()
