"""`allonym plan`: help with writing plans."""

from __future__ import annotations

from pathlib import Path

import click

from allonym.cli import options
from allonym.cli.declared import SCHEMA
from allonym.cli.help import Group, option


@click.group(cls=Group, no_args_is_help=True)
def plan() -> None:
    """Print the JSON Schema of plans."""


@plan.command()
@option("-o", "--output", type=options.PATH, metavar="FILE", help="Write the schema to this file.")
def schema(output: Path | None) -> None:
    """Print the JSON Schema of plans (draft 2020-12), for editors and validators.

    An editor with TOML support completes and checks a plan whose first line names the schema:
    #:schema ./plan.schema.json

    Examples:
      allonym plan schema
      allonym plan schema -o plan.schema.json
    """
    text = SCHEMA.read_text("utf-8")
    if output is None:
        click.echo(text, nl=False)
        return
    from allonym.release.write import check_outputs, save_text

    check_outputs([output], [])
    save_text(output, text)
    click.echo(f"Written: {output}")
