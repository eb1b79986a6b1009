"""The first page: open a table, see it and the risk as it stands."""

from __future__ import annotations

import gzip
import shutil
import zipfile
import zlib
from pathlib import Path
from typing import Any

from starlette.datastructures import UploadFile
from starlette.responses import Response

from allonym.errors import OptionError, PlanError
from allonym.pipeline.cached_table import Reading, cells_of_parquet
from allonym.pipeline.demo import hierarchies, survey
from allonym.studio.history import PLAN
from allonym.studio.jobs import Job
from allonym.studio.page_request import ROWS, PageRequest, cleaned, render
from allonym.studio.plan_upload import Given

ENCODINGS = ("", "utf-8", "cp1252", "latin-1", "iso-8859-15", "utf-16")
DELIMITERS = {"": "found by itself", ",": "comma ,", ";": "semicolon ;", "\t": "tab", "|": "bar |"}


def show(ask: PageRequest) -> Response:
    """Show the table that is open, or how to open one."""
    table = ask.workspace.table
    asked = None if ask.workspace.job is not None and ask.workspace.job.running else ask.workspace.asked
    common: dict[str, Any] = {
        "encodings": ENCODINGS,
        "delimiters": DELIMITERS,
        "asked": asked or Reading(),
        "failed": asked is not None,
    }
    if table is None:
        return render(ask, "data.html", **common)
    pages = max(1, -(-table.data.n // ROWS))
    page = min(ask.page, pages)
    found = ask.workspace.check()
    told = list(map(str, found.problems)) if found is not None and found.risk is None else []
    told = [cleaned(ask, x) for x in (*ask.workspace.unchecked, *told)]
    return render(
        ask,
        "data.html",
        names=table.data.names,
        rows=table.data.rows((page - 1) * ROWS, page * ROWS),
        first=(page - 1) * ROWS,
        page=page,
        pages_of=pages,
        check=found,
        reading=table.data.reading,
        is_text=table.data.suffix == ".csv",
        is_sheet=table.data.suffix == ".xlsx",
        told=told,
        **common,
    )


def saved(file: UploadFile, path: Path) -> Path:
    """Put an uploaded file in its place; only its owner may read it."""
    path.touch(mode=0o600)
    with path.open("wb") as target:
        shutil.copyfileobj(file.file, target, 1 << 20)
    return path


def open_file(ask: PageRequest) -> Job:
    """Open a file that was chosen or dropped; a plan with the files it names may come along."""
    given = [*ask.files("file"), *ask.files("plan")]
    plans = [x for x in given if str(x.filename).lower().endswith(".toml")]
    tables = [x for x in ask.files("file") if x not in plans]
    if not tables:
        raise OptionError("No file was chosen.", hint="choose one, or drop it here.")
    if len(plans) > 1:
        raise PlanError([f"{len(plans)} plans were chosen. Hint: choose one."])
    if len(tables) > 1 and not plans:
        raise OptionError(f"{len(tables)} files were chosen.", hint="one table at a time.")
    ask.workspace.idle()
    main, others = tables[0], [*tables[1:], *(x for x in ask.files("plan") if x not in plans)]
    folder = ask.workspace.place()
    path = saved(main, folder / "data")
    if swells(path, ask.limit):
        shutil.rmtree(folder, ignore_errors=True)
        raise OptionError(
            f"The file unpacks to more than the {ask.limit / 1024**2:,.0f} MB that are taken.",
            hint="start the studio with its name instead: allonym studio FILE.",
        )
    plan, came = None, Given(folder / "given")
    if plans:
        came.folder.mkdir(mode=0o700)
        plan = saved(plans[0], came.folder / PLAN)
        for other in others:
            saved(other, came.place(str(other.filename)))
    reading = Reading(**_reading(ask))
    return ask.workspace.open(path, shown_name(str(main.filename)), folder, plan, reading=reading, given=came)


def _reading(ask: PageRequest) -> dict[str, Any]:
    """Return how a file is to be read."""
    return {
        "encoding": ask.text("encoding") or None,
        "delimiter": ask.raw("delimiter") or None,
        "header": ask.text("header", "yes") != "no",
        "sheet": ask.text("sheet") or None,
    }


def swells(path: Path, most: int) -> bool:
    """Tell whether a packed file holds more than is taken, without unpacking it to anywhere."""
    try:
        with path.open("rb") as file:
            begin = file.read(4)
            if begin[:2] != b"\x1f\x8b":
                return _holds(file, begin, most)
            file.seek(0)
            with gzip.open(file) as packed:
                begin, size = packed.read(4), 4
                while size <= most and (chunk := packed.read(1 << 20)):
                    size += len(chunk)
                return size > most or _holds(packed, begin, most)
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile):
        return False  # whoever opens it will say so


def _holds(file: Any, begin: bytes, most: int) -> bool:
    """Tell whether a spreadsheet or a Parquet file, which are packed inside, holds more than is taken."""
    if begin == b"PK\x03\x04":
        with zipfile.ZipFile(file) as book:
            return sum(x.file_size for x in book.infolist()) > most
    return begin == b"PAR1" and cells_of_parquet(file) > most  # a cell is a byte at least


def shown_name(name: str) -> str:
    """Return how a file is called on pages: without its folder and what does not print."""
    last = name.replace("\\", "/").rpartition("/")[2]
    return "".join(c for c in last if c.isprintable())[:120] or "table"


def open_survey(ask: PageRequest) -> Job:
    """Open the bundled survey."""
    ask.workspace.idle()
    folder = ask.workspace.place()
    path = folder / "data"
    path.touch(mode=0o600)
    path.write_text(survey(), "utf-8", newline="")
    return ask.workspace.open(path, "survey.csv", folder, files=hierarchies())


def read_again(ask: PageRequest) -> Job:
    """Read the table that is open in another way."""
    table = ask.workspace.opened
    if ask.base != table.steps.now.number:
        ask.workspace.change(ask.base, "", table.plan)  # refuses
    return ask.workspace.read_again(**_reading(ask))
