"""The counts of changes in words, for the command line, the report and the studio."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from allonym.errors import plural

CHANGES_OF_MEANING = {"false": "false", "generalised": "generalised", "set_to_null": "null"}


def share(part: int, whole: int) -> str:
    """Return a share in per cent.

    >>> share(1, 3), share(0, 0)
    ('33.3 %', '0.0 %')
    """
    return f"{100 * part / max(whole, 1):.1f} %"


def changes_in_words(counts: Mapping[str, Any]) -> str:
    """Say how many cells changed, and how.

    >>> changes_in_words({"cells": 12, "changed": 4, "meaning_changed": 1, "spelling_only": 3, "united_spellings": 1})
    '4 of 12 (33.3 %): 1 in meaning, 3 in spelling only (1 spelling united)'
    """
    text = f"{counts['changed']:,} of {counts['cells']:,} ({share(counts['changed'], counts['cells'])})"
    if not counts["changed"]:
        return text
    united = f" ({plural(counts['united_spellings'], 'spelling')} united)" if counts["spelling_only"] else ""
    return f"{text}: {counts['meaning_changed']:,} in meaning, {counts['spelling_only']:,} in spelling only{united}"


def truth_in_words(counts: Mapping[str, Any]) -> str:
    """Say how many cells are false, generalised and null, and how far from its original a cell is at most.

    >>> truth_in_words({"cells": 200, "meaning_changed": 59, "false": 9, "generalised": 50, "set_to_null": 0,
    ...                 "farthest": 0.25})
    '4.5 % false, 25.0 % generalised, 0.0 % null; farthest 0.25'
    """
    if not counts["meaning_changed"]:
        return "none"
    kinds = (f"{_share_above_zero(counts[key], counts['cells'])} {word}" for key, word in CHANGES_OF_MEANING.items())
    return f"{', '.join(kinds)}; farthest {counts['farthest']:.2f}"


def _share_above_zero(part: int, whole: int) -> str:
    """Return a share in per cent; one that is not 0 does not look like 0."""
    return "< 0.1 %" if 0 < part < whole / 2000 else share(part, whole)


def items_in_words(items: Mapping[str, int]) -> str:
    """Say how many items of sets a release lacks and adds.

    >>> items_in_words({"original": 9, "released": 8, "removed": 3, "respelled": 1, "added": 2})
    '3 of 9 items removed (1 of them written otherwise), 2 added'
    """
    respelled = f" ({items['respelled']:,} of them written otherwise)" if items["respelled"] else ""
    return f"{items['removed']:,} of {plural(items['original'], 'item')} removed{respelled}, {items['added']:,} added"


def unreviewed_in_words(counts: Mapping[str, Any]) -> str:
    """Say how many cells rest on links that nobody reviewed, and how many of these links are doubtful.

    >>> unreviewed_in_words({"cells": 200, "unreviewed": 50, "doubtful": 5})
    '50 of 200 cells (25.0 %), 5 of them doubtful'
    """
    cells, unreviewed, doubtful = (counts[x] for x in ("cells", "unreviewed", "doubtful"))
    if not unreviewed:
        return "none"
    return f"{unreviewed:,} of {plural(cells, 'cell')} ({share(unreviewed, cells)}), {doubtful:,} of them doubtful"


def brief_line(changes: Mapping[str, Any]) -> tuple[str, str]:
    """Return the changes of a release as a name and a text of one line."""
    return "cells changed", f"{share(changes['changed'], changes['cells'])}: {truth_in_words(changes)}"


def summary_lines(changes: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the counts of a summary as names and texts: of the release, then of each column."""
    columns = changes["by_column"]
    yield "cells changed", changes_in_words(changes)
    for name, counts in columns.items():
        if len(columns) > 1:
            yield f"  in {name}", changes_in_words(counts)
        if "items" in counts:
            yield f"  in {name}", items_in_words(counts["items"])
    yield "meaning changed", truth_in_words(changes)
    if len(columns) > 1:
        yield from ((f"  in {name}", truth_in_words(counts)) for name, counts in columns.items())
    yield "unreviewed links", unreviewed_in_words(changes)
    if len(columns) > 1:
        open_columns = [name for name, counts in columns.items() if counts["unreviewed"]]
        yield from ((f"  in {name}", unreviewed_in_words(columns[name])) for name in open_columns)
