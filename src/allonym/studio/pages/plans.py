"""What can be done to the plan from every page: go back and forth, load another, give up what is going on."""

from __future__ import annotations

import os
import shutil
import zipfile
import zlib
from pathlib import Path
from urllib.parse import parse_qsl

from starlette.datastructures import UploadFile

from allonym.errors import OptionError, PlanError
from allonym.plan import Plan
from allonym.studio.history import PLAN
from allonym.studio.jobs import Job
from allonym.studio.page_request import ASKED, PageRequest, address
from allonym.studio.pages.data import saved
from allonym.studio.plan_upload import Given

UNPACKED = 200_000_000  # bytes of all files of an archive


def back_to(ask: PageRequest) -> str:
    """Return the page that somebody was at, one of ours; or the list of what is not there any more."""
    path, _, query = ask.text("from").partition("?")
    if path not in ASKED:
        return "/data"
    asked = {name: value for name, value in parse_qsl(query, max_num_fields=50) if name in ASKED[path]}
    table = ask.workspace.table
    if path == "/column" and (table is None or asked.get("column") not in table.data.names):
        return "/columns"
    if path == "/hierarchy" and (table is None or asked.get("name") not in os.listdir(table.steps.now.folder)):
        return "/hierarchies"
    return address(path, **asked)


def go(ask: PageRequest) -> str | Job:
    """Go to a step."""
    return ask.workspace.go(ask.number("number"), back_to(ask)) or back_to(ask)


def cancel(ask: PageRequest) -> str:
    """Give up what is going on: the work that the page showed."""
    ws = ask.workspace
    there = [x for x in (ws.job, ws.checking[1] if ws.checking is not None else None) if x is not None and x.running]
    of = ask.number("job")
    for job in [x for x in there if x.number == of] if of else there[:1]:
        job.cancel()
        job.wait(5)
    return back_to(ask)


def look(ask: PageRequest) -> str:
    """Look at the words again, when that was given up."""
    ask.workspace.look_again()
    return back_to(ask)


def load(ask: PageRequest) -> str | Job:
    """Take a plan from a file, with the files that it names: chosen together, or in one archive."""
    given, job = Given(ask.workspace.place()), None
    try:
        plan = Plan.load(_unpacked(ask.files("plan"), given))
        job = ask.workspace.load(ask.base, plan, "Loaded a plan", "/columns", given)
    finally:
        if job is None:  # else it goes when that ends
            given.remove()
    return job or "/columns"


def again(ask: PageRequest) -> str | Job:
    """Go on with the plan of a release."""
    table = ask.workspace.opened
    result = next((x for x in table.results if x.number == ask.number("run")), None)
    if result is None:
        raise OptionError("There is no such release.", hint="it went when another table was opened.")
    then, label = f"/result?run={result.number}", f"Plan of release {result.number}"
    return ask.workspace.load(table.steps.now.number, result.plan, label, then) or then


def _unpacked(files: list[UploadFile], given: Given) -> Path:
    """Put a plan and its files into a folder, under names of ours; return where the plan is."""
    path = given.folder / PLAN
    for file in files:
        name = str(file.filename).lower()
        if name.endswith(".zip"):
            _unzip(file, given)
        elif name.endswith(".toml"):
            saved(file, path)
        else:
            saved(file, given.place(str(file.filename)))
    if not path.exists():
        raise PlanError(["no plan was chosen. Hint: choose plan.toml and the files it names, or the zip of both."])
    return path


def _unzip(file: UploadFile, given: Given) -> None:
    try:
        with zipfile.ZipFile(file.file) as archive:
            if sum(x.file_size for x in archive.infolist()) > UNPACKED:
                raise PlanError(["the archive holds too much to be a plan. Hint: choose the files themselves."])
            for inside in (x for x in archive.infolist() if not x.is_dir()):
                folder, _, name = inside.filename.replace("\\", "/").rpartition("/")
                path = given.place(inside.filename)
                if name.lower().endswith(".toml"):
                    path, given.beside = given.folder / PLAN, folder
                with archive.open(inside) as source, path.open("wb") as target:
                    shutil.copyfileobj(source, target)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError) as error:
        raise PlanError(["the archive cannot be read. Hint: is it a zip?"]) from error
