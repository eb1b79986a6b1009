"""The studio as a web application: routes of the pages, static files, and the progress of jobs."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from allonym.studio.auth import TooLarge
from allonym.studio.endpoints import Endpoints
from allonym.studio.jobs import JobKind, JobState
from allonym.studio.page_request import PageRequest
from allonym.studio.pages import PAGES
from allonym.studio.workspace import Workspace

STATIC = {"studio.css": "text/css", "studio.js": "text/javascript", "icon.svg": "image/svg+xml"}
FAILURE_PAGES = {JobKind.MASK: "/method", JobKind.ESTIMATE: "/method", JobKind.BUILD_HIERARCHY: "/hierarchies"}


def studio(workspace: Workspace, upload_limit: int) -> Starlette:
    """Return the application; `Guard` must protect it."""
    routes = [
        Route("/", lambda _: RedirectResponse("/data", 303)),
        Route("/static/{name}", _static),
        *_routes(Endpoints(workspace, PAGES, upload_limit)),
    ]
    return Starlette(routes=routes, exception_handlers={TooLarge: _too_large})


def _routes(endpoints: Endpoints) -> Iterator[Route]:
    yield Route("/job", endpoints.view_endpoint(_job), methods=["GET"])
    yield Route("/problem", endpoints.view_endpoint(_problem), methods=["GET"])
    for page in endpoints.pages:
        for path, view in {page.path: page.view, **page.resources}.items():
            yield Route(path, endpoints.view_endpoint(view), methods=["GET"])
        for path, action in page.actions.items():
            yield Route(path, endpoints.action_endpoint(action, page.view), methods=["POST"])


def _too_large(request: Request, error: Exception) -> Response:
    assert isinstance(error, TooLarge)
    return HTMLResponse(error.page, 413, {"connection": "close"})


def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in STATIC:
        return PlainTextResponse("File not found.", 404)
    text = (files("allonym.studio") / "static" / name).read_text("utf-8")
    return Response(text, media_type=STATIC[name])


def _job(request: PageRequest) -> Response:
    """Return the progress of a job, or of the check, to the page that waits for it."""
    workspace, number = request.workspace, request.number("of")
    job, check = workspace.job, workspace.checking[1] if workspace.checking is not None else None
    if check is not None and (check.number == number or (not number and workspace.running_jobs[:1] == [check])):
        return JSONResponse(check.to_dict() | ({} if check.running else {"state": "ended"}))  # the page shows the rest
    shown = job is not None and not number and job.state == JobState.FAILED and job.acknowledged
    if job is None or shown or (number and job.number != number):
        return JSONResponse({"state": "none", "share": 0, "then": "", "what": ""})
    return JSONResponse(job.to_dict())


def _problem(request: PageRequest) -> Response:
    """Show why the last job failed, on the page where it can be fixed."""
    job = request.workspace.job
    if job is None or job.running or not job.problems:
        return RedirectResponse("/data", 303)
    request.problems, job.acknowledged = job.problems, True
    path = FAILURE_PAGES.get(job.kind, "/data") if request.workspace.table is not None else "/data"
    return next(page.view for page in request.pages if page.path == path)(request)
