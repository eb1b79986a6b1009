"""Parsers of other people's libraries, in a process of their own with limits on memory and time.

This file is run as a script, which imports nothing of allonym: it starts in milliseconds, and a file that takes over
the parser finds no data but its own. It reads one line of settings and the file from standard input, and writes lines
of JSON to standard output. Exit codes above 0 and signals tell how it failed.
"""

from __future__ import annotations

import datetime
import io
import json
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any

ROWS_PER_LINE = 1000  # of JSON
DAMAGED, OUT_OF_MEMORY, NOT_INSTALLED = 3, 4, 5  # exit codes


class DamagedError(Exception):
    """A file that the library refuses."""


# --- parsers -------------------------------------------------------------------------------------------------


def parse_workbook(content: bytes, sheet: str | None = None) -> Iterator[Any]:
    """Yield the name of a sheet, and its rows, without empty rows at the end and empty cells at the ends of rows.

    A sheet that does not exist is null; the number of sheets follows.
    """
    import python_calamine as calamine

    try:
        book = calamine.CalamineWorkbook.from_filelike(io.BytesIO(content))
        if sheet is None:
            shown = [x.name for x in book.sheets_metadata if x.visible == calamine.SheetVisibleEnum.Visible]
            sheet = (shown or book.sheet_names)[0]
        if sheet not in book.sheet_names:
            yield None
            yield len(book.sheet_names)
            return
        rows = book.get_sheet_by_name(sheet).to_python(skip_empty_area=False)
    except calamine.CalamineError as error:
        raise DamagedError from error
    yield sheet
    while rows and not any(x is not None and x != "" for x in rows[-1]):
        rows.pop()
    for first in range(0, len(rows), ROWS_PER_LINE):
        yield [row[: _width(row)] for row in rows[first : first + ROWS_PER_LINE]]


def _width(row: list[Any]) -> int:
    """Return the number of cells of a row up to the last that is not empty."""
    width = len(row)
    while width and (row[width - 1] is None or row[width - 1] == ""):
        width -= 1
    return width


def parse_spss(content: bytes) -> Iterator[Any]:
    """Yield the notes of an SPSS file, and the name and values of each column."""
    import pyreadstat

    return _labelled(content, pyreadstat.read_sav)


def parse_stata(content: bytes) -> Iterator[Any]:
    """Yield the notes of a Stata file, and the name and values of each column."""
    import pyreadstat

    return _labelled(content, pyreadstat.read_dta)


def _labelled(content: bytes, read: Callable[..., Any]) -> Iterator[Any]:
    import pyreadstat

    damaged = (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, LookupError, ValueError, TypeError)
    try:
        columns, notes = read(
            io.BytesIO(content), output_format="dict", disable_datetime_conversion=True, user_missing=True
        )
    except damaged as error:
        raise DamagedError from error
    yield {
        "types": notes.readstat_variable_types,
        "formats": notes.original_variable_types,
        "titles": notes.column_names_to_labels,
        "labels": {name: list(labels.items()) for name, labels in notes.variable_value_labels.items()},
        "missing": notes.missing_ranges,
        "measures": notes.variable_measure,
        "widths": notes.variable_display_width,
    }
    for name, values in columns.items():
        yield [name, list(values)]


PARSERS: dict[str, Callable[..., Iterator[Any]]] = {
    "workbook": parse_workbook, "spss": parse_spss, "stata": parse_stata,
}  # fmt: skip


# --- JSON ----------------------------------------------------------------------------------------------------


def encode(value: Any) -> Any:
    """Return a value that JSON lacks as an object with its type."""
    if isinstance(value, datetime.timedelta):
        return {"timedelta": [value.days, value.seconds, value.microseconds]}
    for kind in (datetime.datetime, datetime.date, datetime.time):
        if isinstance(value, kind):
            return {kind.__name__: value.isoformat()}
    return value.item() if hasattr(value, "item") else str(value)  # a number of NumPy


def decode(value: dict[str, Any]) -> Any:
    """Return the value of an object that `encode` made; any other object as it is.

    >>> json.loads(json.dumps([datetime.date(2020, 1, 2), {"a": 1}], default=encode), object_hook=decode)
    [datetime.date(2020, 1, 2), {'a': 1}]
    """
    if len(value) == 1:
        [(kind, content)] = value.items()
        if kind == "timedelta" and isinstance(content, list):
            return datetime.timedelta(*content)
        if kind in ("datetime", "date", "time") and isinstance(content, str):
            return getattr(datetime, kind).fromisoformat(content)
    return value


# --- the process ---------------------------------------------------------------------------------------------


def main() -> int:
    """Parse standard input as its first line says."""
    settings = json.loads(sys.stdin.buffer.readline())
    limit(settings["memory"], settings["seconds"])
    sys.path[:] = settings["path"]
    with os.fdopen(os.dup(1), "wb") as output:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what a library prints is no answer
        try:
            for line in PARSERS[settings["parser"]](sys.stdin.buffer.read(), **settings["options"]):
                output.write(json.dumps(line, default=encode).encode() + b"\n")
        except DamagedError:
            return DAMAGED
        except MemoryError:
            return OUT_OF_MEMORY
        except ImportError:
            return NOT_INSTALLED
    return 0


def limit(memory: int, seconds: int) -> None:
    """Limit memory and CPU time; forbid files and core dumps, which would hold data."""
    try:
        import resource
    except ImportError:  # Windows
        return
    limits = {  # at its soft limit of CPU time a process learns why it ends, at the hard limit it is killed
        "RLIMIT_AS": (memory, memory),
        "RLIMIT_CPU": (seconds, seconds + 10),
        "RLIMIT_FSIZE": (0, 0),
        "RLIMIT_CORE": (0, 0),
    }
    for name, wanted in limits.items():
        try:
            _, most = resource.getrlimit(getattr(resource, name))
            soft, hard = wanted if most == resource.RLIM_INFINITY else (min(x, most) for x in wanted)
            resource.setrlimit(getattr(resource, name), (soft, hard))
        except (AttributeError, OSError, ValueError):  # macOS does not limit memory
            continue
    try:  # if memory runs out, Linux should end this process first
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("1000")
    except OSError:
        pass


if __name__ == "__main__":
    sys.exit(main())
