"""The privacy models of a plan: what a release must meet for its sensitive columns, besides k."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from allonym.errors import Problem
from allonym.parameters import REQUIRED, Parameter, parameters_of, unknown
from allonym.privacy.base import PrivacyModel
from allonym.privacy.registry import MODELS, model_parameters
from allonym.records import Requirement

if TYPE_CHECKING:
    from allonym.plan.model import Plan


@dataclass(frozen=True, init=False, repr=False)
class Privacy:
    """A privacy model that every group of indistinguishable records must meet for a sensitive column.

    Its parameters are those of the model: `l`, `t`, `p`, and `c` of recursive l-diversity.

    >>> Privacy("l-diversity", "illness", l=3)
    Privacy('l-diversity', 'illness', l=3)
    >>> Privacy("t-closeness", "illness", t=0.2).asked
    0.2
    """

    model: str
    column: str
    parameters: tuple[tuple[str, Any], ...]

    def __init__(self, model: str, column: str, **parameters: Any) -> None:
        set_values = {name: value for name, value in parameters.items() if value is not None}
        order = [*(name for name in model_parameters() if name in set_values), *set_values]
        object.__setattr__(self, "model", model)
        object.__setattr__(self, "column", column)
        object.__setattr__(self, "parameters", tuple((name, set_values[name]) for name in dict.fromkeys(order)))

    def __repr__(self) -> str:
        parts = [repr(self.model), repr(self.column), *(f"{name}={value!r}" for name, value in self.parameters)]
        return f"Privacy({', '.join(parts)})"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in model_parameters():
            raise AttributeError(f"'Privacy' object has no attribute {name!r}")
        return dict(self.parameters).get(name)

    @property
    def asked(self) -> Any:
        """The figure to reach, as it was given."""
        return dict(self.parameters)[MODELS[self.model].info.figure]

    @property
    def name(self) -> str:
        """The name of the model in reports and summaries."""
        return self.as_model.title

    @cached_property
    def as_model(self) -> PrivacyModel:
        """The model with its parameters."""
        return MODELS[self.model](**{name: float(value) for name, value in self.parameters})

    def requirement(self, column: int) -> Requirement:
        """Return the requirement on one of the sensitive columns of a table."""
        return Requirement(self.as_model, column)

    def to_dict(self) -> dict[str, Any]:
        """Return what was given, as in a plan."""
        return {"model": self.model, "column": self.column, **dict(self.parameters)}

    def problems(self) -> Iterator[Problem]:
        """Yield what is wrong, whatever the table."""
        if not isinstance(self.model, str) or self.model not in MODELS:
            yield unknown("model", self.model, list(MODELS))
            return
        declared, values = parameters_of(MODELS[self.model]), dict(self.parameters)
        for name in (x for x in values if x not in declared):
            text = f"{self.model} takes {' and '.join(declared)}, not {name}."
            yield Problem(f"unknown-{name}", text, "leave it out.")
        for name, parameter in declared.items():
            problem = parameter.problem(values[name]) if name in values else None
            if parameter.required and name not in values:
                yield Problem(f"no-{name}", f"{self.model} needs {name}.", f"give {name} = …")
            elif problem is not None:
                yield problem


def privacy_keys() -> dict[str, Parameter]:
    """Return the keys of a table `privacy` of a plan, with the parameters of all models."""
    model = Parameter("model", str, REQUIRED, "Privacy model.", tuple(MODELS))
    column = Parameter("column", str, REQUIRED, "Sensitive column.")
    keys = {"model": model, "column": column}
    for name, declared in model_parameters().items():
        helps: dict[str, list[str]] = {}
        for model_name in (x for x in MODELS if name in parameters_of(MODELS[x])):
            helps.setdefault(parameters_of(MODELS[model_name])[name].help.rstrip("."), []).append(model_name)
        meaning = "; ".join(f"{', '.join(models)}: {text[0].lower()}{text[1:]}" for text, models in helps.items())
        keys[name] = Parameter(name, declared.type, None, f"For {meaning}.")
    return keys


def problems(plan: Plan) -> Iterator[Problem]:
    """Yield what is wrong with the privacy models of a plan, whatever the table."""
    if isinstance(plan.privacy, (Privacy, str)):
        yield Problem("wrong-type-privacy", "privacy must be a list.", "privacy=[al.Privacy(…)].")
        return
    earlier = set()
    for each in plan.privacy:
        if not isinstance(each, Privacy):
            text = f"privacy: a privacy model must be al.Privacy(…), not {type(each).__name__}."
            yield Problem("wrong-type-privacy", text)
            continue
        yield from (replace(problem, text=f"privacy: {problem.text}") for problem in each.problems())
        if getattr(plan.columns.get(each.column), "role", None) != "sensitive":
            text = f"privacy: column {each.column} is not sensitive."
            yield Problem("not-sensitive", text, "give it that role, or name one that is.")
        if (str(each.model), each.column) in earlier:
            text = f"privacy: {each.model} of column {each.column} is given twice."
            yield Problem("given-twice", text, "give it once.")
        earlier.add((str(each.model), each.column))
