"""How many units hold items together: one bit of a whole number for every record that a node is true of."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Ints, distinct
from allonym.kinds.set_metric.item_tree import TOP
from allonym.methods.set_generalisation.items import ItemOccurrences
from allonym.records import Records


class Supports:
    """For every node of a tree, the records with an item at or below it.

    Supports are only compared with k. A tuple therefore has at most k bits; with units, one for each unit that holds
    it, and bits that belong to one unit count once.
    """

    def __init__(self, records: Records, items: ItemOccurrences, k: int) -> None:
        self.k = k
        self._units: Ints | None = None
        if records.units is None:
            holders = np.repeat(np.arange(len(records)), np.minimum(records.counts, k))
        else:
            assert records.inverse is not None
            first = distinct([records.inverse, records.units])[2]
            holders, units = records.inverse[first], records.units[first]
            if len(np.unique(units)) < len(units):
                self._units = units
        self._size = len(holders)
        self._rows = np.ones(len(holders), np.int64)  # that each bit stands for
        if records.units is None:
            self._rows[np.flatnonzero(np.diff(holders, prepend=-1))] += np.maximum(records.counts - k, 0)
        self.bits = self._of_nodes(items, holders)

    def _of_nodes(self, items: ItemOccurrences, holders: Ints) -> list[int]:
        tree = items.tree
        bits = [0] * len(tree)
        order = np.argsort(items.leaves, kind="stable")
        starts = np.searchsorted(items.leaves[order], np.arange(len(tree) + 1))
        has = np.zeros(int(holders.max(initial=-1)) + 1, bool)
        for node in range(len(tree) - 1, TOP, -1):  # children before their parents
            if starts[node] < starts[node + 1]:
                has[:] = False
                has[items.tuples[order[starts[node] : starts[node + 1]]]] = True
                bits[node] |= int.from_bytes(np.packbits(has[holders]).tobytes(), "big")
            bits[int(tree.parent[node])] |= bits[node]
        return bits

    def is_rare(self, bits: int) -> bool:
        """Tell whether some records, at least one, are about fewer than k units."""
        return bits > 0 and not self.reaches_k(bits)

    def reaches_k(self, bits: int) -> bool:
        """Tell whether some records are about at least k units."""
        if bits.bit_count() < self.k:
            return False
        return self._units is None or self._distinct_units(bits) >= self.k

    def count(self, node: int) -> int:
        """Return how many units hold a node."""
        bits = self.bits[node]
        return int(self._rows[self._flags(bits)].sum()) if self._units is None else self._distinct_units(bits)

    def _distinct_units(self, bits: int) -> int:
        assert self._units is not None
        return len(np.unique(self._units[self._flags(bits)]))

    def _flags(self, bits: int) -> NDArray[np.bool_]:
        """Return which of the bits are set."""
        length = -(-self._size // 8)
        flags = np.unpackbits(np.frombuffer(bits.to_bytes(length, "big"), np.uint8), count=self._size)
        return flags.astype(bool)
