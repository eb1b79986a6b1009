"""Propose the kind of a column: the first rule that applies decides, and WordNet comes last."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from allonym.cells import MISSING, Cells
from allonym.kinds.proposal import answers, codes, ontologies, scales, words
from allonym.kinds.proposal.available import Ontologies
from allonym.kinds.proposal.evidence import Evidence
from allonym.kinds.proposal.profile import ColumnProfile, Proposal
from allonym.kinds.registry import WORDS, kind_named, multivalued_kind
from allonym.ontology.scope import Scope

RULES: Sequence[Callable[[ColumnProfile], Proposal | None]] = (
    codes.dates, ontologies.codes_in_numbers, codes.coded_numbers, codes.numbers,
    answers.two_answers, ontologies.codes_in_texts, scales.ordered, answers.numbered_answers,
    answers.short_texts, codes.coded_texts,
    ontologies.words_of_ontologies, answers.closed_list, scales.partly_ordered, ontologies.words_of_other_languages,
)  # fmt: skip


def propose(name: str, cells: Cells, scope: Scope | Ontologies, missing: Sequence[str] = MISSING) -> Proposal:
    """Return what a column may be in a plan, and why; a person confirms it.

    Args:
        name: the name of the column.
        cells: its cells.
        scope: WordNet, alone or with the named ontologies that are tried too.
        missing: its missing-value markers.

    >>> import numpy as np
    >>> from allonym.ontology.wordnet import wordnet
    >>> sexes = Cells(["male", "female"], np.repeat([0, 1], 9))
    >>> found = propose("sex", sexes, wordnet())
    >>> found.kind, [x.code for x in found.evidence], found.evidence[0].text
    ('category', ['distinct', 'two-answers'], '2 distinct values in 18 cells.')
    """
    available = scope if isinstance(scope, Ontologies) else Ontologies(scope)
    column = ColumnProfile(name, cells, missing, ontologies=available)
    if not column.counts:
        return words.unknown(column)
    kind = multivalued_kind(cells, missing)
    if kind is not None:
        return _items(replace(column, items=kind().words(cells), cache={}), kind.name)
    for rule in RULES:
        proposal = rule(column)
        if proposal is not None:
            return replace(proposal, evidence=(*proposal.evidence, *ontologies.not_installed(column)))
    text = kind_named(WORDS)
    return words.words(column, text.name, text.without_ontology["kind"])


def _items(column: ColumnProfile, kind: str) -> Proposal:
    """Return the proposal for a column whose cells hold several items."""
    rules = (ontologies.codes_in_texts, ontologies.words_of_ontologies, ontologies.words_of_other_languages)
    proposals = (rule(column) for rule in rules)
    found = next((x for x in proposals if x is not None), None) or words.words(column, kind, kind)
    several = Evidence("several-items", f"Cells hold several items: {len(column.counts):,} distinct ones.")
    return replace(found, kind=kind, evidence=(several, *found.evidence[1:]))
