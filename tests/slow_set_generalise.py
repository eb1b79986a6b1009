"""Generalisation of sets, written slowly from the definitions: no bits, no bounds, nothing kept.

A node is the set of items at or below it: a leaf has one item, the top has all and is `TOP`. Records are sets of items.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

Item = Hashable
Node = frozenset[Item]
TOP: Node = frozenset()  # stands for all items, and says nothing
Record = frozenset[Item]


class SlowTree:
    """Groups of items, each with at least two, of which two are disjoint or one is part of the other."""

    def __init__(self, items: Sequence[Item], groups: Sequence[Node]) -> None:
        self.items, self.groups = list(items), set(groups)
        self.nodes = [frozenset([x]) for x in self.items] + sorted(self.groups, key=len)

    def above(self, node: Node) -> list[Node]:
        """Return a node and all above it, from the smallest to the top."""
        return [*sorted((x for x in self.nodes if node <= x), key=len), TOP]

    def child(self, node: Node, item: Item) -> Node:
        """Return the next node below a node towards an item."""
        path = self.above(frozenset([item]))
        return path[path.index(node) - 1]

    def ncp(self, node: Node) -> float:
        """Return the share of all items that a node stands for; 0 for an item itself."""
        return 1.0 if node == TOP else 0.0 if len(node) == 1 else len(node) / len(self.items)


def combinations_below_k(sets: Sequence[frozenset], units: Sequence[int], k: int, m: int) -> list[frozenset]:
    """Return the combinations of up to m elements that occur in sets, but in those of fewer than k units."""
    every = {frozenset(c) for s in sets for size in range(1, m + 1) for c in itertools.combinations(s, size)}
    return [c for c in every if len({u for s, u in zip(sets, units, strict=True) if c <= s}) < k]


def generalised(record: Record, becomes: Mapping[Item, Node]) -> frozenset[Node]:
    """Return the nodes that stand for the items of a record; the top is left out."""
    return frozenset(becomes[x] for x in record) - {TOP}


def ncp_of(records: Sequence[Record], becomes: Mapping[Item, Node], tree: SlowTree) -> float:
    return sum(tree.ncp(becomes[x]) for record in records for x in record)


def cuts(tree: SlowTree) -> Iterator[dict[Item, Node]]:
    """Yield every cut: each item becomes a node above it, or is left out; what is below a node becomes this one."""
    for chosen in itertools.product(*(tree.above(frozenset([x])) for x in tree.items)):
        if all(TOP in (one, other) or one == other or not one & other for one in chosen for other in chosen):
            becomes = dict(zip(tree.items, chosen, strict=True))
            if all(becomes[x] == node for node in chosen for x in node):
                yield becomes


def apriori(
    records: Sequence[Record],
    units: Sequence[int],
    tree: SlowTree,
    k: int,
    m: int,
    rank: Mapping[Node, int],
    leave_out: bool = True,
) -> dict[Item, Node]:
    """Apriori-based anonymisation (Terrovitis et al. 2008): what each item becomes.

    Combinations of 1, 2, … m nodes are visited with their last node, frequent nodes first and those that are new after
    all others. A rare one is generalised in the cheapest way that makes it frequent.
    """
    becomes = {x: frozenset([x]) for x in tree.items}

    def holders(nodes: Sequence[Node]) -> set[int]:
        having = (all(node & record for node in nodes) for record in records)
        return {unit for unit, has in zip(units, having, strict=True) if has}

    def cost(changed: Mapping[Item, Node]) -> float:
        return round(ncp_of(records, changed, tree) - ncp_of(records, becomes, tree), 9)

    def after(combination: tuple[Node, ...], above: tuple[Node, ...]) -> dict[Item, Node] | None:
        named = {x for x in above if x != TOP}
        left_out = {node for node, higher in zip(combination, above, strict=True) if higher == TOP}
        if any(one < other for one in named | left_out for other in named | left_out):
            return None  # what is below a node becomes this one
        changed = dict(becomes)
        for node, higher in zip(combination, above, strict=True):
            changed |= dict.fromkeys(node if higher == TOP else higher, higher)  # with what was left out before
        return changed

    for size in range(1, m + 1):
        queue = sorted(set(becomes.values()) - {TOP}, key=lambda node: (-len(holders([node])), rank[node]))
        old, visited = set(queue), list[Node]()
        while queue:
            node = queue.pop(0)
            for length in range(size if node in old else 1, size + 1):
                others = list(visited)
                for chosen in itertools.combinations(others, length - 1):
                    combination = (node, *chosen)
                    if node in visited or not set(combination) <= set(becomes.values()):
                        continue
                    if not 0 < len(holders(combination)) < k:
                        continue
                    ways = []
                    for above in itertools.product(*(tree.above(x) for x in combination)):
                        changed, named = after(combination, above), [x for x in above if x != TOP]
                        if changed is not None and (not named or len(holders(named)) >= k):
                            ways.append((TOP in above and not leave_out, cost(changed), len(ways), changed))
                    cheapest = min(ways, key=lambda way: way[:3])[3]
                    queue += [x for x in dict.fromkeys(cheapest.values()) if x not in {*becomes.values(), TOP}]
                    becomes = cheapest
            if node in becomes.values() and node not in visited:
                visited.append(node)
            old.discard(node)
    return becomes


def top_down(
    records: Sequence[Record],
    counts: Sequence[int],
    tree: SlowTree,
    k: int,
    may_be_group: Callable[[Sequence[int]], bool],
    rank: Mapping[Node, int],
) -> list[tuple[frozenset[int], frozenset[Node]]]:
    """Top-down, local generalisation (He and Naughton 2009): the groups of records, and the nodes of each.

    A record without items holds the top all the same: it is alone below it with those that have no items, either.
    """
    done, stack = [], [(list(range(len(records))), {TOP}, frozenset[Node]())]
    nothing = frozenset(["no item"])

    def children(record: int, node: Node) -> frozenset[Node]:
        own = [x for x in records[record] if node == TOP or x in node]
        return frozenset(tree.child(node, x) for x in own) or frozenset([nothing])

    def gain(record: int, node: Node) -> float:
        own = [x for x in records[record] if node == TOP or x in node]
        return counts[record] * sum(tree.ncp(node) - tree.ncp(tree.child(node, x)) for x in own)

    def by_children(group: list[int], node: Node) -> list[list[int]]:
        kinds = dict.fromkeys(children(x, node) for x in group)
        return [[x for x in group if children(x, node) == kind] for kind in kinds]

    def bound(group: list[int], node: Node) -> float:
        enough = [x for x in by_children(group, node) if sum(counts[i] for i in x) >= k]
        return round(sum(gain(i, node) for x in enough for i in x), 9)

    while stack:
        group, nodes, final = stack.pop()
        while True:
            opened = [x for x in nodes if (x == TOP or len(x) > 1) and x not in final and x != nothing]
            final |= {x for x in opened if bound(group, x) <= 0}
            alike = [x for x in opened if len(by_children(group, x)) == 1]
            if not alike:
                break
            nodes = (nodes - set(alike)).union(*(children(group[0], x) for x in alike))
        divided = []
        for node in (x for x in opened if x not in final):
            division = balanced(by_children(group, node), counts, lambda x, node=node: gain(x, node), may_be_group)
            if division is not None:
                total = round(sum(gain(i, node) for part in division[0] for i in part), 9)
                divided.append((-total, -bound(group, node), rank[node], node, division))
        divided = [x for x in divided if x[0] < 0]
        if not divided:
            done.append((frozenset(group), frozenset(nodes) - {TOP, nothing}))
            continue
        _, _, _, node, (parts, rest) = min(divided, key=lambda x: x[:3])
        stack += [(part, (nodes - {node}) | children(part[0], node), final) for part in parts]
        stack += [(rest, nodes, final | {node})] if rest else []
    return done


def balanced(
    every: list[list[int]],
    counts: Sequence[int],
    gain: Callable[[int], float],
    may_be_group: Callable[[Sequence[int]], bool],
) -> tuple[list[list[int]], list[int]] | None:
    """Return the parts that may be groups, and the rest with those who join it so that it may be one, too."""
    parts = [list(x) for x in every if may_be_group(x)]
    rest = [i for x in every if not may_be_group(x) for i in x]
    if not parts or not rest or may_be_group(rest):
        return (parts, rest) if parts else None
    for one in sorted((i for x in parts for i in x), key=lambda i: (round(gain(i) / counts[i], 9), i)):
        part = next(x for x in parts if one in x)
        if may_be_group([i for i in part if i != one]):
            part.remove(one)
            rest.append(one)
            if may_be_group(rest):
                return parts, rest
    while parts:
        least = min(parts, key=lambda x: (round(sum(map(gain, x)), 9), min(x)))
        parts.remove(least)
        rest += least
        if may_be_group(rest):
            return (parts, rest) if parts else None
    return None
