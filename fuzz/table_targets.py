"""Targets that read tables: unmasked cells must come back unchanged."""

from __future__ import annotations

import gzip
import io
import json
import math
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import builders
import numpy as np
import seeds
from contract import MASKS, expect, folder, refusing

from allonym.cells import Cells
from allonym.tables.csv import TextFile
from allonym.tables.excel import ExcelFile
from allonym.tables.files import Reading, open_table
from allonym.tables.jsonl import JsonLines
from allonym.tables.memory import MemoryTable
from allonym.tables.parquet import ParquetFile
from allonym.tables.spss import LabelledFile


def _columns(table: MemoryTable, names: Sequence[str] | None = None) -> dict[str, list[Any]]:
    """Return every cell by column."""
    names = table.names if names is None else names
    cells = table.cells(names)
    columns = {x: [cells[x].values[c] for c in cells[x].codes.tolist()] for x in names}
    expect(
        all(len(column) == table.n for column in columns.values()),
        "the number of cells differs from the number of rows",
    )
    return columns


def _same(one: Any, other: Any) -> bool:
    """Return whether two values are equal, where 1, True and 1.0 differ."""
    return repr(one) == repr(other)


def _constant(table: MemoryTable, value: Any) -> Cells:
    return Cells([value], np.zeros(table.n, np.int64))


def _round_trip(table: TextFile | JsonLines, raw: bytes) -> None:
    """Check that an unmasked table comes back, and that masking a column changes no other column."""
    columns = _columns(table)
    again = _reopen(table, b"".join(table.changed({}, [])))
    if isinstance(table, TextFile):
        expect(b"".join(table.changed({}, [])) == raw, f"{table.encoding} does not come back byte for byte")
    expect(again.names == table.names and _same(_columns(again), columns), "cells do not come back")
    for i, name in enumerate(table.names[:3]):
        value = MASKS[(len(raw) + i) % len(MASKS)]
        with refusing():  # the encoding may lack a character of the mask
            masked = _reopen(table, b"".join(table.changed({name: _constant(table, value)}, [])))
            expect(sorted(masked.names) == sorted(table.names), "masking changes names")
            expect(masked.n == table.n, "masking changes the number of rows")
            others = [x for x in table.names if x != name]
            expect(_same(_columns(masked, others), {x: columns[x] for x in others}), "masking changes other columns")
            new = [value, (value or "").strip()] if isinstance(table, TextFile) else [value, str(value).strip()]
            expect(all(x in new for x in _columns(masked, [name])[name]), "a mask does not come back")


def _reopen(table: TextFile | JsonLines, content: bytes) -> TextFile | JsonLines:
    if isinstance(table, JsonLines):
        return JsonLines(content, "again")
    return TextFile(content, "again", Reading(table.encoding, table.delimiter, table.has_header))


def _unpacked(data: bytes) -> bytes:
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def table(data: bytes) -> None:
    """Open arbitrary bytes as a table."""
    text = data.decode("latin-1")
    cells = text.partition("\r" if "\n" not in text else "\n")[2]
    with refusing(cells):
        opened = open_table("given", None, data)
        if not isinstance(opened, (TextFile, JsonLines)):
            _columns(opened)
            return
        names = opened.names
        with refusing(cells, names):
            _round_trip(opened, _unpacked(data))


def built_table(data: bytes) -> None:
    """Open a table with known cells."""
    choices = builders.Choices(data)
    table = builders.table(choices)
    if table is None:
        return
    stated = choices.below(4)  # which of encoding and delimiter the reader is told
    reading = Reading(table.encoding if stated else None, table.delimiter if stated < 3 else None, table.header)
    with refusing(" ".join(x for row in table.rows for x in row)):
        opened = TextFile(table.raw, "given", reading)
        if stated in (1, 2):
            rows = list(zip(*_columns(opened).values(), strict=True))
            expect(rows == [tuple(row) for row in table.rows], "cells differ from those written")
        _round_trip(opened, table.raw)


def _json_cell(value: Any) -> Any:
    """Return a JSON value as a cell."""
    if isinstance(value, list):
        return tuple(value)
    if isinstance(value, str):
        return value.strip()
    return None if isinstance(value, float) and math.isnan(value) else value


def json_lines(data: bytes) -> None:
    """Open arbitrary bytes as JSON lines."""
    text = data.decode("latin-1")
    with refusing(text):
        opened = JsonLines(data, "given")
        with refusing(text, opened.names):
            _round_trip(opened, data)


def built_json_lines(data: bytes) -> None:
    """Open JSON lines with known values."""
    raw = "\n".join(map(json.dumps, builders.json_lines(builders.Choices(data)))).encode()
    records = [json.loads(x) for x in raw.splitlines()]
    with refusing(raw.decode(), names=[x for record in records for x in record]):
        opened = JsonLines(raw, "given")
        columns = _columns(opened)
        for name in opened.names:
            expect(_same(columns[name], [_json_cell(x.get(name)) for x in records]), "cells differ from the values")
        _round_trip(opened, raw)


def parquet(data: bytes) -> None:
    """Open arbitrary bytes as Parquet."""
    with refusing():
        _columns(ParquetFile(data, "given"))


def built_parquet(data: bytes) -> None:
    """Open a Parquet file with columns of many types and arbitrary pandas metadata."""
    raw = builders.parquet(builders.Choices(data))
    with refusing():
        opened = ParquetFile(raw, "given")
        for name in opened.names:
            with refusing("", [name]):
                _columns(opened, [name])
                again = opened.changed({name: opened.cells([name])[name]}, [])
                expect(again.column_names == list(opened.names), "names do not come back")


def excel(data: bytes) -> None:
    """Open arbitrary bytes as a workbook."""
    with refusing():
        _columns(ExcelFile(data, "given"))


def sheet(data: bytes) -> None:
    """Open a workbook whose sheet consists of arbitrary bytes."""
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(*seeds.workbooks())) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            new.writestr(name, data if name == seeds.SHEET else old.read(name))
    excel(target.getvalue())


def built_excel(data: bytes) -> None:
    """Open a workbook with known values; saving it keeps the cells."""
    raw = builders.workbook(builders.Choices(data))
    with refusing():
        _save_and_reopen(ExcelFile(raw, "given"), folder() / "again.xlsx", raw)


def labelled(data: bytes) -> None:
    """Open arbitrary bytes as an SPSS or Stata file."""
    with refusing():
        _columns(LabelledFile(data, "given"))


def built_labelled(data: bytes) -> None:
    """Open an SPSS or Stata file with known values; saving it keeps the cells."""
    choices = builders.Choices(data)
    path = folder() / choices.one_of(("given.sav", "given.dta"))
    try:
        builders.labelled(choices, path)
    except Exception:  # values that the format cannot store
        return
    raw = path.read_bytes()
    with refusing():
        _save_and_reopen(LabelledFile(raw, "given"), path.with_stem("again"), raw)


def _save_and_reopen(table: ExcelFile | LabelledFile, path: Path, raw: bytes) -> None:
    """Check that a saved table comes back, and that masking a column changes no other column."""
    columns = _columns(table)
    table.save(table.changed({}, []), path)
    expect(_same(_columns(open_table(path)), columns), "cells do not come back")
    name, value = table.names[0], MASKS[len(raw) % len(MASKS)]
    table.save(table.changed({name: _constant(table, value)}, []), path)
    masked = _columns(open_table(path))
    expect(_same([*masked.items()][1:], [*columns.items()][1:]), "masking changes other columns")
    expect(all(x in (value, (value or "").strip() or None) for x in masked[name]), "a mask does not come back")
