"""Outputs as text that can be compared: binary tables decoded, long texts abridged, what may vary replaced."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pyreadstat
from python_calamine import CalamineWorkbook

LARGE, HEAD = 20_000, 40  # bytes from which a text is abridged, and the lines that are kept of it
SHA = r"[0-9a-f]{64}"
# What may differ between two runs that do the same. Nothing else is replaced.
VARYING = (
    (r'("seconds": )[0-9.e+-]+', r"\1SECONDS"),
    (r'\n(?:stderr: )? *"seconds_by_phase": \{[^}]*\},', ""),
    (r"(?m)^((?:stderr: )?time +)[0-9.]+ s(?::.*(?:\n(?:stderr: )? {8}.*)*)?$", r"\1SECONDS s"),
    (r"(?m),[0-9.e-]+,(True|False)((?:,[^,\n]*)*)$", r",SECONDS,\1\2"),  # a comparison as CSV
    (r"(?m) +[0-9.e-]+(  best| {6})$", r" SECONDS\1"),  # as it is printed
    (
        r'data-value="[0-9.e-]+">[0-9.e-]+(</td><td class="n" data-value="[01]">(?:yes)?</td></tr>)',
        r'data-value="SECONDS">SECONDS\1',
    ),  # as a page
    (r"allonym [0-9]+\.[0-9]+\.[0-9a-z.]+", "allonym VERSION"),
    (r"allonym VERSION \((compiled|NumPy) kernels.*\)", "allonym VERSION (KERNELS)"),
    (r"VERSION, Python [0-9.]+, NumPy [0-9.]+", "VERSION, Python VERSION, NumPy VERSION"),
    (r"(release|Comparison of methods|methods), [0-9]{4}-[0-9]{2}-[0-9]{2}", r"\1, DATE"),
)


def normal(content: bytes, folder: Path, hidden: Sequence[str] = ()) -> bytes:
    """Replace what may vary: times, versions, dates, the folder of the test, and the hashes with `hidden` names."""
    content = content.replace(str(folder).encode(), b"FOLDER")
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return content
    for pattern, instead in VARYING:
        text = re.sub(pattern, instead, text)
    for key in hidden:
        text = re.sub(rf'("{key}": "|sha256 of {key}</th><td class="hash">){SHA}', r"\1SHA256", text)
    return text.encode()


def abridged(content: bytes) -> bytes:
    """Return a long text as its hash and its first lines."""
    if len(content) <= LARGE:
        return content
    lines = content.splitlines(keepends=True)
    head = f"sha256 {hashlib.sha256(content).hexdigest()}, {len(content)} bytes, {len(lines)} lines, which begin:\n"
    return head.encode() + b"".join(lines[:HEAD])


def without_charts(page: bytes) -> tuple[bytes, bytes]:
    """Return a page whose charts and styles are hashes, and the hashes of its charts."""
    charts: list[str] = []

    def chart(found: re.Match[str]) -> str:
        charts.append(hashlib.sha256(found[0].encode()).hexdigest())
        return f"<svg>{len(charts)}</svg>"

    def style(found: re.Match[str]) -> str:
        return f"<style>sha256 {hashlib.sha256(found[0].encode()).hexdigest()}</style>"

    text = re.sub(r"<svg.*?</svg>", chart, page.decode(), flags=re.DOTALL)
    text = re.sub(r"<style.*?</style>", style, text, flags=re.DOTALL)
    return text.encode(), "".join(f"{x}\n" for x in charts).encode()


def decoded(path: Path) -> bytes:
    """Return a file as text: tables of other programs by their columns and rows, others as they are."""
    readers = {".parquet": parquet, ".xlsx": sheets, ".sav": labelled, ".dta": labelled}
    if path.suffix in readers:
        return "".join(f"{line}\n" for line in readers[path.suffix](path)).encode()
    content = path.read_bytes()
    return gzip.decompress(content) if path.suffix == ".gz" else content


def unordered(paths: Sequence[Path]) -> bytes:
    """Return Parquet files as one: the schema of each, once, and the rows of all, sorted."""
    lines = dict.fromkeys(line for path in paths for line in parquet(path) if line.startswith("{"))
    rows = sorted(line for path in paths for line in parquet(path) if line.startswith("["))
    return "".join(f"{line}\n" for line in (*lines, *rows)).encode()


def told(value: Any) -> str:
    """Return anything as one line of JSON."""
    return json.dumps(value, ensure_ascii=False, default=repr)


def parquet(path: Path) -> Iterator[str]:
    """Yield the schema of a Parquet file, its metadata and its rows."""
    table = pq.ParquetFile(path).read()
    yield from arrow(table)


def arrow(table: Any) -> Iterator[str]:
    """Yield the schema of an Arrow table, its metadata and its rows."""
    for field in table.schema:
        yield told({"column": field.name, "type": str(field.type), "nullable": field.nullable})
    metadata = {k.decode(): v.decode() for k, v in (table.schema.metadata or {}).items()}
    yield told({"metadata": metadata})
    yield from (told(list(row.values())) for row in table.to_pylist())


def sheets(path: Path) -> Iterator[str]:
    """Yield every sheet of a workbook, with its rows."""
    book = CalamineWorkbook.from_path(path)
    for name in book.sheet_names:
        yield told({"sheet": name})
        yield from map(told, book.get_sheet_by_name(name).to_python())


def labelled(path: Path) -> Iterator[str]:
    """Yield the variables of a file of SPSS or Stata, with types and labels, and its rows."""
    read = pyreadstat.read_sav if path.suffix == ".sav" else pyreadstat.read_dta
    columns, notes = read(path, output_format="dict", disable_datetime_conversion=True, user_missing=True)
    for name, title in notes.column_names_to_labels.items():
        yield told(
            {
                "column": name,
                "label": title,
                "type": notes.readstat_variable_types[name],
                "format": notes.original_variable_types[name],
                "measure": notes.variable_measure.get(name),
                "values": {str(k): v for k, v in notes.variable_value_labels.get(name, {}).items()},
            }
        )
    yield told({"table": notes.table_name, "label": notes.file_label, "notes": notes.notes})
    yield from (told([getattr(x, "item", lambda x=x: x)() for x in row]) for row in zip(*columns.values(), strict=True))
