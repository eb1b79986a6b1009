"""Charts for the documentation, as SVG files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

COLOURS = ("#0b6e99", "#d1495b", "#edae49", "#66a182", "#5b4b8a", "#8d99ae", "#2e4057", "#b5838d")
FONT = "Helvetica, Arial, sans-serif"
Panels = Mapping[str, Mapping[str, Mapping[str, Sequence[float]]]]  # measure -> table -> variant -> one figure per k


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
    """Draw figures over k: one row of panels per measure, one column per table, one line per variant.

    With a single table, the measures are drawn side by side. The axis has a tick at every k, unless `marks` is given.
    """
    import altair as alt

    variants = list(
        dict.fromkeys(variant for tables in panels.values() for lines in tables.values() for variant in lines)
    )
    colour = alt.Color(
        "variant:N", title=None, sort=variants, scale=alt.Scale(domain=variants, range=COLOURS[: len(variants)])
    )
    whole_numbers = not log and all(float(k).is_integer() for k in ks)
    axis = alt.Axis(values=list(marks or ks), format="d" if whole_numbers else "~g")
    up = alt.Scale(type="log", nice=False) if log_y else alt.Scale(zero=False)
    figure_axis = alt.Axis(format="~g", tickCount=6) if log_y else alt.Axis()
    across = alt.X("k:Q", title=x, axis=axis, scale=alt.Scale(type="log" if log else "linear", nice=False))
    shape = alt.Shape("variant:N", title=None, sort=variants, scale=alt.Scale(domain=variants))
    rows = []
    for measure, tables in panels.items():
        figure = alt.Y("figure:Q", title=measure, scale=up, axis=figure_axis)
        row = []
        for table, figures in tables.items():
            base = alt.Chart(_data(figures, ks)).encode(x=across, y=figure, color=colour, shape=shape)
            drawn = base.mark_line(strokeWidth=1.8) + base.mark_point(size=28, filled=True)
            row.append(drawn.properties(width=width, height=height, title=table))
        rows.append(alt.hconcat(*row))
    whole = alt.hconcat(*rows) if all(len(tables) == 1 for tables in panels.values()) else alt.vconcat(*rows)
    _styled(whole).save(path, format="svg")


def dots(
    path: Path, panels: Mapping[str, Mapping[str, Mapping[str, tuple[float, float]]]], title: str, width: int = 330
) -> None:
    """Draw figures with their intervals: one panel per table, one line per release, one colour per variant."""
    import altair as alt

    points = [
        {"table": table, "release": release, "variant": variant, "figure": x, "low": x - half, "high": x + half}
        for table, releases in panels.items()
        for release, variants in releases.items()
        for variant, (x, half) in variants.items()
    ]
    releases = list(dict.fromkeys(str(x["release"]) for x in points))
    variants = list(dict.fromkeys(str(x["variant"]) for x in points))
    scale = alt.Scale(domain=variants, range=COLOURS[: len(variants)])
    ends = [min(float(str(x["low"])) for x in points), max(float(str(x["high"])) for x in points)]
    across = alt.Scale(type="symlog", constant=0.2, domain=ends, nice=False)
    marks = alt.Axis(values=[0, 0.2, 0.5, 1, 2, 5, 10, 20, 50], format="~g")
    row = []
    for number, table in enumerate(panels):
        data = alt.Data(values=[x for x in points if x["table"] == table])
        up = alt.Y("release:N", sort=releases, title=None, axis=alt.Axis(labelLimit=320) if number == 0 else None)
        base = alt.Chart(data).encode(
            y=up, yOffset=alt.YOffset("variant:N", sort=variants), color=alt.Color("variant:N", title=None, scale=scale)
        )
        drawn = base.mark_rule(strokeWidth=2).encode(
            x=alt.X("low:Q", title=title, scale=across, axis=marks), x2="high:Q"
        ) + base.mark_point(size=45, filled=True, opacity=1).encode(x=alt.X("figure:Q", scale=across, axis=marks))
        row.append(drawn.properties(width=width, height=30 * len(releases), title=table))
    _styled(alt.hconcat(*row)).save(path, format="svg")


def _data(lines: Mapping[str, Sequence[float]], ks: Sequence[float]) -> Any:
    """Return the points of a panel as chart data."""
    import altair as alt

    points = ((variant, k, x) for variant, figures in lines.items() for k, x in zip(ks, figures, strict=True))
    return alt.Data(values=[{"k": k, "variant": variant, "figure": x} for variant, k, x in points])


def _styled(chart: Any) -> Any:
    """Return the chart in the style of the documentation."""
    return (
        chart.configure(font=FONT, background="white")
        .configure_axis(labelFontSize=11, titleFontSize=12, gridColor="#e8e8e8", titleFontWeight="normal")
        .configure_title(fontSize=13, anchor="start")
        .configure_legend(orient="bottom", labelFontSize=12, symbolSize=80, columns=4, labelLimit=320)
        .configure_view(stroke=None)
    )
