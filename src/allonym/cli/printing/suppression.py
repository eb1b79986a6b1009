"""What was suppressed in a release, for the console."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def suppression_lines(summary: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield how many records and cells were suppressed, and what that saved."""
    figures, records = summary.get("suppression", {}), summary["records"]
    saved = figures.get("loss_saved", 0.0)
    saves = f"; saves {saved:.1f} % of the loss" if saved else ""
    budget, chosen = figures.get("budget", 0), figures.get("records", 0)
    if chosen:
        yield "records suppressed", f"{_share(chosen, records)}, at most {budget:,}{saves}"
    elif budget and summary["parameters"].get("suppress") is not None:
        yield "records suppressed", f"none, at most {budget:,}: no k of them would lose less"
    if (others := summary["suppressed"] - chosen) > 0:
        yield "records left empty", f"{_share(others, records)}: their groups have no value in common"
    cells = {name: count for name, count in figures.get("cells", {}).items() if count}
    if cells:
        text = ", ".join(f"{name} {count:,}" for name, count in cells.items())
        yield "cells suppressed", f"{text}{'' if chosen else saves}"


def _share(some: int, records: int) -> str:
    return f"{some:,} of {records:,} ({100 * some / records:.2g} %)"
