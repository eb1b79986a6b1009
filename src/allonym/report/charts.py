"""Charts as SVG, without scripts and external files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from allonym.measures.dendrogram import Dendrogram

COLOURS = ("#0b6e99", "#d1495b", "#c98a1b", "#4f8a67", "#5b4b8a", "#7a8699", "#2e4057", "#a15c6b", "#8a8d0f", "#3aa6a6")
BEFORE, AFTER, BLIND = "#b9c2cc", "#0b6e99", "#d1495b"
PARTS = ("#b9c2cc", "#0b6e99", "#2e4057", "#d1495b")  # of a whole, in their order
FONT = "Helvetica, Arial, sans-serif"
GRID, MARK = "#e6e8eb", "#0b6e99"


def svg(chart: Any) -> str:
    """Return a chart as SVG."""
    import vl_convert

    drawn = (
        chart.configure(font=FONT, background="transparent", padding={"left": 6, "right": 14, "top": 4, "bottom": 4})
        .configure_axis(
            labelFontSize=12, titleFontSize=12, gridColor=GRID, titleFontWeight="normal", domainColor="#888",
            labelColor="#333", titleColor="#333", labelLimit=220,
        )
        .configure_legend(orient="bottom", labelFontSize=12, symbolSize=90, columns=3, labelLimit=260, title=None)
        .configure_view(stroke=None)
    )  # fmt: skip
    return str(vl_convert.vegalite_to_svg(drawn.to_dict()))


@cache
def _altair() -> Any:
    import altair

    return altair


def _beside(names: Sequence[str]) -> Any:
    """Return an axis of names with room for them in any font: a reader's letters may be wider than those here."""
    room = min(8 * max(map(len, names), default=0) + 6, 270)
    return _altair().Axis(ticks=False, domain=False, minExtent=room)


def before_and_after(rows: Sequence[tuple[str, float | None, float | None, float | None]], title: str = "%") -> str:
    """Draw figures of a table, of its release and of a blind guess, one line of dots for each figure."""
    alt = _altair()
    names, which = [row[0] for row in rows], ["before", "after", "blind guess"]
    data = [
        {"what": name, "which": one, "figure": value}
        for name, *values in rows
        for one, value in reversed(list(zip(which, values, strict=True)))  # the last is drawn on top
        if value is not None
    ]
    spans = [
        {"what": name, "low": min(before, after), "high": max(before, after)}
        for name, before, after, _ in rows
        if before is not None and after is not None
    ]
    y = alt.Y("what:N", sort=names, title=None, axis=_beside(names))
    bars = alt.Chart(alt.InlineData(values=spans)).mark_rule(strokeWidth=4, color="#dfe4e8")
    dots = alt.Chart(alt.InlineData(values=data)).mark_point(filled=True, opacity=1)
    whole = bars.encode(y=y, x=alt.X("low:Q", title=title), x2="high:Q") + dots.encode(
        y=y,
        x=alt.X("figure:Q", title=title, scale=alt.Scale(padding=8, nice=False)),
        color=alt.Color("which:N", scale=alt.Scale(domain=which, range=[BEFORE, AFTER, BLIND])),
        shape=alt.Shape("which:N", scale=alt.Scale(domain=which, range=["circle", "circle", "diamond"])),
        size=alt.value(130),
    )
    return svg(whole.properties(width=430, height=34 * len(rows)))


def bars(figures: Mapping[str, float], title: str) -> str:
    """Draw a bar for each figure, with its value at the end."""
    alt = _altair()
    data = [{"what": name, "figure": value, "text": f"{value:.1f}"} for name, value in figures.items()]
    base = alt.Chart(alt.InlineData(values=data)).encode(
        y=alt.Y("what:N", sort=list(figures), title=None, axis=_beside(list(figures))),
        x=alt.X("figure:Q", title=title, scale=alt.Scale(domainMin=0)),
    )
    text = base.mark_text(align="left", dx=5, fontSize=12, color="#333").encode(text="text:N")
    return svg((base.mark_bar(color=AFTER, height=18) + text).properties(width=430, height=30 * len(figures)))


def shares(parts: Mapping[str, Sequence[float]], names: Sequence[str]) -> str:
    """Draw a bar of 100 % for each row, with its parts one after the other; the rest of the bar stays empty."""
    alt = _altair()
    data = [
        {"what": what, "part": name, "place": place, "share": share}
        for what, row in parts.items()
        for place, (name, share) in enumerate(zip(names, row, strict=True))
    ]
    chart = (
        alt.Chart(alt.InlineData(values=data))
        .mark_bar(height=18)
        .encode(
            y=alt.Y("what:N", sort=list(parts), title=None, axis=_beside(list(parts))),
            x=alt.X("share:Q", title="cells (%)", scale=alt.Scale(domain=[0, 100])),
            color=alt.Color("part:N", sort=list(names), scale=alt.Scale(domain=list(names), range=PARTS)),
            order=alt.Order("place:Q"),
        )
    )
    return svg(chart.properties(width=430, height=30 * len(parts)))


def sizes(before: Mapping[str, int], after: Mapping[str, int], who: str = "records") -> str:
    """Draw the number of records by the size of their group, before and after."""
    alt = _altair()
    shown = [x for x in before if before[x] or after[x]]
    data = [
        {"size": size, "which": which, "records": counts[size]}
        for which, counts in (("before", before), ("after", after))
        for size in shown
    ]
    chart = (
        alt.Chart(alt.InlineData(values=data))
        .mark_bar()
        .encode(
            x=alt.X("size:N", sort=shown, title=f"identical {who}", axis=alt.Axis(labelAngle=0)),
            xOffset=alt.XOffset("which:N", sort=["before", "after"]),
            y=alt.Y("records:Q", title="records"),
            color=alt.Color(
                "which:N", sort=["before", "after"], scale=alt.Scale(domain=["before", "after"], range=[BEFORE, AFTER])
            ),
        )
    )
    return svg(chart.properties(width=max(60 * len(shown), 260), height=200))


def dendrograms(trees: Mapping[str, Dendrogram]) -> str:
    """Draw trees side by side over bars of their clusters, which have the colours of the original clusters."""
    alt = _altair()
    top = max((union.height for tree in trees.values() for union in tree.unions), default=0.0) or 1.0
    records = alt.Scale(domain=[0, 100], nice=False)
    across = alt.X("x:Q", title="records (%)", scale=records)
    up = alt.Scale(type="sqrt", domain=[0, 100 * top], nice=False)
    number = max(len(tree.clusters[0]) for tree in trees.values())
    colour = alt.Color("cluster:N", legend=None, scale=alt.Scale(domain=list(range(number)), scheme="tableau20"))
    panels = []
    for name, tree in trees.items():
        links = alt.Chart(alt.InlineData(values=_tree_lines(tree))).mark_rule(strokeWidth=1.4, color="#444")
        drawn = links.encode(
            x=alt.X("x:Q", title=None, scale=records, axis=None),
            x2="x2:Q",
            y=alt.Y("y:Q", title="squares that a union adds (%)", scale=up, axis=alt.Axis(tickCount=5)),
            y2="y2:Q",
        )
        bars, ends = _cluster_bars(tree)
        below = alt.Chart(alt.InlineData(values=bars)).mark_bar().encode(x=across, x2="x2:Q", color=colour)
        below += alt.Chart(alt.InlineData(values=ends)).mark_rule(color="white", strokeWidth=3).encode(x=across)
        title = alt.TitleParams(name, anchor="start", fontSize=13)
        parts = drawn.properties(width=400, height=220, title=title), below.properties(width=400, height=26)
        panels.append(alt.vconcat(*parts, spacing=2))
    return svg(alt.hconcat(*panels, spacing=24))


def _tree_lines(tree: Dendrogram) -> list[dict[str, float]]:
    """Return the lines of a tree: two upward and one across for each union."""
    lines = []
    for union in tree.unions:
        (left, right), (low, high), top = union.places, union.heights, union.height
        ends = ((left, left, low, top), (right, right, high, top), (left, right, top, top))
        lines += [{name: 100 * x for name, x in zip(("x", "x2", "y", "y2"), end, strict=True)} for end in ends]
    return lines


def _cluster_bars(tree: Dendrogram) -> tuple[list[dict[str, Any]], list[dict[str, float]]]:
    """Return the clusters as bars, one part for each original cluster that they have records of, and where they end."""
    bars, ends, start = [], [], 0.0
    for parts in tree.clusters:
        for cluster, share in enumerate(parts):
            if share > 0:
                bars.append({"x": 100 * start, "x2": 100 * (start + share), "cluster": cluster})
                start += share
        ends.append({"x": 100 * start})
    return bars, ends[:-1]


def _arms(names: Sequence[str]) -> tuple[Any, Any]:
    """Return the colours and the shapes of arms."""
    alt = _altair()
    colours = [COLOURS[i % len(COLOURS)] for i in range(len(names))]
    scale = alt.Scale(domain=list(names), range=colours)
    return alt.Color("arm:N", sort=list(names), scale=scale), alt.Shape("arm:N", scale=alt.Scale(domain=list(names)))


def lines(rows: Sequence[Mapping[str, Any]], x: str, y: str, titles: tuple[str, str], arms: Sequence[str]) -> str:
    """Draw a line for each arm; an arm without an x is a dashed horizontal line."""
    alt = _altair()
    colour, shape = _arms(arms)
    points = [dict(row) for row in rows if row[x] is not None]
    across = [dict(row) for row in rows if row[x] is None]
    places = sorted({row[x] for row in points})
    axis = alt.Axis(values=places) if len(places) <= 12 else alt.Axis()
    up = _upwards(y, titles[1], rows)
    parts = []
    if points:
        base = alt.Chart(alt.InlineData(values=points)).encode(
            x=alt.X(f"{x}:Q", title=titles[0], axis=axis, scale=alt.Scale(zero=False, nice=False)), y=up, color=colour
        )
        parts = [base.mark_line(strokeWidth=1.8)]
        if len(places) <= 12:
            parts.append(base.mark_point(size=40, filled=True, opacity=1).encode(shape=shape))
    if across:
        parts.append(
            alt.Chart(alt.InlineData(values=across))
            .mark_rule(strokeDash=[6, 4])
            .encode(y=up, color=colour, size=alt.value(1.8))
        )
    return svg(alt.layer(*parts).properties(width=400, height=260))


def risk_and_loss(rows: Sequence[Mapping[str, Any]], arms: Sequence[str], titles: tuple[str, str]) -> str:
    """Draw a point for each run, risk against loss; the best trade-offs are ringed.

    The `mark` of a run is written beside its point.
    """
    alt = _altair()
    colour, shape = _arms(arms)
    x = alt.X("risk:Q", title=titles[0], scale=alt.Scale(domainMin=0, padding=10))
    y = _upwards("loss", titles[1], rows)
    best = sorted((dict(row) for row in rows if row["best"]), key=lambda row: (row["risk"], row["loss"]))
    _label(best, max(row["risk"] for row in rows), max(row["loss"] for row in rows))
    base = alt.Chart(alt.InlineData(values=[dict(row) for row in rows])).encode(x=x, y=y)
    front = alt.Chart(alt.InlineData(values=best)).encode(x=x, y=y)
    parts = [
        front.mark_line(color="#333", strokeDash=[3, 3], strokeWidth=1, interpolate="step-after"),
        base.mark_point(filled=True, size=70, opacity=0.9).encode(color=colour, shape=shape),
        front.mark_point(size=230, color="#111", strokeWidth=1.6),
        front.mark_text(dy=-15, fontSize=11, color="#111").encode(text="label:N"),
    ]
    marked = [dict(row) for row in rows if row.get("mark")]
    if marked:
        highlighted = alt.Chart(alt.InlineData(values=marked)).encode(x=x, y=y)
        parts.append(highlighted.mark_point(size=420, color=MARK, strokeWidth=2))
        parts.append(highlighted.mark_text(dy=21, fontSize=11, fontWeight="bold", color=MARK).encode(text="mark:N"))
    return svg(alt.layer(*parts).properties(width=760, height=400))


def _upwards(name: str, title: str, rows: Sequence[Mapping[str, Any]]) -> Any:
    """Return an axis from 0, on a square-root scale if one figure is far above the others."""
    alt = _altair()
    figures = sorted(row[name] for row in rows)
    wide = figures[-1] > 6 * max(figures[len(figures) // 2], 1e-9)
    scale = alt.Scale(type="sqrt" if wide else "linear", domainMin=0)
    return alt.Y(f"{name}:Q", title=f"{title}, square roots" if wide else title, scale=scale)


def _label(points: Sequence[dict[str, Any]], widest: float, highest: float) -> None:
    """Leave out the labels of points too close to another to be read."""
    shown: list[tuple[float, float]] = []
    for point in points:
        place = point["risk"] / (widest or 1), (point["loss"] / (highest or 1)) ** 0.5
        if any(abs(place[0] - x) < 0.06 and abs(place[1] - y) < 0.06 for x, y in shown):
            point["label"] = ""
        else:
            shown.append(place)
