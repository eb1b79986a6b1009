"""Methods side by side: the figures of each run are those of `mask`, whoever makes them."""

from __future__ import annotations

import csv
import io
import json
import time
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

import allonym as al
from allonym.cli import app
from allonym.errors import OptionError, OutputError, PlanError
from allonym.measures.measurement import OF_THESIS
from allonym.pipeline import compare as comparing
from allonym.pipeline.compare import compare
from allonym.pipeline.demo import demonstrate
from allonym.plan.model import Plan
from allonym.report.comparison import HEADS, Comparison

JOBS = al.read_taxonomy(Path(__file__).parents[1] / "data" / "mini-jobs.csv")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("demo")
    demonstrate(made)
    return made


def people() -> pd.DataFrame:
    jobs = ["cook", "baker", "smith", "welder", "nurse", "cook", "cook"] * 6
    return pd.DataFrame({"job": jobs, "age": [20 + i * 7 % 50 for i in range(42)], "ill": ["flu", "gout"] * 21})


PLAN = al.Plan({"job": al.quasi(JOBS), "age": al.quasi("numeric"), "ill": al.sensitive()}, k=5, seed=3)


def plain(summary: dict[str, object]) -> dict[str, object]:
    """Return the figures of a run that do not depend on where and how long it was made."""
    return {x: y for x, y in summary.items() if x not in ("seconds", "seconds_by_phase", "sha256", "row_order")}


def test_each_run_has_the_figures_of_its_release() -> None:
    found = al.compare(people(), PLAN, ["sa-mdav", "fusion", "mdav"], {"k": [2, 5]})
    settings = [(x["method"], x["parameters"]["k"]) for x in found.runs]
    assert settings == [(m, k) for m in ("sa-mdav", "fusion", "mdav") for k in (2, 5)]
    for (method, k), run in zip(settings, found.runs, strict=True):
        plan = al.Plan(PLAN.columns, method=method, k=k, seed=3)
        alone = plan.run(people())
        figures = dict(run)
        more = {name: figures["measures"][name] for name in OF_THESIS}
        figures["measures"] = {name: x for name, x in figures["measures"].items() if name not in more}
        assert plain(figures) == plain(alone.summary)
        evaluated = plan.evaluate(people(), alone.frame).summary["measures"]
        assert {name: x["value"] for name, x in more.items()} == pytest.approx(
            {name: evaluated[name]["value"] for name in OF_THESIS}
        )
    json.dumps(found.to_dict())


def test_other_measures_are_chosen(tmp_path: Path) -> None:
    found = compare(people(), PLAN, ["sa-mdav"], {"k": [3]}, measures=["loss_metric", "path_distance", "score"])
    assert found.measures == ("loss_metric", "path_distance")  # every run has a score
    [row] = found.rows()
    assert row["loss_metric"] == found.runs[0]["measures"]["loss_metric"]["value"] > 0
    assert "Other measures" in found.html()
    numbers = al.Plan({"age": al.quasi("numeric")}, k=3, seed=1)
    [row] = compare(people()[["age"]], numbers, ["sa-mdav"], {"k": [3]}).rows()
    assert row["path_distance"] is None  # no column has an ontology
    bare = compare(people(), PLAN, ["sa-mdav"], {"k": [3]}, measures=())
    assert "Other measures" not in bare.html()
    with pytest.raises(OptionError, match="did you mean 'discernibility'"):
        compare(people(), PLAN, ["sa-mdav"], {"k": [3]}, measures=["discernability"])


def test_promises_beside_k_are_kept_in_every_run() -> None:
    plan = al.Plan(PLAN.columns, k=5, privacy=[al.Privacy("l-diversity", "ill", l=2)])
    found = al.compare(people(), plan, ["sa-mdav", "recoding"], {"k": [3], "per_attribute": [True]})
    for run in found.runs:
        promised = [x for x in run["privacy"] if x["model"] == "distinct l-diversity"]
        assert promised
        assert all(x["holds"] and x["reached"] == 2 for x in promised)
    assert len(found.runs) == 2


def test_a_parameter_counts_for_the_methods_that_have_it() -> None:
    found = compare(people(), PLAN, ["sa-mdav", "fusion"], {"k": [3], "growth": ["plain", "weighted"]})
    assert [(x["method"], x["parameters"].get("growth")) for x in found.runs] == [
        ("sa-mdav", "plain"), ("sa-mdav", "weighted"), ("fusion", None),
    ]  # fmt: skip
    assert [row["parameters"] for row in found.rows()] == ["growth = plain", "growth = weighted", ""]


def test_what_the_plan_says_of_its_own_method_stays() -> None:
    plan = al.Plan(PLAN.columns, method="sa-mdav", k=4, parameters={"represent": "subsumer"})
    runs = compare(people(), plan, ["sa-mdav", "s-mdav"], {}).runs
    assert [(x["parameters"]["represent"], x["parameters"]["k"]) for x in runs] == [("subsumer", 4), ("auto", 4)]
    made = al.Plan(PLAN.columns, method=al.SAMDAV(k=4, represent="subsumer"))
    assert compare(people(), made, ["sa-mdav"], {"k": [3]}).runs[0]["parameters"]["represent"] == "subsumer"


def test_the_best_trade_offs_are_those_that_no_other_beats() -> None:
    def run(loss: float, linkage: float) -> dict[str, object]:
        return {"measures": {"information_loss": {"value": loss}}, "risk": {"highest": {"value": linkage}}}

    points = [(1.0, 9.0), (2.0, 9.0), (3.0, 3.0), (3.0, 3.0), (4.0, 4.0), (9.0, 1.0), (9.5, 0.5)]
    assert Comparison([run(*x) for x in points]).best == [True, False, True, True, False, True, True]


def test_what_cannot_be_run_is_left_out_and_told() -> None:
    found = compare(people(), PLAN, ["sa-mdav", "generalise", "recoding", "noise"], {"k": [3, 50]})
    assert [(x["method"], x["parameters"]) for x in found.failed] == [
        ("sa-mdav", {"k": 50}), ("generalise", {"k": 50}), ("recoding", {"k": 3}), ("recoding", {"k": 50}),
    ]  # fmt: skip
    assert "only 42 rows" in found.failed[0]["problems"][0]
    assert [x["method"] for x in found.runs] == ["sa-mdav", "generalise", "noise"]
    assert "only 42 rows" in found.html()


def test_if_nothing_can_be_run_that_is_an_error() -> None:
    with pytest.raises(PlanError, match="only 42 rows"):
        compare(people(), PLAN, ["sa-mdav"], {"k": [50, 60]})
    with pytest.raises(OptionError, match="did you mean 'fusion'"):
        compare(people(), PLAN, ["fusoin"])
    with pytest.raises(OptionError, match="parameter alpha"):
        compare(people(), PLAN, ["sa-mdav"], {"alpha": [0.1]})
    with pytest.raises(OptionError, match="no method"):
        compare(people(), PLAN, [])
    with pytest.raises(PlanError, match="k is 1"):
        compare(people(), PLAN, ["sa-mdav"], {"k": [1]})


def test_numbers_as_csv_json_and_a_page(tmp_path: Path) -> None:
    found = compare(people(), PLAN, ["sa-mdav", "mdav"], {"k": [2, 5]})
    for ending in ("html", "csv", "json"):
        found.save(tmp_path / f"found.{ending}")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "found.csv").read_text("utf-8"))))
    assert list(rows[0]) == [*HEADS, *OF_THESIS]
    for row, run in zip(rows, found.runs, strict=True):
        assert float(row["information_loss"]) == run["measures"]["information_loss"]["value"]
    told = json.loads((tmp_path / "found.json").read_text("utf-8"))
    assert [x["best"] for x in told["runs"]] == found.best
    page = (tmp_path / "found.html").read_text("utf-8")
    assert page.count("<svg") == 4
    assert page.count("<script>") == 1
    assert "script-src &#39;sha256-" in page
    assert found._repr_html_().startswith("<iframe")
    with pytest.raises(OutputError, match="unknown ending"):
        found.save(tmp_path / "found.xlsx")


def test_several_processes_give_the_same_figures(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = replace(Plan.load(folder / "plan.toml"), seed=1)
    given = (str(folder / "survey.csv"), plan, ["sa-mdav", "fusion", "s-mdav"], {"k": [3, 5]})
    alone = compare(*given, workers=1)
    monkeypatch.setattr(comparing, "MIN_SECONDS_FOR_WORKERS", 0.0)
    together = compare(*given, workers=2)
    assert [plain(dict(x)) for x in together.runs] == [plain(dict(x)) for x in alone.runs]
    monkeypatch.setattr(comparing, "WORKER_PROGRAM", "raise SystemExit")
    assert [plain(dict(x)) for x in compare(*given, workers=3).runs] == [plain(dict(x)) for x in alone.runs]


def test_a_helper_answers_settings_with_figures(folder: Path) -> None:
    """What the other process does, line by line."""
    import subprocess
    import sys

    from allonym.pipeline.compare import _start_message

    plan, file = replace(Plan.load(folder / "plan.toml"), seed=1), folder / "survey.csv"
    begin = _start_message(plan, file, 0.5, OF_THESIS)
    assert begin is not None
    lines = [json.dumps(x) for x in (begin, {"method": "fusion", "parameters": {"k": 3}})]
    done = subprocess.run(
        [sys.executable, "-c", comparing.WORKER_PROGRAM],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=True,
    )
    first, second = map(json.loads, done.stdout.splitlines())
    assert first == {}
    assert plain(second) == plain(dict(compare(file, plan, ["fusion"], {"k": [3]}).runs[0]))
    assert _start_message(PLAN, people(), 0.5) is None
    assert _start_message(PLAN, "-", 0.5) is None


def run(*arguments: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, [str(x) for x in arguments])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        return 2, done.stdout, str(done.exception)
    return done.exit_code, done.stdout, done.stderr


def test_the_command_writes_pages_and_numbers(folder: Path, tmp_path: Path) -> None:
    outputs = [x for ending in ("html", "csv", "json") for x in ("-o", tmp_path / f"c.{ending}")]
    given = (
        "compare",
        folder / "survey.csv",
        "--plan",
        folder / "plan.toml",
        "--methods",
        "sa-mdav, fusion",
        "--k",
        "3,5",
    )
    code, out, _ = run(*given, *outputs)
    assert code == 0
    assert [x.split()[:2] for x in out.splitlines()[1:5]] == [
        ["sa-mdav", "3"], ["sa-mdav", "5"], ["fusion", "3"], ["fusion", "5"],
    ]  # fmt: skip
    assert "best" in out
    code, out, _ = run(*given, "--json")
    assert code == 0
    assert len(json.loads(out)["runs"]) == 4


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("-o", "c.pdf"), "unknown kind of file"),
        (("--methods", "nothing"), "unknown method"),
        (("--k", ","), "--k has no values"),
        (("--grid", "alpha"), "NAME=VALUE"),
        (("--k", "0"), "k is 0"),
    ],
)
def test_the_command_refuses_what_makes_no_sense(folder: Path, options: tuple[str, ...], message: str) -> None:
    code, _, error = run("compare", folder / "survey.csv", "--plan", folder / "plan.toml", *options)
    assert code == 2
    assert message in error


def test_a_helper_that_hangs_keeps_nobody_waiting(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = Plan.load(folder / "plan.toml")
    monkeypatch.setattr(comparing, "MIN_SECONDS_FOR_WORKERS", 0.0)
    monkeypatch.setattr(comparing, "WORKER_PROGRAM", "import time; time.sleep(120)")
    began = time.perf_counter()
    found = compare(folder / "survey.csv", plan, ["sa-mdav", "fusion"], {"k": [3, 5]}, workers=2)
    assert len(found.runs) == 4
    assert time.perf_counter() - began < 60


def test_a_helper_imports_nothing_from_where_the_data_is(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "random.py").write_text("raise SystemExit('somebody else ran')")
    monkeypatch.chdir(folder)
    monkeypatch.setattr(comparing, "MIN_SECONDS_FOR_WORKERS", 0.0)
    monkeypatch.setattr(
        comparing, "WORKER_PROGRAM", "import random, sys; sys.stdin.readline(); print('{}', flush=True)"
    )
    answers = []
    send = comparing._Worker._send
    monkeypatch.setattr(comparing._Worker, "_send", lambda self, x: answers.append(send(self, x)) or answers[-1])
    try:
        compare("survey.csv", Plan.load("plan.toml"), ["fusion"], {"k": [2, 3, 4, 5, 6]}, workers=2)
    finally:
        (folder / "random.py").unlink()
    assert answers[:1] == [{}]


def test_helpers_have_the_seed_of_the_plan(folder: Path) -> None:
    from allonym.pipeline.compare import _Setting, _start_message, _variant

    plan = Plan.load(folder / "plan.toml")
    unseeded = al.Plan(plan.columns, folder=plan.folder)
    begin = _start_message(unseeded, folder / "survey.csv", 0.5)
    assert begin is not None
    assert begin["seed"] is None
    seeded = al.Plan(PLAN.columns, k=5, seed=3)
    assert _variant(seeded, _Setting("exponential", {})).seed is None  # as `mask --method exponential` has it
    assert _variant(seeded, _Setting("fusion", {"k": 3})).seed == 3


def test_one_run_that_fails_does_not_take_the_others_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("allonym.methods.generalise.MAX_COMBINATIONS", 0)
    plan = al.Plan({"job": al.quasi(JOBS), "age": al.keep(), "ill": al.keep()}, k=3)
    found = compare(people(), plan, ["sa-mdav", "generalise"], {"k": [3]})
    assert [x["method"] for x in found.runs] == ["sa-mdav"]
    assert "combinations of levels" in found.failed[0]["problems"][0]
    with pytest.raises(PlanError, match="combinations of levels"):
        compare(people(), plan, ["generalise"], {"k": [3]})


def test_methods_without_k_and_grids_without_values() -> None:
    plan = al.Plan({"job": al.quasi(JOBS), "age": al.keep(), "ill": al.keep()})
    assert len(compare(people(), plan, ["noise"]).runs) == 1
    assert len(compare(people(), plan, ["fusion"], {"k": [3, 3]}).runs) == 1
    for grid in ({"k": []}, {"k": "35"}):
        with pytest.raises(OptionError, match="no values of k"):
            compare(people(), plan, ["fusion"], grid)
    with pytest.raises(OptionError, match="balance is 3"):
        compare(people(), plan, ["fusion"], {"k": [3]}, balance=3)


def test_files_of_the_plan_are_not_written_over(folder: Path) -> None:
    links = folder / "reason.links.csv"
    before = links.read_bytes()
    given = (folder / "survey.csv", "--plan", folder / "plan.toml")
    for command in (("compare", *given, "-o", links), ("mask", *given, "-o", folder / "m.csv", "--codebook", links)):
        code, _, error = run(*command)
        assert (code, links.read_bytes()) == (2, before)
        assert "is the data itself" in error
    for option, message in (("-", "standard output"), (folder, "is an existing folder")):
        code, _, error = run("mask", *given, "-o", folder / "m.csv", "--report", option)
        assert code == 2
        assert message in error
    assert not (folder / "m.csv").exists()
