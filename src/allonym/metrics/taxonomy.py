"""Concepts of an ontology: a published distance; the semantic centroid stands for several (P1 §3.3)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from allonym.knowledge import similarity
from allonym.knowledge.ancestry import Ancestry
from allonym.knowledge.rows import frozen, take_rows
from allonym.knowledge.scope import Scope
from allonym.metrics.base import Base
from allonym.records import Floats, Ints, Value

TABLE = 4_000_000  # up to so many distances are kept
BLOCK = 1_000_000  # pairs at a time


class World:
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
            from allonym.knowledge.content import content

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
        height = max(1, BLOCK // max(1, len(concepts)))
        blocks = [
            self.between(*np.broadcast_arrays(candidates[low : low + height, None], concepts)) @ counts
            for low in range(0, len(candidates), height)
        ]
        return np.concatenate(blocks)

    @cached_property
    def _upward(self) -> tuple[Ints, Ints]:
        """The ancestor set of every concept, as places."""
        starts, ancestors, _ = self.scope.taxonomy.closure(self.used)
        return starts, self.place[ancestors]

    def candidates(self, concepts: Ints) -> Ints:
        """Return H(V): the concepts on any way from one of V up to a minimal common subsumer of V, under the root."""
        used, place, rows = self.used, self.place, self._upward
        met = take_rows(*rows, place[concepts])[1]
        times = np.bincount(met, minlength=len(used))
        common = np.flatnonzero(times == len(concepts))
        above_common = take_rows(*rows, common)[1]
        minimal = np.zeros(len(used), bool)
        minimal[common] = np.bincount(above_common, minlength=len(used))[common] == 1  # only itself below
        union = np.flatnonzero(times)
        starts, above = take_rows(*rows, union)
        found = used[union[np.logical_or.reduceat(minimal[above], starts[:-1])]]
        allowed = self.scope.members[found] & ~self.scope.taxonomy.instances[found]
        return found[allowed | np.isin(found, concepts)]


class Taxonomic(Base):
    """Distances between concepts of an ontology. A value is a concept; texts nobody linked and null are alone.

    The centroid is the candidate c with the least Σ ω·d(c, v); candidates are the concepts on any way from a value up
    to a minimal common subsumer, and lone values. Ties: the deeper concept, then label order; lone values come last.

    >>> from allonym.knowledge.wordnet import wordnet
    >>> wn = wordnet()
    >>> sports = [wn.taxonomy.code(w) for w in ("boxing", "soccer", "rugby", "contact sport", "swimming", "surfing")]
    >>> metric = Taxonomic(sports, wn)
    >>> wn.taxonomy.labels[metric.centroid(np.arange(6), np.array([1.0, 2, 2, 1, 1, 3]))]
    'contact sport'
    """

    def __init__(
        self,
        values: Sequence[Value],
        scope: Scope,
        measure: str = "wu-palmer",
        depth: str = "nodes",
        world: World | None = None,
    ) -> None:
        super().__init__(values)
        self.scope, self.measure, self.depth = scope, measure, depth
        if world is not None:
            self.__dict__["world"] = world

    def _with(self, values: Sequence[Value]) -> Taxonomic:
        known = self.__dict__.get("world")
        if known is not None and not all(known.has(v) for v in values[len(self.values) :]):
            known = None
        return Taxonomic(values, self.scope, self.measure, self.depth, known)

    @cached_property
    def concepts(self) -> Ints:
        """The concept of every value; -1 for those that are alone."""
        return frozen(np.array([-1 if self.lone[i] else v for i, v in enumerate(self.values)], np.int64))

    @cached_property
    def world(self) -> World:
        """The values and all their ancestors; metrics extended by some of these share it."""
        return World(self.scope, self.measure, self.depth, self.concepts)

    def _between(self, a: Ints, b: Ints) -> Floats:
        return self.world.between(self.concepts[a], self.concepts[b])

    # --- the semantic centroid -------------------------------------------------------------------------------

    def candidates(self, concepts: Ints) -> Ints:
        """Return H(V): the concepts on any way from one of V up to a minimal common subsumer of V, under the root."""
        return self.world.candidates(concepts)

    def centroid(self, codes: Ints, counts: Floats) -> Value:
        """Return the semantic centroid."""
        total, linked, alone = self.parted(codes, counts)
        if not linked.size:
            return self.mode(codes, counts)
        found = self.candidates(self.concepts[linked])
        sums = self.world.sums(found, self.concepts[linked], total[linked]) + total[alone].sum()
        if alone.size and total.sum() - total[alone].max() < sums.min() - tolerance(sums.min()):
            return self.values[int(alone[np.argmax(total[alone])])]
        return int(found[first_of_best(sums, found, self.scope)])


def tolerance(cost: float) -> float:
    """Return by how much two sums of distances may differ and still be a tie."""
    return 1e-12 * max(1.0, cost)


def first_of_best(costs: Floats, concepts: Ints, scope: Scope) -> int:
    """Return where the least cost is; among equals the deepest concept, then label order, then id order."""
    best: NDArray[np.int64] = np.flatnonzero(costs <= costs.min() + tolerance(float(costs.min())))
    taxonomy = scope.taxonomy

    def order(i: int) -> tuple[int, str, str]:
        concept = int(concepts[i])
        return -int(taxonomy.depth[concept]), taxonomy.labels[concept], taxonomy.ids[concept]

    return int(min(best, key=order))
