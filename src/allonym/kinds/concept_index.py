"""The concepts of an attribute with all their ancestors: distances, centroid candidates, subsumers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints, frozen
from allonym.kinds.metric import MAX_FAMILIES
from allonym.metric import Value
from allonym.ontology import similarity
from allonym.ontology.ancestry import Ancestry
from allonym.ontology.joining.virtual_roots import virtual_roots
from allonym.ontology.narrower import broader
from allonym.ontology.scope import Scope

TO_LEAF, FROM_LEAF, LEAVES = (False, True), (True, False), (True, True)  # which of two are leaves below a concept
MAX_TABLE = 50_000_000  # distances in a table
PAIRS_AT_A_TIME = 1_000_000
MAX_CACHED_CANDIDATES = 20_000  # sets of candidates


class ConceptIndex:
    """Concepts with all their ancestors: the basis of an attribute's distances and centroids.

    A table holds the distances of all of them to the concepts themselves, unless it would be too large. Two more hold
    the distances to leaves below the concepts, and those of such leaves to each other, however many leaves there are.
    """

    def __init__(
        self,
        scope: Scope,
        measure: str,
        depth: str,
        concepts: Ints,
        *,
        content: str = similarity.DEFAULT_CONTENT,
        weights: Sequence[float] | None = None,
    ) -> None:
        self.scope, self.measure, self.depth, self.content, self.weights = scope, measure, depth, content, weights
        taxonomy = scope.taxonomy
        self.base = np.unique(concepts[concepts >= 0])
        self.used = taxonomy.above(self.base)
        self.place = np.full(len(taxonomy), -1, np.int64)
        self.place[self.used] = np.arange(len(self.used))
        self.column = np.full(len(taxonomy), -1, np.int64)
        self.column[self.base] = np.arange(len(self.base))

    def has(self, value: Value) -> bool:
        """Tell whether a value is one of the concepts, a leaf below one, or unlinked."""
        concept = broader(value)
        return not isinstance(concept, (int, np.integer)) or bool(self.place[concept] >= 0)

    @cached_property
    def ancestry(self) -> Ancestry:
        """The ancestor sets, laid out for comparison."""
        return self.scope.taxonomy.ancestry(self.base)

    @cached_property
    def _content(self) -> str | Floats:
        if similarity.MEASURES[self.measure].by_content:
            from allonym.ontology.content import content

            return content(self.scope.taxonomy, self.content)
        return self.content

    def compute_distances(self, a: Ints, b: Ints, below: similarity.Below = similarity.NEITHER) -> Floats:
        """Compute the distances of concepts, or of leaves below them."""
        options: dict[str, Any] = {"depth": self.depth, "content": self._content, "weights": self.weights}
        return similarity.distance(self.measure, self.ancestry, a, b, below=below, **options)

    @cached_property
    def table(self) -> Floats | None:
        """The distances of all concepts to those of the attribute."""
        if len(self.used) * len(self.base) > MAX_TABLE:
            return None
        return frozen(self.compute_distances(self.used[:, None], self.base))

    @cached_property
    def table_to_leaves(self) -> Floats | None:
        """The distances of all concepts to a leaf below each of the attribute's."""
        return None if self.table is None else frozen(self.compute_distances(self.used[:, None], self.base, TO_LEAF))

    @cached_property
    def table_of_leaves(self) -> Floats | None:
        """The distances of leaves below the concepts of the attribute to others; leaves of one concept are two."""
        return None if self.table is None else frozen(self.compute_distances(self.base[:, None], self.base, LEAVES))

    def between(self, a: Ints, b: Ints, below: similarity.Below = similarity.NEITHER) -> Floats:
        """Return the distances of concepts, or of leaves below them."""
        if below == LEAVES:
            if self.table_of_leaves is not None and (self.column[a] >= 0).all() and (self.column[b] >= 0).all():
                return self.table_of_leaves[self.column[a], self.column[b]]
            return self.compute_distances(a, b, below)
        if below == FROM_LEAF:
            a, b = b, a
        table = self.table_to_leaves if any(below) else self.table
        if table is not None:
            if (self.column[b] >= 0).all():
                return table[self.place[a], self.column[b]]
            if not any(below) and (self.column[a] >= 0).all():
                return table[self.place[b], self.column[a]]
        return self.compute_distances(a, b, TO_LEAF if any(below) else below)

    def sums(self, candidates: Ints, concepts: Ints, counts: Floats, *, leaves: bool = False) -> Floats:
        """Return Σ ω·d(c, v) for every candidate, where v are concepts, each once, or leaves below them."""
        table = self.table_to_leaves if leaves else self.table
        if table is not None and (columns := self.column[concepts]).min() >= 0:
            if len(concepts) * len(candidates) * 8 < table.size:
                return table[self.place[candidates][:, None], columns] @ counts
            spread = np.zeros(len(self.base))
            spread[columns] = counts
            return (table @ spread)[self.place[candidates]]
        height = max(1, PAIRS_AT_A_TIME // max(1, len(concepts)))
        below = TO_LEAF if leaves else similarity.NEITHER
        blocks = []
        for low in range(0, len(candidates), height):
            one, other = np.broadcast_arrays(candidates[low : low + height, None], concepts)
            blocks.append(self.between(one, other, below) @ counts)
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
        """The concepts that may represent others: those under the root, except individuals and virtual roots."""
        allowed = self.scope.members[self.used] & ~self.scope.taxonomy.instances[self.used]
        allowed &= ~np.isin(self.used, virtual_roots(self.scope.taxonomy))
        return int.from_bytes(np.packbits(allowed, bitorder="little").tobytes(), "little")

    @cached_property
    def representatives(self) -> Ints:
        """The concepts that may represent others."""
        return self.used[self._places(self._allowed)]

    @cached_property
    def ancestor_bits(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """The ancestors of every concept and itself, and those that may represent others, 64 concepts a number."""
        words = len(self.used) // 64 + 1

        def packed(bits: int) -> NDArray[np.uint64]:
            return np.frombuffer(bits.to_bytes(words * 8, "little"), "<u8").astype(np.uint64)

        above = np.array([packed(bits) for bits in self._above], np.uint64).reshape(-1, words)
        return above, packed(self._allowed)

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
        """Return how many of some concepts, counted as often as they are given, lie at or below another."""
        place = int(self.place[concept])
        distinct, counts = np.unique(concepts, return_counts=True)
        places = self.place[distinct].tolist()
        return sum(n for p, n in zip(places, counts.tolist(), strict=True) if (self._above[p] >> place) & 1)

    def branches(self, concepts: Ints, counts: Floats, leaves: NDArray[np.bool_]) -> Ints:
        """Number the children of a minimal common subsumer of V that each of V lies under, the most frequent first.

        A concept under several children goes to the first; the subsumer itself comes last. Too many children share
        the numbers in turn. `leaves` tells which of V are leaves below their concepts.
        """
        top = int(self.subsumers(np.unique(concepts))[0])
        children = self.place[self.scope.taxonomy.children_of(top)]
        bits = 0
        for place in children[children >= 0].tolist():
            bits |= 1 << place
        over = [self._members(self._above[p] & bits) for p in self.place[concepts].tolist()]
        for i in np.flatnonzero(leaves & (concepts == top)).tolist():
            over[i] = [len(self.used) + i]
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

    def common_subsumers(self, concepts: Ints) -> Ints:
        """Return all common subsumers of V; only those under the root, if there are any."""
        own, _, common = self._spans(concepts)
        return self.used[self._places(common & (self._allowed | own) or common)]
