"""The Data page: open a table, see its rows and its risk."""

from __future__ import annotations

import gzip
import shutil
import zlib
from pathlib import Path
from typing import Any

from starlette.responses import Response

from allonym.errors import OptionError, PlanError, Problem
from allonym.pipeline.cached_table import Reading, archive_exceeds, cell_count
from allonym.pipeline.demo import hierarchies, survey
from allonym.studio.history import PLAN
from allonym.studio.jobs import Job
from allonym.studio.page_request import ROWS_PER_PAGE, Page, PageRequest, page_of
from allonym.studio.pages import downloads, plan
from allonym.studio.plan_upload import UploadedFiles, save_upload
from allonym.studio.rendering import render

ENCODINGS = ("", "utf-8", "cp1252", "latin-1", "iso-8859-15", "utf-16")
DELIMITERS = {"": "detect automatically", ",": "comma ,", ";": "semicolon ;", "\t": "tab", "|": "bar |"}


def show(request: PageRequest) -> Response:
    """Show the open table, or the form to open one."""
    workspace, table = request.workspace, request.workspace.table
    busy = workspace.job is not None and workspace.job.running
    failed_reading = None if busy else workspace.failed_reading
    common: dict[str, Any] = {
        "encodings": ENCODINGS,
        "delimiters": DELIMITERS,
        "open_options": failed_reading or Reading(),
        "open_failed": failed_reading is not None,
    }
    if table is None:
        return render(request, "data.html", **common)
    page, pages = page_of(table.data.n, request.page)
    first = (page - 1) * ROWS_PER_PAGE
    check = workspace.check()
    risk_problems = check.problems if check is not None and check.risk is None else ()
    return render(
        request,
        "data.html",
        names=table.data.names,
        rows=table.data.rows(first, first + ROWS_PER_PAGE),
        first=first,
        page=page,
        pages=pages,
        check=check,
        reading=table.data.reading,
        is_text=table.data.suffix == ".csv",
        is_sheet=table.data.suffix == ".xlsx",
        risk_problems=request.without_paths([*workspace.check_problems, *risk_problems]),
        **common,
    )


def open_file(request: PageRequest) -> Job:
    """Open an uploaded table, with a plan and its files if they were uploaded too."""
    main, plans, others = _uploads(request)
    request.workspace.require_idle()
    folder = request.workspace.new_table_folder()
    path = save_upload(main, folder / "data")
    if unpacks_to_more(path, request.upload_limit):
        shutil.rmtree(folder, ignore_errors=True)
        raise OptionError(
            f"The file unpacks to more than the limit of {request.upload_limit / 1024**2:,.0f} MB.",
            hint="open it from the command line: allonym studio FILE.",
            code="too-large",
        )
    plan_path, uploads = None, UploadedFiles(folder / "given")
    if plans:
        uploads.folder.mkdir(mode=0o700)
        plan_path = save_upload(plans[0], uploads.folder / PLAN)
        for other in others:
            save_upload(other, uploads.new_path(str(other.filename)))
    reading = Reading(**_reading(request))
    name = display_name(str(main.filename))
    return request.workspace.open(path, name, folder, plan_path, reading=reading, uploads=uploads)


def _uploads(request: PageRequest) -> tuple[Any, list[Any], list[Any]]:
    """Return the uploaded table, plans and other files."""
    uploads = [*request.files("file"), *request.files("plan")]
    plans = [x for x in uploads if str(x.filename).lower().endswith(".toml")]
    tables = [x for x in request.files("file") if x not in plans]
    if not tables:
        raise OptionError("No file was chosen.", hint="choose a file, or drop it here.", code="no-file")
    if len(plans) > 1:
        raise PlanError([Problem("several-plans", f"{len(plans)} plans were chosen.", "choose one plan.")])
    if len(tables) > 1 and not plans:
        raise OptionError(f"{len(tables)} files were chosen.", hint="open one table at a time.", code="several-files")
    return tables[0], plans, [x for x in uploads if x is not tables[0] and x not in plans]


def _reading(request: PageRequest) -> dict[str, Any]:
    """Return the reading options of the form."""
    return {
        "encoding": request.text("encoding") or None,
        "delimiter": request.raw("delimiter") or None,
        "header": request.text("header", "yes") != "no",
        "sheet": request.text("sheet") or None,
        "max_size": max(request.upload_limit // 1024**2, Reading().max_size),
    }


def unpacks_to_more(path: Path, limit: int) -> bool:
    """Return whether a compressed file holds more than a number of bytes, without unpacking it to disk."""
    try:
        with path.open("rb") as file:
            begin = file.read(4)
            if begin[:2] != b"\x1f\x8b":
                return _holds_more(file, begin, limit)
            file.seek(0)
            with gzip.open(file) as unpacked:
                begin, size = unpacked.read(4), 4
                while size <= limit and (chunk := unpacked.read(1 << 20)):
                    size += len(chunk)
                return size > limit or _holds_more(unpacked, begin, limit)
    except (OSError, EOFError, zlib.error):
        return False  # reading the table will report it


def _holds_more(file: Any, begin: bytes, limit: int) -> bool:
    """Return whether a workbook or a Parquet file, which are compressed inside, holds more than a number of bytes."""
    if begin == b"PK\x03\x04":
        return archive_exceeds(file, limit)
    return begin == b"PAR1" and cell_count(file) > limit  # a cell has at least a byte


def display_name(name: str) -> str:
    """Return a file name for pages, without folders and unprintable characters."""
    last = name.replace("\\", "/").rpartition("/")[2]
    return "".join(c for c in last if c.isprintable())[:120] or "table"


def open_survey(request: PageRequest) -> Job:
    """Open the bundled survey."""
    request.workspace.require_idle()
    folder = request.workspace.new_table_folder()
    path = folder / "data"
    path.touch(mode=0o600)
    path.write_text(survey(), "utf-8", newline="")
    return request.workspace.open(path, "survey.csv", folder, files=hierarchies())


def change_reading(request: PageRequest) -> Job:
    """Read the open table with other options."""
    request.workspace.require_version(request.base)
    return request.workspace.reread(**_reading(request))


PAGE = Page(
    "/data",
    show,
    title="Data",
    query=("page",),
    actions={"/open": open_file, "/survey": open_survey, "/reading": change_reading, **plan.ACTIONS},
    resources=downloads.RESOURCES,
)
