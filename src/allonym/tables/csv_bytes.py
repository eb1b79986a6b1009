"""Delimited text cut into cells, at delimiters and line ends outside quotes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Ints
from allonym.errors import TableError, first_few

FIRST_LINE_BYTES = 4096  # usually enough for the first line
BLOCK_BYTES = 1 << 22  # of a file that are cut at a time
KEPT_BYTES = 1 << 25  # a file up to this size is cut once; of a larger one, the cells would take much memory
QUOTE, NEWLINE, RETURN, SPACE, TAB = b'"\n\r \t'


class Block(NamedTuple):
    """Whole lines of a file: their first byte and the one after the last, and those of each cell (rows × columns)."""

    begin: int
    end: int
    starts: Ints
    ends: Ints


class Cutting:
    """The cells of a text in UTF-8, block by block.

    >>> [block.ends.tolist() for block in Cutting(b"a,b\\n1,2\\n", ",", "it").blocks(0, 2)]
    [[[1, 3], [5, 7]]]
    """

    def __init__(self, content: bytes, delimiter: str, name: str) -> None:
        self.content, self.delimiter, self.name = content, delimiter, name
        self._bytes: NDArray[np.uint8] = np.frombuffer(content, np.uint8)
        self._cut = ord(delimiter)
        self._newline = self._line_end()
        self._returns = self._newline == NEWLINE and b"\r" in content
        self._quotes = b'"' in content
        self._careful = self._quotes and not self._quotes_are_plain()
        self._kept: dict[tuple[int, int], list[Block]] = {}

    @property
    def line_end(self) -> bytes:
        """The line end of the file."""
        return b"\r\n" if self._returns and b"\r\n" in self.content else bytes([self._newline])

    def _line_end(self) -> int:
        """Return what ends a line: a newline, unless there are only carriage returns outside quotes."""
        content = self.content
        if b"\r" not in content:
            return NEWLINE
        if b"\n" in content:
            if b'"' not in content:
                return NEWLINE
            cut = re.escape(bytes([self._cut]))
            cell = rb'(?:[ \t]*"(?:[^"]|"")*+"[^\r\n' + cut + rb']*|[^"\r\n' + cut + rb"][^\r\n" + cut + rb"]*|)"
            first = re.match(cell + b"(?:" + cut + cell + rb")*+(\r\n|\r(?!\r*\n)|\n)", content)
            if first is None or first.group(1) != b"\r":
                return NEWLINE
            quoted = re.compile(rb"(?:^|(?<=[\r\n" + cut + rb']))[ \t]*"(?:[^"]|"")*+"')
            return NEWLINE if b"\n" in quoted.sub(b"", content) else RETURN
        return RETURN

    def _quotes_are_plain(self) -> bool:
        """Tell whether every quote opens or closes a cell, or is doubled, so that counting quotes finds the cells."""
        quotes = np.concatenate(
            [
                np.flatnonzero(self._bytes[low : low + BLOCK_BYTES] == QUOTE) + low
                for low in range(0, len(self._bytes), BLOCK_BYTES)
            ]
        )
        if len(quotes) % 2:
            return False
        before = self._bytes[np.maximum(quotes[0::2] - 1, 0)]
        after = self._bytes[np.minimum(quotes[1::2] + 1, len(self._bytes) - 1)]
        edges = [self._cut, self._newline, QUOTE]
        opens = np.isin(before, edges) | (quotes[0::2] == 0)
        closes = np.isin(after, [*edges, RETURN]) | (quotes[1::2] == len(self._bytes) - 1)
        return bool(opens.all() and closes.all())

    def _separators(self, begin: int, size: int = BLOCK_BYTES) -> Iterator[tuple[int, int, Ints]]:
        """Yield blocks of whole lines: first byte, end, and the delimiters and line ends outside quotes.

        The end of the file counts as a line end.
        """
        if self._careful:
            if begin < len(self._bytes):
                yield begin, len(self._bytes), self._careful_separators[self._careful_separators >= begin]
            return
        while begin < len(self._bytes):
            part = self._bytes[begin : begin + size]
            cuts = part == self._cut
            cuts |= part == self._newline
            if self._quotes:
                cuts &= (np.cumsum(part == QUOTE, dtype=np.uint8) & 1) == 0
            ends = np.flatnonzero(cuts)
            if begin + len(part) == len(self._bytes):
                if not (ends.size and ends[-1] == len(part) - 1 and part[-1] == self._newline):
                    ends = np.append(ends, len(part))
                yield begin, len(self._bytes), ends + begin
                return
            lines = np.flatnonzero(part[ends] == self._newline)
            if lines.size:
                ends = ends[: lines[-1] + 1] + begin
                yield begin, int(ends[-1]) + 1, ends
                begin, size = int(ends[-1]) + 1, BLOCK_BYTES
            else:
                size *= 2

    @cached_property
    def _careful_separators(self) -> Ints:
        """The separators of a file with quotes inside unquoted cells: only a quote that begins a cell opens one."""
        cut, line = (re.escape(bytes([x])) for x in (self._cut, self._newline))
        blank = b"[" + b"".join(re.escape(bytes([x])) for x in (SPACE, TAB) if x != self._cut) + b"]*"
        end = blank + (rb"\r?" if self._newline == NEWLINE else b"")
        quoted = re.compile(blank + b'"(?:[^"]|"")*+"' + end + b"(?=" + cut + b"|" + line + rb"|\Z)")
        opening, plain_cell = re.compile(blank + b'"'), re.compile(b"[^" + cut + line + b"]*")
        ends, at = [], 0
        while at < len(self.content):
            match = quoted.match(self.content, at)
            if match is None and opening.match(self.content, at):
                raise TableError(
                    f"{self.name}, line {self._line(at)}: a quote is not closed, or something follows it.",
                    hint='inside quotes a quote is written "".',
                )
            match = match or plain_cell.match(self.content, at)
            assert match is not None
            ends.append(match.end())
            at = match.end() + 1
        if self._bytes[-1] == self._cut:
            ends.append(len(self.content))
        return np.array(ends, np.int64)

    def _line(self, at: int) -> int:
        return self.content.count(bytes([self._newline]), 0, at) + 1

    def _ends_line(self, ends: Ints) -> NDArray[np.bool_]:
        last = len(self._bytes) - 1
        return (self._bytes[np.minimum(ends, last)] == self._newline) | (ends > last)

    def _is_regular(self, begin: int, end: int, ends: Ints, width: int) -> bool:
        """Tell whether every line of a block has the same number of cells."""
        if len(ends) % width or not self._ends_line(ends[width - 1 :: width]).all():
            return False
        if self._quotes or width == 1:
            return int(self._ends_line(ends).sum()) * width == len(ends)
        lines = self.content.count(bytes([self._newline]), begin, end) + (int(ends[-1]) == len(self._bytes))
        return lines * width == len(ends)

    def first_line(self) -> Block | None:
        """Return the first line that is not blank."""
        for begin, _, all_ends in self._separators(0, FIRST_LINE_BYTES):
            low, start = 0, begin
            for at in np.flatnonzero(self._ends_line(all_ends)).tolist():
                ends = all_ends[low : at + 1]
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

    def blocks(self, start: int, width: int) -> Iterator[Block]:
        """Yield the rows from a byte on; blank lines are skipped, unless the table has one column only."""
        if len(self.content) > KEPT_BYTES:
            yield from self._rows(start, width)
            return
        if (start, width) not in self._kept:
            self._kept[start, width] = list(self._rows(start, width))
        yield from self._kept[start, width]

    def _rows(self, start: int, width: int) -> Iterator[Block]:
        ragged: list[int] = []
        for begin, end, ends in self._separators(start):
            starts = np.empty_like(ends)
            starts[0] = begin
            np.add(ends[:-1], 1, out=starts[1:])
            if self._is_regular(begin, end, ends, width):
                yield self._block(begin, end, starts.reshape(-1, width), ends.reshape(-1, width))
                continue
            is_end = self._ends_line(ends)
            last = np.flatnonzero(is_end)
            sizes = np.diff(last, prepend=-1)
            first = last - sizes + 1
            blank = sizes == 1
            for i in np.flatnonzero(blank).tolist():
                blank[i] = not self.content[starts[first[i]] : ends[last[i]]].strip()
            wrong = ~blank & (sizes != width)
            ragged += [self._line(int(starts[a])) for a in first[wrong][:5]] + [0] * (int(wrong.sum()) - 5)
            rows = first[~blank & ~wrong][:, None] + np.arange(width)
            yield self._block(begin, end, starts[rows], ends[rows])
        if ragged:
            shown = first_few([str(x) for x in ragged if x][:5])
            raise TableError(
                f"{len(ragged):,} lines of {self.name} do not have {width} cells like the first: line {shown}.",
                hint=f"the delimiter was taken to be {self.delimiter!r}; cells with one inside need quotes.",
            )
