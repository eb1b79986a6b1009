"""The worked example of docs/methods/swap.md: the survey swapped in several ways, with figures of each."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

ROWS = (2, 6, 9, 29, 48, 89, 94)  # lines of the survey that are shown
WORDS = ("reason", "activity")
WAYS: dict[str, tuple[str, dict[str, Any]]] = {
    "`--window 2%`": ("swap", {"window": 0.02}),
    "`swap`, default": ("swap", {}),
    "`--window 10%`": ("swap", {"window": 0.1}),
    "`--order reference`": ("swap", {"order": "reference"}),
    "`--together all`": ("swap", {"together": "all"}),
    "`--pairs nearest`": ("swap", {"pairs": "nearest"}),
    "`--pairs nearest --together all`": ("swap", {"pairs": "nearest", "together": "all"}),
    "[noise](noise.md), default": ("noise", {}),
    "any value of the column": ("randomise-frequency", {}),
}
SHOWN = ("`swap`, default", "`--together all`")


def example(folder: Path) -> dict[str, str]:
    """Return the rows and the figures of the page, by mark."""
    from allonym.pipeline.demo import demonstrate
    from allonym.plan import Plan

    if not (folder / "plan.toml").exists():
        demonstrate(folder)
    plan, data = Plan.load(folder / "plan.toml"), folder / "survey.csv"
    tables, lines = [_table(data)], list[str]()
    for name, (method, parameters) in WAYS.items():
        way = replace(plan, method=method, parameters=parameters, k=None, row_order="keep")
        summary = way.run(data, folder / "swapped.csv").summary
        tables += [_table(folder / "swapped.csv")] if name in SHOWN else []
        lines += [] if lines else [_figures("the table itself", summary, before=True)]
        lines.append(_figures(name, summary))
    titles = ("changed", "mean distance", "total variation", "distance correlation", "Cramér's V", "strongest attacker")
    head = [f"| | {' | '.join(titles)} |", "|---|" + "---:|" * len(titles)]
    return {"rows": _rows(tables), "figures": "\n".join([*head, *lines]) + "\n"}


def _figures(name: str, summary: Mapping[str, Any], *, before: bool = False) -> str:
    """Return a line of the table of figures."""
    (relation,), changes, highest = summary["association"], summary["changes"], summary["risk"]["highest"]
    side = "before" if before else "after"
    errors = [0.0 if before else x["mean_error"] for x in summary["noise"].values()]
    cells = [
        f"{0 if before else changes['meaning_changed'] / changes['cells']:.0%}",
        f"{sum(errors) / len(errors):.2f}",
        f"{0 if before else summary['measures']['total_variation']['value']:.2f}",
        f"{relation['distance_correlation'][side]:.2f}",
        f"{relation['cramers_v'][side]:.2f}",
        f"{highest['before' if before else 'value']:.1f}%",
    ]
    return f"| {name} | {' | '.join(cells)} |"


def _rows(tables: list[list[dict[str, str]]]) -> str:
    """Return some rows of the survey beside what became of them; words that changed are in bold."""
    lines = ["| reason | activity | | `swap` | | | `--together all` | |", "|---|---|---|---|---|---|---|---|"]
    for row in ROWS:
        was, *both = [table[row - 2] for table in tables]
        cells = [[now[x] if was[x] == now[x] else f"**{now[x]}**" for x in WORDS] for now in both]
        lines.append(f"| {was['reason']} | {was['activity']} | | {' | '.join(cells[0])} | | {' | '.join(cells[1])} |")
    return "\n".join(lines) + "\n"


def _table(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text("utf-8"))))
