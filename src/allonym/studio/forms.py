"""Forms of columns: from the fields of a form to a column of a plan, and back.

The kinds and their options come from the registry of kinds; a new kind appears in the forms by itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from allonym.errors import Problem
from allonym.pipeline.choices import (
    DISTANCES,
    KINDS,
    LANGUAGES,
    MEASURES,
    SENSES,
    UNMATCHED,
    cleaned,
    kind_named,
    takes_option,
)
from allonym.plan.column import Column, described
from allonym.studio.page_request import FormError, PageRequest

MASKED_ROLES = ("quasi", "sensitive")  # the roles whose columns have a kind
ROLES = {
    "quasi": "quasi-identifier",
    "sensitive": "sensitive",
    "identifier": "identifier",
    "unit": "unit",
    "weight": "survey weight",
    "keep": "keep",
}
ROLE_MEANINGS = {
    "quasi": "Others may know it. It is masked.",
    "sensitive": "Must not be disclosed. It is kept, and can have further guarantees.",
    "identifier": "Identifies a person directly. It is dropped.",
    "unit": "Identifies the person a row is about; k counts persons. It is dropped.",
    "weight": "The survey weight of a row. It is kept.",
    "keep": "It is kept unchanged.",
}
AUTOMATIC, WORDNET, FILE, SEVERAL, SET_OF_CATEGORIES = "", "wordnet", "file:", "several", "set-category"


# --- the content of a column: its kind and ontology in one field ------------------------------------------------


def contents(files: Sequence[str], column: Column | None) -> dict[str, str]:
    """Return the contents to choose from, by the value of the form field."""
    choices = {AUTOMATIC: "detect automatically", WORDNET: "words, matched with WordNet"}
    choices |= {name: kind_named(name).description for name in KINDS if name != "text"}
    choices[SET_OF_CATEGORIES] = "sets of categories"
    choices |= {f"{FILE}{name}": f"words, matched with {name}" for name in files}
    if column is not None and content_of(column) == SEVERAL:
        choices[SEVERAL] = "words, matched with several ontologies"
    return choices


def ontologies(files: Sequence[str], column: Column) -> dict[str, str]:
    """Return the contents that are words, with the names of their ontologies."""
    current = content_of(column)
    names = {WORDNET: "WordNet", **{f"{FILE}{name}": name for name in files}}
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
    return WORDNET if path.partition(":")[0] == "wordnet" else f"{FILE}{path.partition('#')[0]}"


def root_of(column: Column) -> str:
    """Return the root of a column's ontology as a person types it."""
    if column.root:
        return column.root
    path = str(column.ontology[0]) if len(column.ontology) == 1 else ""
    return path.partition(":" if path.partition(":")[0] == "wordnet" else "#")[2]


def column_of(role: str, content: str, root: str, before: Column | None) -> Column:
    """Return a column with a role and a content; it keeps the options of the column before that still apply."""
    if role not in MASKED_ROLES:
        return Column(role)
    options: dict[str, Any] = {}
    ontology: str | list[Any] | None = None
    if content == SEVERAL and before is not None:
        ontology, options = list(before.ontology), {"root": root or None}
    elif content == WORDNET or content.startswith(FILE):
        name, mark = (WORDNET, ":") if content == WORDNET else (content.removeprefix(FILE), "#")
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


# --- the options of a column -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ColumnOption:
    """An option of a column as a form field; the kinds state which of them they take."""

    name: str
    label: str
    control: str = "choice"  # choice, file, flag, lines, number or text
    choices: Mapping[str, str] = field(default_factory=dict)
    of_words: bool = False  # whether sets of categories do without it
    of_sensitive: bool = False  # whether sensitive columns have it

    def applies_to(self, column: Column) -> bool:
        """Return whether a column takes the option."""
        if column.role != "quasi" and not self.of_sensitive:
            return False
        if self.of_words and column.elements != "text":
            return False
        return self.name == "weight" or takes_option(column.kind, self.name)

    def parse(self, request: PageRequest, column: Column) -> Any:
        """Return the value of the form field."""
        default = next(x.default for x in fields(Column) if x.name == self.name)
        if self.control == "flag":
            return request.flag(self.name)
        if self.control == "lines":
            lines = tuple(line.strip() for line in request.raw(self.name).splitlines() if line.strip())
            before = getattr(column, self.name)
            return lines or (before if not isinstance(before, tuple) else ())  # a file stays
        if self.control == "number":
            return _number(request, self.name, self.label)
        return (request.raw(self.name) if self.control == "text" else request.text(self.name)) or default


def _number(request: PageRequest, name: str, label: str) -> float:
    text = request.text(name, "1").replace(",", ".")
    try:
        return float(text) if "." in text else int(text)
    except ValueError:
        problem = Problem("not-a-number", f"{label} must be a number.", column=request.raw("column"))
        raise FormError({name: problem}) from None


def _choices(names: Sequence[str], labels: Mapping[str, str] | None = None, default: str = "") -> dict[str, str]:
    labels = labels or {}
    return ({"": default} if default else {}) | {name: labels.get(name, name) for name in names}


UNMATCHED_LABELS = {
    "error": "must be resolved before masking",
    "opaque": "keep as categories (opaque)",
    "suppress": "replace with empty cells (suppress)",
}
OPTIONS = {
    "Matching": (
        ColumnOption("unmatched", "Unmatched values", choices=_choices(UNMATCHED, UNMATCHED_LABELS), of_words=True),
        ColumnOption("accept_review", "Accept matches that need review", "flag", of_words=True),
        ColumnOption(
            "similarity",
            "Similarity measure",
            choices=_choices(list(MEASURES), default="default"),
            of_words=True,
            of_sensitive=True,
        ),
        ColumnOption(
            "senses",
            "Choice of senses",
            choices=_choices(SENSES, {"coherent": "fit the other values", "first": "most frequent sense"}, "default"),
            of_words=True,
            of_sensitive=True,
        ),
        ColumnOption("language", "Language", choices=_choices(sorted(LANGUAGES)), of_words=True, of_sensitive=True),
        ColumnOption("hierarchy", "Hierarchy (for fusion and recoding)", "file"),
    ),
    "Levels, sets and candidates": (
        ColumnOption("levels", "Levels, lowest first, one per line", "lines", of_sensitive=True),
        ColumnOption("candidates", "Candidate replacements (for exponential), one per line", "lines"),
        ColumnOption("separator", "Item separator of sets", "text"),
        ColumnOption("distance", "Distance between sets", choices=_choices(list(DISTANCES))),
    ),
}
WEIGHT = ColumnOption("weight", "Weight in distances", "number")


def with_options(request: PageRequest, column: Column) -> Column:
    """Return a column with the options of the form that apply to it."""
    options = [WEIGHT, *(option for group in OPTIONS.values() for option in group)]
    return replace(column, **{x.name: x.parse(request, column) for x in options if x.applies_to(column)})


def guess_separator(cells: Sequence[str]) -> str:
    """Return the separator that most cells contain; empty if none does.

    >>> guess_separator(["bread,milk", "milk", "tea,milk; half fat"])
    ','
    """
    counts = {separator: sum(separator in cell for cell in cells) for separator in (";", ",", "|", "\t")}
    best = max(counts, key=lambda x: counts[x])
    return best if counts[best] else ""
