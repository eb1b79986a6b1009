"""What there is to choose from when a plan is made, in words: methods with their parameters, measures, promises."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from allonym.errors import PlanError, Problem
from allonym.kinds.set_metric import SET_DISTANCES as DISTANCES
from allonym.methods import METHODS, named
from allonym.methods.base import Anonymising
from allonym.methods.fusion import GUIDES, HEURISTICS
from allonym.methods.kernels.adaptive import GROWTH
from allonym.methods.represent import WAYS
from allonym.ontology.linking.languages import LANGUAGES
from allonym.ontology.linking.link import link
from allonym.ontology.scope import Scope
from allonym.ontology.similarity import MEASURES
from allonym.pipeline.review import Sense, sense_of
from allonym.plan.column import ROLES, SENSES, UNMATCHED, Column
from allonym.plan.model import Plan
from allonym.plan.privacy import FIGURES

__all__ = [
    "DISTANCES",
    "FIGURES",
    "LANGUAGES",
    "MEASURES",
    "ROLES",
    "SENSES",
    "UNMATCHED",
    "Choice",
    "Parameter",
    "cleaned",
    "elsewhere",
    "methods",
    "with_method",
]
KNOWN = {"represent": WAYS, "growth": GROWTH, "heuristics": HEURISTICS, "guide": (*GUIDES, *MEASURES)}
MEANING = {
    "represent": "what stands for a group: the concept nearest to all, what all have in common, or a member",
    "refine": "make the groups better by a local search; takes longer",
    "growth": "how groups grow: plain, or weighted as published",
    "heuristics": "which groups are fused first",
    "guide": "what makes groups alike",
    "per_attribute": "k in each column alone is enough",
    "suppression": "the share of records that may become empty, from 0 to below 1",
    "alpha": "how much noise: its variance beside that of the data; 0.1 to 0.5 is usual",
    "allow_same": "small errors may leave a word as it is",
    "epsilon": "the privacy budget of each value: smaller is more private",
    "nulls": "values may become empty",
    "codes": "write concepts by code, not by label",
    "key": "the column whose texts the draws go by; none: the number of the row",
}


@dataclass(frozen=True)
class Parameter:
    """A parameter of a method, besides k."""

    name: str
    default: Any
    known: Sequence[str] = ()  # what it may be, if that is a list

    @property
    def about(self) -> str:
        """What it says, in words."""
        return MEANING.get(self.name, "")

    def value(self, text: str) -> Any:
        """Return what somebody typed as the type that the parameter has.

        >>> Parameter("alpha", 0.3).value("0,5"), Parameter("refine", False).value("yes")
        (0.5, True)
        """
        if isinstance(self.default, bool):
            return text in ("yes", "true", "on")
        if isinstance(self.default, (int, float)):
            try:
                return float(text.replace(",", "."))
            except ValueError:
                raise PlanError([Problem("not-a-number", f"{self.name} must be a number.")]) from None
        return text


@dataclass(frozen=True)
class Choice:
    """A method, for people who choose one."""

    name: str
    about: str
    promises: Sequence[str]
    kinds: Sequence[str]
    groups: bool  # whether it takes a k
    record_level: bool
    data_independent: bool  # whether nothing it does may come again
    parameters: Sequence[Parameter]


def methods() -> list[Choice]:
    """Return the methods there are.

    >>> [x.name for x in methods()][:2], [x.name for x in methods()[0].parameters]
    (['sa-mdav', 'sa-mdav-static'], ['represent', 'refine', 'growth'])
    """
    return [
        Choice(name, kind.about, kind.promises, sorted(kind.kinds), issubclass(kind, Anonymising), kind.record_level,
               kind.data_independent, list(_parameters(kind)))
        for name, kind in METHODS.items()
    ]  # fmt: skip


def _parameters(kind: Any) -> Iterator[Parameter]:
    for field in fields(kind):
        if field.name != "k" and not (field.name == "heuristics" and kind.name == "recoding-ordered"):
            yield Parameter(field.name, field.default, KNOWN.get(field.name, ()))


def with_method(
    plan: Plan, name: str, k: int | None = None, parameters: Mapping[str, Any] | None = None, seed: int | None = None
) -> Plan:
    """Return a plan with another method.

    One that goes row by row without promising that nothing comes again gets a seed that nobody can guess, so that the
    plan gives the same release wherever it is run.
    """
    kind = named(name)
    groups = kind is not None and issubclass(kind, Anonymising)
    if seed is None and kind is not None and kind.record_level and not kind.data_independent:
        seed = secrets.randbits(62)
    usual = {f.name: f.default for f in fields(kind)} if kind is not None else {}
    given = {key: value for key, value in (parameters or {}).items() if value != usual.get(key)}
    return replace(plan, method=name, k=k if groups else None, parameters=given, seed=seed)


def cleaned(column: Column, before: Column | None) -> Column:
    """Return a column as it was chosen anew, keeping of what was said before what still makes sense; links apart.

    >>> import allonym as al
    >>> cleaned(al.quasi("numeric"), al.quasi("wordnet", unmatched="opaque", weight=2)).weight
    2
    >>> cleaned(al.quasi("wordnet:person"), al.quasi("wordnet", unmatched="opaque")).unmatched
    'opaque'
    """
    if before is None or column.role not in ("quasi", "sensitive"):
        return column
    if column.role == "quasi" and before.role == "quasi":
        column = replace(column, weight=before.weight)
    words = (None, "text", "set")
    if column.kind in words and before.kind in words:
        kept = ("similarity", "depth", "senses", "individuals", "unmatched", "accept_review", "language")
        column = replace(column, **{name: getattr(before, name) for name in kept})
    return column


def elsewhere(scope: Scope, text: str, language: str = "en", most: int = 4) -> list[Sense]:
    """Return the senses that a text has outside the root, most usual first.

    >>> from allonym.ontology.wordnet import wordnet
    >>> [x.id for x in elsewhere(wordnet(root="person"), "cooking")]
    ['cooking.n.01']
    """
    whole = Scope(scope.taxonomy, scope.taxonomy.root)
    (found,) = link([text], whole, senses="first", language=language, individuals=True, suggest=False)
    senses = [x for x in (found.concept, *found.alternatives) if x is not None and x not in scope]
    return [sense_of(whole, x) for x in senses[:most]]
