"""Every golden case gives the bytes that were recorded. `make golden` records them anew."""

from __future__ import annotations

import difflib
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import call_bytes

from golden.cases import CASES, Case
from golden.decode import abridged, decoded, normal, unordered, without_charts
from golden.inputs import make

REFUSES_NULL_COLUMNS = True
EXPECTED = Path(__file__).parent / "expected"
RECORD = os.environ.get("ALLONYM_GOLDEN") == "record"
CHARTS = os.environ.get("ALLONYM_GOLDEN_CHARTS") == "1"
PAGES = (".html", ".htm")
ENVIRONMENT = {"COLUMNS": "100", "LINES": "40", "TERM": "dumb", "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}
UNSET = ("FORCE_COLOR", "PY_COLORS", "CLICOLOR_FORCE", "TERMINAL_WIDTH", "GITHUB_ACTIONS")
MISTAKE = 70  # the exit code of an error inside allonym


@pytest.fixture(scope="session")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make every input once."""
    folder = tmp_path_factory.mktemp("inputs")
    make(folder)
    return folder


@pytest.mark.parametrize("case", [pytest.param(x, id=x.name) for x in CASES])
def test_a_case_gives_what_was_recorded(
    case: Case, inputs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "work"
    shutil.copytree(inputs, folder)
    monkeypatch.chdir(folder)
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    for name in UNSET:
        monkeypatch.delenv(name, raising=False)
    found = {place: abridged(normal(x, folder, case.hidden)) for place, x in outputs(case, folder).items()}
    if RECORD:
        record(case, found)
    differences = list(compared(case, found))
    assert not differences, "\n".join(differences)


def test_every_recorded_folder_belongs_to_a_case() -> None:
    known = {Path(group) / case.name for case in CASES for group in ("data", "text")}
    folders = {Path(*x.relative_to(EXPECTED).parts[:3]) for x in EXPECTED.rglob("*") if x.is_file()}
    if RECORD:
        for folder in folders - known:
            shutil.rmtree(EXPECTED / folder)
    else:
        assert not folders - known


def test_cases_have_names_of_their_own() -> None:
    assert len({case.name for case in CASES}) == len(CASES)


def outputs(case: Case, folder: Path) -> dict[str, bytes]:
    """Run a case; return what it gave, by its place under `expected`."""
    found: dict[str, bytes] = {}
    console = b""
    for number, command in enumerate(case.commands, 1):
        stdin = (folder / case.stdin).read_bytes() if case.stdin else b""
        done = (separately if case.process else call_bytes)(*shlex.split(command), stdin=stdin)
        assert done.returncode != MISTAKE, done.stderr.decode()
        is_data = "--json" in command.split() or " -o -" in command
        if is_data and done.stdout:
            found[f"data/{case.name}/stdout-{number}"] = done.stdout
        console += f"$ allonym {command}\n".encode() + (b"" if is_data else done.stdout)
        console += b"".join(b"stderr: " + line for line in done.stderr.splitlines(keepends=True))
        console += f"exit code: {done.returncode}\n\n".encode()
    if console:
        found[f"text/{case.name}/console.txt"] = console
    if case.call is not None:
        found |= {f"data/{case.name}/{name}": text.encode() for name, text in case.call().items()}
    for pattern in case.data:
        paths = [x for x in sorted(folder.glob(pattern)) if x.is_file()]
        assert paths, f"{case.name} did not write {pattern}"
        if case.unordered and any(x.suffix == ".parquet" for x in paths):
            for part in {x.parent for x in paths}:
                rows = unordered([x for x in paths if x.parent == part])
                found[f"data/{case.name}/{(part / 'rows').relative_to(folder).as_posix()}"] = rows
            continue
        found |= {f"data/{case.name}/{x.relative_to(folder).as_posix()}": decoded(x) for x in paths}
    for name in case.text:
        content = (folder / name).read_bytes()
        if name.endswith(PAGES):
            content, found[f"text/{case.name}/{name}.charts"] = without_charts(content)
        found[f"text/{case.name}/{name}"] = content
    return found


def record(case: Case, found: dict[str, bytes]) -> None:
    """Write what a case gave."""
    for group in ("data", "text"):
        shutil.rmtree(EXPECTED / group / case.name, ignore_errors=True)
    for place, content in found.items():
        path = EXPECTED / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def compared(case: Case, found: dict[str, bytes]) -> Iterator[str]:
    """Yield the differences between what a case gave and what was recorded."""
    folders = [EXPECTED / group / case.name for group in ("data", "text")]
    recorded = {x.relative_to(EXPECTED).as_posix() for y in folders for x in y.rglob("*") if x.is_file()}
    for place in sorted(recorded ^ found.keys()):
        yield f"{place}: only {'recorded' if place in recorded else 'found'}"
    for place in sorted(recorded & found.keys()):
        before, after = (EXPECTED / place).read_bytes(), found[place]
        if before != after and (CHARTS or not place.endswith(".charts")):
            lines = [x.decode("utf-8", "backslashreplace").splitlines() for x in (before, after)]
            changes = list(difflib.unified_diff(*lines, "recorded", "found", lineterm="", n=1))
            yield "\n".join([f"{place} differs:", *changes[:40]])


def separately(*words: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run a command in a process of its own, with real pipes."""
    start = "import sys; sys.argv[0] = 'allonym'; from allonym.cli import main; main()"
    return subprocess.run([sys.executable, "-c", start, *words], input=stdin, capture_output=True, check=False)
