"""Endpoints: they run views and actions off the event loop, and turn errors into pages."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from allonym.errors import AllonymError
from allonym.studio.jobs import Job, JobState, internal_error
from allonym.studio.page_request import Action, FormError, Page, PageRequest, View
from allonym.studio.rendering import render
from allonym.studio.workspace import StaleVersionError, Workspace

MAX_FILES, MAX_FIELDS = 200, 5000  # of a form
Endpoint = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True)
class Endpoints:
    """Makes endpoints of views and actions."""

    workspace: Workspace
    pages: Sequence[Page]
    upload_limit: int

    def view_endpoint(self, view: View) -> Endpoint:
        """Return the endpoint of a view; it changes nothing."""

        async def endpoint(request: Request) -> Response:
            return await run_in_threadpool(_safely, view, self._page_request(request))

        return endpoint

    def action_endpoint(self, action: Action, view: View) -> Endpoint:
        """Return the endpoint of an action; when the action fails, the view shows why."""

        async def endpoint(request: Request) -> Response:
            async with request.form(max_files=MAX_FILES, max_fields=MAX_FIELDS) as form:
                page_request = self._page_request(request, form)
                return await run_in_threadpool(_safely, lambda x: _act(action, view, x), page_request)

        return endpoint

    def _page_request(self, request: Request, form: FormData | None = None) -> PageRequest:
        return PageRequest(
            self.workspace, request.query_params, form or FormData(), self.pages, upload_limit=self.upload_limit
        )


def _act(action: Action, view: View, request: PageRequest) -> Response:
    """Run an action and redirect to the next page; show the view with the problems if it fails."""
    job = request.workspace.job
    if job is not None and job.state == JobState.CANCELLED:
        job.acknowledged = True
    try:
        answer = action(request)
    except AllonymError as error:
        request.problems, request.wrong_values = error.problems, error.values
        request.field_problems = error.field_problems if isinstance(error, FormError) else {}
        stale = isinstance(error, StaleVersionError)
        if stale:  # show the current plan, not what was typed
            kept = [(x, y) for x, y in request.form.multi_items() if x in ("column", "name", "run")]
            request.form = FormData(kept)
        request.read_version()
        response = view(request)
        response.status_code = 409 if stale else 422
        return response
    if isinstance(answer, Job):
        return RedirectResponse(answer.next_page if not answer.problems else "/problem", 303)
    return RedirectResponse(answer, 303) if isinstance(answer, str) else answer


def _safely(view: View, request: PageRequest) -> Response:
    """Answer a request; show an error page if the view itself fails."""
    try:
        return view(request)
    except AllonymError as error:
        return render(request, "error.html", status_code=422, errors=request.without_paths(error.problems))
    except Exception as error:
        return render(request, "error.html", status_code=500, errors=[internal_error(error)])
