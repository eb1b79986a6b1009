"""The JSON Schema of plan files, derived from the declarations of columns, methods and privacy models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from allonym.methods.registry import ALIASES, DEFAULT_METHOD, METHODS, RENAMED
from allonym.parameters import Parameter, parameters_of
from allonym.plan import toml
from allonym.plan.model import Plan
from allonym.privacy.registry import MODELS

DRAFT = "https://json-schema.org/draft/2020-12/schema"


def schema() -> dict[str, Any]:
    """Return the JSON Schema of plan files (draft 2020-12).

    >>> schema()["properties"]["columns"]["additionalProperties"]["required"]
    ['role']
    """
    keys = toml.keys_of(Plan)
    tables = {
        "release": _table(keys["release"], "Documentation of the release."),
        "method": _methods(keys["method"]),
        "privacy": {
            "description": "Privacy models of sensitive columns, besides k.",
            "type": "array",
            "items": _table(keys["privacy"]) | {"allOf": [_model(model) for model in MODELS]},
        },
        "file": _table(keys["file"], "How the data file is read."),
        "columns": {
            "description": "The columns of the data by name.",
            "type": "object",
            "additionalProperties": _table(keys["columns"]),
        },
    }
    top = {key: declared for key, declared in keys[""].items() if key not in tables}
    plan = _table(top)
    return {
        "$schema": DRAFT,
        "title": "Plan of allonym",
        **plan,
        "properties": plan["properties"] | tables,
        "required": ["format", "columns"],
    }


def _table(keys: Mapping[str, Parameter], description: str = "") -> dict[str, Any]:
    """Return the schema of a table with these keys and no others."""
    return {
        **({"description": description} if description else {}),
        "type": "object",
        "properties": {key: declared.schema() for key, declared in keys.items()},
        "required": [key for key, declared in keys.items() if declared.required],
        "additionalProperties": False,
    }


def _methods(keys: Mapping[str, Parameter]) -> dict[str, Any]:
    """Return the schema of the table `method`: which parameters it has depends on the name."""
    name = keys["name"].schema() | {"enum": [*METHODS, *ALIASES]}
    parameters: dict[str, Any] = {key: {} for method in METHODS.values() for key in parameters_of(method)}
    parameters |= {key: {} for renamed in RENAMED.values() for key in renamed}
    return {
        "description": "The method and its parameters.",
        "type": "object",
        "properties": {"name": name, "seed": keys["seed"].schema(), **parameters},
        "additionalProperties": False,
        "allOf": [_method(method, _condition(method)) for method in METHODS],
    }


def _model(model: str) -> dict[str, Any]:
    """Return the schema of the parameters of a privacy model."""
    declared = parameters_of(MODELS[model])
    known = {"model": True, "column": True} | {key: parameter.schema() for key, parameter in declared.items()}
    required = [key for key, parameter in declared.items() if parameter.required]
    condition = {"properties": {"model": {"const": model}}, "required": ["model"]}
    then = {"description": MODELS[model].info.summary, "properties": known, "required": required}
    return {"if": condition, "then": then | {"additionalProperties": False}}


def _condition(method: str) -> dict[str, Any]:
    """Return the condition under which a table is that of a method; without a name, it is that of the default."""
    names = [method, *(alias for alias, name in ALIASES.items() if name == method)]
    condition: dict[str, Any] = {"properties": {"name": {"enum": names}}}
    return condition if method == DEFAULT_METHOD else condition | {"required": ["name"]}


def _method(method: str, condition: dict[str, Any]) -> dict[str, Any]:
    own = {key: declared.schema() for key, declared in parameters_of(METHODS[method]).items()}
    own |= {
        older: {**own[key], "description": f"Older name of {key}.", "deprecated": True}
        for older, key in RENAMED.get(method, {}).items()
    }
    known = {"name": True, "seed": True} | own
    return {"if": condition, "then": {"properties": known, "additionalProperties": False}}
