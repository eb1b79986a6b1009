"""What the studio holds: the table that is open, the plans so far, what was tried. Nothing here is about pages."""

from __future__ import annotations

import itertools
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from allonym.errors import AllonymError, OptionError, PlanError
from allonym.pipeline import review as editing
from allonym.pipeline.cached_table import CachedTable, Reading
from allonym.pipeline.check import Check
from allonym.pipeline.choices import with_method
from allonym.pipeline.compare import compare
from allonym.pipeline.inspect import Inspection, inspect
from allonym.plan import Plan, toml
from allonym.report.comparison import Comparison
from allonym.studio.history import PLAN, Step, Steps, linked, safe_name
from allonym.studio.jobs import DONE, Job, Tick
from allonym.studio.plan_upload import Given, add_loaded, files_for
from allonym.studio.results import Result, alike, made, varied

SOON = 0.6  # seconds for which a page waits before it shows that work goes on


class Stale(AllonymError):
    """The plan was changed in another window meanwhile."""

    def __init__(self) -> None:
        super().__init__(
            "Nothing was changed: the plan had been changed in another window, or by going back.",
            hint="this page now shows it as it is; choose again.",
        )


@dataclass
class Table:
    """The table that is open: what it is called, how it looks, and the plans made for it."""

    data: CachedTable
    name: str  # as a person calls it; never a path
    looked: Inspection
    steps: Steps
    checks: dict[int, Check] = field(default_factory=dict)  # by step, the last one only
    results: list[Result] = field(default_factory=list)
    tried: list[Mapping[str, Any]] = field(default_factory=list)  # figures of runs that were compared
    tried_for: str = ""  # what their plan said, whatever the method
    failed: list[Mapping[str, Any]] = field(default_factory=list)  # those that could not be made
    looking: tuple[int, CachedTable] | None = None  # the release that was looked at last

    @property
    def stem(self) -> str:
        """The name without its ending."""
        return safe_name(self.name, "table").removesuffix(".gz").rpartition(".")[0] or safe_name(self.name, "table")

    @property
    def plan(self) -> Plan | None:
        """The plan that counts."""
        return self.steps.now.plan


class Workspace:
    """One table at a time, in a private folder; a job at a time, and beside it the checks that pages wait for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lock = threading.RLock()
        self.table: Table | None = None
        self.job: Job | None = None
        self.checking: tuple[int, Job] | None = None
        self.asked: Reading | None = None  # how a file was to be read that could not be opened
        self._opened = 0
        self._steps, self._released = itertools.count(1), 0  # of all tables: an old page never means another one
        self.names: dict[str, str] = {}  # of files that were opened, by their paths

    # --- opening ---------------------------------------------------------------------------------------------

    def place(self) -> Path:
        """Return a folder for a table that is about to be opened."""
        with self.lock:
            self._opened += 1
            folder = self.folder / f"table-{self._opened}"
            folder.mkdir(mode=0o700)
            return folder

    @contextmanager
    def incoming(self) -> Iterator[Path]:
        """Give a folder for files that are looked at before they are taken; it goes, whatever comes of them."""
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
        plan: Path | None = None,
        files: Mapping[str, bytes | Path] | None = None,
        reading: Reading | None = None,
        given: Given | None = None,
    ) -> Job:
        """Open a table, look at it and propose a plan, or take one, with its files that were given or lie beside it."""

        self.names[str(path)] = name

        def work(tick: Tick) -> None:
            self.asked = reading or Reading()
            try:
                begun = None if plan is None else Plan.load(plan)
                data = CachedTable(path, reading if begun is None else begun.reading)
                looked = inspect(data, data.reading, tick)
                (folder / "steps").mkdir(mode=0o700)
                table = Table(data, name, looked, Steps(folder / "steps", self._steps))
                if begun is None:
                    table.steps.add(f"Opened {name}", _proposed(looked), files, data.reading)
                else:
                    add_loaded(table.steps, begun, f"Opened {name} with a plan", given)
            except BaseException:
                shutil.rmtree(folder, ignore_errors=True)
                raise
            with self.lock:
                before, self.table, self.asked = self.table, table, None
                if self.checking is not None:  # of the table before
                    self.checking[1].cancel()
                    self.checking = None
            if before is not None:
                shutil.rmtree(before.steps.now.folder.parents[1], ignore_errors=True)

        try:
            return self.start(f"Opening {name}", work, "/data#top")  # not where somebody was in the table before
        except OptionError:  # another came first
            shutil.rmtree(folder, ignore_errors=True)
            raise

    def read_again(self, **reading: Any) -> Job:
        """Read the table in another way; a plan to begin with is proposed anew."""
        table = self.opened
        wanted = replace(table.data.reading, **reading)

        def taken(looked: Inspection) -> None:
            plan = _proposed(looked)
            plan = None if plan is None else replace(plan, reading=wanted)
            table.steps.add("Read in another way", plan, reading=wanted)

        return self._read(table, wanted, taken, "/data")

    def _read(
        self, table: Table, reading: Reading, taken: Callable[[Inspection], Any], then: str, given: Given | None = None
    ) -> Job:
        """Read the table in another way, beside all that goes on, and take the step to it in the end."""

        def work(tick: Tick) -> None:
            try:
                data = CachedTable(table.data.path, reading)
                looked = inspect(data, reading, tick)
                with self.lock:
                    taken(looked)
                    table.data, table.looked = data, looked
                    table.checks.clear()
            finally:
                if given is not None:
                    given.remove()

        return self.start(f"Reading {table.name}", work, then)

    @property
    def opened(self) -> Table:
        """The table that is open; it is an error to ask for one that is not."""
        if self.table is None:
            raise OptionError("No table is open.", hint="open one first.")
        return self.table

    # --- the plan --------------------------------------------------------------------------------------------

    def change(self, base: int, label: str, plan: Plan | None, files: Mapping[str, bytes | Path] | None = None) -> Step:
        """Take a step from the one that a person saw; from another it is refused."""
        with self.lock:
            steps = self.opened.steps
            if base != steps.now.number:
                raise Stale
            now = steps.now.plan
            if plan is not None and now is not None and not files and same(replace(plan, folder=now.folder), now):
                return steps.now
            return steps.add(label, plan, files)

    def go(self, number: int, then: str = "/data") -> Job | None:
        """Go back, or forth, to a step; where the table was read otherwise, that is work."""
        with self.lock:
            table = self.opened
            step = next((x for x in table.steps.steps if x.number == number), table.steps.now)
            if step.reading is None or step.reading == table.data.reading:
                table.steps.go(number)
                return None

        def taken(_: Inspection) -> None:
            if table.steps.go(number) is not step:  # it went meanwhile
                raise Stale

        return self._read(table, step.reading, taken, then)

    def load(self, base: int, plan: Plan, label: str, then: str, given: Given | None = None) -> Job | None:
        """Take a plan from elsewhere; where it reads the table otherwise, that is work."""
        table = self.opened

        def taken(_: Inspection | None) -> None:
            if base != table.steps.now.number:
                raise Stale
            add_loaded(table.steps, plan, label, given)

        with self.lock:
            if base != table.steps.now.number:
                raise Stale
            files_for(plan, given)  # or refuse
            if plan.reading == table.data.reading:
                taken(None)
                return None
        return self._read(table, plan.reading, taken, then, given)

    def check(self, wait: float = SOON) -> Check | None:
        """Return what the plan meets in the table; None while that is being found out, or where there is no plan."""
        with self.lock:
            table = self.opened
            step = table.steps.now
            if step.plan is None or step.number in table.checks:
                return table.checks.get(step.number)
            if self.checking is None or self.checking[0] != step.number or self.checking[1].state == DONE:
                if self.checking is not None:
                    self.checking[1].cancel()
                self.checking = (step.number, Job("Understanding the words", self._work_of_check(table, step)))
            job = self.checking[1]
        job.wait(wait)
        return table.checks.get(step.number)

    def _work_of_check(self, table: Table, step: Step) -> Callable[[Tick], None]:
        plan = step.plan
        assert plan is not None

        def work(tick: Tick) -> None:
            found = plan.check(table.data, tick)
            tick(1, 1)  # ends here, if another check was started meanwhile
            with self.lock:
                if table.steps.now.number == step.number:
                    table.checks = {step.number: found}

        return work

    def look_again(self) -> None:
        """Check once more what somebody did not want to wait for."""
        with self.lock:
            if self.checking is not None and not self.checking[1].running:
                self.checking = None

    @property
    def unchecked(self) -> list[str]:
        """Why the table could not even be checked, if it could not."""
        if self.checking is None or self.table is None or self.checking[0] != self.table.steps.now.number:
            return []
        return self.checking[1].problems

    # --- work ------------------------------------------------------------------------------------------------

    def idle(self) -> None:
        """Refuse to go on while a job is running."""
        with self.lock:
            if self.job is not None and self.job.running:
                raise OptionError(f"{self.job.what} is still going on.", hint="wait for it, or cancel it.")

    def start(self, what: str, work: Callable[[Tick], None], then: str) -> Job:
        """Start a job, if none is running, and give it a moment to end."""
        with self.lock:
            self.idle()
            self.job = Job(what, work, then)
            job = self.job
        job.wait(SOON)
        return job

    def mask(self) -> Job:
        """Run the plan as it is, and keep what came of it."""
        table = self.opened
        step = table.steps.now
        if step.plan is None:
            raise PlanError(["no column has a role yet. Hint: choose roles first."])
        with self.lock:
            self.idle()
            number = self._released + 1
            folder = Path(tempfile.mkdtemp(prefix=f"result-{number}-", dir=step.folder.parents[1]))  # of no other run
            try:
                for name in (PLAN, *editing.files_of(step.plan)):
                    linked(step.folder / name, folder / name)
            except BaseException:
                shutil.rmtree(folder, ignore_errors=True)
                raise

        def work(tick: Tick) -> None:
            try:
                _unchanged(table)
                result = made(number, folder, table.data, table.stem, tick)
            except BaseException:
                shutil.rmtree(folder, ignore_errors=True)
                raise
            with self.lock:
                self._released = number
                table.results.append(result)

        try:
            return self.start("Masking", work, f"/result?run={number}")
        except OptionError:  # another came first
            shutil.rmtree(folder, ignore_errors=True)
            raise

    def estimate(self, methods: list[str], grid: Mapping[str, list[Any]]) -> Job:
        """Try methods and figures on the table, without writing anything."""
        self.idle()
        table = self.opened
        plan = table.plan
        if plan is None:
            raise PlanError(["no column has a role yet. Hint: choose roles first."])

        source = table.steps.now.folder
        folder = Path(tempfile.mkdtemp(prefix="tried-", dir=source.parents[1]))  # steps may go meanwhile
        for name in editing.files_of(plan):
            linked(source / name, folder / name)

        def work(tick: Tick) -> None:
            try:
                _unchanged(table)
                found = compare(table.data.path, replace(plan, folder=folder), methods, grid, tick=tick)
            finally:
                shutil.rmtree(folder, ignore_errors=True)
            with self.lock:
                table.tried, table.failed, table.tried_for = list(found.runs), list(found.failed), _columns_of(plan)

        return self.start("Estimating the trade-off", work, "/method#trade-off")

    def released(self, result: Result) -> CachedTable:
        """Return a release, opened; the one that was looked at last stays open."""
        with self.lock:
            table = self.opened
            looking = table.looking
        if looking is None or looking[0] != result.number:
            looking = (result.number, CachedTable(result.masked, result.plan.reading))  # others need not wait for it
            table.looking = looking
        return looking[1]

    def comparison(self) -> Comparison | None:
        """Return the releases so far."""
        runs = [x.summary for x in self.opened.results]
        return Comparison(runs, varied=varied(runs)) if runs else None

    def map(self) -> str:
        """Return the risk-utility map of all that was tried so far for the columns as they were released last."""
        table = self.opened
        runs = [x.summary for x in table.results]
        if table.results and table.tried and table.tried_for == _columns_of(table.results[-1].plan):
            runs = [*(x for x in table.tried if not any(alike(x, y) for y in runs)), *runs]
        marks = [""] * (len(runs) - len(table.results)) + [f"release {x.number}" for x in table.results]
        return Comparison(runs, varied=varied(runs)).map(marks) if runs else ""


def _unchanged(table: Table) -> None:
    """Refuse to go on with a file, read in place, that is another now than the one that was looked at."""
    if table.data.changed:
        raise OptionError(f"{table.name} was changed since it was opened.", hint="open it again.")


def _proposed(looked: Inspection) -> Plan | None:
    """Return a plan to begin with; none, where no column looks like one that others may know."""
    try:
        return looked.plan()
    except PlanError:
        return None


def same(one: Plan, other: Plan) -> bool:
    """Tell whether two plans say the same, and the files they name as well."""
    if toml.dumped(one) != toml.dumped(other):
        return False
    files = editing.files_of(one)
    return all((one.folder / x).read_bytes() == (other.folder / x).read_bytes() for x in files)


def _columns_of(plan: Plan) -> str:
    """Return what a plan says whatever its method."""
    return toml.dumped(with_method(replace(plan, privacy=()), "sa-mdav", 5, {}, 0))
