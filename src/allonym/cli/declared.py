"""Options that derive from the JSON Schema of plans: the parameters of methods, and the privacy models.

The schema is a file beside the plans, so that help imports no method.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import click

from allonym.cli import options
from allonym.cli.help import Decorator, option, together
from allonym.cli.options import COLUMNS, METHOD, PROMISES, WORDS
from allonym.parameters import number_of

SCHEMA = Path(__file__).parents[1] / "plan" / "schema.json"
NAMED = ("name", "seed", "k")  # keys of every method, with options of their own
ACCEPTING = ("accept", "rest")  # keys of a column with an option for all columns
ANSWERS = {"yes": True, "no": False}  # values of an option that is true or false


class Number(click.ParamType[float]):
    """A number, or a percentage."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return what was typed as a number."""
        try:
            return number_of(value) if isinstance(value, str) else float(value)
        except ValueError:
            self.fail(f"{value!r} is not a valid float.", param, ctx)


NUMBERS: dict[str, Any] = {"integer": int, "number": Number()}


class MethodParameter(NamedTuple):
    """A parameter, as each method that has it declares it."""

    name: str
    declared: dict[str, dict[str, Any]]  # its schema, by method

    @property
    def flag(self) -> bool:
        """Whether it is true or false."""
        return self.first["type"] == "boolean"

    @property
    def first(self) -> dict[str, Any]:
        """The schema of the first method that has the parameter."""
        return next(iter(self.declared.values()))

    @property
    def help(self) -> str:
        """What the parameter does, its choices and defaults, and the methods that have it."""
        choices = dict.fromkeys(x for declared in self.declared.values() for x in declared.get("enum", []))
        if self.first.get("deprecated"):
            return f"{self.first['description']} For {', '.join(self.declared)}."
        defaults = {method: x["default"] for method, x in self.declared.items() if "default" in x and not self.flag}
        usual = next(iter(defaults.values()), None)
        others = [f"; {method}: {default}" for method, default in defaults.items() if default != usual]
        parts = [self.first["description"]]
        parts += [f"One of {', '.join(choices)}."] if choices else []
        parts += [f"For {', '.join(self.declared)}."]
        parts += [f" [default: {usual}{''.join(others)}]"] if defaults else []
        return " ".join(parts)

    def option(self) -> Decorator:
        """Declare the option. Choices and bounds are checked with the plan, which explains all problems at once."""
        words = self.name.replace("_", "-")
        if self.flag:
            return option(f"--{words}/--no-{words}", self.name, default=None, section=METHOD, help=self.help)
        number = NUMBERS.get(self.first["type"])
        metavar = "NUMBER" if number else "NAME" if "enum" in self.first else "TEXT"
        return option(f"--{words}", self.name, type=number or str, metavar=metavar, section=METHOD, help=self.help)


@cache
def plan_schema() -> dict[str, Any]:
    """Return the JSON Schema of plans."""
    schema: dict[str, Any] = json.loads(SCHEMA.read_text("utf-8"))["properties"]
    return schema


@cache
def method_parameters() -> dict[str, MethodParameter]:
    """Return the parameters of all methods; a parameter with a single choice is none."""
    parameters: dict[str, MethodParameter] = {}
    for case in plan_schema()["method"]["allOf"]:
        method = case["if"]["properties"]["name"]["enum"][0]
        for name, declared in case["then"]["properties"].items():
            if name not in NAMED and len(declared.get("enum", "..")) > 1:
                parameters.setdefault(name, MethodParameter(name, {})).declared[method] = declared
    return parameters


@cache
def privacy_models() -> dict[str, tuple[str, str]]:
    """Return the figure and the name of each privacy model."""
    cases = plan_schema()["privacy"]["items"]["allOf"]
    return {
        case["if"]["properties"]["model"]["const"]: (case["then"]["required"][0], case["then"]["description"])
        for case in cases
    }


def plan_options(*, without: Sequence[str] = (), several_methods: bool = False) -> Decorator:
    """Declare the options that make or change a plan: those of its columns, method, guarantees, words and file.

    `without` names parameters of methods that mean something else to a command. A command on `several_methods` has
    options of its own for them.
    """
    one_method = () if several_methods else (options.k, methods(without))
    return together(
        options.columns, of_columns(), *one_method, options.max_distance, options.method_files, models(),
        options.words, accepting(), combining(), options.reading,
    )  # fmt: skip


def methods(without: Sequence[str] = ()) -> Decorator:
    """Declare the options that choose a method and set its parameters."""
    keys = plan_schema()["method"]["properties"]
    names = ", ".join(case["if"]["properties"]["name"]["enum"][0] for case in plan_schema()["method"]["allOf"])
    choice = f"Masking method: {names}.  [default: {keys['name']['default']}]"
    return together(
        option("--method", metavar="NAME", section=METHOD, help=choice),
        option("--seed", type=int, metavar="NUMBER", section=METHOD, help=keys["seed"]["description"]),
        *(parameter.option() for name, parameter in method_parameters().items() if name not in without),
    )


def accepting() -> Decorator:
    """Declare the options for links that nobody reviewed; they hold for every column of words."""
    keys = plan_schema()["columns"]["additionalProperties"]["properties"]
    return together(*(_choice(name, keys[name], section=WORDS) for name in ACCEPTING))


def combining() -> Decorator:
    """Declare the option for columns with several ontologies."""
    return _choice("combine", plan_schema()["columns"]["additionalProperties"]["properties"]["combine"], section=WORDS)


def _choice(name: str, declared: dict[str, Any], section: str) -> Decorator:
    choices = f"One of {', '.join(declared['enum'])}.  [default: {declared['default']}]"
    return option(f"--{name}", metavar="NAME", section=section, help=f"{declared['description']} {choices}")


@cache
def column_options() -> dict[str, dict[str, Any]]:
    """Return the keys of a column with an option of their own, which takes COLUMN=VALUE."""
    keys = plan_schema()["columns"]["additionalProperties"]["properties"]
    return {key: declared for key, declared in keys.items() if "x-option" in declared}


def of_columns() -> Decorator:
    """Declare the options for single columns."""
    return together(*(_of_column(key, declared) for key, declared in column_options().items()))


def _of_column(key: str, declared: dict[str, Any]) -> Decorator:
    value = "NUMBER" if declared.get("type") in NUMBERS else "NAME" if "enum" in declared else "NUMBERS"
    flag = declared.get("type") == "boolean"
    choices = f" One of {', '.join(declared['enum'])}." if "enum" in declared else ""
    return option(
        f"--{declared['x-option']}",
        column_option(key),
        multiple=True,
        metavar=f"[COLUMN=]{'|'.join(ANSWERS)}" if flag else f"COLUMN={value}",
        section=COLUMNS,
        help=declared["description"] + choices,
    )


def column_option(key: str) -> str:
    """Return the name under which the values of an option for single columns are passed."""
    return f"column_{key}"


def row_order() -> Decorator:
    """Declare the option for the order of rows."""
    declared = plan_schema()["row_order"]
    choices = f"One of {', '.join(declared['enum'])}.  [default: {declared['default']}]"
    return option("--row-order", metavar="NAME", help=f"{declared['description']} {choices}")


def models() -> Decorator:
    """Declare an option for each privacy model."""
    return together(
        *(
            option(f"--{model}", multiple=True, metavar=f"COLUMN={figure.upper()}", section=PROMISES, help=description)
            for model, (figure, description) in privacy_models().items()
        )
    )
