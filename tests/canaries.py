"""Tables with a canary in every slot for metadata, and the bytes of a release in which to look for canaries."""

from __future__ import annotations

import base64
import gzip
import io
import json
import pickle
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import xlsxwriter

import allonym as al
from allonym.methods import METHODS
from allonym.methods.base import ColumnwiseMethod, KAnonymityMethod
from allonym.methods.record_level import RecordLevelMethod

CANARY = "CNRY"  # every canary begins with these letters; eight characters fit any record of any format
JOBS = al.read_taxonomy(Path(__file__).parent / "data" / "mini-jobs.csv")
WORDS = ["cook", "baker", "smith", "welder", "nurse", "cook"] * 4
SEXES = ["f", "m"] * 12
N = len(WORDS)
SECRET = "CNRYdrop"  # the name of a column that is dropped
RELEASED = ("job", "sex")


def columns() -> dict[str, list[Any]]:
    """Return a table with a column to drop, one to mask and one to keep."""
    return {SECRET: [f"CNRY{i:04}" for i in range(N)], "job": list(WORDS), "sex": list(SEXES)}


def plan(method: str = "sa-mdav", *, key: bool = False, **options: Any) -> al.Plan:
    """Return a plan that drops, masks and keeps a column."""
    kind = METHODS[method]
    job = al.quasi(JOBS, unmatched="suppress" if issubclass(kind, RecordLevelMethod) else "opaque", accept_review=True)
    parameters: dict[str, Any] = {"per_attribute": True} if issubclass(kind, ColumnwiseMethod) else {}
    parameters |= {"key": SECRET} if key else {}
    k = 3 if issubclass(kind, KAnonymityMethod) else None
    roles = {SECRET: al.identifier(), "job": job, "sex": al.keep()}
    return al.Plan(roles, method=method, k=k, seed=1, parameters=parameters, **options)


# --- tables with canaries ------------------------------------------------------------------------------------


def zipped(content: bytes) -> bytes:
    """Return content as gzip, with a file name, a comment and an extra field."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    extra = b"CN\x08\0CNRYextr"
    head = b"\x1f\x8b\x08" + bytes([4 | 8 | 16]) + struct.pack("<I", 1_700_000_000) + b"\x02\xff"
    head += struct.pack("<H", len(extra)) + extra + b"CNRYname.csv\0" + b"CNRYcomm\0"
    body = deflate.compress(content) + deflate.flush()
    return head + body + struct.pack("<II", zlib.crc32(content), len(content))


def csv(folder: Path) -> Path:
    """Write delimited text."""
    rows = [list(columns()), *zip(*columns().values(), strict=True)]
    path = folder / "in.csv"
    path.write_text("".join(",".join(row) + "\n" for row in rows))
    return path


def csv_gz(folder: Path) -> Path:
    """Write delimited text as gzip."""
    path = folder / "in.csv.gz"
    path.write_bytes(zipped(csv(folder).read_bytes()))
    return path


def jsonl(folder: Path) -> Path:
    """Write JSON lines."""
    path = folder / "in.jsonl"
    rows = (dict(zip(columns(), row, strict=True)) for row in zip(*columns().values(), strict=True))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def jsonl_gz(folder: Path) -> Path:
    """Write JSON lines as gzip."""
    path = folder / "in.jsonl.gz"
    path.write_bytes(zipped(jsonl(folder).read_bytes()))
    return path


def excel(folder: Path) -> Path:
    """Write a workbook with other sheets, properties, names, comments, links and formats."""
    path = folder / "in.xlsx"
    with xlsxwriter.Workbook(path) as book:
        words = ("title", "subject", "author", "manager", "company", "category", "keywords", "comments", "status")
        book.set_properties({x: f"CNRYp{i}" for i, x in enumerate(words)})
        book.set_custom_property("CNRYcust", "CNRYcus2")
        sheet, hidden = book.add_worksheet("CNRYsheet"), book.add_worksheet("CNRYhide")
        book.define_name("CNRYdefn", "=CNRYsheet!$A$1")
        hidden.write(0, 0, "CNRYcell")
        hidden.very_hidden()
        odd = book.add_format({"num_format": '"CNRYform"0'})
        for j, (name, values) in enumerate(columns().items()):
            sheet.write(0, j, name)
            for i, value in enumerate(values, 1):
                sheet.write(i, j, value, odd)
        sheet.write_comment(1, 1, "CNRYnote", {"author": "CNRYauth"})
        sheet.write_url(2, 1, "https://CNRYlink.example", string=WORDS[1], tip="CNRYtip")
        sheet.data_validation(1, 1, N, 1, {"validate": "list", "source": ["CNRYlist"], "input_title": "CNRYinp"})
        sheet.set_header("&LCNRYhead")
        sheet.set_footer("&LCNRYfoot")
    return path


def spss(folder: Path, ending: str = "sav") -> Path:
    """Write an SPSS or Stata file with labels and notes; code 9 does not occur."""
    path = folder / f"in.{ending}"
    labels = {"job": {1: "cook", 2: "baker", 3: "smith", 4: "welder", 5: "nurse", 9: "CNRYcat1"}}
    labels["sex"] = {1: "f", 2: "m", 9: "CNRYcat2"}
    code_of = {x: {label: code for code, label in labels[x].items()} for x in labels}
    data = {x: [code_of[x][v] for v in values] if x in labels else values for x, values in columns().items()}
    frame = pd.DataFrame(data | {"town": ["Ulm", "Bonn"] * (N // 2)})
    titles = {SECRET: "CNRYlab1", "job": "Occupation"}
    common: dict[str, Any] = {"file_label": "CNRYfile", "column_labels": titles, "variable_value_labels": labels}
    if ending == "sav":
        missing = {"town": ["CNRYmiss"], "sex": [9]}
        pyreadstat.write_sav(frame, path, note=["CNRYdoc1"], missing_ranges=missing, **common)
    else:
        formats = {"town": "%-9sCNRYf"}
        pyreadstat.write_dta(frame, path, **common, variable_format=formats)
        path.write_bytes(_with_characteristic(path.read_bytes()))
    return path


def stata(folder: Path) -> Path:
    """Write a Stata file."""
    return spss(folder, "dta")


def _with_characteristic(content: bytes) -> bytes:
    """Return a Stata file with a note, which Stata stores as a characteristic; offsets behind it move."""
    what = b"_dta".ljust(129, b"\0") + b"note1".ljust(129, b"\0") + b"CNRYchar\0"
    element = b"<ch>" + struct.pack("<I", len(what)) + what + b"</ch>"
    place = content.index(b"<characteristics>") + len(b"<characteristics>")
    moved = content[:place] + element + content[place:]
    start = moved.index(b"<map>") + len(b"<map>")
    offsets = struct.unpack("<14Q", moved[start : start + 112])
    later = [x + len(element) if x >= place else x for x in offsets]
    return moved[:start] + struct.pack("<14Q", *later) + moved[start + 112 :]


def arrow(*, categories: bool = True) -> pa.Table:
    """Return an Arrow table with notes on table, fields and items, orphaned categories and values under nulls."""
    data = columns()

    def coded(values: list[str], orphan: str) -> pa.Array:
        known = [*sorted(set(values)), orphan]
        return pa.DictionaryArray.from_arrays(pa.array([known.index(x) for x in values], pa.int8()), pa.array(known))

    def note(number: int) -> dict[str, str]:
        return {"note": f"CNRYfld{number}"}

    fields = [
        (pa.field(SECRET, pa.string(), metadata=note(1)), pa.array(data[SECRET])),
        (pa.field("job", pa.string(), metadata=note(2)), pa.array(data["job"])),
        (pa.field("sex", pa.string(), metadata=note(3)), pa.array(data["sex"])),
    ]
    if categories:
        fields[1:] = [
            (pa.field(name, pa.dictionary(pa.int8(), pa.string()), metadata=note(i)), coded(data[name], f"CNRYcat{i}"))
            for i, name in ((2, "job"), (3, "sex"))
        ]
    list_type = pa.list_(pa.field("element", pa.int16(), metadata=note(5)))
    fields += [
        (pa.field("town", pa.string(), metadata=note(4)), _under_nulls(N)),
        (pa.field("list", list_type, metadata=note(6)), pa.array([[1]] * N, list_type)),
        (pa.field("struct", pa.struct([pa.field("a", pa.int8(), metadata=note(7))])), pa.array([{"a": 1}] * N)),
        (pa.field("time", pa.timestamp("us", "CNRYzone")), pa.array([1] * N, pa.timestamp("us", "CNRYzone"))),
    ]
    schema = pa.schema([x for x, _ in fields], metadata={"CNRYkey": "CNRYval", "pandas": json.dumps(pandas_notes())})
    return pa.table([column.cast(field.type) for field, column in fields], schema=schema)


def _under_nulls(rows: int) -> pa.Array:
    """Return a column of nulls with text in the buffer under them."""
    below = pa.array(["CNRYnull"] * rows)
    return pa.Array.from_buffers(pa.string(), rows, [pa.py_buffer(bytes(-(-rows // 8))), *below.buffers()[1:]])


def pandas_notes() -> dict[str, Any]:
    """Return the notes that pandas leaves in a Parquet file."""
    return {
        "index_columns": [{"kind": "range", "name": "CNRYindx", "start": 0, "stop": N, "step": 1}],
        "column_indexes": [{"name": "CNRYcols", "field_name": None, "pandas_type": "unicode", "metadata": None}],
        "columns": [{"name": SECRET, "field_name": SECRET, "pandas_type": "unicode", "metadata": "CNRYmeta"}],
        "attributes": {"owner": "CNRYattr"},
        "creator": {"library": "CNRYlibr", "version": "1"},
    }


def parquet(folder: Path) -> Path:
    """Write a Parquet file."""
    path = folder / "in.parquet"
    pq.write_table(arrow(), path)
    return path


FILES: dict[str, Callable[[Path], Path]] = {
    "csv": csv, "csv.gz": csv_gz, "jsonl": jsonl, "jsonl.gz": jsonl_gz, "xlsx": excel, "sav": spss, "dta": stata,
    "parquet": parquet,
}  # fmt: skip


def pandas() -> pd.DataFrame:
    """Return a pandas frame with attributes, names of indexes and orphaned categories."""
    frame = pd.DataFrame(columns())
    for name, orphan in (("job", "CNRYcat1"), ("sex", "CNRYcat2")):
        categories = pd.Index([*sorted(set(frame[name])), orphan], name="CNRYcati")
        frame[name] = pd.Categorical(frame[name], categories=categories)
    frame["town"] = pd.array(_under_nulls(N), dtype=pd.ArrowDtype(pa.string()))
    coded = arrow().column("sex").combine_chunks()
    frame["area"] = pd.array(coded, dtype=pd.ArrowDtype(coded.type))
    frame.columns.name, frame.attrs = "CNRYcoln", {"CNRYkey": "CNRYval"}
    return frame


def polars() -> pl.DataFrame:
    """Return a polars frame with enumerations that list more than occurs, and named categories."""
    frame = pl.DataFrame(columns())
    kinds = {x: pl.Enum([*sorted(set(frame[x])), f"CNRYenu{i}"]) for i, x in enumerate(RELEASED)}
    frame = frame.with_columns(pl.col(x).cast(kind) for x, kind in kinds.items())
    named = pl.Categorical(pl.Categories("CNRYcats"))
    listed = pl.Series("sexes", [[x] for x in SEXES], dtype=pl.List(kinds["sex"]))
    return frame.with_columns(pl.Series("area", SEXES, dtype=named), listed, pl.Series("town", _under_nulls(N)))


FRAMES: dict[str, Callable[[], Any]] = {"pandas": pandas, "polars": polars, "arrow": arrow}


# --- where to look -------------------------------------------------------------------------------------------


def canaries(*places: Any) -> set[str]:
    """Return the canaries that files, folders and frames hold."""
    found = set()
    for place in places:
        for text in _bytes_of(place):
            found |= {x.decode() for x in re.findall(rb"CNRY\w{1,4}", text.replace(b"\0", b""))}
    return found


def _bytes_of(place: Any) -> Iterator[bytes]:
    """Yield everything that a file, a folder or a frame holds, unpacked."""
    if isinstance(place, Path):
        files = [x for x in place.rglob("*") if x.is_file()] if place.is_dir() else [place]
        for file in files:
            yield str(file.relative_to(place)).encode() if place.is_dir() else b""
            yield from _of_content(file.read_bytes())
    elif isinstance(place, pd.DataFrame):
        yield pickle.dumps(place)
        yield repr((place.attrs, place.columns, place.index, place.dtypes.to_dict(), vars(place))).encode()
        yield from _of_arrow(pa.Table.from_pandas(place))
    elif isinstance(place, pl.DataFrame):
        target = io.BytesIO()
        place.write_ipc(target)
        yield repr(place.schema).encode() + target.getvalue() + pickle.dumps(place)
        yield from _of_arrow(place.to_arrow())
    else:
        yield from _of_arrow(place)


def _of_content(content: bytes) -> Iterator[bytes]:
    yield content
    if content[:2] == b"\x1f\x8b":
        yield gzip.decompress(content)
    elif content[:4] == b"PK\x03\x04":
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            for info in packed.infolist():
                yield packed.read(info) + info.comment + info.extra
    elif content[:4] == b"PAR1":
        yield from _of_parquet(content)


def _of_parquet(content: bytes) -> Iterator[bytes]:
    """Yield notes, the stored schema, statistics, and the dictionaries with categories that no row has."""
    file = pq.ParquetFile(io.BytesIO(content))
    notes = file.metadata
    for key, value in (notes.metadata or {}).items():
        yield key + b" " + value
        if key == b"ARROW:schema":
            yield base64.b64decode(value)
    for i in range(notes.num_row_groups):
        yield repr(notes.row_group(i).to_dict()).encode()
    names = [x.name for x in file.schema_arrow if pa.types.is_large_string(x.type) or pa.types.is_string(x.type)]
    yield from _of_arrow(pq.read_table(io.BytesIO(content), read_dictionary=names))


def _of_arrow(table: pa.Table) -> Iterator[bytes]:
    yield repr(table.schema).encode()
    for column in table.columns:
        yield from (repr(x.dictionary.to_pylist()).encode() for x in column.chunks if isinstance(x, pa.DictionaryArray))
    target = io.BytesIO()
    with pa.ipc.new_stream(target, table.schema) as stream:
        stream.write_table(table)
    yield target.getvalue()
    yield pickle.dumps(table)
