"""What a start of allonym imports: nothing that it does not use."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = (
    "numpy",
    "scipy",
    "pyarrow",
    "narwhals",
    "pandas",
    "polars",
    "duckdb",
    "tomlkit",
    "rapidfuzz",
    "rich",
    "jinja2",
)
RUN = """
import sys
sys.argv = ["allonym", *sys.argv[1:]]
from allonym.cli import main
try:
    main()
except SystemExit as end:
    assert end.code == 0, end.code
print(*sys.modules, file=sys.stderr)
"""


def loaded(*words: str, code: str = RUN) -> list[str]:
    """Return the heavy packages that a process has imported when it ends."""
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True)
    return [name for name in HEAVY if name in done.stderr.splitlines()[-1].split()]


def test_importing_allonym_imports_nothing_heavy() -> None:
    assert loaded(code="import sys, allonym; print(*sys.modules, file=sys.stderr)") == []


@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        ["--version"],
        ["mask", "--help"],
        ["check", "--help"],
        ["hierarchy", "--help"],
        ["studio", "--help"],
        ["ontologies", "--help"],
    ],
    ids=" ".join,
)
def test_help_imports_nothing_heavy(words: list[str]) -> None:
    assert loaded(*words) == []


def test_masking_text_imports_only_what_it_uses(tmp_path: Path) -> None:
    (tmp_path / "jobs.csv").write_text("job,age\n" + "nurse,30\ncook,40\n" * 6)
    files = [str(tmp_path / "jobs.csv"), "-o", str(tmp_path / "masked.csv")]
    words = ["mask", *files, "--quasi", "job=wordnet:person", "--quasi", "age=numeric", "--keep-rest"]
    assert set(loaded(*words)) <= {"numpy", "pyarrow", "tomlkit"}


def test_python_runs_the_package() -> None:
    done = subprocess.run([sys.executable, "-m", "allonym", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("allonym ")
