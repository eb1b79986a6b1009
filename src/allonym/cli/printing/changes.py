"""Printing what changed, and writing the list of replacements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from allonym.cli.output import say, short, show_table

if TYPE_CHECKING:
    from allonym.measures.changes import Changes

SHOWN = 20  # replacements on screen
MAX_TEXT = 30  # characters of a text on screen


def change_lines(
    changes: Mapping[str, Any], path: Path | None = None, *, by_column: bool = True
) -> Iterator[tuple[str, str]]:
    """Yield the counts of changes as names and texts, nothing if they were not counted; `path` has the list."""
    from allonym.pipeline.changes.wording import summary_lines

    if not changes:
        return
    lines = summary_lines(changes)
    if not by_column:
        yield next(lines)
        return
    yield from lines
    where = "--replacements FILE lists them" if path is None else f"see {path}"
    yield "replacements", f"{changes['replacements']:,} distinct; {where}"


def show_replacements(changes: Changes, path: Path) -> None:
    """Print the most frequent replacements, and name the file that has all of them."""
    from allonym.pipeline.changes.replacements_file import change, ranked

    listed = list(ranked(changes))
    rows = [
        (name, _shown(x.original), "→", _shown(x.released), f"{x.cells:,}", change(x), f"{x.distance:.2f}")
        for name, x in listed[:SHOWN]
    ]
    if rows:
        say()
        show_table(("column", "original", "", "released", "cells", "change", "distance"), rows, right=(4, 6))
    if len(listed) > SHOWN:
        click.echo(f"… and {len(listed) - SHOWN:,} more: see {path}")


def _shown(text: str) -> str:
    return short(text, MAX_TEXT) if text else "(empty)"
