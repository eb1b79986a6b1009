"""A plan from a file, from options, or both; options win."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from allonym.errors import OptionError, PlanError

if TYPE_CHECKING:
    from allonym.plan import Plan
    from allonym.plan.column import Column
    from allonym.plan.privacy import Privacy
    from allonym.tables.files import Reading


class Words(NamedTuple):
    """What options say about all columns of words."""

    links: Sequence[str]
    hierarchies: Sequence[str]
    candidates: Sequence[str]
    accept_review: bool
    unmatched: str | None
    alike: dict[str, str | None]  # similarity; of sets, the separator and the distance


def given_roles(roles: dict[str, Any], hint: str | None) -> dict[str, list[str]]:
    """Return the columns of each role; there must be some, unless a plan has them."""
    given = {role: [names] if isinstance(names, str) else list(names or []) for role, names in roles.items()}
    if hint is not None and not any(given.values()):
        raise PlanError([f"no column has a role. Hint: {hint}, or give --plan."])
    return given


def plan_of(
    path: Path | None,
    given: dict[str, list[str]],
    words: Words,
    reading: tuple[str | None, str | None, bool | None, str | None],
    settings: dict[str, Any],
) -> Plan:
    """Return a plan as a file says, as options say, or both; options win."""
    from allonym.plan import Plan
    from allonym.tables.files import Reading

    begun = Plan.load(path) if path is not None else None
    promised = _promised(settings.pop("privacy"))
    given_parameters = {name: value for name, value in settings.pop("parameters").items() if value is not None}
    changed = {name: value for name, value in settings.items() if value is not None}
    parameters = dict(begun.parameters) if begun else {}
    if "method" in changed:
        from allonym.methods import find, method_parameters
        from allonym.methods.record_level import RecordLevelMethod

        parameters = {name: x for name, x in parameters.items() if name in method_parameters(changed["method"])}
        other = find(changed["method"])
        if (
            begun is not None
            and other is not None
            and issubclass(other, RecordLevelMethod)
            and other.info.name != begun.method.name
        ):
            # another method's k and seed do not count
            begun = replace(begun, method=changed["method"], parameters={}, k=None, seed=None)
    given = given | {"sensitive": [*given.get("sensitive", []), *_sensitive(promised, given, begun)]}
    changed |= {
        "columns": _columns(dict(begun.columns) if begun else {}, given, words),
        "privacy": tuple({(x.model, x.column): x for x in (*(begun.privacy if begun else ()), *promised)}.values()),
        "reading": reading_of(begun.reading if begun else Reading(), *reading),
        "parameters": parameters | given_parameters,
    }
    return Plan(**changed) if begun is None else replace(begun, **changed)


def _promised(given: dict[str, list[str] | None]) -> list[Privacy]:
    """Return the promises that options give as COLUMN=FIGURE."""
    from allonym.kinds.numbers import to_number
    from allonym.plan.privacy import FIGURES, Privacy

    found = []
    for model, texts in given.items():
        for text in texts or []:
            column, _, figure = text.rpartition("=")
            number = to_number(figure)
            if not column or number is None:
                raise OptionError(f"--{model} {text}: that is no column with a number.", hint="write COLUMN=NUMBER.")
            found.append(Privacy(model, column, **{FIGURES[model]: int(number) if number.is_integer() else number}))
    return found


def _sensitive(promised: Sequence[Privacy], given: dict[str, list[str]], begun: Plan | None) -> list[str]:
    """Return the columns that something is promised of and nothing else is said about: they are sensitive."""
    said = {text.partition("=")[0] for texts in given.values() for text in texts}
    wanted = dict.fromkeys(x.column for x in promised)
    return [x for x in wanted if x not in said and (begun is None or x not in begun.columns)]


def reading_of(
    begun: Reading,
    encoding: str | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    sheet: str | None = None,
) -> Reading:
    """Return how a file is to be read: as a plan says, unless options say otherwise."""
    given: dict[str, Any] = {"encoding": encoding, "delimiter": delimiter, "header": header, "sheet": sheet}
    return replace(begun, **{name: value for name, value in given.items() if value is not None})


def _columns(
    columns: dict[str, Column],
    given: dict[str, list[str]],
    words: Words,
) -> dict[str, Column]:
    """Return the columns of a plan with those of the options; a column named twice has several ontologies."""
    from allonym.kinds.registry import KINDS
    from allonym.plan.column import described

    named: dict[str, tuple[str, list[str]]] = {}
    for role, texts in given.items():
        for text in texts:
            name, _, what = text.partition("=")
            before = named.setdefault(name, (role, []))
            if before[0] != role:
                raise OptionError(f"Column {name} is given two roles, {before[0]} and {role}.", hint="give one.")
            before[1].extend([what] if what else [])
    for name, (role, whats) in named.items():
        several = list(dict.fromkeys(_from_here(what) for what in whats))
        if len(several) > 1 and any(what in KINDS or what.startswith("ordinal:") for what in several):
            raise OptionError(f"Column {name} is given two kinds.", hint="give one; only ontologies can be several.")
        if role == "set":
            columns[name] = _set_column(several)
        else:
            columns[name] = described(role, several[0] if len(several) == 1 else several or None)
    links = _files("--links", words.links, columns)
    hierarchies = _files("--hierarchy", words.hierarchies, columns)
    texts = [x for x in words.candidates if "=" in x]
    candidates = _files("--candidates", texts, columns)
    for path in (x for x in words.candidates if x not in texts):
        candidates |= {name: [str(Path(path).absolute())] for name, x in columns.items() if x.role == "quasi"}
    for name, column in columns.items():
        changed: dict[str, Any] = {"links": tuple(links[name])} if name in links else {}
        changed |= {"hierarchy": hierarchies[name][-1]} if name in hierarchies else {}
        changed |= {"candidates": candidates[name][-1]} if name in candidates else {}
        if column.role == "quasi":
            changed |= {"accept_review": True} if words.accept_review else {}
            changed |= {"unmatched": words.unmatched} if words.unmatched is not None else {}
            own = {name: x for name, x in words.alike.items() if name == "similarity" or column.kind == "set"}
            changed |= {name: x for name, x in own.items() if x is not None}
        columns[name] = replace(column, **changed)
    return columns


def _set_column(whats: Sequence[str]) -> Column:
    """Return a column of sets, of words or of categories."""
    from allonym.plan.column import described

    if list(whats) == ["category"]:
        return described("quasi", None, kind="set", elements="category")
    return described("quasi", list(whats) or None, kind="set")


def _files(option: str, texts: Sequence[str], columns: dict[str, Column]) -> dict[str, list[str]]:
    """Return the files an option gives for columns of words."""
    found: dict[str, list[str]] = {}
    for text in texts:
        name, split, path = text.partition("=")
        if not split or name not in columns or columns[name].role not in ("quasi", "sensitive"):
            raise OptionError(f"{option} {text}: there is no column {name} of words.", hint="write COLUMN=FILE.")
        found.setdefault(name, []).append(str(Path(path).absolute()))
    return found


def _from_here(what: str) -> str:
    """Return a kind or an ontology with its path, if it has one, as seen from here, wherever the plan is."""
    before, ordinal, path = what.rpartition("ordinal:")
    file, split, root = (path, "", "") if Path(path).exists() else path.partition("#")
    if before or not Path(file).exists():
        return what
    return f"{ordinal}{Path(file).absolute()}{split}{root}"
