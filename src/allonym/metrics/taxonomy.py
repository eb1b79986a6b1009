"""Concepts of an ontology: a published distance; the semantic centroid stands for several (P1 §3.3)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from allonym.knowledge import similarity
from allonym.knowledge.ancestry import Ancestry
from allonym.knowledge.building import build
from allonym.knowledge.rows import frozen
from allonym.knowledge.scope import Scope
from allonym.metrics.base import PARTS, Base, tolerance
from allonym.records import Floats, Ints, Value, summed_by

TABLE = 50_000_000  # up to so many distances are kept
BLOCK = 1_000_000  # pairs at a time
LEVELS = 5  # of a hierarchy that is built
KNOWN = 20_000  # sets of candidates that are kept


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

        A concept under several goes to the first of them, the subsumer itself comes last; few parts are left of many.
        """
        top = self.subsumers(concepts)[0]
        children = self.place[self.scope.taxonomy.children_of(int(top))]
        above = [self._above[p] for p in self.place[concepts].tolist()]
        covers = np.array([[(bits >> c) & 1 for bits in above] for c in children[children >= 0].tolist()], bool)
        covers = covers[np.argsort(-(covers @ counts), kind="stable")]
        first = np.where(covers.any(axis=0), covers.argmax(axis=0), len(covers))
        number = np.unique(first, return_inverse=True)[1].ravel()
        return np.minimum(number, PARTS // 2)

    def subsumers(self, concepts: Ints) -> Ints:
        """Return the minimal common subsumers of V, those under the root if there are any."""
        own, _, common = self._spans(concepts)
        lowest = self._top(common)[0]
        return self.used[self._places(lowest & (self._allowed | own) or lowest)]


class Taxonomic(Base):
    """Distances between concepts of an ontology. A value is a concept; texts nobody linked and null are alone.

    The centroid is the candidate c with the least Σ ω·d(c, v); candidates are the concepts on any way from a value up
    to a minimal common subsumer, and lone values. Ties: the concept that is first in the ontology; lone values last.

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

    def _from(self, value: Value) -> Floats:
        if value is None or isinstance(value, str) or not self.world.has(value):
            return super()._from(value)
        found = np.ones(len(self.values))
        known = ~self.lone
        others = self.concepts[known]
        found[known] = self.world.between(np.full(len(others), value), others)
        return found

    # --- the semantic centroid -------------------------------------------------------------------------------

    def candidates(self, concepts: Ints) -> Ints:
        """Return H(V): the concepts on any way from one of V up to a minimal common subsumer of V, under the root."""
        return self.world.candidates(concepts)

    def centroid(self, codes: Ints, counts: Floats) -> Value:
        """Return the semantic centroid."""
        total, linked, alone = self.parted(codes, counts)
        if not linked.size:
            return self.mode(codes, counts)
        concepts, weights, lost = self.concepts[linked], total[linked], total[alone].sum()
        if linked.size == 1:
            best, least = int(concepts[0]), 0.0
        else:
            found = self.candidates(concepts)
            sums = self.world.sums(found, concepts, weights)
            best, least = first_of_best(found, sums), float(sums.min())
        if alone.size and total.sum() - total[alone].max() < least + lost - tolerance(least + lost):
            return self.values[int(alone[np.argmax(total[alone])])]
        return best

    def subsumer(self, codes: Ints, counts: Floats) -> Value:
        """Return the least common subsumer, of several the nearest; null, if some value is alone and they differ."""
        total, linked, alone = self.parted(codes, counts)
        if alone.size:
            return super().subsumer(codes, counts)
        concepts = self.concepts[linked]
        found = self.world.subsumers(concepts)
        return first_of_best(found, self.world.sums(found, concepts, total[linked]))

    def _families(self, codes: Ints, counts: Floats) -> Ints:
        """Number the parts under upper concepts, until none has more than half of the values, or is one concept."""
        concepts = self.concepts[codes]
        found = np.zeros(len(codes), np.int64)
        while (parts := int(found.max()) + 1) < PARTS:
            sizes = summed_by(found, counts, parts)
            own = np.flatnonzero(found == sizes.argmax())
            if (sizes.max() * 2 <= sizes.sum() and parts > 1) or len(own) == 1:
                break
            below = self.world.under(concepts[own], counts[own])
            found[own[below > 0]] = parts - 1 + below[below > 0]
        return found

    def ladder(self) -> list[list[Value]]:
        """Return what each value becomes on the way to one top; those alone are null from the first step on.

        A hierarchy has its own levels. In another tree, a level is a step towards the root for those that are deepest
        down (others wait). In an ontology in which concepts have several parents, a hierarchy is built.
        """
        known = np.flatnonzero(~self.lone)
        concepts = np.unique(self.concepts[known])
        taxonomy = self.scope.taxonomy
        if len(concepts) < 2:
            ways = np.zeros((len(concepts), 0), np.int64)
        elif taxonomy.steps is not None and self.scope.root == taxonomy.root:
            ways = _that_differ(concepts, taxonomy.steps[concepts])
        elif taxonomy.is_tree:
            ways = _towards_root(concepts, self.scope)
        else:
            ways = _built(concepts, self.scope, self.measure, self.depth)
        found: list[list[Value]] = [list(self.values)]
        for level in ways.T:
            becomes = dict(zip(concepts.tolist(), level.tolist(), strict=True))
            found.append([None if self.lone[c] else becomes[int(v)] for c, v in enumerate(self.values)])
        if len({x for x in found[-1] if x is not None}) > 1 or (None in found[-1] and len(set(found[-1])) > 1):
            found.append([None] * len(self.values))
        return found

    # --- for measures ----------------------------------------------------------------------------------------

    def covered(self, a: Ints, b: Ints, data: Ints) -> Floats | None:
        """Return how many values of the data lie under the least common subsumer; all, where a value is alone."""
        pairs, place = np.unique(np.stack([a, b]), axis=1, return_inverse=True)
        concepts = self.concepts[data]
        known = concepts[concepts >= 0]
        found = np.full(pairs.shape[1], float(len(data)))
        below: dict[int, int] = {}
        for i, (one, other) in enumerate(pairs.T.tolist()):
            if one == other:
                found[i] = 1.0
            elif not (self.lone[one] or self.lone[other]):
                top = self.subsumer(np.array([one, other]), np.ones(2))
                if top not in below:
                    below[top] = self.world.below(top, known)
                found[i] = below[top]
        return found[place.ravel()]

    def links(self, a: Ints, b: Ints) -> Floats | None:
        """Return how many links values are apart; of those alone, as many as two concepts can be at most."""
        return self.by("path").rows(a, b) * 2 * self.scope.taxonomy.deepest

    def by(self, measure: str) -> Taxonomic:
        """Return the same values under another measure."""
        return self if measure == self.measure else Taxonomic(self.values, self.scope, measure, self.depth)


def _that_differ(concepts: Ints, steps: Ints) -> Ints:
    """Return the levels that differ from the one below, up to the first that has one value."""
    found = [concepts]
    for level in steps.T[1:]:
        if len(np.unique(found[-1])) > 1 and not np.array_equal(level, found[-1]):
            found.append(level)
    return np.stack(found, axis=1)[:, 1:]


def _towards_root(concepts: Ints, scope: Scope) -> Ints:
    """Return for each concept what it becomes when all go as deep as the next level at most."""
    taxonomy = scope.taxonomy
    depth = taxonomy.depth[concepts].astype(np.int64)
    current = concepts.copy()
    found = []
    for limit in range(int(depth.max()) - 1, int(taxonomy.depth[scope.root]) - 1, -1):
        deep = taxonomy.depth[current] > limit
        current = current.copy()
        current[deep] = [int(taxonomy.parents_of(int(c))[0]) for c in current[deep]]
        found.append(current)
        if len(np.unique(current)) == 1:
            break
    return np.stack(found, axis=1) if found else np.zeros((len(concepts), 0), np.int64)


def _built(concepts: Ints, scope: Scope, measure: str, depth: str) -> Ints:
    """Return a hierarchy that loses little, of as many levels as there can be up to some."""
    return build(concepts, scope, measure, depth, levels=min(LEVELS, len(concepts) - 1))


def first_of_best(concepts: Ints, costs: Floats) -> int:
    """Return the concept with the least cost, the first of equals."""
    least = float(costs.min())
    return int(concepts[np.argmax(costs <= least + tolerance(least))])
