"""A plan as TOML, there and back. Unknown keys and wrong types are refused, all at once."""

from __future__ import annotations

import hashlib
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from allonym.cells import MISSING
from allonym.errors import PlanError, Problem
from allonym.methods import DEFAULT_METHOD, METHODS
from allonym.ontology.catalog import is_named, split_root
from allonym.ontology.scope import Scope
from allonym.ontology.taxonomy import Taxonomy
from allonym.parameters import REQUIRED, Parameter, parameter, parameters_of, unknown
from allonym.plan.column import OPTIONS, Column, described
from allonym.plan.privacy import Privacy, privacy_keys
from allonym.release.write import save_text
from allonym.tables.files import Reading

if TYPE_CHECKING:
    from allonym.plan.model import Plan

FORMAT = 1
SCHEMA_FILE = "allonym-plan.schema.json"  # as plans name it; `allonym plan schema -o` writes it
TOP_KEYS = ("keep_rest", "long", "rows_are_persons", "row_order")  # fields of a plan outside of any table


@dataclass(frozen=True)
class ReleaseInfo:
    """The table `release` of a plan: documentation of the release."""

    title: str = parameter("", "Title of the release.")
    purpose: str = parameter("", "Purpose of the release.")
    decided_by: str = parameter("", "Who decided on the plan.")
    note: str = parameter("", "Any other note.")


RELEASE_KEYS = tuple(parameters_of(ReleaseInfo))


def keys_of(plan: type[Plan]) -> dict[str, dict[str, Parameter]]:
    """Return the keys of a plan file by table; "" are those outside of any table."""
    own = parameters_of(plan)
    name = Parameter("name", str, DEFAULT_METHOD, "Name of the method.", tuple(METHODS))
    top = {
        "format": Parameter("format", int, REQUIRED, "Version of the plan format.", minimum=FORMAT, maximum=FORMAT),
        **{name: own[name] for name in TOP_KEYS},
    }
    top |= {key: Parameter(key, dict, None, "") for key in ("release", "method")}
    top |= {"privacy": Parameter("privacy", list, None, "")}
    top |= {key: Parameter(key, dict, None, "") for key in ("file", "columns")}
    return {
        "": top,
        "release": parameters_of(ReleaseInfo),
        "method": {"name": name, "seed": own["seed"]},
        "privacy": privacy_keys(),
        "file": parameters_of(Reading) | {"missing": own["missing"]},
        "columns": parameters_of(Column),
    }


class _Reader:
    """Collects problems while it reads a plan."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def table(self, table: Any, where: str, keys: Mapping[str, Parameter], column: str = "") -> dict[str, Any]:
        """Return the valid keys of a table, and collect the problems of others."""
        prefix = "" if column else f"{where}: "
        if not isinstance(table, dict):
            self.problems.append(Problem("wrong-type-table", f"{where} must be a table.", column=column))
            return {}
        valid = {}
        for key, value in table.items():
            if key not in keys:
                problem = unknown("key", key, list(keys))
            elif not keys[key].has_type(value):
                problem = keys[key].type_problem()
            else:
                valid[key] = value
                continue
            self.problems.append(Problem(problem.code, prefix + problem.text, problem.hint, column))
        return valid

    def columns(self, table: Mapping[str, Any], keys: Mapping[str, Parameter]) -> dict[str, Column]:
        """Return the columns of a plan."""
        columns = {}
        for name, options in table.items():
            valid = self.table(options, "a column", keys, name)
            if isinstance(options, dict) and "role" not in options:
                problem = Problem("no-role", "the column has no role.", 'role = "quasi", "keep", …', name)
                self.problems.append(problem)
            elif "role" in valid:
                columns[name] = described(valid.pop("role"), **valid)
        return columns

    def privacy(self, tables: list[Any], keys: Mapping[str, Parameter]) -> tuple[Privacy, ...]:
        """Return the privacy models of a plan."""
        valid = [self.table(x, "privacy", keys) for x in tables]
        for key in (key for x in valid for key in ("model", "column") if key not in x):
            self.problems.append(Problem(f"no-{key}", f"privacy: {key} is missing."))
        return tuple(Privacy(**x) for x in valid if "model" in x and "column" in x)


def load(path: Path, make: type[Plan]) -> Plan:
    """Read a plan."""
    try:
        raw = path.read_bytes()
        plan = loads(raw.decode("utf-8-sig"), path, make)
        object.__setattr__(plan, "sha256_as_read", hashlib.sha256(raw).hexdigest())
        return plan
    except OSError as error:
        problem = Problem("unreadable", f"cannot be read: {error.strerror}.", "is the name right?")
    except RecursionError:
        problem = Problem("nested", "is nested too deeply to be a plan.")
    except ValueError as error:
        problem = Problem("no-toml", f"is not valid TOML: {error}")
    raise PlanError([problem], where=str(path))


def loads(text: str, path: Path, make: type[Plan]) -> Plan:
    """Read a plan from text; `path` is its file, or the file that holds it."""
    reader, keys = _Reader(), keys_of(make)
    tables = reader.table(tomllib.loads(text), "plan", keys[""])
    if tables.get("format") != FORMAT:
        hint = f"begin the plan with format = {FORMAT}."
        reader.problems.append(Problem("wrong-format", f"format must be {FORMAT}.", hint))
    columns = reader.columns(tables.get("columns", {}), keys["columns"])
    privacy = reader.privacy(tables.get("privacy", []), keys["privacy"])
    parameters = dict(tables.get("method", {}))
    own = keys["method"] | {"k": Parameter("k", int, None, "")}
    method = reader.table({x: parameters.pop(x) for x in ("name", "k", "seed") if x in parameters}, "method", own)
    file = reader.table(tables.get("file", {}), "file", keys["file"])
    missing = file.pop("missing", MISSING)
    settings: dict[str, Any] = {
        "columns": columns,
        "privacy": privacy,
        "parameters": parameters,
        "about": reader.table(tables.get("release", {}), "release", keys["release"]),
        "reading": Reading(**file),
        "missing": (missing,) if isinstance(missing, str) else tuple(missing),
        "folder": path.parent,
        **{name: tables[name] for name in TOP_KEYS if name in tables},
        **{"method" if key == "name" else key: value for key, value in method.items()},
    }
    try:
        plan = make(**settings)
    except PlanError as error:
        raise PlanError([*reader.problems, *error.problems], where=str(path)) from None
    if reader.problems:
        raise PlanError(reader.problems, where=str(path))
    return plan


def save(plan: Plan, path: Path, schema: str = SCHEMA_FILE) -> None:
    """Write a plan; relative paths in it are rewritten relative to its new folder."""
    save_text(path, dumped(plan, path.parent, schema), private=True)


def dumped(plan: Plan, folder: Path | None = None, schema: str = SCHEMA_FILE) -> str:
    """Return a plan as TOML, as saved in a folder (by default its own).

    The first line names the JSON Schema of plans, so that editors complete and check the plan.
    """
    import tomlkit

    places = _Places(plan.folder, plan.folder if folder is None else folder)
    method = plan.method
    document: dict[str, Any] = {"format": FORMAT}
    own = parameters_of(plan)
    document |= {name: getattr(plan, name) for name in TOP_KEYS if getattr(plan, name) != own[name].default}
    if plan.about:
        document["release"] = dict(plan.about)
    given = {name: getattr(method, name) for name in parameters_of(method)}
    document["method"] = {"name": method.name} | {name: x for name, x in given.items() if x is not None}
    if plan.seed is not None:
        document["method"]["seed"] = plan.seed
    if plan.privacy:
        document["privacy"] = [x.to_dict() for x in plan.privacy]
    file = {f.name: getattr(plan.reading, f.name) for f in fields(Reading)}
    file = {key: value for key, value in file.items() if value != getattr(Reading(), key)}
    if tuple(plan.missing) != MISSING:
        file["missing"] = list(plan.missing)
    if file:
        document["file"] = file
    document["columns"] = {name: _column(column, name, places) for name, column in plan.columns.items()}
    return (f"#:schema {schema}\n" if schema else "") + tomlkit.dumps(document)


def sha256(plan: Plan) -> str | None:
    """Return the hash of a plan as it was read, else as it would be saved; None, if it has objects without a name."""
    if plan.sha256_as_read is not None:
        return plan.sha256_as_read
    try:
        return hashlib.sha256(dumped(plan).encode()).hexdigest()
    except PlanError:
        return None


@dataclass(frozen=True)
class _Places:
    """The folder that the paths of a plan are relative to, and the folder they will be relative to."""

    folder: Path
    target: Path

    def moved(self, path: str | Path, base: Path | None = None) -> str:
        """Return a path relative to the new folder."""
        start = self.folder if base is None else base
        if Path(path).is_absolute() or start.absolute() == self.target.absolute():
            return Path(path).as_posix()
        try:
            return Path(os.path.relpath(start / path, self.target)).as_posix()
        except ValueError:  # another drive
            return (start / path).absolute().as_posix()

    def ontology(self, ontology: str | Scope | Taxonomy) -> str:
        """Return an ontology as it is named in a plan."""
        if isinstance(ontology, str) and is_named(ontology):
            return ontology
        if isinstance(ontology, str):
            path, root = split_root(ontology, self.folder)
            return f"{self.moved(path)}{root}"
        scope = ontology if isinstance(ontology, Scope) else Scope(ontology, ontology.root)
        taxonomy = scope.taxonomy
        root = "" if scope.root == taxonomy.root else taxonomy.ids[scope.root]
        name = taxonomy.source.name
        if name:
            return f"{name}:{root}" if root else name
        if not taxonomy.source.path:
            text = f"ontology {taxonomy.name} was not read from a file, so the plan cannot name it."
            raise PlanError([Problem("ontology-without-file", text)])
        path = self.moved(taxonomy.source.path, Path())
        return f"{path}#{root}" if root else path


_ONE_FILE = ("hierarchy", "abbreviations")


def _column(column: Column, name: str, places: _Places) -> dict[str, Any]:
    """Return the options of a column that differ from the defaults."""
    usual = Column(column.role)
    options: dict[str, Any] = {"role": column.role}
    for option in OPTIONS[1:]:
        value = getattr(column, option)
        if value == getattr(usual, option):
            continue
        if option == "ontology":
            value = [places.ontology(x) for x in value]
        elif option == "links":
            if any(isinstance(x, Mapping) for x in value):
                text = "links given as a mapping cannot be saved."
                raise PlanError([Problem("links-without-file", text, "write a links file.", name)])
            value = [places.moved(x) for x in value]
        elif option == "abbreviations" and isinstance(value, Mapping):
            text = "abbreviations given as a mapping cannot be saved."
            raise PlanError([Problem("abbreviations-without-file", text, "write a file of abbreviations.", name)])
        elif option in _ONE_FILE or (option in ("levels", "candidates") and not isinstance(value, tuple)):
            value = places.moved(value)
        one = option in ("ontology", "links") and len(value) == 1
        options[option] = value[0] if one else list(value) if isinstance(value, tuple) else value
    return options


def pin_links(path: Path, links: Mapping[str, list[str]]) -> None:
    """Name links files in a plan on disk, leaving everything else in it as it is, comments too."""
    import tomlkit

    document = tomlkit.parse(path.read_bytes().decode("utf-8-sig"))
    columns: Any = document["columns"]
    for name, files in links.items():
        columns[name]["links"] = files[0] if len(files) == 1 else files
    save_text(path, tomlkit.dumps(document), private=True)
