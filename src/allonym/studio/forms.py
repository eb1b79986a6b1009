"""From what a person chose in a form to a column of a plan, and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from allonym.errors import PlanError
from allonym.pipeline.choices import cleaned
from allonym.plan.column import Column, described
from allonym.studio.page_request import PageRequest

ROLES = {
    "quasi": "quasi-identifier",
    "sensitive": "sensitive",
    "identifier": "identifier",
    "unit": "unit",
    "weight": "survey weight",
    "keep": "keep",
}
MEANT = {
    "quasi": "others may know it: masked",
    "sensitive": "nobody should learn it: stays, and can be promised more",
    "identifier": "names a person: dropped",
    "unit": "says who a row is about: k counts these; dropped",
    "weight": "a survey weight: stays",
    "keep": "stays as it is",
}
WHATS = {
    "": "as its cells look",
    "wordnet": "words, through WordNet",
    "numeric": "numbers",
    "category": "categories",
    "ordinal": "ordered categories",
    "set": "sets of words",
    "set-category": "sets of categories",
}


def whats(files: Sequence[str], column: Column | None) -> dict[str, str]:
    """Return what a column may be, by what the form says."""
    found = dict(WHATS)
    found |= {f"file:{name}": f"words, through {name}" for name in files}
    if column is not None and what_of(column) == "several":
        found["several"] = "words, through several ontologies"
    return found


def what_of(column: Column) -> str:
    """Return what a column is, as the form says it."""
    if column.kind == "set":
        return "set" if column.elements == "text" else "set-category"
    if column.kind not in (None, "text"):
        return str(column.kind)
    if len(column.ontology) > 1:
        return "several"
    if not column.ontology:
        return "wordnet" if column.kind == "text" or column.links or column.root else ""
    path = str(column.ontology[0])
    return "wordnet" if path.partition(":")[0] == "wordnet" else f"file:{path.partition('#')[0]}"


def root_of(column: Column) -> str:
    """Return the root of a column's ontology, as a person types it."""
    if column.root:
        return column.root
    path = str(column.ontology[0]) if len(column.ontology) == 1 else ""
    return path.partition(":" if path.partition(":")[0] == "wordnet" else "#")[2]


def chosen(role: str, what: str, root: str, before: Column | None) -> Column:
    """Return a column with a role and what it is; more is kept from before."""
    if role not in ("quasi", "sensitive"):
        return Column(role)
    options: dict[str, Any] = {}
    if what == "several" and before is not None:
        return cleaned(described(role, list(before.ontology), root=root or None), before)
    if what in ("set", "set-category"):
        options = {"kind": "set"}
        if before is not None and before.kind == "set":
            options |= {name: getattr(before, name) for name in ("separator", "distance", "phrases")}
            options |= {"ontology": before.ontology, "root": before.root} if what == "set" else {}
        options |= {"elements": "category"} if what == "set-category" else {}
        return cleaned(described(role, None, **options), before)
    if what == "ordinal":
        levels = before.levels if before is not None and before.kind == "ordinal" else ()
        return cleaned(described(role, "ordinal", levels=levels), before)
    if what == "wordnet":
        named = f"wordnet:{root}" if root else "wordnet"
    elif what.startswith("file:"):
        named = f"{what.removeprefix('file:')}#{root}" if root else what.removeprefix("file:")
    else:
        named = what
    if before is not None and role == "quasi":
        options = {"hierarchy": before.hierarchy, "candidates": before.candidates}
    if named in ("", "numeric", "category"):
        return cleaned(described(role, named or None), before)
    return cleaned(described(role, named, **options), before)


def detailed(ask: PageRequest, column: Column) -> Column:
    """Return a column with the details of the form that are about what it is."""
    changed: dict[str, Any] = {}
    lines = [line.strip() for line in ask.raw("levels").splitlines() if line.strip()]
    if column.kind == "ordinal":
        changed["levels"] = tuple(lines) or (column.levels if not isinstance(column.levels, tuple) else ())
    if column.role == "quasi":
        weight = ask.text("weight", "1").replace(",", ".")
        try:
            changed["weight"] = float(weight) if "." in weight else int(weight)
        except ValueError:
            raise PlanError([f"column {ask.raw('column')}: its weight must be a number."]) from None
    if column.kind in (None, "text", "set") and column.elements == "text":
        changed |= {"similarity": ask.text("similarity") or None, "unmatched": ask.text("unmatched", "error")}
        changed |= {"language": ask.text("language", "en"), "senses": ask.text("senses") or None}
        changed |= {"accept_review": ask.text("accept_review") == "yes"}
    if column.kind == "set":
        changed |= {"separator": ask.raw("separator") or ";", "distance": ask.text("distance", "min-sum")}
    if column.role == "quasi" and column.kind in (None, "text"):
        changed["hierarchy"] = ask.text("hierarchy") or None
        names = [line.strip() for line in ask.raw("candidates").splitlines() if line.strip()]
        changed["candidates"] = tuple(names) or (column.candidates if not isinstance(column.candidates, tuple) else ())
    if column.role == "sensitive":
        changed = {x: y for x, y in changed.items() if x in ("levels", "similarity", "language", "senses")}
    return replace(column, **changed)


def separator_of(cells: Sequence[str]) -> str:
    """Return what parts most of some cells; nothing, where nothing parts any.

    >>> separator_of(["bread,milk", "milk", "tea,milk; half fat"])
    ','
    """
    counts = {x: sum(x in cell for cell in cells) for x in (";", ",", "|", "\t")}
    best = max(counts, key=lambda x: counts[x])
    return best if counts[best] else ""
