"""The kinds of columns there are, from general to specific: the last one that recognises a column is taken."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from allonym.cells import MISSING, Cells
from allonym.kinds.base import Kind

_KINDS = {
    "text": "allonym.kinds.text:Text",
    "category": "allonym.kinds.category:Category",
    "date": "allonym.kinds.dates.kind:Dates",
    "ordinal": "allonym.kinds.ordinal:Ordinal",
    "numeric": "allonym.kinds.numeric:Numeric",
    "code": "allonym.kinds.codes.kind:Codes",
    "set": "allonym.kinds.sets:Sets",
}
KINDS = tuple(_KINDS)
WORDS = "text"  # the kind of columns with an ontology and no stated kind
EMPTY = "category"  # the kind of a column without values, or with names
CODES = "code"  # the kind that is proposed for hierarchical codes, such as postcodes
DATES = "date"  # the kind that is proposed for dates


def kind_named(name: str) -> type[Kind]:
    """Return the kind of a name.

    >>> kind_named("ordinal").options
    frozenset({'levels'})
    """
    module, _, attribute = _KINDS[name].partition(":")
    kind: type[Kind] = getattr(import_module(module), attribute)
    return kind


def automatic_kind(cells: Cells, missing: Sequence[str] = MISSING) -> str:
    """Return the kind of a column for which a plan states none."""
    return next(x for x in reversed(KINDS) if kind_named(x).automatic and kind_named(x).recognises(cells, missing))


def multivalued_kind(cells: Cells, missing: Sequence[str] = MISSING) -> type[Kind] | None:
    """Return the kind of a column whose cells look as if they hold several items; None, if they hold one."""
    kinds = (kind_named(x) for x in reversed(KINDS))
    return next((x for x in kinds if x.multivalued and x.recognises(cells, missing)), None)


def takes_option(kind: str | None, option: str) -> bool:
    """Tell whether an option of a column applies to a kind; without a stated kind, the options of words do.

    >>> takes_option("numeric", "ontology"), takes_option(None, "ontology")
    (False, True)
    """
    return kind in (None, *KINDS) and option in kind_named(kind or WORDS).options


def is_multivalued(kind: str | None) -> bool:
    """Tell whether the cells of a kind may hold several items."""
    return kind in KINDS and kind_named(kind).multivalued
