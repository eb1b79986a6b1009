"""Commands that look at a table, and check a plan against it."""

from __future__ import annotations

import json

import typer

from allonym.cli.app import Json, app, progress
from allonym.cli.options import (
    Delimiter,
    Encoding,
    File,
    Header,
    HideValues,
    NeededPlan,
    NewPlan,
    Sheet,
    Write,
)
from allonym.cli.plan_options import reading_of


@app.command()
def inspect(
    file: File,
    output: NewPlan = None,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    header: Header = None,
    sheet: Sheet = None,
    as_json: Json = False,
) -> None:
    """Look at a table: its columns, distinct and unique values, likely roles, how much of it WordNet knows.

    Examples:

    `allonym inspect survey.csv`

    `allonym inspect survey.csv -o plan.toml`
    """
    from allonym.cli.output import show_inspection
    from allonym.errors import OutputError
    from allonym.pipeline.inspect import inspect as look
    from allonym.release.write import check_outputs
    from allonym.tables.files import Reading

    check_outputs([output], [file])
    if output is not None and output.exists():
        raise OutputError(f"{output} is there already.", hint="give another name, or remove it.")
    reading = reading_of(Reading(), encoding, delimiter, header, sheet)
    with progress("looking") as tick:
        found = look(file, reading, tick)
    if output is not None:
        found.plan(reading).save(output)
    if as_json:
        typer.echo(json.dumps(found.to_dict(), indent=2, ensure_ascii=False))
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
    from allonym.cli.output import show_check
    from allonym.plan import Plan

    loaded = Plan.load(plan)
    with progress("understanding") as tick:
        found = loaded.check(file, tick)
    written = found.pin(plan) if write else []
    if as_json:
        typer.echo(json.dumps(found.to_dict(hide_values), indent=2, ensure_ascii=False))
    else:
        show_check(found, hide_values, written, plan)
    raise typer.Exit(0 if found.ready else 1)
