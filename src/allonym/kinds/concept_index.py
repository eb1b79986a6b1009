"""The concepts of an attribute and all their ancestors: distances, candidates, subsumers and what lies under them."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from allonym.arrays import Floats, Ints, frozen
from allonym.kinds.metric import FAMILIES
from allonym.ontology import similarity
from allonym.ontology.ancestry import Ancestry
from allonym.ontology.scope import Scope
from allonym.records import Value

TABLE = 50_000_000  # up to so many distances are kept
BLOCK = 1_000_000  # pairs at a time
KNOWN = 20_000  # sets of candidates that are kept


class ConceptIndex:
    """Some concepts and all their ancestors: what an attribute's distances and centroids are made of.

    Distances of all of these to the concepts themselves are kept in a table, where it is not too large.
    """

    def __init__(self, scope: Scope, measure: str, depth: str, concepts: Ints) -> None:
        self.scope, self.measure, self.depth = scope, measure, depth
        taxonomy = scope.taxonomy
        self.base = np.unique(concepts[concepts >= 0])
        self.used = taxonomy.above(self.base)
        self.place = np.full(len(taxonomy), -1, np.int64)
        self.place[self.used] = np.arange(len(self.used))
        self.column = np.full(len(taxonomy), -1, np.int64)
        self.column[self.base] = np.arange(len(self.base))

    def has(self, value: Value) -> bool:
        """Tell whether a value is among the concepts, or alone."""
        return not isinstance(value, (int, np.integer)) or bool(self.place[value] >= 0)

    @cached_property
    def ancestry(self) -> Ancestry:
        """The ancestor sets, laid out for comparison."""
        return self.scope.taxonomy.ancestry(self.base)

    @cached_property
    def _content(self) -> str | Floats:
        if similarity.MEASURES[self.measure].by_content:
            from allonym.ontology.content import content

            return content(self.scope.taxonomy, similarity.DEFAULT_CONTENT)
        return similarity.DEFAULT_CONTENT

    def apart(self, a: Ints, b: Ints) -> Floats:
        """Return the distances of concepts, computed anew."""
        return similarity.distance(self.measure, self.ancestry, a, b, depth=self.depth, content=self._content)

    @cached_property
    def table(self) -> Floats | None:
        """The distances of all concepts to the first ones."""
        if len(self.used) * len(self.base) > TABLE:
            return None
        return frozen(self.apart(self.used[:, None], self.base))

    def between(self, a: Ints, b: Ints) -> Floats:
        """Return the distances of concepts."""
        if self.table is not None:
            if (self.column[b] >= 0).all():
                return self.table[self.place[a], self.column[b]]
            if (self.column[a] >= 0).all():
                return self.table[self.place[b], self.column[a]]
        return self.apart(a, b)

    def sums(self, candidates: Ints, concepts: Ints, counts: Floats) -> Floats:
        """Return Σ ω·d(c, v) for every candidate."""
        if self.table is not None and (columns := self.column[concepts]).min() >= 0:
            if len(concepts) * len(candidates) * 8 < self.table.size:
                return self.table[self.place[candidates][:, None], columns] @ counts
            spread = np.zeros(len(self.base))
            spread[columns] = counts
            return (self.table @ spread)[self.place[candidates]]
        height = max(1, BLOCK // max(1, len(concepts)))
        blocks = [
            self.between(*np.broadcast_arrays(candidates[low : low + height, None], concepts)) @ counts
            for low in range(0, len(candidates), height)
        ]
        return np.concatenate(blocks)

    # Sets of concepts are whole numbers with a bit for each place: few of them make a union or an intersection fast.

    @cached_property
    def _above(self) -> list[int]:
        """The ancestors of every concept, with itself."""
        taxonomy = self.scope.taxonomy
        found = [0] * len(self.used)
        for place in np.argsort(taxonomy.depth[self.used], kind="stable").tolist():
            bits = 1 << place
            for parent in self.place[taxonomy.parents_of(int(self.used[place]))].tolist():
                bits |= found[parent]
            found[place] = bits
        return found

    @cached_property
    def _allowed(self) -> int:
        """The concepts that may stand for others: those under the root, but for named individuals."""
        allowed = self.scope.members[self.used] & ~self.scope.taxonomy.instances[self.used]
        return int.from_bytes(np.packbits(allowed, bitorder="little").tobytes(), "little")

    def _places(self, bits: int) -> Ints:
        """Return the places in a set."""
        packed = np.frombuffer(bits.to_bytes(len(self.used) // 8 + 1, "little"), np.uint8)
        return np.flatnonzero(np.unpackbits(packed, bitorder="little"))

    @cached_property
    def _tops(self) -> dict[int, tuple[int, int]]:
        return {}

    def _top(self, common: int) -> tuple[int, int]:
        """Return the lowest of the common subsumers of some concepts, and all concepts under one of these."""
        if common not in self._tops:
            higher = 0
            for place in self._places(common).tolist():
                higher |= self._above[place] ^ (1 << place)
            lowest = common & ~higher
            under = np.array([bool(bits & lowest) for bits in self._above])
            self._tops[common] = lowest, int.from_bytes(np.packbits(under, bitorder="little").tobytes(), "little")
        return self._tops[common]

    def _spans(self, concepts: Ints) -> tuple[int, int, int]:
        """Return some concepts as a set, their ancestors, and those that all have."""
        own, union, common = 0, 0, -1
        for place in self.place[concepts].tolist():
            bits = self._above[place]
            own |= 1 << place
            union |= bits
            common &= bits
        return own, union, common

    def candidates(self, concepts: Ints) -> Ints:
        """Return H(V): the concepts on any way from one of V up to a minimal common subsumer of V, under the root."""
        key = concepts.tobytes()  # the same concepts come again and again
        if key not in self._known:
            if len(self._known) >= KNOWN:
                self._known.clear()
            own, union, common = self._spans(concepts)
            self._known[key] = self.used[self._places(union & self._top(common)[1] & self._allowed | own)]
        return self._known[key]

    @cached_property
    def _known(self) -> dict[bytes, Ints]:
        return {}

    def below(self, concept: int, concepts: Ints) -> int:
        """Return how many of some concepts lie at or below one."""
        place = int(self.place[concept])
        return sum((self._above[p] >> place) & 1 for p in self.place[concepts].tolist())

    def under(self, concepts: Ints, counts: Floats) -> Ints:
        """Number the children of a minimal common subsumer of V that each of V lies under, those with most first.

        A concept under several goes to the first of them, the subsumer itself comes last. Where there are too many
        children, they share numbers in turn.
        """
        children = self.place[self.scope.taxonomy.children_of(int(self.subsumers(concepts)[0]))]
        bits = 0
        for place in children[children >= 0].tolist():
            bits |= 1 << place
        over = [self._members(self._above[p] & bits) for p in self.place[concepts].tolist()]
        held: dict[int, float] = {}
        for places, count in zip(over, counts.tolist(), strict=True):
            for place in places:
                held[place] = held.get(place, 0.0) + count
        rank = {place: r for r, place in enumerate(sorted(held, key=lambda x: (-held[x], x)))}
        first = [min((rank[x] for x in places), default=len(rank)) for places in over]
        return np.unique(first, return_inverse=True)[1].ravel() % (FAMILIES // 2)

    @staticmethod
    def _members(bits: int) -> list[int]:
        """Return the places in a set that has few."""
        found = []
        while bits:
            lowest = bits & -bits
            found.append(lowest.bit_length() - 1)
            bits ^= lowest
        return found

    def subsumers(self, concepts: Ints) -> Ints:
        """Return the minimal common subsumers of V, those under the root if there are any."""
        own, _, common = self._spans(concepts)
        lowest = self._top(common)[0]
        return self.used[self._places(lowest & (self._allowed | own) or lowest)]
