"""Rendering of pages: the Jinja environment, and the values that every page shows."""

from __future__ import annotations

import shlex
from functools import cache
from typing import Any

from starlette.responses import HTMLResponse, Response

from allonym.errors import Problem
from allonym.report.html import figure, optimality_in_words
from allonym.studio.jobs import Job, JobState
from allonym.studio.page_request import ROWS_PER_PAGE, Page, PageRequest, address


def render(request: PageRequest, template: str, status_code: int = 200, **values: Any) -> Response:
    """Return a page with the navigation, the plan, the progress of jobs, and its own values."""
    workspace, table, version = request.workspace, request.table, request.version
    job = workspace.job
    check_job = None
    if workspace.checking is not None and version is not None and workspace.checking[0] == version.number:
        check_job = workspace.checking[1]
    path = f"/{template.removesuffix('.html')}"
    page = next((x for x in request.pages if x.path == path), None)
    common = {
        "steps": [x for x in request.pages if x.title],
        "path": path,
        "current_step": page.parent or path if page is not None else "",
        "current_address": _current_address(request, page) if page is not None else path,
        "table": table,
        "history": None if table is None else table.history,
        "version": version,
        "job": next((x for x in (job, check_job) if x is not None and x.running), None),
        "check_cancelled": check_job is not None and check_job.state == JobState.CANCELLED,
        "cancelled_job": job if job is not None and job.state == JobState.CANCELLED and not job.acknowledged else None,
        "problems": request.without_paths(request.problems or _new_problems(job)),
        "field_problems": request.field_problems,
        "upload_limit": request.upload_limit,
        "open_values": _open_values(request),
        "rows_per_page": ROWS_PER_PAGE,
    }
    text = environment().get_template(template).render(common | values)
    return HTMLResponse(text.encode("utf-8", "replace"), status_code)  # a cell may hold half of a surrogate pair


def _current_address(request: PageRequest, page: Page) -> str:
    return address(page.path, **{name: request.raw(name) for name in page.query})


def _new_problems(job: Job | None) -> tuple[Problem, ...]:
    """Return why a job failed if no page has shown it: it may have ended just before this request."""
    if job is None or job.running or job.acknowledged:
        return ()
    job.acknowledged = bool(job.problems)
    return job.problems


def _open_values(request: PageRequest) -> int:
    """Return how many values of quasi-identifiers are unmatched or to be reviewed."""
    if request.table is None or request.version is None:
        return 0
    check = request.table.checks.get(request.version.number)
    return sum(len(x.review) + len(x.unmatched) for x in check.columns if x.role == "quasi") if check else 0


@cache
def environment() -> Any:
    """Return the Jinja environment."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    jinja = Environment(
        loader=PackageLoader("allonym.studio"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    filters: dict[str, Any] = {
        "figure": figure,
        "optimality": optimality_in_words,
        "whole": lambda x: f"{x:,}",
        "percent": _percent,
        "sentence": _sentence,
        "quoted": shlex.quote,
        "without_scheme": lambda text: text.replace("https://", ""),  # pages name addresses, but link to none
    }
    jinja.filters |= filters
    jinja.globals |= {"address": address}
    return jinja


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share > 0.995 or 100 * share < 0.05 else f"{100 * share:.1f} %"


def _sentence(text: str) -> str:
    """Begin a text with a capital letter, unless it begins with a name such as k, plan.toml or `levels = …`.

    >>> _sentence("the table has no rows."), _sentence("k is 1."), _sentence("plan.toml is empty.")
    ('The table has no rows.', 'k is 1.', 'plan.toml is empty.')
    """
    first, _, rest = text.partition(" ")
    is_name = len(first) == 1 or not first.isalpha() or rest.startswith("=")
    return text if is_name else text[0].upper() + text[1:]
