"""`allonym mask`."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest
from commands import call, shell

import allonym as al
from allonym.errors import OptionError
from allonym.measures.attackers import meaning
from allonym.progress import Phase
from cli.running import run


def test_a_sampled_risk_has_an_interval_unless_it_is_to_be_exact(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("demo", "-o", "d")
    monkeypatch.setattr(meaning, "MAX_PAIRS", 10_000)
    monkeypatch.setattr(meaning, "PART_OF_GROUPING", 10**9)
    options = ("--plan", "d/plan.toml", "--row-order", "keep")
    mask = ("mask", "d/survey.csv", "-o", "m.csv", *options, "--summary", "s.json")
    printed = " ".join(run(*mask).split())
    risk = json.loads((folder / "s.json").read_text())["risk"]
    low, high = risk["intervals"]["meaning"]
    assert f"meaning about {risk['attackers']['meaning']:.1f} % ({low:.1f} to {high:.1f} %)" in printed
    assert "meaning: a sample of the records" in printed
    printed = run(*mask, "--exact-risk")
    assert "about" not in printed
    assert json.loads((folder / "s.json").read_text())["risk"]["intervals"] == {}
    evaluate = ("evaluate", "d/survey.csv", "m.csv", *options, "--json")
    assert "meaning" in json.loads(run(*evaluate))["risk"]["intervals"]
    assert json.loads(run(*evaluate, "--exact-risk"))["risk"]["intervals"] == {}


def test_the_time_is_printed_by_phase(folder: Path) -> None:
    run("demo", "-o", "d")
    printed = " ".join(run("mask", "d/survey.csv", "-o", "m.csv", "--plan", "d/plan.toml").split())
    assert re.search(r"time [0-9.]+ s: .*group [0-9.]+", printed)


def test_a_balance_prints_the_score_that_it_weighs(folder: Path) -> None:
    run("demo", "-o", "d")
    arguments = ("mask", "d/survey.csv", "-o", "m.csv", "--plan", "d/plan.toml")
    measures = json.loads(run(*arguments, "--balance", "0.25", "--json"))["measures"]
    lost, linked, score = (measures[x]["value"] for x in ("information_loss", "record_linkage", "score"))
    assert score == pytest.approx(0.25 * lost + 0.75 * linked)
    printed = " ".join(run(*arguments, "--balance", "0.25").split())
    assert f"score {score:.2f} = 0.25 · loss {lost:.2f} + 0.75 · linkage by text {linked:.2f}" in printed
    assert "score" not in run(*arguments)


def test_the_summary_has_the_keys_that_never_change(folder: Path) -> None:
    run("demo", "-o", "d")
    summary = json.loads(
        run("mask", "d/survey.csv", "-o", "m.csv", "--plan", "d/plan.toml", "--json", "--summary", "s.json")
    )
    assert summary == json.loads((folder / "s.json").read_text())
    assert list(summary) == [
        "format", "records", "units", "tuples", "suppressed", "suppressed_cells", "method", "parameters", "seed",
        "reproducible", "privacy", "changes", "nulls", "measures", "optimality", "risk", "cautions", "seconds",
        "seconds_by_phase", "ontologies", "sha256", "suppression", "row_order",
    ]  # fmt: skip
    assert list(summary["seconds_by_phase"]) == list(Phase)
    assert 0 < sum(summary["seconds_by_phase"].values()) <= summary["seconds"]
    assert list(summary["risk"]) == ["highest", "blind_guess", "attackers", "before", "intervals", "inference"]
    assert list(summary["risk"]["highest"]) == ["attacker", "value", "before", "interval"]
    assert list(summary["risk"]["inference"]["spent"]) == ["value", "before", "baseline", "marginal", "interval"]
    assert list(summary["measures"]["information_loss"]) == ["value", "before", "baseline", "interval", "by_column"]
    assert set(summary["measures"]) == {
        "information_loss", "sse", "sst", "total_variation", "earth_movers_distance", "record_linkage",
        "semantic_linkage", "score",
    }  # fmt: skip
    assert set(summary["sha256"]) == {"input", "plan", "links", "ontologies", "output"}
    digest = subprocess.run(["sha256sum", "m.csv", "d/plan.toml"], capture_output=True, text=True, check=True).stdout
    assert [line.split()[0] for line in digest.splitlines()] == [summary["sha256"]["output"], summary["sha256"]["plan"]]


def test_mask_without_a_plan_takes_roles_from_options(folder: Path) -> None:
    roles = ["--quasi", "job=wordnet:person", "--quasi", "age=numeric", "--sensitive", "income", "--identifier", "name"]
    printed = run("mask", "jobs.csv", "-o", "m.csv", *roles, "--k", "3", "--method", "mode", "--row-order", "keep")
    assert "required 3, reached" in printed
    assert "order of rows was kept and correlates with" in printed
    masked = pd.read_csv("m.csv")
    assert list(masked) == ["job", "age", "income"]
    assert masked.groupby(["job", "age"]).size().min() >= 3
    assert masked["income"].tolist() == list(range(24))


def test_methods_take_their_options(folder: Path) -> None:
    roles = [
        "--quasi",
        "job=wordnet:person",
        "--quasi",
        "age=numeric",
        "--keep",
        "name",
        "--keep",
        "name",
        "--keep",
        "name",
        "--keep-rest",
        "--k",
        "3",
        "--json",
    ]
    summary = json.loads(
        run("mask", "jobs.csv", "-o", "m.csv", *roles, "--growth", "weighted", "--represent", "member")
    )
    expected = {"k": 3, "represent": "member", "refine": True, "growth": "weighted"}
    assert summary["method"] == "sa-mdav"
    assert expected.items() <= summary["parameters"].items()
    al.Plan(
        {"age": al.quasi(), "name": al.keep()}, method="sa-mdav", parameters={"growth": "plain"}, keep_rest=True
    ).save("plan.toml")
    summary = json.loads(run("mask", "jobs.csv", "-o", "m.csv", "--plan", "plan.toml", "--json"))
    assert summary["parameters"]["growth"] == "plain"
    summary = json.loads(run("mask", "jobs.csv", "-o", "m.csv", *roles, "--method", "fusion", "--heuristics", "h1+h2"))
    expected = {"k": 3, "heuristics": "h1+h2", "guide": "similarity", "refine": True}
    assert expected.items() <= summary["parameters"].items()
    summary = json.loads(run("mask", "jobs.csv", "-o", "m.csv", *roles, "--no-refine"))
    assert summary["parameters"]["refine"] is False
    al.Plan({"age": al.quasi(), "name": al.keep()}, parameters={"refine": False}, keep_rest=True).save("plan.toml")
    assert "refine = no" in run("mask", "jobs.csv", "-o", "m.csv", "--plan", "plan.toml")
    assert "refine =" not in run("mask", "jobs.csv", "-o", "m.csv", "--plan", "plan.toml", "--refine")
    parameters = {"growth": "weighted", "represent": "subsumer"}
    al.Plan({"age": al.quasi(), "name": al.keep()}, parameters=parameters, keep_rest=True).save("plan.toml")
    summary = json.loads(run("mask", "jobs.csv", "-o", "m.csv", "--plan", "plan.toml", "--method", "sa-mdav", "--json"))
    expected = {"k": 5, "represent": "subsumer", "refine": True, "growth": "weighted"}
    assert expected.items() <= summary["parameters"].items()
    summary = json.loads(run("mask", "jobs.csv", "-o", "m.csv", "--plan", "plan.toml", "--method", "mode", "--json"))
    assert summary["method"] == "mdav"
    assert {"k": 5, "represent": "subsumer", "refine": True}.items() <= summary["parameters"].items()


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
    al.Plan({"income": al.sensitive(), "age": al.quasi(), "name": al.keep()}, keep_rest=True).save("sub/plan.toml")
    roles = ["--quasi", "job=tree.csv#staff", "--quasi", "age=ordinal:ages.txt"]
    run("mask", "jobs.csv", "-o", "m.csv", "--plan", "sub/plan.toml", *roles)
    assert set(pd.read_csv("m.csv")["job"].dropna()) == {"cook", "nurse"}


def test_two_ontologies_for_one_column_are_blended(folder: Path) -> None:
    (folder / "tree.csv").write_text("child,parent\ncook,staff\nquux,staff\n")
    (folder / "jobs.csv").write_text("job\n" + "cook\nquux\nnurse\n" * 4)
    run("mask", "jobs.csv", "-o", "m.csv", "--quasi", "job=wordnet:person", "--quasi", "job=tree.csv", "--k", "2")
    assert len((folder / "m.csv").read_text().splitlines()) == 13


def test_standard_input_and_output_carry_the_release_alone(folder: Path) -> None:
    data = (folder / "jobs.csv").read_text()
    roles = ["--quasi", "age=numeric", "--keep", "name", "--keep-rest", "--k", "3", "--row-order", "keep"]
    done = shell("mask", "-", "-o", "-", *roles, stdin=data)
    assert done.returncode == 0, done.stderr
    run("mask", "jobs.csv", "-o", "m.csv", *roles)
    assert done.stdout == (folder / "m.csv").read_text()
    assert "reached" in done.stderr
    with_json = call("mask", "-", "-o", "-", *roles, "--json", stdin=data)
    assert with_json.stdout == done.stdout
    assert json.loads(with_json.stderr)["records"] == 24


def test_parquet_in_and_out(folder: Path) -> None:
    pd.read_csv("jobs.csv").to_parquet("jobs.parquet")
    roles = ["--quasi", "job=wordnet:person", "--quasi", "age=numeric", "--keep", "name", "--keep-rest", "--k", "3"]
    roles += ["--row-order", "keep"]
    run("mask", "jobs.parquet", "-o", "m.parquet", *roles)
    run("mask", "jobs.csv", "-o", "m.csv", *roles)
    pd.testing.assert_frame_equal(pd.read_parquet("m.parquet"), pd.read_csv("m.csv"))


def test_a_file_without_a_header_has_numbered_columns(folder: Path) -> None:
    (folder / "bare.txt").write_text("nurse|1\ncook|2\n" * 3)
    roles = ["--no-header", "--quasi", "1=wordnet:person", "--keep", "2", "--k", "3", "--row-order", "keep"]
    run("mask", "bare.txt", "-o", "m.txt", *roles)
    rows = list(csv.reader(io.StringIO((folder / "m.txt").read_text()), delimiter="|"))
    assert [row[1] for row in rows] == ["1", "2"] * 3


def test_options_win_over_the_plan(folder: Path) -> None:
    al.Plan({"age": al.quasi("numeric"), "name": al.keep()}, k=3, keep_rest=True).save("plan.toml")
    summary = json.loads(
        run("mask", "jobs.csv", "-o", "m.csv", "--plan", "plan.toml", "--k", "6", "--seed", "9", "--json")
    )
    assert (summary["parameters"]["k"], summary["seed"]) == (6, 9)


def test_promises_beside_k_are_asked_for_by_options(folder: Path) -> None:
    command = (
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
        *command, "--keep", "age", "--l-diversity", "income=5", "--t-closeness", "income=0.4", "--summary", "s.json"
    )
    assert "distinct l-diversity  required 5, reached" in printed
    promises = json.loads((folder / "s.json").read_text())["privacy"]
    assert [(x["model"], x["asked"], x["holds"]) for x in promises[1:]] == [
        ("distinct l-diversity", 5, True), ("t-closeness", 0.4, True),
    ]  # fmt: skip
    columns = {"job": al.quasi("wordnet:person"), "income": al.sensitive(), "name": al.identifier(), "age": al.keep()}
    plan = al.Plan(columns, privacy=[al.Privacy("l-diversity", "income", l=3)])
    plan.save(folder / "plan.toml")
    asked = ("--l-diversity=income=4", "--p-sensitive=income=2", "--entropy-l-diversity=income=2.5")
    asked += ("--recursive-l-diversity=income=3", "--summary=s.json")
    run("mask", "jobs.csv", "-o", "m.csv", "--plan", "plan.toml", *asked)
    promises = json.loads((folder / "s.json").read_text())["privacy"]
    assert {x["model"]: x["asked"] for x in promises} == {
        "k-anonymity": 5, "distinct l-diversity": 4, "p-sensitive k-anonymity": 2, "entropy l-diversity": 2.5,
        "recursive (3,l)-diversity": 3,
    }  # fmt: skip


def test_reports_and_codebooks_stand_beside_the_release(folder: Path) -> None:
    command = ("mask", "jobs.csv", "-o", "masked.csv", "--quasi", "job=wordnet:person", "--keep", "name", "--keep-rest")
    run(*command, "--report", "report.html", "--codebook", "book.json")
    assert "Three questions" in (folder / "report.html").read_text("utf-8")
    assert json.loads((folder / "book.json").read_text())["variables"][1]["altered"] is True
    run(*command, "--report", "public.html", "--public")
    assert "for publication" in (folder / "public.html").read_text("utf-8")
    assert "Report: d/report.html" in run("demo", "-o", "d", "--report", "d/report.html")
    assert (folder / "d" / "report.html").exists()
    with pytest.raises(OptionError, match="of the demonstration itself"):
        run("demo", "-o", "d2", "--report", "d2/masked.csv")
    assert not (folder / "d2").exists()
