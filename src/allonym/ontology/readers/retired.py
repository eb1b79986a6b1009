"""Concepts that a publisher retired: their words and codes become those of their replacements."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from allonym.ontology.lexicon import Entry, key

_MARK = re.compile(r"(obsolete|deprecated|retired)(\s+|\s*[:._-]\s*)", re.IGNORECASE)
RETIRED_RANK = 1_000  # words of retired concepts come after all others


@dataclass
class Retired:
    """Retired concepts by id, each with its words and the ids that replace it.

    A retired concept is no part of the taxonomy. If exactly one concept replaces it, perhaps through other retired
    ones, its words and codes mean that concept, unless they are words of a concept in use. Otherwise they are unknown:
    which of several replacements is meant cannot be told.

    >>> retired = Retired()
    >>> retired.add("2", ["1"], [Entry("grippe", -1), Entry("flu", -1)])
    >>> [(entry.form, entry.concept) for entry in retired.entries({"1": 0}, [Entry("flu", 0)])]
    [('grippe', 0)]
    """

    replacements: dict[str, Sequence[str]] = field(default_factory=dict)
    words: dict[str, Sequence[Entry]] = field(default_factory=dict)

    def add(self, identifier: str, replacements: Iterable[str], words: Sequence[Entry]) -> None:
        """Add a retired concept; the concept of its words is not used."""
        self.replacements[identifier] = list(dict.fromkeys(x for x in replacements if x != identifier))
        self.words[identifier] = words

    def entries(self, codes: Mapping[str, int], in_use: Iterable[Entry]) -> list[Entry]:
        """Return the words that mean replacements.

        Args:
            codes: the number of every id in use.
            in_use: the words of the concepts in use, which mean nothing else.
        """
        targets = {x: target for x in self.words if (target := self.replacement(x, codes)) is not None}
        if not targets:
            return []
        taken = {key(entry.form) for entry in in_use}
        return [
            word._replace(concept=codes[target], rank=RETIRED_RANK, preferred=False)
            for identifier, target in targets.items()
            for word in self.words[identifier]
            if word.form and key(word.form) not in taken
        ]

    def replacement(self, identifier: str, codes: Container[str]) -> str | None:
        """Follow the replacements of a concept to the one in use; None if there is none, or more than one."""
        found: dict[str, None] = {}
        seen, frontier = {identifier}, list(self.replacements.get(identifier, ()))
        while frontier:
            replacement = frontier.pop()
            if replacement in codes:
                found[replacement] = None
            elif replacement not in seen:
                seen.add(replacement)
                frontier += self.replacements.get(replacement, ())
        return next(iter(found)) if len(found) == 1 else None


def unmarked(label: str) -> str:
    """Return the label of a retired concept without the word that marks it.

    >>> unmarked("obsolete grippe"), unmarked("OBSOLETE: grippe"), unmarked("grippe")
    ('grippe', 'grippe', 'grippe')
    """
    return _MARK.sub("", label, count=1) if _MARK.match(label) else label
