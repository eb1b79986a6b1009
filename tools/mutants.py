"""Mutation testing: insert one fault at a time into a module and run its tests: make mutants

    python tools/mutants.py [--each 6] [--seed 0] [--jobs 2] [--thorough] [MODULE …]

Modules are files under src/allonym; the default is all of methods, measures and release. For each module some faults
are drawn at random: another operator, another constant, a negated condition, a deleted statement. A fault survives if
the tests of its module still pass (with --thorough, if all tests of methods and plans pass). Survivors are listed in
build/mutants.json for review. The exit code is 1 if fewer than 80 % of the faults are detected.
"""

from __future__ import annotations

import argparse
import ast
import concurrent.futures
import copy
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "allonym"
REQUIRED_SHARE = 0.8  # of faults that must be detected
TIMEOUT = 300  # seconds: a fault that makes the tests take longer counts as detected
PACKAGES = ("methods", "measures", "release")  # modules mutated by default
M = "tests/methods/test_"
FIGURES = "tests/papers/test_microaggregation_figures.py"
SETS = "tests/pipeline/test_sets.py"
RECORD_LEVEL = [f"{M}represent_enforce.py", f"{M}noise.py", "tests/pipeline/test_record_level.py"]
GROUPS = [f"{M}represent_enforce.py", f"{M}adaptive.py", f"{M}semantic.py", FIGURES]
RELEASE = ["tests/release/test_release.py", f"{M}requirements.py"]
TESTS = {  # a module or package of src/allonym: its tests; the first entry that matches is taken
    "methods/kernels/adaptive.py": [f"{M}compiled_kernels.py", f"{M}adaptive.py", f"{M}semantic.py", FIGURES],
    "methods/kernels/microaggregation.py": [f"{M}microaggregation.py", f"{M}semantic.py", FIGURES],
    "methods/kernels/fusion.py": [f"{M}fusion.py"],
    "methods/kernels/space.py": [f"{M}compiled_kernels.py"],
    "methods/sa_mdav.py": [f"{M}represent_enforce.py", f"{M}semantic.py", f"{M}adaptive.py", FIGURES],
    "methods/mdav.py": [f"{M}represent_enforce.py", f"{M}microaggregation.py", FIGURES, SETS],
    "methods/fusion.py": [f"{M}fusion.py"],
    "methods/recoding.py": [f"{M}fusion.py", f"{M}requirements.py"],
    "methods/requirements.py": [f"{M}requirements.py"],
    "methods/refine.py": [f"{M}refine.py"],
    "methods/blocks.py": [f"{M}blocks.py"],
    "methods/enforce.py": [f"{M}represent_enforce.py", f"{M}requirements.py"],
    "methods/generalise.py": [f"{M}generalise.py", f"{M}requirements.py"],
    **dict.fromkeys(
        [f"methods/{name}.py" for name in ("noise", "randomise", "record_level", "draws", "exponential")], RECORD_LEVEL
    ),
    "methods/swap.py": [f"{M}swap.py"],
    "methods/swapping": [f"{M}swap.py"],
    "methods/numeric_noise.py": [f"{M}noise_on_values.py", f"{M}noise.py"],
    "methods/semantic_noise.py": RECORD_LEVEL,
    "methods/pram.py": [f"{M}pram.py"],
    "methods/correlation.py": [f"{M}correlated.py"],
    "methods/base.py": [*GROUPS, "tests/plan/test_plan.py"],
    "methods": [*GROUPS, f"{M}fusion.py", SETS],
    "measures/noise.py": RECORD_LEVEL,
    "measures/hierarchies.py": ["tests/pipeline/test_hierarchies.py", "tests/papers/test_hierarchy_figures.py"],
    "measures": ["tests/measures", "tests/pipeline/test_evaluate.py", f"{M}requirements.py"],
    "tables": [*RELEASE, "tests/tables", SETS],
    "release": [*RELEASE, "tests/robustness/test_faults.py"],
}
THOROUGH = ["tests/methods", "tests/papers", "tests/plan", "tests/pipeline", "tests/kinds", "tests/laws"]
PYTEST_OPTIONS = ["--no-header", "--tb=no", "--hypothesis-profile=unshrunk"]  # only whether a test fails matters
SWAPS: dict[type, type] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Add: ast.Sub, ast.Sub: ast.Add,
    ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.Pow: ast.Mult,
    ast.And: ast.Or, ast.Or: ast.And, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.MatMult: ast.Mult,
}  # fmt: skip
NAME_SWAPS = {"min": "max", "max": "min", "argmin": "argmax", "argmax": "argmin", "any": "all", "all": "any",
         "minimum": "maximum", "maximum": "minimum", "flatnonzero": "asarray"}  # fmt: skip


def mutants(tree: ast.Module) -> Iterator[tuple[str, ast.Module]]:
    """Yield copies of a module with one fault each, and a description of the fault."""
    nodes = [node for node in ast.walk(tree) if not isinstance(node, ast.Module)]
    without_effect = {id(child) for node in nodes for part in _without_effect(node) for child in ast.walk(part)}
    for position, node in enumerate(nodes):
        for description, change in _changes(node) if id(node) not in without_effect else ():
            mutant = copy.deepcopy(tree)
            target = [child for child in ast.walk(mutant) if not isinstance(child, ast.Module)][position]
            if change(target):
                yield f"line {getattr(node, 'lineno', '?')}: {description}", ast.fix_missing_locations(mutant)


def _without_effect(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a node that do not change what the program does: annotations, and zip's strict."""
    for name in ("annotation", "returns"):
        if (part := getattr(node, name, None)) is not None:
            yield part
    if isinstance(node, ast.keyword) and node.arg == "strict":
        yield node.value


def _changes(node: ast.AST) -> Iterator[tuple[str, Callable[[Any], bool]]]:
    """Yield the faults that a node allows, with their descriptions."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
        yield f"{ast.unparse(node)}: another comparison", lambda x: _set(x.ops, 0, SWAPS[type(x.ops[0])]())
    elif isinstance(node, (ast.BinOp, ast.BoolOp, ast.AugAssign)) and type(node.op) in SWAPS and not _is_text(node):
        yield f"{ast.unparse(node)[:60]}: another operator", lambda x: _put(x, "op", SWAPS[type(x.op)]())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.Invert)):
        yield f"{ast.unparse(node)[:60]}: negation removed", lambda x: _put(x, "op", ast.UAdd())
    elif isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        old = node.value
        value = (not old) if isinstance(old, bool) else old + 1
        yield f"{old} is {value}", lambda x: _put(x, "value", value)
    elif isinstance(node, ast.Attribute) and node.attr in NAME_SWAPS:
        yield f"{ast.unparse(node)[:60]}: {NAME_SWAPS[node.attr]}", lambda x: _put(x, "attr", NAME_SWAPS[x.attr])
    elif isinstance(node, ast.Name) and node.id in NAME_SWAPS:
        yield f"{node.id}: {NAME_SWAPS[node.id]}", lambda x: _put(x, "id", NAME_SWAPS[x.id])
    elif isinstance(node, ast.If):
        yield f"if {ast.unparse(node.test)[:60]}: never", lambda x: _put(x, "test", ast.Constant(False))
    elif isinstance(node, (ast.For, ast.While, ast.With, ast.FunctionDef)) and len(node.body) > 1:
        for i, line in enumerate(node.body):
            is_docstring = isinstance(getattr(line, "value", None), ast.Constant)
            if isinstance(line, (ast.AugAssign, ast.Expr)) and not is_docstring:
                yield f"deleted: {ast.unparse(line)[:60]}", partial(_delete, i)


def _delete(position: int, node: Any) -> bool:
    return _set(node.body, position, ast.Pass())


def _is_text(node: ast.AST) -> bool:
    """Return whether strings or lists are concatenated, where no other operator is possible."""
    parts = [getattr(node, name, None) for name in ("left", "right", "value")]
    texts = (part for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str))
    return any(isinstance(part, (ast.JoinedStr, ast.List, ast.Tuple)) for part in parts) or any(True for _ in texts)


def _set(items: list[ast.AST], position: int, value: ast.AST) -> bool:
    items[position] = value
    return True


def _put(node: ast.AST, name: str, value: object) -> bool:
    setattr(node, name, value)
    return True


def _skipped_lines(tree: ast.Module) -> set[int]:
    """Return the lines of annotations, imports, assertions and error messages, where a fault changes nothing."""
    lines: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign) and node.value is None:
            lines.add(node.lineno)
        if isinstance(node, (ast.Raise, ast.Import, ast.ImportFrom, ast.Assert)):
            lines.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return lines


def draw(module: str, number: int, seed: int) -> list[tuple[str, str]]:
    """Draw some faults of a module; return the description of each, and the source of the module with it."""
    tree = ast.parse((PACKAGE / module).read_text("utf-8"))
    skipped = _skipped_lines(tree)
    drawn = [
        (fault, mutant)
        for fault, mutant in mutants(tree)
        if int(fault.split()[1].rstrip(":").replace("?", "0")) not in skipped
    ]
    random.Random(f"{seed} {module}").shuffle(drawn)
    return [(fault, ast.unparse(mutant)) for fault, mutant in drawn[:number]]


def default_modules() -> list[str]:
    """Return the modules that are mutated if none is named."""
    files = (file for package in PACKAGES for file in sorted((PACKAGE / package).rglob("*.py")))
    return [str(file.relative_to(PACKAGE)) for file in files if file.name != "__init__.py"]


def tests_of(module: str) -> list[str]:
    """Return the tests of a module."""
    return next(tests for prefix, tests in TESTS.items() if module.startswith(prefix))


def survives(module: str, source: str, thorough: bool) -> bool:
    """Return whether the tests of a module pass with a fault in it."""
    with tempfile.TemporaryDirectory() as name:
        copied = Path(name) / "src"
        shutil.copytree(ROOT / "src", copied, ignore=shutil.ignore_patterns("__pycache__"))
        (copied / "allonym" / module).write_text(source, "utf-8")
        own = tests_of(module)
        environment = os.environ | {"PYTHONPATH": str(copied), "PYTHONDONTWRITEBYTECODE": "1"}
        for tests in (own, [path for path in THOROUGH if path not in own])[: 1 + thorough]:
            command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *PYTEST_OPTIONS, *tests]
            try:
                run = subprocess.run(
                    command, cwd=ROOT, env=environment, capture_output=True, timeout=TIMEOUT, check=False
                )
            except subprocess.TimeoutExpired:
                return False
            if run.returncode:
                return False
        return True


def main() -> None:
    """Draw faults, run the tests, and report the survivors."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("modules", nargs="*", metavar="MODULE")
    parser.add_argument("--each", type=int, default=6, help="number of faults per module")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--thorough", action="store_true", help="run all tests of methods and plans; takes hours")
    options = parser.parse_args()
    modules = options.modules or default_modules()
    tasks = [(module, *fault) for module in modules for fault in draw(module, options.each, options.seed)]
    survivors: list[dict[str, str]] = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        outcomes = pool.map(lambda task: survives(task[0], task[2], options.thorough), tasks)
        for done, ((module, fault, _), alive) in enumerate(zip(tasks, outcomes, strict=True), 1):
            print(f"{done}/{len(tasks)} {module} {fault}: {'SURVIVED' if alive else 'detected'}", flush=True)
            survivors += [{"module": module, "fault": fault}] if alive else []
    share = 1 - len(survivors) / max(len(tasks), 1)
    (ROOT / "build").mkdir(exist_ok=True)
    result = {"faults": len(tasks), "detected": len(tasks) - len(survivors), "survivors": survivors}
    (ROOT / "build" / "mutants.json").write_text(json.dumps(result, indent=2) + "\n", "utf-8")
    print(f"{result['detected']} of {len(tasks)} faults were detected ({share:.0%}); survivors: build/mutants.json")
    sys.exit(share < REQUIRED_SHARE)


if __name__ == "__main__":
    main()
