"""Nearest pairs: the two nearest records that differ exchange their values, again and again, up to a distance."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from allonym.arrays import Floats, Ints
from allonym.methods.kernels.ties import rounded
from allonym.methods.swapping.blocks import Block
from allonym.methods.swapping.orders import order_of_tuples, tuple_distances
from allonym.records import Records

MAX_COMPARED = 3_000  # tuples of which all pairs are compared; of more, those next to each other in an order
NEIGHBOURS = 64  # in that order
AT_A_TIME = 4_096  # pairs


class NearPairs:
    """The pairs of tuples that may exchange the values of a block, with their distances."""

    def __init__(self, records: Records, block: Block, cap: float) -> None:
        parts = list(_compared(records, block, cap))
        none = np.zeros(0, np.int64)
        self.one = np.concatenate([none, *(x[0] for x in parts)])
        self.other = np.concatenate([none, *(x[1] for x in parts)])
        self.far = np.concatenate([np.zeros(0), *(x[2] for x in parts)])

    def exchanged(self, left: Ints, rng: np.random.Generator) -> tuple[Ints, Ints, Ints]:
        """Return exchanges, given how many rows of each tuple take part: two tuples, and how many rows of each.

        The nearest pair comes first; the order of equally near ones is drawn.
        """
        order = np.argsort(self.far + rng.random(len(self.far)))  # distances are whole numbers
        left = left.copy()
        found: list[tuple[int, int, int]] = []
        for low in range(0, len(order), AT_A_TIME):
            part = order[low : low + AT_A_TIME]
            part = part[(left[self.one[part]] > 0) & (left[self.other[part]] > 0)]
            for one, other in zip(self.one[part].tolist(), self.other[part].tolist(), strict=True):
                rows = int(min(left[one], left[other]))
                if rows:
                    left[one] -= rows
                    left[other] -= rows
                    found.append((one, other, rows))
        pairs = np.array(found, np.int64).reshape(-1, 3)
        return pairs[:, 0], pairs[:, 1], pairs[:, 2]


def _compared(records: Records, block: Block, cap: float) -> Iterator[tuple[Ints, Ints, Floats]]:
    """Yield pairs of tuples that differ in a block, are missing in the same of its columns, and are near enough."""
    tuples, strata = len(records), block.strata[block.kinds]
    some = np.arange(tuples)
    if tuples > MAX_COMPARED:
        some = order_of_tuples(records.attributes, records.shares, records.codes)
    for place in range(tuples - 1):
        one = some[place]
        others = some[place + 1 :] if tuples <= MAX_COMPARED else some[place + 1 : place + 1 + NEIGHBOURS]
        others = others[(block.kinds[others] != block.kinds[one]) & (strata[others] == strata[one])]
        far = tuple_distances(records.attributes, records.shares, records.codes[one], records.codes[others])
        near = rounded(far) <= rounded(np.array(cap))
        yield np.full(int(near.sum()), one), others[near], rounded(far[near])


def outcomes(block: Block, counts: Ints, exchanges: tuple[Ints, Ints, Ints]) -> tuple[Ints, Ints, Ints]:
    """Return what rows become: their tuple, the kind that they get, and how many do so; most stay as they were."""
    one, other, rows = exchanges
    stay = counts.copy()
    np.subtract.at(stay, one, rows)
    np.subtract.at(stay, other, rows)
    source = np.concatenate([one, other, np.arange(len(counts))])
    kind = np.concatenate([block.kinds[other], block.kinds[one], block.kinds])
    return source, kind, np.concatenate([rows, rows, stay])
