"""The tables, ontologies, hierarchies and plans that golden cases read, made anew and always with the same bytes."""

from __future__ import annotations

import gzip
import json
import shutil
import zlib
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import xlsxwriter

import allonym as al

MINI = Path(__file__).parents[1] / "data"
PACKAGE = Path(al.__file__).parent
JOBS = ["cook", "baker", "smith", "welder", "nurse", "teacher", "physician", "dentist", "lawyer", "farmer"]
WORKERS = JOBS[:5]
SIZES = ["small", "medium", "large"]
ILLNESSES = ["asthma", "bronchitis", "influenza", "pneumonia", "migraine", "epilepsy"]
GOODS = ["milk", "bread", "butter", "apple", "beer", "wine", "cheese", "pear"]
CITIES = ["Málaga", "Zürich", "Bergen"]

PLAN = """format = 1

[release]
title = "People and their jobs"
purpose = "golden files"
decided_by = "nobody"

[method]
name = "sa-mdav"  # a comment that must stay
k = 3
seed = 7

[columns.name]
role = "identifier"

[columns.job]
role = "quasi"
ontology = "wordnet:person"

[columns.age]
role = "quasi"
kind = "numeric"

[columns.size]
role = "quasi"
kind = "ordinal"
levels = ["small", "medium", "large"]

[columns.sex]
role = "keep"

[columns.city]
role = "keep"

[columns.illness]
role = "sensitive"

[columns.income]
role = "sensitive"
"""
SURVEY_PLAN = """format = 1
keep_rest = true

[method]
k = 5

[columns.visitor]
role = "identifier"

[columns.reason]
role = "quasi"
ontology = "wordnet"
links = "reason.links.csv"

[columns.activity]
role = "quasi"
ontology = "wordnet"
links = "activity.links.csv"

[columns.spent]
role = "sensitive"
"""
FILE_PLAN = """format = 1
keep_rest = true

[method]
name = "fusion"
k = 2
seed = 7

[file]
delimiter = ";"
encoding = "cp1252"
missing = ["", "none"]

[columns.name]
role = "identifier"

[columns.job]
role = "quasi"
ontology = ["mini-jobs.csv", "wordnet:person"]
unmatched = "opaque"
accept_review = true

[columns.size]
role = "quasi"
kind = "ordinal"
levels = "levels.txt"
weight = 2
"""
DEMANDS_PLAN = """format = 1
keep_rest = true

[method]
k = 3

[[privacy]]
model = "recursive-l-diversity"
column = "illness"
l = 2
c = 2

[[privacy]]
model = "t-closeness"
column = "illness"
t = 0.6

[columns.job]
role = "quasi"
ontology = "mini-jobs.csv"

[columns.name]
role = "keep"

[columns.illness]
role = "sensitive"
ontology = "wordnet"
accept_review = true
"""
WRONG_PLAN = """format = 2
colour = "red"

[method]
name = "sa-mdaf"
k = "five"

[[privacy]]
model = "l-diversity"

[columns.job]
role = "quazi"

[columns.age]
kind = "numeric"

[columns.size]
role = "quasi"
kind = "ordinal"
wheight = 2
"""


def pick(values: list[Any], *where: object) -> Any:
    """Return one of some values: always the same at the same place, on every machine."""
    return values[zlib.crc32(repr(where).encode()) % len(values)]


def people(jobs: list[str] = JOBS, rows: int = 60) -> list[dict[str, Any]]:
    """Return rows with a column of every kind."""
    return [
        {
            "name": f"P{i:03}",
            "job": pick(jobs, "job", i),
            "age": pick(list(range(20, 60)), "age", i),
            "size": pick(SIZES, "size", i),
            "sex": pick(["f", "m"], "sex", i),
            "city": pick(CITIES, "city", i),
            "illness": pick(ILLNESSES, "illness", i),
            "income": round(pick(list(range(900, 4000)), "income", i) * 1.07, 2),
        }
        for i in range(rows)
    ]


def delimited(rows: list[dict[str, Any]], sign: str = ",", end: str = "\n", *, header: bool = True) -> str:
    """Return rows as delimited text."""
    lines = [list(rows[0])] * header + [["" if x is None else str(x) for x in row.values()] for row in rows]
    return "".join(sign.join(line) + end for line in lines)


def make(folder: Path) -> None:
    """Write every input into a folder."""
    _texts(folder)
    _formats(folder)
    _sets(folder)
    _copies(folder)
    sure = PLAN.replace('"wordnet:person"', '"wordnet:person"\naccept_review = true')
    plans = {
        "people": PLAN,
        "sure": sure,
        "kept": sure.replace("format = 1\n", 'format = 1\nrow_order = "keep"\n', 1),
        "survey": SURVEY_PLAN,
        "seeded": SURVEY_PLAN.replace("k = 5", "k = 5\nseed = 7"),
        "file": FILE_PLAN,
        "demands": DEMANDS_PLAN,
        "wrong": WRONG_PLAN,
    }
    for name, text in plans.items():
        (folder / f"{name}.toml").write_text(text, "utf-8")


def _texts(folder: Path) -> None:
    rows = people()
    (folder / "people.csv").write_text(delimited(rows), "utf-8")
    (folder / "people.tsv").write_text(delimited(rows, "\t"), "utf-8")
    (folder / "people-pipe.txt").write_text(delimited(rows, "|"), "utf-8")
    (folder / "people-bare.csv").write_text(delimited(rows, header=False), "utf-8")
    (folder / "people-bom.csv").write_text(delimited(rows), "utf-8-sig")
    (folder / "people-latin.csv").write_text(delimited(rows, ";", "\r\n").replace(".", ","), "cp1252", newline="")
    (folder / "people-wide.csv").write_text(delimited(rows), "utf-16")
    (folder / "people.csv.gz").write_bytes(gzip.compress(delimited(rows).encode(), mtime=0))
    quoted = [row | {"job": f'"{row["job"]}"', "city": f'"{row["city"]}, ""old"" town"'} for row in rows[:20]]
    (folder / "quoted.csv").write_text(delimited(quoted), "utf-8")
    (folder / "workers.csv").write_text(delimited(people(WORKERS, 40)), "utf-8")
    holes = [
        row | {"job": pick([row["job"], row["job"], "?", "", "flumpist", "cooks"], "hole", i)}
        for i, row in enumerate(people(rows=40))
    ]
    (folder / "holes.csv").write_text(delimited(holes), "utf-8")
    visits = [
        row | {"name": f"P{pick(list(range(20)), 'who', i):03}", "times": pick([1, 2, 2.5], "times", i)}
        for i, row in enumerate(people(rows=50))
    ]
    (folder / "visits.csv").write_text(delimited(visits), "utf-8")
    (folder / "empty.csv").write_text("name,job,age\n", "utf-8")
    (folder / "animals.csv").write_text("parrot;bird;animal\ncat;mammal;animal\nPolly;bird;animal\n", "utf-8")
    (folder / "levels.txt").write_text("".join(f"{x}\n" for x in SIZES), "utf-8")
    (folder / "candidates.txt").write_text("cook\nnurse\nteacher\nlawyer\nfarmer\n", "utf-8")
    (folder / "strange.txt").write_text("cook\nflumpist\n", "utf-8")
    kinds = {"ship's cook": "cook", "Ship's Cook": "cook", "pastry cook": "cook", "night nurse": "nurse"}
    (folder / "kinds.csv").write_text(delimited(people([*WORKERS, *kinds], 20)), "utf-8")
    settled = [f"{value},{concept},narrower\n" for value, concept in kinds.items()]
    (folder / "kinds.links.csv").write_text("".join(["value,concept,relation\n", *settled]), "utf-8")
    groups = {"cook": "food", "baker": "food", "smith": "metal", "welder": "metal", "nurse": "health"}
    tree = [f"{job};{groups[job]};{'maker' if groups[job] != 'health' else 'carer'};*\n" for job in WORKERS]
    (folder / "workers.vgh.csv").write_text("".join(tree), "utf-8")
    ages = [f"{x};{x // 10 * 10}-{x // 10 * 10 + 9};*\n" for x in range(20, 60)]
    (folder / "ages.vgh.csv").write_text("".join(ages), "utf-8")


def _formats(folder: Path) -> None:
    rows = people(rows=40)
    frame = pd.DataFrame(rows)
    pq.write_table(arrow(rows), folder / "people.parquet")
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
    (folder / "people.jsonl").write_text("".join(lines), "utf-8")
    (folder / "people.jsonl.gz").write_bytes(gzip.compress("".join(lines).encode(), mtime=0))
    with xlsxwriter.Workbook(folder / "people.xlsx") as book:
        book.add_worksheet("notes").write_row(0, 0, ["nothing", "here"])
        sheet = book.add_worksheet("people")
        for i, cells in enumerate([list(rows[0]), *(list(row.values()) for row in rows)]):
            sheet.write_row(i, 0, cells)
    coded = frame.assign(size=frame["size"].map({x: float(i + 1) for i, x in enumerate(SIZES)}))
    labels: dict[str, Any] = {"size": {i + 1: x for i, x in enumerate(SIZES)}}
    titles = ["", "what they do", *[""] * 6]
    pyreadstat.write_sav(coded, folder / "people.sav", column_labels=titles, variable_value_labels=labels)
    with (folder / "people.sav").open("r+b") as sav:  # when it was written: the same each time
        sav.seek(92)
        sav.write(b"01 Jan 2600:00:00")
    coded["size"] = coded["size"].astype("int32")
    pyreadstat.write_dta(coded, folder / "people.dta", column_labels=titles, variable_value_labels=labels)
    (folder / "fresh").mkdir()
    (folder / "parts").mkdir()
    for name, part in (("a", rows[:20]), ("b", rows[20:])):
        pq.write_table(arrow(part), folder / "parts" / f"{name}.parquet")


def arrow(rows: list[dict[str, Any]]) -> pa.Table:
    """Return rows as an Arrow table with metadata and a dictionary column."""
    table = pa.Table.from_pylist(rows)
    place = table.column_names.index("sex")
    table = table.set_column(place, "sex", table.column("sex").dictionary_encode())
    return table.replace_schema_metadata({"made by": "golden tests"})


def _sets(folder: Path) -> None:
    baskets = [
        {
            "name": f"P{i:03}",
            "items": sorted({pick(GOODS, "item", i, j) for j in range(pick([1, 2, 3], "size", i))}),
            "age": pick(list(range(20, 60)), "age", i),
        }
        for i in range(30)
    ]
    (folder / "baskets.csv").write_text(delimited([x | {"items": ";".join(x["items"])} for x in baskets]), "utf-8")
    (folder / "baskets.jsonl").write_text("".join(json.dumps(x) + "\n" for x in baskets), "utf-8")
    pq.write_table(pa.Table.from_pylist(baskets), folder / "baskets.parquet")
    long = [{"name": x["name"], "item": item, "age": x["age"]} for x in baskets for item in x["items"]]
    (folder / "purchases.csv").write_text(delimited(long), "utf-8")


def _copies(folder: Path) -> None:
    """Copy the bundled survey with what belongs to it, wherever the package keeps it, and the mini ontologies."""
    wanted = ["survey.csv", "reason.links.csv", "activity.links.csv", "reason.vgh.csv", "activity.vgh.csv"]
    for name in wanted:
        shutil.copy(next(PACKAGE.rglob(name)), folder / name)
    lines = (folder / "survey.csv").read_text("utf-8").splitlines(keepends=True)
    (folder / "visitors.csv").write_text("".join(lines[:121]), "utf-8")
    for path in sorted(MINI.glob("mini-*")):
        shutil.copy(path, folder / path.name)
    dirty = (MINI / "survey-dirty.csv").read_bytes().splitlines(keepends=True)
    (folder / "dirty.csv").write_bytes(b"".join(dirty[:201]))
