"""The wheels that are built for a release: the configuration of cibuildwheel, and the workflow that runs it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
WORKFLOW = ROOT / ".github" / "workflows" / "wheels.yml"
VERSIONS = ("cp311", "cp312", "cp313", "cp314")


@pytest.mark.parametrize(
    ("platform", "architecture", "tag"),
    [
        ("linux", "x86_64", "manylinux_x86_64"),
        ("linux", "aarch64", "manylinux_aarch64"),
        ("macos", "x86_64", "macosx_x86_64"),
        ("macos", "arm64", "macosx_arm64"),
        ("windows", "AMD64", "win_amd64"),
    ],
)
def test_wheels_for_every_version_of_python_are_configured(platform: str, architecture: str, tag: str) -> None:
    words = ["--platform", platform, "--archs", architecture, "--print-build-identifiers", str(ROOT)]
    done = subprocess.run([sys.executable, "-m", "cibuildwheel", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [f"{python}-{tag}" for python in VERSIONS]


def test_the_workflow_is_valid() -> None:
    check("check-jsonschema", "--builtin-schema", "vendor.github-workflows", str(WORKFLOW))


def test_the_workflow_has_no_known_weakness() -> None:
    check("zizmor", "--offline", "--persona", "pedantic", "--strict-collection", str(WORKFLOW))


def check(program: str, *words: str) -> None:
    """Run a linter of this environment; it must find nothing."""
    path = Path(sys.executable).with_name(program)
    done = subprocess.run([path, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
