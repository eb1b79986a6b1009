"""Downloads: the release, its plan with the files it names, and reports."""

from __future__ import annotations

import os
import shutil
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from allonym.errors import OptionError
from allonym.pipeline import review
from allonym.plan import Plan
from allonym.studio.history import PLAN, REPLACEMENTS, RESERVED_NAMES
from allonym.studio.page_request import PageRequest, View
from allonym.studio.results import Result, no_plan

REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox allow-downloads; frame-ancestors 'none'"
)
MEDIA_TYPES = {".html": "text/html; charset=utf-8", ".json": "application/json", ".toml": "application/toml",
               ".csv": "text/csv", ".jsonl": "application/x-ndjson"}  # fmt: skip


def find_result(request: PageRequest) -> Result:
    """Return the release that a request names."""
    number = request.number("run")
    result = next((x for x in request.workspace.require_table().results if x.number == number), None)
    if result is None:
        hint = "opening another table discards the releases of the table before."
        raise OptionError(f"There is no release {number}.", hint=hint, code="no-release")
    return result


def release_file(request: PageRequest) -> Response:
    """Return a file of a release, or several of them as an archive."""
    table, result = request.workspace.require_table(), find_result(request)
    paths = {x: result.folder / x for x in [result.masked.name, *RESERVED_NAMES, *result.plan_files]}
    name = request.text("what")
    if name == "everything":
        return _archive(request, f"{table.stem}-release-{result.number}.zip", paths)
    if name == "links":
        return _archive(request, f"{table.stem}-links.zip", {x: paths[x] for x in result.plan_files})
    if name == REPLACEMENTS:
        return _file(result.replacements_file(), name)
    if name not in paths:
        return PlainTextResponse("File not found.", 404)
    return _file(paths[name], name, inline=request.flag("look") and name.endswith(".html"))


def _file(path: Path, name: str, *, inline: bool = False) -> Response:
    media_type = MEDIA_TYPES.get(path.suffix, "application/octet-stream")
    headers = {"content-disposition": _disposition(name, inline=inline)}
    if inline:
        headers["content-security-policy"] = REPORT_POLICY
    return FileResponse(path, media_type=media_type, headers=headers)


def _disposition(name: str, *, inline: bool = False) -> str:
    plain = name.encode("ascii", "replace").decode().replace('"', "_").replace("?", "_")
    return f"{'inline' if inline else 'attachment'}; filename=\"{plain}\"; filename*=UTF-8''{quote(name)}"


def _archive(request: PageRequest, name: str, files: Mapping[str, Path]) -> Response:
    """Return files as a zip archive, written to disk; the same files give the same bytes."""
    handle, place = tempfile.mkstemp(dir=request.workspace.folder)
    try:
        with os.fdopen(handle, "wb") as target, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            for member, path in files.items():
                with path.open("rb") as source, archive.open(_entry(member), "w", force_zip64=True) as packed:
                    shutil.copyfileobj(source, packed, 1 << 20)
    except BaseException:
        Path(place).unlink(missing_ok=True)
        raise
    headers = {"content-disposition": _disposition(name)}
    return _TemporaryFileResponse(place, media_type="application/zip", headers=headers)


class _TemporaryFileResponse(FileResponse):
    """Sends a file, then deletes it."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the file; delete it even if that fails."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            Path(self.path).unlink(missing_ok=True)


def _entry(name: str) -> zipfile.ZipInfo:
    """Return an archive member without a date, readable by its owner only."""
    entry = zipfile.ZipInfo(name)
    entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o600 << 16
    return entry


def _current_plan(request: PageRequest) -> Plan:
    plan = request.workspace.require_table().plan
    if plan is None:
        raise no_plan()
    return plan


def plan_file(request: PageRequest) -> Response:
    """Return the current plan."""
    return _file(_current_plan(request).folder / PLAN, PLAN)


def plan_archive(request: PageRequest) -> Response:
    """Return the current plan and the files it names."""
    plan, table = _current_plan(request), request.workspace.require_table()
    files = {name: plan.folder / name for name in (PLAN, *review.files_of(plan))}
    return _archive(request, f"{table.stem}-plan.zip", files)


RESOURCES: dict[str, View] = {"/download": release_file, "/plan.toml": plan_file, "/plan.zip": plan_archive}
