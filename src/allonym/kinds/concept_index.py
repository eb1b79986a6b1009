"""The concepts of an attribute with all their ancestors: distances, centroid candidates, subsumers."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from allonym.arrays import Floats, Ints, frozen
from allonym.kinds.metric import MAX_FAMILIES
from allonym.ontology import similarity
from allonym.ontology.ancestry import Ancestry
from allonym.ontology.scope import Scope
from allonym.records import Value

MAX_TABLE = 50_000_000  # distances in a table
PAIRS_AT_A_TIME = 1_000_000
MAX_CACHED_CANDIDATES = 20_000  # sets of candidates


class ConceptIndex:
    """Concepts with all their ancestors: the basis of an attribute's distances and centroids.

    A table holds the distances of all of them to the concepts themselves, unless it would be too large.
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
        """Tell whether a value is one of the concepts, or unlinked."""
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

    def compute_distances(self, a: Ints, b: Ints) -> Floats:
        """Compute the distances of concepts."""
        return similarity.distance(self.measure, self.ancestry, a, b, depth=self.depth, content=self._content)

    @cached_property
    def table(self) -> Floats | None:
        """The distances of all concepts to those of the attribute."""
        if len(self.used) * len(self.base) > MAX_TABLE:
            return None
        return frozen(self.compute_distances(self.used[:, None], self.base))

    def between(self, a: Ints, b: Ints) -> Floats:
        """Return the distances of concepts."""
        if self.table is not None:
            if (self.column[b] >= 0).all():
                return self.table[self.place[a], self.column[b]]
            if (self.column[a] >= 0).all():
                return self.table[self.place[b], self.column[a]]
        return self.compute_distances(a, b)

    def sums(self, candidates: Ints, concepts: Ints, counts: Floats) -> Floats:
        """Return Σ ω·d(c, v) for every candidate."""
        if self.table is not None and (columns := self.column[concepts]).min() >= 0:
            if len(concepts) * len(candidates) * 8 < self.table.size:
                return self.table[self.place[candidates][:, None], columns] @ counts
            spread = np.zeros(len(self.base))
            spread[columns] = counts
            return (self.table @ spread)[self.place[candidates]]
        height = max(1, PAIRS_AT_A_TIME // max(1, len(concepts)))
        blocks = [
            self.between(*np.broadcast_arrays(candidates[low : low + height, None], concepts)) @ counts
            for low in range(0, len(candidates), height)
        ]
        return np.concatenate(blocks)

    # A set of concepts is an integer with one bit per concept, which makes unions and intersections fast.

    @cached_property
    def _above(self) -> list[int]:
        """The ancestors of every concept and itself."""
        taxonomy = self.scope.taxonomy
        above = [0] * len(self.used)
        for place in np.argsort(taxonomy.depth[self.used], kind="stable").tolist():
            bits = 1 << place
            for parent in self.place[taxonomy.parents_of(int(self.used[place]))].tolist():
                bits |= above[parent]
            above[place] = bits
        return above

    @cached_property
    def _allowed(self) -> int:
        """The concepts that may represent others: those under the root, except named individuals."""
        allowed = self.scope.members[self.used] & ~self.scope.taxonomy.instances[self.used]
        return int.from_bytes(np.packbits(allowed, bitorder="little").tobytes(), "little")

    def _places(self, bits: int) -> Ints:
        """Return the members of a set."""
        packed = np.frombuffer(bits.to_bytes(len(self.used) // 8 + 1, "little"), np.uint8)
        return np.flatnonzero(np.unpackbits(packed, bitorder="little"))

    @cached_property
    def _tops(self) -> dict[int, tuple[int, int]]:
        return {}

    def _top(self, common: int) -> tuple[int, int]:
        """Return the lowest of some common subsumers, and all concepts under one of these."""
        if common not in self._tops:
            higher = 0
            for place in self._places(common).tolist():
                higher |= self._above[place] ^ (1 << place)
            lowest = common & ~higher
            under = np.array([bool(bits & lowest) for bits in self._above])
            self._tops[common] = lowest, int.from_bytes(np.packbits(under, bitorder="little").tobytes(), "little")
        return self._tops[common]

    def _spans(self, concepts: Ints) -> tuple[int, int, int]:
        """Return some concepts as a set, all their ancestors, and their common ancestors."""
        own, union, common = 0, 0, -1
        for place in self.place[concepts].tolist():
            bits = self._above[place]
            own |= 1 << place
            union |= bits
            common &= bits
        return own, union, common

    def candidates(self, concepts: Ints) -> Ints:
        """Return H(V): the concepts under the root on any path from one of V up to a minimal common subsumer of V."""
        key = concepts.tobytes()  # the same concepts recur often
        if key not in self._cached_candidates:
            if len(self._cached_candidates) >= MAX_CACHED_CANDIDATES:
                self._cached_candidates.clear()
            own, union, common = self._spans(concepts)
            self._cached_candidates[key] = self.used[self._places(union & self._top(common)[1] & self._allowed | own)]
        return self._cached_candidates[key]

    @cached_property
    def _cached_candidates(self) -> dict[bytes, Ints]:
        return {}

    def count_below(self, concept: int, concepts: Ints) -> int:
        """Return how many concepts lie at or below another."""
        place = int(self.place[concept])
        return sum((self._above[p] >> place) & 1 for p in self.place[concepts].tolist())

    def branches(self, concepts: Ints, counts: Floats) -> Ints:
        """Number the children of a minimal common subsumer of V that each of V lies under, the most frequent first.

        A concept under several children goes to the first; the subsumer itself comes last. Too many children share
        the numbers in turn.
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
        return np.unique(first, return_inverse=True)[1].ravel() % (MAX_FAMILIES // 2)

    @staticmethod
    def _members(bits: int) -> list[int]:
        """Return the members of a small set."""
        members = []
        while bits:
            lowest = bits & -bits
            members.append(lowest.bit_length() - 1)
            bits ^= lowest
        return members

    def subsumers(self, concepts: Ints) -> Ints:
        """Return the minimal common subsumers of V; only those under the root, if there are any."""
        own, _, common = self._spans(concepts)
        lowest = self._top(common)[0]
        return self.used[self._places(lowest & (self._allowed | own) or lowest)]
