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
from collections.abc import Callable, Collection
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


class User:
    """A user who goes through the pages of a studio, and waits for its jobs."""

    def __init__(self, folder: Path) -> None:
        from starlette.testclient import TestClient

        from allonym.studio.app import studio
        from allonym.studio.auth import Guard
        from allonym.studio.workspace import Workspace

        self.workspace = Workspace(folder)
        guard = Guard(studio(self.workspace, 2**31), (HOST,), 2**31)
        self.client = TestClient(guard, base_url=f"http://{HOST}", headers={"origin": f"http://{HOST}"})
        self.client.get("/", params={"token": guard.token})

    @property
    def data(self) -> Any:
        """The open table."""
        return self.workspace.require_table().data

    def wait(self) -> None:
        """Wait until nothing is running."""
        for job in (self.workspace.job, self.workspace.checking and self.workspace.checking[1]):
            if job is not None:
                job.wait()
                assert not job.problems, job.problems

    def post(self, path: str, **form: str) -> None:
        """Send a form, based on the plan as it is now."""
        base = {}
        if self.workspace.table is not None:
            base = {"base": str(self.workspace.require_table().history.current.number)}
        answer = self.client.post(path, data=base | form)
        assert answer.status_code == 200, answer.text
        self.wait()

    def get(self, path: str) -> None:
        """Open a page."""
        assert self.client.get(path).status_code == 200
        self.wait()

    def open_table(self, data: Path) -> None:
        """Open a table and look at it."""
        self.workspace.open(data, "adult.csv", self.workspace.new_table_folder())
        self.wait()
        self.get("/data")
        self.get("/data")

    def assign_roles(self, quasi: Collection[str]) -> None:
        """Assign roles and ontologies to all columns."""
        names = self.data.names
        roles = {f"role-{i}": "quasi" if x in quasi else "keep" for i, x in enumerate(names)}
        ontologies = {f"what-{i}": "wordnet" if x in quasi else "" for i, x in enumerate(names)}
        self.post("/columns", **roles, **ontologies, **{"root-13": "country.n.02"})

    def settle_word(self) -> None:
        """Give a word another concept."""
        word = {"value-0": "Prof-specialty", "other-0": "professional"}
        self.post("/words", column="occupation", status="all", do="apply", **word)

    def accept_all(self, columns: Collection[str]) -> None:
        """Accept the links of all columns as they are."""
        for name in columns:
            root = "country.n.02" if name == "native-country" else ""
            form = {"what": "wordnet", "unmatched": "opaque", "accept_review": "yes"}
            self.post("/understanding", column=name, root=root, **form)


def measure(data: Path, folder: Path) -> dict[str, float]:
    """Go through the pages as a user does; return the seconds that each step takes."""
    user, columns = User(folder), adult.plan().columns
    seconds = {
        "open": timed(lambda: user.open_table(data)),
        "roles": timed(lambda: user.assign_roles(columns)),
        "word": timed(user.settle_word),
        "page": timed(lambda: user.get("/words?column=native-country&status=all&page=2")),
    }
    user.accept_all(columns)
    k = str(5 * user.data.n // ROWS)
    seconds |= {
        "mask": timed(lambda: user.post("/method", method="sa-mdav", k=k, do="run")),
        "result": timed(lambda: user.get("/result?page=1000")),
        "next": timed(lambda: user.get("/result?page=1001")),
        "rows": user.data.n,
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
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
