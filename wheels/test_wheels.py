"""Builds the source archive and the wheel of this system in `dist`, and installs both in a new environment.

The wheel has compiled kernels. The source archive is installed where there is no compiler, and runs on NumPy.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import distribution
from pathlib import Path
from zipfile import ZipFile

import pytest
from lock import normalised, pinned
from sbom import needed

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
BIN = "Scripts" if os.name == "nt" else "bin"
COMPILERS = ("CC", "CXX", "ALLONYM_KERNELS")  # variables that would name a compiler, or require one

Install = Callable[..., Path]


def run(*words: str | Path, **environment: str) -> str:
    """Run a command and return what it prints; the programs of this environment are found first."""
    variables = os.environ | {"PATH": str(Path(sys.executable).parent) + os.pathsep + os.environ["PATH"]} | environment
    done = subprocess.run(words, cwd=ROOT, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def archive() -> Path:
    """The source archive."""
    shutil.rmtree(DIST, ignore_errors=True)
    run(sys.executable, "-m", "build", "--no-isolation", "--sdist", "--outdir", DIST)
    [path] = DIST.glob("allonym-*.tar.gz")
    return path


@pytest.fixture(scope="session")
def wheel(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the source archive; on Linux with the oldest manylinux tag that its symbols allow."""
    folder = tmp_path_factory.mktemp("wheel")
    options = ["--quiet", "--no-deps", "--no-build-isolation", "-w", folder]
    run(sys.executable, "-m", "pip", "wheel", *options, archive, ALLONYM_KERNELS="compiled")
    [built] = folder.glob("allonym-*.whl")
    if sys.platform == "linux":
        run(sys.executable, "-m", "auditwheel", "repair", "-w", DIST, built)
    else:
        shutil.copy(built, DIST)
    [path] = DIST.glob("allonym-*.whl")
    return path


def dependencies() -> Iterator[str]:
    """Yield the lines of `requirements.lock` with the packages that allonym needs, without its extras."""
    waiting, names = [distribution("allonym")], {"allonym"}
    while waiting:
        for package in needed(waiting.pop(), extras=False):
            if normalised(package.metadata["Name"]) not in names:
                names.add(normalised(package.metadata["Name"]))
                waiting.append(package)
    for (name, version), hashes in pinned((ROOT / "requirements.lock").read_text("utf-8")).items():
        if normalised(name) in names:
            yield " ".join([f"{name}=={version}", *hashes])


@pytest.fixture(scope="session")
def install(tmp_path_factory: pytest.TempPathFactory) -> Install:
    """A function that installs a wheel or an archive beside its dependencies, and returns the folder of programs."""
    folder = tmp_path_factory.mktemp("environment")
    programs = folder / BIN
    run(sys.executable, "-m", "venv", folder)
    (folder / "requirements.lock").write_text("\n".join(dependencies()) + "\n", "utf-8")
    pip = (programs / "python", "-m", "pip", "--quiet", "--disable-pip-version-check")
    run(*pip, "install", "-r", folder / "requirements.lock")

    def install(path: Path, **environment: str) -> Path:
        run(*pip, "install", "--no-deps", "--force-reinstall", "--no-cache-dir", path, **environment)
        run(*pip, "check")
        return programs

    return install


def demo(programs: Path, folder: Path) -> dict[str, bytes]:
    """Mask the bundled survey; return the files that allonym wrote, except the summary, which tells times."""
    run(programs / "allonym", "demo", "-o", folder, ALLONYM_KERNELS="")
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "summary.json"}


def version(programs: Path) -> str:
    """Return what `allonym --version` prints after the number."""
    return re.sub(r"^allonym \S+ ", "", run(programs / "allonym", "--version", ALLONYM_KERNELS="")).strip()


def test_the_archive_has_the_sources_and_nothing_that_was_built(archive: Path) -> None:
    names = {name.partition("/")[2] for name in run("tar", "tzf", archive).splitlines()}
    assert {"cpp/CMakeLists.txt", "cpp/module.cpp", "src/allonym/_kernels.pyi", "LICENSE"} <= names
    assert {Path(name).suffix for name in names if name.startswith("cpp/")} <= {".cpp", ".h", ".txt"}
    assert not [name for name in names if name.endswith((".so", ".pyd")) or "CMakeCache" in name]


@pytest.mark.skipif(sys.platform != "linux", reason="manylinux tags are for Linux")
def test_the_wheel_runs_on_other_linux_systems(wheel: Path) -> None:
    assert "-manylinux_2_" in wheel.name
    with ZipFile(wheel) as content:
        built = [name for name in content.namelist() if ".so" in Path(name).suffixes]
    assert len(built) == 1  # no library of this system is included
    assert built[0].startswith("allonym/_kernels.")


def test_the_wheel_has_compiled_kernels_and_gives_the_same_release_as_numpy(
    wheel: Path, archive: Path, install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = install(wheel)
    assert version(programs) == "(compiled kernels)"
    compiled = demo(programs, tmp_path / "compiled")

    for name in COMPILERS:
        monkeypatch.delenv(name, raising=False)
    programs = install(archive, PATH=str(programs))
    assert version(programs) == "(NumPy kernels: no compiled extension)"
    assert demo(programs, tmp_path / "numpy") == compiled
    assert "masked.csv" in compiled
