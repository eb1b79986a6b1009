"""Several runs on one table compared: as rows of figures, CSV, JSON and a page."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from allonym.errors import OutputError
from allonym.measures.measurement import score
from allonym.report import needed
from allonym.report.html import parameter_text

RISK, LOSS, BY_MEANING, BY_TEXT = "highest_linkage", "information_loss", "semantic_linkage", "record_linkage"
CELLS = {
    "changed": "cells changed (%)",
    "false": "false cells (%)",
    "generalised": "generalised (%)",
    "set_to_null": "null (%)",
}
MARGINALS = {"total_variation": "total variation", "earth_movers_distance": "earth mover's distance"}
MORE = {
    "semantic_quality": "semantic quality (%)",
    "path_distance": "links between values",
    "discernibility": "discernibility",
    "clustering_distance": "distance of clusters",
}  # heads of measures that are not among the usual ones; others have their names
FARTHEST = "farthest"  # the largest distance of a released cell from its original
BALANCE_STEPS = 20  # for which scores are drawn
HEADS = {
    "method": "method",
    "k": "k",
    "parameters": "parameters",
    LOSS: "loss (%)",
    **CELLS,
    FARTHEST: "farthest cell",
    **MARGINALS,
    RISK: "highest linkage (%)",
    "attacker": "attacker",
    BY_MEANING: "linked by meaning (%)",
    BY_TEXT: "linked by text (%)",
    "score": "score",
    "smallest_group": "smallest group",
    "suppressed": "suppressed",
    "tuples": "different records",
    "seconds": "seconds",
    "best": "best trade-off",
}
TEXTS = ("method", "parameters", "attacker")


@dataclass(frozen=True, eq=False)
class Comparison:
    """The runs of several methods on one table; `failed` lists runs that failed, with their problems."""

    runs: Sequence[Mapping[str, Any]]  # the summary of each
    failed: Sequence[Mapping[str, Any]] = ()
    title: str = ""
    balance: float = 0.5
    k: int = 5  # of the runs whose scores are drawn over balances, or the nearest k
    varied: Sequence[str] = field(default=("k",))  # parameters that differ between runs
    measures: Sequence[str] = ()  # besides the usual ones

    @property
    def best(self) -> list[bool]:
        """Which runs are best trade-offs: no other is better in loss or highest linkage and as good in the other."""
        points = [(x["measures"][LOSS]["value"], x["risk"]["highest"]["value"]) for x in self.runs]
        return [not any(b[0] <= a[0] and b[1] <= a[1] and b != a for b in points) for a in points]

    @property
    def measure_heads(self) -> dict[str, str]:
        """The heads of the measures besides the usual ones."""
        return {name: MORE.get(name, name.replace("_", " ")) for name in self.measures}

    def rows(self) -> list[dict[str, Any]]:
        """Return a row of figures for each run."""
        return [self._row(run, best) for run, best in zip(self.runs, self.best, strict=True)]

    def _row(self, run: Mapping[str, Any], best: bool) -> dict[str, Any]:
        others = {x: y for x, y in run["parameters"].items() if x != "k" and x in self.varied}
        reached = [x["reached"] for x in run["privacy"] if x["model"] == "k-anonymity"]
        return {
            "method": run["method"],
            "k": run["parameters"].get("k"),
            "parameters": ", ".join(f"{x} = {parameter_text(y)}" for x, y in others.items()),
            LOSS: run["measures"][LOSS]["value"],
            **{name: 100 * run["changes"][name] / max(run["changes"]["cells"], 1) for name in CELLS},
            FARTHEST: run["changes"][FARTHEST],
            **{name: run["measures"][name]["value"] if name in run["measures"] else None for name in MARGINALS},
            RISK: run["risk"]["highest"]["value"],
            "attacker": run["risk"]["highest"]["attacker"],
            **{name: run["measures"][name]["value"] for name in (BY_MEANING, BY_TEXT, "score")},
            "smallest_group": min(reached, default=None),
            "suppressed": run["suppressed"],
            "tuples": run["tuples"]["after"],
            "seconds": run["seconds"],
            "best": best,
            **{name: self._figure(run["measures"].get(name)) for name in self.measures},
        }

    @staticmethod
    def _figure(measure: Mapping[str, Any] | None) -> float | None:
        """Return the figure of a measure; none, if it applies to no column."""
        return None if measure is None or measure["by_column"] == {} else measure["value"]

    # --- numbers ---------------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison for JSON."""
        runs = [{**run, "best": best} for run, best in zip(self.runs, self.best, strict=True)]
        return {"format": 1, "balance": self.balance, "runs": runs, "failed": [dict(x) for x in self.failed]}

    def csv(self) -> str:
        """Return the rows as CSV."""
        text = io.StringIO()
        writer = csv.DictWriter(text, [*HEADS, *self.measures], lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.rows())
        return text.getvalue()

    def save(self, path: str | Path) -> None:
        """Write a page (.html), or the numbers (.csv, .json)."""
        from allonym.release.write import save_text

        path = Path(path)
        if path.suffix.lower() in (".html", ".htm"):
            text = self.html()
        elif path.suffix.lower() == ".csv":
            text = self.csv()
        elif path.suffix.lower() == ".json":
            text = json.dumps(self.to_dict(), indent=2, ensure_ascii=False) + "\n"
        else:
            raise OutputError(f"{path} has an unknown ending.", hint="use .html, .csv or .json.")
        save_text(path, text)

    # --- the page --------------------------------------------------------------------------------------------

    def html(self) -> str:
        """Return the comparison as one self-contained page with a sortable table."""
        from allonym.report.html import page, source

        needed()
        return page(
            "compare.html",
            source("sort.js"),
            comparison=self,
            heads=HEADS,
            more_heads={x: HEADS[x] for x in ("method", "k", "parameters")} | self.measure_heads,
            texts=TEXTS,
            rows=self.rows(),
            charts=dict(self._charts()),
            at=self._nearest_k,
        )

    def _repr_html_(self) -> str:
        """Show the comparison in a notebook, in a frame of its own styles."""
        from allonym.report.html import framed

        return framed(self.html())

    def _arm(self, row: Mapping[str, Any]) -> str:
        return f"{row['method']}, {row['parameters']}" if row["parameters"] else str(row["method"])

    @property
    def _nearest_k(self) -> int | None:
        """The k of the runs whose scores are drawn."""
        ks = {row["k"] for row in self.rows() if row["k"] is not None}
        return min(ks, key=lambda k: (abs(k - self.k), k), default=None)

    def _charts(self) -> Iterator[tuple[str, str]]:
        from allonym.report import charts

        rows = [row | {"arm": self._arm(row)} for row in self.rows()]
        arms = list(dict.fromkeys(row["arm"] for row in rows))
        yield "loss", charts.lines(rows, "k", LOSS, ("k", HEADS[LOSS]), arms)
        yield "linkage", charts.lines(rows, "k", RISK, ("k", HEADS[RISK]), arms)
        drawn = [row for row in rows if row["k"] in (None, self._nearest_k)]
        scores = [
            {"arm": row["arm"], "balance": balance, "score": score(row[LOSS], row[BY_TEXT], balance)}
            for row in drawn
            for balance in (step / BALANCE_STEPS for step in range(BALANCE_STEPS + 1))
        ]
        yield "score", charts.lines(scores, "balance", "score", ("balance", "score"), arms)
        yield "map", self.map()

    def map(self, marks: Sequence[str] = ()) -> str:
        """Return the risk-utility map as SVG: a point for each run, the best trade-offs ringed.

        `marks` are written beside the points of runs; "" is no mark.
        """
        from allonym.report import charts

        points = [
            {"arm": self._arm(row), "risk": row[RISK], "loss": row[LOSS], "best": row["best"],
             "label": row["method"] if row["k"] is None else f"k = {row['k']}", "mark": mark}
            for row, mark in zip(self.rows(), marks or [""] * len(self.runs), strict=True)
        ]  # fmt: skip
        arms = list(dict.fromkeys(point["arm"] for point in points))
        return charts.risk_and_loss(points, arms, (HEADS[RISK], HEADS[LOSS]))
