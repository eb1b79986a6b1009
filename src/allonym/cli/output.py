"""Printing: text, tables, JSON and progress. Only tables and progress bars import rich."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from allonym.errors import (
    DIFFERENT_LEAVES,
    REPEATED_KEY,
    UNKNOWN_KEY,
    AllonymError,
    LinksError,
    PlanError,
    Problem,
    first_few,
)  # fmt: skip
from allonym.progress import Progress, no_progress

if TYPE_CHECKING:
    from rich.console import Console

    from allonym.ontology.lexicon import Lexicon

MAX_LISTED = 20  # values shown behind a problem
CODES_WITH_VALUES = (REPEATED_KEY, UNKNOWN_KEY, DIFFERENT_LEAVES)  # of other errors than of plans and links


def width() -> int:
    """Return the width of the terminal."""
    return max(shutil.get_terminal_size().columns, 40)


def say(text: str = "", *, err: bool = False) -> None:
    """Print text, wrapped between words; a wrapped line keeps its indentation."""
    for line in text.split("\n"):
        indent = " " * (len(line) - len(line.lstrip()))
        click.echo(_wrapped(line, indent), err=err)


def say_pairs(pairs: Sequence[tuple[str, str]], *, err: bool = False) -> None:
    """Print names and their values in two columns."""
    indent = max(len(name) for name, _ in pairs) + 2
    for name, value in pairs:
        click.echo(_wrapped(f"{name:{indent}}{value}", " " * indent), err=err)


def _wrapped(line: str, indent: str) -> str:
    return textwrap.fill(line, width(), subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def show_json(value: Any, *, err: bool = False) -> None:
    """Print a value as JSON."""
    click.echo(as_json_text(value), err=err)


def as_json_text(value: Any) -> str:
    """Return a value as JSON, indented."""
    return json.dumps(value, indent=2, ensure_ascii=False)


def show_table(
    heads: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = (), *, fold: int = 1
) -> None:
    """Print a table; columns before `fold` are never wrapped, those in `right` are aligned to the right."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for i, head in enumerate(heads):
        table.add_column(head, justify="right" if i in right else "left", overflow="fold", no_wrap=i < fold)
    for row in rows:
        table.add_row(*row)
    console = _console()
    with console.capture() as capture:
        console.print(table)
    click.echo(capture.get(), nl=False)  # rich itself would end with 1 where a pipe is broken


def _console(*, stderr: bool = False) -> Console:
    """Return where to print; nothing in a text is taken for markup."""
    from rich.console import Console

    return Console(markup=False, emoji=False, highlight=False, stderr=stderr)


@contextmanager
def waiting(task: str) -> Iterator[None]:
    """Show on a terminal that a task of unknown length is running."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.text import Text

    with _console(stderr=True).status(Text(f"{task} …")):
        yield


@contextmanager
def progress(task: str) -> Iterator[Progress]:
    """Show a progress bar on a terminal; yields the callback that moves it."""
    if not sys.stderr.isatty():
        yield no_progress
        return
    from rich.progress import Progress as Bar

    with Bar(console=_console(stderr=True), transient=True) as bar:
        number = bar.add_task(task, total=None)
        yield lambda done, total: bar.update(number, completed=done, total=total)


def show_error(error: AllonymError, *, hide_values: bool) -> None:
    """Print every problem of an error, with its hint; values are shown of columns and keys, not of headers."""
    of_columns = isinstance(error, PlanError | LinksError) or error.problems[0].code in CODES_WITH_VALUES
    hide_values = hide_values or not of_columns
    where = f"{error.where}: " if isinstance(error, PlanError) and error.where else ""
    several = len(error.problems) > 1
    if several:
        click.echo(f"Error: {where}{len(error.problems)} problems:", err=True)
    for problem in error.problems:
        first, *more = problem_lines(problem, hide_values)
        click.echo(f"{'  - ' if several else f'Error: {where}'}{first}", err=True)
        for line in more:
            click.echo(f"{'    ' if several else '  '}{line}", err=True)


def problem_lines(problem: Problem, hide_values: bool) -> list[str]:
    """Return a problem as lines: what is wrong, the values behind it, and how to fix it.

    >>> problem_lines(Problem("levels", "2 values are no levels.", "list every level.", "size", ("XS", "XL")), False)
    ['column size: 2 values are no levels.', 'Values: XS, XL', 'Hint: list every level.']
    """
    lines = [f"column {problem.column}: {problem.text}" if problem.column else problem.text]
    if problem.values and not hide_values:
        lines.append(f"Values: {first_few(map(printable, problem.values), MAX_LISTED)}")
    return [*lines, f"Hint: {problem.hint}"] if problem.hint else lines


def printable(text: str) -> str:
    """Return a text without control characters.

    >>> printable("a\\x1b[31mb")
    'a�[31mb'
    """
    return "".join(c if c.isprintable() else "�" for c in text)


def caution_language(lexicon: Lexicon, language: str, ontology: str) -> None:
    """Print that an ontology does not say in which language its words are, where a language is asked for."""
    if language != "en" and not lexicon.states_languages:
        click.echo(f"Caution: {ontology} does not state the language of its words; all count as {language}.", err=True)


def short(text: str, length: int) -> str:
    """Cut a text to a length, without control characters."""
    text = printable(text)
    return text if len(text) <= length else text[: length - 1] + "…"
