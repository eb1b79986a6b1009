"""Running a plan in several ways on one table, to compare them. Nothing is written; the table is understood once."""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from allonym.errors import AllonymError, OptionError, PlanError, Problem
from allonym.measures.measurement import BALANCE
from allonym.methods import DEFAULT_METHOD, METHODS, find, method_parameters
from allonym.methods.base import KAnonymityMethod
from allonym.methods.record_level import RecordLevelMethod
from allonym.parameters import unknown
from allonym.pipeline.parallel import each
from allonym.pipeline.prepare import Prepared, opened, prepare
from allonym.pipeline.run import figures_of, problems_of
from allonym.plan import toml
from allonym.plan.model import Plan
from allonym.progress import Progress, no_progress, part_of
from allonym.report.comparison import Comparison
from allonym.tables.base import Table

KS = (2, 3, 5, 10, 15)


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
    workers: int | None = None,
    tick: Progress = no_progress,
) -> Comparison:
    """Run a plan on a frame or a file with each of some methods, and each combination of some parameters.

    A parameter of the grid counts for the methods that have it. What cannot be run is told, with why; if nothing can
    be, that is an error. Of a file, and where it takes long, several runs go on at a time: as many as there are cores,
    or `workers`.
    """
    if not 0 <= balance <= 1:
        raise OptionError(f"The balance is {balance:g}, it must be from 0 to 1.")
    grid = {"k": KS} if grid is None else grid
    settings = list(_settings(methods, grid))
    table = opened(plan, source, lines=True, each=True)
    founds = _understood(plan, table, settings, part_of(tick, 0, 2))
    ready = [x for x in founds if not isinstance(x, PlanError)]
    if not ready:
        raise next(x for x in founds if isinstance(x, PlanError))
    tasks = [asdict(x) for x, found in zip(settings, founds, strict=True) if not isinstance(found, PlanError)]
    begin = _begin(plan, source, balance)
    told = each(tasks, lambda place: _figures(ready[place], balance), begin, workers, part_of(tick, 1, 2))
    problems = {
        place: list(map(str, found.problems)) for place, found in enumerate(founds) if isinstance(found, PlanError)
    }
    places = [place for place in range(len(settings)) if place not in problems]
    problems |= {place: x["problems"] for place, x in zip(places, told, strict=True) if "problems" in x}
    failed = [asdict(settings[place]) | {"problems": problems[place]} for place in sorted(problems)]
    runs = [x for x in told if "problems" not in x]
    if not runs:
        raise PlanError([Problem("setting-failed", text) for x in failed for text in x["problems"]])
    title = plan.about.get("title", "")
    return Comparison(runs, failed, title, balance, plan.method.required_k, tuple(grid))


def _figures(found: Prepared, balance: float) -> dict[str, Any]:
    """Return the figures of a run, or why there are none."""
    try:
        return figures_of(found, balance)
    except AllonymError as error:
        return {"problems": [str(error)]}


def _settings(methods: Sequence[str], grid: Mapping[str, Sequence[Any]]) -> Iterator[_Setting]:
    """Yield every method with every combination of those parameters of the grid that it has."""
    strange = [x for x in methods if find(x) is None]
    if strange or not methods:
        problem = unknown("method", strange[0], list(METHODS)) if strange else None
        raise OptionError(problem.text, hint=problem.hint) if problem else OptionError("There is no method to run.")
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
    """Return a plan with another method; what it says of a method counts for that one alone, but for k and the seed."""
    before = plan.method
    own: dict[str, Any] = {}
    if before.name == setting.method:
        own = {f.name: getattr(before, f.name) for f in fields(before) if f.name != "k"}
    k = setting.parameters.get("k", before.required_k if before.required_k > 1 else None)
    own |= {name: value for name, value in setting.parameters.items() if name != "k"}
    kind = find(setting.method)
    promises_k = kind is not None and issubclass(kind, KAnonymityMethod)
    fresh = (
        kind is not None and issubclass(kind, RecordLevelMethod) and before.name != setting.method
    )  # another method's seed does not count
    seed = None if fresh else plan.seed
    return replace(plan, method=setting.method, k=k if promises_k else None, parameters=own, seed=seed)


def _understood(plan: Plan, table: Table, settings: Sequence[_Setting], tick: Progress) -> list[Prepared | PlanError]:
    """Return the table as each setting understands it, or what keeps it from being run."""
    understanding = _Understanding(plan, table)
    return [understanding.of(setting, part_of(tick, place, len(settings))) for place, setting in enumerate(settings)]


class _Understanding:
    """A table, understood once for all settings that understand it the same way."""

    def __init__(self, plan: Plan, table: Table) -> None:
        self.plan, self.table = plan, table
        self.known: dict[tuple[Any, ...], Prepared] = {}

    def of(self, setting: _Setting, tick: Progress = no_progress) -> Prepared | PlanError:
        """Return the table as a setting understands it, or what keeps it from being run."""
        try:
            variant = _variant(self.plan, setting)
        except PlanError as error:
            return error
        method = variant.method
        key = (
            isinstance(method, RecordLevelMethod),
            method.info.data_independent,
            method.codes,
            method.needs_hierarchy,
            method.key,
        )
        if key not in self.known:
            self.known[key] = prepare(variant, self.table, tick)
        found = replace(self.known[key], plan=variant)
        problems = [*found.problems, *problems_of(found)]
        return PlanError(problems) if problems or found.records is None else found


def _begin(plan: Plan, source: Any, balance: float) -> dict[str, Any] | None:
    """Return what a helper needs to know; None, if it cannot open the same table."""
    if not isinstance(source, (str, Path)) or str(source) == "-":
        return None
    try:
        told = toml.dumped(plan)
    except PlanError:  # a plan with objects that have no name
        return None
    here = {"folder": str(plan.folder.absolute()), "source": str(source), "balance": balance}
    return {"plan": told, "seed": plan.seed, **here}


def serve() -> None:
    """Answer settings, a line each, with their figures: what a helper does."""
    begin = json.loads(sys.stdin.readline())
    plan = replace(toml.loads(begin["plan"], Path(begin["folder"]) / "plan.toml", Plan), seed=begin["seed"])
    understanding = _Understanding(plan, opened(plan, begin["source"], lines=True, each=True))
    print("{}", flush=True)
    for line in sys.stdin:
        found = understanding.of(_Setting(**json.loads(line)))
        if isinstance(found, PlanError):
            raise found
        print(json.dumps(_figures(found, begin["balance"])), flush=True)
