"""The Result page: a release, compared with the others."""

from __future__ import annotations

from starlette.responses import PlainTextResponse, Response

from allonym.report.comparison import HEADS, Comparison
from allonym.studio.jobs import Job, JobKind
from allonym.studio.open_table import same_plan
from allonym.studio.page_request import ROWS_PER_PAGE, Page, PageRequest, page_of
from allonym.studio.pages.downloads import find_result
from allonym.studio.rendering import render
from allonym.studio.results import Result, before_and_after, open_release, release_comparison, risk_utility_map

SHOWN = ("method", "k", "parameters", "information_loss", "false", "generalised", "set_to_null", "farthest",
         "total_variation", "earth_movers_distance",
         "highest_linkage", "attacker", "semantic_linkage", "record_linkage", "smallest_group", "suppressed",
         "seconds")  # fmt: skip
CHART_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'"
CHARTS = {
    "losses": "Information loss per column",
    "sizes": "Group sizes before and after masking",
    "risks": "Risk before and after masking, with blind guessing as the baseline",
}


def show(request: PageRequest) -> Response:
    """Show a release beside the others."""
    table, result = request.workspace.table, _shown_result(request)
    if table is None or result is None:
        job = request.workspace.job
        masking = job is not None and job.running and job.kind == JobKind.MASK
        return render(request, "result.html", result=None, masking=masking)
    comparison = release_comparison(table)
    assert comparison is not None
    page, pages = page_of(result.summary["records"] if not result.plan.long else 1, request.page)
    first = (page - 1) * ROWS_PER_PAGE
    release = open_release(table, result)
    names, rows = before_and_after(table.data, release, result, first, first + ROWS_PER_PAGE)
    columns = result.changes.columns
    column = request.raw("column") if request.raw("column") in columns else next(iter(columns))
    replacements = columns[column].replacements
    turn, turns = page_of(len(replacements), max(1, request.number("turn", 1)))
    return render(
        request,
        "result.html",
        result=result,
        summary=result.summary,
        report=result.report,
        comparison=comparison,
        compared=list(zip(table.results, comparison.rows(), strict=True)),
        heads={x: HEADS[x] for x in SHOWN if x != "parameters" or comparison.varied},
        names=names,
        rows=rows,
        first=first,
        page=page,
        pages=pages,
        columns=list(columns),
        column=column,
        replacements=replacements[(turn - 1) * ROWS_PER_PAGE : turn * ROWS_PER_PAGE],
        turn=turn,
        turns=turns,
        number=len(replacements),
        charts={x: title for x, title in CHARTS.items() if x in result.report.charts},
        current=same_plan(table.plan, result.plan),
    )


def _shown_result(request: PageRequest) -> Result | None:
    """Return the requested release, or the last one; None while the requested one is being made."""
    table, job = request.workspace.table, request.workspace.job
    results = table.results if table is not None else []
    number = request.number("run")
    result = next((x for x in results if x.number == number), None)
    if result is not None or (job is not None and job.running and job.next_page == f"/result?run={number}"):
        return result
    return results[-1] if results else None


def chart(request: PageRequest) -> Response:
    """Return a chart as a picture."""
    table, name = request.workspace.require_table(), request.text("what")
    if name == "map":
        svg = risk_utility_map(table)
    elif name == "estimate" and table.estimate is not None:
        svg = Comparison(table.estimate.runs).map()
    else:
        result = _shown_result(request)
        svg = result.report.charts.get(name, "") if result is not None else ""
    if not svg:
        return PlainTextResponse("Chart not found.", 404)
    return Response(svg, media_type="image/svg+xml", headers={"content-security-policy": CHART_POLICY})


def restore_plan(request: PageRequest) -> str | Job:
    """Make the plan of a release the current one."""
    result = find_result(request)
    next_page, label = f"/result?run={result.number}", f"Plan of release {result.number}"
    base = request.workspace.require_table().history.current.number
    return request.workspace.load_plan(base, result.plan, label, next_page) or next_page


PAGE = Page(
    "/result",
    show,
    title="Result",
    query=("run", "page", "column", "turn"),
    actions={"/again": restore_plan},
    resources={"/chart": chart},
)
