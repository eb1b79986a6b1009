"""A plan as TOML, there and back. Unknown keys and wrong types are refused, all at once."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from allonym.cells import MISSING
from allonym.errors import PlanError
from allonym.methods.record_level import RecordLevelMethod
from allonym.ontology.catalog import is_wordnet, parted
from allonym.ontology.scope import Scope
from allonym.ontology.taxonomy import Taxonomy
from allonym.plan.column import OPTIONS, Column, described, unknown
from allonym.plan.privacy import Privacy
from allonym.release.write import save_text
from allonym.tables.files import Reading

if TYPE_CHECKING:
    from allonym.plan.model import Plan

FORMAT = 1
TABLES = ("format", "keep_rest", "long", "release", "method", "privacy", "file", "columns")
FILE_KEYS = ("encoding", "delimiter", "header", "sheet", "missing")
RELEASE_KEYS = ("title", "purpose", "decided_by", "note")
PRIVACY_KEYS = tuple(f.name for f in fields(Privacy))
OWN = ("name", "k", "seed")  # of every method
_TYPES: dict[str, tuple[type, ...]] = {
    "ontology": (str, list),
    "links": (str, list),
    "levels": (str, list),
    "candidates": (str, list),
    "weight": (int, float),
    "release": (dict,),
    "method": (dict,),
    "file": (dict,),
    "columns": (dict,),
    "privacy": (list,),
    "l": (int, float),
    "t": (int, float),
    "p": (int, float),
    "c": (int, float),
    "accept_review": (bool,),
    "individuals": (bool,),
    "phrases": (bool,),
    "header": (bool,),
    "missing": (list,),
    "k": (int,),
    "seed": (int,),
    "keep_rest": (bool,),
    "long": (bool,),
    "format": (int,),
}  # fmt: skip; everything else is text


class _Reader:
    """Collects problems while it goes through a plan."""

    def __init__(self) -> None:
        self.problems: list[str] = []

    def table(self, given: Any, where: str, known: tuple[str, ...] | None) -> dict[str, Any]:
        """Return a table without what is wrong with it."""
        if not isinstance(given, dict):
            self.problems.append(f"{where} must be a table.")
            return {}
        kept = {}
        for key, value in given.items():
            if known is not None and key not in known:
                self.problems.append(f"{where}: {unknown('key', key, known)}")
            elif not self._fits(key, value) and known is not None:
                wanted = " or ".join(t.__name__ for t in _TYPES.get(key, (str,)))
                self.problems.append(f"{where}: {key} must be {wanted}, not {type(value).__name__}.")
            else:
                kept[key] = value
        return kept

    @staticmethod
    def _fits(key: str, value: Any) -> bool:
        types = _TYPES.get(key, (str,))
        if isinstance(value, bool) and bool not in types:
            return False
        return isinstance(value, types) and (
            not isinstance(value, list) or all(isinstance(x, dict if key == "privacy" else str) for x in value)
        )


def load(path: Path, make: type[Plan]) -> Plan:
    """Read a plan."""
    try:
        return loads(path.read_text("utf-8-sig"), path, make)
    except OSError as error:
        raise PlanError([f"cannot be read: {error.strerror}. Hint: is the name right?"], where=str(path)) from error
    except RecursionError as error:
        raise PlanError(["is nested too deeply to be a plan."], where=str(path)) from error
    except ValueError as error:
        raise PlanError([f"is not valid TOML: {error}"], where=str(path)) from error


def loads(text: str, path: Path, make: type[Plan]) -> Plan:
    """Read a plan that is, or is part of, a file."""
    given = tomllib.loads(text)
    reader = _Reader()
    tables = reader.table(given, "plan", TABLES)
    if tables.get("format") != FORMAT:
        reader.problems.append(f"format must be {FORMAT}. Hint: begin the plan with format = {FORMAT}.")
    columns = {}
    for name, options in reader.table(tables.get("columns", {}), "columns", None).items():
        kept = reader.table(options, f"column {name}", OPTIONS)
        if isinstance(options, dict) and "role" not in options:
            reader.problems.append(f"column {name} has no role.")
        elif "role" in kept:
            columns[name] = described(kept.pop("role"), **kept)
    privacy = [reader.table(x, "privacy", PRIVACY_KEYS) for x in tables.get("privacy", [])]
    for lost in (key for x in privacy for key in ("model", "column") if key not in x):
        reader.problems.append(f"privacy: {lost} is missing.")
    method = dict(reader.table(tables.get("method", {}), "method", None))
    own = reader.table(
        {x: method.pop(x) for x in ("name", "k", "seed") if x in method}, "method", ("name", "k", "seed")
    )
    file = reader.table(tables.get("file", {}), "file", FILE_KEYS)
    missing = file.pop("missing", MISSING)
    about = reader.table(tables.get("release", {}), "release", RELEASE_KEYS)
    found: dict[str, Any] = {
        "privacy": tuple(Privacy(**x) for x in privacy if "model" in x and "column" in x),
        "columns": columns, "parameters": method, "about": about, "reading": Reading(**file), "missing": tuple(missing),
        "folder": path.parent, "keep_rest": tables.get("keep_rest", False), "long": tables.get("long", False),
    }  # fmt: skip
    found |= {"method" if key == "name" else key: value for key, value in own.items()}
    try:
        plan = make(**found)
    except PlanError as error:
        raise PlanError([*reader.problems, *error.problems], where=str(path)) from None
    if reader.problems:
        raise PlanError(reader.problems, where=str(path))
    return plan


def save(plan: Plan, path: Path) -> None:
    """Write a plan; relative paths in it are told as seen from where it is written."""
    save_text(path, dumped(plan, path.parent))


def dumped(plan: Plan, folder: Path | None = None) -> str:
    """Return a plan as TOML, as it would be saved in a folder (by default its own)."""
    import tomlkit

    places = _Places(plan.folder, plan.folder if folder is None else folder)

    method = plan.method
    document: dict[str, Any] = {"format": FORMAT}
    document |= {name: True for name in ("keep_rest", "long") if getattr(plan, name)}
    if plan.about:
        document["release"] = dict(plan.about)
    parameters = {f.name: getattr(method, f.name) for f in fields(method)}
    document["method"] = {"name": method.name, **parameters}
    if plan.seed is not None or not isinstance(method, RecordLevelMethod):
        document["method"]["seed"] = plan.seed or 0
    if plan.privacy:
        document["privacy"] = [x.to_dict() for x in plan.privacy]
    file = {f.name: getattr(plan.reading, f.name) for f in fields(Reading)}
    file = {key: value for key, value in file.items() if value != getattr(Reading(), key)}
    if tuple(plan.missing) != MISSING:
        file["missing"] = list(plan.missing)
    if file:
        document["file"] = file
    document["columns"] = {name: _column(column, name, places) for name, column in plan.columns.items()}
    return tomlkit.dumps(document)


@dataclass(frozen=True)
class _Places:
    """Where the paths of a plan are relative to, and where they will be."""

    here: Path
    there: Path

    def moved(self, path: str | Path, base: Path | None = None) -> str:
        """Return a path as seen from there."""
        start = self.here if base is None else base
        if Path(path).is_absolute() or start.absolute() == self.there.absolute():
            return Path(path).as_posix()
        try:
            return Path(os.path.relpath(start / path, self.there)).as_posix()
        except ValueError:  # another drive
            return (start / path).absolute().as_posix()

    def ontology(self, ontology: str | Scope | Taxonomy) -> str:
        """Return an ontology as it is named in a plan."""
        if isinstance(ontology, str) and is_wordnet(ontology):
            return ontology
        if isinstance(ontology, str):
            path, root = parted(ontology, self.here)
            return f"{self.moved(path)}{root}"
        scope = ontology if isinstance(ontology, Scope) else Scope(ontology, ontology.root)
        taxonomy = scope.taxonomy
        root = "" if scope.root == taxonomy.root else taxonomy.ids[scope.root]
        if taxonomy.name == "wordnet":
            return f"wordnet:{root}" if root else "wordnet"
        if not taxonomy.source.path:
            raise PlanError([f"ontology {taxonomy.name} was not read from a file, so the plan cannot name it."])
        path = self.moved(taxonomy.source.path, Path())
        return f"{path}#{root}" if root else path


def _column(column: Column, name: str, places: _Places) -> dict[str, Any]:
    """Return what is not usual about a column."""
    usual = Column(column.role)
    told: dict[str, Any] = {"role": column.role}
    for option in OPTIONS[1:]:
        value = getattr(column, option)
        if value == getattr(usual, option):
            continue
        if option == "ontology":
            value = [places.ontology(x) for x in value]
        elif option == "links":
            if any(isinstance(x, Mapping) for x in value):
                raise PlanError([f"column {name}: links given as a mapping cannot be saved. Hint: write a links file."])
            value = [places.moved(x) for x in value]
        elif option == "hierarchy" or (option in ("levels", "candidates") and not isinstance(value, tuple)):
            value = places.moved(value)
        one = option in ("ontology", "links") and len(value) == 1
        told[option] = value[0] if one else list(value) if isinstance(value, tuple) else value
    return told


def pin_links(path: Path, links: Mapping[str, list[str]]) -> None:
    """Name links files in a plan on disk, leaving everything else in it as it is, comments too."""
    import tomlkit

    document = tomlkit.parse(path.read_bytes().decode("utf-8-sig"))
    columns: Any = document["columns"]
    for name, files in links.items():
        columns[name]["links"] = files[0] if len(files) == 1 else files
    save_text(path, tomlkit.dumps(document))
