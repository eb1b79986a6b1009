"""Data files: encodings, gzip, Parquet, standard input, and files that are no tables."""

from __future__ import annotations

import gzip
import io
import sys
from collections import Counter
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from allonym.cells import Cells
from allonym.errors import OutputError, TableError
from allonym.tables import csv_bytes as cutting
from allonym.tables.csv import TextFile
from allonym.tables.files import Reading, open_table, read_column
from allonym.tables.parquet import ParquetFile

TEXT = 'id;größe\r\n01;Käse\r\n02;"5 € ½"\r\n'
MARKS = {"utf-8": b"\xef\xbb\xbf", "utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff",
         "utf-32-le": b"\xff\xfe\0\0", "utf-32-be": b"\0\0\xfe\xff"}  # fmt: skip
FILES = [
    *((encoding, MARKS[encoding]) for encoding in MARKS),
    *((encoding, b"") for encoding in ("utf-8", "utf-16-le", "utf-16-be", "cp1252")),
]


def opened(raw: bytes, encoding: str | None = None) -> TextFile:
    table = open_table("people.csv", Reading(encoding=encoding), raw)
    assert isinstance(table, TextFile)
    return table


def ones(rows: int, value: str | None) -> Cells:
    return Cells([value], np.zeros(rows, np.int64))


@pytest.mark.parametrize(("encoding", "mark"), FILES)
@pytest.mark.parametrize("given_too", [False, True])
def test_a_file_comes_back_in_its_encoding_and_with_its_mark(
    encoding: str, mark: bytes, given_too: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cutting, "BLOCK_BYTES", 16)  # several chunks
    raw = mark + TEXT.encode(encoding)
    table = opened(raw, encoding if given_too else None)
    assert (table.names, table.n) == (("id", "größe"), 2)
    assert table.cells(["größe"])["größe"].values == ["Käse", "5 € ½"]
    assert b"".join(table.changed({}, [])) == raw
    masked = b"".join(table.changed({"größe": ones(2, "Öl")}, ["id"]))
    assert masked == mark + "größe\r\nÖl\r\nÖl\r\n".encode(encoding)
    assert masked.decode(table.codec).lstrip("\ufeff").startswith("größe")


@pytest.mark.parametrize("name", ["utf-16", "UTF_16", "utf-32", "utf-8-sig", "UTF-8"])
def test_a_given_family_of_encodings_is_settled_by_the_mark(name: str) -> None:
    raw = TEXT.encode("utf-8-sig" if name == "UTF-8" else name)
    table = opened(raw, name)
    assert table.names == ("id", "größe")
    assert b"".join(table.changed({}, [])) == raw


def test_bytes_that_windows_does_not_know_are_read_as_latin_1() -> None:
    raw = b"a,b\n\x81,\xe4\n"
    assert opened(raw).encoding == "latin-1"
    assert b"".join(opened(raw).changed({}, [])) == raw


@pytest.mark.parametrize("name", ["latin-1", "iso8859_15", "cp1250", "koi8-r", "mac_roman"])
def test_a_given_encoding_of_one_byte_wins_over_a_found_one(name: str) -> None:
    raw = b"a,b\n1,\xe4\xf6\n"
    table = opened(raw, name)
    assert table.cells(["b"])["b"].values == [b"\xe4\xf6".decode(name)]
    assert b"".join(table.changed({}, [])) == raw


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ("a,ä\n".encode("latin-1"), "utf-8"),
        (b"\xef\xbb\xbfa,\xff\n", None),
        ("a,ä\n".encode(), "ascii"),
        (b"a,b\n", "utf-16"),  # an odd number of bytes after it
        (b"a,b\n1\n", "utf-32"),
        (b"a,b\n", "no-such-thing"),
        (b"a,b\n", "rot13"),
    ],
)
def test_a_wrong_encoding_is_an_error_with_a_hint(raw: bytes, name: str | None) -> None:
    raw = raw + b"x" if name == "utf-16" else raw
    with pytest.raises(TableError, match=r"people.csv is not valid .* Hint: give its encoding"):
        opened(raw, name)


def test_a_label_that_the_encoding_lacks_cannot_be_written() -> None:
    table = opened("a,b\nä,1\n".encode("cp1252"))
    with pytest.raises(OutputError, match="cannot be written in cp1252") as e:
        list(table.changed({"a": ones(1, "Жук")}, []))
    assert "Жук" not in str(e.value)


def test_the_delimiter_is_found_or_given_as_one_plain_character() -> None:
    assert [opened(f"a{x}b\n1{x}2\n".encode()).delimiter for x in ",;\t|"] == [",", ";", "\t", "|"]
    assert open_table("x", Reading(delimiter=";"), b"a,b;c\n1,2;3\n").names == ("a,b", "c")
    for wrong in ("", ";;", "é"):
        with pytest.raises(TableError, match="one ASCII character"):
            open_table("x", Reading(delimiter=wrong), b"a,b\n")


def test_gzip_is_unpacked_and_packed_into_the_same_bytes_whenever_it_is_written(tmp_path: Path) -> None:
    source, one, two = tmp_path / "in.csv", tmp_path / "one.csv.gz", tmp_path / "two.csv.gz"
    source.write_bytes(gzip.compress(TEXT.encode()[:10]) + gzip.compress(TEXT.encode()[10:]))  # two members
    table = open_table(source)
    table.save(table.changed({}, []), one, zipped=True)
    table.save(table.changed({}, []), two, zipped=True)
    assert gzip.decompress(one.read_bytes()) == TEXT.encode()
    assert one.read_bytes() == two.read_bytes()
    assert one.read_bytes()[3:8] == bytes(5)  # no name, no time
    table.save(table.changed({}, []), two)
    assert two.read_bytes() == TEXT.encode()


@pytest.mark.parametrize(
    "damage", [lambda x: x[:-9], lambda x: x[:-6] + b"wrong!", lambda x: x[:12], lambda x: x + b"!"]
)
def test_damaged_gzip_is_an_error(damage, tmp_path: Path) -> None:
    path = tmp_path / "x.csv.gz"
    path.write_bytes(damage(gzip.compress(TEXT.encode() * 9)))
    with pytest.raises(TableError, match=r"cannot be read: its gzip data is damaged\. Hint: export it again"):
        open_table(path)


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    for path in (tmp_path / "none.csv", tmp_path):
        with pytest.raises(TableError, match=r"cannot be read: (No such file|Is a directory|Permission)"):
            open_table(path)


@pytest.mark.parametrize("raw", [b"a,b\n1,2\n", gzip.compress(b"a,b\n1,2\n", mtime=0)])
def test_a_dash_is_standard_input(raw: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(raw)))
    table = open_table("-")
    assert (table.names, table.n, table.name) == (("a", "b"), 1, "standard input")
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"")))
    with pytest.raises(TableError, match="standard input is empty"):
        open_table("-")


# --- rubbish -------------------------------------------------------------------------------------------------


@given(st.binary(max_size=60).filter(lambda raw: b'"' not in raw and raw[:4] != b"PAR1"))
@example(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
@example(b"PK\x03\x04\x14\0\x06\0\x08\0\0\0!\0")
@example(b"\0")
def test_rubbish_is_read_as_text_or_refused_and_comes_back_byte_for_byte(raw: bytes) -> None:
    try:
        table = open_table("rubbish", raw=raw)
        table.cells(table.names)
    except TableError:
        return
    assert b"".join(table.changed({}, [])) == raw


@pytest.mark.parametrize("raw", [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", b"a,b\0\n"])
def test_what_is_no_text_is_told_so(raw: bytes) -> None:
    with pytest.raises(TableError, match=r"is not a text file\. Hint: give a table of delimited text, or Parquet"):
        open_table("picture", raw=raw)


@pytest.mark.parametrize("raw", [b"PAR1", b"PAR1" + b"x" * 100, b"PAR1PAR1"])
def test_damaged_parquet_is_an_error(raw: bytes) -> None:
    with pytest.raises(TableError, match=r"x\.parquet is a damaged Parquet file, .* Hint: write it again"):
        open_table("x.parquet", raw=raw)


# --- Parquet -------------------------------------------------------------------------------------------------

NUMBERS = pa.list_(pa.field("element", pa.int16()))  # what Parquet calls the items of lists
RICH = pa.table(
    {
        "job": pa.array(["nurse", None, "cook"]),
        "dictionary": pa.array(["x", None, "x"]).cast(pa.dictionary(pa.int8(), pa.string())),
        "time": pa.array([1, None, 3], pa.timestamp("us", "Europe/Berlin")),
        "money": pa.array([Decimal("1.50"), None, Decimal("2.25")], pa.decimal128(9, 2)),
        "list": pa.array([[1], None, []], NUMBERS),
        "struct": pa.array([{"a": 1}, None, {"a": None}]),
        "large": pa.array(["x", "y", None], pa.large_string()),
    },
    metadata={"made by": "hand"},
)
RICH = RICH.set_column(4, pa.field("list", NUMBERS, metadata={"unit": "cm"}), RICH["list"])


BARE = RICH.replace_schema_metadata(None).set_column(4, "list", RICH["list"])


def parquet(table: pa.Table) -> bytes:
    target = pa.BufferOutputStream()
    pq.write_table(table, target)
    return target.getvalue().to_pybytes()


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_parquet_keeps_types_and_cells_of_columns_that_are_not_masked(pack, tmp_path: Path) -> None:
    (tmp_path / "in.dat").write_bytes(pack(parquet(RICH)))
    table = open_table(tmp_path / "in.dat")
    assert isinstance(table, ParquetFile)
    table.save(table.changed({"job": ones(3, "worker")}, ["large"]), tmp_path / "out.parquet")
    found, expected = pq.read_table(tmp_path / "out.parquet"), BARE.drop_columns(["large"])
    assert found.schema.equals(expected.schema, check_metadata=True)
    assert found.drop_columns(["job"]).equals(expected.drop_columns(["job"]), check_metadata=True)
    assert found["job"].to_pylist() == ["worker"] * 3


def test_an_unchanged_parquet_file_is_the_same_table() -> None:
    assert open_table("x", raw=parquet(RICH)).changed({}, []).equals(BARE, check_metadata=True)


# --- columns -------------------------------------------------------------------------------------------------


def test_a_column_is_counted_in_order_of_appearance_and_missing_cells_apart(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(b'job,x\ncook,1\n nurse ,1\n"cook",1\n?,1\n,1\n"",1\nNA,1\n')
    found = read_column(path, "job")
    assert (list(found.values.items()), found.missing) == ([("cook", 2), ("nurse", 1)], 4)
    path.write_bytes(parquet(pa.table({"age": [30, None, 30, 31]})))
    assert (read_column(path, "age").values, read_column(path, "age").missing) == (Counter({"30": 2, "31": 1}), 1)


def test_a_column_that_is_not_there_is_told_without_the_names_that_may_be_data(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(b"Miller,secret\nMeyer,x\n")
    with pytest.raises(TableError, match=r"None of the 2 columns .* 'job'\. Hint: .* --no-header") as e:
        read_column(path, "job")
    assert "Miller" not in str(e.value)
    assert e.value.values == ("Miller", "secret")
    with pytest.raises(TableError, match="a column is its number"):
        read_column(path, "3", Reading(header=False))
    assert read_column(path, "1", Reading(header=False)).values == Counter(["Miller", "Meyer"])


def test_a_column_without_values_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    for content in (b"a,b\n", b"a,b\n,1\nNA,2\n"):
        path.write_bytes(content)
        with pytest.raises(TableError, match=r"Column a of .* has no values"):
            read_column(path, "a")


# --- what once did not hold ----------------------------------------------------------------------------------


def test_parquet_with_a_damaged_page_is_an_error() -> None:
    raw = parquet(pa.table({"a": ["x", "y"] * 100}))
    with pytest.raises(TableError, match="damaged"):
        open_table("x.parquet", raw=raw[:4] + bytes(30) + raw[34:])


@pytest.mark.parametrize("name", ["utf-16", "utf-32"])
def test_a_file_without_a_mark_gets_none_by_a_given_family(name: str) -> None:
    raw = TEXT.encode(f"{name}-le")
    assert b"".join(opened(raw, name).changed({}, [])) == raw


@pytest.mark.parametrize(("name", "usual"), [("utf8", "utf-8-sig"), ("utf16", "utf-16"), ("utf-16le", "utf-16")])
def test_other_names_of_an_encoding_know_its_mark_too(name: str, usual: str) -> None:
    raw = TEXT.encode(usual)
    assert opened(raw, name).names == ("id", "größe")
    assert b"".join(opened(raw, name).changed({}, [])) == raw


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_found_where_a_letter_has_a_zero_byte(encoding: str) -> None:
    assert opened("id,vārds\n1,Ābele\n2,Ods\n".encode(encoding)).names == ("id", "vārds")


@pytest.mark.parametrize("delimiter", ['"', "\n", "\r"])
def test_a_quote_or_a_line_end_is_no_delimiter(delimiter: str) -> None:
    with pytest.raises(TableError):
        open_table("x", Reading(delimiter=delimiter), f"a{delimiter}b\n1{delimiter}2\n".encode())


def test_ids_that_pandas_kept_as_an_index_are_a_column_or_gone(tmp_path: Path) -> None:
    pd.DataFrame({"patient": [1011, 1012], "job": ["cook", "cook"]}).set_index("patient").to_parquet(tmp_path / "x")
    table = open_table(tmp_path / "x")
    table.save(table.changed({}, []), tmp_path / "y")
    assert "patient" in table.names or pd.read_parquet(tmp_path / "y").index.tolist() == [0, 1]
