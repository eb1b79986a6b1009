"""The command line itself, and what its commands share."""

from __future__ import annotations

import io
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, NoReturn

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


class _Stopped(BaseException):
    """Somebody wants the command to end."""


def main() -> None:
    """Run the command line. Nothing is left behind that is not whole and verified, however it ends.

    Exit codes: 0 done; 1 `check` found problems; 2 an error that is told, or a command that makes no sense; 70 a
    mistake of allonym; 128 + n stopped by signal n.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a letter shows another
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _stop)
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # as nohup wants it
        signal.signal(signal.SIGHUP, _stop)
    try:
        app()
    except AllonymError as error:
        if _stopped:  # an engine made an error of its own of it
            _end(_stopped[0])
        typer.echo(f"Error: {error}", err=True)
        sys.exit(2)
    except _Stopped as stopped:
        _end(stopped.args[0])
    except BrokenPipeError:  # nobody reads on
        sys.stderr.close()
        sys.exit(128 + 13)
    except Exception as error:
        if _stopped:
            _end(_stopped[0])
        _tell_mistake(error)
        sys.exit(70)


def _end(number: int) -> NoReturn:
    typer.echo("Stopped.", err=True)
    sys.exit(128 + number)


_stopped: list[int] = []  # signals that came


def _stop(number: int, frame: object) -> None:
    _stopped.append(number)
    raise _Stopped(number)


def _tell_mistake(error: Exception) -> None:
    """Say where something went wrong that should not; what exactly may hold cells of the data, so it is not said."""
    typer.echo(f"allonym {__version__} made a mistake ({type(error).__name__}). Please report this:", err=True)
    for place in traceback.extract_tb(error.__traceback__):
        name = place.filename.replace(os.sep, "/").rpartition("/allonym/")[2] if "allonym" in place.filename else ""
        if name:
            typer.echo(f"  {name}, line {place.lineno}, in {place.name}", err=True)
    typer.echo(
        "Nothing was written that is not whole. The cause is left out, as it may hold values of the data.", err=True
    )


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
    out = console(stderr=True)
    if not out.is_terminal:
        yield lambda done, total: None
        return
    from rich.progress import Progress

    with Progress(console=out, transient=True) as bar:
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
