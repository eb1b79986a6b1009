"""Groups of values under concepts that form a tree: two groups are disjoint, or one is part of the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from allonym.ontology.hierarchy_builder.candidates import Candidate, Values
from allonym.ontology.taxonomy import Taxonomy


class Ancestors:
    """The concepts at or above each of some concepts."""

    def __init__(self, taxonomy: Taxonomy, concepts: Sequence[int]) -> None:
        starts, above, _ = taxonomy.closure(np.array(concepts, np.int64))
        rows = np.split(above, starts[1:-1])
        self._above = {c: frozenset(row.tolist()) for c, row in zip(concepts, rows, strict=True)}

    def __getitem__(self, concept: int) -> frozenset[int]:
        return self._above[concept]


@dataclass
class Group:
    """Values that a concept stands for, and other concepts that stand for the same values, from specific to general."""

    concept: int
    members: frozenset[int]
    generality: float
    others: list[Candidate] = field(default_factory=list)


def families(values: Values) -> tuple[list[Group], list[Group], Ancestors]:
    """Return the group of each value alone, the groups of several values, the smallest first, and their ancestors.

    Groups are accepted in the order of their loss, but concepts that are values first, because they must cover what is
    below them. A value that a group has already does not join another one, unless the one is part of the other, by the
    ontology too: where milk is a dairy product, it is not also a beverage. A concept that would
    lose half of its values in that way has no group.
    """
    single = [Group(int(c), frozenset([i]), 0.0) for i, c in enumerate(values.concepts.tolist())]
    candidates = values.candidates()
    concepts = {*values.concepts.tolist(), *(x.concept for x in candidates)}
    ancestors = Ancestors(values.scope.taxonomy, sorted(concepts))
    groups: list[Group] = []
    groups_of: list[list[int]] = [[] for _ in single]

    def rank(x: Candidate) -> tuple[bool, bool, float, int, int]:
        per_merger = x.loss * len(x.members) / max(len(x.members) - 1, 1)
        rest = values.names_the_rest(x.concept)
        return x.concept not in values.present, rest, round(per_merger, 9), -len(x.members), x.concept

    for x in sorted(candidates, key=rank):
        if len(x.members) == 1:
            single[next(iter(x.members))].others.append(x)
            continue
        members = _without_conflicts(x, groups, groups_of, ancestors, must_be=x.concept in values.present)
        if len(members) < 2:
            continue
        same = next((groups[g] for g in groups_of[min(members)] if groups[g].members == members), None)
        if same is not None:
            if members == x.members:
                same.others.append(x)
            continue
        for i in members:
            groups_of[i].append(len(groups))
        groups.append(Group(x.concept, members, x.generality))
    for group in (*single, *groups):
        group.others.sort(key=lambda x: (x.generality, x.concept))
    groups.sort(key=lambda x: (len(x.members), x.generality, x.concept))
    return single, groups, ancestors


def _without_conflicts(
    x: Candidate, groups: list[Group], groups_of: list[list[int]], ancestors: Ancestors, *, must_be: bool
) -> frozenset[int]:
    """Return the values of a concept that can be its group; none, if it has no place in the tree.

    It has none if it would lose half of its values to other groups, unless it must have a group.
    """
    members = x.members
    while True:
        shared = Counter(g for i in members for g in groups_of[i])
        for g, number in sorted(shared.items()):
            group = groups[g]
            if number == len(members) < len(group.members) and group.concept not in ancestors[x.concept]:
                return frozenset()
            is_part = number == len(group.members) and x.concept in ancestors[group.concept]
            if number < len(members) and not is_part:
                members -= group.members
                break
        else:
            return members if must_be or 2 * len(members) > len(x.members) else frozenset()
