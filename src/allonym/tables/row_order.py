"""The order of the rows of a release: shuffled by the key of the release, so that the place of a row tells nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Ints
from allonym.release_key import ReleaseKey

BLOCK_BITS = 16  # sort keys of rows that are far apart are drawn in blocks of 2**16
WORDS = 4  # numbers that the generator gives at each step of its counter


@dataclass(frozen=True)
class RowOrder:
    """A secret order of the rows of a table; two tables never share one.

    >>> order = RowOrder(ReleaseKey.from_seed(1, "plan", "hash of the table"), "hash of the table")
    >>> sorted(order.rows(4).tolist()), order.within(np.array([1, 1, 1])).tolist()
    ([0, 1, 2, 3], [0, 1, 2])
    """

    key: ReleaseKey
    content: str  # the hash of the table

    def rows(self, number: int) -> Ints:
        """Return for each row of the release the row of the table that it is, from 0."""
        return self.key.row_order(number, self.content)

    def within(self, sizes: Ints) -> Ints:
        """Return a random order of items that lie unit by unit; each stays with its unit, which has `sizes` items."""
        numbers = np.arange(int(sizes.sum()), dtype=np.uint64)
        return np.lexsort((self._drawn("items", numbers), np.repeat(np.arange(len(sizes)), sizes)))

    @property
    def secret(self) -> str:
        """The secret for an engine that orders rows by a hash of it and their numbers."""
        return f"{self.key.number('row order', self.content, 'engine'):032x}"

    def sort_keys(self, numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Return the numbers by which an engine sorts rows, given the numbers of these rows."""
        return self._drawn("engine", numbers)

    def _drawn(self, purpose: str, numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Return a draw for each number, the same whichever others are asked for (Philox in counter mode)."""
        if not len(numbers):
            return np.zeros(0, np.uint64)
        key = self.key.number("row order", self.content, purpose)
        low, high = int(numbers.min()), int(numbers.max())
        if high - low < 2 * len(numbers) + (1 << BLOCK_BITS):
            return _stretch(key, low, high)[(numbers - np.uint64(low)).astype(np.int64)]
        drawn = np.empty(len(numbers), np.uint64)
        block_of = numbers >> np.uint64(BLOCK_BITS)
        for block in np.unique(block_of).tolist():
            low, own = block << BLOCK_BITS, block_of == block
            drawn[own] = _stretch(key, low, low + (1 << BLOCK_BITS) - 1)[
                (numbers[own] - np.uint64(low)).astype(np.int64)
            ]
        return drawn


def _stretch(key: int, low: int, high: int) -> NDArray[np.uint64]:
    """Return the draws of all numbers from `low` to `high`."""
    generator = np.random.Philox(key=key, counter=low // WORDS)
    start = low % WORDS
    drawn: NDArray[np.uint64] = generator.random_raw(start + high - low + 1)[start:]
    return drawn
