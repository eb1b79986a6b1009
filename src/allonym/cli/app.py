"""The command line itself, and what its commands share."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from allonym import __version__
from allonym.errors import AllonymError

if TYPE_CHECKING:
    from rich.console import Console

app = typer.Typer(
    name="allonym",
    help="Anonymise data whose columns are words, without losing what they mean.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)
Json = Annotated[bool, typer.Option("--json", help="Print JSON to standard output.")]


def main() -> None:
    """Run the command line; an error that is meant for the user ends with exit code 2 and leaves no file."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a letter shows another
    try:
        app()
    except AllonymError as error:
        typer.echo(f"Error: {error}", err=True)
        sys.exit(2)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"allonym {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


def console(*, stderr: bool = False) -> Console:
    """Return where to print: text as it is, nothing in it a command to the printer."""
    from rich.console import Console

    return Console(markup=False, emoji=False, highlight=False, stderr=stderr)


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Show on standard error that something takes a moment, where a person looks at it."""
    from rich.text import Text

    out = console(stderr=True)
    if not out.is_terminal:
        yield
        return
    with out.status(Text(f"{what} …")):
        yield


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar on standard error, where a person looks at it; yields what to call with done and total."""
    from rich.progress import Progress

    out = console(stderr=True)
    with Progress(console=out, transient=True, disable=not out.is_terminal) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def printable(text: str) -> str:
    """Return a text without what would command the terminal.

    >>> printable("a\\x1b[31mb")
    'a�[31mb'
    """
    return "".join(c if c.isprintable() else "�" for c in text)


def short(text: str, width: int) -> str:
    """Cut a text to a width, and leave out what would command the terminal."""
    text = printable(text)
    return text if len(text) <= width else text[: width - 1] + "…"
