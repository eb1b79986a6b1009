"""Hints name options and plan keys that exist, of a command in which the problem can appear."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from tests.commands import call

import allonym
from allonym.cli.app import app
from allonym.cli.declared import SCHEMA

SOURCE = Path(allonym.__file__).parent
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*[a-z]")
NAMED = re.compile(r"`(?:allonym )?([a-z]+(?: [a-z]+)?)(?: [A-Z]+)? (--[^`]*)`")  # an option, and the command it is of
KEY = re.compile(r"\b([a-z][a-z_]*) = (?:true|false|[\"\[\d]|[A-Z]{2})")
PLAN = ("mask", "check", "evaluate", "compare")  # commands that read a table by a plan
TABLE = (*PLAN, "inspect", "link", "hierarchy build")  # commands that read a table
WHERE: dict[str, tuple[str, ...]] = {
    "cli/plan_options.py": PLAN,
    "cli/output.py": (),
    "ontology": ("ontologies add",),
    "plan/ontologies.py": ("ontologies add",),
    "pipeline/alignment.py": ("evaluate",),
    "pipeline/evaluate.py": ("evaluate",),
    "pipeline/hierarchies": ("hierarchy build",),
    "pipeline/run.py": ("mask",),
    "pipeline/disclosure/record_risk.py": ("check",),
    "pipeline/disclosure/wording.py": ("mask",),
    "release": ("mask",),
    "studio": ("studio",),
    "tables/engines": ("mask", "check"),
    "tables": TABLE,
    "": PLAN,
}  # commands in which the texts of a module appear, by the longest beginning of its path
NOT_IN = {"compare": {"--per-attribute"}}  # which has --grid instead; the plan key is named too
OF_OTHERS = {"--no-deps", "--fit"}  # options of pip, and of tools of the project


def commands(command: click.Command, name: str = "") -> Iterator[tuple[str, set[str]]]:
    yield name, {x for p in command.params for x in (*p.opts, *p.secondary_opts)}
    if isinstance(command, click.Group):
        context = click.Context(command)
        for part in command.list_commands(context):
            one = command.get_command(context, part)
            assert one is not None
            yield from commands(one, f"{name} {part}".strip())


OPTIONS = dict(commands(app))


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the texts of a module, other than docstrings, with their lines; what is formatted is left out."""
    tree = ast.parse(path.read_text("utf-8"))
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and isinstance(node.body[0], ast.Expr)
    }
    parts = {id(x) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for x in ast.walk(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            pieces = (x.value if isinstance(x, ast.Constant) else "X" for x in node.values)
            yield node.lineno, "".join(map(str, pieces))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and not {id(node)} & (docstrings | parts):
            yield node.lineno, node.value


def where(path: str) -> tuple[str, ...]:
    if path.startswith("cli/") and path not in WHERE:
        name = Path(path).stem
        return tuple(x for x in OPTIONS if x.split(" ")[0] == name)
    return WHERE[max((x for x in WHERE if path.startswith(x)), key=len)]


def wrong_options(path: str, text: str) -> Iterator[str]:
    """Yield the options in a text that a command lacks in which it appears."""
    for command, rest in NAMED.findall(text):
        name = command if command in OPTIONS else command.split(" ")[0]
        yield from (f"{name} {x}" for x in OPTION.findall(rest) if x not in OPTIONS.get(name, ()))
    for option in set(OPTION.findall(NAMED.sub("", text))) - OF_OTHERS:
        places = where(path)
        lacking = [x for x in places if option not in OPTIONS[x] and option not in NOT_IN.get(x, ())]
        if path.startswith("cli/") and (len(lacking) < len(places) or option in OPTIONS["mask"]):  # the next command
            continue
        yield from (f"{x} {option}" for x in lacking)


MODULES = [str(x.relative_to(SOURCE)) for x in sorted(SOURCE.rglob("*.py"))]


def test_hints_name_options_that_exist() -> None:
    wrong = [
        f"{path}:{line}: {x}"
        for path in MODULES
        if not path.startswith(("pipeline/reporting", "cli/help.py", "cli/options.py", "cli/declared.py", "cli/app.py"))
        for line, text in texts(SOURCE / path)
        for x in wrong_options(path, text)
    ]
    assert not wrong, "\n".join(wrong)


def keys(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
        schema = list(schema.values())
    for part in schema if isinstance(schema, list) else ():
        yield from keys(part)


def test_hints_name_plan_keys_that_exist() -> None:
    known = {*keys(json.loads(SCHEMA.read_text("utf-8")))}
    of_python = {"k", "n", "p", "path", "m", "seed"}
    wrong = [
        f"{path}:{line}: {key}"
        for path in MODULES
        if path.startswith(("pipeline/", "plan/", "kinds/", "methods/", "privacy/"))
        for line, text in texts(SOURCE / path)
        for key in KEY.findall(text)
        if key not in known | of_python
    ]
    assert not wrong, "\n".join(wrong)


def test_the_check_of_hints_finds_what_is_wrong() -> None:
    assert list(wrong_options("pipeline/prepare.py", "say --nothing.")) == [f"{x} --nothing" for x in PLAN]
    assert list(wrong_options("pipeline/prepare.py", "`allonym check --nothing` says so")) == ["check --nothing"]
    assert not list(wrong_options("pipeline/prepare.py", "`allonym check --write` writes; --accept review"))


@pytest.mark.parametrize("ontology", ["/nowhere", "/nowhere.obo"])
def test_an_ontology_that_does_not_exist_has_a_hint(ontology: str) -> None:
    done = call("ontologies", "add", ontology, "--name", "nowhere")
    assert done.returncode == 2
    assert "Hint: check the path" in done.stderr


def test_a_language_that_an_ontology_does_not_have(tmp_path: Path) -> None:
    (tmp_path / "words.csv").write_text("word\ncook\nbaker\n", "utf-8")
    refused = call("link", str(tmp_path / "words.csv"), "--column", "word", "--language", "fr")
    assert refused.returncode == 2
    assert "no words in 'fr'" in refused.stderr
    assert "Hint: it has en" in call("similarity", "cook", "baker", "--language", "fr").stderr
    edges = ("child,parent", "cook,kitchen", "baker,kitchen", "smith,forge", "kitchen,work", "forge,work")
    (tmp_path / "jobs.csv").write_text("\n".join(edges), "utf-8")
    found = call("link", str(tmp_path / "words.csv"), "--column", "word", "--ontology", str(tmp_path / "jobs.csv"),
                 "--language", "fr")  # fmt: skip
    assert found.returncode == 0
    assert "does not state the language of its words" in found.stderr
