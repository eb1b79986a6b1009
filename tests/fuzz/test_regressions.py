"""Inputs found by fuzzing: each is refused with an error for the user, or read correctly."""

from __future__ import annotations

import base64
import csv
import datetime
import io
import json
import math
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import seeds
import xlsxwriter

from allonym.cells import Cells
from allonym.errors import AllonymError, OntologyError, PlanError, TableError
from allonym.kinds import numbers
from allonym.kinds.numeric import Numeric
from allonym.ontology import lexicon
from allonym.ontology.linking import links_file as links
from allonym.ontology.linking.link import link
from allonym.ontology.readers import read_taxonomy
from allonym.ontology.scope import Scope
from allonym.ontology.taxonomy import Taxonomy
from allonym.pipeline.fit import Fitted
from allonym.plan.model import Plan
from allonym.release import recount as release
from allonym.tables import csv as csv_format
from allonym.tables import excel as excel_format
from allonym.tables import jsonl as jsonl_format
from allonym.tables.csv import TextFile
from allonym.tables.excel import ExcelFile
from allonym.tables.files import Reading, open_table
from allonym.tables.jsonl import JsonLines
from allonym.tables.parquet import ParquetFile
from allonym.tables.spss import LabelledFile

accepted_or_refused = suppress(AllonymError)
DIGITS = "1" * 5000  # more digits than Python converts to a number


def scales_linearly(work: Callable[[int], object]) -> bool:
    """Return whether eight times the input takes much less than 64 times as long; very short runs always pass."""
    spent = []
    for size in (2_000, 16_000):
        began = time.process_time()
        work(size)
        spent.append(time.process_time() - began)
    return spent[1] < 24 * max(spent[0], 0.02)


def taxonomy(content: bytes, folder: Path, format: str | None = None) -> Taxonomy:
    path = folder / "given"
    path.write_bytes(content)
    return read_taxonomy(path, format)


def text_file(content: bytes, **reading: Any) -> TextFile:
    return TextFile(content, "given", Reading(**reading))


def column(table: Any, name: str) -> list[Any]:
    cells = table.cells([name])[name]
    return [cells.values[c] for c in cells.codes.tolist()]


def constant(table: Any, value: str | None) -> Cells:
    return Cells([value], np.zeros(table.n, np.int64))


# --- ontologies ------------------------------------------------------------------------------------------------

LMF = '<?xml version="1.0" encoding="{}"?><LexicalResource><Lexicon>{}</Lexicon></LexicalResource>'
SYNSET = '<Synset id="{}"><SynsetRelation relType="hypernym" target="{}"/></Synset>'


@pytest.mark.parametrize("encoding", ["none-such", "gbk", "utf-7"])
def test_xml_in_an_encoding_that_cannot_be_read_is_refused(encoding: str, tmp_path: Path) -> None:
    with pytest.raises(OntologyError):
        taxonomy(LMF.format(encoding, "").encode(), tmp_path)


@pytest.mark.parametrize(
    ("format", "content"),
    [
        ("child-parent", b"parent\na\n"),  # one column
        ("hierarchy", b"b;c\na;a\n"),  # two tops, one of them alone
        ("mesh", b"Body;A01\n;A01.100\n"),  # no name
        ("lmf", LMF.format("UTF-8", SYNSET.format(" ", "a") + SYNSET.format("a", "")).encode()),  # no id
    ],
)
def test_an_ontology_that_lacks_something_is_refused(format: str, content: bytes, tmp_path: Path) -> None:
    with pytest.raises(OntologyError):
        taxonomy(content, tmp_path, format)


@pytest.mark.parametrize("count", ["99999999999", DIGITS])
def test_counts_of_wordnet_may_be_large(count: str, tmp_path: Path) -> None:
    (tmp_path / "data.noun").write_bytes(seeds.ENTITY + seeds.THING)
    (tmp_path / "index.noun").write_bytes(seeds.INDEX)
    (tmp_path / "cntlist.rev").write_text(f"entity%1:03:00:: 1 {count}\n")
    assert read_taxonomy(tmp_path).senses("entity") == [0]


def test_a_word_may_have_many_senses(tmp_path: Path) -> None:
    entry = '<LexicalEntry><Lemma writtenForm="a"/>' + '<Sense synset="a"/>' * 65_537 + "</LexicalEntry>"
    t = taxonomy(LMF.format("UTF-8", entry + '<Synset id="a"/>').encode(), tmp_path, "lmf")
    assert t.senses("a") == [t.code("a")]


OBO = "format-version: 1.2\n\n[Term]\nid: M:0\nname: {}\n\n[Term]\nid: M:1\nname: parrot\nis_a: M:0\n"


@pytest.mark.parametrize(
    "content",
    [
        OBO.format(r"wild\nanimal").encode(),
        OBO.format("wild\x1canimal").encode(),
        b'id,parent,label\na,,"wild\nanimal"\nb,a,parrot\n',
    ],
)
def test_a_label_of_two_lines_is_one_form(content: bytes, tmp_path: Path) -> None:
    t = taxonomy(content, tmp_path)
    assert list(t.lexicon.keys) == [lexicon.key(x) for x in t.lexicon.forms]
    assert [t.labels[x.concept] for x in link(["parrot"], t) if x.concept is not None] == ["parrot"]
    assert t.senses("wild animal") == [t.root]


def test_an_ontology_of_codes_alone_knows_no_words(tmp_path: Path) -> None:
    t = taxonomy(LMF.format("UTF-8", SYNSET.format("m-1", "m-0") + '<Synset id="m-0"/>').encode(), tmp_path)
    assert [x.status for x in link(["trekker", "m-1"], t)] == ["unmatched", "sure"]


def test_exponential_xml_entities_are_refused(tmp_path: Path) -> None:
    entities = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 8))
    names = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#"'
    content = (
        f'<?xml version="1.0"?><!DOCTYPE rdf:RDF [<!ENTITY e0 "lol">{entities}]><rdf:RDF {names}>'
        '<rdfs:Class rdf:about="urn:a"><rdfs:label>&e7;</rdfs:label></rdfs:Class></rdf:RDF>'
    )
    with pytest.raises(OntologyError):  # 30 MB of 1 kB; two more entities make 3 GB
        taxonomy(content.encode(), tmp_path)


@pytest.mark.parametrize(
    ("before", "again", "after"),
    [(b"a,b\n", b"\r\n", b"c,d\n"), (b"[Term]\nid: a\nsynonym: ", b'"\\', b"\n")],
    ids=["blank lines", "quotes"],
)
def test_ontologies_are_read_in_time_that_grows_with_their_size(
    before: bytes, again: bytes, after: bytes, tmp_path: Path
) -> None:
    def work(size: int) -> None:
        with accepted_or_refused:
            taxonomy(before + again * size + after, tmp_path)

    assert scales_linearly(work)


@pytest.mark.parametrize("again", [" ", "a-", "a of "], ids=["a   b", "a-a", "of"])
def test_texts_are_linked_in_time_that_grows_with_their_length(again: str) -> None:
    jobs = read_taxonomy(seeds.DATA / "mini-jobs.csv")
    link(["once"], jobs)

    def work(size: int) -> None:
        assert link([f"a{again * size}b"], jobs)[0].status == "unmatched"

    assert scales_linearly(work)


def test_an_unpaired_surrogate_is_unmatched() -> None:
    jobs = read_taxonomy(seeds.DATA / "mini-jobs.csv")
    assert link(["abcd\ud800"], jobs)[0].status == "unmatched"


# --- delimited text --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [b"job\nnurse", b"job\nnurse\ncook\n"])
def test_a_single_column_keeps_its_rows_when_masked_by_null(content: bytes) -> None:
    table = text_file(content)
    masked = b"".join(table.changed({"job": constant(table, None)}, []))
    assert len(list(csv.reader(io.StringIO(masked.decode())))) == table.n + 1
    assert all(row for row in csv.reader(io.StringIO(masked.decode())))


@pytest.mark.parametrize("content", [b"id,job\n1,nurse\n2,cook\n\n", b"\nid,job\n1,nurse\n\n2,cook\n"])
def test_a_blank_line_is_no_row_of_a_single_column(content: bytes) -> None:
    table = text_file(content)
    masked = b"".join(table.changed({}, ["id"]))
    again = csv_format.reread(masked, ["job"], delimiter=",", encoding="utf-8", names=None)
    assert release.recount(*again, release.Promise(["job"], 1, table.n, ["job"])).k == [1]


def test_a_line_end_inside_quotes_does_not_end_the_lines_of_a_cr_file() -> None:
    table = text_file(b'a,b\r"x\r\ny",2\r3,4\r', delimiter=",")
    assert (table.names, table.n, column(table, "a")) == (("a", "b"), 2, ["x\r\ny", "3"])


def test_a_mask_of_two_lines_does_not_end_the_lines_of_a_cr_file() -> None:
    table = text_file(b'a,b"c\r1,2\r3,4\r', delimiter=",")
    masked = b"".join(table.changed({"a": constant(table, "l1\nl2")}, []))
    again = text_file(masked, delimiter=",")
    assert (again.names, column(again, 'b"c')) == (table.names, ["2", "4"])


def test_a_return_in_a_name_does_not_end_the_lines_of_a_crlf_file() -> None:
    table = text_file(b'a\rb;c\r\n"1";2\r\n', delimiter=";")
    assert (table.names, table.n) == (("a\rb", "c"), 1)


def test_nul_is_no_delimiter() -> None:
    with pytest.raises(TableError, match="one ASCII character"):
        text_file(b"a,b\n1,2\n", delimiter="\0")


@pytest.mark.parametrize(
    ("encoding", "content"),
    [
        ("unicode_escape", b"a,b\n\\x41,2\n"),
        ("utf-7", b"a,b\n+AEE-,2\n"),
        ("iso2022_jp", b"a,b\n\x1b(B1,2\n"),
        ("hz", b"a,b\n~{~}1,2\n"),
        ("big5", b"a,b\n\xa2\xcc,2\n"),
        ("punycode", b'"c0"\n""\n-'),
    ],
)
def test_an_encoding_that_does_not_round_trip_is_refused(encoding: str, content: bytes) -> None:
    with accepted_or_refused:
        assert b"".join(text_file(content, encoding=encoding).changed({}, [])) == content


# --- JSON lines ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", ["[" * 5000, DIGITS], ids=["deep", "digits"])
@pytest.mark.parametrize("before", ["", '{"a": 1}\n'])
def test_json_that_python_cannot_read_is_refused(before: str, value: str) -> None:
    with pytest.raises(TableError):
        open_table("given", None, f'{before}{{"a": {value}}}\n'.encode())


@pytest.mark.parametrize("values", [[1, True, False, 0], [[1], [True]]])
def test_true_is_not_one_in_json(values: list[Any]) -> None:
    table = JsonLines("\n".join(json.dumps({"a": x}) for x in values).encode(), "given")
    assert repr(column(table, "a")) == repr([tuple(x) if isinstance(x, list) else x for x in values])


# --- Parquet, spreadsheets, statistics packages ----------------------------------------------------------------


def parquet(data: dict[str, list[Any]], metadata: str | None = None) -> bytes:
    target = io.BytesIO()
    table = pa.table(data)
    pq.write_table(
        table if metadata is None else table.replace_schema_metadata({"pandas": metadata}),
        target,
        compression="NONE",
        store_schema=metadata is not None,
        write_statistics=False,
    )
    return target.getvalue()


def read_all(content: bytes) -> dict[str, Cells]:
    table = ParquetFile(content, "given")
    return table.cells(table.names)


@pytest.mark.parametrize("metadata", ["not json", '"text"', '{"index_columns": null}', '{"index_columns": 3}'])
def test_invalid_pandas_metadata_is_ignored(metadata: str) -> None:
    with accepted_or_refused:
        assert column(ParquetFile(parquet({"job": ["nurse"]}, metadata), "given"), "job") == ["nurse"]


@pytest.mark.parametrize("data", [{"né": ["nurse"]}, {"job": ["né"]}, {"job": [["né"]]}], ids=["name", "text", "list"])
def test_parquet_with_text_that_is_not_utf_8_is_refused(data: dict[str, list[Any]]) -> None:
    with pytest.raises(TableError):
        read_all(parquet(data).replace("né".encode(), b"n\xff\xfe"))


def workbook(rows: Sequence[Sequence[Any]]) -> bytes:
    target = io.BytesIO()
    with xlsxwriter.Workbook(target) as book:
        sheet = book.add_worksheet()
        formats = {datetime.timedelta: "[h]:mm:ss", datetime.datetime: "yyyy-mm-dd hh:mm:ss"}
        for i, row in enumerate(rows):
            for j, cell in enumerate(row):
                sheet.write(i, j, cell, book.add_format({"num_format": formats.get(type(cell), "General")}))
    return target.getvalue()


@pytest.mark.parametrize("value", [datetime.timedelta(days=1.5), datetime.timedelta(hours=30)])
def test_a_duration_of_a_workbook_stays_one(value: datetime.timedelta, tmp_path: Path) -> None:
    table = ExcelFile(workbook([["job", "took"], ["nurse", value]]), "given")
    assert column(table, "took") == [value]
    table.save(table.changed({}, []), tmp_path / "again.xlsx")
    assert column(open_table(tmp_path / "again.xlsx"), "took") == [value]


def test_a_row_of_a_workbook_that_is_all_null_is_a_row(tmp_path: Path) -> None:
    table = ExcelFile(workbook([["job", "note"], ["nurse", "x"], ["cook", None]]), "given")
    table.save(table.changed({"job": constant(table, None)}, []), tmp_path / "again.xlsx")
    again, names = excel_format.reread((tmp_path / "again.xlsx").read_bytes(), ["job"], table.sheet, None)
    assert (len(again), names) == (2, ["job", "note"])
    assert open_table(tmp_path / "again.xlsx").n == 2


def test_a_stata_file_with_a_wrong_row_count_is_refused() -> None:
    _, stata = seeds.labelled()
    with pytest.raises(TableError):
        LabelledFile(stata.replace(b"<N>\x03\0\0\0\0", b"<N>\x03\0\0\0\x01"), "given")


def open_in_subprocess(path: Path) -> str:
    """Open a table in a subprocess limited to 4 GB of memory, and return its error output."""
    program = (
        "import resource, sys\nfrom allonym.tables.files import open_table\n"
        "resource.setrlimit(resource.RLIMIT_AS, (1 << 32, 1 << 32))\nopen_table(sys.argv[1])"
    )
    return subprocess.run(
        [sys.executable, "-c", program, str(path)], capture_output=True, check=False, text=True
    ).stderr


def test_an_spss_file_with_labels_of_a_missing_column_is_refused(tmp_path: Path) -> None:
    spss, _ = seeds.labelled()
    labels = b"\x04\0\0\0\x01\0\0\0\x01\0"
    (tmp_path / "x.sav").write_bytes(spss.replace(labels + b"\0", labels + b"\x01"))
    assert "TableError" in open_in_subprocess(tmp_path / "x.sav")


def test_a_workbook_with_a_cell_in_its_last_corner_is_refused(tmp_path: Path) -> None:
    with xlsxwriter.Workbook(tmp_path / "x.xlsx") as book:
        sheet = book.add_worksheet()
        sheet.write(0, 0, "job")
        sheet.write(1_048_575, 16_383, "x")
    assert "TableError" in open_in_subprocess(tmp_path / "x.xlsx")


# --- plans -----------------------------------------------------------------------------------------------------

PLAN = "format = 1\nmethod = {{name = {}}}\n{}\n[columns]\njob = {{role = 'quasi'{}}}\nill = {{role = 'sensitive'}}\n"
LARGE = "1" + "0" * 400  # more than a float can be


@pytest.mark.parametrize(
    "text",
    [
        PLAN.format("'mdav'", "", f", weight = {LARGE}"),
        PLAN.format("'mdav'", "", f", weight = {DIGITS}"),
        PLAN.format(f"'noise', alpha = {LARGE}", "", ""),
        PLAN.format(f"'exponential', epsilon = {LARGE}", "", ""),
        PLAN.format(f"'generalise', suppression = {LARGE}", "", ""),
        PLAN.format("'mdav'", f"[[privacy]]\nmodel = 't-closeness'\ncolumn = 'ill'\nt = {LARGE}", ""),
        "a = " + "[" * 5000,
    ],
    ids=["weight", "digits", "alpha", "epsilon", "suppression", "t", "deep"],
)
def test_a_plan_with_an_impossible_number_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(text)
    with pytest.raises(PlanError):
        Plan.load(tmp_path / "plan.toml")


# --- fitted plans ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", ["[" * 5000, f'{{"format": {DIGITS}}}'], ids=["deep", "digits"])
def test_json_that_python_cannot_read_is_no_fitted_plan(content: str, tmp_path: Path) -> None:
    (tmp_path / "fitted.json").write_text(content)
    with pytest.raises(TableError):
        Fitted.load(tmp_path / "fitted.json")


@pytest.mark.parametrize(
    ("method", "name", "key", "value"),
    [
        (0, "age", "mean", "much"), (0, "age", "mean", None), (0, "age", "variance", -1), (0, "age", "variance", []),
        (0, "age", "variance", "much"), (0, "age", "decimals", ""), (0, "age", "decimals", -1),
        (0, "age", "decimals", 2.5), (0, "job", "variance", {}), (0, "job", "variance", "much"),
        (0, "job", "variance", -1),
        (1, "age", "counts", ["a", "b", "c"]), (1, "age", "counts", [1, [1], 1]), (1, "age", "counts", []),
        (1, "age", "counts", [1, 1, 1, 9]), (1, "age", "counts", [0, 0, 0]), (1, "age", "values", []),
        (1, "age", "values", ["x", "y", "z"]), (1, "job", "values", ["nurse"]), (1, "job", "counts", "abc"),
        (2, "job", "candidates", []),
    ],
)  # fmt: skip
def test_a_damaged_fitted_plan_is_refused(method: int, name: str, key: str, value: Any, tmp_path: Path) -> None:
    content = json.loads(seeds.fitted()[method])
    content["columns"][name][key] = value
    (tmp_path / "fitted.json").write_text(json.dumps(content))
    (tmp_path / "mini-jobs.csv").write_bytes(*seeds.test_files("mini-jobs.csv"))
    with pytest.raises(TableError, match="damaged"):
        Fitted.load(tmp_path / "fitted.json").mask_one({"job": "nurse", "age": "31"})


# --- numbers ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["1" * 400 + "-" + "2" * 400, ">" + "1" * 400, "1" * 400 + "+", "<" + "1" * 400])
def test_a_range_has_finite_ends(text: str) -> None:
    parsed = numbers.number_or_range(text, [1.0])
    assert parsed is None or (isinstance(parsed, tuple) and all(map(math.isfinite, parsed)))


def test_a_number_with_a_long_exponent_is_one_or_none() -> None:
    encoded = Numeric().encode("age", Cells(["1e-" + DIGITS, "0.5"], np.arange(2)))
    assert encoded.attribute.values == (0.0, 0.5)


# --- the second readers ----------------------------------------------------------------------------------------


def smallest_group_of_text(
    content: bytes, columns: list[str], names: list[str], rows: int, encoding: str = "utf-8"
) -> int:
    reread_rows = csv_format.reread(content, columns, delimiter=",", encoding=encoding, names=None)
    return release.recount(*reread_rows, release.Promise(columns, 0, rows, names)).k[0]


@pytest.mark.parametrize("content", [b" \na,b\n1,x\n2,x\n", b"\t\r\na,b\r\n1,x\r\n2,x\r\n"])
def test_the_second_reader_skips_a_blank_first_line(content: bytes) -> None:
    assert smallest_group_of_text(content, ["b"], ["a", "b"], text_file(content, delimiter=",").n) == 2


def test_the_second_reader_accepts_a_very_long_name() -> None:
    name = "a" * 200_000
    with accepted_or_refused:
        assert smallest_group_of_text(f"{name},b\n1,x\n".encode(), ["b"], [name, "b"], 1) == 1


def test_a_release_that_begins_like_gzip_is_reread() -> None:
    table = text_file("id,\x1f‹x\n1,y\n".encode("cp1252"))
    assert (
        smallest_group_of_text(b"".join(table.changed({}, ["id"])), [table.names[1]], [table.names[1]], 1, table.codec)
        == 1
    )


def smallest_group_of_json(records: Sequence[dict[str, Any]]) -> int:
    reread_rows = jsonl_format.reread("\n".join(map(json.dumps, records)).encode(), ["a"], ["a"])
    return release.recount(*reread_rows, release.Promise(["a"], 0, len(records), ["a"])).k[0]


def test_an_unpaired_surrogate_is_reread() -> None:
    assert smallest_group_of_json([{"a": "x\ud800"}, {"a": "x\ud800"}, {"a": ["\udfff"]}, {"a": ["\udfff"]}]) == 2


@pytest.mark.parametrize(("one", "other"), [(["x", "y"], ["x\x1fy"]), (["x", "y"], "x\x1fy"), (["x"], "x"), ([], "")])
def test_the_second_reader_distinguishes_lists_from_texts(one: Any, other: Any) -> None:
    assert smallest_group_of_json([{"a": one}, {"a": other}, {"a": one}]) == 1


def test_a_concept_id_that_begins_with_a_tab_round_trips_through_a_links_file(tmp_path: Path) -> None:
    (tmp_path / "odd.csv").write_bytes(b"\ttny,v\nnurse,v\n")
    taxonomy = read_taxonomy(tmp_path / "odd.csv")
    scope = Scope(taxonomy, taxonomy.root)
    linked = link(["nurse", "tny"], scope)
    (tmp_path / "links.csv").write_text(links.to_csv(linked, scope), "utf-8", newline="")
    assert links.read(tmp_path / "links.csv").concepts == {x.value: taxonomy.ids[x.concept] for x in linked}


WRONG_ROW_COUNT = """
eNoLcAwyFGURVRJV8wFSDEIMDIIOrAwMDHmlRcWpLEBGcn5+tiiDqJComI4om6gAELPJAIU5FZiAJDMrIzMTUJ+CqApMu4ANIwME
MEFp3LqZGZnjXSsKirwz81Li44EGSdqYMkiwFSdnpOYmirIwiPKoMkkwZ+UnqTL4gLSJsoD4iempDGJskjKSOmoMMqI8kqYMbAKS
YGWiTGJsYmVidWpeahyaOiAHiTKBrBcAUjZiQpJskmpMID+B9LHA9AGNA+srEatRO8ao1saIoVMTpk/sFaMYmxqH2C9GBg2FgsSi
wtLUEt3kggLdxKKi/HKFstSi4sz8PAUjMz0DPUNJHaCTQa6+DsQBjgE0Deggw2EY1D9ufn9JTlAHGQIAB0Jphg==
"""  # three rows, but a row group claims 33,665,513,084


def test_parquet_with_a_wrong_row_count_is_refused() -> None:
    with pytest.raises(TableError, match="damaged Parquet file"):
        ParquetFile(zlib.decompress(base64.b64decode(WRONG_ROW_COUNT)), "given")
