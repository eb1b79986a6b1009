"""The senses of values above leaves: for each leaf, the sense that is a hypernym of that leaf."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from allonym.arrays import Ints
from allonym.ontology import similarity
from allonym.ontology.hierarchy import Hierarchy
from allonym.ontology.hierarchy_senses.candidates import EVERYTHING, Candidates
from allonym.ontology.hierarchy_senses.leaves import NOMINALISED, ONLY, UNDER
from allonym.ontology.hierarchy_senses.wholes import wholes_of
from allonym.ontology.linking.link import REVIEW, SURE, UNMATCHED, Link

# reasons of links: a hypernym of its leaves; what they are parts of; another sense for other leaves; the whole ontology
HYPERNYM, WHOLE, PER_LEAF, ROOT = "hypernym", "whole of leaves", "per leaf", "everything"
NEAREST_SENSE = "nearest sense"  # the nearest to its leaves
UNKNOWN = -1


class AncestorSenses:
    """Chooses the senses of the values above leaves (procedure 2, lines 5 to 9).

    Of several senses above a leaf, the nearest counts. A leaf that has none of them above it has the nearest sense that
    other leaves gave to the value; if there is none, the only sense of the word, the sense of which leaves are parts,
    or the only one under a sense of the values above it. Other values are undecided, with the sense that is nearest to
    their leaves as the proposal.
    """

    def __init__(
        self,
        hierarchy: Hierarchy,
        candidates: Candidates,
        of_leaves: Mapping[str, Link],
        undecided_leaves: Collection[str] = (),
    ) -> None:
        self.hierarchy, self.candidates, self.of_leaves = hierarchy, candidates, of_leaves
        self.taxonomy = candidates.scope.taxonomy
        leaves = [_concept(of_leaves[row[0]]) for row in hierarchy.rows]
        self.paths: Ints = np.full((len(leaves), hierarchy.height + 1), UNKNOWN, np.int64)
        self.paths[:, 0] = leaves
        decided = {x.concept for value, x in of_leaves.items() if value not in undecided_leaves}
        self._links_up = {leaf: self._inherited(leaf) for leaf in decided if leaf is not None}
        self._wholes_of: dict[int, frozenset[int]] = {}
        self.links: dict[str, Link] = {}
        self.undecided: list[str] = []
        for value, places in self._places().items():
            self._choose(value, places)

    def _inherited(self, leaf: int) -> dict[int, int]:
        """Return the inherited hypernyms of a leaf, itself among them, with the fewest links to each."""
        _, concepts, links = self.taxonomy.closure([leaf])
        return dict(zip(concepts.tolist(), links.tolist(), strict=True))

    def _places(self) -> dict[str, list[tuple[int, int]]]:
        """Return the rows and levels of every value above leaves, level by level; repeated leaves keep their sense."""
        places: dict[str, list[tuple[int, int]]] = {}
        for level in range(1, self.hierarchy.height + 1):
            for number, row in enumerate(self.hierarchy.rows):
                if row[level] == row[0]:
                    self.paths[number, level] = self.paths[number, 0]
                else:
                    places.setdefault(row[level], []).append((number, level))
        return places

    def _choose(self, value: str, places: Sequence[tuple[int, int]]) -> None:
        """Choose the concept of a value for each leaf below it."""
        candidates = self.candidates
        if value == EVERYTHING and value not in candidates.first:
            self._write(places, [candidates.scope.root] * len(places))
            self.links[value] = Link(value, len(places), candidates.scope.root, ROOT, SURE)
            return
        first = candidates.first[value]
        if candidates.is_settled(value):
            self._write(places, [_concept(first)] * len(places))
            self._add(value, first)
            return
        senses = candidates.whole(value)
        leaves = [int(self.paths[number, 0]) for number, _ in places]
        matched = [self._hypernym(leaf, senses) for leaf in leaves]
        in_use = list(dict.fromkeys(x for x in matched if x is not None))
        as_leaf = self.of_leaves.get(value)
        if as_leaf is not None and as_leaf.concept is not None and as_leaf.concept not in in_use:
            in_use.append(as_leaf.concept)
        known, reason = self._evident(value, senses, in_use, places)
        if known:
            chosen = [self._nearest([leaf], known) if x is None else x for x, leaf in zip(matched, leaves, strict=True)]
        else:
            chosen = [self._nearest(leaves, senses or candidates.possible(value))] * len(places)
            reason = reason if senses else first.reason
            self.undecided.append(value)
        self._write(places, chosen)
        self._add(value, self._link(first, chosen, reason))

    def _evident(
        self, value: str, senses: Sequence[int], in_use: Sequence[int], places: Sequence[tuple[int, int]]
    ) -> tuple[Sequence[int], str]:
        """Return the senses that a value has for some leaf, or could only have, and the reason; none, if undecided."""
        is_noun = value not in self.candidates.nouns
        if in_use:
            return in_use, HYPERNYM if is_noun else NOMINALISED
        if len(senses) == 1:
            return senses, ONLY if is_noun else NOMINALISED
        wholes = [sense for sense in senses if any(sense in self._wholes(int(self.paths[n, 0])) for n, _ in places)]
        if wholes:
            return wholes[:1], WHOLE
        number, level = places[0]
        under = self.candidates.under(value, self.hierarchy.rows[number][level + 1 :]) if senses else []
        if len(under) == 1:
            return under, UNDER if is_noun else NOMINALISED
        return [], NEAREST_SENSE if is_noun else NOMINALISED

    def _wholes(self, leaf: int) -> frozenset[int]:
        if leaf not in self._wholes_of:
            self._wholes_of[leaf] = wholes_of(self.taxonomy, leaf) if leaf != UNKNOWN else frozenset()
        return self._wholes_of[leaf]

    def _link(self, first: Link, chosen: Sequence[int], reason: str) -> Link:
        """Return the link of a value above leaves, with the reason and the other senses."""
        distinct = list(dict.fromkeys(chosen))
        if len(distinct) > 1:
            return replace(first, concept=None, reason=PER_LEAF, status=REVIEW, alternatives=tuple(distinct))
        concept = distinct[0] if distinct[0] != UNKNOWN else None
        status = UNMATCHED if concept is None else SURE if reason == HYPERNYM else REVIEW
        others = tuple(c for c in self.candidates.possible(first.value) if c != concept)
        return replace(first, concept=concept, reason=reason, status=status, alternatives=others)

    def _hypernym(self, leaf: int, senses: Sequence[int]) -> int | None:
        """Return the nearest of some senses that is above a leaf, the first of equally near ones."""
        inherited = self._links_up.get(leaf, {})
        among = [sense for sense in senses if sense in inherited]
        return min(among, key=lambda sense: inherited[sense]) if among else None

    def _nearest(self, leaves: Sequence[int], senses: Sequence[int]) -> int:
        """Return the sense at the least mean distance from some leaves, the first of equally near ones."""
        known = [leaf for leaf in leaves if leaf != UNKNOWN]
        if not senses or not known:
            return senses[0] if senses else UNKNOWN
        pairs = np.array(known)[:, None], np.array(senses)[None, :]
        distances = similarity.distance("wu-palmer", self.taxonomy, *pairs, depth="virtual-root")
        return senses[int(np.argmin(np.round(distances.mean(axis=0), 12)))]

    def _write(self, places: Sequence[tuple[int, int]], concepts: Sequence[int]) -> None:
        for (number, level), concept in zip(places, concepts, strict=True):
            self.paths[number, level] = concept

    def _add(self, value: str, link: Link) -> None:
        if value not in self.of_leaves:  # else it has the link of the leaf
            self.links[value] = link


def _concept(link: Link) -> int:
    return UNKNOWN if link.concept is None else link.concept
