"""What a release promises beside k: demands on sensitive columns, from the plan to the recount of what was written."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from allonym.errors import Problem
from allonym.parameters import REQUIRED, is_number, parameter, unknown
from allonym.privacy.models import MODELS, RECURSIVE
from allonym.records import Requirement

if TYPE_CHECKING:
    from allonym.plan.model import Plan

FIGURES = {"l-diversity": "l", "entropy-l-diversity": "l", "recursive-l-diversity": "l", "p-sensitive": "p",
           "t-closeness": "t"}  # fmt: skip

DESCRIPTIONS = {
    "l-diversity": "Every group has at least l distinct values of the column.",
    "entropy-l-diversity": "The entropy of the column in every group is at least log(l).",
    "recursive-l-diversity": "In every group the most frequent value is rarer than c times the l-th and rarer values.",
    "p-sensitive": "Every group of k records has at least p distinct values of the column.",
    "t-closeness": "The distribution of the column in every group is at most t from that in the table.",
}


@dataclass(frozen=True)
class Privacy:
    """A promise about a sensitive column, kept in every group of records that look alike.

    >>> Privacy("l-diversity", "illness", l=3).asked, Privacy("t-closeness", "illness", t=0.2).asked
    (3, 0.2)
    """

    model: str = parameter(REQUIRED, "Privacy model.", choices=tuple(FIGURES))
    column: str = parameter(REQUIRED, "Sensitive column.")
    l: float | None = parameter(None, "Of l-diversity.", type=float)  # noqa: E741
    t: float | None = parameter(None, "Of t-closeness.", type=float)
    p: float | None = parameter(None, "Of p-sensitive k-anonymity.", type=float)
    c: float | None = parameter(None, "Of recursive (c,l)-diversity.", type=float)

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

    def problems(self) -> Iterator[Problem]:
        """Yield what is wrong with it, whatever the table."""
        if not isinstance(self.model, str) or self.model not in FIGURES:
            yield unknown("model", self.model, list(FIGURES))
            return
        figure = FIGURES[self.model]
        for name in (x for x in "ltpc" if getattr(self, x) is not None):
            if name != figure and (name != "c" or self.model != "recursive-l-diversity"):
                yield Problem("figure-of-model", f"{self.model} takes {figure}, not {name}.")
        if self.asked is None:
            yield Problem("no-figure", f"{self.model} needs {figure}.", f"say {figure} = …")
        elif not is_number(self.asked):
            yield Problem("wrong-type-figure", f"{figure} must be a number.")
        elif figure == "t" and not 0 < self.asked < 1:
            yield Problem("out-of-range-t", f"t is {self.asked:g}, it must be above 0 and below 1.")
        elif self.model == "entropy-l-diversity" and not 1 < self.asked < math.inf:
            yield Problem("out-of-range-l", f"l is {self.asked:g}, it must be above 1.")
        elif (
            figure != "t" and self.model != "entropy-l-diversity" and (not 2 <= self.asked < math.inf or self.asked % 1)
        ):
            yield Problem("out-of-range", f"{figure} is {self.asked:g}, it must be a whole number from 2 on.")
        if self.c is not None and (not is_number(self.c) or not 0 < self.c < math.inf):
            yield Problem("out-of-range-c", "c must be a number above 0.")


def problems(plan: Plan) -> Iterator[Problem]:
    """Yield what is wrong with the privacy models of a plan, whatever the table."""
    if isinstance(plan.privacy, (Privacy, str)):
        yield Problem("wrong-type-privacy", "privacy must be a list.", "privacy=[al.Privacy(…)].")
        return
    given = set()
    for each in plan.privacy:
        if not isinstance(each, Privacy):
            text = f"privacy: a privacy model must be al.Privacy(…), not {type(each).__name__}."
            yield Problem("wrong-type-privacy", text)
            continue
        yield from (replace(problem, text=f"privacy: {problem.text}") for problem in each.problems())
        if getattr(plan.columns.get(each.column), "role", None) != "sensitive":
            text = f"privacy: column {each.column} is not sensitive."
            yield Problem("not-sensitive", text, "give it that role, or name one that is.")
        if (str(each.model), each.column) in given:
            text = f"privacy: {each.model} of column {each.column} is given twice."
            yield Problem("given-twice", text, "give it once.")
        given.add((str(each.model), each.column))
