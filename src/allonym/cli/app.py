"""The group of all commands, and how a command ends: exit codes, signals and error messages."""

from __future__ import annotations

import difflib
import gc
import io
import os
import signal
import sys
import traceback
from contextlib import suppress
from importlib import import_module
from typing import NoReturn

import click

from allonym import __version__
from allonym.cli.help import SETTINGS, Group
from allonym.cli.output import show_error
from allonym.errors import AllonymError

COMMANDS = (
    "demo", "inspect", "check", "mask", "evaluate", "compare", "link", "ontologies", "similarity", "hierarchy", "plan",
    "studio",
)  # fmt: skip
BROKEN_PIPE = 13
OBJECTS_PER_COLLECTION = 100_000  # a command leaves few cycles behind; Python looks for them every 700 objects


class LazyGroup(Group):
    """The commands, each in a module of its name that is imported when it is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command, or say which one is meant."""
        if cmd_name in COMMANDS:
            command: click.Command = getattr(import_module(f"allonym.cli.{cmd_name}"), cmd_name)
            return command
        close = difflib.get_close_matches(cmd_name, COMMANDS, n=1)
        ctx.fail(f"No such command {cmd_name!r}." + (f" Did you mean {close[0]!r}?" if close else ""))


def _print_version(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    """Print the version, and whether the compiled kernels are in use."""
    if value and not ctx.resilient_parsing:
        from allonym.compiled import in_use

        click.echo(f"allonym {__version__} ({in_use})")
        ctx.exit()


@click.group(cls=LazyGroup, context_settings=SETTINGS, no_args_is_help=True)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version,
    help="Print the version and exit.",
)  # fmt: skip
def app() -> None:
    """Anonymise data whose columns are words, without losing what they mean."""


class _Stopped(BaseException):
    """A signal asked the command to end."""


_stopped: list[int] = []  # signals that came


def main() -> None:
    """Run the command line.

    Exit codes: 0 success; 1 `check` found problems; 2 an error with a message, or a wrong call; 70 a bug in allonym;
    128 + n ended by signal n. However it ends, no file is left that is not whole and verified.
    """
    _save_time()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a letter shows another
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _stop)
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # ignored under nohup
        signal.signal(signal.SIGHUP, _stop)
    shared: dict[str, bool] = {}  # set by options, read when an error is shown
    try:
        sys.exit(_run(shared))
    except _Stopped as stopped:
        _end(stopped.args[0])
    except click.Abort:
        click.echo("Aborted.", err=True)
        sys.exit(1)
    except BrokenPipeError:
        _end_quietly()
    except Exception as error:
        if _stopped:  # an engine turned the signal into an error
            _end(_stopped[0])
        sys.exit(_show(error, shared.get("hide_values", False)))


def _save_time() -> None:
    """Do without work that a short process does not need: waiting threads of OpenBLAS, frequent garbage collection."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(OBJECTS_PER_COLLECTION)


def _run(shared: dict[str, bool]) -> int:
    """Run the command of the arguments; return its exit code. Unlike `app.main()`, lets a broken pipe be seen."""
    try:
        with app.make_context("allonym", sys.argv[1:], obj=shared) as ctx:
            app.invoke(ctx)
    except click.exceptions.Exit as end:
        return end.exit_code
    return 0


def _stop(number: int, frame: object) -> None:
    _stopped.append(number)
    raise _Stopped(number)


def _end(number: int) -> NoReturn:
    click.echo("Stopped.", err=True)
    sys.exit(128 + number)


def _end_quietly() -> NoReturn:
    """End after the reader of a pipe has gone; the interpreter must not try to write the rest."""
    with suppress(OSError, ValueError, io.UnsupportedOperation):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.stderr.close()
    sys.exit(128 + BROKEN_PIPE)


def _show(error: Exception, hide_values: bool) -> int:
    """Print an error; return the exit code."""
    if isinstance(error, click.ClickException):
        error.show()
        return error.exit_code
    if isinstance(error, AllonymError):
        show_error(error, hide_values=hide_values)
        return 2
    _show_bug(error)
    return 70


def _show_bug(error: Exception) -> None:
    """Print where a bug is. The message of the error is left out, because it may contain values of the data."""
    lines = [f"allonym {__version__} failed because of a bug ({type(error).__name__}). Please report this:"]
    for frame in traceback.extract_tb(error.__traceback__):
        _, inside, name = frame.filename.replace(os.sep, "/").rpartition("/allonym/")
        if inside:
            lines.append(f"  {name}, line {frame.lineno}, in {frame.name}")
    lines.append("No incomplete file was written. The error message is omitted: it may contain values of the data.")
    click.echo("\n".join(lines), err=True)
