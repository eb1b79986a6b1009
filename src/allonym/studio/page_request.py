"""What a page is asked, and how it answers: templates, redirects, and errors where the mistake was made."""

from __future__ import annotations

import re
import shlex
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from allonym.errors import AllonymError, OptionError
from allonym.report.html import figure
from allonym.studio.history import Step
from allonym.studio.jobs import CANCELLED, Job, mistake, problems_of
from allonym.studio.workspace import Stale, Table, Workspace

PAGES = (
    ("data", "Data"), ("columns", "Columns"), ("words", "Words"), ("method", "Method"), ("result", "Result"),
)  # fmt: skip
ASKED = {
    "/data": ("page",),
    "/columns": (),
    "/column": ("column",),
    "/method": (),
    "/hierarchies": ("ontology",),
    "/words": ("column", "ontology", "status", "find", "page"),
    "/hierarchy": ("name", "level", "value", "ontology"),
    "/result": ("run", "page", "column", "turn"),
}  # fmt: skip; what the address of a page says
ROWS = 25  # of a table on a page


@dataclass
class PageRequest:
    """One question of a browser."""

    workspace: Workspace
    query: Mapping[str, str]
    form: FormData = field(default_factory=FormData)
    problems: Sequence[str] = ()  # why what was asked for was not done
    limit: int = 0  # bytes of files
    wrong: Sequence[str] = ()  # what of it was wrong, as it was typed

    def __post_init__(self) -> None:
        """Look at what is open, before anything is shown."""
        self.look()

    def look(self) -> None:
        """Take note of the step that counts: a page says that it shows this one, whatever comes meanwhile."""
        with self.workspace.lock:
            self.table = self.workspace.table
            self.step = None if self.table is None else self.table.steps.now

    def text(self, name: str, usual: str = "") -> str:
        """Return a field of the form, or of the address."""
        given = self.form.get(name, self.query.get(name, usual))
        return given.strip() if isinstance(given, str) else usual

    def raw(self, name: str) -> str:
        """Return a field of the form as it is, blanks too."""
        given = self.form.get(name, self.query.get(name, ""))
        return given if isinstance(given, str) else ""

    def number(self, name: str, usual: int = 0) -> int:
        """Return a field that is a whole number; the usual one, if it is none."""
        text = self.text(name)
        return int(text) if re.fullmatch(r"\d{1,12}", text) else usual

    def files(self, name: str) -> list[UploadFile]:
        """Return the files of a field that have a name."""
        return [x for x in self.form.getlist(name) if isinstance(x, UploadFile) and x.filename]

    @property
    def base(self) -> int:
        """The step that the person saw."""
        return self.number("base", -1)

    @property
    def page(self) -> int:
        """The page of a long table, from 1."""
        return max(1, self.number("page", 1))


View = Callable[[PageRequest], Response]
Action = Callable[[PageRequest], str | Job | Response]


def showing(view: View, workspace: Workspace, limit: int) -> Callable[[Request], Awaitable[Response]]:
    """Return what answers a question that changes nothing; off the event loop."""

    async def endpoint(request: Request) -> Response:
        return await run_in_threadpool(_safely, view, PageRequest(workspace, request.query_params, limit=limit))

    return endpoint


def doing(action: Action, view: View, workspace: Workspace, limit: int) -> Callable[[Request], Awaitable[Response]]:
    """Return what does something and goes on to another page; where it fails, the page it came from says why."""

    def done(ask: PageRequest) -> Response:
        before = workspace.job
        if before is not None and before.state == CANCELLED:
            before.told_so = True
        try:
            then = action(ask)
            if isinstance(then, Job):
                return RedirectResponse(then.then if not then.problems else "/problem", 303)
            return RedirectResponse(then, 303) if isinstance(then, str) else then
        except AllonymError as error:
            ask.problems, ask.wrong = problems_of(error), error.values
            if isinstance(error, Stale):
                ask.form = FormData([(x, y) for x, y in ask.form.multi_items() if x in ("column", "name", "run")])
            ask.look()
            answer = view(ask)
            answer.status_code = 409 if isinstance(error, Stale) else 422
            return answer

    async def endpoint(request: Request) -> Response:
        async with request.form(max_files=200, max_fields=5000) as form:
            return await run_in_threadpool(
                _safely, done, PageRequest(workspace, request.query_params, form, limit=limit)
            )

    return endpoint


def _safely(view: View, ask: PageRequest) -> Response:
    """Answer; a mistake of ours is told without values of the data."""
    try:
        return view(ask)
    except AllonymError as error:
        return render(ask, "sorry.html", code=422, told=problems_of(error))
    except Exception as error:
        return render(ask, "sorry.html", code=500, told=[mistake(error)])


def render(ask: PageRequest, template: str, code: int = 200, **values: Any) -> Response:
    """Return a page, with what all of them show."""
    ws = ask.workspace
    table, step = ask.table, ask.step
    job = ws.job if ws.job is not None and ws.job.running else None
    check = ws.checking[1] if ws.checking is not None and step is not None and ws.checking[0] == step.number else None
    if job is None and check is not None and check.running:
        job = check
    here = template.removesuffix(".html")
    common = {
        "pages": PAGES,
        "here": here,
        "address_here": address(f"/{here}", **{x: ask.raw(x) for x in ASKED.get(f"/{here}", ())}),
        "table": table,
        "steps": None if table is None else table.steps,
        "step": step,
        "job": job,
        "not_looked": check is not None and check.state == CANCELLED,
        "problems": [cleaned(ask, x) for x in ask.problems or _untold(ws.job)],
        "limit": ask.limit,
        "given_up": _given_up(ws.job),
        "open_words": _open_words(table, step),
        "rows_of_page": ROWS,
    }
    page = environment().get_template(template).render(common | values)
    return HTMLResponse(page.encode("utf-8", "replace"), code)  # a cell may hold half of a character


def _given_up(job: Job | None) -> str:
    """Return what was given up, until something is done again: two pages may ask at once, and one is never seen."""
    return job.what if job is not None and job.state == CANCELLED and not job.told_so else ""


def _untold(job: Job | None) -> Sequence[str]:
    """Return why a job failed, if no page has said so: it may have ended just before this one was asked for."""
    if job is None or job.running or job.told_so:
        return []
    job.told_so = bool(job.problems)
    return job.problems


def _open_words(table: Table | None, step: Step | None) -> int:
    """Return how many words of quasi-identifiers nobody is sure of yet."""
    found = table.checks.get(step.number) if table is not None and step is not None else None
    return sum(len(x.review) + len(x.unmatched) for x in found.columns if x.role == "quasi") if found else 0


def cleaned(ask: PageRequest, problem: str) -> str:
    """Return a problem without the places where files of ours lie."""
    for path, name in ask.workspace.names.items():
        problem = problem.replace(path, name)
    return re.sub(re.escape(str(ask.workspace.folder)) + r"[\w./-]*/", "", problem)


@cache
def environment() -> Any:
    """Return the templates."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("allonym.studio"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    filters: dict[str, Any] = {
        "figure": figure,
        "whole": lambda x: f"{x:,}",
        "percent": _percent,
        "split": _split,
        "quoted": shlex.quote,
    }
    made.filters |= filters
    made.globals |= {"address": address}
    return made


def _percent(value: float) -> str:
    return f"{100 * value:.0f} %" if value > 0.995 or 100 * value < 0.05 else f"{100 * value:.1f} %"


def _split(problem: str) -> tuple[str, str]:
    """Return what is wrong, and the hint."""
    what, _, hint = problem.partition(" Hint: ")
    return what, hint


def address(path: str, **query: Any) -> str:
    """Return an address with what it asks; what is empty is left out."""
    asked = {name: value for name, value in query.items() if value not in ("", None, 0)}
    return f"{path}?{urlencode(asked)}" if asked else path


def known(given: str, among: Sequence[str], what: str) -> str:
    """Return a choice, if it is one."""
    if given not in among:
        raise OptionError.of(what, given, among)
    return given
