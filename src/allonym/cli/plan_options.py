"""A plan from a file, from options, or from both; options take precedence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from allonym.cli.declared import (
    ACCEPTING,
    ANSWERS,
    column_option,
    column_options,
    method_parameters,
    privacy_models,
)
from allonym.errors import OptionError, PlanError, Problem

if TYPE_CHECKING:
    from allonym.plan import Plan
    from allonym.plan.column import Column
    from allonym.plan.privacy import Privacy
    from allonym.tables.files import Reading

NAMED_FILES = ("links", "abbreviations", "hierarchy", "candidates")  # options that name a file for a column
ROLES = {
    "quasi": "quasi", "set_": "set", "sensitive": "sensitive", "keep": "keep", "identifier": "identifier",
    "unit": "unit", "household": "household", "weight": "weight",
}  # fmt: skip
SETTINGS = ("k", "seed", "method", "row_order")
READING = ("encoding", "delimiter", "header", "sheet", "max_size")


def plan_from_options(path: Path | None, option_values: Mapping[str, Any], *, hint: str) -> Plan:
    """Return the plan of a file, changed by options; `hint` helps where no column has a role."""
    from allonym.methods.registry import DEFAULT_METHOD, with_new_names
    from allonym.plan import Plan
    from allonym.tables.files import Reading

    roles = {role: _listed(option_values[name]) for name, role in ROLES.items()}
    if path is None and not any(roles.values()):
        raise PlanError([Problem("no-roles", "no column has a role.", f"{hint}, or give --plan.")])
    base = Plan.load(path) if path is not None else None
    requirements = _requirements(option_values)
    settings = {name: x for name in SETTINGS if (x := option_values.get(name)) is not None}
    settings |= {name: True for name in ("keep_rest", "long", "rows_are_persons") if option_values[name]}
    parameters = dict(base.parameters) if base else {}
    if "method" in settings:
        base, parameters = _with_method(base, parameters, settings["method"])
    roles["sensitive"] += _sensitive(requirements, roles, base)
    settings["columns"] = _columns(dict(base.columns) if base else {}, roles, option_values)
    all_requirements = (*(base.privacy if base else ()), *requirements)
    settings["privacy"] = tuple({(x.model, x.column): x for x in all_requirements}.values())
    settings["reading"] = reading_from(base.reading if base else Reading(), option_values)
    method = settings.get("method", base.method.name if base else DEFAULT_METHOD)
    settings["parameters"] = parameters | with_new_names(method, _parameters(option_values))
    plan = Plan(**settings) if base is None else replace(base, **settings)
    return base if base is not None and plan == base else plan  # unchanged: its hash is that of the file


def named_files(option_values: Mapping[str, Any]) -> list[str]:
    """Return the files that options name for columns."""
    return [text.rpartition("=")[2] for name in NAMED_FILES for text in option_values[name]]


def reading_from(reading: Reading, option_values: Mapping[str, Any]) -> Reading:
    """Return how a file is read, changed by options."""
    return replace(reading, **{name: option_values[name] for name in READING if option_values[name] is not None})


def _listed(names: str | Sequence[str] | None) -> list[str]:
    return [names] if isinstance(names, str) else list(names or [])


def _parameters(option_values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of the method that options give."""
    return {name: x for name in method_parameters() if (x := option_values.get(name)) is not None}


def _with_method(base: Plan | None, parameters: dict[str, Any], method: str) -> tuple[Plan | None, dict[str, Any]]:
    """Return a plan and its parameters for another method: those that this method has."""
    from allonym.methods import find
    from allonym.methods import method_parameters as parameters_of
    from allonym.methods.base import UngroupedMethod

    parameters = {name: x for name, x in parameters.items() if name in parameters_of(method)}
    other = find(method)
    by_row = other is not None and issubclass(other, UngroupedMethod)
    if base is not None and other is not None and by_row and other.info.name != base.method.name:
        # k and seed were meant for the method of the file
        base = replace(base, method=method, parameters={}, k=None, seed=None)
    return base, parameters


def _requirements(option_values: Mapping[str, Any]) -> list[Privacy]:
    """Return the privacy requirements that options give as COLUMN=NUMBER."""
    from allonym.kinds.numbers import to_number
    from allonym.plan.privacy import Privacy

    requirements = []
    for model, (figure, _) in privacy_models().items():
        for text in option_values[model.replace("-", "_")]:
            column, _, figure_text = text.rpartition("=")
            number = to_number(figure_text)
            if not column or number is None:
                raise OptionError(f"--{model} {text} is not a column with a number.", hint="write COLUMN=NUMBER.")
            value = int(number) if number.is_integer() else number
            requirements.append(Privacy(model, column, **{figure: value}))
    return requirements


def _sensitive(requirements: Sequence[Privacy], roles: dict[str, list[str]], base: Plan | None) -> list[str]:
    """Return the columns of requirements that have no role: they are sensitive."""
    with_role = {text.partition("=")[0] for texts in roles.values() for text in texts}
    columns = dict.fromkeys(x.column for x in requirements)
    return [x for x in columns if x not in with_role and (base is None or x not in base.columns)]


def _columns(columns: dict[str, Column], roles: dict[str, list[str]], options: Mapping[str, Any]) -> dict[str, Column]:
    """Return the columns of a plan, changed and extended by options."""
    from allonym.plan.column import keep

    columns |= _described(roles)
    columns |= {name: replace(columns.get(name) or keep(), confirmed=True) for name in options["confirm"]}
    links = _files("--links", options["links"], columns)
    single = {x: _files(f"--{x}", options[x], columns) for x in ("abbreviations", "hierarchy")}
    ceilings = _of_columns("--ceiling", options["ceiling"], columns, "CONCEPT")
    candidates = _files("--candidates", [x for x in options["candidates"] if "=" in x], columns)
    for path in (x for x in options["candidates"] if "=" not in x):
        words = [name for name, x in columns.items() if x.role == "quasi" and x.kind in ("auto", "text", None)]
        candidates |= {name: [str(Path(path).absolute())] for name in words}
    columns |= _with_own_options(columns, options)
    of_quasi = {name: options[name] for name in ("unmatched", "similarity", "combine", "max_distance", *ACCEPTING)}
    of_quasi |= {"accept_review": options["accept_review"]} if options["accept_review"] or options["accept"] else {}
    of_sets = {"separator": options["separator"], "distance": options["set_distance"]}
    for name, column in columns.items():
        changes: dict[str, Any] = {"links": tuple(links[name])} if name in links else {}
        changes |= {option: files[name][-1] for option, files in single.items() if name in files}
        changes |= {"candidates": candidates[name][-1]} if name in candidates else {}
        changes |= {"ceiling": tuple(ceilings[name])} if name in ceilings else {}
        if column.role == "quasi":
            settings = of_quasi | of_sets if column.kind == "set" else of_quasi
            changes |= {setting: x for setting, x in settings.items() if x is not None}
        elif len(column.ontology) > 1 and options["combine"] is not None:
            changes["combine"] = options["combine"]
        columns[name] = replace(column, **changes)
    return columns


def _with_own_options(columns: dict[str, Column], options: Mapping[str, Any]) -> dict[str, Column]:
    """Return the columns that options of single columns change; a column without a kind gets the one that has them."""
    from allonym.kinds.registry import KINDS, takes_option
    from allonym.parameters import parameters_of
    from allonym.plan.column import Column

    changed: dict[str, Column] = {}
    for key, declared in column_options().items():
        option, texts = f"--{declared['x-option']}", options[column_option(key)]
        if declared.get("type") == "boolean":
            texts = _answers(option, key, texts, columns)
        given = _of_columns(option, texts, columns, "VALUE", "to mask")
        kinds = [kind for kind in KINDS if takes_option(kind, key)]
        for name, texts in given.items():
            column = changed.get(name, columns[name])
            implied = column.kind is None and not column.ontology and len(kinds) == 1
            value = parameters_of(Column)[key].parse(texts[-1])
            changed[name] = replace(column, **{key: value}, kind=kinds[0] if implied else column.kind)
    return changed


def _answers(option: str, key: str, texts: Sequence[str], columns: dict[str, Column]) -> list[str]:
    """Return COLUMN=yes or COLUMN=no for each column that an option which is true or false is given for.

    A column alone means yes; an answer alone, all columns that the option applies to.
    """
    from allonym.kinds.registry import takes_option

    answers = []
    for text in texts:
        name, _, answer = text.rpartition("=")
        if text in columns:
            answers.append(f"{text}=yes")
        elif answer not in ANSWERS:
            raise OptionError(f"{option} {text} is neither yes nor no.", hint="write yes, no, or COLUMN=yes.")
        elif name:
            answers.append(text)
        else:
            masked = [x for x, y in columns.items() if y.role in ("quasi", "sensitive") and takes_option(y.kind, key)]
            if not masked:
                raise OptionError(f"{option} {text} applies to no column.", hint="leave it out.")
            answers += [f"{x}={text}" for x in masked]
    return answers


def _described(roles: dict[str, list[str]]) -> dict[str, Column]:
    """Return the columns that options describe; a column that is named twice has several ontologies."""
    from allonym.kinds.registry import KINDS
    from allonym.plan.column import described

    named: dict[str, tuple[str, list[str]]] = {}
    for role, texts in roles.items():
        for text in texts:
            name, _, kind = text.partition("=")
            first_role, kinds = named.setdefault(name, (role, []))
            if first_role != role:
                raise OptionError(f"Column {name} is given two roles, {first_role} and {role}.", hint="give one.")
            kinds.extend([kind] if kind else [])
    columns = {}
    for name, (role, kinds) in named.items():
        distinct = list(dict.fromkeys(_absolute(kind) for kind in kinds))
        if len(distinct) > 1 and any(kind in KINDS or kind.startswith("ordinal:") for kind in distinct):
            raise OptionError(f"Column {name} is given two kinds.", hint="give one; only ontologies can be several.")
        if role == "set" and distinct == ["category"]:
            columns[name] = described("quasi", None, kind="set", elements="category")
        elif role == "set":
            columns[name] = described("quasi", distinct or None, kind="set")
        else:
            columns[name] = described(role, distinct[0] if len(distinct) == 1 else distinct or None)
    return columns


def _files(option: str, texts: Sequence[str], columns: dict[str, Column]) -> dict[str, list[str]]:
    """Return the files that an option gives for columns of words."""
    given = _of_columns(option, texts, columns, "FILE")
    return {name: [str(Path(path).absolute()) for path in paths] for name, paths in given.items()}


def _of_columns(
    option: str, texts: Sequence[str], columns: dict[str, Column], what: str, sort: str = "of words"
) -> dict[str, list[str]]:
    """Return what an option gives for columns, which are described in messages by what sort they are of."""
    given: dict[str, list[str]] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or name not in columns or columns[name].role not in ("quasi", "sensitive"):
            raise OptionError(f"{option} {text}: there is no column {name} {sort}.", hint=f"write COLUMN={what}.")
        given.setdefault(name, []).append(value)
    return given


def _absolute(kind: str) -> str:
    """Return a kind or an ontology; its path, if it has one, is relative to the working directory, not to the plan."""
    before, ordinal, path = kind.rpartition("ordinal:")
    file, hash_sign, root = (path, "", "") if Path(path).exists() else path.partition("#")
    if before or not Path(file).exists():
        return kind
    return f"{ordinal}{Path(file).absolute()}{hash_sign}{root}"
