"""k^m-anonymity by generalisation for all records alike (Terrovitis, Mamoulis and Kalnis 2008).

This is Apriori-based anonymisation (VLDB 2008, doi:10.14778/1453856.1453874): combinations of 1, 2, … m items, so that
few of the larger ones are left. A combination that fewer than k units hold is generalised in the cheapest way by NCP.
What is chosen where the article leaves it open: combinations are visited from frequent items to rare ones. What is
different: an item that reaches the top is left out alone, where the article would generalise all items to the root; and
items may be left out where that is cheaper.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from itertools import product
from operator import and_

import numpy as np

from allonym.arrays import Floats, Ints, sum_by
from allonym.kinds.set_metric.item_tree import TOP, ItemTree
from allonym.methods.kernels.ties import DIGITS
from allonym.methods.set_generalisation.items import ItemOccurrences
from allonym.methods.set_generalisation.supports import Supports
from allonym.progress import Progress, no_progress
from allonym.records import Records


def generalised_items(
    records: Records,
    items: ItemOccurrences,
    k: int,
    m: int,
    rng: np.random.Generator,
    tick: Progress = no_progress,
    *,
    leave_out: bool = True,
) -> Ints:
    """Return for every leaf the node that stands for it, so that k^m-anonymity holds; the top: it is left out.

    Items are left out where that is cheapest, or else only where nothing else reaches k.
    """
    held = sum_by(items.leaves, records.mass[items.tuples], len(items.tree))
    cut = _Cut(items.tree, Supports(records, items, k), held, rng.permutation(len(items.tree)), leave_out)
    for size in range(1, m + 1):
        tick(size - 1, m)
        cut.generalise(size)
    return cut.node_of


class _Cut:
    """A cut through a tree of items: the node that stands for every leaf."""

    def __init__(self, tree: ItemTree, supports: Supports, held: Floats, ties: Ints, leave_out: bool) -> None:
        self.tree, self.supports, self.held, self.ties, self.leave_out = tree, supports, held, ties, leave_out
        self.node_of = np.arange(len(tree))
        leaves = np.array(list(tree.leaf.values()), np.int64)
        self.nodes = dict.fromkeys(leaves.tolist())  # of the cut, without the top
        below = tree.path[leaves]
        self.leaves = [leaves[(below == node).any(axis=1)] for node in range(len(tree))]
        self.above = [tree.above(node) for node in range(len(tree))]

    def generalise(self, size: int) -> None:
        """Generalise combinations of so many items until none is rare; smaller ones are not rare.

        A combination is looked at with the last of its nodes to be visited. Nodes that come into the cut are visited
        after all others; they may bring back items that were left out, so that smaller combinations count again.
        """
        queue = sorted(self.nodes, key=lambda node: (-self.supports.count(node), self.ties[node]))
        before, visited = len(queue), dict[int, None]()
        for place, node in enumerate(queue):  # which grows
            for length in range(size if place < before else 1, size + 1):
                if node in self.nodes and node not in visited:
                    for combination in self._rare((node,), self.supports.bits[node], list(visited), length):
                        queue += self._generalise(combination)
            if node in self.nodes:
                visited[node] = None

    def _rare(self, chosen: tuple[int, ...], bits: int, others: list[int], size: int) -> Iterator[tuple[int, ...]]:
        """Yield the rare combinations of some nodes and others; what was yielded may be generalised meanwhile."""
        if len(chosen) == size:
            if self.supports.is_rare(bits):
                yield chosen
            return
        for place, node in enumerate(others):
            if node in self.nodes and (both := bits & self.supports.bits[node]):
                yield from self._rare((*chosen, node), both, others[place + 1 :], size)
                if not all(x in self.nodes for x in chosen):
                    return

    def _generalise(self, combination: tuple[int, ...]) -> list[int]:
        """Generalise a combination in the cheapest way that k units hold; return the nodes that are new in the cut."""
        bits, costs = self.supports.bits, dict[tuple[int, int], float]()
        best: tuple[tuple[bool, float], tuple[int, ...]] | None = None
        for above in product(*(self.above[node] for node in combination)):
            nodes = {x for x in above if x != TOP}
            left_out = {node for node, x in zip(combination, above, strict=True) if x == TOP}
            if not self._is_antichain(nodes | left_out):
                continue
            steps = {(x, x) if x != TOP else (node, TOP) for node, x in zip(combination, above, strict=True)}
            amount = round(sum(costs.setdefault(x, self._cost(*x)) for x in steps), DIGITS)
            cost = bool(left_out) and not self.leave_out, amount
            if best is not None and cost >= best[0]:
                continue
            if not nodes or self.supports.reaches_k(reduce(and_, (bits[x] for x in nodes))):
                best = cost, above
        assert best is not None, "all items can be left out"
        new = [self._moved(node, above) for node, above in zip(combination, best[1], strict=True)]
        return [x for x in dict.fromkeys(new) if x is not None]

    def _is_antichain(self, nodes: set[int]) -> bool:
        """Tell whether no node is above another: what is below one becomes this one."""
        return not any(one != other and one in self.above[other] for one in nodes for other in nodes)

    def _cost(self, below: int, node: int) -> float:
        """Return the NCP that is lost where all leaves below a node become one."""
        leaves = self.leaves[below]
        return float((self.held[leaves] * (self.tree.ncp[node] - self.tree.ncp[self.node_of[leaves]])).sum())

    def _moved(self, node: int, above: int) -> int | None:
        """Let a node stand for all leaves below it, or leave a node of the cut out; return it, if it is new."""
        if above in self.nodes or node == above:
            return None
        leaves = self.leaves[node if above == TOP else above]
        for old in np.unique(self.node_of[leaves]).tolist():
            self.nodes.pop(old, None)
        if above == TOP:
            self.node_of[leaves] = TOP
            return None
        self.node_of[leaves] = above
        self.nodes[above] = None
        return above
