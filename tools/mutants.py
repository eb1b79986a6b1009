"""Would the tests see a mistake? Mistakes are made one at a time, and the tests of the module are run: make mutants

    python tools/mutants.py [--each 6] [--seed 0] [--jobs 2] [--thorough] [MODULE …]

Modules are files under src/allonym, by default those of masking, measures, and what verifies releases. Some mistakes
are drawn for each: an operator, a constant or a condition is another one, a statement is left out. A mistake that no
test of its module sees has survived (with --thorough, that no test of methods and plans sees); all are listed in
build/mutants.json, to be looked at. Ends with 1 if fewer than 80 % were seen.
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
HOME = ROOT / "src" / "allonym"
ENOUGH = 0.8
LIMIT = 300  # seconds: a mistake that makes tests take longer is seen too
M = "tests/methods/test_"
FIGURES = "tests/papers/test_microaggregation_figures.py"
ROWS = [f"{M}represent_enforce.py", f"{M}noise.py", "tests/plan/test_rows.py"]
GROUPS = [f"{M}represent_enforce.py", f"{M}adaptive.py", f"{M}semantic.py", FIGURES]
TESTS = {
    "methods/kernels/adaptive.py": [f"{M}nearest.py", f"{M}adaptive.py", f"{M}semantic.py", FIGURES],
    "methods/sa_mdav.py": [f"{M}represent_enforce.py", f"{M}semantic.py", f"{M}adaptive.py", FIGURES],
    "methods/kernels/microaggregation.py": [f"{M}microaggregation.py", f"{M}semantic.py", FIGURES],
    "methods/mdav.py": [f"{M}represent_enforce.py", f"{M}microaggregation.py", FIGURES, "tests/plan/test_sets.py"],
    "methods/fusion.py": [f"{M}fusion.py"],
    "methods/recoding.py": [f"{M}fusion.py", f"{M}requirements.py"],
    "methods/requirements.py": [f"{M}requirements.py"],
    "methods/kernels/nearest.py": [f"{M}nearest.py"],
    "methods/refine.py": [f"{M}refine.py"],
    "methods/enforce.py": [f"{M}represent_enforce.py", f"{M}requirements.py"],
    "methods/generalise.py": [f"{M}generalise.py", f"{M}requirements.py"],
    **dict.fromkeys([f"methods/{x}.py" for x in ("noise", "randomise", "record_level", "draws", "exponential")], ROWS),
    "methods/base.py": [*GROUPS, "tests/plan/test_plan.py"],
    "masking": [*GROUPS, f"{M}fusion.py", "tests/plan/test_sets.py"],
    "measures/noise.py": ROWS,
    "measures/hierarchies.py": ["tests/plan/test_hierarchies.py", "tests/papers/test_hierarchy_figures.py"],
    "measures": ["tests/measures", "tests/plan/test_evaluate.py", f"{M}requirements.py"],
    "release.py": ["tests/test_release.py", f"{M}requirements.py", "tests/robustness/test_faults.py"],
    "reread.py": [
        "tests/test_release.py",
        "tests/tables/test_formats.py",
        f"{M}requirements.py",
        "tests/plan/test_sets.py",
    ],
}
ALL = ["tests/masking", "tests/papers", "tests/plan", "tests/metrics", "tests/conformance"]  # if those near saw nothing
QUICK = ["--no-header", "--tb=no", "--hypothesis-profile=unshrunk"]  # that it fails is enough
OTHER: dict[type, type] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Add: ast.Sub, ast.Sub: ast.Add,
    ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.Pow: ast.Mult,
    ast.And: ast.Or, ast.Or: ast.And, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.MatMult: ast.Mult,
}  # fmt: skip
NAMES = {"min": "max", "max": "min", "argmin": "argmax", "argmax": "argmin", "any": "all", "all": "any",
         "minimum": "maximum", "maximum": "minimum", "flatnonzero": "asarray"}  # fmt: skip


def mistakes(tree: ast.Module) -> Iterator[tuple[str, ast.Module]]:
    """Yield the module with one mistake each, and what it is."""
    nodes = [node for node in ast.walk(tree) if not isinstance(node, ast.Module)]
    idle = {id(x) for node in nodes for part in _only_told(node) for x in ast.walk(part)}
    for place, node in enumerate(nodes):
        for what, change in _changes(node) if id(node) not in idle else ():
            changed = copy.deepcopy(tree)
            other = [x for x in ast.walk(changed) if not isinstance(x, ast.Module)][place]
            if change(other):
                yield f"line {getattr(node, 'lineno', '?')}: {what}", ast.fix_missing_locations(changed)


def _only_told(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a node that are read by people and checkers alone: annotations, and zip's strict."""
    for name in ("annotation", "returns"):
        if (part := getattr(node, name, None)) is not None:
            yield part
    if isinstance(node, ast.keyword) and node.arg == "strict":
        yield node.value


def _changes(node: ast.AST) -> Iterator[tuple[str, Callable[[Any], bool]]]:
    """Yield what may be done wrong at a place."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in OTHER:
        yield f"{ast.unparse(node)}: another comparison", lambda x: _set(x.ops, 0, OTHER[type(x.ops[0])]())
    elif isinstance(node, (ast.BinOp, ast.BoolOp, ast.AugAssign)) and type(node.op) in OTHER and not _is_text(node):
        yield f"{ast.unparse(node)[:60]}: another operator", lambda x: _put(x, "op", OTHER[type(x.op)]())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.Invert)):
        yield f"{ast.unparse(node)[:60]}: not left out", lambda x: _put(x, "op", ast.UAdd())
    elif isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        was = node.value
        value = (not was) if isinstance(was, bool) else was + 1
        yield f"{was} is {value}", lambda x: _put(x, "value", value)
    elif isinstance(node, ast.Attribute) and node.attr in NAMES:
        yield f"{ast.unparse(node)[:60]}: {NAMES[node.attr]}", lambda x: _put(x, "attr", NAMES[x.attr])
    elif isinstance(node, ast.Name) and node.id in NAMES:
        yield f"{node.id}: {NAMES[node.id]}", lambda x: _put(x, "id", NAMES[x.id])
    elif isinstance(node, ast.If):
        yield f"if {ast.unparse(node.test)[:60]}: never", lambda x: _put(x, "test", ast.Constant(False))
    elif isinstance(node, (ast.For, ast.While, ast.With, ast.FunctionDef)) and len(node.body) > 1:
        for i, line in enumerate(node.body):
            told = isinstance(getattr(line, "value", None), ast.Constant)
            if isinstance(line, (ast.AugAssign, ast.Expr)) and not told:
                yield f"left out: {ast.unparse(line)[:60]}", partial(_leave_out, i)


def _leave_out(place: int, node: Any) -> bool:
    return _set(node.body, place, ast.Pass())


def _is_text(node: ast.AST) -> bool:
    """Tell whether texts or lists are put together, where another operator would be no operator at all."""
    parts = [getattr(node, x, None) for x in ("left", "right", "value")]
    texts = (x for x in parts if isinstance(x, ast.Constant) and isinstance(x.value, str))
    return any(isinstance(x, (ast.JoinedStr, ast.List, ast.Tuple)) for x in parts) or any(True for _ in texts)


def _set(items: list[ast.AST], place: int, value: ast.AST) -> bool:
    items[place] = value
    return True


def _put(node: ast.AST, name: str, value: object) -> bool:
    setattr(node, name, value)
    return True


def _told(tree: ast.Module) -> set[int]:
    """Return the lines of annotations, defaults that only tell, and texts: mistakes there change nothing."""
    lines: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign) and node.value is None:
            lines.add(node.lineno)
        if isinstance(node, (ast.Raise, ast.Import, ast.ImportFrom, ast.Assert)):
            lines.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return lines


def drawn(module: str, number: int, seed: int) -> list[tuple[str, str]]:
    """Draw some mistakes of a module: what they are, and the text of the module with each."""
    tree = ast.parse((HOME / module).read_text("utf-8"))
    told = _told(tree)
    found = [(what, x) for what, x in mistakes(tree) if int(what.split()[1].rstrip(":").replace("?", "0")) not in told]
    random.Random(f"{seed} {module}").shuffle(found)
    return [(what, ast.unparse(x)) for what, x in found[:number]]


def survives(module: str, text: str, thorough: bool) -> bool:
    """Tell whether the tests of a module pass with a mistake in it."""
    with tempfile.TemporaryDirectory() as name:
        source = Path(name) / "src"
        shutil.copytree(ROOT / "src", source, ignore=shutil.ignore_patterns("__pycache__"))
        (source / "allonym" / module).write_text(text, "utf-8")
        near = next(x for key, x in TESTS.items() if module.startswith(key))
        around = os.environ | {"PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1"}
        for tests in (near, [x for x in ALL if x not in near])[: 1 + thorough]:
            command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *QUICK, *tests]
            try:
                done = subprocess.run(command, cwd=ROOT, env=around, capture_output=True, timeout=LIMIT, check=False)
            except subprocess.TimeoutExpired:
                return False
            if done.returncode:
                return False
        return True


def main() -> None:
    """Draw mistakes, run the tests, and tell what survived."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("modules", nargs="*", metavar="MODULE")
    parser.add_argument("--each", type=int, default=6, help="mistakes of each module")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--thorough", action="store_true", help="ask all tests of methods and plans; takes hours")
    given = parser.parse_args()
    some = [
        x for part in ("masking", "measures") for x in sorted((HOME / part).glob("*.py")) if x.name != "__init__.py"
    ]
    modules = given.modules or [str(x.relative_to(HOME)) for x in (*some, HOME / "release.py", HOME / "reread.py")]
    tasks = [(module, *x) for module in modules for x in drawn(module, given.each, given.seed)]
    survivors: list[dict[str, str]] = []
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        found = pool.map(lambda task: survives(task[0], task[2], given.thorough), tasks)
        for done, ((module, what, _), alive) in enumerate(zip(tasks, found, strict=True), 1):
            print(f"{done}/{len(tasks)} {module} {what}: {'SURVIVED' if alive else 'seen'}", flush=True)
            survivors += [{"module": module, "mistake": what}] if alive else []
    share = 1 - len(survivors) / max(len(tasks), 1)
    (ROOT / "build").mkdir(exist_ok=True)
    told = {"mistakes": len(tasks), "seen": len(tasks) - len(survivors), "survivors": survivors}
    (ROOT / "build" / "mutants.json").write_text(json.dumps(told, indent=2) + "\n", "utf-8")
    print(f"{told['seen']} of {told['mistakes']} mistakes were seen ({share:.0%}); survivors: build/mutants.json")
    sys.exit(share < ENOUGH)


if __name__ == "__main__":
    main()
