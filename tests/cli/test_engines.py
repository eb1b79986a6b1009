"""`allonym mask` with engines."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from commands import call

from cli.running import run

ROLES = ("--quasi", "job=wordnet:person", "--quasi", "age=numeric", "--identifier", "name", "--sensitive", "income")


@pytest.mark.parametrize(("engine", "others"), [("polars", "duckdb"), ("duckdb", "polars")])
def test_masking_by_an_engine_does_not_import_the_libraries_of_others(folder: Path, engine: str, others: str) -> None:
    ages = {"job": ["nurse", "cook", None] * 8, "age": [30, None, 41] * 8, "height": [1.5, None, 1.75] * 8}
    pq.write_table(pa.table(ages), "ages.parquet")
    code = (
        "import sys; from allonym.cli import app; app(['mask', 'ages.parquet', '-o', 'm.parquet', '--quasi', "
        "'age=numeric', '--quasi', 'height=numeric', '--quasi', 'job=wordnet:person', '--keep-rest', '--engine', "
        f"{engine!r}], standalone_mode=False); "
        f"print([m for m in ('pandas', 'narwhals', 'rapidfuzz', {others!r}) if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
    assert pq.read_table("m.parquet").num_rows == 24


def years(folder: Path) -> Path:
    """Write the table of jobs as Parquet, parted by year into folders."""
    table = pd.read_csv(folder / "jobs.csv")
    for year, part in table.groupby(table.index % 2 + 2020):
        (folder / "data" / f"year={year}").mkdir(parents=True)
        part.to_parquet(folder / "data" / f"year={year}" / "part.parquet", index=False)
    return folder / "data"


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_a_folder_is_masked_by_an_engine_and_written_in_parts(folder: Path, engine: str) -> None:
    data = years(folder)
    run("mask", str(data), "-o", str(folder / "out"), *ROLES, "--keep-rest", "--engine", engine, "--partition-by",
        "year", "--summary", str(folder / "summary.json"))  # fmt: skip
    assert sorted(x.name for x in (folder / "out").iterdir()) == ["year=2020", "year=2021"]
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["records"] == 24
    assert summary["privacy"][0]["holds"]
    masked = pd.read_parquet(folder / "out")
    assert Counter(masked["year"].astype(int)) == {2020: 12, 2021: 12}
    assert masked.groupby(["job", "age"], dropna=False).size().min() >= 5
    assert sorted(masked["income"]) == list(range(24))
    assert "year" in run("inspect", str(data))
    assert "24" in run("check", str(data), "--plan", str(planned(folder, data)))


def planned(folder: Path, data: Path) -> Path:
    """Write a plan to begin with."""
    run("inspect", str(data), "-o", str(folder / "plan.toml"))
    return folder / "plan.toml"


def test_a_pattern_has_an_engine_by_itself(folder: Path) -> None:
    data = years(folder)
    summary = run("mask", f"{data}/*/part.parquet", "-o", str(folder / "out.parquet"), *ROLES, "--keep-rest", "--json")
    assert json.loads(summary)["records"] == 24
    assert len(pd.read_parquet(folder / "out.parquet")) == 24


def test_mistakes_about_engines_end_with_a_hint_and_no_file(folder: Path) -> None:
    data = years(folder)
    one = str(data / "year=2020" / "part.parquet")
    for options, message in (
        (("--engine", "dukdb"), "duckdb"),
        (("--engine", "polars", "--master", "spark://x:1"), "--engine spark"),
        (("--engine", "polars", "--partition-by", "yeer"), "will not be in the release"),
        (("--method", "generalise", "--blocks-from", "10"), "leave it out"),
    ):
        done = call("mask", one, "-o", str(folder / "out.parquet"), *ROLES, "--keep-rest", *options)
        assert done.returncode == 2, done
        assert message in done.stderr
        assert not (folder / "out.parquet").exists()


def test_a_report_without_figures_is_refused_before_the_work(folder: Path) -> None:
    one = str(years(folder) / "year=2020" / "part.parquet")
    options = (
        "--quasi",
        "age=numeric",
        "--identifier",
        "name",
        "--keep-rest",
        "--method",
        "noise",
        "--report",
        str(folder / "r.html"),
    )
    done = call("mask", one, "-o", str(folder / "out.parquet"), *options, "--engine", "polars")
    assert done.returncode == 2, done
    assert "--engine memory" in done.stderr
    assert not (folder / "out.parquet").exists()
    assert call("mask", one, "-o", str(folder / "out.parquet"), *options, "--engine", "memory").returncode == 0
