"""The command that opens the studio."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from allonym.cli.app import app
from allonym.errors import OptionError

Option = typer.Option
PASSWORD = "ALLONYM_STUDIO_PASSWORD"
File = Annotated[Path | None, typer.Argument(metavar="[FILE]", help="A table to open at once; it is read in place.")]
PlanFile = Annotated[Path | None, Option("--plan", metavar="FILE", help="A plan for it (TOML), with its links.")]
Port = Annotated[int | None, Option("--port", min=0, max=65535, help="8765, or another that is free.")]
NoBrowser = Annotated[bool, Option("--no-browser", help="Print the address, open no browser.")]
Largest = Annotated[int, Option("--max-upload", metavar="MB", min=1, help="The largest file the page takes.")]
Host = Annotated[str, Option("--host", help="Where to listen: this machine alone.", rich_help_panel="For others")]
Remote = Annotated[
    bool,
    Option(
        "--allow-remote",
        help=f"Let others in, with a password in {PASSWORD}, or asked for here.",
        rich_help_panel="For others",
    ),
]


@app.command()
def studio(
    file: File = None,
    plan: PlanFile = None,
    port: Port = None,
    no_browser: NoBrowser = False,
    max_upload: Largest = 2048,
    host: Host = "127.0.0.1",
    allow_remote: Remote = False,
) -> None:
    """Open a page in the browser, to make, check and run plans without writing them by hand.

    It listens to this machine alone; the address it prints has a token that nobody else knows. Nothing leaves the
    machine, and what was opened in the page is removed when the command ends. It needs the extra `studio`.

    Examples:

    `allonym studio`

    `allonym studio survey.csv`

    `allonym studio survey.csv --plan plan.toml --port 9000 --no-browser`
    """
    from allonym.studio import needed
    from allonym.studio.server import Settings, is_loopback, serve

    needed()
    if plan is not None and file is None:
        raise OptionError("A plan is for a table.", hint="name the table too: allonym studio FILE --plan PLAN.")
    password = ""
    if not is_loopback(host):
        password = os.environ.get(PASSWORD, "")
        if allow_remote and not password:
            password = typer.prompt("Password for the studio", hide_input=True, confirmation_prompt=True, err=True)
        typer.echo("What goes between the studio and others is not encrypted. Hint: use a tunnel (ssh -L).", err=True)
    settings = Settings(host, port, max_upload * 1024**2, password, not no_browser)
    settings.check(allow_remote)
    serve(file, plan, settings, typer.echo)
