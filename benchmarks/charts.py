"""Charts for pages of the docs, as SVG beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

COLOURS = ("#0b6e99", "#d1495b", "#edae49", "#66a182", "#5b4b8a", "#8d99ae", "#2e4057", "#b5838d")
FONT = "Helvetica, Arial, sans-serif"
Panels = Mapping[str, Mapping[str, Mapping[str, Sequence[float]]]]  # measure -> table -> arm -> a figure for each k


def lines(
    path: Path,
    panels: Panels,
    ks: Sequence[float],
    *,
    x: str = "k",
    log: bool = False,
    log_y: bool = False,
    marks: Sequence[float] = (),
    width: int = 300,
    height: int = 190,
) -> None:
    """Draw figures over k: a row of panels for each measure, a column for each table, a line for each arm.

    Of one table, the measures are side by side. The axis is marked at every k, unless some are named.
    """
    import altair as alt

    arms = list(dict.fromkeys(arm for tables in panels.values() for found in tables.values() for arm in found))
    colour = alt.Color("arm:N", title=None, sort=arms, scale=alt.Scale(domain=arms, range=COLOURS[: len(arms)]))
    whole_numbers = not log and all(float(k).is_integer() for k in ks)
    axis = alt.Axis(values=list(marks or ks), format="d" if whole_numbers else "~g")
    up = alt.Scale(type="log", nice=False) if log_y else alt.Scale(zero=False)
    figure_axis = alt.Axis(format="~g", tickCount=6) if log_y else alt.Axis()
    across = alt.X("k:Q", title=x, axis=axis, scale=alt.Scale(type="log" if log else "linear", nice=False))
    shape = alt.Shape("arm:N", title=None, sort=arms, scale=alt.Scale(domain=arms))
    rows = []
    for measure, tables in panels.items():
        figure = alt.Y("figure:Q", title=measure, scale=up, axis=figure_axis)
        row = []
        for table, found in tables.items():
            base = alt.Chart(_data(found, ks)).encode(x=across, y=figure, color=colour, shape=shape)
            drawn = base.mark_line(strokeWidth=1.8) + base.mark_point(size=28, filled=True)
            row.append(drawn.properties(width=width, height=height, title=table))
        rows.append(alt.hconcat(*row))
    whole = alt.hconcat(*rows) if all(len(tables) == 1 for tables in panels.values()) else alt.vconcat(*rows)
    _styled(whole).save(path, format="svg")


def _data(found: Mapping[str, Sequence[float]], ks: Sequence[float]) -> Any:
    """Return the points of a panel."""
    import altair as alt

    points = ((arm, k, x) for arm, figures in found.items() for k, x in zip(ks, figures, strict=True))
    return alt.Data(values=[{"k": k, "arm": arm, "figure": x} for arm, k, x in points])


def _styled(chart: Any) -> Any:
    """Return a chart as all charts of the docs look."""
    return (
        chart.configure(font=FONT, background="white")
        .configure_axis(labelFontSize=11, titleFontSize=12, gridColor="#e8e8e8", titleFontWeight="normal")
        .configure_title(fontSize=13, anchor="start")
        .configure_legend(orient="bottom", labelFontSize=12, symbolSize=80, columns=4, labelLimit=320)
        .configure_view(stroke=None)
    )
