"""The items of a column of sets as leaves of its tree, tuple by tuple."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from allonym.arrays import Ints
from allonym.kinds.set_metric import SetMetric
from allonym.kinds.set_metric.item_tree import ItemTree, item_tree
from allonym.metric import Value
from allonym.records import Records


@dataclass(frozen=True, eq=False)
class ItemOccurrences:
    """The items of every tuple in a column of sets: item i is the leaf `leaves[i]`, of tuple `tuples[i]`."""

    tree: ItemTree
    tuples: Ints  # in order
    leaves: Ints

    @classmethod
    def of(cls, records: Records, a: int) -> ItemOccurrences:
        """Return the items of a column of sets."""
        metric = records.attributes[a].metric
        assert isinstance(metric, SetMetric)
        used = np.unique(records.codes[:, a])
        values = [metric.values[code] for code in used.tolist()]
        present = {item for value in values if value is not None for item in value}
        tree = item_tree(metric.elements, [x for x in metric.elements.values if x in present])
        leaves_of = [sorted(tree.leaf[x] for x in value or ()) for value in values]
        each = [leaves_of[place] for place in np.searchsorted(used, records.codes[:, a]).tolist()]
        sizes = [len(leaves) for leaves in each]
        flat = np.array([leaf for leaves in each for leaf in leaves], np.int64)
        return cls(tree, np.repeat(np.arange(len(each)), sizes), flat)

    def set_of(self, nodes: list[int]) -> Value:
        """Return the set that is written for some nodes: without the top; null, if nothing is left."""
        return frozenset(value for node in nodes if (value := self.tree.values[node]) is not None) or None
