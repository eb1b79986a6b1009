"""What a release promises beside k: demands on sensitive columns, from the plan to the recount of what was written."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from allonym.parameters import is_number
from allonym.plan.column import unknown
from allonym.privacy.models import MODELS, RECURSIVE
from allonym.records import Requirement

if TYPE_CHECKING:
    from allonym.plan.model import Plan

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

    def requirement(self, column: int) -> Requirement:
        """Return it as methods see it."""
        return Requirement(self.model, column, float(self.asked), self._c)

    def to_dict(self) -> dict[str, Any]:
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
