"""`allonym plan`: help with writing plans."""

from __future__ import annotations

from pathlib import Path

import click

from allonym.cli import options
from allonym.cli.declared import SCHEMA
from allonym.cli.help import Group, option


def write_schema(folder: Path) -> None:
    """Write the JSON Schema of plans beside a plan that names it, for editors, unless there is one."""
    from allonym.plan.toml import SCHEMA_FILE
    from allonym.release.write import save_text

    if not (folder / SCHEMA_FILE).exists():
        save_text(folder / SCHEMA_FILE, SCHEMA.read_text("utf-8"))


@click.group(cls=Group, no_args_is_help=True)
def plan() -> None:
    """Print the JSON Schema of plans."""


@plan.command()
@option("-o", "--output", type=options.PATH, metavar="FILE", help="Write the schema to this file.")
def schema(output: Path | None) -> None:
    """Print the JSON Schema of plans (draft 2020-12), for editors and validators.

    An editor with TOML support completes and checks a plan whose first line names the schema:
    #:schema allonym-plan.schema.json

    Plans that allonym writes have this line.

    Examples:
      allonym plan schema
      allonym plan schema -o allonym-plan.schema.json
    """
    text = SCHEMA.read_text("utf-8")
    if output is None:
        click.echo(text, nl=False)
        return
    from allonym.release.write import check_outputs, save_text

    check_outputs([output], [])
    save_text(output, text)
    click.echo(f"Written: {output}")
