"""Compare methods and parameters: run a plan with each on one table. Nothing is written; the table is prepared once.

Worker processes run settings where that saves time. They get settings and answer with figures, as lines of JSON:
nothing is pickled, and no cell is sent, since each worker opens the same file by the same plan.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from allonym.errors import AllonymError, OptionError, PlanError, Problem
from allonym.measures.clusters import CLUSTERS, check_clusters
from allonym.measures.measurement import BALANCE, BRIEF, OF_THESIS, QUESTIONS
from allonym.methods import DEFAULT_METHOD, METHODS, find, method_parameters
from allonym.methods.base import KAnonymityMethod, UngroupedMethod
from allonym.parameters import unknown
from allonym.pipeline.prepare import Prepared, method_problems, prepare
from allonym.pipeline.run import figures_of
from allonym.pipeline.source import open_source
from allonym.plan import toml
from allonym.plan.model import Plan
from allonym.progress import Progress, no_progress, part_of
from allonym.report.comparison import Comparison
from allonym.tables.base import Table

KS = (2, 3, 5, 10, 15)
WORKER_PROGRAM = "from allonym.pipeline.compare import serve; serve()"
MIN_SECONDS_FOR_WORKERS = 4.0  # of expected work: below, starting processes takes longer than it saves
Task = tuple[int, dict[str, Any]]  # the number of a setting, and the setting


@dataclass(frozen=True)
class _Setting:
    """A method with some parameters."""

    method: str
    parameters: Mapping[str, Any]


def compare(
    source: Any,
    plan: Plan,
    methods: Sequence[str] = (DEFAULT_METHOD,),
    grid: Mapping[str, Sequence[Any]] | None = None,
    *,
    balance: float = BALANCE,
    measures: Sequence[str] = OF_THESIS,
    clusters: int | str = CLUSTERS,
    workers: int | None = None,
    tick: Progress = no_progress,
) -> Comparison:
    """Run a plan on a frame or a file with each of some methods, and each combination of some parameters.

    A parameter of the grid applies to the methods that have it. The comparison lists settings that cannot be run, with
    their problems; if none can be run, that is an error. Where the table is a file and the work takes long, several
    settings run at a time: as many as there are cores, or `workers`.

    Args:
        source: the table, a frame or a file.
        plan: the plan; methods and parameters replace its own.
        methods: the names of methods.
        grid: values of parameters; by default `k` from 2 to 15.
        balance: the weight of loss against risk in the score, from 0 to 1.
        workers: the number of settings that run at a time.
        measures: what is measured besides what every release has, by the names of `allonym evaluate`.
        clusters: how many clusters of records before and after masking are compared, or `auto`.
        tick: called with the work done and its total.

    Returns:
        The figures of every run; `rows()` has one row for each, `best` marks the best trade-offs.

    Raises:
        OptionError: a method or parameter is unknown, or the balance is out of range.
        PlanError: no setting can be run.

    >>> import allonym as al, pandas as pd
    >>> plan = al.Plan({"job": al.quasi("wordnet:person")}, k=2, seed=1)
    >>> jobs = pd.DataFrame({"job": ["plumber", "carpenter", "nurse", "midwife"]})
    >>> [(x["method"], x["k"]) for x in compare(jobs, plan, ["sa-mdav", "mdav"], {"k": [2]}).rows()]
    [('sa-mdav', 2), ('mdav', 2)]
    """
    check_clusters(clusters)
    if not 0 <= balance <= 1:
        raise OptionError(f"The balance is {balance:g}, it must be from 0 to 1.")
    unknown_measures = [x for x in measures if x not in QUESTIONS]
    if unknown_measures:
        raise OptionError.of("measure", unknown_measures[0], list(QUESTIONS))
    more = tuple(x for x in dict.fromkeys(measures) if x not in BRIEF)
    grid = {"k": KS} if grid is None else grid
    settings = list(_settings(methods, grid))
    table = open_source(plan, source, each=True)
    preparation = _Preparation(plan, table)
    prepared = [
        preparation.of(setting, part_of(tick, place, 2 * len(settings))) for place, setting in enumerate(settings)
    ]
    runnable = {place: x for place, x in enumerate(prepared) if isinstance(x, Prepared)}
    refused = {place: x for place, x in enumerate(prepared) if isinstance(x, PlanError)}
    if not runnable:
        raise refused[0]
    places = list(runnable)
    tasks = [asdict(settings[place]) for place in places]
    start = _start_message(plan, source, balance, more, clusters)
    figures = _run_all(
        tasks, lambda i: _figures(runnable[places[i]], balance, more, clusters), start, workers, part_of(tick, 1, 2)
    )
    problems = {place: list(map(str, x.problems)) for place, x in refused.items()}
    problems |= {place: x["problems"] for place, x in zip(places, figures, strict=True) if "problems" in x}
    failed = [asdict(settings[place]) | {"problems": problems[place]} for place in sorted(problems)]
    runs = [x for x in figures if "problems" not in x]
    if not runs:
        raise PlanError([Problem("setting-failed", text) for x in failed for text in x["problems"]])
    title = plan.about.get("title", "")
    return Comparison(runs, failed, title, balance, plan.method.required_k, tuple(grid), more)


def _figures(prepared: Prepared, balance: float, more: Sequence[str], clusters: int | str) -> dict[str, Any]:
    """Return the figures of a setting, or the problems that keep it from being run."""
    try:
        return figures_of(prepared, balance, more, clusters)
    except AllonymError as error:
        return {"problems": [str(error)]}


def _settings(methods: Sequence[str], grid: Mapping[str, Sequence[Any]]) -> Iterator[_Setting]:
    """Yield every method with every combination of those parameters of the grid that it has."""
    unknown_methods = [x for x in methods if find(x) is None]
    if unknown_methods:
        problem = unknown("method", unknown_methods[0], list(METHODS))
        raise OptionError(problem.text, hint=problem.hint)
    if not methods:
        raise OptionError("There is no method to run.")
    has = {x: set(method_parameters(x)) for x in methods}
    for name in (x for x in grid if x != "k" and not any(x in own for own in has.values())):
        raise OptionError(f"None of the methods has a parameter {name}.", hint="see docs/methods.")
    for name in (x for x, values in grid.items() if isinstance(values, str) or not len(values)):
        raise OptionError(f"The grid has no values of {name}.", hint=f"give a list: {{{name!r}: […]}}.")
    for method in dict.fromkeys(methods):
        own = {name: list(dict.fromkeys(values)) for name, values in grid.items() if name in has[method]}
        for values in itertools.product(*own.values()):
            yield _Setting(method, dict(zip(own, values, strict=True)))


def _variant(plan: Plan, setting: _Setting) -> Plan:
    """Return a plan with another method: parameters apply to the plan's own method only, k and the seed to any."""
    before = plan.method
    parameters: dict[str, Any] = {}
    if before.name == setting.method:
        own = {f.name: (getattr(before, f.name), f.default) for f in fields(before) if f.name != "k"}
        parameters = {name: value for name, (value, default) in own.items() if value != default}
    k = setting.parameters.get("k", before.required_k if before.required_k > 1 else None)
    parameters |= {name: value for name, value in setting.parameters.items() if name != "k"}
    kind = find(setting.method)
    promises_k = kind is not None and issubclass(kind, KAnonymityMethod)
    fresh = (
        kind is not None and issubclass(kind, UngroupedMethod) and before.name != setting.method
    )  # another method's seed does not count
    seed = None if fresh else plan.seed
    return replace(plan, method=setting.method, k=k if promises_k else None, parameters=parameters, seed=seed)


class _Preparation:
    """A table that is prepared once for all settings that need it prepared the same way."""

    def __init__(self, plan: Plan, table: Table) -> None:
        self.plan, self.table = plan, table
        self._prepared: dict[tuple[Any, ...], Prepared] = {}

    def of(self, setting: _Setting, tick: Progress = no_progress) -> Prepared | PlanError:
        """Return the table prepared for a setting, or the problems that keep it from being run."""
        try:
            variant = _variant(self.plan, setting)
        except PlanError as error:
            return error
        method = variant.method
        key = (
            isinstance(method, UngroupedMethod),
            method.info.data_independent,
            method.codes,
            method.needs_hierarchy,
            method.key,
        )
        if key not in self._prepared:
            self._prepared[key] = prepare(variant, self.table, tick)
        prepared = replace(self._prepared[key], plan=variant)
        problems = [*prepared.problems, *method_problems(prepared)]
        return PlanError(problems) if problems or prepared.records is None else prepared


# --- worker processes ------------------------------------------------------------------------------------------------


def _run_all(
    tasks: Sequence[dict[str, Any]],
    run: Callable[[int], dict[str, Any]],
    start: dict[str, Any] | None,
    workers: int | None,
    tick: Progress,
) -> list[dict[str, Any]]:
    """Return the figures of each task, run in this process by its number, or by workers that get a `start` message.

    The first task runs in this process, and shows how long the others take. Tasks that workers have not finished in
    the end run in this process too, so that a worker that fails or hangs delays nothing.
    """
    done: dict[int, dict[str, Any]] = {}
    began = time.perf_counter()
    done[0] = run(0)
    tick(1, len(tasks))
    waiting = deque((place, task) for place, task in enumerate(tasks) if place)
    number = min(workers or os.cpu_count() or 1, len(tasks)) - 1
    worthwhile = (time.perf_counter() - began) * len(waiting) > MIN_SECONDS_FOR_WORKERS
    started = [_Worker(start, waiting, done) for _ in range(number)] if start is not None and worthwhile else []
    try:
        while len(done) < len(tasks):
            try:
                place, _ = waiting.popleft()
            except IndexError:  # workers run the last ones; whoever is first has done it
                place = next((x for x in range(len(tasks)) if x not in done), 0)
            if place not in done:
                done[place] = run(place)
            tick(len(done), len(tasks))
    finally:
        for worker in started:
            worker.stop()
    return [done[place] for place in range(len(tasks))]


class _Worker(threading.Thread):
    """A process that takes tasks as long as there are some and it answers."""

    def __init__(self, start: dict[str, Any], waiting: deque[Task], done: dict[int, dict[str, Any]]) -> None:
        super().__init__(daemon=True)
        self.waiting, self.done, self.start_message = waiting, done, start
        package = str(Path(__file__).parents[2])
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-c", WORKER_PROGRAM],  # -P: nothing is imported from the folder of the data
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH")]))},
        )
        self.start()

    def run(self) -> None:
        """Send tasks, one at a time, and take the answers."""
        try:
            self._send(self.start_message)
            while self.waiting:
                place, task = self.waiting.popleft()
                self.done[place] = self._send(task)
        except (OSError, ValueError, IndexError):
            return

    def _send(self, message: dict[str, Any]) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answer

    def stop(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.communicate()
        self.join()


def _start_message(
    plan: Plan, source: Any, balance: float, more: Sequence[str] = (), clusters: int | str = CLUSTERS
) -> dict[str, Any] | None:
    """Return what a worker needs to open the same table; None where it cannot."""
    if not isinstance(source, (str, Path)) or str(source) == "-":
        return None
    try:
        text = toml.dumped(plan)
    except PlanError:  # a plan with objects that have no name
        return None
    where: dict[str, Any] = {
        "folder": str(plan.folder.absolute()),
        "source": str(source),
        "balance": balance,
        "more": list(more),
        "clusters": clusters,
    }
    return {"plan": text, "seed": plan.seed, **where}


def serve() -> None:
    """Answer settings, one a line, with their figures: the program of a worker."""
    start = json.loads(sys.stdin.readline())
    plan = replace(toml.loads(start["plan"], Path(start["folder"]) / "plan.toml", Plan), seed=start["seed"])
    preparation = _Preparation(plan, open_source(plan, start["source"], each=True))
    print("{}", flush=True)
    for line in sys.stdin:
        prepared = preparation.of(_Setting(**json.loads(line)))
        if isinstance(prepared, PlanError):
            raise prepared
        print(json.dumps(_figures(prepared, start["balance"], start["more"], start["clusters"])), flush=True)
