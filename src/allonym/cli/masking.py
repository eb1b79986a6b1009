"""Commands on tables: look at one, check a plan against it, mask it, and the demonstration."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from allonym.cli.app import Json, app, progress
from allonym.errors import OptionError, PlanError

if TYPE_CHECKING:
    from allonym.plan.columns import Column

File = Annotated[str, typer.Argument(help="A CSV or Parquet file, gzipped or not; - for standard input.")]
PlanFile = Annotated[Path | None, typer.Option("--plan", help="A plan (TOML).")]
Names = list[str]
Encoding = Annotated[str | None, typer.Option("--encoding", help="Of a text file; found by itself unless given.")]
Delimiter = Annotated[str | None, typer.Option("--delimiter", help="Of a text file; found by itself unless given.")]
Header = Annotated[bool, typer.Option("--header/--no-header", help="Whether the first line names the columns.")]
HideValues = Annotated[bool, typer.Option("--hide-values", help="Print counts, never values of the data.")]
WHAT = "wordnet[:ROOT], FILE[#ROOT], numeric, category, ordinal:FILE"


@app.command()
def inspect(
    file: File,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write a plan to begin with.")] = None,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    header: Header = True,
    as_json: Json = False,
) -> None:
    """Look at a table: its columns, distinct and unique values, likely roles, how much of it WordNet knows.

    Examples:

    `allonym inspect survey.csv`

    `allonym inspect survey.csv -o plan.toml`
    """
    from allonym.cli.show import show_inspection
    from allonym.plan.inspect import inspect as look
    from allonym.tables.files import Reading

    reading = Reading(encoding, delimiter, header)
    with progress("looking") as tick:
        found = look(file, reading, tick)
    if output is not None:
        found.plan(reading).save(output)
    if as_json:
        typer.echo(json.dumps(found.told(), indent=2, ensure_ascii=False))
    else:
        show_inspection(found, file, output)


@app.command()
def check(
    file: File,
    plan: Annotated[Path, typer.Option("--plan", help="A plan (TOML).")],
    write: Annotated[
        bool, typer.Option("--write", help="Write the links beside the plan, and name them in it, to review.")
    ] = False,
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


@app.command()
def mask(
    file: File,
    output: Annotated[str, typer.Option("-o", "--output", help="Where to write the release; - for standard output.")],
    plan: PlanFile = None,
    quasi: Annotated[Names | None, typer.Option(help=f"A column others may know, COLUMN[=WHAT]: {WHAT}.")] = None,
    sensitive: Annotated[Names | None, typer.Option(help="A column nobody should learn, COLUMN[=WHAT].")] = None,
    identifier: Annotated[Names | None, typer.Option(help="A column that names people: dropped.")] = None,
    unit: Annotated[str | None, typer.Option(help="The column that says who a row is about: k counts these.")] = None,
    weight: Annotated[str | None, typer.Option(help="The column with survey weights.")] = None,
    keep: Annotated[Names | None, typer.Option(help="A column that stays as it is.")] = None,
    keep_rest: Annotated[bool, typer.Option("--keep-rest", help="Columns not named stay as they are.")] = False,
    k: Annotated[int | None, typer.Option("--k", help="How many people must look the same.  [default: 5]")] = None,
    method: Annotated[str | None, typer.Option(help="The method (an unknown one lists them).")] = None,
    seed: Annotated[int | None, typer.Option(help="The same seed gives the same bytes.  [default: 0]")] = None,
    links: Annotated[Names | None, typer.Option(help="Reviewed links of a column, COLUMN=FILE.")] = None,
    accept_review: Annotated[bool, typer.Option("--accept-review", help="Take links to review as they are.")] = False,
    unmatched: Annotated[
        str | None, typer.Option(help="Words not understood: error, opaque (as they are), suppress (null).")
    ] = None,
    summary: Annotated[Path | None, typer.Option(help="Write the figures as JSON.")] = None,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    header: Header = True,
    hide_values: HideValues = False,
    as_json: Json = False,
) -> None:
    """Mask a table and write a verified release.

    Roles come from a plan, from options, or both (options win). What is written is read again and recounted first; if a
    promise does not hold, nothing is written and the command ends with 2.

    Examples:

    `allonym mask survey.csv -o masked.csv --plan plan.toml`

    `allonym mask survey.csv -o masked.csv --quasi job=wordnet:person --quasi age=numeric --sensitive income
    --identifier name --keep-rest --k 5`

    `allonym mask - -o - --quasi job=wordnet:person --links job=job.links.csv --keep-rest < in.csv > out.csv`
    """
    from allonym.cli.show import show_release
    from allonym.plan import Plan
    from allonym.release import save_text
    from allonym.tables.files import Reading

    roles = {"quasi": quasi, "sensitive": sensitive, "identifier": identifier, "keep": keep}
    given = {role: list(names or []) for role, names in roles.items()}
    given |= {"unit": [unit] if unit else [], "weight": [weight] if weight else []}
    begun = Plan.load(plan) if plan is not None else None
    columns = _columns(dict(begun.columns) if begun else {}, given, links or [], accept_review, unmatched)
    reading = Reading(encoding, delimiter, header)
    changed: dict[str, Any] = {"columns": columns}
    changed |= {"keep_rest": True} if keep_rest else {}
    changed |= {"k": k} if k is not None else {}
    changed |= {"seed": seed} if seed is not None else {}
    changed |= {"reading": reading} if reading != Reading() else {}
    changed |= {"method": method} | ({} if begun is None else {"parameters": {}}) if method is not None else {}
    if not columns:
        raise PlanError(
            [f"no column has a role. Hint: look at the table with `allonym inspect {file}`, or give --plan."]
        )
    whole = Plan(**changed) if begun is None else replace(begun, **changed)
    with progress("masking") as tick:
        try:
            done = whole.run(file, output, tick)
        except PlanError as error:
            if not hide_values:
                _show_details(error)
            raise
    text = json.dumps(done.summary, indent=2, ensure_ascii=False) + "\n"
    if summary is not None:
        save_text(summary, text)
    if as_json:
        typer.echo(text, nl=False, err=output == "-")
    else:
        show_release(done, output, stderr=output == "-")


def _columns(
    columns: dict[str, Column],
    given: dict[str, list[str]],
    links: Sequence[str],
    accept_review: bool,
    unmatched: str | None,
) -> dict[str, Column]:
    """Return the columns of a plan with those of the options; a column named twice has several ontologies."""
    from allonym.plan.columns import described

    named: dict[str, tuple[str, list[str]]] = {}
    for role, texts in given.items():
        for text in texts:
            name, _, what = text.partition("=")
            before = named.setdefault(name, (role, []))
            if before[0] != role:
                raise OptionError(f"Column {name} is given two roles, {before[0]} and {role}.", hint="give one.")
            before[1].extend([what] if what else [])
    for name, (role, whats) in named.items():
        columns[name] = described(role, whats[0] if len(whats) == 1 else whats or None)
    files: dict[str, list[str]] = {}
    for text in links:
        name, split, path = text.partition("=")
        if not split or name not in columns:
            raise OptionError(
                f"--links {text}: there is no column {name}.", hint="write COLUMN=FILE, of a quasi column."
            )
        files.setdefault(name, []).append(str(Path(path).absolute()))
    for name, column in columns.items():
        if column.role == "quasi":
            changed: dict[str, Any] = {"links": tuple(files[name])} if name in files else {}
            changed |= {"accept_review": True} if accept_review else {}
            changed |= {"unmatched": unmatched} if unmatched is not None else {}
            columns[name] = replace(column, **changed)
    return columns


def _show_details(error: PlanError) -> None:
    """Print the values behind problems, where the user may see them."""
    for what, values in error.details.items():
        typer.echo(
            f"{what}: {', '.join(values[:20])}{f' … {len(values) - 20:,} more' if len(values) > 20 else ''}", err=True
        )


@app.command()
def demo(
    output: Annotated[Path, typer.Option("-o", "--output", help="The folder to write to.")] = Path("allonym-demo"),
    k: Annotated[int, typer.Option("--k", help="How many people must look the same.")] = 5,
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
        done = demonstrate(output, k, tick)
    show_demo(done, output)
