"""Spreadsheets, and files of SPSS and Stata: what is not masked comes back, labels are kept, new concepts get codes."""

from __future__ import annotations

import datetime
import io
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pyreadstat
import pytest
import xlsxwriter
from python_calamine import CalamineWorkbook

import allonym as al
from allonym.errors import OutputError, ReleaseError, TableError
from allonym.tables import spss as labelled
from allonym.tables.excel import ExcelFile
from allonym.tables.files import Reading, open_table
from allonym.tables.parsers import confined
from allonym.tables.spss import LabelledFile, recoded

JOBS = al.read_taxonomy(Path(__file__).parents[1] / "data" / "mini-jobs.csv")
HEADS = ["name", "job", "age", "born", "member", "note"]
WORDS = ["cook", "baker", "smith", "welder"]


def rows(n: int = 12) -> list[list[Any]]:
    day = datetime.date(2000, 1, 1)
    return [
        [
            f"p{i}",
            WORDS[i % 4],
            20 + i,
            day + datetime.timedelta(days=5 * i % 12),
            i % 2 == 0,
            "=1+1" if i == 3 else f"00{i}",
        ]
        for i in range(n)
    ]


def workbook(path: Path, body: list[list[Any]], *, first: str = "People", heads: list[str] | None = None) -> Path:
    with xlsxwriter.Workbook(path, {"strings_to_formulas": False, "default_date_format": "yyyy-mm-dd"}) as book:
        sheet = book.add_worksheet(first)
        for i, row in enumerate([heads or HEADS, *body]):
            for j, value in enumerate(row):
                if isinstance(value, str):
                    sheet.write_string(i, j, value)
                else:
                    sheet.write(i, j, value)
        book.add_worksheet("Secrets").write_string(0, 0, "who is who")
    return path


def plan(**options: Any) -> al.Plan:
    columns = {"name": al.identifier(), "job": al.quasi(JOBS), "age": al.quasi("numeric")}
    return al.Plan(columns, keep_rest=True, k=3, row_order="keep", **options)


def sheets(path: Path) -> dict[str, list[list[Any]]]:
    book = CalamineWorkbook.from_path(str(path))
    return {x: book.get_sheet_by_name(x).to_python() for x in book.sheet_names}


# --- Excel --------------------------------------------------------------------------------------------------------


def test_a_workbook_comes_back_as_one_with_its_one_sheet(tmp_path: Path) -> None:
    source = workbook(tmp_path / "in.xlsx", rows())
    done = plan().run(source, tmp_path / "out.xlsx")
    assert done.summary["privacy"][0]["reached"] >= 3
    found = sheets(tmp_path / "out.xlsx")
    assert list(found) == ["Sheet1"]
    head, *body = found["Sheet1"]
    assert head == HEADS[1:]
    was = [row[3:] for row in sheets(source)["People"][1:]]
    assert [row[2:] for row in body] == was
    assert body[3][-1] == "=1+1"
    with zipfile.ZipFile(tmp_path / "out.xlsx") as packed:
        text = b"".join(packed.read(x) for x in packed.namelist())
    assert b"who is who" not in text
    assert b"<f>" not in text  # no formula
    assert b"p11" not in text


def test_the_same_workbook_gives_the_same_bytes(tmp_path: Path) -> None:
    source = workbook(tmp_path / "in.xlsx", rows())
    for name in ("a.xlsx", "b.xlsx"):
        plan().run(source, tmp_path / name)
    assert (tmp_path / "a.xlsx").read_bytes() == (tmp_path / "b.xlsx").read_bytes()


def test_a_sheet_can_be_named_and_headers_left_out(tmp_path: Path) -> None:
    source = workbook(tmp_path / "in.xlsx", rows())
    table = ExcelFile(source.read_bytes(), "in.xlsx", header=False, sheet="Secrets")
    assert (table.names, table.n, table.cells(["1"])["1"].values) == (("1",), 1, ["who is who"])
    with pytest.raises(TableError, match="no sheet 'Nothing'"):
        ExcelFile(source.read_bytes(), "in.xlsx", sheet="Nothing")


@pytest.mark.parametrize(
    ("heads", "body", "message"),
    [
        ([], [], "is empty"),
        (["a", "", "b"], [[1, 2, 3]], "1 of 3 columns of .* have no name"),
        (["a", "a"], [[1, 2]], "1 of 2 column names of .* occur more than once"),
    ],
)
def test_sheets_that_are_no_tables_are_refused(tmp_path: Path, heads: list[str], body: list[Any], message: str) -> None:
    source = workbook(tmp_path / "in.xlsx", body, heads=heads or [""])
    with pytest.raises(TableError, match=message):
        open_table(source)


def test_a_damaged_workbook_is_refused() -> None:
    with pytest.raises(TableError, match="damaged spreadsheet"):
        open_table("x.xlsx", raw=b"PK\x03\x04" + b"nothing" * 20)


def test_a_workbook_is_read_again_before_it_is_put_in_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = workbook(tmp_path / "in.xlsx", rows())
    honest = ExcelFile.changed

    def dishonest(self: ExcelFile, *given: Any, **options: Any) -> dict[str, list[Any]]:
        changed = honest(self, *given, **options)
        return changed | {"job": ["vicar", *changed["job"][1:]]}

    monkeypatch.setattr(ExcelFile, "changed", dishonest)
    with pytest.raises(ReleaseError, match="only 1 rows"):
        plan().run(source, tmp_path / "out.xlsx")
    assert [x.name for x in tmp_path.iterdir()] == ["in.xlsx"]


def test_long_sheets_and_missing_cells(tmp_path: Path) -> None:
    body = [[f"u{i // 2}", WORDS[i % 4] if i % 5 else None] for i in range(16)]
    source = workbook(tmp_path / "in.xlsx", body, heads=["who", "item"])
    columns = {"who": al.unit(), "item": al.quasi(JOBS, kind="set")}
    al.Plan(columns, k=2, long=True).run(source, tmp_path / "out.xlsx")
    head, *found = sheets(tmp_path / "out.xlsx")["Sheet1"]
    assert head == ["who", "item"]
    assert {row[0] for row in found} == set(range(1, 9))


def test_promises_on_sheets(tmp_path: Path) -> None:
    source = workbook(tmp_path / "in.xlsx", rows())
    columns = {"name": al.identifier(), "job": al.quasi(JOBS), "member": al.sensitive(), "born": al.sensitive()}
    promises = [al.Privacy("l-diversity", "member", l=2), al.Privacy("l-diversity", "born", l=4)]
    done = al.Plan(columns, keep_rest=True, k=3, privacy=promises).run(source, tmp_path / "out.xlsx")
    assert [(x["asked"], x["holds"]) for x in done.summary["privacy"][1:]] == [(2, True), (4, True)]


# --- SPSS and Stata -----------------------------------------------------------------------------------------------

LABELS = {1: "cook", 2: "baker", 3: "smith", 4: "welder", 9: "no answer"}


def statistics(path: Path, n: int = 12) -> Path:
    frame = pd.DataFrame({
        "id": [float(i) for i in range(n)],
        "job": [float(1 + i % 4) for i in range(n)],
        "sex": [float(1 + i % 2) for i in range(n)],
        "age": [20.0 + i for i in range(n)],
        "town": ["Ulm" if i % 2 else "Bonn" for i in range(n)],
    })  # fmt: skip
    common = {
        "file_label": "A survey",
        "column_labels": {"job": "Occupation", "sex": "Sex", "id": "Number"},
        "variable_value_labels": {"job": LABELS, "sex": {1: "f", 2: "m", 3: "x"}},
    }
    if path.suffix == ".sav":
        pyreadstat.write_sav(frame, path, note="who is who", missing_ranges={"sex": [9]}, **common)
    else:
        pyreadstat.write_dta(frame.astype({"job": "int8", "sex": "int8"}), path, **common)
    return path


COLUMNS = {
    "id": al.identifier(),
    "job": al.quasi(JOBS),
    "age": al.quasi("numeric"),
    "sex": al.keep(),
    "town": al.keep(),
}


def read(path: Path) -> tuple[pd.DataFrame, Any]:
    reader = pyreadstat.read_sav if path.suffix == ".sav" else pyreadstat.read_dta
    return reader(path, user_missing=True)


@pytest.mark.parametrize("ending", ["sav", "dta"])
def test_labels_are_kept_and_new_concepts_get_codes(tmp_path: Path, ending: str) -> None:
    source, target = statistics(tmp_path / f"in.{ending}"), tmp_path / f"out.{ending}"
    parameters = {"represent": "subsumer", "refine": False}
    done = al.Plan(COLUMNS, k=3, seed=1, parameters=parameters, row_order="keep").run(source, target)
    frame, notes = read(target)
    was, _ = read(source)
    assert list(frame) == ["job", "sex", "age", "town"]
    assert notes.column_names_to_labels["job"] == "Occupation"
    assert not notes.file_label
    labels = notes.variable_value_labels
    assert labels["sex"] == {1: "f", 2: "m"}  # of values that occur
    told = [labels["job"][code] for code in frame["job"]]
    cells = done.written["job"]
    assert told == [cells.values[c] for c in cells.codes]
    assert set(labels["job"]) == set(frame["job"])  # no label of what is gone
    known = {label: code for code, label in LABELS.items()}
    for code, label in labels["job"].items():
        assert known.get(label, 10) <= code
        assert code > 9 or known[label] == code
    assert any(code > 9 for code in labels["job"])  # a concept that was not there
    for name in ("sex", "town"):
        assert frame[name].tolist() == was[name].tolist()
    assert not notes.notes
    assert b"who is who" not in target.read_bytes()


@pytest.mark.parametrize("ending", ["sav", "dta"])
def test_the_same_file_gives_the_same_bytes(tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch) -> None:
    source = statistics(tmp_path / f"in.{ending}")
    stamped = []
    honest = labelled.without_date
    monkeypatch.setattr(labelled, "without_date", lambda x: stamped.append(x) or honest(x))
    for name in ("a", "b"):
        al.Plan(COLUMNS, k=3, row_order="keep").run(source, tmp_path / f"{name}.{ending}")
    assert (tmp_path / f"a.{ending}").read_bytes() == (tmp_path / f"b.{ending}").read_bytes()
    year = str(datetime.datetime.now().year)[-2:].encode()
    assert year in stamped[0][:200]
    assert honest(stamped[0]) != stamped[0]
    assert b"01 Jan 70" in honest(stamped[0]) or b"01 Jan 1970" in honest(stamped[0])


@pytest.mark.parametrize("ending", ["sav", "dta"])
def test_a_file_of_statistics_is_recounted(tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch) -> None:
    source = statistics(tmp_path / f"in.{ending}")
    honest = LabelledFile.changed

    def dishonest(self: LabelledFile, *given: Any, **options: Any) -> dict[str, list[Any]]:
        changed = honest(self, *given, **options)
        return changed | {"job": ["vicar", *changed["job"][1:]]}

    monkeypatch.setattr(LabelledFile, "changed", dishonest)
    with pytest.raises(ReleaseError, match="only 1 rows"):
        al.Plan(COLUMNS, k=3).run(source, tmp_path / f"out.{ending}")
    assert [x.name for x in tmp_path.iterdir()] == [f"in.{ending}"]


@pytest.mark.parametrize("ending", ["sav", "dta"])
def test_promises_of_labelled_columns(tmp_path: Path, ending: str) -> None:
    source = statistics(tmp_path / f"in.{ending}")
    columns = COLUMNS | {"sex": al.sensitive("category"), "town": al.sensitive()}
    promises = [al.Privacy("l-diversity", "sex", l=2), al.Privacy("t-closeness", "town", t=0.4)]
    done = al.Plan(columns, k=3, privacy=promises).run(source, tmp_path / f"out.{ending}")
    assert [x["holds"] for x in done.summary["privacy"]] == [True] * 3


def test_a_number_with_a_label_for_missing_stays_a_number(tmp_path: Path) -> None:
    frame = pd.DataFrame({"age": [20.0, 31, 44, 20, 99, 31]})
    pyreadstat.write_sav(frame, tmp_path / "in.sav", variable_value_labels={"age": {99: "unknown"}})
    table = open_table(tmp_path / "in.sav")
    assert sorted(table.cells(["age"])["age"].values) == [20, 31, 44, 99]


def test_codes_that_are_text_keep_their_labels(tmp_path: Path) -> None:
    frame = pd.DataFrame({"job": ["c", "b", "s"] * 4})
    labels = {"job": {"c": "cook", "b": "baker", "s": "smith"}}
    pyreadstat.write_sav(frame, tmp_path / "in.sav", variable_value_labels=labels)
    al.Plan({"job": al.quasi("category")}, k=4).run(tmp_path / "in.sav", tmp_path / "out.sav")
    again, notes = read(tmp_path / "out.sav")
    assert set(again["job"]) <= {"c", "b", "s"}
    assert set(notes.variable_value_labels["job"]) == set(again["job"])


@pytest.mark.parametrize("start", [b"$FL2", b"$FL3", b"<stata_dta>", b"\x72\x02\x01\x00", b"\x73\x01\x01\x00"])
def test_damaged_files_of_statistics_are_refused(start: bytes) -> None:
    with pytest.raises(TableError, match="damaged SPSS or Stata file"):
        open_table("x", raw=start + b"nothing" * 40)


@pytest.mark.parametrize(("ending", "other"), [("sav", "dta"), ("dta", "csv")])
def test_a_release_is_of_the_same_format(tmp_path: Path, ending: str, other: str) -> None:
    source = statistics(tmp_path / f"in.{ending}")
    with pytest.raises(OutputError, match="same format"):
        al.Plan(COLUMNS, k=3).run(source, tmp_path / f"out.{other}")


def test_new_codes_come_after_all_others() -> None:
    assert recoded(["x", None, "cook", "y", "x"], {1: "cook", 7: "nurse"}) == (
        [8, None, 1, 9, 8], {8: "x", 1: "cook", 9: "y"},
    )  # fmt: skip
    assert recoded(["12", "x"], {1: "cook"}) == ([12, 13], {13: "x"})
    assert recoded(["cook"], {1: "cook", 2: "cook"}) == ([1], {1: "cook"})


@pytest.mark.parametrize(("module", "extra"), [("python_calamine", "excel"), ("pyreadstat", "spss")])
def test_what_reads_them_is_an_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, extra: str) -> None:
    source = workbook(tmp_path / "in.xlsx", rows()) if extra == "excel" else statistics(tmp_path / "in.sav")
    monkeypatch.setitem(__import__("sys").modules, module, None)
    with pytest.raises(TableError, match=rf"pip install 'allonym\[{extra}\]"):
        open_table(source)


@pytest.mark.parametrize("ending", ["xlsx", "sav"])
def test_a_release_is_read_again_under_the_limit_of_the_data(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits: list[int] = []
    parse = confined.parse

    def watched(parser: str, content: bytes, name: str, max_size: int, **options: Any) -> list[Any]:
        limits.append(max_size)
        return parse(parser, content, name, max_size, **options)

    monkeypatch.setattr(confined, "parse", watched)
    path = tmp_path / f"in.{ending}"
    made, source = (plan(), workbook(path, rows())) if ending == "xlsx" else (al.Plan(COLUMNS, k=3), statistics(path))
    replace(made, reading=Reading(max_size=7000)).run(source, tmp_path / f"out.{ending}")
    assert limits == [7000, 7000]


@pytest.mark.parametrize("sheet", [None, "People"])
def test_what_is_written_can_be_evaluated(sheet: str | None, tmp_path: Path) -> None:
    source, of_sheet = workbook(tmp_path / "in.xlsx", rows()), replace(plan(), reading=Reading(sheet=sheet))
    of_sheet.run(source, tmp_path / "out.xlsx")
    found = of_sheet.evaluate(source, tmp_path / "out.xlsx")
    assert found.privacy[0]["holds"]
    assert io.BytesIO((tmp_path / "out.xlsx").read_bytes()).read(2) == b"PK"
