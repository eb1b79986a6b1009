"""Actions on the plan that every page offers: undo and redo, load, cancel."""

from __future__ import annotations

import os
from urllib.parse import parse_qsl

from allonym.plan import Plan
from allonym.studio.jobs import Job
from allonym.studio.page_request import Action, PageRequest, address
from allonym.studio.plan_upload import UploadedFiles


def previous_page(request: PageRequest) -> str:
    """Return the address of the page that sent the form; of its parent if what it showed is gone."""
    path, _, query = request.text("from").partition("?")
    page = next((x for x in request.pages if x.path == path), None)
    if page is None:
        return "/data"
    shown = {name: value for name, value in parse_qsl(query, max_num_fields=50) if name in page.query}
    table = request.workspace.table
    if path == "/column" and (table is None or shown.get("column") not in table.data.names):
        return page.parent
    if path == "/hierarchy" and (table is None or shown.get("name") not in os.listdir(table.folder)):
        return page.parent
    return address(path, **shown)


def go_to_version(request: PageRequest) -> str | Job:
    """Undo, redo, or go to any version."""
    address = previous_page(request)
    return request.workspace.go_to_version(request.number("number"), address) or address


def cancel(request: PageRequest) -> str:
    """Cancel the job that the page showed."""
    running, number = request.workspace.running_jobs, request.number("job")
    for job in [x for x in running if x.number == number] if number else running[:1]:
        job.cancel()
        job.wait(5)
    return previous_page(request)


def retry_check(request: PageRequest) -> str:
    """Match values again after a cancelled check."""
    request.workspace.retry_check()
    return previous_page(request)


def load(request: PageRequest) -> str | Job:
    """Load an uploaded plan with the files it names."""
    uploads, job = UploadedFiles(request.workspace.new_table_folder()), None
    try:
        plan = Plan.load(uploads.save(request.files("plan")))
        job = request.workspace.load_plan(request.base, plan, "Loaded a plan", "/columns", uploads)
    finally:
        if job is None:  # a job removes them at its end
            uploads.remove()
    return job or "/columns"


ACTIONS: dict[str, Action] = {"/go": go_to_version, "/plan": load, "/cancel": cancel, "/look": retry_check}
