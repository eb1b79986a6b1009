"""The compiled kernels are used if they are there and fit; otherwise NumPy is, and `--version` says why."""

from __future__ import annotations

import ast
import importlib
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from allonym import compiled
from allonym.compiled import EXTENSION, INTERFACE, VARIABLE, load
from allonym.errors import OptionError

ROOT = Path(__file__).parents[1]
RUN = """
import sys, types
sys.argv = ["allonym", *sys.argv[1:]]
{before}
from allonym.cli import main
main()
"""
ABSENT = f"sys.modules[{EXTENSION!r}] = None"
OTHER = f"sys.modules[{EXTENSION!r}] = types.SimpleNamespace(INTERFACE={INTERFACE + 1})"
PRESENT = f"sys.modules[{EXTENSION!r}] = types.SimpleNamespace(INTERFACE={INTERFACE}, set_threads=int)"


@pytest.fixture
def extension(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """An extension of the expected interface in the place of the installed one."""
    module = ModuleType(EXTENSION)
    module.INTERFACE = INTERFACE  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, EXTENSION, module)
    return module


def test_an_extension_of_the_expected_interface_is_used(extension: ModuleType) -> None:
    assert load() == load("compiled") == (extension, "compiled kernels")


def test_numpy_can_be_chosen(extension: ModuleType) -> None:
    assert load("numpy") == (None, "NumPy kernels: ALLONYM_KERNELS=numpy")


@pytest.mark.parametrize("interface", [INTERFACE + 1, INTERFACE - 1, None])
def test_an_extension_of_another_interface_is_not_used(extension: ModuleType, interface: int | None) -> None:
    extension.INTERFACE = interface  # type: ignore[attr-defined]
    reason = f"the compiled extension has interface {interface}, not {INTERFACE}; reinstall allonym"
    assert load() == (None, f"NumPy kernels: {reason}")
    with pytest.raises(OptionError, match=re.escape(reason)):
        load("compiled")


def test_an_extension_without_an_interface_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, EXTENSION, ModuleType(EXTENSION))
    assert load()[0] is None


def test_without_an_extension_numpy_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, EXTENSION, None)
    assert load() == (None, "NumPy kernels: no compiled extension")
    with pytest.raises(OptionError, match="there are no compiled kernels: no compiled extension"):
        load("compiled")


def test_an_extension_that_cannot_be_loaded_is_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    suffix = importlib.machinery.EXTENSION_SUFFIXES[0]
    (tmp_path / f"damaged_kernels{suffix}").write_bytes(b"not a library")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(compiled, "EXTENSION", "damaged_kernels")
    extension, in_use = load()
    assert extension is None
    assert in_use.startswith("NumPy kernels: the compiled extension cannot be loaded (")


def test_an_unknown_choice_is_refused() -> None:
    with pytest.raises(OptionError, match=r"Unknown value of ALLONYM_KERNELS 'numyp'\. Hint: did you mean 'numpy'"):
        load("numyp")


def version(before: str, choice: str) -> str:
    """Return what `allonym --version` prints in a new process after it ran some code."""
    code = [sys.executable, "-c", RUN.format(before=before), "--version"]
    environment = os.environ | {VARIABLE: choice}
    done = subprocess.run(code, env=environment, capture_output=True, text=True, check=False)
    return re.sub(r"^allonym \S+ ", "", done.stdout or done.stderr).strip()


@pytest.mark.parametrize(
    ("before", "choice", "expected"),
    [
        (PRESENT, "", "(compiled kernels)"),
        (PRESENT, "compiled", "(compiled kernels)"),
        (PRESENT, "numpy", "(NumPy kernels: ALLONYM_KERNELS=numpy)"),
        (ABSENT, "", "(NumPy kernels: no compiled extension)"),
        (
            OTHER,
            "",
            f"(NumPy kernels: the compiled extension has interface {INTERFACE + 1}, not {INTERFACE}; "
            "reinstall allonym)",
        ),
        (ABSENT, "compiled", "Error: ALLONYM_KERNELS=compiled, but there are no compiled kernels: no compiled "
                             "extension."),
    ],
    ids=["present", "required", "numpy", "absent", "other interface", "required but absent"],
)  # fmt: skip
def test_the_version_says_which_kernels_are_in_use(before: str, choice: str, expected: str) -> None:
    assert version(before, choice) == expected


def test_starting_and_help_do_not_load_the_extension() -> None:
    after = f"import atexit; atexit.register(lambda: print({EXTENSION!r} in sys.modules))"
    for word in ("--help", "demo --help"):
        code = [sys.executable, "-c", RUN.format(before=after), *word.split()]
        assert subprocess.run(code, capture_output=True, text=True, check=True).stdout.endswith("False\n")


def test_python_and_cpp_state_the_same_interface() -> None:
    source = (ROOT / "cpp" / "module.cpp").read_text("utf-8")
    assert re.findall(r"constexpr int INTERFACE = (\d+);", source) == [str(INTERFACE)]


def test_the_stub_declares_every_name_of_the_extension() -> None:
    extension = pytest.importorskip(EXTENSION)
    declared = set()
    for node in ast.parse((ROOT / "src" / "allonym" / "_kernels.pyi").read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            declared.add(node.name)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            declared.add(node.target.id)
    assert declared == {name for name in vars(extension) if not name.startswith("__")}
