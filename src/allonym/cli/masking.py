"""Commands on tables: look at one, check a plan against it, mask it, and the demonstration."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from allonym.cli.app import Json, app, printable, progress
from allonym.cli.options import (
    Accept,
    AllowSame,
    Alpha,
    Balance,
    Candidates,
    Delimiter,
    Distance,
    Encoding,
    Epsilon,
    File,
    Folder,
    Growth,
    Guide,
    Header,
    Heuristics,
    HideValues,
    Hierarchy,
    Identifier,
    K,
    Keep,
    KeepRest,
    Key,
    Links,
    LongForm,
    MethodName,
    NeededPlan,
    NewPlan,
    Nulls,
    PerAttribute,
    PlanFile,
    Quasi,
    Release,
    Represent,
    Seed,
    Sensitive,
    Separator,
    SetColumn,
    Similarity,
    Summary,
    Suppression,
    Unit,
    Unmatched,
    Weight,
    Write,
)
from allonym.errors import OptionError, PlanError, listed

if TYPE_CHECKING:
    from allonym.plan import Plan
    from allonym.plan.columns import Column
    from allonym.tables.files import Reading


class _Words(NamedTuple):
    """What options say about all columns of words."""

    links: Sequence[str]
    hierarchies: Sequence[str]
    candidates: Sequence[str]
    accept_review: bool
    unmatched: str | None
    alike: dict[str, str | None]  # similarity; of sets, the separator and the distance


@app.command()
def inspect(
    file: File,
    output: NewPlan = None,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    header: Header = None,
    as_json: Json = False,
) -> None:
    """Look at a table: its columns, distinct and unique values, likely roles, how much of it WordNet knows.

    Examples:

    `allonym inspect survey.csv`

    `allonym inspect survey.csv -o plan.toml`
    """
    from allonym.cli.show import show_inspection
    from allonym.errors import OutputError
    from allonym.plan.inspect import inspect as look
    from allonym.release import distinct_places
    from allonym.tables.files import Reading

    distinct_places([output], [file])
    if output is not None and output.exists():
        raise OutputError(f"{output} is there already.", hint="give another name, or remove it.")
    reading = _reading(Reading(), encoding, delimiter, header)
    with progress("looking") as tick:
        found = look(file, reading, tick)
    if output is not None:
        found.plan(reading).save(output)
    if as_json:
        typer.echo(json.dumps(found.told(), indent=2, ensure_ascii=False))
    else:
        show_inspection(found, file, output, reading)


@app.command()
def check(
    file: File,
    plan: NeededPlan,
    write: Write = False,
    hide_values: HideValues = False,
    as_json: Json = False,
) -> None:
    """Check a plan against a table; mask nothing. Ends with 1 if `mask` would refuse.

    Tells how the words were understood (those to review first), which were not, with suggestions, and how easily people
    are found in the table as it is.

    Examples:

    `allonym check survey.csv --plan plan.toml`

    `allonym check survey.csv --plan plan.toml --write`
    """
    from allonym.cli.show import show_check
    from allonym.plan import Plan

    loaded = Plan.load(plan)
    with progress("understanding") as tick:
        found = loaded.check(file, tick)
    written = found.pin(plan) if write else []
    if as_json:
        typer.echo(json.dumps(found.told(hide_values), indent=2, ensure_ascii=False))
    else:
        show_check(found, hide_values, written, plan)
    raise typer.Exit(0 if found.ready else 1)


# fmt: off
@app.command()
def mask(
    file: File, output: Release, plan: PlanFile = None, quasi: Quasi = None,
    set_: SetColumn = None, separator: Separator = None, set_distance: Distance = None, long: LongForm = False,
    sensitive: Sensitive = None, identifier: Identifier = None, unit: Unit = None, weight: Weight = None,
    keep: Keep = None, keep_rest: KeepRest = False, k: K = None, method: MethodName = None, seed: Seed = None,
    growth: Growth = None, represent: Represent = None, heuristics: Heuristics = None, guide: Guide = None,
    hierarchy: Hierarchy = None, per_attribute: PerAttribute = False, suppression: Suppression = None,
    alpha: Alpha = None, allow_same: AllowSame = False, key: Key = None,
    epsilon: Epsilon = None, candidates: Candidates = None, nulls: Nulls = False,
    similarity: Similarity = None, links: Links = None, accept_review: Accept = False,
    unmatched: Unmatched = None, balance: Balance = 0.5, summary: Summary = None, encoding: Encoding = None,
    delimiter: Delimiter = None, header: Header = None, hide_values: HideValues = False, as_json: Json = False,
) -> None:
    # fmt: on
    """Mask a table and write a verified release.

    Roles come from a plan, from options, or both (options win). What is written is read again and recounted first; if a
    promise does not hold, nothing is written and the command ends with 2.

    Examples:

    `allonym mask survey.csv -o masked.csv --plan plan.toml`

    `allonym mask survey.csv -o masked.csv --quasi job=wordnet:person --quasi age=numeric --sensitive income
    --identifier name --keep-rest --k 5`

    `allonym mask queries.csv -o masked.csv --quasi query=wordnet --keep-rest --method noise --alpha 0.3`

    `allonym mask survey.csv -o masked.csv --quasi job=wordnet:person --keep-rest --method exponential --epsilon 4
    --candidates jobs.txt`

    `allonym mask - -o - --quasi job=wordnet:person --links job=job.links.csv --keep-rest < in.csv > out.csv`
    """
    from allonym.release import distinct_places

    named_files = [x.rpartition("=")[2] for x in (*(links or []), *(hierarchy or []), *(candidates or []))]
    distinct_places([output, summary], [file, plan, *named_files])
    roles: dict[str, Any] = {
        "quasi": quasi,
        "set": set_,
        "sensitive": sensitive,
        "identifier": identifier,
        "keep": keep,
    }
    given = _given(roles | {"unit": unit, "weight": weight}, f"see `allonym inspect {file}`" if plan is None else None)
    settings: dict[str, Any] = {"k": k, "seed": seed, "method": method, "keep_rest": keep_rest or None}
    settings["long"] = long or None
    own: dict[str, Any] = {"growth": growth, "represent": represent, "heuristics": heuristics, "guide": guide}
    own |= {"suppression": suppression, "per_attribute": per_attribute or None, "alpha": alpha, "epsilon": epsilon}
    settings["parameters"] = own | {"allow_same": allow_same or None, "nulls": nulls or None, "key": key}
    alike = {"similarity": similarity, "separator": separator, "distance": set_distance}
    words = _Words(links or [], hierarchy or [], candidates or [], accept_review, unmatched, alike)
    whole = _plan(plan, given, words, (encoding, delimiter, header), settings)
    _mask(whole, file, output, summary, balance, hide_values, as_json)


def _given(roles: dict[str, Any], hint: str | None) -> dict[str, list[str]]:
    """Return the columns of each role; there must be some, unless a plan has them."""
    given = {role: [names] if isinstance(names, str) else list(names or []) for role, names in roles.items()}
    if hint is not None and not any(given.values()):
        raise PlanError([f"no column has a role. Hint: {hint}, or give --plan."])
    return given


def _mask(
    plan: Plan, file: str, output: str, summary: Path | None, balance: float, hide_values: bool, as_json: bool
) -> None:
    """Mask a file, and tell what came of it."""
    from allonym.cli.show import show_release
    from allonym.release import save_text

    with progress("masking") as tick:
        try:
            done = plan.run(file, output, tick, balance=balance)
        except PlanError as error:
            if not hide_values:
                show_details(error)
            raise
    text = json.dumps(done.summary, indent=2, ensure_ascii=False) + "\n"
    if summary is not None:
        save_text(summary, text)
    if as_json:
        typer.echo(text, nl=False, err=output == "-")
    else:
        show_release(done, output, stderr=output == "-")


def _plan(
    path: Path | None,
    given: dict[str, list[str]],
    words: _Words,
    reading: tuple[str | None, str | None, bool | None],
    settings: dict[str, Any],
) -> Plan:
    """Return a plan as a file says, as options say, or both; options win."""
    from allonym.plan import Plan
    from allonym.tables.files import Reading

    begun = Plan.load(path) if path is not None else None
    given_parameters = {name: value for name, value in settings.pop("parameters").items() if value is not None}
    changed = {name: value for name, value in settings.items() if value is not None}
    parameters = dict(begun.parameters) if begun else {}
    if "method" in changed:
        from allonym.masking import named, parameters_of

        parameters = {name: x for name, x in parameters.items() if name in parameters_of(changed["method"])}
        other = named(changed["method"])
        if begun is not None and other is not None and other.by_row and other.name != begun.chosen.name:
            # another method's k and seed do not count
            begun = replace(begun, method=changed["method"], parameters={}, k=None, seed=None)
    changed |= {
        "columns": _columns(dict(begun.columns) if begun else {}, given, words),
        "reading": _reading(begun.reading if begun else Reading(), *reading),
        "parameters": parameters | given_parameters,
    }
    return Plan(**changed) if begun is None else replace(begun, **changed)


def _reading(begun: Reading, encoding: str | None, delimiter: str | None, header: bool | None) -> Reading:
    """Return how a file is to be read: as a plan says, unless options say otherwise."""
    given: dict[str, Any] = {"encoding": encoding, "delimiter": delimiter, "header": header}
    return replace(begun, **{name: value for name, value in given.items() if value is not None})


def _columns(
    columns: dict[str, Column],
    given: dict[str, list[str]],
    words: _Words,
) -> dict[str, Column]:
    """Return the columns of a plan with those of the options; a column named twice has several ontologies."""
    from allonym.plan.columns import KINDS, described

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
    from allonym.plan.columns import described

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


def show_details(error: PlanError) -> None:
    """Print the values behind problems, where the user may see them."""
    for what, values in error.details.items():
        typer.echo(f"{what}: {listed(map(printable, values), 20)}", err=True)


@app.command()
def demo(
    output: Folder = Path("allonym-demo"),
    k: K = None,
) -> None:
    """Mask the bundled survey, and show what came of it.

    Writes survey.csv (invented answers of visitors to a park), plan.toml, the reviewed links, masked.csv and
    summary.json.

    Example:

    `allonym demo -o demo && allonym mask demo/survey.csv -o again.csv --plan demo/plan.toml`
    """
    from allonym.cli.show import show_demo
    from allonym.plan.demo import demonstrate

    with progress("masking") as tick:
        done = demonstrate(output, 5 if k is None else k, tick)
    show_demo(done, output)
