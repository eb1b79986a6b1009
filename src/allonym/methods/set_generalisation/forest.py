"""The trees of several columns of sets side by side, and the items of all tuples in them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from allonym.arrays import Ints, take_rows
from allonym.kinds.set_metric.item_tree import TOP
from allonym.methods.set_generalisation.items import ItemOccurrences
from allonym.metric import Value
from allonym.records import Records

NO_ITEM = 2  # leaves of a column besides its items: of the empty set, and of null


class Forest:
    """The nodes of all trees, numbered one tree after the other.

    A tuple without items in a column holds a leaf of its own there, which is worth nothing: one for the empty set, one
    for null. Every tuple thus holds the top of every tree.
    """

    def __init__(self, records: Records, columns: Sequence[int], items: Sequence[ItemOccurrences]) -> None:
        sizes = [len(x.tree) + NO_ITEM for x in items]
        self.first = np.append(0, np.cumsum(sizes))  # node of each tree: its top
        width = max(x.tree.path.shape[1] for x in items)
        width = max(width, 2)
        self.path = np.full((int(self.first[-1]), width), -1, np.int64)
        self.depth, self.ncp = np.ones(int(self.first[-1]), np.int64), np.zeros(int(self.first[-1]))
        self.values: list[Value] = []
        self.worth = np.ones(int(self.first[-1]))
        owners, leaves = [], []
        for a, x, first in zip(columns, items, self.first.tolist(), strict=False):
            size = len(x.tree)
            own = slice(first, first + size)
            self.path[own, : x.tree.path.shape[1]] = np.where(x.tree.path < 0, -1, x.tree.path + first)
            self.depth[own], self.ncp[own] = x.tree.depth, x.tree.ncp
            empty, null = first + size, first + size + 1
            self.path[[empty, null], 0], self.path[[empty, null], 1] = first + TOP, [empty, null]
            self.worth[[empty, null]] = 0.0
            self.values += [*x.tree.values, frozenset(), None]
            values = records.attributes[a].metric.values
            without = np.array([not values[code] for code in records.codes[:, a].tolist()], bool)
            is_null = np.array([values[code] is None for code in records.codes[:, a].tolist()], bool)
            owners += [x.tuples, np.flatnonzero(without)]
            leaves += [x.leaves + first, np.where(is_null, null, empty)[without]]
        owner, leaf = np.concatenate(owners), np.concatenate(leaves)
        order = np.lexsort((leaf, owner))
        self.tuples, self.leaves = owner[order], leaf[order]
        self.tops = self.path[self.leaves, 0]
        self._starts = np.searchsorted(self.tuples, np.arange(len(records) + 1))

    def __len__(self) -> int:
        return len(self.depth)

    def items_of(self, tuples: Ints) -> Ints:
        """Return the places of the items of some tuples."""
        return take_rows(self._starts, np.arange(len(self.leaves)), tuples)[1]

    def set_of(self, column: int, nodes: Sequence[int]) -> Value:
        """Return the set of a column that is written for some nodes: without its top; null, if nothing is left."""
        low, high = int(self.first[column]), int(self.first[column + 1])
        own = [node for node in nodes if low <= node < high]
        if own == [high - NO_ITEM]:
            return frozenset()
        return frozenset(value for node in own if (value := self.values[node]) is not None) or None
