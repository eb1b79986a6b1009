"""`allonym studio`: open the studio in a browser."""

from __future__ import annotations

import os
from pathlib import Path

import click

from allonym.cli import options
from allonym.cli.help import Command, argument, option
from allonym.errors import OptionError

PASSWORD = "ALLONYM_STUDIO_PASSWORD"
REMOTE = "For others"


@click.command(cls=Command)
@argument("file", type=options.PATH, required=False, metavar="[FILE]", about="Table to open; it is read in place.")
@option("--plan", type=options.PATH, metavar="FILE", help="Plan for the table (TOML), with its links.")
@option("--port", type=click.IntRange(0, 65535), metavar="NUMBER", help="Port; 8765 by default, or a free one.")
@option("--no-browser", is_flag=True, help="Print the address without opening a browser.")
@option(
    "--max-upload", type=click.IntRange(min=1), default=2048, metavar="MB", help="Largest file that can be uploaded."
)
@option("--host", default="127.0.0.1", metavar="ADDRESS", section=REMOTE, help="Address to listen on.")
@option(
    "--allow-remote", is_flag=True, section=REMOTE,
    help=f"Accept connections from other machines; the password is read from {PASSWORD}, or asked for.",
)  # fmt: skip
def studio(
    file: Path | None, plan: Path | None, port: int | None, no_browser: bool, max_upload: int, host: str,
    allow_remote: bool,
) -> None:  # fmt: skip
    """Open the studio in a browser, to write, check and run plans.

    The studio listens on this machine only, and the printed address contains a secret token. No data leaves the
    machine. Files that were opened in the studio are removed when the command ends. Requires the extra `studio`.

    Examples:
      allonym studio
      allonym studio survey.csv
      allonym studio survey.csv --plan plan.toml --port 9000 --no-browser
    """
    from allonym.studio import needed
    from allonym.studio.server import Settings, is_loopback, serve

    needed()
    if plan is not None and file is None:
        raise OptionError("--plan requires a table.", hint="name the table: allonym studio FILE --plan PLAN.")
    password = ""
    if not is_loopback(host):
        password = os.environ.get(PASSWORD, "")
        if allow_remote and not password:
            password = click.prompt("Password for the studio", hide_input=True, confirmation_prompt=True, err=True)
        click.echo("Connections to the studio are not encrypted. Hint: use an SSH tunnel (ssh -L).", err=True)
    settings = Settings(host, port, max_upload * 1024**2, password, not no_browser)
    settings.check(allow_remote)
    serve(file, plan, settings, click.echo)
