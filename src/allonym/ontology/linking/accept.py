"""Which proposed links count without a person's review, and what becomes of the values whose links do not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from allonym.errors import plural
from allonym.ontology.linking.languages import language as language_of
from allonym.ontology.linking.link import NARROWER, REVIEW, SURE, UNMATCHED, Link
from allonym.ontology.linking.readings.negation import is_negation, words_of
from allonym.ontology.scope import Scope

ACCEPT = ("sure", "review", "all")
REST = ("error", "category")
SUGGESTED = "suggested"  # the reason of a link to the first suggestion for an unmatched value
CONFIDENCE_OF_SUGGESTION = 0.2


def is_accepted(link: Link, accept: str) -> bool:
    """Tell whether a link counts without further review.

    `sure`: links that are sure or that a person settled; `review`: also proposed links; `all`: also suggestions.
    """
    if link.status != REVIEW:
        return link.status == SURE
    return accept == "all" or (accept == "review" and link.reason != SUGGESTED)


def with_suggestion(link: Link, scope: Scope, language: str = "en") -> Link:
    """Return an unmatched link as a link to its first suggestion, to review; as it is, if a person settled it.

    A value is a kind of what is suggested for it, at best: such a link is `narrower`. A value with a negation stays
    unmatched, since a suggestion may be its opposite.

    >>> from allonym.ontology.wordnet import wordnet
    >>> people = wordnet(root="person")
    >>> link = Link("nurrse", 3, None, "unknown", "unmatched", suggestions=("nurse",))
    >>> suggested = with_suggestion(link, people)
    >>> people.taxonomy.ids[suggested.concept], suggested.status, suggested.relation
    ('nurse.n.01', 'review', 'narrower')
    """
    language = scope.taxonomy.lexicon.language(language)
    negations = (is_negation(word, language_of(language)) for word in words_of(link.value))
    if link.status != UNMATCHED or link.reason == "settled" or any(negations):
        return link
    for word in link.suggestions:
        senses = [c for c in scope.taxonomy.senses(word, language) if c in scope]
        if senses:
            return replace(
                link,
                concept=senses[0],
                alternatives=tuple(senses[1:]),
                reason=SUGGESTED,
                status=REVIEW,
                relation=NARROWER,
                confidence=CONFIDENCE_OF_SUGGESTION,
            )
    return link


def as_category(link: Link) -> Link:
    """Return a link without its concept: the value is a category, equal to itself only."""
    return replace(link, concept=None, status=UNMATCHED, alternatives=())


@dataclass(frozen=True)
class Unreviewed:
    """The values of a column that nobody reviewed, by what became of them, each with its cells."""

    review: Mapping[str, int] = field(default_factory=dict)  # linked as proposed
    suggested: Mapping[str, int] = field(default_factory=dict)  # linked to a suggestion
    categories: Mapping[str, int] = field(default_factory=dict)  # not linked

    @classmethod
    def of(cls, linked: Iterable[Link], categories: Iterable[Link]) -> Unreviewed:
        """Count links that were accepted without review, and values that became categories."""
        open_links = [x for x in linked if x.status == REVIEW]
        return cls(
            {x.value: x.count for x in open_links if x.reason != SUGGESTED},
            {x.value: x.count for x in open_links if x.reason == SUGGESTED},
            {x.value: x.count for x in categories},
        )

    def to_dict(self) -> dict[str, dict[str, int]]:
        """Return the numbers of values and cells, without values of the data."""
        return {
            name: {"values": len(counts), "cells": sum(counts.values())}
            for name, counts in vars(self).items()
            if counts
        }


ACCEPTED_AS = {
    "review": "linked without review",
    "suggested": "linked to a suggestion",
    "categories": "kept as categories",
}


def unreviewed_in_words(numbers: Mapping[str, Mapping[str, int]]) -> str:
    """Say what became of values that nobody reviewed, from `Unreviewed.to_dict`.

    >>> unreviewed_in_words({"review": {"values": 12, "cells": 30}, "categories": {"values": 1, "cells": 1}})
    '12 values (30 cells) linked without review, 1 value (1 cell) kept as categories'
    """
    parts = [
        f"{plural(x['values'], 'value')} ({plural(x['cells'], 'cell')}) {ACCEPTED_AS[name]}"
        for name, x in numbers.items()
    ]
    return ", ".join(parts)
