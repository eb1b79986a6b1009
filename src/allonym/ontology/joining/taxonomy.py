"""Several ontologies as one taxonomy: each is a branch below a virtual root."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import take_rows, to_rows
from allonym.ontology.joining.lexicon import joined_lexicon
from allonym.ontology.scope import Scope
from allonym.ontology.strings import StringTuple
from allonym.ontology.taxonomy import ROOT, Source, Taxonomy


@dataclass(frozen=True, eq=False, repr=False)
class JoinedTaxonomy(Taxonomy):
    """The concepts of several ontologies, in their order, and a virtual root above all.

    An id has the name of its ontology before it (`esco:…`, `wordnet:nurse.n.01`); without the name, it is searched in
    one ontology after the other.
    """

    branches: tuple[Scope, ...] = ()
    starts: NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, np.int64))  # first concept of each branch
    own_concepts: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))  # as their ontology has them

    def branch_of(self, concept: int) -> int | None:
        """Return the place of the ontology that has a concept; None for the virtual root."""
        return None if concept == self.root else int(np.searchsorted(self.starts, concept, side="right")) - 1

    def own_concept(self, concept: int) -> int:
        """Return a concept as its ontology has it."""
        return int(self.own_concepts[concept])

    @cached_property
    def _joined(self) -> tuple[NDArray[np.int64], ...]:
        """For each ontology and concept of it, the concept here; -1 for those outside of its branch."""
        each = []
        for place, branch in enumerate(self.branches):
            codes = np.full(len(branch.taxonomy), -1, np.int64)
            low, high = self.starts[place], self.starts[place + 1]
            codes[self.own_concepts[low:high]] = np.arange(low, high)
            each.append(codes)
        return tuple(each)

    @property
    def origins(self) -> tuple[tuple[Taxonomy, NDArray[np.int64]], ...]:
        """The ontologies, and the concept there of every concept here."""
        each = []
        for place, branch in enumerate(self.branches):
            own = np.full(len(self), -1, np.int64)
            low, high = self.starts[place], self.starts[place + 1]
            own[low:high] = self.own_concepts[low:high]
            each.append((branch.taxonomy, own))
        return tuple(each)

    def joined_concept(self, branch: int, concept: int) -> int | None:
        """Return the concept here of one of an ontology; None if it is not in the branch."""
        code = int(self._joined[branch][concept])
        return None if code < 0 else code

    def find(self, identifier: str) -> int | None:
        """Return the concept with this id, with or without the name of its ontology, or None."""
        concept = self.ids.find(identifier)
        if concept is not None:
            return concept
        for place, branch in enumerate(self.branches):
            for text in (identifier, identifier.removeprefix(f"{self._prefix(place)}:")):
                own = branch.taxonomy.find(text)
                if own is not None and (joined := self.joined_concept(place, own)) is not None:
                    return joined
        return None

    def _prefix(self, place: int) -> str:
        return _prefixes(self.branches)[place]

    def definition(self, concept: int) -> str:
        """Return the definition of a concept; empty if its ontology has none."""
        place = self.branch_of(concept)
        return "" if place is None else self.branches[place].taxonomy.definition(self.own_concept(concept))


def joined(branches: Sequence[Scope]) -> Scope:
    """Return several ontologies, or parts of them, as one; a single one as it is.

    Depths are those within the parts. Concepts of different ontologies have only the virtual root in common.

    >>> animals = Taxonomy.build("animals", ["animal", "bird", "parrot"], child=[1, 2], parent=[0, 1])
    >>> tools = Taxonomy.build("tools", ["tool", "saw"], child=[1], parent=[0])
    >>> both = joined([Scope.of(animals, "bird"), Scope.of(tools)])
    >>> both.name, list(both.taxonomy.ids), both.taxonomy.depth.tolist()
    ('animals:bird, then tools', ['animals:bird', 'animals:parrot', 'tools:tool', 'tools:saw', '*'], [1, 2, 1, 2, 0])
    """
    if len(branches) == 1:
        return branches[0]
    members = [x.concepts for x in branches]
    starts = np.cumsum([0, *map(len, members)])
    top = int(starts[-1])
    child, parent, lexicons = [], [], []
    for branch, own, start in zip(branches, members, starts, strict=False):
        code = np.full(len(branch.taxonomy), -1, np.int64)
        code[own] = np.arange(start, start + len(own))
        row_starts, above = take_rows(*branch.taxonomy.parents, own)
        below, above = np.repeat(code[own], np.diff(row_starts)), code[above]
        inside = (above >= 0) & (below != code[branch.root])
        child.append(np.append(below[inside], code[branch.root]))
        parent.append(np.append(above[inside], top))
        lexicons.append(branch.taxonomy.lexicon.restrict(code.astype(np.int32)))
    taxonomies = [x.taxonomy for x in branches]
    prefixes = _prefixes(branches)
    ids = [f"{name}:{x.ids[c]}" for name, x, own in zip(prefixes, taxonomies, members, strict=True) for c in own]
    labels = [x.labels[c] for x, own in zip(taxonomies, members, strict=True) for c in own]
    instances = [x.instances[own] for x, own in zip(taxonomies, members, strict=True)]
    taxonomy = JoinedTaxonomy(
        name=", then ".join(x.name for x in branches),
        ids=StringTuple([*ids, ROOT]),
        labels=(*labels, ROOT),
        parents=to_rows(np.concatenate(child), np.concatenate(parent), top + 1),
        lexicon=joined_lexicon(lexicons),
        instances=np.append(np.concatenate(instances), False),
        source=Source(sha256=_hash(branches)),
        branches=tuple(branches),
        starts=starts,
        own_concepts=np.concatenate(members),
    )
    return Scope(taxonomy, top)


def branches_of(scope: Scope) -> tuple[Scope, ...]:
    """Return the ontologies that were joined to one; else the one alone."""
    return scope.taxonomy.branches if isinstance(scope.taxonomy, JoinedTaxonomy) else (scope,)


def _prefixes(branches: Sequence[Scope]) -> list[str]:
    """Return the name of each ontology; a repeated one has a number."""
    seen: Counter[str] = Counter()
    prefixes = []
    for name in (x.taxonomy.name for x in branches):
        seen[name] += 1
        prefixes.append(name if seen[name] == 1 else f"{name}-{seen[name]}")
    return prefixes


def _hash(branches: Sequence[Scope]) -> str:
    each = [(x.name, x.taxonomy.source.sha256) for x in branches]
    return hashlib.sha256(repr(each).encode()).hexdigest()
