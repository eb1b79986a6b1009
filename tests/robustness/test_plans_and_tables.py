"""Plans and tables as people have them: everything that is wrong is told at once, with a hint, and nothing is left."""

from __future__ import annotations

import csv
import gzip
import io
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from commands import call

import allonym as al
from allonym.errors import AllonymError, OntologyError, PlanError, TableError
from allonym.tables.files import open_table

COMMAND = [sys.executable, "-c", "from allonym.cli import main; main()"]
JOBS = Path(__file__).parents[1] / "data" / "mini-jobs.csv"
ROWS = [["cook", "a, b", "x"], ["baker", 'say "hi"', ""], ["smith", "two\nlines", "NA"], ["cook", " blank ", "?"]] * 3


def written(path: Path, rows: list[list[str]], **options: object) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, **options).writerows([["job", "note", "left"], *rows])
    return path


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
def test_quoted_delimiters_quotes_lines_and_missing_cells(tmp_path: Path, delimiter: str, quoting: int) -> None:
    source = written(tmp_path / "in.csv", ROWS, delimiter=delimiter, quoting=quoting)
    plan = al.Plan({"job": al.quasi(str(JOBS)), "note": al.keep(), "left": al.keep()}, k=3, row_order="keep")
    plan.run(source, tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(newline="", encoding="utf-8") as file:
        found = list(csv.reader(file, delimiter=delimiter))
    assert [row[1:] for row in found] == [["note", "left"], *(row[1:] for row in ROWS)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ("\n\n", "is empty"),
        ("job,note\n", "no rows"),
        ("job,note\ncook,x\n", "only 1 rows"),
        ("job,note\ncook,x\nbaker\nsmith,y,z\n", "2 lines of .* do not have 2 cells like the first: line 3, 4"),
        ("job,job\ncook,x\n", "1 of 2 column names of .* occur more than once"),
        ('job,note\n"cook,x\nbaker,y\n', "quote"),
    ],
    ids=["empty", "blank", "header only", "one row", "ragged", "names twice", "open quote"],
)
def test_tables_that_are_none_are_refused_and_leave_no_file(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "in.csv").write_text(content)
    with pytest.raises(AllonymError, match=message):
        al.Plan({"job": al.quasi("category")}, keep_rest=True, k=3).run(tmp_path / "in.csv", tmp_path / "out.csv")
    assert [x.name for x in tmp_path.iterdir()] == ["in.csv"]


def test_ten_thousand_columns(tmp_path: Path) -> None:
    width = 10_000
    lines = [
        ",".join(f"c{i}" for i in range(width)),
        *(",".join(f"p{r}" if i == 5 else str(r % 3 if i == 3 else r * i % 7) for i in range(width)) for r in range(7)),
    ]
    (tmp_path / "in.csv").write_text("\n".join(lines) + "\n")
    columns = {"c3": al.quasi("category"), "c5": al.identifier()}
    plan = al.Plan(columns, keep_rest=True, k=2, missing=(), row_order="keep")
    plan.run(tmp_path / "in.csv", tmp_path / "out.csv")
    head = (tmp_path / "out.csv").read_text().splitlines()
    assert len(head[0].split(",")) == width - 1
    assert head[7].split(",")[9000:] == lines[7].split(",")[9001:]


def test_every_row_the_same_every_row_another_and_all_of_them_null() -> None:
    for jobs in (["cook"] * 9, [f"j{i}" for i in range(9)], [None] * 9):
        frame = pd.DataFrame({"job": jobs}, dtype=object)
        done = al.Plan({"job": al.quasi("category")}, k=3).run(frame)
        assert done.summary["privacy"][0]["reached"] == 9 if len(set(jobs)) == 1 else 3


# --- plans --------------------------------------------------------------------------------------------------------

HEAD = 'format = 1\n[columns.job]\nrole = "quasi"\nkind = "category"\n'
BAD = {
    "wrong types": ('format = "1"\nkeep_rest = 3\n[method]\nk = "five"\n[columns.job]\nrole = 7\nweight = "2"\n', {
        "wrong-type-format", "wrong-type-keep_rest", "wrong-type-k", "wrong-type-role", "wrong-type-weight",
    }),
    "not TOML": ("format = = 1", {"no-toml"}),
    "no columns": ("format = 1\n", {"no-quasi"}),
    "k of none": (HEAD + "[method]\nk = 0\n", {"out-of-range-k"}),
    "k of one": (HEAD + "[method]\nk = 1\n", {"out-of-range-k"}),
    "weight of none": (HEAD + "weight = 0\n", {"out-of-range-weight"}),
    "a negative weight": (HEAD + "weight = -1\n", {"out-of-range-weight"}),
    "an unknown method": (HEAD + '[method]\nname = "magic"\n', {"unknown-method"}),
    "an unknown key": (HEAD + "colour = 1\n", {"unknown-key"}),
    "a seed below none": (HEAD + "[method]\nseed = -1\n", {"out-of-range-seed"}),
    "a table that is a list": ("format = 1\ncolumns = []\n", {"wrong-type-columns"}),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_wrong_plans_report_every_problem_at_once(tmp_path: Path, name: str) -> None:
    text, codes = BAD[name]
    (tmp_path / "plan.toml").write_text(text)
    with pytest.raises(PlanError) as error:
        al.Plan.load(tmp_path / "plan.toml")
    assert codes <= {x.code for x in error.value.problems}


@pytest.mark.parametrize(
    ("column", "k", "message"),
    [
        (al.quasi("nothing.obo"), 3, "nothing.obo"),
        (al.quasi("wordnet:qwertyuiop"), 3, "qwertyuiop"),
        (al.quasi(f"{JOBS}#nobody"), 3, "nobody"),
        (al.quasi("category"), 13, "k is 13, but the table has only 12 rows"),
        (al.quasi("ordinal", levels=["a", "b"]), 3, "none of its 2 levels"),
        (al.quasi("numeric"), 3, "are no numbers"),
        (al.quasi("category", links="no.csv"), 3, "links does not apply to a column of kind category"),
    ],
)
def test_what_a_plan_names_must_be_there(tmp_path: Path, column: al.Column, k: int, message: str) -> None:
    source = written(tmp_path / "in.csv", ROWS)
    with pytest.raises(PlanError, match=message):
        al.Plan({"job": column}, keep_rest=True, k=k).run(source, tmp_path / "out.csv")
    assert [x.name for x in tmp_path.iterdir()] == ["in.csv"]


def test_a_table_of_which_nothing_would_be_left(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": ["x"] * 4, "b": ["y"] * 4})
    with pytest.raises(PlanError, match="quasi"):
        al.Plan({"a": al.identifier(), "b": al.identifier()}, k=2).run(frame)


# --- ontologies ---------------------------------------------------------------------------------------------------

OBO = "format-version: 1.2\n\n[Term]\nid: A:1\nname: thing\n\n[Term]\nid: A:2\nname: cook\nis_a: A:1\n"
RDF = b'<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:De'
TURTLE = b"@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n<a> a skos:Concept ; skos:broader <b"
ONTOLOGIES = {
    "truncated OBO": OBO[: OBO.index("is_a") + 5].encode(),
    "truncated gzip": gzip.compress(OBO.encode())[:-9],
    "truncated RDF": RDF,
    "truncated Turtle": TURTLE,
    "a cycle": OBO.replace("name: thing\n", "name: thing\nis_a: A:2\n").encode(),
    "no links": OBO.replace("is_a: A:1\n", "").encode(),
    "binary": bytes(range(256)) * 16,
    "a picture": b"\x89PNG\r\n\x1a\n" + b"\0" * 4000,
    "nothing": b"",
    "blanks": b" \n" * 4000,
    "nothing, a hundred million times": b"\0" * 100_000_000,
    "blanks, a hundred million times": b"\n" * 100_000_000,
}


@pytest.mark.parametrize("name", ONTOLOGIES)
def test_ontologies_that_are_damaged_are_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "jobs.obo").write_bytes(ONTOLOGIES[name])
    with pytest.raises(OntologyError) as error:
        al.read_taxonomy(tmp_path / "jobs.obo")
    assert "jobs.obo" in str(error.value)


def test_the_command_ends_with_2_for_each_of_them(tmp_path: Path) -> None:
    source = written(tmp_path / "in.csv", ROWS)
    (tmp_path / "jobs.obo").write_bytes(b"\0" * 1000)
    given = [
        "mask",
        str(source),
        "-o",
        str(tmp_path / "out.csv"),
        "--quasi",
        f"job={tmp_path / 'jobs.obo'}",
        "--keep-rest",
    ]
    done = call(*given)
    assert done.returncode == 2
    assert "binary file" in done.stderr
    assert not (tmp_path / "out.csv").exists()


def test_exit_codes(tmp_path: Path) -> None:
    source = written(tmp_path / "in.csv", ROWS)
    (tmp_path / "plan.toml").write_text(HEAD + "[columns.note]\nrole = 'keep'\n")
    check = ["check", str(source), "--plan", str(tmp_path / "plan.toml")]
    assert subprocess.run([*COMMAND, *check], capture_output=True, check=False).returncode == 1
    (tmp_path / "plan.toml").write_text("keep_rest = true\n" + HEAD + "[method]\nk = 3\n")
    assert call(*check).returncode == 0
    for wrong in (["mask"], ["nothing"], ["mask", str(source), "--nothing"]):
        assert call(*wrong).returncode == 2


def test_text_in_any_encoding_is_read_and_comes_back() -> None:
    text = "job,note\ncook,Käse\nbaker,naïve\n"
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "latin-1", "utf-32"):
        raw = text.encode(encoding)
        table = open_table("x", raw=raw)
        assert table.cells(["note"])["note"].values == ["Käse", "naïve"]
        assert b"".join(table.changed({}, [])) == raw
    with pytest.raises(TableError):
        open_table("x", raw=io.BytesIO(b"\x89PNG\r\n\x1a\n\0\0").read())
