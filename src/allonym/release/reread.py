"""The second readers: what was written is understood again by other means than it was written by, to be recounted."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from allonym.errors import ReleaseError, TableError
from allonym.release.write import joined

LARGE = 1 << 26  # bytes from which on text is read on all cores


def _unpacked(content: bytes) -> bytes:
    """Return a file that may be gzipped; one that only begins like that is what it is."""
    try:
        return gzip.decompress(content) if content[:3] == b"\x1f\x8b\x08" else content
    except (OSError, EOFError, zlib.error):
        return content


def read_json(content: bytes, columns: Sequence[str], names: Sequence[str]) -> tuple[Any, Sequence[str]]:
    """Read some columns of JSON lines, and the names of all, which may come in any order."""
    content = _unpacked(content)
    try:
        records = [json.loads(line) for line in content.decode().split("\n") if line]
    except ValueError as error:
        raise ReleaseError("What was written cannot be read again.") from error
    found = {name for record in records for name in record}
    data = {x: pa.array([_told(record.get(x)) for record in records], pa.string()) for x in columns}
    known = [x for x in names if x in found or x in columns]
    return pa.table(data), names if len(known) == len(names) and found <= set(names) else sorted(found)


def _told(value: Any) -> str | None:
    """Return a value of JSON as text."""
    if value is None:
        return None
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode()
    return joined(value) if isinstance(value, list) else json.dumps(value)


def read_text(
    content: bytes, columns: Sequence[str], *, delimiter: str, encoding: str, names: Sequence[str] | None
) -> tuple[Any, list[str]]:
    """Read some columns of delimited text by Arrow's reader, and the names of all, unless given, by Python's."""
    content = _unpacked(content)
    header = names is None
    if names is None:
        names = [name.strip() for name in next(_rows(content, delimiter, encoding), [])]
    wanted = [name for name in names if name in set(columns)] or list(names[:1])
    places = [names.index(name) for name in wanted]
    try:
        found = _by_arrow(_begun(content, encoding), places, delimiter, encoding, len(names))
    except (pa.ArrowException, AttributeError, ValueError):  # blanks before quotes, which Arrow does not skip; codecs
        found = _by_python(content, places, delimiter, encoding, len(names))
    return found.rename_columns(wanted).slice(int(header)), list(names)


def _begun(content: bytes, encoding: str) -> bytes:
    """Return a text from its first line on that has something on it."""
    if encoding not in ("utf-8", "ascii", "cp1252", "latin-1", "iso8859-1"):
        return content
    mark = content[:3] if content[:3] == b"\xef\xbb\xbf" else b""
    blank = re.match(rb"(?:[ \t]*(?:\r\n|\r|\n))*", content[len(mark) :])
    assert blank is not None
    return mark + content[len(mark) + blank.end() :]


def _rows(content: bytes, delimiter: str, encoding: str) -> Iterator[list[str]]:
    """Yield the rows of delimited text by Python's reader; blank lines are none."""
    codec = "utf-8-sig" if encoding == "utf-8" else encoding
    text = io.TextIOWrapper(io.BytesIO(content), encoding=codec, newline="")
    csv.field_size_limit(2**31 - 1)
    for row in csv.reader(text, delimiter=delimiter, skipinitialspace=True):
        if any(cell.strip() for cell in row) or len(row) > 1:
            yield row


def _by_arrow(content: bytes, places: list[int], delimiter: str, encoding: str, width: int) -> pa.Table:
    from pyarrow import csv as arrow

    numbers = [f"f{i}" for i in range(width)]
    return arrow.read_csv(
        pa.BufferReader(content),
        arrow.ReadOptions(
            autogenerate_column_names=True, encoding=encoding, block_size=1 << 24, use_threads=len(content) > LARGE
        ),
        arrow.ParseOptions(delimiter=delimiter, newlines_in_values=True, ignore_empty_lines=width > 1),
        arrow.ConvertOptions(
            include_columns=[numbers[i] for i in places],
            column_types=dict.fromkeys(numbers, pa.string()),
            strings_can_be_null=False,
        ),
    )


def _by_python(content: bytes, places: list[int], delimiter: str, encoding: str, width: int) -> pa.Table:
    try:
        rows = list(_rows(content, delimiter, encoding))
    except csv.Error:
        rows = [[]]
    if any(len(row) != width for row in rows):
        raise ReleaseError("The release could not be read again, so it was not written.")
    return pa.table({str(i): pa.array([row[i] for row in rows], pa.string()) for i in places})


def read_parquet(content: bytes, columns: Sequence[str]) -> tuple[Any, list[str]]:
    """Read some columns of a Parquet file, and the names of all."""
    import pyarrow.parquet as pq

    source = pa.BufferReader(content)
    names = pq.read_schema(source).names
    return pq.read_table(pa.BufferReader(content), columns=[name for name in names if name in set(columns)]), names


def read_sheet(
    content: bytes, columns: Sequence[str], sheet: str, names: Sequence[str] | None
) -> tuple[Any, list[str]]:
    """Read some columns of a workbook by calamine, which did not write it, and the names of all unless given."""
    from allonym.tables.excel import sheet_of

    try:
        _, rows = sheet_of(content, "the release", sheet)
    except TableError as error:
        raise ReleaseError("What was written cannot be read again.") from error
    if names is None:
        names, rows = [str(x).strip() for x in rows[0]], rows[1:]
    width = len(names)
    data = {x: [row[j] if j < len(row) else None for row in rows] for j, x in enumerate(names)}
    if any(len(row) > width for row in rows):
        raise ReleaseError("What was written has cells beyond its columns.")
    return _texts(data, columns), list(names)


def read_sav(content: bytes, columns: Sequence[str]) -> tuple[Any, list[str]]:
    """Read some columns of a file of SPSS, by their labels, and the names of all."""
    import pyreadstat

    data, notes = pyreadstat.read_sav(
        io.BytesIO(content), output_format="dict", disable_datetime_conversion=True, user_missing=True
    )
    return _texts(data, columns, notes.variable_value_labels), list(data)


def read_dta(content: bytes, columns: Sequence[str]) -> tuple[Any, list[str]]:
    """Read some columns of a file of Stata by pandas, which did not write it, by their labels; and the names of all."""
    from pandas.io.stata import StataReader

    with StataReader(io.BytesIO(content), convert_categoricals=False, convert_dates=False) as reader:
        frame = reader.read()
        named = dict(zip(frame.columns, reader._lbllist, strict=True))
        labels = reader.value_labels()
    told = {x: labels[named[x]] for x in frame.columns if named[x] in labels}
    return _texts({x: frame[x].tolist() for x in columns}, columns, told), list(frame.columns)


def _texts(
    data: Mapping[str, Sequence[Any]], columns: Sequence[str], labels: Mapping[str, Mapping[Any, str]] | None = None
) -> pa.Table:
    """Return some columns as text: by their labels where they have some, whole numbers without a point."""
    from allonym.cells import cell_text

    def text(value: Any, known: Mapping[Any, str]) -> str | None:
        if value is None or value != value or not str(value).strip():  # noqa: PLR0124
            return None
        return known.get(value) or cell_text(value)

    known = labels or {}
    return pa.table(
        {x: pa.array([text(v, known.get(x, {})) for v in data[x]], pa.string()) for x in columns if x in data}
    )
