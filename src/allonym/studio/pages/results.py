"""The fifth page: what came of it, and of what was tried before."""

from __future__ import annotations

from starlette.responses import PlainTextResponse, Response

from allonym.report.comparison import HEADS, Comparison
from allonym.studio.page_request import ROWS, PageRequest, render
from allonym.studio.results import Result, before_and_after
from allonym.studio.workspace import same

SHOWN = ("method", "k", "parameters", "information_loss", "semantic_linkage", "record_linkage", "smallest_group",
         "suppressed", "seconds")  # fmt: skip


def show(ask: PageRequest) -> Response:
    """Show a release beside the others."""
    table = ask.workspace.table
    result = _result(ask)
    if table is None or result is None:
        return render(ask, "result.html", result=None)
    together = ask.workspace.comparison()
    assert together is not None
    pages = max(1, -(-result.summary["records"] // ROWS)) if not result.plan.long else 1
    page = min(ask.page, pages)
    after = ask.workspace.released(result)
    names, rows = before_and_after(table.data, after, result.plan, (page - 1) * ROWS, page * ROWS)
    column = ask.raw("column") if ask.raw("column") in result.replaced else next(iter(result.replaced))
    replaced = result.replaced[column]
    turns = max(1, -(-len(replaced) // ROWS))
    turn = min(max(1, ask.number("turn", 1)), turns)
    return render(
        ask, "result.html", result=result, s=result.summary, report=result.report, together=together,
        compared=list(zip(table.results, together.rows(), strict=True)),
        heads={x: HEADS[x] for x in SHOWN if x != "parameters" or together.varied},
        names=names, rows=rows, first=(page - 1) * ROWS, page=page, pages_of=pages, column=column,
        replaced=replaced[(turn - 1) * ROWS : turn * ROWS], turn=turn, turns=turns, kinds=len(replaced),
        current=_is_current(ask, result),
    )  # fmt: skip


def _result(ask: PageRequest) -> Result | None:
    table = ask.workspace.table
    results = table.results if table is not None else []
    run, job = ask.number("run"), ask.workspace.job
    found = next((x for x in results if x.number == run), None)
    if found is not None or (job is not None and job.running and job.then == f"/result?run={run}"):
        return found  # none, while it is being masked
    return results[-1] if results else None


def _is_current(ask: PageRequest, result: Result) -> bool:
    """Tell whether the plan is still the one that gave a release."""
    plan = ask.workspace.opened.plan
    return plan is not None and same(plan, result.plan)


def chart(ask: PageRequest) -> Response:
    """Return a chart, to stand in a page as a picture."""
    table = ask.workspace.opened
    what = ask.text("what")
    drawn = ""
    if what == "map":
        drawn = ask.workspace.map()
    elif what == "estimate" and table.tried:
        drawn = Comparison(table.tried).map()
    else:
        result = _result(ask)
        drawn = result.report.charts.get(what, "") if result is not None else ""
    if not drawn:
        return PlainTextResponse("There is no such chart.", 404)
    return Response(drawn, media_type="image/svg+xml", headers={"content-security-policy": CHARTS})


CHARTS = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'"
