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
import functools
import math
import operator
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from allonym.errors import Problem

REQUIRED: Any = dataclasses.MISSING  # the default of a parameter that must be given
LARGEST = 10**300  # no number is larger
_TYPES = {bool: "boolean", int: "integer", float: "number", str: "string", dict: "object", list: "array"}
_WORDS = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "text",
    dict: "a table",
    list: "a list of tables",
}
_LISTS, _TEXTS = {float: "numbers", int: "whole numbers"}, "a list of texts"
_BOUNDS = {"minimum": "minimum", "maximum": "maximum", "above": "exclusiveMinimum", "below": "exclusiveMaximum"}


@dataclass(frozen=True)
class Parameter:
    """A declared parameter: its type, what it may be, and one line of help."""

    name: str
    type: type
    default: Any
    help: str
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    above: float | None = None
    below: float | None = None
    many: bool = False  # one text, or a list of texts; of numbers, a list of them
    words: tuple[str, ...] = ()  # that may stand in place of a list of numbers
    option: str = ""  # what the command line calls it, for a column: --OPTION COLUMN=VALUE
    whole: bool = False  # a number without decimals, of whichever type
    hint: str = ""  # what to do where a value does not fit

    @property
    def required(self) -> bool:
        """Whether the parameter has no default."""
        return self.default is REQUIRED

    @property
    def values(self) -> str:
        """The values that it may have, for people.

        >>> Parameter("k", int, 5, "", minimum=2).values, Parameter("growth", str, "", "", ("a", "b")).values
        ('a whole number, at least 2', 'a, b')
        """
        if self.choices:
            return ", ".join(self.choices)
        limits = [(self.above, "above"), (self.minimum, "at least"), (self.below, "below"), (self.maximum, "at most")]
        if self.minimum is not None and self.minimum == self.maximum:
            return _number(self.minimum)
        bounds = [f"{words} {_number(limit)}" for limit, words in limits if limit is not None]
        return ", ".join(["a whole number" if self.whole else self._kind, *bounds])

    @property
    def _kind(self) -> str:
        """The type of its values, for people."""
        if self.many:
            return " or ".join([*self.words, f"a list of {_LISTS[self.type]}"] if self.words else ["text", _TEXTS])
        return _WORDS[self.type]

    def problem(self, value: Any) -> Problem | None:
        """Return what is wrong with a value; None, if nothing is."""
        if value is None and self.default is None:
            return None
        if not self.has_type(value):
            return self.type_problem()
        if self.choices and value not in self.choices:
            return unknown(self.name, value, self.choices)
        for limit, fits, words in (
            (self.above, operator.gt, "above"),
            (self.below, operator.lt, "below"),
            (self.minimum, operator.ge, "at least"),
            (self.maximum, operator.le, "at most"),
        ):
            if limit is not None and not (math.isfinite(value) and fits(value, limit)):
                said = f"{self.name} is {_number(value)}; it must be {words} {_number(limit)}."
                return Problem(f"out-of-range-{self.name}", said, self.hint)
        if self.whole and value % 1:
            text = f"{self.name} is {_number(value)}; it must be a whole number."
            return Problem(f"out-of-range-{self.name}", text, self.hint)
        return None

    def type_problem(self) -> Problem:
        """Return the problem of a value of another type."""
        return Problem(f"wrong-type-{self.name}", f"{self.name} must be {self._kind}.", self.hint)

    def has_type(self, value: Any) -> bool:
        """Tell whether a value has the type of the parameter; a whole number is a number too."""
        if self.many and isinstance(value, (list, tuple)):
            return all(is_number(x) if self.type is float else isinstance(x, self.type) for x in value)
        if self.words:
            return value in self.words
        if self.type in (int, float):
            return is_number(value) and (self.type is float or isinstance(value, int))
        return isinstance(value, self.type)

    def parse(self, text: str) -> Any:
        """Return what somebody typed as the type of the parameter; text that does not fit stays text.

        >>> alpha = Parameter("alpha", float, 0.3, "")
        >>> alpha.parse("0,5"), alpha.parse("5%"), alpha.parse("much")
        (0.5, 0.05, 'much')
        >>> Parameter("refine", bool, False, "").parse("yes")
        True
        """
        if self.words:
            return self._parse_list(text)
        if self.type is bool:
            return text in ("yes", "true", "on")
        if self.type is str:
            return text
        if not text.strip() and self.default is None:
            return None
        try:
            return number_of(text) if self.type is float else self.type(text.replace(",", "."))
        except ValueError:
            return text

    def _parse_list(self, text: str) -> Any:
        """Return a word, or numbers between commas, blanks or lines; else, the text."""
        try:
            return text if text in self.words else tuple(map(_whole, re.split(r"[,;\s]+", text.strip())))
        except ValueError:
            return text

    def schema(self) -> dict[str, Any]:
        """Return the parameter as JSON Schema."""
        one: dict[str, Any] = {"type": _TYPES[self.type]}
        if self.many:
            single = {"enum": list(self.words)} if self.words else one
            one = {"oneOf": [single, {"type": "array", "items": one}]}
        described = one | {"description": self.help} | ({"enum": list(self.choices)} if self.choices else {})
        described |= {key: getattr(self, name) for name, key in _BOUNDS.items() if getattr(self, name) is not None}
        described |= {"multipleOf": 1} if self.whole else {}
        described |= {"x-option": self.option} if self.option else {}
        return described | ({} if self.required or self.default in (None, (), "") else {"default": self.default})


def number_of(text: str) -> float:
    """Return the number that somebody typed; 1% is 0.01. Anything else is a ValueError."""
    number, percent, rest = text.strip().replace(",", ".").partition("%")
    if rest:
        raise ValueError(text)
    return float(number) / (100 if percent else 1)


def is_number(value: object) -> bool:
    """Tell whether something is a number that fits a float."""
    return isinstance(value, float) or (isinstance(value, int) and not isinstance(value, bool) and abs(value) < LARGEST)


def _whole(text: str) -> float:
    """Return a number, an integer where it has no decimals."""
    number = float(text)
    return int(number) if number.is_integer() else number


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"


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
    many: bool = False,
    words: Sequence[str] = (),
    option: str = "",
    whole: bool = False,
    hint: str = "",
) -> Any:
    """Declare a field of a dataclass as a parameter; its type is that of the default, unless given."""
    kind = type or (str if default in (REQUIRED, None, ()) else default.__class__)
    bounds = (minimum, maximum, above, below)
    declared = Parameter("", kind, default, help, tuple(choices), *bounds, many, tuple(words), option, whole, hint)
    return dataclasses.field(default=default, metadata={"parameter": declared})


def redeclared(declared: Any, name: str, **changes: Any) -> Any:
    """Declare a parameter of a base class again, with another default or other choices."""
    changed = dataclasses.replace(parameters_of(declared)[name], **changes)
    return dataclasses.field(default=changed.default, metadata={"parameter": changed})


def parameters_of(declared: Any) -> dict[str, Parameter]:
    """Return the parameters of a dataclass, or of an instance of one, by name."""
    return dict(_parameters_of_class(declared if isinstance(declared, type) else type(declared)))


@functools.cache
def _parameters_of_class(declared: Any) -> dict[str, Parameter]:
    return {
        f.name: dataclasses.replace(f.metadata["parameter"], name=f.name)
        for f in dataclasses.fields(declared)
        if "parameter" in f.metadata
    }


def problems_of(instance: Any, skip: Collection[str] = ()) -> Iterator[Problem]:
    """Yield what is wrong with the parameters of an instance, but for some."""
    for name, declared in parameters_of(instance).items():
        problem = None if name in skip else declared.problem(getattr(instance, name))
        if problem is not None:
            yield problem


def unknown(what: str, value: object, known: Sequence[str]) -> Problem:
    """Return the problem of a name that is not known, with the nearest known one as a hint.

    >>> str(unknown("role", "quazi", ["quasi", "keep"]))
    "unknown role 'quazi'. Hint: did you mean 'quasi'? Known: quasi, keep."
    """
    close = difflib.get_close_matches(str(value), known, n=1)
    meant = f"did you mean {close[0]!r}? " if close else ""
    name = what.replace(" ", "-").replace("_", "-")
    return Problem(f"unknown-{name}", f"unknown {what} {value!r}.", hint=f"{meant}Known: {', '.join(known)}.")
