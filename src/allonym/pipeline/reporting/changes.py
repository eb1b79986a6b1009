"""Sections: how many cells changed, and the replacements."""

from __future__ import annotations

from typing import Any

from allonym.measures.changes import Changes
from allonym.pipeline.changes.nulls import REASONS
from allonym.pipeline.changes.wording import items_in_words
from allonym.pipeline.reporting.facts import ReleaseFacts
from allonym.report.model import ChangedCells

MAX_REPLACEMENTS = 1000  # listed for a column


def changed_cells(facts: ReleaseFacts) -> dict[str, Any]:
    """Return the counts of changed cells: of each masked column, and of all together if there are several."""
    changes, measures = _changes(facts), facts.release.summary["measures"]
    variation, moved = measures["total_variation"], measures.get("earth_movers_distance", {"by_column": {}})
    rows = [
        ChangedCells(
            name,
            x.counts,
            x.farthest,
            variation["by_column"][name],
            moved["by_column"].get(name),
            "" if x.items is None else items_in_words(x.to_dict()["items"]),
        )
        for name, x in changes.columns.items()
    ]
    nulls = [
        (name, REASONS[reason], cells)
        for name, own in facts.summary["nulls"]["by_column"].items()
        for reason, cells in own["by_reason"].items()
    ]
    total = ChangedCells("", changes.counts, changes.farthest, variation["value"], moved.get("value"))
    return {"nulls": nulls, "changed_cells": [*rows, total] if len(rows) > 1 else rows}


def replacements(facts: ReleaseFacts) -> dict[str, Any]:
    """Return the replacements of every masked column, those of most cells first."""
    listed = {name: x.replacements for name, x in _changes(facts).columns.items() if x.replacements}
    return {
        "replacements": {name: own[:MAX_REPLACEMENTS] for name, own in listed.items()},
        "more_replacements": {name: max(len(own) - MAX_REPLACEMENTS, 0) for name, own in listed.items()},
    }


def _changes(facts: ReleaseFacts) -> Changes:
    changes = facts.release.changes
    assert changes is not None  # a release without measures has no report
    return changes
