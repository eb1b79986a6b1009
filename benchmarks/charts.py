"""Charts for pages of the docs, as SVG beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

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
    width: int = 300,
    height: int = 190,
) -> None:
    """Draw figures over k: a row of panels for each measure, a column for each table, a line for each arm.

    Of one table, the measures are side by side.
    """
    import altair as alt

    arms = list(dict.fromkeys(arm for tables in panels.values() for found in tables.values() for arm in found))
    colour = alt.Color("arm:N", title=None, sort=arms, scale=alt.Scale(domain=arms, range=COLOURS[: len(arms)]))
    axis = alt.Axis(values=list(ks), format="~g" if log else "d")
    rows = []
    for measure, tables in panels.items():
        row = []
        for table, found in tables.items():
            data = [
                {"k": k, "arm": arm, "figure": figure}
                for arm, figures in found.items()
                for k, figure in zip(ks, figures, strict=True)
            ]
            base = alt.Chart(alt.Data(values=data)).encode(
                x=alt.X("k:Q", title=x, axis=axis, scale=alt.Scale(type="log" if log else "linear", nice=False)),
                y=alt.Y("figure:Q", title=measure, scale=alt.Scale(zero=False)),
                color=colour,
                shape=alt.Shape("arm:N", title=None, sort=arms, scale=alt.Scale(domain=arms)),
            )
            drawn = base.mark_line(strokeWidth=1.8) + base.mark_point(size=28, filled=True)
            row.append(drawn.properties(width=width, height=height, title=table))
        rows.append(alt.hconcat(*row))
    whole = alt.hconcat(*rows) if all(len(tables) == 1 for tables in panels.values()) else alt.vconcat(*rows)
    chart = (
        whole.configure(font=FONT, background="white")
        .configure_axis(labelFontSize=11, titleFontSize=12, gridColor="#e8e8e8", titleFontWeight="normal")
        .configure_title(fontSize=13, anchor="start")
        .configure_legend(orient="bottom", labelFontSize=12, symbolSize=80, columns=4, labelLimit=320)
        .configure_view(stroke=None)
    )
    chart.save(path, format="svg")
