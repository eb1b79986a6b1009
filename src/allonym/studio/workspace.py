"""The state of the studio: the open table, the running job, and the check of the current plan."""

from __future__ import annotations

import itertools
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from allonym.errors import AllonymError, OptionError, Problem
from allonym.pipeline.cached_table import CachedTable, Reading
from allonym.pipeline.check import Check
from allonym.pipeline.inspect import Inspection, inspect
from allonym.plan import Plan
from allonym.studio.history import History, PlanVersion
from allonym.studio.jobs import Job, JobKind, JobState, Tick
from allonym.studio.open_table import OpenTable, proposed_plan, same_plan
from allonym.studio.plan_upload import UploadedFiles, add_loaded_plan, find_plan_files

GRACE_SECONDS = 0.6  # a page waits this long for a job before it shows its progress


class StaleVersionError(AllonymError):
    """A form was sent for a version of the plan that is no longer current."""

    code = "stale-version"

    def __init__(self) -> None:
        super().__init__(
            "Nothing was changed: the plan has changed in another window, or by undo.",
            hint="this page now shows the current plan; make your change again.",
        )


class Workspace:
    """One open table in a private folder, one job at a time, and the check of the plan beside it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lock = threading.RLock()
        self.table: OpenTable | None = None
        self.job: Job | None = None
        self.checking: tuple[int, Job] | None = None  # the version that is checked
        self.failed_reading: Reading | None = None  # the reading options of a file that could not be opened
        self.last_release = 0  # its number; no two releases share one, whatever their tables
        self.file_names: dict[str, str] = {}  # names of opened files, by path
        self._folder_numbers, self._version_numbers = itertools.count(1), itertools.count(1)

    # --- opening ---------------------------------------------------------------------------------------------

    def new_table_folder(self) -> Path:
        """Create a folder for a table."""
        with self.lock:
            folder = self.folder / f"table-{next(self._folder_numbers)}"
            folder.mkdir(mode=0o700)
            return folder

    @contextmanager
    def upload_folder(self) -> Iterator[Path]:
        """Create a folder for uploads that are still to be validated; remove it afterwards."""
        folder = Path(tempfile.mkdtemp(prefix="incoming-", dir=self.folder))
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def open(
        self,
        path: Path,
        name: str,
        folder: Path,
        plan_path: Path | None = None,
        files: Mapping[str, bytes | Path] | None = None,
        reading: Reading | None = None,
        uploads: UploadedFiles | None = None,
    ) -> Job:
        """Open and inspect a table, and load its plan or propose one."""
        self.file_names[str(path)] = name

        def work(tick: Tick) -> None:
            self.failed_reading = reading or Reading()
            try:
                plan = None if plan_path is None else Plan.load(plan_path)
                data = CachedTable(path, reading if plan is None else plan.reading)
                inspection = inspect(data, data.reading, tick, combination_size=0)  # a check searches them
                (folder / "versions").mkdir(mode=0o700)
                table = OpenTable(data, name, inspection, History(folder / "versions", self._version_numbers))
                if plan is None:
                    table.history.add(f"Opened {name}", proposed_plan(inspection), files, data.reading)
                else:
                    add_loaded_plan(table.history, plan, f"Opened {name} with a plan", uploads)
            except BaseException:
                shutil.rmtree(folder, ignore_errors=True)
                raise
            self._replace_table(table)

        try:
            return self.start_job(JobKind.OPEN, f"Opening {name}", work, "/data#top")  # not at the old scroll position
        except OptionError:  # another job came first
            shutil.rmtree(folder, ignore_errors=True)
            raise

    def _replace_table(self, table: OpenTable) -> None:
        with self.lock:
            before, self.table, self.failed_reading = self.table, table, None
            if self.checking is not None:  # of the table before
                self.checking[1].cancel()
                self.checking = None
        if before is not None:
            shutil.rmtree(before.folder.parents[1], ignore_errors=True)

    def reread(self, **options: Any) -> Job:
        """Read the table with other options, and propose a new plan."""
        table = self.require_table()
        reading = replace(table.data.reading, **options)

        def add_version(inspection: Inspection) -> None:
            plan = proposed_plan(inspection)
            plan = None if plan is None else replace(plan, reading=reading)
            table.history.add("Changed reading options", plan, reading=reading)

        return self._reread(table, reading, add_version, "/data")

    def _reread(
        self,
        table: OpenTable,
        reading: Reading,
        change_version: Callable[[Inspection], None],
        next_page: str,
        uploads: UploadedFiles | None = None,
    ) -> Job:
        """Read the table in a job; at its end, change the version and replace the data together."""

        def work(tick: Tick) -> None:
            try:
                data = CachedTable(table.data.path, reading)
                inspection = inspect(data, reading, tick, combination_size=0)
                with self.lock:
                    change_version(inspection)
                    table.data, table.inspection = data, inspection
                    table.checks.clear()
            finally:
                if uploads is not None:
                    uploads.remove()

        return self.start_job(JobKind.READ, f"Reading {table.name}", work, next_page)

    def require_table(self) -> OpenTable:
        """Return the open table; raise an error if there is none."""
        if self.table is None:
            raise OptionError("No table is open.", hint="open a table first.", code="no-table")
        return self.table

    # --- the plan --------------------------------------------------------------------------------------------

    def require_version(self, number: int) -> None:
        """Raise an error if a version is not the current one."""
        if number != self.require_table().history.current.number:
            raise StaleVersionError

    def change_plan(
        self, base: int, label: str, plan: Plan | None, files: Mapping[str, bytes | Path] | None = None
    ) -> PlanVersion:
        """Add a version, based on the version that the person saw; an unchanged plan adds none."""
        with self.lock:
            self.require_version(base)
            history = self.require_table().history
            if not files and same_plan(plan, history.current.plan):
                return history.current
            return history.add(label, plan, files)

    def go_to_version(self, number: int, next_page: str = "/data") -> Job | None:
        """Make a version current; return a job where the table must be read again."""
        with self.lock:
            table = self.require_table()
            version = next((x for x in table.history.versions if x.number == number), table.history.current)
            if version.reading is None or version.reading == table.data.reading:
                table.history.go_to(number)
                return None

        def change_version(_: Inspection) -> None:
            if table.history.go_to(number) is not version:  # discarded meanwhile
                raise StaleVersionError

        return self._reread(table, version.reading, change_version, next_page)

    def load_plan(
        self, base: int, plan: Plan, label: str, next_page: str, uploads: UploadedFiles | None = None
    ) -> Job | None:
        """Add a version with a loaded plan; return a job where the table must be read again."""
        table = self.require_table()

        def add_version(_: Inspection | None) -> None:
            self.require_version(base)
            add_loaded_plan(table.history, plan, label, uploads)

        with self.lock:
            self.require_version(base)
            find_plan_files(plan, uploads)  # or raise
            if plan.reading == table.data.reading:
                add_version(None)
                return None
        return self._reread(table, plan.reading, add_version, next_page, uploads)

    # --- the check of the plan -------------------------------------------------------------------------------

    def check(self, seconds: float = GRACE_SECONDS) -> Check | None:
        """Return the check of the current plan; None while it is running, or where there is no plan."""
        with self.lock:
            table = self.require_table()
            version = table.history.current
            if version.plan is None or version.number in table.checks:
                return table.checks.get(version.number)
            number, job = self.checking or (-1, None)
            if job is None or number != version.number or job.state == JobState.DONE:
                if job is not None:
                    job.cancel()
                job = Job(JobKind.MATCH, "Matching values", self._check_work(table, version.number, version.plan))
                self.checking = (version.number, job)
        job.wait(seconds)
        return table.checks.get(version.number)

    def _check_work(self, table: OpenTable, number: int, plan: Plan) -> Callable[[Tick], None]:
        def work(tick: Tick) -> None:
            check = plan.check(table.data, tick)
            tick(1, 1)  # ends here if another check was started meanwhile
            with self.lock:
                if table.history.current.number == number:
                    table.checks = {number: check}

        return work

    def retry_check(self) -> None:
        """Allow a cancelled check to start again."""
        with self.lock:
            if self.checking is not None and not self.checking[1].running:
                self.checking = None

    @property
    def check_problems(self) -> tuple[Problem, ...]:
        """Why the check of the current plan failed, if it did."""
        if self.checking is None or self.table is None or self.checking[0] != self.table.history.current.number:
            return ()
        return self.checking[1].problems

    # --- jobs ------------------------------------------------------------------------------------------------

    def require_idle(self) -> None:
        """Raise an error while a job is running."""
        with self.lock:
            if self.job is not None and self.job.running:
                raise OptionError(f"{self.job.title} is still running.", hint="wait for it or cancel it.", code="busy")

    def start_job(self, kind: JobKind, title: str, work: Callable[[Tick], None], next_page: str) -> Job:
        """Start a job if none is running, and give it a moment to end."""
        with self.lock:
            self.require_idle()
            job = self.job = Job(kind, title, work, next_page)
        job.wait(GRACE_SECONDS)
        return job

    @property
    def running_jobs(self) -> list[Job]:
        """The job and the check, where they are running."""
        jobs = [self.job, self.checking[1] if self.checking is not None else None]
        return [job for job in jobs if job is not None and job.running]
