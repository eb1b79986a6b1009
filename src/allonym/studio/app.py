"""The studio as an application: which address shows what, and which does what."""

from __future__ import annotations

from importlib.resources import files

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from allonym.studio.auth import TooLarge
from allonym.studio.jobs import FAILED
from allonym.studio.page_request import Action, PageRequest, View, doing, showing
from allonym.studio.pages import columns, data, downloads, hierarchies, methods, plans, results, words
from allonym.studio.workspace import Workspace

STATIC = {"studio.css": "text/css", "studio.js": "text/javascript", "icon.svg": "image/svg+xml"}
SHOWN: dict[str, View] = {
    "/data": data.show,
    "/columns": columns.show,
    "/column": columns.show_one,
    "/words": words.show,
    "/concepts": words.concepts,
    "/method": methods.show,
    "/result": results.show,
    "/chart": results.chart,
    "/download": downloads.download,
    "/hierarchies": hierarchies.show,
    "/hierarchy": hierarchies.show_one,
    "/plan.toml": downloads.plan,
    "/plan.zip": downloads.plan_and_files,
}
DONE: dict[str, tuple[Action, View]] = {
    "/open": (data.open_file, data.show),
    "/survey": (data.open_survey, data.show),
    "/reading": (data.read_again, data.show),
    "/columns": (columns.choose, columns.show),
    "/column": (columns.choose_one, columns.show_one),
    "/ontology": (columns.add_ontology, columns.show_one),
    "/words": (words.settle, words.show),
    "/understanding": (words.understand, words.show),
    "/method": (methods.choose, methods.show),
    "/promise": (methods.promise, methods.show),
    "/about": (methods.about, methods.show),
    "/estimate": (methods.estimate, methods.show),
    "/run": (methods.run, methods.show),
    "/hierarchies": (hierarchies.add, hierarchies.show),
    "/build": (hierarchies.build_one, hierarchies.show),
    "/hierarchy": (hierarchies.edit, hierarchies.show_one),
    "/go": (plans.go, data.show),
    "/plan": (plans.load, data.show),
    "/cancel": (plans.cancel, data.show),
    "/look": (plans.look, data.show),
    "/again": (plans.again, results.show),
}


def studio(workspace: Workspace, limit: int) -> Starlette:
    """Return the application; `Guard` must stand before it."""
    routes = [
        Route("/", _home),
        Route("/static/{name}", _static),
        Route("/job", showing(_job, workspace, limit)),
        Route("/problem", showing(_problem, workspace, limit)),
        *(Route(path, showing(view, workspace, limit), methods=["GET"]) for path, view in SHOWN.items()),
        *(Route(path, doing(*both, workspace, limit), methods=["POST"]) for path, both in DONE.items()),
    ]
    return Starlette(routes=routes, exception_handlers={TooLarge: _too_large})


def _too_large(request: Request, error: Exception) -> Response:
    assert isinstance(error, TooLarge)
    return HTMLResponse(error.page, 413, {"connection": "close"})


def _home(request: Request) -> Response:
    return RedirectResponse("/data", 303)


def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in STATIC:
        return PlainTextResponse("There is no such file.", 404)
    text = (files("allonym.studio") / "static" / name).read_text("utf-8")
    return Response(text, media_type=STATIC[name])


def _job(ask: PageRequest) -> Response:
    """Tell how far the work is, to the page that waits for it."""
    ws, nothing = ask.workspace, {"state": "none", "share": 0, "then": "", "what": ""}
    job, check = ws.job, ws.checking[1] if ws.checking is not None else None
    of = ask.number("of")
    if check is not None and (check.number == of if of else check.running and (job is None or not job.running)):
        told = check.to_dict()
        return JSONResponse(told if check.running else told | {"state": "ended"})  # what it found stands on the page
    if job is None or (of and job.number != of) or (not of and job.state == FAILED and job.told_so):
        return JSONResponse(nothing)
    return JSONResponse(job.to_dict())


def _problem(ask: PageRequest) -> Response:
    """Say why the last job failed, on the page where something can be done about it."""
    job = ask.workspace.job
    ask.problems = [] if job is None else job.problems
    if job is None or job.running or not job.problems:
        return RedirectResponse("/data", 303)
    job.told_so = True
    where: dict[str, View] = {"Masking": methods.show, "Estimating the trade-off": methods.show}
    where["Building a hierarchy"] = hierarchies.show
    view = where.get(job.what, data.show)
    return view(ask) if ask.workspace.table is not None else data.show(ask)
