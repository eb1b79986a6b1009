"""The mutation tester: every module and every test file in its table exists, and its faults are valid Python."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import mutants
import pytest


def test_every_path_of_the_table_exists() -> None:
    assert [module for module in mutants.TESTS if not (mutants.PACKAGE / module).exists()] == []
    tests = {test for tests in (*mutants.TESTS.values(), mutants.THOROUGH) for test in tests}
    assert [test for test in sorted(tests) if not (mutants.ROOT / test).exists()] == []


def test_every_default_module_has_tests() -> None:
    modules = mutants.default_modules()
    assert {module.partition("/")[0] for module in modules} == set(mutants.PACKAGES)
    assert all(mutants.tests_of(module) for module in modules)


@pytest.mark.parametrize("module", ["methods/recoding.py", "measures/loss.py"])
def test_faults_are_valid_python_and_differ_from_the_module(module: str) -> None:
    original = ast.unparse(ast.parse((mutants.PACKAGE / module).read_text("utf-8")))
    faults = mutants.draw(module, 3, 0)
    assert len(faults) == 3
    for _, source in faults:
        ast.parse(source)
        assert source != original


def test_a_copy_of_the_package_is_imported_instead_of_the_installed_one(tmp_path: Path) -> None:
    (tmp_path / "allonym").mkdir()
    (tmp_path / "allonym" / "__init__.py").write_text("")
    program = [sys.executable, "-c", "import allonym; print(allonym.__file__)"]
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run(program, env=environment, capture_output=True, text=True, check=True)
    assert Path(done.stdout.strip()).parent == tmp_path / "allonym", "run make .venv/installed"
