"""Hierarchies from an ontology: for some concepts, levels of fewer and fewer concepts above them that lose least."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from allonym.errors import OptionError
from allonym.knowledge import similarity
from allonym.knowledge.scope import Scope

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class _Union:
    """Groups of leaves that become one, under a concept."""

    parts: tuple[int, ...]
    concept: int


def build(
    leaves: Ints, scope: Scope, measure: str, depth: str, *, levels: int = 3, limits: Sequence[int] | None = None
) -> Ints:
    """Return what each leaf becomes at each level, as concepts; the last level has one.

    The loss of a level is the largest distance of a leaf to its value there. Leaves are united under the concept that
    loses least, again and again; each level takes the first state that has few enough values, and where two levels
    would take the same one, the lower takes some of its unions back. In a tree no hierarchy within the limits loses
    less on any level; where concepts have several parents, another order of unions might. Without limits the levels
    take the states whose numbers of values go down most evenly.
    """
    unions = list(_unions(leaves, scope, measure, depth))
    states = _states(len(leaves), unions)
    found = []
    for state in _even(states, levels) if limits is None else _chosen(states, unions, limits):
        level = np.empty(len(leaves), np.int64)
        for group in state:
            own = _leaves(group, unions, len(leaves))
            level[own] = leaves[own[0]] if group < len(leaves) else unions[group - len(leaves)].concept
        found.append(level)
    return np.stack(found, axis=1)


def _unions(leaves: Ints, scope: Scope, measure: str, depth: str) -> list[_Union]:
    """Return the unions that lose least, one after the other, until one group is left; groups are numbered on."""
    taxonomy = scope.taxonomy
    used = taxonomy.above(leaves)
    may = (scope.members[used] & ~taxonomy.instances[used]) | np.isin(used, leaves) | (used == taxonomy.root)
    used = used[may]
    starts, ancestors, _ = taxonomy.closure(leaves)
    under = np.zeros((len(leaves), len(taxonomy)), bool)
    under[np.repeat(np.arange(len(leaves)), np.diff(starts)), ancestors] = True
    under = under[:, used]
    far = similarity.distance(measure, taxonomy, leaves[:, None], used, depth=depth)
    far = np.where(under, far, -1.0)
    numbers = list(range(len(leaves)))
    found: list[_Union] = []
    while len(numbers) > 1:
        count = under.sum(axis=0)
        loss = np.where(count > 1, far.max(axis=0), np.inf)
        best = int(np.lexsort((used, count, np.round(loss, 12)))[0])
        inside = under[:, best]
        parts = tuple(n for n, x in zip(numbers, inside, strict=True) if x)
        found.append(_Union(parts, int(used[best])))
        numbers = [n for n, x in zip(numbers, inside, strict=True) if not x] + [len(leaves) + len(found) - 1]
        together = under[inside].all(axis=0)
        farthest = np.where(together, far[inside].max(axis=0), -1.0)
        under, far = np.vstack([under[~inside], together]), np.vstack([far[~inside], farthest])
    return found


def _states(leaves: int, unions: Sequence[_Union]) -> list[frozenset[int]]:
    """Return the groups there are before the first union and after each."""
    states = [frozenset(range(leaves))]
    for i, union in enumerate(unions):
        states.append((states[-1] - set(union.parts)) | {leaves + i})
    return states


def _even(states: Sequence[frozenset[int]], levels: int) -> list[frozenset[int]]:
    """Return as many states as there are levels, each about the same share smaller than the one before."""
    if levels >= len(states):
        raise _too_few(len(states) - 1, levels)
    sizes = np.log([len(state) for state in states])
    chosen, last = [], 0
    for i in range(1, levels + 1):
        here = np.arange(last + 1, len(states) - (levels - i))  # as many as are needed are left
        last = (
            int(here[np.argmin(np.abs(sizes[here] - sizes[0] * (1 - i / levels)))]) if i < levels else len(states) - 1
        )
        chosen.append(states[last])
    return chosen


def _too_few(possible: int, asked: int) -> OptionError:
    return OptionError(
        f"Only {possible} of the {asked} levels asked for would differ from each other.",
        hint="ask for fewer levels, or allow more values on the lower ones.",
    )


def _chosen(states: Sequence[frozenset[int]], unions: Sequence[_Union], limits: Sequence[int]) -> list[frozenset[int]]:
    """Return the groups of each level, every one strictly coarser than the one below."""
    leaves = len(states[0])
    sizes = np.array([len(state) for state in states])
    first = [int(np.argmax(sizes <= limit)) for limit in limits]
    chosen: list[frozenset[int]] = []
    last = 0
    while len(chosen) < len(limits):
        at = len(chosen)
        here = max(first[at], last + 1)
        if here >= len(states):
            raise _too_few(len(chosen), len(limits))
        alike = next((i for i in range(at, len(limits)) if first[i] > here), len(limits)) - at
        while alike > 1:
            finer = _taken_back(states[here], states[last], unions, limits[at : at + alike], leaves)
            if finer is not None:
                chosen += finer
                break
            alike -= 1
        chosen.append(states[here])
        last = here
    return chosen


def _taken_back(
    state: frozenset[int], below: frozenset[int], unions: Sequence[_Union], limits: Sequence[int], leaves: int
) -> list[frozenset[int]] | None:
    """Return finer states for all levels that would take one but the last; None, if there are too few."""
    new = sorted((len(unions[g - leaves].parts), g) for g in state - below if g >= leaves)
    if len(new) < len(limits) - 1:
        return None
    found, current = [], state
    for limit, (_, group) in zip(reversed(limits[:-1]), new, strict=False):
        current = (current - {group}) | set(unions[group - leaves].parts)
        if len(current) > limit:
            return None
        found.append(current)
    return None if current == below else found[::-1]


def _leaves(group: int, unions: Sequence[_Union], leaves: int) -> list[int]:
    """Return the leaves of a group."""
    if group < leaves:
        return [group]
    return [leaf for part in unions[group - leaves].parts for leaf in _leaves(part, unions, leaves)]
