"""Propose the kind of a column: the first rule that applies decides, and an ontology comes last."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from allonym.cells import Cells
from allonym.kinds.proposal import answers, codes, scales, words
from allonym.kinds.proposal.evidence import Evidence
from allonym.kinds.proposal.profile import ColumnProfile, Proposal
from allonym.kinds.registry import WORDS, kind_named, multivalued_kind
from allonym.ontology.scope import Scope

RULES: Sequence[Callable[[ColumnProfile], Proposal | None]] = (
    codes.dates, codes.coded_numbers, codes.numbers, answers.two_answers, scales.ordered, answers.numbered_answers,
    answers.short_texts,
    codes.coded_texts, answers.closed_list, scales.partly_ordered,
)  # fmt: skip


def propose(name: str, cells: Cells, scope: Scope) -> Proposal:
    """Return what a column may be in a plan, and why; a person confirms it.

    >>> import numpy as np
    >>> from allonym.ontology.wordnet import wordnet
    >>> sexes = Cells(["male", "female"], np.repeat([0, 1], 9))
    >>> found = propose("sex", sexes, wordnet())
    >>> found.kind, [x.code for x in found.evidence], found.evidence[0].text
    ('category', ['distinct', 'two-answers'], '2 distinct values in 18 cells.')
    """
    column = ColumnProfile(name, cells)
    if not column.counts:
        return words.unknown(column)
    kind = multivalued_kind(cells)
    if kind is not None:
        items = kind().words(cells)
        found = words.words(column, items, scope, kind.name, kind.name)
        several = Evidence("several-items", f"Cells hold several items: {len(items):,} distinct ones.")
        return Proposal(found.kind, (several, *found.evidence[1:]), (), found.ontology, found.coverage)
    for rule in RULES:
        proposal = rule(column)
        if proposal is not None:
            return proposal
    text = kind_named(WORDS)
    return words.words(column, column.counts, scope, text.name, text.without_ontology["kind"])
