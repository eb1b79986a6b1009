"""Privacy of the process: no network, no pickle, no cell in logs, errors or tracebacks; the same bytes every time."""

from __future__ import annotations

import ast
import csv
import io
import json
import logging
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from commands import call
from shared import same_key

import allonym as al
from allonym.cli.app import main
from allonym.methods import METHODS
from allonym.pipeline.demo import demonstrate, survey

SOURCE = Path(al.__file__).parent
JOBS = al.read_taxonomy(Path(__file__).parents[1] / "data" / "mini-jobs.csv")
NO_SOCKETS = """
import json, socket, sys
def refuse(*args, **options):
    raise RuntimeError("a socket was asked for")
class Refusing(socket.socket):
    __init__ = refuse
socket.socket = Refusing
socket.create_connection = socket.getaddrinfo = socket.gethostbyname = refuse
from allonym.cli import main
for command in json.loads(sys.argv[1]):
    sys.argv = ["allonym", *command]
    try:
        main()
    except SystemExit as end:
        assert end.code == 0, command
"""
COMMAND = [sys.executable, "-m", "allonym"]
SECRET = "Xylophonist-4711"


def test_nothing_asks_for_the_network(tmp_path: Path) -> None:
    demonstrate(tmp_path / "demo")
    folder, rows = tmp_path / "demo", str(tmp_path / "rows.csv")
    base = [str(folder / "survey.csv"), "--plan", str(folder / "plan.toml")]
    commands = [
        ["check", *base],
        ["mask", *base, "-o", str(tmp_path / "m.csv"), "--report", str(tmp_path / "r.html"), "--row-map", rows],
        ["evaluate", base[0], str(tmp_path / "m.csv"), *base[1:], "--row-map", rows],
        ["compare", *base, "--k", "5", "--methods", "sa-mdav,fusion"],
    ]
    program = [sys.executable, "-c", NO_SOCKETS, json.dumps(commands)]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "m.csv").exists()
    assert "sa-mdav" in done.stdout


def test_the_test_of_sockets_can_fail() -> None:
    code = NO_SOCKETS.replace("main()", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:9')")
    program = [sys.executable, "-c", code, '[["check"]]']
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert "a socket was asked for" in done.stderr


def test_without_any_network_at_all(tmp_path: Path) -> None:
    command = ["unshare", "-n", *COMMAND, "demo", "-o", str(tmp_path)]
    if subprocess.run(["unshare", "-n", "true"], capture_output=True, check=False).returncode:
        pytest.skip("no network can be taken away here")
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0


def test_no_module_pickles_evaluates_or_opens_sockets() -> None:
    forbidden = {"pickle", "shelve", "marshal", "dill", "cloudpickle", "socket", "http", "urllib", "requests", "ftplib"}
    plain = {"urllib.parse", "http.cookies"}  # text only
    violations = []
    for path in SOURCE.rglob("*.py"):
        if path == SOURCE / "studio" / "server.py":  # it listens, and calls nobody
            assert ".connect" not in path.read_text("utf-8")
            forbidden = forbidden - {"socket"}
        else:
            forbidden = forbidden | {"socket"}
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [x.name for x in node.names] if isinstance(node, (ast.Import, ast.ImportFrom)) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            violations += [(path.name, x) for x in names if x.split(".")[0] in forbidden and x not in plain]
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("eval", "exec"):
                violations.append((path.name, node.func.id))
            if isinstance(node, ast.keyword) and node.arg == "allow_pickle":
                assert isinstance(node.value, ast.Constant)
                assert node.value.value is False
    assert violations == []


def people(n: int = 30) -> pd.DataFrame:
    jobs = ["cook", "baker", "smith", SECRET, "nurse"]
    return pd.DataFrame({"name": [f"{SECRET} {i}" for i in range(n)], "job": [jobs[i % 5] for i in range(n)],
                         "age": [SECRET if i == 7 else str(20 + i % 9) for i in range(n)]})  # fmt: skip


@pytest.mark.parametrize(
    "options",
    [
        ("--quasi", "job=wordnet:person"),
        ("--quasi", "age=numeric"),
        ("--quasi", "job=wordnet:person", "--unmatched", "opaque", "--k", "99"),
        ("--quasi", "job=wordnet:person", "--unmatched", "opaque", "--method", "noise"),
        ("--quasi", "job=category", "--identifier", "job"),
        ("--quasi", "job=category", "--l-diversity", "age=99"),
        ("--quasi", "job=nothing.csv"),
        ("--quasi", "nothing=category"),
    ],
)
def test_errors_hold_no_cells(tmp_path: Path, options: tuple[str, ...], caplog: pytest.LogCaptureFixture) -> None:
    people().to_csv(tmp_path / "in.csv", index=False)
    files = [str(tmp_path / "in.csv"), "-o", str(tmp_path / "out.csv")]
    command = ["mask", *files, "--keep-rest", "--hide-values", *options]
    done = call(*command)
    assert done.returncode == 2, done.stderr
    assert SECRET not in done.stderr + done.stdout
    assert not (tmp_path / "out.csv").exists()


def test_logs_hold_no_cells(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    columns = {"name": al.identifier(), "job": al.quasi(JOBS, unmatched="opaque", accept_review=True), "age": al.keep()}
    al.Plan(columns, k=3).run(people())
    assert SECRET not in caplog.text


def test_a_mistake_of_ours_is_told_without_cells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    people().to_csv(tmp_path / "in.csv", index=False)

    def broken(*args: object, **options: object) -> None:
        raise ValueError(f"could not convert {SECRET}")

    monkeypatch.setattr("allonym.pipeline.run.masked", broken)
    words = ["allonym", "mask", str(tmp_path / "in.csv"), "-o", str(tmp_path / "out.csv"), "--quasi", "job=category"]
    monkeypatch.setattr(sys, "argv", [*words, "--identifier", "name", "--keep-rest"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 70
    message = capsys.readouterr().err
    assert SECRET not in message
    assert "ValueError" in message
    assert "pipeline/run.py, line" in message
    assert [x.name for x in tmp_path.iterdir()] == ["in.csv"]


def test_nothing_is_written_but_beside_the_output(tmp_path: Path) -> None:
    demonstrate(tmp_path / "demo")
    for name in ("work", "home", "tmp", "out"):
        (tmp_path / name).mkdir()
    environment = {"HOME": str(tmp_path / "home"), "TMPDIR": str(tmp_path / "tmp"), "PATH": os.environ["PATH"]}
    command = [sys.executable, "-B", "-m", "allonym", "mask", str(tmp_path / "demo/survey.csv")]
    command += ["--plan", str(tmp_path / "demo/plan.toml"), "-o", str(tmp_path / "out/m.csv"), "--summary"]
    subprocess.run(
        [*command, str(tmp_path / "out/s.json")],
        check=True,
        capture_output=True,
        cwd=tmp_path / "work",
        env=environment,
    )
    assert {name: sorted(x.name for x in (tmp_path / name).iterdir()) for name in ("work", "home", "tmp", "out")} == {
        "work": [], "home": [], "tmp": [], "out": ["m.csv", "s.json"],
    }  # fmt: skip


# --- determinism --------------------------------------------------------------------------------------------------

RUN = """
import hashlib, sys
from pathlib import Path
import allonym as al
from allonym.methods import METHODS
from allonym.methods.base import ColumnwiseMethod
jobs, source, target = al.read_taxonomy(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
for name, method in METHODS.items():
    columns = {"job": al.quasi(jobs, unmatched="suppress", accept_review=True)}
    numeric = "numeric" in method.info.kinds and name != "generalise"  # which would leave no value
    columns |= {"age": al.quasi("numeric") if numeric else al.keep()}
    parameters = {"per_attribute": True} if issubclass(method, ColumnwiseMethod) else {}
    al.Plan(columns, keep_rest=True, seed=11, method=name, parameters=parameters).run(source, target)
    print(name, hashlib.sha256(target.read_bytes()).hexdigest())
"""


def test_hash_seeds_and_processes_change_nothing(tmp_path: Path) -> None:
    jobs = ["cook", "baker", "smith", "welder", "nurse", "zzz", ""]
    rows = [f"{jobs[i * 5 % 7]},{20 + i * 3 % 17},{'fm'[i % 2]}" for i in range(60)]
    (tmp_path / "in.csv").write_text("job,age,sex\n" + "\n".join(rows) + "\n")
    paths = [Path(__file__).parents[1] / "data" / "mini-jobs.csv", tmp_path / "in.csv", tmp_path / "out.csv"]
    hashes = []
    for seed in ("0", "4711"):
        environment = os.environ | {"PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", RUN, *map(str, paths)]
        hashes.append(subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout)
    assert len(hashes[0].splitlines()) == len(METHODS)
    assert hashes[0] == hashes[1]


@pytest.mark.parametrize("method", METHODS)
def test_frames_of_all_libraries_and_files_give_the_same_texts(tmp_path: Path, method: str) -> None:
    jobs = ["cook", "baker", "smith", "welder", "nurse", None]
    data = {"job": [jobs[i * 5 % 6] for i in range(48)], "note": [f"n{i}" for i in range(48)]}
    column = al.quasi(JOBS, unmatched="suppress", accept_review=True)
    plan = al.Plan({"job": column, "note": al.keep()}, method=method, seed=5, row_order="keep")
    frames = [pd.DataFrame(data, dtype=object), pl.DataFrame(data), pa.table(data)]
    masked = [plan.run(frame).frame for frame in frames]
    texts = [
        [None if pd.isna(x) else x for x in masked[0]["job"]],
        masked[1]["job"].to_list(),
        masked[2]["job"].to_pylist(),
    ]
    assert texts[0] == texts[1] == texts[2]
    pd.DataFrame(data).to_csv(tmp_path / "in.csv", index=False)
    with same_key():
        expected = [None if pd.isna(x) else x for x in plan.run(frames[0]).frame["job"]]
        plan.run(tmp_path / "in.csv", tmp_path / "out.csv")
    assert [x or None for x in pd.read_csv(tmp_path / "out.csv", keep_default_na=False)["job"]] == expected


def test_the_survey_is_what_it_was() -> None:
    assert len(survey().splitlines()) == 976


def test_links_files_run_nothing_in_a_spreadsheet_and_come_back(tmp_path: Path) -> None:
    from allonym.ontology.linking import links_file as links

    values = ["=cmd()", "+1", "-x", "@y", "'=z", "''@", "cook", "it's", "'s"]
    (tmp_path / "in.csv").write_text("job\n" + "".join(f'"{x}"\n' for x in values * 3))
    (tmp_path / "plan.toml").write_text('format = 1\n[columns.job]\nrole = "quasi"\nunmatched = "opaque"\n')
    plan = al.Plan.load(tmp_path / "plan.toml")
    [written] = plan.check(tmp_path / "in.csv").pin(tmp_path / "plan.toml")
    for row in csv.reader(io.StringIO(written.read_text("utf-8"), newline="")):
        assert not any(cell[:1] in ("=", "+", "-", "@", "\t", "\r") for cell in row)
    assert set(links.read(written).rows) == set(values)
