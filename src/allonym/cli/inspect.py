"""`allonym inspect`: describe a table and suggest a plan."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from allonym.cli import options
from allonym.cli.disclosure import show_disclosure
from allonym.cli.help import Command, option
from allonym.cli.output import progress, say, show_json, show_table

if TYPE_CHECKING:
    from allonym.pipeline.inspect import ColumnInspection, Inspection
    from allonym.tables.files import Reading


@click.command(cls=Command)
@options.file
@option("-o", "--output", type=options.PATH, metavar="FILE", help="Write a first plan (TOML), to be edited.")
@option("--explain", is_flag=True, help="Print the evidence for the proposed role and kind of each column.")
@options.disclosure
@options.as_json
@options.reading
def inspect(
    file: str,
    output: Path | None,
    explain: bool,
    population: str | None,
    combination_size: int,
    as_json: bool,
    **reading_options: Any,
) -> None:
    """Describe the columns of a table and suggest their roles and kinds.

    Counts the distinct, unique and missing values of each column. Tries WordNet, the installed ontologies and those you
    added, and tells which share of the cells the proposed one knows.
    Lists the smallest combinations of likely quasi-identifiers in which people are unique.

    Examples:
      allonym inspect survey.csv
      allonym inspect survey.csv --explain
      allonym inspect survey.csv -o plan.toml
      allonym inspect survey.csv --population register.csv
    """
    from allonym.cli.plan import write_schema
    from allonym.cli.plan_options import reading_from
    from allonym.errors import OutputError
    from allonym.pipeline.inspect import inspect as inspect_table
    from allonym.release.write import check_outputs
    from allonym.tables.files import Reading

    check_outputs([output], [file, population])
    if output is not None and output.exists():
        raise OutputError(f"{output} already exists.", hint="choose another name, or remove the file.")
    reading = reading_from(Reading(), reading_options)
    with progress(_task()) as tick:
        inspection = inspect_table(file, reading, tick, population=population, combination_size=combination_size)
    if output is not None:
        inspection.plan(reading).save(output)
        write_schema(output.parent)
    if as_json:
        show_json(inspection.to_dict())
    else:
        _show(inspection, file, output, reading, explain=explain)


def _task() -> str:
    """Return what is done while a person waits: at the first time, the installed ontologies are compiled too."""
    from allonym.ontology.catalog.compiling import is_compiled
    from allonym.ontology.catalog.registry import entries

    compiled = all(is_compiled(x) for x in entries() if x.is_installed)
    return "Inspecting" if compiled else "Inspecting; the installed ontologies are compiled once"


def _show(inspection: Inspection, file: str, plan: Path | None, reading: Reading, *, explain: bool) -> None:
    """Print the columns of a table, and the next commands."""
    say(f"{file}: {inspection.records:,} records, {len(inspection.columns)} columns\n")
    rows = [
        (
            column.name,
            f"{column.distinct:,}",
            f"{column.unique:,}",
            f"{column.missing:,}",
            column.role,
            _kind(column),
            "" if column.coverage is None else f"{column.coverage:.0%}",
        )
        for column in inspection.columns
    ]
    show_table(("column", "distinct", "unique", "missing", "likely role", "kind", "known"), rows, right=(1, 2, 3, 6))
    if explain:
        _show_evidence(inspection)
    else:
        _show_not_installed(inspection)
    has_units = any(x.role == "unit" for x in inspection.columns)
    show_disclosure(inspection.uniques, inspection.population, has_units=has_units)
    say("\nRoles and kinds are guessed from names and values: check them.")
    if not explain:
        say("Why they were guessed: add --explain.")
    new = plan or Path("plan.toml")
    if plan is None:
        command = ["allonym", "inspect", file, *_reading_options(reading), "-o", str(new)]
        click.echo(f"Write a plan:   {shlex.join(command)}")
    else:
        click.echo(f"Edit the plan:  {plan}")
    click.echo(f"Check it:       {shlex.join(['allonym', 'check', file, '--plan', str(new), '--write'])}")
    if plan is None:
        click.echo(f"Or mask now:    {_mask_command(inspection, file, reading)}")


def _show_evidence(inspection: Inspection) -> None:
    """Print the evidence for what is guessed about each column."""
    for column in inspection.columns:
        say(f"\n{column.name}: {', '.join(x for x in (column.role, _kind(column)) if x)}")
        for evidence in column.evidence:
            say(f"  {evidence.text}")


def _show_not_installed(inspection: Inspection) -> None:
    """Print the ontologies that are worth installing."""
    from allonym.kinds.proposal.evidence import NOT_INSTALLED

    for column in inspection.columns:
        for evidence in column.evidence:
            if evidence.code == NOT_INSTALLED:
                say(f"\n{column.name}: {evidence.text}")


def _kind(column: ColumnInspection) -> str:
    if column.role in ("identifier", "unit", "household", "weight", "keep"):
        return ""
    return column.ontology or ("category" if column.kind == "set" else column.kind)


def _reading_options(reading: Reading) -> list[str]:
    """Return the options that read a file in this way."""
    words = [
        f"--{name}={value}"
        for name in ("encoding", "delimiter", "sheet")
        if (value := getattr(reading, name)) is not None
    ]
    return words if reading.header else [*words, "--no-header"]


def _mask_command(inspection: Inspection, file: str, reading: Reading) -> str:
    """Return a command that masks the table with the likely roles."""
    words = ["allonym", "mask", file, "-o", f"masked{inspection.suffix}", *_reading_options(reading)]
    for column in inspection.columns:
        if column.role == "quasi":
            kind = "category" if column.levels else _kind(column)  # levels are in a plan, or in a file
            words += ["--set" if column.kind == "set" else "--quasi", f"{column.name}={kind}"]
        elif column.role != "keep":
            words += [f"--{column.role}", column.name]
    return shlex.join([*words, "--keep-rest", "--k", "5"])
