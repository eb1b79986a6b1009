"""Slow, obviously correct consensus of sets, written from docs/methods/sets.md; distances are those of `slow_sets`.

Nothing is shared with the package. Every row of a table is a person. A taxonomy is a mapping concept -> parents; an
element of a set is a concept or a text without a concept.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations

import reference
import slow_sets as slow

Items = frozenset[int | str]
TIE = 1e-12
MAX_REPAIRS = 20


def above(parents: slow.Parents, element: int | str) -> set[int | str]:
    """Return an element and the concepts above it."""
    return {element} if isinstance(element, str) else set(reference.ancestors(parents, element))


def persons(parents: slow.Parents, sets: Sequence[Items], element: int | str) -> list[int]:
    """Return the sets, by their places, that have an element or something below it."""
    return [i for i, own in enumerate(sets) if any(element in above(parents, x) for x in own)]


@dataclass(frozen=True)
class Problem:
    """A group of a table whose consensus is sought; the first of `members` has the first code, and so on."""

    parents: slow.Parents
    table: Sequence[Items]
    members: Sequence[Items]
    k: int
    distance: str = "min-sum"
    too_general: Collection[int] = ()

    def cost(self, chosen: Collection[int | str]) -> float:
        """Return Σ d to the members."""
        far = lambda a, b: slow.delta(self.parents, a, b)  # noqa: E731
        return math.fsum(slow.set_distance(self.distance, far, frozenset(chosen), x) for x in self.members)

    def items(self) -> list[int | str]:
        return sorted({x for own in self.members for x in own}, key=self.order)

    def order(self, element: int | str) -> tuple[bool, bool, int | str]:
        """Order elements: those of the table first, concepts before texts, as in the ontology."""
        return not any(element in own for own in self.table), isinstance(element, str), element

    def cover(self, element: int | str) -> frozenset[int | str]:
        """Return the items of the group that an element is true of."""
        return frozenset(x for x in self.items() if element in above(self.parents, x))

    def is_held(self, element: int | str) -> bool:
        """Tell whether two members have an element as it is."""
        return sum(element in own for own in self.members) >= 2

    def usable(self) -> list[int | str]:
        """Return what two members have, or have something below it, and k persons of the table."""
        allowed = {x for own in self.table for x in own}
        found = {c for x in self.items() for c in above(self.parents, x) if c in allowed or c not in self.too_general}
        return [
            c
            for c in found
            if len(persons(self.parents, self.members, c)) >= 2 and len(persons(self.parents, self.table, c)) >= self.k
        ]

    def candidates(self, *, general: bool) -> list[int | str]:
        """Return what may be chosen, in the order in which ties are broken."""
        usable = self.usable()
        kept = []
        for c in usable:
            alike = [x for x in usable if self.cover(x) == self.cover(c)]
            if self.is_held(c) or general or min(alike, key=self._nearness) == c:
                kept.append(c)
        return sorted(kept, key=self._rank)

    def _nearness(self, element: int | str) -> tuple[bool, float, tuple[bool, bool, int | str]]:
        far = math.fsum(slow.delta(self.parents, element, x) for x in self.cover(element))
        return not self.is_held(element), round(far, 9), self.order(element)

    def _rank(self, element: int | str) -> tuple[float, bool, int, int, tuple[bool, bool, int | str]]:
        members = persons(self.parents, self.members, element)
        table = persons(self.parents, self.table, element)
        return -len(members), not self.is_held(element), -len(table), members[0], self.order(element)

    def stands(self, element: int | str, chosen: Collection[int | str]) -> bool:
        """Tell whether an element has items of two members that nothing else chosen is true of, unless it is above."""
        others = [x for x in chosen if x != element and not self.cover(x) > self.cover(element)]
        left = self.cover(element) - {x for other in others for x in self.cover(other)}
        return self.is_held(element) or sum(bool(left & own) for own in self.members) >= 2

    @property
    def length(self) -> int:
        """Return the upper median of the sizes of the members."""
        sizes = sorted(map(len, self.members))
        return max(sizes[len(sizes) // 2], 1)

    def grown(self, candidates: Sequence[int | str]) -> list[int | str]:
        """Add the element with which the set costs least, while it costs less; then drop, while that costs less."""
        chosen: list[int | str] = []
        cost = math.inf
        for _ in range(4 * self.length):
            each = [(self.cost([*chosen, c]), c) for c in candidates if c not in chosen and self.stands(c, chosen)]
            least = min((x for x, _ in each), default=math.inf)
            if len(chosen) >= self.length or not least < cost * (1 - TIE):
                break
            chosen.append(next(c for x, c in each if x <= least * (1 + TIE)))
            chosen = [c for c in chosen if c == chosen[-1] or self.stands(c, chosen)]
            cost = self.cost(chosen)
        while len(chosen) > 1:
            rests = [[x for x in chosen if x != c] for c in chosen]
            least = min(map(self.cost, rests))
            if not least < self.cost(chosen) * (1 - TIE):
                break
            chosen = next(x for x in rests if self.cost(x) <= least * (1 + TIE))
        return chosen

    def is_somebodys(self, chosen: Collection[int | str]) -> bool:
        """Tell whether a set is that of persons of the table, but of fewer than k."""
        return 0 < sum(own == frozenset(chosen) for own in self.table) < self.k

    def neighbours(self, chosen: Sequence[int | str], candidates: Sequence[int | str]) -> list[list[int | str]]:
        """Return the sets that differ by one element: more, less or another."""
        found = []
        for rest in [list(chosen), *([x for x in chosen if x != c] for c in chosen)]:
            more = [[*rest, c] for c in candidates if c not in rest and self.stands(c, rest)]
            found += [x for x in more if all(self.stands(c, x) for c in rest)]
            found += [rest] if rest and len(rest) < len(chosen) else []
        return found

    def nobodys(self, *, general: bool) -> Items | None:
        """Return the set that costs least of those tried that is nobody's."""
        candidates = self.candidates(general=general)
        place = {c: i for i, c in enumerate(candidates)}
        has_empty = any(not own for own in self.members)
        waiting: list[list[int | str]] = [self.grown(candidates), *([[]] if has_empty else [])]
        tried: set[frozenset[int | str]] = set()
        while waiting and len(tried) < MAX_REPAIRS:
            waiting.sort(key=lambda x: (round(self._cost_or_inf(x), 9), sorted(place[c] for c in x)))
            chosen = waiting.pop(0)
            if (chosen or has_empty) and not self.is_somebodys(chosen):
                return frozenset(chosen)
            if frozenset(chosen) not in tried:
                tried.add(frozenset(chosen))
                waiting += self.neighbours(chosen, candidates)
        return None

    def _cost_or_inf(self, chosen: Sequence[int | str]) -> float:
        return self.cost(chosen) if chosen or any(not own for own in self.members) else math.inf

    def consensus(self) -> Items | None:
        """Return what is written for the group."""
        if len(set(self.members)) == 1:
            return None if self.is_somebodys(self.members[0]) else self.members[0]
        found = self.nobodys(general=False)
        return self.nobodys(general=True) if found is None else found

    def best(self) -> float:
        """Return the least cost of all sets that may be written, by trying each."""
        candidates = self.candidates(general=True)
        costs = [
            self.cost(chosen)
            for size in range(1, self.length + 2)  # one that is somebody's may get one more
            for chosen in combinations(candidates, size)
            if all(self.stands(c, chosen) for c in chosen) and not self.is_somebodys(chosen)
        ]
        return min(costs, default=math.inf)
