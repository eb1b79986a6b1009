"""Forms: declared parameters as fields, and columns of a plan from what was entered.

Fields derive from declarations: kinds from their registry, options and their choices from the parameters of `Column`.
A new kind or option appears in the forms by itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from allonym.errors import Problem
from allonym.parameters import Parameter, parameters_of
from allonym.pipeline.choices import (
    KINDS,
    LANGUAGES,
    cleaned,
    kind_named,
    named_ontologies,
    named_part,
    takes_option,
)
from allonym.plan.column import Column, described
from allonym.studio.page_request import FormError, PageRequest

YES, NO = "yes", "no"
MASKED_ROLES = ("quasi", "sensitive")  # the roles whose columns have a kind
ROLES = {
    "quasi": "quasi-identifier",
    "sensitive": "sensitive",
    "identifier": "identifier",
    "unit": "unit",
    "household": "household",
    "weight": "survey weight",
    "keep": "keep",
}
ROLE_MEANINGS = {
    "quasi": "Others may know it. It is masked.",
    "sensitive": "Must not be disclosed. It is kept, and can have further guarantees.",
    "identifier": "Identifies a person directly. It is dropped.",
    "unit": "Identifies the person a row is about; k counts persons. It is dropped.",
    "household": "Identifies the household of a row; k counts households too. It is dropped.",
    "weight": "The survey weight of a row. It is kept.",
    "keep": "It is kept unchanged.",
}
AUTOMATIC, WORDNET, SEVERAL, SET_OF_CATEGORIES = "", "wordnet", "several", "set-category"
NAMED, FILE = "ontology:", "file:"  # before the names of other ontologies, and of files


# --- the content of a column: its kind and ontology in one field ------------------------------------------------


def contents(files: Sequence[str], column: Column | None) -> dict[str, str]:
    """Return the contents to choose from, by the value of the form field."""
    choices = {AUTOMATIC: "detect automatically", WORDNET: "words (WordNet)"}
    choices |= {name: kind_named(name).description for name in KINDS if name != "text"}
    choices[SET_OF_CATEGORIES] = "sets of categories"
    choices |= {key: f"words ({name})" for key, name in _word_ontologies(files).items()}
    if column is not None and content_of(column) not in choices:
        choices[content_of(column)] = f"words ({_unlisted(content_of(column))})"
    return choices


def _word_ontologies(files: Sequence[str]) -> dict[str, str]:
    """Return the contents that are words, with titles: installed and added ontologies, and files."""
    installed = {f"{NAMED}{x.name}": x.label for x in named_ontologies() if x.is_installed and x.name != WORDNET}
    return {WORDNET: "WordNet", **installed, **{f"{FILE}{name}": name for name in files}}


def _unlisted(content: str) -> str:
    """Return the title of the ontology of a plan that cannot be chosen otherwise."""
    if content == SEVERAL:
        return "several ontologies"
    return f"{content.removeprefix(NAMED).removeprefix(FILE)}, which is not installed"


def ontologies(files: Sequence[str], column: Column) -> dict[str, str]:
    """Return the contents that are words, with the names of their ontologies."""
    current = content_of(column)
    names = _word_ontologies(files)
    return names if current in names else names | {current: contents(files, column)[current]}


def content_of(column: Column) -> str:
    """Return the content of a column as the form names it."""
    if column.kind == "set":
        return "set" if column.elements == "text" else SET_OF_CATEGORIES
    if column.kind not in (None, "text"):
        return str(column.kind)
    if len(column.ontology) > 1:
        return SEVERAL
    if not column.ontology:
        return WORDNET if column.kind == "text" or column.links or column.root else AUTOMATIC
    path = str(column.ontology[0])
    name = named_part(path)
    return WORDNET if name == WORDNET else f"{NAMED}{name}" if name else f"{FILE}{path.partition('#')[0]}"


def root_of(column: Column) -> str:
    """Return the root of a column's ontology as a person types it."""
    if column.root:
        return column.root
    path = str(column.ontology[0]) if len(column.ontology) == 1 else ""
    return path.partition(":" if named_part(path) else "#")[2]


def column_of(role: str, content: str, root: str, before: Column | None) -> Column:
    """Return a column with a role and a content; it keeps the options of the column before that still apply."""
    if role not in MASKED_ROLES:
        return before if before is not None and before.role == role else Column(role)
    options: dict[str, Any] = {}
    ontology: str | list[Any] | None = None
    if content == SEVERAL and before is not None:
        ontology, options = list(before.ontology), {"root": root or None}
    elif content == WORDNET or content.startswith((NAMED, FILE)):
        name, mark = content.removeprefix(NAMED).removeprefix(FILE), "#" if content.startswith(FILE) else ":"
        ontology = f"{name}{mark}{root}" if root else name
        if before is not None and role == "quasi":
            options = {"hierarchy": before.hierarchy, "candidates": before.candidates}
    elif content == SET_OF_CATEGORIES:
        options = _kept_options("set", before, ("separator", "distance", "phrases")) | {"elements": "category"}
    elif content != AUTOMATIC:
        options = _kept_options(content, before, kind_named(content).options - {"links", "elements"})
    return cleaned(described(role, ontology, **options), before)


def _kept_options(kind: str, before: Column | None, names: Sequence[str] | frozenset[str]) -> dict[str, Any]:
    kept = {name: getattr(before, name) for name in names} if before is not None and before.kind == kind else {}
    return {"kind": kind, **kept}


# --- declared parameters as form fields ---------------------------------------------------------------------------


class Control(StrEnum):
    """How a parameter is entered."""

    CHECKBOX = "checkbox"
    SELECT = "select"
    LINES = "lines"
    NUMBER = "number"
    TEXT = "text"


@dataclass(frozen=True)
class Field:
    """A declared parameter as a form field; `choices` are the labels of a selection, by value."""

    name: str
    parameter: Parameter
    value: Any
    choices: Mapping[str, str]

    @property
    def control(self) -> Control:
        """How the parameter is entered."""
        if self.choices:
            return Control.SELECT
        if self.parameter.type is bool:
            return Control.CHECKBOX
        if self.parameter.many:
            return Control.LINES
        return Control.TEXT if self.parameter.type is str else Control.NUMBER

    @property
    def selected(self) -> str:
        """The chosen value of a selection."""
        return {None: "", True: YES, False: NO}.get(self.value, str(self.value))

    def parse(self, request: PageRequest, problems: dict[str, Problem]) -> Any:
        """Return the entered value as the declared type, and note what is wrong with it."""
        text = request.raw(self.name) if self.parameter.type is str else request.text(self.name)
        if self.control == Control.LINES and not self.parameter.words:
            lines = tuple(line.strip() for line in text.splitlines() if line.strip())
            return lines or (self.value if not isinstance(self.value, tuple) else ())  # a file stays
        if self.control != Control.CHECKBOX and not text and not self.parameter.required:
            return self.parameter.default
        value = self.parameter.parse(text) if text or not self.parameter.words else ()
        problem = self.parameter.problem(value)
        if problem is not None:
            problems[self.name] = problem
        return self.value if value == self.value else value  # 2 stays 2, not 2.0


def field_of(name: str, parameter: Parameter, value: Any, labels: Mapping[str, str] | None = None) -> Field:
    """Return a parameter as a form field; `labels` replace the declared choices."""
    choices = dict(labels if labels is not None else {x: x for x in parameter.choices})
    if parameter.type is bool and parameter.default is None:
        choices = {YES: "yes", NO: "no"}
    if choices and value is not None and not isinstance(value, bool):
        choices.setdefault(str(value), str(value))
    if choices and parameter.default is None and "" not in choices:
        choices = {"": "default"} | choices
    return Field(name, parameter, value, choices)


# --- the options of a column -------------------------------------------------------------------------------------

CONTENT_OPTIONS = ("role", "kind", "ontology", "root", "links", "elements")  # chosen by role, content, root and files
SYNONYMS = ("accept_review",)  # of other options
QUASI_OPTIONS = ("weight", "unmatched", "accept", "rest", "candidates", "hierarchy")  # not of sensitive columns
KEEP_OPTIONS = ("confirmed",)  # of kept columns only
POLICY_LABELS = {
    "unmatched": {
        "error": "must be resolved",
        "opaque": "keep as categories",
        "suppress": "replace with empty cells",
    },
    "accept": {
        "sure": "sure matches",
        "review": "also matches to review",
        "all": "also first suggestions",
    },
    "rest": {
        "error": "must be resolved",
        "category": "keep as categories",
    },
    "combine": {
        "first": "first that knows a value",
        "blend": "blended",
    },
}


def column_fields(column: Column, files: Sequence[str] = ()) -> list[Field]:
    """Return the options of a column as form fields."""
    labels: dict[str, Mapping[str, str]] = {
        **POLICY_LABELS,
        "language": {x: x for x in sorted(LANGUAGES)},
        "hierarchy": {"": "none"} | {x: x for x in files},
        "abbreviations": {"": "none"} | {x: x for x in files},
    }
    options = [x for x in parameters_of(Column).values() if x.name not in (*CONTENT_OPTIONS, *SYNONYMS)]
    values = {x.name: getattr(column, x.name) for x in options} | {"accept": column.accepted}
    return [field_of(x.name, x, values[x.name], labels.get(x.name)) for x in options]


def field_groups(fields: Sequence[Field]) -> dict[str, list[Field]]:
    """Return the options of a column in groups; those of all kinds stand with the role."""
    groups: dict[str, list[Field]] = {
        "Role and content": [],
        "Words": [],
        "Numbers and dates": [],
        "Other kinds": [],
    }
    for field in fields:
        kinds = [kind for kind in KINDS if takes_option(kind, field.name)]
        group = "Role and content" if not kinds else "Words" if "text" in kinds else "Other kinds"
        groups["Numbers and dates" if kinds and all(kind_named(kind).numeric for kind in kinds) else group].append(
            field
        )
    return groups


def with_options(request: PageRequest, column: Column) -> Column:
    """Return a column with the options of the form that apply to it."""
    problems: dict[str, Problem] = {}
    options = {x.name: x.parse(request, problems) for x in column_fields(column) if _applies(x.name, column, request)}
    if problems:
        name = request.raw("column")
        raise FormError({option: replace(problem, column=name) for option, problem in problems.items()})
    return replace(column, **options | ({"accept_review": False} if "accept" in options else {}))


def _applies(option: str, column: Column, request: PageRequest) -> bool:
    """Return whether a column takes an option, and the form has it."""
    if option in KEEP_OPTIONS:
        return column.role == "keep"
    if column.role not in MASKED_ROLES or (column.role != "quasi" and option in QUASI_OPTIONS):
        return False
    if option not in request.form and parameters_of(Column)[option].type is not bool:  # browsers omit empty checkboxes
        return False
    if column.elements != "text" and takes_option("text", option):
        return False
    return takes_option(column.kind, option) or not any(takes_option(kind, option) for kind in KINDS)


def guess_separator(cells: Sequence[str]) -> str:
    """Return the separator that most cells contain; empty if none does.

    >>> guess_separator(["bread,milk", "milk", "tea,milk; half fat"])
    ','
    """
    counts = {separator: sum(separator in cell for cell in cells) for separator in (";", ",", "|", "\t")}
    best = max(counts, key=lambda x: counts[x])
    return best if counts[best] else ""
