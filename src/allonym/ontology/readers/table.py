"""Delimited tables."""

from __future__ import annotations

import csv
from collections.abc import Sequence

import numpy as np

from allonym.decoding import delimiter_of, lines_of, table_of
from allonym.errors import UnknownFormatError
from allonym.ontology.readers.header import LABEL
from allonym.ontology.readers.source import File

_STRIPPED_OR_QUOTED = '" \v\f\x1c\x1d\x1e\x1f'


def rows_of(file: File, *, is_truncated: bool = False) -> list[list[str]]:
    """Return the rows of a table, cells stripped; of a truncated table, the rows that are complete.

    Raises:
        UnknownFormatError: a quote is not closed, unless the table is truncated.
    """
    text = file.text()
    delimiter = delimiter_of(text)
    if '"' not in text:  # no quotes: splitting is ten times faster
        lines = lines_of(text)
        return [[cell.strip() for cell in line.split(delimiter)] for line in lines[: -1 if is_truncated else None]]
    rows: list[list[str]] = []
    try:
        for row in table_of(text, delimiter):
            rows.append([cell.strip() for cell in row])
    except csv.Error as error:
        if is_truncated:  # inside quotes
            return rows
        raise UnknownFormatError(
            f"not a table: {error}.", path=file.path, hint="check for a quote that is not closed."
        ) from error
    return rows[:-1] if is_truncated else rows


def columns_of(file: File) -> tuple[list[list[str]], Sequence[int], Sequence[int]]:
    """Return the columns of a table without blank lines, the line of each row, and the number of cells it has.

    A plain table (no quotes, no spaces, equal row lengths) of millions of rows is split at once.
    """
    text = file.text()
    delimiter = delimiter_of(text)
    plain = text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n")
    if plain and plain.isascii() and not any(character in plain for character in _STRIPPED_OR_QUOTED):
        marks = np.frombuffer(plain.encode() + b"\n", np.uint8)
        marks = marks[(marks == ord(delimiter)) | (marks == 10)]
        width = int(np.flatnonzero(marks == 10)[0]) + 1
        if marks.size % width == 0 and np.array_equal(marks == 10, np.arange(1, marks.size + 1) % width == 0):
            cells = plain.replace(delimiter, "\n").split("\n")
            return [cells[i::width] for i in range(width)], range(1, marks.size // width + 1), [width]
    rows = [(line, row) for line, row in enumerate(rows_of(file), 1) if any(row)]
    if not rows:
        raise UnknownFormatError("the file is empty.", path=file.path)
    width = len(rows[0][1])
    if rows[0][1][-1].lower() in LABEL:  # an unquoted label may contain the delimiter
        gap = " " if delimiter == "\t" else f"{delimiter} "
        rows = [
            (line, [*row[: width - 1], gap.join(row[width - 1 :])] if len(row) > width else row) for line, row in rows
        ]
    too_wide = next((line for line, row in rows if len(row) > width), None)
    if too_wide is not None:
        raise UnknownFormatError(
            f"more cells than the {width} of the first row.",
            path=file.path,
            line=too_wide,
            hint="quote cells that contain the delimiter.",
        )
    filled = [row + [""] * (width - len(row)) for _, row in rows]
    lengths = [len(row) for _, row in rows]
    return [list(column) for column in zip(*filled, strict=True)], [line for line, _ in rows], lengths
