"""inspect, check, mask and demo, as a person types them."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import allonym as al
from allonym.cli import app, main
from allonym.pipeline.demo import survey

DIRTY = Path(__file__).parents[1] / "data" / "survey-dirty.csv"


def shell(*args: str, stdin: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-c", "from allonym.cli import main; main()", *args]
    return subprocess.run(command, input=stdin, capture_output=True, check=False)


def run(*args: str, code: int = 0) -> str:
    done = CliRunner().invoke(app, args, catch_exceptions=True, env={"COLUMNS": "200"})
    assert done.exit_code == code, (done.output, done.exception)
    return done.stdout


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "survey.csv").write_text(survey())
    (tmp_path / "jobs.csv").write_text(
        "name,job,age,income\n" + "".join(f"p{i},{'nurse' if i % 3 else 'cook'},{20 + i % 4},{i}\n" for i in range(24))
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_demo_tells_in_one_screen_what_was_asked_and_what_came_of_it(folder: Path) -> None:
    printed = run("demo", "-o", "d")
    assert len(printed.splitlines()) <= 24
    for part in ("required 5, reached", "975", "211 before", "information loss", "21.6 % before", "→", "time"):
        assert part in printed, part
    names = {"survey.csv", "masked.csv", "plan.toml", "summary.json", "reason.links.csv", "activity.links.csv"}
    assert {x.name for x in (folder / "d").iterdir()} == names
    masked = list(csv.DictReader(io.StringIO((folder / "d" / "masked.csv").read_text())))
    groups = Counter((row["reason"], row["activity"]) for row in masked)
    summary = json.loads((folder / "d" / "summary.json").read_text())
    assert len(masked) == summary["records"] == 975
    assert min(groups.values()) == summary["privacy"][0]["reached"] >= 5
    assert "visitor" not in masked[0]
    assert f"reached {min(groups.values())}" in printed
    run("mask", "d/survey.csv", "-o", "again.csv", "--plan", "d/plan.toml")
    assert (folder / "again.csv").read_bytes() == (folder / "d" / "masked.csv").read_bytes()


def test_the_summary_has_the_keys_that_never_change(folder: Path) -> None:
    run("demo", "-o", "d")
    told = json.loads(
        run("mask", "d/survey.csv", "-o", "m.csv", "--plan", "d/plan.toml", "--json", "--summary", "s.json")
    )
    assert told == json.loads((folder / "s.json").read_text())
    assert list(told) == [
        "format", "records", "units", "tuples", "suppressed", "suppressed_cells", "method", "parameters", "seed",
        "privacy", "measures", "seconds", "sha256",
    ]  # fmt: skip
    assert list(told["measures"]["information_loss"]) == ["value", "before", "baseline", "interval", "by_column"]
    assert set(told["measures"]) == {"information_loss", "sse", "sst", "record_linkage", "semantic_linkage", "score"}
    assert set(told["sha256"]) == {"input", "plan", "links", "ontologies", "output"}
    digest = subprocess.run(["sha256sum", "m.csv", "d/plan.toml"], capture_output=True, text=True, check=True).stdout
    assert [line.split()[0] for line in digest.splitlines()] == [told["sha256"]["output"], told["sha256"]["plan"]]


def test_inspect_finds_roles_kinds_and_coverage(folder: Path) -> None:
    told = {x["name"]: x for x in json.loads(run("inspect", "survey.csv", "--json"))["columns"]}
    assert {name: x["role"] for name, x in told.items()} == {
        "visitor": "identifier", "reason": "quasi", "activity": "quasi", "hobby": "quasi", "origin": "quasi",
        "age": "quasi", "spent": "sensitive",
    }  # fmt: skip
    assert (told["hobby"]["distinct"], told["hobby"]["unique"]) == (221, 84)
    assert told["age"]["kind"] == "numeric"
    assert told["origin"]["ontology"].startswith("wordnet:")
    assert told["reason"]["coverage"] == 1
    jobs = {x["name"]: x for x in json.loads(run("inspect", "jobs.csv", "--json"))["columns"]}
    assert jobs["job"]["ontology"].startswith("wordnet:")
    assert jobs["income"]["role"] == "sensitive"
    printed = run("inspect", "jobs.csv")
    assert "--identifier name" in printed
    assert "p12" not in printed  # no value of the data


def test_inspect_writes_a_plan_to_begin_with(folder: Path) -> None:
    run("inspect", "survey.csv", "-o", "plan.toml")
    assert al.Plan.load("plan.toml").columns["visitor"] == al.identifier()
    assert json.loads(run("check", "survey.csv", "--plan", "plan.toml", "--json", code=1))["ready"] is False


def test_the_suggested_command_fits_the_file(folder: Path) -> None:
    pd.read_csv("jobs.csv").to_parquet("jobs.parquet")
    assert "-o masked.parquet" in run("inspect", "jobs.parquet")
    (folder / "odd.txt").write_text("nurse~1\ncook~2\n")
    assert "'--delimiter=~' --no-header" in run("inspect", "odd.txt", "--delimiter", "~", "--no-header")
    run("inspect", "odd.txt", "--delimiter", "~", "--no-header", "-o", "odd.toml")
    assert al.Plan.load("odd.toml").reading.delimiter == "~"
    told = run("mask", "odd.txt", "-o", "m.txt", "--plan", "odd.toml", "--encoding", "utf-8", "--k", "2", "--json")
    assert json.loads(told)["records"] == 2


def test_demo_leaves_files_of_others_alone(folder: Path) -> None:
    (folder / "plan.toml").write_text("mine")
    done = CliRunner().invoke(app, ["demo", "-o", "."])
    assert "of its own" in str(done.exception)
    assert (folder / "plan.toml").read_text() == "mine"


def test_values_do_not_command_the_terminal(folder: Path) -> None:
    (folder / "odd.csv").write_text("job\n" + "\x1b[31mzzz\n" * 3)
    al.Plan({"job": al.quasi("wordnet")}, k=2).save("plan.toml")
    assert "\x1b[31m" not in run("check", "odd.csv", "--plan", "plan.toml", code=1)


def test_letters_are_no_words_for_sure(folder: Path) -> None:
    (folder / "sex.csv").write_text("sex\n" + "m\nf\nd\n" * 4)
    told = json.loads(run("inspect", "sex.csv", "--json"))["columns"][0]
    assert (told["kind"], told["ontology"]) == ("category", None)
    al.Plan({"sex": al.quasi("wordnet")}, k=2).save("plan.toml")
    assert (
        json.loads(run("check", "sex.csv", "--plan", "plan.toml", "--json", code=1))["columns"][0]["cells"]["sure"] == 0
    )


def test_inspect_never_takes_a_body_for_a_survey_weight(folder: Path) -> None:
    rows = "".join(f"{60 + i},{1 + i / 10},{2 + i / 10}\n" for i in range(30))
    (folder / "w.csv").write_text("weight,survey_weight,sample_weight\n" + rows)
    told = {x["name"]: x["role"] for x in json.loads(run("inspect", "w.csv", "--json"))["columns"]}
    assert told == {"weight": "quasi", "survey_weight": "weight", "sample_weight": "quasi"}


def test_check_lists_what_to_review_and_writes_links(folder: Path) -> None:
    plan = al.Plan({"visitor": al.unit(), "reason": al.quasi("wordnet"), "spent": al.sensitive()}, keep_rest=True)
    plan.save("plan.toml")
    printed = run("check", str(DIRTY), "--plan", "plan.toml", "--write", code=1)
    for part in ("to review", "landscape", "natuer", "nature", "Not ready", "Risk before masking", "reason.links.csv"):
        assert part in printed, part
    assert al.Plan.load("plan.toml").columns["reason"].links == ("reason.links.csv",)
    hidden = run("check", str(DIRTY), "--plan", "plan.toml", "--hide-values", code=1)
    assert "natuer" not in hidden
    told = run("check", str(DIRTY), "--plan", "plan.toml", "--hide-values", "--json", code=1)
    assert "natuer" not in told
    assert "landscape" not in told
    assert "photography.n.01" not in told


def test_mask_without_a_plan_takes_roles_from_options(folder: Path) -> None:
    roles = ["--quasi", "job=wordnet:person", "--quasi", "age=numeric", "--sensitive", "income", "--identifier", "name"]
    printed = run("mask", "jobs.csv", "-o", "m.csv", *roles, "--k", "3", "--seed", "7", "--method", "mode")
    assert "required 3, reached" in printed
    masked = pd.read_csv("m.csv")
    assert list(masked) == ["job", "age", "income"]
    assert masked.groupby(["job", "age"]).size().min() >= 3
    assert masked["income"].tolist() == list(range(24))


def test_methods_take_their_options(folder: Path) -> None:
    roles = ["--quasi", "job=wordnet:person", "--quasi", "age=numeric", "--keep-rest", "--k", "3", "--json"]
    told = json.loads(run("mask", "jobs.csv", "-o", "m.csv", *roles, "--growth", "weighted", "--represent", "member"))
    expected = {"k": 3, "represent": "member", "refine": False, "growth": "weighted"}
    assert (told["method"], told["parameters"]) == ("sa-mdav", expected)
    al.Plan({"age": al.quasi()}, method="sa-mdav", parameters={"growth": "plain"}, keep_rest=True).save("plan.toml")
    told = json.loads(run("mask", "jobs.csv", "-o", "m.csv", "--plan", "plan.toml", "--json"))
    assert told["parameters"]["growth"] == "plain"
    told = json.loads(run("mask", "jobs.csv", "-o", "m.csv", *roles, "--method", "fusion", "--heuristics", "h1+h2"))
    assert told["parameters"] == {"k": 3, "heuristics": "h1+h2", "guide": "similarity", "refine": False}
    told = json.loads(run("mask", "jobs.csv", "-o", "m.csv", *roles, "--refine"))
    assert told["parameters"]["refine"] is True
    al.Plan({"age": al.quasi()}, parameters={"refine": True}, keep_rest=True).save("plan.toml")
    assert "refine = yes" in run("mask", "jobs.csv", "-o", "m.csv", "--plan", "plan.toml")
    assert "refine = no" in run("mask", "jobs.csv", "-o", "m.csv", "--plan", "plan.toml", "--no-refine")
    given = {"growth": "weighted", "represent": "subsumer"}
    al.Plan({"age": al.quasi()}, parameters=given, keep_rest=True).save("plan.toml")
    told = json.loads(run("mask", "jobs.csv", "-o", "m.csv", "--plan", "plan.toml", "--method", "sa-mdav", "--json"))
    assert told["parameters"] == {"k": 5, "represent": "subsumer", "refine": False, "growth": "weighted"}
    told = json.loads(run("mask", "jobs.csv", "-o", "m.csv", "--plan", "plan.toml", "--method", "mode", "--json"))
    assert (told["method"], told["parameters"]) == ("mdav", {"k": 5, "represent": "subsumer", "refine": False})


def test_a_links_file_needs_only_value_and_concept(folder: Path) -> None:
    (folder / "jobs.csv").write_text("job\n" + "Herd-minder\nmender\n" * 4)
    (folder / "job.links.csv").write_text("value,concept\nHerd-minder,shepherd\nmender,fixer.n.01\n")
    roles = ["--quasi", "job=wordnet:person", "--links", "job=job.links.csv", "--k", "4"]
    run("mask", "jobs.csv", "-o", "m.csv", *roles)
    assert Counter((folder / "m.csv").read_text().split()) == {"job": 1, "Herd-minder": 4, "mender": 4}


def test_paths_of_options_are_seen_from_here_wherever_the_plan_is(folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "tree.csv").write_text("child,parent\ncook,staff\nnurse,staff\n")
    (folder / "ages.txt").write_text("20\n21\n22\n23\n")
    al.Plan({"income": al.sensitive(), "age": al.quasi()}, keep_rest=True).save("sub/plan.toml")
    roles = ["--quasi", "job=tree.csv#staff", "--quasi", "age=ordinal:ages.txt"]
    run("mask", "jobs.csv", "-o", "m.csv", "--plan", "sub/plan.toml", *roles)
    assert set(pd.read_csv("m.csv")["job"]) <= {"cook", "nurse", "staff"}


def test_a_file_without_a_header_shows_nobody(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (folder / "bare.csv").write_text("Ann Smith,nurse\nBob Jones,cook\n")
    al.Plan({"2": al.quasi("wordnet:person")}, k=2).save("plan.toml")
    shown = run("check", "bare.csv", "--plan", "plan.toml", code=1)
    assert "--no-header" in shown
    assert "Smith" not in shown
    done = CliRunner().invoke(app, ["mask", "bare.csv", "-o", "m.csv", "--quasi", "2"])
    assert "none of the plan's 1 column" in str(done.exception)
    assert "Smith" not in str(done.exception)


def test_two_ontologies_for_one_column_are_blended(folder: Path) -> None:
    (folder / "tree.csv").write_text("child,parent\ncook,staff\nquux,staff\n")
    (folder / "jobs.csv").write_text("job\n" + "cook\nquux\nnurse\n" * 4)
    run("mask", "jobs.csv", "-o", "m.csv", "--quasi", "job=wordnet:person", "--quasi", "job=tree.csv", "--k", "2")
    assert len((folder / "m.csv").read_text().splitlines()) == 13


def test_errors_end_with_2_tell_all_and_leave_no_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def refuse(*args: str) -> str:
        monkeypatch.setattr(sys, "argv", ["allonym", *args])
        with pytest.raises(SystemExit) as ended:
            main()
        out, told = capfd.readouterr()
        assert (ended.value.code, out.strip()) == (2, "")
        return told

    before = sorted(x.name for x in folder.iterdir())
    told = refuse("mask", "survey.csv", "-o", "m.csv", "--quasi", "reason=wordnet", "--quasi", "gone", "--k", "5")
    assert "columns without a role: visitor, activity" in told
    assert "column of the plan not in the table: gone" in told
    assert "to be reviewed" in told
    assert "landscape" in told
    hidden = refuse("mask", "survey.csv", "-o", "m.csv", "--quasi", "reason=wordnet", "--keep-rest", "--hide-values")
    assert "landscape" not in hidden
    assert "allonym inspect survey.csv" in refuse("mask", "survey.csv", "-o", "m.csv")
    assert "two kinds" in refuse(
        "mask", "survey.csv", "-o", "m.csv", "--quasi", "age=numeric", "--quasi", "age=category"
    )
    assert "no column spent of words" in refuse(
        "mask", "survey.csv", "-o", "m.csv", "--quasi", "age", "--keep", "spent", "--links", "spent=x.csv"
    )
    assert "two roles" in refuse("mask", "survey.csv", "-o", "m.csv", "--quasi", "age", "--keep", "age")
    assert "there is no column x" in refuse("mask", "survey.csv", "-o", "m.csv", "--quasi", "age", "--links", "x=y.csv")
    assert "k is 1; it must be at least 2" in refuse("mask", "jobs.csv", "-o", "m.csv", "--quasi", "age", "--k", "1")
    too_large = refuse("mask", "jobs.csv", "-o", "m.csv", "--quasi", "age", "--keep-rest", "--k", "25")
    assert "k is 25, but the table has only 24 rows" in too_large
    assert shell("mask", "survey.csv", "-o", "m.csv").returncode == 2
    assert "cannot be read" in refuse("mask", "no.csv", "-o", "m.csv", "--quasi", "age")
    assert "unknown method" in refuse("mask", "jobs.csv", "-o", "m.csv", "--quasi", "age", "--method", "magic")
    roles = ["--quasi", "age", "--keep-rest"]
    assert "is the data itself" in refuse("mask", "jobs.csv", "-o", "m.csv", *roles, "--summary", "jobs.csv")
    assert "written twice" in refuse("mask", "jobs.csv", "-o", "m.csv", *roles, "--summary", "m.csv")
    assert "folder does not exist" in refuse("mask", "jobs.csv", "-o", "m.csv", *roles, "--summary", "no/s.json")
    assert "is the data itself" in refuse("inspect", "jobs.csv", "-o", "jobs.csv")
    assert "already exists" in refuse("inspect", "jobs.csv", "-o", "survey.csv")
    assert sorted(x.name for x in folder.iterdir()) == before


def test_standard_input_and_output_carry_the_release_alone(folder: Path) -> None:
    data = (folder / "jobs.csv").read_bytes()
    roles = ["--quasi", "age=numeric", "--keep-rest", "--k", "3"]
    done = shell("mask", "-", "-o", "-", *roles, stdin=data)
    assert done.returncode == 0, done.stderr
    run("mask", "jobs.csv", "-o", "m.csv", *roles)
    assert done.stdout == (folder / "m.csv").read_bytes()
    assert b"reached" in done.stderr
    told = shell("mask", "-", "-o", "-", *roles, "--json", stdin=data)
    assert told.stdout == done.stdout
    assert json.loads(told.stderr)["records"] == 24


def test_parquet_in_and_out(folder: Path) -> None:
    pd.read_csv("jobs.csv").to_parquet("jobs.parquet")
    roles = ["--quasi", "job=wordnet:person", "--quasi", "age=numeric", "--keep-rest", "--k", "3"]
    run("mask", "jobs.parquet", "-o", "m.parquet", *roles)
    run("mask", "jobs.csv", "-o", "m.csv", *roles)
    pd.testing.assert_frame_equal(pd.read_parquet("m.parquet"), pd.read_csv("m.csv"))


def test_a_file_without_a_header_has_numbered_columns(folder: Path) -> None:
    (folder / "bare.txt").write_text("nurse|1\ncook|2\n" * 3)
    run("mask", "bare.txt", "-o", "m.txt", "--no-header", "--quasi", "1=wordnet:person", "--keep", "2", "--k", "3")
    rows = list(csv.reader(io.StringIO((folder / "m.txt").read_text()), delimiter="|"))
    assert [row[1] for row in rows] == ["1", "2"] * 3


def test_options_win_over_the_plan(folder: Path) -> None:
    al.Plan({"age": al.quasi("numeric")}, k=3, keep_rest=True).save("plan.toml")
    told = json.loads(
        run("mask", "jobs.csv", "-o", "m.csv", "--plan", "plan.toml", "--k", "6", "--seed", "9", "--json")
    )
    assert (told["parameters"]["k"], told["seed"]) == (6, 9)


@pytest.mark.parametrize(("engine", "others"), [("polars", "duckdb"), ("duckdb", "polars")])
def test_masking_by_an_engine_does_not_import_the_libraries_of_others(folder: Path, engine: str, others: str) -> None:
    ages = {"job": ["nurse", "cook", None] * 4, "age": [30, None, 41] * 4, "height": [1.5, None, 1.75] * 4}
    pq.write_table(pa.table(ages), "ages.parquet")
    code = (
        "import sys; from allonym.cli import app; app(['mask', 'ages.parquet', '-o', 'm.parquet', '--quasi', "
        "'age=numeric', '--quasi', 'height=numeric', '--quasi', 'job=wordnet:person', '--keep-rest', '--engine', "
        f"{engine!r}], standalone_mode=False); "
        f"print([m for m in ('pandas', 'narwhals', 'rapidfuzz', {others!r}) if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
    assert pq.read_table("m.parquet").num_rows == 12


def test_promises_beside_k_are_asked_for_by_options(folder: Path) -> None:
    given = (
        "mask",
        "jobs.csv",
        "-o",
        "masked.csv",
        "--quasi",
        "job=wordnet:person",
        "--identifier",
        "name",
        "--k",
        "4",
    )
    printed = run(
        *given, "--keep", "age", "--l-diversity", "income=5", "--t-closeness", "income=0.4", "--summary", "s.json"
    )
    assert "distinct l-diversity  required 5, reached" in printed
    told = json.loads((folder / "s.json").read_text())["privacy"]
    assert [(x["model"], x["asked"], x["holds"]) for x in told[1:]] == [
        ("distinct l-diversity", 5, True), ("t-closeness", 0.4, True),
    ]  # fmt: skip
    columns = {"job": al.quasi("wordnet:person"), "income": al.sensitive(), "name": al.identifier(), "age": al.keep()}
    plan = al.Plan(columns, privacy=[al.Privacy("l-diversity", "income", l=3)])
    plan.save(folder / "plan.toml")
    asked = ("--l-diversity=income=4", "--p-sensitive=income=2", "--entropy-l-diversity=income=2.5")
    asked += ("--recursive-l-diversity=income=3", "--summary=s.json")
    run("mask", "jobs.csv", "-o", "m.csv", "--plan", "plan.toml", *asked)
    told = json.loads((folder / "s.json").read_text())["privacy"]
    assert {x["model"]: x["asked"] for x in told} == {
        "k-anonymity": 5, "distinct l-diversity": 4, "p-sensitive k-anonymity": 2, "entropy l-diversity": 2.5,
        "recursive (3,l)-diversity": 3,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--l-diversity", "income"), "write COLUMN=NUMBER"),
        (("--l-diversity", "income=many"), "write COLUMN=NUMBER"),
        (("--l-diversity", "income=25"), "all records together reach 24 only"),
        (("--t-closeness", "income=1.5"), "above 0 and below 1"),
        (("--l-diversity", "job=3"), "column job is not sensitive"),
        (("--l-diversity", "nothing=3"), "not in the table: nothing"),
        (("--public",), "--public requires --report"),
        (("--report", "masked.csv"), "written twice"),
        (("--codebook", "nowhere/book.json"), "folder does not exist"),
        (("--method", "noise", "--l-diversity", "income=2"), "makes no groups"),
    ],
)
def test_promises_and_reports_that_cannot_be_leave_no_file(
    folder: Path, options: tuple[str, ...], message: str
) -> None:
    before = set(folder.iterdir())
    done = shell("mask", "jobs.csv", "-o", "masked.csv", "--quasi", "job=wordnet:person", "--keep-rest", *options)
    assert done.returncode == 2
    assert message in done.stderr.decode()
    assert set(folder.iterdir()) == before


def test_reports_and_codebooks_stand_beside_the_release(folder: Path) -> None:
    given = ("mask", "jobs.csv", "-o", "masked.csv", "--quasi", "job=wordnet:person", "--keep-rest")
    run(*given, "--report", "report.html", "--codebook", "book.json")
    assert "Three questions" in (folder / "report.html").read_text("utf-8")
    assert json.loads((folder / "book.json").read_text())["variables"][1]["altered"] is True
    run(*given, "--report", "public.html", "--public")
    assert "for publication" in (folder / "public.html").read_text("utf-8")
    assert "Report: d/report.html" in run("demo", "-o", "d", "--report", "d/report.html")
    assert (folder / "d" / "report.html").exists()
    run("demo", "-o", "d2", "--report", "d2/masked.csv", code=1)
    assert not (folder / "d2").exists()


# --- larger than memory ----------------------------------------------------------------------------------------------

ROLES = ("--quasi", "job=wordnet:person", "--quasi", "age=numeric", "--identifier", "name", "--sensitive", "income")


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
    told = json.loads((folder / "summary.json").read_text())
    assert told["records"] == 24
    assert told["privacy"][0]["holds"]
    found = pd.read_parquet(folder / "out")
    assert Counter(found["year"].astype(int)) == {2020: 12, 2021: 12}
    assert found.groupby(["job", "age"], dropna=False).size().min() >= 5
    assert sorted(found["income"]) == list(range(24))
    assert "year" in run("inspect", str(data))
    assert "24" in run("check", str(data), "--plan", str(planned(folder, data)))


def planned(folder: Path, data: Path) -> Path:
    """Write a plan to begin with."""
    run("inspect", str(data), "-o", str(folder / "plan.toml"))
    return folder / "plan.toml"


def test_a_pattern_has_an_engine_by_itself(folder: Path) -> None:
    data = years(folder)
    told = run("mask", f"{data}/*/part.parquet", "-o", str(folder / "out.parquet"), *ROLES, "--keep-rest", "--json")
    assert json.loads(told)["records"] == 24
    assert len(pd.read_parquet(folder / "out.parquet")) == 24


def test_mistakes_about_engines_end_with_a_hint_and_no_file(folder: Path) -> None:
    data = years(folder)
    one = str(data / "year=2020" / "part.parquet")
    for options, told in (
        (("--engine", "dukdb"), "duckdb"),
        (("--engine", "polars", "--master", "spark://x:1"), "--engine spark"),
        (("--engine", "polars", "--partition-by", "yeer"), "will not be in the release"),
        (("--method", "generalise", "--blocks-from", "10"), "leave it out"),
    ):
        done = shell("mask", one, "-o", str(folder / "out.parquet"), *ROLES, "--keep-rest", *options)
        assert done.returncode == 2, done
        assert told in done.stderr.decode()
        assert not (folder / "out.parquet").exists()


def test_a_report_without_figures_is_refused_before_the_work(folder: Path) -> None:
    one = str(years(folder) / "year=2020" / "part.parquet")
    options = ("--quasi", "age=numeric", "--keep-rest", "--method", "noise", "--report", str(folder / "r.html"))
    done = shell("mask", one, "-o", str(folder / "out.parquet"), *options, "--engine", "polars")
    assert done.returncode == 2, done
    assert "--engine memory" in done.stderr.decode()
    assert not (folder / "out.parquet").exists()
    assert shell("mask", one, "-o", str(folder / "out.parquet"), *options, "--engine", "memory").returncode == 0
