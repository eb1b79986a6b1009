"""What a release promises beside k: demands on sensitive columns, from the plan to the recount of what was written."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from allonym.errors import TableError
from allonym.masking.base import is_number
from allonym.measures.privacy import MODELS, RECURSIVE, Demanded, Held, enough
from allonym.plan.columns import unknown
from allonym.plan.understanding import fact
from allonym.records import Demand, Facts, Ints
from allonym.release import Kept, Rows
from allonym.tables import encode
from allonym.tables.delimited import plain
from allonym.tables.encode import Coded

if TYPE_CHECKING:
    from allonym.plan.plan import Plan
    from allonym.plan.prepare import Prepared

FIGURES = {"l-diversity": "l", "entropy-l-diversity": "l", "recursive-l-diversity": "l", "p-sensitive": "p",
           "t-closeness": "t"}  # fmt: skip


@dataclass(frozen=True)
class Privacy:
    """A promise about a sensitive column, kept in every group of records that look alike.

    >>> Privacy("l-diversity", "illness", l=3).asked, Privacy("t-closeness", "illness", t=0.2).asked
    (3, 0.2)
    """

    model: str
    column: str
    l: float | None = None  # noqa: E741
    t: float | None = None
    p: float | None = None
    c: float | None = None  # of recursive-l-diversity: 3

    @property
    def asked(self) -> Any:
        """The figure that is asked for."""
        return getattr(self, FIGURES[self.model])

    @property
    def name(self) -> str:
        """What the model is called where figures are told."""
        return MODELS[self.model].replace("(c,l)", f"({self._c:g},l)")

    @property
    def _c(self) -> float:
        return RECURSIVE if self.c is None else self.c

    def demand(self, fact: int) -> Demand:
        """Return it as methods see it."""
        return Demand(self.model, fact, float(self.asked), self._c)

    def told(self) -> dict[str, Any]:
        """Return what was given, as it stands in a plan."""
        return {f.name: value for f in fields(self) if (value := getattr(self, f.name)) is not None}

    def problems(self) -> Iterator[str]:
        """Say what is wrong with it, whatever the table."""
        if not isinstance(self.model, str) or self.model not in FIGURES:
            yield unknown("model", self.model, list(FIGURES))
            return
        figure = FIGURES[self.model]
        for name in (x for x in "ltpc" if getattr(self, x) is not None):
            if name != figure and (name != "c" or self.model != "recursive-l-diversity"):
                yield f"{self.model} takes {figure}, not {name}."
        if self.asked is None:
            yield f"{self.model} needs {figure}. Hint: say {figure} = …"
        elif not is_number(self.asked):
            yield f"{figure} must be a number."
        elif figure == "t" and not 0 < self.asked < 1:
            yield f"t is {self.asked:g}, it must be above 0 and below 1."
        elif self.model == "entropy-l-diversity" and not 1 < self.asked < math.inf:
            yield f"l is {self.asked:g}, it must be above 1."
        elif (
            figure != "t" and self.model != "entropy-l-diversity" and (not 2 <= self.asked < math.inf or self.asked % 1)
        ):
            yield f"{figure} is {self.asked:g}, it must be a whole number from 2 on."
        if self.c is not None and (not is_number(self.c) or not 0 < self.c < math.inf):
            yield "c must be a number above 0."


def problems(plan: Plan) -> Iterator[str]:
    """Say what is wrong with the promises of a plan, whatever the table."""
    seen = set()
    if isinstance(plan.privacy, (Privacy, str)):
        yield "privacy must be a list of promises. Hint: privacy=[al.Privacy(…)]."
        return
    for x in plan.privacy:
        if not isinstance(x, Privacy):
            yield f"privacy: a promise must be al.Privacy(…), not {type(x).__name__}."
            continue
        yield from (f"privacy: {problem}" for problem in x.problems())
        column = plan.columns.get(x.column)
        if column is None or getattr(column, "role", None) != "sensitive":
            yield f"privacy: column {x.column} is not sensitive. Hint: give it that role, or name one that is."
        if (str(x.model), x.column) in seen:
            yield f"privacy: {x.model} of column {x.column} is given twice. Hint: give it once."
        seen.add((str(x.model), x.column))


def facts(found: Prepared) -> Facts | None:
    """Return the sensitive columns of a table that something is promised of; None, where nothing is."""
    wanted = asked(found)
    if not wanted:
        return None
    columns = list(dict.fromkeys(x.column for x in wanted))
    known = [fact(found, name) for name in columns]
    for x in (x for x in known if any(isinstance(cell, tuple) for cell in x.cells.values)):
        raise TableError(f"Column {x.attribute.name} holds lists: nothing can be promised of it.", hint="keep it.")
    demands = tuple(x.demand(columns.index(x.column)) for x in wanted)
    return Facts(tuple(x.attribute for x in known), tuple(x.codes for x in known), demands, found.times)


def asked(found: Prepared) -> list[Privacy]:
    """Return the promises about columns that the table has."""
    return [x for x in found.plan.privacy if x.column in found.table.names]


def unmet(found: Prepared) -> Iterator[str]:
    """Say which promises no release can keep, since not even the table as a whole does."""
    if found.records is None or found.records.facts is None or not found.records.n:
        return
    if found.plan.chosen.by_row:
        yield (
            f"method {found.plan.chosen.name} makes no groups, so that it can promise nothing about what they hold. "
            "Hint: leave privacy out, or choose another method."
        )
    demanded = Demanded(found.records.facts, found.records.units)
    for promise, demand in zip(asked(found), demanded.demands, strict=True):
        table = demanded.tables[demand.fact]
        if demanded.lacking(demand, table)[0] > 0:
            yield (
                f"column {promise.column}: {promise.name} of {promise.asked:g} is asked for, but all records together "
                f"reach {demanded.figure(demand, table):.10g} only. Hint: ask for less."
            )


def kept(found: Prepared) -> tuple[Kept, ...]:
    """Return the promises of a plan for the recount of what was written."""
    if found.records is None or found.records.facts is None:
        return ()
    return tuple(_kept(found, place) for place in range(len(asked(found))))


def _kept(found: Prepared, place: int) -> Kept:
    assert found.records is not None
    assert found.records.facts is not None
    promise, demand = asked(found)[place], found.records.facts.demands[place]
    coded = found.coded[promise.column]
    attribute, codes = coded.attribute, _codes(coded, found.plan.missing)
    nothing = attribute.values.index(None) if None in attribute.values else -1

    def reach(groups: Ints, cells: Any, places: Ints, rows: Rows) -> float | None:
        each = np.array([_code(x, codes, found.plan.missing, nothing) for x in cells], np.int64)
        if (each[places] < 0).any():
            return None
        return reached(demand, Facts((attribute,), (each[places],), times=rows.times), groups, rows.persons)

    return Kept(promise.column, promise.name, promise.asked, reach, partial(enough, demand))


def reached(demand: Demand, facts: Facts, groups: Ints, units: Ints | None) -> float:
    """Return what all groups reach of a demand on the only column there is; rows of group -1 are in none."""
    here = groups >= 0
    persons = None if units is None else units[here]
    held = Held.of(groups[here], facts.codes[0][here], facts.each(0)[here], persons)
    return Demanded(facts, units).figure(replace(demand, fact=0), held)


def _codes(coded: Coded, missing: Any) -> dict[str, int]:
    """Return the codes of the cells of a column, by their texts as any reader may give them."""
    found: dict[str, int] = {}
    for cell, code in zip(coded.cells.values, coded.code_of.tolist(), strict=True):
        if not encode.is_missing(cell, missing):
            found |= {text.strip(): code for text in (str(cell), encode.as_text(cell))}
    return found


def _code(cell: Any, codes: Mapping[str, int], missing: Any, nothing: int) -> int:
    """Return the code of a cell as a second reader gives it: perhaps with quotes, or a number written otherwise."""
    if cell is None:
        return nothing
    text = plain(encode.as_text(cell).encode())
    number = encode.to_number(text)
    if text not in codes and number is not None:
        text = encode.as_text(number)
    if text in codes:
        return codes[text]
    return nothing if encode.is_missing(text, missing) or text == "nan" else -1
