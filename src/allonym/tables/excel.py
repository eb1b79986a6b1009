"""Spreadsheets: one sheet is the table. A release is a new workbook with values only, no formulas and no other sheets.

The extra `excel` brings calamine, which reads xlsx, xls and ods in a process of its own, and XlsxWriter, which writes
xlsx.
"""

from __future__ import annotations

import datetime
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from allonym.errors import ReleaseError, TableError
from allonym.tables.base import DEFAULT_MAX_SIZE, NO_SHEET, Format, Reading
from allonym.tables.columns import Columns, named
from allonym.tables.parsers import confined
from allonym.tables.parsers.script import DamagedError
from allonym.tables.second_reader import text_table
from allonym.tables.unpacking import check_archive

CREATED = datetime.datetime(2000, 1, 1)  # date in every workbook, so that the same table gives the same bytes
RELEASED_SHEET = "Sheet1"  # whatever the sheet was called
FORMATS = {datetime.datetime: "yyyy-mm-dd hh:mm:ss", datetime.date: "yyyy-mm-dd", datetime.time: "hh:mm:ss",
           datetime.timedelta: "[h]:mm:ss"}  # fmt: skip


class ExcelFile(Columns):
    """A sheet of a workbook: the one named, else the first visible one."""

    def __init__(
        self,
        content: bytes,
        name: str,
        *,
        header: bool = True,
        sheet: str | None = None,
        max_size: int = DEFAULT_MAX_SIZE,
    ) -> None:
        self.format, self.max_size = FORMAT, max_size
        self.sheet, rows = sheet_of(content, name, sheet, max_size)
        self.has_header = header
        width = max((len(row) for row in rows), default=0)
        if not rows or not width:
            raise TableError(f"{name} is empty.", hint="name its sheet with --sheet.")
        heads = [*rows[0], *[None] * (width - len(rows[0]))]
        names = named([_name(x) for x in heads] if header else [str(i + 1) for i in range(width)], name)
        body = rows[1:] if header else rows
        columns = {x: [_value(row[i]) if i < len(row) else None for row in body] for i, x in enumerate(names)}
        super().__init__(columns, name)

    @classmethod
    def open(cls, content: bytes, name: str, reading: Reading, *, item_separators: Collection[str] = ()) -> ExcelFile:
        """Open a sheet."""
        return cls(content, name, header=reading.header, sheet=reading.sheet, max_size=reading.max_size)

    def save(self, content: Mapping[str, list[Any]], path: Path, *, zipped: bool = False) -> None:
        """Write columns as a workbook; text stays text, even where it begins like a formula."""
        _check_installed("xlsxwriter")
        import xlsxwriter

        with xlsxwriter.Workbook(path, {"strings_to_formulas": False, "strings_to_urls": False}) as book:
            book.set_properties({"created": CREATED})
            sheet = book.add_worksheet(RELEASED_SHEET)
            formats = {kind: book.add_format({"num_format": text}) for kind, text in FORMATS.items()}
            for i in range(len(next(iter(content.values()), []))):
                if all(values[i] is None or values[i] == "" for values in content.values()):
                    sheet.write_string(i + int(self.has_header), 0, " ")  # an empty row is still a row
            for j, (name, values) in enumerate(content.items()):
                if self.has_header:
                    sheet.write_string(0, j, name)
                for i, value in enumerate(values, int(self.has_header)):
                    _write(sheet, i, j, value, formats)

    def reread(self, content: bytes, columns: Sequence[str], names: Sequence[str]) -> tuple[Any, Sequence[str]]:
        """Read some columns of the workbook by calamine, which did not write it."""
        return reread(content, columns, RELEASED_SHEET, None if self.has_header else names, self.max_size)


def sheet_of(
    raw: bytes, name: str, sheet: str | None = None, max_size: int = DEFAULT_MAX_SIZE
) -> tuple[str, list[list[Any]]]:
    """Return the name of a sheet and its rows, without empty rows at the end and empty cells at the ends of rows."""
    _check_installed("python_calamine")
    check_archive(raw, name, max_size)
    try:
        found, *parts = confined.parse("workbook", raw, name, max_size, sheet=sheet)
    except DamagedError as error:
        raise TableError(f"{name} is a damaged spreadsheet, or none.", hint="save it again.") from error
    if found is None:
        raise TableError(f"{name} has no sheet {sheet!r}.", hint=f"it has {parts[0]} sheets.", code=NO_SHEET)
    return found, [row for part in parts for row in part]


def _check_installed(module: str) -> None:
    """Raise an error if a library that reads or writes spreadsheets is not installed."""
    if not confined.is_installed(module):
        raise TableError("Spreadsheets need the `excel` extra.", hint="pip install 'allonym[excel]'.")


def _is_empty(value: Any) -> bool:
    return value is None or value == ""


def _value(value: Any) -> Any:
    """Return a cell; a float without decimals is an integer, which spreadsheets do not have."""
    if _is_empty(value) or (isinstance(value, str) and not value.strip()):
        return None
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value


def _name(value: Any) -> str:
    return "" if _is_empty(value) else str(_value(value)).strip()


def _write(sheet: Any, i: int, j: int, value: Any, formats: Mapping[type, Any]) -> None:
    """Write a cell with its type."""
    if value is None or value == "":
        return
    if isinstance(value, bool):
        sheet.write_boolean(i, j, value)
    elif isinstance(value, (int, float)):
        sheet.write_number(i, j, value)
    elif isinstance(value, (datetime.date, datetime.time)):
        sheet.write_datetime(i, j, value, formats[type(value)])
    elif isinstance(value, datetime.timedelta):
        sheet.write_datetime(i, j, value, formats[datetime.timedelta])
    else:
        sheet.write_string(i, j, str(value))


def _recognises(content: bytes) -> bool:
    return content[:4] == b"PK\x03\x04" or content[:8] == b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


FORMAT = Format("excel", (".xlsx",), _recognises, ExcelFile.open)


# --- the second reader ---------------------------------------------------------------------------------------


def reread(
    content: bytes,
    columns: Sequence[str],
    sheet: str,
    names: Sequence[str] | None,
    max_size: int = DEFAULT_MAX_SIZE,
) -> tuple[Any, list[str]]:
    """Read some columns of a workbook by calamine, which did not write it, and the names of all unless given."""
    try:
        _, rows = sheet_of(content, "the release", sheet, max_size)
    except TableError as error:
        raise ReleaseError("The release cannot be read again.") from error
    if names is None:
        names, rows = [str(x).strip() for x in rows[0]], rows[1:]
    if any(len(row) > len(names) for row in rows):
        raise ReleaseError("The release has cells beyond its columns.")
    data = {x: [row[j] if j < len(row) else None for row in rows] for j, x in enumerate(names)}
    return text_table(data, columns), list(names)
