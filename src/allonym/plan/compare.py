"""Running a plan in several ways on one table, to compare them. Nothing is written; the table is understood once."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields, replace
from typing import Any

from allonym.errors import OptionError, PlanError
from allonym.masking import METHODS, named, parameters_of
from allonym.masking.base import Anonymising, Tick, silent
from allonym.measures.measurement import BALANCE
from allonym.plan.columns import unknown
from allonym.plan.plan import DEFAULT_METHOD, Plan
from allonym.plan.prepare import Prepared, opened, prepare, refused
from allonym.plan.run import figures_of, problems_of
from allonym.plan.understanding import part_of
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
    workers: int = 1,
    tick: Tick = silent,
) -> Comparison:
    """Run a plan on a frame or a file with each of some methods, and each combination of some parameters.

    A parameter of the grid counts for the methods that have it. What cannot be run is told, with why; if nothing can
    be, that is an error. `workers` runs go on at a time.
    """
    grid = {"k": KS} if grid is None else grid
    settings = list(_settings(methods, grid))
    table = opened(plan, source)
    founds = _understood(plan, table, settings, part_of(tick, 0, 2))
    ready = [x for x in founds if not isinstance(x, PlanError)]
    if not ready:
        raise next(x for x in founds if isinstance(x, PlanError))
    runs: list[dict[str, Any]] = []
    with ThreadPoolExecutor(max(workers, 1)) as pool:
        for figures in pool.map(lambda found: figures_of(found, balance), ready):
            runs.append(figures)
            part_of(tick, 1, 2)(len(runs), len(ready))
    failed = [
        {"method": setting.method, "parameters": dict(setting.parameters), "problems": list(found.problems)}
        for setting, found in zip(settings, founds, strict=True)
        if isinstance(found, PlanError)
    ]
    title = plan.about.get("title", "")
    return Comparison(runs, failed, title, balance, plan.chosen.k_asked, tuple(grid))


def _settings(methods: Sequence[str], grid: Mapping[str, Sequence[Any]]) -> Iterator[_Setting]:
    """Yield every method with every combination of those parameters of the grid that it has."""
    strange = [x for x in methods if named(x) is None]
    if strange or not methods:
        raise OptionError(unknown("method", strange[0], list(METHODS)) if strange else "There is no method to run.")
    has = {x: {*parameters_of(x), *(("k",) if issubclass(METHODS[x], Anonymising) else ())} for x in methods}
    for name in (x for x in grid if not any(x in own for own in has.values())):
        raise OptionError(f"None of the methods has a parameter {name}.", hint="see docs/methods.")
    for method in dict.fromkeys(methods):
        own = {name: list(values) for name, values in grid.items() if name in has[method]}
        for values in itertools.product(*own.values()):
            yield _Setting(method, dict(zip(own, values, strict=True)))


def _variant(plan: Plan, setting: _Setting) -> Plan:
    """Return a plan with another method; what it says of a method counts for that one alone, but for k and the seed."""
    before = plan.chosen
    own: dict[str, Any] = {}
    if before.name == setting.method:
        own = {f.name: getattr(before, f.name) for f in fields(before) if f.name != "k"}
    k = setting.parameters.get("k", before.k_asked if before.k_asked > 1 else None)
    own |= {name: value for name, value in setting.parameters.items() if name != "k"}
    kind = named(setting.method)
    promises_k = kind is not None and issubclass(kind, Anonymising)
    return replace(plan, method=setting.method, k=k if promises_k else None, parameters=own)


def _understood(plan: Plan, table: Table, settings: Sequence[_Setting], tick: Tick) -> list[Prepared | PlanError]:
    """Return the table as each setting understands it, or what keeps it from being run."""
    known: dict[tuple[Any, ...], Prepared] = {}
    founds: list[Prepared | PlanError] = []
    for place, setting in enumerate(settings):
        try:
            variant = _variant(plan, setting)
        except PlanError as error:
            founds.append(error)
            continue
        method = variant.chosen
        key = (method.by_row, method.apart, method.by_codes, method.by_hierarchy, method.key_column)
        if key not in known:
            known[key] = prepare(variant, table, part_of(tick, place, len(settings)))
        found = replace(known[key], plan=variant)
        problems = [*found.problems, *problems_of(found)]
        founds.append(refused(problems, found) if problems or found.records is None else found)
    return founds
