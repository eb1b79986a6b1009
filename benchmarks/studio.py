"""Response times of the studio on copies of Adult, measured through its pages: python benchmarks/studio.py

Every size runs in a separate process. Writes a block of docs/studio.md.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import adult
import pages
from paths import ROOT

PAGE = ROOT / "docs" / "studio.md"
ROWS = 30_162  # of one copy; k is 5 per copy, so the groups are those of one copy
COPIES = (1, 34)
HOST = "127.0.0.1:8765"


def timed(work: Callable[[], Any]) -> float:
    """Return the elapsed seconds of a call."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def measure(data: Path, folder: Path) -> dict[str, float]:
    """Go through the pages as a user does; return the seconds that each step takes."""
    from starlette.testclient import TestClient

    from allonym.studio.app import studio
    from allonym.studio.auth import Guard
    from allonym.studio.workspace import Workspace

    workspace = Workspace(folder)
    guard = Guard(studio(workspace, 2**31), (HOST,), 2**31)
    client = TestClient(guard, base_url=f"http://{HOST}", headers={"origin": f"http://{HOST}"})
    client.get("/", params={"token": guard.token})

    def wait() -> None:
        for job in (workspace.job, workspace.checking and workspace.checking[1]):
            if job is not None:
                job.wait()
                assert not job.problems, job.problems

    def post(path: str, **form: str) -> None:
        base = {"base": str(workspace.require_table().history.current.number)} if workspace.table is not None else {}
        answer = client.post(path, data=base | form)
        assert answer.status_code == 200, answer.text
        wait()

    def get(path: str) -> None:
        assert client.get(path).status_code == 200
        wait()

    def open_table() -> None:
        workspace.open(data, "adult.csv", workspace.new_table_folder())
        wait()
        get("/data")
        get("/data")

    seconds = {"open": timed(open_table)}
    plan = adult.plan()
    roles = {
        f"role-{i}": "quasi" if x in plan.columns else "keep"
        for i, x in enumerate(workspace.require_table().data.names)
    }
    ontologies = {
        f"what-{i}": "wordnet" if x in plan.columns else "" for i, x in enumerate(workspace.require_table().data.names)
    }
    roots = {"root-13": "country.n.02"}
    seconds["roles"] = timed(lambda: post("/columns", **roles, **ontologies, **roots))
    word = {
        "column": "occupation",
        "status": "all",
        "do": "apply",
        "value-0": "Prof-specialty",
        "other-0": "professional",
    }
    seconds["word"] = timed(lambda: post("/words", **word))
    seconds["page"] = timed(lambda: get("/words?column=native-country&status=all&page=2"))
    for name in plan.columns:
        post("/understanding", column=name, what="wordnet", unmatched="opaque", accept_review="yes",
             root="country.n.02" if name == "native-country" else "")  # fmt: skip
    seconds["mask"] = timed(
        lambda: post("/method", method="sa-mdav", k=str(5 * workspace.require_table().data.n // ROWS), do="run")
    )
    seconds["result"] = timed(lambda: get("/result?page=1000"))
    seconds["next"] = timed(lambda: get("/result?page=1001"))
    seconds["rows"] = workspace.require_table().data.n
    seconds["megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return seconds


def table() -> str:
    """Measure and return the table."""
    heads = {
        "open": "open, inspect, measure the risk", "roles": "assign roles", "word": "settle a word",
        "page": "next page of words", "mask": "mask, verify, report", "result": "show the result",
        "next": "next page of the result",
    }  # fmt: skip
    rows = []
    with tempfile.TemporaryDirectory() as name:
        data = Path(name) / "adult.csv"
        for copies in COPIES:
            adult.write(data, copies)
            (Path(name) / f"private-{copies}").mkdir()
            command = [sys.executable, __file__, str(data), str(Path(name) / f"private-{copies}")]
            rows.append(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
    lines = [
        "| seconds | " + " | ".join(f"{x['rows']:,.0f} rows" for x in rows) + " |",
        "|---|" + "---:|" * len(rows),
        *(f"| {head} | " + " | ".join(f"{x[key]:.2f}" for x in rows) + " |" for key, head in heads.items()),
        "| peak memory, MB | " + " | ".join(f"{x['megabytes']:,.0f}" for x in rows) + " |",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(measure(Path(sys.argv[1]), Path(sys.argv[2]))))
    else:
        pages.write(PAGE, "studio", table())
