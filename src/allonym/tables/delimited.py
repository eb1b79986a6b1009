"""Delimited text as bytes: a release is the file itself with some cells replaced.

Cells that are not masked come back byte for byte: leading zeros, quoted and unquoted empty cells, mixed line ends, a
blank last line. Where rows are shuffled, all rows have the same line end, and blank lines are left out: they would
tell where a row was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np

from allonym.arrays import Ints
from allonym.cells import Cells, merged
from allonym.errors import TableError
from allonym.tables.cell_bytes import cell_dictionary, rows_of, spliced
from allonym.tables.csv_bytes import Block, Cutting
from allonym.tables.row_order import RowOrder

BUFFERED_ROWS = 100_000  # rows that are written at a time


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
        self._cutting = Cutting(content, delimiter, name)
        self._styles: dict[str, tuple[bytes, bool]] = {}  # by column, once it was read
        first = self._cutting.first_line()
        if first is None:
            raise TableError(f"{name} is empty.", hint="check the name of the file.")
        self._header = first if header else None
        self._rows_begin = first.end if header else 0
        width = first.starts.shape[1]
        spans = zip(first.starts[0].tolist(), first.ends[0].tolist(), strict=True)
        self.names = tuple(plain(content[a:b]) if header else str(i + 1) for i, (a, b) in enumerate(spans))
        if len(set(self.names)) < width:
            raise TableError(
                f"{width - len(set(self.names)):,} of {width:,} column names of {name} occur more than once.",
                hint="give every column its own name; if the file has no header, add --no-header.",
                values=[x for x, row_counts in Counter(self.names).items() if row_counts > 1],
            )

    def _blocks(self) -> Iterator[Block]:
        return self._cutting.blocks(self._rows_begin, len(self.names))

    @cached_property
    def n(self) -> int:
        """The number of rows."""
        return sum(len(block.starts) for block in self._blocks())

    # --- reading and writing ---------------------------------------------------------------------------------

    def cells(self, names: Sequence[str]) -> dict[str, Cells]:
        """Return the cells of some columns: text without quotes and surrounding blanks."""
        raw = self._raw(names)
        self._styles |= {name: _style(values) for name, (values, _) in raw.items()}
        return {name: merged([plain(x) for x in values], codes) for name, (values, codes) in raw.items()}

    def _raw(self, names: Sequence[str]) -> dict[str, tuple[list[bytes], Ints]]:
        """Return the distinct cells of some columns as they are in the file, and the code of every row."""
        place = {name: j for j, name in enumerate(self.names)}
        cells = {name: cell_dictionary(self.content) for name in names}
        codes: dict[str, list[Ints]] = {name: [np.zeros(0, np.int64)] for name in names}
        rows = 0
        for block in self._blocks():
            rows += len(block.starts)
            for name in names:
                codes[name].append(cells[name].add(block.starts[:, place[name]], block.ends[:, place[name]]))
        self.__dict__["n"] = rows
        return {name: (cells[name].values(), np.concatenate(codes[name])) for name in names}

    def changed(
        self,
        columns: Mapping[str, Cells],
        drop: Sequence[str],
        *,
        discard_style: bool = False,
        order: RowOrder | None = None,
    ) -> Iterator[bytes]:
        """Yield the file with other cells in some columns, without others, and with its rows in an order."""
        dropped = [self.names.index(name) for name in drop]
        touched = {self.names.index(name): cells for name, cells in columns.items()}
        plain_style = (b"", False)
        styles = {j: plain_style if discard_style else self._styles.get(self.names[j], plain_style) for j in touched}
        texts = {j: [self._quoted(v, *styles[j]) for v in cells.values] for j, cells in touched.items()}
        kept = [j for j in range(len(self.names)) if j not in dropped]
        if len(kept) == 1 and (dropped or touched):
            yield from self._alone(kept[0], touched, texts, None if order is None else order.rows(self.n))
            return
        if self._header is not None:
            yield self.content[: self._header.begin]
            yield self._spliced(self._header, {}, dropped)
        parts, ends, row = list[bytes](), [np.zeros(1, np.int64)], 0
        for block in self._blocks():
            rows = slice(row, row + len(block.starts))
            own = {j: (texts[j], cells.codes[rows]) for j, cells in touched.items()}
            if order is None:
                yield self._spliced(block, own, dropped)
            elif len(block.starts):
                part, row_ends = self._spliced_rows(block, own, dropped)
                ends.append(row_ends + ends[-1][-1])
                parts.append(part)
            row = rows.stop
        if parts and order is not None:
            yield from self._shuffled(b"".join(parts), np.concatenate(ends), order.rows(row))

    def _shuffled(self, lines: bytes, starts: Ints, rows: Ints) -> Iterator[bytes]:
        """Yield lines in an order; like the file, the last one may have no line end."""
        for low in range(0, len(rows), BUFFERED_ROWS):
            part = rows_of(lines, starts, rows[low : low + BUFFERED_ROWS])
            last = low + BUFFERED_ROWS >= len(rows)
            yield part.removesuffix(self._cutting.line_end) if last and self._has_open_end else part

    @property
    def _has_open_end(self) -> bool:
        """Whether the last line of the file has no line end."""
        return self.content[-1:] not in (b"\n", b"\r")

    def _alone(
        self, j: int, touched: Mapping[int, Cells], texts: Mapping[int, list[bytes]], rows: Ints | None
    ) -> Iterator[bytes]:
        """Yield a file with one column: an empty cell is quoted, since readers skip blank lines."""
        raw, codes = (texts[j], touched[j].codes) if j in touched else self._raw([self.names[j]])[self.names[j]]
        codes = codes if rows is None else codes[rows]
        end = self._cutting.line_end
        lines = [(text if text.strip() else b'""') + end for text in raw]
        if self._header is not None:
            start, stop = self._header.starts[0, j], self._header.ends[0, j]
            yield self.content[int(start) : int(stop)] + end
        for low in range(0, len(codes), BUFFERED_ROWS):
            part = b"".join([lines[c] for c in codes[low : low + BUFFERED_ROWS].tolist()])
            yield part.removesuffix(end) if self._has_open_end and low + BUFFERED_ROWS >= len(codes) else part

    def _quoted(self, value: str | None, pad: bytes, always: bool) -> bytes:
        text = "" if value is None else str(value)
        special = any(c in text for c in (self.delimiter, '"', "\n", "\r")) or text != text.strip()
        if special or always:
            text = '"' + text.replace('"', '""') + '"'
        return (b"" if special and not always else pad) + text.encode()  # not every reader skips blanks before quotes

    def _spliced(self, block: Block, touched: Mapping[int, tuple[list[bytes], Ints]], dropped: list[int]) -> bytes:
        """Return a block with some cells replaced, and others left out with their delimiters."""
        bounds, replaced, table = self._replacements(block, touched, dropped)
        if not bounds or not len(block.starts):
            return self.content[block.begin : block.end]
        spans, chosen = np.stack(bounds, axis=1), np.stack(replaced, axis=1)
        return spliced(self.content, block.begin, block.end, spans, chosen, table)[0]

    def _spliced_rows(
        self, block: Block, touched: Mapping[int, tuple[list[bytes], Ints]], dropped: list[int]
    ) -> tuple[bytes, Ints]:
        """Return the rows of a block, each with some cells replaced, others left out, and one kind of line end.

        Also returned is where each row ends.
        """
        bounds, replaced, table = self._replacements(block, touched, dropped)
        bounds += [block.ends[:, -1], np.append(block.starts[1:, 0], block.end)]  # between a row and the next
        replaced.append(np.full(len(block.starts), len(table)))
        table.append(self._cutting.line_end)
        begin, spans, chosen = int(block.starts[0, 0]), np.stack(bounds, axis=1), np.stack(replaced, axis=1)
        return spliced(self.content, begin, block.end, spans, chosen, table)

    def _replacements(
        self, block: Block, touched: Mapping[int, tuple[list[bytes], Ints]], dropped: list[int]
    ) -> tuple[list[Ints], list[Ints], list[bytes]]:
        """Return where cells of a block begin and end that are replaced, by which text of a table each, and the table.

        Their columns follow one another.
        """
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
        return bounds, replaced, table


def _style(cells: list[bytes]) -> tuple[bytes, bool]:
    """Return the blanks that all cells of a column begin with, and whether all are quoted: so are masked cells."""
    pads = {x[: len(x) - len(x.lstrip(b" \t"))] for x in cells} if all(x[:1] in (b" ", b"\t") for x in cells) else {b""}
    return (pads.pop() if len(pads) == 1 else b""), bool(cells) and all(x.strip()[:1] == b'"' for x in cells)


def plain(cell: bytes) -> str:
    """Return the text of a cell: without surrounding blanks, and without quotes if it is quoted.

    >>> plain(b' "a ""b"" c"'), plain(b" c "), plain(b'5" pipe')
    ('a "b" c', 'c', '5" pipe')
    """
    text = cell.strip(b" \t\r\n").decode()
    if len(text) > 1 and text[0] == text[-1] == '"':
        text = text[1:-1].replace('""', '"')
    return text.strip()
