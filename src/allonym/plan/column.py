"""What a column is: its role, its kind, and how its words are to be understood."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from allonym.errors import PlanError
from allonym.kinds.registry import KINDS
from allonym.kinds.set_metric import SET_DISTANCES
from allonym.ontology.linking.languages import LANGUAGES
from allonym.ontology.scope import Scope
from allonym.ontology.similarity import DEPTHS, MEASURES
from allonym.ontology.taxonomy import Taxonomy
from allonym.parameters import is_number

ROLES = ("identifier", "quasi", "sensitive", "unit", "weight", "keep")
ELEMENTS = ("text", "category")
UNMATCHED = ("error", "opaque", "suppress")
SENSES = ("coherent", "first")
Ontology = str | Scope | Taxonomy
Links = str | Path | Mapping[str, str]


@dataclass(frozen=True)
class Column:
    """One column of a plan. Without a kind, numbers are numeric and words are understood through WordNet."""

    role: str
    kind: str | None = None
    ontology: tuple[Ontology, ...] = ()  # several are blended
    root: str | None = None
    levels: str | Path | tuple[str, ...] = ()  # of an ordinal column from low to high, or a file with one a line
    similarity: str | None = None  # wu-palmer; of the elements of sets, ancestor-overlap
    depth: str = "nodes"
    senses: str | None = None  # coherent, unless the method may not compare records
    individuals: bool | None = None  # whether named individuals may be meant; else, if at least half of the values are
    links: tuple[Links, ...] = ()  # reviewed links, one file (or mapping) for each ontology
    separator: str = ";"  # between the items of a set that is written as text
    distance: str = "min-sum"  # between sets
    elements: str = "text"  # of sets: words, or categories that are the same or not
    phrases: bool = False  # of sets: whether an item may have several noun phrases, each of which counts
    candidates: str | Path | tuple[str, ...] = ()  # what words may become, for methods that ask for it; or a file
    hierarchy: str | Path | None = None  # a tree of the values, for methods that are guided by one
    unmatched: str = "error"
    accept_review: bool = False
    weight: float = 1.0
    language: str = "en"

    @property
    def measure(self) -> str:
        """The measure of similarity."""
        return self.similarity or ("ancestor-overlap" if self.kind == "set" else "wu-palmer")

    def problems(self) -> Iterator[str]:
        """Say what is wrong with a column, whatever the table."""
        for what, given, known in (
            ("role", self.role, ROLES),
            ("kind", self.kind, (*KINDS, None)),
            ("similarity", self.similarity, (*MEASURES, None)),
            ("distance", self.distance, SET_DISTANCES),
            ("elements", self.elements, ELEMENTS),
            ("depth", self.depth, DEPTHS),
            ("senses", self.senses, (*SENSES, None)),
            ("unmatched", self.unmatched, UNMATCHED),
            ("language", str(self.language).partition("-")[0].lower(), LANGUAGES),
        ):
            if given not in known:
                yield unknown(what, given, [x for x in known if x])
        if not is_number(self.weight):
            yield "its weight must be a number."
        elif not (math.isfinite(self.weight) and self.weight > 0):
            yield f"its weight is {self.weight:g}, it must be above 0. Hint: give the column another role."
        if self.kind == "ordinal" and not self.levels:
            yield "an ordinal column needs its levels. Hint: levels = [low, …, high], or a file with one a line."
        if self.levels and self.kind != "ordinal":
            yield "only an ordinal column has levels."
        yield from self._problems_of_sets()
        if self.kind not in (None, "text", "set") and (self.ontology or self.root or self.links):
            yield f"a column of kind {self.kind} has no ontology, root or links. Hint: leave them out, or the kind."
        if self.individuals is not None and not isinstance(self.individuals, bool):
            yield "individuals must be true or false."
        if self.candidates and (self.role != "quasi" or self.kind not in (None, "text")):
            yield "only a quasi-identifier of words has candidates."
        if self.hierarchy is not None and (self.role != "quasi" or self.kind not in (None, "text")):
            yield "only a quasi-identifier of words has a hierarchy."
        if self.role in ("identifier", "unit", "weight", "keep") and self != Column(self.role):
            yield f"a column with role {self.role} takes no other option."
        if self.links and len(self.links) != max(len(self.ontology), 1):
            yield f"it has {len(self.links)} links files for {max(len(self.ontology), 1)} ontologies; one each."

    @property
    def _of_sets(self) -> tuple[Any, ...]:
        return self.separator, self.distance, self.elements, self.phrases

    def _problems_of_sets(self) -> Iterator[str]:
        if self.kind != "set" and self._of_sets != Column("quasi")._of_sets:
            yield "only a column of sets has a separator, a distance, elements or phrases. Hint: say kind = set."
        if not isinstance(self.phrases, bool):
            yield "phrases must be true or false."
        if not isinstance(self.separator, str) or not self.separator:
            yield "the separator must be a text of a character or more."
        if self.kind == "set" and self.role != "quasi":
            yield "a column of sets can only be a quasi-identifier."
        if self.kind == "set" and self.elements == "category" and (self.ontology or self.root or self.links):
            yield "elements that are categories have no ontology, root or links. Hint: leave them out, or the elements."


def unknown(what: str, given: object, known: Sequence[str]) -> str:
    """Say that something is unknown, with the nearest known one.

    >>> unknown("role", "quazi", ROLES)
    "unknown role 'quazi'. Hint: did you mean 'quasi'? Known: identifier, quasi, sensitive, unit, weight, keep."
    """
    close = difflib.get_close_matches(str(given), known, n=1)
    meant = f"did you mean {close[0]!r}? " if close else ""
    return f"unknown {what} {given!r}. Hint: {meant}Known: {', '.join(known)}."


def identifier() -> Column:
    """Return the role of a column that names a person: it is dropped."""
    return Column("identifier")


def unit() -> Column:
    """Return the role of the column that says who a row is about: k counts these; it is dropped."""
    return Column("unit")


def weight() -> Column:
    """Return the role of a survey weight: it serves utility, never k, and stays."""
    return Column("weight")


def keep() -> Column:
    """Return the role of a column that stays as it is."""
    return Column("keep")


def quasi(what: Any = None, **options: Any) -> Column:
    """Return the role of a column that others may know, to be masked.

    Say what it is: an ontology (or a list of several), `"wordnet:person"`, `"jobs.obo"`, `"numeric"`, `"category"`, or
    `"ordinal"` with `levels=[…]`. Options are those of `Column`.

    >>> quasi("wordnet:person", weight=2).ontology
    ('wordnet:person',)
    """
    return described("quasi", what, **options)


def sensitive(what: Any = None, **options: Any) -> Column:
    """Return the role of a column that nobody should learn about a person; it stays as it is."""
    return described("sensitive", what, **options)


def described(role: str, what: Any = None, **options: Any) -> Column:
    """Return a column from what it is in one word, as on the command line."""
    strange = [unknown("option", name, OPTIONS[1:]) for name in options if name not in OPTIONS]
    if strange:
        raise PlanError(strange)
    given = dict(options)
    if isinstance(what, str) and what.startswith("ordinal:"):
        given |= {"kind": "ordinal", "levels": what.removeprefix("ordinal:")}
    elif isinstance(what, str) and what in KINDS:
        given["kind"] = what
    elif what is not None:
        given["ontology"] = what
    for name in ("ontology", "links"):
        if name in given and not isinstance(given[name], (list, tuple)):
            given[name] = (given[name],)
        given[name] = tuple(given.get(name, ()))
    for name in ("levels", "candidates"):
        if isinstance(given.get(name), list):
            given[name] = tuple(str(x) for x in given[name])
    return Column(role, **given)


OPTIONS = tuple(f.name for f in fields(Column))
