"""Seed inputs for fuzzing: the small files of the tests, and synthetic ones."""

from __future__ import annotations

import gzip
import io
import zipfile
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

DATA = Path(__file__).parents[1] / "tests" / "data"
SHEET = "xl/worksheets/sheet1.xml"
SEPARATOR = b"\n=====\n"  # between the files of a WNDB directory

ENTITY = b"00000001 03 n 01 entity 0 001 ~ 00000002 n 0000 | what is\n"
THING = b"00000002 03 n 02 thing 0 object 1 002 @ 00000001 n 0000 #p 00000001 n 0000 | x\n"
INDEX = b"entity n 1 1 ~ 1 0 00000001\nthing n 1 1 @ 1 0 00000002\nobject n 1 1 @ 1 0 00000002\n"
COUNTS = b"entity%1:03:00:: 1 7\n"
EXCEPTIONS = b"things thing\n"

PLAN = b"""format = 1
keep_rest = true

[release]
title = "a survey"

[method]
name = "noise"
alpha = 0.3
seed = 7

[file]
delimiter = ";"
missing = ["", "?"]

[columns.id]
role = "identifier"

[columns.job]
role = "quasi"
ontology = "mini-jobs.csv"
weight = 2

[columns.age]
role = "quasi"
kind = "numeric"
"""
PRIVACY_PLAN = b"""format = 1
method = {name = "sa-mdav", k = 3, represent = "subsumer"}
[[privacy]]
model = "l-diversity"
column = "illness"
l = 2
[[privacy]]
model = "t-closeness"
column = "illness"
t = 0.3
[columns]
size = {role = "quasi", kind = "ordinal", levels = ["low", "high"]}
likes = {role = "quasi", kind = "set", separator = "|", elements = "category"}
illness = {role = "sensitive", ontology = ["a.obo", "b.obo"], links = ["a.csv", "b.csv"], unmatched = "suppress"}
"""
LINKS = b'value,concept,status,proposed\nnurse,nurse,sure,\n cook ,cook#1,review,cook\n"x, y",,sure,\n'
TABLES = (
    b'id,job,age\n01,nurse,33\n02,"cook, chef",41\n\n03,,007\n',
    b'a;b\r\n"x\r\ny";1,5\r\n 5" pipe;" ""q"" "\r\n',
    b'a\tb\r1\t2\r3\t"4"',
    b"job\nnurse\n\ncook",
    b"\xef\xbb\xbfa,b\n\xc3\xa9,2\n",
    b"a,b\n\xe9\x80,\x81\n",
    "a;größe\r\n1;é\r\n".encode("utf-16"),
    "a,b\n1,日\n".encode("utf-16-le"),
    "a|b\n1|é\n".encode("utf-32"),
    gzip.compress(b"a,b\n1,2\n", mtime=0),
)
JSON_LINES = (
    b'{"id": 1, "likes": ["milk", "bread"], "age": 3.50}\n{"id": true, "age": null}\n\n{"id": "\\u00e9"}\n',
    b'\xef\xbb\xbf{"a": NaN, "b": {"c": [1, 1.0, true]}}\r\n{"a": 12345678901234567890, "b": "\\ud800"}',
    b'{"a": [1]}\n{"a": [true]}\n{"a": 1}\n{"a": true}\n',
)
NUMBERS = (
    b"1,5\n2\n-3,25", b"1,234\n2.5\n1e3", b"[20, 30[\n20-30\n-5 - 5\n>= 80\n60+\n(-inf; 5]\n1,000",
    b"+1.50\n1e-5\n0x1\nnan",
    "٣\n½\n1_0\n−5\n≥ 3".encode(),
)  # fmt: skip
TEXTS = (
    b"parrots\nno cat\nbird (finding)\nPapagei\nthe grey-parrot, of a pet", b"M:1\nb\nmammal; animal\n\nwelder's mate",
    "Vögel\nKatze\nTIER\u3000und\n'\n((\n-5 birds".encode(),
)  # fmt: skip


def test_files(*names: str) -> tuple[bytes, ...]:
    """Return the content of files in tests/data."""
    return tuple((DATA / name).read_bytes() for name in names)


def ontologies() -> tuple[bytes, ...]:
    """Return an ontology in every single-file format."""
    packed = gzip.compress(test_files("mini-animals.csv")[0], mtime=0)
    return (
        *test_files(*(f"mini-animals.{x}" for x in ("csv", "obo", "owl", "ttl", "nt", "xml"))),
        *test_files("mini-hierarchy.csv", "mini-jobs.csv", "mini-mesh.bin"), *trees(), packed,
    )  # fmt: skip


def trees() -> tuple[bytes, ...]:
    """Return JSON hierarchies."""
    return b'{"animal": {"bird": ["parrot"], "cat": {}}}', b'{"name": "a", "children": [{"name": "b"}, {"id": 3}]}'


def wndb() -> tuple[bytes, ...]:
    """Return the files of a small WNDB directory, joined by the separator."""
    return (SEPARATOR.join([ENTITY + THING, INDEX, COUNTS, EXCEPTIONS]), SEPARATOR.join([ENTITY + THING, INDEX]))


def tables() -> tuple[bytes, ...]:
    """Return tables of delimited text."""
    return (*TABLES, test_files("survey-dirty.csv")[0][:900], *test_files("mini-animals.csv"))


@cache
def parquet() -> tuple[bytes, ...]:
    """Return Parquet files, compressed and plain, with and without pandas metadata."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    data = {"job": ["nurse", None, "cook"], "age": [1, 2, None], "likes": [["a"], [], None], "x": [0.5, 1.5, 2.5]}
    whole = pa.table(data)
    with_metadata = whole.select(["job"]).replace_schema_metadata(
        {b"pandas": b'{"index_columns": [{"kind": "range"}]}'}
    )
    contents = []
    for table, compression in ((whole, "NONE"), (whole.select(["job", "age"]), "SNAPPY"), (with_metadata, "NONE")):
        target = io.BytesIO()
        pq.write_table(table, target, compression=compression, store_schema=False, write_statistics=False)
        contents.append(target.getvalue())
    return tuple(contents)


@cache
def workbooks() -> tuple[bytes, ...]:
    """Return a workbook."""
    import xlsxwriter

    target = io.BytesIO()
    with xlsxwriter.Workbook(target) as book:
        sheet = book.add_worksheet("People")
        for i, row in enumerate((("job", "age", "old"), ("nurse", 31.5, True), ("cook", 42, False))):
            sheet.write_row(i, 0, row)
    return (target.getvalue(),)


@cache
def sheets() -> tuple[bytes, ...]:
    """Return the XML of the sheet of a workbook."""
    with zipfile.ZipFile(io.BytesIO(*workbooks())) as packed:
        return (packed.read(SHEET),)


@cache
def labelled() -> tuple[bytes, ...]:
    """Return an SPSS file and a Stata file."""
    import pandas as pd
    import pyreadstat

    frame = pd.DataFrame({"job": [1.0, 2.0, 1.0], "note": ["a", "", "é"], "x": [0.5, float("nan"), 2.0]})
    labels = {"job": {1.0: "nurse", 2.0: "cook"}}
    contents = []
    with TemporaryDirectory() as folder:
        for name, write in (("x.sav", pyreadstat.write_sav), ("x.dta", pyreadstat.write_dta)):
            write(frame, str(Path(folder) / name), variable_value_labels=labels)
            contents.append((Path(folder) / name).read_bytes())
    return tuple(contents)


@cache
def fitted() -> tuple[bytes, ...]:
    """Return fitted plans, as `Fitted.save` writes them; they refer to mini-jobs.csv."""
    import pyarrow as pa

    import allonym as al

    frame = pa.table({"job": ["nurse", "cook", "smith"], "age": ["31", "42", "53"]})
    contents = []
    with TemporaryDirectory() as folder:
        path = Path(folder) / "fitted.json"
        path.with_name("mini-jobs.csv").write_bytes(*test_files("mini-jobs.csv"))
        for method in ("noise", "randomise-frequency", "exponential"):
            age = al.keep() if method == "exponential" else al.quasi("numeric")
            columns = {"job": al.quasi("mini-jobs.csv"), "age": age}
            al.Plan(columns, method=method, seed=5, folder=path.parent).fit(frame).save(path)
            contents.append(path.read_bytes())
    return tuple(contents)
