"""Parameters of methods, privacy models and kinds, declared once on the fields of a dataclass.

A field made with `parameter` carries its type, bounds or choices, and one line of help. Validation, the JSON Schema of
plans, command-line options, the studio's forms and the tables of the docs all derive from that declaration.

>>> from dataclasses import dataclass
>>> @dataclass(frozen=True)
... class Noise:
...     alpha: float = parameter(0.3, "Variance of the noise.", above=0)
>>> [str(problem) for problem in problems_of(Noise(alpha=-1.0))]
['alpha is -1; it must be above 0.']
>>> parameters_of(Noise)["alpha"].schema()
{'type': 'number', 'description': 'Variance of the noise.', 'exclusiveMinimum': 0, 'default': 0.3}
"""

from __future__ import annotations

import dataclasses
import difflib
import math
import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from allonym.errors import Problem

LARGEST = 10**300  # no parameter is larger
_TYPES = {bool: "boolean", int: "integer", float: "number", str: "string"}
_WORDS = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}


@dataclass(frozen=True)
class Parameter:
    """A declared parameter: what it may be, and one line of help."""

    name: str
    type: type
    default: Any
    help: str
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    above: float | None = None
    below: float | None = None
    metavar: str = ""

    def problem(self, value: Any) -> Problem | None:
        """Return what is wrong with a value; None, if nothing is."""
        if value is None and self.default is None:
            return None
        if not self._has_type(value):
            return Problem("wrong-type", f"{self.name} must be {_WORDS[self.type]}.")
        if self.choices and value not in self.choices:
            return unknown(self.name, value, self.choices)
        for limit, fits, words in (
            (self.minimum, operator.ge, "at least"),
            (self.maximum, operator.le, "at most"),
            (self.above, operator.gt, "above"),
            (self.below, operator.lt, "below"),
        ):
            if limit is not None and not (math.isfinite(value) and fits(value, limit)):
                return Problem("out-of-range", f"{self.name} is {value:g}; it must be {words} {limit:g}.")
        return None

    def _has_type(self, value: Any) -> bool:
        if self.type in (int, float):
            whole = isinstance(value, int) and not isinstance(value, bool) and abs(value) < LARGEST
            return whole or (self.type is float and isinstance(value, float))
        return isinstance(value, self.type)

    def parse(self, text: str) -> Any:
        """Return what somebody typed as the type of the parameter; text that does not fit stays text.

        >>> alpha = Parameter("alpha", float, 0.3, "")
        >>> alpha.parse("0,5"), alpha.parse("much"), Parameter("refine", bool, False, "").parse("yes")
        (0.5, 'much', True)
        """
        if self.type is bool:
            return text in ("yes", "true", "on")
        if self.type is str:
            return text
        try:
            return self.type(text.replace(",", "."))
        except ValueError:
            return text

    def schema(self) -> dict[str, Any]:
        """Return the parameter as JSON Schema."""
        found: dict[str, Any] = {"type": _TYPES[self.type], "description": self.help}
        if self.choices:
            found["enum"] = list(self.choices)
        names = {"minimum": "minimum", "maximum": "maximum", "above": "exclusiveMinimum", "below": "exclusiveMaximum"}
        found |= {key: getattr(self, name) for name, key in names.items() if getattr(self, name) is not None}
        return found if self.default is None else found | {"default": self.default}


def parameter(
    default: Any,
    help: str,
    *,
    type: type | None = None,
    choices: Sequence[str] = (),
    minimum: float | None = None,
    maximum: float | None = None,
    above: float | None = None,
    below: float | None = None,
    metavar: str = "",
) -> Any:
    """Declare a field of a dataclass as a parameter; its type is that of the default, unless given."""
    kind = type or default.__class__
    declared = Parameter("", kind, default, help, tuple(choices), minimum, maximum, above, below, metavar)
    return dataclasses.field(default=default, metadata={"parameter": declared})


def parameters_of(declared: Any) -> dict[str, Parameter]:
    """Return the parameters of a dataclass, or of an instance of one, by name."""
    return {
        f.name: dataclasses.replace(f.metadata["parameter"], name=f.name)
        for f in dataclasses.fields(declared)
        if "parameter" in f.metadata
    }


def problems_of(instance: Any) -> Iterator[Problem]:
    """Yield what is wrong with the parameters of an instance."""
    for name, declared in parameters_of(instance).items():
        problem = declared.problem(getattr(instance, name))
        if problem is not None:
            yield problem


def unknown(what: str, given: object, known: Sequence[str]) -> Problem:
    """Return the problem of a name that is not known, with the nearest known one as a hint.

    >>> str(unknown("role", "quazi", ["quasi", "keep"]))
    "unknown role 'quazi'. Hint: did you mean 'quasi'? Known: quasi, keep."
    """
    close = difflib.get_close_matches(str(given), known, n=1)
    meant = f"did you mean {close[0]!r}? " if close else ""
    name = what.replace(" ", "-").replace("_", "-")
    return Problem(f"unknown-{name}", f"unknown {what} {given!r}.", hint=f"{meant}Known: {', '.join(known)}.")
