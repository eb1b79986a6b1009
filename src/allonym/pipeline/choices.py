"""What there is to choose from when a plan is made, in words: methods with their parameters, measures, promises."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any

from allonym.kinds.linking import ColumnLinks
from allonym.kinds.registry import KINDS, kind_named, takes_option
from allonym.kinds.set_metric import SET_DISTANCES as DISTANCES
from allonym.methods import METHODS, find
from allonym.methods.base import KAnonymityMethod, Method, UngroupedMethod
from allonym.ontology.catalog import WORDNET, added, is_named, name_and_root
from allonym.ontology.catalog.about import OntologyInfo, about, described
from allonym.ontology.catalog.registry import MODULES
from allonym.ontology.joining.taxonomy import branches_of
from allonym.ontology.linking.accept import ACCEPT, REST
from allonym.ontology.linking.languages import LANGUAGES
from allonym.ontology.linking.several import link
from allonym.ontology.scope import Scope
from allonym.ontology.similarity import MEASURES
from allonym.parameters import Parameter, parameters_of
from allonym.pipeline.review import Sense, sense_of
from allonym.plan.column import COMBINE, ROLES, SENSES, UNMATCHED, Column
from allonym.plan.model import Plan
from allonym.privacy.registry import MODELS

__all__ = [
    "ACCEPT",
    "COMBINE",
    "DISTANCES",
    "KINDS",
    "LANGUAGES",
    "MEASURES",
    "MODELS",
    "REST",
    "ROLES",
    "SENSES",
    "UNMATCHED",
    "Choice",
    "Parameter",
    "cleaned",
    "elsewhere",
    "kind_named",
    "methods",
    "named_ontologies",
    "named_part",
    "ontologies_of",
    "takes_option",
    "with_method",
]


@dataclass(frozen=True)
class Choice:
    """A method, for people who choose one."""

    name: str
    about: str
    promises: Sequence[str]
    kinds: Sequence[str]
    k: Parameter | None  # where it groups records
    record_level: bool
    data_independent: bool  # whether its draws cannot be repeated
    parameters: Sequence[Parameter]  # besides k, where there is a choice


def methods() -> list[Choice]:
    """Return the methods to choose from.

    >>> [x.name for x in methods()][:2]
    ['sa-mdav', 'sa-mdav-static']
    >>> [x.name for x in methods()[0].parameters]
    ['represent', 'refine', 'time_limit', 'restarts', 'values', 'suppress', 'suppress_cells', 'growth', 'replace']
    """
    return [_choice(method) for method in METHODS.values()]


def _choice(method: type[Method]) -> Choice:
    info, parameters = method.info, parameters_of(method)
    return Choice(
        info.name,
        info.summary,
        info.guarantees,
        sorted(info.kinds),
        parameters.get("k"),
        issubclass(method, UngroupedMethod),
        info.data_independent,
        [x for x in parameters.values() if x.name != "k" and len(x.choices) != 1],
    )


def with_method(
    plan: Plan, name: str, k: int | None = None, parameters: Mapping[str, Any] | None = None, seed: int | None = None
) -> Plan:
    """Return a plan with another method."""
    kind = find(name)
    groups = kind is not None and issubclass(kind, KAnonymityMethod)
    usual = {f.name: f.default for f in fields(kind)} if kind is not None else {}
    changed = {key: value for key, value in (parameters or {}).items() if value != usual.get(key)}
    return replace(plan, method=name, k=k if groups else None, parameters=changed, seed=seed)


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
    if takes_option(column.kind, "ontology") and takes_option(before.kind, "ontology"):
        kept = (
            "similarity",
            "depth",
            "content",
            "feature_weights",
            "senses",
            "individuals",
            "unmatched",
            "accept_review",
            "accept",
            "rest",
            "combine",
            "language",
            "abbreviations",
        )
        column = replace(column, **{name: getattr(before, name) for name in kept})
    return column


@cache
def _catalog() -> tuple[OntologyInfo, ...]:
    return tuple(about(name) for name in (WORDNET, *MODULES))


def named_ontologies() -> list[OntologyInfo]:
    """Return every named ontology; which ones of the catalog are installed is looked up once."""
    return [*_catalog(), *map(about, added.names())]


def named_part(ontology: str) -> str:
    """Return the name of an ontology without its root, if it is one of the catalog or was added; else nothing.

    >>> named_part("icd10:E11"), named_part("jobs.csv#worker")
    ('icd10', '')
    """
    return name_and_root(ontology)[0] if is_named(ontology) else ""


def ontologies_of(words: Sequence[ColumnLinks]) -> list[dict[str, str]]:
    """Return name, version, licence and publisher of each ontology that the words of a column are linked to."""
    return [described(scope) for x in words for scope in branches_of(x.scope)]


def elsewhere(scope: Scope, text: str, language: str = "en", most: int = 4) -> list[Sense]:
    """Return the senses that a text has outside the root, most usual first.

    >>> from allonym.ontology.wordnet import wordnet
    >>> [x.id for x in elsewhere(wordnet(root="person"), "cooking")]
    ['cooking.n.01', 'cooker.n.01']
    """
    whole = Scope(scope.taxonomy, scope.taxonomy.root)
    (linked,) = link([text], whole, senses="first", language=language, individuals=True, suggest=False)
    senses = [x for x in (linked.concept, *linked.alternatives) if x is not None and x not in scope]
    return [sense_of(whole, x) for x in senses[:most]]
