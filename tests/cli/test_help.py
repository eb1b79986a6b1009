"""Help: every command has examples and fits the terminal; options derive from declarations."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from allonym.cli import app, declared
from allonym.cli.app import COMMANDS
from allonym.cli.help import Command
from allonym.methods import METHODS
from allonym.parameters import parameters_of
from allonym.plan.schema import schema
from allonym.privacy.registry import MODELS

EVERY = [[x] for x in COMMANDS] + [["hierarchy", x] for x in ("score", "compare", "build")] + [["plan", "schema"]]
EVERY += [["ontologies", x] for x in ("show", "add", "remove")]


def shown(*words: str, columns: int = 80) -> str:
    done = CliRunner().invoke(app, list(words), env={"COLUMNS": str(columns)})
    assert done.exit_code == 0, done.output
    return done.output


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
@pytest.mark.parametrize("columns", [80, 100])
def test_help_fits_the_terminal(words: list[str], columns: int) -> None:
    text = shown(*words, "--help", columns=columns)
    assert max(map(len, text.splitlines())) <= columns
    assert "\x1b" not in text
    assert "Examples:\n  allonym " in text or "Commands:" in text


def test_help_of_mask_has_titled_sections() -> None:
    text = shown("mask", "--help")
    titles = ["Columns", "Method", "Promises beside k", "Words", "The file", "Larger than memory"]
    assert [line[:-1] for line in text.splitlines() if line[:-1] in titles] == titles


def test_the_commands_of_the_group_are_one_line_each() -> None:
    lines = shown("--help").partition("Commands:\n")[2].splitlines()
    assert [line.split()[0] for line in lines] == list(COMMANDS)


def options_of(name: str) -> set[str]:
    command = app.get_command(click.Context(app), name)
    assert isinstance(command, Command)
    return {x for parameter in command.params for x in parameter.opts}


def test_every_parameter_and_privacy_model_has_an_option() -> None:
    parameters = {x.replace("_", "-") for method in METHODS.values() for x in parameters_of(method)}
    assert {f"--{x}" for x in (*parameters, *MODELS, "method", "seed")} <= options_of("mask")


def test_a_new_parameter_needs_no_edit_of_the_command_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    extended = copy.deepcopy(schema())
    case = extended["properties"]["method"]["allOf"][0]["then"]["properties"]
    case["max_size"] = {"type": "integer", "description": "Largest group.", "default": 9}
    (tmp_path / "schema.json").write_text(json.dumps(extended))
    monkeypatch.setattr(declared, "SCHEMA", tmp_path / "schema.json")
    caches = (declared.plan_schema, declared.method_parameters, declared.privacy_models)
    try:
        for cached in caches:
            cached.cache_clear()

        @click.command(cls=Command)
        @declared.methods()
        def example(**given: object) -> None:
            click.echo(given["max_size"])

        text = CliRunner().invoke(example, ["--help"]).output
        assert "--max-size NUMBER" in text
        assert "Largest group. For sa-mdav.  [default: 9]" in text
        assert CliRunner().invoke(example, ["--max-size", "7"]).output == "7\n"
    finally:
        for cached in caches:
            cached.cache_clear()


def test_the_schema_of_plans_is_printed_and_written(tmp_path: Path) -> None:
    current = json.loads(json.dumps(schema()))
    assert json.loads(shown("plan", "schema")) == current
    shown("plan", "schema", "-o", str(tmp_path / "plan.schema.json"))
    assert json.loads((tmp_path / "plan.schema.json").read_text("utf-8")) == current


def test_the_version_is_printed() -> None:
    assert shown("--version").startswith("allonym ")
