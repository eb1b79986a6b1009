"""The key of a release: every random draw of a release derives from it, and no two releases share a draw.

Without a seed the key is a secret that the operating system draws, kept in memory and never written. With a seed it is
a hash of the seed, the plan and the input: the same three give the same release; any other plan or table gives other
draws (key derivation by keyed BLAKE2b, RFC 7693).
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field

import numpy as np

from allonym.arrays import Ints

SIZE = 32  # bytes


@dataclass(frozen=True)
class ReleaseKey:
    """The secret from which the draws of one release derive.

    >>> key = ReleaseKey.from_seed(1, "plan", "input")
    >>> key.number("ties") == key.number("ties"), key.number("ties") == key.number("row order")
    (True, False)
    >>> ReleaseKey.from_seed(1, "plan", "another input").number("ties") == key.number("ties")
    False
    """

    secret: bytes = field(repr=False)
    seed: int | None = None

    @classmethod
    def random(cls) -> ReleaseKey:
        """Return a key that the operating system draws; nobody can repeat it."""
        return cls(os.urandom(SIZE))

    @classmethod
    def from_seed(cls, seed: int, plan: str, content: str) -> ReleaseKey:
        """Return the key that belongs to a seed, a plan and the content of a table."""
        digest = hashlib.blake2b(digest_size=SIZE, person=b"release key")
        for part in (str(seed), plan, content):
            digest.update(hashlib.blake2b(part.encode()).digest())
        return cls(digest.digest(), seed)

    @property
    def reproducible(self) -> bool:
        """Tell whether a seed was given, so that the release can be repeated."""
        return self.seed is not None

    def number(self, *purpose: str) -> int:
        """Return a number of 128 bits for a purpose, such as `"ties"`."""
        return _derived(self.secret, purpose)

    def row_order(self, rows: int, content: str = "") -> Ints:
        """Return a random order of rows; with the hash of the input, two inputs never share an order."""
        return rng_of(self.number("row order", content)).permutation(rows)


def derived(seed: int, *purpose: str) -> int:
    """Return a number of 128 bits that belongs to a seed of at most 128 bits and a purpose."""
    return _derived(seed.to_bytes(16, "little"), purpose)


def rng_of(seed: int, *purpose: str) -> np.random.Generator:
    """Return the generator that belongs to a seed of at most 128 bits and, if one is given, a purpose."""
    return np.random.Generator(np.random.Philox(key=derived(seed, *purpose) if purpose else seed))


def _derived(secret: bytes, purpose: tuple[str, ...]) -> int:
    digest = hashlib.blake2b(digest_size=16, key=secret)
    for part in purpose:
        digest.update(hashlib.blake2b(part.encode()).digest())
    return int.from_bytes(digest.digest(), "little")
