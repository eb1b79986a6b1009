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
    from allonym.pipeline.changes.wording import brief_line, summary_lines

    if not changes:
        return
    if not by_column:
        yield brief_line(changes)
        return
    yield from summary_lines(changes)
    where = "--replacements FILE lists them" if path is None else f"see {path}"
    yield "replacements", f"{changes['replacements']:,} distinct; {where}"


def null_lines(nulls: Mapping[str, Any], *, by_column: bool = True) -> Iterator[tuple[str, str]]:
    """Yield how many nulls masking wrote and why, as names and texts; nothing if there are none."""
    from allonym.pipeline.changes.nulls import reasons_in_words

    if not by_column or not nulls or not nulls["cells"]:
        return
    yield "nulls", f"{nulls['cells']:,}: {reasons_in_words(nulls['by_reason'])}"
    if len(nulls["by_column"]) > 1:
        for name, own in nulls["by_column"].items():
            yield f"  in {name}", f"{own['cells']:,}: {reasons_in_words(own['by_reason'])}"


def marginal_lines(measures: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield how far the distributions of columns moved, as names and texts."""
    for name, key in (("total variation", "total_variation"), ("earth mover's", "earth_movers_distance")):
        if key in measures:
            columns = ", ".join(f"{column} {x:.3f}" for column, x in measures[key]["by_column"].items())
            yield name, f"{measures[key]['value']:.3f} ({columns})"


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
