"""The mutation tester: every module and every test file in its table exists, and its faults are valid Python."""

from __future__ import annotations

import ast

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
