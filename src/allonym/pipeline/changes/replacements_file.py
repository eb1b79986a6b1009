"""The complete list of replacements as a file, for the steward alone: it says what each original text became."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from allonym.measures.changes import Changes, Replacement
from allonym.ontology.linking.links_file import escape_formula
from allonym.release.write import save_text

__all__ = ["Changes", "change", "listed", "ranked", "save_replacements", "to_csv"]

COLUMNS = ("column", "original", "released", "cells", "change", "distance")
DIGITS = 6  # significant digits of a distance


def change(replacement: Replacement) -> str:
    """Return what a replacement changed: `meaning`, or `spelling` only."""
    return "meaning" if replacement.meaning_changed else "spelling"


def listed(changes: Changes) -> dict[str, list[dict[str, Any]]]:
    """Return all replacements by column for JSON, those of most cells first."""
    return {
        name: [
            {
                "original": x.original,
                "released": x.released,
                "cells": x.cells,
                "change": change(x),
                "distance": x.distance,
            }
            for x in own.replacements
        ]
        for name, own in changes.columns.items()
    }


def ranked(changes: Changes) -> Iterator[tuple[str, Replacement]]:
    """Yield the replacements of all columns, those of most cells first, then by text, with their columns."""
    each = [(name, x) for name, own in changes.columns.items() for x in own.replacements]
    yield from sorted(each, key=lambda pair: (-pair[1].cells, pair[1].original, pair[1].released))


def to_csv(changes: Changes) -> str:
    """Return all replacements as CSV; no spreadsheet takes a text for a formula."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for name, x in ranked(changes):
        texts = map(escape_formula, (name, x.original, x.released))
        writer.writerow([*texts, x.cells, change(x), f"{x.distance:.{DIGITS}g}"])
    return text.getvalue()


def save_replacements(changes: Changes, path: str | Path) -> None:
    """Write all replacements, as JSON if the file ends in .json, else as CSV; only the owner may read the file."""
    path = Path(path)
    as_json = path.suffix.lower() == ".json"
    text = json.dumps(listed(changes), indent=2, ensure_ascii=False) + "\n" if as_json else to_csv(changes)
    save_text(path, text, private=True)
