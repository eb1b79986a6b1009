"""What can be taken away: the release, its plan with links, reports; each under a name made here."""

from __future__ import annotations

import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import quote

from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from allonym.errors import OptionError
from allonym.pipeline import review as editing
from allonym.studio.history import PLAN
from allonym.studio.page_request import PageRequest
from allonym.studio.results import Result

REPORT = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox allow-downloads; frame-ancestors 'none'"
TYPES = {".html": "text/html; charset=utf-8", ".json": "application/json", ".toml": "application/toml",
         ".csv": "text/csv", ".jsonl": "application/x-ndjson"}  # fmt: skip


def download(ask: PageRequest) -> Response:
    """Return a file of a release."""
    table = ask.workspace.opened
    result = next((x for x in table.results if x.number == ask.number("run")), None)
    if result is None:
        raise OptionError("There is no such release.", hint="it went when another table was opened.")
    there = files_of(result)
    what = ask.text("what")
    if what == "everything":
        return zipped(ask, f"{table.stem}-release-{result.number}.zip", there)
    if what == "links":
        return zipped(ask, f"{table.stem}-links.zip", {name: there[name] for name in result.files})
    if what not in there:
        return PlainTextResponse("There is no such file.", 404)
    return _sent(there[what], what, inline=ask.text("look") == "yes" and what.endswith(".html"))


def files_of(result: Result) -> Mapping[str, Path]:
    """Return all files of a release by their names."""
    names = [result.masked.name, PLAN, "report.html", "report-public.html", "summary.json", "codebook.json"]
    return {name: result.folder / name for name in [*names, *result.files]}


def _sent(path: Path, name: str, *, inline: bool = False) -> Response:
    kind = TYPES.get(path.suffix, "application/octet-stream")
    headers = {"content-disposition": _disposition(name, inline=inline)}
    if inline:
        headers["content-security-policy"] = REPORT
    return FileResponse(path, media_type=kind, headers=headers)


def _disposition(name: str, *, inline: bool = False) -> str:
    plain = name.encode("ascii", "replace").decode().replace('"', "_").replace("?", "_")
    return f"{'inline' if inline else 'attachment'}; filename=\"{plain}\"; filename*=UTF-8''{quote(name)}"


def zipped(ask: PageRequest, name: str, files: Mapping[str, Path]) -> Response:
    """Return files in one archive, made on the disk; the same files give the same bytes."""
    handle, place = tempfile.mkstemp(dir=ask.workspace.folder)
    try:
        with os.fdopen(handle, "wb") as target, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            for inside, path in files.items():
                with path.open("rb") as source, archive.open(_entry(inside), "w", force_zip64=True) as packed:
                    shutil.copyfileobj(source, packed, 1 << 20)
    except BaseException:
        Path(place).unlink(missing_ok=True)
        raise
    return _Once(place, media_type="application/zip", headers={"content-disposition": _disposition(name)})


class _Once(FileResponse):
    """A file that goes when it was sent, or could not be."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            Path(self.path).unlink(missing_ok=True)


def _entry(name: str) -> zipfile.ZipInfo:
    """Return a file of an archive that has no date and may be read by its owner."""
    entry = zipfile.ZipInfo(name)
    entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o600 << 16
    return entry


def plan(ask: PageRequest) -> Response:
    """Return the plan as it is now."""
    step = ask.workspace.opened.steps.now
    if step.plan is None:
        raise OptionError("There is no plan yet.", hint="choose roles first.")
    return _sent(step.folder / PLAN, PLAN)


def plan_and_files(ask: PageRequest) -> Response:
    """Return the plan as it is now, with the files it names."""
    table = ask.workspace.opened
    step = table.steps.now
    if step.plan is None:
        raise OptionError("There is no plan yet.", hint="choose roles first.")
    return zipped(ask, f"{table.stem}-plan.zip", dict(_with_files(step.folder, editing.files_of(step.plan))))


def _with_files(folder: Path, names: list[str]) -> Iterator[tuple[str, Path]]:
    yield PLAN, folder / PLAN
    yield from ((name, folder / name) for name in names)
